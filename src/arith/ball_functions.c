/* Operations on balls with their domains; the contract is in ball_functions.h. */
#include "arith/ball_functions.h"

static definedness nothing_known(arb_t y, definedness d)
{
  arb_indeterminate(y);
  return d;
}

/* Of an operation that is defined for x > edge, from two tests of x against the edge. */
static definedness beyond(bool above, bool not_above)
{
  return above ? BALL_DEFINED : not_above ? BALL_UNDEFINED : BALL_PERHAPS;
}

static definedness square_root(arb_t y, const arb_t x, slong precision)
{
  if (!arb_is_nonnegative(x))
    return nothing_known(y, arb_is_negative(x) ? BALL_UNDEFINED : BALL_PERHAPS);
  arb_sqrt(y, x, precision);
  return BALL_DEFINED;
}

static void cube_root_end(arb_t y, const arf_t x, slong precision)
{
  arb_set_arf(y, x);
  if (arf_sgn(x) >= 0) {
    arb_root_ui(y, y, 3, precision);
  } else {
    arb_neg(y, y);
    arb_root_ui(y, y, 3, precision);
    arb_neg(y, y);
  }
}

/* Monotone and odd: away from 0 one root, across 0 the hull of the roots of the ends. */
static void cube_root(arb_t y, const arb_t x, slong precision)
{
  if (!arb_is_finite(x)) {
    arb_indeterminate(y);
  } else if (arb_is_nonnegative(x) && !arb_contains_zero(x)) {
    arb_root_ui(y, x, 3, precision);
  } else if (arb_is_negative(x)) {
    arb_neg(y, x);
    arb_root_ui(y, y, 3, precision);
    arb_neg(y, y);
  } else {
    arf_t low, high;
    arb_t other;
    arf_init(low);
    arf_init(high);
    arb_init(other);
    arb_get_interval_arf(low, high, x, precision);
    cube_root_end(other, low, precision);
    cube_root_end(y, high, precision);
    arb_union(y, y, other, precision);
    arb_clear(other);
    arf_clear(high);
    arf_clear(low);
  }
}

static definedness logarithm_1p(arb_t y, const arb_t x, slong precision)
{
  arb_t edge;
  arb_init(edge);
  arb_set_si(edge, -1);
  definedness d = beyond(arb_gt(x, edge), arb_le(x, edge));
  arb_clear(edge);
  if (d != BALL_DEFINED)
    return nothing_known(y, d);
  arb_log1p(y, x, precision);
  return d;
}

/* Poles of tan are where cos is 0; a pole is never a rational, so that a sharper ball decides at every
 * rational point. */
static definedness tangent(arb_t y, const arb_t x, slong precision)
{
  arb_t c;
  arb_init(c);
  arb_cos(c, x, precision);
  bool pole = !arb_is_finite(x) || arb_contains_zero(c);
  arb_clear(c);
  if (pole)
    return nothing_known(y, BALL_PERHAPS);
  arb_tan(y, x, precision);
  return BALL_DEFINED;
}

/* 1 / (1 + e^-x): x occurs once, so that the ball is as tight as the division. */
static void sigmoid(arb_t y, const arb_t x, slong precision)
{
  arb_neg(y, x);
  arb_exp(y, y, precision);
  arb_add_ui(y, y, 1, precision);
  arb_ui_div(y, 1, y, precision);
}

/* log(1 + e^x) = x + log(1 + e^-x): the second form where x > 0, so that e^x does not overflow. */
static void softplus(arb_t y, const arb_t x, slong precision)
{
  arb_t e;
  arb_init(e);
  if (arb_is_positive(x)) {
    arb_neg(e, x);
    arb_exp(e, e, precision);
    arb_log1p(e, e, precision);
    arb_add(y, x, e, precision);
  } else {
    arb_exp(e, x, precision);
    arb_log1p(y, e, precision);
  }
  arb_clear(e);
}

/* x Phi(x) with Phi(x) = erfc(-x / sqrt 2) / 2, which keeps its relative accuracy for negative x. */
static void gelu(arb_t y, const arb_t x, slong precision)
{
  arb_t r;
  arb_init(r);
  arb_set_ui(r, 2);
  arb_rsqrt(r, r, precision);
  arb_mul(r, r, x, precision);
  arb_neg(r, r);
  arb_hypgeom_erfc(r, r, precision);
  arb_mul(y, x, r, precision);
  arb_mul_2exp_si(y, y, -1);
  arb_clear(r);
}

static definedness lambertw0(arb_t y, const arb_t x, slong precision)
{
  arb_t edge;
  arb_init(edge);
  arb_const_e(edge, precision + 30);
  arb_inv(edge, edge, precision + 30);
  arb_neg(edge, edge);
  definedness d = beyond(arb_gt(x, edge), arb_lt(x, edge));
  arb_clear(edge);
  if (d != BALL_DEFINED)
    return nothing_known(y, d);
  arb_lambertw(y, x, 0, precision);
  return d;
}

static void absolute(arb_t y, const arb_t x, slong precision)
{
  if (!arb_contains_zero(x) || !arb_is_finite(x)) {
    arb_abs(y, x);
    return;
  }
  arb_t zero;
  arf_t top;
  arb_init(zero);
  arf_init(top);
  arb_get_abs_ubound_arf(top, x, precision);
  arb_set_arf(y, top);
  arb_union(y, y, zero, precision);
  arf_clear(top);
  arb_clear(zero);
}

definedness ball_function(arb_t y, tape_opcode op, const arb_t x, slong precision)
{
  switch (op) {
  case TAPE_NEGATE:
    arb_neg(y, x);
    break;
  case TAPE_ZERO:
    arb_zero(y);
    break;
  case TAPE_ABS:
    absolute(y, x, precision);
    break;
  case TAPE_SQRT:
    return square_root(y, x, precision);
  case TAPE_CBRT:
    cube_root(y, x, precision);
    break;
  case TAPE_EXP:
    arb_exp(y, x, precision);
    break;
  case TAPE_EXPM1:
    arb_expm1(y, x, precision);
    break;
  case TAPE_LOG: {
    definedness d = beyond(arb_is_positive(x), arb_is_nonpositive(x));
    if (d != BALL_DEFINED)
      return nothing_known(y, d);
    arb_log(y, x, precision);
    break;
  }
  case TAPE_LOG1P:
    return logarithm_1p(y, x, precision);
  case TAPE_SIN:
    arb_sin(y, x, precision);
    break;
  case TAPE_COS:
    arb_cos(y, x, precision);
    break;
  case TAPE_TAN:
    return tangent(y, x, precision);
  case TAPE_ATAN:
    arb_atan(y, x, precision);
    break;
  case TAPE_TANH:
    arb_tanh(y, x, precision);
    break;
  case TAPE_ERF:
    arb_hypgeom_erf(y, x, precision);
    break;
  case TAPE_SIGMOID:
    sigmoid(y, x, precision);
    break;
  case TAPE_SOFTPLUS:
    softplus(y, x, precision);
    break;
  case TAPE_SILU: {
    arb_t s;
    arb_init(s);
    sigmoid(s, x, precision);
    arb_mul(y, x, s, precision);
    arb_clear(s);
    break;
  }
  case TAPE_GELU:
    gelu(y, x, precision);
    break;
  case TAPE_RELU: {
    arb_t zero;
    arb_init(zero);
    arb_max(y, x, zero, precision);
    arb_clear(zero);
    break;
  }
  case TAPE_LAMBERTW0:
    return lambertw0(y, x, precision);
  default:
    return nothing_known(y, BALL_PERHAPS);
  }
  return BALL_DEFINED;
}

definedness ball_binary(arb_t y, tape_opcode op, const arb_t a, const arb_t b, slong precision)
{
  switch (op) {
  case TAPE_ADD:
    arb_add(y, a, b, precision);
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    arb_sub(y, a, b, precision);
    break;
  case TAPE_MULTIPLY:
    arb_mul(y, a, b, precision);
    break;
  case TAPE_DIVIDE:
    if (arb_contains_zero(b)) /* also where b is indeterminate */
      return nothing_known(y, arb_is_zero(b) ? BALL_UNDEFINED : BALL_PERHAPS);
    arb_div(y, a, b, precision);
    break;
  case TAPE_MIN:
    arb_min(y, a, b, precision);
    break;
  case TAPE_MAX:
    arb_max(y, a, b, precision);
    break;
  default:
    return nothing_known(y, BALL_PERHAPS);
  }
  return BALL_DEFINED;
}

/* By arb_pow_ui, never arb_pow, which gives NaN for balls that contain 0. */
definedness ball_power(arb_t y, const arb_t x, int32_t exponent, slong precision)
{
  if (exponent >= 0) {
    arb_pow_ui(y, x, (ulong)exponent, precision);
    return BALL_DEFINED;
  }
  if (arb_contains_zero(x))
    return nothing_known(y, arb_is_zero(x) ? BALL_UNDEFINED : BALL_PERHAPS);
  arb_pow_ui(y, x, (ulong)-(slong)exponent, precision);
  if (arb_contains_zero(y)) { /* x is defined and not 0, but its power is too close to 0 to tell */
    arb_indeterminate(y);
    return BALL_DEFINED;
  }
  arb_inv(y, y, precision);
  return BALL_DEFINED;
}
