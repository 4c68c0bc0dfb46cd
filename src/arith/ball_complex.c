/* Operations on complex balls; the contract is in ball_complex.h.
 *
 * Functions with kinks and cuts are pieced together from analytic ones: abs is x right of the imaginary axis and -x left of it.
 * A ball that meets a seam is indeterminate when an analytic function is asked for. */
#include "arith/ball_complex.h"

#include "arith/ball_functions.h"

/* x has no point on the real axis at or left of `edge`. */
static bool avoids_ray(const acb_t x, const arb_t edge)
{
  return arb_gt(acb_realref(x), edge) || !arb_contains_zero(acb_imagref(x));
}

static bool avoids_negative(const acb_t x)
{
  return arb_is_positive(acb_realref(x)) || !arb_contains_zero(acb_imagref(x));
}

/* The real cube root: odd, so that one on the right half serves both. */
static void cube_root(acb_t y, const acb_t x, slong precision)
{
  if (arb_is_positive(acb_realref(x))) {
    acb_root_ui(y, x, 3, precision);
  } else if (arb_is_negative(acb_realref(x))) {
    acb_neg(y, x);
    acb_root_ui(y, y, 3, precision);
    acb_neg(y, y);
  } else
    acb_indeterminate(y);
}

static void logarithm_1p(acb_t y, const acb_t x, slong precision)
{
  acb_t moved;
  acb_init(moved);
  acb_add_ui(moved, x, 1, precision);
  if (avoids_negative(moved))
    acb_log1p(y, x, precision);
  else
    acb_indeterminate(y);
  acb_clear(moved);
}

static void tangent(acb_t y, const acb_t x, slong precision)
{
  acb_t c;
  acb_init(c);
  acb_cos(c, x, precision);
  if (acb_contains_zero(c))
    acb_indeterminate(y);
  else
    acb_tan(y, x, precision);
  acb_clear(c);
}

/* The cuts leave i and -i along the imaginary axis. */
static void arctangent(acb_t y, const acb_t x, slong precision)
{
  arb_t size, one;
  arb_init(size);
  arb_init(one);
  arb_one(one);
  arb_abs(size, acb_imagref(x));
  if (arb_lt(size, one) || !arb_contains_zero(acb_realref(x)))
    acb_atan(y, x, precision);
  else
    acb_indeterminate(y);
  arb_clear(one);
  arb_clear(size);
}

/* tanh x = 1 - 2 / (1 + e^(2x)), but for small x. */
static void hyperbolic_tangent(acb_t y, const acb_t x, slong precision)
{
  acb_t c;
  acb_init(c);
  acb_cosh(c, x, precision);
  if (!acb_contains_zero(c)) {
    acb_tanh(y, x, precision);
  } else {
    acb_mul_2exp_si(c, x, 1);
    acb_exp(c, c, precision);
    acb_add_ui(c, c, 1, precision);
    if (acb_contains_zero(c)) {
      acb_indeterminate(y);
    } else {
      acb_inv(c, c, precision);
      acb_mul_2exp_si(c, c, 1);
      acb_sub_ui(c, c, 1, precision);
      acb_neg(y, c);
    }
  }
  acb_clear(c);
}

static void sigmoid(acb_t y, const acb_t x, slong precision)
{
  acb_t e;
  acb_init(e);
  acb_neg(e, x);
  acb_exp(e, e, precision);
  acb_add_ui(e, e, 1, precision);
  if (acb_contains_zero(e))
    acb_indeterminate(y);
  else
    acb_inv(y, e, precision);
  acb_clear(e);
}

/* log(1 + e^x) = x + log(1 + e^-x), the latter where x is right of 0. */
static void softplus(acb_t y, const acb_t x, slong precision)
{
  acb_t e;
  acb_init(e);
  bool right = arb_is_positive(acb_realref(x));
  if (right)
    acb_neg(e, x);
  else
    acb_set(e, x);
  acb_exp(e, e, precision);
  logarithm_1p(e, e, precision);
  if (right)
    acb_add(y, x, e, precision);
  else
    acb_set(y, e);
  acb_clear(e);
}

/* x erfc(-x / sqrt 2) / 2. */
static void gelu(acb_t y, const acb_t x, slong precision)
{
  acb_t e;
  arb_t r;
  acb_init(e);
  arb_init(r);
  arb_set_ui(r, 2);
  arb_rsqrt(r, r, precision);
  acb_mul_arb(e, x, r, precision);
  acb_neg(e, e);
  acb_hypgeom_erfc(e, e, precision);
  acb_mul(y, x, e, precision);
  acb_mul_2exp_si(y, y, -1);
  arb_clear(r);
  acb_clear(e);
}

static void lambertw0(acb_t y, const acb_t x, slong precision)
{
  arb_t edge;
  arb_init(edge);
  arb_const_e(edge, precision + 30);
  arb_inv(edge, edge, precision + 30);
  arb_neg(edge, edge);
  fmpz_t branch;
  fmpz_init(branch);
  if (avoids_ray(x, edge))
    acb_lambertw(y, x, branch, 0, precision);
  else
    acb_indeterminate(y);
  fmpz_clear(branch);
  arb_clear(edge);
}

static void complex_function(acb_t y, tape_opcode op, const acb_t x, bool analytic, slong precision)
{
  switch (op) {
  case TAPE_NEGATE:
    acb_neg(y, x);
    break;
  case TAPE_ZERO:
    acb_zero(y);
    break;
  case TAPE_ABS:
    acb_real_abs(y, x, analytic, precision);
    break;
  case TAPE_SQRT:
  case TAPE_LOG:
    if (!avoids_negative(x))
      acb_indeterminate(y);
    else if (op == TAPE_SQRT)
      acb_sqrt(y, x, precision);
    else
      acb_log(y, x, precision);
    break;
  case TAPE_CBRT:
    cube_root(y, x, precision);
    break;
  case TAPE_EXP:
    acb_exp(y, x, precision);
    break;
  case TAPE_EXPM1:
    acb_expm1(y, x, precision);
    break;
  case TAPE_LOG1P:
    logarithm_1p(y, x, precision);
    break;
  case TAPE_SIN:
    acb_sin(y, x, precision);
    break;
  case TAPE_COS:
    acb_cos(y, x, precision);
    break;
  case TAPE_TAN:
    tangent(y, x, precision);
    break;
  case TAPE_ATAN:
    arctangent(y, x, precision);
    break;
  case TAPE_TANH:
    hyperbolic_tangent(y, x, precision);
    break;
  case TAPE_ERF:
    acb_hypgeom_erf(y, x, precision);
    break;
  case TAPE_SIGMOID:
    sigmoid(y, x, precision);
    break;
  case TAPE_SOFTPLUS:
    softplus(y, x, precision);
    break;
  case TAPE_SILU: {
    acb_t s;
    acb_init(s);
    sigmoid(s, x, precision);
    acb_mul(y, x, s, precision);
    acb_clear(s);
    break;
  }
  case TAPE_GELU:
    gelu(y, x, precision);
    break;
  case TAPE_RELU: {
    acb_t zero;
    acb_init(zero);
    acb_real_max(y, x, zero, analytic, precision);
    acb_clear(zero);
    break;
  }
  case TAPE_LAMBERTW0:
    lambertw0(y, x, precision);
    break;
  default:
    acb_indeterminate(y);
    break;
  }
}

void ball_complex_function(acb_t y, tape_opcode op, const acb_t x, bool analytic, slong precision)
{
  if (!acb_is_finite(x)) {
    acb_indeterminate(y);
  } else if (!analytic && arb_is_zero(acb_imagref(x))) {
    arb_zero(acb_imagref(y));
    if (ball_function(acb_realref(y), op, acb_realref(x), precision) != BALL_DEFINED)
      acb_indeterminate(y);
  } else
    complex_function(y, op, x, analytic, precision);
}

void ball_complex_binary(acb_t y, tape_opcode op, const acb_t a, const acb_t b, bool analytic, slong precision)
{
  if (!acb_is_finite(a) || !acb_is_finite(b)) {
    acb_indeterminate(y);
    return;
  }
  switch (op) {
  case TAPE_ADD:
    acb_add(y, a, b, precision);
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    acb_sub(y, a, b, precision);
    break;
  case TAPE_MULTIPLY:
    acb_mul(y, a, b, precision);
    break;
  case TAPE_DIVIDE:
    if (acb_contains_zero(b))
      acb_indeterminate(y);
    else
      acb_div(y, a, b, precision);
    break;
  case TAPE_MIN:
    acb_real_min(y, a, b, analytic, precision);
    break;
  case TAPE_MAX:
    acb_real_max(y, a, b, analytic, precision);
    break;
  default:
    acb_indeterminate(y);
    break;
  }
}

void ball_complex_power(acb_t y, const acb_t x, int32_t exponent, slong precision)
{
  if (!acb_is_finite(x) || (exponent < 0 && acb_contains_zero(x))) {
    acb_indeterminate(y);
    return;
  }
  acb_pow_ui(y, x, exponent < 0 ? (ulong)-(slong)exponent : (ulong)exponent, precision);
  if (exponent < 0 && acb_contains_zero(y))
    acb_indeterminate(y);
  else if (exponent < 0)
    acb_inv(y, y, precision);
}
