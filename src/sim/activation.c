/* Functions over arrays, in blocks that stay in the cache. */
#include "sim/activation.h"

#include <math.h>
#include <string.h>

#include "arith/kernels.h"

enum { BLOCK = 8 * KERNEL_BLOCK };

static double clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* e[i] = exp(-x[i]), in a range where nothing overflows. */
static void exp_of_negative(double *restrict e, const double *restrict x, size_t n)
{
  double argument[BLOCK];
  for (size_t i = 0; i < n; i++)
    argument[i] = clamp(-x[i], -708, 708);
  kernel_exp(e, argument, n);
}

static size_t block_size(size_t left)
{
  return left < BLOCK ? left : BLOCK;
}

void activation_sigmoid(double *out, const double *in, size_t n)
{
  double e[BLOCK];
  for (size_t first = 0, count; first < n; first += count) {
    count = block_size(n - first);
    exp_of_negative(e, in + first, count);
    for (size_t i = 0; i < count; i++)
      out[first + i] = 1 / (1 + e[i]);
  }
}

void activation_silu(double *out, const double *in, size_t n)
{
  double e[BLOCK];
  for (size_t first = 0, count; first < n; first += count) {
    count = block_size(n - first);
    exp_of_negative(e, in + first, count);
    for (size_t i = 0; i < count; i++)
      out[first + i] = in[first + i] / (1 + e[i]);
  }
}

void activation_softplus(double *out, const double *in, size_t n)
{
  double argument[BLOCK], e[BLOCK];
  for (size_t first = 0, count; first < n; first += count) {
    count = block_size(n - first);
    for (size_t i = 0; i < count; i++)
      argument[i] = clamp(-fabs(in[first + i]), -708, 0);
    kernel_exp(e, argument, count);
    memcpy(argument, e, count * sizeof *e);
    kernel_log1p(e, argument, count);
    for (size_t i = 0; i < count; i++) {
      double x = in[first + i];
      out[first + i] = x > 0 ? x + e[i] : e[i];
    }
  }
}

void activation_gelu(double *out, const double *in, size_t n)
{
  for (size_t i = 0; i < n; i++)
    out[i] = 0.5 * in[i] * erfc(-in[i] * M_SQRT1_2);
}
