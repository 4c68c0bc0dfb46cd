/* Diagonal state spaces that do not change with time; forms.h has the contract. */
#include <string.h>

#include "sim/forms_internal.h"

/* A block is up to WIDE channels, in tiles of FORM_LANES. TOKENS at a time go through one tile after the
 * other: a tile stays in the first cache, and rows, which lie a whole row apart, are fetched and written
 * once, each in one go. */
enum { TILES = 4, WIDE = TILES * FORM_LANES, TOKENS = 64 };

typedef struct {
  const form_diagonal *f;
  double *state;
  size_t width; /* 1, or 2: real and imaginary part */
  form_diagonal_loop *loop;
} diagonal_job;

/* Scratch: h, a, b, c, each [TILES, width, N, FORM_LANES]; inputs and sums [TOKENS, WIDE]. */

static size_t channels_of(const form_diagonal *f, size_t block)
{
  size_t left = f->channels - block * WIDE;
  return left < WIDE ? left : WIDE;
}

static size_t tile_size(const diagonal_job *j)
{
  return j->width * j->f->states * FORM_LANES;
}

/* `count` channels of an array [D, N, width] from `channel` on, to scratch. */
static void spread(double *to, const double *from, const diagonal_job *j, size_t channel, size_t count)
{
  size_t N = j->f->states, width = j->width;
  for (size_t i = 0; i < count; i++) {
    double *lane = to + i / FORM_LANES * tile_size(j) + i % FORM_LANES;
    for (size_t n = 0; n < N; n++)
      for (size_t part = 0; part < width; part++)
        lane[(part * N + n) * FORM_LANES] = from[((channel + i) * N + n) * width + part];
  }
}

/* And back. */
static void gather(double *to, const double *from, const diagonal_job *j, size_t channel, size_t count)
{
  size_t N = j->f->states, width = j->width;
  for (size_t i = 0; i < count; i++) {
    const double *lane = from + i / FORM_LANES * tile_size(j) + i % FORM_LANES;
    for (size_t n = 0; n < N; n++)
      for (size_t part = 0; part < width; part++)
        to[((channel + i) * N + n) * width + part] = lane[(part * N + n) * FORM_LANES];
  }
}

static double *state_of(const diagonal_job *j, size_t sequence)
{
  return j->state + sequence * j->f->channels * j->f->states * j->width;
}

static void diagonal_load(const void *job, size_t sequence, size_t block, double *scratch)
{
  const diagonal_job *j = job;
  const double *arrays[4] = {state_of(j, sequence), j->f->a, j->f->b, j->f->c};
  for (size_t i = 0; i < 4; i++)
    spread(scratch + i * TILES * tile_size(j), arrays[i], j, block * WIDE, channels_of(j->f, block));
}

static void diagonal_store(const void *job, size_t sequence, size_t block, const double *scratch)
{
  const diagonal_job *j = job;
  gather(state_of(j, sequence), scratch, j, block * WIDE, channels_of(j->f, block));
}

static void put_readout(const form_diagonal *f, size_t sequence, size_t t, size_t channel, size_t count,
                        const double *sum, const double *u)
{
  double *y = scan_row_out(&f->y, sequence, t) + channel;
  for (size_t i = 0; i < count; i++) {
    double all = f->is_complex && f->conjugates ? 2 * sum[i] : sum[i];
    y[i] = f->skip ? all + f->skip[channel + i] * u[i] : all;
  }
}

/* Up to TOKENS tokens. */
static void run_tokens(const diagonal_job *j, size_t sequence, size_t block, double *scratch, size_t first,
                       size_t last, bool quiet)
{
  const form_diagonal *f = j->f;
  size_t count = channels_of(f, block), size = tile_size(j), array = TILES * size, channel = block * WIDE;
  double *inputs = scratch + 4 * array, *sums = inputs + TOKENS * WIDE;
  for (size_t t = first, i = 0; t < last; t++, i++)
    memcpy(inputs + i * WIDE, scan_row(&f->u, sequence, t) + channel, count * sizeof *inputs);
  for (size_t at = 0; at < count; at += FORM_LANES) {
    double *h = scratch + at / FORM_LANES * size;
    size_t lanes = count - at < FORM_LANES ? count - at : FORM_LANES;
    for (size_t t = first, i = 0; t < last; t++, i++) {
      j->loop(sums + i * WIDE + at, h, h + array, h + 2 * array, h + 3 * array, inputs + i * WIDE + at,
              f->states);
      if (f->h.at && !quiet)
        gather(scan_row_out(&f->h, sequence, t), h, j, channel + at, lanes);
    }
  }
  if (f->y.at && !quiet)
    for (size_t t = first, i = 0; t < last; t++, i++)
      put_readout(f, sequence, t, channel, count, sums + i * WIDE, inputs + i * WIDE);
}

static void diagonal_run(const void *job, size_t sequence, size_t block, double *scratch, size_t first,
                         size_t last, bool quiet)
{
  for (size_t t = first; t < last; t += TOKENS)
    run_tokens(job, sequence, block, scratch, t, last - t < TOKENS ? last : t + TOKENS, quiet);
}

static void diagonal_decay(const void *job, size_t sequence, size_t block, const double *scratch,
                           double *decay, size_t first, size_t last)
{
  const diagonal_job *j = job;
  const double *a = scratch + TILES * tile_size(j);
  (void)sequence;
  (void)block;
  for (size_t tile = 0; tile < TILES; tile++, a += tile_size(j), decay += tile_size(j))
    form_power(decay, a, j->f->states * FORM_LANES, j->f->is_complex, last - first);
}

static void diagonal_join(const void *job, double *own, const double *decay, const double *before)
{
  const diagonal_job *j = job;
  size_t count = j->f->states * FORM_LANES, size = tile_size(j);
  for (size_t tile = 0; tile < TILES; tile++, own += size, decay += size, before += size)
    for (size_t i = 0; i < count; i++)
      if (j->f->is_complex) {
        own[i] += decay[i] * before[i] - decay[count + i] * before[count + i];
        own[count + i] += decay[i] * before[count + i] + decay[count + i] * before[i];
      } else {
        own[i] += decay[i] * before[i];
      }
}

void form_scan_diagonal(const scan_options *options, double *state, const form_diagonal *f)
{
  const form_loops *loops = form_choose_loops(options);
  diagonal_job job = {f, state, f->is_complex ? 2 : 1, f->is_complex ? loops->complex : loops->real};
  size_t size = TILES * tile_size(&job);
  form_parts parts = {.blocks = f->channels / WIDE + (f->channels % WIDE != 0), .state = size,
                      .scratch = 4 * size + 2 * TOKENS * WIDE, .decay = size, .load = diagonal_load,
                      .store = diagonal_store, .run = diagonal_run, .decay_of = diagonal_decay,
                      .join = diagonal_join};
  if (form_wants_reference(options))
    form_reference_diagonal(state, f);
  else
    form_drive(options, &parts, &job, f->sequences, f->tokens);
}
