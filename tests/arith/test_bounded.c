/* What random tapes seldom meet in `bounded`: numbers that are none, overflow, domains, phases, the order of
 * conjunctions; and the same bits on every machine. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith/self_test.h"
#include "core/memory.h"
#include "random_tape.h"
#include "small_tape.h"

/* Found with gcc 12 and AVX2; every other build must give it too. */
#define SAME_BITS UINT64_C(0xdf9f8876b558197f)

static tape_program *program;
static bounded_state *state;

static void start(const tape *t, const tape_id *outputs, size_t n, size_t first)
{
  program = tape_compile(t, outputs, n, first, false);
  state = bounded_create(program);
}

static void stop(tape *t)
{
  bounded_destroy(state);
  tape_program_destroy(program);
  tape_destroy(t);
}

static void run(const double *input)
{
  bounded_run_first(state, input);
  bounded_run_second(state, input);
}

static void spread(double *input, size_t i, double x)
{
  for (size_t lane = 0; lane < LANES; lane++)
    input[i * LANES + lane] = x;
}

static double error_of(size_t k)
{
  double value, error;
  bounded_value(state, k, 5, &value, &error);
  return error;
}

START_TEST(starts)
{
  ck_assert_ptr_null(self_test_run());
}
END_TEST

START_TEST(lanes_that_are_no_numbers)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id outputs[3] = {
      tape_binary(t, TAPE_LESS_EQUAL, x[0], x[1]), tape_binary(t, TAPE_MIN, x[0], x[1]),
      tape_binary(t, TAPE_LESS, tape_binary(t, TAPE_MULTIPLY, x[0], x[0]), tape_integer(t, -1))};
  start(t, outputs, 3, 1);
  double input[2 * LANES];
  spread(input, 0, 1);
  spread(input, 1, 2);
  input[3] = NAN;
  input[7] = HUGE_VAL;
  input[LANES + 9] = -HUGE_VAL;
  run(input);
  uint32_t good = ~(1u << 3 | 1u << 7 | 1u << 9);
  ck_assert_uint_eq(bounded_true(state, 0), good);
  ck_assert_uint_eq(bounded_false(state, 0), 0);
  ck_assert_uint_eq(bounded_false(state, 2), good);
  double value, error;
  bounded_value(state, 1, 3, &value, &error);
  ck_assert(error == HUGE_VAL);
  bounded_value(state, 1, 4, &value, &error);
  ck_assert(error == 0 && value == 1);
  spread(input, 0, 1); /* and the next run knows nothing of it */
  spread(input, 1, 2);
  run(input);
  ck_assert_uint_eq(bounded_true(state, 0), UINT32_MAX);
  stop(t);
}
END_TEST

/* (x y) z overflows to NaN, though it is 0 for z = 0: no minimum may drop that. */
START_TEST(overflow_is_unknown)
{
  tape_id x[4];
  tape *t = small_tape(x, 4);
  tape_id product = tape_binary(t, TAPE_MULTIPLY, x[0], x[1]);
  tape_id zero = tape_binary(t, TAPE_MULTIPLY, product, x[2]);
  tape_id one = tape_binary(t, TAPE_MULTIPLY, x[3], x[3]);
  tape_id quotient = tape_binary(t, TAPE_DIVIDE, zero, one), half = small_fraction(t, 1, 2);
  tape_id values[] = {tape_binary(t, TAPE_MIN, zero, one),     tape_binary(t, TAPE_MIN, one, zero),
                      tape_binary(t, TAPE_MIN, quotient, one), tape_binary(t, TAPE_MIN, one, quotient),
                      tape_unary(t, TAPE_RELU, zero),          tape_unary(t, TAPE_ABS, quotient),
                      tape_binary(t, TAPE_SUBTRACT, one, zero)};
  enum { COUNT = sizeof values / sizeof *values };
  tape_id outputs[COUNT + 1];
  for (size_t k = 0; k < COUNT; k++)
    outputs[k] = tape_binary(t, TAPE_LESS_EQUAL, half, values[k]);
  outputs[COUNT] = tape_binary(t, TAPE_LESS_EQUAL, x[0], product);
  start(t, outputs, COUNT + 1, 4);
  double input[4 * LANES];
  spread(input, 0, 1e200);
  spread(input, 1, 1e200);
  spread(input, 2, 0);
  spread(input, 3, 1);
  run(input);
  for (size_t k = 0; k <= COUNT; k++) {
    ck_assert_uint_eq(bounded_true(state, k), 0);
    ck_assert_uint_eq(bounded_false(state, k), 0);
  }
  stop(t);
}
END_TEST

/* Products of tiny numbers underflow to 0; 0 itself stays exact. */
START_TEST(underflow_is_no_tie)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id product = tape_binary(t, TAPE_MULTIPLY, x[0], x[1]), zero = tape_integer(t, 0);
  tape_id outputs[3] = {tape_binary(t, TAPE_LESS_EQUAL, product, zero),
                        tape_binary(t, TAPE_EQUAL, product, zero), tape_binary(t, TAPE_LESS, zero, product)};
  start(t, outputs, 3, 0);
  double input[2 * LANES];
  spread(input, 0, 0x1p-600);
  spread(input, 1, 0x1p-600);
  input[2] = 0; /* a regular lane: 0 times 1 is 0 */
  input[LANES + 2] = 1;
  run(input);
  ck_assert_uint_eq(bounded_true(state, 0), 4);
  ck_assert_uint_eq(bounded_true(state, 1), 4);
  ck_assert_uint_eq(bounded_false(state, 1), 0);
  ck_assert_uint_eq(bounded_false(state, 2), 4);
  stop(t);
}
END_TEST

START_TEST(domains)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  /* x0 - x1 is 0, or as good as 0 */
  tape_id third = small_fraction(t, 1, 3);
  tape_id small = tape_binary(t, TAPE_SUBTRACT, tape_binary(t, TAPE_MULTIPLY, x[0], third),
                              tape_binary(t, TAPE_MULTIPLY, x[1], third));
  tape_id outputs[6] = {tape_binary(t, TAPE_DIVIDE, x[0], small), tape_unary(t, TAPE_SQRT, small),
                        tape_unary(t, TAPE_LOG, small), tape_power(t, small, -1),
                        tape_unary(t, TAPE_LOG1P, tape_binary(t, TAPE_SUBTRACT, small, tape_integer(t, 1))),
                        tape_binary(t, TAPE_DIVIDE, x[0], tape_binary(t, TAPE_SUBTRACT, x[0], x[1]))};
  start(t, outputs, 6, 6);
  double input[2 * LANES];
  spread(input, 0, 1);
  spread(input, 1, 1);
  run(input);
  for (size_t k = 0; k < 6; k++)
    ck_assert(error_of(k) == HUGE_VAL);
  spread(input, 0, 0.25);
  run(input); /* negative: sqrt and the logarithms are undefined, the quotients known */
  for (size_t k = 0; k < 6; k++)
    ck_assert_int_eq(error_of(k) == HUGE_VAL, k == 1 || k == 2 || k == 4);
  spread(input, 0, 1);
  spread(input, 1, 0.5);
  run(input);
  for (size_t k = 0; k < 6; k++)
    ck_assert(error_of(k) < 0x1p-45);
  stop(t);
}
END_TEST

/* An undefined member of a conjunction hides what follows it, never what stands before it. */
START_TEST(order_of_conjunctions)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id zero = tape_integer(t, 0), one = tape_integer(t, 1);
  tape_id inverse = tape_binary(t, TAPE_LESS, zero, tape_binary(t, TAPE_DIVIDE, one, x[0]));
  tape_id no = tape_binary(t, TAPE_LESS, x[1], zero), yes = tape_binary(t, TAPE_LESS, zero, x[1]);
  tape_id late = tape_binary(t, TAPE_LESS, tape_binary(t, TAPE_ADD, x[1], one), zero);
  tape_id outputs[5] = {tape_binary(t, TAPE_AND, inverse, no),
                        tape_binary(t, TAPE_AND, no, inverse),
                        tape_binary(t, TAPE_AND, tape_binary(t, TAPE_AND, yes, inverse), late),
                        tape_binary(t, TAPE_AND, tape_binary(t, TAPE_AND, late, inverse), yes),
                        tape_binary(t, TAPE_OR, inverse, yes)};
  for (size_t k = 0; k < 6; k++) { /* all, and each alone, where more can be fused */
    start(t, k < 5 ? &outputs[k] : outputs, k < 5 ? 1 : 5, 0);
    double input[2 * LANES];
    spread(input, 0, 0);
    spread(input, 1, 1);
    input[1] = 2; /* in lane 1 all is defined */
    run(input);
    static const uint32_t falsehood[] = {2, UINT32_MAX, 2, UINT32_MAX, 0}, truths[] = {0, 0, 0, 0, 2};
    for (size_t j = 0; j < (k < 5 ? 1 : 5); j++) {
      ck_assert_uint_eq(bounded_false(state, j), falsehood[k < 5 ? k : j]);
      ck_assert_uint_eq(bounded_true(state, j), truths[k < 5 ? k : j]);
    }
    bounded_destroy(state);
    tape_program_destroy(program);
  }
  tape_destroy(t);
}
END_TEST

START_TEST(choices)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id third = small_fraction(t, 1, 3), three = tape_integer(t, 3);
  /* x0 / 3 * 3 <= x0 is true, but not for a double to see */
  tape_id open =
      tape_binary(t, TAPE_LESS_EQUAL,
                  tape_binary(t, TAPE_MULTIPLY, tape_binary(t, TAPE_MULTIPLY, x[0], third), three), x[0]);
  tape_id unknown = tape_binary(t, TAPE_LESS_EQUAL, tape_binary(t, TAPE_DIVIDE, x[0], x[1]), x[0]);
  tape_id nothing = tape_binary(t, TAPE_DIVIDE, x[0], x[1]);
  tape_id is_positive = tape_binary(t, TAPE_LESS, tape_integer(t, 0), x[0]);
  tape_id outputs[4] = {tape_select(t, TAPE_SELECT, open, x[0], tape_integer(t, 5)),
                        tape_select(t, TAPE_SELECT, unknown, x[0], x[0]),
                        tape_select(t, TAPE_SELECT, is_positive, x[0], nothing),
                        tape_select(t, TAPE_SELECT, is_positive, nothing, x[0])};
  start(t, outputs, 4, 2);
  double input[2 * LANES], value;
  double error;
  spread(input, 0, 1);
  spread(input, 1, 0);
  run(input);
  bounded_value(state, 0, 0, &value, &error); /* 1 or 5: both inside */
  ck_assert(value - error <= 1 && value + error >= 5 && error < 5);
  if (program->source->op[outputs[1]].op == TAPE_SELECT)
    ck_assert(error_of(1) == HUGE_VAL); /* the condition may be undefined */
  bounded_value(state, 2, 0, &value, &error);
  ck_assert(value == 1 && error < 1e-200);
  ck_assert(error_of(3) == HUGE_VAL);
  stop(t);
}
END_TEST

START_TEST(phases_and_moving_inputs)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id square = tape_binary(t, TAPE_MULTIPLY, x[0], x[0]);
  tape_id outputs[2] = {
      tape_binary(t, TAPE_LESS_EQUAL, square, tape_integer(t, 2)),
      tape_binary(t, TAPE_LESS_EQUAL, tape_binary(t, TAPE_MULTIPLY, square, x[0]), tape_integer(t, 2))};
  start(t, outputs, 2, 1);
  double one[LANES], two[LANES];
  spread(one, 0, 1);
  spread(two, 0, 2);
  bounded_run_first(state, one);
  ck_assert_uint_eq(bounded_true(state, 0), UINT32_MAX);
  bounded_run_second(state, one);
  ck_assert_uint_eq(bounded_true(state, 1), UINT32_MAX);
  bounded_run_first(state, two);
  ck_assert_uint_eq(bounded_false(state, 0), UINT32_MAX);
  bounded_run_second(state, two);
  ck_assert_uint_eq(bounded_false(state, 1), UINT32_MAX);
  stop(t);
}
END_TEST

START_TEST(powers)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  enum { POWERS = 50 };
  tape_id outputs[2 * POWERS];
  for (int n = 0; n < POWERS; n++) {
    outputs[n] = tape_power(t, x[0], n % 2 ? n : POWERS - n);
    outputs[POWERS + n] =
        tape_power(t, tape_binary(t, TAPE_ADD, x[0], small_fraction(t, 1, 3)), n - POWERS / 2);
  }
  start(t, outputs, 2 * POWERS, POWERS);
  exact_state *exact = exact_create(program, 100000);
  fmpq point[1];
  fmpq_t y, d, e;
  arf_t a;
  fmpq_init(point);
  fmpq_init(y);
  fmpq_init(d);
  fmpq_init(e);
  arf_init(a);
  double input[LANES];
  spread(input, 0, 0.7);
  run(input);
  arf_set_d(a, 0.7);
  arf_get_fmpq(point, a);
  exact_run(exact, point);
  for (size_t k = 0; k < 2 * POWERS; k++) {
    double value, error;
    bounded_value(state, k, 31, &value, &error);
    ck_assert_int_eq(exact_value(y, exact, k), STATUS_OK);
    arf_set_d(a, value);
    arf_get_fmpq(d, a);
    fmpq_sub(d, d, y);
    fmpq_abs(d, d);
    arf_set_d(a, error);
    arf_get_fmpq(e, a);
    ck_assert_msg(fmpq_cmp(d, e) <= 0 && error < 1e-13 * fabs(value), "power %zu: %a +- %a", k, value, error);
  }
  arf_clear(a);
  fmpq_clear(e);
  fmpq_clear(d);
  fmpq_clear(y);
  fmpq_clear(point);
  exact_destroy(exact);
  stop(t);
}
END_TEST

/* Where e^x underflows its kernel: 0 give or take the least that can be said. */
START_TEST(tails)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id tiny = small_fraction(t, 1, 1000000000);
  tape_id outputs[5] = {tape_unary(t, TAPE_EXP, x[0]), tape_unary(t, TAPE_SIGMOID, x[0]),
                        tape_unary(t, TAPE_SOFTPLUS, x[0]),
                        tape_binary(t, TAPE_LESS, tape_unary(t, TAPE_EXP, x[0]), tiny),
                        tape_binary(t, TAPE_LESS_EQUAL, tape_unary(t, TAPE_EXP, x[0]), tape_integer(t, 0))};
  start(t, outputs, 5, 0);
  double input[LANES];
  spread(input, 0, -100000);
  run(input);
  for (size_t k = 0; k < 3; k++)
    ck_assert(error_of(k) < 0x1p-1000 && error_of(k) > 0);
  ck_assert_uint_eq(bounded_true(state, 3), UINT32_MAX);
  /* That it is positive is not seen. */
  ck_assert_uint_eq(bounded_true(state, 4) | bounded_false(state, 4), 0);
  stop(t);
}
END_TEST

static uint64_t mix(uint64_t hash, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (hash ^ (x == 0 ? 0 : bits)) * 0x100000001b3u;
}

/* The digest of many values and errors: whatever the compiler and the instruction set, the same. */
START_TEST(same_bits_everywhere)
{
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t number = 0; number < 400; number++) {
    philox_stream random = philox_stream_start(99, 0, number, 0);
    random_tape r = random_tape_make(&random, RANDOM_ANY);
    start(r.tape, r.value, r.values, r.values / 3);
    double *input = memory_new(r.inputs * LANES, sizeof *input);
    random_lanes(input, r.inputs, &random, false);
    run(input);
    for (size_t k = 0; k < r.values; k++)
      for (unsigned lane = 0; lane < LANES; lane += 5) {
        double value, error;
        bounded_value(state, k, lane, &value, &error);
        hash = mix(mix(hash, value), error);
      }
    free(input);
    bounded_destroy(state);
    tape_program_destroy(program);
    random_tape_clear(&r);
  }
  ck_assert_msg(hash == SAME_BITS, "digest %016" PRIx64, hash);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("bounded");
  TCase *tests = tcase_create("bounded");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, starts);
  tcase_add_test(tests, lanes_that_are_no_numbers);
  tcase_add_test(tests, overflow_is_unknown);
  tcase_add_test(tests, underflow_is_no_tie);
  tcase_add_test(tests, domains);
  tcase_add_test(tests, order_of_conjunctions);
  tcase_add_test(tests, choices);
  tcase_add_test(tests, phases_and_moving_inputs);
  tcase_add_test(tests, powers);
  tcase_add_test(tests, tails);
  tcase_add_test(tests, same_bits_everywhere);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
