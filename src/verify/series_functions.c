/* Operations on power series of one or two variables; the contract is in series.h.
 *
 * Row 0 is a power series in one variable, which Arb composes. The rows above follow from f(x)' = f'(x) x' in the outer
 * variable: k y_k = sum over j of j x_j (f'(x))_(k - j). */
#include <stdlib.h>

#include "core/memory.h"
#include "verify/numbers.h"
#include "verify/series.h"

/* ---- rows ---- */

static arb_poly_struct *new_rows(const series *s)
{
  arb_poly_struct *x = memory_new((size_t)s->rows, sizeof *x);
  for (slong k = 0; k < s->rows; k++)
    arb_poly_init(&x[k]);
  return x;
}

static void free_rows(arb_poly_struct *x, const series *s)
{
  for (slong k = 0; k < s->rows; k++)
    arb_poly_clear(&x[k]);
  free(x);
}

static void set(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  for (slong k = 0; k < s->rows; k++)
    arb_poly_set(&y[k], &x[k]);
}

static void negate(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  for (slong k = 0; k < s->rows; k++)
    arb_poly_neg(&y[k], &x[k]);
}

static void scale(arb_poly_struct *y, const arb_poly_struct *x, const arb_t c, const series *s)
{
  for (slong k = 0; k < s->rows; k++)
    arb_poly_scalar_mul(&y[k], &x[k], c, s->precision);
}

static void shift(arb_poly_struct *x, slong exponent, const series *s)
{
  for (slong k = 0; k < s->rows; k++)
    arb_poly_scalar_mul_2exp_si(&x[k], &x[k], exponent);
}

static void add_integer(arb_poly_struct *x, slong c, const series *s)
{
  arb_poly_add_si(&x[0], &x[0], c, s->precision);
}

void series_range_only(arb_poly_struct *y, const arb_t range, const series *s)
{
  arb_t anything;
  arb_init(anything);
  arb_zero_pm_inf(anything);
  for (slong k = 0; k < s->rows; k++)
    for (slong j = s->length - 1; j >= 0; j--)
      arb_poly_set_coeff_arb(&y[k], j, k || j ? anything : range);
  arb_clear(anything);
}

void series_nothing_known(arb_poly_struct *y, const series *s)
{
  arb_t nothing;
  arb_init(nothing);
  arb_indeterminate(nothing);
  series_range_only(y, nothing, s);
  arb_clear(nothing);
}

bool series_has_value(const arb_poly_struct *y)
{
  return arb_poly_length(y) == 0 || arb_is_finite(arb_poly_get_coeff_ptr(y, 0));
}

/* ---- arithmetic ---- */

void series_multiply(arb_poly_struct *y, const arb_poly_struct *a, const arb_poly_struct *b, const series *s)
{
  arb_poly_t sum, term;
  arb_poly_init(sum);
  arb_poly_init(term);
  for (slong k = s->rows - 1; k >= 0; k--) { /* downwards: what is still needed of a and b stands in lower rows */
    arb_poly_mullow(sum, &a[0], &b[k], s->length, s->precision);
    for (slong j = 1; j <= k; j++) {
      arb_poly_mullow(term, &a[j], &b[k - j], s->length, s->precision);
      arb_poly_add(sum, sum, term, s->precision);
    }
    arb_poly_swap(&y[k], sum);
  }
  arb_poly_clear(sum);
  arb_poly_clear(term);
}

/* Row k of the y with y' = g x' in the outer variable, k > 0; g is needed up to row k - 1. */
static void lift_row(arb_poly_struct *y, const arb_poly_struct *x, const arb_poly_struct *g, slong k, const series *s)
{
  arb_poly_t sum, term;
  arb_poly_init(sum);
  arb_poly_init(term);
  for (slong j = 1; j <= k; j++) {
    arb_poly_mullow(term, &x[j], &g[k - j], s->length, s->precision);
    for (slong i = 0; i < arb_poly_length(term); i++)
      arb_mul_si(arb_poly_get_coeff_ptr(term, i), arb_poly_get_coeff_ptr(term, i), j, s->precision);
    arb_poly_add(sum, sum, term, s->precision);
  }
  for (slong i = 0; i < arb_poly_length(sum); i++)
    arb_div_si(arb_poly_get_coeff_ptr(sum, i), arb_poly_get_coeff_ptr(sum, i), k, s->precision);
  arb_poly_swap(&y[k], sum);
  arb_poly_clear(sum);
  arb_poly_clear(term);
}

/* All rows but the first. */
static void lift(arb_poly_struct *y, const arb_poly_struct *x, const arb_poly_struct *g, const series *s)
{
  for (slong k = 1; k < s->rows; k++)
    lift_row(y, x, g, k, s);
}

void series_reciprocal(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  if (arb_poly_length(&x[0]) == 0) { /* 0 for certain, which Arb does not take */
    series_nothing_known(y, s);
    return;
  }
  arb_poly_inv_series(&y[0], &x[0], s->length, s->precision);
  arb_poly_t sum, term;
  arb_poly_init(sum);
  arb_poly_init(term);
  for (slong k = 1; k < s->rows; k++) { /* the sum over j of x_j y_(k - j) is 0 */
    arb_poly_zero(sum);
    for (slong j = 1; j <= k; j++) {
      arb_poly_mullow(term, &x[j], &y[k - j], s->length, s->precision);
      arb_poly_sub(sum, sum, term, s->precision);
    }
    arb_poly_mullow(&y[k], &y[0], sum, s->length, s->precision);
  }
  arb_poly_clear(sum);
  arb_poly_clear(term);
}

void series_power(arb_poly_struct *y, const arb_poly_struct *x, int64_t exponent, const series *s)
{
  uint64_t size = exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent;
  arb_poly_struct *power = new_rows(s);
  if (s->rows == 1) {
    arb_poly_pow_ui_trunc_binexp(power, x, size, s->length, s->precision);
  } else {
    add_integer(power, 1, s);
    int bit = 63;
    while (bit >= 0 && !(size >> bit & 1))
      bit--;
    for (; bit >= 0; bit--) {
      series_multiply(power, power, power, s);
      if (size >> bit & 1)
        series_multiply(power, power, x, s);
    }
  }
  if (exponent < 0)
    series_reciprocal(y, power, s);
  else
    set(y, power, s);
  free_rows(power, s);
}

/* ---- functions with kinks ---- */

/* abs and relu: one piece where the sign is certain. */
static void piece(arb_poly_struct *y, const arb_poly_struct *x, const arb_t start, bool relu, const series *s)
{
  if (arb_is_nonnegative(start)) {
    set(y, x, s);
  } else if (arb_is_nonpositive(start)) {
    if (relu)
      for (slong k = 0; k < s->rows; k++)
        arb_poly_zero(&y[k]);
    else
      negate(y, x, s);
  } else {
    arb_t range; /* from 0 to the larger of the ends; Arb's own functions keep a lower end below 0 */
    arf_t zero, high;
    arb_init(range);
    arf_init(zero);
    arf_init(high);
    if (relu)
      arb_get_ubound_arf(high, start, s->precision);
    else
      arb_get_abs_ubound_arf(high, start, s->precision);
    arb_set_interval_arf(range, zero, high, s->precision);
    series_range_only(y, range, s);
    arb_clear(range);
    arf_clear(zero);
    arf_clear(high);
  }
}

/* By the sign of a - b at the start. */
void series_smaller_or_larger(arb_poly_struct *y, const arb_poly_struct *a, const arb_poly_struct *b, bool smaller,
                              const series *s)
{
  arb_t v, w;
  arb_init(v);
  arb_init(w);
  arb_poly_get_coeff_arb(v, &a[0], 0);
  arb_poly_get_coeff_arb(w, &b[0], 0);
  if (arb_le(v, w)) {
    set(y, smaller ? a : b, s);
  } else if (arb_ge(v, w)) {
    set(y, smaller ? b : a, s);
  } else {
    if (smaller)
      arb_min(v, v, w, s->precision);
    else
      arb_max(v, v, w, s->precision);
    series_range_only(y, v, s);
  }
  arb_clear(v);
  arb_clear(w);
}

/* ---- smooth functions ---- */

static void exponential(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_exp_series(&y[0], &x[0], s->length, s->precision);
  lift(y, x, y, s);
}

static void logarithm(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_struct *slope = new_rows(s);
  arb_poly_log_series(&y[0], &x[0], s->length, s->precision);
  if (s->rows > 1)
    series_reciprocal(slope, x, s);
  lift(y, x, slope, s);
  free_rows(slope, s);
}

static void root(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_sqrt_series(&y[0], &x[0], s->length, s->precision);
  if (s->rows == 1)
    return;
  arb_poly_t half, sum, term; /* 1/(2 y_0) */
  arb_poly_init(half);
  arb_poly_init(sum);
  arb_poly_init(term);
  if (arb_poly_length(&y[0]) > 0 && arb_is_positive(arb_poly_get_coeff_ptr(&y[0], 0))) {
    arb_poly_inv_series(half, &y[0], s->length, s->precision);
    arb_poly_scalar_mul_2exp_si(half, half, -1);
    for (slong k = 1; k < s->rows; k++) { /* the sum over j of y_j y_(k - j) is x_k */
      arb_poly_set(sum, &x[k]);
      for (slong j = 1; j < k; j++) {
        arb_poly_mullow(term, &y[j], &y[k - j], s->length, s->precision);
        arb_poly_sub(sum, sum, term, s->precision);
      }
      arb_poly_mullow(&y[k], sum, half, s->length, s->precision);
    }
  } else
    series_nothing_known(y, s);
  arb_poly_clear(half);
  arb_poly_clear(sum);
  arb_poly_clear(term);
}

/* Sine, or cosine, each of which is the other's slope but for a sign. */
static void sine_or_cosine(arb_poly_struct *y, const arb_poly_struct *x, bool sine, const series *s)
{
  arb_poly_struct *other = new_rows(s);
  arb_poly_struct *sin = sine ? y : other, *cos = sine ? other : y;
  arb_poly_sin_cos_series(&sin[0], &cos[0], &x[0], s->length, s->precision);
  for (slong k = 1; k < s->rows; k++) {
    lift_row(sin, x, cos, k, s);
    lift_row(cos, x, sin, k, s);
    arb_poly_neg(&cos[k], &cos[k]);
  }
  free_rows(other, s);
}

static void arc_tangent(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_atan_series(&y[0], &x[0], s->length, s->precision);
  if (s->rows == 1)
    return;
  arb_poly_struct *square = new_rows(s), *slope = new_rows(s);
  series_multiply(square, x, x, s);
  add_integer(square, 1, s);
  series_reciprocal(slope, square, s);
  lift(y, x, slope, s);
  free_rows(square, s);
  free_rows(slope, s);
}

/* Its slope is 2/sqrt(pi) exp(-x^2). */
static void error_function(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_hypgeom_erf_series(&y[0], &x[0], s->length, s->precision);
  if (s->rows == 1)
    return;
  arb_poly_struct *square = new_rows(s), *slope = new_rows(s);
  arb_t c;
  arb_init(c);
  series_multiply(square, x, x, s);
  negate(square, square, s);
  exponential(slope, square, s);
  arb_const_sqrt_pi(c, s->precision);
  arb_inv(c, c, s->precision);
  arb_mul_2exp_si(c, c, 1);
  scale(slope, slope, c, s);
  lift(y, x, slope, s);
  arb_clear(c);
  free_rows(square, s);
  free_rows(slope, s);
}

/* 1/(1 + exp(-x)) */
static void sigmoid(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_struct *t = new_rows(s), *e = new_rows(s);
  negate(t, x, s);
  exponential(e, t, s);
  add_integer(e, 1, s);
  series_reciprocal(y, e, s);
  free_rows(t, s);
  free_rows(e, s);
}

/* Its slope is the sigmoid. */
static void softplus(arb_poly_struct *y, const arb_poly_struct *x, const arb_t start, const series *s)
{
  arb_poly_struct *slope = new_rows(s);
  arb_t value;
  arb_poly_t t;
  arb_init(value);
  arb_poly_init(t);
  numbers_function(value, FUNCTION_SOFTPLUS, start, s->precision);
  sigmoid(slope, x, s);
  arb_poly_derivative(t, &x[0], s->precision); /* row 0: the integral of the slope times x' */
  arb_poly_mullow(t, &slope[0], t, s->length, s->precision);
  arb_poly_integral(&y[0], t, s->precision);
  arb_poly_truncate(&y[0], s->length);
  arb_poly_set_coeff_arb(&y[0], 0, value);
  lift(y, x, slope, s);
  arb_clear(value);
  arb_poly_clear(t);
  free_rows(slope, s);
}

/* 2 sigmoid(2x) - 1 */
static void hyperbolic_tangent(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_struct *t = new_rows(s);
  set(t, x, s);
  shift(t, 1, s);
  sigmoid(y, t, s);
  shift(y, 1, s);
  add_integer(y, -1, s);
  free_rows(t, s);
}

/* x sigmoid(x), or x/2 (1 + erf(x/sqrt 2)) */
static void silu_or_gelu(arb_poly_struct *y, const arb_poly_struct *x, bool gelu, const series *s)
{
  arb_poly_struct *t = new_rows(s), *gate = new_rows(s);
  if (gelu) {
    arb_t c;
    arb_init(c);
    arb_sqrt_ui(c, 2, s->precision);
    arb_inv(c, c, s->precision);
    scale(t, x, c, s);
    arb_clear(c);
    error_function(gate, t, s);
    add_integer(gate, 1, s);
    shift(gate, -1, s);
  } else
    sigmoid(gate, x, s);
  series_multiply(y, x, gate, s);
  free_rows(t, s);
  free_rows(gate, s);
}

static void log_of_one_plus(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_poly_struct *t = new_rows(s);
  set(t, x, s);
  add_integer(t, 1, s);
  logarithm(y, t, s);
  free_rows(t, s);
}

void series_function(arb_poly_struct *y, const arb_poly_struct *x, function_kind f, const series *s)
{
  arb_t start;
  arb_init(start);
  arb_poly_get_coeff_arb(start, &x[0], 0);
  switch (f) {
  case FUNCTION_ABS:
  case FUNCTION_RELU:
    piece(y, x, start, f == FUNCTION_RELU, s);
    break;
  case FUNCTION_SQRT:
    root(y, x, s);
    break;
  case FUNCTION_EXP:
  case FUNCTION_EXPM1:
    exponential(y, x, s);
    add_integer(y, f == FUNCTION_EXPM1 ? -1 : 0, s);
    break;
  case FUNCTION_LOG:
    logarithm(y, x, s);
    break;
  case FUNCTION_LOG1P:
    log_of_one_plus(y, x, s);
    break;
  case FUNCTION_SIN:
  case FUNCTION_COS:
    sine_or_cosine(y, x, f == FUNCTION_SIN, s);
    break;
  case FUNCTION_ATAN:
    arc_tangent(y, x, s);
    break;
  case FUNCTION_TANH:
    hyperbolic_tangent(y, x, s);
    break;
  case FUNCTION_ERF:
    error_function(y, x, s);
    break;
  case FUNCTION_SIGMOID:
    sigmoid(y, x, s);
    break;
  case FUNCTION_SOFTPLUS:
    softplus(y, x, start, s);
    break;
  case FUNCTION_SILU:
  case FUNCTION_GELU:
    silu_or_gelu(y, x, f == FUNCTION_GELU, s);
    break;
  default: /* cbrt, tan, lambertw0: the range alone */
    numbers_function(start, f, start, s->precision);
    series_range_only(y, start, s);
  }
  arb_clear(start);
}
