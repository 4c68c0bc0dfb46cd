/* What `exact` and `ball` share beyond core/status.h. */
#ifndef ASSAY_ARITH_TRUTHS_H
#define ASSAY_ARITH_TRUTHS_H

#include "core/status.h"

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

#endif
