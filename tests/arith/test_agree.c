/* Random tapes: exact, ball and bounded must agree. Where the exact value is known it lies in the ball and
 * in the bounded interval; truths never contradict each other; what is undefined is never given a value. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "random_tape.h"

enum { TAPES = 1500, EXACT_BITS = 20000 };

typedef struct {
  size_t values, known, truths, decided, ball_decided, exact_decided, undefined;
} tally;

typedef struct {
  random_tape r;
  tape_program *program;
  bounded_state *bounded;
  exact_state *exact;
  ball_state *plain, *sharp, *over_exact;
  fmpq *point;
  uint64_t number;
  tally count;
} trial;

static void disagree(const trial *t, unsigned lane, size_t output, const char *what)
{
  ck_abort_msg("tape %" PRIu64 ", lane %u, output %zu (%s): %s", t->number, lane, output,
               tape_opcode_name((tape_opcode)t->r.tape->op[t->program->output[output].id].op), what);
}

static void setup(trial *t, const tape_id *outputs, size_t n, size_t first)
{
  t->program = tape_compile(t->r.tape, outputs, n, first, false);
  t->bounded = bounded_create(t->program);
  t->exact = exact_create(t->program, EXACT_BITS);
  t->plain = ball_create(t->program, EXACT_BITS);
  t->sharp = ball_create(t->program, EXACT_BITS);
  t->over_exact = ball_create(t->program, EXACT_BITS);
}

static void teardown(trial *t)
{
  bounded_destroy(t->bounded);
  exact_destroy(t->exact);
  ball_destroy(t->plain);
  ball_destroy(t->sharp);
  ball_destroy(t->over_exact);
  tape_program_destroy(t->program);
}

static void interval(arb_t x, double value, double error)
{
  arf_t e;
  arf_init(e);
  arf_set_d(e, error);
  arf_set_d(arb_midref(x), value);
  mag_zero(arb_radref(x));
  arb_add_error_arf(x, e); /* rounds up by a little: containment is decided exactly below */
  arf_clear(e);
}

static bool within(const fmpq_t x, double value, double error)
{
  fmpq_t difference, bound;
  arf_t a;
  fmpq_init(difference);
  fmpq_init(bound);
  arf_init(a);
  arf_set_d(a, value);
  arf_get_fmpq(difference, a);
  fmpq_sub(difference, difference, x);
  fmpq_abs(difference, difference);
  arf_set_d(a, error);
  arf_get_fmpq(bound, a);
  bool yes = fmpq_cmp(difference, bound) <= 0;
  arf_clear(a);
  fmpq_clear(bound);
  fmpq_clear(difference);
  return yes;
}

static void check_value(trial *t, unsigned lane, size_t k)
{
  double value, error;
  bounded_value(t->bounded, k, lane, &value, &error);
  fmpq_t x;
  arb_t ball[3], range;
  fmpq_init(x);
  arb_init(range);
  assay_status status[3], exact = exact_value(x, t->exact, k);
  ball_state *state[3] = {t->plain, t->sharp, t->over_exact};
  bool known = error < HUGE_VAL;
  t->count.values++;
  t->count.known += known;
  interval(range, value, known ? error : 0);
  if (exact == STATUS_OK && known && !within(x, value, error))
    disagree(t, lane, k, "the exact value lies outside of the bounded interval");
  if (exact == STATUS_UNDEFINED && known)
    disagree(t, lane, k, "bounded gives a value to what is undefined");
  for (int j = 0; j < 3; j++) {
    arb_init(ball[j]);
    status[j] = ball_value(ball[j], state[j], k);
    if (status[j] == STATUS_OK && exact == STATUS_OK && !arb_contains_fmpq(ball[j], x))
      disagree(t, lane, k, "the exact value lies outside of the ball");
    if (status[j] == STATUS_OK && exact == STATUS_UNDEFINED)
      disagree(t, lane, k, "a ball for what is undefined");
    if (status[j] == STATUS_UNDEFINED && exact == STATUS_OK)
      disagree(t, lane, k, "ball takes for undefined what has a value");
    if (status[j] == STATUS_UNDEFINED && known)
      disagree(t, lane, k, "ball takes for undefined what bounded gives a value to");
    if (status[j] == STATUS_OK && known && !arb_overlaps(range, ball[j]))
      disagree(t, lane, k, "ball and bounded do not overlap");
    if (j > 0 && status[0] == STATUS_OK && status[j] == STATUS_OK && !arb_overlaps(ball[0], ball[j]))
      disagree(t, lane, k, "two balls do not overlap");
  }
  if (exact == STATUS_OK && status[2] != STATUS_OK)
    disagree(t, lane, k, "the ball over exact values lost one");
  for (int j = 0; j < 3; j++)
    arb_clear(ball[j]);
  arb_clear(range);
  fmpq_clear(x);
}

static void check_truth(trial *t, unsigned lane, size_t k)
{
  bool yes = bounded_true(t->bounded, k) >> lane & 1, no = bounded_false(t->bounded, k) >> lane & 1;
  if (yes && no)
    disagree(t, lane, k, "bounded says both");
  const truth all[] = {yes ? TRUTH_TRUE : no ? TRUTH_FALSE : TRUTH_UNKNOWN, exact_truth(t->exact, k),
                       ball_truth(t->plain, k), ball_truth(t->sharp, k), ball_truth(t->over_exact, k)};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < i; j++)
      if (!random_consistent(all[i], all[j])) {
        char what[100];
        snprintf(what, sizeof what, "arithmetics %d and %d say %s and %s", j, i, truth_name(all[j]),
                 truth_name(all[i]));
        disagree(t, lane, k, what);
      }
  t->count.truths++;
  t->count.decided += yes || no;
  t->count.exact_decided += all[1] == TRUTH_TRUE || all[1] == TRUTH_FALSE;
  t->count.ball_decided += all[3] == TRUTH_TRUE || all[3] == TRUTH_FALSE;
  t->count.undefined += all[1] == TRUTH_UNDEFINED;
}

static void check_lane(trial *t, const double *input, unsigned lane)
{
  bool bad = false;
  for (size_t k = 0; k < t->program->steps; k++)
    if (t->program->step[k].op == TAPE_INPUT)
      bad = bad || !isfinite(input[t->program->step[k].a * LANES + lane]);
  if (bad) {
    for (size_t k = 0; k < t->program->outputs; k++)
      if (t->program->output[k].truth &&
          ((bounded_true(t->bounded, k) | bounded_false(t->bounded, k)) >> lane & 1))
        disagree(t, lane, k, "a truth from an input that is no number");
    return;
  }
  random_exact(t->point, input, t->r.inputs, lane);
  exact_run(t->exact, t->point);
  ball_run(t->plain, t->point, 53, false);
  ball_run(t->sharp, t->point, 200, false);
  ball_run(t->over_exact, t->point, 64, true);
  for (size_t k = 0; k < t->program->outputs; k++) {
    if (t->program->output[k].truth)
      check_truth(t, lane, k);
    else
      check_value(t, lane, k);
  }
}

static void check_program(trial *t, philox_stream *random, bool wild)
{
  double *input = memory_new(t->r.inputs * LANES, sizeof *input);
  random_lanes(input, t->r.inputs, random, wild);
  bounded_run_first(t->bounded, input);
  bounded_run_second(t->bounded, input);
  for (unsigned lane = 0; lane < LANES; lane += 3)
    check_lane(t, input, lane);
  free(input);
}

static tally run_kind(random_kind kind)
{
  tally total = {0};
  for (uint64_t number = 0; number < TAPES; number++) {
    philox_stream random = philox_stream_start(20250807, (uint32_t)kind, number, 0);
    trial t = {.number = number, .r = random_tape_make(&random, kind)};
    t.point = memory_new(t.r.inputs, sizeof *t.point);
    for (size_t i = 0; i < t.r.inputs; i++)
      fmpq_init(&t.point[i]);
    /* Everything as an output; then only the last value and truth, so that steps can be fused and slots
     * reused. */
    size_t n = t.r.values + t.r.truths;
    tape_id *all = memory_new(n, sizeof *all);
    memcpy(all, t.r.value, t.r.values * sizeof *all);
    memcpy(all + t.r.values, t.r.truth, t.r.truths * sizeof *all);
    setup(&t, all, n, n / 2);
    check_program(&t, &random, number % 5 == 0);
    teardown(&t);
    tape_id few[4] = {t.r.truth[t.r.truths / 2], t.r.value[t.r.values - 1], t.r.truth[t.r.truths - 1],
                      t.r.value[t.r.values / 2]};
    setup(&t, few, 4, number % 5);
    check_program(&t, &random, false);
    teardown(&t);
    free(all);
    for (size_t i = 0; i < t.r.inputs; i++)
      fmpq_clear(&t.point[i]);
    free(t.point);
    random_tape_clear(&t.r);
    total.values += t.count.values;
    total.known += t.count.known;
    total.truths += t.count.truths;
    total.decided += t.count.decided;
    total.ball_decided += t.count.ball_decided;
    total.exact_decided += t.count.exact_decided;
    total.undefined += t.count.undefined;
  }
  printf("values %zu, known to bounded %zu; truths %zu, decided by bounded %zu, by ball %zu, by exact %zu, "
         "undefined %zu\n",
         total.values, total.known, total.truths, total.decided, total.ball_decided, total.exact_decided,
         total.undefined);
  return total;
}

START_TEST(dyadic_tapes)
{
  tally t = run_kind(RANDOM_DYADIC);
  ck_assert_uint_gt(t.exact_decided, t.truths / 10 * 9);
  ck_assert_uint_gt(t.decided, t.truths / 2);
}
END_TEST

START_TEST(rational_tapes)
{
  tally t = run_kind(RANDOM_RATIONAL);
  ck_assert_uint_gt(t.exact_decided, t.truths / 2);
  ck_assert_uint_gt(t.undefined, 1000);
  ck_assert_uint_gt(t.decided, t.truths / 3);
}
END_TEST

START_TEST(tapes_with_functions)
{
  tally t = run_kind(RANDOM_ANY);
  ck_assert_uint_gt(t.decided, t.truths / 5);
  ck_assert_uint_gt(t.ball_decided, t.decided);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("agree");
  TCase *tests = tcase_create("random tapes");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, dyadic_tapes);
  tcase_add_test(tests, rational_tapes);
  tcase_add_test(tests, tapes_with_functions);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
