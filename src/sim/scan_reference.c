/* The selective scan as its formula reads, token after token, in plain C; exp from arith/kernels.h, whose relative error
 * is proved. The contract is in scan.h.
 *
 * The decay is exp of the rounded product fl(Delta A): |x| 2^-53 of SCAN_EXP_SLOPE |x|, and the rest is KERNEL_EXP_REL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/kernels.h"
#include "core/memory.h"
#include "sim/scan_internal.h"

/* exp x where kernel_exp has no bound: beyond its domain. There |x| > 708, and the slope of the bound leaves room for
 * the error of a square. */
static double exp_far(double x)
{
  if (x < -746)
    return 0;
  if (x > 710)
    return INFINITY;
  double half = x / 2, root; /* exact */
  kernel_exp(&root, &half, 1);
  return root * root;
}

static void exp_all(double *restrict out, const double *restrict in, size_t n)
{
  kernel_exp(out, in, n);
  for (size_t i = 0; i < n; i++)
    if (isnan(out[i]))
      out[i] = exp_far(in[i]);
}

/* z/(1 + exp(-z)), from exp(-|z|), so that nothing overflows and small values keep their digits. */
static void multiply_by_silu(double *restrict y, const double *restrict z, double *restrict work, size_t n)
{
  double *negative = work, *e = work + n;
  for (size_t i = 0; i < n; i++)
    negative[i] = -fabs(z[i]);
  exp_all(e, negative, n);
  for (size_t i = 0; i < n; i++)
    y[i] *= z[i] * ((z[i] < 0 ? e[i] : 1) / (1 + e[i]));
}

static void one_sequence(double *restrict state, double *work, size_t s, const scan_outputs *out,
                         const scan_layer *layer, const scan_inputs *in)
{
  size_t channels = layer->channels, states = layer->states, all = channels * states;
  double *x = work, *alpha = work + all, *gate_work = work + 2 * all;
  for (size_t t = 0; t < in->tokens; t++) {
    const double *step = scan_row(&in->step, s, t), *u = scan_row(&in->u, s, t), *b = scan_row(&in->b, s, t);
    for (size_t d = 0; d < channels; d++)
      for (size_t n = 0; n < states; n++)
        x[d * states + n] = step[d] * layer->rate[d * states + n];
    exp_all(alpha, x, all);
    for (size_t d = 0; d < channels; d++) {
      double drive = step[d] * u[d];
      double *h = state + d * states;
      for (size_t n = 0; n < states; n++)
        h[n] = alpha[d * states + n] * h[n] + drive * b[n];
    }
    if (out->alpha.at)
      memcpy(scan_row_out(&out->alpha, s, t), alpha, all * sizeof *alpha);
    if (out->h.at)
      memcpy(scan_row_out(&out->h, s, t), state, all * sizeof *state);
    if (!out->y.at)
      continue;
    double *y = scan_row_out(&out->y, s, t), *sum = gate_work;
    const double *c = scan_row(&in->c, s, t);
    for (size_t d = 0; d < channels; d++) {
      sum[d] = layer->skip ? layer->skip[d] * u[d] : 0;
      for (size_t n = 0; n < states; n++)
        sum[d] += c[n] * state[d * states + n];
    }
    if (in->gate.at)
      multiply_by_silu(sum, scan_row(&in->gate, s, t), gate_work + channels, channels);
    memcpy(y, sum, channels * sizeof *y);
  }
}

void scan_reference(double *state, const scan_outputs *out, const scan_layer *layer, const scan_inputs *in)
{
  size_t all = memory_multiply(layer->channels, layer->states);
  double *work = memory_new(memory_add(memory_multiply(2, all), memory_multiply(3, layer->channels)), sizeof *work);
  for (size_t s = 0; s < in->sequences; s++)
    one_sequence(state + s * all, work, s, out, layer, in);
  free(work);
}
