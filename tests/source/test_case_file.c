/* Case files: what is read, and every message with its place. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "source/case_file.h"

static bool read_text(case_file *f, diag *d, const char *name, const char *contents)
{
  return case_file_read_source(f, d, diag_source_from(name, contents, strlen(contents)));
}

START_TEST(test_everything)
{
  case_file f;
  diag *d = diag_create(NULL, 0);
  ck_assert(read_text(&f, d, "folder/x.case",
                      "# two runs\ncase one claim a-1 expect NO-WITNESS end\n"
                      "case two file \"y z.claim\" claim b sizes \"T=1..8,N=2\"\r\n trials 1000000000000 "
                      "seed 9223372036854775807 instances \"/tmp/i.json\" # the last\nend"));
  ck_assert_uint_eq(diag_errors(d), 0);
  ck_assert_uint_eq(f.count, 2);
  ck_assert_str_eq(f.run[0].name, "one");
  ck_assert_str_eq(f.run[0].claim, "a-1");
  ck_assert_ptr_null(f.run[0].file);
  ck_assert_str_eq(f.run[0].expect, "NO-WITNESS");
  ck_assert(!f.run[0].has_seed && !f.run[0].has_trials && !f.run[0].sizes && !f.run[0].instances);
  ck_assert_str_eq(f.run[1].file, "folder/y z.claim");
  ck_assert_str_eq(f.run[1].claim, "b");
  ck_assert_str_eq(f.run[1].sizes, "T=1..8,N=2");
  ck_assert(f.run[1].has_trials && f.run[1].trials == UINT64_C(1000000000000));
  ck_assert(f.run[1].has_seed && f.run[1].seed == UINT64_C(9223372036854775807));
  ck_assert_str_eq(f.run[1].instances, "/tmp/i.json");
  ck_assert_uint_eq(f.run[1].place.line, 3);
  case_file_clear(&f);
  diag_destroy(d);
}
END_TEST

/* One message each, at the place and with the words expected. */
static const struct {
  const char *contents;
  unsigned line, column;
  const char *words;
} wrong[] = {
    {"", 1, 1, "no case in this file"},
    {"# nothing\n", 2, 1, "no case in this file"},
    {"cas one claim a end", 1, 1, "did you mean 'case'?"},
    {"case \"one\" claim a end", 1, 6, "the name of the case expected"},
    {"case one claim a expct REFUTED end", 1, 18, "did you mean 'expect'?"},
    {"case one claim a\n  expect REFUTD end", 2, 10, "did you mean 'REFUTED'?"},
    {"case one claim a expect NO WITNESS end", 1, 25, "a verdict"},
    {"case one claim \"a\" end", 1, 16, "a word expected"},
    {"case one file a.claim end", 1, 15, "a string expected"},
    {"case one file \"a.claim\nend", 1, 15, "no end on its line"},
    {"case one claim a claim b end", 1, 18, "'claim' stands twice"},
    {"case one claim a end case one claim b end", 1, 27, "case 'one' is in this file already"},
    {"case one expect REFUTED end", 1, 6, "names neither a claim nor a file"},
    {"case one claim a", 1, 17, "the file ends here"},
    {"case one claim a trials 0 end", 1, 25, "no whole number from 1"},
    {"case one claim a trials 1000000000001 end", 1, 25, "no whole number from 1"},
    {"case one claim a trials 1e5 end", 1, 25, "no whole number from 1"},
    {"case one claim a seed -1 end", 1, 23, "no whole number from 0"},
    {"case one claim a seed 9223372036854775808 end", 1, 23, "no whole number from 0"},
    {"case one claim a sizes \"T=8..1\" end", 1, 24, "sizes are written"},
    {"case one claim a sizes \"T\" end", 1, 24, "sizes are written"},
    {"case one claim a sizes \"T2=1,T=1,N=3,T=2..4\" end", 1, 24, "the size 'T' is given twice"},
    {"case one claim a; end", 1, 17, "means nothing here"},
    {"case one claim \xCE\xB1 end", 1, 16, "means nothing here"},
};

START_TEST(test_messages)
{
  case_file f;
  diag *d = diag_create(NULL, 0);
  ck_assert(!read_text(&f, d, "x.case", wrong[_i].contents));
  ck_assert_msg(diag_errors(d) == 1, "%s: %u messages", wrong[_i].contents, diag_errors(d));
  diag_place p = diag_first_place(d);
  ck_assert_msg(p.line == wrong[_i].line && p.column == wrong[_i].column, "%s: at %u:%u", wrong[_i].contents,
                p.line, p.column);
  ck_assert_msg(strstr(diag_text(d), wrong[_i].words), "%s: %s", wrong[_i].contents, diag_text(d));
  case_file_clear(&f);
  diag_destroy(d);
}
END_TEST

START_TEST(test_nul_byte)
{
  static const char contents[] = "case one\0claim a end";
  case_file f;
  diag *d = diag_create(NULL, 0);
  ck_assert(!case_file_read_source(&f, d, diag_source_from("x.case", contents, sizeof contents - 1)));
  ck_assert_uint_eq(diag_errors(d), 1);
  ck_assert_uint_eq(diag_first_place(d).column, 9);
  case_file_clear(&f);
  diag_destroy(d);
}
END_TEST

START_TEST(test_sizes)
{
  static const char *const good[] = {"T=1", "T=0..0", "T=1..1048576", "T=1..8,N=2,long_name=3..4"};
  static const char *const bad[] = {"",
                                    "T",
                                    "T=",
                                    "=1",
                                    "T=1..",
                                    "T=..2",
                                    "T=2..1",
                                    "T=1,",
                                    ",T=1",
                                    "T=1;N=2",
                                    "T = 1",
                                    "T=-1",
                                    "T=1.5",
                                    "T=1...2",
                                    "T=1..1048577",
                                    "T=+1",
                                    "T=1..2..3",
                                    "T=1 ",
                                    "T=99999999999999999999999999"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    ck_assert_msg(case_sizes_well_formed(good[i]), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    ck_assert_msg(!case_sizes_well_formed(bad[i]), "%s", bad[i]);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("case files");
  TCase *tests = tcase_create("case files");
  tcase_add_test(tests, test_everything);
  tcase_add_loop_test(tests, test_messages, 0, sizeof wrong / sizeof wrong[0]);
  tcase_add_test(tests, test_nul_byte);
  tcase_add_test(tests, test_sizes);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
