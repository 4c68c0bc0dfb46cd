/* The Mamba assumption: enclosures and verdicts against an oracle of another make, near ties, invalid
 * numbers, the limit of the precision, the search for the worst entry, and a trained model. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/bytes.h"
#include "check/mamba_assumption.h"
#include "core/philox.h"

/* ---- the oracle: MPFR, each operation rounded down and up by hand, in the form exp(-Delta e^A_log) + Delta
 * - 1 ---- */

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

/* At 400 bits the oracle must know. */
static truth oracle_truth(oracle *o, double a_log, double dt_bias)
{
  oracle_set(o, a_log, dt_bias);
  ck_assert(mpfr_sgn(o->high) <= 0 || mpfr_sgn(o->low) > 0);
  return mpfr_sgn(o->high) <= 0 ? TRUTH_TRUE : TRUTH_FALSE;
}

typedef struct {
  double margin_low, margin_high, rate_low, rate_high;
} enclosure;

static enclosure enclose(double a_log, double dt_bias)
{
  enclosure e;
  mamba_enclosures out = {&e.margin_low, &e.margin_high, &e.rate_low, &e.rate_high};
  mamba_enclose(&out, &a_log, &dt_bias, 1, 0, 1);
  return e;
}

/* The doubles enclose what the oracle knows, the ladder agrees with it. Returns whether doubles decided. */
static bool check_entry(oracle *o, double a_log, double dt_bias)
{
  truth expected = oracle_truth(o, a_log, dt_bias);
  ck_assert_int_eq(mamba_decide_entry(a_log, dt_bias, 512), expected);
  enclosure e = enclose(a_log, dt_bias);
  if (isnan(e.margin_low))
    return false;
  ck_assert_msg(mpfr_cmp_d(o->low, e.margin_low) >= 0 && mpfr_cmp_d(o->high, e.margin_high) <= 0 &&
                    mpfr_cmp_d(o->rate_low, e.rate_low) >= 0 && mpfr_cmp_d(o->rate_high, e.rate_high) <= 0,
                "A_log %a, dt_bias %a", a_log, dt_bias);
  if (e.margin_high <= 0)
    ck_assert_int_eq(expected, TRUTH_TRUE);
  if (e.margin_low > 0)
    ck_assert_int_eq(expected, TRUTH_FALSE);
  return e.margin_high <= 0 || e.margin_low > 0;
}

static const uint64_t seed = 20250101;

START_TEST(test_random)
{
  enum { COUNT = 20000 };
  oracle o;
  oracle_init(&o, 400);
  philox_stream s = philox_stream_start(seed, philox_hash_name("mamba"), 0, 0);
  unsigned decided = 0;
  for (int i = 0; i < COUNT; i++) {
    double u = philox_uniform(&s), v = philox_uniform(&s);
    double a_log = i % 2 ? 6 * u - 2 : 40 * u - 20, dt_bias = i % 4 < 2 ? 8 * v - 7 : 120 * v - 90;
    decided += check_entry(&o, a_log, dt_bias);
  }
  ck_assert_uint_gt(decided, COUNT - COUNT / 100);
  oracle_clear(&o);
}
END_TEST

/* Biases at which A + Delta crosses 1, to the last bit, and their neighbours: no double may decide wrongly,
 * and the ladder must always decide. */
START_TEST(test_near_ties)
{
  oracle o;
  oracle_init(&o, 400);
  philox_stream s = philox_stream_start(seed, philox_hash_name("ties"), 0, 0);
  unsigned left = 0, count = 0;
  for (int i = 0; i < 60; i++) {
    double a_log = 3 * philox_uniform(&s) + 0x1p-20, holds = -200, fails = 1; /* softplus(1) > 1 */
    ck_assert_int_eq(oracle_truth(&o, a_log, holds), TRUTH_TRUE);
    ck_assert_int_eq(oracle_truth(&o, a_log, fails), TRUTH_FALSE);
    while (nextafter(holds, fails) != fails) {
      double middle = holds + (fails - holds) / 2;
      *(oracle_truth(&o, a_log, middle) == TRUTH_TRUE ? &holds : &fails) = middle;
    }
    double b = holds;
    for (int k = 0; k < 40; k++) {
      b = nextafter(b, -INFINITY);
    }
    for (int k = 0; k < 80; k++, b = nextafter(b, INFINITY)) {
      count++;
      left += !check_entry(&o, a_log, b);
      ck_assert_int_eq(mamba_decide_entry(a_log, b, 512), b <= holds ? TRUTH_TRUE : TRUTH_FALSE);
    }
  }
  ck_assert_uint_gt(left, 0);     /* near enough to need balls, and */
  ck_assert_uint_lt(left, count); /* far enough not always to */
  oracle_clear(&o);
}
END_TEST

/* The far ends of what a file can hold. */
START_TEST(test_extremes)
{
  static const double ends[] = {-708, -620, -100, -1e-300, 0, 5e-324, 1e-16, 1, 40, 700};
  oracle o;
  oracle_init(&o, 4200);
  for (size_t i = 0; i < 10; i++)
    for (size_t j = 0; j < 10; j++) {
      oracle_set(&o, ends[i], ends[j]);
      truth expected = mpfr_sgn(o.high) <= 0 ? TRUTH_TRUE : mpfr_sgn(o.low) > 0 ? TRUTH_FALSE : TRUTH_UNKNOWN;
      ck_assert_int_ne(expected, TRUTH_UNKNOWN);
      ck_assert_int_eq(mamba_decide_entry(ends[i], ends[j], 4096), expected);
      enclosure e = enclose(ends[i], ends[j]);
      if (!isnan(e.margin_low))
        ck_assert(mpfr_cmp_d(o.low, e.margin_low) >= 0 && mpfr_cmp_d(o.high, e.margin_high) <= 0);
    }
  oracle_clear(&o);
  ck_assert_int_eq(mamba_decide_entry(NAN, 0, 64), TRUTH_UNDEFINED);
  ck_assert_int_eq(mamba_decide_entry(0, -INFINITY, 64), TRUTH_UNDEFINED);
  /* Far beyond every precision: the rule where A_log <= 0, else open. */
  ck_assert_int_eq(mamba_decide_entry(0, -1e300, 256), TRUTH_FALSE);
  ck_assert_int_eq(mamba_decide_entry(-1e300, -1e300, 256), TRUTH_FALSE);
  ck_assert_int_eq(mamba_decide_entry(1, -1e300, 256), TRUTH_OPEN);
  ck_assert(isnan(enclose(INFINITY, 0).margin_low) && isnan(enclose(0, NAN).margin_high));
}
END_TEST

/* ---- whole models, made here ---- */

typedef struct {
  bytes made;
  dump_file *file;
  mamba_model model;
  mamba_report report;
} audit;

/* A model of one layer "m" in F64. */
static audit audit_layer(const double *a_log, const double *dt_bias, size_t channels, size_t states,
                         const mamba_options *options)
{
  size_t entries = channels * states;
  double *values =
      malloc((entries + channels) * sizeof *values); /* the bytes of a file only on little-endian machines */
  memcpy(values, a_log, entries * sizeof *values);
  memcpy(values + entries, dt_bias, channels * sizeof *values);
  char header[512];
  snprintf(header, sizeof header,
           "{\"m.A_log\":{\"dtype\":\"F64\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]},"
           "\"m.dt_proj.bias\":{\"dtype\":\"F64\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}}",
           channels, states, 8 * entries, channels, 8 * entries, 8 * (entries + channels));
  audit a;
  a.made = bytes_make(header, values, 8 * (entries + channels));
  free(values);
  dump_error error;
  dump_error_init(&error);
  a.file = dump_read_safetensors("made", a.made.data, a.made.length, &error);
  ck_assert_ptr_nonnull(a.file);
  ck_assert_int_eq(mamba_recognise(&a.model, a.file, &error), STATUS_OK);
  ck_assert_int_eq(mamba_audit(&a.report, &a.model, options, &error), STATUS_OK);
  ck_assert_uint_eq(a.report.layer_count, 1);
  return a;
}

static void audit_clear(audit *a)
{
  mamba_report_clear(&a->report);
  mamba_clear(&a->model);
  dump_close(a->file);
  free(a->made.data);
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

/* Delta = log 2 at bias 0, A = 2^-exp(A_log): values from mpmath at 40 digits. */
START_TEST(test_small_model)
{
  static const double a_log[] = {0, 1, NAN, 2, 0.5, -INFINITY}, dt_bias[] = {0, -3};
  mamba_options options = mamba_options_default();
  options.tokens = 11;
  audit a = audit_layer(a_log, dt_bias, 2, 3, &options);
  const mamba_layer_report *layer = &a.report.layers[0];
  /* By hand: 1/2 + log 2 > 1; 2^-e + log 2 = 0.84; at -3, Delta = 0.0486, Delta e^2 = 0.359, Delta e^0.5 =
   * 0.080. */
  ck_assert_uint_eq(layer->counts.holds, 3);
  ck_assert_uint_eq(layer->counts.fails, 1);
  ck_assert_uint_eq(layer->counts.unknown, 0);
  ck_assert_uint_eq(layer->counts.invalid, 2);
  ck_assert_uint_eq(layer->counts.by_double, 4);
  ck_assert_uint_eq(layer->worst_channel, 0);
  ck_assert_uint_eq(layer->worst_state, 0);
  ck_assert(layer->worst_certain && layer->has_entries);
  ck_assert(layer->worst_a_log == 0 && layer->worst_dt_bias == 0);
  check_ball(layer->worst_margin, "0.1931471805599453094172321214581765681 +/- 1e-36", 1e-30);
  check_ball(layer->worst_delta, "0.6931471805599453094172321214581765681 +/- 1e-36", 1e-30);
  check_ball(layer->worst_decay, "0.5", 1e-30);
  check_ball(layer->worst_a, "-1", 1e-30);
  check_ball(layer->a_min, "0.1519552232579129655481757339846383552 +/- 1e-36", 1e-30);
  check_ball(layer->a_max, "0.92301757819719838921989830826170041499 +/- 1e-36", 1e-30);
  check_ball(layer->power, "-8.1828436703450526229330557819794484812 +/- 1e-36", 1e-30);
  ck_assert_int_eq(mamba_report_truth(&a.report), TRUTH_FALSE);
  audit_clear(&a);

  options.tokens = 1; /* A_min^0 = 1 */
  a = audit_layer(a_log, dt_bias, 2, 3, &options);
  ck_assert(arb_is_zero(a.report.layers[0].power));
  audit_clear(&a);

  static const double nothing[] = {NAN, INFINITY};
  a = audit_layer(nothing, dt_bias, 1, 2, &options);
  ck_assert(!a.report.layers[0].has_entries);
  ck_assert_uint_eq(a.report.total.invalid, 2);
  ck_assert_int_eq(mamba_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);
}
END_TEST

/* A_log = 1e-300 at bias -680: |a| - 1 = 1e-300 against Delta/2 = 2e-296; seeing that takes about 1000 bits.
 */
START_TEST(test_limit)
{
  static const double a_log[] = {1, 1e-300, 0, 2}, dt_bias[] = {-680, -680};
  mamba_options options = mamba_options_default();
  options.precision_limit = 64;
  audit a = audit_layer(a_log, dt_bias, 2, 2, &options);
  ck_assert_uint_eq(a.report.total.unknown, 1);
  ck_assert_uint_eq(a.report.total.holds, 2);
  ck_assert_uint_eq(a.report.total.fails, 1); /* A_log = 0 */
  ck_assert_uint_eq(a.report.total.by_rule, 1);
  ck_assert(!a.report.layers[0].worst_certain); /* both margins are 0 to 64 bits */
  ck_assert_uint_eq(a.report.layers[0].worst_channel, 0);
  ck_assert_uint_eq(a.report.layers[0].worst_state, 1);
  audit_clear(&a);
  options.precision_limit = 4096;
  a = audit_layer(a_log, dt_bias, 2, 2, &options);
  ck_assert_uint_eq(a.report.total.unknown, 0);
  ck_assert_uint_eq(a.report.total.holds, 2);
  ck_assert_uint_eq(a.report.total.fails, 2);
  ck_assert(a.report.layers[0].worst_certain); /* the smaller A_log has the larger A */
  ck_assert_uint_eq(a.report.layers[0].worst_channel, 1);
  ck_assert_uint_eq(a.report.layers[0].worst_state, 0);
  ck_assert_int_eq(mamba_report_truth(&a.report), TRUTH_FALSE);
  audit_clear(&a);

  static const double open[] = {1}, far[] = {-1e300};
  options.precision_limit = 256; /* too little for an exponent of that length */
  a = audit_layer(open, far, 1, 1, &options);
  ck_assert_uint_eq(a.report.total.unknown, 1);
  ck_assert_int_eq(mamba_report_truth(&a.report), TRUTH_UNKNOWN);
  audit_clear(&a);

  static const double small[] = {-5};
  a = audit_layer(open, small, 1, 1, &options);
  ck_assert_int_eq(mamba_report_truth(&a.report), TRUTH_TRUE);
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
  mamba_options options = mamba_options_default();
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
      const mamba_layer_report *layer = &a.report.layers[0];
      ck_assert(layer->worst_certain);
      ck_assert_uint_eq(layer->worst_channel, variant == 0 ? 300 : variant == 1 ? 302 : 301);
      ck_assert_uint_eq(layer->worst_state, variant == 1 ? 5 : 4);
      audit_clear(&a);
    }
  }
}
END_TEST

/* Two entries one bit apart are a range, in either order. */
START_TEST(test_narrow_range)
{
  double a_log[] = {0.25, nextafter(0.25, 1)}, dt_bias[] = {2, 2};
  mamba_options options = mamba_options_default();
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

/* Doubles and balls, one thread and three: the same counts, and ranges that the oracle confirms. */
START_TEST(test_ways_agree)
{
  enum { CHANNELS = 517, STATES = 19 };
  static double a_log[CHANNELS * STATES], dt_bias[CHANNELS];
  philox_stream s = philox_stream_start(seed, philox_hash_name("ways"), 0, 0);
  for (size_t i = 0; i < CHANNELS * STATES; i++)
    a_log[i] = 5 * philox_uniform(&s) - 1;
  for (size_t c = 0; c < CHANNELS; c++)
    dt_bias[c] = 8 * philox_uniform(&s) - 6;
  oracle o, low, high;
  oracle_init(&o, 400);
  oracle_init(&low, 400);
  oracle_init(&high, 400);
  uint64_t holds = 0;
  for (size_t i = 0; i < CHANNELS * STATES; i++) {
    holds += oracle_truth(&o, a_log[i], dt_bias[i / STATES]) == TRUTH_TRUE;
    if (i == 0 || mpfr_cmp(o.rate_high, high.rate_high) > 0)
      mpfr_set(high.rate_high, o.rate_high, MPFR_RNDU);
    if (i == 0 || mpfr_cmp(o.rate_low, low.rate_low) < 0)
      mpfr_set(low.rate_low, o.rate_low, MPFR_RNDD);
  }
  for (int way = 0; way < 4; way++) {
    mamba_options options = mamba_options_default();
    options.only_balls = way / 2;
    options.threads = way % 2 ? 3 : 1;
    audit a = audit_layer(a_log, dt_bias, CHANNELS, STATES, &options);
    const mamba_layer_report *layer = &a.report.layers[0];
    ck_assert_uint_eq(layer->counts.holds, holds);
    ck_assert_uint_eq(layer->counts.fails, CHANNELS * STATES - holds);
    ck_assert_uint_eq(options.only_balls ? layer->counts.by_ball : layer->counts.by_double,
                      CHANNELS * STATES);
    mpfr_neg(o.low, high.rate_high, MPFR_RNDN);
    mpfr_exp(o.low, o.low, MPFR_RNDN);
    mpfr_neg(o.high, low.rate_low, MPFR_RNDN);
    mpfr_exp(o.high, o.high, MPFR_RNDN);
    arf_t a_min, a_max;
    arf_init(a_min);
    arf_init(a_max);
    arf_set_mpfr(a_min, o.low);
    arf_set_mpfr(a_max, o.high);
    ck_assert(arb_contains_arf(layer->a_min, a_min) && arb_contains_arf(layer->a_max, a_max));
    arf_clear(a_min);
    arf_clear(a_max);
    audit_clear(&a);
  }
  oracle_clear(&o);
  oracle_clear(&low);
  oracle_clear(&high);
}
END_TEST

/* exp(A_log) as single precision rounds it: the thresholds are the doubles next to log(2^128 - 2^103) and
 * log(2^-150). */
START_TEST(test_single_precision)
{
  static const double a_log[] = {88.72283, 88.72284, -103.97207, -103.97208, 0, 4};
  static const double dt_bias[] = {-1};
  mamba_options options = mamba_options_default();
  audit a = audit_layer(a_log, dt_bias, 1, 6, &options);
  ck_assert_uint_eq(a.report.total.beyond_single, 2);
  ck_assert_uint_eq(a.report.total.holds + a.report.total.fails, 6);
  audit_clear(&a);
}
END_TEST

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
  mamba_options options = mamba_options_default();
  mamba_report report;
  dump_error error;
  dump_error_init(&error);
  if (mamba_audit_file(&report, path, &options, &error) != STATUS_OK)
    ck_abort_msg("%s: %s", error.file, error.message);
  ck_assert_uint_eq(report.layer_count, 2);
  for (size_t k = 0; k < 2; k++) {
    const mamba_layer_report *layer = &report.layers[k];
    ck_assert_uint_eq(layer->counts.holds, known[k].holds);
    ck_assert_uint_eq(layer->counts.fails, known[k].fails);
    ck_assert_uint_eq(layer->counts.unknown + layer->counts.invalid, 0);
    ck_assert_uint_eq(layer->worst_channel, known[k].channel);
    ck_assert_uint_eq(layer->worst_state, known[k].state);
    check_ball(layer->worst_margin, known[k].margin, 1e-30);
    check_ball(layer->a_min, known[k].a_min, 1e-30);
    check_ball(layer->a_max, known[k].a_max, 1e-30);
    check_ball(layer->power, known[k].power, 1e-30);
  }
  mamba_report_clear(&report);
}
END_TEST

/* A model from elsewhere, where it is at hand; the counts come from mpmath at 40 digits. */
START_TEST(test_from_elsewhere)
{
  static const uint64_t fails[] = {314, 315, 309, 301};
  static const size_t worst[] = {157, 124, 28, 254};
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/../shared/data/dumps/repacked-mamba1-radio-positioning.safetensors",
           top ? top : ".");
  FILE *there = fopen(path, "rb");
  if (there == NULL)
    return;
  fclose(there);
  mamba_options options = mamba_options_default();
  mamba_report report;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(mamba_audit_file(&report, path, &options, &error), STATUS_OK);
  ck_assert_uint_eq(report.layer_count, 4);
  for (size_t k = 0; k < 4; k++) {
    ck_assert_uint_eq(report.layers[k].counts.fails, fails[k]);
    ck_assert_uint_eq(report.layers[k].counts.holds, 4096 - fails[k]);
    ck_assert_uint_eq(report.layers[k].worst_channel, worst[k]);
    ck_assert_uint_eq(report.layers[k].worst_state, 0);
  }
  check_ball(report.layers[3].power, "-12764.334521367926 +/- 1e-11", 1e-25);
  mamba_report_clear(&report);
}
END_TEST

/* What cannot be read is an error, not a report. */
START_TEST(test_errors)
{
  bytes made = bytes_make("{\"A_log\":{\"dtype\":\"F8_E4M3\",\"shape\":[1,1],\"data_offsets\":[0,1]},"
                          "\"dt_proj.bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}}",
                          NULL, 5);
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read_safetensors("made", made.data, made.length, &error);
  mamba_model model;
  mamba_report report;
  mamba_options options = mamba_options_default();
  ck_assert_int_eq(mamba_recognise(&model, file, &error), STATUS_OK);
  ck_assert_int_eq(mamba_audit(&report, &model, &options, &error), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(error.message, "has type F8_E4M3"));
  ck_assert_uint_eq(error.offset, made.length - 5);
  ck_assert_ptr_null(report.layers);
  mamba_clear(&model);
  dump_close(file);
  ck_assert_int_eq(mamba_audit_file(&report, "/nonexistent", &options, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.file, "/nonexistent");
  dump_error_clear(&error);
  free(made.data);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("Mamba assumption");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_random);
  tcase_add_test(all, test_near_ties);
  tcase_add_test(all, test_extremes);
  tcase_add_test(all, test_small_model);
  tcase_add_test(all, test_limit);
  tcase_add_test(all, test_worst);
  tcase_add_test(all, test_narrow_range);
  tcase_add_test(all, test_ways_agree);
  tcase_add_test(all, test_single_precision);
  tcase_add_test(all, test_bundled_model);
  tcase_add_test(all, test_from_elsewhere);
  tcase_add_test(all, test_errors);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
