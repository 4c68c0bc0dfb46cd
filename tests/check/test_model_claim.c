/* Claims asked of the entries of a model: tables against a recurrence run in balls by hand, sequences whose outcome is known,
 * what an equality may be solved for, and each way in which claim and model do not fit. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/made_model.h"
#include "check/model_audit.h"
#include "core/philox.h"

static const uint64_t seed = 20250811;
enum { BITS = 300, MOST = 64 };

/* ---- claims ---- */

typedef struct {
  diag *d;
  diag_source *source;
  library *l;
  const claim *c;
} made_claim;

static made_claim claim_text(const char *words)
{
  made_claim m = {.d = diag_create(NULL, 0), .source = diag_source_from("made", words, strlen(words))};
  m.l = library_read_source(m.d, m.source, 0);
  ck_assert_msg(m.l != NULL, "%s", diag_text(m.d));
  m.c = library_claim(m.l, 0);
  return m;
}

static made_claim claim_shipped(const char *file, const char *name)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/lemmas/wang2025/%s.claim", top ? top : ".", file);
  made_claim m = {.d = diag_create(NULL, 0)};
  m.l = library_read(m.d, path, 0);
  ck_assert_msg(m.l != NULL, "%s", diag_text(m.d));
  m.c = library_find(m.l, name);
  ck_assert_ptr_nonnull(m.c);
  return m;
}

static void claim_clear(made_claim *m)
{
  library_destroy(m->l);
  diag_source_destroy(m->source);
  diag_destroy(m->d);
}

/* ---- a model of one layer, and what was recorded ---- */

#define MAMBA \
  "family mamba size D >= 1 as channel size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n" \
  "given u[d in 1..D] in real as activation\n" \
  "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n" \
  "let step[d in 1..D] as step = softplus(u[d] + b[d])\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"

typedef struct {
  size_t d, n, batch, tokens; /* tokens 0: nothing recorded */
  double a_log[MOST], dt_bias[MOST], delta[MOST * MOST], b[MOST * MOST], u[MOST * MOST];
  bool has_b, has_u;
} scene;

typedef struct {
  made_families f;
  dump_file *file, *activations;
  model m;
  model_report report;
  dump_error error;
  assay_status status;
} asked;

static asked ask(const char *families, const scene *s, const claim *c)
{
  made_tensor t[] = {{"m.A_log", 2, {s->d, s->n}, s->a_log, 0}, {"m.dt_proj.bias", 1, {s->d}, s->dt_bias, 0}};
  made_tensor x[3] = {{"m.delta", 3, {s->batch, s->tokens, s->d}, s->delta, 0}};
  size_t count = 1;
  if (s->has_b)
    x[count++] = (made_tensor){"m.B", 3, {s->batch, s->tokens, s->n}, s->b, 0};
  if (s->has_u)
    x[count++] = (made_tensor){"m.u", 3, {s->batch, s->tokens, s->d}, s->u, 0};
  asked a = {.f = made_families_text(families), .file = made_model(t, 2)};
  a.activations = s->tokens ? made_model(x, count) : NULL;
  dump_error_init(&a.error);
  ck_assert_int_eq(model_recognise(&a.m, a.f.family, a.f.count, a.file, &a.error), STATUS_OK);
  model_options options = model_options_default();
  options.activations = a.activations;
  options.claims = &c;
  options.claim_count = 1;
  options.threads = 2;
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

static const model_claim_result *result_of(const asked *a)
{
  ck_assert_msg(a->status == STATUS_OK, "%s", a->error.message);
  ck_assert_uint_eq(a->report.layer_count, 1);
  ck_assert_uint_eq(a->report.layers[0].claim_count, 1);
  return &a->report.layers[0].claims[0];
}

static scene *scene_new(size_t d, size_t n, size_t batch, size_t tokens)
{
  scene *s = calloc(1, sizeof *s);
  *s = (scene){.d = d, .n = n, .batch = batch, .tokens = tokens, .has_b = true, .has_u = true};
  return s;
}

static scene *scene_random(philox_stream *s)
{
  scene *r = scene_new(1 + philox_below(s, 3), 1 + philox_below(s, 3), 1 + philox_below(s, 3), 1 + philox_below(s, 5));
  for (size_t i = 0; i < r->d * r->n; i++)
    r->a_log[i] = 4 * philox_uniform(s) - 0.5;
  for (size_t i = 0; i < r->batch * r->tokens * r->d; i++) {
    r->delta[i] = philox_below(s, 20) ? 0.5 * philox_uniform(s) : 1.3 * philox_uniform(s);
    r->u[i] = philox_below(s, 6) ? 2 * philox_uniform(s) - 1 : 0;
  }
  for (size_t i = 0; i < r->batch * r->tokens * r->n; i++)
    r->b[i] = philox_below(s, 10) ? 2 * philox_uniform(s) - 1 : 0;
  return r;
}

/* ---- the recurrence, by hand ---- */

typedef struct {
  arb_struct alpha[8], delta[8], z[8], h[9]; /* h[0] = 0; of times 1..T else */
  arb_t low, high, least;                     /* of z; of alpha */
  size_t tokens;
} run;

static void run_init(run *r)
{
  arb_ptr const all[] = {r->alpha, r->delta, r->z};
  for (size_t k = 0; k < 3; k++)
    for (int t = 0; t < 8; t++)
      arb_init(&all[k][t]);
  for (int t = 0; t < 9; t++)
    arb_init(&r->h[t]);
  arb_init(r->low);
  arb_init(r->high);
  arb_init(r->least);
}

static void run_clear(run *r)
{
  arb_ptr const all[] = {r->alpha, r->delta, r->z};
  for (size_t k = 0; k < 3; k++)
    for (int t = 0; t < 8; t++)
      arb_clear(&all[k][t]);
  for (int t = 0; t < 9; t++)
    arb_clear(&r->h[t]);
  arb_clear(r->low);
  arb_clear(r->high);
  arb_clear(r->least);
}

static void run_entry(run *r, const scene *s, size_t batch, size_t channel, size_t state)
{
  r->tokens = s->tokens;
  for (size_t t = 0; t < s->tokens; t++) {
    size_t token = batch * s->tokens + t;
    arb_set_d(&r->delta[t], s->delta[token * s->d + channel]);
    arb_set_d(&r->alpha[t], s->a_log[channel * s->n + state]);
    arb_exp(&r->alpha[t], &r->alpha[t], BITS);
    arb_mul(&r->alpha[t], &r->alpha[t], &r->delta[t], BITS);
    arb_neg(&r->alpha[t], &r->alpha[t]);
    arb_exp(&r->alpha[t], &r->alpha[t], BITS);
    arb_set_d(&r->z[t], s->b[token * s->n + state]);
    arb_set_d(&r->h[t + 1], s->u[token * s->d + channel]);
    arb_mul(&r->z[t], &r->z[t], &r->h[t + 1], BITS); /* exact: 106 bits */
    arb_mul(&r->h[t + 1], &r->alpha[t], &r->h[t], BITS);
    arb_addmul(&r->h[t + 1], &r->delta[t], &r->z[t], BITS);
    if (t == 0) {
      arb_set(r->low, &r->z[t]);
      arb_set(r->high, &r->z[t]);
      arb_set(r->least, &r->alpha[t]);
    }
    arb_min(r->low, r->low, &r->z[t], BITS);
    arb_max(r->high, r->high, &r->z[t], BITS);
    arb_min(r->least, r->least, &r->alpha[t], BITS);
  }
}

/* The hypotheses that both claims share: the ranges of alpha and delta, nonexpansive, centred. */
enum { ALPHA, DELTA, NONEXPANSIVE, CENTRED, HYPOTHESES };
static const char *const hypothesis[HYPOTHESES] = {"alpha", "delta", "nonexpansive", "centred"};

static bool run_hypotheses(uint64_t *failures, const run *r)
{
  bool fails[HYPOTHESES] = {0};
  arb_t x;
  arb_init(x);
  for (size_t t = 0; t < r->tokens; t++) {
    arb_sub_ui(x, &r->alpha[t], 1, BITS);
    fails[ALPHA] = fails[ALPHA] || !arb_is_negative(x); /* exp(0) = 1 for a step of 0 */
    arb_sub_ui(x, &r->delta[t], 1, BITS);
    fails[DELTA] = fails[DELTA] || arb_is_positive(x) || arb_is_negative(&r->delta[t]);
    arb_add(x, x, &r->alpha[t], BITS);
    fails[NONEXPANSIVE] = fails[NONEXPANSIVE] || arb_is_positive(x);
  }
  fails[CENTRED] = arb_is_positive(r->low) || arb_is_negative(r->high);
  bool all = true;
  for (int k = 0; k < HYPOTHESES; k++) {
    failures[k] += fails[k];
    all = all && !fails[k];
  }
  arb_clear(x);
  return all;
}

/* |h_t - h_s| <= (1 - A^(T-1)) (M - m) for t, s >= 1. */
static bool run_contracts(const run *r)
{
  arb_t bound, x;
  arb_init(bound);
  arb_init(x);
  arb_pow_ui(bound, r->least, r->tokens - 1, BITS);
  arb_sub_ui(bound, bound, 1, BITS);
  arb_neg(bound, bound);
  arb_sub(x, r->high, r->low, BITS);
  arb_mul(bound, bound, x, BITS);
  bool holds = true;
  for (size_t t = 1; t <= r->tokens; t++)
    for (size_t s = 1; s < t; s++) {
      arb_sub(x, &r->h[t], &r->h[s], BITS);
      arb_abs(x, x);
      holds = holds && !arb_gt(x, bound);
      ck_assert(arb_le(x, bound) || arb_gt(x, bound));
    }
  arb_clear(bound);
  arb_clear(x);
  return holds;
}

static uint64_t failures_of(const model_claim_result *r, const char *name)
{
  for (size_t i = 0; i < r->table.labels; i++)
    if (!strcmp(r->table.label[i], name))
      return r->table.failures[i];
  return 0;
}

static uint64_t all_of(const model_claim_result *r)
{
  uint64_t sum = 0;
  for (int h = 0; h < CLAIM_OUTCOMES; h++)
    for (int c = 0; c < CLAIM_OUTCOMES; c++)
      sum += r->table.count[h][c];
  return sum;
}

/* Theorem 4.2 of random sequences: the table, how often each hypothesis fails, and no refutation, for it is true. */
START_TEST(test_theorem)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("theorem"), 0, 0);
  made_claim c = claim_shipped("theorem-4-2", "theorem-4-2");
  uint64_t seen[2][2] = {{0}};
  run r;
  run_init(&r);
  for (int k = 0; k < 60; k++) {
    scene *x = scene_random(&s);
    asked a = ask(MAMBA, x, c.c);
    const model_claim_result *found = result_of(&a);
    uint64_t count[2][2] = {{0}}, failures[HYPOTHESES] = {0};
    for (size_t batch = 0; batch < x->batch; batch++)
      for (size_t i = 0; i < x->d * x->n; i++) {
        run_entry(&r, x, batch, i / x->n, i % x->n);
        bool given = run_hypotheses(failures, &r);
        count[!given][!run_contracts(&r)]++;
      }
    for (int h = 0; h < 2; h++)
      for (int w = 0; w < 2; w++) {
        ck_assert_uint_eq(found->table.count[h][w], count[h][w]);
        seen[h][w] += count[h][w];
      }
    ck_assert_uint_eq(all_of(found), x->batch * x->d * x->n);
    for (int h = 0; h < HYPOTHESES; h++)
      ck_assert_msg(failures_of(found, hypothesis[h]) == failures[h], "%s", hypothesis[h]);
    ck_assert((found->table.refuted == CLAIM_NOWHERE));
    asked_clear(&a);
    free(x);
  }
  ck_assert_uint_eq(seen[0][1], 0);
  ck_assert_msg(seen[0][0] > 20 && seen[1][0] > 20 && seen[1][1] > 3, "%d %d %d", (int)seen[0][0], (int)seen[1][0], (int)seen[1][1]);
  run_clear(&r);
  claim_clear(&c);
}
END_TEST

/* Whether both lines of Lemma D.6 hold, p being what its equality makes of z. */
static bool run_lines(const run *r)
{
  arb_t p, power, x, y;
  arb_init(p);
  arb_init(power);
  arb_init(x);
  arb_init(y);
  arb_sub(p, r->high, &r->z[0], BITS);
  arb_sub(x, r->high, r->low, BITS);
  arb_div(p, p, x, BITS);
  bool holds = true;
  for (size_t t = 1; t <= r->tokens; t++) {
    /* low + A^(t-1) (1 - p) (high - low) <= s_t <= high - A^(t-1) p (high - low) */
    arb_pow_ui(power, r->least, t - 1, BITS);
    arb_sub(x, r->high, r->low, BITS);
    arb_mul(power, power, x, BITS);
    arb_mul(y, power, p, BITS);
    arb_sub(x, r->high, y, BITS);
    holds = holds && !arb_gt(&r->h[t], x);
    arb_sub(y, power, y, BITS);
    arb_add(x, r->low, y, BITS);
    holds = holds && !arb_lt(&r->h[t], x);
  }
  arb_clear(p);
  arb_clear(power);
  arb_clear(x);
  arb_clear(y);
  return holds;
}

/* Lemma D.6 as printed, which is false: p, which no file has, is what the equality for the first token makes of it. */
START_TEST(test_lemma)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("lemma"), 0, 0);
  made_claim c = claim_shipped("lemma-d6", "lemma-d6");
  run r;
  run_init(&r);
  uint64_t refuted = 0, kept = 0, open = 0;
  for (int k = 0; k < 60; k++) {
    scene *x = scene_random(&s);
    asked a = ask(MAMBA, x, c.c);
    const model_claim_result *found = result_of(&a);
    uint64_t count[CLAIM_OUTCOMES][CLAIM_OUTCOMES] = {{0}}, failures[HYPOTHESES] = {0};
    bool first = true;
    for (size_t batch = 0; batch < x->batch; batch++)
      for (size_t i = 0; i < x->d * x->n; i++) {
        run_entry(&r, x, batch, i / x->n, i % x->n);
        bool given = run_hypotheses(failures, &r);
        if (arb_equal(r.low, r.high)) { /* p is free: nothing is told */
          open++;
          count[2][2]++;
          continue;
        }
        bool holds = run_lines(&r);
        count[!given][!holds]++;
        if (given && !holds && first) {
          ck_assert((found->table.refuted != CLAIM_NOWHERE));
          ck_assert_uint_eq(found->batch, batch);
          ck_assert_uint_eq(found->channel, i / x->n);
          ck_assert_uint_eq(found->state, i % x->n);
          first = false;
        }
      }
    ck_assert(first == (found->table.refuted == CLAIM_NOWHERE));
    for (int h = 0; h < 2; h++)
      for (int w = 0; w < 2; w++)
        ck_assert_uint_eq(found->table.count[h][w], count[h][w]);
    ck_assert_uint_eq(all_of(found), x->batch * x->d * x->n);
    refuted += count[0][1];
    kept += count[0][0];
    asked_clear(&a);
    free(x);
  }
  ck_assert(refuted > 20 && kept > 3 && open > 5);
  run_clear(&r);
  claim_clear(&c);
}
END_TEST

/* Outcomes that are known without computing: b = (1, -1) times 1, steps 1/2, a = -2: alpha = 1/e < 1/2. p = 0, and the lower
 * line asks for M = 1 <= s_1 = 1/2. Twice the step breaks alpha + delta <= 1, three times its range too. */
START_TEST(test_by_hand)
{
  made_claim lemma = claim_shipped("lemma-d6", "lemma-d6"), theorem = claim_shipped("theorem-4-2", "theorem-4-2");
  scene *s = scene_new(2, 1, 2, 2);
  s->a_log[0] = s->a_log[1] = log(2);
  static const double delta[] = {1, 0.5, 1, 0.5, /* second sequence */ 1.5, 0, 1.5, 0.25};
  memcpy(s->delta, delta, sizeof delta);
  for (int i = 0; i < 8; i++)
    s->u[i] = 1;
  for (int i = 0; i < 4; i++)
    s->b[i] = i % 2 ? -1 : 1;
  asked a = ask(MAMBA, s, lemma.c);
  const model_claim_result *r = result_of(&a);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], 1);
  ck_assert((r->table.refuted != CLAIM_NOWHERE));
  ck_assert_uint_eq(r->batch, 0);
  ck_assert_uint_eq(r->channel, 1);
  ck_assert_uint_eq(failures_of(r, "delta"), 1);        /* 1.5 */
  ck_assert_uint_eq(failures_of(r, "nonexpansive"), 2); /* 1 and 1.5 */
  ck_assert_uint_eq(failures_of(r, "alpha"), 1);        /* exp(0 a) = 1 */
  ck_assert_uint_eq(failures_of(r, "mixture"), 0);
  ck_assert_str_eq(r->claim, "lemma-d6");
  asked_clear(&a);
  a = ask(MAMBA, s, theorem.c);
  r = result_of(&a);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_FALSE][CLAIM_TRUE] + r->table.count[CLAIM_FALSE][CLAIM_FALSE], 3);
  asked_clear(&a);
  s->u[1] = 0; /* all of one sign, 0 and -1 */
  a = ask(MAMBA, s, theorem.c);
  ck_assert_uint_eq(failures_of(result_of(&a), "centred"), 0);
  asked_clear(&a);
  s->u[1] = -1;
  a = ask(MAMBA, s, theorem.c);
  ck_assert_uint_eq(failures_of(result_of(&a), "centred"), 1);
  asked_clear(&a);
  free(s);
  claim_clear(&lemma);
  claim_clear(&theorem);
}
END_TEST

/* An element that the model supplies has the value that it has, whatever an equality would make of it. */
START_TEST(test_equalities)
{
  scene *s = scene_new(1, 1, 3, 2);
  for (int i = 0; i < 6; i++)
    s->delta[i] = 0.125 * (i + 1);
  static const double u[] = {1, -1, 1, 1, 0.5, -0.25};
  memcpy(s->u, u, sizeof u);
  for (int i = 0; i < 6; i++)
    s->b[i] = 1;
  made_claim c = claim_text("claim a size T >= 1 given z[t in 1..T] in real as input\n"
                            "assume balanced: sum(t in 1..T: z[t]) = 0 show no: z[1] = z[2] end\n");
  asked a = ask(MAMBA, s, c.c);
  const model_claim_result *r = result_of(&a);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_FALSE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_FALSE][CLAIM_FALSE], 1);
  ck_assert_uint_eq(failures_of(r, "balanced"), 2);
  asked_clear(&a);
  claim_clear(&c);
  /* q is declared first, and yet is what is solved for; exp makes it irrational. */
  c = claim_text("claim a size T >= 1 given q in (0, 1) given alpha[t in 1..T] in (0, 1) as decay given d[t in 1..T] in real as step\n"
                 "assume tied: q + d[1] = alpha[1] show log: log(q + d[1]) = -d[1] end\n");
  a = ask(MAMBA, s, c.c); /* a = -1 */
  r = result_of(&a);
  /* exp(-d) - d > 0 for d below 0.567: the steps 0.125, 0.375; not 0.625. */
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE] + r->table.count[CLAIM_TRUE][CLAIM_UNKNOWN], 2);
  ck_assert_uint_eq(failures_of(r, "q"), 1);
  asked_clear(&a);
  claim_clear(&c);
  /* Where the coefficient of q is 0 nothing is told, be the equality right or wrong. */
  c = claim_text("claim a size T >= 1 given z[t in 1..T] in real as input given q in real\n"
                 "assume tied: q*(z[1] - z[2]) = z[1] show no: q = 1/2 end\n");
  a = ask(MAMBA, s, c.c);
  r = result_of(&a); /* q = 1/2; none; 2/3 */
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_UNKNOWN][CLAIM_UNKNOWN], 1);
  asked_clear(&a);
  claim_clear(&c);
  free(s);
}
END_TEST

#define ASSUMPTION "claim a given alpha in real as decay given d in real as step show sum: alpha + d <= 1 end\n"

/* A claim without time: at the bias point what the audit itself says; of recorded tokens each. */
START_TEST(test_without_time)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("timeless"), 0, 0);
  made_claim c = claim_text(ASSUMPTION);
  for (int k = 0; k < 20; k++) {
    scene *x = scene_random(&s);
    for (size_t i = 0; i < x->d; i++)
      x->dt_bias[i] = 4 * philox_uniform(&s) - 4;
    asked a = ask(MAMBA, x, c.c);
    const model_claim_result *r = result_of(&a);
    const model_recorded *recorded = &a.report.layers[0].recorded;
    ck_assert(recorded->known);
    ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], recorded->holds);
    ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], recorded->fails);
    ck_assert_uint_eq(all_of(r), x->batch * x->tokens * x->d * x->n);
    if ((r->table.refuted != CLAIM_NOWHERE)) { /* and first there: */
      double step = x->delta[r->batch * x->d + r->channel], a_log = x->a_log[r->channel * x->n + r->state];
      ck_assert_double_gt(exp(-step * exp(a_log)) + step, 1 - 1e-12);
    }
    asked_clear(&a);
    x->tokens = 0;
    a = ask(MAMBA, x, c.c);
    r = result_of(&a);
    ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], a.report.total.holds);
    ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], a.report.total.fails);
    ck_assert_uint_eq(all_of(r), x->d * x->n);
    asked_clear(&a);
    free(x);
  }
  claim_clear(&c);
}
END_TEST

/* Which entry, which time: a claim that tells each value apart. */
START_TEST(test_places)
{
  scene *s = scene_new(2, 3, 2, 2);
  for (size_t i = 0; i < 8; i++) {
    s->delta[i] = (double)(i + 1) / 16;
    s->u[i] = (double)(1 + i);
  }
  for (size_t i = 0; i < 12; i++)
    s->b[i] = ldexp(1, (int)i);
  made_claim c = claim_text("claim a size T >= 1 size N >= 1 given d[t in 1..T] in real as step\n"
                            "given z[t in 1..T, n in 1..N] in real as input given alpha[t in 1..T, n in 1..N] in real as decay\n"
                            "assume all: forall t in 1..T, n in 1..N: alpha[t, n] < 1\n"
                            "show place: 16*d[1] = 6 and 16*d[2] = 8 and z[1, N] = 128*6 and z[2, 1] = 8*128*8 end\n");
  asked a = ask(MAMBA, s, c.c);
  const model_claim_result *r = result_of(&a);
  /* Second sequence, channel 1, state 1: tokens 2 and 3, u = 6 and 8, B = 2^(3 t + 1) = 2^7, 2^10. */
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], 11);
  asked_clear(&a);
  claim_clear(&c);
  /* The same with the state first: the sizes say so. */
  c = claim_text("claim a size N >= 1 as state size T >= 1 as time given d[t in 1..T] in real as step\n"
                 "given z[n in 1..N, t in 1..T] in real as input given alpha[n in 1..N, t in 1..T] in real as decay\n"
                 "assume all: forall t in 1..T, n in 1..N: alpha[n, t] < 1\n"
                 "show place: 16*d[1] = 6 and 16*d[2] = 8 and z[N, 1] = 128*6 and z[1, 2] = 8*128*8 end\n");
  a = ask(MAMBA, s, c.c);
  r = result_of(&a);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_TRUE], 1);
  ck_assert_uint_eq(r->table.count[CLAIM_TRUE][CLAIM_FALSE], 11);
  asked_clear(&a);
  claim_clear(&c);
  free(s);
}
END_TEST

/* Entries without meaning are not counted; a sequence with a NaN is open, in the channels that it belongs to. */
START_TEST(test_invalid)
{
  made_claim c = claim_text(ASSUMPTION);
  scene *s = scene_new(2, 2, 1, 3);
  s->a_log[1] = NAN;
  for (int i = 0; i < 6; i++)
    s->delta[i] = 0.25;
  s->delta[3] = NAN; /* token 1, channel 1 */
  s->delta[4] = INFINITY;
  asked a = ask(MAMBA, s, c.c);
  const model_claim_result *r = result_of(&a);
  ck_assert_uint_eq(all_of(r), 3 * 3);
  ck_assert_uint_eq(r->table.count[CLAIM_UNKNOWN][CLAIM_UNKNOWN], 2 + 1);
  asked_clear(&a);
  claim_clear(&c);
  free(s);
}
END_TEST

/* ---- what does not fit ---- */

#define DECAY_ALONE \
  "family f size D >= 1 as channel size N >= 1 as state tensor A[d in 1..D, n in 1..N] \"A_log\"\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = -exp(A[d, n]) end\n"
#define MOVING_RATE \
  "family f size D >= 1 as channel size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n" \
  "given u[d in 1..D] in real as activation\n" \
  "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n] + u[d])\n" \
  "let step[d in 1..D] as step = softplus(u[d] + b[d])\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n] end\n"
#define NOT_ELEMENTWISE \
  "family f size D >= 1 as channel size N >= 1 as state tensor A[d in 1..D, n in 1..N] \"A_log\"\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = -exp(A[d, n])*n end\n"

static void refuses_with(const char *part, const char *families, const scene *s, const char *words)
{
  made_claim c = claim_text(words);
  asked a = ask(families, s, c.c);
  ck_assert_msg(a.status != STATUS_OK, "not refused: %s", words);
  ck_assert_msg(strstr(a.error.message, part), "'%s' is not in '%s'", part, a.error.message);
  ck_assert_ptr_null(strchr(a.error.message, '\n'));
  asked_clear(&a);
  claim_clear(&c);
}

START_TEST(test_refusals)
{
  scene *s = scene_new(2, 2, 2, 3), *bias = scene_new(2, 2, 0, 0);
  refuses_with("nothing supplies 'h0'", MAMBA, s,
               "claim a size T >= 1 given alpha[t in 1..T] in (0, 1) as decay given h0 in real as state show a: h0 <= alpha[1] end\n");
  refuses_with("nothing tells the size K", MAMBA, s,
               "claim a size T >= 1 size K >= 1 given alpha[t in 1..T] in (0, 1) as decay show a: alpha[1] < K end\n");
  refuses_with("'alpha' is a sequence, and no activations", MAMBA, bias,
               "claim a size T >= 1 given alpha[t in 1..T] in (0, 1) as decay show a: alpha[1] < 1 end\n");
  refuses_with("'alpha' has more indices than time and state", MAMBA, s,
               "claim a size T >= 1 given alpha[l in 1..T, t in 1..T, n in 1..T] in (0, 1) as decay show a: alpha[1, 1, 1] < 1 end\n");
  refuses_with("an index of 'alpha' runs over something else than time and state", MAMBA, s,
               "claim a size L >= 1 as layer size T >= 1 given alpha[l in 1..L, t in 1..T] in (0, 1) as decay show a: alpha[1, 1] < 1 end\n");
  refuses_with("'d' has no time, and other quantities do", MAMBA, s,
               "claim a size N >= 1 as state size T >= 1 given alpha[t in 1..T] in (0, 1) as decay given d[n in 1..N] in real as step\n"
               "show a: d[1] < alpha[1] end\n");
  refuses_with("'alpha' has time and state bounded by one size", MAMBA, s,
               "claim a size T >= 1 given alpha[t in 1..T, n in 1..T] in (0, 1) as decay show a: alpha[1, 1] < 1 end\n");
  refuses_with("an index of 'alpha' is no range 1..SIZE", MAMBA, s,
               "claim a size T >= 1 given alpha[t in 2..T] in (0, 1) as decay show a: alpha[2] < 1 end\n");
  refuses_with("an index of 'alpha' is no range 1..SIZE", MAMBA, s,
               "claim a size T >= 2 given alpha[1] in (0, 1) as decay given alpha[t in 2..T] in (0, 1) as decay show a: alpha[2] < 1 end\n");
  refuses_with("does not admit sequences of this length", MAMBA, s,
               "claim a size T >= 4 given alpha[t in 1..T] in (0, 1) as decay show a: alpha[1] < 1 end\n");
  refuses_with("has no conclusion", MAMBA, s,
               "claim a size T >= 1 given alpha[t in 1..T] in (0, 1) as decay possible a: alpha[1] < 1 end\n");
  refuses_with("nothing in it has the role decay, step or input", MAMBA, s, "claim a given alpha in (0, 1) show a: alpha < 1 end\n");
  refuses_with("'d' has no time, and other quantities do", MAMBA, s,
               "claim a size T >= 1 given alpha[t in 1..T] in (0, 1) as decay given d in real as step show a: d < alpha[1] end\n");
  refuses_with("claim a: ", MAMBA, s, /* s[0] is nowhere */
               "claim a size T >= 1 given alpha[t in 1..T] in (0, 1) as decay let s[t in 1..T] = s[t-1] + alpha[t] show a: s[T] < 1 end\n");
  refuses_with("the decay of family f does not follow from the step alone", DECAY_ALONE, s, ASSUMPTION);
  refuses_with("the decay of family f does not follow from the step alone", MOVING_RATE, s, ASSUMPTION);
  refuses_with("'d' is the step, and the family has none", DECAY_ALONE, bias, ASSUMPTION);
  refuses_with("has a tape of its own for each entry", NOT_ELEMENTWISE, bias, ASSUMPTION);
  refuses_with("'z' is the input, of which B and u are not given", MAMBA, bias, "claim a given z in real as input show a: z < 1 end\n");
  for (int k = 0; k < 3; k++) {
    s->has_b = k == 1;
    s->has_u = k == 2;
    refuses_with("'z' is the input, of which B and u are not given", MAMBA, s,
                 "claim a size T >= 1 given z[t in 1..T] in real as input show a: z[1] < 1 end\n");
  }
  free(s);
  free(bias);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("claims of models");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_theorem);
  tcase_add_test(all, test_lemma);
  tcase_add_test(all, test_by_hand);
  tcase_add_test(all, test_equalities);
  tcase_add_test(all, test_without_time);
  tcase_add_test(all, test_places);
  tcase_add_test(all, test_invalid);
  tcase_add_test(all, test_refusals);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
