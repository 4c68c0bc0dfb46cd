/* A Mamba-1 of doubles made in memory, for tests of nets: LAYERS layers, width M, D channels, N states, rank R, a convolution
 * of width W; a vocabulary of V. Its numbers are drawn, by default, and a test may change them before it makes the file. */
#ifndef ASSAY_TESTS_SIM_MADE_NET_H
#define ASSAY_TESTS_SIM_MADE_NET_H

#include <math.h>

#include "../dump/made_model.h"
#include "core/memory.h"
#include "core/philox.h"
#include "sim/net.h"

enum { LAYERS = 2, M = 24, D = 40, N = 5, R = 3, W = 4, V = 19, PARTS = 10, TENSORS = LAYERS * PARTS + 3 };

typedef struct {
  made_tensor tensor[TENSORS + 1]; /* one more for a test to add */
  char name[TENSORS][64];
  double *value[TENSORS];
  size_t count;
} made_net;

static const struct {
  const char *name;
  unsigned rank;
  uint64_t shape[4];
  double scale, offset;
} made_parts[PARTS] = {{"norm.weight", 1, {M}, 0.1, 1},
                       {"mixer.A_log", 2, {D, N}, 1, 0.5},
                       {"mixer.D", 1, {D}, 1, 0},
                       {"mixer.in_proj.weight", 2, {2 * D, M}, 0.3, 0},
                       {"mixer.conv1d.weight", 3, {D, 1, W}, 0.5, 0},
                       {"mixer.conv1d.bias", 1, {D}, 0.2, 0},
                       {"mixer.x_proj.weight", 2, {R + 2 * N, D}, 0.3, 0},
                       {"mixer.dt_proj.weight", 2, {D, R}, 0.5, 0},
                       {"mixer.dt_proj.bias", 1, {D}, 1, -2},
                       {"mixer.out_proj.weight", 2, {M, D}, 0.2, 0}};

static inline void made_net_add(made_net *m, const char *name, unsigned rank, const uint64_t *shape, double scale, double offset)
{
  size_t i = m->count++, values = 1;
  philox_stream random = philox_stream_start(7, 1, i, 0);
  for (unsigned k = 0; k < rank; k++)
    values *= shape[k];
  snprintf(m->name[i], sizeof m->name[i], "%s", name);
  m->value[i] = memory_new(values, sizeof(double));
  for (size_t k = 0; k < values; k++)
    m->value[i][k] = offset + scale * (2 * philox_uniform(&random) - 1);
  m->tensor[i] = (made_tensor){.name = m->name[i], .rank = rank, .value = m->value[i], .kind = DUMP_PARAMETER};
  memcpy(m->tensor[i].shape, shape, rank * sizeof *shape);
}

static inline void made_net_init(made_net *m)
{
  *m = (made_net){.count = 0};
  for (int l = 0; l < LAYERS; l++)
    for (int k = 0; k < PARTS; k++) {
      char name[64];
      snprintf(name, sizeof name, "layers.%d.%s", l, made_parts[k].name);
      made_net_add(m, name, made_parts[k].rank, made_parts[k].shape, made_parts[k].scale, made_parts[k].offset);
    }
  made_net_add(m, "embedding.weight", 2, (const uint64_t[]){V, M}, 1, 0);
  made_net_add(m, "norm_f.weight", 1, (const uint64_t[]){M}, 0.1, 1);
  made_net_add(m, "lm_head.weight", 2, (const uint64_t[]){V, M}, 0.3, 0);
}

static inline void made_net_clear(made_net *m)
{
  for (size_t i = 0; i < TENSORS; i++)
    free(m->value[i]);
}

/* The number of a tensor by its name. */
static inline size_t made_net_find(const made_net *m, const char *name)
{
  for (size_t i = 0; i < m->count; i++)
    if (!strcmp(m->tensor[i].name, name))
      return i;
  ck_abort_msg("no tensor %s", name);
  return 0;
}

/* NULL with the error set. */
static inline net *net_of(const dump_file *file, const made_families *f, const net_options *options, dump_error *error)
{
  model found;
  if (model_recognise(&found, f->family, f->count, file, error) != STATUS_OK)
    return NULL;
  net *n = net_create(&found, options, error);
  model_clear(&found);
  return n;
}

#endif
