/* The tensors of one layer, by their roles, read for a block that runs. */
#ifndef ASSAY_SIM_PARAMETERS_H
#define ASSAY_SIM_PARAMETERS_H

#include "dump/model.h"
#include "sim/definition.h"

typedef struct {
  const dump_file *file;
  const model_layer *layer;
  dump_error *error;
  bool *used;    /* of each tensor of the file: read by some block; may be NULL */
  size_t number; /* of the layer, from 0 */
} parameters;

/* The number of the given that has the role and is in the file, of several the first; -1. */
int parameters_find(const parameters *p, const char *role);
bool parameters_has(const parameters *p, const char *role);
/* The length of index `position` of the tensor with that role, as the family declares it; 0: none. */
size_t parameters_extent(const parameters *p, const char *role, unsigned position);

/* Memory for numbers, on a boundary that suits vectors: aligned to 64 bytes, zeroed; free with free(). */
double *parameters_room(size_t count);

/* All below: false with the error set, which names the file, the tensor and what is wrong: it is missing though required;
 * it bears the right name and has another shape; its values are integers (a quantization of its own), complex where real
 * ones are meant, or not finite. *value stays NULL where the file does not have an optional one. */

/* [rows, columns]; columns 0: a vector of `rows`. */
bool parameters_read(double **value, const parameters *p, const char *role, bool required, size_t rows, size_t columns);
/* Complex: [rows, columns, 2], from a complex tensor or a real one whose last dimension is 2. */
bool parameters_read_complex(double **value, const parameters *p, const char *role, bool required, size_t rows,
                             size_t columns);

/* What the definitions with the roles step, rate, log_decay and decay need, with a copy of the layer's sizes; to be cleared
 * in any case. */
bool parameters_read_definitions(definition_store *store, const parameters *p);
void parameters_clear_definitions(definition_store *store);

/* The values of a definition over its ranges 1..first, 1..second (0: it has one index), at the bias point. */
bool parameters_define(double **value, const parameters *p, const definition_store *store, const char *role, size_t first,
                       size_t second);

/* The epsilon of the model's norms, which is in no tensor: what the file or the config.json beside it says (norm_epsilon,
 * rms_norm_eps, layer_norm_epsilon, layer_norm_eps, norm_eps; GGUF's attention.layer_norm_rms_epsilon and
 * attention.layer_norm_epsilon), else 1e-5, the default of these models. */
double parameters_epsilon(const dump_file *file);

/* A whole number from 1 to 2^20 that the file or its config.json has under a key ending in one of these; else `otherwise`. */
size_t parameters_count_note(const dump_file *file, const char *const *keys, size_t count, size_t otherwise);

/* "FILE: layer NAME: ...", false. */
bool parameters_refuse(const parameters *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
