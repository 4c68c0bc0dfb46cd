/* One small model of each kind of block, with what PyTorch made of an input in float64 (torch_agree.py --fixtures wrote both),
 * as it is and cut; and what views show of complex states and of those that know no step. */
#include "made_net.h"

enum { LENGTH = 70, WIDTH = 6, MOST = 64 };

static const char *const kinds[] = {"mamba1", "mamba2", "s4d", "lru", "rwkv4"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static made_families families;
static dump_error error;

static void setup(void)
{
  families = made_families_shipped();
  dump_error_init(&error);
}

static void teardown(void)
{
  dump_error_clear(&error);
  made_families_clear(&families);
}

static dump_file *open_data(const char *kind, const char *ending)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/sim/data/%s%s.safetensors", top ? top : ".", kind, ending);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_msg(file != NULL, "%s", error.message);
  return file;
}

typedef struct {
  dump_file *file;
  net *n;
  double input[LENGTH * WIDTH], expected[LENGTH * WIDTH], found[LENGTH * WIDTH];
} trial;

static void trial_init(trial *x, const char *kind, const net_options *options)
{
  net_options plain = net_options_default();
  dump_file *out = open_data(kind, "-out");
  ck_assert_int_eq(dump_values(out, x->input, dump_find(out, "input"), 0, LENGTH * WIDTH, &error), STATUS_OK);
  ck_assert_int_eq(dump_values(out, x->expected, dump_find(out, "output"), 0, LENGTH * WIDTH, &error), STATUS_OK);
  dump_close(out);
  x->file = open_data(kind, "");
  x->n = net_of(x->file, &families, options ? options : &plain, &error);
  ck_assert_msg(x->n != NULL, "%s", error.message);
  ck_assert_uint_eq(net_width(x->n), WIDTH);
}

static void trial_clear(trial *x)
{
  net_destroy(x->n);
  dump_close(x->file);
}

static bool keep(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  trial *x = context;
  ck_assert_ptr_null(logits);
  memcpy(x->found + first * WIDTH, hidden, tokens * WIDTH * sizeof *hidden);
  return true;
}

static void run_part(trial *x, net_state *state, size_t from, size_t to)
{
  net_observer o = {.finish = keep, .logits = true, .context = x};
  net_input in = {.tokens = to - from, .vector = x->input + from * WIDTH};
  ck_assert_int_eq(net_run(x->n, state, &in, &o), STATUS_OK);
}

static void assert_expected(const trial *x, const char *kind)
{
  double size = 0;
  for (size_t i = 0; i < LENGTH * WIDTH; i++)
    size = fmax(size, fabs(x->expected[i]));
  for (size_t i = 0; i < LENGTH * WIDTH; i++)
    ck_assert_msg(fabs(x->found[i] - x->expected[i]) <= 1e-12 * size, "%s: token %zu: %.17g is not %.17g", kind, i / WIDTH,
                  x->found[i], x->expected[i]);
}

START_TEST(each_kind_computes_what_torch_does)
{
  for (size_t k = 0; k < KINDS; k++) {
    trial *x = memory_new(1, sizeof *x);
    trial_init(x, kinds[k], NULL);
    net_state *state = net_state_create(x->n);
    run_part(x, state, 0, LENGTH);
    assert_expected(x, kinds[k]);
    net_state_destroy(state);
    trial_clear(x);
    free(x);
  }
}
END_TEST

START_TEST(each_kind_can_be_cut)
{
  static const size_t at[] = {0, 1, 2, 30, 31, LENGTH};
  for (size_t k = 0; k < KINDS; k++) {
    trial *x = memory_new(1, sizeof *x);
    trial_init(x, kinds[k], NULL);
    net_state *state = net_state_create(x->n);
    for (size_t i = 0; i + 1 < sizeof at / sizeof *at; i++)
      run_part(x, state, at[i], at[i + 1]);
    assert_expected(x, kinds[k]);
    net_state_destroy(state);
    trial_clear(x);
    free(x);
  }
}
END_TEST

/* ---- views ---- */

/* Of one layer, whose state is followed. */
typedef struct {
  net_layer layer;
  size_t lanes; /* 2 of complex states */
  double h[MOST];
  size_t seen;
} watch;

static void assert_near(double x, double y, double size)
{
  ck_assert_msg(fabs(x - y) <= 1e-13 * size + 1e-300, "%.17g is not %.17g (%g)", x, y, size);
}

/* |h_t - Delta drive| = alpha |h_{t-1}|, and without moduli where states are real. */
static bool check_recurrence(void *context, const net_view *v)
{
  watch *w = context;
  const net_layer *l = &w->layer;
  size_t all = l->channels * l->states;
  if (v->layer != 0)
    return true;
  ck_assert((v->step != NULL) == l->has_step);
  for (size_t t = 0; t < v->tokens; t++) {
    for (size_t i = 0; i < all; i++) {
      double step = l->has_step ? v->step[t * l->channels + i / l->states] : 1, alpha = v->alpha[t * all + i];
      double rest[2] = {0, 0}, *h = w->h + i * w->lanes, size = 0;
      for (size_t k = 0; k < w->lanes; k++) {
        size_t at = (t * all + i) * w->lanes + k;
        rest[k] = v->h[at] - step * v->drive[at];
        size += fabs(v->h[at]) + fabs(step * v->drive[at]);
      }
      if (w->lanes == 1)
        assert_near(rest[0], alpha * h[0], size);
      else
        assert_near(hypot(rest[0], rest[1]), alpha * hypot(h[0], h[1]), size);
      memcpy(h, v->h + (t * all + i) * w->lanes, w->lanes * sizeof *h);
    }
    ck_assert_ptr_nonnull(v->u);
    ck_assert_ptr_nonnull(v->y);
  }
  w->seen += v->tokens;
  return true;
}

static void watch_kind(const char *kind, const net_options *options)
{
  trial *x = memory_new(1, sizeof *x);
  trial_init(x, kind, options);
  net_state *state = net_state_create(x->n);
  watch w = {.layer = net_get_layer(x->n, 0)};
  w.lanes = w.layer.complex_states ? 2 : 1;
  ck_assert_uint_le(w.layer.channels * w.layer.states * w.lanes, MOST);
  net_observer o = {.wanted = NET_WANT_ALPHA | NET_WANT_DRIVE | NET_WANT_H, .see = check_recurrence, .context = &w};
  net_input in = {.tokens = LENGTH, .vector = x->input};
  ck_assert_int_eq(net_run(x->n, state, &in, &o), STATUS_OK);
  ck_assert_uint_eq(w.seen, LENGTH);
  net_state_destroy(state);
  trial_clear(x);
  free(x);
}

START_TEST(views_show_the_recurrence)
{
  for (size_t k = 0; k < KINDS; k++)
    watch_kind(kinds[k], NULL);
}
END_TEST

static bool check_polar(void *context, const net_view *v)
{
  watch *w = context;
  size_t n = w->layer.states;
  for (size_t i = 0; i < v->tokens * w->layer.channels; i++) {
    ck_assert_double_eq(v->alpha[i * n + n - 2], 1);
    ck_assert_double_lt(v->alpha[i * n + n - 1], 1);
  }
  return check_recurrence(context, v);
}

/* Mamba-2's heads give up sharing one decay; what the states of the file make of the input stays. */
START_TEST(heads_can_be_polarized)
{
  net_options options = net_options_default();
  options.polarized = true;
  watch_kind("mamba2", &options);
  trial *x = memory_new(1, sizeof *x);
  trial_init(x, "mamba2", &options);
  net_state *state = net_state_create(x->n);
  watch w = {.layer = net_get_layer(x->n, 0), .lanes = 1};
  ck_assert_uint_eq(w.layer.states, 5);
  net_observer o = {.wanted = NET_WANT_ALPHA | NET_WANT_DRIVE | NET_WANT_H, .see = check_polar, .context = &w};
  net_input in = {.tokens = LENGTH, .vector = x->input};
  ck_assert_int_eq(net_run(x->n, state, &in, &o), STATUS_OK);
  net_state_destroy(state);
  trial_clear(x);
  free(x);
}
END_TEST

typedef struct {
  double h[LENGTH][MOST];
  size_t all;
} states;

static bool keep_states(void *context, const net_view *v)
{
  states *s = context;
  for (size_t t = 0; t < v->tokens; t++)
    memcpy(s->h[v->first + t], v->h + t * s->all, s->all * sizeof(double));
  return true;
}

static void run_states(states *s, const net_options *options)
{
  trial *x = memory_new(1, sizeof *x);
  trial_init(x, "mamba2", options);
  net_layer l = net_get_layer(x->n, 0);
  s->all = l.channels * l.states;
  net_state *state = net_state_create(x->n);
  net_observer o = {.wanted = NET_WANT_H, .see = keep_states, .context = s};
  net_input in = {.tokens = LENGTH, .vector = x->input};
  ck_assert_int_eq(net_run(x->n, state, &in, &o), STATUS_OK);
  net_state_destroy(state);
  trial_clear(x);
  free(x);
}

START_TEST(polarizing_leaves_the_learned_states)
{
  net_options options = net_options_default();
  states *plain = memory_new(1, sizeof *plain), *polar = memory_new(1, sizeof *polar);
  run_states(plain, &options);
  options.polarized = true;
  run_states(polar, &options);
  ck_assert_uint_eq(polar->all / 5, plain->all / 3);
  for (size_t t = 0; t < LENGTH; t++)
    for (size_t d = 0; d < plain->all / 3; d++)
      for (size_t n = 0; n < 3; n++)
        ck_assert_double_eq_tol(polar->h[t][d * 5 + n], plain->h[t][d * 3 + n], 1e-12);
  free(plain);
  free(polar);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("blocks");
  TCase *t = tcase_create("blocks");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, each_kind_computes_what_torch_does);
  tcase_add_test(t, each_kind_can_be_cut);
  tcase_add_test(t, views_show_the_recurrence);
  tcase_add_test(t, heads_can_be_polarized);
  tcase_add_test(t, polarizing_leaves_the_learned_states);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
