/* The judge's evaluator: walks the syntax tree of a claim at an instance, in exact and ball arithmetic
 * (number.h), with derivatives by dual numbers (dual.h). Elements of a `let` are computed when they are
 * reached, once each.
 *
 * It shares nothing with the tape, so that one bug cannot fool both. Functions with an `evaluator` run on a
 * deep stack only (deep.h); verify_truth and verify_value see to that themselves. */
#ifndef ASSAY_VERIFY_EVALUATE_H
#define ASSAY_VERIFY_EVALUATE_H

#include "cert/instance.h"
#include "verify/number.h"

typedef struct evaluator evaluator;

/* All arguments must outlive the evaluator. `m` is x matched to c (MATCH_FITS). */
evaluator *evaluator_create(diag *d, const claim *c, const instance *x, const match *m, slong max_precision);
void evaluator_destroy(evaluator *e);

/* The truth of a formula, the value of an expression, under the values of the indices in force (LIMIT_BINDERS
 * slots). After a failure (status) the truth and the value are unknown. */
truth evaluator_truth(evaluator *e, const node *formula, int64_t *slots);
number evaluator_value(evaluator *e, const node *expression, int64_t *slots);
truth evaluator_compare(evaluator *e, relation r, number a, number b);
numbers *evaluator_numbers(evaluator *e);

/* STATUS_OK; STATUS_BAD_INPUT: the claim reached an element that is missing, defined twice or used before it
 * is defined; STATUS_UNABLE: a limit was reached. A message was written. */
assay_status evaluator_status(const evaluator *e);

/* The truth of one label (an `assume`, `show` or `possible`) of a claim at an instance, `max_precision` bits
 * at most (0: LIMIT_PRECISION). Status as above, and STATUS_BAD_INPUT where the instance does not fit the
 * claim. */
assay_status verify_truth(diag *d, truth *result, const claim *c, const instance *x, const char *label,
                          slong max_precision);
/* The value of a `trivial` label: *kind is NUMBER_UNDEFINED, NUMBER_UNKNOWN, or anything else for a number
 * that lies in `ball` (computed at max_precision) and, if *exact, is `rational`. rational and ball are
 * initialised by the caller. */
assay_status verify_value(diag *d, number *kind, bool *exact, fmpq_t rational, arb_t ball, const claim *c,
                          const instance *x, const char *label, slong max_precision);

#endif
