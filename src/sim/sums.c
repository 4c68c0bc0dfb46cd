/* Sums in sixteen lanes. */
#include "sim/sums.h"

#include <math.h>

#include "sim/measured.h"

enum { LANES = 16, BLOCK = 256 }; /* a lane takes BLOCK / LANES terms before it is emptied */

/* The lanes' sum, as a tree. */
static double fold(const double lane[LANES])
{
  double a[LANES / 2];
  for (int i = 0; i < LANES / 2; i++)
    a[i] = lane[i] + lane[i + LANES / 2];
  for (int half = LANES / 4; half; half /= 2)
    for (int i = 0; i < half; i++)
      a[i] += a[i + half];
  return a[0];
}

/* A sum over i of TERM, which may use i. */
#define SUM_OF(TERM)                                                                                                           \
  double sum = 0, low = 0;                                                                                                     \
  for (size_t start = 0; start < n; start += BLOCK) {                                                                          \
    size_t end = n - start < BLOCK ? n : start + BLOCK, whole = start + (end - start) / LANES * LANES;                         \
    double lane[LANES] = {0};                                                                                                  \
    for (size_t at = start; at < whole; at += LANES)                                                                           \
      for (size_t k = 0; k < LANES; k++) {                                                                                     \
        size_t i = at + k;                                                                                                     \
        lane[k] += TERM;                                                                                                       \
      }                                                                                                                        \
    for (size_t i = whole; i < end; i++)                                                                                       \
      lane[i - whole] += TERM;                                                                                                 \
    measured_accumulate(&sum, &low, fold(lane));                                                                               \
  }                                                                                                                            \
  return sum + low

double sums_dot(const double *x, const double *y, size_t n)
{
  SUM_OF(x[i] * y[i]);
}

double sums_squared_distance(const double *x, const double *y, size_t n)
{
  SUM_OF((x[i] - y[i]) * (x[i] - y[i]));
}

static double largest(const double *x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double a = fabs(x[i]);
    if (!(a <= most)) { /* a NaN comes through */
      if (!isfinite(a))
        return NAN;
      most = a;
    }
  }
  return most;
}

static double sum_of_scaled_squares(const double *x, size_t n, int exponent)
{
  SUM_OF(ldexp(x[i], -exponent) * ldexp(x[i], -exponent));
}

/* |x| = length * 2^exponent; the exponent is 0 wherever squares can be had without it. */
static double length_of(const double *x, size_t n, int *exponent)
{
  double most = largest(x, n);
  *exponent = 0;
  if (!(most > 0))
    return most;
  int e = ilogb(most);
  if (e > -400 && e < 400)
    return sqrt(sums_dot(x, x, n));
  *exponent = e;
  return sqrt(sum_of_scaled_squares(x, n, e));
}

double sums_length(const double *x, size_t n)
{
  int exponent;
  double length = length_of(x, n, &exponent);
  return ldexp(length, exponent);
}

bool sums_direction(double *unit, const double *x, size_t n)
{
  int exponent;
  double length = length_of(x, n, &exponent);
  bool fine = length > 0;
  for (size_t i = 0; i < n; i++)
    unit[i] = !fine ? 0 : exponent ? ldexp(x[i], -exponent) / length : x[i] / length;
  return fine;
}

static double dot_scaled(const double *x, const double *y, size_t n, int ex, int ey)
{
  SUM_OF(ldexp(x[i], -ex) * ldexp(y[i], -ey));
}

double sums_cosine(const double *x, const double *y, size_t n)
{
  int ex, ey;
  double a = length_of(x, n, &ex), b = length_of(y, n, &ey);
  if (!(a > 0) || !(b > 0))
    return NAN;
  double cosine = (ex || ey ? dot_scaled(x, y, n, ex, ey) : sums_dot(x, y, n)) / a / b;
  return fmax(-1, fmin(1, cosine));
}

/* The quotient is put right by its own residual: of n equal numbers it is that number, and rows that are all the same have
 * no deviation from their mean. */
void sums_row_mean(double *mean, const double *x, size_t n, size_t width)
{
  for (size_t j = 0; j < width; j++) {
    double sum = 0, low = 0;
    for (size_t t = 0; t < n; t++)
      measured_accumulate(&sum, &low, x[t * width + j]);
    double m = (sum + low) / (double)n;
    mean[j] = m + (fma(-m, (double)n, sum) + low) / (double)n;
  }
}
