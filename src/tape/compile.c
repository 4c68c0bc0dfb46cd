/* From a tape to a program: what is not needed goes, what the first phase needs comes first, slots are reused. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rational.h"
#include "tape/tape.h"

/* A program under way. */
typedef struct {
  const tape *t;
  tape_program *program;
  uint32_t *integral;  /* by operation: the number of its tape_integral_body; NULL without integrals */
  tape_id **captured;  /* by number of the integral: the operations that it takes from around it */
  size_t capacity;
} builder;

static void compile_body(builder *b, tape_id integral);

/* The operations that operation i needs computed before it: its operands, and what an integral takes from around it
 * (valid until the next call that compiles a body). Returns how many operands. */
static size_t find_uses(builder *b, tape_id i, tape_id operand[3], const tape_id **captured, size_t *captures)
{
  const tape_op *o = &b->t->op[i];
  operand[0] = o->a;
  operand[1] = o->b;
  operand[2] = o->c;
  *captures = 0;
  if (o->op == TAPE_INTEGRAL) {
    if (!b->integral || !b->integral[i])
      compile_body(b, i);
    uint32_t k = b->integral[i] - 1;
    *captured = b->captured[k];
    *captures = b->program->integral[k].captures;
  }
  return tape_operands((tape_opcode)o->op);
}

/* Marks every operation that `roots` need. Operands precede operations, so one descending pass is enough. */
static void mark_needed(builder *b, uint8_t *needed, const tape_id *roots, size_t n, uint8_t mark)
{
  tape_id top = 0;
  for (size_t i = 0; i < n; i++) {
    if (!needed[roots[i]])
      needed[roots[i]] = mark;
    if (roots[i] > top)
      top = roots[i];
  }
  for (tape_id i = n ? top + 1 : 0; i-- > 0;) {
    if (needed[i] != mark)
      continue;
    tape_id operand[3];
    const tape_id *captured = NULL;
    size_t captures, operands = find_uses(b, i, operand, &captured, &captures);
    for (size_t k = 0; k < operands + captures; k++) {
      tape_id use = k < operands ? operand[k] : captured[k - operands];
      if (!needed[use])
        needed[use] = mark;
    }
  }
}

static bool is_exact(const tape *t, const uint8_t *exact, const tape_op *o)
{
  switch (o->op) {
  case TAPE_INPUT:
    return true;
  case TAPE_CONSTANT:
    return rational_get_double(&(double){0}, &t->constant[o->a]);
  case TAPE_NEGATE:
  case TAPE_ABS:
  case TAPE_RELU:
    return exact[o->a];
  case TAPE_MIN:
  case TAPE_MAX:
    return exact[o->a] && exact[o->b];
  default:
    return false;
  }
}

typedef struct {
  uint32_t *free_slot;
  size_t count, capacity;
  uint32_t used;
} slot_pool;

static uint32_t slot_take(slot_pool *p)
{
  return p->count ? p->free_slot[--p->count] : p->used++;
}

static void slot_give(slot_pool *p, uint32_t slot)
{
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    p->free_slot = memory_resize(p->free_slot, p->capacity, sizeof *p->free_slot);
  }
  p->free_slot[p->count++] = slot;
}

/* Gives the operations of `order` slots and makes them steps; slot[id] is set before for what no step computes, and
 * last_use[id] is UINT32_MAX for what must stay. */
static void lay_out(builder *b, const tape_id *order, size_t steps, slot_pool pool[2], uint32_t *slot, uint32_t *last_use,
                    bool keep_all)
{
  const tape *t = b->t;
  tape_program *p = b->program;
  const uint32_t never = UINT32_MAX;
  tape_id operand[3];
  const tape_id *captured = NULL;
  size_t captures, operands;
  for (size_t k = 0; k < steps; k++) {
    operands = find_uses(b, order[k], operand, &captured, &captures);
    for (size_t j = 0; j < operands + captures; j++) {
      tape_id use = j < operands ? operand[j] : captured[j - operands];
      if (last_use[use] != never)
        last_use[use] = (uint32_t)k;
    }
  }
  uint8_t *exact = memory_new(t->ops, 1);
  p->step = memory_new(steps, sizeof *p->step);
  p->steps = steps;
  for (size_t k = 0; k < steps; k++) {
    tape_id id = order[k];
    const tape_op *o = &t->op[id];
    operands = find_uses(b, id, operand, &captured, &captures);
    uint32_t place[3] = {o->a, o->b, o->c};
    for (unsigned j = 0; j < operands; j++)
      place[j] = slot[operand[j]];
    if (o->op == TAPE_INTEGRAL)
      place[2] = b->integral[id] - 1;
    exact[id] = is_exact(t, exact, o);
    slot[id] = slot_take(&pool[tape_is_truth((tape_opcode)o->op)]); /* before operands are given back: never in place */
    tape_step *s = &p->step[k];
    *s = (tape_step){o->op, 0, slot[id], place[0], place[1], place[2]};
    if (operands >= 1 && exact[o->a])
      s->exact |= 1;
    if (operands >= 2 && exact[o->b])
      s->exact |= 2;
    for (size_t j = 0; j < captures; j++)
      p->integral[place[2]].capture[j].from = slot[captured[j]];
    if (keep_all)
      continue;
    for (size_t j = 0; j < operands + captures; j++) {
      tape_id use = j < operands ? operand[j] : captured[j - operands];
      if (last_use[use] != k)
        continue;
      slot_give(&pool[tape_is_truth((tape_opcode)t->op[use].op)], slot[use]);
      last_use[use] = never; /* it may be used twice */
    }
  }
  p->value_slots = pool[0].used;
  p->truth_slots = pool[1].used;
  free(exact);
}

static void set_outputs(builder *b, const tape_id *outputs, size_t n, const uint32_t *slot)
{
  b->program->output = memory_new(n, sizeof *b->program->output);
  b->program->outputs = n;
  for (size_t i = 0; i < n; i++)
    b->program->output[i] =
        (tape_output){outputs[i], tape_is_truth((tape_opcode)b->t->op[outputs[i]].op), slot[outputs[i]]};
}

static void clear_builder(builder *b)
{
  for (size_t i = 0; i < b->program->integrals; i++)
    free(b->captured[i]);
  free(b->captured);
  free(b->integral);
}

static int compare_ids(const void *a, const void *b)
{
  tape_id x = *(const tape_id *)a, y = *(const tape_id *)b;
  return (x > y) - (x < y);
}

static void add_id(tape_id **list, size_t *count, size_t *capacity, tape_id id)
{
  if (*count == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 16;
    *list = memory_resize(*list, *capacity, sizeof **list);
  }
  (*list)[(*count)++] = id;
}

/* The program of what integral i integrates. What has no variable of its level or a higher one free comes from outside. */
static void compile_body(builder *outer, tape_id i)
{
  const tape *t = outer->t;
  const tape_op *integrand = &t->op[t->op[i].c];
  unsigned inside = 0xffu << integrand->a;
  builder b = {.t = t, .program = memory_new(1, sizeof *b.program)};
  b.program->source = t;
  b.program->inputs = t->elements;
  size_t room = (size_t)integrand->b + 1;
  tape_id *order = NULL, *captured = NULL, *waiting = NULL;
  size_t steps = 0, captures = 0, wait = 0, capacity[3] = {0};
  uint8_t *seen = memory_new(room, 1);
  seen[integrand->b] = 1;
  add_id(&waiting, &wait, &capacity[2], integrand->b);
  while (wait > 0) {
    tape_id id = waiting[--wait], operand[3];
    if (!(t->op[id].variables & inside)) {
      add_id(&captured, &captures, &capacity[1], id);
      continue;
    }
    add_id(&order, &steps, &capacity[0], id);
    const tape_id *from_here = NULL;
    size_t more, operands = find_uses(&b, id, operand, &from_here, &more);
    for (size_t k = 0; k < operands + more; k++) {
      tape_id use = k < operands ? operand[k] : from_here[k - operands];
      if (!seen[use])
        add_id(&waiting, &wait, &capacity[2], use);
      seen[use] = 1;
    }
  }
  qsort(order, steps, sizeof *order, compare_ids);

  uint32_t *slot = memory_new(room, sizeof *slot), *last_use = memory_new(room, sizeof *last_use);
  slot_pool pool[2] = {{0}, {0}};
  tape_integral_body made = {.body = b.program, .captures = captures};
  made.capture = memory_new(captures, sizeof *made.capture);
  for (size_t k = 0; k < captures; k++) {
    bool is_truth = tape_is_truth((tape_opcode)t->op[captured[k]].op);
    slot[captured[k]] = slot_take(&pool[is_truth]);
    last_use[captured[k]] = UINT32_MAX;
    made.capture[k] = (struct tape_capture){.to = slot[captured[k]], .truth = is_truth,
                                             .variables = t->op[captured[k]].variables};
  }
  last_use[integrand->b] = UINT32_MAX;
  lay_out(&b, order, steps, pool, slot, last_use, false);
  set_outputs(&b, &integrand->b, 1, slot);
  clear_builder(&b);
  free(pool[0].free_slot);
  free(pool[1].free_slot);
  free(slot);
  free(last_use);
  free(seen);
  free(waiting);
  free(order);

  tape_program *p = outer->program;
  if (!outer->integral)
    outer->integral = memory_new(t->ops, sizeof *outer->integral);
  if (p->integrals == outer->capacity) {
    outer->capacity = outer->capacity ? 2 * outer->capacity : 4;
    p->integral = memory_resize(p->integral, outer->capacity, sizeof *p->integral);
    outer->captured = memory_resize(outer->captured, outer->capacity, sizeof *outer->captured);
  }
  p->integral[p->integrals] = made;
  outer->captured[p->integrals] = captured;
  outer->integral[i] = (uint32_t)++p->integrals;
}

tape_program *tape_compile(const tape *t, const tape_id *outputs, size_t n, size_t first, bool keep_all)
{
  tape_program *p = memory_new(1, sizeof *p);
  p->source = t;
  p->inputs = t->elements;
  builder b = {.t = t, .program = p};

  uint8_t *needed = memory_new(t->ops, 1);
  mark_needed(&b, needed, outputs, first, 1);
  mark_needed(&b, needed, outputs + first, n - first, 2);

  size_t steps = 0;
  for (size_t i = 0; i < t->ops; i++)
    steps += needed[i] != 0;
  tape_id *order = memory_new(steps, sizeof *order);
  size_t k = 0;
  for (uint8_t phase = 1; phase <= 2; phase++) {
    for (size_t i = 0; i < t->ops; i++)
      if (needed[i] == phase)
        order[k++] = (tape_id)i;
    if (phase == 1)
      p->first_phase = k;
  }

  /* The step after which a value is dead; outputs never die. */
  uint32_t *last_use = memory_new(t->ops, sizeof *last_use);
  for (size_t i = 0; i < n; i++)
    last_use[outputs[i]] = UINT32_MAX;
  uint32_t *slot = memory_new(t->ops, sizeof *slot);
  slot_pool pool[2] = {{0}, {0}};
  lay_out(&b, order, steps, pool, slot, last_use, keep_all);
  set_outputs(&b, outputs, n, slot);

  clear_builder(&b);
  free(pool[0].free_slot);
  free(pool[1].free_slot);
  free(slot);
  free(last_use);
  free(order);
  free(needed);
  return p;
}

void tape_program_destroy(tape_program *p)
{
  if (!p)
    return;
  for (size_t i = 0; i < p->integrals; i++) {
    tape_program_destroy(p->integral[i].body);
    free(p->integral[i].capture);
  }
  free(p->integral);
  free(p->step);
  free(p->output);
  free(p);
}
