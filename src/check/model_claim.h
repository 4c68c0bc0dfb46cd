/* A claim about a recurrence, asked of the entries of a model.
 *
 * Claims and families meet through roles (check/claim_roles.h). Where a family's decay is exp(step*rate), A_t follows from the
 * recorded step; b_t is the product B[t, n] u[t, d] of what was recorded.
 *
 * Every recorded double is the exact real that it stands for. Decided as check/claim_table.h says: certified. A value
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
