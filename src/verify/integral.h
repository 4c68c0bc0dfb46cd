/* Integrals over one real variable, by Taylor's formula with Lagrange's remainder.
 *
 * The interval is cut in halves until, on each part of half-width r around c, the body's Taylor polynomial at c and an
 * enclosure of its next coefficient over the whole part (Arb's power series over balls) enclose the integral closely enough:
 * sum over even k of 2 a_k r^(k+1)/(k+1), within |a_N| 2 r^(N+1)/(N+1). Around a kink the body's range over the part serves
 * instead. Complex numbers do not occur, so no branch has to be watched.
 *
 * Where the body is not certainly defined and bounded on the whole interval, the integral is unknown: also the convergent
 * ones of unbounded bodies. */
#ifndef ASSAY_VERIFY_INTEGRAL_H
#define ASSAY_VERIFY_INTEGRAL_H

#include "verify/number.h"

/* A step of a body: an operation of number.h on earlier steps, or one of these. */
enum { STEP_VARIABLE = 1000, STEP_NUMBER };

typedef struct {
  unsigned op;
  uint32_t a, b; /* operands: earlier steps */
  number number; /* STEP_NUMBER: its value */
  int64_t exponent; /* OP_POWER */
} integrand_step;

typedef struct integrand {
  integrand_step *step; /* owned */
  uint32_t steps;       /* the last one is the value */
  number low, high;     /* defined numbers */
} integrand;

/* An enclosure to about `precision` bits, of which more than INTEGRAL_PRECISION are never tried; not finite where none was
 * found. So an equality that holds stays open after a moment. */
enum { INTEGRAL_PRECISION = 256 };

void integral_ball(numbers *s, arb_t result, const integrand *f, slong precision);

#endif
