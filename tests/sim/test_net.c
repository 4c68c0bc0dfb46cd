/* Nets: what they are made from and refuse, that sequences may be cut, that threads and observers do not matter. Whole models
 * against an independent implementation are in torch_agree.py and test_block.c, what is observed in test_net_view.c. */
#include <malloc.h>

#include "net_scene.h"
#include "sim/blas.h"

enum { TOKENS = 200 };

/* ---- what comes out, kept ---- */

typedef struct {
  double hidden[TOKENS * M], logits[TOKENS * V];
  size_t tokens, views, stop; /* stop: the view at which to end the run; 0: none */
  size_t in_use; /* memory at the second and the last piece */
  size_t in_use_later;
} kept;

static bool keep(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  kept *k = context;
  ck_assert_uint_eq(first, k->tokens);
  ck_assert_uint_le(tokens, NET_PIECE);
  memcpy(k->hidden + first * M, hidden, tokens * M * sizeof *hidden);
  ck_assert_ptr_nonnull(logits);
  memcpy(k->logits + first * V, logits, tokens * V * sizeof *logits);
  k->tokens += tokens;
  return true;
}

static bool count_views(void *context, const net_view *view)
{
  kept *k = context;
  ck_assert_ptr_nonnull(view->u);
  return ++k->views != k->stop;
}

static void run(kept *k, const net *n, net_state *state, const uint32_t *token, size_t count, unsigned wanted)
{
  net_observer o = {.wanted = wanted, .see = count_views, .finish = keep, .logits = true, .context = k};
  net_input in = {.tokens = count, .token = token};
  ck_assert_int_eq(net_run(n, state, &in, &o), STATUS_OK);
}

static kept *run_whole(const net *n, const uint32_t *token, unsigned wanted)
{
  kept *k = memory_new(1, sizeof *k);
  net_state *state = net_state_create(n);
  run(k, n, state, token, TOKENS, wanted);
  ck_assert_uint_eq(net_state_tokens(state), TOKENS);
  net_state_destroy(state);
  return k;
}

static void assert_same(const kept *a, const kept *b)
{
  ck_assert_mem_eq(a->hidden, b->hidden, sizeof a->hidden);
  ck_assert_mem_eq(a->logits, b->logits, sizeof a->logits);
}

/* ---- what a net is ---- */

START_TEST(it_is_what_the_file_holds)
{
  net *n = make(NULL);
  ck_assert_msg(n != NULL, "%s", error.message);
  ck_assert_uint_eq(net_layers(n), LAYERS);
  ck_assert_uint_eq(net_width(n), M);
  ck_assert_uint_eq(net_vocabulary(n), V);
  ck_assert_uint_eq(net_logits(n), V);
  ck_assert_uint_eq(net_unused(n), 0);
  net_layer l = net_get_layer(n, 1);
  ck_assert_str_eq(l.name, "layers.1.mixer");
  ck_assert_str_eq(l.family, "mamba-1");
  ck_assert_uint_eq(l.channels, D);
  ck_assert_uint_eq(l.states, N);
  ck_assert_uint_eq(l.inputs, D);
  ck_assert(l.has_step && !l.complex_states);
  net_destroy(n);
}
END_TEST

START_TEST(what_it_does_not_use_is_listed)
{
  made.tensor[made.count++] = (made_tensor){.name = "front.weight", .rank = 1, .shape = {3}, .kind = DUMP_PARAMETER};
  net *n = make(NULL);
  ck_assert_uint_eq(net_unused(n), 1);
  ck_assert_str_eq(net_get_unused(n, 0), "front.weight");
  net_destroy(n);
}
END_TEST

START_TEST(without_a_head_the_embeddings_are_one)
{
  made.count = made_net_find(&made, "lm_head.weight");
  net *n = make(NULL);
  ck_assert_uint_eq(net_logits(n), V);
  net_destroy(n);
}
END_TEST

static void assert_refused(const char *first, const char *second)
{
  net *n = make(NULL);
  ck_assert_ptr_null(n);
  ck_assert_ptr_nonnull(error.message);
  ck_assert_msg(strstr(error.message, first) && strstr(error.message, second), "%s", error.message);
}

START_TEST(a_tensor_that_is_missing_is_named)
{
  made.tensor[made_net_find(&made, "layers.1.mixer.out_proj.weight")].name = "elsewhere";
  assert_refused("layers.1.mixer", "\"out_proj.weight\"");
}
END_TEST

START_TEST(a_missing_convolution_is_named)
{
  made.tensor[made_net_find(&made, "layers.0.mixer.conv1d.weight")].name = "elsewhere";
  assert_refused("layers.0.mixer", "\"conv1d.weight\"");
}
END_TEST

START_TEST(a_tensor_that_does_not_fit_is_named)
{
  made_tensor *bias = &made.tensor[made_net_find(&made, "layers.0.mixer.conv1d.bias")];
  bias->shape[0] = D - 1;
  assert_refused("\"layers.0.mixer.conv1d.bias\"", "shape");
}
END_TEST

START_TEST(a_value_that_is_no_number_is_named)
{
  made.value[made_net_find(&made, "layers.1.mixer.in_proj.weight")][77] = NAN;
  assert_refused("\"layers.1.mixer.in_proj.weight\"", "element 77 is NaN");
}
END_TEST

START_TEST(layers_of_other_kinds_between_are_no_net)
{
  static char name[PARTS][64];
  for (int k = 0; k < PARTS; k++) {
    snprintf(name[k], sizeof name[k], "layers.3.%s", made_parts[k].name);
    made.tensor[PARTS + k].name = name[k];
  }
  made.tensor[made.count++] = (made_tensor){.name = "layers.2.attention", .rank = 1, .shape = {3}, .kind = DUMP_PARAMETER};
  assert_refused("layers.3.mixer", "\"layers.2.attention\"");
}
END_TEST

START_TEST(numbers_left_out_are_no_layers)
{
  static char name[PARTS][64];
  for (int k = 0; k < PARTS; k++) {
    snprintf(name[k], sizeof name[k], "layers.3.%s", made_parts[k].name);
    made.tensor[PARTS + k].name = name[k];
  }
  net *n = make(NULL);
  ck_assert_msg(n != NULL, "%s", error.message);
  net_destroy(n);
}
END_TEST

START_TEST(a_family_without_a_block_is_named)
{
  const made_tensor only[] = {{.name = "x.nu_log", .rank = 2, .shape = {3, 1}, .kind = DUMP_PARAMETER},
                              {.name = "x.A_logs", .rank = 2, .shape = {4, 3}, .kind = DUMP_PARAMETER},
                              {.name = "x.dt_projs_bias", .rank = 1, .shape = {4}, .kind = DUMP_PARAMETER}};
  net_options options = net_options_default();
  file = made_model(only, 3);
  ck_assert_ptr_null(net_of(file, &families, &options, &error));
  ck_assert_msg(strstr(error.message, "vmamba") && strstr(error.message, "no block"), "%s", error.message);
}
END_TEST

/* ---- running ---- */

START_TEST(a_sequence_can_be_cut)
{
  net *n = make(NULL);
  uint32_t *token = draw_tokens(TOKENS);
  kept *whole = run_whole(n, token, 0), *cut = memory_new(1, sizeof *cut);
  net_state *state = net_state_create(n), *other = net_state_create(n);
  run(cut, n, state, token, NET_PIECE, 0);
  run(cut, n, state, token + NET_PIECE, 2 * NET_PIECE, 0);
  /* The rest from a state that was stored and put back. */
  ck_assert_uint_eq(net_state_arrays(state), 2 * LAYERS);
  for (size_t i = 0; i < net_state_arrays(state); i++) {
    const char *name, *name_again;
    unsigned rank, rank_again;
    const uint64_t *shape, *shape_again;
    double *from = net_state_array(state, i, &name, &rank, &shape);
    double *to = net_state_array(other, i, &name_again, &rank_again, &shape_again);
    ck_assert_str_eq(name, name_again);
    ck_assert_uint_eq(rank, 2);
    ck_assert_uint_eq(rank, rank_again);
    memcpy(to, from, shape[0] * shape[1] * sizeof *to);
  }
  net_state_set_tokens(other, net_state_tokens(state));
  run(cut, n, other, token + 3 * NET_PIECE, TOKENS - 3 * NET_PIECE, 0);
  assert_same(whole, cut);
  net_state_destroy(state);
  net_state_destroy(other);
  net_destroy(n);
  free(token);
  free(whole);
  free(cut);
}
END_TEST

/* At another place only the rounding changes: what one piece leaves for the next is complete. */
START_TEST(a_sequence_can_be_cut_anywhere)
{
  net *n = make(NULL);
  uint32_t *token = draw_tokens(TOKENS);
  kept *whole = run_whole(n, token, 0), *cut = memory_new(1, sizeof *cut);
  net_state *state = net_state_create(n);
  static const size_t at[] = {0, 1, 3, 40, 150, TOKENS};
  for (size_t i = 0; i + 1 < sizeof at / sizeof *at; i++)
    run(cut, n, state, token + at[i], at[i + 1] - at[i], 0);
  for (size_t i = 0; i < TOKENS * V; i++)
    ck_assert_double_eq_tol(cut->logits[i], whole->logits[i], 1e-12);
  net_state_destroy(state);
  net_destroy(n);
  free(token);
  free(whole);
  free(cut);
}
END_TEST

START_TEST(threads_and_observers_do_not_matter)
{
  uint32_t *token = draw_tokens(TOKENS);
  kept *first = NULL;
  for (int threads = 1; threads <= 3; threads++) {
    net_options options = net_options_default();
    options.threads = threads;
    dump_close(file);
    net *n = make(&options);
    kept *k = run_whole(n, token, threads == 2 ? NET_WANT_ALPHA | NET_WANT_DRIVE | NET_WANT_H : 0);
    if (first) {
      assert_same(first, k);
      free(k);
    } else {
      first = k;
    }
    net_destroy(n);
  }
  free(first);
  free(token);
}
END_TEST

START_TEST(an_observer_can_end_a_run)
{
  net *n = make(NULL);
  uint32_t *token = draw_tokens(TOKENS);
  kept *k = memory_new(1, sizeof *k);
  k->stop = 3;
  net_state *state = net_state_create(n);
  net_observer o = {.see = count_views, .context = k};
  net_input in = {.tokens = TOKENS, .token = token};
  ck_assert_int_eq(net_run(n, state, &in, &o), STATUS_UNABLE);
  ck_assert_uint_eq(k->views, 3);
  net_state_destroy(state);
  net_destroy(n);
  free(token);
  free(k);
}
END_TEST

static bool weigh(void *context, const net_view *view)
{
  kept *k = context;
  size_t now = mallinfo2().uordblks;
  if (view->layer == 0 && view->first == NET_PIECE)
    k->in_use = now;
  if (view->layer == 0)
    k->in_use_later = now;
  return true;
}

START_TEST(memory_is_that_of_a_piece)
{
  enum { MANY = 8 * NET_PIECE };
  net *n = make(NULL);
  uint32_t *token = draw_tokens(MANY);
  kept *k = memory_new(1, sizeof *k);
  net_state *state = net_state_create(n);
  net_observer o = {.wanted = NET_WANT_ALPHA | NET_WANT_H, .see = weigh, .context = k};
  net_input in = {.tokens = MANY, .token = token};
  ck_assert_int_eq(net_run(n, state, &in, &o), STATUS_OK);
  ck_assert_uint_le(k->in_use_later, k->in_use + (1 << 16));
  net_state_destroy(state);
  net_destroy(n);
  free(token);
  free(k);
}
END_TEST

START_TEST(the_library_multiplies_rightly)
{
  const char *fault = blas_self_test();
  ck_assert_msg(fault == NULL, "%s", fault);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("net");
  TCase *t = tcase_create("net");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, it_is_what_the_file_holds);
  tcase_add_test(t, what_it_does_not_use_is_listed);
  tcase_add_test(t, without_a_head_the_embeddings_are_one);
  tcase_add_test(t, a_tensor_that_is_missing_is_named);
  tcase_add_test(t, a_missing_convolution_is_named);
  tcase_add_test(t, a_tensor_that_does_not_fit_is_named);
  tcase_add_test(t, a_value_that_is_no_number_is_named);
  tcase_add_test(t, layers_of_other_kinds_between_are_no_net);
  tcase_add_test(t, numbers_left_out_are_no_layers);
  tcase_add_test(t, a_family_without_a_block_is_named);
  tcase_add_test(t, a_sequence_can_be_cut);
  tcase_add_test(t, a_sequence_can_be_cut_anywhere);
  tcase_add_test(t, threads_and_observers_do_not_matter);
  tcase_add_test(t, an_observer_can_end_a_run);
  tcase_add_test(t, memory_is_that_of_a_piece);
  tcase_add_test(t, the_library_multiplies_rightly);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
