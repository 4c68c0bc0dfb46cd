/* The adjoint of a selective scan, for many right-hand sides at once. */
#include "sim/adjoint_scan.h"

#include <stdlib.h>

#include "arith/vector.h"
#include "core/memory.h"
#include "core/target.h"

/* Channels whose contributions to bbar and cbar are summed by one thread: fixed, so that threads do not
 * matter. */
enum { PART = 16, LANES = VECTOR_DOUBLES };

/* Mantissas of lambda are put right when they leave this range. */
#define SMALL 0x1p-200
#define LARGE 0x1p200

/* ---- rows ---- */

void adjoint_rows_init(adjoint_rows *r, size_t positions, size_t rows, size_t width)
{
  *r = (adjoint_rows){.positions = positions, .rows = rows, .width = width};
  r->m = memory_new(memory_multiply(positions, memory_multiply(rows, width)), sizeof *r->m);
  r->e = memory_new(positions, sizeof *r->e);
  adjoint_rows_zero(r, positions);
}

void adjoint_rows_clear(adjoint_rows *r)
{
  free(r->m);
  free(r->e);
  *r = (adjoint_rows){0};
}

void adjoint_rows_zero(adjoint_rows *r, size_t active)
{
  memset(r->m, 0, active * r->rows * r->width * sizeof *r->m);
  for (size_t p = 0; p < active; p++)
    r->e[p] = WIDE_ZERO;
}

void adjoint_rows_normalise(adjoint_rows *r, size_t active)
{
  size_t n = r->rows * r->width;
  for (size_t p = 0; p < active; p++)
    if (r->e[p] != WIDE_ZERO)
      wide_row_normalise(r->m + p * n, n, &r->e[p]);
}

void adjoint_rows_copy(adjoint_rows *r, const adjoint_rows *x, size_t active)
{
  memcpy(r->m, x->m, active * r->rows * r->width * sizeof *r->m);
  memcpy(r->e, x->e, active * sizeof *r->e);
}

void adjoint_rows_add(adjoint_rows *r, const adjoint_rows *x, size_t active)
{
  size_t n = r->rows * r->width;
  for (size_t p = 0; p < active; p++)
    wide_row_add(r->m + p * n, &r->e[p], x->m + p * n, x->e[p], n);
}

/* ---- the scan ---- */

struct adjoint_scan {
  size_t channels, states, groups, positions, rows;
  size_t room; /* rows, rounded up to whole vectors */
  int threads;
  double *m;   /* [D, N, P, room] */
  int64_t *e;  /* [D, N, P] */
  size_t parts;
  double *part_m;  /* [parts, 2, N, P, room]: of bbar and cbar; a part lies in one group */
  int64_t *part_e; /* [parts, 2, N, P] */
  size_t *part_first, *part_last; /* channels of each part */
  int64_t *channel_e;             /* [2, P, D]: exponents of ubar and stepbar by channel */
  double *scratch;                /* [parts, 3, P, room] */
};

adjoint_scan *adjoint_scan_create(const scan_record *r, size_t positions, size_t rows, int threads)
{
  adjoint_scan *a = memory_new(1, sizeof *a);
  size_t D = r->channels, N = r->states, of_group = D / r->groups, in_group = (of_group + PART - 1) / PART;
  *a = (adjoint_scan){.channels = D,
                      .states = N,
                      .groups = r->groups,
                      .positions = positions,
                      .rows = rows,
                      .threads = threads};
  a->room = (rows + LANES - 1) / LANES * LANES;
  a->m =
      memory_new(memory_multiply(memory_multiply(D, N), memory_multiply(positions, a->room)), sizeof *a->m);
  a->e = memory_new(memory_multiply(memory_multiply(D, N), positions), sizeof *a->e);
  for (size_t i = 0; i < D * N * positions; i++)
    a->e[i] = WIDE_ZERO;
  a->parts = memory_multiply(in_group, r->groups);
  size_t sums = memory_multiply(memory_multiply(2, N), positions);
  a->part_m = memory_new(memory_multiply(a->parts, memory_multiply(sums, a->room)), sizeof *a->part_m);
  a->part_e = memory_new(memory_multiply(a->parts, sums), sizeof *a->part_e);
  a->part_first = memory_new(a->parts, sizeof *a->part_first);
  a->part_last = memory_new(a->parts, sizeof *a->part_last);
  for (size_t i = 0; i < a->parts; i++) {
    size_t g = i / in_group, first = i % in_group * PART;
    a->part_first[i] = g * of_group + first;
    a->part_last[i] = g * of_group + (first + PART < of_group ? first + PART : of_group);
  }
  a->channel_e = memory_new(memory_multiply(2 * positions, D), sizeof *a->channel_e);
  a->scratch =
      memory_new(memory_multiply(3 * a->parts, memory_multiply(positions, a->room)), sizeof *a->scratch);
  return a;
}

void adjoint_scan_destroy(adjoint_scan *a)
{
  if (!a)
    return;
  free(a->m);
  free(a->e);
  free(a->part_m);
  free(a->part_e);
  free(a->part_first);
  free(a->part_last);
  free(a->channel_e);
  free(a->scratch);
  free(a);
}

VECTOR_INLINE vector_loose *lanes(double *p)
{
  return (vector_loose *)(void *)p;
}

VECTOR_INLINE const vector_loose *const_lanes(const double *p)
{
  return (const vector_loose *)(const void *)p;
}

/* sum 2^*se += factor x 2^xe, over `room` lanes; as wide_sum_add, with one exponent for all. */
VECTOR_INLINE void add_lanes(double *sum, int64_t *se, const double *x, double factor, int64_t xe,
                             size_t room)
{
  if (factor == 0 || xe == WIDE_ZERO)
    return;
  double keep = 1, scale = factor;
  if (xe <= *se)
    scale *= wide_power(xe - *se);
  else {
    keep = wide_power(*se - xe);
    *se = xe;
  }
  for (size_t k = 0; k < room; k += LANES)
    *lanes(sum + k) = *lanes(sum + k) * keep + *const_lanes(x + k) * scale;
}

/* The largest |x|; NaN if one is NaN. */
VECTOR_INLINE double largest(const double *x, size_t room)
{
  double top = 0;
  for (size_t k = 0; k < room; k++) {
    double v = fabs(x[k]);
    top = v > top || v != v ? v : top;
  }
  return top;
}

/* What one state does at one token for one position. */
typedef struct {
  double c, by_u, by_step, by_b, h; /* C, Delta B, B u + A alpha h, Delta u; the state behind the token */
  double alpha_m;
  int64_t alpha_e;
} state_facts;

/* lambda <- lambda + C ybar; *e its exponent, WIDE_ZERO where it is 0. */
VECTOR_INLINE void bring_in(double *m, int64_t *e, const double *ybar, int64_t ye, double c, size_t room)
{
  add_lanes(m, e, ybar, c, ye, room);
  if (*e == WIDE_ZERO)
    return;
  double top = largest(m, room);
  if (top == 0)
    *e = WIDE_ZERO;
  else if (top < SMALL || top > LARGE)
    wide_row_normalise(m, room, e);
}

/* One channel of one part. `ybar`, `usum`, `ssum` are scratch of [P, room] each. */
TARGET_VECTOR static void step_channel(adjoint_scan *a, size_t part, size_t d, adjoint_rows *ubar,
                                       adjoint_rows *stepbar, const adjoint_rows *y, const scan_record *r,
                                       const scan_piece *piece, size_t s, size_t active, double *ybar,
                                       double *usum, double *ssum)
{
  size_t D = a->channels, N = a->states, P = a->positions, K = a->rows, room = a->room;
  size_t entry = ((s - piece->first) * D + d) * N, group = d / (D / a->groups);
  const double *b = r->b + (s * a->groups + group) * N, *c = r->c + (s * a->groups + group) * N;
  double step = r->step[s * D + d], u = r->u[s * D + d];
  int64_t *ue = a->channel_e, *se = a->channel_e + P * D;
  for (size_t p = 0; p < active; p++) {
    for (size_t k = 0; k < K; k++)
      ybar[p * room + k] = y->m[(p * K + k) * D + d];
    for (size_t k = 0; k < room; k++)
      usum[p * room + k] = ssum[p * room + k] = 0;
    ue[p * D + d] = se[p * D + d] = WIDE_ZERO;
    if (r->skip)
      add_lanes(usum + p * room, &ue[p * D + d], ybar + p * room, r->skip[d], y->e[p], room);
  }
  for (size_t n = 0; n < N; n++) {
    size_t k = entry + n;
    state_facts f = {.c = c[n], .by_u = step * b[n], .by_b = step * u, .h = piece->h[k + D * N]};
    f.alpha_m = piece->m[k];
    f.alpha_e = piece->e[k];
    f.by_step = b[n] * u + r->rate[d * N + n] * (f.alpha_m * wide_power(f.alpha_e) * piece->h[k]);
    for (size_t p = 0; p < active; p++) {
      double *m = a->m + ((d * N + n) * P + p) * room;
      int64_t *e = &a->e[(d * N + n) * P + p];
      size_t sum = (part * 2 * N + n) * P + p, other = sum + N * P;
      add_lanes(a->part_m + other * room, &a->part_e[other], ybar + p * room, f.h, y->e[p], room);
      bring_in(m, e, ybar + p * room, y->e[p], f.c, room);
      if (*e == WIDE_ZERO)
        continue;
      add_lanes(usum + p * room, &ue[p * D + d], m, f.by_u, *e, room);
      add_lanes(ssum + p * room, &se[p * D + d], m, f.by_step, *e, room);
      add_lanes(a->part_m + sum * room, &a->part_e[sum], m, f.by_b, *e, room);
      for (size_t i = 0; i < room; i += LANES)
        *lanes(m + i) = *lanes(m + i) * f.alpha_m;
      *e = f.alpha_m == 0 ? WIDE_ZERO : *e + f.alpha_e;
    }
  }
  for (size_t p = 0; p < active; p++)
    for (size_t k = 0; k < K; k++) {
      ubar->m[(p * K + k) * D + d] = usum[p * room + k];
      stepbar->m[(p * K + k) * D + d] = ssum[p * room + k];
    }
}

/* Numbers with exponents by channel become rows with one exponent for each position. */
static void join_channels(adjoint_rows *x, const int64_t *channel_e, size_t active)
{
  size_t D = x->width, K = x->rows;
  for (size_t p = 0; p < active; p++) {
    int64_t top = WIDE_ZERO;
    for (size_t d = 0; d < D; d++)
      top = channel_e[p * D + d] > top ? channel_e[p * D + d] : top;
    x->e[p] = top;
    if (top == WIDE_ZERO)
      continue; /* all mantissas are 0 */
    for (size_t d = 0; d < D; d++) {
      double scale = wide_power(channel_e[p * D + d] - top);
      for (size_t k = 0; k < K; k++)
        x->m[(p * K + k) * D + d] *= scale;
    }
  }
  adjoint_rows_normalise(x, active);
}

/* The parts' sums (which = 0: bbar, 1: cbar) in order, and then with one exponent for each position. */
static void join_parts(adjoint_rows *x, adjoint_scan *a, size_t which, size_t active)
{
  size_t N = a->states, P = a->positions, K = a->rows, room = a->room, of_group = a->parts / a->groups;
  for (size_t p = 0; p < active; p++) {
    int64_t top = WIDE_ZERO;
    for (size_t g = 0; g < a->groups; g++)
      for (size_t n = 0; n < N; n++) {
        size_t first = ((g * of_group * 2 + which) * N + n) * P + p; /* the first part takes up the others */
        for (size_t i = 1; i < of_group; i++) {
          size_t other = first + i * 2 * N * P;
          add_lanes(a->part_m + first * room, &a->part_e[first], a->part_m + other * room, 1,
                    a->part_e[other], room);
        }
        top = a->part_e[first] > top ? a->part_e[first] : top;
      }
    x->e[p] = top;
    for (size_t g = 0; g < a->groups; g++)
      for (size_t n = 0; n < N; n++) {
        size_t first = ((g * of_group * 2 + which) * N + n) * P + p;
        double scale = top == WIDE_ZERO ? 0 : wide_power(a->part_e[first] - top);
        for (size_t k = 0; k < K; k++)
          x->m[((p * K + k) * a->groups + g) * N + n] = a->part_m[first * room + k] * scale;
      }
  }
  adjoint_rows_normalise(x, active);
}

void adjoint_scan_step(adjoint_scan *a, adjoint_rows *ubar, adjoint_rows *stepbar, adjoint_rows *bbar,
                       adjoint_rows *cbar, const adjoint_rows *ybar, const scan_record *r,
                       const scan_piece *piece, size_t s, size_t active)
{
  size_t sums = 2 * a->states * a->positions;
  int threads = scan_threads(a->threads, a->channels * a->states * active * a->room);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (size_t i = 0; i < a->parts; i++) {
    size_t length = a->positions * a->room;
    double *scratch = a->scratch + 3 * i * length;
    memset(a->part_m + i * sums * a->room, 0, sums * a->room * sizeof *a->part_m);
    for (size_t k = 0; k < sums; k++)
      a->part_e[i * sums + k] = WIDE_ZERO;
    for (size_t d = a->part_first[i]; d < a->part_last[i]; d++)
      step_channel(a, i, d, ubar, stepbar, ybar, r, piece, s, active, scratch, scratch + length,
                   scratch + 2 * length);
  }
  join_channels(ubar, a->channel_e, active);
  join_channels(stepbar, a->channel_e + a->positions * a->channels, active);
  join_parts(bbar, a, 0, active);
  join_parts(cbar, a, 1, active);
}

void adjoint_scan_readout(double *y, const scan_record *r, const scan_piece *piece, size_t s)
{
  size_t D = r->channels, N = r->states;
  const double *h = piece->h + (s - piece->first + 1) * D * N;
  for (size_t d = 0; d < D; d++) {
    const double *c = r->c + (s * r->groups + d / (D / r->groups)) * N;
    y[d] = r->skip ? r->skip[d] * r->u[s * D + d] : 0;
    for (size_t n = 0; n < N; n++)
      y[d] += c[n] * h[d * N + n];
  }
}
