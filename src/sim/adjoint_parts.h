/* Adjoints of the parts of blocks (sim/block.h), for one token and many right-hand sides: rows as in
 * sim/adjoint_scan.h. Only the first `active` positions are worked on. Outputs are normalised, and no input
 * may be an output unless it says so. */
#ifndef ASSAY_SIM_ADJOINT_PARTS_H
#define ASSAY_SIM_ADJOINT_PARTS_H

#include "sim/adjoint_scan.h"
#include "sim/block.h"

/* xbar = ybar W: ybar [P, K, rows], xbar [P, K, columns]. */
void adjoint_dense(adjoint_rows *xbar, const adjoint_rows *ybar, const block_dense *l, size_t active,
                   int threads);

/* xbar[i] = factor[i] ybar[i]. xbar may be ybar. */
void adjoint_scale(adjoint_rows *xbar, const adjoint_rows *ybar, const double *factor, size_t active);

/* The adjoint of the norm at x; without a norm a copy. Rows of several times the norm's width are normed part
 * by part, with weights of their own, as many as a row has numbers. */
void adjoint_norm(adjoint_rows *xbar, const adjoint_rows *ybar, const block_norm *n, const double *x,
                  size_t active);

/* x's columns `first` .. first + part.width - 1 set to part, or part read from there. Exponents are brought
 * together: put all parts of x before it is used, then adjoint_rows_normalise. The first put, that of column
 * 0, sets what x's exponent is. */
void adjoint_put(adjoint_rows *x, size_t first, const adjoint_rows *part, size_t active);

/* silu' at each x. */
void adjoint_silu_slope(double *out, const double *x, size_t n);

/* The adjoint of a causal convolution: what the last W tokens' outputs were worth. */
typedef struct {
  size_t width;
  adjoint_rows *ring; /* [W] that of token s at s % W */
} adjoint_conv;
void adjoint_conv_init(adjoint_conv *a, const block_conv *c, size_t positions, size_t rows);
void adjoint_conv_clear(adjoint_conv *a);
/* Token s: takes in ybar_s and gives xbar_s. Tokens come from the last one down. */
void adjoint_conv_step(adjoint_conv *a, adjoint_rows *xbar, const adjoint_rows *ybar, const block_conv *c,
                       size_t s, size_t active);

/* The convolution itself without the silu: y [tokens, C] for x [before + tokens, C] of which the first
 * `before` rows, at most W - 1, precede the first token; what is before those is 0. */
void adjoint_conv_forward(double *y, const double *x, size_t before, size_t tokens, const block_conv *c);

#endif
