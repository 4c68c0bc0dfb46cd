/* What the random sweep of src/check/search.c does with blocks of instances, on one thread: random
 * numbers, `bounded`, and the rest of the ladder for what `bounded` leaves undecided. */
#ifndef ASSAY_BENCH_SWEEP_H
#define ASSAY_BENCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "check/decide.h"
#include "source/draw.h"

typedef struct {
  const tape *t;
  drawer *draw;
  drawer_state *draw_state;
  bounded_state *bounded;
  decider_state *decide;
  double *input;
  truth *target;
  size_t targets;
  uint64_t drawn, admissible, held, broken, climbed, unsettled;
} sweep;

/* False when the tape's elements cannot be drawn. sweep_clear must follow in both cases. */
bool sweep_create(sweep *s, const tape *t, const decider *d);
void sweep_clear(sweep *s);
/* Instances first, first + 1, ..., first + blocks * LANES - 1. */
void sweep_run(sweep *s, uint64_t first, unsigned blocks);
/* The counts so far, as a # line. */
void sweep_print(const sweep *s);

#endif
