/* The truth tables, written out by hand.
 *
 * How they come about. Each value stands for the set of what the formula may really be: false F, true T, open
 * {F, T}, unknown {F, T, undefined}, undefined {undefined}. With certain operands, `and` is: F and x = F; T
 * and x = x; undefined and x = undefined. A table's entry is the smallest of the five sets that holds all
 * results. */
#include <check.h>

#include "core/status.h"

#define F TRUTH_FALSE
#define T TRUTH_TRUE
#define O TRUTH_OPEN
#define Q TRUTH_UNKNOWN
#define U TRUTH_UNDEFINED

static const truth values[5] = {F, T, O, Q, U};

START_TEST(test_not)
{
  static const truth expected[5] = {T, F, O, Q, U};
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq(truth_not(values[i]), expected[i]);
}
END_TEST

START_TEST(test_and)
{
  static const truth expected[5][5] = {
    /*        F  T  O  Q  U  (right) */
    /* F */ {F, F, F, F, F},
    /* T */ {F, T, O, Q, U},
    /* O */ {F, O, O, Q, Q},
    /* Q */ {Q, Q, Q, Q, Q},
    /* U */ {U, U, U, U, U},
  };
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++)
      ck_assert_msg(truth_and(values[i], values[k]) == expected[i][k], "%s and %s", truth_name(values[i]),
                    truth_name(values[k]));
}
END_TEST

START_TEST(test_or)
{
  static const truth expected[5][5] = {
    /*        F  T  O  Q  U */
    /* F */ {F, T, O, Q, U},
    /* T */ {T, T, T, T, T},
    /* O */ {O, T, O, Q, Q},
    /* Q */ {Q, Q, Q, Q, Q},
    /* U */ {U, U, U, U, U},
  };
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++)
      ck_assert_msg(truth_or(values[i], values[k]) == expected[i][k], "%s or %s", truth_name(values[i]),
                    truth_name(values[k]));
}
END_TEST

START_TEST(test_implies)
{
  static const truth expected[5][5] = {
    /*        F  T  O  Q  U */
    /* F */ {T, T, T, T, T},
    /* T */ {F, T, O, Q, U},
    /* O */ {O, T, O, Q, Q},
    /* Q */ {Q, Q, Q, Q, Q},
    /* U */ {U, U, U, U, U},
  };
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++)
      ck_assert_msg(truth_implies(values[i], values[k]) == expected[i][k], "%s implies %s",
                    truth_name(values[i]), truth_name(values[k]));
}
END_TEST

START_TEST(test_names)
{
  ck_assert_str_eq(truth_name(F), "false");
  ck_assert_str_eq(truth_name(T), "true");
  ck_assert_str_eq(truth_name(O), "open");
  ck_assert_str_eq(truth_name(Q), "unknown");
  ck_assert_str_eq(truth_name(U), "undefined");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("status");
  TCase *tests = tcase_create("status");
  tcase_add_test(tests, test_not);
  tcase_add_test(tests, test_and);
  tcase_add_test(tests, test_or);
  tcase_add_test(tests, test_implies);
  tcase_add_test(tests, test_names);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
