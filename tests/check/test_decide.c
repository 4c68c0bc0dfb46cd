/* A lane of a block, decided from its doubles and from what `bounded` found, comes out as the same instance
 * does from fractions: drawn instances of small claims, ties and all. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/stage.h"
#include "core/memory.h"
#include "core/rational.h"
#include "source/draw.h"

static const char *const claims[] = {
    /* only + - *, with ties */
    "claim a\n size T >= 2\n given alpha[t in 1..T] in (0, 1)\n given delta[t in 2..T] in [0, 1 - alpha[t]]\n"
    " given z[t in 2..T] in real\n given p in [0, 1]\n let m = min(t in 2..T: z[t])\n"
    " let M = max(t in 2..T: z[t])\n let A = min(t in 1..T: alpha[t])\n let s[1] = p*m + (1 - p)*M\n"
    " let s[t in 2..T] = alpha[t]*s[t-1] + delta[t]*z[t]\n assume centred: m <= 0 <= M\n"
    " show lower: forall t in 2..T: (1 - A^(t-1)*(1 - p))*m + A^(t-1)*(1 - p)*M <= s[t]\n"
    " show upper: forall t in 2..T: s[t] <= A^(t-1)*p*m + (1 - A^(t-1)*p)*M\nend\n",
    /* false now and then, and an equality to decide */
    "claim b\n size T >= 2\n given x[t in 1..T] in [-1, 1]\n assume some: x[1] + x[2] <= 1\n"
    " show a: x[1]*x[2] <= x[1]^2\n show b: x[1]*x[2] = x[2]*x[T]\n show c: abs(x[1] + x[2]) < 1\nend\n",
    /* with division, undefined here and there */
    "claim c\n size T >= 2\n given x[t in 1..T] in [-1, 1]\n show a: x[1]/x[2] <= 1/3\n"
    " show b: x[1]^2 >= x[1]*x[T]\nend\n",
    /* transcendental */
    "claim d\n size T >= 2\n given x[t in 1..T] in real\n show a: exp(x[1]) >= 1 + x[1]\n"
    " show b: x[1]*x[2] <= x[T]\nend\n",
    /* an equality hypothesis that is solved */
    "claim e\n size T >= 2\n given x[t in 1..T] in [0, 1]\n given y in real\n assume tied: x[1]*y = x[2]\n"
    " show a: y <= 1\n show b: x[1]*y >= x[2]\nend\n",
};

static bool is_known(truth a)
{
  return a == TRUTH_TRUE || a == TRUTH_FALSE || a == TRUTH_UNDEFINED;
}

static truth certain(const bounded_state *b, size_t k, unsigned lane)
{
  return bounded_true(b, k) >> lane & 1    ? TRUTH_TRUE
         : bounded_false(b, k) >> lane & 1 ? TRUTH_FALSE
                                           : TRUTH_UNKNOWN;
}

static void check_claim(const char *source, int64_t size)
{
  enum { BLOCKS = 40, MOST = 8 };
  diag *d = diag_create(NULL, 5);
  diag_source *file = diag_source_from("probe.claim", source, strlen(source));
  library *l = library_read_source(d, file, 0);
  ck_assert_msg(l != NULL, "%s%s", source, diag_text(d));
  stage g;
  ck_assert(stage_create(&g, d, library_claim(l, 0), &size, 512));
  drawer *draw = drawer_create(g.solved);
  ck_assert_ptr_nonnull(draw);
  drawer_state *state = drawer_state_create(draw);
  double *input = drawer_new_input(draw);
  bounded_state *bounded = bounded_create(decider_program(g.block_decider));
  stage_state by_lane, by_fraction;
  stage_state_init(&by_lane, &g);
  stage_state_init(&by_fraction, &g);
  fmpq *value = stage_new_values(g.plain->elements);
  const uint32_t *labels;
  size_t targets = decider_targets(g.decider, &labels), open = 0, settled = 0;
  ck_assert_uint_le(targets, MOST);
  for (uint64_t block = 0; block < BLOCKS; block++) {
    drawer_fill(state, input, 5, 0, block * LANES, 0);
    bounded_run_first(bounded, input);
    bounded_run_second(bounded, input);
    for (unsigned lane = 0; lane < LANES; lane++) {
      truth known[MOST + 1];
      for (size_t k = 0; k <= targets; k++) {
        known[k] = certain(bounded, k, lane);
        open += !is_known(known[k]);
      }
      for (size_t e = 0; e < g.plain->elements; e++)
        rational_set_double(&value[e], input[e * LANES + lane]);
      truth right = stage_decide(&by_fraction, value);
      truth hypotheses = stage_decide_lane(&by_lane, input, lane, known[0], known + 1);
      ck_assert_msg(hypotheses == right, "%shypotheses %s, not %s", source, truth_name(hypotheses), truth_name(right));
      /* What is known beforehand must not be needed. */
      for (size_t k = 0; k <= targets; k++)
        known[k] = TRUTH_UNKNOWN;
      truth target[MOST];
      memcpy(target, by_lane.target, targets * sizeof *target);
      ck_assert(stage_decide_lane(&by_lane, input, lane, known[0], known + 1) == right);
      for (size_t k = 0; right == TRUTH_TRUE && k < targets; k++) {
        settled++;
        ck_assert_msg(target[k] == by_fraction.target[k] && by_lane.target[k] == target[k],
                      "%starget %zu: %s and %s, not %s", source, k, truth_name(target[k]),
                      truth_name(by_lane.target[k]), truth_name(by_fraction.target[k]));
      }
    }
  }
  ck_assert_uint_gt(open, 0);
  ck_assert_uint_gt(settled, 100);
  stage_free_values(value, g.plain->elements);
  stage_state_clear(&by_lane);
  stage_state_clear(&by_fraction);
  bounded_destroy(bounded);
  free(input);
  drawer_state_destroy(state);
  drawer_destroy(draw);
  stage_clear(&g);
  library_destroy(l);
  diag_source_destroy(file);
  diag_destroy(d);
}

START_TEST(test_lanes)
{
  check_claim(claims[_i], 2);
  check_claim(claims[_i], 5);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("decide");
  TCase *tests = tcase_create("decide");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_lanes, 0, sizeof claims / sizeof *claims);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
