/* The sign of A + Delta - 1 of every entry of a layer at given steps. */
#ifndef ASSAY_CHECK_MODEL_SIGNS_H
#define ASSAY_CHECK_MODEL_SIGNS_H

#include "check/model_work.h"

enum { MARGIN_NOT_POSITIVE = 1, MARGIN_POSITIVE = 2 };

/* sign[i] = what is certain of entry i, 0: nothing, where the step of each channel is steps[channel]. `e` was made with
 * step_given. [*log_low, *log_high] holds log A of all valid entries. */
void model_signs(unsigned char *sign, double *log_low, double *log_high, const model_work *w, const entry_tape *e,
                 const double *steps);

/* Whether A follows from the step and stored values alone, as exp(step*rate) with a rate that nothing else moves; then its
 * being A(Delta) may be asked at any step. STATUS_OK, or as entry_create. */
assay_status model_step_decides(bool *decides, const model_work *w, dump_error *error);

#endif
