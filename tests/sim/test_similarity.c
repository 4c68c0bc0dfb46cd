/* CKA: by hand for five tokens of one feature, by its definition with n x n matrices for random ones, and both ways of computing
 * it against each other. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/philox.h"
#include "sim/similarity.h"

static void expect_near(double value, double wanted, double tolerance)
{
  ck_assert_msg(fabs(value - wanted) <= tolerance, "%.17g, not %.17g", value, wanted);
}

static double *copy(const double *x, size_t count)
{
  double *y = malloc(count * sizeof *y);
  memcpy(y, x, count * sizeof *y);
  return y;
}

START_TEST(test_by_hand)
{
  /* Centred: (-2, -1, 0, 1, 2) and (-1, -1, 0, 0, 2). Products 7, squares 10 and 6: CKA = 49 / 60. Sums of fourth powers 34 and 18,
   * of products of squares 21: H = 49 - 35 + 5, 100 - 170/3 + 25/3 and 36 - 30 + 3. */
  const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 0, 1, 1, 3};
  double *row[] = {copy(x, 5), copy(y, 5)};
  measured biased[4] = {{0}}, debiased[4] = {{0}};
  similarity_of_rows(biased, debiased, row, 2, 5, 1);
  expect_near(measured_mean(&biased[1]), 49.0 / 60, 1e-15);
  expect_near(measured_mean(&biased[2]), 49.0 / 60, 1e-15);
  ck_assert_double_eq(measured_mean(&biased[0]), 1);
  ck_assert_double_eq(measured_mean(&debiased[3]), 1);
  expect_near(measured_mean(&debiased[1]), 19 / sqrt(155.0 / 3 * 9), 1e-15);
  free(row[0]);
  free(row[1]);

  similarity_grams *g = similarity_grams_create(2, 1);
  for (size_t t = 0; t < 5; t += 2)
    for (size_t k = 0; k < 2; k++)
      similarity_grams_add(g, k, t == 4 ? 1 : 2, (k ? y : x) + t);
  measured streamed[4] = {{0}};
  similarity_grams_finish(g, streamed);
  expect_near(measured_mean(&streamed[1]), 49.0 / 60, 1e-15);
  similarity_grams_destroy(g);
}
END_TEST

/* HSIC by the definition of Song et al. 2012, (4) and (5), on kernel matrices that are not centred, in long double since much cancels; n (n - 3) times it. */
static long double unbiased(const long double *k, const long double *l, int n)
{
  long double trace = 0, sum_k = 0, sum_l = 0, middle = 0;
  for (int i = 0; i < n; i++) {
    long double row_k = 0, row_l = 0;
    for (int j = 0; j < n; j++) {
      if (i == j)
        continue;
      trace += k[i * n + j] * l[i * n + j];
      row_k += k[i * n + j];
      row_l += l[i * n + j];
    }
    sum_k += row_k;
    sum_l += row_l;
    middle += row_k * row_l;
  }
  return trace + sum_k * sum_l / ((n - 1) * (n - 2.0L)) - 2 / (n - 2.0L) * middle;
}

/* trace(K H L H), H = I - 1/n, by double centring. */
static long double centred(const long double *k, const long double *l, int n)
{
  long double mean = 0, total = 0, *row = calloc((size_t)n, sizeof *row);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      row[i] += k[i * n + j] / n;
  for (int i = 0; i < n; i++)
    mean += row[i] / n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      total += (k[i * n + j] - row[i] - row[j] + mean) * l[i * n + j];
  free(row);
  return total;
}

START_TEST(test_definition)
{
  enum { N = 70, M = 6, R = 3 };
  double *x[R];
  long double *kernel[R];
  philox_stream s = philox_stream_start(3, 3, 0, 0);
  for (int r = 0; r < R; r++) {
    x[r] = malloc(N * M * sizeof(double));
    kernel[r] = calloc(N * N, sizeof(long double));
    for (int i = 0; i < N * M; i++)
      x[r][i] = philox_uniform(&s) + (r == 2 ? 0.7 * x[0][i] : 0) + 3 * r;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < M; k++)
          kernel[r][i * N + j] += (long double)x[r][i * M + k] * x[r][j * M + k];
  }
  similarity_grams *g = similarity_grams_create(R, M);
  for (size_t t = 0, n; t < N; t += n) {
    n = t == 0 ? 13 : N - t < 32 ? N - t : 32;
    for (size_t r = 0; r < R; r++)
      similarity_grams_add(g, r, n, x[r] + t * M);
  }
  measured biased[R * R] = {{0}}, debiased[R * R] = {{0}}, streamed[R * R] = {{0}};
  similarity_grams_finish(g, streamed);
  similarity_of_rows(biased, debiased, x, R, N, M);
  for (int a = 0; a < R; a++)
    for (int b = 0; b < R; b++) {
      long double plain =
          centred(kernel[a], kernel[b], N) / sqrtl(centred(kernel[a], kernel[a], N) * centred(kernel[b], kernel[b], N));
      long double better =
          unbiased(kernel[a], kernel[b], N) / sqrtl(unbiased(kernel[a], kernel[a], N) * unbiased(kernel[b], kernel[b], N));
      expect_near(measured_mean(&biased[a * R + b]), (double)plain, 1e-12);
      expect_near(measured_mean(&debiased[a * R + b]), (double)better, 1e-12);
      expect_near(measured_mean(&streamed[a * R + b]), (double)plain, 1e-12);
    }
  ck_assert(measured_mean(&biased[1]) > 0.02 && fabs(measured_mean(&debiased[1])) < measured_mean(&biased[1]));
  similarity_grams_destroy(g);
  for (int r = 0; r < R; r++) {
    free(x[r]);
    free(kernel[r]);
  }
}
END_TEST

START_TEST(test_undefined)
{
  enum { N = 9 };
  double steady[N], other[N], huge[N], wrong[N];
  for (int i = 0; i < N; i++) {
    steady[i] = 0.1;
    other[i] = i * i;
    huge[i] = 1e200 * i * i;
    wrong[i] = i == 4 ? NAN : i;
  }
  const double *all[] = {steady, other, huge, wrong};
  similarity_grams *g = similarity_grams_create(2, 1);
  similarity_grams_add(g, 0, N, steady);
  similarity_grams_add(g, 1, N, other);
  measured streamed[4] = {{0}};
  similarity_grams_finish(g, streamed);
  similarity_grams_destroy(g);
  ck_assert_uint_eq(streamed[0].undefined + streamed[1].undefined + streamed[2].undefined, 3);
  ck_assert_double_eq(measured_mean(&streamed[3]), 1);

  double *row[4];
  for (int r = 0; r < 4; r++)
    row[r] = copy(all[r], N);
  measured biased[16] = {{0}}, debiased[16] = {{0}};
  similarity_of_rows(biased, debiased, row, 4, N, 1);
  for (int r = 0; r < 4; r++) {
    ck_assert_uint_eq(biased[r].undefined, 1);      /* constant features */
    ck_assert_uint_eq(biased[3 * 4 + r].undefined, 1); /* a NaN */
    ck_assert_uint_eq(debiased[r].undefined, 1);
  }
  expect_near(measured_mean(&biased[1 * 4 + 2]), 1, 1e-15); /* scale does not matter */
  expect_near(measured_mean(&debiased[1 * 4 + 2]), 1, 1e-14);
  for (int r = 0; r < 4; r++)
    free(row[r]);
  ck_assert(similarity_grams_size(65, 2560) > SIMILARITY_GRAM_BUDGET);
  ck_assert_uint_eq(similarity_grams_size(3, 10), 600);
  ck_assert_uint_eq(similarity_grams_size(SIZE_MAX / 2, 10), SIZE_MAX);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("similarity");
  TCase *tests = tcase_create("similarity");
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_definition);
  tcase_add_test(tests, test_undefined);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
