/* Rigorous integrals: one INTEGRAL of a program, by FLINT's acb_calc_integrate over a complex evaluator of its body.
 *
 * The result is a ball that is certain to contain the integral, or nothing is known: a body that is not certainly defined from
 * one end to the other, both included, gives no number. How close a ball is grows with the precision; the work
 * of one integral is limited, and that of several within one another ends with the thread's patience (core/patience.h). */
#ifndef ASSAY_ARITH_BALL_INTEGRAL_H
#define ASSAY_ARITH_BALL_INTEGRAL_H

#include "arith/ball_functions.h"
#include "core/status.h"

typedef struct ball_integral ball_integral;

/* p->integral[k], and those within it. */
ball_integral *ball_integral_create(const tape_program *p, size_t k);
void ball_integral_destroy(ball_integral *s);
/* What capture i of it stands for, before each run; NULL: not certainly defined. */
void ball_integral_set_value(ball_integral *s, size_t i, const arb_t value);
void ball_integral_set_truth(ball_integral *s, size_t i, truth value);
/* y may be neither end. */
definedness ball_integral_run(arb_t y, ball_integral *s, const arb_t low, const arb_t high, slong precision);

#endif
