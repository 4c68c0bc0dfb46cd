/* The simplest rational in an interval: the continued fractions of both ends, as far as they agree. */
#include "source/simplest.h"

/* 0 < low <= high. */
static void simplest_positive(fmpq_t out, const fmpq_t low, const fmpq_t high)
{
  /* Convergents p/q of the common part; (a, b) and (c, d) run through the remainders of low and high. */
  fmpz_t p0, q0, p1, q1, a, b, c, d, f, t;
  fmpz_init_set_ui(p0, 0);
  fmpz_init_set_ui(q0, 1);
  fmpz_init_set_ui(p1, 1);
  fmpz_init_set_ui(q1, 0);
  fmpz_init_set(a, fmpq_numref(low));
  fmpz_init_set(b, fmpq_denref(low));
  fmpz_init_set(c, fmpq_numref(high));
  fmpz_init_set(d, fmpq_denref(high));
  fmpz_init(f);
  fmpz_init(t);
  for (;;) {
    fmpz_cdiv_q(f, a, b); /* the least integer >= a/b */
    fmpz_mul(t, f, d);
    if (fmpz_cmp(t, c) <= 0) { /* it is <= c/d too: the expansion ends with it */
      fmpz_mul(t, f, p1);
      fmpz_add(p0, p0, t);
      fmpz_mul(t, f, q1);
      fmpz_add(q0, q0, t);
      break;
    }
    fmpz_fdiv_q(f, a, b); /* both have this integer part: take it off and turn both upside down */
    fmpz_mul(t, f, p1);
    fmpz_add(p0, p0, t);
    fmpz_swap(p0, p1);
    fmpz_mul(t, f, q1);
    fmpz_add(q0, q0, t);
    fmpz_swap(q0, q1);
    fmpz_submul(a, f, b);
    fmpz_submul(c, f, d);
    /* low = a/b, high = c/d become d/c <= b/a */
    fmpz_swap(a, d);
    fmpz_swap(b, c);
  }
  fmpq_set_fmpz_frac(out, p0, q0);
  fmpz_clear(p0);
  fmpz_clear(q0);
  fmpz_clear(p1);
  fmpz_clear(q1);
  fmpz_clear(a);
  fmpz_clear(b);
  fmpz_clear(c);
  fmpz_clear(d);
  fmpz_clear(f);
  fmpz_clear(t);
}

void simplest_between(fmpq_t out, const fmpq_t low, const fmpq_t high)
{
  if (fmpq_sgn(low) <= 0 && fmpq_sgn(high) >= 0) {
    fmpq_zero(out);
    return;
  }
  if (fmpq_sgn(low) > 0) {
    simplest_positive(out, low, high);
    return;
  }
  fmpq_t a, b;
  fmpq_init(a);
  fmpq_init(b);
  fmpq_neg(a, high);
  fmpq_neg(b, low);
  simplest_positive(out, a, b);
  fmpq_neg(out, out);
  fmpq_clear(a);
  fmpq_clear(b);
}

void simplest_near(fmpq_t out, const fmpq_t x, const fmpq_t radius)
{
  fmpq_t low, high;
  fmpq_init(low);
  fmpq_init(high);
  fmpq_sub(low, x, radius);
  fmpq_add(high, x, radius);
  simplest_between(out, low, high);
  fmpq_clear(low);
  fmpq_clear(high);
}
