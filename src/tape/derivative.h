/* Derivatives of tape values: a tape-to-tape transformation. */
#ifndef ASSAY_TAPE_DERIVATIVE_H
#define ASSAY_TAPE_DERIVATIVE_H

#include "tape/tape.h"

/* A cache of derivatives with respect to many inputs, so that d(h[t], x[s]) for all t and one s is one pass. */
typedef struct tape_derivatives tape_derivatives;
tape_derivatives *tape_derivatives_create(void);
void tape_derivatives_destroy(tape_derivatives *cache);

/* The partial derivative of value `y` with respect to input number `input`, appended to t (forward mode; exact).
 * Undefined at a kink of abs and relu, at a tie of min and max whose arguments depend on the input, at sqrt 0, on the
 * boundary of the condition of a SELECT that depends on the input, and wherever y itself is undefined. What does not show
 * in y does not count: the arguments of min and max that do not win, and of relu below 0, may have kinks (but must not
 * jump), and a - a and a^0 are constants where a is defined. Nests: y may be a derivative. `x` is the operation of
 * that input on the tape. */
tape_id tape_derivative(tape *t, tape_derivatives *cache, tape_id y, tape_id x);

/* The same where y is defined; elsewhere it may be any value. */
tape_id tape_slope(tape *t, tape_derivatives *cache, tape_id y, tape_id x);

/* Whether operation i is a constant, or its operand a, wherever it is defined, so that for a derivative its (other)
 * operands only matter for whether it is: a - a, a^0, `a where c is defined`. */
bool tape_hides_operands(const tape *t, tape_id i);

/* Whether some path of operations leads from x to value or truth y. */
bool tape_depends(const tape *t, tape_id y, tape_id x);

#endif
