/* Expectations of polynomials in independent Gaussian variables: polynomials made of tape values, and their moments.
 *
 * A polynomial is a list of monomials, each with a value of the tape that is free of random elements. What a value needs to be
 * defined is kept apart from its polynomial (`need`: 0 or undefined), so that terms may cancel or have no moment and still
 * be asked whether they exist. The expectation is linear, so polynomials are made of the factors of products only. */
#include "tape/moments.h"

#include <stdlib.h>

#include "core/memory.h"
#include "tape/moments_terms.h"

enum { WANT_POLYNOMIAL = 1, WANT_MEAN = 2, WANT_NEED = 4 };

/* What is known, or wanted, of one operation of the tape. */
typedef struct {
  polynomial *polynomial; /* NULL: not expanded */
  tape_id mean, need;     /* TAPE_NONE: not known */
  uint32_t walk;          /* the last walk through sums that came here */
  uint8_t wanted;
} knowledge;

typedef struct {
  tape_id id;
  uint8_t what; /* a WANT, or, in a walk, whether the sign is turned */
} visit;

struct tape_moments {
  terms_store *store;
  knowledge *of;
  size_t ids;
  uint32_t walks;
  visit *stack;
  size_t stacked, stack_capacity;
  tape_id *list; /* operations to work on */
  size_t listed, list_capacity;
};

tape_moments *tape_moments_create(size_t terms)
{
  tape_moments *m = memory_new(1, sizeof *m);
  m->store = terms_store_create(terms);
  return m;
}

void tape_moments_destroy(tape_moments *m)
{
  if (!m)
    return;
  for (size_t i = 0; i < m->ids; i++)
    polynomial_destroy(m->of[i].polynomial);
  terms_store_destroy(m->store);
  free(m->of);
  free(m->stack);
  free(m->list);
  free(m);
}

/* ---- what has to be worked on ---- */

static void push(tape_moments *m, tape_id id, uint8_t what)
{
  if (m->stacked == m->stack_capacity) {
    m->stack_capacity = m->stack_capacity ? memory_multiply(m->stack_capacity, 2) : 64;
    m->stack = memory_resize(m->stack, m->stack_capacity, sizeof *m->stack);
  }
  m->stack[m->stacked++] = (visit){id, what};
}

static bool is_sum(const tape *t, tape_id id)
{
  uint8_t op = t->op[id].op;
  return t->op[id].random && (op == TAPE_ADD || op == TAPE_SUBTRACT || op == TAPE_NEGATE);
}

/* Wants the polynomials of the addends of a sum of sums; a sum that is met twice gets a polynomial of its own. */
static void want_addends(tape_moments *m, const tape *t, tape_id root)
{
  uint32_t walk = ++m->walks;
  tape_id *open = NULL;
  size_t count = 0, capacity = 0;
  for (tape_id id = root;; id = open[--count]) {
    const tape_op *o = &t->op[id];
    for (unsigned i = 0; i < tape_operands((tape_opcode)o->op); i++) {
      tape_id x = i ? o->b : o->a;
      if (is_sum(t, x) && m->of[x].walk != walk && !(m->of[x].wanted & WANT_POLYNOMIAL)) {
        m->of[x].walk = walk;
        if (count == capacity) {
          capacity = capacity ? 2 * capacity : 64;
          open = memory_resize(open, capacity, sizeof *open);
        }
        open[count++] = x;
      } else
        push(m, x, WANT_POLYNOMIAL);
    }
    if (!count)
      break;
  }
  free(open);
}

/* Whether the operation is its first operand where some value is defined, *value: what a derivative looks like. */
static bool is_guarded(const tape *t, const tape_op *o, tape_id *value)
{
  bool yes = o->op == TAPE_SELECT && o->a == o->b && t->op[o->c].op == TAPE_DEFINED;
  if (yes)
    *value = t->op[o->c].a;
  return yes;
}

static void want_parts(tape_moments *m, const tape *t, tape_id id, uint8_t what)
{
  const tape_op *o = &t->op[id];
  uint8_t parts = what;
  switch (o->op) {
  case TAPE_NEGATE:
  case TAPE_ADD:
  case TAPE_SUBTRACT:
    if (what == WANT_POLYNOMIAL) {
      want_addends(m, t, id);
      return;
    }
    break;
  case TAPE_MULTIPLY:
    if (what == WANT_MEAN && t->op[o->a].random && t->op[o->b].random)
      parts = WANT_POLYNOMIAL;
    break;
  case TAPE_POWER:
    if (what == WANT_MEAN)
      parts = WANT_POLYNOMIAL;
    break;
  case TAPE_ZERO:
    if (what != WANT_NEED)
      return;
    break;
  default:
    break;
  }
  tape_id value;
  if (is_guarded(t, o, &value)) {
    push(m, o->a, what);
    if (what == WANT_NEED)
      push(m, value, what);
    return;
  }
  unsigned operands = o->op == TAPE_SELECT ? 2 : tape_operands((tape_opcode)o->op);
  for (unsigned i = 0; i < operands; i++)
    push(m, i ? o->b : o->a, parts);
}

static int compare_ids(const void *a, const void *b)
{
  tape_id x = *(const tape_id *)a, y = *(const tape_id *)b;
  return (x > y) - (x < y);
}

/* Lists what the mean of y needs, operands first. */
static void want_all(tape_moments *m, const tape *t, tape_id y)
{
  if (m->ids < t->ops) {
    m->of = memory_resize(m->of, t->ops, sizeof *m->of);
    for (; m->ids < t->ops; m->ids++)
      m->of[m->ids] = (knowledge){.mean = TAPE_NONE, .need = TAPE_NONE};
  }
  m->listed = 0;
  push(m, y, WANT_MEAN);
  push(m, y, WANT_NEED);
  while (m->stacked) {
    visit v = m->stack[--m->stacked];
    knowledge *k = &m->of[v.id];
    if (!t->op[v.id].random || k->wanted & v.what)
      continue;
    if (m->listed == m->list_capacity) {
      m->list_capacity = m->list_capacity ? memory_multiply(m->list_capacity, 2) : 64;
      m->list = memory_resize(m->list, m->list_capacity, sizeof *m->list);
    }
    m->list[m->listed++] = v.id;
    k->wanted |= v.what;
    want_parts(m, t, v.id, v.what);
  }
  qsort(m->list, m->listed, sizeof *m->list, compare_ids);
}

/* ---- what a value needs to be defined ---- */

/* Whether a value is certainly not below 0 where it is defined. `fuel` bounds the search. */
static bool is_nonnegative(const tape *t, tape_id id, unsigned depth, unsigned *fuel)
{
  const tape_op *o = &t->op[id];
  if (depth > 500 || *fuel == 0)
    return false;
  --*fuel;
  switch (o->op) {
  case TAPE_CONSTANT:
    return fmpq_sgn(&t->constant[o->a]) >= 0;
  case TAPE_PI:
  case TAPE_ZERO:
  case TAPE_ABS:
  case TAPE_SQRT:
  case TAPE_EXP:
  case TAPE_SIGMOID:
  case TAPE_SOFTPLUS:
  case TAPE_RELU:
    return true;
  case TAPE_POWER:
    return (int32_t)o->b % 2 == 0 || is_nonnegative(t, o->a, depth + 1, fuel);
  case TAPE_MULTIPLY:
    if (o->a == o->b)
      return true;
    break;
  case TAPE_ADD:
  case TAPE_DIVIDE:
  case TAPE_MIN:
  case TAPE_MAX:
  case TAPE_SELECT:
    break;
  default:
    return false;
  }
  return is_nonnegative(t, o->a, depth + 1, fuel) && is_nonnegative(t, o->b, depth + 1, fuel);
}

static tape_id need_of_random(tape *t, tape_id variance)
{
  unsigned fuel = 10000;
  if (is_nonnegative(t, variance, 0, &fuel))
    return tape_unary(t, TAPE_ZERO, variance);
  tape_id zero = tape_integer(t, 0);
  tape_id good = tape_binary(t, TAPE_LESS_EQUAL, zero, variance);
  return tape_select(t, TAPE_SELECT, good, zero, tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE));
}

static tape_id need_of(const tape_moments *m, tape *t, tape_id id)
{
  return t->op[id].random ? m->of[id].need : tape_unary(t, TAPE_ZERO, id);
}

static bool is_zero(const tape *t, tape_id id)
{
  return t->op[id].op == TAPE_CONSTANT && fmpq_is_zero(&t->constant[t->op[id].a]);
}

static tape_id find_need(const tape_moments *m, tape *t, tape_id id, const tape_id *variance)
{
  const tape_op o = t->op[id];
  tape_id a, b;
  switch (o.op) {
  case TAPE_RANDOM:
    return need_of_random(t, variance[o.a]);
  case TAPE_SELECT:
    if (is_guarded(t, &o, &b)) {
      a = need_of(m, t, o.a);
      b = need_of(m, t, b);
      break;
    }
    a = need_of(m, t, o.a);
    b = need_of(m, t, o.b);
    if (a == b && t->op[o.c].total)
      return a;
    return tape_select(t, TAPE_SELECT, o.c, a, b);
  case TAPE_DIVIDE:
    a = need_of(m, t, o.a);
    b = tape_unary(t, TAPE_ZERO, tape_binary(t, TAPE_DIVIDE, tape_integer(t, 1), o.b));
    break;
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
    a = need_of(m, t, o.a);
    b = need_of(m, t, o.b);
    break;
  default:
    return need_of(m, t, o.a);
  }
  return a == b ? a : tape_binary(t, TAPE_ADD, a, b);
}

/* ---- polynomials ---- */

/* Adds factor times what the polynomial of id is, or id itself where it is free of random elements. */
static void add_value(tape_moments *m, tape *t, tape_id id, bool negative)
{
  if (!t->op[id].random) {
    terms_add(m->store, t, 0, negative ? tape_unary(t, TAPE_NEGATE, id) : id);
    return;
  }
  const polynomial *p = m->of[id].polynomial;
  for (size_t i = 0; i < p->count; i++)
    terms_add(m->store, t, p->term[i].monomial,
              negative ? tape_unary(t, TAPE_NEGATE, p->term[i].coefficient) : p->term[i].coefficient);
}

static polynomial *expand_sum(tape_moments *m, tape *t, tape_id root)
{
  terms_begin(m->store);
  push(m, root, 0);
  while (m->stacked && !terms_exceeded(m->store)) {
    visit v = m->stack[--m->stacked];
    const tape_op o = t->op[v.id];
    if (!is_sum(t, v.id) || m->of[v.id].polynomial) {
      add_value(m, t, v.id, v.what);
    } else if (o.op == TAPE_NEGATE) {
      push(m, o.a, !v.what);
    } else {
      push(m, o.b, o.op == TAPE_SUBTRACT ? !v.what : v.what);
      push(m, o.a, v.what);
    }
  }
  m->stacked = 0;
  return terms_end(m->store, t);
}

static polynomial *expand_scaled(tape_moments *m, tape *t, tape_id id, tape_opcode op, tape_id by)
{
  const polynomial *p = m->of[id].polynomial;
  terms_begin(m->store);
  for (size_t i = 0; i < p->count; i++)
    terms_add(m->store, t, p->term[i].monomial, tape_binary(t, op, p->term[i].coefficient, by));
  return terms_end(m->store, t);
}

/* Terms of both, each chosen by the condition where the other has none or another. */
static polynomial *expand_select(tape_moments *m, tape *t, tape_op o)
{
  tape_id zero = tape_integer(t, 0), side[2] = {o.a, o.b}, value;
  terms_begin(m->store);
  if (is_guarded(t, &o, &value)) {
    add_value(m, t, o.a, false);
    return terms_end(m->store, t);
  }
  for (int i = 0; i < 2; i++) {
    const polynomial *p = t->op[side[i]].random ? m->of[side[i]].polynomial : NULL;
    for (size_t k = 0; k < (p ? p->count : 1); k++) {
      tape_id c = p ? p->term[k].coefficient : side[i];
      terms_add(m->store, t, p ? p->term[k].monomial : 0,
                i ? tape_select(t, TAPE_SELECT, o.c, zero, c) : tape_select(t, TAPE_SELECT, o.c, c, zero));
    }
  }
  return terms_end(m->store, t);
}

static polynomial *expand(tape_moments *m, tape *t, tape_id id)
{
  const tape_op o = t->op[id];
  switch (o.op) {
  case TAPE_RANDOM:
    return polynomial_variable(m->store, t, o.a);
  case TAPE_NEGATE:
  case TAPE_ADD:
  case TAPE_SUBTRACT:
    return expand_sum(m, t, id);
  case TAPE_MULTIPLY:
    if (!t->op[o.a].random || !t->op[o.b].random)
      return expand_scaled(m, t, t->op[o.a].random ? o.a : o.b, TAPE_MULTIPLY, t->op[o.a].random ? o.b : o.a);
    return polynomial_product(m->store, t, m->of[o.a].polynomial, m->of[o.b].polynomial);
  case TAPE_DIVIDE:
    return expand_scaled(m, t, o.a, TAPE_DIVIDE, o.b);
  case TAPE_POWER:
    return polynomial_power(m->store, t, m->of[o.a].polynomial, o.b);
  case TAPE_SELECT:
    return expand_select(m, t, o);
  default: /* TAPE_ZERO; nothing else is random */
    terms_begin(m->store);
    return terms_end(m->store, t);
  }
}

/* ---- means ---- */

static tape_id mean_of(const tape_moments *m, const tape *t, tape_id id)
{
  return t->op[id].random ? m->of[id].mean : id;
}

/* Whether the factor is defined is asked elsewhere. */
static tape_id scaled(tape *t, tape_opcode op, tape_id mean, tape_id by)
{
  return is_zero(t, mean) ? mean : tape_binary(t, op, mean, by);
}

static tape_id mean_of_power(tape_moments *m, tape *t, tape_op o, const tape_id *variance)
{
  const polynomial *base = m->of[o.a].polynomial;
  if (o.b == 0)
    return tape_integer(t, 1);
  polynomial *half = polynomial_power(m->store, t, base, o.b / 2);
  polynomial *other = o.b % 2 && half ? polynomial_product(m->store, t, half, base) : half;
  tape_id mean = other ? polynomial_mean_of_product(m->store, t, half, other, variance) : TAPE_NONE;
  if (other != half)
    polynomial_destroy(other);
  polynomial_destroy(half);
  return mean;
}

/* TAPE_NONE where a limit is passed. */
static tape_id find_mean(tape_moments *m, tape *t, tape_id id, const tape_id *variance)
{
  const tape_op o = t->op[id];
  tape_id value;
  if (m->of[id].polynomial)
    return polynomial_mean(m->store, t, m->of[id].polynomial, variance);
  switch (o.op) {
  case TAPE_NEGATE:
    return tape_unary(t, TAPE_NEGATE, mean_of(m, t, o.a));
  case TAPE_MULTIPLY:
    if (t->op[o.a].random && t->op[o.b].random)
      return polynomial_mean_of_product(m->store, t, m->of[o.a].polynomial, m->of[o.b].polynomial, variance);
    return scaled(t, TAPE_MULTIPLY, mean_of(m, t, t->op[o.a].random ? o.a : o.b), t->op[o.a].random ? o.b : o.a);
  case TAPE_ADD:
  case TAPE_SUBTRACT:
    return tape_binary(t, (tape_opcode)o.op, mean_of(m, t, o.a), mean_of(m, t, o.b));
  case TAPE_DIVIDE:
    return scaled(t, TAPE_DIVIDE, mean_of(m, t, o.a), o.b);
  case TAPE_POWER:
    return mean_of_power(m, t, o, variance);
  case TAPE_SELECT:
    if (is_guarded(t, &o, &value))
      return mean_of(m, t, o.a);
    return tape_select(t, TAPE_SELECT, o.c, mean_of(m, t, o.a), mean_of(m, t, o.b));
  default: /* TAPE_RANDOM, TAPE_ZERO */
    return tape_integer(t, 0);
  }
}

/* Marks what is evaluated wherever id is. */
static void mark_evaluated(tape_moments *m, const tape *t, tape_id id, char *mark)
{
  push(m, id, 0);
  while (m->stacked) {
    id = m->stack[--m->stacked].id;
    if (mark[id])
      continue;
    mark[id] = 1;
    const tape_op *o = &t->op[id];
    bool chooses = o->op == TAPE_SELECT || tape_is_truth((tape_opcode)o->op);
    if (o->op == TAPE_SELECT)
      push(m, o->c, 0);
    for (unsigned i = 0; i < tape_operands((tape_opcode)o->op) && !chooses; i++)
      push(m, i == 0 ? o->a : i == 1 ? o->b : o->c, 0);
  }
}

/* mean, undefined where `need` is. What mean evaluates anyway is not asked again. */
static tape_id with_need(tape_moments *m, tape *t, tape_id mean, tape_id need)
{
  if (is_zero(t, need) || t->full)
    return mean;
  size_t ops = t->ops;
  char *mark = memory_new(ops, 1);
  char *seen = memory_new(ops, 1);
  mark_evaluated(m, t, mean, mark);
  push(m, need, 0);
  while (m->stacked) {
    tape_id id = m->stack[--m->stacked].id;
    if (id >= ops || seen[id])
      continue;
    seen[id] = 1;
    const tape_op o = t->op[id];
    if (o.op == TAPE_ADD) {
      push(m, o.b, 0);
      push(m, o.a, 0);
    } else if (!mark[id] && !(o.op == TAPE_ZERO && mark[o.a]))
      mean = tape_binary(t, TAPE_ADD, mean, id);
  }
  free(mark);
  free(seen);
  return mean;
}

tape_id tape_mean(tape *t, tape_moments *m, tape_id y, const tape_id *variance, size_t *terms)
{
  *terms = 0;
  if (t->full)
    return TAPE_NONE;
  if (!t->op[y].random)
    return y;
  want_all(m, t, y);
  for (size_t i = 0; i < m->listed && !t->full; i++) {
    tape_id id = m->list[i];
    knowledge *k = &m->of[id];
    if (k->wanted & WANT_POLYNOMIAL && !k->polynomial)
      k->polynomial = expand(m, t, id);
    if (k->wanted & WANT_NEED && k->need == TAPE_NONE)
      k->need = find_need(m, t, id, variance);
    if (k->wanted & WANT_MEAN && k->mean == TAPE_NONE && !terms_exceeded(m->store))
      k->mean = find_mean(m, t, id, variance);
    *terms = terms_exceeded(m->store);
    if (*terms)
      return TAPE_NONE;
  }
  tape_id mean = t->full ? TAPE_NONE : with_need(m, t, m->of[y].mean, m->of[y].need);
  return t->full ? TAPE_NONE : mean;
}
