/* The audit of a model's parameters: verdicts and enclosures against an oracle of another make, near ties, extremes, what is
 * counted apart, the limit of the precision, the search for the worst entry, ways that must agree, families of other forms,
 * and trained models. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/made_model.h"
#include "check/model_audit.h"
#include "core/philox.h"

static const uint64_t seed = 20250101;

/* ---- the oracle: MPFR, each operation rounded down and up by hand, in the form exp(-Delta e^A_log) + Delta - 1 ---- */

typedef struct {
  mpfr_t low, high;           /* of the margin */
  mpfr_t rate_low, rate_high; /* of Delta e^A_log */
} oracle;

static void oracle_init(oracle *o, mpfr_prec_t bits)
{
  mpfr_inits2(bits, o->low, o->high, o->rate_low, o->rate_high, (mpfr_ptr)NULL);
}

static void oracle_clear(oracle *o)
{
  mpfr_clears(o->low, o->high, o->rate_low, o->rate_high, (mpfr_ptr)NULL);
}

/* Every function used grows with its argument, so an end comes from the end of the argument. */
static void oracle_set(oracle *o, double a_log, double dt_bias)
{
  mpfr_t end[2], g, step;
  mpfr_inits2(mpfr_get_prec(o->low), end[0], end[1], g, step, (mpfr_ptr)NULL);
  for (int up = 0; up < 2; up++) {
    mpfr_rnd_t direction = up ? MPFR_RNDU : MPFR_RNDD;
    mpfr_set_d(end[up], dt_bias, direction);
    mpfr_exp(end[up], end[up], direction);
    mpfr_log1p(end[up], end[up], direction);
    mpfr_set_d(g, a_log, direction);
    mpfr_exp(g, g, direction);
    mpfr_mul(up ? o->rate_high : o->rate_low, end[up], g, direction);
  }
  for (int up = 0; up < 2; up++) {
    mpfr_rnd_t direction = up ? MPFR_RNDU : MPFR_RNDD;
    mpfr_ptr margin = up ? o->high : o->low;
    mpfr_neg(step, up ? o->rate_low : o->rate_high, direction);
    mpfr_exp(margin, step, direction);
    mpfr_sub_ui(step, end[up], 1, direction);
    mpfr_add(margin, margin, step, direction);
  }
  mpfr_clears(end[0], end[1], g, step, (mpfr_ptr)NULL);
}

/* The oracle must know. */
static bool oracle_holds(oracle *o, double a_log, double dt_bias)
{
  oracle_set(o, a_log, dt_bias);
  ck_assert(mpfr_sgn(o->high) <= 0 || mpfr_sgn(o->low) > 0);
  return mpfr_sgn(o->high) <= 0;
}

static void check_oracle(const arb_t ball, const mpfr_t low, const mpfr_t high)
{
  arf_t a, b;
  arb_t known;
  arf_init(a);
  arf_init(b);
  arb_init(known);
  arf_set_mpfr(a, low);
  arf_set_mpfr(b, high);
  arb_set_interval_arf(known, a, b, 400);
  ck_assert(arb_overlaps(ball, known));
  arf_clear(a);
  arf_clear(b);
  arb_clear(known);
}

/* ---- models made here ---- */

#define MAMBA \
  "family mamba size D >= 1 as channel size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n" \
  "given u[d in 1..D] in real as activation\n" \
  "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n" \
  "let step[d in 1..D] as step = softplus(u[d] + b[d])\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"

typedef struct {
  made_families f;
  dump_file *file;
  model m;
  model_report report;
  dump_error error;
} audit;

static assay_status try_audit(audit *a, const char *families, const made_tensor *x, size_t count,
                              const model_options *options)
{
  *a = (audit){.f = made_families_text(families), .file = made_model(x, count)};
  dump_error_init(&a->error);
  assay_status status = model_recognise(&a->m, a->f.family, a->f.count, a->file, &a->error);
  ck_assert_msg(status == STATUS_OK, "%s", a->error.message);
  return model_audit(&a->report, &a->m, options, &a->error);
}

static audit audit_tensors(const char *families, const made_tensor *x, size_t count, const model_options *options)
{
  audit a;
  assay_status status = try_audit(&a, families, x, count, options);
  ck_assert_msg(status == STATUS_OK, "%s", a.error.message);
  const model_counts *n = &a.report.total;
  ck_assert_uint_eq(n->by_double + n->by_ball + n->by_rule, n->holds + n->fails);
  return a;
}

static void audit_clear(audit *a)
{
  model_report_clear(&a->report);
  model_clear(&a->m);
  dump_close(a->file);
  dump_error_clear(&a->error);
  made_families_clear(&a->f);
}

/* One layer "m" of Mamba. */
static audit audit_layer(const double *a_log, const double *dt_bias, size_t channels, size_t states,
                         const model_options *options)
{
  made_tensor x[] = {{"m.A_log", 2, {channels, states}, a_log, 0}, {"m.dt_proj.bias", 1, {channels}, dt_bias, 0}};
  audit a = audit_tensors(MAMBA, x, 2, options);
  ck_assert_uint_eq(a.report.layers[0].channels, channels);
  ck_assert_uint_eq(a.report.layers[0].states, states);
  return a;
}

/* `count` layers of one entry each. */
static audit audit_entries(const double *a_log, const double *dt_bias, size_t count, const model_options *options)
{
  made_tensor *x = calloc(2 * count, sizeof *x);
  char (*name)[32] = calloc(2 * count, sizeof *name);
  for (size_t i = 0; i < count; i++) {
    snprintf(name[2 * i], sizeof *name, "%zu.A_log", i);
    snprintf(name[2 * i + 1], sizeof *name, "%zu.dt_proj.bias", i);
    x[2 * i] = (made_tensor){name[2 * i], 2, {1, 1}, &a_log[i], 0};
    x[2 * i + 1] = (made_tensor){name[2 * i + 1], 1, {1}, &dt_bias[i], 0};
  }
  audit a = audit_tensors(MAMBA, x, 2 * count, options);
  ck_assert_uint_eq(a.report.layer_count, count);
  free(x);
  free(name);
  return a;
}

/* lower and upper: decimals, computed elsewhere, that the ball must meet; its radius must be small. */
static void check_ball(const arb_t ball, const char *decimal, double radius)
{
  arb_t known;
  arb_init(known);
  ck_assert_int_eq(arb_set_str(known, decimal, 128), 0);
  ck_assert_msg(arb_overlaps(ball, known), "does not contain %s", decimal);
  ck_assert_double_le(mag_get_d(arb_radref(ball)), radius);
  arb_clear(known);
}

static void check_counts(const model_counts *n, uint64_t holds, uint64_t fails, uint64_t unknown)
{
  ck_assert_uint_eq(n->holds, holds);
  ck_assert_uint_eq(n->fails, fails);
  ck_assert_uint_eq(n->unknown, unknown);
}

/* ---- verdicts ---- */

START_TEST(test_random)
{
  enum { COUNT = 2500 };
  static double a_log[COUNT], dt_bias[COUNT];
  philox_stream s = philox_stream_start(seed, philox_hash_name("mamba"), 0, 0);
  for (int i = 0; i < COUNT; i++) {
    double u = philox_uniform(&s), v = philox_uniform(&s);
    a_log[i] = i % 2 ? 6 * u - 2 : 40 * u - 20;
    dt_bias[i] = i % 4 < 2 ? 8 * v - 7 : 120 * v - 90;
  }
  model_options options = model_options_default();
  audit a = audit_entries(a_log, dt_bias, COUNT, &options);
  oracle o;
  oracle_init(&o, 400);
  for (int i = 0; i < COUNT; i++) {
    const model_layer_report *r = &a.report.layers[i];
    bool holds = oracle_holds(&o, a_log[i], dt_bias[i]);
    check_counts(&r->counts, holds, !holds, 0);
    ck_assert_uint_eq(r->alone.can, a_log[i] > 0);
    ck_assert_uint_eq(r->alone.never, a_log[i] <= 0);
    check_oracle(r->worst[0].margin, o.low, o.high);
    mpfr_neg(o.low, o.rate_high, MPFR_RNDD);
    mpfr_exp(o.low, o.low, MPFR_RNDD);
    mpfr_neg(o.high, o.rate_low, MPFR_RNDU);
    mpfr_exp(o.high, o.high, MPFR_RNDU);
    check_oracle(r->worst[0].decay, o.low, o.high);
    check_oracle(r->a_min, o.low, o.high);
    check_oracle(r->a_max, o.low, o.high);
    /* kappa is what the oracle calls the rate. */
    mpfr_log10(o.low, o.rate_high, MPFR_RNDU);
    mpfr_neg(o.low, o.low, MPFR_RNDD);
    mpfr_log10(o.high, o.rate_low, MPFR_RNDD);
    mpfr_neg(o.high, o.high, MPFR_RNDU);
    check_oracle(r->horizon, o.low, o.high);
  }
  ck_assert_uint_gt(a.report.total.by_double, COUNT - COUNT / 100);
  oracle_clear(&o);
  audit_clear(&a);
}
END_TEST

/* Biases at which A + Delta crosses 1, to the last bit, and their neighbours: no double may decide wrongly, and the ladder
 * must always decide. */
START_TEST(test_near_ties)
{
  enum { NEAR = 80 };
  oracle o;
  oracle_init(&o, 400);
  philox_stream s = philox_stream_start(seed, philox_hash_name("ties"), 0, 0);
  model_options options = model_options_default();
  uint64_t by_ball = 0, by_double = 0;
  for (int i = 0; i < 60; i++) {
    double same = 3 * philox_uniform(&s) + 0x1p-20, holds = -200, fails = 1; /* softplus(1) > 1 */
    ck_assert(oracle_holds(&o, same, holds) && !oracle_holds(&o, same, fails));
    while (nextafter(holds, fails) != fails) {
      double middle = holds + (fails - holds) / 2;
      *(oracle_holds(&o, same, middle) ? &holds : &fails) = middle;
    }
    double a_log[NEAR], dt_bias[NEAR], last = nextafter(fabs(holds), INFINITY) - fabs(holds);
    for (int k = 0; k < NEAR / 2; k++) {
      double away = last * (k < 24 ? k : ldexp(1, k - 19)); /* up to a millionth of a millionth */
      dt_bias[NEAR / 2 - 1 - k] = holds - away;
      dt_bias[NEAR / 2 + k] = fails + away;
    }
    for (int k = 0; k < NEAR; k++) {
      a_log[k] = same;
      ck_assert(oracle_holds(&o, same, dt_bias[k]) == (k < NEAR / 2));
    }
    if (i % 10 == 0) { /* one by one */
      audit a = audit_entries(a_log, dt_bias, NEAR, &options);
      for (int k = 0; k < NEAR; k++)
        check_counts(&a.report.layers[k].counts, k < NEAR / 2, k >= NEAR / 2, 0);
      audit_clear(&a);
    }
    audit a = audit_layer(a_log, dt_bias, NEAR, 1, &options);
    check_counts(&a.report.total, NEAR / 2, NEAR / 2, 0);
    by_ball += a.report.total.by_ball;
    by_double += a.report.total.by_double;
    ck_assert_uint_eq(a.report.layers[0].worst[0].channel, NEAR - 1); /* there the margin grows with Delta */
    ck_assert(a.report.layers[0].worst[0].certain);
    audit_clear(&a);
  }
  ck_assert_uint_gt(by_ball, 0);   /* near enough to need balls, and */
  ck_assert_uint_gt(by_double, 0); /* far enough not always to */
  oracle_clear(&o);
}
END_TEST

/* The far ends of what a file can hold. */
START_TEST(test_extremes)
{
  static const double ends[] = {-708, -620, -100, -1e-18, 0, 1e-19, 1e-16, 1, 40, 700};
  enum { ENDS = sizeof ends / sizeof *ends };
  double a_log[ENDS * ENDS], dt_bias[ENDS * ENDS];
  for (size_t i = 0; i < ENDS * ENDS; i++) {
    a_log[i] = ends[i / ENDS];
    dt_bias[i] = ends[i % ENDS];
  }
  oracle o;
  oracle_init(&o, 4200);
  model_options options = model_options_default();
  for (int balls = 0; balls < 2; balls++) {
    options.only_balls = balls;
    audit a = audit_entries(a_log, dt_bias, ENDS * ENDS, &options);
    for (size_t i = 0; i < ENDS * ENDS; i++) {
      bool holds = oracle_holds(&o, a_log[i], dt_bias[i]);
      check_counts(&a.report.layers[i].counts, holds, !holds, 0);
      check_oracle(a.report.layers[i].worst[0].margin, o.low, o.high);
    }
    audit_clear(&a);
  }
  oracle_clear(&o);
  /* An exponent of 1000 bits takes that many; then the slope decides where A_log = 0. */
  static const double far_log[] = {0, -1e300, 1}, far_bias[] = {-1e300, -1e300, -1e300};
  options = model_options_default();
  options.precision_limit = 256;
  audit a = audit_entries(far_log, far_bias, 3, &options);
  check_counts(&a.report.total, 0, 0, 3);
  audit_clear(&a);
  options.precision_limit = 4096;
  a = audit_entries(far_log, far_bias, 3, &options);
  check_counts(&a.report.layers[0].counts, 0, 1, 0);
  check_counts(&a.report.layers[1].counts, 0, 1, 0);
  check_counts(&a.report.layers[2].counts, 1, 0, 0);
  ck_assert_uint_eq(a.report.total.by_rule, 1);
  audit_clear(&a);
}
END_TEST

/* ---- what is known of a layer ---- */

/* Delta* of a < -1 in (0, 1): where exp(Delta a) + Delta - 1 turns positive, by bisection in MPFR; half a bit in 2^-300. */
static void bisect_threshold(mpfr_t low, mpfr_t high, const mpfr_t a)
{
  mpfr_t middle, value;
  mpfr_inits2(700, middle, value, (mpfr_ptr)NULL);
  mpfr_set_d(low, 0x1p-200, MPFR_RNDN); /* |a| - 1 is larger than that in all tests, so it holds here */
  mpfr_set_ui(high, 1, MPFR_RNDN);
  for (int i = 0; i < 330; i++) {
    mpfr_add(middle, low, high, MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    mpfr_mul(value, middle, a, MPFR_RNDN);
    mpfr_expm1(value, value, MPFR_RNDN);
    mpfr_add(value, value, middle, MPFR_RNDN);
    mpfr_set(mpfr_sgn(value) <= 0 ? low : high, middle, MPFR_RNDN);
  }
  mpfr_clears(middle, value, (mpfr_ptr)NULL);
}

START_TEST(test_threshold)
{
  static const double rates[] = {-1.0001, -1.25, -1.5, -2, -3, -10, -37.5, -200, -1000};
  mpfr_t a, low, high;
  mpfr_inits2(700, a, low, high, (mpfr_ptr)NULL);
  arb_t x, delta;
  arb_init(x);
  arb_init(delta);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    mpfr_set_d(a, rates[i], MPFR_RNDN);
    bisect_threshold(low, high, a);
    arb_set_d(x, rates[i]);
    model_threshold(delta, x, 256);
    check_oracle(delta, low, high);
    ck_assert_double_lt(mag_get_d(arb_radref(delta)), 1e-60);
  }
  /* Of an interval that reaches -1 nothing is known, and nothing wrong is said. */
  arb_set_str(x, "-1.0001 +/- 0.001", 64);
  model_threshold(delta, x, 64);
  ck_assert(!arb_is_finite(delta) || arb_contains_zero(delta));
  arb_clear(x);
  arb_clear(delta);
  /* In a layer: the ends of a belong to the ends of Delta*. */
  static const double a_log[] = {0.5, 2, -1, 0, 1, 0.25}, dt_bias[] = {0, -3, 1};
  model_options options = model_options_default();
  audit r = audit_layer(a_log, dt_bias, 3, 2, &options);
  const model_alone *alone = &r.report.layers[0].alone;
  ck_assert_uint_eq(alone->can, 4);
  ck_assert_uint_eq(alone->never, 2);
  ck_assert(alone->has_threshold);
  for (int end = 0; end < 2; end++) {
    mpfr_set_d(a, end ? 2 : 0.25, MPFR_RNDN);
    mpfr_exp(a, a, MPFR_RNDN);
    mpfr_neg(a, a, MPFR_RNDN);
    bisect_threshold(low, high, a);
    check_oracle(end ? alone->threshold_max : alone->threshold_min, low, high);
    ck_assert_double_lt(mag_get_d(arb_radref(end ? alone->threshold_max : alone->threshold_min)), 1e-30);
  }
  audit_clear(&r);
  mpfr_clears(a, low, high, (mpfr_ptr)NULL);
}
END_TEST

/* Delta = log 2 at bias 0, A = 2^-exp(A_log): values from mpmath at 40 digits. */
START_TEST(test_small_model)
{
  static const double a_log[] = {0, 1, NAN, 2, 0.5, -INFINITY}, dt_bias[] = {0, -3};
  model_options options = model_options_default();
  options.tokens = 11;
  audit a = audit_layer(a_log, dt_bias, 2, 3, &options);
  const model_layer_report *layer = &a.report.layers[0];
  /* By hand: 1/2 + log 2 > 1; 2^-e + log 2 = 0.84; at -3, Delta = 0.0486, Delta e^2 = 0.359, Delta e^0.5 = 0.080. */
  check_counts(&layer->counts, 3, 1, 0);
  ck_assert_uint_eq(layer->counts.invalid, 2);
  ck_assert_uint_eq(layer->counts.by_double, 4);
  ck_assert_uint_eq(layer->valid, 4);
  ck_assert(layer->has_step && layer->has_rate && !layer->always_equal);
  ck_assert_str_eq(layer->name, "m");
  ck_assert_str_eq(layer->channel_word, "channel");
  ck_assert_str_eq(layer->state_word, "state");
  const model_entry *worst = &layer->worst[0];
  ck_assert(worst->channel == 0 && worst->state == 0 && worst->certain);
  ck_assert_uint_eq(worst->stored_count, 2);
  for (size_t i = 0; i < 2; i++) {
    const model_stored *s = &worst->stored[i];
    bool matrix = !strcmp(s->name, "m.A_log");
    ck_assert(matrix || !strcmp(s->name, "m.dt_proj.bias"));
    ck_assert(s->rank == (matrix ? 2 : 1) && s->index[0] == 0 && s->value == 0);
  }
  check_ball(worst->margin, "0.1931471805599453094172321214581765681 +/- 1e-36", 1e-30);
  check_ball(worst->step, "0.6931471805599453094172321214581765681 +/- 1e-36", 1e-30);
  check_ball(worst->decay, "0.5", 1e-30);
  check_ball(worst->rate, "-1", 1e-30);
  check_ball(layer->a_min, "0.1519552232579129655481757339846383552 +/- 1e-36", 1e-30);
  check_ball(layer->a_max, "0.92301757819719838921989830826170041499 +/- 1e-36", 1e-30);
  check_ball(layer->power, "-8.1828436703450526229330557819794484812 +/- 1e-36", 1e-30);
  /* Spreads 0.35 and, of A = 0.698... and 0.923..., 0.22. */
  ck_assert_uint_eq(layer->spread.channels, 2);
  for (int k = 0; k < MODEL_BINS; k++) {
    ck_assert_uint_eq(layer->spread.below[k], k >= 6 ? 2 : k >= 4 ? 1 : 0);
    ck_assert_uint_eq(layer->spread.unknown[k], 0);
  }
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_FALSE);
  audit_clear(&a);

  options.tokens = 1; /* A_min^0 = 1 */
  a = audit_layer(a_log, dt_bias, 2, 3, &options);
  ck_assert(arb_is_zero(a.report.layers[0].power));
  audit_clear(&a);

  static const double nothing[] = {NAN, INFINITY};
  a = audit_layer(nothing, dt_bias, 1, 2, &options);
  ck_assert_uint_eq(a.report.layers[0].valid, 0);
  ck_assert_uint_eq(a.report.total.invalid, 2);
  ck_assert_uint_eq(a.report.worst_count, 0);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);

  static const double one[] = {1}, small[] = {-5};
  a = audit_layer(one, small, 1, 1, &options);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_TRUE);
  ck_assert_uint_eq(a.report.layers[0].spread.channels, 0);
  audit_clear(&a);

  /* The same beside what looks like a layer and has no bias: of that nothing is known. */
  made_tensor stray[] = {{"a.A_log", 2, {1, 1}, one, 0}, {"a.dt_proj.bias", 1, {1}, small, 0}, {"b.A_log", 2, {1, 1}, one, 0}};
  ck_assert_int_eq(try_audit(&a, MAMBA, stray, 3, &options), STATUS_OK);
  ck_assert_uint_eq(a.report.total.holds, 1);
  ck_assert_uint_eq(a.report.skipped_count, 1);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);
}
END_TEST

/* A_log a little above 2^-64 at bias -680: |a| - 1 is that, and 64 bits do not see it. */
START_TEST(test_limit)
{
  static const double a_log[] = {1, 0x1.1p-64, 0, 2}, dt_bias[] = {-680, -680};
  model_options options = model_options_default();
  options.precision_limit = 64;
  audit a = audit_layer(a_log, dt_bias, 2, 2, &options);
  check_counts(&a.report.total, 2, 1, 1);
  ck_assert_uint_eq(a.report.total.by_rule, 1); /* A_log = 0 */
  ck_assert_uint_eq(a.report.total_alone.unknown, 1);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_FALSE);
  audit_clear(&a);
  options.precision_limit = 4096;
  a = audit_layer(a_log, dt_bias, 2, 2, &options);
  check_counts(&a.report.total, 3, 1, 0);
  ck_assert_uint_eq(a.report.total_alone.can, 3);
  ck_assert(a.report.layers[0].worst[0].certain); /* the smallest |a| has the largest A */
  ck_assert(a.report.layers[0].worst[0].channel == 1 && a.report.layers[0].worst[0].state == 0);
  audit_clear(&a);

  static const double open[] = {1}, far[] = {-1e300};
  options.precision_limit = 256; /* too little for an exponent of that length */
  a = audit_layer(open, far, 1, 1, &options);
  check_counts(&a.report.total, 0, 0, 1);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);
}
END_TEST

/* Of equal entries the first; of entries that differ by one bit the larger, wherever it stands. */
START_TEST(test_worst)
{
  enum { CHANNELS = 700, STATES = 7 };
  static double a_log[CHANNELS * STATES], dt_bias[CHANNELS];
  for (size_t i = 0; i < CHANNELS * STATES; i++)
    a_log[i] = log(1.5 + (double)(i % STATES)) + 0.01 * sin((double)i);
  for (size_t c = 0; c < CHANNELS; c++)
    dt_bias[c] = -4 + 3 * sin(7.0 * (double)c);
  model_options options = model_options_default();
  for (size_t c = 300; c < 303; c++) {
    dt_bias[c] = 2;
    a_log[c * STATES + 4] = 0.25;
    a_log[c * STATES + 6] = 0.25;
  }
  for (int variant = 0; variant < 3; variant++) {
    if (variant == 1)
      a_log[302 * STATES + 5] = nextafter(0.25, 0); /* smaller A_log: larger A */
    if (variant == 2)
      dt_bias[301] = nextafter(2, 3); /* larger Delta, and there the margin grows with it */
    for (int balls = 0; balls < 2; balls++) {
      options.only_balls = balls;
      options.threads = 1 + balls;
      audit a = audit_layer(a_log, dt_bias, CHANNELS, STATES, &options);
      const model_entry *worst = &a.report.layers[0].worst[0];
      ck_assert(worst->certain);
      ck_assert_uint_eq(worst->channel, variant == 0 ? 300 : variant == 1 ? 302 : 301);
      ck_assert_uint_eq(worst->state, variant == 1 ? 5 : 4);
      ck_assert_uint_eq(worst->stored[0].index[0], worst->channel);
      ck_assert_uint_eq(worst->stored[0].rank + worst->stored[1].rank, 3);
      audit_clear(&a);
    }
  }
}
END_TEST

/* Margins that doubles do not tell apart, far from each other in the layer: at one rate, the largest bias is the worst. */
START_TEST(test_close_worst)
{
  enum { CHANNELS = 400, STRIDE = 129 }; /* no common factor */
  double a_log[CHANNELS] = {0}, dt_bias[CHANNELS];
  model_options options = model_options_default();
  for (int attempt = 0; attempt < 8; attempt++) {
    size_t largest = 0;
    for (size_t c = 0; c < CHANNELS; c++) {
      size_t rank = (c + (size_t)attempt * 51) * STRIDE % CHANNELS;
      dt_bias[c] = 0.5 + 0.03125 * attempt + (double)rank * 0x1p-53;
      largest = rank == CHANNELS - 1 ? c : largest;
    }
    audit a = audit_layer(a_log, dt_bias, CHANNELS, 1, &options);
    ck_assert_uint_eq(a.report.layers[0].worst[0].channel, largest);
    ck_assert(a.report.layers[0].worst[0].certain);
    audit_clear(&a);
  }
}
END_TEST

/* Long runs of channels with the same stored values, which are worked on once: around one that differs, one that differs in
 * its last state only, and with an end that fills no block. Counts are the oracle's; the rest is that of three channels. */
START_TEST(test_repeated)
{
  enum { CHANNELS = 397, ODD = 150, LAST = 300, MOST_STATES = 40 };
  static const size_t all_states[] = {1, 3, 16, MOST_STATES};
  size_t states = all_states[_i];
  static double a_log[CHANNELS * MOST_STATES], dt_bias[CHANNELS];
  oracle o;
  oracle_init(&o, 200);
  uint64_t holds = 0, can = 0;
  for (size_t c = 0; c < CHANNELS; c++) {
    dt_bias[c] = c == ODD ? -0.25 : 0.5;
    for (size_t n = 0; n < states; n++) {
      double x = 0.0625 * (double)n - (c == ODD ? 0.5 : 0.25) + (c == LAST && n == states - 1 ? 3 : 0);
      a_log[c * states + n] = x;
      holds += oracle_holds(&o, x, dt_bias[c]);
      can += x > 0; /* exp x > 1 */
    }
  }
  oracle_clear(&o);
  model_options options = model_options_default();
  audit a = audit_layer(a_log, dt_bias, CHANNELS, states, &options);
  static const size_t kind[] = {0, ODD, LAST};
  double few[3 * MOST_STATES], few_biases[3];
  for (size_t c = 0; c < 3; c++) {
    memcpy(few + c * states, a_log + kind[c] * states, states * sizeof *few);
    few_biases[c] = dt_bias[kind[c]];
  }
  audit b = audit_layer(few, few_biases, 3, states, &options);
  const model_layer_report *r = &a.report.layers[0], *q = &b.report.layers[0];
  check_counts(&r->counts, holds, CHANNELS * states - holds, 0);
  ck_assert_uint_eq(r->valid, CHANNELS * states);
  ck_assert_uint_eq(r->alone.can, can);
  ck_assert_uint_eq(r->alone.never, CHANNELS * states - can);
  ck_assert(arb_equal(r->a_min, q->a_min) && arb_equal(r->a_max, q->a_max));
  ck_assert_uint_eq(r->spread.channels, states > 1 ? CHANNELS : 0);
  audit usual = audit_layer(a_log, dt_bias, 1, states, &options);
  for (int k = 0; k < MODEL_BINS; k++) {
    uint64_t one = usual.report.layers[0].spread.below[k];
    ck_assert_uint_eq(r->spread.below[k], q->spread.below[k] + (CHANNELS - 3) * one);
    ck_assert_uint_eq(r->spread.unknown[k], 0);
  }
  ck_assert_uint_eq(r->worst_count, q->worst_count);
  for (size_t k = 0; k < r->worst_count; k++) {
    ck_assert_uint_eq(r->worst[k].channel, kind[q->worst[k].channel]); /* the first of all equal ones */
    ck_assert_uint_eq(r->worst[k].state, q->worst[k].state);
    ck_assert(arb_equal(r->worst[k].margin, q->worst[k].margin));
  }
  audit_clear(&a);
  audit_clear(&b);
  audit_clear(&usual);
}
END_TEST

/* The worst entries of the model, of whatever layers, in the order of their margins; of equal ones the first. */
START_TEST(test_worst_of_all)
{
  static const double a_log[] = {0, 0, 0, 0, 0, NAN}, dt_bias[] = {-2, 1, 0, 1, -3, 5};
  model_options options = model_options_default();
  audit a = audit_entries(a_log, dt_bias, 6, &options);
  ck_assert_uint_eq(a.report.worst_count, 3);
  ck_assert(a.report.worst[0].layer == 1 && a.report.worst[1].layer == 3 && a.report.worst[2].layer == 2);
  ck_assert_uint_eq(a.report.layers[1].worst_count, 1);
  ck_assert_uint_eq(a.report.layers[5].worst_count, 0);
  audit_clear(&a);
  /* In one layer: channels 1 and 3 store the same and are shown once. */
  a = audit_layer(a_log, dt_bias, 5, 1, &options);
  static const size_t channel[] = {1, 2, 0};
  ck_assert_uint_eq(a.report.worst_count, 3);
  for (size_t k = 0; k < 3; k++) {
    ck_assert(a.report.worst[k].layer == 0 && a.report.worst[k].entry == k);
    ck_assert_uint_eq(a.report.layers[0].worst[k].channel, channel[k]);
    ck_assert(a.report.layers[0].worst[k].certain);
  }
  audit_clear(&a);
}
END_TEST

/* Two entries one bit apart are a range, in either order. */
START_TEST(test_narrow_range)
{
  double a_log[] = {0.25, nextafter(0.25, 1)}, dt_bias[] = {2, 2};
  model_options options = model_options_default();
  for (int order = 0; order < 2; order++) {
    audit a = audit_layer(a_log, dt_bias, 2, 1, &options);
    ck_assert(arb_lt(a.report.layers[0].a_min, a.report.layers[0].a_max));
    audit_clear(&a);
    double first = a_log[0];
    a_log[0] = a_log[1];
    a_log[1] = first;
  }
}
END_TEST

/* Doubles and balls, one thread and three: the same counts, histograms and ranges, which the oracle confirms. */
START_TEST(test_ways_agree)
{
  enum { CHANNELS = 517, STATES = 19 };
  static double a_log[CHANNELS * STATES], dt_bias[CHANNELS];
  static uint64_t below[MODEL_BINS];
  philox_stream s = philox_stream_start(seed, philox_hash_name("ways"), 0, 0);
  for (size_t i = 0; i < CHANNELS * STATES; i++)
    a_log[i] = 5 * philox_uniform(&s) - 1;
  for (size_t c = 0; c < CHANNELS; c++)
    dt_bias[c] = 8 * philox_uniform(&s) - 6;
  oracle o, low, high;
  oracle_init(&o, 400);
  oracle_init(&low, 400);
  oracle_init(&high, 400);
  mpfr_t least, most, decay;
  mpfr_inits2(400, least, most, decay, (mpfr_ptr)NULL);
  uint64_t holds = 0;
  for (size_t i = 0; i < CHANNELS * STATES; i++) {
    holds += oracle_holds(&o, a_log[i], dt_bias[i / STATES]);
    if (i == 0 || mpfr_cmp(o.rate_high, high.rate_high) > 0)
      mpfr_set(high.rate_high, o.rate_high, MPFR_RNDU);
    if (i == 0 || mpfr_cmp(o.rate_low, low.rate_low) < 0)
      mpfr_set(low.rate_low, o.rate_low, MPFR_RNDD);
    mpfr_neg(decay, o.rate_low, MPFR_RNDN);
    mpfr_exp(decay, decay, MPFR_RNDN);
    if (i % STATES == 0 || mpfr_cmp(decay, least) < 0)
      mpfr_set(least, decay, MPFR_RNDN);
    if (i % STATES == 0 || mpfr_cmp(decay, most) > 0)
      mpfr_set(most, decay, MPFR_RNDN);
    if (i % STATES == STATES - 1) { /* a spread is nowhere near an edge k/20 */
      mpfr_sub(decay, most, least, MPFR_RNDN);
      for (int k = 0; k < MODEL_BINS; k++) {
        mpfr_mul_ui(o.low, decay, MODEL_BINS, MPFR_RNDN);
        below[k] += mpfr_cmp_ui(o.low, (unsigned)k + 1) < 0;
      }
    }
  }
  mpfr_neg(o.low, high.rate_high, MPFR_RNDN);
  mpfr_exp(o.low, o.low, MPFR_RNDN);
  mpfr_neg(o.high, low.rate_low, MPFR_RNDN);
  mpfr_exp(o.high, o.high, MPFR_RNDN);
  for (int way = 0; way < 4; way++) {
    model_options options = model_options_default();
    options.only_balls = way / 2;
    options.threads = way % 2 ? 3 : 1;
    audit a = audit_layer(a_log, dt_bias, CHANNELS, STATES, &options);
    const model_layer_report *layer = &a.report.layers[0];
    check_counts(&layer->counts, holds, CHANNELS * STATES - holds, 0);
    ck_assert_uint_eq(options.only_balls ? layer->counts.by_ball : layer->counts.by_double, CHANNELS * STATES);
    check_oracle(layer->a_min, o.low, o.low);
    check_oracle(layer->a_max, o.high, o.high);
    ck_assert_uint_eq(layer->spread.channels, CHANNELS);
    for (int k = 0; k < MODEL_BINS; k++) {
      ck_assert_uint_eq(layer->spread.below[k], below[k]);
      ck_assert_uint_eq(layer->spread.unknown[k], 0);
    }
    audit_clear(&a);
  }
  mpfr_clears(least, most, decay, (mpfr_ptr)NULL);
  oracle_clear(&o);
  oracle_clear(&low);
  oracle_clear(&high);
}
END_TEST

/* ---- families of other forms ---- */

/* What is stored is A itself, and Delta. */
#define PLAIN \
  "family plain size D >= 1 as channel size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A\" tensor dt[d in 1..D] \"dt\" in (0, 4]\n" \
  "let decay[d in 1..D, n in 1..N] as decay = A[d, n] let step[d in 1..D] as step = dt[d] end\n"

/* Ties in rational arithmetic are exact; a spread on an edge is not below it. */
START_TEST(test_exact_ties)
{
  double a[] = {0.25, 0.75, nextafter(0.75, 1), 0.5, 0.125, 0.625}, dt[] = {0.25, 0.375, 0x1p-60};
  made_tensor x[] = {{"A", 2, {3, 2}, a, 0}, {"dt", 1, {3}, dt, 0}};
  model_options options = model_options_default();
  for (int balls = 0; balls < 2; balls++) {
    options.only_balls = balls;
    audit r = audit_tensors(PLAIN, x, 2, &options);
    const model_layer_report *layer = &r.report.layers[0];
    /* 0.25 + 0.25, 0.75 + 0.25 = 1; above 1, 7/8; below 1, below 1 */
    check_counts(&layer->counts, 5, 1, 0);
    ck_assert(!layer->has_rate && layer->alone.can + layer->alone.never + layer->alone.unknown == 0);
    ck_assert(layer->worst[0].channel == 1 && layer->worst[0].state == 0);
    /* Spreads 1/2, 1/4 + 2^-53, 1/2. */
    ck_assert_uint_eq(layer->spread.channels, 3);
    for (int k = 0; k < MODEL_BINS; k++) {
      uint64_t certain = layer->spread.below[k], possible = certain + layer->spread.unknown[k];
      uint64_t exact = k >= 10 ? 3 : k >= 5 ? 1 : 0;
      ck_assert(certain <= exact && exact <= possible);
      ck_assert(layer->spread.unknown[k] == 0 || k == 4 || k == 9);
    }
    audit_clear(&r);
  }
}
END_TEST

/* What contradicts the family, or has no effect, is counted apart, and moves nothing else. */
START_TEST(test_apart)
{
  double a[] = {0.25, 1,    /* A = 1 is none */
                -0.5, 0.5,  /* nor is A < 0 */
                0.25, 0.5,  /* Delta = 0 is out of its range */
                0x1p-80, 0.5, 0, 0.5, 1.5, 0.75,
                NAN, 0.5,   0.5, 0.25},
         dt[] = {0.5, 0.25, 0, 0.25, 0.125, 0.25, 0.125, 5};
  made_tensor x[] = {{"A", 2, {8, 2}, a, 0}, {"dt", 1, {8}, dt, 0}};
  model_options options = model_options_default();
  for (int balls = 0; balls < 2; balls++) {
    options.only_balls = balls;
    audit r = audit_tensors(PLAIN, x, 2, &options);
    const model_layer_report *layer = &r.report.layers[0];
    ck_assert_uint_eq(layer->counts.invalid, 1);
    ck_assert_uint_eq(layer->counts.collapsed, 1);
    ck_assert_uint_eq(layer->counts.contradicting, 1 + 1 + 2 + 1 + 1 + 2);
    check_counts(&layer->counts, 6, 0, 0);
    ck_assert_uint_eq(layer->valid, 6);
    check_ball(layer->a_min, "0.25", 1e-30);
    check_ball(layer->a_max, "0.75", 1e-30);
    ck_assert_uint_eq(layer->spread.channels, 0); /* no channel has two states left */
    ck_assert_int_eq(model_report_truth(&r.report), TRUTH_UNKNOWN);
    audit_clear(&r);
  }
  /* As llama.cpp stores it, A = -exp(A_log) itself. */
  made_families f = made_families_shipped();
  double rate[] = {-2, 3, 0, -1, -1e-30, -0.5}, bias[] = {-2, 0, 1};
  made_tensor y[] = {{"blk.0.ssm_a", 2, {3, 2}, rate, 0}, {"blk.0.ssm_dt.bias", 1, {3}, bias, 0}};
  dump_file *file = made_model(y, 2);
  dump_error error;
  dump_error_init(&error);
  model m;
  ck_assert_int_eq(model_recognise(&m, f.family, f.count, file, &error), STATUS_OK);
  ck_assert_str_eq(m.layers[0].family->name, "mamba-1-gguf");
  model_report report;
  ck_assert_int_eq(model_audit(&report, &m, &options, &error), STATUS_OK);
  /* a = -2 at Delta = 0.127: 0.776 + 0.127; a = -1 and -1/2: never. */
  check_counts(&report.total, 1, 2, 0);
  ck_assert_uint_eq(report.total.contradicting, 2);
  ck_assert_uint_eq(report.total.collapsed, 1);
  ck_assert_uint_eq(report.total_alone.can, 1);
  ck_assert_uint_eq(report.total_alone.never, 2);
  model_report_clear(&report);
  model_clear(&m);
  dump_close(file);
  made_families_clear(&f);
}
END_TEST

/* RetNet as the paper prints it, from the number of heads alone: decays 1 - 2^-5, 1 - 2^-6, ... */
START_TEST(test_closed_form)
{
  static const char family[] = "family closed size H >= 1 as head tensor q[h in 1..H] \"q\"\n"
                               "let decay[h in 1..H] as decay = 1 - 2^(-4 - h) end\n"
                               "family closed-log size H >= 1 as head tensor q[h in 1..H] \"p\"\n"
                               "let log_decay[h in 1..H] as log_decay = log(1 - 2^(-4 - h)) end\n";
  made_tensor x[] = {{"a.q", 1, {6}, NULL, 0}, {"b.p", 1, {1}, NULL, 0}};
  model_options options = model_options_default();
  audit a = audit_tensors(family, x, 2, &options);
  const model_layer_report *layer = &a.report.layers[0];
  ck_assert(layer->channels == 6 && layer->states == 1 && layer->valid == 6 && !layer->has_step);
  ck_assert_str_eq(layer->channel_word, "head");
  ck_assert_ptr_null(layer->state_word);
  check_counts(&layer->counts, 0, 0, 0);
  check_ball(layer->a_min, "0.96875", 1e-30);
  check_ball(layer->a_max, "0.9990234375", 1e-30);
  check_ball(a.report.layers[1].a_max, "0.96875", 1e-30);
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);
}
END_TEST

/* Entries that are not elementwise are decided one by one: a sum over all channels in the step. */
START_TEST(test_not_elementwise)
{
  static const char rated[] =
    "family summed size D >= 1 as channel size N >= 1 as state\n"
    "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"b\"\n"
    "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])*(sum(i in 1..D: b[i])/sum(i in 1..D: b[i]))\n"
    "let step[d in 1..D] as step = softplus(b[d])\n"
    "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n";
  enum { CHANNELS = 9, STATES = 5 };
  double a_log[CHANNELS * STATES], b[CHANNELS];
  philox_stream s = philox_stream_start(seed, philox_hash_name("apart"), 0, 0);
  for (size_t i = 0; i < CHANNELS * STATES; i++)
    a_log[i] = 4 * philox_uniform(&s) - 1;
  for (size_t c = 0; c < CHANNELS; c++)
    b[c] = 6 * philox_uniform(&s) - 5;
  made_tensor x[] = {{"A_log", 2, {CHANNELS, STATES}, a_log, 0}, {"b", 1, {CHANNELS}, b, 0}};
  model_options options = model_options_default();
  audit plain = audit_layer(a_log, b, CHANNELS, STATES, &options);
  audit apart = audit_tensors(rated, x, 2, &options);
  const model_layer_report *p = &plain.report.layers[0], *q = &apart.report.layers[0];
  check_counts(&q->counts, p->counts.holds, p->counts.fails, 0);
  ck_assert(q->counts.holds > 0 && q->counts.fails > 0);
  ck_assert_uint_eq(q->alone.can, p->alone.can);
  ck_assert(q->worst[0].channel == p->worst[0].channel && q->worst[0].state == p->worst[0].state);
  ck_assert(arb_overlaps(q->worst[0].margin, p->worst[0].margin) && arb_overlaps(q->a_min, p->a_min));
  for (int k = 0; k < MODEL_BINS; k++)
    ck_assert_uint_eq(q->spread.below[k], p->spread.below[k]);
  audit_clear(&plain);
  audit_clear(&apart);
}
END_TEST

/* A state whose rate the family fixes may have decay 1: it fails. One whose rate is stored contradicts there. */
START_TEST(test_fixed_state)
{
  static const char family[] =
    "family fixed size D >= 1 as channel size N >= 1 size P in N+1..N+1 as state\n"
    "tensor A[d in 1..D, n in 1..N] \"A\" tensor b[d in 1..D] \"b\"\n"
    "let rate[d in 1..D, n in 1..P] as rate = if n = 1 then 0 else A[d, n-1]\n"
    "let step[d in 1..D] as step = softplus(b[d])\n"
    "let log_decay[d in 1..D, n in 1..P] as log_decay = step[d]*rate[d, n] end\n";
  double rates[] = {-3, 0, -2, -0.5}, b[] = {-2, -3};
  made_tensor x[] = {{"A", 2, {2, 2}, rates, 0}, {"b", 1, {2}, b, 0}};
  model_options options = model_options_default();
  audit a = audit_tensors(family, x, 2, &options);
  const model_layer_report *layer = &a.report.layers[0];
  ck_assert(layer->channels == 2 && layer->states == 3 && layer->valid == 5);
  ck_assert(layer->counts.holds == 2 && layer->counts.fails == 3 && layer->counts.contradicting == 1);
  ck_assert(layer->alone.can == 2 && layer->alone.never == 3);
  check_ball(layer->a_max, "1", 1e-30);
  audit_clear(&a);
}
END_TEST

/* decay = 1 - step: it holds with equality, by an argument, wherever the decay is defined. */
START_TEST(test_always_equal)
{
  static const char family[] = "family gate size D >= 1 as channel tensor z[d in 1..D] \"z\"\n"
                               "let log_decay[d in 1..D] as log_decay = -softplus(z[d])\n"
                               "let step[d in 1..D] as step = 1 - exp(log_decay[d]) end\n"
                               "family root size D >= 1 as channel tensor z[d in 1..D] \"r\"\n"
                               "let step[d in 1..D] as step = sqrt(z[d])\n"
                               "let decay[d in 1..D] as decay = 1 - step[d] end\n";
  double z[] = {-700, -1, 0, 40, 5000}, r[] = {0.25, -1, 0.01};
  made_tensor x[] = {{"a.z", 1, {5}, z, 0}, {"b.r", 1, {3}, r, 0}};
  model_options options = model_options_default();
  audit a = audit_tensors(family, x, 2, &options);
  ck_assert(a.report.layers[0].always_equal && a.report.layers[1].always_equal);
  check_counts(&a.report.layers[0].counts, 5, 0, 0);
  ck_assert_uint_eq(a.report.layers[0].counts.by_rule, 5);
  check_counts(&a.report.layers[1].counts, 2, 0, 1); /* the square root of -1 */
  ck_assert_int_eq(model_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);
}
END_TEST

/* Two states that are not in the file: A = 1 at the rate 0 always fails, and the other has the rate asked for, whatever is
 * stored for the states that are there. */
START_TEST(test_polarized)
{
  static const double a_log[] = {1, NAN, 0.5, 1e-30, 2, 3}, dt_bias[] = {-1, -8, -12};
  static const double rates[] = {-1000, -100, -0.5};
  for (int k = 0; k < 3; k++) {
    model_options options = model_options_default();
    options.polarized = true;
    options.polar_rate = rates[k];
    audit a = audit_layer(a_log, dt_bias, 3, 2, &options);
    ck_assert_uint_eq(a.report.layer_count, 3);
    const model_layer_report *zero = &a.report.layers[1], *fast = &a.report.layers[2];
    ck_assert_str_eq(zero->name, "m, state at rate 0");
    ck_assert_str_eq(fast->name, k == 0 ? "m, state at rate -1000" : k == 1 ? "m, state at rate -100" : "m, state at rate -0.5");
    ck_assert(zero->channels == 3 && zero->states == 1 && !zero->state_word);
    check_counts(&zero->counts, 0, 3, 0);
    ck_assert_uint_eq(zero->alone.never, 3);
    ck_assert(arb_is_one(zero->a_max) && arb_is_one(zero->a_min));
    /* exp(a Delta) + Delta - 1 at Delta = 0.3133, 3.3541e-4, 6.1442e-6: by hand < 0 where a < -1. */
    check_counts(&fast->counts, k < 2 ? 3 : 0, k < 2 ? 0 : 3, 0);
    ck_assert_uint_eq(fast->alone.can, k < 2 ? 3 : 0);
    ck_assert_uint_eq(a.report.total.invalid, 1);
    ck_assert_uint_eq(a.report.total.collapsed, 1);
    audit_clear(&a);
  }
  /* A family without a rate has no such states. */
  double one[] = {0.5}, dt[] = {0.25};
  made_tensor x[] = {{"A", 2, {1, 1}, one, 0}, {"dt", 1, {1}, dt, 0}};
  model_options options = model_options_default();
  options.polarized = true;
  audit a = audit_tensors(PLAIN, x, 2, &options);
  ck_assert_uint_eq(a.report.layer_count, 1);
  audit_clear(&a);
}
END_TEST

/* One channel, one state, and both. */
START_TEST(test_thin)
{
  static const double a_log[] = {1, 2, 0.5}, dt_bias[] = {-3, -4, 1};
  model_options options = model_options_default();
  audit a = audit_layer(a_log, dt_bias, 1, 3, &options);
  check_counts(&a.report.total, 3, 0, 0);
  ck_assert_uint_eq(a.report.layers[0].spread.channels, 1);
  audit_clear(&a);
  a = audit_layer(a_log, dt_bias, 3, 1, &options);
  check_counts(&a.report.total, 2, 1, 0);
  ck_assert_uint_eq(a.report.layers[0].spread.channels, 0);
  ck_assert_uint_eq(a.report.layers[0].worst[0].channel, 2);
  audit_clear(&a);
}
END_TEST

/* ---- trained models ---- */

static void audit_path(model_report *report, made_families *f, const char *path)
{
  *f = made_families_shipped();
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_msg(file != NULL, "%s", error.message);
  model m;
  model_options options = model_options_default();
  ck_assert_int_eq(model_recognise(&m, f->family, f->count, file, &error), STATUS_OK);
  ck_assert_int_eq(model_audit(report, &m, &options, &error), STATUS_OK);
  model_clear(&m);
  dump_close(file);
}

/* The bundled model. Counts, worst entries and numbers come from mpmath at 40 digits, over every entry. */
START_TEST(test_bundled_model)
{
  static const struct {
    uint64_t holds, fails;
    size_t channel, state;
    const char *margin, *a_min, *a_max, *power;
  } known[] = {
    {976, 48, 26, 0, "0.033628207349009976 +/- 1e-17", "0.35676742268950987 +/- 1e-16",
     "0.99910165105257594 +/- 1e-16", "-916.2675139868262 +/- 1e-12"},
    {988, 36, 28, 0, "0.036078480014386005 +/- 1e-17", "0.074740657803619972 +/- 1e-17",
     "0.99883784198848978 +/- 1e-16", "-2305.8289933151937 +/- 1e-12"},
  };
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/cases/models/assay-recall-mamba.safetensors", top ? top : ".");
  model_report report;
  made_families f;
  audit_path(&report, &f, path);
  ck_assert_uint_eq(report.layer_count, 2);
  ck_assert_str_eq(report.container, "safetensors");
  for (size_t k = 0; k < 2; k++) {
    const model_layer_report *layer = &report.layers[k];
    check_counts(&layer->counts, known[k].holds, known[k].fails, 0);
    ck_assert_uint_eq(layer->valid, 1024);
    ck_assert_uint_eq(layer->worst[0].channel, known[k].channel);
    ck_assert_uint_eq(layer->worst[0].state, known[k].state);
    check_ball(layer->worst[0].margin, known[k].margin, 1e-30);
    check_ball(layer->a_min, known[k].a_min, 1e-30);
    check_ball(layer->a_max, known[k].a_max, 1e-30);
    check_ball(layer->power, known[k].power, 1e-30);
  }
  ck_assert(report.worst_count == 3 && report.worst[0].layer == 1 && report.worst[0].entry == 0);
  model_report_clear(&report);
  made_families_clear(&f);
}
END_TEST

/* Models from elsewhere, where they are at hand; the counts come from mpmath at 40 digits. */
START_TEST(test_from_elsewhere)
{
  static const uint64_t fails[] = {314, 315, 309, 301};
  static const size_t worst[] = {157, 124, 28, 254};
  static const char *const names[] = {"repacked-mamba1-radio-positioning.safetensors", "mamba1-radio-positioning.pt",
                                      "repacked-mamba1-sharded"};
  for (int i = 0; i < 3; i++) {
    const char *top = getenv("top_srcdir");
    char path[4096];
    snprintf(path, sizeof path, "%s/../shared/data/dumps/%s", top ? top : ".", names[i]);
    FILE *there = fopen(path, "rb");
    if (there == NULL)
      return;
    fclose(there);
    model_report report;
    made_families f;
    audit_path(&report, &f, path);
    ck_assert_uint_eq(report.layer_count, 4);
    for (size_t k = 0; k < 4; k++) {
      check_counts(&report.layers[k].counts, 4096 - fails[k], fails[k], 0);
      ck_assert_uint_eq(report.layers[k].worst[0].channel, worst[k]);
      ck_assert_uint_eq(report.layers[k].worst[0].state, 0);
    }
    check_ball(report.layers[3].power, "-12764.334521367926 +/- 1e-11", 1e-25);
    model_report_clear(&report);
    made_families_clear(&f);
  }
}
END_TEST

/* A complex tensor is one of pairs: part 1 of Lambda is the real one. The margins are exp(x) - 1 + 1/2 at x = -1/2 and -2. */
START_TEST(test_complex)
{
  static const char pairs[] = "family pairs size N >= 1 as state tensor Lambda[n in 1..N, part in 1..2] \"Lambda\"\n"
                              "let rate[n in 1..N] as rate = Lambda[n, 1] let step as step = 1/2\n"
                              "let log_decay[n in 1..N] as log_decay = step*rate[n] end";
  static const double value[] = {-1, 7, -4, 9};
  made_tensor x[] = {{"Lambda", 1, {4}, value, 0}};
  made_families f = made_families_text(pairs);
  dump_file *file = made_model(x, 1);
  file->tensors[0].type = DUMP_C128;
  file->tensors[0].shape[0] = file->tensors[0].count = 2;
  dump_error error;
  dump_error_init(&error);
  model m;
  model_report report;
  model_options options = model_options_default();
  ck_assert_int_eq(model_recognise(&m, f.family, f.count, file, &error), STATUS_OK);
  ck_assert_int_eq(model_audit(&report, &m, &options, &error), STATUS_OK);
  ck_assert_uint_eq(report.total.fails, 1);
  ck_assert_uint_eq(report.total.holds, 1);
  const model_entry *worst = &report.layers[0].worst[0];
  ck_assert_uint_eq(worst->stored_count, 1);
  ck_assert(worst->stored[0].rank == 2 && worst->stored[0].index[0] == 0 && worst->stored[0].index[1] == 0);
  ck_assert(worst->stored[0].value == -1);
  check_ball(worst->margin, "0.10653065971263342 +/- 1e-17", 1e-25);
  model_report_clear(&report);
  model_clear(&m);
  dump_close(file);
  made_families_clear(&f);
}
END_TEST

/* What cannot be read, or is too large, is an error, not a report. */
START_TEST(test_errors)
{
  static const double one[] = {1, 1};
  made_tensor x[] = {{"A_log", 2, {1, 1}, one, 0}, {"dt_proj.bias", 1, {1}, one, 0}};
  static const struct {
    dump_type type;
    const char *part;
  } cases[] = {{DUMP_C128, "it is [1, 1] of complex numbers"}, {DUMP_OTHER, "A_log"}};
  model_options options = model_options_default();
  for (int i = 0; i < 2; i++) {
    made_families f = made_families_text(MAMBA);
    dump_file *file = made_model(x, 2);
    file->tensors[0].type = cases[i].type;
    dump_error error;
    dump_error_init(&error);
    model m;
    model_report report;
    bool found = model_recognise(&m, f.family, f.count, file, &error) == STATUS_OK;
    ck_assert_int_eq(found, i == 1); /* pairs fit no index of the family's */
    if (found) {
      ck_assert_int_eq(model_audit(&report, &m, &options, &error), STATUS_BAD_INPUT);
      ck_assert(!report.layers && !report.file);
    }
    ck_assert_msg(strstr(error.message, cases[i].part) != NULL, "%s", error.message);
    dump_error_clear(&error);
    model_clear(&m);
    dump_close(file);
    made_families_clear(&f);
  }
  static const char huge[] = "family huge size N >= 1 size M >= 1 tensor n[i in 1..N] \"n\" tensor m[i in 1..M] \"m\"\n"
                             "let log_decay[i in 1..N, k in 1..M] as log_decay = -exp(n[i] + m[k]) end";
  made_tensor y[] = {{"n", 1, {65536}, NULL, 0}, {"m", 1, {512}, NULL, 0}};
  audit a;
  ck_assert_int_eq(try_audit(&a, huge, y, 2, &options), STATUS_UNABLE);
  ck_assert_ptr_nonnull(strstr(a.error.message, "65536 x 512 entries"));
  audit_clear(&a);
  static const char apart[] = "family apart size N >= 1 tensor n[i in 1..N] \"n\"\n"
                              "let log_decay[i in 1..N] as log_decay = -i - exp(n[i]) end";
  made_tensor z[] = {{"n", 1, {4097}, NULL, 0}};
  ck_assert_int_eq(try_audit(&a, apart, z, 1, &options), STATUS_UNABLE);
  ck_assert_ptr_nonnull(strstr(a.error.message, "4097 x 1 entries"));
  audit_clear(&a);
  static const char sum[] = "family sum size N >= 1 tensor n[i in 1..N] \"n\"\n"
                            "let log_decay[i in 1..N] as log_decay = -i - exp(sum(k in 1..N: n[k])) end";
  z[0].shape[0] = 4096;
  ck_assert_int_eq(try_audit(&a, sum, z, 1, &options), STATUS_UNABLE);
  ck_assert_ptr_nonnull(strstr(a.error.message, "operations in all"));
  audit_clear(&a);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("audit of models");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_random);
  tcase_add_test(all, test_near_ties);
  tcase_add_test(all, test_extremes);
  tcase_add_test(all, test_threshold);
  tcase_add_test(all, test_small_model);
  tcase_add_test(all, test_limit);
  tcase_add_test(all, test_worst);
  tcase_add_test(all, test_close_worst);
  tcase_add_loop_test(all, test_repeated, 0, 4);
  tcase_add_test(all, test_worst_of_all);
  tcase_add_test(all, test_narrow_range);
  tcase_add_test(all, test_ways_agree);
  tcase_add_test(all, test_exact_ties);
  tcase_add_test(all, test_apart);
  tcase_add_test(all, test_closed_form);
  tcase_add_test(all, test_not_elementwise);
  tcase_add_test(all, test_fixed_state);
  tcase_add_test(all, test_always_equal);
  tcase_add_test(all, test_polarized);
  tcase_add_test(all, test_thin);
  tcase_add_test(all, test_bundled_model);
  tcase_add_test(all, test_from_elsewhere);
  tcase_add_test(all, test_complex);
  tcase_add_test(all, test_errors);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
