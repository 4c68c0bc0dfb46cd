/* Numbers whose exponent does not underflow. */
#include "sim/wide.h"

wide wide_make(double m, int64_t e)
{
  wide w = {m, 0};
  if (m == 0 || !isfinite(m))
    return w;
  int k;
  w.m = frexp(m, &k);
  w.e = e + k;
  return w;
}

wide wide_multiply(wide a, wide b)
{
  return wide_make(a.m * b.m, a.e + b.e);
}

wide wide_add(wide a, wide b)
{
  if (a.m == 0 || !isfinite(b.m))
    return b;
  if (b.m == 0 || !isfinite(a.m))
    return a;
  if (a.e < b.e) {
    wide t = a;
    a = b;
    b = t;
  }
  return wide_make(a.m + b.m * wide_power(b.e - a.e), a.e);
}

wide wide_sqrt(wide a)
{
  if (a.e & 1)
    return wide_make(sqrt(2 * a.m), (a.e - 1) / 2);
  return wide_make(sqrt(a.m), a.e / 2);
}

wide wide_exp(double x)
{
  if (!isfinite(x))
    return wide_from(exp(x));
  if (fabs(x) < 700)
    return wide_from(exp(x));
  if (fabs(x) > 0x1p60) /* out of the reach of exponents */
    return wide_from(x < 0 ? 0 : INFINITY);
  /* log 2 to 159 bits: the fused operations leave x - k log 2 with an error of 2^-53 and of k 2^-161. */
  static const double high = 0x1.62e42fefa39efp-1, middle = 0x1.abc9e3b39803fp-56,
                      low = 0x1.7b57a079a1934p-111;
  double k = rint(x / high);
  double r = fma(-k, high, x);
  r = fma(-k, middle, r);
  r = fma(-k, low, r);
  return wide_make(exp(r), (int64_t)k);
}

/* Logarithms to both bases from the same parts. log10(2) and log(2) times the exponent are split, so that the
 * error is that of the result and not that of the exponent's product. */
double wide_lg(wide a)
{
  static const double high = 0x1.34413509f79ffp-2, low = -0x1.9dc1da994fd21p-59;
  double e = (double)a.e;
  return a.m == 0 ? -INFINITY : fma(e, high, fma(e, low, log10(fabs(a.m))));
}

double wide_log(wide a)
{
  static const double high = 0x1.62e42fefa39efp-1, low = 0x1.abc9e3b39803fp-56;
  double e = (double)a.e;
  return a.m == 0 ? -INFINITY : fma(e, high, fma(e, low, log(fabs(a.m))));
}

double wide_double(wide a)
{
  if (a.m == 0 || !isfinite(a.m))
    return a.m;
  int e = a.e > 2000 ? 2000 : a.e < -2000 ? -2000 : (int)a.e;
  return ldexp(a.m, e);
}

void wide_row_normalise(double *m, size_t n, int64_t *e)
{
  double top = 0;
  int broken = 0;
  for (size_t i = 0; i < n; i++) {
    double x = fabs(m[i]);
    broken |= !(x <= 0x1.fffffffffffffp+1023);
    top = x > top ? x : top;
  }
  if (broken) {
    for (size_t i = 0; i < n; i++)
      m[i] = NAN;
    *e = 0;
    return;
  }
  if (top == 0) {
    *e = WIDE_ZERO;
    return;
  }
  int k;
  frexp(top, &k);
  if (k == 0)
    return;
  *e += k;
  if (k > 1022 || k < -1022) { /* the power itself is no normal double */
    for (size_t i = 0; i < n; i++)
      m[i] = ldexp(m[i], -k);
    return;
  }
  double scale = wide_power(-k);
  for (size_t i = 0; i < n; i++)
    m[i] *= scale;
}

void wide_row_add(double *m, int64_t *e, const double *x, int64_t f, size_t n)
{
  if (f == WIDE_ZERO)
    return;
  if (*e == WIDE_ZERO)
    memcpy(m, x, n * sizeof *m);
  else {
    int64_t top = *e > f ? *e : f;
    double a = wide_power(*e - top), b = wide_power(f - top);
    for (size_t i = 0; i < n; i++)
      m[i] = m[i] * a + x[i] * b;
    f = top;
  }
  *e = f;
  wide_row_normalise(m, n, e);
}

wide wide_row_square(const double *m, size_t n, int64_t e)
{
  if (e == WIDE_ZERO)
    return wide_from(0);
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += m[i] * m[i];
  return wide_make(sum, 2 * e);
}
