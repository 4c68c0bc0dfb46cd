/* A plain loop over the parameters of a model. */
#include "rival_plain.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t count_layer(const float *a_log, const float *bias, const rival_shape *shape)
{
  int64_t holds = 0;
  for (size_t c = 0; c < shape->channels; c++) {
    double delta = log1p(exp((double)bias[c]));
    for (size_t n = 0; n < shape->states; n++) {
      double a = -exp((double)a_log[c * shape->states + n]);
      holds += exp(delta * a) + delta <= 1;
    }
  }
  return holds;
}

int64_t rival_plain_count(const char *path, const rival_shape *shape)
{
  FILE *f = fopen(path, "rb");
  uint64_t header;
  int64_t holds = 0;
  if (!f)
    return -1;
  size_t entries = shape->channels * shape->states, size = entries + shape->channels;
  float *x = malloc(size * sizeof *x);
  bool fine = x && fread(&header, sizeof header, 1, f) == 1 && fseek(f, (long)header, SEEK_CUR) == 0;
  for (size_t k = 0; k < shape->layers && fine; k++) {
    fine = fread(x, sizeof *x, size, f) == size;
    holds += fine ? count_layer(x, x + entries, shape) : 0;
  }
  free(x);
  fclose(f);
  return fine ? holds : -1;
}
