/* Every form against its own definition in ball arithmetic: the state as the unrolled sum of Lemma D.1,
 * from its drives and decays, not as a recurrence; and the error within the bound that forms.h states, by
 * each method. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "forms_balls.h"

#define U 0x1p-53

static double worst; /* error over bound, so far */

static void check_number(const form_case *c, double computed, const arb_t exact, double moduli, double n,
                         const char *what, size_t t)
{
  worst = fmax(worst, number_check(c, computed, exact, moduli, n, what, t));
}

static double at(scan_input in, size_t s, size_t t, size_t i)
{
  return in.at[s * in.sequence + t * in.token + i];
}

static void exponential(ball *x)
{
  arb_exp(x->re, x->re, PRECISION);
}

/* The tokens looked at: the first few, the last, those about the ends of chunks. */
static bool look_at(size_t t, size_t tokens)
{
  size_t place = t % SCAN_CHUNK;
  return t < 2 || t + 1 == tokens || place == 0 || place == SCAN_CHUNK - 1 || t == tokens / 2;
}

/* Gates and poles. */

static void gate_step(arb_t step, const form_case *c, size_t s, size_t t, size_t k, const arb_t alpha)
{
  const form_gate *f = &c->form.gate;
  switch (f->kind) {
  case FORM_STEP_ONE:
    arb_one(step);
    break;
  case FORM_STEP_GIVEN:
    arb_set_d(step, at(f->step, s, t, k));
    break;
  case FORM_STEP_CONVEX:
    arb_sub_ui(step, alpha, 1, PRECISION);
    arb_neg(step, step);
    break;
  case FORM_STEP_ROOT:
    arb_mul(step, alpha, alpha, PRECISION);
    arb_sub_ui(step, step, 1, PRECISION);
    arb_neg(step, step);
    arb_sqrt(step, step, PRECISION);
    break;
  }
}

static void check_states(const form_case *c, const double *out, size_t s, size_t n, size_t width,
                         const chain *a)
{
  ball one;
  ball_init(&one);
  ball_set(&one, 1, 0);
  for (size_t t = 0; t < c->sizes.tokens; t++) {
    if (!look_at(t, c->sizes.tokens))
      continue;
    total h;
    total_init(&h);
    total_add_unrolled(&h, a, (ptrdiff_t)t, &one);
    const double *row = out + (s * c->sizes.tokens + t) * c->out + n * width;
    check_number(c, row[0], h.sum.re, h.moduli, 6.0 * (double)(t + 2), "state", t);
    if (width == 2)
      check_number(c, row[1], h.sum.im, h.moduli, 6.0 * (double)(t + 2), "imaginary part", t);
    total_clear(&h);
  }
  ball_clear(&one);
}

static void check_gate(const form_case *c, const double *out)
{
  const form_gate *f = &c->form.gate;
  size_t K = f->channels, T = f->tokens;
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t k = 0; k < K; k++) {
      chain a;
      arb_t z;
      chain_init(&a, T);
      arb_init(z);
      ball_set(&a.begin, c->begin[s * K + k], 0);
      for (size_t t = 0; t < T; t++) {
        ball_set(&a.alpha[t], f->alpha.at ? at(f->alpha, s, t, k) : at(f->log_alpha, s, t, k), 0);
        if (!f->alpha.at)
          exponential(&a.alpha[t]);
        gate_step(a.drive[t].re, c, s, t, k, a.alpha[t].re);
        const double *row = out + (s * T + t) * c->out;
        check_number(c, row[K + k], a.alpha[t].re, ball_modulus(&a.alpha[t]), 2, "alpha", t);
        check_number(c, row[2 * K + k], a.drive[t].re, ball_modulus(&a.drive[t]), 4, "step", t);
        arb_set_d(z, at(f->z, s, t, k));
        arb_mul(a.drive[t].re, a.drive[t].re, z, PRECISION);
      }
      check_states(c, out, s, k, 1, &a);
      chain_clear(&a);
      arb_clear(z);
    }
}

static void check_poles(const form_case *c, const double *out)
{
  const form_poles *f = &c->form.poles;
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t n = 0; n < f->states; n++) {
      chain a;
      const double *begin = c->begin + 2 * (s * f->states + n);
      chain_init(&a, f->tokens);
      ball_set(&a.begin, begin[0], begin[1]);
      for (size_t t = 0; t < f->tokens; t++) {
        ball_set(&a.alpha[t], f->a[2 * n], f->a[2 * n + 1]);
        ball_set(&a.drive[t], at(f->x, s, t, 2 * n), at(f->x, s, t, 2 * n + 1));
      }
      check_states(c, out, s, n, 2, &a);
      chain_clear(&a);
    }
}

/* Forms with a readout: chains [states], of which token t reads the one with factor[state]. */

static void check_diagonal(const form_case *c, const double *out)
{
  const form_diagonal *f = &c->form.diagonal;
  size_t D = f->channels, N = f->states, T = f->tokens, width = f->is_complex ? 2 : 1;
  chain *a = memory_new(N, sizeof *a);
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t d = 0; d < D; d++) {
      for (size_t n = 0; n < N; n++) {
        size_t i = width * (d * N + n);
        const double *begin = c->begin + s * c->state + i;
        chain_init(&a[n], T);
        ball_set(&a[n].begin, begin[0], f->is_complex ? begin[1] : 0);
        for (size_t t = 0; t < T; t++) {
          ball u;
          ball_init(&u);
          ball_set(&u, at(f->u, s, t, d), 0);
          ball_set(&a[n].alpha[t], f->a[i], f->is_complex ? f->a[i + 1] : 0);
          ball_set(&a[n].drive[t], f->b[i], f->is_complex ? f->b[i + 1] : 0);
          ball_multiply(&a[n].drive[t], &u);
          ball_clear(&u);
        }
      }
      for (size_t t = 0; t < T; t++) {
        if (!look_at(t, T))
          continue;
        total y;
        ball factor;
        total_init(&y);
        ball_init(&factor);
        for (size_t n = 0; n < N; n++) {
          size_t i = width * (d * N + n);
          ball_set(&factor, width * f->c[i], f->is_complex ? 2 * f->c[i + 1] : 0);
          total_add_unrolled(&y, &a[n], (ptrdiff_t)t, &factor);
        }
        total_add_product(&y, f->skip[d], at(f->u, s, t, d));
        check_number(c, out[(s * T + t) * c->out + d], y.sum.re, y.moduli, 6.0 * (double)(t + 2) + (double)N,
                     "y", t);
        total_clear(&y);
        ball_clear(&factor);
      }
      for (size_t n = 0; n < N; n++)
        chain_clear(&a[n]);
    }
  free(a);
}

/* A form of matrix states, Mamba-2's included, as what it multiplies. */
typedef struct {
  form_matrix f;
  const double *rate; /* of form_heads: alpha is exp(step rate) */
} matrix_view;

static void matrix_alpha(ball *alpha, const matrix_view *m, size_t s, size_t t, size_t h, size_t k)
{
  const form_matrix *f = &m->f;
  if (m->rate) {
    ball rate;
    ball_init(&rate);
    ball_set(&rate, m->rate[h], 0);
    ball_set(alpha, at(f->step, s, t, h), 0);
    ball_multiply(alpha, &rate);
    exponential(alpha);
    ball_clear(&rate);
  } else if (f->kind == FORM_DECAY_NONE) {
    ball_set(alpha, 1, 0);
  } else {
    ball_set(alpha, at(f->alpha, s, t, f->kind == FORM_DECAY_KEY ? h * f->keys + k : h), 0);
    if (f->logarithm)
      exponential(alpha);
  }
}

static void matrix_drive(ball *drive, const matrix_view *m, size_t s, size_t t, size_t h, size_t k, size_t v)
{
  const form_matrix *f = &m->f;
  ball factor;
  ball_init(&factor);
  ball_set(drive, at(f->key, s, t, h * f->groups / f->heads * f->keys + k), 0);
  if (f->step.at) {
    ball_set(&factor, at(f->step, s, t, h), 0);
    ball_multiply(drive, &factor);
  }
  ball_set(&factor, at(f->value, s, t, h * f->values + v), 0);
  ball_multiply(drive, &factor);
  ball_clear(&factor);
}

static void check_column(const form_case *c, const matrix_view *m, const double *out, size_t s, size_t h,
                         size_t v)
{
  const form_matrix *f = &m->f;
  size_t K = f->keys, V = f->values, T = f->tokens, group = h * f->groups / f->heads * K;
  chain *a = memory_new(K, sizeof *a);
  for (size_t k = 0; k < K; k++) {
    chain_init(&a[k], T);
    ball_set(&a[k].begin, c->begin[s * c->state + h * K * V + (f->values_first ? v * K + k : k * V + v)], 0);
    for (size_t t = 0; t < T; t++) {
      matrix_alpha(&a[k].alpha[t], m, s, t, h, k);
      matrix_drive(&a[k].drive[t], m, s, t, h, k, v);
    }
  }
  double logarithms = 0;
  for (size_t t = 0; t < T; t++) {
    total y;
    ball factor, bonus;
    if (m->rate)
      logarithms += fabs(at(f->step, s, t, h) * m->rate[h]);
    if (!look_at(t, T))
      continue;
    total_init(&y);
    ball_init(&factor);
    ball_init(&bonus);
    for (size_t k = 0; k < K; k++) {
      ball_set(&factor, at(f->query, s, t, group + k), 0);
      total_add_unrolled(&y, &a[k], (ptrdiff_t)t - (f->bonus ? 1 : 0), &factor);
      if (f->bonus) {
        ball_set(&bonus, f->bonus[h * K + k], 0);
        ball_multiply(&factor, &bonus);
        ball_multiply(&factor, &a[k].drive[t]);
        total_add(&y, &factor);
      }
    }
    if (f->skip)
      total_add_product(&y, f->skip[h], at(f->value, s, t, h * V + v));
    check_number(c, out[(s * T + t) * c->out + h * V + v], y.sum.re, y.moduli,
                 6.0 * (double)(t + 2) + (double)(f->bonus ? 2 * K : K) + logarithms, "y", t);
    total_clear(&y);
    ball_clear(&factor);
    ball_clear(&bonus);
  }
  for (size_t k = 0; k < K; k++)
    chain_clear(&a[k]);
  free(a);
}

static void check_matrix(const form_case *c, const double *out)
{
  matrix_view m = {0};
  if (c->kind == CASE_HEADS) {
    const form_heads *f = &c->form.heads;
    m.f = (form_matrix){.sequences = f->sequences, .tokens = f->tokens, .heads = f->heads,
                        .groups = f->groups,
                        .keys = f->states, .values = f->channels, .key = f->b, .query = f->c, .value = f->x,
                        .step = f->step, .skip = f->skip, .values_first = true};
    m.rate = f->rate;
  } else {
    m.f = c->form.matrix;
  }
  for (size_t s = 0; s < m.f.sequences; s++)
    for (size_t h = 0; h < m.f.heads; h++)
      for (size_t v = 0; v < m.f.values; v++)
        check_column(c, &m, out, s, h, v);
}

/* RWKV-4: both means as quotients of sums of weights. */

/* Adds weight = e^exponent to `weights`, weight times value to `values`. */
static void add_weighted(total *values, total *weights, const arb_t exponent, double value)
{
  ball w, x;
  ball_init(&w);
  ball_init(&x);
  arb_exp(w.re, exponent, PRECISION);
  ball_set(&x, value, 0);
  total_add(weights, &w);
  ball_multiply(&w, &x);
  total_add(values, &w);
  ball_clear(&w);
  ball_clear(&x);
}

/* The mean at token t: past tokens decayed `decays` times less than t - r, the present one with `bonus`. */
static void check_mean(const form_case *c, double computed, size_t s, size_t t, size_t d, int less,
                       double bonus, double largest, const char *what)
{
  const form_wkv *f = &c->form.wkv;
  const double *begin = c->begin + s * c->state + d;
  size_t D = f->channels;
  total values, weights;
  arb_t exponent, w;
  total_init(&values);
  total_init(&weights);
  arb_init(exponent);
  arb_init(w);
  for (ptrdiff_t r = -1; r <= (ptrdiff_t)t; r++) {
    arb_set_d(w, f->log_decay[d]);
    arb_mul_si(w, w, (ptrdiff_t)t - r - ((size_t)r == t ? 0 : less), PRECISION);
    arb_set_d(exponent, r < 0 ? begin[2 * D] : at(f->key, s, (size_t)r, d));
    arb_add(exponent, exponent, w, PRECISION);
    if ((size_t)r == t) {
      arb_set_d(w, bonus);
      arb_add(exponent, exponent, w, PRECISION);
    }
    if (r >= 0) {
      add_weighted(&values, &weights, exponent, at(f->value, s, (size_t)r, d));
      continue;
    }
    ball e, factor;
    ball_init(&e);
    ball_init(&factor);
    arb_exp(e.re, exponent, PRECISION);
    ball_set(&factor, begin[D], 0);
    ball_multiply(&factor, &e);
    total_add(&weights, &factor);
    ball_set(&factor, begin[0], 0);
    ball_multiply(&factor, &e);
    total_add(&values, &factor);
    ball_clear(&e);
    ball_clear(&factor);
  }
  arb_div(values.sum.re, values.sum.re, weights.sum.re, PRECISION);
  check_number(c, computed, values.sum.re, values.moduli / weights.moduli,
               8.0 * (double)(t + 2) * (largest + 2), what, t);
  total_clear(&values);
  total_clear(&weights);
  arb_clear(exponent);
  arb_clear(w);
}

static void check_wkv(const form_case *c, const double *out)
{
  const form_wkv *f = &c->form.wkv;
  size_t D = f->channels, T = f->tokens;
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t d = 0; d < D; d++) {
      const double *begin = c->begin + s * c->state + d;
      double key = fabs(begin[2 * D]), h = begin[0] / begin[D];
      for (size_t t = 0; t < T; t++) {
        const double *row = out + (s * T + t) * c->out + d;
        key = fmax(key, fabs(at(f->key, s, t, d)));
        double largest = key + fabs(f->log_decay[d]) + fabs(f->bonus[d]);
        /* The gate is convex, and carries h. */
        double next = row[2 * D] * h + row[3 * D] * at(f->value, s, t, d);
        if (!(fabs(row[2 * D] + row[3 * D] - 1) <= 4 * U && fabs(next - row[D]) <= 1e-13 * fmax(1, fabs(h))))
          ck_abort_msg("token %zu: alpha %g, step %g, h %g after %g", t, row[2 * D], row[3 * D], row[D], h);
        h = row[D];
        if (!look_at(t, T))
          continue;
        check_mean(c, row[0], s, t, d, 1, f->bonus[d], largest, "y");
        check_mean(c, row[D], s, t, d, 0, 0, largest, "h");
      }
    }
}

static void check_case(const form_case *c, const double *out)
{
  if (c->kind <= CASE_GATE_ROOT_LOG)
    check_gate(c, out);
  else if (c->kind == CASE_POLES)
    check_poles(c, out);
  else if (c->kind <= CASE_DIAGONAL_COMPLEX)
    check_diagonal(c, out);
  else if (c->kind <= CASE_HEADS)
    check_matrix(c, out);
  else
    check_wkv(c, out);
}

START_TEST(definition)
{
  static const case_sizes sizes[] = {{2, 9, 5, 4, 4, 2, 1}, {1, 130, 1, 2, 2, 1, 0}};
  worst = 0;
  for (int k = 0; k < 2; k++) {
    form_case c;
    case_init(&c, (case_kind)_i, sizes[k], (unsigned long long)(100 + _i));
    for (int method = SCAN_REFERENCE; method <= SCAN_CHUNKED; method++) {
      scan_options options = {.method = (scan_method)method};
      size_t states = c.sizes.sequences * c.state;
      double *state = memory_new(states, sizeof *state);
      double *out = memory_new(c.sizes.sequences * c.sizes.tokens * c.out, sizeof *out);
      memcpy(state, c.begin, states * sizeof *state);
      case_run(&c, &options, state, out, 0, c.sizes.tokens);
      check_case(&c, out);
      free(state);
      free(out);
    }
    case_clear(&c);
  }
  /* Errors as small as that would mean that nothing was compared. */
  ck_assert_msg(worst > 1e-3, "%s: the largest error is but %g of the bound", case_names[_i], worst);
  if (getenv("FORMS_SHOW"))
    printf("%s %g\n", case_names[_i], worst);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("forms in balls");
  TCase *tc = tcase_create("definition");
  tcase_add_loop_test(tc, definition, 0, CASES);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
