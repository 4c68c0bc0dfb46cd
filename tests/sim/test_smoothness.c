/* Tokens against tokens and layers against layers. Expected values are computed by hand, or by plain loops over all pairs in long
 * double. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/philox.h"
#include "sim/cloud.h"
#include "sim/smoothness.h"
#include "sim/stack.h"
#include "sim/sums.h"
#include "sim/token_sample.h"

static void expect_near(double value, double wanted, double tolerance)
{
  ck_assert_msg(fabs(value - wanted) <= tolerance * fmax(1e-300, fabs(wanted)), "%.17g, not %.17g", value, wanted);
}

static double *random_rows(size_t count, uint32_t which)
{
  philox_stream s = philox_stream_start(7, which, 0, 0);
  double *x = malloc(count * sizeof *x);
  for (size_t i = 0; i < count; i++)
    x[i] = philox_uniform(&s) - 0.3;
  return x;
}

/* ---- sums ---- */

START_TEST(test_sums)
{
  /* Lengths around those of lanes and blocks; sums of 1 .. n and of squares are known. */
  static const size_t length[] = {1, 2, 15, 16, 17, 255, 256, 257, 1000};
  double ones[1000], count[1000], zeros[1000] = {0};
  for (size_t i = 0; i < 1000; i++) {
    ones[i] = 1;
    count[i] = (double)(i + 1);
  }
  for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
    double n = (double)length[k];
    ck_assert_double_eq(sums_dot(ones, count, length[k]), n * (n + 1) / 2);
    ck_assert_double_eq(sums_squared_distance(count, zeros, length[k]), n * (n + 1) * (2 * n + 1) / 6);
  }
  ck_assert_double_eq(sums_dot(ones, ones, 0), 0);
  ck_assert_double_eq(sums_length((double[]){3e300, -4e300}, 2), 5e300);
  expect_near(sums_length((double[]){3e-320, 4e-320}, 2), 5e-320, 1e-3);
  ck_assert_double_eq(sums_length(zeros, 3), 0);
  ck_assert(isnan(sums_length((double[]){1, INFINITY}, 2)));
  ck_assert(isnan(sums_length((double[]){NAN, 1}, 2)));
  ck_assert(isnan(sums_cosine(zeros, ones, 2)));
  ck_assert(isnan(sums_cosine(ones, (double[]){1, NAN}, 2)));
  expect_near(sums_cosine((double[]){1e250, 1e250}, (double[]){1e-250, 0}, 2), sqrt(0.5), 1e-15);
  double mean;
  sums_row_mean(&mean, (double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 7, 1);
  ck_assert(mean == 0.1);
}
END_TEST

/* ---- clouds ---- */

START_TEST(test_three_tokens)
{
  cloud c;
  cloud_init(&c, 2);
  cloud_begin(&c);
  cloud_add(&c, 3, (double[]){3, 4, 0, 0, 6, 8});
  ck_assert_double_eq(cloud_squared_distance(&c), 50); /* 25, 25 and 100 */
  ck_assert_double_eq(cloud_energy(&c, ENERGY_SUM), 150);
  ck_assert_double_eq(cloud_energy(&c, ENERGY_TOKENS), 50);
  ck_assert_double_eq(cloud_energy(&c, ENERGY_NORM), 0.4); /* 150 / (3 * 125) */
  ck_assert_uint_eq(c.directionless, 1);
  expect_near(cloud_cosine(&c), 1, 1e-15);
  ck_assert(isnan(cloud_neighbour_cosine(&c)));
  ck_assert_uint_eq(c.neighbours.undefined, 2);

  cloud_begin(&c);
  cloud_add(&c, 1, (double[]){1, 0});
  ck_assert(isnan(cloud_squared_distance(&c)) && isnan(cloud_cosine(&c)));
  cloud_add(&c, 2, (double[]){0, 1, -2, 0});
  expect_near(cloud_cosine(&c), -1.0 / 3, 1e-15); /* 0, -1, 0 */
  ck_assert_double_eq(cloud_neighbour_cosine(&c), 0);
  ck_assert_uint_eq(c.neighbours.count, 2);
  ck_assert_uint_eq(c.directionless, 0);
  cloud_clear(&c);
}
END_TEST

START_TEST(test_nothing_cancels)
{
  cloud c;
  cloud_init(&c, 1);
  cloud_begin(&c);
  cloud_add(&c, 1, (double[]){1e8});
  cloud_add(&c, 3, (double[]){1e8 + 1, 1e8 + 2, 1e8 + 3});
  expect_near(cloud_squared_distance(&c), 10.0 / 3, 1e-14); /* (3 * 1 + 2 * 4 + 9) / 6 */
  cloud_clear(&c);

  cloud_init(&c, 3);
  cloud_begin(&c);
  for (int i = 0; i < 40; i++) {
    double same[21];
    for (int k = 0; k < 21; k++)
      same[k] = k % 3 == 0 ? 0.1 : k % 3 == 1 ? 1e5 / 3 : -0.7;
    cloud_add(&c, 7, same);
  }
  ck_assert(cloud_energy(&c, ENERGY_NORM) == 0);
  expect_near(cloud_cosine(&c), 1, 1e-14);
  expect_near(cloud_neighbour_cosine(&c), 1, 1e-14);

  cloud_begin(&c);
  cloud_add(&c, 2, (double[]){1e200, 0, 0, 1e200, 1e200, 0});
  ck_assert(isnan(cloud_squared_distance(&c)));
  expect_near(cloud_cosine(&c), sqrt(0.5), 1e-15);
  cloud_begin(&c);
  cloud_add(&c, 3, (double[]){1, 0, 0, NAN, 0, 0, 1, 0, 0});
  ck_assert(isnan(cloud_squared_distance(&c)) && isnan(cloud_energy(&c, ENERGY_NORM)));
  ck_assert_uint_eq(c.directionless, 1);
  expect_near(cloud_cosine(&c), 1, 1e-15);
  cloud_begin(&c);
  cloud_add(&c, 2, (double[]){0, 0, 0, 0, 0, 0});
  ck_assert(isnan(cloud_energy(&c, ENERGY_NORM)) && isnan(cloud_cosine(&c)));
  ck_assert_double_eq(cloud_energy(&c, ENERGY_SUM), 0);
  cloud_clear(&c);
}
END_TEST

START_TEST(test_identities)
{
  enum { T = 150, M = 9 };
  double *x = random_rows(T * M, 1);
  long double squares = 0, cosines = 0, neighbours = 0, distances = 0, norms = 0;
  for (int i = 0; i < T; i++) {
    for (int j = 0; j < i; j++) {
      long double d = 0, dot = 0, a = 0, b = 0;
      for (int k = 0; k < M; k++) {
        long double p = x[i * M + k], q = x[j * M + k];
        d += (p - q) * (p - q);
        dot += p * q;
        a += p * p;
        b += q * q;
      }
      squares += d;
      distances += sqrtl(d);
      cosines += dot / sqrtl(a * b);
      if (j == i - 1)
        neighbours += dot / sqrtl(a * b);
    }
    for (int k = 0; k < M; k++)
      norms += (long double)x[i * M + k] * x[i * M + k];
  }
  long double pairs = T * (T - 1) / 2;
  cloud c;
  cloud_init(&c, M);
  cloud_begin(&c);
  token_sample s;
  token_sample_init(&s, T, 2, M, T, 1 << 20);
  for (size_t first = 0, n; first < T; first += n) {
    n = first % 3 ? 64 : 1;
    n = first + n > T ? T - first : n;
    cloud_add(&c, n, x + first * M);
    token_sample_add(&s, 1, first, n, x + first * M);
  }
  expect_near(cloud_squared_distance(&c), (double)(squares / pairs), 1e-14);
  expect_near(cloud_energy(&c, ENERGY_NORM), (double)(squares / (T * norms)), 1e-14);
  expect_near(cloud_cosine(&c), (double)(cosines / pairs), 1e-13);
  expect_near(cloud_neighbour_cosine(&c), (double)(neighbours / (T - 1)), 1e-13);
  expect_near(token_sample_distance(&s, 1), (double)(distances / pairs), 1e-14);
  ck_assert(isnan(token_sample_distance(&s, 0)));
  token_sample_clear(&s);
  cloud_clear(&c);
  free(x);
}
END_TEST

START_TEST(test_kept_tokens)
{
  ck_assert_uint_eq(token_sample_size(1000, 5, 10, 512, 1 << 20), 512);
  ck_assert_uint_eq(token_sample_size(100, 5, 10, 512, 1 << 20), 100);
  ck_assert_uint_eq(token_sample_size(1000, 5, 10, 512, 50 * 7 + 49), 7);
  ck_assert_uint_eq(token_sample_size(1000, 5, 10, 512, 1), 2);
  ck_assert_uint_eq(token_sample_size(1, 5, 10, 512, 1), 1);
  /* Of 10 tokens 4: numbers 0, 2, 5, 7. Their values are their numbers. */
  token_sample s;
  token_sample_init(&s, 10, 1, 1, 4, 1000);
  token_sample_add(&s, 0, 0, 3, (double[]){0, 1, 2});
  token_sample_add(&s, 0, 3, 1, (double[]){3});
  token_sample_add(&s, 0, 4, 6, (double[]){4, 5, 6, 7, 8, 9});
  ck_assert_uint_eq(s.filled[0], 4);
  static const double wanted[] = {0, 2, 5, 7};
  for (int i = 0; i < 4; i++)
    ck_assert_double_eq(s.row[0][i], wanted[i]);
  expect_near(token_sample_distance(&s, 0), (2 + 5 + 7 + 3 + 5 + 2) / 6.0, 1e-15);
  token_sample_clear(&s);
}
END_TEST

/* ---- stacks ---- */

START_TEST(test_stack)
{
  measured sm = {0}, printed = {0}, st = {0}, depth = {0};
  stack_deviation s;
  stack_init(&s, 2, 1, 4);
  stack_begin(&s);
  stack_add(&s, 0, 1, (double[]){0}, (double[]){1});
  stack_add(&s, 1, 1, (double[]){1}, (double[]){4});
  stack_end(&s, &sm, &printed, &st, &depth);
  ck_assert_double_eq(measured_mean(&sm), 1);               /* |1 - (0 + 4) / 2| */
  ck_assert_uint_eq(printed.count + printed.undefined, 0);  /* a division by L - 2 = 0 */
  ck_assert_double_eq(measured_mean(&st), 1.5);             /* of 1 and 4 */
  expect_near(measured_mean(&depth), 26.0 / 9, 1e-15);      /* of 0, 1 and 4 about 5/3 */
  stack_clear(&s);

  /* Two tokens of two features, in two pieces: 0, 1, 4, 2 in the first feature of the first; nothing moves elsewhere. */
  sm = printed = st = depth = (measured){0};
  stack_init(&s, 3, 2, 4);
  stack_begin(&s);
  stack_add(&s, 0, 1, (double[]){0, 5}, (double[]){1, 5});
  stack_add(&s, 1, 1, (double[]){1, 5}, (double[]){4, 5});
  stack_add(&s, 2, 1, (double[]){4, 5}, (double[]){2, 5});
  for (size_t l = 0; l < 3; l++)
    stack_add(&s, l, 1, (double[]){7, 7}, (double[]){7, 7});
  stack_end(&s, &sm, &printed, &st, &depth);
  expect_near(measured_mean(&sm), (1 + 2.5) / 2 / 4, 1e-15);
  expect_near(measured_mean(&printed), (1 + 2.5) / 4, 1e-15);
  expect_near(measured_mean(&st), sqrt(14.0 / 9) / 4, 1e-15);
  expect_near(measured_mean(&depth), 35.0 / 16 / 4, 1e-15);
  stack_clear(&s);
}
END_TEST

/* ---- all of it ---- */

/* One layer of width 2: the stream goes from (1, 0), (0, 1) to (1, 1), (0, 2). */
START_TEST(test_report)
{
  smoothness_options o = smoothness_options_default();
  smoothness *s = smoothness_create(1, 2, &o);
  const double input[] = {1, 0, 0, 1}, mixer[] = {0, 1, 0, 1}, output[] = {1, 1, 0, 2};
  for (int k = 0; k < 2; k++) {
    smoothness_begin(s, 2);
    net_view v = {.layer = 0, .first = 0, .tokens = 2, .input = input, .mixer = mixer, .output = output};
    smoothness_see(s, &v);
    smoothness_end(s);
  }
  smoothness_begin(s, 3); /* of which nothing comes */
  smoothness_end(s);
  const smoothness_report *r = smoothness_result(s);
  ck_assert_uint_eq(r->sequences, 2);
  ck_assert_uint_eq(r->tokens, 4);
  ck_assert_uint_eq(r->least_kept, 0);
  ck_assert_int_eq(r->way, ALIGNMENT_ALL_ROWS);
  expect_near(measured_mean(&r->block[0].distance), sqrt(2), 1e-15);
  ck_assert_double_eq(measured_mean(&r->block[0].square), 2);
  ck_assert_double_eq(measured_mean(&r->block[0].energy), 0.5); /* 2 / (2 * 2) */
  expect_near(measured_mean(&r->block[1].cosine), sqrt(0.5), 1e-15);
  expect_near(measured_mean(&r->block[1].layerwise), (sqrt(0.5) + 1) / 2, 1e-15);
  ck_assert_uint_eq(r->block[0].layerwise.count + r->block[0].layerwise.undefined, 0);
  ck_assert_uint_eq(r->mixer[0].layerwise.count + r->mixer[0].layerwise.undefined, 0);
  ck_assert_double_eq(measured_mean(&r->mixer[0].energy), 0); /* the same vector twice */
  ck_assert_double_eq(measured_mean(&r->mixer[0].distance), 0);
  ck_assert_uint_eq(r->sm.count, 0);
  ck_assert_double_eq(measured_mean(&r->st), 0);
  ck_assert_double_eq(measured_mean(&r->st_depth_squared), (0 + 0.25 + 0 + 0.25) / 4);
  ck_assert_double_eq(measured_mean(&r->block_alignment[1]), 1); /* two tokens lie on a line */
  ck_assert_uint_eq(r->mixer_alignment[0].undefined, 2);         /* constant features */
  ck_assert(isnan(measured_mean(&r->mixer_alignment[0])));
  smoothness_destroy(s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("smoothness");
  TCase *tests = tcase_create("smoothness");
  tcase_add_test(tests, test_sums);
  tcase_add_test(tests, test_three_tokens);
  tcase_add_test(tests, test_nothing_cancels);
  tcase_add_test(tests, test_identities);
  tcase_add_test(tests, test_kept_tokens);
  tcase_add_test(tests, test_stack);
  tcase_add_test(tests, test_report);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
