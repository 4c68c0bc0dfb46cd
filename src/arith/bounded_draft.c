/* From nodes to steps in order. See bounded_draft.h. */
#include "arith/bounded_draft.h"

#include <stdlib.h>

#include "arith/bounded_fusion.h"
#include "core/memory.h"

bool bounded_is_permanent(const bounded_node *node)
{
  return node->op == TAPE_INPUT || node->op == TAPE_CONSTANT || node->op == TAPE_PI ||
         node->op == TAPE_UNDEFINED || node->op == TAPE_TRUTH ||
         (node->op == TAPE_ZERO && node->kind == BOUNDED_EXACT);
}

static bounded_draft_step *add_step(bounded_fusion *d, bounded_opcode op, uint32_t target)
{
  bounded_draft *r = d->draft;
  r->step = bounded_room(r->step, r->steps, &r->step_capacity, sizeof *r->step);
  bounded_draft_step *s = &r->step[r->steps++];
  *s = (bounded_draft_step){.op = (uint8_t)op, .code = d->nodes->node[target].op, .target = target};
  return s;
}

static void add_operand(bounded_draft_step *s, uint32_t node)
{
  s->operand[s->operands++] = node;
}

static void add_operands(const bounded_fusion *d, bounded_draft_step *s, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  const uint32_t operand[3] = {node->a, node->b, node->c};
  for (unsigned k = 0; k < bounded_node_operands(node); k++)
    add_operand(s, operand[k]);
}

static void add_entry(bounded_fusion *d, uint8_t code, uint32_t a, uint32_t b)
{
  bounded_draft *r = d->draft;
  r->entry = bounded_room(r->entry, r->entries, &r->entry_capacity, sizeof *r->entry);
  r->entry[r->entries++] = (bounded_draft_entry){code, a, b};
}

static void draft_sum(bounded_fusion *d, uint32_t i)
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
static void draft_extremum(bounded_fusion *d, uint32_t i)
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
  size_t count = bounded_flatten(d, i, &leaf, false);
  bounded_draft_step *s = add_step(d, node->op == TAPE_MIN ? STEP_MIN : STEP_MAX, i);
  s->list = (uint32_t)d->draft->entries;
  s->count = (uint32_t)count;
  for (size_t k = 0; k < count; k++)
    add_entry(d, node->op, leaf[k], NODE_NONE);
  free(leaf);
}

static void draft_value(bounded_fusion *d, uint32_t i)
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

static bool compares_exact(const bounded_fusion *d, uint32_t i)
{
  const bounded_node *node = &d->nodes->node[i];
  return d->nodes->node[node->a].kind == BOUNDED_EXACT && d->nodes->node[node->b].kind == BOUNDED_EXACT;
}

/* A comparison as a step of the kind that its operands ask for. c <= a + b is -a - b <= -c. */
static void draft_comparison(bounded_fusion *d, uint32_t i, bounded_opcode exact, bounded_opcode sum,
                             bounded_opcode plain, uint32_t target, bounded_draft_step **step)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  if (!bounded_compares_sum(d->nodes, i)) {
    *step = add_step(d, compares_exact(d, i) ? exact : plain, target);
    add_operands(d, *step, i);
  } else {
    bool right = !bounded_is_exact_sum(d->nodes, x->a);
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

static void draft_truth(bounded_fusion *d, uint32_t i)
{
  const bounded_node *node = d->nodes->node, *x = &node[i];
  bounded_draft_step *s;
  if (bounded_is_comparison(x)) {
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
static void draft_member(bounded_fusion *d, const bounded_member *m)
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

static void draft_check(bounded_fusion *d, uint8_t second)
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

static void draft_phase(bounded_fusion *d, uint8_t second)
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
  bounded_draft *draft = memory_new(1, sizeof *draft);
  bounded_fusion d = bounded_fusion_create(n, draft);
  draft_phase(&d, 0);
  draft->first_phase = draft->steps;
  draft_phase(&d, 1);
  bounded_fusion_clear(&d);
  return draft;
}

void bounded_draft_destroy(bounded_draft *d)
{
  if (!d)
    return;
  free(d->step);
  free(d->entry);
  free(d);
}
