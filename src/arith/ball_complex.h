/* Operations on complex balls, for integrals (ball_integral.h).
 *
 * x is the ball of a value that is real where the variables are. y becomes a ball of the values of a function that equals the
 * operation at every real point of x, where it is defined: it is indeterminate unless the operation is certainly defined there.
 * With `analytic` that function is moreover analytic in all of x. Indeterminate operands give indeterminate results. */
#ifndef ASSAY_ARITH_BALL_COMPLEX_H
#define ASSAY_ARITH_BALL_COMPLEX_H

#include "tape/tape.h"

/* NEGATE, ZERO and all functions. y may be x. */
void ball_complex_function(acb_t y, tape_opcode op, const acb_t x, bool analytic, slong precision);
/* All operations on two numbers but POWER. y may be a or b. */
void ball_complex_binary(acb_t y, tape_opcode op, const acb_t a, const acb_t b, bool analytic, slong precision);
void ball_complex_power(acb_t y, const acb_t x, int32_t exponent, slong precision);

#endif
