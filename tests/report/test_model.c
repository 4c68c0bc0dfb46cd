/* Decimals rounded outward, and the two reports on a model. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/bytes.h"
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
        char *text = decimal_toward(x, 4, up);
        char *e = strchr(text, 'e'), *point = strchr(text, '.');
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
        ck_assert_int_eq(fmpq_set_str(read, text, 10), 0);
        if (exponent < 0)
          fmpq_div_fmpz(read, read, ten);
        else
          fmpq_mul_fmpz(read, read, ten);
        ck_assert(up ? fmpq_cmp(read, exact) >= 0 : fmpq_cmp(read, exact) <= 0);
        fmpz_clear(ten);
        free(text);
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
    char *text = decimal_double(doubles[i]);
    ck_assert(strtod(text, NULL) == doubles[i]);
    free(text);
  }
}
END_TEST

/* One layer in single precision: A_log = (0, log 4 rounded; NaN, 200), biases 0 and -3; and one stray. */
static mamba_report make_report(void)
{
  static const unsigned char values[] = {0,    0,    0,    0,    0x18, 0x72, 0xb1, 0x3f, 0, 0,
                                         0xc0, 0x7f, 0,    0,    0x48, 0x43, 0,    0,    0, 0,
                                         0,    0,    0x40, 0xc0, 0,    0,    0,    0};
  bytes made = bytes_make("{\"l\\n.A_log\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},"
                          "\"l\\n.dt_proj.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[16,24]},"
                          "\"x.A_log\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[24,28]}}",
                          values, sizeof values);
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read_safetensors("made\xff", made.data, made.length, &error);
  ck_assert_ptr_nonnull(file);
  mamba_model model;
  ck_assert_int_eq(mamba_recognise(&model, file, &error), STATUS_OK);
  mamba_options options = mamba_options_default();
  mamba_report report;
  ck_assert_int_eq(mamba_audit(&report, &model, &options, &error), STATUS_OK);
  mamba_clear(&model);
  dump_close(file);
  free(made.data);
  return report;
}

START_TEST(test_text)
{
  mamba_report report = make_report();
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  model_text_write(out, &report);
  fclose(out);
  /* A = 1/2 and 1/16 (log 4 rounded up a little), and exp(-0.0486 e^200); margin log 2 - 1/2. */
  static const char *const parts[] = {
      "layer \"l\\x0a\", 2 channels x 2 states\n  holds 2, fails 1, unknown 0, invalid (NaN or infinite) 1\n",
      "in single precision exp(A_log) is infinite or 0 in 1 of these",
      "worst: \"l\\x0a.A_log\"[0, 0] = 0,\n",
      "\"l\\x0a.dt_proj.bias\"[0] = 0\n",
      "  A lies in [0, 0.50000001]\n",
      "Delta = [0.69314718, 0.69314719], A = [0.49999999, 0.50000001]\n",
      "A + Delta - 1 = [0.19314718, 0.19314719]\n",
      "1 - A_min^(T-1) at T = 2048 is 1 - 10^e with e in ",
      "\"x.A_log\": there is no dt_proj.bias beside it\n",
      "all 1 layer: holds 2, fails 1, unknown 0, invalid (NaN or infinite) 1\n",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    ck_assert_msg(strstr(text, parts[i]) != NULL, "\"%s\" is not in\n%s", parts[i], text);
  free(text);
  mamba_report_clear(&report);
}
END_TEST

static const char *text_at(const json_t *object, const char *outer, const char *inner)
{
  return json_string_value(json_object_get(json_object_get(object, outer), inner));
}

START_TEST(test_json)
{
  mamba_report report = make_report();
  json_t *made = model_json_create(&report);
  char *written = json_dumps(made, 0);
  json_decref(made);
  ck_assert_ptr_nonnull(written);
  ck_assert(strstr(written, "NaN") == NULL && strstr(written, "Inf") == NULL &&
            strstr(written, "inf") == NULL);
  json_t *read = json_loads(written, JSON_REJECT_DUPLICATES, NULL);
  ck_assert_ptr_nonnull(read);
  ck_assert_str_eq(json_string_value(json_object_get(read, "file")), "made?");
  ck_assert_str_eq(json_string_value(json_object_get(read, "verdict")), "false");
  const json_t *layer = json_array_get(json_object_get(read, "layers"), 0);
  ck_assert_str_eq(json_string_value(json_object_get(layer, "a_log")), "l\n.A_log");
  ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(layer, "counts"), "invalid")), 1);
  ck_assert_str_eq(text_at(layer, "a_max", "lower"), "0.49999999999999999");
  ck_assert_str_eq(text_at(layer, "a_min", "lower"), "0");
  ck_assert_str_eq(text_at(layer, "a_max", "upper"), "0.50000000000000001");
  const json_t *worst = json_object_get(layer, "worst");
  ck_assert_str_eq(text_at(worst, "margin", "lower"), "0.1931471805599453");
  ck_assert_str_eq(text_at(worst, "margin", "upper"), "0.19314718055994531");
  ck_assert_str_eq(json_string_value(json_object_get(worst, "dt_bias")), "0");
  ck_assert_str_eq(json_string_value(json_array_get(json_object_get(read, "skipped"), 0)),
                   "\"x.A_log\": there is no dt_proj.bias beside it");
  json_decref(read);
  free(written);
  mamba_report_clear(&report);
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
