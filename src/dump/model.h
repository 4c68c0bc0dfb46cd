/* Which layers, of which families, a parameter file holds.
 *
 * A family (lang/claim.h, doc/assay-family.5) names the tensors of one layer. Its first tensor is the anchor: wherever a
 * tensor of the file bears that name behind a prefix ("backbone.layers.0.mixer." + "A_log"), there may be a layer, and the
 * other tensors are looked up behind the same prefix. "../NAME" goes up one component of the prefix first, "/NAME" is the
 * one tensor of the whole file whose name ends in NAME, and a first * in NAME stands for the last component of the layer's
 * prefix that is a number. Components end at '.' or '/'.
 *
 * Shapes. Every index of a tensor is a range 1..E. Where E is a size that nothing has fixed yet, the stored dimension
 * fixes it; else it must agree. Dimensions of length 1 may be surplus or missing; when all sizes are known, neighbouring
 * dimensions may be merged or split as in row-major order. Every size that step, rate, decay or log_decay depend on must
 * be told by some tensor.
 *
 * A layer belongs to the family that binds the most tensors there, of several the first in the list. Tensors that
 * neither step, rate, decay nor log_decay need may be missing, and so may those with an `else`. What an optimizer
 * remembers is never a layer. */
#ifndef ASSAY_DUMP_MODEL_H
#define ASSAY_DUMP_MODEL_H

#include "dump/dump.h"
#include "lang/claim.h"

typedef struct {
  const claim *family;
  char *name;                 /* the prefix without its last separator, "" when there is none */
  int64_t *sizes;             /* of the family's sizes; the one with the role `layer` is the number of this layer from 1 */
  const dump_tensor **tensor; /* one for each given: NULL when it is no tensor or not in the file */
  size_t bound;               /* how many are not NULL */
} model_layer;

typedef struct {
  const dump_file *file;
  model_layer *layers; /* in natural order of their names (layers.2 before layers.10), then of the families */
  size_t count;
  char **strays; /* anchors that are part of no layer, one line each: "NAME": why the nearest family does not fit */
  size_t stray_count;
} model;

/* Fills `m`, which borrows the file and the families. Without any layer: STATUS_BAD_INPUT and a message that lists names
 * seen, what the nearest family lacks, and where it is said how to describe another. After an error `m` is empty. */
assay_status model_recognise(model *m, const claim *const *families, size_t count, const dump_file *file,
                             dump_error *error);
void model_clear(model *m);

/* The value that stands for a tensor which the file does not have; false when there is none. */
bool model_default(fmpq_t value, const claim_given *tensor);

/* A tensor of the file that bears one of the names that a layer has for a given and is not its own, which can only be for its
 * shape; NULL. */
const dump_tensor *model_find_misfit(const model_layer *layer, const dump_file *file, unsigned given);

/* The definition with that role; NULL. */
const claim_let *model_role(const claim *family, const char *role);
/* The length of index `position` of tensor number `given` of the layer's family; 0: it has no such index. */
size_t model_extent(const model_layer *layer, unsigned given, unsigned position);
/* The size with that role; -1. */
int model_size_role(const claim *family, const char *role);

/* Order of names with runs of digits taken as numbers, of any length; equal numbers written differently (7, 07), and all
 * else, by bytes. Like strcmp. */
int model_compare_names(const char *a, const char *b);

#endif
