/* The bound of Theorem 3.1 for one scan, rounded outward. */
#include "sim/influence_bound.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "arith/kernels.h"
#include "core/flint.h"
#include "core/memory.h"

/* Numbers here are >= 0 where they are rounded by these. UP is above 1 + 8 u, u = 2^-53: enough for a product
 * of two or three rounded factors, or for a sum of two; TINY is above what an underflow of a few products can
 * take away. */
#define U 0x1p-53
#define UP (1 + 0x1p-50)
#define TINY 0x1p-1060

/* lg x from above, x > 0; of what is not finite, infinity. */
static double lg_above(double x)
{
  if (!(x < INFINITY))
    return INFINITY;
  arb_t v, ten;
  arb_init(v);
  arb_init(ten);
  arb_set_d(v, x);
  arb_log(v, v, 80);
  arb_log_ui(ten, 10, 80);
  arb_div(v, v, ten, 80);
  arf_t end;
  arf_init(end);
  arb_get_ubound_arf(end, v, 80);
  double out = arf_get_d(end, ARF_RND_CEIL);
  arf_clear(end);
  arb_clear(v);
  arb_clear(ten);
  return out;
}

/* The root of a sum of squares that was rounded plainly over `terms` additions: its logarithm from above. */
static double root_lg(double sum, size_t terms)
{
  return lg_above(sum * (1 + 4 * ((double)terms + 8) * U) + (double)(terms + 1) * TINY) /
         2; /* halving is exact */
}

void scan_decay_init(scan_decay *d)
{
  *d = (scan_decay){-INFINITY, -INFINITY, 0, 0};
}

void scan_decay_add(scan_decay *d, const double *step, const double *rate, size_t tokens, size_t channels,
                    size_t states)
{
  for (size_t k = 0; k < channels; k++) {
    double top = -INFINITY, total = 0;
    for (size_t n = 0; n < states; n++) {
      top = rate[k * states + n] > top ? rate[k * states + n] : top;
      total += rate[k * states + n];
    }
    double steps = 0, least = INFINITY;
    for (size_t t = 0; t < tokens; t++) {
      double x = step[t * channels + k];
      steps += x;
      least = x < least ? x : least;
    }
    if (states == 0 || tokens == 0)
      continue;
    d->sum += steps == 0 || total == 0 ? 0 : steps * total;
    d->entries += (uint64_t)tokens * states;
    /* rates <= 0 and steps >= 0: the largest product is that of the largest rate and the least step */
    double product = least * top;
    bool zero = least == 0 || top == 0;
    double above = zero ? 0 : nextafter(product, INFINITY), below = zero ? 0 : nextafter(product, -INFINITY);
    d->log_max = above > d->log_max ? above : d->log_max;
    d->log_max_below = below > d->log_max_below ? below : d->log_max_below;
  }
}

void scan_decay_add_poles(scan_decay *d, const double *a, size_t count, size_t lanes, size_t tokens)
{
  arb_t size, part;
  arf_t end;
  arb_init(size);
  arb_init(part);
  arf_init(end);
  for (size_t i = 0; i < count; i++) {
    arb_zero(size);
    for (size_t k = 0; k < lanes; k++) {
      arb_set_d(part, a[lanes * i + k]);
      arb_addmul(size, part, part, 128);
    }
    arb_log(size, size, 80); /* -infinity or NaN at 0, which is no largest one */
    arb_mul_2exp_si(size, size, -1);
    bool fine = arb_is_finite(size);
    arb_get_ubound_arf(end, size, 80);
    double above = fine ? arf_get_d(end, ARF_RND_CEIL) : -INFINITY;
    arb_get_lbound_arf(end, size, 80);
    double below = fine ? arf_get_d(end, ARF_RND_FLOOR) : -INFINITY;
    d->log_max = above > d->log_max ? above : d->log_max;
    d->log_max_below = below > d->log_max_below ? below : d->log_max_below;
    d->sum += (double)tokens * (fine ? arf_get_d(arb_midref(size), ARF_RND_NEAR) : -INFINITY);
  }
  d->entries += (uint64_t)tokens * count;
  arb_clear(size);
  arb_clear(part);
  arf_clear(end);
}

/* |C_t|^2 of the largest group. */
static double readout_square(const scan_record *r, size_t t)
{
  double most = 0;
  for (size_t g = 0; g < r->groups; g++) {
    const double *c = r->c + (t * r->groups + g) * r->states;
    double sum = 0;
    for (size_t n = 0; n < r->states; n++)
      sum += c[n] * c[n];
    if (!isfinite(sum))
      return INFINITY;
    most = sum > most ? sum : most;
  }
  return most;
}

/* Of one channel: squares[s] += the sum over n of the squares in |G_s|, from above. */
static void add_channel(double *squares, const scan_record *r, size_t d)
{
  size_t D = r->channels, N = r->states, group = d / (D / r->groups);
  const double *rate = r->rate + d * N;
  double *x = memory_new(N, sizeof *x), *alpha = memory_new(N, sizeof *alpha);
  double *h = memory_new(N, sizeof *h),
         *error = memory_new(N, sizeof *error); /* |h - the real one| <= error */
  for (size_t s = 0; s < r->tokens; s++) {
    double step = r->step[s * D + d], u = r->u[s * D + d], sum = 0;
    const double *b = r->b + (s * r->groups + group) * N;
    for (size_t n = 0; n < N; n++)
      x[n] = step * rate[n];
    kernel_exp(alpha, x, N);
    for (size_t n = 0; n < N; n++) {
      /* alpha is off by off_alpha: the product Delta A is rounded, a relative error of u in the exponent, the
       * exponential has a bound of its own; below the kernel's domain it is between 0 and e^-708 */
      double off_alpha;
      if (x[n] >= KERNEL_EXP_LO)
        off_alpha = alpha[n] * (-x[n] * 2 * U + 2 * KERNEL_EXP_REL) * UP + TINY;
      else {
        alpha[n] = 0;
        off_alpha = 0x1p-1020;
      }
      double kept = alpha[n] * h[n],
             off_kept =
                 (alpha[n] * error[n] + off_alpha * (fabs(h[n]) + error[n]) + fabs(kept) * U) * UP + TINY;
      double drive = step * u * b[n];
      double by_step = b[n] * u + rate[n] * kept;
      double off_by_step =
          (fabs(rate[n]) * off_kept + 2 * U * (fabs(b[n] * u) + fabs(rate[n] * kept) + fabs(by_step))) * UP +
          4 * TINY;
      double by_u = fabs(step * b[n]) * UP, by_b = fabs(step * u) * UP;
      double most = (fabs(by_step) + off_by_step) * UP;
      sum += by_u * by_u + most * most + by_b * by_b;
      h[n] = kept + drive;
      error[n] = (off_kept + 3 * U * fabs(drive) + U * fabs(h[n])) * UP + TINY;
    }
    squares[s] += sum;
  }
  free(x);
  free(alpha);
  free(h);
  free(error);
}

void scan_bound_init(scan_bound *b, const scan_record *r, int threads)
{
  enum { PART = 32 }; /* channels that are summed by one thread: fixed, so that threads do not matter */
  size_t T = r->tokens, parts = (r->channels + PART - 1) / PART;
  b->tokens = T;
  b->readout_lg = memory_new(T, sizeof(double));
  b->local_lg = memory_new(T, sizeof(double));
  double *part = memory_new(memory_multiply(parts, T), sizeof *part);
#pragma omp parallel for num_threads(scan_threads(threads, T * r->channels * r->states)) schedule(dynamic, 1)
  for (size_t i = 0; i < parts; i++)
    for (size_t d = i * PART; d < (i + 1) * PART && d < r->channels; d++)
      add_channel(part + i * T, r, d);
  for (size_t t = 0; t < T; t++) {
    double sum = 0;
    for (size_t i = 0; i < parts; i++)
      sum += part[i * T + t];
    b->local_lg[t] = root_lg(sum, 3 * r->channels * r->states);
    b->readout_lg[t] = root_lg(readout_square(r, t), r->states);
  }
  free(part);
  scan_decay decay;
  scan_decay_init(&decay);
  scan_decay_add(&decay, r->step, r->rate, T, r->channels, r->states);
  b->log_max = decay.log_max;
  b->log_max_below = decay.log_max_below;
  /* log_max is <= 0 but for the step of nextafter at a product that underflowed: then 0 is no bound, that
   * double is */
  static const double lg_e_below = 0x1.bcb7b1526e50ep-2, lg_e_above = 0x1.bcb7b1526e50fp-2;
  b->lg_max =
      b->log_max == 0 ? 0 : nextafter(b->log_max * (b->log_max < 0 ? lg_e_below : lg_e_above), INFINITY);
}

void scan_bound_clear(scan_bound *b)
{
  free(b->readout_lg);
  free(b->local_lg);
}

double scan_bound_lg(const scan_bound *b, size_t t, size_t s)
{
  double c = b->readout_lg[t], g = b->local_lg[s];
  double power = nextafter((double)(t - s) * b->lg_max, INFINITY);
  if (b->lg_max == 0)
    power = 0;
  return nextafter(nextafter(c + g, INFINITY) + power, INFINITY);
}
