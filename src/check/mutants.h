/* Mutants: the claim with one conclusion made slightly wrong, to learn what the search would have caught. */
#ifndef ASSAY_CHECK_MUTANTS_H
#define ASSAY_CHECK_MUTANTS_H

#include "lang/variant.h"

typedef struct {
  const claim *claim; /* in `memory` */
  char *what;         /* "upper: exponent + 1 in A^(t - 1)"; owned */
} mutant;

/* At most `most` mutants of c's `show` labels, one kind after the other and one label after the other: a side times
 * 1 - 10^-6, an exponent + 1 or - 1, min for max and max for min, an index shifted by one, + for -. Some say the same
 * as the claim, or less; a few may not make sense (an element that does not exist): lowering tells. They live in
 * `memory`. */
mutant *mutants_create(tree_memory *memory, const claim *c, unsigned most, unsigned *count);
void mutants_destroy(mutant *m, unsigned count);

#endif
