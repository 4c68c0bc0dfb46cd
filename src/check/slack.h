/* How tight a surviving bound is: slack, and how far a bound is from the one that needs no theorem. */
#ifndef ASSAY_CHECK_SLACK_H
#define ASSAY_CHECK_SLACK_H

#include "check/result.h"
#include "check/search.h"

/* The smallest certified right - left among the comparisons of the shows, over the first admissible instances of the
 * random source at each sizes (a sample). Leaves out->known false when there is none. */
void slack_measure(check_slack *out, search *s);

/* Where an atom of a tape is: "t = 3, u = 2", its indices as the claim has them. The caller frees it. */
char *slack_place_text(const tape *t, const tape_atom *a);

/* The largest |left - right| that balls leave possible among equalities that they could not decide, over the same sample, as
 * an enclosed power of ten; NULL: none was met. */
char *slack_largest_gap(search *s);

/* For a claim with a `trivial` bound: "10^-617", the enclosed order of magnitude of (trivial - shown) / |trivial|, where shown is
 * the greater side of the first show, at an admissible instance of the largest sizes. NULL: no such label, or no value. */
char *slack_emptiness(search *s);

#endif
