/* real: values against balls, margins by hand, gradients against differences. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/ball_functions.h"
#include "arith/real_internal.h"
#include "core/memory.h"
#include "random_tape.h"
#include "small_tape.h"

START_TEST(functions_and_slopes)
{
  static const double points[] = {-30, -3, -0.75, -0.3, -0.1, 1e-9, 0.2, 0.9, 2.5, 20};
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  size_t checked = 0;
  for (tape_opcode op = TAPE_ABS; op <= TAPE_LAMBERTW0; op++)
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
      double f = real_function(op, points[i]);
      arb_set_d(x, points[i]);
      definedness d = ball_function(y, op, x, 100);
      ck_assert_int_eq(d == BALL_DEFINED, f == f);
      if (f != f)
        continue;
      double expected = arf_get_d(arb_midref(y), ARF_RND_NEAR);
      ck_assert_msg(fabs(f - expected) <= 1e-12 * fabs(expected) + 1e-300, "%s(%g) = %.17g, not %.17g",
                    tape_opcode_name(op), points[i], f, expected);
      double h = 1e-6 * fabs(points[i]), slope = real_function_slope(op, points[i]);
      double difference = (real_function(op, points[i] + h) - real_function(op, points[i] - h)) / (2 * h);
      double tolerance = 1e-6 * (fabs(slope) + 1) + 1e-15 * fabs(f) / h;
      ck_assert_msg(fabs(slope - difference) <= tolerance, "%s'(%g) = %.10g, not %.10g", tape_opcode_name(op),
                    points[i], slope, difference);
      checked++;
    }
  ck_assert_uint_gt(checked, 120);
  arb_clear(y);
  arb_clear(x);
}
END_TEST

static tape_program *program;
static real_state *state;

static void start(const tape *t, const tape_id *outputs, size_t n)
{
  program = tape_compile(t, outputs, n, n, true);
  state = real_create(program);
}

static void stop(void)
{
  real_destroy(state);
  tape_program_destroy(program);
}

static void run(double *input, double x, double y)
{
  for (size_t lane = 0; lane < LANES; lane++) {
    input[lane] = x;
    input[LANES + lane] = y;
  }
  real_run(state, input, 0, program->steps / 2);
  real_run(state, input, program->steps / 2, program->steps);
}

static double margin(size_t k)
{
  return real_output(state, k)[LANES - 1];
}

START_TEST(margins)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id zero = tape_integer(t, 0), inverse = tape_binary(t, TAPE_DIVIDE, tape_integer(t, 1), x[0]);
  tape_id less = tape_binary(t, TAPE_LESS, x[0], x[1]), at_most = tape_binary(t, TAPE_LESS_EQUAL, x[1], x[0]);
  tape_id equal = tape_binary(t, TAPE_EQUAL, x[0], x[1]), positive = tape_binary(t, TAPE_LESS, zero, inverse);
  tape_id outputs[] = {less,
                       at_most,
                       equal,
                       tape_binary(t, TAPE_AND, less, equal),
                       tape_binary(t, TAPE_OR, less, equal),
                       tape_unary(t, TAPE_NOT, less),
                       positive,
                       tape_binary(t, TAPE_AND, at_most, positive),
                       tape_binary(t, TAPE_AND, less, positive),
                       tape_binary(t, TAPE_OR, less, positive),
                       tape_unary(t, TAPE_DEFINED, inverse),
                       tape_select(t, TAPE_SELECT, less, x[0], x[1]),
                       tape_select(t, TAPE_CHOOSE, less, less, positive)};
  start(t, outputs, 13);
  double input[2 * LANES];
  run(input, 1, 3);
  ck_assert(margin(0) == 0.4); /* 2 / (1 + 1 + 3) */
  ck_assert(margin(1) == -0.4);
  ck_assert(margin(2) == -0.4);
  ck_assert(margin(3) == -0.4);
  ck_assert(margin(4) == 0.4);
  ck_assert(margin(5) == -0.4);
  ck_assert(margin(6) == 0.5); /* 1 / (1 + 1) */
  ck_assert(margin(7) == -0.4);
  ck_assert(margin(8) == 0.4);
  ck_assert(margin(9) == 0.5);
  ck_assert(margin(10) > 0);
  ck_assert(margin(11) == 1);
  ck_assert(margin(12) == 0.4);
  run(input, 0, 3); /* 1 / x is undefined: what the left side decides stays decided */
  ck_assert(margin(6) != margin(6));
  ck_assert(margin(7) == -0.75);
  ck_assert(margin(8) != margin(8));
  ck_assert(margin(9) == 0.75);
  ck_assert(margin(10) != margin(10));
  ck_assert(margin(12) == 0.75);
  stop();
  tape_destroy(t);
}
END_TEST

/* One gradient by hand: the margin of x^2 y < 3 x + y at (2, 5): d = b - a = 11 - 20, scale = 1 + 20 + 11. */
START_TEST(gradient_by_hand)
{
  tape_id x[2];
  tape *t = small_tape(x, 2);
  tape_id a = tape_binary(t, TAPE_MULTIPLY, tape_power(t, x[0], 2), x[1]);
  tape_id b = tape_binary(t, TAPE_ADD, tape_binary(t, TAPE_MULTIPLY, tape_integer(t, 3), x[0]), x[1]);
  tape_id outputs[] = {tape_binary(t, TAPE_LESS, a, b), a};
  start(t, outputs, 2);
  double input[2 * LANES], gradient[2];
  run(input, 2, 5);
  real_gradient(state, 1, 7, gradient);
  ck_assert(gradient[0] == 20 && gradient[1] == 4);
  real_gradient(state, 0, 7, gradient);
  /* by x: (3 - 20) / 32 + 9 (20 + 3) / 32^2; by y: (1 - 4) / 32 + 9 (4 + 1) / 32^2 */
  ck_assert_double_eq_tol(gradient[0], -17.0 / 32 + 9 * 23.0 / 1024, 1e-15);
  ck_assert_double_eq_tol(gradient[1], -3.0 / 32 + 9 * 5.0 / 1024, 1e-15);
  stop();
  tape_destroy(t);
}
END_TEST

/* Random tapes of all kinds at random points: the gradient of every output against a difference of two
 * runs. */
START_TEST(gradients)
{
  size_t checked = 0, near = 0;
  for (uint64_t number = 0; number < 300; number++) {
    philox_stream random = philox_stream_start(3, 0, number, 0);
    random_tape r = random_tape_make(&random, number % 2 ? RANDOM_ANY : RANDOM_RATIONAL);
    tape_id outputs[2] = {r.value[r.values - 1], r.truth[r.truths - 1]};
    start(r.tape, outputs, 2);
    double *input = memory_new(r.inputs * LANES, sizeof *input),
           *gradient = memory_new(r.inputs, sizeof *gradient);
    /* Lane 0 is the point; lanes 1 + 2 i and 2 + 2 i move input i. */
    const double h = 1e-6;
    for (size_t i = 0; i < r.inputs; i++) {
      double x = 0.1 + philox_uniform(&random);
      for (size_t lane = 0; lane < LANES; lane++)
        input[i * LANES + lane] = x;
      input[i * LANES + 1 + 2 * i] += h;
      input[i * LANES + 2 + 2 * i] -= h;
    }
    real_run(state, input, 0, program->steps);
    for (size_t k = 0; k < 2; k++) {
      const double *y = real_output(state, k);
      if (!isfinite(y[0]) || fabs(y[0]) > 1e3)
        continue;
      real_gradient(state, k, 0, gradient);
      for (size_t i = 0; i < r.inputs; i++) {
        double difference = (y[1 + 2 * i] - y[2 + 2 * i]) / (2 * h);
        checked++;
        near += fabs(difference - gradient[i]) <= 1e-4 * (1 + fabs(gradient[i]));
      }
    }
    free(gradient);
    free(input);
    stop();
    random_tape_clear(&r);
  }
  /* At a kink, or where the slope is enormous, they may differ. */
  printf("%zu partial derivatives, %zu equal to differences\n", checked, near);
  ck_assert_uint_gt(checked, 1000);
  ck_assert_uint_gt(near, checked - checked / 50);
}
END_TEST

/* Where exact arithmetic knows a truth and the margin is not tiny, its sign is the truth. */
START_TEST(signs_of_margins)
{
  size_t checked = 0, right = 0;
  for (uint64_t number = 0; number < 300; number++) {
    philox_stream random = philox_stream_start(4, 0, number, 0);
    random_tape r = random_tape_make(&random, RANDOM_RATIONAL);
    start(r.tape, r.truth, r.truths);
    exact_state *exact = exact_create(program, 20000);
    double *input = memory_new(r.inputs * LANES, sizeof *input);
    fmpq *point = memory_new(r.inputs, sizeof *point);
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_init(&point[i]);
    random_lanes(input, r.inputs, &random, false);
    real_run(state, input, 0, program->steps);
    for (unsigned lane = 0; lane < 4; lane++) {
      random_exact(point, input, r.inputs, lane);
      exact_run(exact, point);
      for (size_t k = 0; k < r.truths; k++) {
        double m = real_output(state, k)[lane];
        truth known = exact_truth(exact, k);
        if (fabs(m) > 1e-9 && (known == TRUTH_TRUE || known == TRUTH_FALSE)) {
          checked++;
          right += (m > 0) == (known == TRUTH_TRUE);
        }
      }
    }
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_clear(&point[i]);
    free(point);
    free(input);
    exact_destroy(exact);
    stop();
    random_tape_clear(&r);
  }
  printf("%zu margins, %zu with the sign of the truth\n", checked, right);
  ck_assert_uint_gt(checked, 5000);
  ck_assert_uint_gt(right, checked - checked / 50); /* ties inside of connectives and overflow */
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("real");
  TCase *tests = tcase_create("real");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, functions_and_slopes);
  tcase_add_test(tests, margins);
  tcase_add_test(tests, gradient_by_hand);
  tcase_add_test(tests, gradients);
  tcase_add_test(tests, signs_of_margins);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
