/* What real.c and real_gradient.c share: the state, and the derivative rules' view of it. */
#ifndef ASSAY_ARITH_REAL_INTERNAL_H
#define ASSAY_ARITH_REAL_INTERNAL_H

#include "arith/arith.h"

struct real_state {
  const tape_program *program;
  double *value;    /* value_slots * LANES */
  double *margin;   /* truth_slots * LANES */
  double *constant; /* rounded to double */
};

/* One function of one number, by the system's library; NaN where it is undefined. */
double real_function(tape_opcode op, double x);
/* Its derivative; one of the subgradients at a kink. */
double real_function_slope(tape_opcode op, double x);

#endif
