/* Lowering of a claim: its elements, their ranges, its labels. */
#include "lang/lower.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/memory.h"
#include "lang/lowering.h"

/* Recurrences are followed on demand, so a long one is a deep recursion: it is begun again on a stack of its own, of which only
 * what is touched takes memory. */
enum { STACK_BYTES = 1 << 29, STACK_RESERVE = 1 << 20, STACK_SHALLOW = 1 << 19 };

/* ---- sizes ---- */

bool lower_sizes_admissible(const claim *c, const int64_t *sizes)
{
  for (unsigned i = 0; i < c->sizes; i++) {
    int64_t bound;
    if (!tree_integer(&bound, c->size[i].low, sizes, NULL) || sizes[i] < bound)
      return false;
    if (c->size[i].high && (!tree_integer(&bound, c->size[i].high, sizes, NULL) || sizes[i] > bound))
      return false;
  }
  return true;
}

bool lower_size_range(const claim *c, unsigned i, const int64_t *sizes, int64_t otherwise, int64_t *low,
                      int64_t *high)
{
  const claim_size *s = &c->size[i];
  int64_t bound;
  if (!tree_integer(low, s->low, sizes, NULL))
    return false;
  if (s->try_low) {
    if (!tree_integer(&bound, s->try_low, sizes, NULL) || !tree_integer(high, s->try_high, sizes, NULL))
      return false;
    if (bound > *low)
      *low = bound;
  } else
    *high = otherwise > *low ? otherwise : *low;
  if (s->high) {
    if (!tree_integer(&bound, s->high, sizes, NULL))
      return false;
    if (bound < *high)
      *high = bound;
  }
  return *low <= *high && *high <= LIMIT_SIZE;
}

/* ---- elements ---- */

static void add_element(lowering *l, unsigned given, unsigned line, const int64_t *indices)
{
  const claim_given *g = &l->c->given[given];
  uint64_t key[LIMIT_BINDERS + 2] = {MEMO_GIVEN, given};
  for (unsigned i = 0; i < g->positions; i++)
    key[2 + i] = (uint64_t)indices[i];
  text name;
  text_init(&name);
  claim_print_element(&name, g->name, indices, g->positions);
  uint32_t number = (uint32_t)l->t->elements;
  if (key_map_find(&l->memo, key, g->positions + 2, &number))
    lowering_fail(l, g->line[line].place, "%s is given twice", text_string(&name));
  else if (l->t->elements >= LIMIT_INPUTS)
    lowering_fail(l, g->line[line].place, "more than %d given elements at these sizes", LIMIT_INPUTS);
  if (!l->failed) {
    key_map_set(&l->memo, key, g->positions + 2, number);
    tape_element e = {.given = given, .line = line, .low = TAPE_NONE, .high = TAPE_NONE};
    e.name = text_take(&name);
    e.op = tape_leaf(l->t, TAPE_INPUT, number);
    tape_add_element(l->t, e);
  }
  text_clear(&name);
}

typedef void element_visitor(lowering *l, unsigned given, unsigned line, const int64_t *indices);

/* Calls visit for every element of a line, last index fastest; the line's slots are bound meanwhile. */
static void visit_line(lowering *l, unsigned given, unsigned line, unsigned position, int64_t *indices,
                       element_visitor *visit)
{
  const claim_given *g = &l->c->given[given];
  if (position == g->positions) {
    visit(l, given, line, indices);
    return;
  }
  const claim_position *p = &g->line[line].position[position];
  int64_t first = lowering_integer(l, p->low);
  if (!p->name) {
    indices[position] = first;
    visit_line(l, given, line, position + 1, indices, visit);
    return;
  }
  int64_t last = lowering_integer(l, p->high);
  unsigned slot = l->bound;
  for (int64_t i = first; i <= last && !l->failed; i++) {
    l->bound = slot + 1;
    l->index_name[slot] = p->name;
    l->index[slot] = indices[position] = i;
    visit_line(l, given, line, position + 1, indices, visit);
  }
  l->bound = slot;
}

/* The range of one element: its ends, and a comparison for each that is finite. */
static void add_range(lowering *l, unsigned given, unsigned line, const int64_t *indices)
{
  const claim_given *g = &l->c->given[given];
  const claim_given_line *line_of = &g->line[line];
  uint64_t key[LIMIT_BINDERS + 2] = {MEMO_GIVEN, given};
  for (unsigned i = 0; i < g->positions; i++)
    key[2 + i] = (uint64_t)indices[i];
  uint32_t number = 0;
  key_map_find(&l->memo, key, g->positions + 2, &number);
  tape_element *e = &l->t->element[number];
  if (line_of->low)
    e->low = lowering_certain(l, line_of->low, "the end of a range");
  if (line_of->high)
    e->high = lowering_certain(l, line_of->high, "the end of a range");
  e->low_open = line_of->low_open;
  e->high_open = line_of->high_open;
  if (l->failed)
    return;

  const char *names[LIMIT_BINDERS];
  for (unsigned i = 0; i < g->positions; i++)
    names[i] = line_of->position[i].name ? line_of->position[i].name : "index";
  tape_label *label = &l->t->label[l->t->labels - 1];
  for (int end = 0; end < 2; end++) {
    tape_id bound = end ? e->high : e->low;
    if (bound == TAPE_NONE)
      continue;
    relation r = (end ? e->high_open : e->low_open) ? RELATION_LESS : RELATION_LESS_EQUAL;
    tape_atom atom = {.left = end ? e->op : bound, .right = end ? bound : e->op, .relation = (uint8_t)r};
    atom.part = e->low != TAPE_NONE && e->high != TAPE_NONE ? (uint8_t)(end + 1) : 0;
    atom.truth = lowering_compare(l, r, atom.left, atom.right);
    tape_add_atom(l->t, atom, names, indices, g->positions);
    label->atoms++;
    label->truth = tape_binary(l->t, TAPE_AND, label->truth, atom.truth);
  }
}

static void lower_givens(lowering *l)
{
  int64_t indices[LIMIT_BINDERS];
  for (unsigned i = 0; i < l->c->givens; i++)
    for (unsigned j = 0; j < l->c->given[i].lines && !l->failed; j++)
      visit_line(l, i, j, 0, indices, add_element);
  for (unsigned i = 0; i < l->c->givens && !l->failed; i++) {
    tape_add_label(l->t, (tape_label){.kind = TAPE_RANGE,
                                      .name = l->c->given[i].name,
                                      .truth = tape_truth(l->t, TRUTH_TRUE),
                                      .first_atom = (uint32_t)l->t->atoms});
    for (unsigned j = 0; j < l->c->given[i].lines && !l->failed; j++)
      visit_line(l, i, j, 0, indices, add_range);
  }
}

/* ---- labels ---- */

/* Splits a formula into its atoms: through forall, `and`, chains, and conditions on sizes and indices alone. */
typedef struct {
  lowering *l;
  const node *body; /* of the label */
  tape_label label;
  const char *name[LIMIT_BINDERS];
  int64_t value[LIMIT_BINDERS];
  unsigned indices;
} splitter;

static void add_atom(splitter *s, tape_atom atom)
{
  if (s->l->failed)
    return;
  if (s->l->t->atoms >= LIMIT_ATOMS) {
    lowering_fail(s->l, s->body->place, "this falls into more than %d comparisons at these sizes", LIMIT_ATOMS);
    return;
  }
  tape_add_atom(s->l->t, atom, s->name, s->value, s->indices);
  s->label.atoms++;
  s->label.truth = tape_binary(s->l->t, TAPE_AND, s->label.truth, atom.truth);
}

static void split_chain(splitter *s, const node *n)
{
  tape_id left = lowering_side(s->l, n->child[0]);
  for (unsigned i = 1; i < n->children && !s->l->failed; i++) {
    tape_id right = lowering_side(s->l, n->child[i]);
    tape_atom atom = {.left = left, .right = right, .relation = (uint8_t)n->relations[i - 1]};
    atom.part = n->children > 2 ? (uint8_t)(i < 255 ? i : 255) : 0;
    if (s->l->failed)
      return;
    atom.truth = lowering_compare(s->l, n->relations[i - 1], left, right);
    add_atom(s, atom);
    left = right;
  }
}

static void split(splitter *s, const node *n);

static void split_forall(splitter *s, const node *n, unsigned level)
{
  lowering *l = s->l;
  if (level == n->ranges) {
    split(s, n->child[0]);
    return;
  }
  const node_range *r = &n->range[level];
  int64_t first = lowering_integer(l, r->low), last = lowering_integer(l, r->high);
  for (int64_t i = first; i <= last && !l->failed; i++) {
    if (!lowering_turn(l, n, last))
      return;
    l->index_name[r->slot] = s->name[s->indices] = r->name;
    l->index[r->slot] = s->value[s->indices++] = i;
    l->bound = r->slot + 1;
    split_forall(s, n, level + 1);
    l->bound = r->slot;
    s->indices--;
  }
}

/* An implication whose condition depends on the instance: the sides of its consequence are worth showing. */
static void split_implication(splitter *s, const node *n, tape_id condition)
{
  tape_atom atom = {.left = TAPE_NONE, .right = TAPE_NONE};
  const node *then = n->child[1];
  tape_id consequence;
  if (then->kind == NODE_COMPARE && then->children == 2) {
    atom.left = lowering_side(s->l, then->child[0]);
    atom.right = lowering_side(s->l, then->child[1]);
    atom.relation = (uint8_t)then->relations[0];
    if (s->l->failed)
      return;
    consequence = lowering_compare(s->l, then->relations[0], atom.left, atom.right);
  } else
    consequence = lowering_node(s->l, then);
  if (s->l->failed)
    return;
  atom.truth = tape_binary(s->l->t, TAPE_IMPLIES, condition, consequence);
  add_atom(s, atom);
}

static void split(splitter *s, const node *n)
{
  lowering *l = s->l;
  if (l->failed)
    return;
  switch (n->kind) {
  case NODE_COMPARE:
    split_chain(s, n);
    return;
  case NODE_AND:
    split(s, n->child[0]);
    split(s, n->child[1]);
    return;
  case NODE_FOLD:
    if (n->fold == FOLD_FORALL) {
      split_forall(s, n, 0);
      return;
    }
    break;
  case NODE_IMPLIES:
  case NODE_IF: {
    tape_id condition = lowering_node(l, n->child[0]);
    if (l->failed)
      return;
    const tape_op *o = &l->t->op[condition];
    bool decided = o->op == TAPE_TRUTH && o->a != TRUTH_UNDEFINED;
    if (decided && o->a == TRUTH_TRUE)
      split(s, n->child[1]);
    else if (decided && n->kind == NODE_IF)
      split(s, n->child[2]);
    else if (!decided && n->kind == NODE_IMPLIES)
      split_implication(s, n, condition);
    if (decided || n->kind == NODE_IMPLIES)
      return;
    break;
  }
  default:
    break;
  }
  tape_atom atom = {.truth = lowering_node(l, n), .left = TAPE_NONE, .right = TAPE_NONE};
  add_atom(s, atom);
}

static void lower_label(lowering *l, const claim_label *label)
{
  static const tape_label_kind kinds[] = {[LABEL_ASSUME] = TAPE_ASSUME,
                                          [LABEL_SHOW] = TAPE_SHOW,
                                          [LABEL_POSSIBLE] = TAPE_POSSIBLE,
                                          [LABEL_TRIVIAL] = TAPE_TRIVIAL};
  splitter s = {.l = l, .body = label->body};
  s.label = (tape_label){.kind = kinds[label->kind],
                         .name = label->name,
                         .truth = tape_truth(l->t, TRUTH_TRUE),
                         .first_atom = (uint32_t)l->t->atoms};
  l->bound = 0;
  if (label->kind == LABEL_TRIVIAL)
    s.label.truth = lowering_certain(l, label->body, "a trivial bound");
  else
    split(&s, label->body);
  tape_add_label(l->t, s.label);
}

/* ---- the whole ---- */

static void run(lowering *l)
{
  char base;
  l->stack_base = &base;
  lower_givens(l);
  for (unsigned i = 0; i < l->c->labels && !l->failed; i++)
    lower_label(l, &l->c->label[i]);
  if (l->t->full)
    lowering_fail(l, l->c->place, "the claim needs more than %zu operations at these sizes", l->t->limit);
}

static void *run_on_thread(void *context)
{
  run(context);
  flint_cleanup();
  return NULL;
}

/* On a thread with a large stack; on the caller's where there is none to be had. */
static void run_with_room(lowering *l)
{
  pthread_attr_t attributes;
  pthread_t thread;
  l->stack_room = STACK_BYTES - STACK_RESERVE;
  bool started = !pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, STACK_BYTES) &&
                 !pthread_create(&thread, &attributes, run_on_thread, l);
  if (started)
    pthread_join(thread, NULL);
  else {
    l->stack_room = STACK_SHALLOW;
    run(l);
  }
  pthread_attr_destroy(&attributes);
}

static void begin(lowering *l, size_t limit)
{
  l->t = tape_create(limit < LIMIT_TAPE ? limit : LIMIT_TAPE);
  tape_truth(l->t, TRUTH_TRUE); /* operation 0 always exists: what is returned after a failure names it */
  l->derivatives = tape_derivatives_create();
  key_map_init(&l->memo);
}

/* Keeps the tape of a success. */
static void finish(lowering *l)
{
  key_map_clear(&l->memo);
  tape_derivatives_destroy(l->derivatives);
  tape_moments_destroy(l->moments);
  free(l->variance);
  if (l->failed)
    tape_destroy(l->t);
}

static tape *lower_all(diag *d, const claim *c, const int64_t *sizes, size_t limit, lower_let_list *lets,
                       const volatile int *stop)
{
  /* Nearly always the caller's stack will do; a large one costs milliseconds. */
  lowering l = {.d = d, .c = c, .sizes = sizes, .lets = lets, .stop = stop, .shallow = true,
                .stack_room = STACK_SHALLOW};
  begin(&l, limit);
  run(&l);
  finish(&l);
  if (l.failed && l.too_deep) {
    if (lets)
      lower_let_list_clear(lets);
    l = (lowering){.d = d, .c = c, .sizes = sizes, .lets = lets, .stop = stop};
    begin(&l, limit);
    run_with_room(&l);
    finish(&l);
  }
  return l.failed ? NULL : l.t;
}

tape *lower_claim(diag *d, const claim *c, const int64_t *sizes, size_t limit)
{
  return lower_all(d, c, sizes, limit, NULL, NULL);
}

tape *lower_claim_until(diag *d, const claim *c, const int64_t *sizes, size_t limit, const volatile int *stop)
{
  return lower_all(d, c, sizes, limit, NULL, stop);
}

tape *lower_let_elements(lower_let_list *lets, diag *d, const claim *c, const int64_t *sizes, size_t limit)
{
  *lets = (lower_let_list){0};
  return lower_all(d, c, sizes, limit, lets, NULL);
}

void lower_let_list_clear(lower_let_list *lets)
{
  for (size_t i = 0; i < lets->count; i++) {
    free(lets->let[i].name);
    free(lets->let[i].index);
  }
  free(lets->let);
  for (size_t i = 0; i < lets->randoms; i++)
    free(lets->random[i].name);
  free(lets->random);
  *lets = (lower_let_list){0};
}
