/* The forms at special values and in small cases computed by hand, and Mamba-2 as the selective scan that
 * it is. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forms_cases.h"

static const scan_options methods[] = {
  {.method = SCAN_REFERENCE}, {.method = SCAN_VECTOR}, {.method = SCAN_CHUNKED}};
enum { METHODS = 3 };

static scan_input row_of(const double *p, size_t n)
{
  return (scan_input){p, n, 0};
}

static scan_output row_to(double *p, size_t n)
{
  return (scan_output){p, n, 0};
}

/* alpha = 0 forgets and alpha = 1 keeps, exactly, whichever way they are given. */
START_TEST(gates_at_their_ends)
{
  const double alpha[] = {0, 1, 0, 1}, logarithm[] = {-INFINITY, 0, -800, -0.0}, z[] = {3, 5, -7, 11};
  for (int kind = FORM_STEP_CONVEX; kind <= FORM_STEP_ROOT; kind++)
    for (int given = 0; given < 2; given++) {
      double state[4] = {2, 2, 2, 2}, h[4], used[4], step[4];
      form_gate f = {.sequences = 1, .tokens = 1, .channels = 4, .kind = (form_step)kind, .z = row_of(z, 4),
                     .h = row_to(h, 4), .alpha_used = row_to(used, 4), .step_used = row_to(step, 4)};
      if (given)
        f.alpha = row_of(alpha, 4);
      else
        f.log_alpha = row_of(logarithm, 4);
      form_scan_gate(&methods[_i], state, &f);
      for (int k = 0; k < 4; k++) {
        ck_assert(used[k] == alpha[k]);
        ck_assert(step[k] == 1 - alpha[k]);
        ck_assert(!signbit(step[k]));
        ck_assert(h[k] == (alpha[k] == 0 ? z[k] : 2));
        ck_assert(state[k] == h[k]);
      }
    }
}
END_TEST

/* sqrt(1 - alpha^2) next to alpha = 1: for 1 - e it is sqrt(2 e - e^2), for e^-x nearly sqrt(2 x). */
START_TEST(root_next_to_one)
{
  const double z[] = {1, 1}, alpha[] = {1 - 0x1p-53, 1 - 0x1p-30}, logarithm[] = {-0x1p-61, -0x1p-1001};
  const double from_alpha[] = {0x1p-26, 0x1.6a09e66689b2ep-15}; /* by Python's decimal, 60 digits */
  const double from_logarithm[] = {0x1p-30, 0x1p-500};
  double state[2] = {0, 0}, step[2];
  form_gate f = {.sequences = 1, .tokens = 1, .channels = 2, .kind = FORM_STEP_ROOT, .z = row_of(z, 2),
                 .alpha = row_of(alpha, 2), .step_used = row_to(step, 2)};
  form_scan_gate(&methods[_i], state, &f);
  for (int k = 0; k < 2; k++)
    ck_assert_msg(fabs(step[k] - from_alpha[k]) <= 0x1p-51 * from_alpha[k], "%a", step[k]);
  f.alpha.at = NULL;
  f.log_alpha = row_of(logarithm, 2);
  form_scan_gate(&methods[_i], state, &f);
  for (int k = 0; k < 2; k++)
    ck_assert_msg(fabs(step[k] - from_logarithm[k]) <= 0x1p-51 * from_logarithm[k], "%a", step[k]);
}
END_TEST

/* What is not a number stays in its channel. */
START_TEST(not_a_number)
{
  double z[2 * 70], alpha[2 * 70], state[70] = {0}, h[2 * 70];
  for (int i = 0; i < 140; i++) {
    z[i] = i == 20 ? NAN : 1;
    alpha[i] = 0.5;
  }
  form_gate f = {.sequences = 1, .tokens = 2, .channels = 70, .kind = FORM_STEP_CONVEX, .z = row_of(z, 70),
                 .alpha = row_of(alpha, 70), .h = row_to(h, 70)};
  form_scan_gate(&methods[_i], state, &f);
  for (int i = 0; i < 140; i++)
    ck_assert(isnan(h[i]) == (i % 70 == 20));
}
END_TEST

/* a = i turns a quarter: 1, then i + 1, then (i + 1) i + 1 = i. */
START_TEST(quarter_turns)
{
  const double a[] = {0, 1}, x[] = {1, 0, 1, 0, 1, 0}, one[] = {1, 1, 1}, c[] = {1, -1};
  double state[2] = {0, 0}, h[6], y[3];
  form_poles f = {1, 3, 1, a, row_of(x, 2), row_to(h, 2)};
  form_scan_poles(&methods[_i], state, &f);
  const double expected[] = {1, 0, 1, 1, 0, 1};
  ck_assert(memcmp(h, expected, sizeof h) == 0);
  ck_assert(state[0] == 0 && state[1] == 1);

  /* Re (1 - i) h = re + im, twice; and skip 10. */
  const double b[] = {1, 0}, skip[] = {10};
  double again[2] = {0, 0};
  form_diagonal d = {.sequences = 1, .tokens = 3, .channels = 1, .states = 1, .is_complex = true,
                     .conjugates = true,
                     .a = a, .b = b, .c = c, .skip = skip, .u = row_of(one, 1), .y = row_to(y, 1)};
  form_scan_diagonal(&methods[_i], again, &d);
  ck_assert(y[0] == 12 && y[1] == 14 && y[2] == 12);
  d.conjugates = false;
  d.skip = NULL;
  again[0] = again[1] = 0;
  form_scan_diagonal(&methods[_i], again, &d);
  ck_assert(y[0] == 1 && y[1] == 2 && y[2] == 1);
}
END_TEST

/* Two tokens, two keys, one value channel, alpha = (1/2, 2): M = (1, 2) 3 = (3, 6), then
 * (1.5, 12) + (3, 1) 5 = (16.5, 17). With a bonus (10, 100) the second token reads the first matrix, and its
 * own value, 5, weighs 1*10*3 + 2*100*1. */
START_TEST(matrix_by_hand)
{
  const double alpha[] = {0.5, 2}, key[] = {1, 2, 3, 1}, query[] = {1, 1, 1, 2}, value[] = {3, 5},
    bonus[] = {10, 100};
  double state[2] = {0, 0}, y[2], h[4];
  form_matrix f = {.sequences = 1, .tokens = 2, .heads = 1, .groups = 1, .keys = 2, .values = 1,
                   .kind = FORM_DECAY_KEY,
                   .alpha = {alpha, 0, 0}, .key = row_of(key, 2), .query = row_of(query, 2),
                     .value = row_of(value, 1), .y = row_to(y, 1), .h = row_to(h, 2)};
  form_scan_matrix(&methods[_i], state, &f);
  ck_assert(h[0] == 3 && h[1] == 6 && h[2] == 16.5 && h[3] == 17);
  ck_assert(y[0] == 9 && y[1] == 50.5);
  ck_assert(state[0] == 16.5 && state[1] == 17);
  f.bonus = bonus;
  state[0] = state[1] = 0;
  form_scan_matrix(&methods[_i], state, &f);
  ck_assert(y[0] == 3 * (10 + 200) && y[1] == 3 + 12 + 5 * (30 + 200));
}
END_TEST

/* RWKV-4: the first token is its own mean; equal keys without decay give means; keys far apart leave one
 * value. */
START_TEST(means)
{
  const double no_decay[] = {0}, decay[] = {-INFINITY}, bonus[] = {0};
  const double key[] = {7, 7, 7, 7}, value[] = {1, 2, 6, 3};
  double state[3], y[4], h[4], alpha[4], step[4];
  form_wkv f = {.sequences = 1, .tokens = 4, .channels = 1, .log_decay = no_decay, .bonus = bonus,
                .key = row_of(key, 1),
                .value = row_of(value, 1), .y = row_to(y, 1), .h = row_to(h, 1), .alpha = row_to(alpha, 1),
                .step = row_to(step, 1)};
  form_wkv_begin(state, 1, 1);
  form_scan_wkv(&methods[_i], state, &f);
  ck_assert(y[0] == 1 && y[1] == 1.5 && y[2] == 3 && y[3] == 3);
  ck_assert(memcmp(y, h, sizeof y) == 0);
  ck_assert(alpha[0] == 0 && step[0] == 1 && alpha[1] == 0.5 && step[3] == 0.25);

  f.log_decay = decay; /* everything before is forgotten behind the next token; y still sees one token back */
  form_wkv_begin(state, 1, 1);
  form_scan_wkv(&methods[_i], state, &f);
  for (int t = 0; t < 4; t++)
    ck_assert(h[t] == value[t]);
  ck_assert(y[1] == 1.5 && y[2] == 4);

  const double far[] = {-2000, 2000, 0, 2000};
  f.log_decay = no_decay;
  f.key = row_of(far, 1);
  form_wkv_begin(state, 1, 1);
  form_scan_wkv(&methods[_i], state, &f);
  ck_assert(y[0] == 1 && y[1] == 2 && y[2] == 2 && y[3] == 2.5);
}
END_TEST

/* A head of Mamba-2 is a selective scan whose channels share step and rate. */
START_TEST(heads_as_selective_scan)
{
  enum { S = 2, T = 70, H = 3, P = 5, N = 4, D = H * P };
  form_case c;
  case_init(&c, CASE_HEADS, (case_sizes){S, T, P, N, H, 1, 2}, 5);
  form_heads f = c.form.heads;
  static double y[S * T * D], other[S * T * D], step[S * T * D], rate[D * N], skip[D], state[S * D * N],
    before[S * D * N];
  memset(state, 0, sizeof state);
  memset(before, 0, sizeof before);
  f.y = (scan_output){y, D, T * D};
  form_scan_heads(&methods[_i], state, &f);
  for (size_t d = 0; d < D; d++) {
    skip[d] = f.skip[d / P];
    for (size_t n = 0; n < N; n++)
      rate[d * N + n] = f.rate[d / P];
    for (size_t s = 0; s < S; s++)
      for (size_t t = 0; t < T; t++)
        step[(s * T + t) * D + d] = f.step.at[s * f.step.sequence + t * f.step.token + d / P];
  }
  scan_layer layer = {D, N, rate, skip};
  scan_inputs in = {.sequences = S, .tokens = T, .step = {step, D, T * D}, .u = f.x, .b = f.b, .c = f.c};
  scan_outputs out = {.y = {other, D, T * D}};
  ck_assert(scan_selective(NULL, before, &out, &layer, &in) == STATUS_OK);
  for (size_t i = 0; i < S * T * D; i++)
    ck_assert_msg(fabs(y[i] - other[i]) <= 1e-13, "%zu: %.17g, %.17g", i, y[i], other[i]);
  for (size_t i = 0; i < S * D * N; i++)
    ck_assert(fabs(state[i] - before[i]) <= 1e-13);
  case_clear(&c);
}
END_TEST

/* A rate of 0 keeps everything, one of -1000 and more nothing: polarized channels. */
START_TEST(polar_heads)
{
  const double rate[] = {0, -1000}, step[] = {1, 1, 1, 1, 1, 1}, ones[] = {1, 1, 1, 1, 1, 1};
  double state[2] = {0, 0}, y[6], alpha[6];
  form_heads f = {.sequences = 1, .tokens = 3, .heads = 2, .groups = 1, .channels = 1, .states = 1,
                  .rate = rate,
                  .step = row_of(step, 2), .b = row_of(ones, 1), .c = row_of(ones, 1), .x = row_of(ones, 2),
                  .y = row_to(y, 2), .alpha = row_to(alpha, 2)};
  form_scan_heads(&methods[_i], state, &f);
  for (int t = 0; t < 3; t++)
    ck_assert(y[2 * t] == t + 1 && y[2 * t + 1] == 1 && alpha[2 * t] == 1 && alpha[2 * t + 1] == 0);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("forms, special values");
  TCase *tc = tcase_create("values");
  tcase_add_loop_test(tc, gates_at_their_ends, 0, METHODS);
  tcase_add_loop_test(tc, root_next_to_one, 0, METHODS);
  tcase_add_loop_test(tc, not_a_number, 0, METHODS);
  tcase_add_loop_test(tc, quarter_turns, 0, METHODS);
  tcase_add_loop_test(tc, matrix_by_hand, 0, METHODS);
  tcase_add_loop_test(tc, means, 0, METHODS);
  tcase_add_loop_test(tc, heads_as_selective_scan, 0, METHODS);
  tcase_add_loop_test(tc, polar_heads, 0, METHODS);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
