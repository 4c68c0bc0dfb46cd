/* Rational values of functions at rational points; the contract is in special.h. */
#include "arith/special.h"

/* The exact root of x >= 0 of degree k; false where it is irrational. A reduced fraction is a k-th power
 * if and only if its numerator and denominator are. */
static bool root(fmpq_t value, const fmpq_t x, slong k)
{
  fmpq_t r;
  fmpz_t check;
  fmpq_init(r);
  fmpz_init(check);
  fmpz_root(fmpq_numref(r), fmpq_numref(x), k);
  fmpz_root(fmpq_denref(r), fmpq_denref(x), k);
  fmpz_pow_ui(check, fmpq_numref(r), (ulong)k);
  bool yes = fmpz_equal(check, fmpq_numref(x));
  fmpz_pow_ui(check, fmpq_denref(r), (ulong)k);
  yes = yes && fmpz_equal(check, fmpq_denref(x));
  if (yes)
    fmpq_set(value, r);
  fmpz_clear(check);
  fmpq_clear(r);
  return yes;
}

static bool cube_root(fmpq_t value, const fmpq_t x)
{
  fmpq_t y;
  fmpq_init(y);
  fmpq_abs(y, x);
  bool negative = fmpq_sgn(x) < 0, yes = root(y, y, 3);
  if (yes && negative)
    fmpq_neg(y, y);
  if (yes)
    fmpq_set(value, y);
  fmpq_clear(y);
  return yes;
}

/* x < -1/e. They are never equal, and e cannot be approximated so well that this takes long. */
static bool below_branch_point(const fmpq_t x)
{
  if (fmpq_sgn(x) >= 0)
    return false;
  arb_t e, y;
  arb_init(e);
  arb_init(y);
  for (slong precision = 64;; precision *= 2) {
    arb_const_e(e, precision);
    arb_set_fmpq(y, x, precision);
    arb_mul(y, y, e, precision);
    arb_add_ui(y, y, 1, precision);
    if (!arb_contains_zero(y))
      break;
  }
  bool below = arb_is_negative(y);
  arb_clear(y);
  arb_clear(e);
  return below;
}

assay_status special_value(fmpq_t value, tape_opcode op, const fmpq_t x)
{
  int sign = fmpq_sgn(x);
  switch (op) {
  case TAPE_NEGATE:
    fmpq_neg(value, x);
    return STATUS_OK;
  case TAPE_ZERO:
    fmpq_zero(value);
    return STATUS_OK;
  case TAPE_ABS:
    fmpq_abs(value, x);
    return STATUS_OK;
  case TAPE_RELU:
    if (sign > 0)
      fmpq_set(value, x);
    else
      fmpq_zero(value);
    return STATUS_OK;
  case TAPE_SQRT:
    if (sign < 0)
      return STATUS_UNDEFINED;
    return root(value, x, 2) ? STATUS_OK : STATUS_UNABLE;
  case TAPE_CBRT:
    return cube_root(value, x) ? STATUS_OK : STATUS_UNABLE;
  case TAPE_LOG:
    if (sign <= 0)
      return STATUS_UNDEFINED;
    if (!fmpq_is_one(x))
      return STATUS_UNABLE;
    fmpq_zero(value);
    return STATUS_OK;
  case TAPE_LOG1P:
    if (fmpq_cmp_si(x, -1) <= 0)
      return STATUS_UNDEFINED;
    break;
  case TAPE_LAMBERTW0:
    if (below_branch_point(x))
      return STATUS_UNDEFINED;
    break;
  default:
    break;
  }
  if (sign != 0 || op == TAPE_SOFTPLUS)
    return STATUS_UNABLE;
  switch (op) {
  case TAPE_EXP:
  case TAPE_COS:
    fmpq_one(value);
    break;
  case TAPE_SIGMOID:
    fmpq_set_si(value, 1, 2);
    break;
  default: /* expm1, log1p, sin, tan, atan, tanh, erf, silu, gelu, lambertw0 */
    fmpq_zero(value);
    break;
  }
  return STATUS_OK;
}
