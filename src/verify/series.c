/* Power series of bodies, operation by operation; the contract is in series.h. */
#include "verify/series.h"

#include <stdlib.h>

#include "core/memory.h"
#include "verify/numbers.h"

/* Only the range is known: the other coefficients may be anything. */
static void range_only(arb_poly_t y, const arb_t range, slong length)
{
  arb_poly_set_arb(y, range);
  arb_t anything;
  arb_init(anything);
  arb_zero_pm_inf(anything);
  for (slong k = 1; k < length; k++)
    arb_poly_set_coeff_arb(y, k, anything);
  arb_clear(anything);
}

/* Perhaps undefined somewhere. */
static void nothing_known(arb_poly_t y, slong length)
{
  arb_t nothing;
  arb_init(nothing);
  arb_indeterminate(nothing);
  range_only(y, nothing, length);
  arb_clear(nothing);
}

/* Whether the value, not only a derivative, is enclosed: then it is defined. */
static bool has_value(const arb_poly_struct *y)
{
  return arb_poly_length(y) == 0 || arb_is_finite(arb_poly_get_coeff_ptr(y, 0));
}

/* 1/x; Arb does not take an x that is 0 for certain. */
static void reciprocal(arb_poly_t y, const arb_poly_t x, const series *s)
{
  if (arb_poly_length(x) > 0)
    arb_poly_inv_series(y, x, s->length, s->precision);
  else
    nothing_known(y, s->length);
}

/* abs and relu of x: one piece where the sign is certain. */
static void piece(arb_poly_t y, const arb_poly_t x, const arb_t start, bool relu, series *s)
{
  arb_t range, zero;
  if (arb_is_nonnegative(start)) {
    arb_poly_set(y, x);
  } else if (arb_is_nonpositive(start)) {
    if (relu)
      arb_poly_zero(y);
    else
      arb_poly_neg(y, x);
  } else {
    arb_init(range);
    arb_init(zero);
    if (relu)
      arb_max(range, start, zero, s->precision);
    else
      arb_abs(range, start);
    range_only(y, range, s->length);
    arb_clear(range);
    arb_clear(zero);
  }
}

/* The smaller or the larger of x and y, by the sign of x - y at the start. */
static void smaller_or_larger(arb_poly_t r, const arb_poly_t x, const arb_poly_t y, bool smaller, series *s)
{
  arb_t a, b;
  arb_init(a);
  arb_init(b);
  arb_poly_get_coeff_arb(a, x, 0);
  arb_poly_get_coeff_arb(b, y, 0);
  if (arb_le(a, b)) {
    arb_poly_set(r, smaller ? x : y);
  } else if (arb_ge(a, b)) {
    arb_poly_set(r, smaller ? y : x);
  } else {
    if (smaller)
      arb_min(a, a, b, s->precision);
    else
      arb_max(a, a, b, s->precision);
    range_only(r, a, s->length);
  }
  arb_clear(a);
  arb_clear(b);
}

static void reciprocal_of_one_plus_exp(arb_poly_t y, const arb_poly_t x, series *s)
{
  arb_poly_exp_series(y, x, s->length, s->precision);
  arb_poly_add_si(y, y, 1, s->precision);
  reciprocal(y, y, s);
}

static void sigmoid(arb_poly_t y, const arb_poly_t x, series *s)
{
  arb_poly_t t;
  arb_poly_init(t);
  arb_poly_neg(t, x);
  reciprocal_of_one_plus_exp(y, t, s);
  arb_poly_clear(t);
}

/* f(x) from f at the start and f' at x: the integral of f'(x) x'. Changes `slope`. */
static void from_slope(arb_poly_t y, arb_poly_t slope, const arb_poly_t x, const arb_t at_start, series *s)
{
  arb_poly_t t;
  arb_poly_init(t);
  arb_poly_derivative(t, x, s->precision);
  arb_poly_mullow(slope, slope, t, s->length, s->precision);
  arb_poly_integral(y, slope, s->precision);
  arb_poly_truncate(y, s->length);
  arb_poly_set_coeff_arb(y, 0, at_start);
  arb_poly_clear(t);
}

static void call(arb_poly_t y, const arb_poly_t x, function_kind f, series *s)
{
  arb_t start, value;
  arb_poly_t t;
  arb_init(start);
  arb_init(value);
  arb_poly_init(t);
  arb_poly_get_coeff_arb(start, x, 0);
  switch (f) {
  case FUNCTION_ABS:
  case FUNCTION_RELU:
    piece(y, x, start, f == FUNCTION_RELU, s);
    break;
  case FUNCTION_SQRT:
    arb_poly_sqrt_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_EXP:
  case FUNCTION_EXPM1:
    arb_poly_exp_series(y, x, s->length, s->precision);
    if (f == FUNCTION_EXPM1)
      arb_poly_add_si(y, y, -1, s->precision);
    break;
  case FUNCTION_LOG:
    arb_poly_log_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_LOG1P:
    arb_poly_add_si(t, x, 1, s->precision);
    arb_poly_log_series(y, t, s->length, s->precision);
    break;
  case FUNCTION_SIN:
    arb_poly_sin_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_COS:
    arb_poly_cos_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_ATAN:
    arb_poly_atan_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_TANH: /* 2 sigmoid(2x) - 1 */
    arb_poly_scalar_mul_2exp_si(t, x, 1);
    sigmoid(y, t, s);
    arb_poly_scalar_mul_2exp_si(y, y, 1);
    arb_poly_add_si(y, y, -1, s->precision);
    break;
  case FUNCTION_ERF:
    arb_hypgeom_erf_series(y, x, s->length, s->precision);
    break;
  case FUNCTION_SIGMOID:
    sigmoid(y, x, s);
    break;
  case FUNCTION_SOFTPLUS: /* its derivative is the sigmoid */
    numbers_function(value, FUNCTION_SOFTPLUS, start, s->precision);
    sigmoid(t, x, s);
    from_slope(y, t, x, value, s);
    break;
  case FUNCTION_SILU:
    sigmoid(t, x, s);
    arb_poly_mullow(y, x, t, s->length, s->precision);
    break;
  case FUNCTION_GELU: /* x/2 (1 + erf(x/sqrt 2)) */
    arb_sqrt_ui(value, 2, s->precision);
    arb_poly_scalar_div(t, x, value, s->precision);
    arb_hypgeom_erf_series(t, t, s->length, s->precision);
    arb_poly_add_si(t, t, 1, s->precision);
    arb_poly_mullow(y, x, t, s->length, s->precision);
    arb_poly_scalar_mul_2exp_si(y, y, -1);
    break;
  default: /* cbrt, tan, lambertw0: the range alone */
    numbers_function(value, f, start, s->precision);
    range_only(y, value, s->length);
  }
  arb_clear(start);
  arb_clear(value);
  arb_poly_clear(t);
}

static void step_series(numbers *n, series *s, const integrand *f, uint32_t i, const arb_t start)
{
  const integrand_step *step = &f->step[i];
  arb_poly_struct *y = &s->value[i], *a = &s->value[step->a], *b = &s->value[step->b];
  arb_t number_;
  bool operands = step->op != STEP_VARIABLE && step->op != STEP_NUMBER;
  /* Arb's 0 times what is undefined is 0, and its 0th power 1. */
  if (operands && (!has_value(a) || (numbers_takes_two(step->op) && !has_value(b)))) {
    nothing_known(y, s->length);
    return;
  }
  switch (step->op) {
  case STEP_VARIABLE:
    arb_poly_set_arb(y, start);
    arb_poly_set_coeff_si(y, 1, 1);
    break;
  case STEP_NUMBER:
    arb_init(number_);
    number_ball(n, number_, step->number, s->precision);
    arb_poly_set_arb(y, number_);
    arb_clear(number_);
    break;
  case OP_NEGATE:
    arb_poly_neg(y, a);
    break;
  case OP_ADD:
    arb_poly_add(y, a, b, s->precision);
    break;
  case OP_SUBTRACT:
    arb_poly_sub(y, a, b, s->precision);
    break;
  case OP_MULTIPLY:
    arb_poly_mullow(y, a, b, s->length, s->precision);
    break;
  case OP_DIVIDE:
    reciprocal(y, b, s);
    if (has_value(y))
      arb_poly_mullow(y, y, a, s->length, s->precision);
    break;
  case OP_POWER: {
    uint64_t size = step->exponent < 0 ? -(uint64_t)step->exponent : (uint64_t)step->exponent;
    arb_poly_pow_ui_trunc_binexp(y, a, size, s->length, s->precision);
    if (step->exponent < 0)
      reciprocal(y, y, s);
    break;
  }
  case OP_FUNCTION + FUNCTION_MIN:
  case OP_FUNCTION + FUNCTION_MAX:
    smaller_or_larger(y, a, b, step->op == OP_FUNCTION + FUNCTION_MIN, s);
    break;
  default:
    call(y, a, (function_kind)(step->op - OP_FUNCTION), s);
  }
}

void series_init(series *s, const integrand *f, slong length, slong precision)
{
  *s = (series){length, precision, memory_new(f->steps, sizeof *s->value)};
  for (uint32_t i = 0; i < f->steps; i++)
    arb_poly_init(&s->value[i]);
}

void series_clear(series *s, const integrand *f)
{
  for (uint32_t i = 0; i < f->steps; i++)
    arb_poly_clear(&s->value[i]);
  free(s->value);
}

const arb_poly_struct *series_of_body(numbers *n, series *s, const integrand *f, const arb_t start)
{
  for (uint32_t i = 0; i < f->steps; i++)
    step_series(n, s, f, i, start);
  return &s->value[f->steps - 1];
}
