/* Sums over vectors that do not lose digits as the vector grows.
 *
 * Sixteen running sums take the elements by turns, in blocks; blocks are added with compensation. The error
 * of a sum of n terms is at most about 30 units of rounding (2^-53) times the sum of their absolute values,
 * whatever n is. The order is fixed by the source, so the bits do not depend on the compiler or the
 * machine. */
#ifndef ASSAY_SIM_SUMS_H
#define ASSAY_SIM_SUMS_H

#include <stdbool.h>
#include <stddef.h>

double sums_dot(const double *x, const double *y, size_t n);
/* Of |x - y|^2. */
double sums_squared_distance(const double *x, const double *y, size_t n);

/* Euclidean length without overflow or underflow on the way; NAN where an element is not finite. */
double sums_length(const double *x, size_t n);

/* unit = x / |x|. False where x is 0 or not finite; `unit` is then 0. May be the same array. */
bool sums_direction(double *unit, const double *x, size_t n);

/* The cosine of the angle between x and y, in [-1, 1]; NAN where one of them has no direction. */
double sums_cosine(const double *x, const double *y, size_t n);

/* mean[j] of n rows of `width` elements; of n equal numbers it is that number. n >= 1. */
void sums_row_mean(double *mean, const double *x, size_t n, size_t width);

#endif
