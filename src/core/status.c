/* The connectives of three-valued truth with undefined apart (claim-language manual, Truth). */
#include "core/status.h"

truth truth_not(truth a)
{
  if (a == TRUTH_FALSE)
    return TRUTH_TRUE;
  return a == TRUTH_TRUE ? TRUTH_FALSE : a;
}

truth truth_and(truth a, truth b)
{
  switch (a) {
  case TRUTH_FALSE:
  case TRUTH_UNDEFINED:
    return a;
  case TRUTH_TRUE:
    return b;
  case TRUTH_OPEN: /* false whatever a is if b is false; undefined only if a is true and b undefined */
    if (b == TRUTH_FALSE)
      return TRUTH_FALSE;
    return b == TRUTH_UNDEFINED || b == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_OPEN;
  default:
    return TRUTH_UNKNOWN;
  }
}

truth truth_or(truth a, truth b)
{
  return truth_not(truth_and(truth_not(a), truth_not(b)));
}

truth truth_implies(truth a, truth b)
{
  return truth_or(truth_not(a), b);
}

const char *truth_name(truth a)
{
  static const char *const names[] = {"false", "true", "open", "unknown", "undefined"};
  return names[a];
}
