/* The results file, the table and TAP, from results made by hand. */
#include "made.h"

#include <math.h>
#include <unistd.h>

#include "report/index_text.h"
#include "report/instance_text.h"
#include "report/results_json.h"
#include "report/table_text.h"
#include "report/tap.h"

static check_result made_survivor(const made_library *m)
{
  check_result r = {.claim = library_find(m->l, "lemma-d6-later"), .verdict = VERDICT_SURVIVED};
  r.file = memory_copy_string("caf\xE9.claim"); /* not UTF-8 */
  r.reason = memory_copy_string("3 instances certified true, none false");
  r.total = (check_counts){.drawn = UINT64_MAX, .accepted = 3, .true_ = 3};
  r.case_name = memory_copy_string("kept");
  r.expected = memory_copy_string("REFUTED");
  r.slack = (check_slack){.known = true, .over = 3};
  r.slack.label = memory_copy_string("upper");
  r.slack.at = memory_copy_string("t = 2");
  r.slack.instance = memory_copy_string("T = 2");
  r.slack.difference = memory_copy_string("[1.5e-9 +/- 2e-20]");
  r.needs = 1;
  r.need = memory_new(1, sizeof *r.need);
  r.need[0] = (check_need){memory_copy_string("range of p"), true, true};
  r.power_measured = true;
  r.power =
      (check_power){.tried = 4, .refuted = 3, .survivors = 1, .survivor = memory_new(1, sizeof(char *))};
  r.power.survivor[0] = memory_copy_string("upper: <= made <");
  r.seconds = NAN;
  return r;
}

/* Versions are those of the machine; everything else is fixed. */
static json_t *sample_value(const check_result *const *results, size_t n)
{
  results_run run = {.seed = 7, .command = "assay audit --seed 7 made.claim"};
  json_t *value = results_json_create(&run, results, n, NULL);
  const char *key;
  json_t *version, *versions = json_object_get(value, "versions");
  json_object_foreach(versions, key, version)
      json_object_set_new(versions, key, json_string("of the machine"));
  return value;
}

START_TEST(test_sample)
{
  made_library m;
  made_open(&m);
  check_result a = made_refuted(&m), b = made_possible(&m), c = made_survivor(&m);
  const check_result *const results[] = {&a, NULL, &b, &c};
  json_t *value = sample_value(results, 4);
  char path[] = "/tmp/assay-test-XXXXXX";
  ck_assert_int_ge(mkstemp(path), 0);
  diag *d = diag_create(stderr, 0);
  ck_assert(results_json_write(d, path, value));
  diag_source *written = diag_source_read(d, path, 1 << 20), *sample = made_sample("sample-results.json");
  made_compare(written->text, sample->text);
  unlink(path);
  diag_source_destroy(written);
  diag_source_destroy(sample);
  diag_destroy(d);
  json_decref(value);
  check_result_destroy(&a);
  check_result_destroy(&b);
  check_result_destroy(&c);
  made_close(&m);
}
END_TEST

START_TEST(test_cannot_write)
{
  diag *d = diag_create(NULL, 0);
  json_t *value = json_object();
  ck_assert(!results_json_write(d, "/nowhere/at/all.json", value));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "cannot write /nowhere/at/all.json: No such file"));
  ck_assert(!results_json_write(d, "/dev/full", value));
  ck_assert_uint_eq(diag_errors(d), 2);
  json_decref(value);
  diag_destroy(d);
}
END_TEST

static void write_table(FILE *out, const void *context)
{
  const check_result *const *results = context;
  static const char *const names[] = {"lemma-d6-later", "lost", "question", "kept"};
  table_style style = {.out = out};
  table_write_group(&style, "Lemma D.6", names, results, 4);
  table_write_totals(&style, results, 4);
}

static void write_quietly(FILE *out, const void *context)
{
  static const char *const names[] = {"question"};
  table_style style = {.out = out, .quiet = true, .colour = true};
  table_write_group(&style, "Lemma D.6", names, context, 1);
  table_write_totals(&style, context, 1);
}

static void write_tap(FILE *out, const void *context)
{
  const check_result *const *results = context;
  static const char *const names[] = {"lemma-d6-later", "lost", "question", "kept"};
  tap_write_plan(out, 4);
  for (size_t i = 0; i < 4; i++)
    tap_write(out, i + 1, names[i], results[i]);
}

START_TEST(test_table_and_tap)
{
  made_library m;
  made_open(&m);
  check_result a = made_refuted(&m), b = made_possible(&m), c = made_survivor(&m);
  b.expected = memory_copy_string("NO-WITNESS");
  const check_result *const results[] = {&a, NULL, &b, &c};
  char *table = made_output(write_table, results);
  ck_assert_str_eq(
      table, "Lemma D.6\n"
             "  lemma-d6-later  REFUTED          T=2         upper at t = 2: 199/4 <= 99/2 is false with "
             "alpha[1..2] = 1/2; delta[1..2] = 1/2; z[1..2] = -1, 100; p = 1\n"
             "  lost            not audited\n"
             "  question        NO WITNESS 30    -           middle: POSSIBLE; beyond: NO WITNESS\n"
             "  kept            SURVIVED 3       -           3 of 4 claims made slightly wrong refuted; "
             "only 3 instances were certified\n"
             "                  expected REFUTED\n"
             "  false under some reading tried (1 of 2)\n"
             "\n"
             "4 claims: 1 REFUTED, 1 SURVIVED, 1 NO WITNESS, 1 not audited\n"
             "1 of 2 as expected\n");
  free(table);
  char *quiet = made_output(write_quietly, results + 2);
  ck_assert_str_eq(quiet, "");
  free(quiet);
  char *tap = made_output(write_tap, results);
  ck_assert_str_eq(tap, "1..4\n"
                        "not ok 1 - lemma-d6-later: REFUTED\n"
                        "not ok 2 - lost: not audited\n"
                        "ok 3 - question: NO WITNESS 30 as expected\n"
                        "not ok 4 - kept: SURVIVED 3, expected REFUTED\n"
                        "# 3 instances certified true, none false\n");
  free(tap);
  check_result_destroy(&a);
  check_result_destroy(&b);
  check_result_destroy(&c);
  made_close(&m);
}
END_TEST

/* One statement read in two ways, with a repair and a contrast, and one of another source. */
static const char kinds_text[] = "# About x.\n\n# FALSE at x = 1.\nclaim below source \"Lemma 1\" title \"x is below 1\"\n"
                                 "given x in [0, 1] show s: x < 1 end\nclaim lost from below end\n"
                                 "# TRUE.\nclaim at-most from below as repair replace s: x <= 1 end\n"
                                 "claim half from below as contrast replace s: x <= 1/2 end\n";

static check_result made_plain(const library *l, const char *name, verdict v, uint64_t certified, const char *reason)
{
  check_result r = {.claim = library_find(l, name), .verdict = v, .total = {.true_ = certified}};
  r.file = memory_copy_string("kinds.claim");
  r.reason = memory_copy_string(reason);
  return r;
}

static const char *const kinds_name[] = {"below", "lost", "at-most", "half"};

static void write_kinds(FILE *out, const void *context)
{
  table_style style = {.out = out};
  table_write_group(&style, "Lemma 1", kinds_name, context, 4);
}

static void write_index(FILE *out, const void *context)
{
  const check_result *const *results = context;
  index_item item[4];
  for (size_t i = 0; i < 4; i++)
    item[i] = (index_item){kinds_name[i], "Lemma 1", i == 0 ? "below.txt" : NULL, results[i]};
  index_write(out, item, 4);
}

/* The third is about another statement. */
static void write_contents(FILE *out, const void *context)
{
  const check_result *const *results = context;
  const index_item item[] = {{"below", "Lemma 1", NULL, results[0]}, {"lost", "Lemma 1", NULL, NULL},
                             {"at-most", "Lemma 2", NULL, results[2]}};
  index_write(out, item, 3);
}

START_TEST(test_kinds)
{
  diag *d = diag_create(stderr, 0);
  diag_source *source = diag_source_from("kinds.claim", kinds_text, strlen(kinds_text));
  library *l = library_read_source(d, source, 0);
  ck_assert_ptr_nonnull(l);
  check_result a = made_plain(l, "below", VERDICT_UNDECIDED, 0, "a reason"),
               b = made_plain(l, "at-most", VERDICT_SURVIVED, 500, "500 instances certified true, none false"),
               c = made_plain(l, "half", VERDICT_UNDECIDED, 0, "no more is known");
  const check_result *const results[] = {&a, NULL, &b, &c};
  char *table = made_output(write_kinds, results);
  ck_assert_str_eq(table, "Lemma 1\n"
                          "  below    reading   UNDECIDED        -           a reason\n"
                          "  lost               not audited\n"
                          "  at-most  repair    SURVIVED 500     -\n"
                          "  half     contrast  UNDECIDED        -           no more is known\n"
                          "  false under no reading tried (0 of 1); 1 not settled; no repair refuted (0 of 1)\n\n");
  free(table);
  char *index = made_output(write_index, results);
  ck_assert_str_eq(index, "Lemma 1\n=======\n\nAbout x.\n\n"
                          "below  UNDECIDED  (reading)\n    x is below 1\n    FALSE at x = 1.\n    a reason\n"
                          "    Page: below.txt\n\n"
                          "lost  not audited\n\n"
                          "at-most  SURVIVED 500  (repair)\n    x is below 1\n    TRUE.\n"
                          "    500 instances certified true, none false\n\n"
                          "half  UNDECIDED  (contrast)\n    x is below 1\n    no more is known\n\n"
                          "false under no reading tried (0 of 1); 1 not settled; no repair refuted (0 of 1)\n");
  free(index);
  index = made_output(write_contents, results);
  static const char contents[] = "Lemma 1\n    false under no reading tried (0 of 1); 1 not settled\nLemma 2\n"
                                 "    no repair refuted (0 of 1)\n\n\nLemma 1\n=======\n\nAbout x.\n\nbelow  UNDECIDED  (reading)\n";
  ck_assert_msg(!strncmp(index, contents, strlen(contents)), "%s", index);
  ck_assert_ptr_nonnull(strstr(index, "(0 of 1); 1 not settled\n\n\nLemma 2\n=======\n\nat-most  SURVIVED 500  (repair)\n"));
  free(index);
  check_result_destroy(&a);
  check_result_destroy(&b);
  check_result_destroy(&c);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

/* 7/12 = 0.58333... */
START_TEST(test_numbers)
{
  fmpq_t x;
  text out;
  fmpq_init(x);
  text_init(&out);
  fmpq_set_si(x, -7, 12);
  number_print(&out, x, 5);
  ck_assert_str_eq(text_string(&out), "-7/12");
  text_clear(&out);
  number_print(&out, x, 4);
  ck_assert_str_eq(text_string(&out), "[-0.583333333334, -0.583333333333]");
  text_clear(&out);
  fmpz_ui_pow_ui(fmpq_numref(x), 10, 100);
  fmpz_one(fmpq_denref(x));
  number_print(&out, x, 40);
  ck_assert_str_eq(text_string(&out), "[9.99999999999e99, 1.00000000001e100]");
  text_clear(&out);
  fmpq_clear(x);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("results");
  TCase *tests = tcase_create("results");
  tcase_add_test(tests, test_sample);
  tcase_add_test(tests, test_cannot_write);
  tcase_add_test(tests, test_table_and_tap);
  tcase_add_test(tests, test_kinds);
  tcase_add_test(tests, test_numbers);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
