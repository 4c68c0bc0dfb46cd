/* Associative-recall sequences, windows of noise, and the numbers made of answers. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/corruption.h"
#include "sim/mqar.h"
#include "sim/recall.h"
#include "sim/robustness.h"

static void expect_near(double value, double wanted, double tolerance)
{
  ck_assert_msg(fabs(value - wanted) <= tolerance, "%.17g, not %.17g", value, wanted);
}

START_TEST(test_sequences)
{
  enum { V = 64, K = 8, T = 64 };
  mqar_options o = mqar_options_make(V, K, T, 5);
  ck_assert_double_eq(o.exponent, 0.01);
  ck_assert_ptr_null(mqar_reason(&o));
  uint32_t token[T], again[T];
  mqar_query query[K];
  bool differ = false;
  for (uint64_t example = 0; example < 200; example++) {
    mqar_make(token, query, &o, example);
    bool seen[V] = {false}, asked[T] = {false};
    for (int j = 0; j < K; j++) {
      ck_assert_uint_eq(query[j].key_at, 2 * (unsigned)j);
      uint32_t key = token[2 * j], value = token[2 * j + 1];
      ck_assert(key >= 1 && key < V / 2 && value >= V / 2 && value < V);
      ck_assert(!seen[key] && !seen[value]);
      seen[key] = seen[value] = true;
      size_t at = query[j].query_at;
      ck_assert(at >= 2 * K && at < T && at % 2 == 0 && !asked[at]);
      asked[at] = true;
      ck_assert_uint_eq(token[at], key);
      ck_assert_uint_eq(query[j].value, value);
    }
    for (int t = 2 * K; t < T; t++)
      ck_assert(asked[t] || token[t] == 0);
    mqar_make(again, query, &o, example);
    ck_assert(!memcmp(token, again, sizeof token));
    mqar_make(again, query, &o, example + 1);
    differ = differ || memcmp(token, again, sizeof token);
  }
  ck_assert(differ);
}
END_TEST

/* How often the first query stands in each gap against what the power law says, and how the second one's distribution follows from
 * leaving out the first: P(g_2 = g) = sum over f != g of p_f p_g / (1 - p_f). Within five standard deviations. */
START_TEST(test_gaps)
{
  enum { K = 2, T = 20, SPACE = (T - 2 * K) / 2, EXAMPLES = 20000 };
  mqar_options o = mqar_options_make(16, K, T, 1);
  double p[SPACE], sum = 0;
  for (int g = 0; g < SPACE; g++)
    sum += p[g] = 0.01 * pow(g + 1, 0.01 - 1);
  for (int g = 0; g < SPACE; g++)
    p[g] /= sum;
  int first[SPACE] = {0}, second[SPACE] = {0}, keys[8] = {0}, values[16] = {0};
  uint32_t token[T];
  mqar_query query[K];
  for (uint64_t example = 0; example < EXAMPLES; example++) {
    mqar_make(token, query, &o, example);
    first[(query[0].query_at - 2 * K) / 2]++;
    second[(query[1].query_at - 2 * K) / 2]++;
    keys[token[2]]++;
    values[token[1]]++;
  }
  for (int g = 0; g < SPACE; g++) {
    double later = 0;
    for (int f = 0; f < SPACE; f++)
      if (f != g)
        later += p[f] * p[g] / (1 - p[f]);
    expect_near(first[g], p[g] * EXAMPLES, 5 * sqrt(p[g] * EXAMPLES));
    expect_near(second[g], later * EXAMPLES, 5 * sqrt(later * EXAMPLES));
  }
  for (int k = 1; k < 8; k++)
    expect_near(keys[k], EXAMPLES / 7.0, 5 * sqrt(EXAMPLES / 7.0));
  for (int v = 8; v < 16; v++)
    expect_near(values[v], EXAMPLES / 8.0, 5 * sqrt(EXAMPLES / 8.0));
}
END_TEST

START_TEST(test_limits)
{
  mqar_options o = mqar_options_make(64, 16, 0, 0);
  ck_assert_uint_eq(o.length, 64);
  ck_assert_ptr_null(mqar_reason(&o));
  o = mqar_options_make(8192, 64, 0, 0);
  ck_assert_uint_eq(o.length, 256);
  o.length = 254;
  ck_assert_ptr_nonnull(mqar_reason(&o));
  o.length = 257;
  ck_assert_ptr_nonnull(mqar_reason(&o));
  o = mqar_options_make(64, 32, 1024, 0);
  ck_assert_ptr_nonnull(mqar_reason(&o)); /* keys 1 .. 31 */
  o.pairs = 31;
  ck_assert_ptr_null(mqar_reason(&o));
  o.pairs = 0;
  ck_assert_ptr_nonnull(mqar_reason(&o));
  o = mqar_options_make(3, 1, 64, 0);
  ck_assert_ptr_nonnull(mqar_reason(&o));
  /* No room to spare: each gap is taken. */
  uint32_t token[4];
  mqar_query query[1];
  o = mqar_options_make(4, 1, 4, 0);
  ck_assert_ptr_null(mqar_reason(&o));
  mqar_make(token, query, &o, 0);
  ck_assert(token[0] == 1 && token[1] >= 2 && token[2] == 1 && token[3] == 0);
}
END_TEST

START_TEST(test_interval)
{
  double lower, upper;
  recall_interval(&lower, &upper, &(recall_tally){.asked = 10, .right = 10});
  expect_near(lower, 0.722467, 1e-6); /* 1 / (1 + z^2 / 10) */
  expect_near(upper, 1, 1e-15);
  recall_interval(&lower, &upper, &(recall_tally){.asked = 100, .right = 50});
  expect_near(lower, 0.403832, 1e-6); /* statsmodels: proportion_confint(50, 100, method="wilson") */
  expect_near(upper, 0.596168, 1e-6);
  recall_interval(&lower, &upper, &(recall_tally){.asked = 0});
  ck_assert(lower == 0 && upper == 1);
}
END_TEST

START_TEST(test_windows)
{
  corruption_window w[CORRUPTION_WINDOWS];
  ck_assert_uint_eq(corruption_read(w, "first:32,last:8,middle:5,928:1024"), 4);
  static const struct {
    uint64_t tokens, from[4], to[4];
  } place[] = {{1024, {0, 1016, 509, 928}, {32, 1024, 514, 1024}},
               {1000, {0, 992, 497, 928}, {32, 1000, 502, 1000}},
               {4, {0, 0, 0, 4}, {4, 4, 4, 4}}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) {
      uint64_t from, to;
      corruption_place(&from, &to, &w[i], place[k].tokens);
      ck_assert_uint_eq(from, place[k].from[i]);
      ck_assert_uint_eq(to, place[k].to[i]);
    }
  char name[CORRUPTION_NAME];
  corruption_name(name, &w[2]);
  ck_assert_str_eq(name, "middle:5");
  corruption_name(name, &w[3]);
  ck_assert_str_eq(name, "928:1024");
  static const char *const wrong[] = {"", "first", "first:", "first:0", "5:5", "6:5", "a:5", "5", "1:2,", ",1:2", "1:2x", "last:-1",
                                      "1:1234567890123456"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(corruption_read(w, wrong[i]) == 0, "%s", wrong[i]);
  char many[200] = "1:2";
  for (int i = 1; i < CORRUPTION_WINDOWS; i++)
    strcat(many, ",1:2");
  ck_assert_uint_eq(corruption_read(w, many), CORRUPTION_WINDOWS);
  strcat(many, ",1:2");
  ck_assert_uint_eq(corruption_read(w, many), 0);
}
END_TEST

START_TEST(test_noise)
{
  enum { T = 4000, V = 10 };
  uint32_t *token = calloc(T, sizeof *token), *cut = calloc(T, sizeof *cut);
  corruption_tokens(token, 0, T, 100, 3900, V, 3, 1);
  for (size_t first = 0; first < T; first += 50) /* in pieces it is the same */
    corruption_tokens(cut + first, first, 50, 100, 3900, V, 3, 1);
  ck_assert(!memcmp(token, cut, T * sizeof *token));
  int count[V] = {0};
  for (int t = 0; t < T; t++) {
    ck_assert(token[t] < V);
    ck_assert(token[t] == 0 || (t >= 100 && t < 3900));
    if (t >= 100 && t < 3900)
      count[token[t]]++;
  }
  for (int v = 0; v < V; v++)
    expect_near(count[v], 380, 5 * sqrt(380));
  corruption_tokens(cut, 0, T, 100, 3900, V, 3, 2);
  ck_assert(memcmp(token, cut, T * sizeof *token)); /* another sequence */
  free(token);
  free(cut);

  enum { M = 5 };
  double *x = calloc(T * M, sizeof *x), sum = 0, square = 0, neighbours = 0;
  corruption_vectors(x, 0, T, 1, T, M, 3, 3, 0);
  for (int i = 0; i < M; i++)
    ck_assert(x[i] == 0);
  double n = (T - 1) * M;
  for (int i = M; i < T * M; i++) {
    sum += x[i];
    square += x[i] * x[i];
    neighbours += x[i] * x[i - 1];
  }
  expect_near(sum / n, 0, 5 * 3 / sqrt(n));
  expect_near(square / n, 9, 5 * 9 * sqrt(2 / n));
  expect_near(neighbours / n, 0, 5 * 9 / sqrt(n));
  free(x);
}
END_TEST

START_TEST(test_divergence)
{
  /* (1/4, 3/4) against (1/2, 1/2), shifted: 1/4 log(1/2) + 3/4 log(3/2). */
  expect_near(robustness_divergence((double[]){7, 7 + log(3)}, (double[]){-2, -2}, 2), 0.13081203594113692, 1e-15);
  ck_assert_double_eq(robustness_divergence((double[]){1, 2, 3}, (double[]){1, 2, 3}, 3), 0);
  /* (1/2, 1/2) against logits that differ by d: log cosh(d / 2). */
  for (double d = 1e-9; d < 0.9; d *= 3) {
    double s = sinh(d / 4), wanted = log1p(2 * s * s);
    double found = robustness_divergence((double[]){0, 0}, (double[]){0, d}, 2);
    ck_assert_msg(fabs(found - wanted) <= 1e-14 * wanted, "%g: %.17g, not %.17g", d, found, wanted);
  }
  /* Far apart, nothing overflows: against (1, 0) almost, the other half costs 1000 / 2. */
  expect_near(robustness_divergence((double[]){0, 0}, (double[]){1000, 0}, 2), 500 - log(2), 1e-12);
  expect_near(robustness_divergence((double[]){1e300, 0}, (double[]){1e300, 5}, 2), 0, 0);
  ck_assert(isnan(robustness_divergence((double[]){0, INFINITY}, (double[]){0, 0}, 2)));
  ck_assert(isnan(robustness_divergence((double[]){0, 0}, (double[]){NAN, 0}, 2)));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("recall");
  TCase *tests = tcase_create("recall");
  tcase_add_test(tests, test_sequences);
  tcase_add_test(tests, test_gaps);
  tcase_add_test(tests, test_limits);
  tcase_add_test(tests, test_interval);
  tcase_add_test(tests, test_windows);
  tcase_add_test(tests, test_noise);
  tcase_add_test(tests, test_divergence);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
