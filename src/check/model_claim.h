/* A claim about a recurrence, asked of the entries of a model.
 *
 * Claims and families meet through roles. A given of the claim with the role
 *
 *   decay   is the entry's A_t,
 *   step    is the Delta_t of its channel,
 *   input   is its b_t, the product B[t, n] u[t, d] of what was recorded,
 *
 * and each of its indices runs over time or over the state, of which there is one here: the size that bounds it says which by
 * its role; without one the first index is time and the second the state. Where none has a time the claim is asked of every
 * recorded token by itself. A given without one of these roles is what an equality hypothesis
 * of the claim makes of the others (never the other way round); one that none does is an error, and so is a size that
 * bounds neither index. Where a family's decay is exp(step*rate), A_t follows from the recorded step.
 *
 * Where the solution of an equality is undefined (it divides by zero), so are the hypotheses: unknown.
 *
 * Every recorded double is the exact real that it stands for. Decided by the ladder (check/decide.h): certified. A value
 * outside the range of a given is the failure of a hypothesis, as everywhere. */
#ifndef ASSAY_CHECK_MODEL_CLAIM_H
#define ASSAY_CHECK_MODEL_CLAIM_H

#include "check/model_work.h"
#include "lang/claim.h"

/* Recorded activations of one layer: delta[(b * T + t) * D + d], and where there are any B[(b * T + t) * N + n] and
 * u[(b * T + t) * D + d]. */
typedef struct {
  size_t batch, tokens; /* tokens 0: none recorded; the bias point, which has no time */
  const double *delta, *b, *u;
} model_recording;

/* STATUS_OK; STATUS_BAD_INPUT with `error` set when the roles do not fit. */
assay_status model_run_claim(model_claim_result *r, const claim *c, const model_work *w, const model_recording *recording,
                             dump_error *error);
void model_claim_result_clear(model_claim_result *r);

#endif
