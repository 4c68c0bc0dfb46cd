/* What the two halves of the Mamba audit share: the arrays of one layer. Private to src/check. */
#ifndef ASSAY_CHECK_MAMBA_WORK_H
#define ASSAY_CHECK_MAMBA_WORK_H

#include "check/mamba_assumption.h"

/* What is known of an entry and who found out, one byte each: invalid, unknown, or one of holds and fails
 * together with one of the rest. */
enum {
  MAMBA_INVALID = 0,
  MAMBA_UNKNOWN = 1,
  MAMBA_HOLDS = 2,
  MAMBA_FAILS = 4,
  MAMBA_BY_DOUBLE = 8,
  MAMBA_BY_BALL = 16,
  MAMBA_BY_RULE = 32
};

typedef struct {
  const double *a_log, *dt_bias; /* entries, and entries / states */
  size_t states, entries;
  mamba_enclosures
      bound; /* proper enclosures (perhaps infinite, no NaN) of every entry that is not invalid */
  unsigned char *decided;
} mamba_work;

/* Fill a_min, a_max and power (range), worst_* (worst) of a layer with at least one valid entry. */
void mamba_find_range(mamba_layer_report *layer, const mamba_work *work, uint64_t tokens);
void mamba_find_worst(mamba_layer_report *layer, const mamba_work *work, slong limit);

#endif
