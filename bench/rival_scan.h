/* Rivals of the selective scan (sim/scan.h): one sequence, dense rows, state [D, N] in and out. */
#ifndef ASSAY_BENCH_RIVAL_SCAN_H
#define ASSAY_BENCH_RIVAL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t tokens, channels, states;
  const double *step, *u, *b, *c; /* [T, D], [T, D], [T, N], [T, N] */
  const double *rate, *skip;      /* [D, N], [D] */
  double *y, *state;              /* [T, D], [D, N] */
} scan_problem;

/* The plain C loop with the system's exp. */
void rival_scan_plain(const scan_problem *p);

/* The loop of the vectorised scan with the compiler's vector exp in place of its own: channels in lanes, tiles of
 * tokens, state and rates at hand in the order of use. `lanes` is 4 (AVX2) or 8 (AVX-512). False: no libmvec, or this
 * machine does not have the instructions. */
bool rival_scan_libmvec(const scan_problem *p, int lanes);
/* The bare vector exp over n numbers, a multiple of `lanes`. */
bool rival_exp_libmvec(double *out, const double *in, size_t n, int lanes);

#endif
