/* A library that multiplies wrongly is found out: here the program's own cblas_dgemm stands in for the library's. */
#include <cblas.h>
#include <check.h>
#include <stdlib.h>

#include "sim/blas.h"

/* Which sizes it gets wrong; all products are otherwise as they should be. */
static int wrong_columns;

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE a_kind, CBLAS_TRANSPOSE b_kind, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
  ck_assert_int_eq(layout, CblasRowMajor);
  ck_assert_int_eq(a_kind, CblasNoTrans);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * lda + l] * (b_kind == CblasTrans ? b[j * ldb + l] : b[l * ldb + j]);
      if (n == wrong_columns && j == n - 1)
        sum *= 1 + 0x1p-30;
      c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
    }
}

START_TEST(a_right_one_passes)
{
  wrong_columns = -1;
  ck_assert_ptr_null(blas_self_test());
}
END_TEST

START_TEST(one_wrong_edge_is_found)
{
  wrong_columns = 97;
  ck_assert_ptr_nonnull(blas_self_test());
}
END_TEST

/* Pieces of rows, strides, and adding to what is there. */
START_TEST(products_by_hand)
{
  static const double x[2][3] = {{1, 2, 99}, {3, 4, 99}}, w[3][2] = {{1, 0}, {0, 1}, {10, 100}};
  double y[2][4] = {{5, 5, 5, 5}, {5, 5, 5, 5}}, z[2][2];
  wrong_columns = -1;
  blas_multiply(&y[0][0], 4, &x[0][0], 3, &w[0][0], 2, 3, 2, 1, 2);
  ck_assert_double_eq(y[0][0], 6);
  ck_assert_double_eq(y[0][2], 215);
  ck_assert_double_eq(y[0][3], 5);
  ck_assert_double_eq(y[1][1], 9);
  ck_assert_double_eq(y[1][2], 435);
  blas_multiply_transposed(&z[0][0], 2, &x[0][0], 3, &w[0][0], 2, 3, 2, 0, 1);
  ck_assert_double_eq(z[0][0], 991);
  ck_assert_double_eq(z[0][1], 9902);
  ck_assert_double_eq(z[1][0], 993);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("blas");
  TCase *t = tcase_create("blas");
  tcase_add_test(t, a_right_one_passes);
  tcase_add_test(t, one_wrong_edge_is_found);
  tcase_add_test(t, products_by_hand);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
