/* The exhaustive source: all instances of a tape over a few simple rationals, in a fixed order. */
#ifndef ASSAY_SOURCE_GRID_H
#define ASSAY_SOURCE_GRID_H

#include "tape/tape.h"

typedef struct grid grid;

/* The finest grid of at most `limit` instances: each element takes the first k values of its own list (simple rationals in
 * order of size of numerator and denominator, the finite ends of a constant range first), the same k for all.
 * NULL when even k = 2 would be too many, or there are no elements. */
grid *grid_create(const tape *t, uint64_t limit);
void grid_destroy(grid *g);
uint64_t grid_count(const grid *g);
/* How many values each element takes at most. */
unsigned grid_width(const grid *g);
/* values[e] for instance `number`; solved elements get a value of their own list, for where their solution does not exist.
 * Where nothing else has a choice they run through their lists like the others. */
void grid_fill(const grid *g, fmpq *values, uint64_t number);

#endif
