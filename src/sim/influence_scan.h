/* Influence in one selective scan with respect to its direct inputs: the products of decays themselves.
 *
 *   h_t[d,n] = exp(Delta_t[d] A[d,n]) h_(t-1)[d,n] + Delta_t[d] B_t[g,n] u_t[d],   h_0 = 0
 *   y_t[d]   = sum_n C_t[g,n] h_t[d,n] + skip[d] u_t[d],                           g the group of channel d
 *
 * and for s < t, with P = exp((Delta_(s+1)[d] + ... + Delta_t[d]) A[d,n]) and alpha_s = exp(Delta_s[d]
 * A[d,n]):
 *
 *   dy_t[d]/du_s[d]     = sum_n C_t[n] P Delta_s[d] B_s[n]
 *   dy_t[d]/dDelta_s[d] = sum_n C_t[n] P (B_s[n] u_s[d] + A[d,n] alpha_s h_(s-1)[d,n])
 *   dy_t[d]/dB_s[n]     = C_t[n] P Delta_s[d] u_s[d]
 *
 * all others being 0; at s = t, where P = 1, skip[d] is added to the first and dy_t[d]/dC_t[n] = h_t[d,n]
 * joins them. |J(t,s)| is the root of the sum of their squares over d and n. Mamba-2 is of this form with
 * what a head's channels share written out; the derivative with respect to a step that channels share has the
 * same entries, one in each row. */
#ifndef ASSAY_SIM_INFLUENCE_SCAN_H
#define ASSAY_SIM_INFLUENCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/wide.h"

/* What is known of a scan's run: T tokens, D channels, N states, G groups; channel d is of group d / (D / G).
 * Finite; rates
 * <= 0, steps >= 0. */
typedef struct {
  size_t tokens, channels, states, groups;
  const double *rate;  /* [D, N] A */
  const double *step;  /* [T, D] Delta */
  const double *u;     /* [T, D] */
  const double *b, *c; /* [T, G, N] */
  const double *skip;  /* [D]; NULL: 0 */
} scan_record;

/* How many threads a loop of so many elementary steps is worth. */
static inline int scan_threads(int threads, size_t steps)
{
  return steps < (size_t)1 << 15 ? 1 : threads;
}

/* A piece of the run, worked out again: decays with exponents of their own and states. */
enum { SCAN_PIECE = 64 };
typedef struct {
  size_t first, tokens; /* tokens first .. first + tokens - 1 */
  double *h;            /* [tokens + 1, D, N]: h[0] is the state before the piece */
  double *m;            /* [tokens, D, N]: alpha = m 2^e, m in [1/2, 1) or 0 */
  int64_t *e;
} scan_piece;
void scan_piece_init(scan_piece *p, size_t channels, size_t states);
void scan_piece_clear(scan_piece *p);
/* `before` [D, N]: the state before token `first`. */
void scan_piece_fill(scan_piece *p, const scan_record *r, size_t first, const double *before, int threads);

/* The states before tokens 0, SCAN_PIECE, 2 SCAN_PIECE, ...: [ceil(T / SCAN_PIECE), D, N]; the caller frees
 * it. */
double *scan_checkpoints(const scan_record *r, int threads);

/* Adjoint form: out[i * T + s] = |J(t_i, s)| for s <= t_i, backwards from each of the `count` tokens t (from
 * 0, in any order); the rest of `out` is not touched. false: `stop` became nonzero. */
bool influence_scan_adjoint(wide *out, const scan_record *r, const double *checkpoints, const size_t *t,
                            size_t count, int threads, const volatile int *stop);

/* Tangent form: out[t] = |J(t, s)| for t >= s, forwards from one token s: what a change of its inputs does to
 * the states is carried along. */
void influence_scan_tangent(wide *out, const scan_record *r, size_t s);

#endif
