/* The judge's evaluator against the tape: on random claims at random instances, neither calls true what the
 * other calls false, nor defined what the other calls undefined, in any arithmetic. They share the parser and
 * nothing else.
 *
 * A failure prints the claim, the instance and both truths. RANDOM_CLAIMS in the environment changes how many
 * claims are drawn, RANDOM_SEED the seed. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cert/instance.h"
#include "check/stage.h"
#include "core/limits.h"
#include "core/memory.h"
#include "lang/claim.h"
#include "random_claim.h"
#include "verify/deep.h"
#include "verify/evaluate.h"

enum { CLAIMS = 2500, INSTANCES = 4, PRECISION = 512, MOST_LABELS = 16 };

static const uint32_t key_of_claims = 0xA6BEE, key_of_values = 0xA6BEF;

static bool is_settled(truth a)
{
  return a == TRUTH_TRUE || a == TRUTH_FALSE || a == TRUTH_UNDEFINED;
}

/* Whether both can be right: open means defined. */
static bool is_consistent(truth a, truth b)
{
  if (is_settled(a) && is_settled(b))
    return a == b;
  return !(a == TRUTH_OPEN && b == TRUTH_UNDEFINED) && !(a == TRUTH_UNDEFINED && b == TRUTH_OPEN);
}

/* ---- the judge's side ---- */

/* The truths of the range of every given, then of every label, as a tape numbers them; and of all hypotheses.
 */
typedef struct {
  const claim *claim;
  const instance *instance;
  diag *d;
  truth label[MOST_LABELS], hypotheses;
  assay_status status;
} judged;

static truth end_of_range(evaluator *e, const node *end, number x, bool is_low, bool open, int64_t *slot)
{
  if (!end)
    return TRUTH_TRUE;
  number bound = evaluator_value(e, end, slot);
  relation r = open ? RELATION_LESS : RELATION_LESS_EQUAL;
  return is_low ? evaluator_compare(e, r, bound, x) : evaluator_compare(e, r, x, bound);
}

static truth range_of(evaluator *e, const judged *j, const match *m, const match_element *element)
{
  const claim_given *g = &j->claim->given[element->given];
  const claim_given_line *line = &g->line[element->line];
  int64_t slot[LIMIT_BINDERS] = {0};
  for (unsigned p = 0; p < g->positions; p++)
    if (line->position[p].name)
      slot[line->position[p].slot] = element->indices[p];
  (void)m;
  number x = number_from_rational(evaluator_numbers(e), &j->instance->value[element->value].value);
  truth low = end_of_range(e, line->low, x, true, line->low_open, slot);
  return truth_and(low, end_of_range(e, line->high, x, false, line->high_open, slot));
}

static void judge_one(judged *j)
{
  const claim *c = j->claim;
  match m;
  if (match_instance(j->d, "instance", &m, c, j->instance) != MATCH_FITS) {
    j->status = STATUS_BAD_INPUT;
    match_clear(&m);
    return;
  }
  evaluator *e = evaluator_create(j->d, c, j->instance, &m, PRECISION);
  j->hypotheses = TRUTH_TRUE;
  for (unsigned i = 0; i < c->givens; i++) {
    j->label[i] = TRUTH_TRUE;
    for (size_t k = 0; k < m.count; k++)
      if (m.element[k].given == i)
        j->label[i] = truth_and(j->label[i], range_of(e, j, &m, &m.element[k]));
    j->hypotheses = truth_and(j->hypotheses, j->label[i]);
  }
  for (unsigned i = 0; i < c->labels; i++) {
    int64_t slot[LIMIT_BINDERS] = {0};
    truth a = evaluator_truth(e, c->label[i].body, slot);
    j->label[c->givens + i] = a;
    if (c->label[i].kind == LABEL_ASSUME)
      j->hypotheses = truth_and(j->hypotheses, a);
  }
  j->status = evaluator_status(e);
  evaluator_destroy(e);
  match_clear(&m);
}

/* All instances of a claim on one deep stack. */
static void judge_all(void *context)
{
  judged *j = context;
  for (int i = 0; i < INSTANCES; i++)
    judge_one(&j[i]);
}

/* ---- comparing ---- */

typedef struct {
  uint64_t compared, settled, of_truth[5], labels_wrong;
  uint64_t solved, unable;
} tally;

static instance instance_of(const stage *g, const fmpq *value)
{
  instance x;
  instance_init(&x);
  for (unsigned i = 0; i < g->claim->sizes; i++)
    instance_add_size(&x, g->claim->size[i].name, g->sizes[i]);
  for (size_t e = 0; e < g->plain->elements; e++)
    instance_add_value(&x, g->plain->element[e].name, &value[e]);
  return x;
}

static void disagree(tally *n, const char *who, const char *label, truth own, truth other, const char *source,
                     const instance *x)
{
  n->labels_wrong++;
  char *json = instance_to_json(x);
  fprintf(stderr, "%s says that %s is %s, the judge that it is %s:\n%s%s\n", who, label, truth_name(own),
          truth_name(other), source, json);
  free(json);
}

static void compare(tally *n, const char *who, const stage *g, size_t label, truth own, truth other,
                    const char *source, const instance *x)
{
  n->compared++;
  n->settled += is_settled(own) && is_settled(other);
  n->of_truth[other]++;
  if (!is_consistent(own, other))
    disagree(n, who, label == SIZE_MAX ? "all hypotheses" : g->plain->label[label].name, own, other, source,
             x);
}

static void compare_all(tally *n, const stage *g, stage_state *s, const fmpq *value, const judged *j,
                        const char *source)
{
  static const struct {
    decide_arithmetic arithmetic;
    const char *name;
  } ways[] = {{DECIDE_LADDER, "the ladder"},
              {DECIDE_BOUNDED, "bounded"},
              {DECIDE_EXACT, "exact"},
              {DECIDE_BALL, "ball"}};
  const instance *x = j->instance;
  if (j->status == STATUS_UNABLE) {
    n->unable++;
  } else {
    ck_assert_msg(j->status == STATUS_OK, "the judge refuses:\n%s%s", source, diag_text(j->d));
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      decide_instance(s->decide, value, ways[w].arithmetic);
      tally rest = {0};
      tally *to = w ? &rest : n; /* what the ladder settles is what counts */
      for (size_t i = 0; i < g->plain->labels; i++)
        compare(to, ways[w].name, g, i, decide_label(s->decide, i), j->label[i], source, x);
      compare(to, ways[w].name, g, SIZE_MAX, decide_hypotheses(s->decide), j->hypotheses, source, x);
      n->labels_wrong += rest.labels_wrong;
    }
    decide_summary summary = {.target = s->target};
    decide_quickly(s->decide, value, &summary);
    tally rest = {0};
    compare(&rest, "the quick form", g, SIZE_MAX, summary.hypotheses, j->hypotheses, source, x);
    const uint32_t *targets;
    size_t count = decider_targets(g->decider, &targets);
    if (summary.hypotheses == TRUTH_TRUE)
      for (size_t k = 0; k < count; k++)
        compare(&rest, "the quick form", g, targets[k], summary.target[k], j->label[targets[k]], source, x);
    n->labels_wrong += rest.labels_wrong;
  }
}

/* On the tape with equalities solved, an instance with the solved elements' values has the truths that it has
 * on the plain one. */
static void compare_solved(tally *n, const stage *g, stage_state *s, fmpq *value, const char *source)
{
  stage_complete(s, value);
  fmpq_t q;
  fmpq_init(q);
  for (size_t k = 0; k < g->solutions->outputs; k++)
    if (exact_value(q, s->solutions, k) != STATUS_OK) {
      fmpq_clear(q);
      return;
    }
  fmpq_clear(q);
  decider_state *solved = decider_state_create(g->block_decider);
  decide_instance(solved, value, DECIDE_LADDER);
  decide_instance(s->decide, value, DECIDE_LADDER);
  for (size_t i = 0; i < g->plain->labels; i++) {
    truth a = decide_label(s->decide, i), b = decide_label(solved, i);
    n->solved++;
    if (is_consistent(a, b))
      continue;
    instance x = instance_of(g, value);
    n->labels_wrong++;
    char *json = instance_to_json(&x);
    fprintf(stderr, "%s is %s on the plain tape, %s on the solved one:\n%s%s\n", g->plain->label[i].name,
            truth_name(a), truth_name(b), source, json);
    free(json);
    instance_clear(&x);
  }
  decider_state_destroy(solved);
}

static void draw_values(philox_stream *random, fmpq *value, size_t n)
{
  uint64_t palette = philox_next(random);
  bool dyadic = philox_below(random, 2);
  for (size_t e = 0; e < n; e++)
    random_small(&value[e], random, palette, dyadic);
}

static void check_claim(tally *n, const char *source, philox_stream *random)
{
  diag *d = diag_create(NULL, 3);
  diag_source *file = diag_source_from("probe.claim", source, strlen(source));
  library *l = library_read_source(d, file, 0);
  ck_assert_msg(l != NULL, "%s%s", source, diag_text(d));
  const claim *c = library_claim(l, 0);
  ck_assert_uint_le(c->givens + c->labels, MOST_LABELS);
  int64_t sizes[2] = {1 + (int64_t)philox_below(random, 3), 1 + (int64_t)philox_below(random, 2)};
  stage g;
  ck_assert_msg(stage_create(&g, d, c, sizes, PRECISION), "%s%s", source, diag_text(d));
  stage_state s;
  stage_state_init(&s, &g);
  fmpq *value[INSTANCES];
  instance x[INSTANCES];
  judged j[INSTANCES];
  for (int i = 0; i < INSTANCES; i++) {
    value[i] = stage_new_values(g.plain->elements);
    draw_values(random, value[i], g.plain->elements);
    if (g.solutions && i % 2)
      compare_solved(n, &g, &s, value[i], source);
    x[i] = instance_of(&g, value[i]);
    j[i] = (judged){.claim = c, .instance = &x[i], .d = diag_create(NULL, 3)};
  }
  deep_call(judge_all, j);
  for (int i = 0; i < INSTANCES; i++) {
    compare_all(n, &g, &s, value[i], &j[i], source);
    diag_destroy(j[i].d);
    instance_clear(&x[i]);
    stage_free_values(value[i], g.plain->elements);
  }
  stage_state_clear(&s);
  stage_clear(&g);
  library_destroy(l);
  diag_source_destroy(file);
  diag_destroy(d);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
  const char *s = getenv(name);
  return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static void run_random(random_features features, uint64_t first, double least_settled)
{
  uint64_t claims = from_environment("RANDOM_CLAIMS", CLAIMS) / 3, seed = from_environment("RANDOM_SEED", 1);
  tally n = {0};
  for (uint64_t k = first; k < first + claims && n.labels_wrong < 20; k++) {
    philox_stream random = philox_stream_start(seed, key_of_claims, k, 0);
    text t;
    text_init(&t);
    random_claim(&t, &random, features);
    random = philox_stream_start(seed, key_of_values, k, 0);
    check_claim(&n, text_string(&t), &random);
    text_clear(&t);
  }
  printf("%llu truths compared, %llu settled by both (true %llu, false %llu, undefined %llu), %llu solved, "
         "%llu unable\n",
         (unsigned long long)n.compared, (unsigned long long)n.settled,
         (unsigned long long)n.of_truth[TRUTH_TRUE], (unsigned long long)n.of_truth[TRUTH_FALSE],
         (unsigned long long)n.of_truth[TRUTH_UNDEFINED], (unsigned long long)n.solved,
         (unsigned long long)n.unable);
  ck_assert_msg(n.labels_wrong == 0, "%llu disagreements; see above", (unsigned long long)n.labels_wrong);
  /* Else the comparison would be empty. */
  ck_assert_msg((double)n.settled >= least_settled * (double)n.compared, "only %llu of %llu settled by both",
                (unsigned long long)n.settled, (unsigned long long)n.compared);
}

START_TEST(test_polynomial)
{
  run_random((random_features){.derivatives = true}, 0, 0.95);
}
END_TEST

START_TEST(test_rational)
{
  run_random((random_features){.division = true, .derivatives = true}, 1000000, 0.95);
}
END_TEST

START_TEST(test_functions)
{
  run_random((random_features){.division = true, .derivatives = true, .functions = true}, 2000000, 0.9);
}
END_TEST

START_TEST(test_means)
{
  run_random((random_features){.derivatives = true, .means = true}, 3000000, 0.9);
}
END_TEST

START_TEST(test_rational_means)
{
  run_random((random_features){.division = true, .derivatives = true, .means = true}, 4000000, 0.9);
}
END_TEST

/* What they once disagreed about, at p = 2, q = 1, and what is true of it by the definition of d(e, x): what
 * does not show in e (a branch not taken, a value that does not win) need only be continuous; an `if` on a
 * boundary that depends on x has no derivative, whatever its branches; x - x is 0. And of folds within folds.
 */
static const struct {
  const char *formula;
  truth truth;
} kept[] = {
    {"d(min(k in 1..3: if p <= p then p else 1), p) = 1", TRUTH_TRUE},
    {"d(abs(p - p), p) = 0", TRUTH_TRUE},
    {"d(relu(log(p) - log(p)), p) = 0", TRUTH_TRUE},
    {"d(max((p - 2)^0, 1), p) = 0", TRUTH_TRUE},
    {"d(0*abs(p - 2), p) = 0", TRUTH_UNDEFINED},
    {"d(if p = 2 then q else q, p) = 0", TRUTH_UNDEFINED},
    {"d(if p = 2 then q else q, q) = 1", TRUTH_TRUE},
    {"d(if (if p = 2 then q = 1 else q = 1) then p else 0, p) = 1", TRUTH_UNDEFINED},
    {"d(if (if p <= 2 then 0 else 1) <= 1/2 then p else 2*p, p) = 1", TRUTH_UNDEFINED},
    {"d(if (if p <= 2 then 0 else 1) <= (if p <= 2 then 0 else 1) + q then p else 2*p, p) = 1",
     TRUTH_UNDEFINED},
    {"d(max(if p <= 2 then 0 else 10, 5), p) = 0", TRUTH_UNDEFINED},
    {"d(max(if p <= 3 then 0 else 10, 5), p) = 0", TRUTH_TRUE},
    {"d(max(abs(p - 2), 5), p) = 0", TRUTH_TRUE},
    {"d(relu(if p <= 2 then -1 else 1), p) = 0", TRUTH_UNDEFINED},
    {"d(relu(abs(p - 2) - 5), p) = 0", TRUTH_TRUE},
    {"d(max(d(p/p, q), 0), p) = 0", TRUTH_TRUE},
    {"d(max(i in 1..2, j in 1..2: if j = 1 then p else q), p) = 1", TRUTH_TRUE},
    {"d(abs(d(min(p, q), p)), q) = 0", TRUTH_UNDEFINED},
    {"d(if d(max(p, 1), p) >= 1 then 3*p else 0, p) = 3", TRUTH_UNDEFINED},
    {"d(d(if q != 0 then 1/2 else p, q)*abs(p - 2), p) = 0", TRUTH_UNDEFINED},
    {"d(d(if p <= 2 then 5 else q, q), p) = 0", TRUTH_UNDEFINED},
    {"d(d(if p <= 2 then 5 else q, q), q) = 0", TRUTH_TRUE},
    /* the value depends on q in neither branch: its derivative is 0, on the boundary as elsewhere */
    {"d(d(if p <= 2 then 5 else 7, q), p) = 0", TRUTH_TRUE},
    {"d(d(if p <= 2 then p else 7, q), p) = 0", TRUTH_TRUE},
    {"d(d(q*(if p <= 3 then p else 7), q), p) = 1", TRUTH_TRUE},
    {"d(d(q*(if p <= 2 then p else 7), q), p) = 1", TRUTH_UNDEFINED},
    {"d(d(if p <= 2 then 5 else max(7, q), q), p) = 0", TRUTH_UNDEFINED},
    {"d(d(if p < 2 and q > 0 then 5 else 7, q), p) = 0", TRUTH_UNDEFINED},
    {"d(d(if p < 2 and p > 0 then 5 else 7, q), p) = 0", TRUTH_TRUE},
    {"d(d(if p = 2 then 5 else sum(k in 1..2: if k = 1 then 3 else k), q), p) = 0", TRUTH_TRUE},
    /* kinks and ties on which q has no part, and on which it has */
    {"d(d(abs(p - 2), q), p) = 0", TRUTH_TRUE},
    {"d(d(relu(p - 2) + q, q), p) = 0", TRUTH_TRUE},
    {"d(d(max(p, 2)*q, q), p) = 0", TRUTH_UNDEFINED},
    {"d(d(max(p, 2) + q, q), p) = 0", TRUTH_TRUE},
    {"d(d(max(p, 2*q), q), p) = 0", TRUTH_UNDEFINED},
    {"d(d(min(p, 2) + p*q, p), q) = 1", TRUTH_UNDEFINED},
    {"d(max(k in 1..2: if q > k then q*p else p), p) = 1",
     TRUTH_UNDEFINED}, /* p twice, but not the same for all q */
    {"d(if p <= (if q > 3 then q else p) then p else 0, p) = 1", TRUTH_UNDEFINED},
    /* a maximum of nothing within another one */
    {"max(k in 1..2: max(l in k + 1..2, m in 1..2: m*p)) = 4", TRUTH_UNDEFINED},
    {"max(k in 1..2, l in k + 1..2: max(m in 1..2: m*p)) = 4", TRUTH_TRUE},
    {"max(n in 1..3: max(s in 1..n - 1, t in 1..n - 1: abs(s*p - t*p))) = 2", TRUTH_UNDEFINED},
    {"max(n in 1..3: max(s in 1..n - 1: max(t in 1..n - 1: abs(s*p - t*p)))) = 2", TRUTH_UNDEFINED},
    {"max(n in 1..3, s in 1..n - 1: max(t in 1..n - 1: abs(s*p - t*p))) = 2", TRUTH_TRUE},
    {"max(n in 1..3, s in 1..n - 1, t in 1..n - 1: abs(s*p - t*p)) = 2", TRUTH_TRUE},
    {"max(s in 1..3: max(k in 2..1, t in 1..3: abs(s*p - t*p))) = 4", TRUTH_UNDEFINED},
};

START_TEST(test_kept)
{
  text t;
  text_init(&t);
  text_add(&t, "claim probe\n given p in real\n given q in real\n");
  size_t count = sizeof kept / sizeof *kept;
  for (size_t i = 0; i < count; i++)
    text_addf(&t, " show b%zu: %s\n", i, kept[i].formula);
  text_add(&t, "end\n");
  diag *d = diag_create(NULL, 3);
  diag_source *file = diag_source_from("probe.claim", text_string(&t), t.length);
  library *l = library_read_source(d, file, 0);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  stage g;
  ck_assert_msg(stage_create(&g, d, library_claim(l, 0), NULL, PRECISION), "%s", diag_text(d));
  stage_state s;
  stage_state_init(&s, &g);
  fmpq *value = stage_new_values(2);
  fmpq_set_si(&value[0], 2, 1);
  fmpq_set_si(&value[1], 1, 1);
  instance x = instance_of(&g, value);
  decide_instance(s.decide, value, DECIDE_LADDER);
  for (size_t i = 0; i < count; i++) {
    char label[24];
    snprintf(label, sizeof label, "b%zu", i);
    truth a = decide_label(s.decide, i + 2), b;
    ck_assert_int_eq(verify_truth(d, &b, library_claim(l, 0), &x, label, PRECISION), STATUS_OK);
    ck_assert_msg(a == kept[i].truth, "%s: the tape says %s", kept[i].formula, truth_name(a));
    ck_assert_msg(b == kept[i].truth, "%s: the judge says %s", kept[i].formula, truth_name(b));
  }
  instance_clear(&x);
  stage_free_values(value, 2);
  stage_state_clear(&s);
  stage_clear(&g);
  library_destroy(l);
  diag_source_destroy(file);
  diag_destroy(d);
  text_clear(&t);
}
END_TEST

/* x[2] is solved for and becomes x[1], once p is known to be 0: it is still no element that is drawn. */
START_TEST(test_solved_to_another)
{
  static const char source[] =
      "claim probe\n given p in real\n given x[t in 1..2] in real\n"
      " assume a: p + x[1] = x[2]\n assume b: p + x[1] = x[1]\n show c: x[1] = x[2]\nend\n";
  diag *d = diag_create(NULL, 3);
  diag_source *file = diag_source_from("probe.claim", source, strlen(source));
  library *l = library_read_source(d, file, 0);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  stage g;
  ck_assert(stage_create(&g, d, library_claim(l, 0), NULL, PRECISION));
  ck_assert_ptr_ne(g.solved, g.plain);
  stage_state s;
  stage_state_init(&s, &g);
  fmpq *value = stage_new_values(3);
  for (int i = 0; i < 3; i++)
    fmpq_set_si(&value[i], 3 + i, 7);
  ck_assert_int_eq(stage_decide(&s, value), TRUTH_TRUE);
  ck_assert_int_eq(s.target[0], TRUTH_TRUE);
  ck_assert(fmpq_is_zero(&value[0]));
  ck_assert(fmpq_equal(&value[1], &value[2]));
  stage_free_values(value, 3);
  stage_state_clear(&s);
  stage_clear(&g);
  library_destroy(l);
  diag_source_destroy(file);
  diag_destroy(d);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("agree");
  TCase *t = tcase_create("agree");
  tcase_set_timeout(t, 600);
  tcase_add_test(t, test_kept);
  tcase_add_test(t, test_solved_to_another);
  tcase_add_test(t, test_polynomial);
  tcase_add_test(t, test_rational);
  tcase_add_test(t, test_functions);
  tcase_add_test(t, test_means);
  tcase_add_test(t, test_rational_means);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
