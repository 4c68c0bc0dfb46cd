/* Lowering of integrals. */
#include "lang/lowering.h"

/* The variable's name on the tape is its level: how many integrals stand around its own in the expression. A let that is used
 * in a body is an expression of its own and begins again at level 0; it has no variable free. */
tape_id lowering_integral(lowering *l, const node *n)
{
  if (n->slot >= TAPE_LEVELS) {
    lowering_fail(l, n->place, "more than %d integrals around one another", TAPE_LEVELS);
    return 0;
  }
  tape_id low = lowering_certain(l, n->child[0], "the end of an integral");
  tape_id high = lowering_certain(l, n->child[1], "the end of an integral");
  tape_id body = lowering_certain(l, n->child[2], "what is integrated");
  return l->failed ? 0 : tape_integral(l->t, low, high, tape_integrand(l->t, n->slot, body));
}
