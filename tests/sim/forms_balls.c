#include "forms_balls.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

#define U 0x1p-53

void ball_init(ball *x)
{
  arb_init(x->re);
  arb_init(x->im);
}

void ball_clear(ball *x)
{
  arb_clear(x->re);
  arb_clear(x->im);
}

void ball_set(ball *x, double re, double im)
{
  arb_set_d(x->re, re);
  arb_set_d(x->im, im);
}

void ball_multiply(ball *x, const ball *y)
{
  arb_t a, b;
  arb_init(a);
  arb_init(b);
  arb_mul(a, x->re, y->re, PRECISION);
  arb_submul(a, x->im, y->im, PRECISION);
  arb_mul(b, x->re, y->im, PRECISION);
  arb_addmul(b, x->im, y->re, PRECISION);
  arb_swap(x->re, a);
  arb_swap(x->im, b);
  arb_clear(a);
  arb_clear(b);
}

double ball_modulus(const ball *x)
{
  return hypot(arf_get_d(arb_midref(x->re), ARF_RND_NEAR), arf_get_d(arb_midref(x->im), ARF_RND_NEAR));
}

void total_init(total *s)
{
  ball_init(&s->sum);
  s->moduli = 0;
}

void total_clear(total *s)
{
  ball_clear(&s->sum);
}

void total_add(total *s, const ball *term)
{
  arb_add(s->sum.re, s->sum.re, term->re, PRECISION);
  arb_add(s->sum.im, s->sum.im, term->im, PRECISION);
  s->moduli += ball_modulus(term);
}

void chain_init(chain *c, size_t tokens)
{
  c->tokens = tokens;
  c->alpha = memory_new(tokens, sizeof *c->alpha);
  c->drive = memory_new(tokens, sizeof *c->drive);
  ball_init(&c->begin);
  for (size_t t = 0; t < tokens; t++) {
    ball_init(&c->alpha[t]);
    ball_init(&c->drive[t]);
  }
}

void chain_clear(chain *c)
{
  for (size_t t = 0; t < c->tokens; t++) {
    ball_clear(&c->alpha[t]);
    ball_clear(&c->drive[t]);
  }
  ball_clear(&c->begin);
  free(c->alpha);
  free(c->drive);
}

void total_add_unrolled(total *s, const chain *c, ptrdiff_t t, const ball *factor)
{
  ball product, term;
  ball_init(&product);
  ball_init(&term);
  arb_set(product.re, factor->re);
  arb_set(product.im, factor->im);
  for (ptrdiff_t r = t; r >= -1; r--) {
    const ball *drive = r < 0 ? &c->begin : &c->drive[r];
    arb_set(term.re, drive->re);
    arb_set(term.im, drive->im);
    ball_multiply(&term, &product);
    total_add(s, &term);
    if (r >= 0)
      ball_multiply(&product, &c->alpha[r]);
  }
  ball_clear(&product);
  ball_clear(&term);
}

void total_add_product(total *s, double a, double b)
{
  ball x, y;
  ball_init(&x);
  ball_init(&y);
  ball_set(&x, a, 0);
  ball_set(&y, b, 0);
  ball_multiply(&x, &y);
  total_add(s, &x);
  ball_clear(&x);
  ball_clear(&y);
}

double number_check(const form_case *c, double computed, const arb_t exact, double moduli, double n,
                    const char *what, size_t t)
{
  arb_t error;
  arf_t most;
  arb_init(error);
  arf_init(most);
  arb_set_d(error, computed);
  arb_sub(error, error, exact, PRECISION);
  arb_get_abs_ubound_arf(most, error, 53);
  double off = arf_get_d(most, ARF_RND_UP), bound = n * U / (1 - n * U) * moduli * (1 + 1e-9) + 0x1p-1000;
  if (!(off <= bound))
    ck_abort_msg("%s: %s at token %zu is %.17g, off by %g, more than %g", case_names[c->kind], what, t,
                 computed, off, bound);
  arb_clear(error);
  arf_clear(most);
  return off / bound;
}
