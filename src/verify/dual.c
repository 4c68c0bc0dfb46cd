/* Dual numbers: the algebra, and where a derivative does not exist. The rules of the functions are at the
 * end. */
#include "verify/dual.h"

#include <stdlib.h>
#include <string.h>

enum { DUALS_MAX = 1 << 24, SHAPE_LITERAL = 1000, SHAPE_GIVEN, SHAPE_BRANCH, SHAPE_DERIVATIVE };

void duals_init(duals *s, numbers *n)
{
  *s = (duals){.numbers = n, .region = memory_region_create()};
  key_map_init(&s->shape_of);
}

void duals_clear(duals *s)
{
  key_map_clear(&s->shape_of);
  free(s->plain);
  memory_region_destroy(s->region);
}

bool duals_full(const duals *s)
{
  return s->made >= DUALS_MAX || numbers_full(s->numbers);
}

number dual_value(const dual *a)
{
  while (a->level >= 0)
    a = a->v;
  return a->value;
}

static uint32_t shape(duals *s, uint64_t op, uint64_t a, uint64_t b)
{
  if (s->levels == 0)
    return 0;
  if ((op == OP_ADD || op == OP_MULTIPLY) && a > b) {
    uint64_t swap = a;
    a = b;
    b = swap;
  }
  uint64_t key[3] = {op, a, b};
  uint32_t found;
  if (!key_map_find(&s->shape_of, key, 3, &found))
    key_map_set(&s->shape_of, key, 3, found = ++s->shapes);
  return found;
}

static dual *make(duals *s, dual content)
{
  dual *a = memory_region_new(s->region, 1, sizeof *a);
  *a = content;
  s->made++;
  return a;
}

static dual *make_level(duals *s, int level, const dual *v, const dual *t, uint32_t own_shape, uint32_t jumps)
{
  return make(s, (dual){.level = level, .shape = own_shape, .depends = 1u << level | v->depends | t->depends,
                        .jumps = jumps, .v = v, .t = t});
}

/* Without variables a leaf is its number and nothing else. */
static const dual *plain_leaf(duals *s, number a)
{
  if (a >= s->plains) {
    number old = s->plains;
    s->plains = 2 * a + 64;
    s->plain = memory_resize(s->plain, s->plains, sizeof *s->plain);
    memset(s->plain + old, 0, (s->plains - old) * sizeof *s->plain);
  }
  if (!s->plain[a])
    s->plain[a] = make(s, (dual){.value = a, .level = -1, .literal = true});
  return s->plain[a];
}

static const dual *make_leaf(duals *s, number value, uint32_t own_shape, uint32_t jumps)
{
  if (s->levels == 0 && !jumps)
    return plain_leaf(s, value);
  return make(s, (dual){.value = value, .level = -1, .shape = own_shape, .jumps = jumps});
}

const dual *dual_literal(duals *s, number a)
{
  if (s->levels == 0)
    return plain_leaf(s, a);
  return make(s, (dual){.value = a, .level = -1, .shape = shape(s, SHAPE_LITERAL, a, 0), .literal = true});
}

const dual *dual_given(duals *s, uint32_t element, number value)
{
  uint32_t own = shape(s, SHAPE_GIVEN, element, 0);
  const dual *a = make_leaf(s, value, own, 0);
  for (unsigned i = 0; i < s->levels; i++)
    if (s->seed[i] == element)
      a = make_level(s, (int)i, a, dual_literal(s, NUMBER_ONE), own, 0);
  return a;
}

/* a with the derivative t with respect to variable i, whatever it had; with `keep`, only if it had none. The same for
 * a's own derivative: which case of a rule it came from depends on the variable, too. */
static const dual *with_derivative(duals *s, const dual *a, int i, const dual *t, bool keep)
{
  if (a->level < i)
    return make_level(s, i, a, t, a->shape, a->jumps);
  if (a->level == i)
    return keep ? a : make_level(s, i, a->v, t, a->shape, a->jumps);
  const dual *v = with_derivative(s, a->v, i, t, keep);
  return make_level(s, a->level, v, with_derivative(s, a->t, i, t, keep), a->shape, a->jumps);
}

/* The same for all variables in a set. */
static const dual *with_derivatives(duals *s, const dual *a, uint32_t variables, number t, bool keep)
{
  for (int i = DUAL_LEVELS; i-- > 0;) /* so that a derivative depends on the variables below it */
    if (variables >> i & 1)
      a = with_derivative(s, a, i, dual_literal(s, t), keep);
  return a;
}

static const dual *relabel(duals *s, const dual *a, uint32_t own_shape, uint32_t jumps)
{
  dual copy = *a;
  copy.shape = own_shape;
  copy.jumps = jumps;
  copy.literal = false;
  return make(s, copy);
}

/* The result of a rule by cases, which is an expression of its own, and so are its derivatives: another case may hold
 * elsewhere. */
static const dual *by_cases(duals *s, const dual *a, uint32_t own_shape, uint32_t jumps)
{
  if (a->level < 0)
    return relabel(s, a, own_shape, jumps);
  uint32_t slope_shape = shape(s, SHAPE_DERIVATIVE, own_shape, s->seed[a->level]);
  const dual *v = by_cases(s, a->v, own_shape, jumps), *t = by_cases(s, a->t, slope_shape, a->t->jumps);
  return make_level(s, a->level, v, t, own_shape, jumps);
}

const dual *dual_branch(duals *s, const dual *a, uint32_t origin, uint32_t depends, uint32_t edge, uint32_t maybe,
                        uint32_t all)
{
  a = with_derivatives(s, a, depends | all, NUMBER_ZERO, true);
  a = with_derivatives(s, a, maybe, NUMBER_UNKNOWN, false);
  a = with_derivatives(s, a, edge, NUMBER_UNDEFINED, false);
  /* another condition may choose otherwise elsewhere: only the same `if` is the same expression */
  return by_cases(s, a, shape(s, SHAPE_BRANCH, origin, 0), a->jumps | edge | maybe);
}

const dual *dual_derivative(duals *s, const dual *a, int level)
{
  const dual *t = a->level == level ? a->t : dual_literal(s, NUMBER_ZERO);
  number value = dual_value(a);
  if (value == NUMBER_UNDEFINED || (value == NUMBER_UNKNOWN && dual_value(t) != NUMBER_UNDEFINED))
    return dual_literal(s, value);
  uint32_t jumps = a->jumps & ~(1u << level);
  return jumps == t->jumps ? t : relabel(s, t, t->shape, jumps);
}

static bool is_literal(const dual *a, number n)
{
  return a->literal && a->value == n;
}

/* The literal n if a is defined, else what a is. */
static const dual *if_defined(duals *s, const dual *a, number n)
{
  number value = dual_value(a);
  return dual_literal(s, number_is_defined(value) ? n : value);
}

/* Simplifications by shape; NULL: none applies. */
static const dual *simplify(duals *s, unsigned op, const dual *a, const dual *b)
{
  bool same = b && a->shape && a->shape == b->shape;
  switch (op) {
  case OP_ADD:
    return is_literal(a, NUMBER_ZERO) ? b : is_literal(b, NUMBER_ZERO) ? a : NULL;
  case OP_SUBTRACT:
    return is_literal(b, NUMBER_ZERO) ? a : same ? if_defined(s, a, NUMBER_ZERO) : NULL;
  case OP_MULTIPLY:
    return is_literal(a, NUMBER_ONE) ? b : is_literal(b, NUMBER_ONE) ? a : NULL;
  case OP_DIVIDE:
    return is_literal(b, NUMBER_ONE) ? a : NULL;
  case OP_FUNCTION + FUNCTION_MIN:
  case OP_FUNCTION + FUNCTION_MAX:
    return same ? a : NULL;
  default:
    return NULL;
  }
}

/* min or max of values that depend on variables: the one that wins; where none does, or the other one jumps, no
 * derivative. */
static const dual *choose(duals *s, unsigned op, const dual *a, const dual *b, uint32_t own_shape)
{
  number x = dual_value(a), y = dual_value(b), best = number_apply(s->numbers, op, x, y);
  uint32_t depends = a->depends | b->depends, jumps = a->jumps | b->jumps;
  const dual *r = make_leaf(s, best, own_shape, jumps);
  if (!number_is_defined(best))
    return r;
  int order = number_compare(s->numbers, x, y);
  if (order == 0 || order == NUMBER_OPEN)
    return with_derivatives(s, r, depends, order == 0 ? NUMBER_UNDEFINED : NUMBER_UNKNOWN, false);
  bool first = (order < 0) == (op == OP_FUNCTION + FUNCTION_MIN);
  r = with_derivatives(s, first ? a : b, depends, NUMBER_ZERO, true);
  return by_cases(s, with_derivatives(s, r, (first ? b : a)->jumps, NUMBER_UNDEFINED, false), own_shape, jumps);
}

static const dual *derive(duals *s, unsigned op, const dual *x, const dual *dx, const dual *y, const dual *dy,
                          const dual *result);

const dual *dual_apply(duals *s, unsigned op, const dual *a, const dual *b)
{
  const dual *simple = simplify(s, op, a, b);
  if (simple)
    return simple;
  int level = b && b->level > a->level ? b->level : a->level;
  if (level < 0 && a->literal && (!b || b->literal))
    return dual_literal(s, number_apply(s->numbers, op, a->value, b ? b->value : NUMBER_ZERO));
  uint32_t own = shape(s, op, a->shape, b ? b->shape : 0), jumps = a->jumps | (b ? b->jumps : 0);
  if (level < 0)
    return make_leaf(s, number_apply(s->numbers, op, a->value, b ? b->value : NUMBER_ZERO), own, jumps);
  if (b && op >= OP_FUNCTION)
    return choose(s, op, a, b, own);
  const dual *x = a->level == level ? a->v : a, *dx = a->level == level ? a->t : NULL;
  const dual *y = b && b->level == level ? b->v : b, *dy = b && b->level == level ? b->t : NULL;
  const dual *v = dual_apply(s, op, x, y);
  const dual *t = derive(s, op, x, dx, y, dy, v);
  if (op == OP_FUNCTION + FUNCTION_RELU && jumps >> level & 1) /* below 0 the operand's derivative does not count */
    t = dual_literal(s, NUMBER_UNDEFINED);
  if (op == OP_FUNCTION + FUNCTION_RELU || op == OP_FUNCTION + FUNCTION_ABS)
    t = by_cases(s, t, shape(s, SHAPE_DERIVATIVE, own, s->seed[level]), t->jumps);
  if (op == OP_FUNCTION + FUNCTION_RELU)
    t = with_derivatives(s, t, jumps & ((1u << level) - 1), NUMBER_UNDEFINED, false);
  return make_level(s, level, v, t, own, jumps);
}

static const dual *integer(duals *s, int64_t n)
{
  return dual_literal(s, number_from_integer(s->numbers, n));
}

const dual *dual_power(duals *s, const dual *a, int64_t exponent)
{
  if (exponent == 0)
    return if_defined(s, a, NUMBER_ONE);
  if (exponent == 1)
    return a;
  if (a->literal)
    return dual_literal(s, number_power(s->numbers, a->value, exponent));
  uint32_t own = shape(s, OP_POWER, a->shape, (uint64_t)exponent);
  if (a->level < 0)
    return make_leaf(s, number_power(s->numbers, a->value, exponent), own, a->jumps);
  const dual *slope = dual_apply(s, OP_MULTIPLY, integer(s, exponent), dual_power(s, a->v, exponent - 1));
  return make_level(s, a->level, dual_power(s, a->v, exponent), dual_apply(s, OP_MULTIPLY, slope, a->t), own,
                    a->jumps);
}

/* Short names for the rules below. */
static const dual *add(duals *s, const dual *a, const dual *b)
{
  return dual_apply(s, OP_ADD, a, b);
}

static const dual *multiply(duals *s, const dual *a, const dual *b)
{
  return dual_apply(s, OP_MULTIPLY, a, b);
}

static const dual *divide(duals *s, const dual *a, const dual *b)
{
  return dual_apply(s, OP_DIVIDE, a, b);
}

static const dual *negate(duals *s, const dual *a)
{
  return dual_apply(s, OP_NEGATE, a, NULL);
}

static const dual *call(duals *s, function_kind f, const dual *a)
{
  return dual_apply(s, OP_FUNCTION + (unsigned)f, a, NULL);
}

/* f'(x), where y = f(x) */
static const dual *slope(duals *s, function_kind f, const dual *x, const dual *y)
{
  const dual *one = dual_literal(s, NUMBER_ONE), *two = integer(s, 2),
             *pi = dual_literal(s, number_pi(s->numbers));
  const dual *a, *b;
  switch (f) {
  case FUNCTION_SQRT:
    return divide(s, one, multiply(s, two, y));
  case FUNCTION_CBRT:
    return divide(s, one, multiply(s, integer(s, 3), dual_power(s, y, 2)));
  case FUNCTION_EXP:
    return y;
  case FUNCTION_EXPM1:
    return call(s, FUNCTION_EXP, x);
  case FUNCTION_LOG:
    return divide(s, one, x);
  case FUNCTION_LOG1P:
    return divide(s, one, add(s, one, x));
  case FUNCTION_SIN:
    return call(s, FUNCTION_COS, x);
  case FUNCTION_COS:
    return negate(s, call(s, FUNCTION_SIN, x));
  case FUNCTION_TAN:
    return add(s, one, dual_power(s, y, 2));
  case FUNCTION_ATAN:
    return divide(s, one, add(s, one, dual_power(s, x, 2)));
  case FUNCTION_TANH:
    return dual_apply(s, OP_SUBTRACT, one, dual_power(s, y, 2));
  case FUNCTION_ERF: /* 2/sqrt(pi) e^(-x^2) */
    a = call(s, FUNCTION_EXP, negate(s, dual_power(s, x, 2)));
    return divide(s, multiply(s, two, a), call(s, FUNCTION_SQRT, pi));
  case FUNCTION_SIGMOID:
    return multiply(s, y, call(s, FUNCTION_SIGMOID, negate(s, x)));
  case FUNCTION_SOFTPLUS:
    return call(s, FUNCTION_SIGMOID, x);
  case FUNCTION_SILU: /* (x sigmoid(x))' */
    a = multiply(s, x, call(s, FUNCTION_SIGMOID, negate(s, x)));
    return multiply(s, call(s, FUNCTION_SIGMOID, x), add(s, one, a));
  case FUNCTION_GELU: /* (1 + erf(x/sqrt 2))/2 + x e^(-x^2/2)/sqrt(2 pi) */
    a = call(s, FUNCTION_ERF, divide(s, x, call(s, FUNCTION_SQRT, two)));
    b = call(s, FUNCTION_EXP, negate(s, divide(s, dual_power(s, x, 2), two)));
    b = divide(s, multiply(s, x, b), call(s, FUNCTION_SQRT, multiply(s, two, pi)));
    return add(s, divide(s, add(s, one, a), two), b);
  case FUNCTION_LAMBERTW0:
    return divide(s, call(s, FUNCTION_EXP, negate(s, y)), add(s, one, y));
  default:
    memory_die("a function without a derivative");
  }
}

/* The derivative of op at (x, y) along (dx, dy); one of these is NULL where that operand does not depend. */
static const dual *derive(duals *s, unsigned op, const dual *x, const dual *dx, const dual *y, const dual *dy,
                          const dual *result)
{
  const dual *t = dx;
  int sign;
  switch (op) {
  case OP_NEGATE:
    return negate(s, dx);
  case OP_ADD:
    return dx && dy ? add(s, dx, dy) : dx ? dx : dy;
  case OP_SUBTRACT:
    return dx && dy ? dual_apply(s, OP_SUBTRACT, dx, dy) : dx ? dx : negate(s, dy);
  case OP_MULTIPLY:
    if (dx && dy)
      return add(s, multiply(s, dx, y), multiply(s, x, dy));
    return dx ? multiply(s, dx, y) : multiply(s, x, dy);
  case OP_DIVIDE: /* (dx - (x/y) dy) / y */
    if (dy) {
      t = negate(s, multiply(s, result, dy));
      t = dx ? add(s, dx, t) : t;
    }
    return divide(s, t, y);
  case OP_FUNCTION + FUNCTION_ABS:
  case OP_FUNCTION + FUNCTION_RELU:
    if (!number_is_defined(dual_value(x)))
      return dual_literal(s, dual_value(x));
    sign = number_sign(s->numbers, dual_value(x));
    if (sign == 0 || sign == NUMBER_OPEN)
      return dual_literal(s, sign == 0 ? NUMBER_UNDEFINED : NUMBER_UNKNOWN);
    if (sign < 0)
      t = op == OP_FUNCTION + FUNCTION_ABS ? negate(s, dx) : dual_literal(s, NUMBER_ZERO);
    return with_derivatives(s, t, x->depends, NUMBER_ZERO, true);
  default:
    return multiply(s, slope(s, (function_kind)(op - OP_FUNCTION), x, result), dx);
  }
}
