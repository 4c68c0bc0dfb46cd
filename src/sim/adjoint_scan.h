/* The adjoint of a selective scan, token by token from the last one back, for many right-hand sides at once.
 *
 * With ybar_t = d(anything)/dy_t given for every token, lambda_t = d(anything)/dh_t obeys
 *
 *   lambda_s[d,n] = alpha_(s+1)[d,n] lambda_(s+1)[d,n] + C_s[n] ybar_s[d],
 *
 * and with it (sim/influence_scan.h has the forward equations)
 *
 *   ubar_s[d]    = sum_n lambda_s[d,n] Delta_s[d] B_s[n] + skip[d] ybar_s[d]
 *   stepbar_s[d] = sum_n lambda_s[d,n] (B_s[n] u_s[d] + A[d,n] alpha_s[d,n] h_(s-1)[d,n])
 *   bbar_s[g,n]  = sum_d lambda_s[d,n] Delta_s[d] u_s[d]       over the channels of group g
 *   cbar_s[g,n]  = sum_d ybar_s[d] h_s[d,n]
 *
 * Right-hand sides come as P positions of K rows (adjoint_rows). Rows of one position share an exponent at
 * each token, so that only what is beyond reach of the largest of them is lost; each state has an exponent of
 * its own, so that a slow state is not lost behind a fast one. */
#ifndef ASSAY_SIM_ADJOINT_SCAN_H
#define ASSAY_SIM_ADJOINT_SCAN_H

#include "sim/influence_scan.h"

/* P positions, K rows each, of W numbers: number i of row k of position p is m[(p K + k) W + i] 2^e[p]. Each
 * position is in the normal form of rows (sim/wide.h). */
typedef struct {
  size_t positions, rows, width;
  double *m;
  int64_t *e;
} adjoint_rows;

void adjoint_rows_init(adjoint_rows *r, size_t positions, size_t rows, size_t width); /* zeros */
void adjoint_rows_clear(adjoint_rows *r);
/* The first `active` positions set to 0, normalised, copied, added up; of the same shape. */
void adjoint_rows_zero(adjoint_rows *r, size_t active);
void adjoint_rows_normalise(adjoint_rows *r, size_t active);
void adjoint_rows_copy(adjoint_rows *r, const adjoint_rows *x, size_t active);
void adjoint_rows_add(adjoint_rows *r, const adjoint_rows *x, size_t active);

typedef struct adjoint_scan adjoint_scan;

/* For a record's channels, states and groups; lambda is 0. */
adjoint_scan *adjoint_scan_create(const scan_record *r, size_t positions, size_t rows, int threads);
void adjoint_scan_destroy(adjoint_scan *a);

/* One token: s must be the one before that of the last call, and lie in the piece. Only the first `active`
 * positions are worked on; those behind have been 0 so far. ybar, ubar, stepbar [P, K, D], bbar, cbar [P, K,
 * G N]. The numbers do not depend on the number of threads. */
void adjoint_scan_step(adjoint_scan *a, adjoint_rows *ubar, adjoint_rows *stepbar, adjoint_rows *bbar,
                       adjoint_rows *cbar, const adjoint_rows *ybar, const scan_record *r,
                       const scan_piece *piece, size_t s, size_t active);

/* y [D] = C h + skip u at a token of the piece, which is token s of the record. */
void adjoint_scan_readout(double *y, const scan_record *r, const scan_piece *piece, size_t s);

#endif
