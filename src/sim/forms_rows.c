/* Rows of decays and steps. */
#include <math.h>
#include <string.h>

#include "arith/kernels.h"
#include "sim/forms_internal.h"

enum { ROW = 4 * KERNEL_BLOCK };

TARGET_VECTOR static void exp_row(double *restrict out, const double *restrict in, size_t n)
{
  kernel_exp(out, in, n);
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    out[i] = in[i] < KERNEL_EXP_LO ? 0 : out[i];
}

/* 1 - e^(scale in[i]), scale a power of two; in[i] may be -infinity. */
TARGET_VECTOR static void minus_expm1_row(double *restrict out, const double *restrict in, size_t n,
                                          double scale)
{
  double x[ROW] = {0};
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    x[i] = scale * in[i] < KERNEL_EXP_LO ? KERNEL_EXP_LO : scale * in[i];
  kernel_expm1(out, x, n);
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    out[i] = 0 - out[i]; /* not -0 where alpha is 1 */
}

TARGET_VECTOR static void one_minus_square_row(double *restrict out, const double *restrict alpha, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    out[i] = (1 - alpha[i]) * (1 + alpha[i]);
}

TARGET_VECTOR static void one_minus_row(double *restrict out, const double *restrict alpha, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    out[i] = 1 - alpha[i];
}

TARGET_VECTOR static void root_row(double *x, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    x[i] = sqrt(x[i]);
}

void form_exp(double *out, const double *in, size_t n)
{
  for (size_t done = 0; done < n; done += ROW)
    exp_row(out + done, in + done, n - done < ROW ? n - done : ROW);
}

void form_gate_coefficients(const form_gate *f, size_t sequence, size_t token, size_t first, size_t n,
                            double *alpha, double *step)
{
  const double *logarithm = f->alpha.at ? NULL : scan_row(&f->log_alpha, sequence, token) + first;
  if (logarithm)
    form_exp(alpha, logarithm, n);
  else
    memcpy(alpha, scan_row(&f->alpha, sequence, token) + first, n * sizeof *alpha);
  switch (f->kind) {
  case FORM_STEP_ONE:
    for (size_t i = 0; i < n; i++)
      step[i] = 1;
    break;
  case FORM_STEP_GIVEN:
    memcpy(step, scan_row(&f->step, sequence, token) + first, n * sizeof *step);
    break;
  case FORM_STEP_CONVEX:
    if (logarithm)
      minus_expm1_row(step, logarithm, n, 1);
    else
      one_minus_row(step, alpha, n);
    break;
  case FORM_STEP_ROOT:
    if (logarithm)
      minus_expm1_row(step, logarithm, n, 2);
    else
      one_minus_square_row(step, alpha, n);
    root_row(step, n);
    break;
  }
}

void form_power(double *power, const double *a, size_t n, bool is_complex, size_t exponent)
{
  for (size_t i = 0; i < n; i++) {
    double re = 1, im = 0, a_re = a[i], a_im = is_complex ? a[n + i] : 0;
    for (size_t e = exponent; e > 0; e /= 2) {
      if (e % 2) {
        double next = a_re * re - a_im * im;
        im = a_re * im + a_im * re;
        re = next;
      }
      double square = a_re * a_re - a_im * a_im;
      a_im = 2 * (a_re * a_im);
      a_re = square;
    }
    power[i] = re;
    if (is_complex)
      power[n + i] = im;
  }
}

const double *form_matrix_decay(const form_matrix *f, size_t sequence, size_t token, size_t head)
{
  static const double one = 1;
  if (f->kind == FORM_DECAY_NONE)
    return &one;
  return scan_row(&f->alpha, sequence, token) + (f->kind == FORM_DECAY_KEY ? head * f->keys : head);
}
