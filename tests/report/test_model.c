/* Decimals rounded outward, and the two reports on a model. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/made_model.h"
#include "check/model_audit.h"
#include "core/memory.h"
#include "report/decimal.h"
#include "report/model_json.h"
#include "report/model_text.h"

static void expect_ends(double mantissa, long exponent, int digits, const char *lower, const char *upper)
{
  arf_t x;
  arf_init(x);
  arf_set_d(x, mantissa);
  arf_mul_2exp_si(x, x, exponent);
  char *down = decimal_toward(x, digits, false), *up = decimal_toward(x, digits, true);
  if (lower == NULL)
    ck_assert_ptr_null(down);
  else
    ck_assert_str_eq(down, lower);
  if (upper == NULL)
    ck_assert_ptr_null(up);
  else
    ck_assert_str_eq(up, upper);
  free(down);
  free(up);
  arf_clear(x);
}

/* Expected texts by hand, from the decimal expansions of powers of two. */
START_TEST(test_decimals)
{
  expect_ends(0, 0, 5, "0", "0");
  expect_ends(0.5, 0, 5, "0.5", "0.5");
  expect_ends(-0.5, 0, 1, "-0.5", "-0.5");
  expect_ends(0.1, 0, 5, "0.1", "0.10001"); /* the double is above 1/10 */
  expect_ends(-0.1, 0, 5, "-0.10001", "-0.1");
  expect_ends(1, -14, 3, "0.000061", "0.0000611"); /* 0.00006103515625 */
  expect_ends(1, -17, 3, "7.62e-6", "7.63e-6");    /* 0.00000762939453125 */
  expect_ends(1, -13, 3, "0.000122", "0.000123");  /* 0.0001220703125 */
  expect_ends(1, 10, 2, "1000", "1100");           /* 1024 */
  expect_ends(-1, 10, 3, "-1030", "-1020");
  expect_ends(1, 60, 3, "1.15e18", "1.16e18"); /* 1152921504606846976 */
  expect_ends(1023, -10, 2, "0.99", "1");
  expect_ends(2049, -1, 20, "1024.5", "1024.5");
  expect_ends(1, -(1L << 29), 5, "0", "1e-80807124");
  expect_ends(-1, -(1L << 29), 5, "-1e-80807124", "0");
  expect_ends(1, 1L << 29, 5, "1e80807124", NULL);
  expect_ends(-1, 1L << 29, 5, NULL, "-1e80807124");
  arf_t x;
  arf_init(x);
  arf_nan(x);
  ck_assert_ptr_null(decimal_toward(x, 5, true));
  arf_pos_inf(x);
  ck_assert_ptr_null(decimal_toward(x, 5, false));
  arf_clear(x);

  arb_t ball;
  arb_init(ball);
  char *shown = decimal_ball(ball, 5);
  ck_assert_str_eq(shown, "0");
  free(shown);
  arb_set_d(ball, 1.25);
  arb_add_error_2exp_si(ball, -2);
  shown = decimal_ball(ball, 2);
  ck_assert_str_eq(shown, "[1, 1.5]");
  free(shown);
  arb_set_d(ball, -0.25);
  arb_add_error_2exp_si(ball, -1);
  char *lower, *upper;
  decimal_ends_positive(&lower, &upper, ball, 3);
  ck_assert_str_eq(lower, "0");
  ck_assert_str_eq(upper, "0.25");
  free(lower);
  free(upper);
  arb_indeterminate(ball);
  decimal_ends_positive(&lower, &upper, ball, 3);
  ck_assert_str_eq(lower, "0");
  ck_assert_ptr_null(upper);
  free(lower);
  shown = decimal_ball(ball, 2);
  ck_assert_str_eq(shown, "[-inf, inf]");
  free(shown);
  arb_clear(ball);
}
END_TEST

/* Outward means outward: the text read back exactly lies on the asked side. */
START_TEST(test_outward)
{
  fmpq_t read, exact;
  fmpq_init(read);
  fmpq_init(exact);
  arf_t x;
  arf_init(x);
  for (int i = -40; i <= 40; i++)
    for (int k = 1; k < 40; k++) {
      arf_set_si_2exp_si(x, (i < 0 ? -1 : 1) * (k * k + 7919 * k), i);
      arf_get_fmpq(exact, x);
      for (int up = 0; up < 2; up++) {
        char *decimals = decimal_toward(x, 4, up);
        char *e = strchr(decimals, 'e'), *point = strchr(decimals, '.');
        long exponent = e != NULL ? strtol(e + 1, NULL, 10) : 0;
        if (e != NULL)
          *e = 0;
        if (point != NULL) {
          exponent -= (long)strlen(point + 1);
          memmove(point, point + 1, strlen(point));
        }
        fmpz_t ten;
        fmpz_init_set_ui(ten, 10);
        fmpz_pow_ui(ten, ten, (ulong)labs(exponent));
        ck_assert_int_eq(fmpq_set_str(read, decimals, 10), 0);
        if (exponent < 0)
          fmpq_div_fmpz(read, read, ten);
        else
          fmpq_mul_fmpz(read, read, ten);
        ck_assert(up ? fmpq_cmp(read, exact) >= 0 : fmpq_cmp(read, exact) <= 0);
        fmpz_clear(ten);
        free(decimals);
      }
    }
  fmpq_clear(read);
  fmpq_clear(exact);
  arf_clear(x);
}
END_TEST

START_TEST(test_double)
{
  static const double doubles[] = {0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, 0, 1e22, 123456.789};
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
    char *digits = decimal_double(doubles[i]);
    ck_assert(strtod(digits, NULL) == doubles[i]);
    free(digits);
  }
}
END_TEST

/* Two layers and a stray. The first: A_log = (0, 2; NaN, 200), biases 0 and -3. The second has no step and one of its two
 * values contradicts it. */
typedef struct {
  made_families f;
  dump_file *file;
  model m;
  model_report report;
} made_report;

static made_report make_report(void)
{
  static const double a_log[] = {0, 2, NAN, 200}, bias[] = {0, -3}, log_gamma[] = {-0.5, 0.25}, one[] = {1};
  static const made_tensor x[] = {{"l\n.A_log", 2, {2, 2}, a_log, 0},
                                  {"l\n.dt_proj.bias", 1, {2}, bias, 0},
                                  {"m.query", 1, {1}, one, 0},
                                  {"m.gamma", 1, {2}, log_gamma, 0},
                                  {"x.A_log", 2, {1, 1}, one, 0}};
  made_report r = {
    .f = made_families_text("family mamba size D >= 1 as channel size N >= 1 as state\n"
                            "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n"
                            "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n"
                            "let step[d in 1..D] as step = softplus(b[d])\n"
                            "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"
                            "family net size H >= 1 as head tensor q \"query\"\n"
                            "tensor g[h in 1..H] \"gamma\" in (-inf, 0)\n"
                            "let log_decay[h in 1..H] as log_decay = g[h] end\n"),
    .file = made_model(x, 5)};
  free(r.file->name);
  r.file->name = memory_copy_string("made\xff");
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(model_recognise(&r.m, r.f.family, r.f.count, r.file, &error), STATUS_OK);
  model_options options = model_options_default();
  ck_assert_int_eq(model_audit(&r.report, &r.m, &options, &error), STATUS_OK);
  return r;
}

static void drop_report(made_report *r)
{
  model_report_clear(&r->report);
  model_clear(&r->m);
  dump_close(r->file);
  made_families_clear(&r->f);
}

START_TEST(test_text)
{
  made_report r = make_report();
  char *shown;
  size_t length;
  FILE *out = open_memstream(&shown, &length);
  model_text_write(out, &r.report);
  fclose(out);
  /* By hand, Delta = log 2: A = 1/2 and 2^-(e^2) = 0.00596..., and exp(-0.0486 e^200); margins log 2 - 1/2 and less than 0;
   * 1/kappa = 1/log 2 = 10^0.159. Of the second layer A = exp(-1/2) = 0.60653..., 1/kappa = 2 = 10^0.301. */
  static const char *const parts[] = {
    " (made)\nfamily mamba: 1 layer\nfamily net: 1 layer; it has no step",
    "\n  layer    entries  hold  fail  unknown  apart ",
    "\n  \"l\\x0a\"    2 x 2     2     1        0      1       [0, 0.5001]  [0.1591, 0.1592]  [",
    "\n  \"m\"        2 x 1     -     -        -      1  [0.6065, 0.6066]   [0.301, 0.3011] ",
    "in all 2 hold, 1 fail, 0 unknown, 1 NaN or infinite, 1 contradicting the family\n",
    " T = 2048: ",
    "in all for some step 2, for none 1, unknown 0\n",
    "below 0.5 in 1 of 1 (100.0 %)\n",
    "  layer \"l\\x0a\", channel 0, state 0\n",
    "    \"l\\x0a.A_log\"[0, 0] = 0\n",
    "    \"l\\x0a.dt_proj.bias\"[0] = 0\n",
    "    Delta = [0.693147, 0.693148], a = -1, A = [0.499999, 0.500001], A + Delta - 1 = [0.193147, 0.193148]\n",
    /* A is positive, however small. */
    "Delta = [0.0485873, 0.0485874], a = [-7.22598e86, -7.22597e86], A = [0, 1e-80807124], A + Delta - 1 = [-0.951413, ",
    "not audited\n  \"x.A_log\": mamba has no \"dt_proj.bias\" there\n",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    ck_assert_msg(strstr(shown, parts[i]) != NULL, "\"%s\" is not in\n%s", parts[i], shown);
  free(shown);
  drop_report(&r);
}
END_TEST

static const json_t *at(const json_t *object, const char *outer, const char *inner)
{
  return json_object_get(json_object_get(object, outer), inner);
}

static void expect_count(const json_t *object, const char *outer, const char *inner, long long wanted)
{
  ck_assert_msg(json_is_integer(at(object, outer, inner)), "%s %s", outer, inner);
  ck_assert_int_eq(json_integer_value(at(object, outer, inner)), wanted);
}

static void expect_text(const json_t *object, const char *outer, const char *inner, const char *wanted)
{
  ck_assert_msg(json_is_string(at(object, outer, inner)), "%s %s", outer, inner);
  ck_assert_str_eq(json_string_value(at(object, outer, inner)), wanted);
}

START_TEST(test_json)
{
  made_report r = make_report();
  json_t *made = model_json_create(&r.report);
  char *written = json_dumps(made, 0);
  json_decref(made);
  ck_assert_ptr_nonnull(written);
  ck_assert(strstr(written, "NaN") == NULL && strstr(written, "Inf") == NULL && strstr(written, "inf\"") == NULL);
  json_t *read = json_loads(written, JSON_REJECT_DUPLICATES, NULL);
  ck_assert_ptr_nonnull(read);
  ck_assert_str_eq(json_string_value(json_object_get(read, "file")), "made?");
  ck_assert_str_eq(json_string_value(json_object_get(read, "container")), "made");
  ck_assert_str_eq(json_string_value(json_object_get(read, "verdict")), "false");
  expect_count(read, "bias_point", "contradicting", 1);
  expect_count(read, "parameters_alone", "never", 1);
  const json_t *layer = json_array_get(json_object_get(read, "layers"), 0);
  ck_assert_str_eq(json_string_value(json_object_get(layer, "name")), "l\n");
  ck_assert_str_eq(json_string_value(json_object_get(layer, "family")), "mamba");
  expect_count(layer, "bias_point", "holds", 2);
  expect_count(layer, "bias_point", "fails", 1);
  expect_count(layer, "bias_point", "invalid", 1);
  expect_count(layer, "parameters_alone", "can", 2);
  expect_text(layer, "a_max", "lower", "0.49999999999999999");
  expect_text(layer, "a_max", "upper", "0.50000000000000001");
  expect_text(layer, "a_min", "lower", "0");
  expect_count(layer, "spread", "channels", 1);
  const json_t *below = at(layer, "spread", "below");
  ck_assert_uint_eq(json_array_size(below), 20);
  ck_assert_int_eq(json_integer_value(json_array_get(below, 8)), 0); /* 0.494 */
  ck_assert_int_eq(json_integer_value(json_array_get(below, 9)), 1);
  const json_t *worst = json_array_get(json_object_get(layer, "worst"), 0);
  ck_assert_uint_eq(json_array_size(json_object_get(layer, "worst")), 3);
  expect_text(worst, "margin", "lower", "0.1931471805599453");
  expect_text(worst, "margin", "upper", "0.19314718055994531");
  expect_text(worst, "a", "lower", "-1");
  const json_t *stored = json_object_get(worst, "stored");
  ck_assert_uint_eq(json_array_size(stored), 2);
  for (size_t i = 0; i < 2; i++) {
    const json_t *one = json_array_get(stored, i);
    bool matrix = !strcmp(json_string_value(json_object_get(one, "tensor")), "l\n.A_log");
    ck_assert_uint_eq(json_array_size(json_object_get(one, "index")), matrix ? 2 : 1);
    ck_assert_str_eq(json_string_value(json_object_get(one, "value")), "0");
  }
  layer = json_array_get(json_object_get(read, "layers"), 1);
  ck_assert(json_is_null(json_object_get(layer, "bias_point")) && json_is_null(json_object_get(layer, "parameters_alone")));
  ck_assert(json_is_null(json_object_get(layer, "spread")));
  ck_assert_uint_eq(json_array_size(json_object_get(layer, "worst")), 0);
  ck_assert_str_eq(json_string_value(json_array_get(json_object_get(read, "skipped"), 0)),
                   "\"x.A_log\": mamba has no \"dt_proj.bias\" there");
  json_decref(read);
  free(written);
  drop_report(&r);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("reports on models");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_decimals);
  tcase_add_test(all, test_outward);
  tcase_add_test(all, test_double);
  tcase_add_test(all, test_text);
  tcase_add_test(all, test_json);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
