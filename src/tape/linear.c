/* Rows of linear inequalities from the labels of a tape. */
#include "tape/linear.h"

#include <stdlib.h>

#include "core/memory.h"

/* Of one comparison. */
enum { MOST_ROWS = 256, MOST_DEPTH = 256 };

void linear_init(linear_system *s)
{
  *s = (linear_system){0};
}

static void clear_row(linear_row *r)
{
  for (size_t i = 0; i < r->terms; i++)
    fmpq_clear(&r->coefficient[i]);
  free(r->coefficient);
  free(r->element);
  fmpq_clear(r->right);
}

void linear_clear(linear_system *s)
{
  for (size_t i = 0; i < s->rows; i++)
    clear_row(&s->row[i]);
  free(s->row);
  *s = (linear_system){0};
}

static linear_row *add_row(linear_system *s, linear_relation relation, size_t terms)
{
  if (s->rows == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 32;
    s->row = memory_resize(s->row, s->capacity, sizeof *s->row);
  }
  linear_row *r = &s->row[s->rows++];
  *r = (linear_row){.relation = relation, .terms = terms};
  r->element = memory_new(terms, sizeof *r->element);
  r->coefficient = memory_new(terms, sizeof *r->coefficient);
  for (size_t i = 0; i < terms; i++)
    fmpq_init(&r->coefficient[i]);
  fmpq_init(r->right);
  return r;
}

/* ---- one linear form ---- */

/* A form under way: weight[i] times operation i, for all i together, plus constant. From the highest operation down each
 * is replaced by its operands: when an operation's turn comes, all that uses it is done and its weight is final. */
typedef struct {
  const tape *t;
  fmpq *weight; /* t->ops; all 0 between two uses */
  fmpq_t constant, product;
} form;

static void form_init(form *f, const tape *t)
{
  f->t = t;
  f->weight = memory_new(t->ops, sizeof *f->weight);
  for (size_t i = 0; i < t->ops; i++)
    fmpq_init(&f->weight[i]);
  fmpq_init(f->constant);
  fmpq_init(f->product);
}

static void form_clear(form *f)
{
  for (size_t i = 0; i < f->t->ops; i++)
    fmpq_clear(&f->weight[i]);
  free(f->weight);
  fmpq_clear(f->constant);
  fmpq_clear(f->product);
}

static void add(form *f, tape_id id, const fmpq_t weight)
{
  fmpq_add(&f->weight[id], &f->weight[id], weight);
}

static void subtract(form *f, tape_id id, const fmpq_t weight)
{
  fmpq_sub(&f->weight[id], &f->weight[id], weight);
}

static const fmpq *constant_of(const tape *t, tape_id id)
{
  return t->op[id].op == TAPE_CONSTANT ? &t->constant[t->op[id].a] : NULL;
}

/* Replaces operation i, of weight w, by its operands. False when it is not linear in them. */
static bool take_apart(form *f, tape_id i, const fmpq_t w)
{
  const tape_op *o = &f->t->op[i];
  const fmpq *a, *b;
  switch (o->op) {
  case TAPE_CONSTANT:
    fmpq_addmul(f->constant, w, &f->t->constant[o->a]);
    return true;
  case TAPE_ZERO:
    return true;
  case TAPE_NEGATE:
    subtract(f, o->a, w);
    return true;
  case TAPE_ADD:
    add(f, o->a, w);
    add(f, o->b, w);
    return true;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    add(f, o->a, w);
    subtract(f, o->b, w);
    return true;
  case TAPE_MULTIPLY:
    a = constant_of(f->t, o->a);
    b = constant_of(f->t, o->b);
    if (!a && !b)
      return false;
    fmpq_mul(f->product, w, a ? a : b);
    add(f, a ? o->b : o->a, f->product);
    return true;
  case TAPE_DIVIDE:
    b = constant_of(f->t, o->b);
    if (!b || fmpq_is_zero(b))
      return false;
    fmpq_div(f->product, w, b);
    add(f, o->a, f->product);
    return true;
  case TAPE_POWER:
    if (o->b == 0)
      fmpq_add(f->constant, f->constant, w);
    return o->b == 0;
  default:
    return false;
  }
}

/* ---- comparisons ---- */

typedef struct {
  linear_system *s;
  form f;
  uint32_t label, atom;
  size_t rows;    /* of this comparison */
  unsigned depth; /* of maxima within maxima */
} collector;

static void keep_form(collector *k, linear_relation relation, const tape_id *input, size_t inputs)
{
  linear_row *r = add_row(k->s, relation, inputs);
  for (size_t i = 0; i < inputs; i++) {
    r->element[i] = k->f.t->op[input[i]].a;
    fmpq_set(&r->coefficient[i], &k->f.weight[input[i]]);
  }
  fmpq_neg(r->right, k->f.constant);
  r->label = k->label;
  r->atom = k->atom;
  k->rows++;
}

static void collect(collector *k, linear_relation relation, tape_id top);

/* The form with sign * w * other (TAPE_NONE: 0) in the place of operation i; afterwards all is as before. */
static void collect_with(collector *k, linear_relation relation, tape_id top, tape_id i, tape_id other, int sign)
{
  form *f = &k->f;
  fmpq *saved = memory_new((size_t)i + 2, sizeof *saved);
  for (tape_id j = 0; j < i + 2; j++) {
    fmpq_init(&saved[j]);
    fmpq_set(&saved[j], j <= i ? &f->weight[j] : f->constant);
  }
  fmpq_zero(&f->weight[i]);
  if (other != TAPE_NONE && sign > 0)
    add(f, other, &saved[i]);
  else if (other != TAPE_NONE)
    subtract(f, other, &saved[i]);
  k->depth++;
  collect(k, relation, top);
  k->depth--;
  for (tape_id j = 0; j < i + 2; j++) {
    fmpq_set(j <= i ? &f->weight[j] : f->constant, &saved[j]);
    fmpq_clear(&saved[j]);
  }
  free(saved);
}

/* max(a, b) bounded from above by the rest is two rows, and so are |a|, relu(a), and min(a, b) bounded from below. */
static void collect_both(collector *k, linear_relation relation, tape_id top, tape_id i)
{
  const tape_op *o = &k->f.t->op[i];
  bool above = fmpq_sgn(&k->f.weight[i]) > 0;
  tape_id other = o->b;
  int sign = 1;
  if (relation == LINEAR_EQUAL || k->rows >= MOST_ROWS || k->depth >= MOST_DEPTH)
    return;
  if (above && o->op == TAPE_ABS) {
    other = o->a;
    sign = -1;
  } else if (above && o->op == TAPE_RELU)
    other = TAPE_NONE;
  else if (!(above && o->op == TAPE_MAX) && !(!above && o->op == TAPE_MIN))
    return;
  collect_with(k, relation, top, i, o->a, 1);
  collect_with(k, relation, top, i, other, sign);
}

/* The rows of form RELATION 0; operations from `top` on have no weight. Uses the form up. */
static void collect(collector *k, linear_relation relation, tape_id top)
{
  form *f = &k->f;
  tape_id *input = NULL;
  size_t inputs = 0, capacity = 0;
  bool linear = true;
  fmpq_t w;
  fmpq_init(w);
  for (tape_id i = top; i-- > 0 && linear;) {
    if (fmpq_is_zero(&f->weight[i]))
      continue;
    if (f->t->op[i].op == TAPE_INPUT) {
      if (inputs == capacity) {
        capacity = capacity ? 2 * capacity : 16;
        input = memory_resize(input, capacity, sizeof *input);
      }
      input[inputs++] = i;
      continue;
    }
    fmpq_set(w, &f->weight[i]);
    linear = take_apart(f, i, w);
    if (linear)
      fmpq_zero(&f->weight[i]);
    else
      collect_both(k, relation, top, i);
  }
  if (linear && k->rows < MOST_ROWS)
    keep_form(k, relation, input, inputs);
  fmpq_clear(w);
  free(input);
}

/* left - right RELATION 0. */
static void compare(collector *k, linear_relation relation, tape_id left, tape_id right)
{
  form *f = &k->f;
  fmpq_t one;
  fmpq_init(one);
  fmpq_one(one);
  tape_id top = (left > right ? left : right) + 1;
  fmpq_zero(f->constant);
  add(f, left, one);
  subtract(f, right, one);
  k->rows = 0;
  collect(k, relation, top);
  for (tape_id i = 0; i < top; i++)
    fmpq_zero(&f->weight[i]);
  fmpq_clear(one);
}

/* What follows from the comparison o being true (or, `negated`, false). */
static void collect_comparison(collector *k, const tape_op *o, bool negated)
{
  if (o->op != TAPE_EQUAL) {
    bool strict = (o->op == TAPE_LESS) != negated;
    compare(k, strict ? LINEAR_LESS : LINEAR_LESS_EQUAL, negated ? o->b : o->a, negated ? o->a : o->b);
  } else if (!negated) {
    compare(k, LINEAR_EQUAL, o->a, o->b);
    if (k->rows)
      return;
    compare(k, LINEAR_LESS_EQUAL, o->a, o->b); /* a = |b|: |b| <= a is convex */
    compare(k, LINEAR_LESS_EQUAL, o->b, o->a);
  }
}

/* ---- labels ---- */

typedef struct {
  tape_id id;
  bool negated;
  uint32_t atom;
} part;

static uint32_t atom_of(const collector *k, tape_id id, uint32_t otherwise)
{
  const tape_label *l = &k->f.t->label[k->label];
  for (uint32_t i = l->first_atom; i < l->first_atom + l->atoms; i++)
    if (k->f.t->atom[i].truth == id)
      return i;
  return otherwise;
}

/* A formula as long as its label is deep: on a stack of its own. */
static void collect_label(collector *k)
{
  const tape *t = k->f.t;
  size_t count = 1, capacity = 64;
  part *stack = memory_new(capacity, sizeof *stack);
  stack[0] = (part){t->label[k->label].truth, false, UINT32_MAX};
  while (count > 0) {
    part p = stack[--count];
    const tape_op *o = &t->op[p.id];
    if (!p.negated)
      p.atom = atom_of(k, p.id, p.atom);
    k->atom = p.atom;
    if (count + 2 > capacity) {
      capacity *= 2;
      stack = memory_resize(stack, capacity, sizeof *stack);
    }
    switch (o->op) {
    case TAPE_TRUTH:
      if (o->a == (uint32_t)(p.negated ? TRUTH_TRUE : TRUTH_FALSE)) {
        fmpq_zero(k->f.constant);
        keep_form(k, LINEAR_LESS, NULL, 0);
      }
      break;
    case TAPE_NOT:
      stack[count++] = (part){o->a, !p.negated, p.atom};
      break;
    case TAPE_AND:
    case TAPE_OR:
      if ((o->op == TAPE_OR) != p.negated)
        break;
      stack[count++] = (part){o->b, p.negated, p.atom};
      stack[count++] = (part){o->a, p.negated, p.atom};
      break;
    case TAPE_LESS:
    case TAPE_LESS_EQUAL:
    case TAPE_EQUAL:
      collect_comparison(k, o, p.negated);
      break;
    default:
      break;
    }
  }
  free(stack);
}

void linear_add_label(linear_system *s, const tape *t, size_t label)
{
  collector k = {.s = s, .label = (uint32_t)label, .atom = UINT32_MAX};
  form_init(&k.f, t);
  collect_label(&k);
  form_clear(&k.f);
}
