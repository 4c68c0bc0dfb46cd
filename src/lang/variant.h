/* Variants: claims made from others by one change.
 *
 * A variant lives in the caller's memory and shares with the claim that it comes from all that is not changed, so that claim's
 * library must outlive it. The library stays as it was read: several threads may vary its claims at once, each in memory of
 * its own. */
#ifndef ASSAY_LANG_VARIANT_H
#define ASSAY_LANG_VARIANT_H

#include "lang/claim.h"
#include "lang/tree_memory.h"

/* A copy of c with the body of label number `label` replaced (for mutants), or, with body NULL, the label left out (for the
 * necessity of a hypothesis). Constant time in the size of the trees. */
const claim *variant_with_label(tree_memory *m, const claim *c, unsigned label, node *body);
/* A copy with the range of line `line` of given number `given` widened to all reals. */
const claim *variant_without_range(tree_memory *m, const claim *c, unsigned given, unsigned line);

#endif
