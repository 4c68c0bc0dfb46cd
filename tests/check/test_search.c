/* The search finds the same on one thread and on two, every verdict can be had, and it stops when told to. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/audit.h"
#include "check/search.h"
#include "core/memory.h"

typedef struct {
  diag *d;
  diag_source *file;
  library *l;
} reading;

static reading read_text(const char *source)
{
  reading r = {.d = diag_create(NULL, 5), .file = diag_source_from("probe.claim", source, strlen(source))};
  r.l = library_read_source(r.d, r.file, 0);
  ck_assert_msg(r.l != NULL, "%s%s", source, diag_text(r.d));
  return r;
}

static void reading_clear(reading *r)
{
  library_destroy(r->l);
  diag_source_destroy(r->file);
  diag_destroy(r->d);
}

/* ---- threads ---- */

static const char *const searched[] = {
    /* found by the grid, by random draws, by climbing, not at all */
    "claim a\n size T >= 1\n try T in 1..3\n given x[t in 1..T] in [0, 1]\n show b: sum(t in 1..T: x[t]) < "
    "2\nend\n",
    "claim b\n given x in [0, 1]\n given y in [0, 1]\n assume a: x*y <= 1/3\n show b: x^2 + y^2 < "
    "1.0826\nend\n",
    "claim c\n given x[t in 1..6] in [-1, 1]\n show b: prod(t in 1..6: x[t]) > -0.97\nend\n",
    "claim d\n size T >= 1\n try T in 1..4\n given x[t in 1..T] in real\n given p in (0, 1)\n"
    " assume a: sum(t in 1..T: x[t]) = p\n show b: sum(t in 1..T: x[t]^2)*T >= p^2\n"
    " show c: exp(x[1]) > x[1]\nend\n",
    "claim e\n given x in real\n given y in real\n possible b: x^2 + y^2 = 25/16\n possible c: x*y > "
    "3\nend\n",
    "claim f\n given x in [0, 1]\n assume a: 0.5 < x < 0.50001\n show b: sqrt(x) > 0.7\nend\n",
};

static void compare_counts(const check_counts *a, const check_counts *b, const char *source)
{
  ck_assert_msg(!memcmp(a, b, sizeof *a),
                "%s: %" PRIu64 "/%" PRIu64 "/%" PRIu64 " and %" PRIu64 "/%" PRIu64 "/%" PRIu64
                " drawn, accepted, true",
                source, a->drawn, a->accepted, a->true_, b->drawn, b->accepted, b->true_);
}

START_TEST(test_threads)
{
  reading r = read_text(searched[_i]);
  const claim *c = library_claim(r.l, 0);
  audit_options o[2] = {audit_options_default(), audit_options_default()};
  search s[2];
  search_hit hit[2];
  bool found[2];
  uint64_t drawn = 0;
  for (int k = 0; k < 2; k++) {
    o[k].threads = k + 1;
    o[k].seed = 7;
    ck_assert_msg(search_create(&s[k], r.d, c, &o[k]), "%s", diag_text(r.d));
  }
  for (int again = 0; again < 3; again++) { /* it goes on where it stopped */
    for (int k = 0; k < 2; k++)
      found[k] = search_run(&s[k], 2000, &hit[k]);
    ck_assert_int_eq(found[0], found[1]);
    ck_assert_uint_eq(s[0].cases, s[1].cases);
    for (size_t i = 0; i < s[0].cases; i++)
      for (int j = 0; j < SOURCE_KINDS; j++) {
        compare_counts(&s[0].at[i].counts[j], &s[1].at[i].counts[j], searched[_i]);
        drawn += s[0].at[i].counts[j].drawn;
      }
    if (!found[0])
      break;
    ck_assert_uint_eq(hit[0].case_number, hit[1].case_number);
    ck_assert_uint_eq(hit[0].target, hit[1].target);
    ck_assert_uint_eq(hit[0].origin.number, hit[1].origin.number);
    ck_assert_uint_eq(hit[0].origin.source, hit[1].origin.source);
    for (size_t e = 0; e < s[0].at[hit[0].case_number].g.plain->elements; e++)
      ck_assert(fmpq_equal(&hit[0].value[e], &hit[1].value[e]));
    for (int k = 0; k < 2; k++)
      search_hit_clear(&s[k], &hit[k]);
  }
  ck_assert_uint_gt(drawn, 0);
  for (int k = 0; k < 2; k++) {
    search_hit_clear(&s[k], &hit[k]);
    search_clear(&s[k]);
  }
  reading_clear(&r);
}
END_TEST

/* Another seed is another search. */
START_TEST(test_seeds)
{
  reading r = read_text("claim a\n given x in [0, 1]\n show b: x < 1/3 or x > 1/3 + 1/50\nend\n");
  uint64_t accepted[2];
  for (int k = 0; k < 2; k++) {
    audit_options o = audit_options_default();
    o.threads = 1;
    o.seed = (uint64_t)k + 1;
    search s;
    search_hit hit;
    ck_assert(search_create(&s, r.d, library_claim(r.l, 0), &o));
    ck_assert(search_run(&s, 5000, &hit));
    accepted[k] = hit.origin.number + 1000000 * hit.origin.source;
    ck_assert_uint_eq(hit.origin.seed, o.seed);
    search_hit_clear(&s, &hit);
    search_clear(&s);
  }
  ck_assert(accepted[0] != accepted[1] || accepted[0] < 1000000); /* unless the grid has it */
  reading_clear(&r);
}
END_TEST

/* ---- verdicts ---- */

static const struct {
  verdict verdict;
  const char *source;
  const char *reason; /* part of it; NULL: whatever */
} tiny[] = {
    {VERDICT_REFUTED, "given x in [0, 1]\n show b: x < 1", NULL},
    {VERDICT_REFUTED,
     "size T >= 1\n try T in 1..4\n given x[t in 1..T] in real\n show b: T*sum(t in 1..T: x[t]^2) > 0", NULL},
    {VERDICT_REFUTED, "given x in real\n show b: 1/0 > 0\n show c: x > 0",
     NULL}, /* definedness is per label */
    {VERDICT_SURVIVED,
     "size T >= 1\n try T in 1..3\n given x[t in 1..T] in real\n show b: sum(t in 1..T: x[t]^2) >= 0",
     "none false"},
    {VERDICT_PROVED_ON_BOX, "given x in [0, 1]\n show b: x*x <= x + 1/100", "boxes"},
    {VERDICT_VACUOUS, "given x in [0, 1]\n assume a: x*x > 2\n show b: x = 0", "boxes"},
    {VERDICT_VACUOUS,
     "size T in 1..3\n given x[t in 1..T] in (0, 1]\n assume a: forall t in 1..T: 1 + x[t] <= 1\n"
     " show b: x[1] = 0",
     "linear"},
    /* sizes that were not tried are not proved */
    {VERDICT_NO_INSTANCE, "size T >= 1\n given x in real\n assume a: x > 2 and x < T/T\n show b: x = 0",
     "at every size tried"},
    {VERDICT_VACUOUS,
     "size T in 1..2\n given x in [0, 1]\n given y in [0, 1]\n assume a: if T = 1 then x*x + y*y > 3 else x + y > 3\n"
     " show b: x = 0",
     "or"},
    /* met at a point that no draw comes near */
    {VERDICT_SURVIVED,
     "given x[i in 1..5] in real\n assume a: forall i in 1..4: abs(x[i+1] - 3*x[i]) < 1/10^9\n"
     " assume b: 1 < sum(i in 1..5: x[i]) < 1 + 1/10^9\n show c: 0 < x[1] < 1/100",
     "1 instance"},
    {VERDICT_NO_INSTANCE, "given x in real\n assume a: x*x < 0\n show b: x = 0",
     "certain to meet the hypotheses"},
    {VERDICT_UNDECIDED, "given x in [1, 2]\n show b: exp(log(x) + log(x + 1)) = x*(x + 1)",
     "could not be decided"},
    {VERDICT_UNDECIDED, "given x in real\n show b: 1/(x - x) > 0", "undefined"},
    {VERDICT_UNDECIDED, "size T >= 1\n try T in 1..2\n given x in real\n show b: x^2/(T - 1) >= 0", "T = 1"},
    {VERDICT_POSSIBLE, "given x in [0, 1]\n possible b: x*x = 1/4", NULL},
    /* equalities of what is asked are met exactly, each question for itself */
    {VERDICT_POSSIBLE, "given a in [0, 0]\n given x in real\n assume e: a*x = a\n possible b: x = 1/3", NULL},
    {VERDICT_POSSIBLE,
     "given x in [0, 1]\n given y in [0, 1]\n assume e: x + y = 1\n possible b: x = 1/9973\n"
     " possible c: y = 17/9967",
     NULL},
    {VERDICT_NO_WITNESS, "given x in real\n possible b: x = 1/9973 and x*x = 1/9973", NULL},
    {VERDICT_IMPOSSIBLE, "given x in [0, 1]\n possible b: x*x > 2", NULL},
    {VERDICT_IMPOSSIBLE, "given x in real\n given y in real\n assume a: x <= y\n possible b: y = x - 1", "b: it and"},
    {VERDICT_NO_WITNESS, "given x in real\n possible b: x*x < -1", NULL},
};

/* A folder for claims and certificates. */
static char folder[] = "test-search-XXXXXX";

static void make_folder(void)
{
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
  text t;
  text_init(&t);
  text_addf(&t, "rm -rf '%s'", folder);
  if (system(text_string(&t)))
    fprintf(stderr, "%s stays\n", folder);
  text_clear(&t);
}

typedef struct {
  reading r;
  char *file, *certificates, *judge;
  audit_options options;
  check_result result;
} audited;

static void audit_text(audited *a, const char *name, const char *source, int threads, uint64_t trials)
{
  const char *build = getenv("top_builddir");
  text t;
  text_init(&t);
  text_addf(&t, "%s/%s.claim", folder, name);
  a->file = text_take(&t);
  text_addf(&t, "%s/%s-%d", folder, name, threads);
  a->certificates = text_take(&t);
  text_addf(&t, "%s/assay-verify", build ? build : ".");
  a->judge = text_take(&t);
  text_addf(&t, "claim %s\n %s\nend\n", name, source);
  FILE *out = fopen(a->file, "w");
  ck_assert_ptr_nonnull(out);
  fputs(text_string(&t), out);
  fclose(out);
  a->r = read_text(text_string(&t));
  text_clear(&t);
  a->options = audit_options_default();
  a->options.threads = threads;
  a->options.trials = trials;
  a->options.power = 0;
  a->options.precision = 256;
  a->options.certificates = a->certificates;
  a->options.judge = a->judge;
}

static void audit_run(audited *a)
{
  ck_assert_msg(audit_claim(&a->result, a->r.d, library_claim(a->r.l, 0), a->file, &a->options), "%s",
                diag_text(a->r.d));
}

static void audited_clear(audited *a)
{
  check_result_destroy(&a->result);
  reading_clear(&a->r);
  free(a->file);
  free(a->certificates);
  free(a->judge);
}

START_TEST(test_verdicts)
{
  audited a[2];
  for (int k = 0; k < 2; k++) {
    char name[16];
    snprintf(name, sizeof name, "tiny-%d", _i);
    audit_text(&a[k], name, tiny[_i].source, k + 1, 1000);
    audit_run(&a[k]);
    const check_result *r = &a[k].result;
    ck_assert_msg(r->verdict == tiny[_i].verdict, "%s\nis %s (%s), not %s", tiny[_i].source,
                  verdict_name(r->verdict), r->reason, verdict_name(tiny[_i].verdict));
    ck_assert_msg(!tiny[_i].reason || strstr(r->reason, tiny[_i].reason), "%s: %s", verdict_name(r->verdict),
                  r->reason);
    ck_assert(!r->interrupted);
    ck_assert_int_eq(r->counterexample != NULL, r->verdict == VERDICT_REFUTED);
    const check_witness *w = r->verdict == VERDICT_POSSIBLE ? r->possible[0].witness : r->counterexample;
    if (w) {
      ck_assert(w->judged && w->certificate && !access(w->certificate, R_OK));
    }
    const check_counts *n = &r->total;
    ck_assert_uint_eq(n->accepted, n->true_ + n->false_ + n->unknown + n->undefined);
    ck_assert_uint_le(n->accepted + n->undecided_hypotheses, n->drawn);
  }
  const check_result *r = &a[0].result, *q = &a[1].result;
  compare_counts(&r->total, &q->total, tiny[_i].source);
  ck_assert_uint_eq(r->tallies, q->tallies);
  ck_assert_str_eq(r->reason, q->reason);
  if (r->counterexample) {
    ck_assert_uint_eq(r->counterexample->shrink_steps, q->counterexample->shrink_steps);
    for (size_t e = 0; e < r->counterexample->instance.elements; e++)
      ck_assert(fmpq_equal(&r->counterexample->instance.value[e], &q->counterexample->instance.value[e]));
  }
  for (int k = 0; k < 2; k++)
    audited_clear(&a[k]);
}
END_TEST

/* Without a judge nothing is refuted. */
START_TEST(test_no_judge)
{
  audited a;
  audit_text(&a, "unjudged", "given x in [0, 1]\n show b: x < 1", 1, 1000);
  free(a.judge);
  a.judge = memory_copy_string("/nonexistent/judge");
  a.options.judge = a.judge;
  audit_run(&a);
  ck_assert_int_eq(a.result.verdict, VERDICT_UNDECIDED);
  ck_assert_ptr_null(a.result.counterexample);
  ck_assert_ptr_nonnull(strstr(a.result.reason, "judge"));
  audited_clear(&a);
}
END_TEST

/* ---- stopping ---- */

static volatile int stop;
static char at_random[] = "random";

static void stop_when(void *context, const char *name, const char *what, double fraction)
{
  (void)name;
  (void)fraction;
  if (!strcmp(what, context))
    stop = 1;
}

START_TEST(test_stop)
{
  static const char survivor[] =
      "size T >= 1\n try T in 1..3\n given x[t in 1..T] in real\n show b: sum(t in 1..T: x[t]^2) >= 0";
  audited a;
  audit_text(&a, "stopped", survivor, 2, UINT64_C(1) << 40); /* would take days */
  stop = 1;
  a.options.stop = &stop;
  audit_run(&a);
  ck_assert(a.result.interrupted);
  ck_assert_int_ne(a.result.verdict, VERDICT_SURVIVED);
  audited_clear(&a);

  stop = 0;
  audit_text(&a, "stopped-later", survivor, 2, UINT64_C(1) << 40);
  a.options.stop = &stop;
  a.options.progress = stop_when;
  a.options.progress_context = at_random;
  audit_run(&a);
  ck_assert(a.result.interrupted);
  ck_assert_uint_gt(a.result.total.true_, 0);
  ck_assert_int_eq(a.result.verdict, VERDICT_UNDECIDED);
  ck_assert_ptr_nonnull(strstr(a.result.reason, "stopped early"));
  audited_clear(&a);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("search");
  TCase *t = tcase_create("search");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, test_threads, 0, sizeof searched / sizeof *searched);
  tcase_add_test(t, test_seeds);
  suite_add_tcase(suite, t);
  TCase *v = tcase_create("verdicts");
  tcase_set_timeout(v, 300);
  tcase_add_unchecked_fixture(v, make_folder, remove_folder);
  tcase_add_loop_test(v, test_verdicts, 0, sizeof tiny / sizeof *tiny);
  tcase_add_test(v, test_no_judge);
  tcase_add_test(v, test_stop);
  suite_add_tcase(suite, v);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
