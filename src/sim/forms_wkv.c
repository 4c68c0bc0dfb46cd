/* RWKV-4's normalised sum, by rows of neighbouring channels. forms.h has the contract, forms_reference.c
 * the steps. */
#include <math.h>
#include <string.h>

#include "sim/forms_internal.h"

/* Scratch: numerator, denominator, exponent. */
enum { LANES = 64, NUMERATOR = 0, DENOMINATOR = LANES, EXPONENT = 2 * LANES };

typedef struct {
  const form_wkv *f;
  double *state;
} wkv_job;

static size_t lanes_of(const form_wkv *f, size_t block)
{
  size_t left = f->channels - block * LANES;
  return left < LANES ? left : LANES;
}

static void wkv_load(const void *job, size_t sequence, size_t block, double *scratch)
{
  const wkv_job *j = job;
  for (size_t row = 0; row < 3; row++)
    memcpy(scratch + row * LANES, j->state + (3 * sequence + row) * j->f->channels + block * LANES,
           lanes_of(j->f, block) * sizeof *scratch);
}

static void wkv_store(const void *job, size_t sequence, size_t block, const double *scratch)
{
  const wkv_job *j = job;
  for (size_t row = 0; row < 3; row++)
    memcpy(j->state + (3 * sequence + row) * j->f->channels + block * LANES, scratch + row * LANES,
           lanes_of(j->f, block) * sizeof *scratch);
}

void form_wkv_begin(double *state, size_t sequences, size_t channels)
{
  for (size_t s = 0; s < sequences; s++, state += 3 * channels)
    for (size_t d = 0; d < channels; d++) {
      state[d] = state[channels + d] = 0;
      state[2 * channels + d] = -INFINITY;
    }
}

static void wkv_clear(double *scratch)
{
  form_wkv_begin(scratch, 1, LANES);
}

/* The gaps of the two weights in y, then of the two in the update; the exponents of the smaller ones. */
TARGET_VECTOR static void wkv_gaps(double *restrict gap, double *restrict smaller,
                                   const double *restrict exponent,
                                   const double *restrict log_decay, const double *restrict bonus,
                                   const double *restrict key, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    gap[i] = exponent[i] - (bonus[i] + key[i]);
    gap[n + i] = (log_decay[i] + exponent[i]) - key[i];
  }
#pragma omp simd
  for (size_t i = 0; i < 2 * n; i++)
    smaller[i] = -fabs(gap[i]);
}

TARGET_VECTOR static void wkv_readout(double *restrict y, const double *restrict gap,
                                      const double *restrict less,
                                      const double *restrict scratch, const double *restrict value, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    double past = gap[i] < 0 ? less[i] : 1, present = gap[i] < 0 ? 1 : less[i];
    y[i] = (past * scratch[NUMERATOR + i] + present * value[i]) / (past * scratch[DENOMINATOR + i] + present);
  }
}

/* kept, present: the two parts of the denominator. */
TARGET_VECTOR static void wkv_update(double *restrict scratch, double *restrict kept,
                                     double *restrict present,
                                     const double *restrict gap, const double *restrict less,
                                     const double *restrict log_decay, const double *restrict key,
                                     const double *restrict value, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    double past = gap[i] < 0 ? less[i] : 1, decayed = log_decay[i] + scratch[EXPONENT + i];
    present[i] = gap[i] < 0 ? 1 : less[i];
    kept[i] = past * scratch[DENOMINATOR + i];
    scratch[NUMERATOR + i] = past * scratch[NUMERATOR + i] + present[i] * value[i];
    scratch[DENOMINATOR + i] = kept[i] + present[i];
    scratch[EXPONENT + i] = decayed < key[i] ? key[i] : decayed;
  }
}

static void divide(const scan_output *rows, size_t sequence, size_t token, size_t first, const double *a,
                   const double *b, size_t n)
{
  if (!rows->at)
    return;
  double *out = scan_row_out(rows, sequence, token) + first;
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    out[i] = a[i] / b[i];
}

static void wkv_run(const void *job, size_t sequence, size_t block, double *scratch, size_t first,
                    size_t last, bool quiet)
{
  const form_wkv *f = ((const wkv_job *)job)->f;
  size_t n = lanes_of(f, block), channel = block * LANES;
  double gap[2 * LANES], exponent[2 * LANES], less[2 * LANES], kept[LANES], present[LANES];
  for (size_t t = first; t < last; t++) {
    const double *key = scan_row(&f->key, sequence, t) + channel;
    const double *value = scan_row(&f->value, sequence, t) + channel;
    wkv_gaps(gap, exponent, scratch + EXPONENT, f->log_decay + channel, f->bonus + channel, key, n);
    form_exp(less, exponent, 2 * n);
    if (!quiet && f->y.at)
      wkv_readout(scan_row_out(&f->y, sequence, t) + channel, gap, less, scratch, value, n);
    wkv_update(scratch, kept, present, gap + n, less + n, f->log_decay + channel, key, value, n);
    if (quiet)
      continue;
    divide(&f->h, sequence, t, channel, scratch + NUMERATOR, scratch + DENOMINATOR, n);
    divide(&f->alpha, sequence, t, channel, kept, scratch + DENOMINATOR, n);
    divide(&f->step, sequence, t, channel, present, scratch + DENOMINATOR, n);
  }
}

static void wkv_decay(const void *job, size_t sequence, size_t block, const double *scratch, double *decay,
                      size_t first, size_t last)
{
  const form_wkv *f = ((const wkv_job *)job)->f;
  (void)sequence;
  (void)scratch;
  for (size_t i = 0; i < lanes_of(f, block); i++)
    decay[i] = (double)(last - first) * f->log_decay[block * LANES + i];
}

static void wkv_join(const void *job, double *own, const double *decay, const double *before)
{
  double gap[LANES], smaller[LANES], less[LANES];
  (void)job;
#pragma omp simd
  for (size_t i = 0; i < LANES; i++) {
    gap[i] = (decay[i] + before[EXPONENT + i]) - own[EXPONENT + i];
    smaller[i] = -fabs(gap[i]);
  }
  form_exp(less, smaller, LANES);
#pragma omp simd
  for (size_t i = 0; i < LANES; i++) {
    double past = gap[i] < 0 ? less[i] : 1, present = gap[i] < 0 ? 1 : less[i];
    own[NUMERATOR + i] = past * before[NUMERATOR + i] + present * own[NUMERATOR + i];
    own[DENOMINATOR + i] = past * before[DENOMINATOR + i] + present * own[DENOMINATOR + i];
    own[EXPONENT + i] = gap[i] < 0 ? own[EXPONENT + i] : decay[i] + before[EXPONENT + i];
  }
}

void form_scan_wkv(const scan_options *options, double *state, const form_wkv *f)
{
  form_parts parts = {.blocks = f->channels / LANES + (f->channels % LANES != 0), .state = 3 * LANES,
                      .scratch = 3 * LANES, .decay = LANES, .load = wkv_load, .store = wkv_store,
                      .clear = wkv_clear, .run = wkv_run, .decay_of = wkv_decay, .join = wkv_join};
  wkv_job job = {f, state};
  if (form_wants_reference(options))
    form_reference_wkv(state, f);
  else
    form_drive(options, &parts, &job, f->sequences, f->tokens);
}
