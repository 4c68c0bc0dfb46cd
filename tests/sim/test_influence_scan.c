/* Wide numbers, influence in one scan by both forms and by a third way, and the bound of Theorem 3.1. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/flint.h"
#include "core/memory.h"
#include "core/philox.h"
#include "sim/influence_bound.h"
#include "sim/influence_curve.h"
#include "sim/influence_scan.h"

/* ---- runs ---- */

typedef struct {
  scan_record r;
  double *rate, *step, *u, *b, *c, *skip;
} made_run;

static double uniform(philox_stream *s, double low, double high)
{
  return low + (high - low) * philox_uniform(s);
}

static made_run make_run(uint64_t seed, size_t T, size_t D, size_t N, size_t G, double slowest,
                         double fastest)
{
  philox_stream s = philox_stream_start(seed, 1, 0, 0);
  made_run m = {.rate = memory_new(D * N, 8), .step = memory_new(T * D, 8), .u = memory_new(T * D, 8),
                .b = memory_new(T * G * N, 8), .c = memory_new(T * G * N, 8), .skip = memory_new(D, 8)};
  for (size_t i = 0; i < D * N; i++)
    m.rate[i] = -slowest * pow(fastest / slowest, philox_uniform(&s));
  for (size_t i = 0; i < T * D; i++) {
    m.step[i] = uniform(&s, 0.1, 1);
    m.u[i] = uniform(&s, -1, 1);
  }
  for (size_t i = 0; i < T * G * N; i++) {
    m.b[i] = uniform(&s, -1, 1);
    m.c[i] = uniform(&s, -1, 1);
  }
  for (size_t i = 0; i < D; i++)
    m.skip[i] = uniform(&s, -1, 1);
  m.r = (scan_record){T, D, N, G, m.rate, m.step, m.u, m.b, m.c, m.skip};
  return m;
}

static void clear_run(made_run *m)
{
  free(m->rate);
  free(m->step);
  free(m->u);
  free(m->b);
  free(m->c);
  free(m->skip);
}

static double relative(wide a, wide b)
{
  if (a.m == 0 && b.m == 0)
    return 0;
  wide d = wide_add(a, (wide){-b.m, b.e});
  return exp(wide_log(d) - wide_log(b));
}

/* All pairs by the adjoint form. */
static wide *adjoint_all(const scan_record *r, int threads)
{
  size_t T = r->tokens, *t = memory_new(T, sizeof *t);
  for (size_t i = 0; i < T; i++)
    t[i] = i;
  wide *out = memory_new(T * T, sizeof *out);
  double *checkpoints = scan_checkpoints(r, threads);
  ck_assert(influence_scan_adjoint(out, r, checkpoints, t, T, threads, NULL));
  free(checkpoints);
  free(t);
  return out;
}

/* ---- wide numbers ---- */

START_TEST(exponents_do_not_underflow)
{
  arb_t x, ten;
  arb_init(x);
  arb_init(ten);
  static const double at[] = {
      -0.25, -699.9, -700.1, -745.3, -12345.678, -1e6 - 0.1, -3.7e9, 800.5, -0x1.fffffffffffffp39};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    wide w = wide_exp(at[i]);
    /* lg exp(x) = x / log 10 */
    arb_set_d(x, at[i]);
    arb_log_ui(ten, 10, 200);
    arb_div(x, x, ten, 200);
    double lg = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    ck_assert_double_le(fabs(wide_lg(w) - lg), 0x1p-51 * (fabs(lg) + 1));
    /* the mantissa, from exp(x) 2^-e */
    arb_set_d(x, at[i]);
    arb_exp(x, x, 200);
    arb_mul_2exp_si(x, x, -(slong)w.e);
    double m = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    ck_assert_double_le(fabs(w.m - m), 0x1p-51 * m);
  }
  arb_clear(x);
  arb_clear(ten);
  ck_assert_double_eq(wide_exp(-INFINITY).m, 0);
  ck_assert_double_eq(wide_exp(-1e300).m, 0);
  ck_assert_double_eq(wide_lg(wide_from(0)), -INFINITY);
}
END_TEST

START_TEST(wide_arithmetic)
{
  wide tiny = {0.75, -5000}, huge = {-0.5, 5000}, one = wide_from(1);
  ck_assert_double_eq(wide_double(wide_multiply(tiny, huge)), -0.375);
  ck_assert_double_eq(wide_double(wide_add(one, tiny)), 1);
  ck_assert_double_eq(wide_add(huge, one).m, -0.5);
  wide odd = wide_sqrt((wide){0.5, -4999}); /* 2^-5000, whose root is 2^-2500 */
  ck_assert(odd.m == 0.5 && odd.e == -2499);
  ck_assert_double_eq(wide_double(wide_sqrt(wide_from(2))), sqrt(2));
  ck_assert_double_eq(wide_double(tiny), 0);
  ck_assert_double_eq(wide_double(huge), -INFINITY);
  ck_assert(isnan(wide_add(one, wide_from(NAN)).m) && isnan(wide_add(wide_from(NAN), one).m));
  ck_assert_double_eq(wide_from(0x1p-1074).m, 0.5);
  /* a sum whose terms come in any order of size: 1 + 2^-30 + ... with what is out of reach lost and no more
   */
  wide sum = {0, WIDE_ZERO};
  wide_sum_add(&sum, 0.5, -3000);
  wide_sum_add(&sum, 1, 0);
  wide_sum_add(&sum, 0, 9000);
  wide_sum_add(&sum, 1, -30);
  ck_assert_double_eq(wide_double(wide_make(sum.m, sum.e)), 1 + 0x1p-30);
  /* rows */
  double row[] = {0x1p-900, -0x1.8p-901, 0}, other[] = {0.5, 0, 0.5};
  int64_t e = -4000;
  wide_row_normalise(row, 3, &e);
  ck_assert(row[0] == 0.5 && row[1] == -0.375 && row[2] == 0 && e == -4899);
  wide_row_add(row, &e, other, -4900, 3);
  ck_assert(row[0] == 0.75 && row[1] == -0.375 && row[2] == 0.25 && e == -4899);
  wide square = wide_row_square(row, 3, e);
  ck_assert_double_eq(ldexp(square.m, (int)(square.e + 2 * 4899)), 0.5625 + 0.140625 + 0.0625);
  double zero[] = {0, 0};
  e = 7;
  wide_row_normalise(zero, 2, &e);
  ck_assert(e == WIDE_ZERO);
  wide_row_add(zero, &e, other, 3, 2);
  ck_assert(zero[0] == 0.5 && e == 3);
}
END_TEST

/* ---- both forms ---- */

static void check_forms(uint64_t seed, size_t T, size_t D, size_t N, size_t G, double slowest, double fastest)
{
  made_run m = make_run(seed, T, D, N, G, slowest, fastest);
  wide *back = adjoint_all(&m.r, 1), *forth = memory_new(T, sizeof *forth);
  for (size_t s = 0; s < T; s++) {
    influence_scan_tangent(forth, &m.r, s);
    for (size_t t = s; t < T; t++)
      ck_assert_msg(relative(back[t * T + s], forth[t]) < 1e-13, "t %zu s %zu: lg %.17g and %.17g", t, s,
                    wide_lg(back[t * T + s]), wide_lg(forth[t]));
  }
  free(back);
  free(forth);
  clear_run(&m);
}

START_TEST(tangent_and_adjoint_agree)
{
  check_forms(1, 1, 1, 1, 1, 1, 1);
  check_forms(2, 65, 3, 2, 1, 0.01, 3);
  check_forms(3, 140, 6, 3, 2, 0.001, 20);
  check_forms(4, 70, 4, 5, 4, 1, 2000); /* decays below 10^-800 in one step */
}
END_TEST

START_TEST(threads_do_not_matter)
{
  made_run m = make_run(5, 100, 40, 3, 2, 0.01, 5);
  wide *one = adjoint_all(&m.r, 1), *three = adjoint_all(&m.r, 3);
  for (size_t i = 0; i < 100 * 100; i++)
    ck_assert(one[i].m == three[i].m && one[i].e == three[i].e);
  free(one);
  free(three);
  clear_run(&m);
}
END_TEST

/* ---- a third way: dual numbers through the recurrence as it is printed, in long double ---- */

typedef struct {
  long double v, d;
} dual;

enum { BY_U, BY_STEP, BY_B, BY_C };

/* dy_t[channel]/d(one direct input of token s), t = s .. T-1, at out[t]. */
static void dual_run(long double *out, const scan_record *r, size_t channel, size_t s, int which, size_t n)
{
  size_t N = r->states, D = r->channels, G = r->groups, d = channel, g = d / (D / G);
  dual *h = memory_new(N, sizeof *h);
  for (size_t t = 0; t < r->tokens; t++) {
    dual u = {r->u[t * D + d], t == s && which == BY_U},
         step = {r->step[t * D + d], t == s && which == BY_STEP};
    long double y = (r->skip ? r->skip[d] : 0) * u.d;
    for (size_t k = 0; k < N; k++) {
      dual b = {r->b[(t * G + g) * N + k], t == s && which == BY_B && k == n};
      dual c = {r->c[(t * G + g) * N + k], t == s && which == BY_C && k == n};
      long double rate = r->rate[d * N + k], a = expl(step.v * rate);
      dual next = {a * h[k].v + step.v * b.v * u.v, a * h[k].d + a * rate * step.d * h[k].v +
                                                        step.d * b.v * u.v + step.v * b.d * u.v +
                                                        step.v * b.v * u.d};
      h[k] = next;
      y += c.d * next.v + c.v * next.d;
    }
    out[t] = y;
  }
  free(h);
}

START_TEST(dual_numbers_agree)
{
  enum { T = 9, D = 4, N = 3 };
  for (size_t G = 1; G <= 2; G++) {
    made_run m = make_run(6 + G, T, D, N, G, 0.05, 4);
    wide *back = adjoint_all(&m.r, 1);
    for (size_t s = 0; s < T; s++) {
      long double square[T] = {0}, dy[T];
      for (size_t d = 0; d < D; d++)
        for (int which = BY_U; which <= BY_C; which++)
          for (size_t n = 0; n < (which >= BY_B ? N : 1); n++) {
            dual_run(dy, &m.r, d, s, which, n);
            for (size_t t = s; t < T; t++)
              square[t] += dy[t] * dy[t];
          }
      for (size_t t = s; t < T; t++) {
        double expected = (double)sqrtl(square[t]), found = wide_double(back[t * T + s]);
        ck_assert_double_le(fabs(found - expected), 1e-13 * expected);
      }
    }
    free(back);
    clear_run(&m);
  }
}
END_TEST

/* ---- known values ---- */

/* With a constant decay alpha and no input, |dy_t/du_s| = |C Delta B| alpha^(t-s) and nothing else is there:
 * lg of it by hand, down to 10^-1400 and, at alpha = e^-1000 a step, to 10^-888963. */
START_TEST(constant_decay)
{
  static const double exponent[] = {-1.6094379124341003 /* log 0.2 */, -1000};
  for (size_t e = 0; e < 2; e++) {
    enum { T = 2048 };
    made_run m = make_run(9, T, 1, 1, 1, 1, 1);
    m.rate[0] = exponent[e] * 4;
    for (size_t t = 0; t < T; t++) {
      m.u[t] = 0;
      m.step[t] = 0.25;
      m.b[t] = 3;
      m.c[t] = -0.5;
    }
    size_t last = T - 1;
    wide *out = memory_new(T, sizeof *out), *forth = memory_new(T, sizeof *forth);
    double *checkpoints = scan_checkpoints(&m.r, 1);
    influence_scan_adjoint(out, &m.r, checkpoints, &last, 1, 1, NULL);
    influence_scan_tangent(forth, &m.r, 0);
    scan_bound bound;
    scan_bound_init(&bound, &m.r, 1);
    for (size_t s = 0; s < last; s++) {
      double lg = log10(0.375) + (double)(last - s) * exponent[e] / log(10);
      ck_assert_double_le(fabs(wide_lg(out[s]) - lg), 4e-15 * fabs(lg));
      /* the bound is an equality here */
      double bound_lg = scan_bound_lg(&bound, last, s);
      ck_assert_double_ge(bound_lg, wide_lg(out[s]) - 4e-15 * fabs(lg));
      ck_assert_double_le(bound_lg, lg + 1e-14 * fabs(lg));
    }
    ck_assert_double_le(fabs(wide_lg(forth[last]) - wide_lg(out[0])), 1e-12);
    if (e == 0)
      ck_assert(wide_lg(out[0]) < -1431 && wide_lg(out[0]) > -1432); /* 2047 lg 5 = 1430.8, and lg 0.375 */
    scan_bound_clear(&bound);
    free(checkpoints);
    free(out);
    free(forth);
    clear_run(&m);
  }
}
END_TEST

/* A slow state beside a fast one that begins 10^300 times larger: far back only the slow one is left. */
START_TEST(slow_state_is_not_lost)
{
  enum { T = 1500 };
  made_run m = make_run(10, T, 1, 2, 1, 1, 1);
  m.rate[0] = -0.001;
  m.rate[1] = -3;
  for (size_t t = 0; t < T; t++) {
    m.u[t] = 0;
    m.step[t] = 1;
    m.b[2 * t] = 1;
    m.b[2 * t + 1] = 1;
    m.c[2 * t] = 1e-150;
    m.c[2 * t + 1] = 1e150;
  }
  wide *out = adjoint_all(&m.r, 1);
  size_t t = T - 1;
  ck_assert_double_eq_tol(wide_lg(out[t * T + t - 10]), 150 - 30 / log(10), 1e-12);
  ck_assert_double_eq_tol(wide_lg(out[t * T + 10]), -150 - 0.001 * (double)(t - 10) / log(10), 1e-10);
  free(out);
  clear_run(&m);
}
END_TEST

/* ---- the bound ---- */

START_TEST(bound_is_never_exceeded)
{
  for (uint64_t seed = 20; seed < 40; seed++) {
    size_t T = 40 + seed, D = 1 + seed % 5 * (1 + seed % 2), N = 1 + seed % 4, G = D % 2 ? 1 : 2;
    made_run m = make_run(seed, T, D, N, G, seed % 3 ? 0.01 : 1e-8, seed % 4 ? 3 : 900);
    wide *out = adjoint_all(&m.r, 1);
    scan_bound bound;
    scan_bound_init(&bound, &m.r, 2);
    size_t close = 0;
    for (size_t t = 0; t < T; t++)
      for (size_t s = 0; s < t; s++) {
        double lg = wide_lg(out[t * T + s]), bound_lg = scan_bound_lg(&bound, t, s);
        ck_assert_double_le(lg, bound_lg + 1e-12);
        close += bound_lg - lg < 2;
      }
    ck_assert_uint_gt(close, 0); /* it is a bound for this run and not for any */
    scan_bound_clear(&bound);
    free(out);
    clear_run(&m);
  }
}
END_TEST

/* lg of |C_t| A_max^(t-s) |G_s| in balls, by its definition. */
static void ball_bound(arb_t out, const scan_record *r, size_t t, size_t s)
{
  enum { BITS = 200 };
  size_t D = r->channels, N = r->states, G = r->groups;
  arb_t sum, a, top, h, x, y;
  arb_ptr all[] = {sum, a, top, h, x, y};
  for (size_t i = 0; i < 6; i++)
    arb_init(all[i]);
  arb_set_si(top, -1000000); /* log A_max */
  for (size_t d = 0; d < D; d++)
    for (size_t n = 0; n < N; n++) {
      size_t g = d / (D / G);
      arb_zero(h);
      for (size_t i = 0; i < r->tokens; i++) {
        const double step = r->step[i * D + d], u = r->u[i * D + d], b = r->b[(i * G + g) * N + n];
        arb_set_d(a, step);
        arb_set_d(x, r->rate[d * N + n]);
        arb_mul(a, a, x, BITS);
        arb_max(top, top, a, BITS);
        arb_exp(a, a, BITS);
        arb_mul(h, h, a, BITS);
        if (i == s) {
          arb_mul(y, h, x, BITS);
          arb_set_d(x, b);
          arb_set_d(a, u);
          arb_addmul(y, x, a, BITS);
          arb_addmul(sum, y, y, BITS); /* (B u + A alpha h)^2 */
          arb_set_d(x, step);
          arb_set_d(y, b);
          arb_mul(y, y, x, BITS);
          arb_addmul(sum, y, y, BITS); /* (Delta B)^2 */
          arb_mul(y, x, a, BITS);
          arb_addmul(sum, y, y, BITS); /* (Delta u)^2 */
        }
        arb_set_d(x, step);
        arb_set_d(a, u);
        arb_mul(x, x, a, BITS);
        arb_set_d(a, b);
        arb_addmul(h, x, a, BITS);
      }
    }
  arb_zero(h);
  for (size_t g = 0; g < G; g++) {
    arb_zero(y);
    for (size_t n = 0; n < N; n++) {
      arb_set_d(x, r->c[(t * G + g) * N + n]);
      arb_addmul(y, x, x, BITS);
    }
    arb_max(h, h, y, BITS);
  }
  arb_mul(sum, sum, h, BITS);
  arb_log(sum, sum, BITS);
  arb_mul_2exp_si(sum, sum, -1);
  arb_set_ui(x, t - s);
  arb_addmul(sum, x, top, BITS);
  arb_log_ui(x, 10, BITS);
  arb_div(out, sum, x, BITS);
  for (size_t i = 0; i < 6; i++)
    arb_clear(all[i]);
}

START_TEST(bound_is_that_of_the_theorem)
{
  arb_t exact, found;
  arb_init(exact);
  arb_init(found);
  for (uint64_t seed = 50; seed < 56; seed++) {
    size_t T = 30;
    made_run m = make_run(seed, T, 4, 3, seed % 2 + 1, 0.02, seed == 55 ? 2000 : 3);
    scan_bound bound;
    scan_bound_init(&bound, &m.r, 1);
    for (size_t t = 1; t < T; t += 4)
      for (size_t s = 0; s < t; s += 3) {
        ball_bound(exact, &m.r, t, s);
        arb_set_d(found, scan_bound_lg(&bound, t, s));
        ck_assert(arb_ge(found, exact));
        arb_sub(found, found, exact, 64);
        ck_assert_double_le(arf_get_d(arb_midref(found), ARF_RND_NEAR), 1e-11);
      }
    scan_bound_clear(&bound);
    clear_run(&m);
  }
  arb_clear(exact);
  arb_clear(found);
}
END_TEST

/* Where B u + A alpha h cancels, |G_s| is what is left of rounding: the bound must know how far h may be off.
 * Steps of 10^-18 and rates of -10^18 leave hardly anything else in G_s. */
START_TEST(bound_survives_cancellation)
{
  enum { T = 40 };
  arb_t exact, found;
  arb_init(exact);
  arb_init(found);
  for (uint64_t seed = 60; seed < 80; seed++) {
    made_run m = make_run(seed, T, 1, 1, 1, 0.05e18, 0.3e18);
    double h = 0;
    size_t cancelled = 0;
    for (size_t t = 0; t < T; t++) {
      m.step[t] *= 1e-18;
      m.b[t] = 1;
      double alpha = exp(m.step[t] * m.rate[0]);
      if (t % 4 == 3)
        m.u[t] = -m.rate[0] * (alpha * h);
      h = alpha * h + m.step[t] * m.u[t] * m.b[t];
    }
    scan_bound bound;
    scan_bound_init(&bound, &m.r, 1);
    for (size_t s = 3; s + 1 < T; s += 4) {
      ball_bound(exact, &m.r, T - 1, s);
      arb_set_d(found, scan_bound_lg(&bound, T - 1, s));
      ck_assert(arb_ge(found, exact));
      cancelled += bound.local_lg[s] < -13;
    }
    ck_assert_uint_gt(cancelled, 5);
    scan_bound_clear(&bound);
    clear_run(&m);
  }
  arb_clear(exact);
  arb_clear(found);
}
END_TEST

START_TEST(decays_are_gathered)
{
  /* step * rate: 1*-1, 1*-2, 0.5*-1, 0.5*-2; then a second run with a rate of 0 */
  double step[] = {1, 0.5}, rate[] = {-1, -2}, flat[] = {0};
  scan_decay d;
  scan_decay_init(&d);
  scan_decay_add(&d, step, rate, 2, 1, 2);
  ck_assert(d.entries == 4 && d.sum == -4.5);
  ck_assert_double_ge(d.log_max, -0.5);
  ck_assert_double_le(d.log_max, -0.5 + 1e-15);
  ck_assert_double_le(d.log_max_below, -0.5);
  scan_decay_add(&d, step, flat, 2, 1, 1);
  ck_assert(d.entries == 6 && d.log_max == 0 && d.log_max_below == 0);
  /* moduli 5/8 and 1/2, three tokens each */
  double pole[] = {0.375, -0.5, -0.5, 0};
  scan_decay_init(&d);
  scan_decay_add_poles(&d, pole, 2, 2, 3);
  ck_assert(d.entries == 6 && d.log_max >= -0.47000362924573558 &&
            d.log_max <= -0.4700036292457355); /* log 0.625 */
  ck_assert(d.log_max_below <= -0.4700036292457355);
  ck_assert_double_eq_tol(d.sum, 3 * (-0.47000362924573558 - 0.69314718055994531), 1e-14);
}
END_TEST

/* ---- curves ---- */

START_TEST(line_through_a_line)
{
  /* log |J| = 1 - 3 k, several pairs at each distance, and zeros and broken ones that count for nothing */
  enum { K = 50 };
  curve_sum *s = curve_sum_create(K + 5);
  for (size_t k = 0; k < K; k++)
    for (size_t i = 0; i <= k % 3; i++)
      curve_sum_add(&s[k], wide_exp(1 - 3.0 * (double)k * 100), NAN);
  curve_sum_add(&s[7], wide_from(0), NAN);
  curve_sum_add(&s[8], wide_from(NAN), NAN);
  influence_curve c;
  curve_finish(&c, s, K + 5, true);
  ck_assert(c.known && c.distances == K && c.fit.known && c.fit.first == 1 && c.fit.last == K - 1);
  ck_assert_double_eq_tol(c.fit.slope, -300, 1e-10);
  ck_assert_double_eq_tol(c.fit.intercept, 1, 1e-9);
  ck_assert(c.at[7].zeros == 1 && c.at[7].pairs == 3 && c.at[8].broken == 1 && c.at[8].pairs == 4);
  /* two equal ones and a zero: their mean is 2/3 of each */
  ck_assert_double_eq_tol(c.at[7].lg_mean - c.at[7].mean_lg, log10(2.0 / 3), 1e-12);
  ck_assert_double_eq(c.at[7].least_lg, c.at[7].greatest_lg);
  free(c.at);
  free(s);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("influence-scan");
  TCase *c = tcase_create("influence-scan");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, exponents_do_not_underflow);
  tcase_add_test(c, wide_arithmetic);
  tcase_add_test(c, tangent_and_adjoint_agree);
  tcase_add_test(c, threads_do_not_matter);
  tcase_add_test(c, dual_numbers_agree);
  tcase_add_test(c, constant_decay);
  tcase_add_test(c, slow_state_is_not_lost);
  tcase_add_test(c, bound_is_never_exceeded);
  tcase_add_test(c, bound_is_that_of_the_theorem);
  tcase_add_test(c, bound_survives_cancellation);
  tcase_add_test(c, decays_are_gathered);
  tcase_add_test(c, line_through_a_line);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed != 0;
}
