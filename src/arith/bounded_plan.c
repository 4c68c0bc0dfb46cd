/* From drafted steps to a plan: every node gets a place, and places are used again once their node is
 * dead, so that a long program stays in the cache. */
#include <math.h>
#include <stdlib.h>

#include "arith/bounded_draft.h"
#include "core/memory.h"

typedef struct {
  const bounded_nodes *nodes;
  const bounded_draft *draft;
  bounded_plan *plan;
  bounded_reference *place; /* by node */
  uint32_t *last_use;       /* by node: the last step that needs it */
  bounded_reference zeros;
  bounded_reference *free_place;
  size_t free_count, free_capacity;
  size_t size; /* of the arena */
} placing;

static const uint32_t never = UINT32_MAX;

static bounded_reference take(placing *p, size_t units)
{
  if (units == 2 && p->free_count)
    return p->free_place[--p->free_count];
  if (p->size + units >= BOUNDED_INPUT_BIT)
    memory_die("a program needs too many values at once");
  bounded_reference r = (bounded_reference)p->size;
  p->size += units;
  return r;
}

static void give(placing *p, bounded_reference place)
{
  if (p->free_count == p->free_capacity) {
    p->free_capacity = p->free_capacity ? 2 * p->free_capacity : 64;
    p->free_place = memory_resize(p->free_place, p->free_capacity, sizeof *p->free_place);
  }
  p->free_place[p->free_count++] = place;
}

/* ---- what is there before the first step ---- */

static void place_permanent(placing *p)
{
  p->zeros = take(p, 1);
  for (uint32_t i = 0; i < p->nodes->nodes; i++) {
    const bounded_node *node = &p->nodes->node[i];
    if (node->op == TAPE_INPUT)
      p->place[i] = node->a | BOUNDED_INPUT_BIT;
    else if (bounded_is_permanent(node))
      p->place[i] = take(p, node->kind == BOUNDED_EXACT ? 1 : 3); /* never given back: any number of units */
  }
}

static void fill(double *at, double value)
{
  for (int i = 0; i < LANES; i++)
    at[i] = value;
}

static void fill_mask(double *at, bool value)
{
  int64_t *mask = (int64_t *)(void *)at;
  for (int i = 0; i < LANES; i++)
    mask[i] = value ? -1 : 0;
}

static void write_permanent(const placing *p)
{
  for (uint32_t i = 0; i < p->nodes->nodes; i++) {
    const bounded_node *node = &p->nodes->node[i];
    if (node->op == TAPE_INPUT || !bounded_is_permanent(node))
      continue;
    double *v = p->plan->arena + (size_t)p->place[i] * LANES, *m = v + LANES;
    bool exact;
    double d;
    switch ((tape_opcode)node->op) {
    case TAPE_CONSTANT:
      d = bounded_constant(&p->nodes->program->source->constant[node->a], &exact);
      fill(v, d);
      if (!exact) /* an error of at most u |d|, or half of eta; past the range m is infinite */
        fill(m, fmax(fabs(d), BOUNDED_FLOOR));
      break;
    case TAPE_PI:
      fill(v, 3.14159265358979323846);
      fill(m, 3.14159265358979323846);
      break;
    case TAPE_UNDEFINED:
      fill(m, INFINITY);
      break;
    case TAPE_TRUTH:
      fill_mask(v, node->a == TRUTH_TRUE);
      fill_mask(m, node->a == TRUTH_FALSE);
      break;
    default: /* an integer */
      fill(v, (double)node->a);
      break;
    }
  }
}

/* ---- lifetimes ---- */

static void find_last_uses(placing *p)
{
  const bounded_draft *d = p->draft;
  for (size_t k = 0; k < d->steps; k++) {
    const bounded_draft_step *s = &d->step[k];
    for (unsigned j = 0; j < s->operands; j++)
      p->last_use[s->operand[j]] = (uint32_t)k;
    for (uint32_t e = 0; e < s->count; e++) {
      const bounded_draft_entry *entry = &d->entry[s->list + e];
      p->last_use[entry->a] = (uint32_t)k;
      if (entry->b != NODE_NONE)
        p->last_use[entry->b] = (uint32_t)k;
    }
    if (s->target != NODE_NONE)
      p->last_use[s->target] = (uint32_t)k;
  }
  for (size_t i = 0; i < p->nodes->program->outputs; i++)
    p->last_use[p->nodes->output[i]] = never;
}

/* Gives back the place of a node that step k was the last to need. */
static void retire(placing *p, uint32_t node, uint32_t k)
{
  if (p->last_use[node] != k || bounded_is_permanent(&p->nodes->node[node]))
    return;
  p->last_use[node] = never; /* an operand may occur twice */
  give(p, p->place[node]);
}

/* ---- steps ---- */

static bool is_accumulation(const bounded_draft_step *s)
{
  return s->op == STEP_AND_COMPARE || s->op == STEP_AND_COMPARE_EXACT || s->op == STEP_AND_COMPARE_SUM ||
         s->op == STEP_AND_LIST ||
         s->op == STEP_AND_TRUTH;
}

/* u-units of error per unit of m. */
static double units(const bounded_node *node)
{
  return node->kind == BOUNDED_EXACT ? 0 : node->kind == BOUNDED_MAGNITUDE ? node->k : 1;
}

/* Where the second array of an operand is: |v| <= m is wanted by sums and products, the error alone by the
 * others. */
static bounded_reference second_place(const placing *p, const bounded_draft_step *s, uint32_t i)
{
  const bounded_node *node = &p->nodes->node[i];
  if (node->kind != BOUNDED_EXACT)
    return p->place[i] + 1;
  bool error_only = s->op == STEP_GENERAL || s->op == STEP_COMPARE || s->op == STEP_AND_COMPARE;
  return error_only ? p->zeros : p->place[i];
}

static void place_step(placing *p, size_t k)
{
  const bounded_draft_step *s = &p->draft->step[k];
  const bounded_node *node = p->nodes->node;
  bounded_step *t = &p->plan->step[k];
  bounded_binding *binding = &p->plan->binding[k];
  t->op = s->op;
  t->code = s->code;
  t->defined = s->defined;
  t->first = s->first;
  t->list = s->list;
  t->count = s->count;
  if (s->target != NODE_NONE && (!is_accumulation(s) || s->first))
    p->place[s->target] = take(p, 2);
  binding->operands = s->operands;
  for (unsigned j = 0; j < s->operands; j++) {
    binding->v[j] = p->place[s->operand[j]];
    binding->m[j] = second_place(p, s, s->operand[j]);
    if (j < 3)
      t->scale[j] = units(&node[s->operand[j]]);
  }
  if (s->op == STEP_COMPARE_SUM || s->op == STEP_AND_COMPARE_SUM)
    for (unsigned j = 0; j < 3; j++)
      t->scale[j] = s->negated >> j & 1 ? -0.0 : 0.0;
  if (s->op == STEP_COMPARE || s->op == STEP_AND_COMPARE)
    for (unsigned j = 0; j < 2; j++) /* see compare() in bounded_truths.h */
      t->scale[j] *= BOUNDED_U * (1 + 0x1p-20);
  for (uint32_t e = 0; e < s->count; e++) {
    const bounded_draft_entry *from = &p->draft->entry[s->list + e];
    bounded_list_entry *to = &p->plan->list[s->list + e];
    to->code = from->code;
    to->a_place = p->place[from->a];
    to->b_place = from->b == NODE_NONE ? p->zeros : p->place[from->b];
  }
  for (unsigned j = 0; j < s->operands; j++)
    retire(p, s->operand[j], (uint32_t)k);
  for (uint32_t e = 0; e < s->count; e++) {
    retire(p, p->draft->entry[s->list + e].a, (uint32_t)k);
    if (p->draft->entry[s->list + e].b != NODE_NONE)
      retire(p, p->draft->entry[s->list + e].b, (uint32_t)k);
  }
  if (s->target != NODE_NONE)
    retire(p, s->target, (uint32_t)k);
}

static void bind_targets(const placing *p)
{
  for (size_t k = 0; k < p->draft->steps; k++) {
    uint32_t target = p->draft->step[k].target;

    if (target != NODE_NONE)
      p->plan->step[k].target = p->plan->arena + (size_t)p->place[target] * LANES;
  }
}

/* 2^-g for the largest g with slope g + offset <= 940 for every MAGNITUDE value (bounded_internal.h);
 * infinite if there is none, since constants alone may underflow: then no lane is regular. */
static double regular_limit(const bounded_nodes *n)
{
  double g = 900;
  for (size_t i = 0; i < n->nodes; i++) {
    const bounded_node *node = &n->node[i];
    if (node->kind != BOUNDED_MAGNITUDE)
      continue;
    if (!(node->offset <= 940))
      return INFINITY;
    if (node->slope > 0)
      g = fmin(g, floor((940 - node->offset) / node->slope));
  }
  return ldexp(1, -(int)g);
}

bounded_plan *bounded_plan_create(const tape_program *program)
{
  bounded_nodes *nodes = bounded_nodes_create(program);
  bounded_draft *draft = bounded_draft_create(nodes);
  bounded_plan *plan = memory_new(1, sizeof *plan);
  placing p = {.nodes = nodes, .draft = draft, .plan = plan};
  p.place = memory_new(nodes->nodes, sizeof *p.place);
  p.last_use = memory_new(nodes->nodes, sizeof *p.last_use);
  plan->step = memory_new(draft->steps, sizeof *plan->step);
  plan->binding = memory_new(draft->steps, sizeof *plan->binding);
  plan->steps = draft->steps;
  plan->first_phase = draft->first_phase;
  plan->list = memory_new(draft->entries, sizeof *plan->list);
  plan->entries = draft->entries;
  plan->regular = regular_limit(nodes);
  place_permanent(&p);
  find_last_uses(&p);
  for (size_t k = 0; k < draft->steps; k++)
    place_step(&p, k);
  plan->arena_size = p.size;
  plan->arena = aligned_alloc(64, memory_multiply(memory_multiply(p.size, LANES), sizeof(double)));
  if (!plan->arena)
    memory_die("out of memory");
  for (size_t i = 0; i < p.size * LANES; i++)
    plan->arena[i] = 0;
  write_permanent(&p);
  bind_targets(&p);
  plan->output = memory_new(program->outputs, sizeof *plan->output);
  for (size_t i = 0; i < program->outputs; i++) {
    const bounded_node *node = &nodes->node[nodes->output[i]];
    plan->output[i] = (bounded_result){node->kind, units(node), p.place[nodes->output[i]]};
  }
  free(p.place);
  free(p.last_use);
  free(p.free_place);
  bounded_draft_destroy(draft);
  bounded_nodes_destroy(nodes);
  return plan;
}

void bounded_plan_destroy(bounded_plan *plan)
{
  if (!plan)
    return;
  free(plan->step);
  free(plan->binding);
  free(plan->list);
  free(plan->output);
  free(plan->arena);
  free(plan);
}
