/* A result made by hand, for tests of reports: the published counterexample to Lemma D.6 at t = 2, alpha =
 * Delta = (1/2, 1/2), z = (-1, 100). By hand: m = -1, M = 100, p = 1, A = 1/2, s_1 = -1/2, s_2 = -1/4 + 50
 * = 199/4; the upper line at t = 2 is (1/2)(1)(-1) + (1 - 1/2)(100) = 99/2. */
#ifndef TESTS_REPORT_MADE_H
#define TESTS_REPORT_MADE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/result.h"
#include "core/memory.h"

static const char made_text[] =
    "claim lemma-d6-later\n"
    "  title \"Pointwise bounds for t >= 2\"\n"
    "  source \"Lemma D.6\"\n"
    "  size T >= 2\n"
    "  given alpha[t in 1..T] in (0, 1) as decay\n"
    "  given delta[t in 1..T] in [0, 1] as step\n"
    "  given z[t in 1..T] in real as input\n"
    "  given p in [0, 1]\n"
    "  let m = min(t in 1..T: z[t])\n"
    "  let M = max(t in 1..T: z[t])\n"
    "  let A = min(t in 1..T: alpha[t])\n"
    "  let s[0] = 0\n"
    "  let s[t in 1..T] = alpha[t]*s[t-1] + delta[t]*z[t]\n"
    "  assume nonexpansive: forall t in 1..T: alpha[t] + delta[t] <= 1\n"
    "  assume centred: m <= 0 <= M\n"
    "  assume mixture: z[1] = p*m + (1-p)*M\n"
    "  show lower: forall t in 2..T: (1 - A^(t-1)*(1-p))*m + A^(t-1)*(1-p)*M <= s[t]\n"
    "  show upper: forall t in 2..T: s[t] <= A^(t-1)*p*m + (1 - A^(t-1)*p)*M\n"
    "end\n"
    "claim question\n"
    "  given x in [1, 4]\n"
    "  let r = sqrt(x)\n"
    "  possible middle: 1 < r < 3/2\n"
    "  possible beyond: r > 3\n"
    "end\n";

typedef struct {
  diag *d;
  diag_source *source;
  library *l;
} made_library;

static void made_open(made_library *m)
{
  m->d = diag_create(stderr, 0);
  m->source = diag_source_from("made.claim", made_text, strlen(made_text));
  m->l = library_read_source(m->d, m->source, 0);
  ck_assert_ptr_nonnull(m->l);
}

static void made_close(made_library *m)
{
  library_destroy(m->l);
  diag_source_destroy(m->source);
  diag_destroy(m->d);
}

static void made_instance(check_instance *x, unsigned sizes, int64_t size, size_t n, const char *const *names,
                          const char *const *values)
{
  x->sizes = sizes;
  x->size = memory_new(1, sizeof *x->size);
  x->size[0] = size;
  x->elements = n;
  x->name = memory_new(n, sizeof *x->name);
  x->value = memory_new(n, sizeof *x->value);
  for (size_t i = 0; i < n; i++) {
    x->name[i] = memory_copy_string(names[i]);
    fmpq_init(&x->value[i]);
    ck_assert_int_eq(fmpq_set_str(&x->value[i], values[i], 10), 0);
  }
}

static check_result made_refuted(const made_library *m)
{
  static const char *const names[] = {"alpha[1]", "alpha[2]", "delta[1]", "delta[2]", "z[1]", "z[2]", "p"};
  static const char *const values[] = {"1/2", "1/2", "1/2", "1/2", "-1", "100", "1"};
  check_result r = {.claim = library_find(m->l, "lemma-d6-later"), .verdict = VERDICT_REFUTED};
  r.file = memory_copy_string("made.claim");
  r.reason = memory_copy_string("");
  r.total = (check_counts){
      .drawn = 12, .accepted = 5, .true_ = 3, .false_ = 1, .unknown = 1, .undecided_hypotheses = 2};
  r.tallies = 1;
  r.tally = memory_new(1, sizeof *r.tally);
  r.tally[0] = (check_tally){memory_new(1, sizeof(int64_t)), SOURCE_RANDOM, r.total};
  r.tally[0].sizes[0] = 2;
  check_witness *w = r.counterexample = memory_new(1, sizeof *w);
  made_instance(&w->instance, 1, 2, 7, names, values);
  w->label = memory_copy_string("upper");
  w->indices = 1;
  w->index_name = memory_new(1, sizeof *w->index_name);
  w->index_name[0] = memory_copy_string("t");
  w->index_value = memory_new(1, sizeof *w->index_value);
  w->index_value[0] = 2;
  w->left = memory_copy_string("199/4");
  w->right = memory_copy_string("99/2");
  w->relation = memory_copy_string("<=");
  w->origin = (check_origin){.seed = 7, .number = 41, .attempt = 2, .source = SOURCE_RANDOM};
  w->shrink_steps = 9;
  w->certificate = memory_copy_string("out dir/lemma-d6-later.json");
  w->judged = true;
  r.seconds = 0.25;
  return r;
}

static check_result made_possible(const made_library *m)
{
  static const char *const names[] = {"x"}, *const values[] = {"2"};
  check_result r = {.claim = library_find(m->l, "question"), .verdict = VERDICT_NO_WITNESS};
  r.file = memory_copy_string("made.claim");
  r.reason = memory_copy_string("no witness among 30 instances");
  r.total = (check_counts){.drawn = 30, .accepted = 30, .true_ = 12, .false_ = 18};
  r.possibles = 2;
  r.possible = memory_new(2, sizeof *r.possible);
  check_witness *w = memory_new(1, sizeof *w);
  made_instance(&w->instance, 0, 0, 1, names, values);
  w->label = memory_copy_string("middle");
  w->origin = (check_origin){.seed = 7, .number = 3, .source = SOURCE_GRID};
  r.possible[0] = (check_possible){memory_copy_string("middle"), VERDICT_POSSIBLE, w};
  r.possible[1] = (check_possible){memory_copy_string("beyond"), VERDICT_NO_WITNESS, NULL};
  r.slack = (check_slack){.known = false};
  return r;
}

/* What `write` puts into a file. */
static char *made_output(void (*write)(FILE *out, const void *context), const void *context)
{
  char *bytes = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&bytes, &length);
  ck_assert_ptr_nonnull(out);
  write(out, context);
  fclose(out);
  return bytes;
}

/* The golden file, read from the source tree. */
static diag_source *made_sample(const char *name)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/reports/%s", top ? top : ".", name);
  diag *d = diag_create(stderr, 0);
  diag_source *s = diag_source_read(d, path, 1 << 20);
  diag_destroy(d);
  ck_assert_ptr_nonnull(s);
  return s;
}

/* Names the first line that differs. */
static void made_compare(const char *made, const char *sample)
{
  size_t i = 0, line = 0;
  for (; made[i] && made[i] == sample[i]; i++)
    if (made[i] == '\n')
      line = i + 1;
  ck_assert_msg(made[i] == sample[i], "the sample has '%.*s' where this is made: '%.*s'",
                (int)strcspn(sample + line, "\n"), sample + line, (int)strcspn(made + line, "\n"),
                made + line);
}

#endif
