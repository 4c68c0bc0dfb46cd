/* Comparisons built around equality: an expression against the double nearest to its value, give or take a
 * few ulps. No truth that bounded or ball at 53 bits is certain of may be wrong, and no value outside of
 * its bounded interval. The reference is exact arithmetic, or balls of 600 bits where the expression is
 * transcendental. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/exact_internal.h"
#include "core/memory.h"
#include "random_tape.h"

enum { INPUTS = 8, ROUNDS = 250, TRUTHS = 6 };

typedef tape_id expression(tape *t, const tape_id *x);

static tape_id sum(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_ADD, x[0], x[1]);
}

static tape_id difference(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_SUBTRACT, x[0], x[1]);
}

static tape_id product(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_MULTIPLY, x[0], x[1]);
}

static tape_id inner_product(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_ADD, tape_binary(t, TAPE_MULTIPLY, x[0], x[1]),
                     tape_binary(t, TAPE_MULTIPLY, x[2], x[3]));
}

static tape_id product_minus(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_SUBTRACT, x[2], tape_binary(t, TAPE_MULTIPLY, x[0], x[1]));
}

static tape_id long_sum(tape *t, const tape_id *x)
{
  tape_id s = x[0];
  for (int i = 1; i < INPUTS; i++)
    s = tape_binary(t, TAPE_ADD, s, x[i]);
  return s;
}

/* s = alpha s + delta z over eight steps. */
static tape_id recurrence(tape *t, const tape_id *x)
{
  tape_id s = tape_integer(t, 0);
  for (int i = 0; i < 8; i++)
    s = tape_binary(t, TAPE_ADD, tape_binary(t, TAPE_MULTIPLY, x[i % 3], s),
                    tape_binary(t, TAPE_MULTIPLY, x[3 + i % 2], x[5 + i % 3]));
  return s;
}

/* (1 - a^5 q) m + a^5 q M */
static tape_id mixture(tape *t, const tape_id *x)
{
  tape_id w = tape_binary(t, TAPE_MULTIPLY, tape_power(t, x[0], 5), x[1]);
  tape_id rest = tape_binary(t, TAPE_SUBTRACT, tape_integer(t, 1), w);
  return tape_binary(t, TAPE_ADD, tape_binary(t, TAPE_MULTIPLY, rest, x[2]),
                     tape_binary(t, TAPE_MULTIPLY, w, x[3]));
}

static tape_id extremes(tape *t, const tape_id *x)
{
  tape_id a = product(t, x), b = sum(t, x + 2), c = inner_product(t, x + 3);
  tape_id m = tape_binary(t, TAPE_MAX, tape_binary(t, TAPE_MIN, a, b), tape_unary(t, TAPE_NEGATE, c));
  return tape_unary(t, TAPE_ABS, m);
}

static tape_id third(tape *t, const tape_id *x)
{
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_si(q, 1, 3);
  tape_id r = tape_binary(t, TAPE_MULTIPLY, tape_constant(t, q), x[0]);
  fmpq_clear(q);
  return r;
}

static tape_id quotient(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_DIVIDE, x[0], x[1]);
}

static tape_id quotient_of_sums(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_DIVIDE, tape_binary(t, TAPE_ADD, product(t, x), x[2]), sum(t, x + 3));
}

static tape_id product_of_quotients(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_MULTIPLY, quotient(t, x), quotient(t, x + 2));
}

static tape_id difference_of_quotients(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_SUBTRACT, tape_unary(t, TAPE_ABS, quotient(t, x)), quotient(t, x + 2));
}

static tape_id extreme_quotient(tape *t, const tape_id *x)
{
  return tape_binary(t, TAPE_MIN, quotient(t, x), tape_binary(t, TAPE_MAX, quotient(t, x + 2), x[4]));
}

static tape_id inverse_power(tape *t, const tape_id *x)
{
  return tape_power(t, x[0], -3);
}

static tape_id selected(tape *t, const tape_id *x)
{
  tape_id c = tape_binary(t, TAPE_LESS_EQUAL, product(t, x), x[2]);
  return tape_select(t, TAPE_SELECT, c, product(t, x + 2), quotient(t, x + 4));
}

#define FUNCTION(name, op)                                                                                   \
  static tape_id name##_of_input(tape *t, const tape_id *x)                                                  \
  {                                                                                                          \
    return tape_unary(t, op, x[0]);                                                                          \
  }                                                                                                          \
  static tape_id name##_of_product(tape *t, const tape_id *x)                                                \
  {                                                                                                          \
    return tape_unary(t, op, inner_product(t, x));                                                           \
  }

FUNCTION(sqrt, TAPE_SQRT)
FUNCTION(exp, TAPE_EXP)
FUNCTION(expm1, TAPE_EXPM1)
FUNCTION(log, TAPE_LOG)
FUNCTION(log1p, TAPE_LOG1P)
FUNCTION(tanh, TAPE_TANH)
FUNCTION(sigmoid, TAPE_SIGMOID)
FUNCTION(softplus, TAPE_SOFTPLUS)
FUNCTION(silu, TAPE_SILU)
FUNCTION(relu, TAPE_RELU)

static const struct {
  const char *name;
  expression *make;
} rational[] = {{"a + b", sum},
                {"a - b", difference},
                {"a b", product},
                {"a b + c d", inner_product},
                {"c - a b", product_minus},
                {"sum of 8", long_sum},
                {"recurrence of 8 steps", recurrence},
                {"mixture", mixture},
                {"extremes", extremes},
                {"a / 3", third},
                {"a / b", quotient},
                {"(a b + c) / (d + e)", quotient_of_sums},
                {"(a / b) (c / d)", product_of_quotients},
                {"|a / b| - c / d", difference_of_quotients},
                {"min(a / b, max(c / d, e))", extreme_quotient},
                {"a^-3", inverse_power},
                {"if", selected},
                {"relu a", relu_of_input},
                {"relu (a b + c d)", relu_of_product}},
  transcendental[] = {{"sqrt a", sqrt_of_input},
                      {"sqrt (a b + c d)", sqrt_of_product},
                      {"exp a", exp_of_input},
                      {"exp (a b + c d)", exp_of_product},
                      {"expm1 a", expm1_of_input},
                      {"expm1 (a b + c d)", expm1_of_product},
                      {"log a", log_of_input},
                      {"log (a b + c d)", log_of_product},
                      {"log1p a", log1p_of_input},
                      {"log1p (a b + c d)", log1p_of_product},
                      {"tanh a", tanh_of_input},
                      {"tanh (a b + c d)", tanh_of_product},
                      {"sigmoid a", sigmoid_of_input},
                      {"sigmoid (a b + c d)", sigmoid_of_product},
                      {"softplus a", softplus_of_input},
                      {"softplus (a b + c d)", softplus_of_product},
                      {"silu a", silu_of_input},
                      {"silu (a b + c d)", silu_of_product}};

/* Full doubles, numbers of few bits (whose ties are exact), and both scaled far down or up. */
static double draw(philox_stream *random, unsigned style)
{
  double sign = philox_below(random, 3) ? 1 : -1;
  double x = style % 2 ? philox_uniform(random) : (double)philox_below(random, 33) / 16;
  int scale = style < 2 ? 0 : style < 4 ? -(int)philox_below(random, 1070) : style < 6 ? -520 : 300;
  if (style == 8)
    return sign * 30 * philox_uniform(random);
  return sign * ldexp(x, scale);
}

typedef struct {
  size_t instances, ties, values, bounded_certain, ball_certain;
} tally;

/* |x - value| <= error for the number x in the ball, as far as the ball can tell. */
static bool may_hold(const arb_t x, double value, double error)
{
  arb_t d, e;
  arb_init(d);
  arb_init(e);
  arf_set_d(arb_midref(d), value);
  arf_set_d(arb_midref(e), error);
  arb_sub(d, x, d, 2000);
  arb_abs(d, d);
  bool yes = !arb_gt(d, e);
  arb_clear(e);
  arb_clear(d);
  return yes;
}

/* The nearest double to the value of output 0 in one lane, moved by a few ulps; 0.5 where it has none. */
static double near_value(ball_state *reference, const fmpq *point, philox_stream *random)
{
  arb_t y;
  arb_init(y);
  ball_run(reference, point, 200, true);
  double d = 0.5;
  if (ball_value(y, reference, 0) == STATUS_OK)
    d = arf_get_d(arb_midref(y), ARF_RND_NEAR);
  arb_clear(y);
  int moves = (int)philox_below(random, 9) - 4;
  for (; moves > 0 && isfinite(d); moves--)
    d = nextafter(d, HUGE_VAL);
  for (; moves < 0 && isfinite(d); moves++)
    d = nextafter(d, -HUGE_VAL);
  return isfinite(d) ? d : 0.5;
}

static bool same_value(const exact_state *a, const exact_state *b, size_t k)
{
  fmpq_t x, y;
  fmpq_init(x);
  fmpq_init(y);
  assay_status status = exact_value(x, a, k);
  bool same = exact_value(y, b, k) == status && (status != STATUS_OK || fmpq_equal(x, y));
  fmpq_clear(x);
  fmpq_clear(y);
  return same;
}

static void check_family(const char *name, expression *make, bool is_rational, tally *total)
{
  tape *t = tape_create(10000);
  tape_id x[INPUTS + 1], output[TRUTHS + 1];
  for (uint32_t i = 0; i <= INPUTS; i++) {
    tape_add_element(t, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
    x[i] = tape_leaf(t, TAPE_INPUT, i);
  }
  tape_id value = make(t, x), c = x[INPUTS];
  output[0] = tape_binary(t, TAPE_LESS_EQUAL, value, c);
  output[1] = tape_binary(t, TAPE_LESS_EQUAL, c, value);
  output[2] = tape_binary(t, TAPE_LESS, value, c);
  output[3] = tape_binary(t, TAPE_LESS, c, value);
  output[4] = tape_binary(t, TAPE_EQUAL, value, c);
  output[5] = tape_binary(t, TAPE_AND, output[0], output[1]);
  output[TRUTHS] = value;
  tape_program *p = tape_compile(t, output, TRUTHS + 1, 2, false), *q = tape_compile(t, &value, 1, 1, false);
  /* On its own the conjunction takes its comparisons into itself. */
  tape_program *alone = tape_compile(t, &output[5], 1, 0, false);
  bounded_state *bounded = bounded_create(p), *fused = bounded_create(alone);
  exact_state *exact = exact_create(p, 100000), *filtered = exact_create(p, 100000);
  exact_state *from_lane = exact_create(p, 100000);
  exact_filter_destroy(exact->filter); /* the reference goes without it */
  exact->filter = NULL;
  ball_state *ball = ball_create(p, 100000), *fine = ball_create(p, 100000),
             *reference = ball_create(q, 100000);
  double *input = memory_new((INPUTS + 1) * LANES, sizeof *input);
  fmpq *point = memory_new(INPUTS + 1, sizeof *point);
  for (int i = 0; i <= INPUTS; i++)
    fmpq_init(&point[i]);
  size_t wrong = 0;
  arb_t y;
  arb_init(y);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    philox_stream random = philox_stream_start(7, philox_hash_name(name), round, 0);
    unsigned style = (unsigned)philox_below(&random, 9);
    for (unsigned lane = 0; lane < LANES; lane++) {
      for (size_t i = 0; i < INPUTS; i++)
        input[i * LANES + lane] = draw(&random, style);
      input[INPUTS * LANES + lane] = 0;
      random_exact(point, input, INPUTS + 1, lane);
      input[INPUTS * LANES + lane] = near_value(reference, point, &random);
    }
    bounded_run_first(bounded, input);
    bounded_run_second(bounded, input);
    bounded_run_first(fused, input);
    bounded_run_second(fused, input);
    ck_assert_uint_eq(bounded_true(fused, 0), bounded_true(bounded, 5));
    ck_assert_uint_eq(bounded_false(fused, 0), bounded_false(bounded, 5));
    for (unsigned lane = 0; lane < LANES; lane++) {
      random_exact(point, input, INPUTS + 1, lane);
      exact_run(exact, point);
      exact_run(filtered, point);
      uint64_t wanted = philox_below(&random, (uint64_t)1 << (TRUTHS + 1));
      bool all = exact_run_lane(from_lane, input, lane, wanted);
      wrong += (all || wanted >> TRUTHS & 1) && !same_value(exact, from_lane, TRUTHS);
      ball_run(ball, point, 53, false);
      ball_run(fine, point, 600, true);
      double v, e;
      bounded_value(bounded, TRUTHS, lane, &v, &e);
      assay_status status = ball_value(y, fine, TRUTHS);
      bool bad_value = e < HUGE_VAL && (status != STATUS_OK || !may_hold(y, v, e));
      total->values += e < HUGE_VAL;
      if (bad_value && ++wrong <= 3)
        printf("%s, round %" PRIu64 ", lane %u: %a is not within %a of the value\n", name, round, lane, v, e);
      for (size_t k = 0; k < TRUTHS; k++) {
        truth right = is_rational ? exact_truth(exact, k) : ball_truth(fine, k);
        bool yes = bounded_true(bounded, k) >> lane & 1, no = bounded_false(bounded, k) >> lane & 1;
        truth by_ball = ball_truth(ball, k);
        total->instances++;
        total->ties += k == 4 && right == TRUTH_TRUE;
        total->bounded_certain += yes || no;
        total->ball_certain += by_ball == TRUTH_TRUE || by_ball == TRUTH_FALSE;
        bool bad = (yes && no) || (yes && right != TRUTH_TRUE) || (no && right != TRUTH_FALSE) ||
                   !random_consistent(by_ball, right) || exact_truth(filtered, k) != exact_truth(exact, k) ||
                   ((all || wanted >> k & 1) && exact_truth(from_lane, k) != exact_truth(exact, k));
        if (bad && ++wrong <= 3)
          printf("%s, round %" PRIu64 ", lane %u, relation %zu: %s; bounded %d %d, ball %s\n", name, round,
                 lane, k, truth_name(right), yes, no, truth_name(by_ball));
      }
    }
  }
  for (int i = 0; i <= INPUTS; i++)
    fmpq_clear(&point[i]);
  arb_clear(y);
  free(point);
  free(input);
  bounded_destroy(bounded);
  bounded_destroy(fused);
  exact_destroy(exact);
  exact_destroy(filtered);
  exact_destroy(from_lane);
  ball_destroy(ball);
  ball_destroy(fine);
  ball_destroy(reference);
  tape_program_destroy(p);
  tape_program_destroy(q);
  tape_program_destroy(alone);
  tape_destroy(t);
  ck_assert_msg(wrong == 0, "%s: %zu wrong certificates", name, wrong);
}

static void report(const tally *t)
{
  printf(
      "%zu comparisons, %zu exact ties, %zu certain by bounded, %zu by ball; %zu values known to bounded\n",
      t->instances, t->ties, t->bounded_certain, t->ball_certain, t->values);
}

START_TEST(rational_expressions)
{
  tally t = {0};
  for (size_t i = 0; i < sizeof rational / sizeof *rational; i++)
    check_family(rational[i].name, rational[i].make, true, &t);
  /* The sum of two inputs against a third is decided without error. */
  tally exact_sums = {0};
  check_family("a + b", sum, true, &exact_sums);
  check_family("a - b", difference, true, &exact_sums);
  ck_assert_uint_eq(exact_sums.bounded_certain, exact_sums.instances);
  report(&t);
  ck_assert_uint_ge(t.instances, 500000);
  ck_assert_uint_gt(t.ties, 2000);
  ck_assert_uint_lt(t.bounded_certain, t.instances); /* near ties are not for a double to decide */
  ck_assert_uint_gt(t.bounded_certain, t.instances / 10);
}
END_TEST

START_TEST(transcendental_expressions)
{
  tally t = {0};
  for (size_t i = 0; i < sizeof transcendental / sizeof *transcendental; i++)
    check_family(transcendental[i].name, transcendental[i].make, false, &t);
  report(&t);
  ck_assert_uint_ge(t.instances, 500000);
  ck_assert_uint_gt(t.bounded_certain, t.instances / 20);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("near ties");
  TCase *tests = tcase_create("near ties");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, rational_expressions);
  tcase_add_test(tests, transcendental_expressions);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
