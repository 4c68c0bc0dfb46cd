/* Derivatives: of every function against central differences in ball arithmetic, of polynomials and a
 * recurrence against what is worked out by hand, and where there is none. */
#include <check.h>
#include <stdlib.h>

#include "arith/arith.h"
#include "core/memory.h"
#include "tape/derivative.h"
#include "tape/tape.h"

static tape *t;
static tape_id x, y;
static tape_derivatives *cache;

static void set_up(void)
{
  t = tape_create(1 << 20);
  tape_truth(t, TRUTH_TRUE);
  x = tape_leaf(t, TAPE_INPUT, 0);
  y = tape_leaf(t, TAPE_INPUT, 1);
  for (uint32_t i = 0; i < 2; i++)
    tape_add_element(t, (tape_element){.name = memory_copy_string(i ? "y" : "x"),
                                       .op = i ? y : x,
                                       .low = TAPE_NONE,
                                       .high = TAPE_NONE});
  cache = tape_derivatives_create();
}

static void tear_down(void)
{
  tape_derivatives_destroy(cache);
  tape_destroy(t);
}

static tape_id whole(int64_t v)
{
  return tape_integer(t, v);
}

static tape_id with(tape_opcode op, tape_id a, tape_id b)
{
  return tape_binary(t, op, a, b);
}

static tape_id call(tape_opcode op, tape_id a)
{
  return tape_unary(t, op, a);
}

static tape_id d(tape_id e, tape_id by)
{
  return tape_derivative(t, cache, e, by);
}

/* The value of operation `id` at (p, q): STATUS_OK and a ball of `precision` bits, or what it is. */
static assay_status at(arb_t value, tape_id id, const fmpq_t p, const fmpq_t q, slong precision)
{
  tape_program *program = tape_compile(t, &id, 1, 1, false);
  ball_state *s = ball_create(program, 1 << 20);
  fmpq *input = memory_new(2, sizeof *input);
  fmpq_init(&input[0]);
  fmpq_init(&input[1]);
  fmpq_set(&input[0], p);
  fmpq_set(&input[1], q);
  ball_run(s, input, precision, true);
  assay_status status = ball_value(value, s, 0);
  fmpq_clear(&input[0]);
  fmpq_clear(&input[1]);
  free(input);
  ball_destroy(s);
  tape_program_destroy(program);
  return status;
}

/* "p/q", "undefined" or "unable". */
static void check_at(tape_id id, slong p, slong q, const char *expected)
{
  fmpq_t a, b, wanted;
  arb_t value;
  fmpq_init(a);
  fmpq_init(b);
  fmpq_init(wanted);
  arb_init(value);
  fmpq_set_si(a, p, 1);
  fmpq_set_si(b, q, 1);
  assay_status status = at(value, id, a, b, 128);
  if (expected[0] == 'u')
    ck_assert_msg(status == STATUS_UNDEFINED, "%ld, %ld: not undefined", (long)p, (long)q);
  else {
    fmpq_set_str(wanted, expected, 10);
    ck_assert_msg(status == STATUS_OK && arb_contains_fmpq(value, wanted) &&
                      mag_cmp_2exp_si(arb_radref(value), -60) < 0,
                  "at %ld, %ld it is not %s but %s", (long)p, (long)q, expected,
                  status == STATUS_OK ? arb_get_str(value, 20, 0) : "undefined or unknown");
  }
  arb_clear(value);
  fmpq_clear(wanted);
  fmpq_clear(b);
  fmpq_clear(a);
}

/* ---- functions ---- */

/* f'(p) against (f(p + h) - f(p - h)) / 2h with h = 2^-100: they differ by about h^2. */
static void check_difference(tape_id f, tape_id slope, slong p, ulong q, const char *name)
{
  fmpq_t point, left, right, h, zero;
  arb_t low, high, derivative;
  fmpq_init(point);
  fmpq_init(left);
  fmpq_init(right);
  fmpq_init(h);
  fmpq_init(zero);
  arb_init(low);
  arb_init(high);
  arb_init(derivative);
  fmpq_set_si(point, p, q);
  fmpq_set_si(h, 1, 1);
  fmpq_div_2exp(h, h, 100);
  fmpq_sub(left, point, h);
  fmpq_add(right, point, h);
  ck_assert_int_eq(at(low, f, left, zero, 600), STATUS_OK);
  ck_assert_int_eq(at(high, f, right, zero, 600), STATUS_OK);
  arb_sub(high, high, low, 600);
  arb_mul_2exp_si(high, high, 99);
  assay_status status = at(derivative, slope, point, zero, 600);
  ck_assert_msg(status == STATUS_OK, "%s' at %ld/%lu has no value", name, (long)p, (unsigned long)q);
  arb_sub(high, high, derivative, 600);
  arb_abs(high, high);
  arb_mul_2exp_si(high, high, 160);
  arb_one(low);
  ck_assert_msg(arb_lt(high, low), "%s' at %ld/%lu", name, (long)p, (unsigned long)q);
  arb_clear(derivative);
  arb_clear(high);
  arb_clear(low);
  fmpq_clear(zero);
  fmpq_clear(h);
  fmpq_clear(right);
  fmpq_clear(left);
  fmpq_clear(point);
}

/* Points (over 16) inside each function's domain. */
static const struct {
  tape_opcode op;
  slong points[5];
} functions[] = {
    {TAPE_NEGATE, {-40, -1, 0, 3, 50}},   {TAPE_ABS, {-40, -1, 5, 3, 50}},
    {TAPE_SQRT, {1, 4, 16, 30, 500}},     {TAPE_CBRT, {-50, -8, 3, 16, 50}},
    {TAPE_EXP, {-50, -8, 0, 16, 50}},     {TAPE_EXPM1, {-50, -8, 0, 16, 50}},
    {TAPE_LOG, {1, 8, 16, 17, 500}},      {TAPE_LOG1P, {-15, -8, 0, 16, 500}},
    {TAPE_SIN, {-50, -8, 0, 16, 50}},     {TAPE_COS, {-50, -8, 0, 16, 50}},
    {TAPE_TAN, {-20, -8, 0, 16, 24}},     {TAPE_ATAN, {-50, -8, 0, 16, 50}},
    {TAPE_TANH, {-50, -8, 0, 16, 50}},    {TAPE_ERF, {-40, -8, 0, 16, 40}},
    {TAPE_SIGMOID, {-50, -8, 0, 16, 90}}, {TAPE_SOFTPLUS, {-50, -8, 0, 16, 90}},
    {TAPE_SILU, {-50, -8, 0, 16, 90}},    {TAPE_GELU, {-50, -8, 0, 16, 50}},
    {TAPE_RELU, {-50, -8, 1, 16, 50}},    {TAPE_LAMBERTW0, {-5, -2, 0, 16, 500}},
};

START_TEST(test_functions)
{
  tape_opcode op = functions[_i].op;
  const char *name = tape_opcode_name(op);
  tape_id f = call(op, x), f1 = d(f, x), f2 = d(f1, x), f3 = d(f2, x);
  /* and inside something: the chain rule */
  tape_id inner = with(TAPE_ADD, x, with(TAPE_DIVIDE, with(TAPE_MULTIPLY, x, x), whole(100)));
  tape_id g = call(op, inner), g1 = d(g, x);
  for (size_t i = 0; i < 5; i++) {
    check_difference(f, f1, functions[_i].points[i], 16, name);
    check_difference(f1, f2, functions[_i].points[i], 16, name);
    check_difference(f2, f3, functions[_i].points[i], 16, name);
    if (functions[_i].points[i] != 0)
      check_difference(g, g1, functions[_i].points[i], 16, name);
  }
}
END_TEST

START_TEST(test_every_function)
{
  bool seen[TAPE_OPCODES] = {false};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    seen[functions[i].op] = true;
  for (int op = TAPE_ABS; op <= TAPE_LAMBERTW0; op++)
    ck_assert_msg(seen[op], "%s is not tried", tape_opcode_name((tape_opcode)op));
}
END_TEST

/* x^e for e of either sign; quotients and products. */
START_TEST(test_arithmetic)
{
  for (int32_t e = -4; e <= 5; e++) {
    tape_id f = tape_power(t, x, e), f1 = d(f, x), f2 = d(f1, x);
    check_difference(f, f1, -20, 16, "power");
    check_difference(f1, f2, 21, 16, "power");
  }
  tape_id f = with(TAPE_DIVIDE, call(TAPE_EXP, x),
                   with(TAPE_ADD, whole(2), with(TAPE_MULTIPLY, x, call(TAPE_SIN, x))));
  check_difference(f, d(f, x), 5, 16, "quotient");
  check_difference(d(f, x), d(d(f, x), x), 5, 16, "quotient'");
  f = with(TAPE_MULTIPLY, with(TAPE_SUBTRACT, x, call(TAPE_COS, x)), with(TAPE_MULTIPLY, x, x));
  check_difference(f, d(f, x), 7, 16, "product");

  check_at(d(with(TAPE_DIVIDE, whole(1), x), x), 2, 0, "-1/4");
  check_at(d(with(TAPE_DIVIDE, x, y), y), 3, 2, "-3/4");
  check_at(d(tape_power(t, x, 0), x), 0, 0, "0");
  check_at(d(tape_power(t, x, 1), x), 0, 0, "1");
  check_at(d(tape_power(t, x, 2), x), 0, 0, "0");
  check_at(d(whole(7), x), 1, 1, "0");
  check_at(d(y, x), 1, 1, "0");
  check_at(d(x, x), 1, 1, "1");
}
END_TEST

/* s_0 = 1, s_k = x s_{k-1} + y: s_3 = x^3 + x^2 y + x y + y. */
START_TEST(test_recurrence)
{
  tape_id s = whole(1);
  for (int k = 0; k < 3; k++)
    s = with(TAPE_ADD, with(TAPE_MULTIPLY, x, s), y);
  check_at(s, 2, 5, "43");
  check_at(d(s, x), 2, 5, "37"); /* 3 x^2 + 2 x y + y */
  check_at(d(s, y), 2, 5, "7");  /* x^2 + x + 1 */
  check_at(d(d(s, x), y), 2, 5, "5");
  check_at(d(d(s, y), x), 2, 5, "5");
  check_at(d(d(s, x), x), 2, 5, "22"); /* 6 x + 2 y */
  check_at(d(d(d(s, x), x), x), 2, 5, "6");
  /* s_k = s_{k-1}^2 x, s_0 = x: s_k = x^(2^(k+1) - 1), s_4' = 31 x^30 */
  s = x;
  for (int k = 0; k < 4; k++)
    s = with(TAPE_MULTIPLY, with(TAPE_MULTIPLY, s, s), x);
  check_at(d(s, x), 2, 0, "33285996544");
}
END_TEST

/* One pass for all steps: derivatives of a recurrence of n steps with respect to one input take operations of
 * the order of n, whether asked for one by one or from the last. */
START_TEST(test_cost)
{
  enum { N = 2000 };
  tape_id s[N + 1];
  s[0] = y;
  for (int k = 1; k <= N; k++)
    s[k] = with(TAPE_ADD, with(TAPE_MULTIPLY, x, s[k - 1]), whole(k));
  size_t before = t->ops;
  d(s[N], x);
  size_t after = t->ops;
  ck_assert_uint_le(after - before, 4 * N);
  for (int k = 1; k <= N; k++)
    d(s[k], x);
  ck_assert_uint_eq(t->ops, after); /* they are there */
}
END_TEST

/* ---- where there is none ---- */

START_TEST(test_kinks)
{
  tape_id two = whole(2), shifted = with(TAPE_SUBTRACT, x, two);
  check_at(d(call(TAPE_ABS, shifted), x), 2, 0, "undefined");
  check_at(d(call(TAPE_ABS, shifted), x), 3, 0, "1");
  check_at(d(call(TAPE_ABS, shifted), x), 1, 0, "-1");
  check_at(d(call(TAPE_ABS, shifted), y), 2, 0, "0");
  check_at(call(TAPE_ABS, shifted), 2, 0, "0");
  check_at(d(call(TAPE_RELU, shifted), x), 2, 0, "undefined");
  check_at(d(call(TAPE_RELU, shifted), x), 3, 0, "1");
  check_at(d(call(TAPE_RELU, shifted), x), 1, 0, "0");
  check_at(d(call(TAPE_SQRT, x), x), 0, 0, "undefined");
  check_at(d(call(TAPE_CBRT, x), x), 0, 0, "undefined");
  check_at(d(with(TAPE_MAX, x, y), x), 2, 2, "undefined");
  check_at(d(with(TAPE_MAX, x, y), x), 3, 2, "1");
  check_at(d(with(TAPE_MAX, x, y), y), 3, 2, "0");
  check_at(d(with(TAPE_MIN, x, y), x), 3, 2, "0");
  check_at(d(with(TAPE_MIN, x, y), x), 2, 2, "undefined");
  check_at(d(with(TAPE_MIN, y, two), x), 2, 2, "0"); /* neither depends on x */
  check_at(d(with(TAPE_SPREAD, x, y), x), 3, 2, "undefined");
  check_at(d(d(call(TAPE_ABS, x), x), x), 3, 0, "0");
  check_at(d(d(call(TAPE_ABS, x), x), x), 0, 0, "undefined");
  /* what does not show in the value may have kinks */
  check_at(d(with(TAPE_MAX, call(TAPE_ABS, shifted), whole(5)), x), 2, 0, "0");
  check_at(d(call(TAPE_RELU, with(TAPE_SUBTRACT, call(TAPE_ABS, shifted), whole(5))), x), 2, 0, "0");
}
END_TEST

/* What is undefined has no derivative, though the rule would give one. */
START_TEST(test_undefined)
{
  check_at(d(call(TAPE_LOG, x), x), -1, 0, "undefined");
  check_at(d(call(TAPE_LOG1P, x), x), -2, 0, "undefined");
  check_at(d(call(TAPE_LOG, x), y), -1, 0, "undefined");
  check_at(d(with(TAPE_DIVIDE, y, x), y), 0, 1, "undefined");
  check_at(d(tape_power(t, x, -1), x), 0, 1, "undefined");
  tape_id log = call(TAPE_LOG, x);
  check_at(d(with(TAPE_SUBTRACT, log, log), x), 3, 0, "0");
  check_at(d(with(TAPE_SUBTRACT, log, log), x), -3, 0, "undefined");
  check_at(d(call(TAPE_ABS, with(TAPE_SUBTRACT, log, log)), x), 3, 0, "0"); /* |0| has no kink */
  check_at(d(tape_power(t, log, 0), x), -3, 0, "undefined");
  check_at(d(tape_power(t, log, 0), x), 3, 0, "0");
}
END_TEST

/* if x <= 2 then x^2 else 0, and conditions made of it. */
START_TEST(test_conditions)
{
  tape_id two = whole(2), square = with(TAPE_MULTIPLY, x, x), zero = whole(0);
  tape_id below = with(TAPE_LESS_EQUAL, x, two);
  tape_id f = tape_select(t, TAPE_SELECT, below, square, zero);
  check_at(d(f, x), 1, 0, "2");
  check_at(d(f, x), 2, 0, "undefined");
  check_at(d(f, x), 3, 0, "0");
  check_at(d(f, y), 2, 0, "0");
  tape_id same = tape_select(t, TAPE_SELECT, below, square, square);
  check_at(d(same, x), 2, 0, "undefined");
  check_at(d(same, x), 1, 0, "2");
  tape_id other = with(TAPE_LESS, y, two);
  check_at(d(tape_select(t, TAPE_SELECT, other, square, x), x), 2, 2,
           "1"); /* a boundary that x does not move */
  /* the right side is not reached */
  tape_id either = with(TAPE_OR, other, below), both = with(TAPE_AND, other, below);
  check_at(d(tape_select(t, TAPE_SELECT, either, square, x), x), 2, 1, "4");
  check_at(d(tape_select(t, TAPE_SELECT, either, square, x), x), 2, 3, "undefined");
  check_at(d(tape_select(t, TAPE_SELECT, both, square, x), x), 2, 3, "1");
  check_at(d(tape_select(t, TAPE_SELECT, both, square, x), x), 2, 1, "undefined");
  check_at(d(tape_select(t, TAPE_SELECT, tape_select(t, TAPE_CHOOSE, other, below, other), square, x), x), 2,
           3, "1");
  /* a value that jumps: inside a comparison, and where it does not win */
  tape_id step = tape_select(t, TAPE_SELECT, below, zero, whole(10));
  check_at(d(tape_select(t, TAPE_SELECT, with(TAPE_LESS, step, whole(1)), square, x), x), 2, 0, "undefined");
  check_at(d(tape_select(t, TAPE_SELECT, with(TAPE_LESS, step, whole(1)), square, x), x), 1, 0, "2");
  check_at(d(with(TAPE_MAX, step, whole(5)), x), 2, 0, "undefined");
  check_at(d(with(TAPE_MAX, step, whole(5)), x), 1, 0, "0");
  check_at(d(call(TAPE_RELU, with(TAPE_SUBTRACT, step, whole(1))), x), 2, 0, "undefined");
  /* the branch that is not taken does not count */
  tape_id idle = tape_select(t, TAPE_SELECT, other, x, zero);
  check_at(d(call(TAPE_ABS, idle), x), 0, 3, "0");
  check_at(d(call(TAPE_ABS, idle), x), 0, 1, "undefined");
  check_at(d(call(TAPE_SQRT, idle), x), 0, 3, "0");
}
END_TEST

START_TEST(test_depends)
{
  tape_id e = with(TAPE_ADD, x, call(TAPE_EXP, x)), log = call(TAPE_LOG, y),
          none = with(TAPE_SUBTRACT, log, log);
  ck_assert(tape_depends(t, e, x) && !tape_depends(t, e, y));
  ck_assert(tape_depends(t, with(TAPE_LESS, e, y), y));
  ck_assert(tape_depends(t, none, y)); /* by where it is defined */
  ck_assert(tape_hides_operands(t, none) && !tape_hides_operands(t, e));
  ck_assert(!tape_depends(t, whole(3), x));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("derivative");
  TCase *c = tcase_create("derivative");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 100);
  tcase_add_loop_test(c, test_functions, 0, sizeof functions / sizeof *functions);
  tcase_add_test(c, test_every_function);
  tcase_add_test(c, test_arithmetic);
  tcase_add_test(c, test_recurrence);
  tcase_add_test(c, test_cost);
  tcase_add_test(c, test_kinks);
  tcase_add_test(c, test_undefined);
  tcase_add_test(c, test_conditions);
  tcase_add_test(c, test_depends);
  suite_add_tcase(suite, c);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
