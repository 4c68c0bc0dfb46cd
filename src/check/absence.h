/* Proofs that nothing meets the hypotheses, or none that meets them a `possible` label: behind VACUOUS and IMPOSSIBLE. */
#ifndef ASSAY_CHECK_ABSENCE_H
#define ASSAY_CHECK_ABSENCE_H

#include "check/search.h"
#include "core/text.h"
#include "tape/linear.h"

enum { ABSENCE_OF_INSTANCES = -1 };

typedef struct {
  bool proved;           /* at every choice of sizes that was tried */
  bool all_sizes;        /* and the claim has no others */
  size_t contradictions; /* how many of them by linear inequalities; the others by boxes */
  uint64_t boxes;
} absence;

/* Tries to prove, at every choice of sizes, that no instance meets the hypotheses, and target number `target` besides
 * (ABSENCE_OF_INSTANCES: the hypotheses alone). First by linear inequalities that follow from them and contradict each
 * other (Farkas' lemma; check/simplex.h), then, if the claim has no other sizes, by subdivision of the ranges
 * (check/box.h). The multipliers found are added to r->contradiction. */
absence absence_prove(check_result *r, search *s, int target);
/* One sentence about a proof. */
void absence_print(text *out, const absence *a, bool possible);

/* The rows of the hypotheses at one case, and of target `target`. False, with no rows, where the tape is too long. */
bool absence_rows(linear_system *rows, const search_case *c, int target);

#endif
