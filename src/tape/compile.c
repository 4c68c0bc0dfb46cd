/* From a tape to a program: what is not needed goes, what the first phase needs comes first, slots are reused. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rational.h"
#include "tape/tape.h"

/* Marks every operation that `roots` need. Operands precede operations, so one descending pass is enough. */
static void mark_needed(const tape *t, uint8_t *needed, const tape_id *roots, size_t n, uint8_t mark)
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
    const tape_op *o = &t->op[i];
    unsigned operands = tape_operands((tape_opcode)o->op);
    tape_id operand[3] = {o->a, o->b, o->c};
    for (unsigned k = 0; k < operands; k++)
      if (!needed[operand[k]])
        needed[operand[k]] = mark;
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

tape_program *tape_compile(const tape *t, const tape_id *outputs, size_t n, size_t first, bool keep_all)
{
  tape_program *p = memory_new(1, sizeof *p);
  p->source = t;
  p->inputs = t->elements;

  uint8_t *needed = memory_new(t->ops, 1), *exact = memory_new(t->ops, 1);
  mark_needed(t, needed, outputs, first, 1);
  mark_needed(t, needed, outputs + first, n - first, 2);

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
  const uint32_t never = UINT32_MAX;
  uint32_t *last_use = memory_new(t->ops, sizeof *last_use);
  for (k = 0; k < steps; k++) {
    const tape_op *o = &t->op[order[k]];
    tape_id operand[3] = {o->a, o->b, o->c};
    for (unsigned j = 0; j < tape_operands((tape_opcode)o->op); j++)
      last_use[operand[j]] = (uint32_t)k;
  }
  for (size_t i = 0; i < n; i++)
    last_use[outputs[i]] = never;

  uint32_t *slot = memory_new(t->ops, sizeof *slot);
  slot_pool pool[2] = {{0}, {0}};
  p->step = memory_new(steps, sizeof *p->step);
  p->steps = steps;
  for (k = 0; k < steps; k++) {
    tape_id id = order[k];
    const tape_op *o = &t->op[id];
    unsigned operands = tape_operands((tape_opcode)o->op);
    tape_id operand[3] = {o->a, o->b, o->c};
    uint32_t place[3] = {o->a, o->b, o->c};
    for (unsigned j = 0; j < operands; j++)
      place[j] = slot[operand[j]];
    exact[id] = is_exact(t, exact, o);
    slot[id] = slot_take(&pool[tape_is_truth((tape_opcode)o->op)]); /* before operands are given back: never in place */
    tape_step *s = &p->step[k];
    *s = (tape_step){o->op, 0, slot[id], place[0], place[1], place[2]};
    if (operands >= 1 && exact[o->a])
      s->exact |= 1;
    if (operands >= 2 && exact[o->b])
      s->exact |= 2;
    if (keep_all)
      continue;
    for (unsigned j = 0; j < operands; j++) {
      bool again = (j >= 1 && operand[j] == operand[0]) || (j == 2 && operand[2] == operand[1]);
      if (last_use[operand[j]] == k && !again)
        slot_give(&pool[tape_is_truth((tape_opcode)t->op[operand[j]].op)], place[j]);
    }
  }
  p->value_slots = pool[0].used;
  p->truth_slots = pool[1].used;
  p->output = memory_new(n, sizeof *p->output);
  p->outputs = n;
  for (size_t i = 0; i < n; i++)
    p->output[i] =
        (tape_output){outputs[i], tape_is_truth((tape_opcode)t->op[outputs[i]].op), slot[outputs[i]]};

  free(pool[0].free_slot);
  free(pool[1].free_slot);
  free(slot);
  free(last_use);
  free(order);
  free(exact);
  free(needed);
  return p;
}

void tape_program_destroy(tape_program *p)
{
  if (!p)
    return;
  free(p->step);
  free(p->output);
  free(p);
}
