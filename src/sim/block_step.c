/* The step of a block, and what else several blocks make of their selections. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/philox.h"
#include "sim/activation.h"
#include "sim/block.h"

bool block_step_read(double **bias, definition_store *store, const parameters *p, size_t count)
{
  const claim *f = p->layer->family;
  *bias = NULL;
  if (!parameters_read_definitions(store, p))
    return false;
  const claim_let *step = model_role(f, "step");
  int given = definition_softplus_bias(f);
  if (!step || step->positions != 1)
    return parameters_refuse(p, "the family's step is not one for each channel or head, which this block needs");
  if (given < 0)
    return true;
  if (!store->value[given])
    return parameters_refuse(p, "it has no \"%s\", without which it cannot run", f->given[given].stored_as[0]);
  if (definition_count(p->layer, (unsigned)given) != count)
    return parameters_refuse(p, "the bias of the step has not one element for each channel or head");
  *bias = parameters_room(count);
  memcpy(*bias, store->value[given], count * sizeof **bias);
  return true;
}

static void defined_row(double *row, const definition_store *store, const claim_let *let, size_t count)
{
  for (size_t c = 0; c < count; c++) {
    int64_t index = (int64_t)c + 1;
    if (!definition_value(&row[c], store, let, &index, row[c]))
      row[c] = NAN;
  }
}

void block_step_apply(double *step, const double *bias, const definition_store *store, size_t tokens, size_t count,
                      int threads)
{
  const claim_let *let = bias ? NULL : model_role(store->layer->family, "step");
#pragma omp parallel for num_threads(block_threads(threads, tokens * count)) schedule(static)
  for (size_t t = 0; t < tokens; t++) {
    double *row = step + t * count;
    if (!bias) {
      defined_row(row, store, let, count);
      continue;
    }
    for (size_t c = 0; c < count; c++)
      row[c] += bias[c];
    activation_softplus(row, row, count);
  }
}

double *block_copy_columns(workspace *room, const double *from, size_t stride, size_t tokens, size_t columns)
{
  double *to = workspace_take(room, tokens * columns);
  for (size_t t = 0; t < tokens; t++)
    memcpy(to + t * columns, from + t * stride, columns * sizeof *to);
  return to;
}

void block_drive(double *drive, size_t d_stride, const double *b, size_t b_stride, const double *u, size_t u_stride,
                 size_t tokens, size_t d, size_t n, int threads)
{
#pragma omp parallel for num_threads(block_threads(threads, tokens * d * n)) schedule(static)
  for (size_t t = 0; t < tokens; t++)
    for (size_t c = 0; c < d; c++)
      for (size_t i = 0; i < n; i++)
        drive[(t * d_stride + c) * n + i] = b[t * b_stride + i] * u[t * u_stride + c];
}

void block_draw(double *out, size_t count, size_t fan_in, size_t layer, uint32_t attempt)
{
  philox_stream random = philox_stream_start(1, philox_hash_name("polarized"), layer, attempt);
  double bound = 1 / sqrt((double)fan_in);
  for (size_t i = 0; i < count; i++)
    out[i] = bound * (2 * philox_uniform(&random) - 1);
}
