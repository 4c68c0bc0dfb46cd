/* The assumption A + Delta <= 1 for every admissible input of a block (check/input_path.h), not at the bias point alone.
 *
 * An entry holds for all when it holds at the largest step that an input can make: A + Delta - 1 is convex in Delta and 0 at
 * Delta = 0. It fails for all when it fails at the smallest: from there on it is positive for the same reason. It depends when
 * one input that was found makes it true, and another false. All three are certified; the rest is unknown.
 *
 * Nothing is concluded where the step may be negative, where the decay depends on the input otherwise than through the step,
 * and where the file says of itself that its input reaches the step on another way than its tensors suggest (the norm
 * of Falcon-Mamba's low-rank step has no weights; an activation may be another than silu). */
#ifndef ASSAY_CHECK_MODEL_INPUTS_H
#define ASSAY_CHECK_MODEL_INPUTS_H

#include "check/model_work.h"

/* STATUS_OK, also where nothing can be said: r->known is false then, and r->reason says why. */
assay_status model_find_inputs(model_inputs *r, const model_work *w, dump_error *error);

#endif
