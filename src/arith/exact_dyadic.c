/* The numbers of `exact` as arf, where every number of a program is an integer times a power of two:
 * several times faster than fractions. */
#include "arith/exact_internal.h"

static bool is_dyadic(const fmpq *x)
{
  return fmpz_val2(fmpq_denref(x)) + 1 == fmpz_bits(fmpq_denref(x));
}

bool exact_dyadic_program(const tape_program *p)
{
  for (size_t k = 0; k < p->steps; k++)
    switch ((tape_opcode)p->step[k].op) {
    case TAPE_PI:
    case TAPE_UNDEFINED:
    case TAPE_DIVIDE:
    case TAPE_INTEGRAL:
      return false;
    case TAPE_CONSTANT:
      if (!is_dyadic(&p->source->constant[p->step[k].a]))
        return false;
      break;
    case TAPE_POWER:
      if ((int32_t)p->step[k].b < 0)
        return false;
      break;
    default:
      if (p->step[k].op >= TAPE_SQRT && p->step[k].op <= TAPE_LAMBERTW0 && p->step[k].op != TAPE_RELU)
        return false;
      break;
    }
  return true;
}

bool exact_dyadic_input(const exact_state *s, const fmpq *input)
{
  const tape_program *p = s->program;
  for (size_t k = 0; k < p->steps; k++)
    if (p->step[k].op == TAPE_INPUT && !is_dyadic(&input[p->step[k].a]))
      return false;
  return true;
}

/* The size as a fraction: odd part times 2^e has that many more bits above or below the bar. */
bool exact_dyadic_fits(const exact_state *s, const arf_t x)
{
  if (arf_is_special(x)) /* 0; no other special value arises */
    return true;
  slong bits = arf_bits(x);
  const fmpz *exponent = ARF_EXPREF(x); /* |x| < 2^exponent */
  if (COEFF_IS_MPZ(*exponent))
    return false;
  slong low = *exponent - bits; /* of the lowest bit */
  slong size = bits + 1 + (low < 0 ? -low : low);
  return (size_t)size <= s->bits;
}

bool exact_dyadic_set(exact_state *s, uint32_t target, const fmpq_t x)
{
  arf_ptr r = s->dyadic + target;
  arf_set_fmpz(r, fmpq_numref(x));
  arf_mul_2exp_si(r, r, -(slong)fmpz_val2(fmpq_denref(x)));
  return exact_dyadic_fits(s, r);
}

bool exact_dyadic_set_sum(exact_state *s, uint32_t target, double h, double l)
{
  arf_ptr r = s->dyadic + target;
  arf_set_d(r, h);
  if (l != 0) {
    arf_t rest;
    arf_init(rest);
    arf_set_d(rest, l);
    arf_add(r, r, rest, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(rest);
  }
  return exact_dyadic_fits(s, r);
}

bool exact_dyadic_unary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a)
{
  arf_ptr r = s->dyadic + target, x = s->dyadic + a;
  switch (op) {
  case TAPE_NEGATE:
    arf_neg(r, x);
    break;
  case TAPE_ABS:
    arf_abs(r, x);
    break;
  case TAPE_RELU:
    if (arf_sgn(x) > 0)
      arf_set(r, x);
    else
      arf_zero(r);
    break;
  default: /* TAPE_ZERO */
    arf_zero(r);
    break;
  }
  return true;
}

/* Both operands lie within the limit, so a sum is at most twice as long. */
bool exact_dyadic_binary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a, uint32_t b)
{
  arf_ptr r = s->dyadic + target, x = s->dyadic + a, y = s->dyadic + b;
  switch (op) {
  case TAPE_ADD:
    arf_add(r, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    arf_sub(r, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
    break;
  case TAPE_MULTIPLY:
    arf_mul(r, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
    break;
  case TAPE_MIN:
    arf_set(r, arf_cmp(x, y) <= 0 ? x : y);
    return true;
  default: /* TAPE_MAX */
    arf_set(r, arf_cmp(x, y) <= 0 ? y : x);
    return true;
  }
  return exact_dyadic_fits(s, r);
}

bool exact_dyadic_power(exact_state *s, uint32_t target, uint32_t base, int32_t exponent)
{
  arf_ptr r = s->dyadic + target, x = s->dyadic + base;
  if (exponent == 0) {
    arf_one(r);
    return true;
  }
  if (arf_is_zero(x)) {
    arf_zero(r);
    return true;
  }
  ulong n = (ulong)exponent;
  fmpz_t odd, power_of_two;
  fmpz_init(odd);
  fmpz_init(power_of_two);
  arf_get_fmpz_2exp(odd, power_of_two, x);
  /* An odd number of k bits has a power of at least (k - 1) n bits. x is within the limit: its exponent is
   * small. */
  slong shift = fmpz_get_si(power_of_two);
  ulong least = fmpz_bits(odd) - 1 + (ulong)(shift < 0 ? -shift : shift);
  bool fits = least == 0 || least <= s->bits / n;
  if (fits) {
    fmpz_pow_ui(odd, odd, n);
    fmpz_mul_ui(power_of_two, power_of_two, n);
    arf_set_fmpz_2exp(r, odd, power_of_two);
    fits = exact_dyadic_fits(s, r);
  }
  fmpz_clear(power_of_two);
  fmpz_clear(odd);
  return fits;
}
