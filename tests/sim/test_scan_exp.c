/* The decays of the selective scan against balls: the stated bound on every target at random, extreme and special
 * arguments, and what the proofs in tests/gappa suppose of polynomials and table. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/flint.h"
#include "core/philox.h"
#include "sim/scan.h"
#include "sim/scan_table.h"

/* The polynomial of scan_exp.h. */
#define LANES 2
#define INLINE static inline __attribute__((always_inline, unused))
#include "sim/scan_types.h"
INLINE vector mul_add(vector a, vector b, vector c)
{
  return a * b + c;
}
INLINE vector mul_rest(vector a, vector b, vector c)
{
  return a * b - c;
}
#include "sim/scan_exp.h"

enum { CHANNELS = 37, STATES = 23, PAIRS = CHANNELS * STATES, PRECISION = 128 };

static const struct {
  const char *name;
  scan_options options;
} ways[] = {
  {"reference", {SCAN_REFERENCE, SCAN_BEST, 1}},
  {"generic", {SCAN_VECTOR, SCAN_GENERIC, 1}},
  {"AVX2", {SCAN_VECTOR, SCAN_AVX2, 1}},
  {"AVX-512", {SCAN_VECTOR, SCAN_AVX512, 1}},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* exp(step A) as the scan computes it, [CHANNELS, STATES]; false: this machine does not have the target. */
static bool decays(double *alpha, int way, const double *step, const double *rate)
{
  double state[PAIRS] = {0}, u[CHANNELS] = {0}, b[STATES] = {0};
  const scan_layer layer = {CHANNELS, STATES, rate, NULL};
  const scan_inputs in = {.sequences = 1, .tokens = 1, .step = {step, 0, 0}, .u = {u, 0, 0}, .b = {b, 0, 0}};
  const scan_outputs out = {.alpha = {alpha, 0, 0}};
  return scan_selective(&ways[way].options, state, &out, &layer, &in) == STATUS_OK;
}

/* Whether |alpha - exp(step rate)| is within the bound, for certain. */
static bool accepted(double alpha, double step, double rate)
{
  arb_t x, exact, error, allowed, part;
  arb_init(x);
  arb_init(exact);
  arb_init(error);
  arb_init(allowed);
  arb_init(part);
  arb_set_d(x, step);
  arb_set_d(part, rate);
  arb_mul(x, x, part, 2 * DBL_MANT_DIG);
  arb_exp(exact, x, PRECISION);
  arb_set_d(error, alpha);
  arb_sub(error, error, exact, PRECISION);
  arb_abs(error, error);
  arb_abs(x, x);
  arb_set_d(allowed, SCAN_EXP_SLOPE);
  arb_mul(allowed, allowed, x, PRECISION);
  arb_set_d(part, SCAN_EXP_REL);
  arb_add(allowed, allowed, part, PRECISION);
  arb_mul(allowed, allowed, exact, PRECISION);
  arb_set_d(part, SCAN_TINY);
  arb_add(allowed, allowed, part, PRECISION);
  bool fine = isfinite(alpha) && arb_le(error, allowed);
  arb_clear(x);
  arb_clear(exact);
  arb_clear(error);
  arb_clear(allowed);
  arb_clear(part);
  return fine;
}

static double between(philox_stream *r, double low, double high)
{
  return low + (high - low) * philox_uniform(r);
}

/* Kinds of calls. In one call all products lie near 0, or some do not, so that both ways of computing them are seen. */
enum { USUAL, SMALL, GROWING, POLARIZED, FAR, ENDS, STEPS, KINDS };

static void draw(double *step, double *rate, int kind, philox_stream *r)
{
  for (int d = 0; d < CHANNELS; d++)
    step[d] = kind == POLARIZED ? between(r, 0, 2) : kind == ENDS || kind == STEPS ? 1 : exp(between(r, -7, 0));
  for (int i = 0; i < PAIRS; i++)
    switch (kind) {
    case USUAL: rate[i] = between(r, -30, 0); break;
    case SMALL: rate[i] = -ldexp(1 + philox_uniform(r), -(int)philox_below(r, 1074)); break;
    case GROWING: rate[i] = between(r, 0, 709); break;
    case POLARIZED: rate[i] = i % STATES == 0 ? 0 : i % STATES == 1 ? -1000 : between(r, -16, 0); break;
    case FAR: rate[i] = -exp(between(r, -3, 690)); break;
    case ENDS: rate[i] = i % 2 ? between(r, -746, -707) : between(r, 707, 709); break;
    default: /* next to where k steps, for integers and for sixteenths */
      rate[i] = (floor(between(r, -11000, 200)) / 16 + (i % 2 ? 0 : 1.0 / 32)) * 0x1.62e42fefa39efp-1;
      rate[i] *= 1 + ldexp(between(r, -4, 4), -52);
    }
}

START_TEST(test_bound)
{
  static double alpha[PAIRS], rate[PAIRS];
  double step[CHANNELS];
  int way = _i / KINDS, kind = _i % KINDS;
  for (int k = 0; k < 6; k++) {
    philox_stream r = philox_stream_start(4, philox_hash_name("decays"), (uint64_t)_i, (uint32_t)k);
    draw(step, rate, kind, &r);
    if (!decays(alpha, way, step, rate))
      return;
    for (int i = 0; i < PAIRS; i++)
      ck_assert_msg(accepted(alpha[i], step[i / STATES], rate[i]), "%s, kind %d: exp(%a * %a) is not %a",
                    ways[way].name, kind, step[i / STATES], rate[i], alpha[i]);
  }
}
END_TEST

/* The judge of this test is not blind. */
START_TEST(test_judge)
{
  double right = exp(-1.5);
  ck_assert(accepted(right, 0.5, -3));
  ck_assert(!accepted(right * (1 + 1e-14), 0.5, -3));
  ck_assert(!accepted(right * (1 - 1e-14), 0.5, -3));
  ck_assert(!accepted(NAN, 0.5, -3));
  ck_assert(accepted(0, 1, -746));
  ck_assert(!accepted(0, 1, -740));
}
END_TEST

START_TEST(test_special)
{
  static const struct {
    double step, rate, alpha;
  } cases[] = {
    {0, -16, 1}, {-0.0, -16, 1}, {0.5, 0, 1}, {0.5, -0.0, 1}, {1e300, 0, 1}, {0x1p-1074, -0x1p-1074, 1},
    {1, -746, 0}, {1, -1000, 0}, {0.9, -1000, 0}, {1e10, -1000, 0}, {1e300, -1e299, 0}, {1, -1e300, 0},
    {1, -INFINITY, 0}, {INFINITY, -1, 0}, {0.5, -INFINITY, 0},
    {1, 710, INFINITY}, {1, 1e300, INFINITY}, {1, INFINITY, INFINITY}, {-1, -1000, INFINITY}, {INFINITY, 2, INFINITY},
    {0, INFINITY, NAN}, {0, -INFINITY, NAN}, {INFINITY, 0, NAN}, {NAN, -1, NAN}, {1, NAN, NAN}, {NAN, 0, NAN},
  };
  static double alpha[PAIRS], rate[PAIRS];
  double step[CHANNELS];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    /* Alone among usual ones, at every place in a register, and all of its kind. */
    for (int place = 0; place <= 8; place++) {
      for (int d = 0; d < CHANNELS; d++)
        step[d] = place == 8 || d % 8 == place ? cases[c].step : 0.125;
      for (int i = 0; i < PAIRS; i++)
        rate[i] = place == 8 || i % STATES % 5 == 0 ? cases[c].rate : -2;
      if (!decays(alpha, _i, step, rate))
        return;
      for (int i = 0; i < PAIRS; i++) {
        double is = alpha[i];
        if (step[i / STATES] == 0.125 && rate[i] == -2)
          ck_assert_msg(accepted(is, 0.125, -2), "%s: a neighbour of case %zu is %a", ways[_i].name, c, is);
        else if ((place == 8 || i / STATES % 8 == place) && (place == 8 || i % STATES % 5 == 0))
          ck_assert_msg(is == cases[c].alpha || (isnan(is) && isnan(cases[c].alpha)), "%s: exp(%a * %a) is %a",
                        ways[_i].name, cases[c].step, cases[c].rate, is);
      }
    }
  }
}
END_TEST

/* |1 + f (c[0] + f (c[1] + ...)) - 2^(scale f)| <= bound for |f| <= most, on many small balls. The difference is taken
 * coefficient by coefficient, so that balls do not blow it up. */
static bool close_to_power(const double *c, int degree, double scale, double most, double bound)
{
  enum { PIECES = 32768, TERMS = 22 };
  arb_t difference[TERMS], f, sum, part, limit, log2;
  bool fine = true;
  arb_init(f);
  arb_init(sum);
  arb_init(part);
  arb_init(limit);
  arb_init(log2);
  arb_const_log2(log2, 256);
  arb_set_d(part, scale);
  arb_mul(log2, log2, part, 256);
  for (int i = 0; i < TERMS; i++) {
    arb_init(difference[i]);
    arb_pow_ui(difference[i], log2, (ulong)i, 256);
    arb_fac_ui(part, (ulong)i, 256);
    arb_div(difference[i], difference[i], part, 256);
    arb_set_d(part, i == 0 ? 1 : i <= degree ? c[i - 1] : 0);
    arb_sub(difference[i], part, difference[i], 256);
  }
  for (int k = 0; k < PIECES && fine; k++) {
    double centre = most * ((2 * k + 1) / (double)PIECES - 1);
    arb_set_d(f, centre);
    arb_set_d(part, most / PIECES * 1.0001);
    arb_add_error(f, part);
    arb_zero(sum);
    for (int i = TERMS - 1; i >= 0; i--) {
      arb_mul(sum, sum, f, 256);
      arb_add(sum, sum, difference[i], 256);
    }
    arb_set_d(part, 0x1p-100); /* what the series lacks: below 0.36^22/22! */
    arb_add_error(sum, part);
    arb_abs(sum, sum);
    arb_set_d(limit, bound);
    fine = arb_le(sum, limit);
  }
  for (int i = 0; i < TERMS; i++)
    arb_clear(difference[i]);
  arb_clear(f);
  arb_clear(sum);
  arb_clear(part);
  arb_clear(limit);
  arb_clear(log2);
  return fine;
}

START_TEST(test_polynomials)
{
  const double table[] = {F1, F2, F3, F4, F5, F6};
  double root[] = {C1, C2, C3, C4, C5, C6, C7, C8, C9};
  ck_assert(close_to_power(table, 6, 1, 0x1.001p-5, 0x1.4p-57));
  ck_assert(!close_to_power(table, 6, 1, 0x1.001p-5, 0x1.8p-58));
  ck_assert(close_to_power(root, 9, 0.5, 0x1.001p-1, 0x1.2p-55));
  root[4] *= 1 + 1e-10;
  ck_assert(!close_to_power(root, 9, 0.5, 0x1.001p-1, 0x1.2p-55));
}
END_TEST

START_TEST(test_table)
{
  arb_t power, entry, limit;
  arb_init(power);
  arb_init(entry);
  arb_init(limit);
  for (int j = 0; j < 16; j++) {
    arb_set_d(entry, j / 16.0);
    arb_set_ui(power, 2);
    arb_pow(power, power, entry, PRECISION);
    arb_set_d(entry, scan_sixteenths[j]);
    arb_div(entry, entry, power, PRECISION);
    arb_sub_ui(entry, entry, 1, PRECISION);
    arb_abs(entry, entry);
    arb_set_d(limit, 0x1p-53);
    ck_assert_msg(arb_le(entry, limit), "2^(%d/16)", j);
  }
  arb_clear(power);
  arb_clear(entry);
  arb_clear(limit);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("decays");
  TCase *tests = tcase_create("decays");
  tcase_set_timeout(tests, 0);
  tcase_add_test(tests, test_judge);
  tcase_add_test(tests, test_polynomials);
  tcase_add_test(tests, test_table);
  tcase_add_loop_test(tests, test_special, 0, WAYS);
  tcase_add_loop_test(tests, test_bound, 0, WAYS * KINDS);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
