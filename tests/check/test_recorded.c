/* Recorded activations: names, shapes, what is not there, steps that are no numbers, and counts against the exact reals. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/made_model.h"
#include "check/model_audit.h"
#include "core/philox.h"

static const uint64_t seed = 20250812;
enum { MOST = 64 };

#define MAMBA \
  "family mamba size D >= 1 as channel size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n" \
  "given u[d in 1..D] in real as activation\n" \
  "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n" \
  "let step[d in 1..D] as step = softplus(u[d] + b[d])\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"

typedef struct {
  made_families f;
  dump_file *file, *activations;
  model m;
  model_report report;
  dump_error error;
  assay_status status;
} asked;

static asked ask(const char *families, const made_tensor *t, size_t tensors, const made_tensor *x, size_t count)
{
  asked a = {.f = made_families_text(families), .file = made_model(t, tensors), .activations = made_model(x, count)};
  dump_error_init(&a.error);
  ck_assert_int_eq(model_recognise(&a.m, a.f.family, a.f.count, a.file, &a.error), STATUS_OK);
  model_options options = model_options_default();
  options.activations = a.activations;
  a.status = model_audit(&a.report, &a.m, &options, &a.error);
  return a;
}

static void asked_clear(asked *a)
{
  if (a->status == STATUS_OK)
    model_report_clear(&a->report);
  model_clear(&a->m);
  dump_close(a->file);
  dump_close(a->activations);
  dump_error_clear(&a->error);
  made_families_clear(&a->f);
}

/* Two channels, three states. */
static const double a_log[] = {0, 0.5, 1, 1.5, 2, 3}, zeros[MOST];
static const made_tensor one[] = {{"m.A_log", 2, {2, 3}, a_log, 0}, {"m.dt_proj.bias", 1, {2}, zeros, 0}};
static const made_tensor two[] = {{"m.0.A_log", 2, {2, 3}, a_log, 0},
                                  {"m.0.dt_proj.bias", 1, {2}, zeros, 0},
                                  {"m.1.A_log", 2, {2, 3}, a_log, 0},
                                  {"m.1.dt_proj.bias", 1, {2}, zeros, 0}};
static const double steps[2 * 2 * 2] = {0.125, 0.5, 0.25, 0.75, 0.0625, 1, 0.5, 0.25};

static void is_read(const made_tensor *t, size_t tensors, const made_tensor *x, size_t count, size_t layer, size_t batch,
                    size_t tokens)
{
  asked a = ask(MAMBA, t, tensors, x, count);
  ck_assert_msg(a.status == STATUS_OK, "%s", a.error.message);
  const model_recorded *r = &a.report.layers[layer].recorded;
  ck_assert_uint_eq(r->tokens, tokens);
  ck_assert_uint_eq(r->batch, batch);
  ck_assert_uint_eq(r->holds + r->fails + r->unknown + r->invalid, batch * tokens * 6);
  ck_assert(r->known == (tokens > 0));
  asked_clear(&a);
}

START_TEST(test_names)
{
  is_read(one, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 2}, steps, 0}}, 1, 0, 2, 2);
  is_read(one, 2, (made_tensor[]){{"m.delta", 3, {1, 4, 2}, steps, 0}}, 1, 0, 1, 4);
  is_read(one, 2, (made_tensor[]){{"m.delta", 2, {4, 2}, steps, 0}}, 1, 0, 1, 4); /* no batch */
  is_read(one, 2, (made_tensor[]){{"delta", 3, {2, 2, 2}, steps, 0}}, 1, 0, 2, 2); /* there is one layer */
  /* A name in full comes before a short one. */
  is_read(one, 2, (made_tensor[]){{"delta", 3, {2, 2, 2}, steps, 0}, {"m.delta", 2, {3, 2}, steps, 0}}, 2, 0, 1, 3);
  static const made_tensor of_two[] = {{"m.1.delta", 3, {2, 2, 2}, steps, 0}, {"other", 1, {3}, zeros, 0}};
  is_read(two, 4, of_two, 2, 0, 0, 0);
  is_read(two, 4, of_two, 2, 1, 2, 2);
  /* Beside it B and u, of the same tokens. */
  is_read(one, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 2}, steps, 0}, {"m.B", 3, {2, 2, 3}, zeros, 0}, {"m.u", 3, {2, 2, 2}, zeros, 0}},
          3, 0, 2, 2);
}
END_TEST

static void refuses_with(const char *part, const made_tensor *t, size_t tensors, const made_tensor *x, size_t count)
{
  asked a = ask(MAMBA, t, tensors, x, count);
  ck_assert_msg(a.status == STATUS_BAD_INPUT, "not refused: %s", part);
  ck_assert_msg(strstr(a.error.message, part), "'%s' is not in '%s'", part, a.error.message);
  asked_clear(&a);
}

START_TEST(test_refusals)
{
  const char *shape = "\"m.delta\" is not of shape [batch, tokens, channels = 2]";
  refuses_with(shape, one, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 3}, zeros, 0}}, 1);
  refuses_with(shape, one, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 1}, zeros, 0}}, 1);
  refuses_with(shape, one, 2, (made_tensor[]){{"m.delta", 1, {2}, zeros, 0}}, 1);
  refuses_with(shape, one, 2, (made_tensor[]){{"m.delta", 4, {1, 1, 1, 2}, zeros, 0}}, 1);
  refuses_with(shape, one, 2, (made_tensor[]){{"m.delta", 3, {1, 0, 2}, zeros, 0}}, 1);
  refuses_with("\"m.B\" is not of shape [batch, tokens, states = 3]", one, 2,
               (made_tensor[]){{"m.delta", 3, {2, 2, 2}, zeros, 0}, {"m.B", 3, {2, 2, 2}, zeros, 0}}, 2);
  refuses_with("\"m.u\" is not of shape [batch, tokens, channels = 2]", one, 2,
               (made_tensor[]){{"m.delta", 3, {2, 2, 2}, zeros, 0}, {"m.u", 3, {2, 2, 3}, zeros, 0}}, 2);
  refuses_with("\"m.B\" has 1 x 4 tokens, and delta 2 x 2", one, 2,
               (made_tensor[]){{"m.delta", 3, {2, 2, 2}, zeros, 0}, {"m.B", 2, {4, 3}, zeros, 0}}, 2);
  refuses_with("\"m.u\" has 2 x 3 tokens, and delta 2 x 2", one, 2,
               (made_tensor[]){{"m.delta", 3, {2, 2, 2}, zeros, 0}, {"m.u", 3, {2, 3, 2}, zeros, 0}}, 2);
  refuses_with("\"m.B\" stands there without its layer's delta", one, 2, (made_tensor[]){{"m.B", 3, {2, 2, 3}, zeros, 0}}, 1);
  /* Names that belong to no layer: of one, of two, of which the short names are nobody's. */
  refuses_with("it holds nothing for any layer; looked for is LAYER.delta, the first layer being \"m\"", one, 2,
               (made_tensor[]){{"n.delta", 3, {2, 2, 2}, zeros, 0}}, 1);
  refuses_with("it holds nothing for any layer", two, 4, (made_tensor[]){{"delta", 3, {2, 2, 2}, zeros, 0}}, 1);
}
END_TEST

/* A + Delta - 1 of random steps, in balls of 300 bits; steps of 0, for which it is 0, and negative ones included. */
START_TEST(test_counts)
{
  enum { TOKENS = 9, BATCH = 3, BITS = 300 };
  philox_stream s = philox_stream_start(seed, philox_hash_name("counts"), 0, 0);
  arb_t margin, x;
  arb_init(margin);
  arb_init(x);
  uint64_t seen[2] = {0};
  for (int k = 0; k < 40; k++) {
    double log_a[6], delta[BATCH * TOKENS * 2];
    for (int i = 0; i < 6; i++)
      log_a[i] = 4 * philox_uniform(&s) - 1;
    for (int i = 0; i < BATCH * TOKENS * 2; i++)
      delta[i] = i % 17 == 0 ? 0 : i % 19 == 0 ? -philox_uniform(&s) : 1.2 * philox_uniform(&s);
    const made_tensor t[] = {{"m.A_log", 2, {2, 3}, log_a, 0}, {"m.dt_proj.bias", 1, {2}, zeros, 0}};
    asked a = ask(MAMBA, t, 2, (made_tensor[]){{"m.delta", 3, {BATCH, TOKENS, 2}, delta, 0}}, 1);
    ck_assert_msg(a.status == STATUS_OK, "%s", a.error.message);
    uint64_t holds = 0;
    for (int i = 0; i < BATCH * TOKENS * 6; i++) {
      double step = delta[i / 6 * 2 + i % 6 / 3];
      arb_set_d(margin, log_a[i % 6]);
      arb_exp(margin, margin, BITS);
      arb_set_d(x, -step);
      arb_mul(margin, margin, x, BITS);
      arb_expm1(margin, margin, BITS);
      arb_sub(margin, margin, x, BITS);
      ck_assert(arb_is_nonpositive(margin) || arb_is_positive(margin));
      holds += arb_is_nonpositive(margin);
    }
    const model_recorded *r = &a.report.layers[0].recorded;
    ck_assert_uint_eq(r->holds, holds);
    ck_assert_uint_eq(r->fails, BATCH * TOKENS * 6 - holds);
    seen[0] += r->holds;
    seen[1] += r->fails;
    asked_clear(&a);
  }
  ck_assert(seen[0] > 500 && seen[1] > 500);
  arb_clear(margin);
  arb_clear(x);
}
END_TEST

/* Entries without meaning do not count; steps that are no numbers are counted apart. */
START_TEST(test_invalid)
{
  double log_a[6], delta[8];
  memcpy(log_a, a_log, sizeof log_a);
  memcpy(delta, steps, sizeof delta);
  log_a[1] = NAN; /* channel 0: two states left */
  delta[0] = NAN; /* channel 0 */
  delta[3] = INFINITY; /* channel 1 */
  delta[5] = -INFINITY;
  const made_tensor t[] = {{"m.A_log", 2, {2, 3}, log_a, 0}, {"m.dt_proj.bias", 1, {2}, zeros, 0}};
  asked a = ask(MAMBA, t, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 2}, delta, 0}}, 1);
  ck_assert_msg(a.status == STATUS_OK, "%s", a.error.message);
  const model_recorded *r = &a.report.layers[0].recorded;
  ck_assert_uint_eq(r->invalid, 2 + 3 + 3);
  ck_assert_uint_eq(r->holds + r->fails, 4 * 5 - 8);
  ck_assert_uint_eq(r->unknown, 0);
  asked_clear(&a);
}
END_TEST

/* Where the decay does not follow from the step alone nothing is said. */
START_TEST(test_other_families)
{
  static const char *const other[] = {
      "family f size D >= 1 as channel size N >= 1 as state tensor A[d in 1..D, n in 1..N] \"A_log\"\n"
      "let log_decay[d in 1..D, n in 1..N] as log_decay = -exp(A[d, n]) end\n",
      "family f size D >= 1 as channel size N >= 1 as state\n"
      "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n"
      "given u[d in 1..D] in real as activation\n"
      "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n] + u[d])\n"
      "let step[d in 1..D] as step = softplus(u[d] + b[d])\n"
      "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"};
  for (int k = 0; k < 2; k++) {
    asked a = ask(other[k], one, 2, (made_tensor[]){{"m.delta", 3, {2, 2, 2}, steps, 0}}, 1);
    ck_assert_msg(a.status == STATUS_OK, "%s", a.error.message);
    const model_recorded *r = &a.report.layers[0].recorded;
    ck_assert(!r->known);
    ck_assert_uint_eq(r->tokens, 2);
    ck_assert_uint_eq(r->holds + r->fails + r->unknown + r->invalid, 0);
    asked_clear(&a);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("recorded activations");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_names);
  tcase_add_test(all, test_refusals);
  tcase_add_test(all, test_counts);
  tcase_add_test(all, test_invalid);
  tcase_add_test(all, test_other_families);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
