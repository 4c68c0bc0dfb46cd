/* The interpreter of a plan. Each step takes LANES instances at once; the error bounds stand beside the operations, in
 * the terms of bounded_internal.h, and those of MAGNITUDE values are counted in bounded_nodes.c. */
#include "arith/bounded_internal.h"
#include "arith/vector.h"
#include "core/target.h"

#define EACH_VECTOR(i) for (int i = 0; i < LANES; i += 4)

enum { M = BOUNDED_HALF }; /* from v to m, from certainly true to certainly false */

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
  vector_store(target + M + i, x.m);
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

/* Half of the lanes at a time, so that they stay in registers. */
enum { HALF_LANES = LANES / 2 };

VECTOR_INLINE void extremum_half(double *target, const bounded_list_entry *list, uint32_t count, int at, bool least)
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

/* Which lanes are finite and regular, half of them at a time. The sum of magnitudes is finite where all of them are
 * (and where it overflows the lane is taken for one that is not: nothing is certain there). An input that is too small
 * leaves its bits in `small`. */
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

/* ---- truths ---- */

typedef struct {
  vector_mask yes, no;
} masks;

VECTOR_INLINE masks load_masks(const double *v, const double *m, int i)
{
  return (masks){vector_load_mask(v + i), vector_load_mask(m + i)};
}

VECTOR_INLINE void store_masks(double *target, int i, masks x)
{
  vector_store_mask(target + i, x.yes);
  vector_store_mask(target + M + i, x.no);
}

VECTOR_INLINE masks compare_exact(tape_opcode op, const double *a, const double *b, int i)
{
  vector x = vector_load(a + i), y = vector_load(b + i);
  vector_mask yes = op == TAPE_LESS         ? (vector_mask)(x < y)
                    : op == TAPE_LESS_EQUAL ? (vector_mask)(x <= y)
                                            : (vector_mask)(x == y);
  return (masks){yes, ~yes};
}

/* d = fl(vb - va) has the sign of vb - va and at most 1 + u times its magnitude. The error of a side is at most k u m, and
 * c m is computed for it with c >= k u (1 + 2^-20). Each product loses a factor of 1 - u, or where it is subnormal at
 * most 2^-22 of itself, since it is 0 or at least 2^-53 2^-1000; the sum loses another factor of 1 - u. So d >= e proves
 * va <= vb for the real numbers, and d > e proves <. Where e = 0 both sides are known exactly. (A side without error has
 * zeros for m.) fl(d - e) and fl(d + e) have the right signs; where e is infinite they are -inf, inf or NaN in such a way
 * that they prove nothing. */
VECTOR_INLINE masks compare(tape_opcode op, bounded_operand a, bounded_operand b, vector ca, vector cb, int i)
{
  vector d = vector_load(b.v + i) - vector_load(a.v + i);
  vector e = ca * vector_load(a.m + i) + cb * vector_load(b.m + i);
  vector below = d - e, above = d + e, zero = vector_all(0);
  if (op == TAPE_LESS)
    return (masks){(vector_mask)(below > zero), (vector_mask)(above <= zero)};
  if (op == TAPE_LESS_EQUAL)
    return (masks){(vector_mask)(below >= zero), (vector_mask)(above < zero)};
  return (masks){(vector_mask)(d == zero) & (vector_mask)(e == zero),
                 (vector_mask)(below > zero) | (vector_mask)(above < zero)};
}

/* r and x, r first: x's falsehood counts where r is certainly defined, or true. */
VECTOR_INLINE masks both(masks r, masks x, bool defined)
{
  vector_mask heard = defined ? x.no : (x.no & r.yes);
  return (masks){r.yes & x.yes, r.no | heard};
}

VECTOR_INLINE masks negation(masks x)
{
  return (masks){x.no, x.yes};
}

/* Takes x into the accumulator. */
VECTOR_INLINE void accumulate(double *target, int i, masks x, bool first, bool defined)
{
  if (!first)
    x = both(load_masks(target, target + M, i), x, defined);
  store_masks(target, i, x);
}

/* The loops below are written once for each relation and for each of the ways to accumulate. */
#define BY_RELATION(use)                   \
  if (t->code == TAPE_LESS) {              \
    use(TAPE_LESS);                        \
  } else if (t->code == TAPE_LESS_EQUAL) { \
    use(TAPE_LESS_EQUAL);                  \
  } else {                                 \
    use(TAPE_EQUAL);                       \
  }

#define BY_ACCUMULATION(comparison)                                          \
  if (t->first)                                                              \
    EACH_VECTOR(i) accumulate(target, i, comparison, true, true);            \
  else if (t->defined)                                                       \
    EACH_VECTOR(i) accumulate(target, i, comparison, false, true);           \
  else                                                                       \
    EACH_VECTOR(i) accumulate(target, i, comparison, false, false)

VECTOR_INLINE void compare_step(const bounded_step *t)
{
  double *const target = t->target;
  const bounded_operand a = t->operand[0], b = t->operand[1];
  const vector ca = vector_all(t->scale[0]), cb = vector_all(t->scale[1]);
#define COMPARE(relation) EACH_VECTOR(i) store_masks(target, i, compare(relation, a, b, ca, cb, i))
#define COMPARE_EXACT(relation) EACH_VECTOR(i) store_masks(target, i, compare_exact(relation, a.v, b.v, i))
#define AND_COMPARE(relation) BY_ACCUMULATION(compare(relation, a, b, ca, cb, i))
#define AND_COMPARE_EXACT(relation) BY_ACCUMULATION(compare_exact(relation, a.v, b.v, i))
  switch ((bounded_opcode)t->op) {
  case STEP_COMPARE:
    BY_RELATION(COMPARE)
    break;
  case STEP_COMPARE_EXACT:
    BY_RELATION(COMPARE_EXACT)
    break;
  case STEP_AND_COMPARE:
    BY_RELATION(AND_COMPARE)
    break;
  default:
    BY_RELATION(AND_COMPARE_EXACT)
    break;
  }
}

/* One half of the lanes of the comparisons of one relation in a list, which stand together; returns how many. */
VECTOR_INLINE uint32_t list_half(tape_opcode op, const bounded_list_entry *list, uint32_t count, int at,
                                 vector_mask yes[4])
{
  vector_mask r0 = yes[0], r1 = yes[1], r2 = yes[2], r3 = yes[3];
  uint32_t k = 0;
#define RELATE(r, offset)                                                                          \
  {                                                                                                \
    vector x = vector_load(a + (offset)), y = vector_load(b + (offset));                           \
    r &= op == TAPE_LESS ? (vector_mask)(x < y) : op == TAPE_LESS_EQUAL ? (vector_mask)(x <= y) : (vector_mask)(x == y); \
  }
  for (; k < count && list[k].code == op; k++) {
    const double *a = list[k].a + at, *b = list[k].b + at;
    RELATE(r0, 0)
    RELATE(r1, 4)
    RELATE(r2, 8)
    RELATE(r3, 12)
  }
  yes[0] = r0;
  yes[1] = r1;
  yes[2] = r2;
  yes[3] = r3;
  return k;
}

VECTOR_INLINE void list_step(const bounded_step *t, const bounded_list_entry *list)
{
  for (int at = 0; at < LANES; at += HALF_LANES) {
    vector_mask all = {-1, -1, -1, -1}, yes[4] = {all, all, all, all};
    uint32_t k = list_half(TAPE_LESS, list, t->count, at, yes);
    k += list_half(TAPE_LESS_EQUAL, list + k, t->count - k, at, yes);
    list_half(TAPE_EQUAL, list + k, t->count - k, at, yes);
    for (int j = 0; j < 4; j++)
      accumulate(t->target, at + 4 * j, (masks){yes[j], ~yes[j]}, t->first, t->defined);
  }
}

VECTOR_INLINE masks connective(tape_opcode op, const bounded_step *t, int i)
{
  masks a = load_masks(t->operand[0].v, t->operand[0].m, i);
  if (op == TAPE_NOT)
    return negation(a);
  masks b = load_masks(t->operand[1].v, t->operand[1].m, i);
  bool defined = t->defined & 1;
  if (op == TAPE_AND)
    return both(a, b, defined);
  if (op == TAPE_OR)
    return negation(both(negation(a), negation(b), defined));
  if (op == TAPE_IMPLIES)
    return negation(both(a, negation(b), defined));
  masks c = load_masks(t->operand[2].v, t->operand[2].m, i);
  masks r = {(c.yes & a.yes) | (c.no & b.yes), (c.yes & a.no) | (c.no & b.no)};
  if (t->defined & 2) { /* a condition that is true or false, not known which, of two things that agree */
    r.yes |= a.yes & b.yes;
    r.no |= a.no & b.no;
  }
  return r;
}

VECTOR_INLINE void connective_step(const bounded_step *t)
{
#define CONNECT(op)                                                    \
  case op:                                                             \
    EACH_VECTOR(i) store_masks(t->target, i, connective(op, t, i));    \
    break;
  switch ((tape_opcode)t->code) {
    CONNECT(TAPE_NOT)
    CONNECT(TAPE_AND)
    CONNECT(TAPE_OR)
    CONNECT(TAPE_IMPLIES)
  default:
    EACH_VECTOR(i) store_masks(t->target, i, connective(TAPE_CHOOSE, t, i));
    break;
  }
}

/* An ERROR value with a finite bound is defined. The others are constants of the tape (it folds what is certain). */
VECTOR_INLINE void defined_step(const bounded_step *t)
{
  const bounded_operand *o = &t->operand[0];
  EACH_VECTOR(i)
  {
    vector m = vector_load(o->m + i);
    store_masks(t->target, i, (masks){(vector_mask)(m - m == vector_all(0)), (vector_mask){0, 0, 0, 0}});
  }
}

/* ---- the loop ---- */

TARGET_VECTOR static void bounded_execute_steps(bounded_state *s, size_t from, size_t to)
{
  const bounded_step *t = s->plan->step + from, *end = s->plan->step + to;
  const bounded_list_entry *list = s->plan->list;
  const double *low = s->floor;
  for (; t != end; t++) {
    switch ((bounded_opcode)t->op) {
    case STEP_NEGATE:
    case STEP_ABS:
    case STEP_RELU:
      exact_unary_step(t);
      break;
    case STEP_MIN:
    case STEP_MAX:
      extremum_step(t, list + t->list);
      break;
    case STEP_CHECK:
      check_step(s, t, list + t->list);
      break;
    case STEP_EXACT_ADD:
      exact_sum_step(t, low, true);
      break;
    case STEP_EXACT_SUBTRACT:
      exact_sum_step(t, low, false);
      break;
    case STEP_ADD:
    case STEP_SUBTRACT:
    case STEP_MULTIPLY:
    case STEP_MULTIPLY_ADD:
    case STEP_MULTIPLY_SUBTRACT:
    case STEP_SUBTRACT_MULTIPLY:
    case STEP_MULTIPLY_MULTIPLY_ADD:
    case STEP_MULTIPLY_MULTIPLY_SUBTRACT:
    case STEP_MAGNITUDE_MIN:
    case STEP_MAGNITUDE_MAX:
      magnitude_step(t, low);
      break;
    case STEP_MAGNITUDE_NEGATE:
    case STEP_MAGNITUDE_ABS:
    case STEP_MAGNITUDE_RELU:
      magnitude_unary_step(t);
      break;
    case STEP_GENERAL:
      bounded_general(t);
      break;
    case STEP_COMPARE_EXACT:
    case STEP_COMPARE:
    case STEP_AND_COMPARE_EXACT:
    case STEP_AND_COMPARE:
      compare_step(t);
      break;
    case STEP_AND_LIST:
      list_step(t, list + t->list);
      break;
    case STEP_AND_TRUTH:
      EACH_VECTOR(i)
      accumulate(t->target, i, load_masks(t->operand[0].v, t->operand[0].m, i), t->first, t->defined);
      break;
    case STEP_DEFINED:
      defined_step(t);
      break;
    case STEP_CONNECTIVE:
      connective_step(t);
      break;
    }
  }
}

/* A function that the machine's instruction set picks cannot be called from another file with every compiler. */
void bounded_execute(bounded_state *s, size_t from, size_t to)
{
  bounded_execute_steps(s, from, to);
}
