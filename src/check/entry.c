/* The tape of an entry: the family's definitions, lowered where the entry is, and what is asked of them. */
#include <stdlib.h>
#include <string.h>

#include "check/entry_internal.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"
#include "core/text.h"
#include "dump/model_shape.h"
#include "lang/lower.h"
#include "tape/copy.h"

/* The family as a claim whose labels are the values asked for, at one entry. Its parts live in `region`. */
typedef struct {
  claim c;
  claim_given *given;
  claim_label label[ENTRY_ROLES];
  int64_t *sizes;
  memory_region *region;
  fmpq index[2];
} question;

static node *index_node(question *q, unsigned axis)
{
  node *n = memory_region_new(q->region, 1, sizeof(node));
  n->kind = NODE_NUMBER;
  n->type = TYPE_INTEGER;
  n->depth = 1;
  n->place = q->c.place;
  n->number = &q->index[axis];
  return n;
}

static node *value_node(question *q, const claim_let *let, const signed char *axis)
{
  node *n = memory_region_new(q->region, 1, sizeof(node));
  n->kind = NODE_LET;
  n->type = TYPE_VALUE;
  n->place = let->place;
  n->name = let->name;
  n->symbol = (unsigned)(let - q->c.let);
  n->depth = 2;
  n->children = let->positions;
  n->child = memory_region_new(q->region, let->positions + 1, sizeof(node *));
  for (unsigned i = 0; i < let->positions; i++)
    n->child[i] = index_node(q, (unsigned)axis[i]);
  return n;
}

/* Of an elementwise layer, at sizes where the entry's indices have nothing but 1. */
static void question_init(question *q, const model_layer *layer, const entry_shape *shape, size_t channel, size_t state)
{
  const claim *f = layer->family;
  *q = (question){.c = *f, .region = memory_region_create()};
  int size[2];
  entry_sizes(size, f);
  q->sizes = memory_new(f->sizes, sizeof *q->sizes);
  memcpy(q->sizes, layer->sizes, f->sizes * sizeof *q->sizes);
  for (int k = 0; k < 2; k++) {
    fmpq_init(&q->index[k]);
    fmpq_set_si(&q->index[k], shape->elementwise ? 1 : (slong)(k == 0 ? channel : state) + 1, 1);
    if (shape->elementwise && size[k] >= 0)
      q->sizes[size[k]] = 1;
  }
  bool *needed = memory_new(f->givens, sizeof *needed);
  model_needed(needed, f);
  q->given = memory_new(f->givens, sizeof *q->given);
  memcpy(q->given, f->given, f->givens * sizeof *q->given);
  for (unsigned i = 0; i < f->givens; i++)
    if (!needed[i])
      q->given[i].lines = 0;
  free(needed);
  q->c.given = q->given;
  q->c.label = q->label;
  q->c.labels = 0;
  for (unsigned i = 0; i < ENTRY_ROLES; i++) {
    const claim_let *let = model_role(f, entry_roles[i]);
    signed char axis[LIMIT_BINDERS];
    if (!let)
      continue;
    entry_axes(axis, let, size);
    q->label[q->c.labels++] =
        (claim_label){.kind = LABEL_TRIVIAL, .name = entry_roles[i], .place = let->place, .body = value_node(q, let, axis)};
  }
}

static void question_clear(question *q)
{
  fmpq_clear(&q->index[0]);
  fmpq_clear(&q->index[1]);
  free(q->sizes);
  free(q->given);
  memory_region_destroy(q->region);
}

/* Where element number `number` of a given (row-major at the question's sizes) is stored. */
static entry_input place_of(const question *q, const model_layer *layer, const entry_shape *shape, unsigned given,
                            uint64_t number)
{
  const claim_given *g = &q->c.given[given];
  int size[2];
  entry_sizes(size, layer->family);
  entry_input in = {.given = given};
  uint64_t stride = 1;
  for (unsigned i = g->positions; i-- > 0;) {
    const node *high = g->line[0].position[i].high;
    int64_t here = 1, stored = 1;
    tree_integer(&here, high, q->sizes, NULL);
    tree_integer(&stored, high, layer->sizes, NULL);
    int s = entry_index_size(&g->line[0].position[i]);
    if (shape->elementwise && s >= 0 && s == size[0])
      in.per_channel += stride;
    else if (shape->elementwise && s >= 0 && s == size[1])
      in.per_state += stride;
    else
      in.base += stride * (number % (uint64_t)here);
    number /= (uint64_t)here;
    stride *= (uint64_t)stored;
  }
  return in;
}

static tape_id add_input(entry_tape *e, entry_input in, const char *name)
{
  e->input = memory_resize(e->input, e->inputs + 1, sizeof *e->input);
  e->input[e->inputs] = in;
  tape_id id = tape_leaf(e->t, TAPE_INPUT, (uint32_t)e->inputs++);
  tape_add_element(e->t, (tape_element){.name = memory_copy_string(name), .op = id, .low = TAPE_NONE, .high = TAPE_NONE});
  return id;
}

/* 1 - x, and nothing else. */
static bool is_complement(const tape *t, tape_id a, tape_id x)
{
  const tape_op *o = &t->op[a];
  return o->op == TAPE_SUBTRACT && o->b == x && t->op[o->a].op == TAPE_CONSTANT &&
         fmpq_is_one(&t->constant[t->op[o->a].a]);
}

static void add_margin(entry_tape *e)
{
  tape *t = e->t;
  bool by_log = e->log_decay != TAPE_NONE;
  if (by_log)
    e->decay = tape_unary(t, TAPE_EXP, e->log_decay);
  else
    e->log_decay = tape_unary(t, TAPE_LOG, e->decay);
  if (e->step == TAPE_NONE)
    return;
  e->always_equal = is_complement(t, e->step, e->decay) || is_complement(t, e->decay, e->step);
  /* expm1, not exp: for a small step both terms are small, and 1 would swallow the digits in which they differ. */
  if (e->always_equal)
    e->margin = tape_unary(t, TAPE_ZERO, e->decay);
  else if (by_log)
    e->margin = tape_binary(t, TAPE_ADD, tape_unary(t, TAPE_EXPM1, e->log_decay), e->step);
  else
    e->margin = tape_binary(t, TAPE_SUBTRACT, e->step, tape_binary(t, TAPE_SUBTRACT, tape_integer(t, 1), e->decay));
}

/* What stands on the final tape for element i of the lowered one. */
static tape_id stand_in(entry_tape *e, const question *q, const model_layer *layer, const entry_shape *shape,
                        const tape *from, size_t i, uint64_t number, bool activation)
{
  const tape_element *x = &from->element[i];
  const claim_given *g = &q->c.given[x->given];
  if (!g->stored && activation && g->role && !strcmp(g->role, "activation"))
    return add_input(e, (entry_input){.given = UINT32_MAX}, x->name);
  if (!g->stored)
    return tape_integer(e->t, 0);
  if (layer->tensor[x->given])
    return add_input(e, place_of(q, layer, shape, x->given, number), x->name);
  fmpq_t value;
  fmpq_init(value);
  model_default(value, g);
  tape_id id = tape_constant(e->t, value);
  fmpq_clear(value);
  return id;
}

/* live[id]: a value asked for depends on operation id. What is replaced depends on nothing. */
static void mark_live(bool *live, const tape *from, const tape_id *replace)
{
  for (size_t i = from->ops; i-- > 0;) {
    if (!live[i] || replace[i] != TAPE_NONE)
      continue;
    tape_id child[3];
    unsigned n = tape_children(child, &from->op[i]);
    for (unsigned k = 0; k < n; k++)
      live[child[k]] = true;
  }
}

/* The hypotheses on givens that matter: of those of which an element is live, each of which makes more elements live. */
static void mark_ranges(bool *live, const tape *from, const tape_id *replace)
{
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < from->elements; i++) {
      tape_id range = from->label[from->element[i].given].truth; /* ranges come first, one for each given */
      if (!live[from->element[i].op] || live[range])
        continue;
      live[range] = true;
      changed = true;
    }
    mark_live(live, from, replace);
  }
}

/* Puts an input, or its constant, in the place of each live element of the lowered tape, nothing in that of others. */
static void replace_elements(tape_id *replace, entry_tape *e, const bool *live, const question *q, const model_layer *layer,
                             const entry_shape *shape, const tape *from, bool activation)
{
  uint64_t number = 0;
  for (size_t i = 0; i < from->elements; i++) {
    const tape_element *x = &from->element[i];
    number = i > 0 && x->given == from->element[i - 1].given ? number + 1 : 0;
    if (replace[x->op] == TAPE_NONE) /* the rate itself may be stored */
      replace[x->op] = live[x->op] ? stand_in(e, q, layer, shape, from, i, number, activation) : tape_integer(e->t, 0);
  }
}

static void assemble(entry_tape *e, const question *q, const model_layer *layer, const entry_shape *shape, const tape *from,
                     const tape_id *value, entry_change change)
{
  tape_id *replace = memory_new(from->ops, sizeof *replace);
  for (size_t i = 0; i < from->ops; i++)
    replace[i] = TAPE_NONE;
  if (change.rate && value[1] != TAPE_NONE) {
    fmpq_t rate;
    fmpq_init(rate);
    rational_set_double(rate, *change.rate);
    replace[value[1]] = tape_constant(e->t, rate);
    fmpq_clear(rate);
  }
  bool step_given = change.step_given && value[0] != TAPE_NONE;
  if (step_given)
    replace[value[0]] = tape_integer(e->t, 0); /* until the other inputs are there */
  bool *live = memory_new(from->ops, sizeof *live);
  for (unsigned k = 0; k < ENTRY_ROLES; k++)
    if (value[k] != TAPE_NONE)
      live[value[k]] = true;
  mark_live(live, from, replace);
  mark_ranges(live, from, replace);
  replace_elements(replace, e, live, q, layer, shape, from, change.activation);
  if (step_given)
    replace[value[0]] = add_input(e, (entry_input){.given = UINT32_MAX}, "step");
  tape_id *at = tape_copy(e->t, from, replace);
  e->fits = tape_truth(e->t, TRUTH_TRUE);
  for (size_t i = 0; i < from->labels; i++)
    if (from->label[i].kind == TAPE_RANGE && live[from->label[i].truth])
      e->fits = tape_binary(e->t, TAPE_AND, e->fits, at[from->label[i].truth]);
  tape_id *const target[ENTRY_ROLES] = {&e->step, &e->rate, &e->log_decay, &e->decay};
  for (unsigned k = 0; k < ENTRY_ROLES; k++)
    *target[k] = value[k] == TAPE_NONE ? TAPE_NONE : at[value[k]];
  free(at);
  free(live);
  free(replace);
  e->margin = TAPE_NONE;
  add_margin(e);
}

/* Where the values asked for are on the lowered tape. False when there is a rate, and it is not what multiplies the step
 * in the decay's exponent. */
static bool find_values(tape_id *value, tape *from)
{
  for (unsigned k = 0; k < ENTRY_ROLES; k++)
    value[k] = TAPE_NONE;
  for (size_t i = 0; i < from->labels; i++)
    for (unsigned k = 0; from->label[i].kind == TAPE_TRIVIAL && k < ENTRY_ROLES; k++)
      if (!strcmp(from->label[i].name, entry_roles[k]))
        value[k] = from->label[i].truth;
  if (value[1] == TAPE_NONE)
    return true;
  /* Equal operations are one operation. */
  tape_id product[] = {tape_binary(from, TAPE_MULTIPLY, value[0], value[1]),
                       tape_binary(from, TAPE_MULTIPLY, value[1], value[0])};
  for (int i = 0; i < 2; i++)
    if (value[2] == product[i] || (value[3] != TAPE_NONE && value[3] == tape_unary(from, TAPE_EXP, product[i])))
      return true;
  return false;
}

/* A message of the claim language, without its "assay: error: " and its excerpt of the file. */
static void first_message(dump_error *error, const char *file, const claim *family, const diag *d)
{
  const char *message = diag_text(d);
  dump_error_set(error, file, "family %s: %.*s", family->name, (int)strcspn(message, "\n"), message);
}

assay_status entry_create(entry_tape *e, const model_layer *layer, const entry_shape *shape, size_t channel, size_t state,
                          entry_change change, const char *file, dump_error *error)
{
  *e = (entry_tape){0};
  question q;
  question_init(&q, layer, shape, channel, state);
  diag *d = diag_create(NULL, 1);
  tape *from = lower_claim(d, &q.c, q.sizes, ENTRY_OPERATIONS);
  tape_id value[ENTRY_ROLES];
  assay_status status = STATUS_OK;
  if (!from) {
    first_message(error, file, layer->family, d);
    status = STATUS_BAD_INPUT;
  } else if (!find_values(value, from)) {
    status = entry_refuse(error, file, layer->family, "the decay is not exp(step*rate) of its own step and rate");
  } else {
    e->t = tape_create(LIMIT_TAPE);
    assemble(e, &q, layer, shape, from, value, change);
  }
  tape_destroy(from);
  diag_destroy(d);
  question_clear(&q);
  return status;
}

void entry_clear(entry_tape *e)
{
  tape_destroy(e->t);
  free(e->input);
  *e = (entry_tape){0};
}
