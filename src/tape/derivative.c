/* Derivatives of tape values, forward mode, memoised on (operation, input).
 *
 * The pass for one input visits the operations up to y in order, once: the derivative of each is made of operations
 * with larger numbers, so no recursion is needed. Only operations that y needs and that depend on the input count.
 *
 * Beside each derivative go two truths. `live`: whether the operation depends on the input at the instance at hand, that
 * is, by the branches that are taken there; nearly always the constant true. `edge`: whether a value jumps with the input,
 * being computed through an `if` on its boundary; whether a truth lies on a boundary. */
#include "tape/derivative.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* What is known with respect to one input: of operation i, derivative[i], live[i] and edge[i], or TAPE_NONE when not
 * yet computed. */
typedef struct {
  tape_id x;
  bool structural;     /* what hides its operands depends on them, too */
  tape_id *derivative; /* of values only */
  tape_id *live, *edge; /* of values and truths that depend on x */
  uint8_t *depends;    /* 0 not known, 1 does not, 2 does */
  size_t known;        /* depends is filled below this */
  size_t capacity;
} pass;

struct tape_derivatives {
  pass *pass;
  size_t count, capacity;
  uint32_t *needed_stamp;
  uint32_t stamp;
  size_t needed_capacity;
};

static void clear_pass(pass *p)
{
  free(p->derivative);
  free(p->live);
  free(p->edge);
  free(p->depends);
}

tape_derivatives *tape_derivatives_create(void)
{
  return memory_new(1, sizeof(tape_derivatives));
}

void tape_derivatives_destroy(tape_derivatives *cache)
{
  if (!cache)
    return;
  for (size_t i = 0; i < cache->count; i++)
    clear_pass(&cache->pass[i]);
  free(cache->pass);
  free(cache->needed_stamp);
  free(cache);
}

bool tape_hides_operands(const tape *t, tape_id i)
{
  const tape_op *o = &t->op[i];
  return o->op == TAPE_ZERO || (o->op == TAPE_POWER && o->b == 0) ||
         (o->op == TAPE_SELECT && o->a == o->b && t->op[o->c].op == TAPE_DEFINED);
}

/* Fills `depends` for every operation up to y. */
static void extend_dependence(const tape *t, pass *p, size_t end)
{
  if (end > p->capacity) {
    size_t capacity = p->capacity ? p->capacity : 256;
    while (capacity < end)
      capacity = memory_multiply(capacity, 2);
    p->derivative = memory_resize(p->derivative, capacity, sizeof *p->derivative);
    p->live = memory_resize(p->live, capacity, sizeof *p->live);
    p->edge = memory_resize(p->edge, capacity, sizeof *p->edge);
    p->depends = memory_resize(p->depends, capacity, 1);
    for (size_t i = p->capacity; i < capacity; i++)
      p->derivative[i] = p->live[i] = p->edge[i] = TAPE_NONE;
    p->capacity = capacity;
  }
  for (; p->known < end; p->known++) {
    const tape_op *o = &t->op[p->known], *x = &t->op[p->x];
    tape_id child[3];
    unsigned n = tape_children(child, o);
    if (!p->structural && tape_hides_operands(t, (tape_id)p->known))
      n = o->op == TAPE_SELECT;
    if (o->op == TAPE_INTEGRAND && x->op == TAPE_VARIABLE && x->a == o->a) /* it binds x */
      n = 0;
    bool yes = p->known == p->x;
    for (unsigned k = 0; k < n; k++)
      yes = yes || p->depends[child[k]] == 2;
    p->depends[p->known] = yes ? 2 : 1;
  }
}

bool tape_depends(const tape *t, tape_id y, tape_id x)
{
  pass p = {.x = x, .structural = true};
  extend_dependence(t, &p, (size_t)y + 1);
  bool yes = p.depends[y] == 2;
  clear_pass(&p);
  return yes;
}

/* ---- short forms ---- */

static tape_id integer(tape *t, int64_t v)
{
  return tape_integer(t, v);
}

static tape_id add(tape *t, tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_ADD, a, b);
}

static tape_id subtract(tape *t, tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_SUBTRACT, a, b);
}

static tape_id multiply(tape *t, tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_MULTIPLY, a, b);
}

static tape_id divide(tape *t, tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_DIVIDE, a, b);
}

static tape_id call(tape *t, tape_opcode op, tape_id a)
{
  return tape_unary(t, op, a);
}

static tape_id square(tape *t, tape_id a)
{
  return multiply(t, a, a);
}

static tape_id undefined(tape *t)
{
  return tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
}

/* `value` where a is defined; undefined elsewhere. The derivative of something undefined is undefined. */
static tape_id where_defined(tape *t, tape_id a, tape_id value)
{
  tape_id guard = tape_unary(t, TAPE_DEFINED, a);
  return tape_select(t, TAPE_SELECT, guard, value, value);
}

/* phi(x) = exp(-x^2/2) / sqrt(2 pi) and Phi(x) = (1 + erf(x / sqrt 2)) / 2, for gelu = x Phi(x). */
static tape_id normal_density(tape *t, tape_id x)
{
  tape_id two_pi = multiply(t, integer(t, 2), tape_leaf(t, TAPE_PI, TAPE_NONE));
  tape_id exponent = divide(t, call(t, TAPE_NEGATE, square(t, x)), integer(t, 2));
  return divide(t, call(t, TAPE_EXP, exponent), call(t, TAPE_SQRT, two_pi));
}

static tape_id normal_distribution(tape *t, tape_id x)
{
  tape_id scaled = divide(t, x, call(t, TAPE_SQRT, integer(t, 2)));
  return divide(t, add(t, integer(t, 1), call(t, TAPE_ERF, scaled)), integer(t, 2));
}

/* f'(x) for the function `op`, y = f(x). */
static tape_id slope(tape *t, tape_opcode op, tape_id x, tape_id y)
{
  tape_id one = integer(t, 1);
  switch (op) {
  case TAPE_SQRT: /* undefined at 0 by the division */
    return divide(t, one, multiply(t, integer(t, 2), y));
  case TAPE_CBRT:
    return divide(t, one, multiply(t, integer(t, 3), square(t, y)));
  case TAPE_EXP:
    return y;
  case TAPE_EXPM1:
    return call(t, TAPE_EXP, x);
  case TAPE_LOG:
    return divide(t, one, x);
  case TAPE_LOG1P:
    return divide(t, one, add(t, one, x));
  case TAPE_SIN:
    return call(t, TAPE_COS, x);
  case TAPE_COS:
    return call(t, TAPE_NEGATE, call(t, TAPE_SIN, x));
  case TAPE_TAN:
    return add(t, one, square(t, y));
  case TAPE_ATAN:
    return divide(t, one, add(t, one, square(t, x)));
  case TAPE_TANH:
    return subtract(t, one, square(t, y));
  case TAPE_ERF: {
    tape_id root_pi = call(t, TAPE_SQRT, tape_leaf(t, TAPE_PI, TAPE_NONE));
    tape_id density = call(t, TAPE_EXP, call(t, TAPE_NEGATE, square(t, x)));
    return divide(t, multiply(t, integer(t, 2), density), root_pi);
  }
  case TAPE_SIGMOID:
    return multiply(t, y, subtract(t, one, y));
  case TAPE_SOFTPLUS:
    return call(t, TAPE_SIGMOID, x);
  case TAPE_SILU: {
    tape_id s = call(t, TAPE_SIGMOID, x);
    return add(t, s, multiply(t, y, subtract(t, one, s)));
  }
  case TAPE_GELU:
    return add(t, normal_distribution(t, x), multiply(t, x, normal_density(t, x)));
  case TAPE_LAMBERTW0: /* W' = exp(-W) / (1 + W); undefined at -1/e by the division */
    return divide(t, call(t, TAPE_EXP, call(t, TAPE_NEGATE, y)), add(t, one, y));
  default:
    return undefined(t);
  }
}

static tape_id either(tape *t, tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_OR, a, b);
}

/* What `known` (live or edge) says of operand k of operation i; false when that does not depend. */
static tape_id of_operand(tape *t, const pass *p, const tape_id *known, tape_id i, unsigned k)
{
  const tape_op *o = &t->op[i];
  tape_id operand = k == 0 ? o->a : k == 1 ? o->b : o->c;
  bool counts = k < tape_operands((tape_opcode)o->op) && p->depends[operand] == 2;
  return counts ? known[operand] : tape_truth(t, TRUTH_FALSE);
}

/* From the same of the operands: which of them are reached. */
static tape_id of_reached(tape *t, const pass *p, const tape_id *known, tape_id i)
{
  tape_op o = t->op[i];
  tape_id a = of_operand(t, p, known, i, 0), b = of_operand(t, p, known, i, 1), c = of_operand(t, p, known, i, 2);
  switch (o.op) {
  case TAPE_AND:
  case TAPE_IMPLIES: /* the right side is reached only where the left one does not decide */
    return either(t, a, tape_binary(t, TAPE_AND, o.a, b));
  case TAPE_OR:
    return either(t, a, tape_binary(t, TAPE_AND, tape_unary(t, TAPE_NOT, o.a), b));
  case TAPE_SELECT:
  case TAPE_CHOOSE:
    if (tape_hides_operands(t, i))
      return a;
    return either(t, c, a == b ? a : tape_select(t, TAPE_CHOOSE, o.c, a, b));
  default:
    return either(t, a, b);
  }
}

static tape_id find_live(tape *t, const pass *p, tape_id i)
{
  bool always = i == p->x || t->op[i].op == TAPE_INTEGRAND || t->op[i].op == TAPE_INTEGRAL;
  return always ? tape_truth(t, TRUTH_TRUE) : of_reached(t, p, p->live, i);
}

/* A truth lies on a boundary where some comparison that is reached, with a side that depends on the input, holds with
 * equality, or where a side jumps. A value jumps where an operand does, or where the condition of an `if` lies on its
 * boundary. */
static tape_id find_edge(tape *t, const pass *p, tape_id i)
{
  tape_op o = t->op[i];
  switch (o.op) {
  case TAPE_DEFINED: /* no boundary where it is true */
    return tape_truth(t, TRUTH_FALSE);
  case TAPE_INTEGRAND: /* where it jumps in the variable, too, nobody can say */
    return t->op[p->edge[o.b]].variables ? tape_truth(t, TRUTH_TRUE) : p->edge[o.b];
  case TAPE_INTEGRAL: {
    tape_id ends = of_reached(t, p, p->edge, i);
    return p->depends[o.c] == 2 ? either(t, ends, p->edge[o.c]) : ends;
  }
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL: {
    tape_id tie = tape_binary(t, TAPE_EQUAL, o.a, o.b);
    return either(t, tape_binary(t, TAPE_AND, find_live(t, p, i), tie), of_reached(t, p, p->edge, i));
  }
  default:
    return of_reached(t, p, p->edge, i);
  }
}

/* What moving an end of the integral of `integrand` contributes, where the end moves with slope `slope`: the body there,
 * which must go on beyond the end. */
static tape_id derive_end(tape *t, tape_op integrand, tape_id end, tape_id slope)
{
  tape_derivatives *own = tape_derivatives_create();
  tape_id variable = tape_leaf(t, TAPE_VARIABLE, integrand.a);
  tape_id body = where_defined(t, tape_slope(t, own, integrand.b, variable), integrand.b);
  tape_derivatives_destroy(own);
  return t->full ? 0 : multiply(t, tape_substitute(t, body, integrand.a, end), slope);
}

/* Where the body has a derivative at every place of the integral, what it is made of is analytic there, so that the
 * derivative may be taken below the integral. */
static tape_id derive_integral(tape *t, const pass *p, tape_id i)
{
  tape_op o = t->op[i], integrand = t->op[o.c];
  tape_id sum = integer(t, 0);
  if (p->depends[o.c] == 2)
    sum = tape_integral(t, o.a, o.b, tape_integrand(t, integrand.a, p->derivative[o.c]));
  if (p->depends[o.b] == 2)
    sum = add(t, sum, derive_end(t, integrand, o.b, p->derivative[o.b]));
  if (p->depends[o.a] == 2)
    sum = subtract(t, sum, derive_end(t, integrand, o.a, p->derivative[o.a]));
  return tape_select(t, TAPE_SELECT, find_edge(t, p, i), undefined(t), sum);
}

/* The derivative of operation i, whose operands' derivatives and edges are known (0 and false for those that do not
 * depend). */
static tape_id derive(tape *t, const pass *p, tape_id i)
{
  tape_op o = t->op[i];
  unsigned n = tape_operands((tape_opcode)o.op);
  tape_id zero = integer(t, 0);
  tape_id da = n > 0 && p->depends[o.a] == 2 ? p->derivative[o.a] : zero;
  tape_id db = n > 1 && p->depends[o.b] == 2 ? p->derivative[o.b] : zero;
  switch (o.op) {
  case TAPE_INPUT:
  case TAPE_VARIABLE:
    return integer(t, 1);
  case TAPE_INTEGRAND: /* of its body: what derive_integral integrates */
    return p->derivative[o.b];
  case TAPE_INTEGRAL:
    return derive_integral(t, p, i);
  case TAPE_NEGATE:
    return call(t, TAPE_NEGATE, da);
  case TAPE_ADD:
    return add(t, da, db);
  case TAPE_SUBTRACT:
    return subtract(t, da, db);
  case TAPE_MULTIPLY:
    if (p->depends[o.a] != 2)
      return multiply(t, o.a, db);
    if (p->depends[o.b] != 2)
      return multiply(t, da, o.b);
    return add(t, multiply(t, da, o.b), multiply(t, o.a, db));
  case TAPE_DIVIDE:
    if (p->depends[o.b] != 2)
      return divide(t, da, o.b);
    return divide(t, subtract(t, da, multiply(t, i, db)), o.b);
  case TAPE_POWER: {
    int32_t e = (int32_t)o.b;
    if (e == INT32_MIN)
      return undefined(t);
    return multiply(t, multiply(t, integer(t, e), tape_power(t, o.a, e - 1)), da);
  }
  case TAPE_MIN:
  case TAPE_MAX: { /* the one that does not win may have a kink, but not jump */
    tape_id left = o.op == TAPE_MIN ? da : db, right = o.op == TAPE_MIN ? db : da;
    tape_id less = tape_binary(t, TAPE_LESS, o.a, o.b), more = tape_binary(t, TAPE_LESS, o.b, o.a);
    tape_id winner =
        tape_select(t, TAPE_SELECT, less, left, tape_select(t, TAPE_SELECT, more, right, undefined(t)));
    return tape_select(t, TAPE_SELECT, find_edge(t, p, i), undefined(t), winner);
  }
  case TAPE_ABS:
  case TAPE_RELU: {
    tape_id positive = tape_binary(t, TAPE_LESS, zero, o.a), negative = tape_binary(t, TAPE_LESS, o.a, zero);
    tape_id below = o.op == TAPE_ABS ? call(t, TAPE_NEGATE, da)
                                     : tape_select(t, TAPE_SELECT, find_edge(t, p, i), undefined(t), zero);
    return tape_select(t, TAPE_SELECT, positive, da, tape_select(t, TAPE_SELECT, negative, below, undefined(t)));
  }
  case TAPE_SPREAD: /* max - min stands for a maximum that is always attained twice, by e_s - e_t and its negative */
    return undefined(t);
  case TAPE_SELECT: {
    tape_id boundary = p->depends[o.c] == 2 ? p->edge[o.c] : tape_truth(t, TRUTH_FALSE);
    return tape_select(t, TAPE_SELECT, boundary, undefined(t), tape_select(t, TAPE_SELECT, o.c, da, db));
  }
  default:
    return multiply(t, slope(t, (tape_opcode)o.op, o.a, i), da);
  }
}

static pass *find_pass(tape_derivatives *cache, tape_id x)
{
  for (size_t i = 0; i < cache->count; i++)
    if (cache->pass[i].x == x)
      return &cache->pass[i];
  if (cache->count == cache->capacity) {
    cache->capacity = cache->capacity ? 2 * cache->capacity : 8;
    cache->pass = memory_resize(cache->pass, cache->capacity, sizeof *cache->pass);
  }
  cache->pass[cache->count] = (pass){.x = x};
  return &cache->pass[cache->count++];
}

tape_id tape_slope(tape *t, tape_derivatives *cache, tape_id y, tape_id x)
{
  if (t->full)
    return 0;
  pass *p = find_pass(cache, x);
  extend_dependence(t, p, (size_t)y + 1);
  if (p->depends[y] != 2)
    return integer(t, 0);
  if (p->derivative[y] != TAPE_NONE)
    return p->derivative[y];

  if ((size_t)y + 1 > cache->needed_capacity) {
    size_t capacity = memory_multiply((size_t)y + 1, 2);
    cache->needed_stamp = memory_resize(cache->needed_stamp, capacity, sizeof *cache->needed_stamp);
    memset(cache->needed_stamp, 0, capacity * sizeof *cache->needed_stamp);
    cache->needed_capacity = capacity;
    cache->stamp = 0;
  }
  uint32_t stamp = ++cache->stamp, *needed = cache->needed_stamp;
  needed[y] = stamp;
  tape_id bottom = y;
  for (tape_id i = y + 1; i-- > 0;) { /* operands first is a smaller number, so one descending pass */
    if (needed[i] != stamp || p->depends[i] != 2 || p->edge[i] != TAPE_NONE)
      continue;
    bottom = i;
    tape_id child[3];
    unsigned n = tape_children(child, &t->op[i]);
    for (unsigned k = 0; k < n; k++)
      needed[child[k]] = stamp;
    if (i == p->x)
      break;
  }
  for (tape_id i = bottom; i <= y && !t->full; i++) {
    if (needed[i] != stamp || p->depends[i] != 2 || p->edge[i] != TAPE_NONE)
      continue;
    tape_id live = find_live(t, p, i), edge = find_edge(t, p, i), d = TAPE_NONE;
    if (!tape_is_truth((tape_opcode)t->op[i].op))
      d = tape_select(t, TAPE_SELECT, live, derive(t, p, i), integer(t, 0));
    if (!t->full) {
      p->derivative[i] = d;
      p->live[i] = live;
      p->edge[i] = edge;
    }
  }
  return t->full ? 0 : p->derivative[y];
}

/* log x is undefined for x < 0, where its slope 1/x is not: what is undefined has no derivative. */
tape_id tape_derivative(tape *t, tape_derivatives *cache, tape_id y, tape_id x)
{
  tape_id d = tape_slope(t, cache, y, x);
  return t->full ? 0 : where_defined(t, y, d);
}
