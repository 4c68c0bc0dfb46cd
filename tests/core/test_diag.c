/* Messages with a place: what they look like, how many are written, how files are read, how near two names
 * are. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/diag.h"

static diag_place place_at(const diag_source *s, size_t offset, unsigned line, unsigned column)
{
  return (diag_place){s, offset, line, column};
}

START_TEST(test_message)
{
  diag *d = diag_create(NULL, 0);
  diag_source *s = diag_source_from("a.claim", "one\ntwo three\nfour", 18);
  ck_assert_uint_eq(diag_errors(d), 0);
  ck_assert_ptr_null(diag_first_place(d).source);
  diag_error(d, place_at(s, 8, 2, 5), "no '%s' here", "three");
  ck_assert_str_eq(diag_text(d), "a.claim:2:5: error: no 'three' here\n  two three\n      ^\n");
  ck_assert_uint_eq(diag_errors(d), 1);
  diag_error_plain(d, "cannot %d", 7);
  ck_assert_str_eq(diag_text(d) + strlen("a.claim:2:5: error: no 'three' here\n  two three\n      ^\n"),
                   "assay: error: cannot 7\n");
  ck_assert_uint_eq(diag_first_place(d).line, 2);
  diag_source_destroy(s);
  diag_destroy(d);
}
END_TEST

/* Tabs stay, so that the caret stands below its character; a character of several bytes is one column; what
 * could upset a terminal becomes '?'; CR does not show; the end of the text is a place too. */
START_TEST(test_line)
{
  static const struct {
    const char *text;
    size_t length, offset;
    const char *shown;
  } cases[] = {
    {"\tx\ty = 1\n", 9, 3, "  \tx\ty = 1\n  \t \t^\n"},
    {"\xCE\xB1\xCE\xB2 = q", 8, 7, "  \xCE\xB1\xCE\xB2 = q\n       ^\n"},
    {"a\x1B[2J\xFF z", 8, 7, "  a?[2J? z\n         ^\n"},
    {"\xE2\x80\xAEq\xC2\x9B", 6, 3, "  ?q?\n   ^\n"},
    {"a\0b\n", 4, 1, "  a?b\n   ^\n"},
    {"ab\r\ncd", 6, 1, "  ab\n   ^\n"},
    {"ab", 2, 2, "  ab\n    ^\n"},
    {"", 0, 0, "  \n  ^\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    diag *d = diag_create(NULL, 0);
    diag_source *s = diag_source_from("f", cases[i].text, cases[i].length);
    diag_error(d, place_at(s, cases[i].offset, 1, 1), "m");
    const char *head = "f:1:1: error: m\n";
    ck_assert_msg(strncmp(diag_text(d), head, strlen(head)) == 0, "%s", diag_text(d));
    ck_assert_str_eq(diag_text(d) + strlen(head), cases[i].shown);
    diag_source_destroy(s);
    diag_destroy(d);
  }
}
END_TEST

/* Of a line of a megabyte only the neighbourhood shows. */
START_TEST(test_long_line)
{
  size_t n = 1 << 20;
  char *text = malloc(n);
  memset(text, 'a', n);
  text[n / 2] = '!';
  diag *d = diag_create(NULL, 0);
  diag_source *s = diag_source_from("f", text, n);
  diag_error(d, place_at(s, n / 2, 1, (unsigned)(n / 2 + 1)), "m");
  ck_assert_uint_lt(strlen(diag_text(d)), 600);
  const char *line = strchr(diag_text(d), '\n') + 1, *caret = strchr(line, '\n') + 1;
  ck_assert_ptr_nonnull(strchr(line, '!'));
  ck_assert_uint_eq((size_t)(strchr(line, '!') - line), (size_t)(strchr(caret, '^') - caret));
  ck_assert_int_eq(strncmp(line, "  ...aaa", 8), 0);
  diag_source_destroy(s);
  diag_destroy(d);
  free(text);
}
END_TEST

/* A very long message is not cut. */
START_TEST(test_long_message)
{
  char word[2001];
  memset(word, 'w', 2000);
  word[2000] = 0;
  diag *d = diag_create(NULL, 0);
  diag_error_plain(d, "<%s>", word);
  ck_assert_uint_eq(strlen(diag_text(d)), strlen("assay: error: <>\n") + 2000);
  diag_destroy(d);
}
END_TEST

/* Errors beyond the limit are counted, not written, and neither are their notes. */
START_TEST(test_limit)
{
  diag *d = diag_create(NULL, 2);
  diag_source *s = diag_source_from("f", "x", 1);
  for (int i = 0; i < 5; i++) {
    diag_error(d, place_at(s, 0, 1, 1), "e%d", i);
    diag_note(d, place_at(s, 0, 1, 1), "n%d", i);
  }
  ck_assert_uint_eq(diag_errors(d), 5);
  ck_assert_ptr_nonnull(strstr(diag_text(d), "note: n1"));
  ck_assert_ptr_null(strstr(diag_text(d), "e2"));
  ck_assert_ptr_null(strstr(diag_text(d), "n2"));
  diag_source_destroy(s);
  diag_destroy(d);
}
END_TEST

START_TEST(test_read)
{
  char path[] = "test_diag_XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  char *bytes = calloc(100000, 1);
  memset(bytes, 'z', 100000);
  bytes[7] = 0;
  ck_assert_int_eq(write(fd, bytes, 100000), 100000);
  close(fd);
  diag *d = diag_create(NULL, 0);
  diag_source *s = diag_source_read(d, path, 100000);
  ck_assert_ptr_nonnull(s);
  ck_assert_uint_eq(s->length, 100000);
  ck_assert_int_eq(memcmp(s->text, bytes, 100000), 0);
  ck_assert_int_eq(s->text[100000], 0);
  ck_assert_str_eq(s->name, path);
  diag_source_destroy(s);
  ck_assert_uint_eq(diag_errors(d), 0);
  ck_assert_ptr_null(diag_source_read(d, path, 99999));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "is larger than 99999 bytes"));
  unlink(path);
  ck_assert_ptr_null(diag_source_read(d, path, 10));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "No such file or directory"));
  ck_assert_ptr_null(diag_source_read(d, ".", 10));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "directory"));
  ck_assert_uint_eq(diag_errors(d), 3);
  diag_destroy(d);
  free(bytes);
}
END_TEST

/* By hand. */
START_TEST(test_distance)
{
  static const struct {
    const char *a, *b;
    unsigned limit, distance;
  } cases[] = {
    {"", "", 3, 0},           {"alpha", "alpha", 3, 0}, {"alpha", "alpah", 3, 1}, {"alpha", "alfa", 3, 2},
    {"a", "", 3, 1},          {"", "abc", 3, 3},        {"", "abcd", 3, 4},       {"kitten", "sitting", 5, 3},
    {"kitten", "sitting", 2, 3}, {"delta", "dleta", 1, 1}, {"ab", "ba", 0, 1},   {"step", "stride", 9, 4},
    {"abcdef", "uvwxyz", 3, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert_msg(diag_name_distance(cases[i].a, cases[i].b, cases[i].limit) == cases[i].distance, "%s %s",
                  cases[i].a, cases[i].b);
    ck_assert_uint_eq(diag_name_distance(cases[i].b, cases[i].a, cases[i].limit), cases[i].distance);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("diag");
  TCase *tests = tcase_create("diag");
  tcase_add_test(tests, test_message);
  tcase_add_test(tests, test_line);
  tcase_add_test(tests, test_long_line);
  tcase_add_test(tests, test_long_message);
  tcase_add_test(tests, test_limit);
  tcase_add_test(tests, test_read);
  tcase_add_test(tests, test_distance);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
