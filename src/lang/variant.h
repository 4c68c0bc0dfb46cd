/* Variants: claims made from others by one change, and the trees that the change needs.
 *
 * A variant shares with the claim that it comes from all that is not changed, so that claim's library must outlive it. The
 * library stays as it was read: several threads may vary its claims at once, each with a set of variants of its own. */
#ifndef ASSAY_LANG_VARIANT_H
#define ASSAY_LANG_VARIANT_H

#include "lang/claim.h"

typedef struct variants variants;

variants *variants_create(void);
/* Everything made with it dies with it. */
void variants_destroy(variants *v);

/* For those who build trees: the region that their nodes live in, and a new number, 0. */
memory_region *variants_region(variants *v);
fmpq *variants_number(variants *v);

/* A copy of c with the body of label number `label` replaced (for mutants), or, with body NULL, the label left out (for the
 * necessity of a hypothesis). Constant time in the size of the trees. */
const claim *variant_with_label(variants *v, const claim *c, unsigned label, node *body);
/* A copy with the range of line `line` of given number `given` widened to all reals. */
const claim *variant_without_range(variants *v, const claim *c, unsigned given, unsigned line);

#endif
