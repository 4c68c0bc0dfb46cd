/* Recorded activations of a model: reading them, and deciding the assumption token by token.
 *
 * A file of activations (npz or safetensors, or any container that dump/dump.h reads) holds for a layer named LAYER the
 * arrays LAYER.delta of shape [batch, T, channels] and, where they were recorded, LAYER.B of shape [batch, T, states] and
 * LAYER.u of shape [batch, T, channels]; the batch may be left out. Of a model with one layer the names may be delta, B
 * and u. delta is the step itself, behind its softplus. */
#ifndef ASSAY_CHECK_MODEL_RECORDED_H
#define ASSAY_CHECK_MODEL_RECORDED_H

#include "check/model_claim.h"
#include "check/model_work.h"

/* tokens 0 when the file has nothing for this layer. STATUS_BAD_INPUT with `error` set: a shape does not fit. */
assay_status model_recording_read(model_recording *r, const model_work *w, const dump_file *file, bool only_layer,
                                  dump_error *error);
void model_recording_clear(model_recording *r);

/* How many (batch, token, channel, state) meet A + Delta <= 1. */
assay_status model_count_recorded(model_recorded *counts, const model_work *w, const model_recording *r, dump_error *error);

#endif
