/* Linear centred kernel alignment (CKA) between places of a model (Kornblith, Norouzi, Lee, Hinton 2019),
 * two ways.
 *
 * Of two places with token vectors as rows of X and Y [n, M], columns centred (each feature's mean over the
 * tokens taken off):
 *
 *   F(X, Y)   = |X' Y|_F^2 = sum over i, j of (X X')_ij (Y Y')_ij
 *   CKA       = F(X, Y) / sqrt(F(X, X) F(Y, Y)); biased: near 1 where n is smaller than M
 *   H(X, Y)   = F(X, Y) - n / (n - 2) sum of p_i q_i + sum of p_i sum of q_i / ((n - 1)(n - 2))
 *   debiased  = H(X, Y) / sqrt(H(X, X) H(Y, Y));  p_i = |x_i|^2, q_i = |y_i|^2
 *
 * H is n (n - 3) times the unbiased estimate of HSIC (Song, Smola, Gretton, Bedo, Borgwardt 2012) for the
 * linear kernel; the debiased value can be negative, and above 1 by chance; it needs n >= 4 and H(X, X),
 * H(Y, Y) > 0.
 *
 * Undefined, and counted as such: a place whose features are constant (F = 0), values that are not finite.
 *
 * Numbers are those of double precision, centred before they are multiplied; entry [k * R + l] belongs to
 * places k and l. */
#ifndef ASSAY_SIM_SIMILARITY_H
#define ASSAY_SIM_SIMILARITY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/measured.h"

enum { SIMILARITY_GRAM_BUDGET = 1 << 24 }; /* doubles of all M x M matrices of a similarity_grams */

/* From kept tokens: adds one value to each of the R x R `biased` and `debiased`. row[k]: [n, M], centred
 * and scaled by a power of two in place. O(R n^2 M); no n x n matrix is kept. */
void similarity_of_rows(measured *biased, measured *debiased, double *const *row, size_t places, size_t n, size_t width);

/* From a stream of any length: M x M matrices of all pairs of places, O(R^2 M^2) memory, O(R^2 M^2 T)
 * operations. */
typedef struct similarity_grams similarity_grams;
/* Doubles that it would need; SIZE_MAX when beyond that. */
size_t similarity_grams_size(size_t places, size_t width);
similarity_grams *similarity_grams_create(size_t places, size_t width);
void similarity_grams_destroy(similarity_grams *g);
/* A piece at one place, x: [tokens, M], at most NET_PIECE of them. Pieces of all places are of the same
 * tokens; the piece at place R - 1 comes last and takes them all in. */
void similarity_grams_add(similarity_grams *g, size_t place, size_t tokens, const double *x);
/* Adds one value to each of the R x R `biased`. */
void similarity_grams_finish(const similarity_grams *g, measured *biased);

#endif
