/* The judge: whether a certificate's instance meets every hypothesis of the claim and breaks the conclusion
 * that it names (or makes the `possible` label true that it names). */
#ifndef ASSAY_VERIFY_JUDGE_H
#define ASSAY_VERIFY_JUDGE_H

#include "cert/certificate.h"

typedef enum {
  JUDGE_ACCEPTED = 0,
  JUDGE_REJECTED = 1,  /* not a counterexample, not shown to be one, or not the one that is described */
  JUDGE_UNREADABLE = 2 /* for another claim, values that do not fit it, or a claim ill defined there */
} judge_verdict;

/* Decides the certificate for the claim of its name in the library. `file` names the certificate in messages,
 * which go to d. Appends what was found to `report`, line by line, and one line without its end to `last`.
 * Accepted if and only if
 * - name, text and SHA-256 are those of the claim, and sizes and values exactly those that it declares;
 * - every range and every `assume` is true, and the named `show` is false (the named `possible` is true);
 * - the index given, if any, is one where it is so, and the sides given, if any, hold what was computed.
 * Balls go up to max_precision bits (0: LIMIT_PRECISION). */
judge_verdict judge_certificate(diag *d, text *report, text *last, const library *l, const certificate *z,
                                const char *file, slong max_precision);

#endif
