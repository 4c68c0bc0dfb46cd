/* The steps that make values: pieces of the interpreter (bounded_execute.c), inlined there. The error
 * bounds stand beside the operations, in the terms of bounded_internal.h; those of MAGNITUDE values are
 * counted in bounded_nodes.c. */
#ifndef ASSAY_ARITH_BOUNDED_VALUES_H
#define ASSAY_ARITH_BOUNDED_VALUES_H

#include "arith/bounded_internal.h"
#include "arith/vector.h"

#define EACH_VECTOR(i) for (int i = 0; i < LANES; i += 4)

/* Some steps take half of the lanes at a time, so that they stay in registers. */
enum { HALF_LANES = LANES / 2 };

/* ---- magnitudes ---- */

typedef struct {
  vector v, m;
} pair;

/* Of an EXACT operand m is v, so that |m| is what is meant; of others m is not negative. */
VECTOR_INLINE pair load_pair(bounded_operand o, int i)
{
  return (pair){vector_load(o.v + i), vector_abs(vector_load(o.m + i))};
}

VECTOR_INLINE void store_pair(double *target, int i, pair x)
{
  vector_store(target + i, x.v);
  vector_store(target + BOUNDED_HALF + i, x.m);
}

/* The product without its floor: |va vb - x.v| <= u |x.v| + eta / 2. */
VECTOR_INLINE pair product(bounded_operand a, bounded_operand b, int i)
{
  pair x = load_pair(a, i), y = load_pair(b, i);
  return (pair){x.v * y.v, x.m * y.m};
}

VECTOR_INLINE pair sum(pair x, pair y)
{
  return (pair){x.v + y.v, x.m + y.m};
}

VECTOR_INLINE pair difference(pair x, pair y)
{
  return (pair){x.v - y.v, x.m + y.m};
}

VECTOR_INLINE pair with_floor(pair x, const double *lowest, int i)
{
  return (pair){x.v, x.m + vector_load(lowest + i)};
}

/* One floor serves two products: u 2^-1000 is far more than both their etas. */
#define MAGNITUDE_STEP(expression)                  \
  EACH_VECTOR(i) store_pair(target, i, expression); \
  break

/* m is the larger one, and not a number where one of them is infinite or not a number. */
VECTOR_INLINE vector larger_magnitude(vector a, vector b)
{
  return vector_max(a, b) + ((a - a) + (b - b));
}

VECTOR_INLINE pair smaller(pair x, pair y)
{
  return (pair){vector_min(x.v, y.v), larger_magnitude(x.m, y.m)};
}

VECTOR_INLINE pair larger(pair x, pair y)
{
  return (pair){vector_max(x.v, y.v), larger_magnitude(x.m, y.m)};
}

VECTOR_INLINE void magnitude_step(const bounded_step *t, const double *low)
{
  double *const target = t->target;
  const bounded_operand a = t->operand[0], b = t->operand[1], c = t->operand[2], d = t->operand[3];
  switch ((bounded_opcode)t->op) {
  case STEP_ADD:
    MAGNITUDE_STEP(sum(load_pair(a, i), load_pair(b, i)));
  case STEP_SUBTRACT:
    MAGNITUDE_STEP(difference(load_pair(a, i), load_pair(b, i)));
  case STEP_MULTIPLY:
    MAGNITUDE_STEP(with_floor(product(a, b, i), low, i));
  case STEP_MULTIPLY_ADD:
    MAGNITUDE_STEP(with_floor(sum(product(a, b, i), load_pair(c, i)), low, i));
  case STEP_MULTIPLY_SUBTRACT:
    MAGNITUDE_STEP(with_floor(difference(product(a, b, i), load_pair(c, i)), low, i));
  case STEP_SUBTRACT_MULTIPLY:
    MAGNITUDE_STEP(with_floor(difference(load_pair(c, i), product(a, b, i)), low, i));
  case STEP_MULTIPLY_MULTIPLY_ADD:
    MAGNITUDE_STEP(with_floor(sum(product(a, b, i), product(c, d, i)), low, i));
  case STEP_MULTIPLY_MULTIPLY_SUBTRACT:
    MAGNITUDE_STEP(with_floor(difference(product(a, b, i), product(c, d, i)), low, i));
  case STEP_MAGNITUDE_MIN: /* the error of a minimum is at most the larger error */
    MAGNITUDE_STEP(smaller(load_pair(a, i), load_pair(b, i)));
  default:
    MAGNITUDE_STEP(larger(load_pair(a, i), load_pair(b, i)));
  }
}

/* Sums of two exact values: the error is at most u |v|, and there is none where v is subnormal. */
VECTOR_INLINE void exact_sum_step(const bounded_step *t, const double *low, bool plus)
{
  double *const target = t->target;
  const double *const a = t->operand[0].v, *const b = t->operand[1].v;
  EACH_VECTOR(i)
  {
    vector x = vector_load(a + i), y = vector_load(b + i), v = plus ? x + y : x - y;
    store_pair(target, i, (pair){v, vector_abs(v) + vector_load(low + i)});
  }
}

/* -x, |x|, max(x, 0): slopes of at most 1 in magnitude, so that the error is at most the operand's. */
VECTOR_INLINE void magnitude_unary_step(const bounded_step *t)
{
  EACH_VECTOR(i)
  {
    pair x = load_pair(t->operand[0], i);
    vector v = t->op == STEP_MAGNITUDE_NEGATE ? vector_negate(x.v)
               : t->op == STEP_MAGNITUDE_ABS  ? vector_abs(x.v)
                                              : vector_max(x.v, vector_all(0));
    store_pair(t->target, i, (pair){v, x.m});
  }
}

/* ---- exact values ---- */

VECTOR_INLINE void exact_unary_step(const bounded_step *t)
{
  EACH_VECTOR(i)
  {
    vector x = vector_load(t->operand[0].v + i);
    vector_store(t->target + i, t->op == STEP_NEGATE ? vector_negate(x)
                                : t->op == STEP_ABS  ? vector_abs(x)
                                                     : vector_max(x, vector_all(0)));
  }
}

VECTOR_INLINE void extremum_half(double *target, const bounded_list_entry *list, uint32_t count, int at,
                                 bool least)
{
  vector r0 = vector_load(list[0].a + at), r1 = vector_load(list[0].a + at + 4);
  vector r2 = vector_load(list[0].a + at + 8), r3 = vector_load(list[0].a + at + 12);
  for (uint32_t k = 1; k < count; k++) {
    const double *x = list[k].a + at;
    vector x0 = vector_load(x), x1 = vector_load(x + 4), x2 = vector_load(x + 8), x3 = vector_load(x + 12);
    r0 = least ? vector_min(r0, x0) : vector_max(r0, x0);
    r1 = least ? vector_min(r1, x1) : vector_max(r1, x1);
    r2 = least ? vector_min(r2, x2) : vector_max(r2, x2);
    r3 = least ? vector_min(r3, x3) : vector_max(r3, x3);
  }
  vector_store(target + at, r0);
  vector_store(target + at + 4, r1);
  vector_store(target + at + 8, r2);
  vector_store(target + at + 12, r3);
}

VECTOR_INLINE void extremum_step(const bounded_step *t, const bounded_list_entry *list)
{
  for (int at = 0; at < LANES; at += HALF_LANES) {
    if (t->op == STEP_MIN)
      extremum_half(t->target, list, t->count, at, true);
    else
      extremum_half(t->target, list, t->count, at, false);
  }
}

/* Which lanes are finite and regular, half of them at a time. The sum of magnitudes is finite where all of
 * them are (and where it overflows the lane is taken for one that is not: nothing is certain there). An
 * input that is too small leaves its bits in `small`. */
VECTOR_INLINE void check_half(bounded_state *s, const bounded_list_entry *list, uint32_t count, int at)
{
  const vector limit = vector_all(s->plan->regular), zero = vector_all(0);
  vector sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;
  vector_mask small0 = {0}, small1 = {0}, small2 = {0}, small3 = {0};
#define CHECK(sum, small, offset)                                   \
  {                                                                 \
    vector x = vector_abs(vector_load(a + (offset)));               \
    sum += x;                                                       \
    small |= (vector_mask)x & (vector_mask)(x < limit);             \
  }
  for (uint32_t k = 0; k < count; k++) {
    const double *a = list[k].a + at;
    CHECK(sum0, small0, 0)
    CHECK(sum1, small1, 4)
    CHECK(sum2, small2, 8)
    CHECK(sum3, small3, 12)
  }
  const vector sums[4] = {sum0, sum1, sum2, sum3}, lowest = vector_all(BOUNDED_FLOOR);
  const vector_mask smalls[4] = {small0, small1, small2, small3};
  for (int j = 0; j < 4; j++) {
    double *finite = (double *)(void *)s->finite + at + 4 * j, *low = s->floor + at + 4 * j;
    vector_store_mask(finite, vector_load_mask(finite) & (vector_mask)(sums[j] - sums[j] == zero));
    vector_store_mask(low, vector_load_mask(low) | ((vector_mask)lowest & (vector_mask)(smalls[j] != 0)));
  }
}

VECTOR_INLINE void check_step(bounded_state *s, const bounded_step *t, const bounded_list_entry *list)
{
  for (int at = 0; at < LANES; at += HALF_LANES)
    check_half(s, list, t->count, at);
}

#endif
