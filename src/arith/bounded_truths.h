/* The steps that make truths: pieces of the interpreter (bounded_execute.c), inlined there. */
#ifndef ASSAY_ARITH_BOUNDED_TRUTHS_H
#define ASSAY_ARITH_BOUNDED_TRUTHS_H

#include "arith/bounded_values.h"

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
  vector_store_mask(target + BOUNDED_HALF + i, x.no);
}

VECTOR_INLINE vector_mask compare_vectors(tape_opcode op, vector x, vector y)
{
  return op == TAPE_LESS         ? (vector_mask)(x < y)
         : op == TAPE_LESS_EQUAL ? (vector_mask)(x <= y)
                                 : (vector_mask)(x == y);
}

VECTOR_INLINE masks compare_exact(tape_opcode op, const double *a, const double *b, int i)
{
  vector x = vector_load(a + i), y = vector_load(b + i);
  vector_mask yes = compare_vectors(op, x, y);
  return (masks){yes, ~yes};
}

/* d = fl(vb - va) has the sign of vb - va and at most 1 + u times its magnitude. The error of a side is at
 * most k u m, and c m is computed for it with c >= k u (1 + 2^-20). Each product loses a factor of 1 - u,
 * or where it is subnormal at most 2^-22 of itself, since it is 0 or at least 2^-53 2^-1000; the sum loses
 * another factor of 1 - u. So d >= e proves va <= vb for the real numbers, and d > e proves <. Where e = 0
 * both sides are known exactly. (A side without error has zeros for m.) fl(d - e) and fl(d + e) have the
 * right signs; where e is infinite they are -inf, inf or NaN in such a way that they prove nothing. */
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

/* a + b against c, all exact, after the changes of sign that `flip` holds. Rounding is monotone and c is a
 * double: s = fl(a + b) < c proves a + b < c, and s > c proves a + b > c. Where s = c, a + b - s decides,
 * which the sum of two numbers (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B) gives exactly;
 * where one of its steps overflows it is infinite or NaN: then s, and c, are at least half of the largest
 * double, and nothing is said. */
VECTOR_INLINE masks compare_sum(tape_opcode op, const double *left, const double *right,
                                const double *against, const vector flip[3], int i)
{
  vector a = vector_flip(vector_load(left + i), flip[0]), b = vector_flip(vector_load(right + i), flip[1]);
  vector c = vector_flip(vector_load(against + i), flip[2]), zero = vector_all(0);
  vector s = a + b, part = s - a, rest = (a - (s - part)) + (b - part);
  vector_mask tie = (vector_mask)(s == c) & (vector_mask)(rest - rest == zero);
  vector_mask less = (vector_mask)(s < c) | (tie & (vector_mask)(rest < zero));
  vector_mask more = (vector_mask)(s > c) | (tie & (vector_mask)(rest > zero));
  vector_mask equal = tie & (vector_mask)(rest == zero);
  return op == TAPE_LESS         ? (masks){less, more | equal}
         : op == TAPE_LESS_EQUAL ? (masks){less | equal, more}
                                 : (masks){equal, less | more};
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
    x = both(load_masks(target, target + BOUNDED_HALF, i), x, defined);
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
  const double *const c = t->operand[2].v;
  const vector flip[3] = {ca, cb, vector_all(t->scale[2])};
#define COMPARE(relation) EACH_VECTOR(i) store_masks(target, i, compare(relation, a, b, ca, cb, i))
#define COMPARE_EXACT(relation) EACH_VECTOR(i) store_masks(target, i, compare_exact(relation, a.v, b.v, i))
#define COMPARE_SUM(relation) \
  EACH_VECTOR(i) store_masks(target, i, compare_sum(relation, a.v, b.v, c, flip, i))
#define AND_COMPARE_SUM(relation) BY_ACCUMULATION(compare_sum(relation, a.v, b.v, c, flip, i))
#define AND_COMPARE(relation) BY_ACCUMULATION(compare(relation, a, b, ca, cb, i))
#define AND_COMPARE_EXACT(relation) BY_ACCUMULATION(compare_exact(relation, a.v, b.v, i))
  switch ((bounded_opcode)t->op) {
  case STEP_COMPARE:
    BY_RELATION(COMPARE)
    break;
  case STEP_COMPARE_EXACT:
    BY_RELATION(COMPARE_EXACT)
    break;
  case STEP_COMPARE_SUM:
    BY_RELATION(COMPARE_SUM)
    break;
  case STEP_AND_COMPARE_SUM:
    BY_RELATION(AND_COMPARE_SUM)
    break;
  case STEP_AND_COMPARE:
    BY_RELATION(AND_COMPARE)
    break;
  default:
    BY_RELATION(AND_COMPARE_EXACT)
    break;
  }
}

/* One half of the lanes of the comparisons of one relation in a list, which stand together; returns how
 * many. */
VECTOR_INLINE uint32_t list_half(tape_opcode op, const bounded_list_entry *list, uint32_t count, int at,
                                 vector_mask yes[4])
{
  vector_mask r0 = yes[0], r1 = yes[1], r2 = yes[2], r3 = yes[3];
  uint32_t k = 0;
#define RELATE(r, offset)                                                                          \
  {                                                                                                \
    vector x = vector_load(a + (offset)), y = vector_load(b + (offset));                           \
    r &= compare_vectors(op, x, y);                                                                \
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

/* An ERROR value with a finite bound is defined. The others are constants of the tape (it folds what is
 * certain). */
VECTOR_INLINE void defined_step(const bounded_step *t)
{
  const bounded_operand *o = &t->operand[0];
  EACH_VECTOR(i)
  {
    vector m = vector_load(o->m + i);
    store_masks(t->target, i, (masks){(vector_mask)(m - m == vector_all(0)), (vector_mask){0, 0, 0, 0}});
  }
}

#endif
