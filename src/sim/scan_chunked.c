/* The selective scan parallel over chunks of time; the contract is in scan.h.
 *
 * SCAN_CHUNK tokens make a chunk. Each is run from the zero state, which gives its own part of the state behind it;
 * then, chunk after chunk, the state is carried on,
 *
 *   h <- exp(A sum Delta) h + own part,
 *
 * and each chunk is run again from the state carried to it, for what is to be put out. A limited number of chunks is at
 * work at a time, so that memory does not grow with the sequence; how many does not depend on the threads.
 *
 * Why the bound of scan.h holds, to first order in u. Between the ends of chunks nothing is new. What is carried: the sum
 * of Delta is compensated, hence off by u of sum |Delta|, which moves exp by u |A| sum |Delta|, less than
 * SCAN_EXP_SLOPE sum |x_t|; its own error is SCAN_EXP_REL + SCAN_EXP_SLOPE sum |x_t|; the product and the sum round once
 * each. All this is no more than the relative errors of the chunk's tokens, one after the other, with twice the slope. The
 * own part is rounded once more, in the sum: one u of m, for which the other SCAN_STEP_REL of the last token makes room,
 * and the other SCAN_DRIVE_REL for its drive. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/scan_vector.h"

enum { CHUNKS_AT_ONCE = 16 };

typedef struct {
  scan_channels *run;
  double *state, *ends, *sums; /* [S, D, N], [S, CHUNKS_AT_ONCE, D, N], [S, CHUNKS_AT_ONCE, D] */
  const scan_outputs *out;
  const scan_layer *layer;
  const scan_inputs *in;
  scan_groups groups;
  size_t from, chunks; /* the tokens at work begin at `from`, and make so many chunks */
} at_work;

static double *end_of(const at_work *w, size_t s, size_t chunk, size_t channel)
{
  return w->ends + ((s * CHUNKS_AT_ONCE + chunk) * w->layer->channels + channel) * w->layer->states;
}

static double *sum_of(const at_work *w, size_t s, size_t chunk, size_t channel)
{
  return w->sums + (s * CHUNKS_AT_ONCE + chunk) * w->layer->channels + channel;
}

/* Part number i of `chunks` for each sequence and group. */
static scan_part part_of(const at_work *w, size_t i, size_t chunks, size_t *chunk, const scan_outputs *out)
{
  size_t group = i % w->groups.count, first = group * w->groups.width;
  size_t s = i / w->groups.count / chunks, channels = w->layer->channels - first;
  *chunk = i / w->groups.count % chunks;
  size_t from = w->from + *chunk * SCAN_CHUNK, to = from + SCAN_CHUNK;
  return (scan_part){
    .layer = w->layer, .in = w->in, .out = out, .state = end_of(w, s, *chunk, first), .sequence = s, .first = first,
    .channels = channels < w->groups.width ? channels : w->groups.width,
    .from = from, .to = to < w->in->tokens ? to : w->in->tokens,
  };
}

/* The sum of Delta over the part's tokens, with the rounding errors of the sums added at the end. */
static void sum_steps(double *sum, const scan_part *p)
{
  double lost[SCAN_GROUP] = {0};
  memset(sum, 0, p->channels * sizeof *sum);
  for (size_t t = p->from; t < p->to; t++) {
    const double *step = scan_row(&p->in->step, p->sequence, t) + p->first;
    for (size_t d = 0; d < p->channels; d++) {
      double next = sum[d] + step[d], back = next - sum[d];
      lost[d] += (sum[d] - (next - back)) + (step[d] - back);
      sum[d] = next;
    }
  }
  for (size_t d = 0; d < p->channels; d++)
    sum[d] += lost[d];
}

/* Leaves in each chunk's place of `ends` the state before it, and in `state` that behind all. exp(A sum Delta) h is what
 * one token without drive makes of h. */
static void carry(void *work, const at_work *w, const scan_part *p)
{
  static const scan_outputs nothing = {{0}, {0}, {0}};
  size_t states = w->layer->states, all = p->channels * states;
  double *h = w->state + (p->sequence * w->layer->channels + p->first) * states;
  double *none = memory_new(p->first + p->channels + states, sizeof *none);
  for (size_t chunk = 0; chunk < w->chunks; chunk++) {
    double *end = end_of(w, p->sequence, chunk, p->first);
    double *before = memory_new(all, sizeof *before);
    const scan_inputs in = {
      .sequences = 1, .tokens = 1, .step = {sum_of(w, p->sequence, chunk, 0), 0, 0}, .u = {none, 0, 0},
      .b = {none, 0, 0},
    };
    const scan_part step = {w->layer, &in, &nothing, h, 0, p->first, p->channels, 0, 1};
    memcpy(before, h, all * sizeof *h);
    w->run(work, &step);
    for (size_t i = 0; i < all; i++)
      h[i] += end[i];
    memcpy(end, before, all * sizeof *h);
    free(before);
  }
  free(none);
}

static void scan_some(const at_work *w, int threads)
{
  static const scan_outputs nothing = {{0}, {0}, {0}};
  bool wanted = w->out->y.at || w->out->alpha.at || w->out->h.at;
  int64_t parts = (int64_t)(w->in->sequences * w->chunks * w->groups.count);
  int64_t columns = (int64_t)(w->in->sequences * w->groups.count);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    void *work = scan_work_new(w->layer, w->out);
    size_t chunk;
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < parts; i++) {
      scan_part p = part_of(w, (size_t)i, w->chunks, &chunk, &nothing);
      memset(p.state, 0, p.channels * w->layer->states * sizeof *p.state);
      w->run(work, &p);
      sum_steps(sum_of(w, p.sequence, chunk, p.first), &p);
    }
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < columns; i++) {
      scan_part p = part_of(w, (size_t)i, 1, &chunk, &nothing);
      carry(work, w, &p);
    }
    if (wanted) {
#pragma omp for schedule(dynamic)
      for (int64_t i = 0; i < parts; i++) {
        scan_part p = part_of(w, (size_t)i, w->chunks, &chunk, w->out);
        w->run(work, &p);
      }
    }
    free(work);
  }
}

void scan_chunked(scan_channels *run, double *state, const scan_outputs *out, const scan_layer *layer,
                  const scan_inputs *in, int threads)
{
  size_t chunks = memory_multiply(CHUNKS_AT_ONCE, in->sequences);
  at_work w = {
    .run = run, .state = state, .out = out, .layer = layer, .in = in,
    .ends = memory_new(memory_multiply(chunks, memory_multiply(layer->channels, layer->states)), sizeof(double)),
    .sums = memory_new(memory_multiply(chunks, layer->channels), sizeof(double)),
    .groups = scan_part_channels(layer->channels, CHUNKS_AT_ONCE * in->sequences, threads),
  };
  for (; w.from < in->tokens; w.from += CHUNKS_AT_ONCE * SCAN_CHUNK) {
    size_t left = (in->tokens - w.from + SCAN_CHUNK - 1) / SCAN_CHUNK;
    w.chunks = left < CHUNKS_AT_ONCE ? left : CHUNKS_AT_ONCE;
    scan_some(&w, threads);
  }
  free(w.ends);
  free(w.sums);
}
