/* Equalities solved for one element, exactly, and the order in which elements can be drawn. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arith/arith.h"
#include "core/memory.h"
#include "tape/solve.h"
#include "tape/tape.h"

enum { ELEMENTS = 4 };

static tape *t;
static tape_id v[ELEMENTS]; /* inputs */

static void set_up(void)
{
  static const char *const names[] = {"p", "q", "x", "y"};
  t = tape_create(1 << 20);
  tape_truth(t, TRUTH_TRUE);
  for (uint32_t i = 0; i < ELEMENTS; i++) {
    v[i] = tape_leaf(t, TAPE_INPUT, i);
    tape_add_element(
        t, (tape_element){
               .name = memory_copy_string(names[i]), .op = v[i], .low = TAPE_NONE, .high = TAPE_NONE});
  }
}

static void tear_down(void)
{
  tape_destroy(t);
}

static tape_id with(tape_opcode op, tape_id a, tape_id b)
{
  return tape_binary(t, op, a, b);
}

static tape_id sum(tape_id a, tape_id b)
{
  return with(TAPE_ADD, a, b);
}

static tape_id product(tape_id a, tape_id b)
{
  return with(TAPE_MULTIPLY, a, b);
}

static void assume_equal(tape_id a, tape_id b)
{
  tape_id equal = with(TAPE_EQUAL, a, b);
  uint32_t first = tape_add_atom(t, (tape_atom){.truth = equal, .left = a, .right = b}, NULL, NULL, 0);
  tape_add_label(
      t, (tape_label){.kind = TAPE_ASSUME, .name = "a", .truth = equal, .first_atom = first, .atoms = 1});
}

static void show(tape_id formula)
{
  tape_add_label(
      t, (tape_label){.kind = TAPE_SHOW, .name = "b", .truth = formula, .first_atom = (uint32_t)t->atoms});
}

/* The exact value of an operation at four values; the status otherwise. */
static assay_status value_at(fmpq_t out, tape_id id, const slong *at)
{
  tape_program *p = tape_compile(t, &id, 1, 1, false);
  exact_state *s = exact_create(p, 1 << 16);
  fmpq *input = memory_new(ELEMENTS, sizeof *input);
  for (int i = 0; i < ELEMENTS; i++) {
    fmpq_init(&input[i]);
    fmpq_set_si(&input[i], at[i], 1);
  }
  exact_run(s, input);
  assay_status status = exact_value(out, s, 0);
  for (int i = 0; i < ELEMENTS; i++)
    fmpq_clear(&input[i]);
  free(input);
  exact_destroy(s);
  tape_program_destroy(p);
  return status;
}

/* What element e became, at p, q, x, y. */
static void check_solution(size_t e, const slong *at, const char *expected)
{
  fmpq_t got, wanted;
  fmpq_init(got);
  fmpq_init(wanted);
  ck_assert(!tape_is_drawn(t, e));
  assay_status status = value_at(got, t->element[e].op, at);
  if (expected[0] == 'u')
    ck_assert_int_eq(status, STATUS_UNDEFINED);
  else {
    fmpq_set_str(wanted, expected, 10);
    ck_assert_int_eq(status, STATUS_OK);
    ck_assert_msg(fmpq_equal(got, wanted), "%s is not %s", t->element[e].name, expected);
  }
  fmpq_clear(wanted);
  fmpq_clear(got);
}

/* 3 x + p = q y is solved for y, the last one: y = (3 x + p)/q, and so everywhere. */
START_TEST(test_linear)
{
  tape_id p = v[0], q = v[1], x = v[2], y = v[3];
  assume_equal(sum(product(tape_integer(t, 3), x), p), product(q, y));
  show(with(TAPE_LESS, y, tape_integer(t, 2)));
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  for (size_t e = 0; e < 3; e++)
    ck_assert(tape_is_drawn(t, e) && t->element[e].op == v[e]);
  check_solution(3, (slong[]){1, 2, 5, 777}, "8");
  check_solution(3, (slong[]){-1, 7, 0, 777}, "-1/7");
  check_solution(3, (slong[]){1, 0, 5, 777}, "undefined");
  ck_assert(t->label[0].solved && t->op[t->label[0].truth].op == TAPE_DEFINED);
  /* the conclusion reads the solution, the input is nowhere any more */
  const tape_op *less = &t->op[t->label[1].truth];
  ck_assert_int_eq(less->op, TAPE_LESS);
  ck_assert_uint_eq(less->a, t->element[3].op);
  ck_assert_uint_eq(t->atom[0].truth, t->label[0].truth);
}
END_TEST

/* What is not linear in y is solved for x; what is linear in nothing not at all. */
START_TEST(test_not_linear)
{
  tape_id p = v[0], q = v[1], x = v[2], y = v[3];
  assume_equal(product(y, y), sum(x, p));
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  check_solution(2, (slong[]){1, 0, 0, 3}, "8");
  ck_assert(tape_is_drawn(t, 3));
  tear_down();
  set_up();
  p = v[0], q = v[1], x = v[2], y = v[3];
  tape_id none[] = {
      product(y, y),
      tape_unary(t, TAPE_ABS, y),
      tape_unary(t, TAPE_EXP, y),
      with(TAPE_MAX, y, tape_integer(t, 0)),
      tape_select(t, TAPE_SELECT, with(TAPE_LESS, y, tape_integer(t, 0)), y, product(tape_integer(t, 2), y)),
      tape_power(t, y, -1),
      /* linear, were it not for where it is defined */
      sum(y, with(TAPE_SUBTRACT, tape_unary(t, TAPE_LOG, y), tape_unary(t, TAPE_LOG, y))),
      sum(y, tape_power(t, tape_unary(t, TAPE_LOG, y), 0)),
  };
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assume_equal(none[i], tape_integer(t, 1));
  ck_assert_uint_eq(tape_solve(t, 10), 0);
  for (size_t e = 0; e < ELEMENTS; e++)
    ck_assert(tape_is_drawn(t, e));
  for (size_t i = 0; i < t->labels; i++)
    ck_assert(!t->label[i].solved);
  (void)p, (void)q, (void)x;
}
END_TEST

/* A condition on other inputs is no obstacle: y occurs with a slope that depends on them. */
START_TEST(test_slope_of_others)
{
  tape_id p = v[0], x = v[2], y = v[3];
  tape_id slope = tape_select(t, TAPE_SELECT, with(TAPE_LESS, p, tape_integer(t, 0)), tape_integer(t, 2), x);
  assume_equal(sum(product(slope, y), tape_unary(t, TAPE_ABS, p)), tape_integer(t, 7));
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  check_solution(3, (slong[]){-1, 0, 5, 0}, "3");
  check_solution(3, (slong[]){2, 0, 5, 0}, "1");
  check_solution(3, (slong[]){2, 0, 0, 0}, "undefined");
}
END_TEST

/* y = x + 1, x = 2 q, and q + y = 10 with both put in: q = 3. */
START_TEST(test_chain)
{
  tape_id q = v[1], x = v[2], y = v[3];
  assume_equal(y, sum(x, tape_integer(t, 1)));
  assume_equal(x, product(tape_integer(t, 2), q));
  assume_equal(sum(q, y), tape_integer(t, 10));
  ck_assert_uint_eq(tape_solve(t, 10), 3);
  slong anything[] = {0, 55, 66, 77};
  check_solution(1, anything, "3");
  check_solution(2, anything, "6");
  check_solution(3, anything, "7");
  ck_assert(tape_is_drawn(t, 0));
}
END_TEST

START_TEST(test_limit)
{
  assume_equal(v[3], v[2]);
  assume_equal(v[1], v[0]);
  ck_assert_uint_eq(tape_solve(t, 1), 1);
  ck_assert(!tape_is_drawn(t, 3) && tape_is_drawn(t, 1));
}
END_TEST

/* A question is solved on its own, and before the hypotheses, which see its solution: x = 5, then q x = x asks for q = 1.
 * The conclusions of others are left as they are. */
START_TEST(test_question)
{
  tape_id p = v[0], q = v[1], x = v[2], y = v[3];
  assume_equal(product(q, x), x);
  assume_equal(x, tape_integer(t, 5));
  assume_equal(y, p);
  t->label[1].kind = t->label[2].kind = TAPE_POSSIBLE;
  tape_id other = t->label[2].truth;
  ck_assert_uint_eq(tape_solve_question(t, 1, 10), 1);
  ck_assert(t->label[1].solved && !t->label[0].solved && !t->label[2].solved);
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  slong anything[] = {44, 55, 66, 77};
  check_solution(2, anything, "5");
  check_solution(1, anything, "1");
  ck_assert(tape_is_drawn(t, 0) && tape_is_drawn(t, 3));
  ck_assert(!t->label[2].solved && t->label[2].truth == other);
}
END_TEST

/* p + x = y, then p + x = x: y is x itself, and yet no element of its own. */
START_TEST(test_equal_elements)
{
  assume_equal(sum(v[0], v[2]), v[3]);
  assume_equal(sum(v[0], v[2]), v[2]);
  ck_assert_uint_eq(tape_solve(t, 10), 2);
  slong at[] = {55, 0, 4, 77};
  check_solution(0, at, "0");
  check_solution(3, at, "4");
  ck_assert(tape_is_drawn(t, 2));
}
END_TEST

/* Only hypotheses are solved. */
START_TEST(test_conclusions_stay)
{
  tape_id equal = with(TAPE_EQUAL, v[2], v[3]);
  uint32_t first = tape_add_atom(t, (tape_atom){.truth = equal, .left = v[2], .right = v[3]}, NULL, NULL, 0);
  tape_add_label(
      t, (tape_label){.kind = TAPE_SHOW, .name = "b", .truth = equal, .first_atom = first, .atoms = 1});
  ck_assert_uint_eq(tape_solve(t, 10), 0);
}
END_TEST

/* x in [y, ...]: y = x + 1 cannot be solved for y, whose value x's range needs before x is there; it is
 * solved for x. */
START_TEST(test_no_cycle)
{
  t->element[2].low = v[3];
  assume_equal(v[3], sum(v[2], tape_integer(t, 1)));
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  ck_assert(tape_is_drawn(t, 3));
  check_solution(2, (slong[]){0, 0, 9, 3}, "2");
  uint32_t order[ELEMENTS];
  ck_assert(tape_draw_order(t, order));
}
END_TEST

/* ---- the order of drawing ---- */

static void check_order(const uint32_t *expected)
{
  uint32_t order[ELEMENTS];
  ck_assert(tape_draw_order(t, order));
  for (size_t i = 0; i < ELEMENTS; i++)
    ck_assert_uint_eq(order[i], expected[i]);
}

START_TEST(test_order)
{
  check_order((uint32_t[]){0, 1, 2, 3}); /* as declared */
  t->element[0].high = sum(v[2], v[1]);  /* p after x and q */
  check_order((uint32_t[]){1, 2, 3, 0});
  t->element[1].low = tape_unary(t, TAPE_EXP, v[3]); /* q after y */
  check_order((uint32_t[]){2, 3, 1, 0});
  t->element[3].low = v[0]; /* y after p: a cycle */
  uint32_t order[ELEMENTS];
  ck_assert(!tape_draw_order(t, order));
}
END_TEST

/* An element that is solved for is no obstacle, but what its solution reads is. */
START_TEST(test_order_of_solved)
{
  assume_equal(v[3], sum(v[2], tape_integer(t, 1)));
  t->element[0].high = v[3]; /* p <= y = x + 1: after x */
  ck_assert_uint_eq(tape_solve(t, 10), 1);
  uint32_t order[ELEMENTS], at[ELEMENTS];
  ck_assert(tape_draw_order(t, order));
  for (uint32_t i = 0; i < ELEMENTS; i++)
    at[order[i]] = i;
  ck_assert_uint_lt(at[2], at[0]);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("solve");
  TCase *c = tcase_create("solve");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, test_linear);
  tcase_add_test(c, test_not_linear);
  tcase_add_test(c, test_slope_of_others);
  tcase_add_test(c, test_chain);
  tcase_add_test(c, test_limit);
  tcase_add_test(c, test_question);
  tcase_add_test(c, test_equal_elements);
  tcase_add_test(c, test_conclusions_stay);
  tcase_add_test(c, test_no_cycle);
  tcase_add_test(c, test_order);
  tcase_add_test(c, test_order_of_solved);
  suite_add_tcase(suite, c);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
