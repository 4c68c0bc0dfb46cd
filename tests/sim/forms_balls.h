/* Complex numbers as pairs of balls, sums that also add up the moduli of their terms, and states as the
 * unrolled sum of Lemma D.1: for tests of forms against their definitions. */
#ifndef ASSAY_TESTS_SIM_FORMS_BALLS_H
#define ASSAY_TESTS_SIM_FORMS_BALLS_H

#include <stddef.h>

#include "core/flint.h"
#include "forms_cases.h"

enum { PRECISION = 256 };

typedef struct {
  arb_t re, im;
} ball;

void ball_init(ball *x);
void ball_clear(ball *x);
void ball_set(ball *x, double re, double im);
void ball_multiply(ball *x, const ball *y);
double ball_modulus(const ball *x);

/* A sum under way, and the sum of the moduli of its terms (in double; a little room is left for that). */
typedef struct {
  ball sum;
  double moduli;
} total;

void total_init(total *s);
void total_clear(total *s);
void total_add(total *s, const ball *term);
void total_add_product(total *s, double a, double b);

/* What the definition needs to know of one state: its decays and drives, and what it was before the first
 * token. */
typedef struct {
  ball *alpha, *drive; /* [T] */
  ball begin;
  size_t tokens;
} chain;

void chain_init(chain *c, size_t tokens);
void chain_clear(chain *c);

/* s += factor times the state behind token t: sum over r <= t of (product of alpha_q, r < q <= t) drive_r,
 * and the state before the first token likewise. t = -1: that state. */
void total_add_unrolled(total *s, const chain *c, ptrdiff_t t, const ball *factor);

/* Fails the test unless `computed` is within gamma(n) moduli of the sum; the error over that bound. */
double number_check(const form_case *c, double computed, const arb_t exact, double moduli, double n,
                    const char *what, size_t t);

#endif
