/* Files made to be deep, long, slow or broken end in a message or in the right answer. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/limits.h"
#include "core/memory.h"
#include "lang/claim.h"

/* Reads a text and forgets it again: NULL when it was good, or its first messages, to be freed. */
static char *complaint_about(const char *s, size_t length)
{
  diag *d = diag_create(NULL, 30);
  diag_source *source = diag_source_from("hostile", s, length);
  library *l = library_read_source(d, source, 0);
  char *complaint = l ? NULL : memory_copy_string(diag_text(d));
  ck_assert_uint_le(diag_errors(d), 20);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
  return complaint;
}

static void expect(const text *t, const char *wanted)
{
  char *complaint = complaint_about(text_string(t), t->length);
  if (wanted)
    ck_assert_msg(complaint && strstr(complaint, wanted), "wanted: %s\ngot: %.2000s", wanted,
                  complaint ? complaint : "");
  else
    ck_assert_msg(!complaint, "%.2000s", complaint ? complaint : "");
  free(complaint);
}

static void repeat(text *t, const char *s, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    text_add(t, s);
}

/* `claim c show s: HEAD MIDDLE^n CORE TAIL^n REST end` */
static const struct {
  const char *head, *before, *core, *behind, *rest;
} nests[] = {
    {"", "(", "0", ")", " = 0"},
    {"", "-", "1", "", " < 0"},
    {"", "not ", "0 = 1", "", ""},
    {"", "exp(", "0", ")", " > 0"},
    {"", "min(1, ", "0", ")", " = 0"},
    {"2^", "2^", "1", "", " > 0"},
    {"", "0 = 0 implies ", "0 = 0", "", ""},
    {"", "if 0 = 1 then 0 = 1 else ", "0 = 0", "", ""},
    {"", "if ", "0 = 0", " then 0 = 0 else 0 = 0", ""},
    {"", "1 + (", "0", ")", " > 0"},
    {"0 < 1 and x", "[x", "1", "]", ""},
    {"", "0 = 0 and ", "0 = 0", "", ""},
    {"0 < ", "1 + ", "1", "", ""},
    {"0 < ", "2*", "1", "", ""},
    {"0 < ", "d(", "1", ", x)", ""},
};

START_TEST(test_deep)
{
  for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
    text t;
    text_init(&t);
    text_addf(&t, "claim c given x in real show s: %s", nests[i].head);
    repeat(&t, nests[i].before, 1000000);
    text_add(&t, nests[i].core);
    repeat(&t, nests[i].behind, 1000000);
    text_addf(&t, "%s end", nests[i].rest);
    expect(&t, "nested too deeply");
    text_clear(&t);
    text_addf(&t, "claim c given x in real show s: %s", nests[i].head);
    repeat(&t, nests[i].before, 100);
    if (strchr("xd", nests[i].before[0]) || nests[i].before[0] == '[') {
      text_clear(&t);
      continue; /* means nothing at any depth */
    }
    text_add(&t, nests[i].core);
    repeat(&t, nests[i].behind, 100);
    text_addf(&t, "%s end", nests[i].rest);
    expect(&t, NULL);
    text_clear(&t);
  }
}
END_TEST

/* Nested folds meet the limit of indices first. */
START_TEST(test_deep_folds)
{
  text t;
  text_init(&t);
  text_add(&t, "claim c show s: ");
  for (unsigned i = 0; i < 1000; i++)
    text_addf(&t, "forall i%u in 1..2: ", i);
  text_add(&t, "0 = 0 end");
  expect(&t, "more than 32 indices");
  text_clear(&t);
}
END_TEST

/* At the limit itself all goes well, also in what walks the tree afterwards. */
START_TEST(test_deepest)
{
  text t, printed;
  text_init(&t);
  text_init(&printed);
  text_add(&t, "claim c show s: 0 < 1");
  repeat(&t, " + 1", LIMIT_NESTING - 2);
  text_add(&t, " end");
  diag *d = diag_create(NULL, 30);
  diag_source *source = diag_source_from("deepest", t.data, t.length);
  library *l = library_read_source(d, source, 0);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  const claim *c = library_claim(l, 0);
  ck_assert_uint_eq(c->label[0].body->depth, LIMIT_NESTING);
  claim_print(&printed, c);
  ck_assert_uint_gt(printed.length, 4 * (LIMIT_NESTING - 2));
  claim_print_latex(&printed, c);
  ck_assert(tree_equal(c->label[0].body, c->label[0].body));
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
  text_clear(&t);
  text_clear(&printed);
}
END_TEST

START_TEST(test_smaller_limit)
{
  diag *d = diag_create(NULL, 30);
  const char *s = "claim c show s: 1 + 1 + 1 + 1 = 4 end";
  diag_source *source = diag_source_from("s", s, strlen(s));
  ck_assert_ptr_null(library_read_source(d, source, 4));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "nested too deeply (the limit is 4)"));
  library *l = library_read_source(d, source, 5);
  ck_assert_ptr_nonnull(l);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

/* Wide is no trouble: a chain of comparisons, an argument list, many declarations. */
START_TEST(test_wide)
{
  text t;
  text_init(&t);
  text_add(&t, "claim c show s: 0");
  repeat(&t, " < 1", 100000);
  text_add(&t, " show m: min(0");
  repeat(&t, ", 1", 100000);
  text_add(&t, ") = 0 end");
  expect(&t, NULL);
  text_clear(&t);
  text_add(&t, "claim c size T >= 1\n");
  for (unsigned i = 0; i < 50000; i++)
    text_addf(&t, "given g%u[t in 1..T] in [0, 1] let l%u = l%u + g%u[1] let l%u = f[%u] let f[%u] = 1\n", i,
              i, i + 1, i, i + 50000, i, i);
  text_add(&t, "let l50000 = 1 show s: 0 = 0 end");
  char *complaint = complaint_about(t.data, t.length); /* l50000 is defined twice; 150000 lines were read */
  ck_assert_msg(complaint && strstr(complaint, "'l50000' is defined twice"), "%.300s",
                complaint ? complaint : "");
  free(complaint);
  text_clear(&t);
}
END_TEST

/* A million labels: more parts than one file may have, but a quarter of a million is fine. */
START_TEST(test_many_labels)
{
  for (unsigned n = 250000; n <= 1000000; n += 750000) {
    text t;
    text_init(&t);
    text_add(&t, "claim c\n");
    for (unsigned i = 0; i < n; i++)
      text_addf(&t, "show l%u:0<1\n", i);
    text_add(&t, "end");
    expect(&t, n > 500000 ? "too long: more than" : NULL);
    text_clear(&t);
  }
}
END_TEST

/* Every one of many claims inherits much. */
START_TEST(test_many_heirs)
{
  text t;
  text_init(&t);
  text_add(&t, "claim c\n");
  for (unsigned i = 0; i < 20000; i++)
    text_addf(&t, "show l%u:0<1\n", i);
  text_add(&t, "end\n");
  for (unsigned i = 0; i < 20000; i++)
    text_addf(&t, "claim c%u from c end\n", i);
  expect(&t, "too long: more than");
  text_clear(&t);
  text_add(&t, "claim c0 show s: 0 = 0 end\n");
  for (unsigned i = 1; i < 1000; i++)
    text_addf(&t, "claim c%u from c%u end\n", i, i - 1);
  expect(&t, "more than 100 times over");
  text_clear(&t);
}
END_TEST

START_TEST(test_long_words)
{
  text t;
  text_init(&t);
  text_add(&t, "claim c let ");
  repeat(&t, "x", 1000000);
  text_add(&t, " = 1 show s: 0 = 0 end");
  expect(&t, "a name of more than 200 letters");
  text_clear(&t);
  text_add(&t, "claim c show s: 0 < 1");
  repeat(&t, "0", 1000000);
  text_add(&t, " end");
  expect(&t, "more than 100000 digits");
  text_clear(&t);
  text_add(&t, "claim c show s: 0 < 1e");
  repeat(&t, "9", 1000000);
  text_add(&t, " end");
  expect(&t, "out of range");
  text_clear(&t);
  text_add(&t, "claim c title \"");
  repeat(&t, "\\\"", 1000000);
  text_add(&t, "\" # ");
  repeat(&t, "c", 1000000);
  text_add(&t, "\n show s: 0 = 0 end");
  expect(&t, NULL);
  text_clear(&t);
  text_add(&t, "claim c show s: 0 = 0\n");
  for (unsigned i = 0; i < 20000; i++)
    text_addf(&t, "trivial l%u: 1e99999\n", i);
  text_add(&t, "end");
  expect(&t, "the numbers in this file take more than");
  text_clear(&t);
}
END_TEST

/* 20 messages, then silence: and all of them quickly, though each looks for the nearest of many names. */
START_TEST(test_many_errors)
{
  text t;
  text_init(&t);
  text_add(&t, "claim c\n");
  for (unsigned i = 0; i < 50000; i++)
    text_addf(&t, "given name%u in real show l%u: other%u < 1\n", i, i, i);
  text_add(&t, "end");
  char *complaint = complaint_about(t.data, t.length);
  unsigned errors = 0;
  for (const char *s = complaint; (s = strstr(s, "error: ")); s++)
    errors++;
  ck_assert_uint_eq(errors, 20);
  free(complaint);
  text_clear(&t);
  text_add(&t, "claim c\n");
  repeat(&t, "show : 1\n", 100000);
  complaint = complaint_about(t.data, t.length);
  ck_assert_ptr_nonnull(complaint);
  free(complaint);
  text_clear(&t);
}
END_TEST

/* Every prefix of a good text, and the text with each byte replaced: a message or a claim. */
START_TEST(test_cut_and_spoilt)
{
  const char *s =
      "claim c-1 from base title \"a\\\"b\" end claim base size T >= 1 try T in 1..3 given \xCE\xB1[t in "
      "1..T] in (0, inf)"
      " as decay let m = min(t in 1..T: \xCE\xB1[t]^-2) let b = not m < 0x1.8p-3 assume h: b implies m = 1e-3"
      " show s: forall t in 1..T: if b then d(m, \xCE\xB1[1]) >= 0 else 1 != 0 end # end";
  size_t n = strlen(s);
  for (size_t i = 0; i < n; i++)
    free(complaint_about(s, i));
  char *complaint = complaint_about(s, n);
  ck_assert_msg(!complaint, "%s", complaint);
  static const char other[] = {0,   '\n', '(',    ']',    '"',    '.', '0', 'x',
                               '-', ':',  '\x7F', '\xCE', '\xFF', ' ', '^', '#'};
  char *copy = malloc(n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof other; k++) {
      memcpy(copy, s, n);
      copy[i] = other[k];
      free(complaint_about(copy, n));
    }
  free(copy);
}
END_TEST

/* A file larger than the limit is not read. */
START_TEST(test_large_file)
{
  char path[] = "test_hostile_XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(ftruncate(fd, 100 << 20), 0); /* 100 MB of holes */
  close(fd);
  diag *d = diag_create(NULL, 0);
  ck_assert_ptr_null(library_read(d, path, 0));
  unlink(path);
  ck_assert_ptr_nonnull(strstr(diag_text(d), "is larger than"));
  ck_assert_ptr_null(library_read(d, ".", 0));
  ck_assert_ptr_null(library_read(d, "/dev/zero", 0));
  ck_assert_uint_eq(diag_errors(d), 3);
  diag_destroy(d);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("hostile");
  TCase *tests = tcase_create("hostile");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_deep);
  tcase_add_test(tests, test_deep_folds);
  tcase_add_test(tests, test_deepest);
  tcase_add_test(tests, test_smaller_limit);
  tcase_add_test(tests, test_wide);
  tcase_add_test(tests, test_many_labels);
  tcase_add_test(tests, test_many_heirs);
  tcase_add_test(tests, test_long_words);
  tcase_add_test(tests, test_many_errors);
  tcase_add_test(tests, test_cut_and_spoilt);
  tcase_add_test(tests, test_large_file);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
