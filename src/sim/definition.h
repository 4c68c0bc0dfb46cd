/* A family's definitions (rate, step, decay) in double, at the values of one layer.
 *
 * Plain rounding: what a model computes, nothing certified. */
#ifndef ASSAY_SIM_DEFINITION_H
#define ASSAY_SIM_DEFINITION_H

#include <stdbool.h>

#include "core/flint.h"
#include "dump/model.h"

/* The values of a layer's tensors, those that are in the file, whole and in row-major order of the family's indices. */
typedef struct {
  const model_layer *layer; /* its family and sizes are looked at, and nothing else */
  double **value; /* of each given; NULL: its `else`, or what the input adds */
} definition_store;

/* The element of `let` at `index` (one for each of its positions, from 1). Givens that are no tensors are `activation`.
 * False where it is not defined in double: a function that no block has a use for, an index outside, a recursion too
 * deep; *value may be infinite or NaN. */
bool definition_value(double *value, const definition_store *store, const claim_let *let, const int64_t *index,
                      double activation);

/* Whether the family has the form decay = exp(step rate): log_decay the product of the definitions with these roles. */
bool definition_has_product(const claim *family);

/* Where the step is softplus(a + b) with a the activation and b a tensor, both at the step's own index: that tensor's
 * number among the givens; else -1. */
int definition_softplus_bias(const claim *family);

/* The number of elements of a given, by the sizes of the layer; 0: no such number. */
size_t definition_count(const model_layer *layer, unsigned given);

/* The double nearest to a rational. */
double definition_nearest(const fmpq_t q);

#endif
