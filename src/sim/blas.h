/* Dense products in double precision, through the system's CBLAS.
 *
 * The library is asked for one thread; threads are made here, over fixed pieces of the rows of the matrix, so that a result
 * has the same bits whatever their number. It depends on the library and on the processor, which the library's kernels are
 * chosen by; and on the number of vectors that are multiplied at once, as kernels treat what is left over at an edge in
 * their own order. It does not depend on where the arrays lie. */
#ifndef ASSAY_SIM_BLAS_H
#define ASSAY_SIM_BLAS_H

#include <stddef.h>

enum { BLAS_EXTENT = 1 << 30 /* of every size */ };

/* y = x w' (+ y, with `add`): y [vectors, rows], its rows `y_stride` apart, x [vectors, columns], its rows `x_stride` apart,
 * w [rows, columns]. Plain rounding: each number is off by at most (columns + 2) 2^-53 times the sum of |x| |w|. No aliasing.
 * threads 0: as many as OpenMP likes. */
void blas_multiply(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t vectors,
                   size_t rows, size_t columns, int add, int threads);

/* y = x w: x [vectors, rows], w [rows, columns], y [vectors, columns]: the transposed map, for adjoints. */
void blas_multiply_transposed(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t vectors,
                              size_t rows, size_t columns, int add, int threads);

/* NULL, or what is wrong: products of awkward sizes, some of them by several threads at once, against plain loops within the
 * bound above. There are libraries that compute wrongly on processors they do not know. */
const char *blas_self_test(void);

#endif
