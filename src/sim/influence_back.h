/* Influence through blocks, backwards: the rows of J(t, s) for all s <= t, from the adjoints of the blocks.
 */
#ifndef ASSAY_SIM_INFLUENCE_BACK_H
#define ASSAY_SIM_INFLUENCE_BACK_H

#include "sim/adjoint.h"

typedef struct {
  size_t tokens, width;
  size_t blocks;            /* behind one another */
  const block *const *block;
  const double *const *input; /* [blocks] of [T, M] each: what enters each block */
  bool residual; /* each block adds to what entered it; else there is one block, whose mixer is looked at
                    alone */
  const block_norm *last;   /* what the output passes; NULL: nothing */
  const double *output;     /* [T, M] what enters that norm */
  const size_t *t;          /* [positions] from 0 */
  size_t positions;
  size_t rows;              /* M: all rows of J; else as many vectors of independent signs */
  uint64_t seed;
  int threads;
  const volatile int *stop;
  void (*progress)(void *context, double fraction); /* NULL */
  void *context;
} back_task;

/* out[i T + s] = |J(t_i, s)| for s <= t_i, or its estimate; the rest is not touched. Every block must have an
 * adjoint. False: `stop` became nonzero. */
bool influence_back(wide *out, const back_task *task);

#endif
