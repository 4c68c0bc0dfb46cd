/* Operations made again: on another tape, or from other operands. */
#include "tape/copy.h"

#include "core/memory.h"
#include "tape/tape_internal.h"

tape_id tape_rebuild(tape *t, tape_op o, const tape_id *map)
{
  tape_opcode op = (tape_opcode)o.op;
  switch (op) {
  case TAPE_INTEGRAND:
    return tape_integrand(t, o.a, map[o.b]);
  case TAPE_INTEGRAL:
    return tape_integral(t, map[o.a], map[o.b], map[o.c]);
  case TAPE_POWER:
    return tape_power(t, map[o.a], (int32_t)o.b);
  case TAPE_SELECT:
  case TAPE_CHOOSE:
    return tape_select(t, op, map[o.c], map[o.a], map[o.b]);
  default:
    return tape_operands(op) == 1 ? tape_unary(t, op, map[o.a]) : tape_binary(t, op, map[o.a], map[o.b]);
  }
}

static tape_id copy_op(tape *to, const tape *from, const tape_op *o, const tape_id *at)
{
  switch (o->op) {
  case TAPE_CONSTANT:
    return tape_constant(to, &from->constant[o->a]);
  case TAPE_PI:
  case TAPE_UNDEFINED:
  case TAPE_RANDOM:
  case TAPE_VARIABLE:
    return tape_leaf(to, o->op, o->a);
  case TAPE_TRUTH:
    return tape_truth(to, (truth)o->a);
  default:
    return tape_rebuild(to, *o, at);
  }
}

tape_id *tape_copy(tape *to, const tape *from, const tape_id *replace)
{
  tape_id *at = memory_new(from->ops, sizeof *at);
  for (size_t i = 0; i < from->ops && !to->full; i++)
    at[i] = replace[i] != TAPE_NONE ? replace[i] : copy_op(to, from, &from->op[i], at);
  return at;
}
