/* Copying a tape: the copy of every operation has the value of the original, in exact arithmetic. */
#include <check.h>
#include <stdlib.h>

#include "../arith/random_tape.h"
#include "tape/copy.h"

static const uint64_t seed = 77;

/* Every value and truth of a random tape, and what the copy has in its place. */
typedef struct {
  tape_program *program;
  exact_state *state;
} exact_run_of;

static exact_run_of run_exactly(const tape *t, const tape_id *output, size_t n, const fmpq *input)
{
  exact_run_of r;
  r.program = tape_compile(t, output, n, 0, false);
  r.state = exact_create(r.program, 1 << 14);
  exact_run(r.state, input);
  return r;
}

static void run_clear(exact_run_of *r)
{
  exact_destroy(r->state);
  tape_program_destroy(r->program);
}

static void expect_same(const exact_run_of *a, const exact_run_of *b, size_t values, size_t n)
{
  fmpq_t x, y;
  fmpq_init(x);
  fmpq_init(y);
  for (size_t k = 0; k < n; k++) {
    if (k >= values) {
      ck_assert_int_eq(exact_truth(a->state, k), exact_truth(b->state, k));
      continue;
    }
    assay_status status = exact_value(x, a->state, k);
    ck_assert_int_eq(status, exact_value(y, b->state, k));
    if (status == STATUS_OK)
      ck_assert(fmpq_equal(x, y));
  }
  fmpq_clear(x);
  fmpq_clear(y);
}

/* The inputs of the copy are turned around, so that nothing can be right by standing still. Where `constant`, one of them
 * is a constant instead. */
static void copy_and_compare(philox_stream *s, random_kind kind, bool constant)
{
  random_tape r = random_tape_make(s, kind);
  double *lanes = malloc(r.inputs * LANES * sizeof *lanes);
  random_lanes(lanes, r.inputs, s, false);
  fmpq *input = _fmpq_vec_init((slong)r.inputs), *turned = _fmpq_vec_init((slong)r.inputs);
  random_exact(input, lanes, r.inputs, 3);
  tape *to = tape_create(100000);
  tape_integer(to, 5);
  tape_id *replace = malloc(r.tape->ops * sizeof *replace);
  for (size_t i = 0; i < r.tape->ops; i++)
    replace[i] = TAPE_NONE;
  for (size_t i = 0; i < r.inputs; i++) {
    fmpq_set(&turned[r.inputs - 1 - i], &input[i]);
    tape_add_element(to, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
    replace[r.value[i]] = tape_leaf(to, TAPE_INPUT, (uint32_t)(r.inputs - 1 - i));
  }
  if (constant)
    replace[r.value[0]] = tape_constant(to, &input[0]);
  tape_id *at = tape_copy(to, r.tape, replace);
  size_t n = r.values + r.truths;
  tape_id *before = malloc(n * sizeof *before), *after = malloc(n * sizeof *after);
  for (size_t k = 0; k < n; k++) {
    before[k] = k < r.values ? r.value[k] : r.truth[k - r.values];
    after[k] = at[before[k]];
    ck_assert_uint_lt(after[k], to->ops);
  }
  exact_run_of a = run_exactly(r.tape, before, n, input), b = run_exactly(to, after, n, turned);
  expect_same(&a, &b, r.values, n);
  run_clear(&a);
  run_clear(&b);
  free(before);
  free(after);
  free(at);
  free(replace);
  tape_destroy(to);
  _fmpq_vec_clear(input, (slong)r.inputs);
  _fmpq_vec_clear(turned, (slong)r.inputs);
  free(lanes);
  random_tape_clear(&r);
}

START_TEST(test_random)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("copy"), 0, 0);
  for (int i = 0; i < 1500; i++)
    copy_and_compare(&s, i % 2 ? RANDOM_RATIONAL : RANDOM_DYADIC, false);
}
END_TEST

/* With RANDOM_ANY most values are irrational and only their status is compared; a constant folds what it reaches. */
START_TEST(test_folding)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("fold"), 0, 0);
  for (int i = 0; i < 1500; i++)
    copy_and_compare(&s, i % 3 ? RANDOM_RATIONAL : RANDOM_DYADIC, true);
  for (int i = 0; i < 300; i++)
    copy_and_compare(&s, RANDOM_ANY, false);
}
END_TEST

/* What stands for an operation that is no input cuts off what it was computed from. */
START_TEST(test_inner)
{
  tape *from = tape_create(100), *to = tape_create(100);
  for (int i = 0; i < 2; i++)
    tape_add_element(from, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
  tape_id x = tape_leaf(from, TAPE_INPUT, 0), y = tape_leaf(from, TAPE_INPUT, 1);
  tape_id sum = tape_binary(from, TAPE_ADD, x, y), both = tape_binary(from, TAPE_MULTIPLY, sum, x);
  tape_id replace[8] = {TAPE_NONE, TAPE_NONE, TAPE_NONE, TAPE_NONE, TAPE_NONE, TAPE_NONE, TAPE_NONE, TAPE_NONE};
  ck_assert_uint_le(from->ops, 8);
  tape_add_element(to, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
  replace[x] = tape_leaf(to, TAPE_INPUT, 0);
  replace[y] = tape_integer(to, 0);
  replace[sum] = tape_integer(to, 7);
  tape_id *at = tape_copy(to, from, replace);
  fmpq input[1], value[1];
  fmpq_init(input);
  fmpq_init(value);
  fmpq_set_si(input, 5, 2);
  exact_run_of r = run_exactly(to, &at[both], 1, input);
  ck_assert_int_eq(exact_value(value, r.state, 0), STATUS_OK);
  ck_assert(fmpz_equal_si(fmpq_numref(value), 35) && fmpz_equal_si(fmpq_denref(value), 2));
  run_clear(&r);
  fmpq_clear(input);
  fmpq_clear(value);
  free(at);
  tape_destroy(from);
  tape_destroy(to);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("copies of tapes");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_random);
  tcase_add_test(all, test_folding);
  tcase_add_test(all, test_inner);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
