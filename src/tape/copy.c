/* Copying a tape's operations onto another tape. */
#include "tape/copy.h"

#include "core/memory.h"

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
  case TAPE_INTEGRAND:
    return tape_integrand(to, o->a, at[o->b]);
  case TAPE_INTEGRAL:
    return tape_integral(to, at[o->a], at[o->b], at[o->c]);
  case TAPE_POWER:
    return tape_power(to, at[o->a], (int32_t)o->b);
  case TAPE_SELECT:
  case TAPE_CHOOSE:
    return tape_select(to, o->op, at[o->c], at[o->a], at[o->b]);
  default:
    return tape_operands(o->op) == 1 ? tape_unary(to, o->op, at[o->a])
                                     : tape_binary(to, o->op, at[o->a], at[o->b]);
  }
}

tape_id *tape_copy(tape *to, const tape *from, const tape_id *replace)
{
  tape_id *at = memory_new(from->ops, sizeof *at);
  for (size_t i = 0; i < from->ops && !to->full; i++)
    at[i] = replace[i] != TAPE_NONE ? replace[i] : copy_op(to, from, &from->op[i], at);
  return at;
}
