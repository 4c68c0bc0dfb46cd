/* Numbers whose exponent does not underflow: a double and a power of two beside it.
 *
 * A wide number is m 2^e. In normal form m is 0 (and e 0), or 1/2 <= |m| < 1, or not finite (and e 0): what
 * is not a number stays so. All functions take and give the normal form. Exponents are sums of those of as
 * many factors as one sequence has tokens: 2^62 is out of reach.
 *
 * Rounding. Each operation is the one of double on the mantissas: relative error 2^-53 at most, whatever the
 * size of the result; addition adds to the larger operand what of the smaller one is within its reach.
 * wide_exp: see there. The sum of n numbers >= 0 has a relative error of n 2^-53 at most.
 *
 * Rows: several mantissas with one exponent. A mantissa smaller than the largest by more than a double can
 * tell is lost, and with it at most 2^-1022 of the row's norm. */
#ifndef ASSAY_SIM_WIDE_H
#define ASSAY_SIM_WIDE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  double m;
  int64_t e;
} wide;

/* The exponent of a row of zeros: below every other. */
#define WIDE_ZERO (-((int64_t)1 << 61))

/* m 2^e in normal form. */
wide wide_make(double m, int64_t e);
static inline wide wide_from(double x)
{
  return wide_make(x, 0);
}
wide wide_multiply(wide a, wide b);
wide wide_add(wide a, wide b);
/* Of a number >= 0. */
wide wide_sqrt(wide a);
/* exp x for any x: relative error below 2^-51 for |x| < 2^50; exp(-infinity) is 0. */
wide wide_exp(double x);
/* lg |a| and log |a|: -infinity for 0. */
double wide_lg(wide a);
double wide_log(wide a);
/* To the nearest double; beyond its range 0 or infinite. */
double wide_double(wide a);

/* 2^e for -1022 <= e <= 1023, 0 below, infinity above. */
static inline double wide_power(int64_t e)
{
  if (e < -1022)
    return 0;
  if (e > 1023)
    return INFINITY;
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* A sum of terms m 2^e in their order: exact zeros count for nothing, and what is far below the largest so
 * far is lost, no more. Mantissas may be of any size between 2^-400 and 2^400. Begin with {0, WIDE_ZERO}; the
 * sum is wide_make(m, e). */
static inline void wide_sum_add(wide *sum, double m, int64_t e)
{
  if (m == 0)
    return;
  if (e <= sum->e)
    sum->m += m * wide_power(e - sum->e);
  else {
    sum->m = sum->m * wide_power(sum->e - e) + m;
    sum->e = e;
  }
}

/* Scales the row by a power of two so that its largest |m| lies in [1/2, 1), and *e accordingly. A row of
 * zeros gets the exponent WIDE_ZERO; one with a NaN or infinity becomes NaN altogether, with exponent 0. */
void wide_row_normalise(double *m, size_t n, int64_t *e);
/* m 2^e += x 2^f, row by row, then normalised. Both are in normal form. */
void wide_row_add(double *m, int64_t *e, const double *x, int64_t f, size_t n);
/* The sum of the squares. */
wide wide_row_square(const double *m, size_t n, int64_t e);

#endif
