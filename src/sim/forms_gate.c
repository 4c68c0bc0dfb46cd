/* Gates and poles: recurrences without a readout, by rows of neighbouring channels. forms.h has the
 * contract. */
#include <string.h>

#include "sim/forms_internal.h"

enum { LANES = 64 };

static size_t blocks_of(size_t channels)
{
  return channels / LANES + (channels % LANES != 0);
}

static size_t lanes_of(size_t channels, size_t block)
{
  size_t left = channels - block * LANES;
  return left < LANES ? left : LANES;
}

/* Gates. Scratch: h. */

typedef struct {
  const form_gate *f;
  double *state;
} gate_job;

static void gate_load(const void *job, size_t sequence, size_t block, double *scratch)
{
  const gate_job *j = job;
  memcpy(scratch, j->state + sequence * j->f->channels + block * LANES,
         lanes_of(j->f->channels, block) * sizeof *scratch);
}

static void gate_store(const void *job, size_t sequence, size_t block, const double *scratch)
{
  const gate_job *j = job;
  memcpy(j->state + sequence * j->f->channels + block * LANES, scratch,
         lanes_of(j->f->channels, block) * sizeof *scratch);
}

TARGET_VECTOR static void gate_row(double *restrict h, const double *restrict alpha,
                                   const double *restrict step, const double *restrict z, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    h[i] = alpha[i] * h[i] + step[i] * z[i];
}

static void put_row(const scan_output *rows, size_t sequence, size_t token, size_t first, const double *from,
                    size_t n)
{
  if (rows->at)
    memcpy(scan_row_out(rows, sequence, token) + first, from, n * sizeof *from);
}

static void gate_run(const void *job, size_t sequence, size_t block, double *scratch, size_t first,
                     size_t last, bool quiet)
{
  const form_gate *f = ((const gate_job *)job)->f;
  size_t n = lanes_of(f->channels, block), channel = block * LANES;
  double alpha[LANES], step[LANES];
  for (size_t t = first; t < last; t++) {
    form_gate_coefficients(f, sequence, t, channel, n, alpha, step);
    gate_row(scratch, alpha, step, scan_row(&f->z, sequence, t) + channel, n);
    if (quiet)
      continue;
    put_row(&f->h, sequence, t, channel, scratch, n);
    put_row(&f->alpha_used, sequence, t, channel, alpha, n);
    put_row(&f->step_used, sequence, t, channel, step, n);
  }
}

static void gate_decay(const void *job, size_t sequence, size_t block, const double *scratch, double *decay,
                       size_t first, size_t last)
{
  const form_gate *f = ((const gate_job *)job)->f;
  size_t n = lanes_of(f->channels, block);
  double alpha[LANES], step[LANES];
  (void)scratch;
  for (size_t i = 0; i < LANES; i++)
    decay[i] = 1;
  for (size_t t = first; t < last; t++) {
    form_gate_coefficients(f, sequence, t, block * LANES, n, alpha, step);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
      decay[i] *= alpha[i];
  }
}

static void gate_join(const void *job, double *own, const double *decay, const double *before)
{
  (void)job;
  for (size_t i = 0; i < LANES; i++)
    own[i] += decay[i] * before[i];
}

void form_scan_gate(const scan_options *options, double *state, const form_gate *f)
{
  form_parts parts = {.blocks = blocks_of(f->channels), .state = LANES, .scratch = LANES, .decay = LANES,
                      .load = gate_load, .store = gate_store, .run = gate_run, .decay_of = gate_decay,
                      .join = gate_join};
  gate_job job = {f, state};
  if (form_wants_reference(options))
    form_reference_gate(state, f);
  else
    form_drive(options, &parts, &job, f->sequences, f->tokens);
}

/* Poles. Scratch: h and a, each LANES real parts, then LANES imaginary ones. */

typedef struct {
  const form_poles *f;
  double *state;
} poles_job;

static void split(double *restrict parts, const double *restrict pairs, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    parts[i] = pairs[2 * i];
    parts[LANES + i] = pairs[2 * i + 1];
  }
}

static void unite(double *restrict pairs, const double *restrict parts, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    pairs[2 * i] = parts[i];
    pairs[2 * i + 1] = parts[LANES + i];
  }
}

static void poles_load(const void *job, size_t sequence, size_t block, double *scratch)
{
  const poles_job *j = job;
  size_t n = lanes_of(j->f->states, block);
  split(scratch, j->state + 2 * (sequence * j->f->states + block * LANES), n);
  split(scratch + 2 * LANES, j->f->a + 2 * block * LANES, n);
}

static void poles_store(const void *job, size_t sequence, size_t block, const double *scratch)
{
  const poles_job *j = job;
  unite(j->state + 2 * (sequence * j->f->states + block * LANES), scratch, lanes_of(j->f->states, block));
}

TARGET_VECTOR static void poles_row(double *restrict h, const double *restrict a, const double *restrict x,
                                    size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    double re = a[i] * h[i] - a[LANES + i] * h[LANES + i] + x[2 * i];
    double im = a[i] * h[LANES + i] + a[LANES + i] * h[i] + x[2 * i + 1];
    h[i] = re;
    h[LANES + i] = im;
  }
}

static void poles_run(const void *job, size_t sequence, size_t block, double *scratch, size_t first,
                      size_t last, bool quiet)
{
  const form_poles *f = ((const poles_job *)job)->f;
  size_t n = lanes_of(f->states, block), channel = 2 * block * LANES;
  for (size_t t = first; t < last; t++) {
    poles_row(scratch, scratch + 2 * LANES, scan_row(&f->x, sequence, t) + channel, n);
    if (!quiet && f->h.at)
      unite(scan_row_out(&f->h, sequence, t) + channel, scratch, n);
  }
}

static void poles_decay(const void *job, size_t sequence, size_t block, const double *scratch, double *decay,
                        size_t first, size_t last)
{
  (void)job;
  (void)sequence;
  (void)block;
  form_power(decay, scratch + 2 * LANES, LANES, true, last - first);
}

static void poles_join(const void *job, double *own, const double *decay, const double *before)
{
  (void)job;
  for (size_t i = 0; i < LANES; i++) {
    own[i] += decay[i] * before[i] - decay[LANES + i] * before[LANES + i];
    own[LANES + i] += decay[i] * before[LANES + i] + decay[LANES + i] * before[i];
  }
}

void form_scan_poles(const scan_options *options, double *state, const form_poles *f)
{
  form_parts parts = {.blocks = blocks_of(f->states), .state = 2 * LANES, .scratch = 4 * LANES,
                      .decay = 2 * LANES, .load = poles_load, .store = poles_store, .run = poles_run,
                      .decay_of = poles_decay, .join = poles_join};
  poles_job job = {f, state};
  if (form_wants_reference(options))
    form_reference_poles(state, f);
  else
    form_drive(options, &parts, &job, f->sequences, f->tokens);
}
