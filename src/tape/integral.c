/* Integrals on the tape: how they are built, and something else in the place of their variable. */
#include <stdlib.h>

#include "core/memory.h"
#include "tape/tape_internal.h"

tape_id tape_integrand(tape *t, uint32_t level, tape_id body)
{
  return t->full ? 0 : tape_add_op(t, TAPE_INTEGRAND, level, body, TAPE_NONE);
}

/* An integral is undefined where its body is undefined at some place from one end to the other, both included, or is not
 * integrable. So a body free of the variable may come out of it, and so may a sign. */
tape_id tape_integral(tape *t, tape_id low, tape_id high, tape_id integrand)
{
  if (t->full)
    return 0;
  tape_op o = t->op[integrand], body = t->op[o.b];
  if (t->op[low].op == TAPE_UNDEFINED || t->op[high].op == TAPE_UNDEFINED || body.op == TAPE_UNDEFINED)
    return tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
  if (!(body.variables >> o.a & 1))
    return tape_binary(t, TAPE_MULTIPLY, tape_binary(t, TAPE_SUBTRACT, high, low), o.b);
  if (low == high && body.total)
    return tape_unary(t, TAPE_ZERO, low);
  if (body.op == TAPE_NEGATE)
    return tape_unary(t, TAPE_NEGATE, tape_integral(t, low, high, tape_integrand(t, o.a, body.a)));
  return tape_add_op(t, TAPE_INTEGRAL, low, high, integrand);
}

/* ---- substitution ---- */

/* No variable is caught by an integral that it did not stand under: `replacement` has only variables of lower levels free,
 * and an integral with the variable free in it binds one of a higher level. */
tape_id tape_substitute(tape *t, tape_id y, uint32_t level, tape_id replacement)
{
  if (t->full || !(t->op[y].variables >> level & 1))
    return y;
  uint8_t *needed = memory_new((size_t)y + 1, 1);
  tape_id *map = memory_new((size_t)y + 1, sizeof *map), bottom = y;
  needed[y] = 1;
  for (tape_id i = y + 1; i-- > 0;) {
    if (!needed[i])
      continue;
    bottom = i;
    tape_id child[3];
    unsigned n = tape_children(child, &t->op[i]);
    for (unsigned k = 0; k < n; k++) {
      if (t->op[child[k]].variables >> level & 1)
        needed[child[k]] = 1;
      else
        map[child[k]] = child[k];
    }
  }
  for (tape_id i = bottom; i <= y && !t->full; i++)
    if (needed[i])
      map[i] = t->op[i].op == TAPE_VARIABLE ? replacement : tape_rebuild(t, t->op[i], map);
  tape_id result = t->full ? 0 : map[y];
  free(needed);
  free(map);
  return result;
}
