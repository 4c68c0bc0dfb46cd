/* The bound of Theorem 3.1 (arXiv:2501.00658) with its constants, for one scan that was run: for s < t
 *
 *   |J(t,s)| <= |C_t| A_max^(t-s) |G_s|,
 *
 * J as in sim/influence_scan.h; C_t of several groups the one with the largest Euclidean norm; A_max the
 * largest of all exp(Delta_t[d] A[d,n]); G_s the derivative of h_s with respect to (u_s, Delta_s, B_s): for
 * each d and n the three numbers Delta B, B u + A alpha h_(s-1), Delta u, and |G_s| its Frobenius norm.
 *
 * Why. Each row of J is a sum over n of C_t[n] P[n] times the row of G_s for (d, n), P[n] <= A_max^(t-s);
 * Cauchy-Schwarz over n for the columns that all n share, and |C_t[n]| <= |C_t| for those of B. Sum the
 * squares over d.
 *
 * Guarantee. Everything is rounded outward: the numbers of the record taken as exact reals and h as the real
 * number that follows from them, every bound below is at least the real one, infinite where something
 * overflows. Below 10^-150 or so it says that much and no more, since squares underflow. */
#ifndef ASSAY_SIM_INFLUENCE_BOUND_H
#define ASSAY_SIM_INFLUENCE_BOUND_H

#include "sim/influence_scan.h"

typedef struct {
  size_t tokens;
  double *readout_lg; /* [T] lg |C_t|, from above */
  double *local_lg;   /* [T] lg |G_s|, from above */
  double log_max, log_max_below; /* log A_max from above and from below */
  double lg_max;                 /* lg A_max from above */
} scan_bound;

void scan_bound_init(scan_bound *b, const scan_record *r, int threads);
void scan_bound_clear(scan_bound *b);
/* lg of the right side, from above. s < t. */
double scan_bound_lg(const scan_bound *b, size_t t, size_t s);

/* Decays alone, which can be gathered over several runs: the largest Delta A from both sides, the sum of all
 * and their number. */
typedef struct {
  double log_max, log_max_below; /* -infinity while there are none */
  double sum;
  uint64_t entries;
} scan_decay;
void scan_decay_init(scan_decay *d);
void scan_decay_add(scan_decay *d, const double *step, const double *rate, size_t tokens, size_t channels,
                    size_t states);
/* The same of decays that are the same at every token, |a|: [count, lanes], lanes 2: complex. */
void scan_decay_add_poles(scan_decay *d, const double *a, size_t count, size_t lanes, size_t tokens);

#endif
