/* Random tapes and instances on which the arithmetics must agree. Everything is a function of (seed,
 * number). */
#ifndef ASSAY_TESTS_ARITH_RANDOM_TAPE_H
#define ASSAY_TESTS_ARITH_RANDOM_TAPE_H

#include "arith/arith.h"
#include "core/philox.h"

typedef enum {
  RANDOM_DYADIC,   /* + - * min max abs relu powers, constants that are doubles: `exact` settles everything */
  RANDOM_RATIONAL, /* with division, other constants and negative powers */
  RANDOM_ANY       /* with every function */
} random_kind;

typedef struct {
  tape *tape;
  size_t inputs;
  tape_id *value, *truth; /* all that was made, in order */
  size_t values, truths;
} random_tape;

random_tape random_tape_make(philox_stream *random, random_kind kind);
void random_tape_clear(random_tape *r);

/* Inputs for LANES instances: zeros, ones, small fractions, equal values, neighbours in the last place,
 * sums of others give or take an ulp, uniform, tiny, huge and subnormal values; with `wild` also
 * infinities and NaN. */
void random_lanes(double *input, size_t inputs, philox_stream *random, bool wild);
/* One instance of those, exactly; NaN and infinities become 0. value holds `inputs` initialised numbers. */
void random_exact(fmpq *value, const double *input, size_t inputs, unsigned lane);

/* Whether two truths can both be right of one formula. */
bool random_consistent(truth a, truth b);

#endif
