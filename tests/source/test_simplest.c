/* The simplest rational in an interval, against a search through all denominators. */
#include <check.h>
#include <stdlib.h>

#include "source/simplest.h"

static int64_t floor_of(int64_t p, int64_t q)
{
  return p >= 0 ? p / q : -((-p + q - 1) / q);
}

/* [p/q, r/s], q and s positive: the least denominator for which there is a numerator, and the numerator of
 * least size. */
static void search(int64_t *out_p, int64_t *out_q, int64_t p, int64_t q, int64_t r, int64_t s)
{
  for (int64_t d = 1;; d++) {
    int64_t least = -floor_of(-p * d, q), most = floor_of(r * d, s);
    if (least > most)
      continue;
    *out_q = d;
    *out_p = least > 0 ? least : most < 0 ? most : 0;
    return;
  }
}

static void check_interval(int64_t p, int64_t q, int64_t r, int64_t s)
{
  fmpq_t low, high, found, expected;
  fmpq_init(low);
  fmpq_init(high);
  fmpq_init(found);
  fmpq_init(expected);
  fmpq_set_si(low, p, (ulong)q);
  fmpq_set_si(high, r, (ulong)s);
  int64_t best_p, best_q;
  search(&best_p, &best_q, p, q, r, s);
  fmpq_set_si(expected, best_p, (ulong)best_q);
  simplest_between(found, low, high);
  ck_assert_msg(fmpq_equal(found, expected), "[%ld/%ld, %ld/%ld]: expected %ld/%ld", (long)p, (long)q,
                (long)r, (long)s, (long)best_p, (long)best_q);
  ck_assert(fmpq_is_canonical(found));
  simplest_between(low, low, high); /* over its own argument */
  ck_assert(fmpq_equal(low, expected));
  fmpq_set_si(low, p, (ulong)q);
  simplest_between(high, low, high);
  ck_assert(fmpq_equal(high, expected));
  fmpq_clear(low);
  fmpq_clear(high);
  fmpq_clear(found);
  fmpq_clear(expected);
}

START_TEST(test_small_denominators)
{
  enum { MOST = 9 };
  for (int64_t q = 1; q <= MOST; q++)
    for (int64_t p = -2 * q; p <= 2 * q; p++)
      for (int64_t s = 1; s <= MOST; s++)
        for (int64_t r = -2 * s; r <= 2 * s; r++)
          if (p * s <= r * q)
            check_interval(p, q, r, s);
}
END_TEST

/* Neighbours in a long continued fraction, and numbers far apart in size. */
START_TEST(test_larger)
{
  check_interval(17711, 10946, 10946, 6765); /* ratios of Fibonacci numbers */
  check_interval(-17711, 10946, -10945, 6765);
  check_interval(99999, 100000, 100001, 100002);
  check_interval(1, 1000003, 1, 1000);
  check_interval(999999, 7, 1000000, 7);
  check_interval(355, 113, 355, 113);
}
END_TEST

static void check_near(slong p, ulong q, const char *x, const char *radius)
{
  fmpq_t a, r, found, expected;
  fmpq_init(a);
  fmpq_init(r);
  fmpq_init(found);
  fmpq_init(expected);
  ck_assert_int_eq(fmpq_set_str(a, x, 10), 0);
  ck_assert_int_eq(fmpq_set_str(r, radius, 10), 0);
  fmpq_set_si(expected, p, q);
  simplest_near(found, a, r);
  ck_assert(fmpq_equal(found, expected));
  simplest_near(a, a, r);
  ck_assert(fmpq_equal(a, expected));
  fmpq_clear(a);
  fmpq_clear(r);
  fmpq_clear(found);
  fmpq_clear(expected);
}

/* pi to 20 places; the denominators were counted up one by one in Python. */
START_TEST(test_near)
{
  static const char pi[] = "314159265358979323846/100000000000000000000";
  check_near(22, 7, pi, "1/100");
  check_near(201, 64, pi, "1/1000");
  check_near(355, 113, pi, "1/1000000");
  check_near(-22, 7, "-314159265358979323846/100000000000000000000", "1/100");
  check_near(0, 1, "1/3", "1/2");
  check_near(1, 3, "1/3", "0");
}
END_TEST

int main(void)
{
  Suite *s = suite_create("simplest");
  TCase *c = tcase_create("simplest");
  tcase_add_test(c, test_small_denominators);
  tcase_add_test(c, test_larger);
  tcase_add_test(c, test_near);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
