/* What real.c and real_gradient.c share: the state, and the derivative rules' view of it. */
#ifndef ASSAY_ARITH_REAL_INTERNAL_H
#define ASSAY_ARITH_REAL_INTERNAL_H

#include "arith/arith.h"

struct real_state {
  const tape_program *program;
  double *value;    /* value_slots * LANES */
  double *margin;   /* truth_slots * LANES */
  const double *constant; /* rounded to double */
  double *own_constant;
  real_state **inner;     /* the bodies of the integrals, as programs */
  double variable[LANES]; /* of the integral whose body this is */
};

/* The values of the integral t in all lanes, by Gauss-Legendre quadrature. */
void real_integral(double *r, const real_state *s, const tape_step *t);
/* Its slopes in one lane: by its ends, and by finite differences, slope[i], by what capture i stands for. */
void real_integral_slopes(double *by_low, double *by_high, double *slope, const real_state *s, const tape_step *t,
                          unsigned lane);

/* One function of one number, by the system's library; NaN where it is undefined. */
double real_function(tape_opcode op, double x);
/* Its derivative; one of the subgradients at a kink. */
double real_function_slope(tape_opcode op, double x);

#endif
