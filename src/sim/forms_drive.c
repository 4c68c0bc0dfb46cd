/* The two fast methods, for any form that can do the parts in forms_internal.h. */
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/memory.h"
#include "sim/forms_internal.h"

/* Chunked, the states behind the chunks of as many blocks as fit into this many doubles are held at once. */
#define HELD ((size_t)1 << 21)

bool form_wants_reference(const scan_options *options)
{
  return options && options->method == SCAN_REFERENCE;
}

const form_loops *form_choose_loops(const scan_options *options)
{
  scan_target most = options ? options->target : SCAN_BEST;
#ifdef FORM_X86
  if ((most == SCAN_BEST || most == SCAN_AVX512) && __builtin_cpu_supports("avx512f"))
    return &form_loops_avx512;
  if (most != SCAN_GENERIC && __builtin_cpu_supports("avx2"))
    return &form_loops_avx2;
#endif
  (void)most;
  return &form_loops_generic;
}

static int thread_count(const scan_options *options, size_t work)
{
#ifdef _OPENMP
  int threads = options && options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  int threads = 1;
  (void)options;
#endif
  return work < (size_t)threads ? (int)work : threads;
}

/* Zeros, on a line of the cache: a vector that lies across two is read twice. */
static double *scratch_new(size_t count)
{
  size_t size = memory_add(memory_multiply(count, sizeof(double)), 127) / 64 * 64;
  double *scratch = aligned_alloc(64, size);
  if (!scratch)
    memory_die("out of memory");
  return memset(scratch, 0, size);
}

/* Blocks of all sequences, counted through. */
typedef struct {
  const form_parts *parts;
  const void *job;
  size_t tokens, blocks;
} task;

static void drive_sequential(const task *k, int threads)
{
  const form_parts *p = k->parts;
  (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
  {
    double *scratch = scratch_new(p->scratch);
#pragma omp for schedule(static)
    for (size_t i = 0; i < k->blocks; i++) {
      p->load(k->job, i / p->blocks, i % p->blocks, scratch);
      p->run(k->job, i / p->blocks, i % p->blocks, scratch, 0, k->tokens, false);
      p->store(k->job, i / p->blocks, i % p->blocks, scratch);
    }
    free(scratch);
  }
}

/* The chunks of some blocks, counted through: item i is chunk i % chunks of block first + i / chunks.
 * ends: what the chunks leave, later the state before each; decays: what they make of it. */
typedef struct {
  task k;
  size_t first, chunks;
  double *ends, *decays;
} batch;

typedef struct {
  size_t sequence, block, begin, end;
} part;

static part part_of(const batch *b, size_t item)
{
  size_t block = b->first + item / b->chunks, begin = item % b->chunks * SCAN_CHUNK;
  size_t left = b->k.tokens - begin;
  return (part){block / b->k.parts->blocks, block % b->k.parts->blocks, begin,
                begin + (left < SCAN_CHUNK ? left : SCAN_CHUNK)};
}

static void run_alone(const batch *b, size_t item, double *scratch)
{
  const form_parts *p = b->k.parts;
  part a = part_of(b, item);
  p->load(b->k.job, a.sequence, a.block, scratch);
  if (p->clear)
    p->clear(scratch);
  else
    memset(scratch, 0, p->state * sizeof *scratch);
  p->run(b->k.job, a.sequence, a.block, scratch, a.begin, a.end, true);
  memcpy(b->ends + item * p->state, scratch, p->state * sizeof *scratch);
  p->decay_of(b->k.job, a.sequence, a.block, scratch, b->decays + item * p->decay, a.begin, a.end);
}

static void join_block(const batch *b, size_t number, double *scratch)
{
  const form_parts *p = b->k.parts;
  part a = part_of(b, number * b->chunks);
  double *after = memory_new(p->state, sizeof *after);
  p->load(b->k.job, a.sequence, a.block, scratch);
  for (size_t item = number * b->chunks; item < (number + 1) * b->chunks; item++) {
    double *end = b->ends + item * p->state;
    memcpy(after, end, p->state * sizeof *after);
    p->join(b->k.job, after, b->decays + item * p->decay, scratch);
    memcpy(end, scratch, p->state * sizeof *end);
    memcpy(scratch, after, p->state * sizeof *scratch);
  }
  p->store(b->k.job, a.sequence, a.block, scratch);
  free(after);
}

static void run_again(const batch *b, size_t item, double *scratch)
{
  const form_parts *p = b->k.parts;
  part a = part_of(b, item);
  p->load(b->k.job, a.sequence, a.block, scratch);
  memcpy(scratch, b->ends + item * p->state, p->state * sizeof *scratch);
  p->run(b->k.job, a.sequence, a.block, scratch, a.begin, a.end, false);
}

static void drive_chunked(const task *k, const scan_options *options)
{
  const form_parts *p = k->parts;
  size_t chunks = k->tokens / SCAN_CHUNK + (k->tokens % SCAN_CHUNK != 0);
  size_t each = memory_multiply(chunks, memory_add(p->state, p->decay));
  size_t together = each < HELD ? HELD / each : 1;
  if (together > k->blocks)
    together = k->blocks;
  double *ends = memory_new(memory_multiply(together * chunks, p->state), sizeof *ends);
  double *decays = memory_new(memory_multiply(together * chunks, p->decay), sizeof *decays);
  int threads = thread_count(options, together * chunks);
  (void)threads;
#pragma omp parallel num_threads(threads)
  {
    double *scratch = scratch_new(p->scratch);
    batch b = {*k, 0, chunks, ends, decays};
    for (; b.first < k->blocks; b.first += together) {
      size_t blocks = k->blocks - b.first < together ? k->blocks - b.first : together;
#pragma omp for schedule(static)
      for (size_t item = 0; item < blocks * chunks; item++)
        run_alone(&b, item, scratch);
#pragma omp for schedule(static)
      for (size_t number = 0; number < blocks; number++)
        join_block(&b, number, scratch);
#pragma omp for schedule(static)
      for (size_t item = 0; item < blocks * chunks; item++)
        run_again(&b, item, scratch);
    }
    free(scratch);
  }
  free(ends);
  free(decays);
}

void form_drive(const scan_options *options, const form_parts *parts, const void *job, size_t sequences,
                size_t tokens)
{
  task k = {parts, job, tokens, memory_multiply(sequences, parts->blocks)};
  if (tokens == 0 || k.blocks == 0)
    return;
  if (options && options->method == SCAN_CHUNKED)
    drive_chunked(&k, options);
  else
    drive_sequential(&k, thread_count(options, k.blocks));
}
