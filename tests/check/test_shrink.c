/* Shrinking: what comes out still hits, by the judge's word, is smaller by the measure that the header
 * states, and for claims that one can see through is the smallest there is. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cert/instance.h"
#include "check/shrink.h"
#include "core/memory.h"
#include "verify/evaluate.h"

enum { PRECISION = 512 };

typedef struct {
  diag *d;
  diag_source *file;
  library *l;
} reading;

static reading read_text(const char *source)
{
  reading r = {.d = diag_create(NULL, 5), .file = diag_source_from("probe.claim", source, strlen(source))};
  r.l = library_read_source(r.d, r.file, 0);
  ck_assert_msg(r.l != NULL, "%s", diag_text(r.d));
  return r;
}

static reading read_lemma(const char *name)
{
  const char *top = getenv("top_srcdir");
  text path;
  text_init(&path);
  text_addf(&path, "%s/lemmas/wang2025/%s", top ? top : TOP_SRCDIR, name);
  reading r = {.d = diag_create(NULL, 5)};
  r.l = library_read(r.d, text_string(&path), 0);
  ck_assert_msg(r.l != NULL, "%s", diag_text(r.d));
  text_clear(&path);
  return r;
}

static void reading_clear(reading *r)
{
  library_destroy(r->l);
  diag_source_destroy(r->file);
  diag_destroy(r->d);
}

/* ---- the measure, written anew ---- */

typedef struct {
  int64_t part[6]; /* sizes, nonzero, different, bits, sum, minus signs */
} measure;

static measure measure_of(const shrunk *x)
{
  measure m = {{0}};
  size_t n = x->g.plain->elements;
  for (unsigned i = 0; i < x->g.claim->sizes; i++)
    m.part[0] += x->g.sizes[i];
  for (size_t e = 0; e < n; e++) {
    const fmpq *v = &x->value[e];
    if (fmpq_is_zero(v))
      continue;
    m.part[1]++;
    bool first = true;
    for (size_t k = 0; k < e; k++)
      first = first && !fmpq_equal(v, &x->value[k]);
    m.part[2] += first;
    m.part[3] += (int64_t)(fmpz_bits(fmpq_numref(v)) + fmpz_bits(fmpq_denref(v)));
    /* counts only where the bits are equal: beyond 40 bits it is as good as infinite */
    bool huge = fmpz_bits(fmpq_numref(v)) > 40 || fmpz_bits(fmpq_denref(v)) > 40;
    m.part[4] += huge ? INT64_C(1) << 50 : labs(fmpz_get_si(fmpq_numref(v))) + fmpz_get_si(fmpq_denref(v));
    m.part[5] += fmpq_sgn(v) < 0;
  }
  return m;
}

static int compare_measures(const measure *a, const measure *b)
{
  for (int i = 0; i < 6; i++)
    if (a->part[i] != b->part[i])
      return a->part[i] < b->part[i] ? -1 : 1;
  return 0;
}

/* ---- the judge's word ---- */

static truth judge_says(const shrunk *x, const char *label)
{
  instance y;
  instance_init(&y);
  for (unsigned i = 0; i < x->g.claim->sizes; i++)
    instance_add_size(&y, x->g.claim->size[i].name, x->g.sizes[i]);
  for (size_t e = 0; e < x->g.plain->elements; e++)
    instance_add_value(&y, x->g.plain->element[e].name, &x->value[e]);
  diag *d = diag_create(NULL, 5);
  truth a = TRUTH_UNKNOWN;
  ck_assert_msg(verify_truth(d, &a, x->g.claim, &y, label, PRECISION) == STATUS_OK, "%s", diag_text(d));
  diag_destroy(d);
  instance_clear(&y);
  return a;
}

/* Every hypothesis holds, and some `show` fails (the `possible` named holds). */
static void check_hits(const shrunk *x, const char *target)
{
  bool hits = false;
  for (unsigned i = 0; i < x->g.claim->labels; i++) {
    const claim_label *l = &x->g.claim->label[i];
    if (l->kind == LABEL_ASSUME)
      ck_assert_int_eq(judge_says(x, l->name), TRUTH_TRUE);
    else if (l->kind == LABEL_SHOW && (!target || !strcmp(target, l->name)))
      hits |= judge_says(x, l->name) == TRUTH_FALSE;
    else if (l->kind == LABEL_POSSIBLE && !strcmp(target, l->name))
      hits |= judge_says(x, l->name) == TRUTH_TRUE;
  }
  ck_assert(hits);
  /* ranges */
  decider_state *s = decider_state_create(x->g.decider);
  decide_instance(s, x->value, DECIDE_EXACT);
  ck_assert_int_eq(decide_hypotheses(s), TRUTH_TRUE);
  decider_state_destroy(s);
}

/* Shrinks; the result must hit and be smaller, and shrinking it again must change nothing. */
static void check_run(shrunk *x, const char *target)
{
  measure before = measure_of(x);
  shrink_run(x, target, NULL);
  measure after = measure_of(x);
  check_hits(x, target);
  ck_assert_int_eq(compare_measures(&after, &before), x->steps ? -1 : 0);
  uint64_t steps = x->steps;
  shrink_run(x, target, NULL);
  ck_assert_uint_eq(x->steps, steps);
}

static fmpq *values(const char *const *written, size_t n)
{
  fmpq *v = stage_new_values(n);
  for (size_t i = 0; i < n; i++)
    ck_assert_int_eq(fmpq_set_str(&v[i], written[i], 10), 0);
  return v;
}

/* ---- what one can see through ---- */

static const struct {
  const char *lines;
  const char *start[3];
  const char *smallest[3];
  size_t elements;
} known[] = {
    {"given x in real\n show b: x < 100", {"123456/7"}, {"100"}, 1},
    {"given x in real\n show b: x^2 < 2", {"-123456/7"}, {"2"}, 1},
    {"given x in real\n show b: x > -1", {"-123456/7"}, {"-1"}, 1},
    {"given x in (0, 1)\n show b: x < 0", {"123/457"}, {"1/2"}, 1},
    {"given x in (0, 1)\n show b: x < 3/5",
     {"12300/12347"},
     {"2/3"},
     1}, /* 2/3 and 3/4 have fewer bits than 4/5 */
    {"given x in real\n given y in real\n show b: x*y < 1", {"77/3", "55/9"}, {"1", "1"}, 2},
    {"given x in real\n given y in real\n show b: x + y < 1", {"77/3", "55/9"}, {"1", "0"}, 2},
    {"given x in real\n given y in real\n assume a: x + y = 3\n show b: x < 5/2",
     {"77/3", "-68/3"},
     {"3", "0"},
     2},
    {"given x in real\n given y in [1, 2]\n given z in [0, y]\n show b: z < 1/2",
     {"7/3", "13/7", "12/7"},
     {"0", "1", "1"},
     3},
    {"given x in real\n show b: x = 0", {"-123456/7"}, {"1"}, 1},
    {"given x in real\n show b: exp(x) < 7", {"123/7"}, {"2"}, 1},
};

START_TEST(test_known)
{
  text t;
  text_init(&t);
  text_addf(&t, "claim probe\n %s\nend\n", known[_i].lines);
  reading r = read_text(text_string(&t));
  fmpq *start = values(known[_i].start, known[_i].elements),
       *smallest = values(known[_i].smallest, known[_i].elements);
  shrunk x;
  ck_assert(shrink_start_values(&x, library_claim(r.l, 0), NULL, start, PRECISION, NULL));
  check_run(&x, NULL);
  for (size_t e = 0; e < known[_i].elements; e++) {
    char *got = fmpq_get_str(NULL, 10, &x.value[e]);
    /* of two that sum to 1 either may be the one that is not 0 */
    bool swapped = known[_i].elements == 2 && fmpq_equal(&x.value[1 - e], &smallest[e]) &&
                   !strstr(known[_i].lines, "assume");
    ck_assert_msg(fmpq_equal(&x.value[e], &smallest[e]) || swapped, "%s: %s instead of %s", known[_i].lines,
                  got, known[_i].smallest[e]);
    flint_free(got);
  }
  shrunk_clear(&x);
  stage_free_values(start, known[_i].elements);
  stage_free_values(smallest, known[_i].elements);
  reading_clear(&r);
  text_clear(&t);
}
END_TEST

/* Sizes first: at T = 9 a sum of squares reaches 1 by one entry. */
START_TEST(test_sizes)
{
  reading r = read_text("claim probe\n size T >= 1\n size N in 1..T\n given x[t in 1..T] in real\n"
                        " show b: sum(t in 1..T: x[t]^2) < 1\nend\n");
  fmpq *start = stage_new_values(9);
  for (slong i = 0; i < 9; i++)
    fmpq_set_si(&start[i], 10 * i - 35, 7);
  shrunk x;
  ck_assert(shrink_start_values(&x, library_claim(r.l, 0), (int64_t[]){9, 3}, start, PRECISION, NULL));
  check_run(&x, NULL);
  ck_assert_int_eq(x.g.sizes[0], 1);
  ck_assert_int_eq(x.g.sizes[1], 1);
  ck_assert(fmpq_is_one(&x.value[0]));
  shrunk_clear(&x);
  stage_free_values(start, 9);
  reading_clear(&r);
}
END_TEST

/* Lemma D.6 as printed fails first at T = 2: at T = 1 its hypotheses force z = 0. An instance of it at T = 8.
 */
START_TEST(test_lemma_d6)
{
  enum { T = 8, N = 3 * T + 1 };
  reading r = read_lemma("lemma-d6.claim");
  const claim *c = library_find(r.l, "lemma-d6");
  fmpq *start = stage_new_values(N);
  for (size_t t = 0; t < T; t++) {
    fmpq_set_si(&start[t], 3, 7);     /* alpha */
    fmpq_set_si(&start[T + t], 4, 7); /* delta */
    fmpq_set_si(&start[2 * T + t], (slong)(5 * t), 7);
  }
  fmpq_set_si(&start[2 * T], -13, 11);
  fmpq_set_si(&start[2 * T + 1], 1000, 3);
  fmpq_set_si(&start[3 * T], 1, 1); /* p: z[1] is the minimum */
  shrunk x;
  ck_assert(shrink_start_values(&x, c, (int64_t[]){T}, start, PRECISION, NULL));
  check_run(&x, NULL);
  ck_assert_int_eq(x.g.sizes[0], 2);
  ck_assert_uint_ge(x.steps, 3);
  measure m = measure_of(&x);
  ck_assert_int_le(m.part[1], 6); /* alpha[1], alpha[2], z[1] or z[2], a step, p or not */
  ck_assert_int_le(m.part[3], 30);
  shrunk_clear(&x);
  stage_free_values(start, N);
  reading_clear(&r);
}
END_TEST

/* Found by the search, shrunk twice: the same steps and the same result. */
START_TEST(test_deterministic)
{
  reading r = read_lemma("lemma-d6.claim");
  const claim *c = library_find(r.l, "lemma-d6");
  audit_options o = audit_options_default();
  o.threads = 1;
  o.sizes = "T=6";
  search s;
  search_hit hit;
  ck_assert(search_create(&s, r.d, c, &o));
  ck_assert(search_run(&s, 2000, &hit));
  shrunk x, y;
  ck_assert(shrink_start(&x, &s, &hit, NULL));
  ck_assert(shrink_start(&y, &s, &hit, NULL));
  check_run(&x, NULL);
  shrink_run(&y, NULL, NULL);
  ck_assert_uint_eq(x.steps, y.steps);
  ck_assert_int_eq(x.g.sizes[0], 2);
  ck_assert_int_eq(y.g.sizes[0], 2);
  for (size_t e = 0; e < x.g.plain->elements; e++)
    ck_assert(fmpq_equal(&x.value[e], &y.value[e]));
  shrunk_clear(&x);
  shrunk_clear(&y);
  search_hit_clear(&s, &hit);
  search_clear(&s);
  reading_clear(&r);
}
END_TEST

/* Only the label asked for counts; what does not hit is refused; a stop leaves the instance as it was. */
START_TEST(test_target_and_stop)
{
  reading r =
      read_text("claim probe\n given x in real\n possible small: x < 100\n possible large: x > 100\nend\n");
  const claim *c = library_claim(r.l, 0);
  fmpq *start = values((const char *const[]){"12345/7"}, 1);
  shrunk x;
  ck_assert(!shrink_start_values(&x, c, NULL, start, PRECISION, "small"));
  shrunk_clear(&x);
  ck_assert(shrink_start_values(&x, c, NULL, start, PRECISION, "large"));
  volatile int stop = 1;
  shrink_run(&x, "large", &stop);
  ck_assert_uint_eq(x.steps, 0);
  ck_assert(fmpq_equal(&x.value[0], &start[0]));
  check_run(&x, "large");
  ck_assert(fmpz_equal_si(fmpq_numref(&x.value[0]), 101) && fmpz_is_one(fmpq_denref(&x.value[0])));
  shrunk_clear(&x);
  stage_free_values(start, 1);
  reading_clear(&r);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("shrink");
  TCase *t = tcase_create("shrink");
  tcase_set_timeout(t, 200);
  tcase_add_loop_test(t, test_known, 0, sizeof known / sizeof *known);
  tcase_add_test(t, test_sizes);
  tcase_add_test(t, test_lemma_d6);
  tcase_add_test(t, test_deterministic);
  tcase_add_test(t, test_target_and_stop);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
