/* Dense products. */
#include "sim/blas.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "config.h"
#include "core/memory.h"
#include "core/philox.h"

enum { ROWS = 256 /* of one piece */ };

#ifdef HAVE_OPENBLAS_SET_NUM_THREADS
void openblas_set_num_threads(int threads);
int openblas_get_parallel(void);
#endif

/* A build of OpenBLAS without threads has no locks either: called from two threads at once it can hand out one buffer
 * twice. */
static bool one_at_a_time;

/* Once, before the first product: asks for one thread. */
static void prepare(void)
{
#ifdef HAVE_OPENBLAS_SET_NUM_THREADS
  openblas_set_num_threads(1);
  one_at_a_time = openblas_get_parallel() == 0;
#endif
}

/* y = x op(w), or y += x op(w). */
static void multiply_piece(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t w_stride,
                           CBLAS_TRANSPOSE op, size_t vectors, size_t outputs, size_t terms, int add)
{
  cblas_dgemm(CblasRowMajor, CblasNoTrans, op, (int)vectors, (int)outputs, (int)terms, 1, x, (int)x_stride, w, (int)w_stride,
              add ? 1 : 0, y, (int)y_stride);
}

static void multiply(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t w_stride,
                     CBLAS_TRANSPOSE op, size_t vectors, size_t outputs, size_t terms, int add)
{
  if (!one_at_a_time) {
    multiply_piece(y, y_stride, x, x_stride, w, w_stride, op, vectors, outputs, terms, add);
    return;
  }
#pragma omp critical(blas)
  multiply_piece(y, y_stride, x, x_stride, w, w_stride, op, vectors, outputs, terms, add);
}

static int threads_of(int threads, size_t pieces)
{
  int most = threads > 0 ? threads : omp_get_max_threads();
  return (size_t)most > pieces ? (int)pieces : most;
}

static size_t piece_rows(size_t all, size_t piece)
{
  size_t left = all - piece * ROWS;
  return left < ROWS ? left : ROWS;
}

void blas_multiply(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t vectors,
                   size_t rows, size_t columns, int add, int threads)
{
  if (vectors == 0 || rows == 0 || columns == 0)
    return;
  size_t pieces = (rows + ROWS - 1) / ROWS;
#pragma omp parallel for num_threads(threads_of(threads, pieces)) schedule(static)
  for (size_t p = 0; p < pieces; p++)
    multiply(y + p * ROWS, y_stride, x, x_stride, w + p * ROWS * columns, columns, CblasTrans, vectors, piece_rows(rows, p),
             columns, add);
}

void blas_multiply_transposed(double *y, size_t y_stride, const double *x, size_t x_stride, const double *w, size_t vectors,
                              size_t rows, size_t columns, int add, int threads)
{
  if (vectors == 0 || rows == 0 || columns == 0)
    return;
  size_t pieces = (columns + ROWS - 1) / ROWS;
#pragma omp parallel for num_threads(threads_of(threads, pieces)) schedule(static)
  for (size_t p = 0; p < pieces; p++)
    multiply(y + p * ROWS, y_stride, x, x_stride, w + p * ROWS, columns, CblasNoTrans, vectors, piece_rows(columns, p), rows,
             add);
}

/* ---- the test ---- */

static void draw(double *x, size_t n, uint64_t stream)
{
  philox_stream random = philox_stream_start(1, philox_hash_name("blas_self_test"), stream, 0);
  for (size_t i = 0; i < n; i++)
    x[i] = 2 * philox_uniform(&random) - 1;
}

/* Whether y is x w' (or, transposed, x w) within the bound; the reference loop errs by at most as much again. */
static bool is_product(const double *y, const double *x, const double *w, size_t vectors, size_t rows, size_t columns,
                       bool transposed)
{
  size_t outputs = transposed ? columns : rows, terms = transposed ? rows : columns;
  for (size_t t = 0; t < vectors; t++)
    for (size_t i = 0; i < outputs; i++) {
      double sum = 0, size = 0;
      for (size_t k = 0; k < terms; k++) {
        double a = x[t * terms + k] * (transposed ? w[k * columns + i] : w[i * columns + k]);
        sum += a;
        size += fabs(a);
      }
      if (!(fabs(y[t * outputs + i] - sum) <= ((double)terms + 2) * DBL_EPSILON * size))
        return false;
    }
  return true;
}

static bool test_one(size_t vectors, size_t rows, size_t columns, bool transposed, uint64_t stream)
{
  size_t inputs = transposed ? rows : columns, outputs = transposed ? columns : rows;
  double *x = memory_new(vectors * inputs, sizeof *x), *w = memory_new(rows * columns, sizeof *w);
  double *y = memory_new(vectors * outputs, sizeof *y);
  draw(x, vectors * inputs, 2 * stream);
  draw(w, rows * columns, 2 * stream + 1);
  draw(y, vectors * outputs, 0); /* what was there must not matter */
  if (transposed)
    blas_multiply_transposed(y, outputs, x, inputs, w, vectors, rows, columns, 0, 1);
  else
    blas_multiply(y, outputs, x, inputs, w, vectors, rows, columns, 0, 1);
  bool fine = is_product(y, x, w, vectors, rows, columns, transposed);
  free(x);
  free(w);
  free(y);
  return fine;
}

const char *blas_self_test(void)
{
  static const size_t sizes[][3] = {{1, 1, 1},   {1, 33, 70},  {2, 5, 3},    {7, 17, 31}, {64, 48, 33},
                                    {64, 80, 129}, {63, 97, 64}, {33, 130, 257}, {64, 1, 384}, {5, 300, 2}};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  prepare();
  int wrong = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1) reduction(+ : wrong)
  for (int i = 0; i < 2 * SIZES; i++) {
    const size_t *s = sizes[i / 2];
    wrong += !test_one(s[0], s[1], s[2], i % 2 == 1, (uint64_t)i + 1);
  }
  return wrong ? "the BLAS library in use (" ASSAY_BLAS_NAME ") multiplies matrices wrongly; another one is needed" : NULL;
}
