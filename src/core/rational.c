/* Between rationals and doubles, exactly. */
#include "core/rational.h"

#include <math.h>
#include <stdint.h>

/* x = m 2^e with m odd is a fraction in lowest terms as it stands. */
void rational_set_double(fmpq_t q, double x)
{
  int e;
  int64_t m = (int64_t)ldexp(frexp(x, &e), 53); /* exact: 53 bits */
  if (m == 0) {
    fmpq_zero(q);
    return;
  }
  int zeros = __builtin_ctzll((unsigned long long)m);
  m >>= zeros; /* exact, also for negative m */
  e += zeros - 53;
  fmpz_set_si(fmpq_numref(q), m);
  fmpz_one(fmpq_denref(q));
  if (e > 0)
    fmpz_mul_2exp(fmpq_numref(q), fmpq_numref(q), (ulong)e);
  else if (e < 0)
    fmpz_mul_2exp(fmpq_denref(q), fmpq_denref(q), (ulong)-e);
}

bool rational_get_double(double *x, const fmpq_t q)
{
  const fmpz *p = fmpq_numref(q), *d = fmpq_denref(q);
  if (fmpz_bits(p) > 1100 || fmpz_bits(d) > 1100)
    return false;
  ulong shift = fmpz_val2(d);
  if (fmpz_bits(d) != shift + 1)
    return false;
  arf_t a;
  arf_init(a);
  arf_set_fmpz(a, p);
  arf_mul_2exp_si(a, a, -(slong)shift);
  double value = arf_get_d(a, ARF_RND_NEAR);
  bool equal = value - value == 0 && arf_cmp_d(a, value) == 0;
  arf_clear(a);
  if (equal)
    *x = value;
  return equal;
}

double rational_near_double(const fmpq_t q)
{
  arf_t a;
  arf_init(a);
  arf_set_fmpq(a, q, 64, ARF_RND_NEAR);
  double x = arf_get_d(a, ARF_RND_NEAR);
  arf_clear(a);
  return x;
}
