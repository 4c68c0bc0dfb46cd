/* The numbers of `exact` as fmpq, under a limit on their size. */
#include "arith/exact_internal.h"

static uint64_t magnitude_bits(const fmpz_t x)
{
  return fmpz_bits(x);
}

bool exact_rational_fits(const exact_state *s, const fmpq_t x)
{
  return magnitude_bits(fmpq_numref(x)) + magnitude_bits(fmpq_denref(x)) <= s->bits;
}

/* Operands are within the limit, so that the longest intermediate number of these is below twice the limit
 * and a bit: there is nothing to predict. */
bool exact_rational_binary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a, uint32_t b)
{
  fmpq *r = &s->rational[target];
  const fmpq *x = &s->rational[a], *y = &s->rational[b];
  switch (op) {
  case TAPE_ADD:
    fmpq_add(r, x, y);
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    fmpq_sub(r, x, y);
    break;
  case TAPE_MULTIPLY:
    fmpq_mul(r, x, y);
    break;
  case TAPE_DIVIDE: /* y is not 0 */
    fmpq_div(r, x, y);
    break;
  case TAPE_MIN:
    fmpq_set(r, fmpq_cmp(x, y) <= 0 ? x : y);
    break;
  default: /* TAPE_MAX */
    fmpq_set(r, fmpq_cmp(x, y) <= 0 ? y : x);
    break;
  }
  return exact_rational_fits(s, r);
}

/* A power of a reduced fraction is reduced, and |x| >= 2^(k-1) gives |x^n| >= 2^((k-1) n): a lower bound
 * of the size. */
static bool power_may_fit(const exact_state *s, const fmpq *base, uint32_t n)
{
  uint64_t top = magnitude_bits(fmpq_numref(base)), bottom = magnitude_bits(fmpq_denref(base));
  uint64_t least = (top ? top - 1 : 0) + (bottom - 1);
  return least == 0 || least <= s->bits / n;
}

bool exact_rational_power(exact_state *s, uint32_t target, uint32_t base, int32_t exponent)
{
  uint32_t n = exponent < 0 ? -(uint32_t)exponent : (uint32_t)exponent;
  fmpq *r = &s->rational[target];
  const fmpq *x = &s->rational[base];
  if (n == 0) {
    fmpq_one(r);
    return true;
  }
  if (!power_may_fit(s, x, n))
    return false;
  fmpz_pow_ui(fmpq_numref(r), fmpq_numref(x), n);
  fmpz_pow_ui(fmpq_denref(r), fmpq_denref(x), n);
  if (exponent < 0)
    fmpq_inv(r, r);
  return exact_rational_fits(s, r);
}
