/* Influence in one selective scan: the adjoint form and the tangent form. */
#include "sim/influence_scan.h"

#include <stdlib.h>

#include "arith/kernels.h"
#include "core/memory.h"

static size_t group_of(const scan_record *r, size_t d)
{
  return d / (r->channels / r->groups);
}

void scan_piece_init(scan_piece *p, size_t channels, size_t states)
{
  size_t entries = memory_multiply(channels, states);
  p->first = p->tokens = 0;
  p->h = memory_new(memory_multiply(SCAN_PIECE + 1, entries), sizeof *p->h);
  p->m = memory_new(memory_multiply(SCAN_PIECE, entries), sizeof *p->m);
  p->e = memory_new(memory_multiply(SCAN_PIECE, entries), sizeof *p->e);
}

void scan_piece_clear(scan_piece *p)
{
  free(p->h);
  free(p->m);
  free(p->e);
}

/* alpha[n] = exp(step rate[n]); where that is no normal double, 0. */
static void decays(double *alpha, double *x, const double *rate, double step, size_t states)
{
  for (size_t n = 0; n < states; n++)
    x[n] = step * rate[n];
  kernel_exp(alpha, x, states);
  for (size_t n = 0; n < states; n++)
    if (!(x[n] >= KERNEL_EXP_LO))
      alpha[n] = 0;
}

void scan_piece_fill(scan_piece *p, const scan_record *r, size_t first, const double *before, int threads)
{
  size_t D = r->channels, N = r->states, entries = D * N;
  p->first = first;
  p->tokens = r->tokens - first < SCAN_PIECE ? r->tokens - first : SCAN_PIECE;
#pragma omp parallel for num_threads(scan_threads(threads, p->tokens * entries)) schedule(static)
  for (size_t d = 0; d < D; d++) {
    double *x = memory_new(N, sizeof *x), *alpha = memory_new(N, sizeof *alpha);
    for (size_t n = 0; n < N; n++)
      p->h[d * N + n] = before[d * N + n];
    for (size_t i = 0; i < p->tokens; i++) {
      size_t t = first + i;
      double step = r->step[t * D + d], drive = step * r->u[t * D + d];
      const double *b = r->b + (t * r->groups + group_of(r, d)) * N;
      const double *h = p->h + i * entries + d * N;
      double *next = p->h + (i + 1) * entries + d * N;
      double *m = p->m + i * entries + d * N;
      int64_t *e = p->e + i * entries + d * N;
      decays(alpha, x, r->rate + d * N, step, N);
      for (size_t n = 0; n < N; n++) {
        wide w = alpha[n] > 0 ? wide_from(alpha[n]) : wide_exp(x[n]);
        m[n] = w.m;
        e[n] = w.e;
        next[n] = alpha[n] * h[n] + drive * b[n];
      }
    }
    free(x);
    free(alpha);
  }
}

double *scan_checkpoints(const scan_record *r, int threads)
{
  size_t D = r->channels, N = r->states, pieces = (r->tokens + SCAN_PIECE - 1) / SCAN_PIECE;
  double *out = memory_new(memory_multiply(pieces ? pieces : 1, memory_multiply(D, N)), sizeof *out);
#pragma omp parallel for num_threads(scan_threads(threads, r->tokens * D * N)) schedule(static)
  for (size_t d = 0; d < D; d++) {
    double *x = memory_new(N, sizeof *x), *alpha = memory_new(N, sizeof *alpha),
           *h = memory_new(N, sizeof *h);
    for (size_t t = 0; t < r->tokens; t++) {
      if (t % SCAN_PIECE == 0)
        memcpy(out + (t / SCAN_PIECE * D + d) * N, h, N * sizeof *h);
      double step = r->step[t * D + d], drive = step * r->u[t * D + d];
      const double *b = r->b + (t * r->groups + group_of(r, d)) * N;
      decays(alpha, x, r->rate + d * N, step, N);
      for (size_t n = 0; n < N; n++)
        h[n] = alpha[n] * h[n] + drive * b[n];
    }
    free(x);
    free(alpha);
    free(h);
  }
  return out;
}

/* The three derivatives of h_s[d,n] with respect to u_s[d], Delta_s[d] and B_s[n]. */
typedef struct {
  double by_u, by_step, by_b;
} local_derivative;

static local_derivative local(const scan_record *r, size_t s, size_t d, size_t n, double alpha, double before)
{
  double step = r->step[s * r->channels + d], u = r->u[s * r->channels + d];
  double b = r->b[(s * r->groups + group_of(r, d)) * r->states + n];
  local_derivative l = {step * b, b * u + r->rate[d * r->states + n] * (alpha * before), step * u};
  return l;
}

/* The squares of one row of J(t, s), that of channel d, added to `sum`: m[n] 2^e[n] is what h_s[d,n] does to
 * y_t[d]. */
static void add_row(wide *sum, const scan_record *r, const scan_piece *p, size_t s, size_t d, const double *m,
                    const int64_t *e)
{
  size_t N = r->states, i = s - p->first, entry = (i * r->channels + d) * N;
  wide by_u = {0, WIDE_ZERO}, by_step = by_u, by_b = by_u;
  for (size_t n = 0; n < N; n++) {
    if (m[n] == 0)
      continue;
    local_derivative l = local(r, s, d, n, p->m[entry + n] * wide_power(p->e[entry + n]), p->h[entry + n]);
    wide_sum_add(&by_u, m[n] * l.by_u, e[n]);
    wide_sum_add(&by_step, m[n] * l.by_step, e[n]);
    double b = m[n] * l.by_b;
    wide_sum_add(&by_b, b * b, 2 * e[n]);
  }
  by_u = wide_make(by_u.m, by_u.e);
  by_step = wide_make(by_step.m, by_step.e);
  wide_sum_add(sum, by_u.m * by_u.m, 2 * by_u.e);
  wide_sum_add(sum, by_step.m * by_step.m, 2 * by_step.e);
  wide_sum_add(sum, by_b.m, by_b.e);
}

/* J(t, t), which has the skip and C besides. */
static wide at_once(const scan_record *r, const scan_piece *p, size_t t)
{
  size_t D = r->channels, N = r->states, entry = (t - p->first) * D * N;
  wide sum = {0, WIDE_ZERO};
  for (size_t d = 0; d < D; d++) {
    double by_u = r->skip ? r->skip[d] : 0, by_step = 0, rest = 0;
    for (size_t n = 0; n < N; n++) {
      size_t k = entry + d * N + n;
      double c = r->c[(t * r->groups + group_of(r, d)) * N + n], h = p->h[k + D * N];
      local_derivative l = local(r, t, d, n, p->m[k] * wide_power(p->e[k]), p->h[k]);
      by_u += c * l.by_u;
      by_step += c * l.by_step;
      rest += c * l.by_b * (c * l.by_b) + h * h;
    }
    wide_sum_add(&sum, by_u * by_u + by_step * by_step + rest, 0);
  }
  return wide_sqrt(wide_make(sum.m, sum.e));
}

/* m 2^e *= alpha_t; mantissas stay above 2^-65 within a piece, then they are put right. */
static void decay_back(double *m, int64_t *e, const scan_piece *p, size_t t, size_t entries)
{
  const double *a = p->m + (t - p->first) * entries;
  const int64_t *b = p->e + (t - p->first) * entries;
  for (size_t k = 0; k < entries; k++) {
    m[k] *= a[k];
    e[k] += b[k];
  }
  if (t % 64 != 0)
    return;
  for (size_t k = 0; k < entries; k++) {
    wide w = wide_make(m[k], e[k]);
    m[k] = w.m;
    e[k] = w.e;
  }
}

static void adjoint_piece(wide *out, double *m, int64_t *e, const scan_record *r, const scan_piece *p,
                          size_t t)
{
  size_t D = r->channels, N = r->states;
  for (size_t s = p->first + p->tokens; s-- > p->first;) {
    if (s > t)
      continue;
    if (s == t) {
      out[s] = at_once(r, p, t);
      for (size_t d = 0; d < D; d++)
        for (size_t n = 0; n < N; n++) {
          wide w = wide_from(r->c[(t * r->groups + group_of(r, d)) * N + n]);
          m[d * N + n] = w.m;
          e[d * N + n] = w.e;
        }
    } else {
      wide sum = {0, WIDE_ZERO};
      for (size_t d = 0; d < D; d++)
        add_row(&sum, r, p, s, d, m + d * N, e + d * N);
      out[s] = wide_sqrt(wide_make(sum.m, sum.e));
    }
    decay_back(m, e, p, s, D * N); /* to what h_(s-1) does to y_t */
  }
}

bool influence_scan_adjoint(wide *out, const scan_record *r, const double *checkpoints, const size_t *t,
                            size_t count, int threads, const volatile int *stop)
{
  size_t entries = r->channels * r->states, pieces = (r->tokens + SCAN_PIECE - 1) / SCAN_PIECE;
  scan_piece p;
  scan_piece_init(&p, r->channels, r->states);
  double *m = memory_new(memory_multiply(count, entries), sizeof *m);
  int64_t *e = memory_new(memory_multiply(count, entries), sizeof *e);
  size_t k = pieces;
  while (k > 0 && !(stop && *stop)) {
    k--;
    scan_piece_fill(&p, r, k * SCAN_PIECE, checkpoints + k * entries, threads);
#pragma omp parallel for num_threads(scan_threads(threads, count * entries * p.tokens)) schedule(dynamic, 1)
    for (size_t i = 0; i < count; i++)
      adjoint_piece(out + i * r->tokens, m + i * entries, e + i * entries, r, &p, t[i]);
  }
  free(m);
  free(e);
  scan_piece_clear(&p);
  return k == 0;
}

/* What a change of u_s[d], Delta_s[d] or B_s[n] has done to h_t[d,n] so far. */
typedef struct {
  wide by_u, by_step, by_b;
} tangent;

void influence_scan_tangent(wide *out, const scan_record *r, size_t s)
{
  size_t D = r->channels, N = r->states;
  double *h = memory_new(D * N, sizeof *h), *alpha = memory_new(N, sizeof *alpha),
         *x = memory_new(N, sizeof *x);
  tangent *g = memory_new(D * N, sizeof *g);
  for (size_t t = 0; t < r->tokens; t++) {
    wide sum = wide_from(0);
    for (size_t d = 0; d < D; d++) {
      const double *b = r->b + (t * r->groups + group_of(r, d)) * N,
                   *c = r->c + (t * r->groups + group_of(r, d)) * N;
      double step = r->step[t * D + d], u = r->u[t * D + d];
      wide by_u = wide_from(t == s && r->skip ? r->skip[d] : 0), by_step = wide_from(0);
      decays(alpha, x, r->rate + d * N, step, N);
      for (size_t n = 0; n < N; n++) {
        size_t k = d * N + n;
        if (t == s) {
          local_derivative l = local(r, s, d, n, alpha[n], h[k]);
          g[k] = (tangent){wide_from(l.by_u), wide_from(l.by_step), wide_from(l.by_b)};
        } else if (t > s) {
          wide w = alpha[n] > 0 ? wide_from(alpha[n]) : wide_exp(x[n]);
          g[k] = (tangent){wide_multiply(w, g[k].by_u), wide_multiply(w, g[k].by_step),
                           wide_multiply(w, g[k].by_b)};
        }
        h[k] = alpha[n] * h[k] + step * u * b[n];
        if (t < s)
          continue;
        wide read = wide_from(c[n]), by_b = wide_multiply(read, g[k].by_b);
        by_u = wide_add(by_u, wide_multiply(read, g[k].by_u));
        by_step = wide_add(by_step, wide_multiply(read, g[k].by_step));
        sum = wide_add(sum, wide_multiply(by_b, by_b));
        if (t == s)
          sum = wide_add(sum, wide_multiply(wide_from(h[k]), wide_from(h[k])));
      }
      sum = wide_add(sum, wide_multiply(by_u, by_u));
      sum = wide_add(sum, wide_multiply(by_step, by_step));
    }
    if (t >= s)
      out[t] = wide_sqrt(sum);
  }
  free(h);
  free(alpha);
  free(x);
  free(g);
}
