/* Integrals over one real variable, or two within one another, by Taylor's formula with Lagrange's remainder.
 *
 * The interval is cut in halves until, on each part of half-width r around c, the body's Taylor polynomial at c and an
 * enclosure of its next coefficient over the whole part (Arb's power series over balls) enclose the integral closely enough:
 * sum over even k of 2 a_k r^(k+1)/(k+1), within |a_N| 2 r^(N+1)/(N+1). Around a kink the body's range over the part serves
 * instead. Complex numbers do not occur, so no branch has to be watched.
 *
 * An integral inside whose body or ends use the outer variable is such a series itself: it is taken over 0..1, its ends being
 * part of its body then, and each of its coefficients is the integral of a derivative by the outer variable.
 *
 * Where the body is not certainly defined and bounded on the whole interval, the integral is unknown: also the convergent
 * ones of unbounded bodies. */
#ifndef ASSAY_VERIFY_INTEGRAL_H
#define ASSAY_VERIFY_INTEGRAL_H

#include "verify/number.h"

/* A step of a body: an operation of number.h on earlier steps, or one of these. */
enum {
  STEP_VARIABLE = 1000,
  STEP_NUMBER,
  STEP_OUTER,   /* only of an integral inside: step a of the outer body */
  STEP_INTEGRAL /* from a to b of `inner`, whose body may use steps before this one */
};

typedef struct {
  unsigned op;
  uint32_t a, b; /* operands: earlier steps */
  number number; /* STEP_NUMBER: its value */
  int64_t exponent; /* OP_POWER */
  struct integrand *inner; /* STEP_INTEGRAL; owned */
} integrand_step;

typedef struct integrand {
  integrand_step *step; /* owned */
  uint32_t steps;       /* the last one is the value */
  number low, high;     /* defined numbers; of an integral inside not used */
  bool nested;          /* some step is a STEP_INTEGRAL */
  slong precision;      /* of `ball`; 0: none yet */
  arb_t ball;
} integrand;

/* From `steps` steps, which it takes over. */
integrand *integrand_create(integrand_step *step, uint32_t steps);
void integrand_destroy(integrand *f);

/* An enclosure to about `precision` bits, of which more than INTEGRAL_PRECISION, or NESTED_PRECISION of nested ones, are never
 * tried; not finite where none was found. So an equality that holds stays open after a moment. */
enum { INTEGRAL_PRECISION = 256, NESTED_PRECISION = 48 };

void integral_ball(numbers *s, arb_t result, integrand *f, slong precision);

#endif
