/* What the tokens of one sequence are to each other in one place of a model: vectors x_1 .. x_T of width M,
 * piece by piece.
 *
 * Over all pairs in O(T M), by identities, without keeping the vectors:
 *
 *   sum over i < j of |x_i - x_j|^2           = T sum over i of |x_i - m|^2, m the mean of the tokens
 *   sum over i < j of cos(x_i, x_j)           = (|sum over i of x_i / |x_i||^2 - n) / 2, over the n tokens
 *                                             with a direction
 *
 * Deviations are taken from the mean of a piece and the pieces merged (Chan, Golub, LeVeque 1979), so
 * nothing cancels, and tokens that are all the same have a sum of exactly 0. The error of the cosines' mean
 * is absolute, a few units of 2^-53; that of the squared distances is relative, some ten such units more
 * than the vectors' own.
 *
 * A token has no direction when its vector is 0 or not finite; such tokens are counted and take no part in
 * cosines. */
#ifndef ASSAY_SIM_CLOUD_H
#define ASSAY_SIM_CLOUD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/measured.h"

typedef struct {
  size_t width;
  uint64_t tokens;
  uint64_t directionless;
  double *mean;                          /* [M] of the tokens so far */
  double deviation, deviation_low;       /* sum of |x - m|^2 */
  double square, square_low;             /* sum of |x|^2 */
  double *direction, *direction_low;     /* [M] sum of x / |x| */
  double *last, *unit, *piece;           /* [M] direction of the last token; scratch */
  bool has_last;
  measured neighbours;                   /* cos(x_t, x_(t+1)) */
} cloud;

void cloud_init(cloud *c, size_t width);
void cloud_clear(cloud *c);
/* Forgets all tokens. */
void cloud_begin(cloud *c);
/* x: [tokens, M]. */
void cloud_add(cloud *c, size_t tokens, const double *x);

/* Each is NAN where it is undefined: fewer than two tokens (with a direction), or a sum that is not finite. */
double cloud_squared_distance(const cloud *c); /* mean over i < j of |x_i - x_j|^2 */
double cloud_cosine(const cloud *c);           /* mean over i < j of cos(x_i, x_j) */
double cloud_neighbour_cosine(const cloud *c); /* mean over t of cos(x_t, x_(t+1)) */

/* The Dirichlet energy of the complete graph on the tokens, E = sum over i < j of |x_i - x_j|^2, by what it
 * is divided. */
typedef enum {
  ENERGY_SUM,    /* E */
  ENERGY_TOKENS, /* E / T: that of the normalised Laplacian with loops, = sum of |x_i - m|^2 */
  ENERGY_PAIRS,  /* 2 E / (T (T - 1)): the mean over pairs */
  ENERGY_NORM    /* E / (T sum of |x_i|^2): in [0, 1], no matter in which unit; 0: all tokens the same. NAN when all are 0 */
} energy_normalizer;
double cloud_energy(const cloud *c, energy_normalizer by);
/* "sum", "tokens", "pairs", "norm"; false: none of them. */
bool energy_normalizer_read(energy_normalizer *by, const char *name);
const char *energy_normalizer_name(energy_normalizer by);

#endif
