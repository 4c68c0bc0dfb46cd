/* The forms as plain loops, one number at a time; forms.h has their contract.
 *
 * The order of operations is the contract of the fast methods: they do the same to each number. */
#include <math.h>

#include "sim/forms_internal.h"

static double input(const scan_input *rows, size_t s, size_t t, size_t i)
{
  return scan_row(rows, s, t)[i];
}

static void output(const scan_output *rows, size_t s, size_t t, size_t i, double x)
{
  if (rows->at)
    scan_row_out(rows, s, t)[i] = x;
}

void form_reference_gate(double *state, const form_gate *f)
{
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t k = 0; k < f->channels; k++) {
      double *h = state + s * f->channels + k;
      for (size_t t = 0; t < f->tokens; t++) {
        double alpha, step;
        form_gate_coefficients(f, s, t, k, 1, &alpha, &step);
        *h = alpha * *h + step * input(&f->z, s, t, k);
        output(&f->h, s, t, k, *h);
        output(&f->alpha_used, s, t, k, alpha);
        output(&f->step_used, s, t, k, step);
      }
    }
}

/* h <- a h + x of complex numbers. */
static void complex_step(double h[2], const double a[2], double x_re, double x_im)
{
  double re = a[0] * h[0] - a[1] * h[1] + x_re;
  double im = a[0] * h[1] + a[1] * h[0] + x_im;
  h[0] = re;
  h[1] = im;
}

void form_reference_poles(double *state, const form_poles *f)
{
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t n = 0; n < f->states; n++) {
      double *h = state + 2 * (s * f->states + n);
      for (size_t t = 0; t < f->tokens; t++) {
        complex_step(h, f->a + 2 * n, input(&f->x, s, t, 2 * n), input(&f->x, s, t, 2 * n + 1));
        output(&f->h, s, t, 2 * n, h[0]);
        output(&f->h, s, t, 2 * n + 1, h[1]);
      }
    }
}

static void diagonal_channel(double *state, const form_diagonal *f, size_t s, size_t d)
{
  size_t N = f->states, width = f->is_complex ? 2 : 1;
  for (size_t t = 0; t < f->tokens; t++) {
    double u = input(&f->u, s, t, d), sum = 0;
    for (size_t n = 0; n < N; n++) {
      size_t at = width * (d * N + n);
      double *h = state + width * n;
      if (f->is_complex) {
        complex_step(h, f->a + at, f->b[at] * u, f->b[at + 1] * u);
        sum += f->c[at] * h[0] - f->c[at + 1] * h[1];
      } else {
        h[0] = f->a[at] * h[0] + f->b[at] * u;
        sum += f->c[at] * h[0];
      }
      for (size_t part = 0; part < width; part++)
        output(&f->h, s, t, at + part, h[part]);
    }
    if (f->is_complex && f->conjugates)
      sum = 2 * sum;
    output(&f->y, s, t, d, f->skip ? sum + f->skip[d] * u : sum);
  }
}

void form_reference_diagonal(double *state, const form_diagonal *f)
{
  size_t width = f->is_complex ? 2 : 1;
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t d = 0; d < f->channels; d++)
      diagonal_channel(state + width * f->states * (s * f->channels + d), f, s, d);
}

/* Column v of head h, whose matrix begins at `state`. */
static void matrix_column(double *state, const form_matrix *f, size_t s, size_t h, size_t v)
{
  size_t K = f->keys, V = f->values, group = h / (f->heads / f->groups) * K;
  for (size_t t = 0; t < f->tokens; t++) {
    const double *alpha = form_matrix_decay(f, s, t, h);
    double value = input(&f->value, s, t, h * V + v), sum = 0, present = 0;
    for (size_t k = 0; k < K; k++) {
      size_t place = f->values_first ? v * K + k : k * V + v;
      double key = input(&f->key, s, t, group + k), query = input(&f->query, s, t, group + k);
      double before = state[place];
      if (f->step.at)
        key = input(&f->step, s, t, h) * key;
      state[place] = alpha[f->kind == FORM_DECAY_KEY ? k : 0] * before + key * value;
      sum += query * (f->bonus ? before : state[place]);
      if (f->bonus)
        present += (query * f->bonus[h * K + k]) * key;
      output(&f->h, s, t, h * K * V + place, state[place]);
    }
    if (f->bonus)
      sum += present * value;
    output(&f->y, s, t, h * V + v, f->skip ? sum + f->skip[h] * value : sum);
  }
}

void form_reference_matrix(double *state, const form_matrix *f)
{
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t h = 0; h < f->heads; h++)
      for (size_t v = 0; v < f->values; v++)
        matrix_column(state + (s * f->heads + h) * f->keys * f->values, f, s, h, v);
}

/* Two weights e^a and e^b, gap = a - b, over the larger one: that becomes 1, the other one e^-|gap|. */
static void weights(double *first, double *second, double gap)
{
  double exponent = -fabs(gap), less;
  form_exp(&less, &exponent, 1);
  *first = gap < 0 ? less : 1;
  *second = gap < 0 ? 1 : less;
}

void form_reference_wkv(double *state, const form_wkv *f)
{
  size_t D = f->channels;
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t d = 0; d < D; d++) {
      double *numerator = state + 3 * s * D + d, *denominator = numerator + D, *exponent = denominator + D;
      for (size_t t = 0; t < f->tokens; t++) {
        double key = input(&f->key, s, t, d), value = input(&f->value, s, t, d), past, present;
        weights(&past, &present, *exponent - (f->bonus[d] + key));
        output(&f->y, s, t, d, (past * *numerator + present * value) / (past * *denominator + present));

        double decayed = f->log_decay[d] + *exponent;
        weights(&past, &present, decayed - key);
        double kept = past * *denominator;
        *numerator = past * *numerator + present * value;
        *denominator = kept + present;
        *exponent = decayed < key ? key : decayed;
        output(&f->h, s, t, d, *numerator / *denominator);
        output(&f->alpha, s, t, d, kept / *denominator);
        output(&f->step, s, t, d, present / *denominator);
      }
    }
}
