/* Influence through blocks, backwards. */
#include "sim/influence_back.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/philox.h"

enum {
  ROWS_AT_ONCE = 64 /* right-hand sides that are worked on together, as long as a position has no more */
};

/* Positions in falling order, so that those that have begun come first. */
typedef struct {
  size_t t, number;
} position;

static int compare_positions(const void *a, const void *b)
{
  const position *x = a, *y = b;
  return (x->t < y->t) - (x->t > y->t);
}

typedef struct {
  const back_task *task;
  const position *at;
  size_t count, active; /* positions of this batch; those with t >= s */
  const adjoint_kind **kind;
  adjoint **block;
  adjoint_rows bar, mixer, begin;
} batch;

/* The rows that position p starts with, at its token: unit vectors or signs. */
static void begin_rows(adjoint_rows *r, size_t p, const back_task *task, size_t t)
{
  size_t m = task->width;
  double *row = r->m + p * r->rows * m;
  memset(row, 0, r->rows * m * sizeof *row);
  for (size_t k = 0; k < r->rows; k++) {
    if (task->rows == m) {
      row[k * m + k] = 1;
      continue;
    }
    philox_stream random = philox_stream_start(task->seed, philox_hash_name("influence"), t, (uint32_t)k);
    uint64_t word = 0;
    for (size_t i = 0; i < m; i++, word >>= 1) {
      if (i % 64 == 0)
        word = philox_next(&random);
      row[k * m + i] = word & 1 ? 1 : -1;
    }
  }
  r->e[p] = 0;
  wide_row_normalise(row, r->rows * m, &r->e[p]);
}

/* Positions whose token is s join those underway. */
static void begin_positions(batch *b, size_t s)
{
  const back_task *task = b->task;
  size_t old = b->active, m = task->width;
  while (b->active < b->count && b->at[b->active].t >= s)
    b->active++;
  adjoint_rows_zero(&b->bar, b->active);
  if (old == b->active)
    return;
  adjoint_rows_zero(&b->begin, b->active);
  for (size_t p = old; p < b->active; p++)
    begin_rows(&b->begin, p, task, b->at[p].t);
  if (task->last)
    adjoint_norm(&b->bar, &b->begin, task->last, task->output + s * m, b->active);
  else
    adjoint_rows_copy(&b->bar, &b->begin, b->active);
}

static void token(batch *b, wide *out, size_t s)
{
  const back_task *task = b->task;
  begin_positions(b, s);
  for (size_t i = task->blocks; i-- > 0 && b->active > 0;) {
    bool whole = task->residual && b->kind[i]->step_all;
    if (whole)
      b->kind[i]->step_all(b->block[i], &b->mixer, &b->bar, s, b->active);
    else
      b->kind[i]->step(b->block[i], &b->mixer, &b->bar, s, b->active);
    if (task->residual && !whole)
      adjoint_rows_add(&b->bar, &b->mixer, b->active);
    else
      adjoint_rows_copy(&b->bar, &b->mixer, b->active);
  }
  size_t n = b->bar.rows * task->width;
  double mean = task->rows == task->width ? 1 : 1 / (double)task->rows;
  for (size_t p = 0; p < b->active; p++) {
    wide square = wide_row_square(b->bar.m + p * n, n, b->bar.e[p]);
    out[b->at[p].number * task->tokens + s] = wide_sqrt(wide_multiply(square, wide_from(mean)));
  }
}

static bool run_batch(wide *out, batch *b, size_t done)
{
  const back_task *task = b->task;
  size_t pieces =
      b->count ? b->at[0].t / ADJOINT_PIECE + 1 : 0; /* behind the last position nothing matters */
  for (size_t k = pieces; k-- > 0;) {
    for (size_t i = 0; i < task->blocks; i++)
      b->kind[i]->load(b->block[i], k);
    size_t end = (k + 1) * ADJOINT_PIECE < task->tokens ? (k + 1) * ADJOINT_PIECE : task->tokens;
    for (size_t s = end; s-- > k * ADJOINT_PIECE;) {
      if (task->stop && *task->stop)
        return false;
      token(b, out, s);
    }
    if (task->progress) {
      double part = (double)(pieces - k) / (double)pieces;
      task->progress(task->context, ((double)done + part * (double)b->count) / (double)task->positions);
    }
  }
  return true;
}

static bool do_batch(wide *out, const back_task *task, const position *at, size_t count, size_t done)
{
  batch b = {.task = task, .at = at, .count = count};
  b.kind = memory_new(task->blocks, sizeof *b.kind);
  b.block = memory_new(task->blocks, sizeof *b.block);
  for (size_t i = 0; i < task->blocks; i++) {
    const char *reason;
    b.kind[i] = adjoint_kind_of(task->block[i], &reason);
    b.block[i] =
        b.kind[i]->create(task->block[i], task->input[i], task->tokens, count, task->rows, task->threads);
  }
  adjoint_rows_init(&b.bar, count, task->rows, task->width);
  adjoint_rows_init(&b.mixer, count, task->rows, task->width);
  adjoint_rows_init(&b.begin, count, task->rows, task->width);
  bool whole = run_batch(out, &b, done);
  adjoint_rows_clear(&b.bar);
  adjoint_rows_clear(&b.mixer);
  adjoint_rows_clear(&b.begin);
  for (size_t i = 0; i < task->blocks; i++)
    b.kind[i]->destroy(b.block[i]);
  free(b.block);
  free(b.kind);
  return whole;
}

bool influence_back(wide *out, const back_task *task)
{
  position *at = memory_new(task->positions, sizeof *at);
  for (size_t i = 0; i < task->positions; i++)
    at[i] = (position){task->t[i], i};
  qsort(at, task->positions, sizeof *at, compare_positions);
  size_t batch_size = ROWS_AT_ONCE / task->rows;
  batch_size = batch_size ? batch_size : 1;
  bool whole = true;
  for (size_t i = 0; i < task->positions && whole; i += batch_size) {
    size_t left = task->positions - i;
    whole = do_batch(out, task, at + i, left < batch_size ? left : batch_size, i);
  }
  free(at);
  return whole;
}
