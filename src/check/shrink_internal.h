/* Private to check/shrink.c and check/shrink_values.c. */
#ifndef ASSAY_CHECK_SHRINK_INTERNAL_H
#define ASSAY_CHECK_SHRINK_INTERNAL_H

#include "check/shrink.h"

/* How large an instance is: the first member that differs decides. */
typedef struct {
  int64_t sizes;
  size_t nonzero, distinct;
  uint64_t bits;
  fmpz_t sum;
  size_t negative;
} measure;

typedef struct {
  shrunk *x;
  const char *target_name;
  const volatile int *stop;
  unsigned tries;
  double work; /* what they cost, in steps of tapes */
  fmpq *trial; /* of g's elements */
  measure now;
} shrinker;

/* Whether tries are used up or the user wants an end. */
bool shrink_is_over(shrinker *k);
/* Takes k->trial in place of the instance if it is smaller and hits. */
bool shrink_accept(shrinker *k);
/* Sets element e, or with `group` every element of equal value, to v. A solved element falls back to its solution, where
 * that exists. */
bool shrink_try_value(shrinker *k, size_t e, bool group, const fmpq_t v);

/* Each: whether something smaller was found. */
bool shrink_zero_entries(shrinker *k);
bool shrink_merge_entries(shrinker *k);
bool shrink_simplify_pairs(shrinker *k);
bool shrink_simplify_entries(shrinker *k);

#endif
