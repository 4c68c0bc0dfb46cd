/* Operations on balls that know their domain.
 *
 * A ball stands for every number in it; `definedness` says whether the operation is defined for all of
 * them, for none, or perhaps not for all. Where it is not defined for all of them the ball set is
 * indeterminate ([NaN +/- inf]). A ball that is indeterminate stands for any number. */
#ifndef ASSAY_ARITH_BALL_FUNCTIONS_H
#define ASSAY_ARITH_BALL_FUNCTIONS_H

#include "tape/tape.h"

typedef enum { BALL_DEFINED, BALL_PERHAPS, BALL_UNDEFINED } definedness;

/* One operation on one number (NEGATE, ZERO and all functions). y and x may be the same. */
definedness ball_function(arb_t y, tape_opcode op, const arb_t x, slong precision);
/* One operation on two numbers (not POWER). y may be a or b. */
definedness ball_binary(arb_t y, tape_opcode op, const arb_t a, const arb_t b, slong precision);
definedness ball_power(arb_t y, const arb_t x, int32_t exponent, slong precision);

#endif
