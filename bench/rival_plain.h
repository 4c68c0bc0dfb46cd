/* The rival of bench/model.c: the assumption in double, uncertified, as one writes it down. */
#ifndef ASSAY_BENCH_RIVAL_PLAIN_H
#define ASSAY_BENCH_RIVAL_PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* A safetensors file with nothing but A_log [channels, states] and dt_proj.bias [channels], F32, of one layer after the
 * other. */
typedef struct {
  size_t layers, channels, states;
} rival_shape;

/* In how many entries exp(Delta a) + Delta <= 1, where Delta = log1p(exp(bias)) and a = -exp(A_log): one thread. -1 when the
 * file cannot be read. */
int64_t rival_plain_count(const char *path, const rival_shape *shape);

#endif
