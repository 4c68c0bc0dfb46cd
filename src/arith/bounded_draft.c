/* Fusion: products into sums, comparisons into conjunctions, chains of minima into lists. See
 * bounded_draft.h.
 *
 * A fused step does the same roundings in the same order as the steps it stands for. */
#include "arith/bounded_draft.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* A truth that is to be taken into the accumulator of a conjunction, once it is there. */
typedef struct {
  uint32_t leaf, root;
  uint8_t guarded; /* an earlier member may be undefined: this one's falsehood counts if all those are true */
  uint8_t listed;  /* a comparison of inputs and constants: goes into the list of the root */
  uint32_t next;   /* the next listed member of the root, by place */
} member;

typedef struct {
  const bounded_nodes *nodes;
  bounded_draft *draft;
  uint8_t *fused;   /* the node is computed inside of its only user */
  uint8_t *rooted;  /* 1: the root of a flattened conjunction; 2: a conjunction that stays as it is */
  uint8_t *started; /* its accumulator has been written */
  member *members;  /* by leaf */
  size_t member_count, member_capacity;
  uint32_t *listed; /* the first listed member of each root */
  uint32_t *stack;
  size_t stack_capacity;
} drafting;

static void *room(void *array, size_t used, size_t *capacity, size_t size)
{
  if (used < *capacity)
    return array;
  *capacity = *capacity ? memory_multiply(*capacity, 2) : 64;
  return memory_resize(array, *capacity, size);
}

bool bounded_is_permanent(const bounded_node *node)
{
  return node->op == TAPE_INPUT || node->op == TAPE_CONSTANT || node->op == TAPE_PI ||
         node->op == TAPE_UNDEFINED || node->op == TAPE_TRUTH ||
         (node->op == TAPE_ZERO && node->kind == BOUNDED_EXACT);
}

static bool is_comparison(const bounded_node *node)
{
  return node->op == TAPE_LESS || node->op == TAPE_LESS_EQUAL || node->op == TAPE_EQUAL;
}

/* ---- which nodes disappear into others ---- */

static bool can_fuse(const drafting *d, uint32_t inner, const bounded_node *user)
{
  const bounded_node *node = &d->nodes->node[inner];
  return node->uses == 1 && node->second == user->second;
}

static bool is_product(const drafting *d, uint32_t inner, const bounded_node *user)
{
  const bounded_node *node = &d->nodes->node[inner];
  return node->op == TAPE_MULTIPLY && node->kind == BOUNDED_MAGNITUDE && can_fuse(d, inner, user);
}

/* The leaves of a tree of one associative operation, left to right; returns how many. Inner nodes are
 * marked as fused, or, with `undo`, as plain conjunctions. */
static size_t flatten(drafting *d, uint32_t root, uint32_t **leaves, bool undo)
{
  const bounded_node *node = d->nodes->node;
  size_t depth = 0, count = 0, capacity = 0;
  *leaves = NULL;
  d->stack = room(d->stack, depth, &d->stack_capacity, sizeof *d->stack);
  d->stack[depth++] = root;
  while (depth) {
    uint32_t i = d->stack[--depth];
    bool inner = node[i].op == node[root].op && node[i].kind == node[root].kind &&
                 (i == root || can_fuse(d, i, &node[root]));
    if (inner) {
      d->fused[i] = i != root && !undo;
      if (undo)
        d->rooted[i] = 2;
      d->stack = room(d->stack, depth + 1, &d->stack_capacity, sizeof *d->stack);
      d->stack[depth++] = node[i].b;
      d->stack = room(d->stack, depth + 1, &d->stack_capacity, sizeof *d->stack);
      d->stack[depth++] = node[i].a;
    } else {
      *leaves = room(*leaves, count, &capacity, sizeof **leaves);
      (*leaves)[count++] = i;
    }
  }
  return count;
}

static void find_products(drafting *d)
{
  for (uint32_t i = 0; i < d->nodes->nodes; i++) {
    const bounded_node *node = &d->nodes->node[i];
    bool sum = (node->op == TAPE_ADD || node->op == TAPE_SUBTRACT) && node->kind == BOUNDED_MAGNITUDE;
    if (!sum)
      continue;
    if (is_product(d, node->a, node))
      d->fused[node->a] = 1;
    if (is_product(d, node->b, node))
      d->fused[node->b] = 1;
  }
}

/* A sum of two exact values. Compared with an exact value, it is compared without any error: ends of ranges such as
 * 1 - alpha are of this form, and to draw at an end of a range is to draw a tie. */
static bool is_exact_sum(const drafting *d, uint32_t i)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  return (x->op == TAPE_ADD || x->op == TAPE_SUBTRACT) && node[x->a].kind == BOUNDED_EXACT &&
         node[x->b].kind == BOUNDED_EXACT;
}

static bool compares_sum(const drafting *d, uint32_t i)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  return is_comparison(x) && ((is_exact_sum(d, x->a) && node[x->b].kind == BOUNDED_EXACT) ||
                              (is_exact_sum(d, x->b) && node[x->a].kind == BOUNDED_EXACT));
}

static void find_compared_sums(drafting *d)
{
  for (uint32_t i = 0; i < d->nodes->nodes; i++) {
    const bounded_node *x = &d->nodes->node[i];
    if (!compares_sum(d, i))
      continue;
    uint32_t sum = is_exact_sum(d, x->a) ? x->a : x->b;
    if (can_fuse(d, sum, x))
      d->fused[sum] = 1;
  }
}

static void add_members(drafting *d, uint32_t root, const uint32_t *leaf, size_t count)
{
  const bounded_node *node = d->nodes->node;
  bool defined = true;
  for (size_t k = 0; k < count; k++)
    defined = defined && node[leaf[k]].defined;
  bool guarded = false;
  for (size_t k = 0; k < count; k++) {
    const bounded_node *x = &node[leaf[k]];
    bool single = is_comparison(x) && can_fuse(d, leaf[k], &node[root]);
    bool listed = defined && single && node[x->a].kind == BOUNDED_EXACT && node[x->b].kind == BOUNDED_EXACT &&
                  bounded_is_permanent(&node[x->a]) && bounded_is_permanent(&node[x->b]);
    if (single)
      d->fused[leaf[k]] = 1;
    d->members = room(d->members, d->member_count, &d->member_capacity, sizeof *d->members);
    d->members[d->member_count++] = (member){leaf[k], root, guarded, listed, NODE_NONE};
    guarded = guarded || !x->defined;
  }
}

/* Conjunctions. Where every member is certainly defined their order does not matter; elsewhere the members
 * must come to be in the order in which they stand. Otherwise the tree stays as it is. */
static void find_conjunctions(drafting *d)
{
  const bounded_node *node = d->nodes->node;
  for (uint32_t i = (uint32_t)d->nodes->nodes; i-- > 0;) {
    if (node[i].op != TAPE_AND || d->fused[i] || d->rooted[i])
      continue;
    uint32_t *leaf;
    size_t count = flatten(d, i, &leaf, false);
    bool defined = true, ordered = true;
    for (size_t k = 0; k < count; k++) {
      defined = defined && node[leaf[k]].defined;
      ordered = ordered && (k == 0 || leaf[k] > leaf[k - 1]);
    }
    if (defined || ordered) {
      d->rooted[i] = 1;
      add_members(d, i, leaf, count);
    } else {
      free(leaf);
      flatten(d, i, &leaf, true);
    }
    free(leaf);
  }
}

static int by_leaf(const void *a, const void *b)
{
  const member *x = a, *y = b;
  if (x->leaf != y->leaf)
    return x->leaf < y->leaf ? -1 : 1;
  return x->root < y->root ? -1 : x->root > y->root;
}

/* ---- steps ---- */

static bounded_draft_step *add_step(drafting *d, bounded_opcode op, uint32_t target)
{
  bounded_draft *r = d->draft;
  r->step = room(r->step, r->steps, &r->step_capacity, sizeof *r->step);
  bounded_draft_step *s = &r->step[r->steps++];
  *s = (bounded_draft_step){.op = (uint8_t)op, .code = d->nodes->node[target].op, .target = target};
  return s;
}

static void add_operand(bounded_draft_step *s, uint32_t node)
{
  s->operand[s->operands++] = node;
}

static void add_operands(const drafting *d, bounded_draft_step *s, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  const uint32_t operand[3] = {node->a, node->b, node->c};
  for (unsigned k = 0; k < bounded_node_operands(node); k++)
    add_operand(s, operand[k]);
}

static void add_entry(drafting *d, uint8_t code, uint32_t a, uint32_t b)
{
  bounded_draft *r = d->draft;
  r->entry = room(r->entry, r->entries, &r->entry_capacity, sizeof *r->entry);
  r->entry[r->entries++] = (bounded_draft_entry){code, a, b};
}

static void draft_sum(drafting *d, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  bool minus = node->op == TAPE_SUBTRACT;
  bool left = d->fused[node->a], right = d->fused[node->b];
  bool exact = d->nodes->node[node->a].kind == BOUNDED_EXACT && d->nodes->node[node->b].kind == BOUNDED_EXACT;
  bounded_draft_step *s;
  if (left && right) {
    s = add_step(d, minus ? STEP_MULTIPLY_MULTIPLY_SUBTRACT : STEP_MULTIPLY_MULTIPLY_ADD, i);
    add_operands(d, s, node->a);
    add_operands(d, s, node->b);
  } else if (left) {
    s = add_step(d, minus ? STEP_MULTIPLY_SUBTRACT : STEP_MULTIPLY_ADD, i);
    add_operands(d, s, node->a);
    add_operand(s, node->b);
  } else if (right) {
    s = add_step(d, minus ? STEP_SUBTRACT_MULTIPLY : STEP_MULTIPLY_ADD, i);
    add_operands(d, s, node->b);
    add_operand(s, node->a);
  } else {
    s = add_step(d,
                 exact   ? (minus ? STEP_EXACT_SUBTRACT : STEP_EXACT_ADD)
                 : minus ? STEP_SUBTRACT
                         : STEP_ADD,
                 i);
    add_operands(d, s, i);
  }
}

/* Minima and maxima of exact values: the whole chain at once. */
static void draft_extremum(drafting *d, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  if (node->kind != BOUNDED_EXACT) {
    bounded_opcode op = node->kind == BOUNDED_ERROR ? STEP_GENERAL
                        : node->op == TAPE_MIN      ? STEP_MAGNITUDE_MIN
                                                    : STEP_MAGNITUDE_MAX;
    add_operands(d, add_step(d, op, i), i);
    return;
  }
  uint32_t *leaf;
  size_t count = flatten(d, i, &leaf, false);
  bounded_draft_step *s = add_step(d, node->op == TAPE_MIN ? STEP_MIN : STEP_MAX, i);
  s->list = (uint32_t)d->draft->entries;
  s->count = (uint32_t)count;
  for (size_t k = 0; k < count; k++)
    add_entry(d, node->op, leaf[k], NODE_NONE);
  free(leaf);
}

static void draft_value(drafting *d, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  tape_opcode op = (tape_opcode)node->op;
  if (op == TAPE_MIN || op == TAPE_MAX) {
    draft_extremum(d, i);
    return;
  }
  bounded_opcode step = STEP_GENERAL;
  if (node->kind == BOUNDED_MAGNITUDE) {
    if (op == TAPE_ADD || op == TAPE_SUBTRACT) {
      draft_sum(d, i);
      return;
    }
    step = op == TAPE_MULTIPLY ? STEP_MULTIPLY
           : op == TAPE_NEGATE ? STEP_MAGNITUDE_NEGATE
           : op == TAPE_ABS    ? STEP_MAGNITUDE_ABS
                               : STEP_MAGNITUDE_RELU;
  } else if (node->kind == BOUNDED_EXACT) {
    step = op == TAPE_NEGATE ? STEP_NEGATE : op == TAPE_ABS ? STEP_ABS : STEP_RELU;
  }
  bounded_draft_step *s = add_step(d, step, i);
  add_operands(d, s, i);
  s->defined = op == TAPE_SELECT && d->nodes->node[node->c].defined;
}

static bool compares_exact(const drafting *d, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  return d->nodes->node[node->a].kind == BOUNDED_EXACT && d->nodes->node[node->b].kind == BOUNDED_EXACT;
}

/* A comparison as a step: `plain`, or one of its fellows, which follow and precede it. c <= a + b is -a - b <= -c. */
static void draft_comparison(drafting *d, uint32_t i, bounded_opcode exact, bounded_opcode sum, bounded_opcode plain,
                             uint32_t target, bounded_draft_step **step)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  if (!compares_sum(d, i)) {
    *step = add_step(d, compares_exact(d, i) ? exact : plain, target);
    add_operands(d, *step, i);
  } else {
    bool right = !is_exact_sum(d, x->a);
    uint32_t inner = right ? x->b : x->a;
    *step = add_step(d, sum, target);
    add_operands(d, *step, inner);
    add_operand(*step, right ? x->a : x->b);
    (*step)->negated = right ? 7 : 0;
    if (node[inner].op == TAPE_SUBTRACT)
      (*step)->negated ^= 2;
  }
  (*step)->code = x->op;
}

static void draft_truth(drafting *d, uint32_t i)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  bounded_draft_step *s;
  if (is_comparison(x)) {
    draft_comparison(d, i, STEP_COMPARE_EXACT, STEP_COMPARE_SUM, STEP_COMPARE, i, &s);
    return;
  }
  if (x->op == TAPE_DEFINED) {
    s = add_step(d, STEP_DEFINED, i);
  } else {
    s = add_step(d, STEP_CONNECTIVE, i);
    if (node[x->a].defined)
      s->defined |= 1;
    if (x->op == TAPE_CHOOSE && node[x->c].defined)
      s->defined |= 2;
  }
  add_operands(d, s, i);
}

/* Takes `leaf`, which has just come to be, into the conjunction of `root`. */
static void draft_member(drafting *d, const member *m)
{
  uint8_t first = !d->started[m->root];
  if (m->listed && d->started[m->root] & 2)
    return; /* the list has been written */
  d->started[m->root] |= 1;
  bounded_draft_step *s;
  if (m->listed) {
    d->started[m->root] |= 2;
    s = add_step(d, STEP_AND_LIST, m->root);
    s->list = (uint32_t)d->draft->entries;
    s->first = first;
    s->defined = 1;
    for (uint8_t code = TAPE_LESS; code <= TAPE_EQUAL; code++)
      for (uint32_t k = d->listed[m->root]; k != NODE_NONE; k = d->members[k].next) {
        const bounded_node *x = &d->nodes->node[d->members[k].leaf];
        if (x->op == code)
          add_entry(d, code, x->a, x->b);
      }
    s->count = (uint32_t)d->draft->entries - s->list;
    return;
  }
  if (d->fused[m->leaf]) {
    draft_comparison(d, m->leaf, STEP_AND_COMPARE_EXACT, STEP_AND_COMPARE_SUM, STEP_AND_COMPARE, m->root, &s);
  } else {
    s = add_step(d, STEP_AND_TRUTH, m->root);
    add_operand(s, m->leaf);
  }
  s->first = first;
  s->defined = !m->guarded;
}

static void draft_check(drafting *d, uint8_t second)
{
  uint32_t list = (uint32_t)d->draft->entries;
  for (uint32_t i = 0; i < d->nodes->nodes; i++)
    if (d->nodes->node[i].op == TAPE_INPUT && d->nodes->node[i].second == second)
      add_entry(d, TAPE_INPUT, i, NODE_NONE);
  bounded_draft_step *s = add_step(d, STEP_CHECK, 0);
  s->target = NODE_NONE;
  s->list = list;
  s->count = (uint32_t)d->draft->entries - list;
}

static void draft_phase(drafting *d, uint8_t second)
{
  const bounded_node *node = d->nodes->node;
  draft_check(d, second);
  size_t m = 0;
  for (uint32_t i = 0; i < d->nodes->nodes; i++) {
    bool permanent = bounded_is_permanent(&node[i]);
    if (node[i].second == second && !permanent && !d->fused[i] && d->rooted[i] != 1) {
      if (node[i].kind == BOUNDED_TRUTH)
        draft_truth(d, i);
      else
        draft_value(d, i);
    }
    /* Members of conjunctions of this phase: those of the other phase are there already. */
    for (; m < d->member_count && d->members[m].leaf == i; m++)
      if (node[d->members[m].root].second == second)
        draft_member(d, &d->members[m]);
  }
}

bounded_draft *bounded_draft_create(const bounded_nodes *n)
{
  drafting d = {.nodes = n, .draft = memory_new(1, sizeof(bounded_draft))};
  d.fused = memory_new(n->nodes, 1);
  d.rooted = memory_new(n->nodes, 1);
  d.started = memory_new(n->nodes, 1);
  find_products(&d);
  find_compared_sums(&d);
  find_conjunctions(&d);
  for (uint32_t i = (uint32_t)n->nodes; i-- > 0;) { /* inner nodes of exact chains, from their roots down */
    const bounded_node *node = &n->node[i];
    bool chain = (node->op == TAPE_MIN || node->op == TAPE_MAX) && node->kind == BOUNDED_EXACT && !d.fused[i];
    uint32_t *leaf = NULL;
    if (chain)
      flatten(&d, i, &leaf, false);
    free(leaf);
  }
  if (d.member_count)
    qsort(d.members, d.member_count, sizeof *d.members, by_leaf);
  d.listed = memory_new(n->nodes, sizeof *d.listed);
  memset(d.listed, 0xff, n->nodes * sizeof *d.listed); /* NODE_NONE */
  for (size_t k = d.member_count; k-- > 0;)
    if (d.members[k].listed) {
      d.members[k].next = d.listed[d.members[k].root];
      d.listed[d.members[k].root] = (uint32_t)k;
    }
  draft_phase(&d, 0);
  d.draft->first_phase = d.draft->steps;
  draft_phase(&d, 1);
  free(d.fused);
  free(d.rooted);
  free(d.started);
  free(d.members);
  free(d.listed);
  free(d.stack);
  return d.draft;
}

void bounded_draft_destroy(bounded_draft *d)
{
  if (!d)
    return;
  free(d->step);
  free(d->entry);
  free(d);
}
