/* Norms, dense maps, convolutions, gates. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/target.h"
#include "sim/activation.h"
#include "sim/blas.h"
#include "sim/block.h"

enum { LANES = 8, WORTH = 1 << 14 /* steps that pay for starting threads */ };

int block_threads(int wanted, size_t steps)
{
  int most = wanted > 0 ? wanted : omp_get_max_threads();
  return steps < WORTH ? 1 : most;
}

/* ---- norms ---- */

bool block_norm_read(block_norm *n, const parameters *p, const char *weight, const char *bias, size_t width, bool required)
{
  *n = (block_norm){.width = width, .epsilon = parameters_epsilon(p->file)};
  if (!parameters_read(&n->weight, p, weight, required, width, 0) || !parameters_read(&n->bias, p, bias, false, width, 0))
    return false;
  n->centred = n->bias != NULL;
  if (n->bias && !n->weight)
    return parameters_refuse(p, "a norm has a bias and no weight");
  return true;
}

void block_norm_clear(block_norm *n)
{
  free(n->weight);
  free(n->bias);
  *n = (block_norm){0};
}

/* The sum over i of (x[i] - mean)^power, in a fixed order: LANES sums side by side. */
TARGET_VECTOR static double sum_of(const double *restrict x, size_t n, double mean, int power)
{
  double sum[LANES] = {0}, rest = 0;
  size_t i = 0;
  if (power == 1) {
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        sum[k] += x[i + k];
    for (; i < n; i++)
      rest += x[i];
  } else {
    for (; i + LANES <= n; i += LANES)
      for (size_t k = 0; k < LANES; k++)
        sum[k] += (x[i + k] - mean) * (x[i + k] - mean);
    for (; i < n; i++)
      rest += (x[i] - mean) * (x[i] - mean);
  }
  return (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))) + rest;
}

void block_norm_row(double *y, const double *x, const block_norm *n)
{
  double width = (double)n->width, mean = n->centred ? sum_of(x, n->width, 0, 1) / width : 0;
  double scale = 1 / sqrt(sum_of(x, n->width, mean, 2) / width + n->epsilon);
  for (size_t i = 0; i < n->width; i++)
    y[i] = (x[i] - mean) * scale * n->weight[i] + (n->bias ? n->bias[i] : 0);
}

void block_norm_apply(double *y, const double *x, const block_norm *n, size_t tokens, int threads)
{
  if (!n->weight) {
    memmove(y, x, tokens * n->width * sizeof *y);
    return;
  }
#pragma omp parallel for num_threads(block_threads(threads, tokens * n->width)) schedule(static)
  for (size_t t = 0; t < tokens; t++)
    block_norm_row(y + t * n->width, x + t * n->width, n);
}

/* ---- dense maps ---- */

bool block_dense_read(block_dense *l, const parameters *p, const char *weight, const char *bias, size_t rows, size_t columns)
{
  *l = (block_dense){.rows = rows, .columns = columns};
  if (rows >= BLAS_EXTENT || columns >= BLAS_EXTENT)
    return parameters_refuse(p, "the matrix with the role %s is too large", weight);
  return parameters_read(&l->weight, p, weight, true, rows, columns) &&
         (!bias || parameters_read(&l->bias, p, bias, false, rows, 0));
}

void block_dense_clear(block_dense *l)
{
  free(l->weight);
  free(l->bias);
  *l = (block_dense){0};
}

void block_dense_apply(double *y, const double *x, size_t x_stride, const block_dense *l, size_t tokens, int threads)
{
  for (size_t t = 0; t < tokens && l->bias; t++)
    memcpy(y + t * l->rows, l->bias, l->rows * sizeof *y);
  int worth = block_threads(threads, tokens * l->rows * l->columns / 4);
  blas_multiply(y, l->rows, x, x_stride, l->weight, tokens, l->rows, l->columns, l->bias != NULL, worth);
}

/* ---- convolutions ---- */

static bool declares(const claim *f, const char *role)
{
  for (unsigned i = 0; i < f->givens; i++)
    if (f->given[i].stored && f->given[i].role && !strcmp(f->given[i].role, role))
      return true;
  return false;
}

bool block_conv_read(block_conv *c, const parameters *p, size_t channels)
{
  *c = (block_conv){.channels = channels, .width = 1};
  double *stored = NULL;
  if (declares(p->layer->family, "conv")) {
    size_t width = parameters_extent(p, "conv", 1);
    if (!parameters_read(&stored, p, "conv", true, channels, width))
      return false;
    c->width = width;
    c->weight = parameters_room(channels * width);
    for (size_t i = 0; i < channels; i++)
      for (size_t w = 0; w < width; w++)
        c->weight[w * channels + i] = stored[i * width + w];
    free(stored);
  }
  return parameters_read(&c->bias, p, "conv_bias", false, channels, 0);
}

void block_conv_clear(block_conv *c)
{
  free(c->weight);
  free(c->bias);
  *c = (block_conv){0};
}

TARGET_VECTOR static void add_product(double *restrict y, const double *restrict weight, const double *restrict x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    y[i] += weight[i] * x[i];
}

static void conv_row(double *y, const double *x, const block_conv *c)
{
  size_t n = c->channels;
  if (c->bias)
    memcpy(y, c->bias, n * sizeof *y);
  else
    memset(y, 0, n * sizeof *y);
  for (size_t w = 0; w < c->width; w++) {
    if (c->weight)
      add_product(y, c->weight + w * n, x + w * n, n);
    else
      for (size_t i = 0; i < n; i++)
        y[i] += x[i];
  }
  activation_silu(y, y, n);
}

void block_conv_silu(double *y, double *past, const double *x, size_t x_stride, const block_conv *c, size_t tokens,
                     workspace *room, int threads)
{
  size_t n = c->channels, before = c->width - 1;
  double *all = workspace_take(room, (before + tokens) * n);
  if (before > 0)
    memcpy(all, past, before * n * sizeof *all);
  for (size_t t = 0; t < tokens; t++)
    memcpy(all + (before + t) * n, x + t * x_stride, n * sizeof *all);
#pragma omp parallel for num_threads(block_threads(threads, tokens * n)) schedule(static)
  for (size_t t = 0; t < tokens; t++)
    conv_row(y + t * n, all + t * n, c);
  if (before > 0)
    memcpy(past, all + tokens * n, before * n * sizeof *past);
}

/* ---- gates ---- */

static void gate_row(double *y, const double *z, size_t n)
{
  enum { BLOCK = 256 };
  double g[BLOCK];
  for (size_t first = 0; first < n; first += BLOCK) {
    size_t count = n - first < BLOCK ? n - first : BLOCK;
    activation_silu(g, z + first, count);
    for (size_t i = 0; i < count; i++)
      y[first + i] *= g[i];
  }
}

void block_gate(double *y, const double *z, size_t z_stride, size_t tokens, size_t width, int threads)
{
#pragma omp parallel for num_threads(block_threads(threads, tokens * width)) schedule(static)
  for (size_t t = 0; t < tokens; t++)
    gate_row(y + t * width, z + t * z_stride, width);
}

void block_glu(double *y, const double *v, const double *g, size_t stride, size_t tokens, size_t width, int threads)
{
#pragma omp parallel for num_threads(block_threads(threads, tokens * width)) schedule(static)
  for (size_t t = 0; t < tokens; t++) {
    double *row = y + t * width;
    activation_sigmoid(row, g + t * stride, width);
    for (size_t i = 0; i < width; i++)
      row[i] *= v[t * stride + i];
  }
}
