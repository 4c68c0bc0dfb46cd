/* Shrinking: from an instance that refutes a claim (or is a witness) to one that a person can check by hand. */
#ifndef ASSAY_CHECK_SHRINK_H
#define ASSAY_CHECK_SHRINK_H

#include "check/search.h"

/* An instance that hits, complete, at its sizes. Owned. */
typedef struct {
  stage g;
  stage_state state;
  slong precision;
  fmpq *value;
  uint64_t steps; /* smaller instances accepted so far */
} shrunk;

/* Takes the hit as it is. `target_name`: only hits on the label of this name count (for `possible`; NULL: any show). False
 * when it does not hit. shrunk_clear is due in any case. */
bool shrink_start(shrunk *x, const search *s, const search_hit *hit, const char *target_name);
/* The same from values in the order of the claim's elements, at any sizes. */
bool shrink_start_values(shrunk *x, const claim *c, const int64_t *sizes, const fmpq *value, slong precision,
                         const char *target_name);
void shrunk_clear(shrunk *x);

/* Replaces the instance by smaller ones as long as some are found, each of which hits. The measure decreases strictly, in
 * lexicographic order: sum of the sizes; entries that differ from 0; different entries that are neither 0 nor 1; bits of
 * numerators and denominators; their sum; minus signs. Ends when nothing smaller is found or `stop` says so or after a bounded number of
 * tries; the result hits in any case. Deterministic. */
void shrink_run(shrunk *x, const char *target_name, const volatile int *stop);

#endif
