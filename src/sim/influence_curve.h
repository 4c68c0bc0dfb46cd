/* Sums of influences by distance, and the line through them. */
#ifndef ASSAY_SIM_INFLUENCE_CURVE_H
#define ASSAY_SIM_INFLUENCE_CURVE_H

#include "sim/influence.h"
#include "sim/measured.h"
#include "sim/wide.h"

/* Of one distance. */
typedef struct {
  uint64_t pairs, zeros, broken;
  measured lg, log, bound_lg; /* of those neither zero nor broken; the bound of all that have one */
  wide sum;
  double least_lg, greatest_lg;
} curve_sum;

curve_sum *curve_sum_create(size_t distances);
/* One pair with |J| = `norm`; bound_lg NaN: there is no bound. */
void curve_sum_add(curve_sum *s, wide norm, double bound_lg);
/* The curve of what was added; `curve` gets arrays of its own. Distances behind the last with a pair are left
 * out. */
void curve_finish(influence_curve *curve, const curve_sum *s, size_t distances, bool exact);

#endif
