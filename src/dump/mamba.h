/* Finds the layers of a Mamba-1 model among the tensors of a file, by name and shape.
 *
 * A layer is a pair of tensors PREFIX"A_log" of shape [D, N] and PREFIX"dt_proj.bias" of shape [D], with any
 * PREFIX: the names of the mamba_ssm package ("backbone.layers.0.mixer.A_log") and of what descends from it.
 * In the model, channel d, state n of that layer has A[d, n] = -exp(A_log[d, n]), and its step size is
 * Delta[d] = softplus(input + bias[d]). */
#ifndef ASSAY_DUMP_MAMBA_H
#define ASSAY_DUMP_MAMBA_H

#include "dump/dump.h"

typedef struct {
  char *name;               /* PREFIX without its last separator, "" when there is none; owned */
  const dump_tensor *a_log; /* owned by the file, like the next */
  const dump_tensor *dt_bias;
  size_t channels, states; /* D, N; both >= 1 */
} mamba_layer;

/* An A_log that is no layer, and why. */
typedef struct {
  const dump_tensor *a_log;
  const char *reason; /* a constant string */
} mamba_stray;

typedef struct {
  const dump_file *file;
  mamba_layer *layers; /* in natural order of their names: layers.2 before layers.10 */
  size_t count;
  mamba_stray *strays; /* in the order of the file */
  size_t stray_count;
} mamba_model;

/* Fills `model`, which borrows `file`. Without any layer: STATUS_BAD_INPUT and a message that lists the names
 * seen (and the strays with their reasons). A bias whose shape contradicts its A_log is an error too. After
 * an error `model` is empty. */
assay_status mamba_recognise(mamba_model *model, const dump_file *file, dump_error *error);
void mamba_clear(mamba_model *model);

/* Order of names with runs of digits taken as numbers, of any length; equal numbers written differently (7,
 * 07), and all else, by bytes. Like strcmp. */
int mamba_compare_names(const char *a, const char *b);

#endif
