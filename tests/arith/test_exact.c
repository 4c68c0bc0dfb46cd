/* exact: rational values of functions, domains, the bit limit, and its two representations against each
 * other. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/exact_internal.h"
#include "arith/special.h"
#include "core/memory.h"
#include "random_tape.h"
#include "small_tape.h"

static assay_status special(fmpq_t y, tape_opcode op, const char *x)
{
  fmpq_t q;
  fmpq_init(q);
  ck_assert_int_eq(fmpq_set_str(q, x, 10), 0);
  assay_status status = special_value(y, op, q);
  fmpq_clear(q);
  return status;
}

START_TEST(rational_values)
{
  static const struct {
    tape_opcode op;
    const char *x, *y; /* y NULL: irrational; "": undefined */
  } known[] = {
      {TAPE_SQRT, "9/4", "3/2"},
      {TAPE_SQRT, "0", "0"},
      {TAPE_SQRT, "2", NULL},
      {TAPE_SQRT, "4/3", NULL},
      {TAPE_SQRT, "-1", ""},
      {TAPE_SQRT, "100000000000000000000", "10000000000"},
      {TAPE_CBRT, "-8/27", "-2/3"},
      {TAPE_CBRT, "0", "0"},
      {TAPE_CBRT, "4", NULL},
      {TAPE_CBRT, "1/2", NULL},
      {TAPE_EXP, "0", "1"},
      {TAPE_EXP, "1", NULL},
      {TAPE_EXPM1, "0", "0"},
      {TAPE_EXPM1, "-1/2", NULL},
      {TAPE_LOG, "1", "0"},
      {TAPE_LOG, "0", ""},
      {TAPE_LOG, "-3", ""},
      {TAPE_LOG, "2", NULL},
      {TAPE_LOG1P, "0", "0"},
      {TAPE_LOG1P, "-1", ""},
      {TAPE_LOG1P, "-2", ""},
      {TAPE_LOG1P, "-1/2", NULL},
      {TAPE_SIN, "0", "0"},
      {TAPE_COS, "0", "1"},
      {TAPE_TAN, "0", "0"},
      {TAPE_ATAN, "0", "0"},
      {TAPE_TANH, "0", "0"},
      {TAPE_ERF, "0", "0"},
      {TAPE_SIGMOID, "0", "1/2"},
      {TAPE_SILU, "0", "0"},
      {TAPE_GELU, "0", "0"},
      {TAPE_LAMBERTW0, "0", "0"},
      {TAPE_SOFTPLUS, "0", NULL},
      {TAPE_SIN, "1", NULL},
      {TAPE_COS, "-1", NULL},
      {TAPE_TAN, "22/7", NULL},
      {TAPE_SIGMOID, "1", NULL},
      {TAPE_SOFTPLUS, "1", NULL},
      {TAPE_RELU, "-3/7", "0"},
      {TAPE_RELU, "3/7", "3/7"},
      {TAPE_ABS, "-3/7", "3/7"},
      {TAPE_NEGATE, "-3/7", "3/7"},
      {TAPE_ZERO, "17", "0"},
      {TAPE_LAMBERTW0, "1", NULL},
      {TAPE_LAMBERTW0, "-1/2", ""},
      /* -1/e = -0.36787944117144232159552... */
      {TAPE_LAMBERTW0, "-36787944117144232159/100000000000000000000", NULL},
      {TAPE_LAMBERTW0, "-36787944117144232160/100000000000000000000", ""},
  };
  fmpq_t y, expected;
  fmpq_init(y);
  fmpq_init(expected);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    assay_status status = special(y, known[i].op, known[i].x);
    if (!known[i].y) {
      ck_assert_msg(status == STATUS_UNABLE, "%s %s", tape_opcode_name(known[i].op), known[i].x);
    } else if (!*known[i].y) {
      ck_assert_msg(status == STATUS_UNDEFINED, "%s %s", tape_opcode_name(known[i].op), known[i].x);
    } else {
      fmpq_set_str(expected, known[i].y, 10);
      ck_assert_msg(status == STATUS_OK && fmpq_equal(y, expected), "%s %s", tape_opcode_name(known[i].op),
                    known[i].x);
    }
  }
  fmpq_clear(expected);
  fmpq_clear(y);
}
END_TEST

static tape_program *program;
static exact_state *state;

/* One input, with the given value. */
static void run(const tape *t, const tape_id *outputs, size_t n, size_t bits, slong p, ulong q)
{
  program = tape_compile(t, outputs, n, n, false);
  state = exact_create(program, bits);
  fmpq x[1];
  fmpq_init(x);
  fmpq_set_si(x, p, q);
  exact_run(state, x);
  fmpq_clear(x);
}

static void stop(void)
{
  exact_destroy(state);
  tape_program_destroy(program);
}

/* Past the limit nothing is computed, in either representation: these powers would fill any memory. */
START_TEST(bit_limit)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id huge = tape_power(t, x[0], INT32_MAX), higher = tape_power(t, huge, 1 << 24);
  tape_id one = tape_integer(t, 1), zero = tape_integer(t, 0);
  tape_id outputs[] = {
      huge,
      higher,
      tape_binary(t, TAPE_LESS, huge, one),
      tape_binary(t, TAPE_OR, tape_binary(t, TAPE_LESS, huge, one), tape_binary(t, TAPE_LESS, zero, one)),
      tape_binary(t, TAPE_MULTIPLY, huge, tape_binary(t, TAPE_SUBTRACT, x[0], x[0])),
      tape_binary(t, TAPE_AND, tape_binary(t, TAPE_LESS, huge, one), tape_binary(t, TAPE_LESS, x[0], zero)),
      tape_power(t, x[0], 3)};
  static const struct {
    slong p;
    ulong q;
  } points[] = {{3, 2}, {5, 3}, {1, 1024}, {7, 1}};
  fmpq_t y;
  fmpq_init(y);
  for (size_t i = 0; i < 4; i++) {
    run(t, outputs, 7, 1000, points[i].p, points[i].q);
    ck_assert_int_eq(exact_value(y, state, 0), STATUS_UNABLE);
    ck_assert_int_eq(exact_value(y, state, 1), STATUS_UNABLE);
    /* defined, whatever it is; 1024^-(2^31 - 1) < 1 can be seen without computing it */
    ck_assert_int_eq(exact_truth(state, 2), i == 2 ? TRUTH_TRUE : TRUTH_OPEN);
    ck_assert_int_eq(exact_truth(state, 3), TRUTH_TRUE);
    ck_assert_int_eq(exact_value(y, state, 4), STATUS_OK);
    ck_assert(fmpq_is_zero(y));
    ck_assert_int_eq(exact_truth(state, 5), TRUTH_FALSE);
    ck_assert_int_eq(exact_value(y, state, 6), STATUS_OK);
    stop();
  }
  for (slong p = -1; p <= 1; p++) { /* but these are small */
    run(t, outputs, 7, 1000, p, 1);
    ck_assert_int_eq(exact_value(y, state, 1), STATUS_OK);
    ck_assert(fmpq_cmp_si(y, p * p) == 0);
    stop();
  }
  run(t, outputs, 7, 8, 1, 1024); /* the input itself is past the limit */
  ck_assert_int_eq(exact_value(y, state, 6), STATUS_UNABLE);
  stop();
  fmpq_clear(y);
  tape_destroy(t);
}
END_TEST

START_TEST(undefined_and_irrational)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id zero = tape_integer(t, 0), one = tape_integer(t, 1), exponential = tape_unary(t, TAPE_EXP, x[0]);
  tape_id inverse = tape_binary(t, TAPE_DIVIDE, one, tape_binary(t, TAPE_SUBTRACT, x[0], tape_integer(t, 2)));
  tape_id outputs[] = {exponential,
                       inverse,
                       tape_binary(t, TAPE_LESS, exponential, one),
                       tape_binary(t, TAPE_LESS, inverse, one),
                       tape_binary(t, TAPE_DIVIDE, one, tape_binary(t, TAPE_SUBTRACT, exponential, one)),
                       tape_binary(t, TAPE_LESS, tape_unary(t, TAPE_LOG, exponential), one),
                       tape_unary(t, TAPE_ZERO, exponential),
                       tape_unary(t, TAPE_ZERO, inverse),
                       tape_binary(t, TAPE_LESS, tape_power(t, exponential, -1), one),
                       tape_select(t, TAPE_SELECT, tape_binary(t, TAPE_LESS, x[0], zero), inverse, x[0]),
                       tape_select(t, TAPE_SELECT, tape_binary(t, TAPE_LESS, inverse, zero), one, x[0])};
  run(t, outputs, 11, 1000, 2, 1);
  fmpq_t y;
  fmpq_init(y);
  ck_assert_int_eq(exact_value(y, state, 0), STATUS_UNABLE);
  ck_assert_int_eq(exact_value(y, state, 1), STATUS_UNDEFINED);
  ck_assert_int_eq(exact_truth(state, 2), TRUTH_OPEN);
  ck_assert_int_eq(exact_truth(state, 3), TRUTH_UNDEFINED);
  ck_assert_int_eq(exact_value(y, state, 4), STATUS_UNABLE); /* for all it knows, undefined */
  ck_assert_int_eq(exact_truth(state, 5), TRUTH_UNKNOWN);
  ck_assert_int_eq(exact_value(y, state, 6), STATUS_OK);
  ck_assert_int_eq(exact_value(y, state, 7), STATUS_UNDEFINED);
  ck_assert_int_eq(exact_truth(state, 8), TRUTH_UNKNOWN);
  ck_assert_int_eq(exact_value(y, state, 9), STATUS_OK); /* only the branch taken matters */
  ck_assert_int_eq(exact_value(y, state, 10), STATUS_UNDEFINED);
  fmpq_clear(y);
  stop();
  tape_destroy(t);
}
END_TEST

/* Without division only a condition can be undefined, and what it selects: 0 times that is undefined. */
START_TEST(undefined_condition)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id condition = tape_binary(t, TAPE_AND, tape_binary(t, TAPE_LESS, x[0], tape_integer(t, 9)),
                                  tape_truth(t, TRUTH_UNDEFINED));
  tape_id selected = tape_select(t, TAPE_SELECT, condition, x[0], tape_integer(t, 1));
  tape_id zero = tape_binary(t, TAPE_MULTIPLY, tape_binary(t, TAPE_MIN, x[0], tape_integer(t, 0)), selected);
  tape_id outputs[] = {tape_binary(t, TAPE_LESS_EQUAL, zero, x[0]),
                       tape_binary(t, TAPE_LESS_EQUAL, tape_power(t, selected, 0), x[0]), selected,
                       tape_binary(t, TAPE_EQUAL, tape_unary(t, TAPE_ZERO, selected), tape_integer(t, 0))};
  fmpq_t y;
  fmpq_init(y);
  run(t, outputs, 4, 1000, 2, 1);
  ck_assert(state->by_dyadic);
  ck_assert_int_eq(exact_truth(state, 0), TRUTH_UNDEFINED);
  ck_assert_int_eq(exact_truth(state, 1), TRUTH_UNDEFINED);
  ck_assert_int_eq(exact_value(y, state, 2), STATUS_UNDEFINED);
  ck_assert_int_eq(exact_truth(state, 3), TRUTH_UNDEFINED);
  stop();
  run(t, outputs, 4, 1000, 10, 1); /* the condition is false before it comes to what is undefined */
  for (size_t k = 0; k < 4; k++)
    if (k != 2)
      ck_assert_int_eq(exact_truth(state, k), TRUTH_TRUE);
  ck_assert_int_eq(exact_value(y, state, 2), STATUS_OK);
  ck_assert(fmpq_is_one(y));
  stop();
  fmpq_clear(y);
  tape_destroy(t);
}
END_TEST

/* The same programs by arf and by fmpq. */
START_TEST(two_representations)
{
  size_t values = 0, large = 0;
  for (uint64_t number = 0; number < 1000; number++) {
    philox_stream random = philox_stream_start(5, 0, number, 0);
    random_tape r = random_tape_make(&random, RANDOM_DYADIC);
    tape_program *p = tape_compile(r.tape, r.value, r.values, r.values, false);
    tape_program *q = tape_compile(r.tape, r.truth, r.truths, r.truths, false);
    exact_state *state_of[2][2];
    double *input = memory_new(r.inputs * LANES, sizeof *input);
    fmpq *point = memory_new(r.inputs, sizeof *point);
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_init(&point[i]);
    random_lanes(input, r.inputs, &random, false);
    fmpq_t y[2];
    for (int i = 0; i < 2; i++) {
      fmpq_init(y[i]);
      state_of[i][0] = exact_create(p, 5000);
      state_of[i][1] = exact_create(q, 5000);
    }
    ck_assert(state_of[0][0]->dyadic_program && state_of[0][1]->dyadic_program);
    state_of[1][0]->dyadic_program = state_of[1][1]->dyadic_program = false;
    for (unsigned lane = 0; lane < 6; lane++) {
      random_exact(point, input, r.inputs, lane);
      for (int i = 0; i < 2; i++) {
        exact_run(state_of[i][0], point);
        exact_run(state_of[i][1], point);
        ck_assert(state_of[i][0]->by_dyadic == (i == 0));
      }
      for (size_t k = 0; k < r.values; k++) {
        assay_status a = exact_value(y[0], state_of[0][0], k), b = exact_value(y[1], state_of[1][0], k);
        values++;
        large += a == STATUS_UNABLE;
        /* the limit counts a little differently */
        ck_assert(a == b || a == STATUS_UNABLE || b == STATUS_UNABLE);
        ck_assert(a != STATUS_OK || b != STATUS_OK || fmpq_equal(y[0], y[1]));
      }
      for (size_t k = 0; k < r.truths; k++)
        ck_assert(random_consistent(exact_truth(state_of[0][1], k), exact_truth(state_of[1][1], k)));
    }
    for (int i = 0; i < 2; i++) {
      fmpq_clear(y[i]);
      exact_destroy(state_of[i][0]);
      exact_destroy(state_of[i][1]);
    }
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_clear(&point[i]);
    free(point);
    free(input);
    tape_program_destroy(p);
    tape_program_destroy(q);
    random_tape_clear(&r);
  }
  ck_assert_uint_gt(large, 0);
  ck_assert_uint_lt(large, values / 10);
}
END_TEST

/* From doubles, only what is wanted, against fractions: the truths of random programs, cut into parts of at
 * most 64. */
START_TEST(from_lanes)
{
  size_t decided = 0, total = 0;
  for (uint64_t number = 0; number < 1500; number++) {
    philox_stream random = philox_stream_start(6, 0, number, 0);
    random_kind kind = number % 4 == 3 ? RANDOM_RATIONAL : RANDOM_DYADIC;
    random_tape r = random_tape_make(&random, kind);
    size_t first = philox_below(&random, r.truths), count = r.truths - first < 64 ? r.truths - first : 64;
    tape_program *p = tape_compile(r.tape, r.truth + first, count, count, false);
    exact_state *by_lane = exact_create(p, 100000), *by_fraction = exact_create(p, 100000);
    exact_filter_destroy(by_fraction->filter); /* the reference goes without it */
    by_fraction->filter = NULL;
    double *input = memory_new(r.inputs * LANES, sizeof *input);
    fmpq *point = memory_new(r.inputs, sizeof *point);
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_init(&point[i]);
    random_lanes(input, r.inputs, &random, false);
    for (unsigned lane = 0; lane < LANES; lane++) {
      random_exact(point, input, r.inputs, lane);
      exact_run(by_fraction, point);
      uint64_t wanted = philox_next(&random) >> philox_below(&random, 64);
      bool all = exact_run_lane(by_lane, input, lane, wanted);
      for (size_t k = 0; k < count; k++) {
        if (!all && !(wanted >> k & 1))
          continue;
        truth a = exact_truth(by_lane, k), b = exact_truth(by_fraction, k);
        total++;
        decided += a == TRUTH_TRUE || a == TRUTH_FALSE;
        /* The reference stops at numbers past the limit. */
        ck_assert_msg(a == b || (b == TRUTH_OPEN && random_consistent(a, b)), "number %d, lane %u, truth %zu: %s, not %s", (int)number, lane, k, truth_name(a),
                      truth_name(b));
      }
    }
    for (size_t i = 0; i < r.inputs; i++)
      fmpq_clear(&point[i]);
    free(point);
    free(input);
    exact_destroy(by_lane);
    exact_destroy(by_fraction);
    tape_program_destroy(p);
    random_tape_clear(&r);
  }
  ck_assert_uint_gt(total, 100000);
  ck_assert_uint_gt(decided, total / 2);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("exact");
  TCase *tests = tcase_create("exact");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, rational_values);
  tcase_add_test(tests, bit_limit);
  tcase_add_test(tests, undefined_and_irrational);
  tcase_add_test(tests, undefined_condition);
  tcase_add_test(tests, two_representations);
  tcase_add_test(tests, from_lanes);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
