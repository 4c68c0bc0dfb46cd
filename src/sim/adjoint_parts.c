/* Adjoints of norms, dense maps, convolutions and activations. */
#include "sim/adjoint_parts.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/blas.h"

void adjoint_dense(adjoint_rows *xbar, const adjoint_rows *ybar, const block_dense *l, size_t active,
                   int threads)
{
  size_t vectors = active * ybar->rows;
  blas_multiply_transposed(xbar->m, l->columns, ybar->m, l->rows, l->weight, vectors, l->rows, l->columns, 0,
                           block_threads(threads, vectors * l->rows * l->columns / 4));
  memcpy(xbar->e, ybar->e, active * sizeof *xbar->e);
  adjoint_rows_normalise(xbar, active);
}

void adjoint_scale(adjoint_rows *xbar, const adjoint_rows *ybar, const double *factor, size_t active)
{
  size_t width = ybar->width;
  for (size_t k = 0; k < active * ybar->rows; k++)
    for (size_t i = 0; i < width; i++)
      xbar->m[k * width + i] = factor[i] * ybar->m[k * width + i];
  if (xbar != ybar)
    memcpy(xbar->e, ybar->e, active * sizeof *xbar->e);
  adjoint_rows_normalise(xbar, active);
}

/* y = (x - mean) scale weight: with g = weight ybar and z = (x - mean) scale, xbar = scale (g - mean of g - z
 * mean of (g z)), the first mean only where x is centred. g, which is ybar, becomes xbar. */
static void norm_row(double *g, const double *x, const double *weight, double mean, double scale,
                     const block_norm *n)
{
  double width = (double)n->width, along = 0, level = 0;
  for (size_t i = 0; i < n->width; i++) {
    g[i] *= weight[i];
    along += g[i] * (x[i] - mean);
    level += g[i];
  }
  along *= scale * scale / width;
  level = n->centred ? level / width : 0;
  for (size_t i = 0; i < n->width; i++)
    g[i] = scale * (g[i] - level - (x[i] - mean) * along);
}

void adjoint_norm(adjoint_rows *xbar, const adjoint_rows *ybar, const block_norm *n, const double *x,
                  size_t active)
{
  adjoint_rows_copy(xbar, ybar, active);
  if (!n->weight)
    return;
  size_t m = n->width;
  for (size_t first = 0; first < ybar->width; first += m) {
    double width = (double)m, mean = 0, square = 0;
    for (size_t i = 0; i < m && n->centred; i++)
      mean += x[first + i];
    mean /= width;
    for (size_t i = 0; i < m; i++)
      square += (x[first + i] - mean) * (x[first + i] - mean);
    double scale = 1 / sqrt(square / width + n->epsilon);
    for (size_t k = 0; k < active * ybar->rows; k++)
      norm_row(xbar->m + k * ybar->width + first, x + first, n->weight + first, mean, scale, n);
  }
  adjoint_rows_normalise(xbar, active);
}

void adjoint_put(adjoint_rows *x, size_t first, const adjoint_rows *part, size_t active)
{
  size_t width = x->width, n = part->width;
  for (size_t p = 0; p < active; p++) {
    if (first == 0)
      x->e[p] = WIDE_ZERO; /* nothing is put yet */
    double scale = 0;
    if (part->e[p] > x->e[p]) {
      double keep = wide_power(x->e[p] - part->e[p]);
      for (size_t k = p * x->rows; k < (p + 1) * x->rows; k++)
        for (size_t i = 0; i < first; i++)
          x->m[k * width + i] *= keep;
      x->e[p] = part->e[p];
      scale = 1;
    } else if (part->e[p] != WIDE_ZERO)
      scale = wide_power(part->e[p] - x->e[p]);
    for (size_t k = p * x->rows; k < (p + 1) * x->rows; k++)
      for (size_t i = 0; i < n; i++)
        x->m[k * width + first + i] = part->m[k * n + i] * scale;
  }
}

void adjoint_silu_slope(double *out, const double *x, size_t n)
{
  activation_sigmoid(out, x, n);
  for (size_t i = 0; i < n; i++)
    out[i] = out[i] == 0 ? 0 : out[i] * (1 + x[i] * (1 - out[i]));
}

/* ---- convolutions ---- */

void adjoint_conv_init(adjoint_conv *a, const block_conv *c, size_t positions, size_t rows)
{
  a->width = c->width;
  a->ring = memory_new(c->width, sizeof *a->ring);
  for (size_t w = 0; w < c->width; w++)
    adjoint_rows_init(&a->ring[w], positions, rows, c->channels);
}

void adjoint_conv_clear(adjoint_conv *a)
{
  for (size_t w = 0; w < a->width; w++)
    adjoint_rows_clear(&a->ring[w]);
  free(a->ring);
}

void adjoint_conv_step(adjoint_conv *a, adjoint_rows *xbar, const adjoint_rows *ybar, const block_conv *c,
                       size_t s, size_t active)
{
  size_t n = c->channels, rows = ybar->rows;
  adjoint_rows_copy(&a->ring[s % a->width], ybar, active);
  for (size_t p = 0; p < active; p++) {
    int64_t top = WIDE_ZERO;
    for (size_t w = 0; w < a->width; w++)
      top = a->ring[w].e[p] > top ? a->ring[w].e[p] : top;
    double *x = xbar->m + p * rows * n;
    memset(x, 0, rows * n * sizeof *x);
    xbar->e[p] = top;
    /* x_s is weighted by weight[W - 1 - i] in the output of token s + i */
    for (size_t i = 0; i < a->width && top != WIDE_ZERO; i++) {
      const adjoint_rows *y = &a->ring[(s + i) % a->width];
      const double *weight = c->weight ? c->weight + (a->width - 1 - i) * n : NULL;
      double scale = y->e[p] == WIDE_ZERO ? 0 : wide_power(y->e[p] - top);
      for (size_t k = 0; k < rows && scale > 0; k++)
        for (size_t j = 0; j < n; j++)
          x[k * n + j] += (weight ? weight[j] : 1) * scale * y->m[(p * rows + k) * n + j];
    }
  }
  adjoint_rows_normalise(xbar, active);
}

void adjoint_conv_forward(double *y, const double *x, size_t before, size_t tokens, const block_conv *c)
{
  size_t n = c->channels, width = c->width;
  for (size_t t = 0; t < tokens; t++)
    for (size_t j = 0; j < n; j++) {
      double sum = c->bias ? c->bias[j] : 0;
      for (size_t w = 0; w < width; w++)
        if (before + t + w + 1 >= width)
          sum += (c->weight ? c->weight[w * n + j] : 1) * x[(before + t + w + 1 - width) * n + j];
      y[t * n + j] = sum;
    }
}
