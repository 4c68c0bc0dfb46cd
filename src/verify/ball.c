/* Balls of the numbers: every enclosure is Arb's, on the balls of the operands at the same precision. The
 * operands lie in the domain (number.c decided that), so a ball that is not bounded only means too little
 * precision. */
#include <stdlib.h>

#include "core/memory.h"
#include "verify/numbers.h"

/* The real cube root, which is odd; of a ball around 0, what its magnitude allows. */
static void cube_root(arb_t r, const arb_t x, slong precision)
{
  if (arb_contains_zero(x)) {
    mag_t m;
    mag_init(m);
    arb_get_mag(m, x);
    mag_root(m, m, 3);
    arb_zero(r);
    arb_add_error_mag(r, m);
    mag_clear(m);
  } else if (arb_is_negative(x)) {
    arb_neg(r, x);
    arb_root_ui(r, r, 3, precision);
    arb_neg(r, r);
  } else {
    arb_root_ui(r, x, 3, precision);
  }
}

/* 1 / (1 + e^-x) */
static void sigmoid(arb_t r, const arb_t x, slong precision)
{
  arb_neg(r, x);
  arb_exp(r, r, precision);
  arb_add_ui(r, r, 1, precision);
  arb_inv(r, r, precision);
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which cannot overflow */
static void softplus(arb_t r, const arb_t x, slong precision)
{
  arb_t zero, tail;
  arb_init(zero);
  arb_init(tail);
  arb_abs(tail, x);
  arb_neg(tail, tail);
  arb_exp(tail, tail, precision);
  arb_log1p(tail, tail, precision);
  arb_max(r, x, zero, precision);
  arb_add(r, r, tail, precision);
  arb_clear(zero);
  arb_clear(tail);
}

/* x/2 erfc(-x/sqrt 2) */
static void gelu(arb_t r, const arb_t x, slong precision)
{
  arb_t t;
  arb_init(t);
  arb_sqrt_ui(t, 2, precision);
  arb_div(t, x, t, precision);
  arb_neg(t, t);
  arb_hypgeom_erfc(t, t, precision);
  arb_mul(t, t, x, precision);
  arb_mul_2exp_si(r, t, -1);
  arb_clear(t);
}

static void power(arb_t r, const arb_t x, int64_t exponent, slong precision)
{
  /* of a ball around 0, arb_pow_ui keeps a finite enclosure where arb_pow does not */
  arb_pow_ui(r, x, exponent < 0 ? -(ulong)exponent : (ulong)exponent, precision);
  if (exponent < 0)
    arb_inv(r, r, precision);
}

static void silu(arb_t r, const arb_t x, slong precision)
{
  sigmoid(r, x, precision);
  arb_mul(r, r, x, precision);
}

static void relu(arb_t r, const arb_t x, slong precision)
{
  arb_t zero;
  arb_init(zero);
  arb_max(r, x, zero, precision);
  arb_clear(zero);
}

static void absolute(arb_t r, const arb_t x, slong precision)
{
  (void)precision;
  arb_abs(r, x);
}

static void lambert(arb_t r, const arb_t x, slong precision)
{
  arb_lambertw(r, x, 0, precision);
}

static void (*const unary[FUNCTION_COUNT])(arb_t, const arb_t, slong) = {
    [FUNCTION_ABS] = absolute,        [FUNCTION_SQRT] = arb_sqrtpos, [FUNCTION_CBRT] = cube_root,
    [FUNCTION_EXP] = arb_exp,         [FUNCTION_EXPM1] = arb_expm1,  [FUNCTION_LOG] = arb_log,
    [FUNCTION_LOG1P] = arb_log1p,     [FUNCTION_SIN] = arb_sin,      [FUNCTION_COS] = arb_cos,
    [FUNCTION_TAN] = arb_tan,         [FUNCTION_ATAN] = arb_atan,    [FUNCTION_TANH] = arb_tanh,
    [FUNCTION_ERF] = arb_hypgeom_erf, [FUNCTION_SIGMOID] = sigmoid,  [FUNCTION_SOFTPLUS] = softplus,
    [FUNCTION_SILU] = silu,           [FUNCTION_GELU] = gelu,        [FUNCTION_RELU] = relu,
    [FUNCTION_LAMBERTW0] = lambert,
};

void numbers_function(arb_t r, function_kind f, const arb_t x, slong precision)
{
  unary[f](r, x, precision);
}

static void compute(numbers *s, number_entry *e, slong precision)
{
  const arb_struct *x = s->entry[e->a].ball, *y = numbers_takes_two(e->op) ? s->entry[e->b].ball : NULL;
  if (!e->precision)
    arb_init(e->ball);
  e->precision = precision;
  switch (e->op) {
  case OP_RATIONAL:
    arb_set_fmpq(e->ball, e->rational, precision);
    return;
  case OP_PI:
    arb_const_pi(e->ball, precision);
    return;
  case OP_INTEGRAL:
    integral_ball(s, e->ball, s->integral[e->b], precision);
    return;
  case OP_NEGATE:
    arb_neg(e->ball, x);
    return;
  case OP_ADD:
    arb_add(e->ball, x, y, precision);
    return;
  case OP_SUBTRACT:
    arb_sub(e->ball, x, y, precision);
    return;
  case OP_MULTIPLY:
    arb_mul(e->ball, x, y, precision);
    return;
  case OP_DIVIDE:
    arb_div(e->ball, x, y, precision);
    return;
  case OP_POWER:
    power(e->ball, x, e->b, precision);
    return;
  case OP_FUNCTION + FUNCTION_MIN:
    arb_min(e->ball, x, y, precision);
    return;
  case OP_FUNCTION + FUNCTION_MAX:
    arb_max(e->ball, x, y, precision);
    return;
  default:
    unary[e->op - OP_FUNCTION](e->ball, x, precision);
  }
}

/* Operands first; a stack of its own, since numbers are built thousands of operations deep. */
void numbers_refine(numbers *s, number a, slong precision)
{
  size_t depth = 0, capacity = 64;
  number *stack = memory_new(capacity, sizeof *stack);
  stack[depth++] = a;
  while (depth > 0) {
    number_entry *e = &s->entry[stack[depth - 1]];
    size_t before = depth;
    if (depth + 2 > capacity)
      stack = memory_resize(stack, capacity *= 2, sizeof *stack);
    if (e->precision < precision && e->op > OP_INTEGRAL && s->entry[e->a].precision < precision)
      stack[depth++] = e->a;
    if (e->precision < precision && numbers_takes_two(e->op) && s->entry[e->b].precision < precision)
      stack[depth++] = (number)e->b;
    if (depth > before)
      continue;
    if (e->precision < precision)
      compute(s, e, precision);
    depth--;
  }
  free(stack);
}

void number_ball(numbers *s, arb_t ball, number a, slong precision)
{
  numbers_refine(s, a, precision);
  arb_set(ball, s->entry[a].ball);
}
