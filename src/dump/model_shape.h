/* The sizes of a layer, from the shapes of its tensors. Private to src/dump. */
#ifndef ASSAY_DUMP_MODEL_SHAPE_H
#define ASSAY_DUMP_MODEL_SHAPE_H

#include "core/text.h"
#include "dump/model.h"

/* needed[i]: given i of the family is reached by a definition with the role step, rate, decay or
 * log_decay, or by the range of a given that is. */
void model_needed(bool *needed, const claim *family);

/* Sets layer->sizes from the tensors bound. A tensor that is not needed and does not fit is unbound, and sizes are what
 * the others say. False, and why, when a needed one contradicts the others, a size that is needed stays open, or a size's
 * own bounds are broken. */
bool model_fit_sizes(model_layer *layer, text *reason, const bool *needed);
/* Whether all sizes lie within the bounds that the family gives them; else why not. */
bool model_sizes_hold(const model_layer *layer, text *reason);

#endif
