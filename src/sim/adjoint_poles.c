/* Adjoints of fixed complex recurrences, and the forward pass of a block run again. */
#include "sim/adjoint_poles.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

void adjoint_poles_init(adjoint_poles *p, const double *a, size_t states, size_t lanes, size_t positions,
                        size_t rows, int threads)
{
  *p = (adjoint_poles){.states = states, .positions = positions, .rows = rows, .threads = threads};
  p->pole = memory_new(memory_multiply(2, states), sizeof *p->pole);
  p->pole_e = memory_new(states, sizeof *p->pole_e);
  p->m =
      memory_new(memory_multiply(memory_multiply(2, states), memory_multiply(positions, rows)), sizeof *p->m);
  p->e = memory_new(memory_multiply(states, positions), sizeof *p->e);
  for (size_t n = 0; n < states; n++) {
    p->pole[2 * n] = a[lanes * n];
    p->pole[2 * n + 1] = lanes == 2 ? -a[2 * n + 1] : 0;
    wide_row_normalise(p->pole + 2 * n, 2, &p->pole_e[n]);
  }
  for (size_t i = 0; i < states * positions; i++)
    p->e[i] = WIDE_ZERO;
}

void adjoint_poles_clear(adjoint_poles *p)
{
  free(p->pole);
  free(p->pole_e);
  free(p->m);
  free(p->e);
}

/* One state of one position: lambda <- conj(a) lambda, then + hbar. */
static void step_state(adjoint_poles *p, adjoint_rows *lambda, const adjoint_rows *hbar, size_t n, size_t i)
{
  size_t K = p->rows, width = 2 * p->states;
  double *m = p->m + (n * p->positions + i) * 2 * K, re = p->pole[2 * n], im = p->pole[2 * n + 1];
  int64_t *e = &p->e[n * p->positions + i];
  *e = *e == WIDE_ZERO || p->pole_e[n] == WIDE_ZERO ? WIDE_ZERO : *e + p->pole_e[n];
  int64_t he = hbar->e[i], top = *e > he ? *e : he;
  double keep = *e == WIDE_ZERO ? 0 : wide_power(*e - top),
         scale = he == WIDE_ZERO ? 0 : wide_power(he - top);
  for (size_t k = 0; k < K; k++) {
    const double *h = hbar->m + (i * K + k) * width + 2 * n;
    double x = re * m[2 * k] - im * m[2 * k + 1], y = re * m[2 * k + 1] + im * m[2 * k];
    m[2 * k] = keep * x + scale * h[0];
    m[2 * k + 1] = keep * y + scale * h[1];
  }
  *e = top;
  if (top != WIDE_ZERO)
    wide_row_normalise(m, 2 * K, e);
  for (size_t k = 0; k < K; k++) {
    double *out = lambda->m + (i * K + k) * width + 2 * n;
    out[0] = m[2 * k];
    out[1] = m[2 * k + 1];
  }
}

void adjoint_poles_step(adjoint_poles *p, adjoint_rows *lambda, const adjoint_rows *hbar, size_t active)
{
  size_t K = p->rows, width = 2 * p->states;
#pragma omp parallel for num_threads(scan_threads(p->threads, p->states * active * K)) schedule(static)
  for (size_t n = 0; n < p->states; n++)
    for (size_t i = 0; i < active; i++)
      step_state(p, lambda, hbar, n, i);
  for (size_t i = 0; i < active; i++) {
    int64_t top = WIDE_ZERO;
    for (size_t n = 0; n < p->states; n++)
      top = p->e[n * p->positions + i] > top ? p->e[n * p->positions + i] : top;
    lambda->e[i] = top;
    for (size_t n = 0; n < p->states && top != WIDE_ZERO; n++) {
      double scale = wide_power(p->e[n * p->positions + i] - top);
      for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < 2; j++)
          lambda->m[(i * K + k) * width + 2 * n + j] *= scale;
    }
  }
  adjoint_rows_normalise(lambda, active);
}

/* ---- the forward pass again ---- */

static void run_from(adjoint_replay *r, const adjoint *a, size_t k, double *const *state)
{
  size_t m = r->b->width;
  block_piece piece = {.input = a->input + k * ADJOINT_PIECE * m,
                       .output = r->output,
                       .tokens = adjoint_piece_tokens(a, k),
                       .state = state,
                       .wanted = 0,
                       .threads = a->threads,
                       .room = &r->room,
                       .view = &r->view};
  workspace_reset(&r->room);
  r->b->kind->run(r->b, &piece);
}

void adjoint_replay_init(adjoint_replay *r, const block *b, const adjoint *a)
{
  block_array array[BLOCK_ARRAYS];
  size_t pieces = adjoint_pieces(a);
  *r = (adjoint_replay){.b = b, .arrays = b->kind->arrays(array, b)};
  r->size = memory_new(r->arrays, sizeof *r->size);
  r->start = memory_new(r->arrays, sizeof *r->start);
  r->output = memory_new(ADJOINT_PIECE * b->width, sizeof *r->output);
  double *state[BLOCK_ARRAYS] = {NULL};
  for (size_t i = 0; i < r->arrays; i++) {
    r->size[i] = 1;
    for (unsigned k = 0; k < array[i].rank; k++)
      r->size[i] *= (size_t)array[i].shape[k];
    r->start[i] = memory_new(memory_multiply(pieces, r->size[i]), sizeof **r->start);
    state[i] = memory_new(r->size[i], sizeof **state);
  }
  if (b->kind->begin)
    b->kind->begin(state, b);
  for (size_t k = 0; k < pieces; k++) {
    for (size_t i = 0; i < r->arrays; i++)
      memcpy(r->start[i] + k * r->size[i], state[i], r->size[i] * sizeof **state);
    run_from(r, a, k, state);
  }
  for (size_t i = 0; i < r->arrays; i++)
    free(state[i]);
}

void adjoint_replay_clear(adjoint_replay *r)
{
  for (size_t i = 0; i < r->arrays; i++)
    free(r->start[i]);
  free(r->start);
  free(r->size);
  free(r->output);
  workspace_clear(&r->room);
}

void adjoint_replay_run(adjoint_replay *r, const adjoint *a, size_t k)
{
  double *state[BLOCK_ARRAYS] = {NULL};
  for (size_t i = 0; i < r->arrays; i++) {
    state[i] = memory_new(r->size[i], sizeof **state);
    memcpy(state[i], r->start[i] + k * r->size[i], r->size[i] * sizeof **state);
  }
  run_from(r, a, k, state);
  for (size_t i = 0; i < r->arrays; i++)
    free(state[i]);
}

const double *adjoint_replay_state(const adjoint_replay *r, size_t i, size_t k)
{
  return r->start[i] + k * r->size[i];
}
