/* Spreads of decays: two tokens, two channels, two states, by hand. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/spread.h"

/* Sixteenths: exact in double. */
static const double sixteenths[] = {14, 8, 3, 3, /* token 1 */ 12, 1, 5, 16};

static void see_two_tokens(spread *s, size_t layer, bool whole)
{
  double alpha[8];
  for (int i = 0; i < 8; i++)
    alpha[i] = sixteenths[i] / 16;
  net_view v = {.layer = layer, .tokens = whole ? 2 : 1, .alpha = alpha};
  spread_see(s, &v);
  if (!whole) {
    v.first = 1;
    v.alpha = alpha + 4;
    spread_see(s, &v);
  }
}

START_TEST(test_by_hand)
{
  const net_layer shape[] = {{.channels = 2, .states = 2}, {.channels = 2, .states = 2}, {.channels = 8, .states = 1}};
  spread *s = spread_create_of(3, shape);
  see_two_tokens(s, 0, true);
  see_two_tokens(s, 1, false);
  net_view none = {.layer = 2, .tokens = 2};
  spread_see(s, &none); /* a family without decays */
  const spread_report *r = spread_finish(s, NULL);
  for (int l = 0; l < 2; l++) {
    const spread_layer *layer = &r->layer[l];
    ck_assert(layer->known && layer->has_states);
    ck_assert_uint_eq(layer->tokens, 2);
    /* Over states 6, 0, 11, 11; their means 8.5 and 5.5; over tokens 2, 7, 2, 13; in all 13 and 13. */
    ck_assert_uint_eq(layer->by_state.values.count, 4);
    ck_assert_double_eq(measured_mean(&layer->by_state.values), 7.0 / 16);
    ck_assert_double_eq(layer->by_state.least, 0);
    ck_assert_double_eq(layer->by_state.greatest, 11.0 / 16);
    ck_assert_uint_eq(layer->by_state.below[0], 1);
    ck_assert_uint_eq(layer->by_state.below[6], 1);  /* below 0.35 */
    ck_assert_uint_eq(layer->by_state.below[7], 2);  /* 6/16 is below 0.4 */
    ck_assert_uint_eq(layer->by_state.below[12], 2); /* 11/16 is not below 0.65 */
    ck_assert_uint_eq(layer->by_state.below[13], 4);
    ck_assert_uint_eq(layer->by_state.below[19], 4);
    ck_assert_uint_eq(layer->by_state_mean.below[9], 1); /* 5.5 is below 8, 8.5 is not */
    ck_assert_double_eq(layer->by_state_mean.greatest, 8.5 / 16);
    ck_assert_double_eq(measured_mean(&layer->by_state_most.values), 11.0 / 16);
    ck_assert_double_eq(measured_mean(&layer->by_token.values), 6.0 / 16);
    ck_assert_uint_eq(layer->by_token.below[2], 2); /* 2/16 = 0.125 */
    ck_assert_uint_eq(layer->by_token.below[1], 0);
    ck_assert_uint_eq(layer->whole.values.count, 2);
    ck_assert_double_eq(layer->whole.least, 13.0 / 16); /* 14 - 1 */
    ck_assert_double_eq(layer->whole.greatest, 13.0 / 16); /* 16 - 3 */
  }
  ck_assert(!r->layer[2].known);
  ck_assert(r->total.known);
  ck_assert_uint_eq(r->total.channels, 4);
  ck_assert_uint_eq(r->total.by_token.values.count, 8);
  ck_assert_uint_eq(r->total.by_state.below[7], 4);
  spread_destroy(s);
}
END_TEST

START_TEST(test_edges)
{
  spread_histogram h = {.least = 0};
  static const double value[] = {0, 0.05, 0.5, 0.999, 1, NAN};
  for (int i = 0; i < 6; i++)
    spread_histogram_add(&h, value[i]);
  ck_assert_uint_eq(h.below[0], 1); /* 0.05 is not below 0.05 */
  ck_assert_uint_eq(h.below[1], 2);
  ck_assert_uint_eq(h.below[9], 2); /* nor 0.5 below 0.5 */
  ck_assert_uint_eq(h.below[10], 3);
  ck_assert_uint_eq(h.below[19], 4); /* a spread of 1 is below none */
  ck_assert_uint_eq(h.values.undefined, 1);

  /* One state: nothing to compare over states. A NaN spoils its channel at that token and its entry, and no other. */
  const net_layer shape[] = {{.channels = 2, .states = 1}, {.channels = 1, .states = 2}};
  spread *s = spread_create_of(2, shape);
  net_view v = {.layer = 0, .tokens = 2, .alpha = (const double[]){0.5, 0.25, 0.5, 0.75}};
  spread_see(s, &v);
  v = (net_view){.layer = 1, .tokens = 3, .alpha = (const double[]){0.5, 0.25, 0.5, NAN, 0.25, 0.75}};
  spread_see(s, &v);
  const bool chosen[] = {false, true};
  const spread_report *r = spread_finish(s, chosen);
  ck_assert_uint_eq(r->layer[0].by_state.values.count + r->layer[0].by_state.values.undefined, 0);
  ck_assert_double_eq(r->layer[0].by_token.least, 0);
  ck_assert_double_eq(r->layer[0].by_token.greatest, 0.5);
  ck_assert_uint_eq(r->layer[1].by_state.values.count, 2);
  ck_assert_uint_eq(r->layer[1].by_state.values.undefined, 1);
  ck_assert_double_eq(measured_mean(&r->layer[1].by_state_mean.values), 0.375);
  ck_assert_uint_eq(r->layer[1].by_token.values.undefined, 1);
  ck_assert_double_eq(measured_mean(&r->layer[1].by_token.values), 0.25);
  ck_assert_uint_eq(r->layer[1].whole.values.undefined, 1);
  ck_assert_uint_eq(r->total.by_token.values.count, 1);
  spread_destroy(s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("spread");
  TCase *tests = tcase_create("spread");
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_edges);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
