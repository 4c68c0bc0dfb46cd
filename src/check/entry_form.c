/* What the form of an entry's tape tells. */
#include <stdlib.h>

#include "check/entry.h"
#include "core/memory.h"

/* How an operation moves while the free input rises. */
typedef enum { MOVES_NOT, MOVES_UP, MOVES_ANYHOW } movement;

static movement movement_of(const tape *t, const movement *m, const entry_tape *e, size_t i)
{
  const tape_op *o = &t->op[i];
  switch (o->op) {
  case TAPE_INPUT:
    return e->input[o->a].given == UINT32_MAX ? MOVES_UP : MOVES_NOT;
  case TAPE_ADD:
  case TAPE_MIN:
  case TAPE_MAX:
    return m[o->a] > m[o->b] ? m[o->a] : m[o->b];
  case TAPE_EXP:
  case TAPE_EXPM1:
  case TAPE_SOFTPLUS:
  case TAPE_SIGMOID:
  case TAPE_TANH:
  case TAPE_RELU:
  case TAPE_ATAN:
    return m[o->a];
  default: {
    tape_id child[3];
    unsigned n = tape_children(child, o);
    for (unsigned k = 0; k < n; k++)
      if (m[child[k]] != MOVES_NOT)
        return MOVES_ANYHOW;
    return MOVES_NOT;
  }
  }
}

bool entry_step_rises(const entry_tape *e)
{
  if (e->step == TAPE_NONE)
    return false;
  movement *m = memory_new(e->t->ops, sizeof *m);
  for (size_t i = 0; i <= e->step; i++)
    m[i] = movement_of(e->t, m, e, i);
  bool rises = m[e->step] == MOVES_UP;
  free(m);
  return rises;
}

void entry_reaches(bool *reached, const entry_tape *e, tape_id id)
{
  const tape *t = e->t;
  bool *used = memory_new(t->ops, sizeof *used);
  used[id] = true;
  for (size_t i = (size_t)id + 1; i-- > 0;) {
    const tape_op *o = &t->op[i];
    if (!used[i])
      continue;
    if (o->op == TAPE_INPUT)
      reached[o->a] = true;
    tape_id child[3];
    unsigned n = tape_children(child, o);
    for (unsigned k = 0; k < n; k++)
      used[child[k]] = true;
  }
  free(used);
}
