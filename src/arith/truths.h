/* What `exact`, `ball` and its integrals share beyond core/status.h. */
#ifndef ASSAY_ARITH_TRUTHS_H
#define ASSAY_ARITH_TRUTHS_H

#include "core/status.h"
#include "tape/tape.h"

/* a where c is true, b where c is false (TAPE_CHOOSE); the other operand does not matter. */
static inline truth truth_choose(truth c, truth a, truth b)
{
  switch (c) {
  case TRUTH_TRUE:
    return a;
  case TRUTH_FALSE:
    return b;
  case TRUTH_UNDEFINED:
    return TRUTH_UNDEFINED;
  case TRUTH_OPEN: /* one of the two, not known which */
    if (a == b)
      return a;
    return a == TRUTH_UNKNOWN || b == TRUTH_UNKNOWN || a == TRUTH_UNDEFINED || b == TRUTH_UNDEFINED
               ? TRUTH_UNKNOWN
               : TRUTH_OPEN;
  default:
    return TRUTH_UNKNOWN;
  }
}

/* Whether a step makes a truth from truths r alone; then *result is it. Else it looks at values: DEFINED or a comparison. */
static inline bool truth_of_truths(truth *result, const tape_step *t, const truth *r)
{
  switch ((tape_opcode)t->op) {
  case TAPE_TRUTH:
    *result = (truth)t->a;
    return true;
  case TAPE_NOT:
    *result = truth_not(r[t->a]);
    return true;
  case TAPE_AND:
    *result = truth_and(r[t->a], r[t->b]);
    return true;
  case TAPE_OR:
    *result = truth_or(r[t->a], r[t->b]);
    return true;
  case TAPE_IMPLIES:
    *result = truth_implies(r[t->a], r[t->b]);
    return true;
  case TAPE_CHOOSE:
    *result = truth_choose(r[t->c], r[t->a], r[t->b]);
    return true;
  default:
    return false;
  }
}

#endif
