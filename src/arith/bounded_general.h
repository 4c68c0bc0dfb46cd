/* What bounded_general.c and bounded_functions.c share. */
#ifndef ASSAY_ARITH_BOUNDED_GENERAL_H
#define ASSAY_ARITH_BOUNDED_GENERAL_H

#include <math.h>

#include "arith/bounded_internal.h"

/* A bound made of positive terms, rounded outward; infinite instead of NaN. */
static inline double bounded_finish(double e)
{
  double r = e * BOUNDED_UP + BOUNDED_FLOOR;
  return r < HUGE_VAL ? r : HUGE_VAL;
}

#endif
