/* Claims asked of trajectories: recordings made by hand, whose truth is known. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/trajectory.h"
#include "core/memory.h"
#include "core/philox.h"

/* ---- claims ---- */

enum { THEOREM, LEMMA, REPAIR, MEMORY, CLAIMS };
static const char *const claim_file[CLAIMS] = {"theorem-4-2", "lemma-d6", "lemma-d6", "theorem-3-1"};
static const char *const claim_name[CLAIMS] = {"theorem-4-2", "lemma-d6", "lemma-d6-damped-start", "theorem-3-1-memory"};

static diag *messages;
static library *libraries[CLAIMS + 1];
static const claim *claims[CLAIMS];
static char paths[CLAIMS][4096];

static void read_claims(void)
{
  const char *top = getenv("top_srcdir");
  messages = diag_create(NULL, 0);
  for (int k = 0; k < CLAIMS; k++) {
    snprintf(paths[k], sizeof paths[k], "%s/lemmas/wang2025/%s.claim", top ? top : ".", claim_file[k]);
    libraries[k] = library_read(messages, paths[k], 0);
    ck_assert_msg(libraries[k] != NULL, "%s", diag_text(messages));
    claims[k] = library_find(libraries[k], claim_name[k]);
    ck_assert_ptr_nonnull(claims[k]);
  }
}

static void forget_claims(void)
{
  for (int k = 0; k <= CLAIMS; k++) {
    library_destroy(libraries[k]);
    libraries[k] = NULL;
  }
  diag_destroy(messages);
}

/* ---- recordings ---- */

typedef struct {
  size_t layers, sequences, tokens[4];
  net_layer layer[3];
  double *alpha[4][3], *step[4][3], *drive[4][3]; /* by sequence and layer */
  unsigned runs;
} scene;

static void scene_make(scene *s, size_t layers, size_t sequences, const size_t *tokens, size_t channels, size_t states)
{
  *s = (scene){.layers = layers, .sequences = sequences};
  for (size_t j = 0; j < layers; j++)
    s->layer[j] = (net_layer){.name = j == 0 ? "first" : j == 1 ? "second" : "third", .family = "made", .channels = channels,
                              .states = states, .has_step = true};
  for (size_t q = 0; q < sequences; q++) {
    s->tokens[q] = tokens[q];
    for (size_t j = 0; j < layers; j++) {
      s->alpha[q][j] = memory_new(tokens[q] * channels * states, sizeof(double));
      s->drive[q][j] = memory_new(tokens[q] * channels * states, sizeof(double));
      s->step[q][j] = memory_new(tokens[q] * channels, sizeof(double));
    }
  }
}

static void scene_clear(scene *s)
{
  for (size_t q = 0; q < s->sequences; q++)
    for (size_t j = 0; j < s->layers; j++) {
      free(s->alpha[q][j]);
      free(s->drive[q][j]);
      free(s->step[q][j]);
    }
}

static uint64_t length(void *context, size_t sequence)
{
  return ((scene *)context)->tokens[sequence];
}

/* As a net does: pieces of at most three tokens here, layer after layer, those that are wanted. */
static assay_status play(void *context, size_t sequence, const net_observer *o)
{
  scene *s = context;
  enum { PIECE = 3 };
  s->runs++;
  for (size_t first = 0; first < s->tokens[sequence]; first += PIECE)
    for (size_t j = 0; j < s->layers; j++) {
      size_t left = s->tokens[sequence] - first, d = s->layer[j].channels, dn = d * s->layer[j].states;
      net_view v = {.layer = j, .first = first, .tokens = left < PIECE ? left : PIECE};
      v.alpha = o->wanted & NET_WANT_ALPHA ? s->alpha[sequence][j] + first * dn : NULL;
      v.drive = o->wanted & NET_WANT_DRIVE ? s->drive[sequence][j] + first * dn : NULL;
      v.step = s->layer[j].has_step ? s->step[sequence][j] + first * d : NULL;
      if ((!o->layers || o->layers[j]) && !o->see(o->context, &v))
        return STATUS_UNABLE;
    }
  return STATUS_OK;
}

static trajectory_report ask(scene *s, const claim *const *asked, size_t count, size_t bytes, int threads)
{
  trajectory_source source = {.file = "made", .layers = s->layers, .layer = s->layer, .sequences = s->sequences,
                              .length = length, .run = play, .context = s};
  trajectory_options options = {.precision = 4096, .threads = threads, .bytes = bytes};
  trajectory_report r;
  s->runs = 0;
  ck_assert_int_eq(trajectory_run(&r, asked, count, &source, &options), STATUS_OK);
  ck_assert_uint_eq(r.runs, s->runs);
  return r;
}

/* One sequence of one channel and state. */
static void scene_of(scene *s, size_t tokens, const double *alpha, const double *step, const double *drive)
{
  scene_make(s, 1, 1, &tokens, 1, 1);
  memcpy(s->alpha[0][0], alpha, tokens * sizeof *alpha);
  memcpy(s->step[0][0], step, tokens * sizeof *step);
  memcpy(s->drive[0][0], drive, tokens * sizeof *drive);
}

static void is_alone(const claim_table *t, int hypotheses, int conclusion)
{
  for (int h = 0; h < CLAIM_OUTCOMES; h++)
    for (int c = 0; c < CLAIM_OUTCOMES; c++)
      ck_assert_uint_eq(t->count[h][c], h == hypotheses && c == conclusion);
}

static uint64_t failures_of(const claim_table *t, const char *name)
{
  for (size_t i = 0; i < t->labels; i++)
    if (!strcmp(t->label[i], name))
      return t->failures[i];
  ck_abort_msg("no hypothesis %s", name);
}

/* Whether x is within 10^-30 of p / q. */
static bool is_near(const arb_t x, slong p, ulong q)
{
  arb_t y;
  mag_t most;
  arb_init(y);
  mag_init(most);
  arb_set_si(y, p);
  arb_div_ui(y, y, q, 256);
  arb_sub(y, y, x, 256);
  arb_get_mag(most, y);
  bool near = mag_cmp_2exp_si(most, -100) < 0 && arb_contains_zero(y);
  arb_clear(y);
  mag_clear(most);
  return near;
}

/* ---- tests ---- */

/* alpha = step = 1/2, z = (-1, 100): the paper's lemma breaks at t = 1 already (-1/2 <= -1), where 1/2 is missing; the theorem
 * holds: h = (-1/2, 199/4), apart by 201/4, the bound is 101/2, and 1/4 is left. The repair at t = 1 says s_1 <= s_1. */
START_TEST(known_sequence)
{
  scene s;
  scene_of(&s, 2, (const double[]){0.5, 0.5}, (const double[]){0.5, 0.5}, (const double[]){-1, 100});
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
  const trajectory_answer *a = r.layer[0].answer;
  is_alone(&a[THEOREM].table, CLAIM_TRUE, CLAIM_TRUE);
  is_alone(&a[LEMMA].table, CLAIM_TRUE, CLAIM_FALSE);
  is_alone(&a[MEMORY].table, CLAIM_TRUE, CLAIM_TRUE); /* a tie: 1/4 <= 1/4 */
  ck_assert(a[THEOREM].slack[0].known && !a[THEOREM].slack[1].known);
  ck_assert(is_near(a[THEOREM].slack[0].difference, 1, 4));
  ck_assert(is_near(a[THEOREM].slack[0].ratio, 201, 202));
  ck_assert_str_eq(a[THEOREM].slack[0].label, "contraction");
  ck_assert_str_eq(a[THEOREM].slack[0].at, "");
  ck_assert(is_near(a[LEMMA].slack[0].difference, -1, 2));
  ck_assert_str_eq(a[LEMMA].slack[0].label, "upper");
  ck_assert_str_eq(a[LEMMA].slack[0].at, "t = 1");
  ck_assert(arb_is_zero(a[MEMORY].slack[0].difference));
  ck_assert(r.claim[LEMMA].refuted && !r.claim[THEOREM].refuted);
  is_alone(&a[REPAIR].table, CLAIM_TRUE, CLAIM_TRUE);
  ck_assert(arb_is_zero(a[REPAIR].slack[0].difference));
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST


/* What the hypotheses say no to is counted, and the conclusion is decided all the same. */
START_TEST(failing_hypotheses)
{
  scene s;
  size_t tokens = 2;
  scene_make(&s, 1, 1, &tokens, 1, 3);
  const double alpha[] = {0.5, 1, 0.5, 0.5, 0.5, 0.5}, drive[] = {1, -1, 1, -1, 1, 2};
  memcpy(s.alpha[0][0], alpha, sizeof alpha); /* state 1: alpha = 1; state 2: inputs 1, 2 */
  memcpy(s.drive[0][0], drive, sizeof drive);
  s.step[0][0][0] = 0.5;
  s.step[0][0][1] = 0.5;
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 2);
  const claim_table *t = &r.layer[0].answer[THEOREM].table;
  ck_assert_uint_eq(t->count[CLAIM_TRUE][CLAIM_TRUE], 1);
  /* State 1: h = (-1/2, 1/4), 3/4 <= (1 - 1/2) 2. State 2: h = (1/2, 5/4), 3/4 <= 1/2 1 is false. */
  ck_assert_uint_eq(t->count[CLAIM_FALSE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(t->count[CLAIM_FALSE][CLAIM_FALSE], 1);
  ck_assert_uint_eq(failures_of(t, "alpha"), 1);
  ck_assert_uint_eq(failures_of(t, "nonexpansive"), 1);
  ck_assert_uint_eq(failures_of(t, "centred"), 1);
  ck_assert_uint_eq(failures_of(t, "delta"), 0);
  ck_assert(is_near(r.layer[0].answer[THEOREM].slack[1].difference, -1, 4));
  ck_assert_uint_eq(r.layer[0].answer[THEOREM].slack[1].place.state, 2);
  ck_assert_uint_eq(r.layer[0].answer[THEOREM].slack[1].place.channel, 0);
  ck_assert_uint_eq(r.layer[0].answer[THEOREM].table.slack[1].over, 2);
  ck_assert(!r.claim[THEOREM].refuted);
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST

START_TEST(not_finite)
{
  static const double strange[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; i++) {
    scene s;
    double x[3][3] = {{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}, {1, -1, 0}};
    x[i / 3][2] = strange[i % 3];
    scene_of(&s, 3, x[0], x[1], x[2]);
    trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
    for (int k = 0; k < MEMORY; k++) {
      is_alone(&r.layer[0].answer[k].table, CLAIM_UNKNOWN, CLAIM_UNKNOWN);
      ck_assert(!r.layer[0].answer[k].slack[0].known && !r.layer[0].answer[k].slack[1].known);
    }
    if (i / 3 > 0) /* what a claim does not use does not matter to it */
      is_alone(&r.layer[0].answer[MEMORY].table, CLAIM_TRUE, CLAIM_TRUE);
    trajectory_report_clear(&r);
    scene_clear(&s);
  }
}
END_TEST

/* T = 1: hypothesis (ii) leaves z = 0, and p stays free: 0/0 is undefined. The decay bound is asked from T = 2 on. */
START_TEST(one_token)
{
  scene s;
  scene_of(&s, 1, (const double[]){0.5}, (const double[]){0.5}, (const double[]){0});
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
  is_alone(&r.layer[0].answer[THEOREM].table, CLAIM_TRUE, CLAIM_TRUE);
  is_alone(&r.layer[0].answer[LEMMA].table, CLAIM_UNKNOWN, CLAIM_UNKNOWN);
  ck_assert_ptr_nonnull(strstr(r.layer[0].answer[MEMORY].reason, "does not admit sequences of this length"));
  ck_assert_uint_eq(r.layer[0].answer[MEMORY].table.labels, 0);
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST

/* What a layer does not have is not asked of it. */
START_TEST(not_asked)
{
  scene s;
  size_t tokens = 4;
  scene_make(&s, 3, 1, &tokens, 1, 1);
  for (size_t j = 0; j < 3; j++)
    for (size_t t = 0; t < tokens; t++)
      s.alpha[0][j][t] = 0.5 + 0.125 * (double)t;
  s.layer[0].has_step = false;
  s.layer[1].complex_states = true;
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
  ck_assert_str_eq(r.layer[0].answer[THEOREM].reason, "claim theorem-4-2: it takes a step, and the family made has none");
  ck_assert_ptr_nonnull(strstr(r.layer[1].answer[LEMMA].reason, "speaks of real inputs, and those of the family made are complex"));
  ck_assert_ptr_null(r.layer[2].answer[THEOREM].reason);
  for (int j = 0; j < 3; j++) {
    ck_assert_ptr_null(r.layer[j].answer[MEMORY].reason);
    is_alone(&r.layer[j].answer[MEMORY].table, CLAIM_TRUE, CLAIM_TRUE);
    /* 1/2 5/8 <= (7/8)^2: the smallest difference is at t = 2, 3 or 4; at 4: (7/8)^4 - 1/2 5/8 3/4 7/8 = 0.381; at 2: 0.453. */
    ck_assert_str_eq(r.layer[j].answer[MEMORY].slack[0].at, "t = 4");
    ck_assert(is_near(r.layer[j].answer[MEMORY].slack[0].difference, 2401 - 840, 4096));
  }
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST

/* Nothing in doubles: decays of 2^-1000, whose product is 2^-2000 after two steps, and equal. */
START_TEST(underflow)
{
  scene s;
  double alpha[8], step[8] = {0}, drive[8] = {0};
  for (int t = 0; t < 8; t++)
    alpha[t] = ldexp(1, t == 3 ? -1001 : -1000);
  scene_of(&s, 8, alpha, step, drive);
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
  is_alone(&r.layer[0].answer[MEMORY].table, CLAIM_TRUE, CLAIM_TRUE);
  ck_assert(arb_is_zero(r.layer[0].answer[MEMORY].slack[0].difference)); /* at t = 2, 3: equal */
  trajectory_report_clear(&r);
  for (int t = 0; t < 8; t++)
    s.alpha[0][0][t] = ldexp(1, t == 0 ? -1001 : -1000);
  r = ask(&s, claims, CLAIMS, 0, 1);
  is_alone(&r.layer[0].answer[MEMORY].table, CLAIM_TRUE, CLAIM_TRUE);
  arb_t x; /* at t = 8: 2^-8000 - 2^-8001 */
  arb_init(x);
  arb_set_ui(x, 1);
  arb_mul_2exp_si(x, x, -8001);
  ck_assert(arb_contains(r.layer[0].answer[MEMORY].slack[0].difference, x));
  ck_assert_str_eq(r.layer[0].answer[MEMORY].slack[0].at, "t = 8");
  arb_clear(x);
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST

static void is_same(const trajectory_report *a, const trajectory_report *b)
{
  for (size_t j = 0; j < a->layers; j++)
    for (size_t k = 0; k < a->claims; k++) {
      const trajectory_answer *x = &a->layer[j].answer[k], *y = &b->layer[j].answer[k];
      ck_assert_mem_eq(x->table.count, y->table.count, sizeof x->table.count);
      ck_assert_mem_eq(x->table.failures, y->table.failures, x->table.labels * sizeof *x->table.failures);
      ck_assert_mem_eq(&x->refuted, &y->refuted, sizeof x->refuted);
      for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(x->table.slack[i].over, y->table.slack[i].over);
        ck_assert(x->slack[i].known == y->slack[i].known);
        ck_assert_mem_eq(&x->slack[i].place, &y->slack[i].place, sizeof x->slack[i].place);
        ck_assert(arb_equal(x->slack[i].difference, y->slack[i].difference));
        ck_assert(arf_equal(x->table.slack[i].low, y->table.slack[i].low));
      }
    }
  for (size_t k = 0; k < a->claims; k++) {
    ck_assert(a->claim[k].refuted == b->claim[k].refuted);
    ck_assert_uint_eq(a->claim[k].layer, b->claim[k].layer);
    ck_assert_mem_eq(&a->claim[k].place, &b->claim[k].place, sizeof a->claim[k].place);
  }
}

/* The report depends neither on the memory, and so on how often the model runs, nor on threads. Two lengths, two layers. */
START_TEST(passes_and_threads)
{
  scene s;
  enum { D = 7, N = 6 };
  philox_stream p = philox_stream_start(20260101, philox_hash_name("passes"), 0, 0);
  scene_make(&s, 2, 3, (const size_t[]){5, 9, 5}, D, N);
  for (size_t q = 0; q < 3; q++)
    for (size_t j = 0; j < 2; j++)
      for (size_t t = 0; t < s.tokens[q]; t++)
        for (size_t d = 0; d < D; d++) {
          double step = 0.4 * philox_uniform(&p);
          s.step[q][j][t * D + d] = step;
          for (size_t n = 0; n < N; n++) {
            s.alpha[q][j][(t * D + d) * N + n] = exp(-step * (double)(n + 1));
            s.drive[q][j][(t * D + d) * N + n] = 2 * philox_uniform(&p) - 1;
          }
        }
  trajectory_report whole = ask(&s, claims, CLAIMS, 0, 1);
  ck_assert_uint_eq(whole.runs, 3);
  ck_assert(whole.claim[LEMMA].refuted && !whole.claim[REPAIR].refuted && !whole.claim[THEOREM].refuted);
  uint64_t all = 0;
  for (int h = 0; h < CLAIM_OUTCOMES; h++)
    for (int c = 0; c < CLAIM_OUTCOMES; c++)
      all += whole.layer[0].answer[THEOREM].table.count[h][c];
  ck_assert_uint_eq(all, 3 * D * N);
  ck_assert_uint_eq(whole.claim[THEOREM].tallies, 2);
  const size_t bytes[] = {1, 5 * 8 * (2 * N + 1) * 4, 9 * 8 * (2 * N + 1) * 8};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    trajectory_report part = ask(&s, claims, CLAIMS, bytes[i], 1 + (int)i % 3);
    ck_assert_uint_gt(part.runs, whole.runs);
    if (bytes[i] == 1) /* a channel at a time */
      ck_assert_uint_eq(part.runs, 3 * 2 * D);
    is_same(&whole, &part);
    trajectory_report_clear(&part);
  }
  trajectory_report_clear(&whole);
  scene_clear(&s);
}
END_TEST

/* A claim that knows no time is asked of every token. */
START_TEST(no_time)
{
  static const char words[] = "claim sum given a in real as decay given d in real as step show sum: a + d <= 1 end";
  diag_source *source = diag_source_from("made", words, strlen(words));
  library *l = library_read_source(messages, source, 0);
  ck_assert_ptr_nonnull(l);
  const claim *c = library_claim(l, 0);
  scene s;
  scene_of(&s, 4, (const double[]){0.5, 0.5, 0.75, 0.5}, (const double[]){0.5, 0.25, 0.5, 0.75}, (const double[]){0, 0, 0, 0});
  trajectory_report r = ask(&s, &c, 1, 0, 1);
  const trajectory_answer *a = &r.layer[0].answer[0];
  ck_assert_uint_eq(a->table.count[CLAIM_TRUE][CLAIM_TRUE], 2);
  ck_assert_uint_eq(a->table.count[CLAIM_TRUE][CLAIM_FALSE], 2);
  ck_assert_uint_eq(a->refuted.token, 2);
  ck_assert_uint_eq(r.claim[0].tokens, 1);
  ck_assert(r.claim[0].decay[0] == 0.75 && r.claim[0].step[0] == 0.5);
  trajectory_report_clear(&r);
  scene_clear(&s);
  library_destroy(l);
  diag_source_destroy(source);
}
END_TEST

/* From a trajectory on which the printed lemma is false to a certificate that the judge accepts; the theorem survives. */
START_TEST(judged)
{
  char judge[4096], folder[] = "/tmp/assay-trajectory-XXXXXX";
  const char *build = getenv("top_builddir");
  snprintf(judge, sizeof judge, "%s/assay-verify", build ? build : ".");
  if (access(judge, X_OK))
    return;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  scene s;
  enum { T = 40 };
  double alpha[T], step[T], drive[T];
  for (int t = 0; t < T; t++) {
    step[t] = 0.01 + 0.0123456789 * (t % 7);
    alpha[t] = exp(-2 * step[t]);
    drive[t] = sin(1.0 + t);
  }
  scene_of(&s, T, alpha, step, drive);
  trajectory_report r = ask(&s, claims, CLAIMS, 0, 1);
  audit_options o = audit_options_default();
  o.certificates = folder;
  o.judge = judge;
  check_result result;
  trajectory_verdict(&result, messages, &r, LEMMA, paths[LEMMA], &o, "lemma-d6");
  ck_assert_msg(result.verdict == VERDICT_REFUTED, "%s: %s", verdict_name(result.verdict), result.reason);
  ck_assert(result.counterexample->judged);
  ck_assert_str_eq(result.counterexample->place, "\"made\", sequence 0, layer \"first\", channel 0, state 0");
  ck_assert_int_le(result.counterexample->instance.size[0], 2);
  ck_assert_int_eq(access(result.counterexample->certificate, R_OK), 0);
  remove(result.counterexample->certificate);
  check_result_destroy(&result);
  trajectory_verdict(&result, messages, &r, THEOREM, paths[THEOREM], &o, "theorem-4-2");
  ck_assert_int_eq(result.verdict, VERDICT_SURVIVED);
  ck_assert_uint_eq(result.total.true_, 1);
  check_result_destroy(&result);
  /* No judge, no refutation. */
  o.judge = NULL;
  trajectory_verdict(&result, messages, &r, LEMMA, paths[LEMMA], &o, "lemma-d6");
  ck_assert_int_eq(result.verdict, VERDICT_UNDECIDED);
  check_result_destroy(&result);
  rmdir(folder);
  trajectory_report_clear(&r);
  scene_clear(&s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("claims of trajectories");
  TCase *t = tcase_create("trajectory");
  tcase_set_timeout(t, 120);
  tcase_add_checked_fixture(t, read_claims, forget_claims);
  tcase_add_test(t, known_sequence);
  tcase_add_test(t, failing_hypotheses);
  tcase_add_test(t, not_finite);
  tcase_add_test(t, one_token);
  tcase_add_test(t, not_asked);
  tcase_add_test(t, underflow);
  tcase_add_test(t, passes_and_threads);
  tcase_add_test(t, no_time);
  tcase_add_test(t, judged);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
