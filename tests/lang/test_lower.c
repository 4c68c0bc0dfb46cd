/* Lowering: how long tapes get, what it says of elements that are missing, cyclic or defined twice, and that
 * a recurrence of 100000 steps is no danger. The claims are those of lemmas/wang2025. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "core/text.h"
#include "lang/lower.h"

typedef struct {
  diag *d;
  diag_source *source;
  library *l;
} reading;

static reading read_text(const char *s)
{
  reading r = {.d = diag_create(NULL, 20), .source = diag_source_from("probe.claim", s, strlen(s))};
  r.l = library_read_source(r.d, r.source, 0);
  ck_assert_msg(r.l != NULL, "%s", diag_text(r.d));
  return r;
}

static reading read_lemma(const char *file)
{
  const char *top = getenv("top_srcdir");
  text path;
  text_init(&path);
  text_addf(&path, "%s/lemmas/wang2025/%s", top ? top : TOP_SRCDIR, file);
  reading r = {.d = diag_create(NULL, 20)};
  r.l = library_read(r.d, text_string(&path), 0);
  ck_assert_msg(r.l != NULL, "%s", diag_text(r.d));
  text_clear(&path);
  return r;
}

static void reading_clear(reading *r)
{
  library_destroy(r->l);
  diag_source_destroy(r->source);
  diag_destroy(r->d);
}

/* ---- how long ---- */

static size_t operations(reading *r, const char *name, int64_t steps, int64_t states)
{
  const claim *c = library_find(r->l, name);
  ck_assert_msg(c && c->sizes == 2 && !strcmp(c->size[0].name, "T") && !strcmp(c->size[1].name, "N"), "%s",
                name);
  int64_t sizes[2] = {steps, states};
  tape *t = lower_claim(r->d, c, sizes, LIMIT_TAPE);
  ck_assert_msg(t != NULL, "%s", diag_text(r->d));
  size_t ops = t->ops;
  tape_destroy(t);
  return ops;
}

/* The operations at T = 2 a, a and b make twice and four times: whether they grow as T^power, up to a tenth.
 */
static void check_growth(size_t once, size_t twice, unsigned power)
{
  double ratio = (double)twice / (double)once, expected = power == 2 ? 4 : 2;
  ck_assert_msg(ratio < 1.1 * expected, "%zu, then %zu operations: a factor %.3f for twice the size", once,
                twice, ratio);
}

/* The sums over s <= t of the products over s < r <= t: one product more, its two factors more and one sum
 * more for each pair (s, t), and a few operations for each t. */
START_TEST(test_lemma_d1)
{
  reading r = read_lemma("lemma-d1.claim");
  check_growth(operations(&r, "lemma-d1", 64, 1), operations(&r, "lemma-d1", 128, 1), 2);
  check_growth(operations(&r, "lemma-d1", 128, 1), operations(&r, "lemma-d1", 256, 1), 2);
  for (int64_t steps = 32; steps <= 256; steps *= 2) {
    size_t ops = operations(&r, "lemma-d1", steps, 1), bound = (size_t)(2 * steps * steps + 20 * steps);
    ck_assert_msg(ops <= bound, "T = %" PRId64 ": %zu operations, more than %zu", steps, ops, bound);
  }
  check_growth(operations(&r, "lemma-d1", 64, 2), operations(&r, "lemma-d1", 64, 4), 1);
  reading_clear(&r);
}
END_TEST

START_TEST(test_lemma_d1_long)
{
  reading r = read_lemma("lemma-d1.claim");
  size_t steps = 2048, ops = operations(&r, "lemma-d1", 2048, 1);
  ck_assert_msg(ops <= 2 * steps * steps + 20 * steps, "%zu operations", ops);
  ck_assert_uint_ge(ops, steps * steps / 2); /* there are as many different products */
  reading_clear(&r);
}
END_TEST

/* Maxima over pairs (t, s) become maxima minus minima: a number of operations for each t and n. */
START_TEST(test_theorem_4_2)
{
  static const char *const names[] = {"theorem-4-2", "theorem-4-2-ranges", "theorem-4-2-start-included"};
  reading r = read_lemma("theorem-4-2.claim");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    check_growth(operations(&r, names[i], 256, 1), operations(&r, names[i], 512, 1), 1);
    check_growth(operations(&r, names[i], 64, 8), operations(&r, names[i], 64, 16), 1);
    size_t ops = operations(&r, names[i], 2048, 16), bound = 24 * 2048 * 16;
    ck_assert_msg(ops <= bound, "%s: %zu operations at T = 2048, N = 16", names[i], ops);
  }
  reading_clear(&r);
}
END_TEST

/* A fold over 1..t extends the one over 1..t - 1, a power the one before, and what does not use the innermost
 * index is lowered once: linear, where the statement has quadratically many terms. */
START_TEST(test_sharing)
{
  static const char *const shows[] = {
      "forall t in 1..T: sum(i in 1..t: x[i]*x[i]) <= 1",
      "forall t in 1..T: max(i in 1..t: abs(x[i])) <= 1",
      "forall t in 1..T: A^(t - 1) <= 1",
      "forall t in 1..T: (exists i in 1..t: x[i] > 0)",
      "forall s in 1..T, t in 1..T: abs(x[1] - exp(x[2])) <= log(x[1])",
      "max(s in 1..T: max(t in 1..T: abs(exp(x[s]) - exp(x[t])))) <= 1",
      "max(k in 1..3, s in 1..T, t in 1..T: abs(k*x[s] - k*x[t])) <= 1",
      "d(prod(i in 1..T: x[i]), x[1]) <= 1",
  };
  for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
    text t;
    text_init(&t);
    text_addf(&t,
              "claim probe\n size T >= 2\n size N >= 1\n given x[t in 1..T] in real\n given A in real\n show "
              "b: %s\nend\n",
              shows[i]);
    reading r = read_text(text_string(&t));
    size_t once = operations(&r, "probe", 128, 1), twice = operations(&r, "probe", 256, 1);
    ck_assert_msg((double)twice < 2.2 * (double)once, "%s: %zu, then %zu operations", shows[i], once, twice);
    reading_clear(&r);
    text_clear(&t);
  }
}
END_TEST

/* Truths that are used twice at each step must not be looked at 2^T times when they stand in a derivative. */
START_TEST(test_shared_conditions)
{
  reading r = read_text(
      "claim probe\n size T >= 1\n size N >= 1\n given x in real\n let c[0] = x > 0\n"
      " let c[t in 1..T] = (c[t - 1] and x > t) or (not c[t - 1] and x < t)\n"
      " let e[0] = x > 1\n let e[t in 1..T] = if e[t - 1] then e[t - 1] and x > t else not e[t - 1]\n"
      " show b: d(if c[T] then x else 2*x, x) = d(if e[T] then x else x^2, x)\nend\n");
  size_t once = operations(&r, "probe", 100, 1), twice = operations(&r, "probe", 200, 1);
  ck_assert_msg((double)twice < 2.2 * (double)once, "%zu, then %zu operations", once, twice);
  reading_clear(&r);
}
END_TEST

/* ---- messages ---- */

/* Each is 1 line "claim probe", 2 "size T", and so on; at T = 3. */
static const struct {
  const char *body, *place, *message;
} mistakes[] = {
    {" let s[t in 1..T] = s[t-1]\n show b: s[T] = 0\n",
     "probe.claim:3:21:", "s[0] is not defined (at T = 3)"},
    {" let s[t in 1..2] = 1\n show b: s[T] = 0\n", "probe.claim:4:10:", "s[3] is not defined"},
    {" let s[t in 1..T] = s[t]\n show b: s[T] = 0\n",
     "probe.claim:3:21:", "s[3] is used before it is defined"},
    {" let u[t in 1..T] = v[t]\n let v[t in 1..T] = u[t]\n show b: u[2] = 0\n",
     "probe.claim:4:21:", "u[2] is used before it is defined"},
    {" let c[t in 1..T] = c[4 - t] and T > 0\n show b: c[2]\n",
     "probe.claim:3:21:", "c[2] is used before it is defined"},
    {" let s[1] = 0\n let s[t in 1..T] = 1\n show b: s[1] = 0\n",
     "probe.claim:5:10:", "s[1] is defined twice"},
    {" given x[t in 1..T] in real\n given x[2] in real\n show b: x[1] = 0\n",
     "probe.claim:4:8:", "x[2] is given twice"},
    {" given x[t in 1..T] in real\n show b: x[T + 1] = 0\n", "probe.claim:4:10:", "x[4] is not given"},
    {" show b: (T - 3)^(-1) = 0 or sum(i in 1..T: 2)^(2^40) = 1\n", "probe.claim:3:49:", "past the limit"},
    {" show b: sum(i in 1..2^70: 1) = 1\n", "probe.claim:3:22:", "no value in 64 bits"},
    {" show b: sum(i in 1..2^40: 1) = 1\n", "probe.claim:3:28:", "more than 65536 operations"},
    {" show b: forall i in 1..2^40: i > 0\n", "probe.claim:3:", "more than 65536 operations"},
    {" show b: forall i in 1..3000: forall j in 1..3000: i > 0\n",
     "probe.claim:3:", "comparisons at these sizes"},
#define RANDOM " given x in [0, 1]\n random g[i in 1..T] ~ normal(0, x)\n"
    {RANDOM " show b: g[1] <= 1\n", "probe.claim:5:10:", "a side of a comparison cannot be random"},
    {RANDOM " let y = x*g[2]\n show b: forall i in 1..T: x <= y or x > 0\n", "probe.claim:6:33:",
     "a side of a comparison cannot be random"},
    {RANDOM " show b: mean(exp(g[1])) <= 1\n", "probe.claim:5:15:", "'exp' of a random value is no polynomial"},
    {RANDOM " show b: mean(max(x, g[1])) <= 1\n", "probe.claim:5:15:", "'max' of a random value is no polynomial"},
    {RANDOM " show b: mean(max(i in 1..T: g[i])) <= 1\n", "probe.claim:5:30:",
     "the max of random values is no polynomial"},
    {RANDOM " show b: mean(x/g[1]) <= 1\n", "probe.claim:5:17:", "a divisor cannot be random"},
    {RANDOM " show b: mean(g[1]^(-2)) <= 1\n", "probe.claim:5:21:", "the exponent -2 makes this no polynomial"},
    {RANDOM " show b: mean(if g[1] > 0 then 1 else 0) <= 1\n", "probe.claim:5:18:",
     "a side of a comparison cannot be random"},
    {RANDOM " given y in [0, g[1]]\n show b: y <= 1\n", "probe.claim:5:17:", "the end of a range cannot be random"},
    {RANDOM " trivial c: g[3]\n show b: x <= 1\n", "probe.claim:5:13:", "a trivial bound cannot be random"},
    {RANDOM " random h ~ normal(0, g[1]^2)\n show b: mean(h) <= 1\n", "probe.claim:5:23:",
     "a variance cannot be random"},
    {RANDOM " random h ~ normal(0, mean(h^2))\n show b: mean(h) <= 1\n", "probe.claim:5:28:",
     "h is used before it is defined"},
    {RANDOM " show b: mean(g[T + 1]^2) <= 1\n", "probe.claim:5:15:", "g[4] is not defined"},
    {RANDOM " random g[2] ~ normal(0, 1)\n show b: mean(g[2]) <= 1\n", "probe.claim:6:15:",
     "g[2] is defined twice (at T = 3)"},
    {RANDOM " show b: mean(d(g[1]^2, x)) <= 1\n", "probe.claim:5:15:",
     "the variance of a random element in this depends on 'x'"},
    {RANDOM " show b: mean(sum(i in 1..T: g[i])^(2^13)*g[1]^(2^14)) <= 1\n", "probe.claim:5:",
     "more than 65536 operations"},
    {" random g[i in 1..2000] ~ normal(0, 1)\n show b: mean((sum(i in 1..2000: g[i])*sum(i in 1..2000: g[i]*i))^2) <= 1\n",
     "probe.claim:4:10:", "terms or more in all, before like ones are put together, past the limit of 1048576 (at T = 3)"},
    {RANDOM " show b: mean(g[1]^(2^14 + 2)) <= 1\n", "probe.claim:5:10:",
     "a power of a random element past the limit of 16384"},
    {RANDOM " show b: integral(t in 0..g[1]: t) <= 1\n", "probe.claim:5:27:",
     "the end of an integral cannot be random"},
    {RANDOM " show b: mean(integral(t in 0..1: t*g[1])) <= 1\n", "probe.claim:5:35:",
     "what is integrated cannot be random"},
};

START_TEST(test_messages)
{
  text t;
  text_init(&t);
  text_addf(&t, "claim probe\n size T in 3..3\n%send\n", mistakes[_i].body);
  reading r = read_text(text_string(&t));
  int64_t three = 3;
  tape *made = lower_claim(r.d, library_claim(r.l, 0), &three, 1 << 16);
  const char *said = diag_text(r.d);
  ck_assert_msg(!made, "no message for\n%s", text_string(&t));
  ck_assert_msg(strstr(said, mistakes[_i].message), "%s\n%s", text_string(&t), said);
  ck_assert_msg(!strncmp(said, mistakes[_i].place, strlen(mistakes[_i].place)), "%s\n%s", mistakes[_i].place,
                said);
  ck_assert_uint_eq(diag_errors(r.d), 1);
  reading_clear(&r);
  text_clear(&t);
}
END_TEST

/* ---- long and large ---- */

START_TEST(test_long_recurrence)
{
  reading r = read_text(
      "claim probe\n size T >= 1\n given x in real\n let s[0] = x\n let s[t in 1..T] = s[t-1]*x + t\n"
      " let c[0] = x > 0\n let c[t in 1..T] = c[t-1] or s[t] < 0\n"
      " show a: s[T] > 0\n show b: c[T]\n show c: d(s[T], x) > 0\n"
      " show e: d(if (forall t in 1..T: s[t] > 0) then x else 0, x) > 0\nend\n");
  int64_t steps = 100000;
  tape *t = lower_claim(r.d, library_claim(r.l, 0), &steps, LIMIT_TAPE);
  ck_assert_msg(t || strstr(diag_text(r.d), "nested too deeply"), "%s", diag_text(r.d));
  ck_assert_msg(t, "%s", diag_text(r.d)); /* the stack that lowering makes for itself suffices */
  ck_assert_uint_ge(t->ops, 3 * 100000);
  tape_destroy(t);
  reading_clear(&r);
}
END_TEST

/* Deeper than any stack: a message. */
START_TEST(test_endless_recurrence)
{
  reading r = read_text(
      "claim probe\n given x in real\n let s[t in 0..2^40] = s[t + 1]*x + 1\n show b: s[0] = 0\nend\n");
  tape *t = lower_claim(r.d, library_claim(r.l, 0), NULL, LIMIT_TAPE);
  ck_assert(!t);
  ck_assert_msg(strstr(diag_text(r.d), "nested too deeply"), "%s", diag_text(r.d));
  reading_clear(&r);
}
END_TEST

START_TEST(test_tape_limit)
{
  reading r = read_lemma("lemma-d1.claim");
  int64_t sizes[2] = {100, 1};
  ck_assert(!lower_claim(r.d, library_find(r.l, "lemma-d1"), sizes, 5000));
  ck_assert_msg(strstr(diag_text(r.d), "more than 5000 operations at these sizes (at T = 100, N = 1)"), "%s",
                diag_text(r.d));
  reading_clear(&r);
}
END_TEST

/* ---- what is on the tape ---- */

/* Elements in order of declaration, then the labels: ranges by given, then as written, with their
 * comparisons. */
START_TEST(test_labels)
{
  reading r =
      read_text("claim probe\n size T >= 1\n given p in [0, 1)\n given x[t in 1..T] in (p, inf)\n"
                " let s[t in 1..T] = x[t]*p\n assume a: forall t in 1..T: t != 2 implies x[t] <= p < 1\n"
                " show b: x[1] > 0 and s[T] >= p\n trivial u: x[T]\nend\n");
  int64_t steps = 2;
  lower_let_list lets;
  tape *t = lower_let_elements(&lets, r.d, library_claim(r.l, 0), &steps, LIMIT_TAPE);
  ck_assert_msg(t != NULL, "%s", diag_text(r.d));
  ck_assert_uint_eq(t->elements, 3);
  ck_assert_str_eq(t->element[0].name, "p");
  ck_assert_str_eq(t->element[1].name, "x[1]");
  ck_assert_str_eq(t->element[2].name, "x[2]");
  ck_assert(!t->element[0].low_open && t->element[0].high_open && t->element[2].low_open);
  ck_assert_uint_eq(t->element[2].low, t->element[0].op);
  ck_assert_uint_eq(t->element[2].high, TAPE_NONE);
  ck_assert_uint_eq(t->labels, 5);
  static const tape_label_kind kinds[] = {TAPE_RANGE, TAPE_RANGE, TAPE_ASSUME, TAPE_SHOW, TAPE_TRIVIAL};
  static const char *const names[] = {"p", "x", "a", "b", "u"};
  static const unsigned atoms[] = {2, 2, 2, 2, 0};
  for (size_t i = 0; i < 5; i++) {
    ck_assert_int_eq(t->label[i].kind, kinds[i]);
    ck_assert_str_eq(t->label[i].name, names[i]);
    ck_assert_uint_eq(t->label[i].atoms, atoms[i]);
  }
  const tape_atom *a =
      &t->atom[t->label[2].first_atom]; /* the implication is decided by the indices: t = 1 only */
  ck_assert_uint_eq(a[0].left, t->element[1].op);
  ck_assert_uint_eq(a[0].part, 1);
  ck_assert_uint_eq(a[1].part, 2);
  ck_assert_uint_eq(a[1].indices, 1);
  ck_assert_str_eq(t->index_name[a[1].first_index], "t");
  ck_assert_int_eq(t->index_value[a[1].first_index], 1);
  ck_assert_uint_eq(lets.count, 1); /* s[1] is not reached */
  ck_assert_str_eq(lets.let[0].name, "s[2]");
  ck_assert_uint_eq(lets.let[0].id, t->atom[t->label[3].first_atom + 1].left);
  lower_let_list_clear(&lets);
  tape_destroy(t);
  reading_clear(&r);
}
END_TEST

START_TEST(test_sizes)
{
  reading r = read_text("claim probe\n size T >= 2\n size N in 1..T\n try T in 1..5\n show b: T >= N\nend\n");
  const claim *c = library_claim(r.l, 0);
  int64_t low, high, sizes[2] = {3, 3};
  ck_assert(lower_sizes_admissible(c, sizes));
  sizes[1] = 4;
  ck_assert(!lower_sizes_admissible(c, sizes));
  ck_assert(lower_size_range(c, 0, sizes, 9, &low, &high));
  ck_assert(low == 2 && high == 5);
  ck_assert(lower_size_range(c, 1, sizes, 2, &low, &high));
  ck_assert(low == 1 && high == 2);
  ck_assert(lower_size_range(c, 1, sizes, 9, &low, &high));
  ck_assert(low == 1 && high == 3);
  reading_clear(&r);
}
END_TEST

static void add_case(Suite *suite, const char *name, const TTest *test)
{
  TCase *t = tcase_create(name);
  tcase_set_timeout(t, 300);
  tcase_add_test(t, test);
  suite_add_tcase(suite, t);
}

int main(void)
{
  Suite *suite = suite_create("lower");
  add_case(suite, "lemma-d1", test_lemma_d1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(ASSAY_ONE_TARGET) /* instrumented, it takes gigabytes */
  add_case(suite, "lemma-d1-long", test_lemma_d1_long);
#else
  (void)test_lemma_d1_long;
#endif
  add_case(suite, "theorem-4-2", test_theorem_4_2);
  add_case(suite, "sharing", test_sharing);
  add_case(suite, "shared-conditions", test_shared_conditions);
  TCase *t = tcase_create("messages");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, test_messages, 0, sizeof mistakes / sizeof *mistakes);
  suite_add_tcase(suite, t);
  add_case(suite, "long", test_long_recurrence);
  add_case(suite, "endless", test_endless_recurrence);
  add_case(suite, "limit", test_tape_limit);
  add_case(suite, "labels", test_labels);
  add_case(suite, "sizes", test_sizes);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
