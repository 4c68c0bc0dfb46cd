/* Tables of printed numbers: reading, what is malformed, the interval of a number, and claims that use them. Values are
 * worked out by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/limits.h"
#include "core/memory.h"
#include "core/text.h"
#include "lang/claim.h"
#include "lang/table.h"

static const char plain[] = "\xEF\xBB\xBF# title: Two models \n#source:Table 9\r\n# more\n\n"
                            "model, a ,\"b, \"\"two\"\"\",c\r\n"
                            "X,88.7,-,-0.50\n\n"
                            "\"Y\nZ\",.654,,1.20e-3\n";

static table *read_text(diag **d, const char *s, size_t length)
{
  *d = diag_create(NULL, 0);
  return table_read_source(*d, diag_source_from("t.csv", s, length));
}

START_TEST(reads_what_stands_there)
{
  diag *d;
  const char good[] = "# title: Two models \n#source:Table 9\r\n# more\n\nmodel, a ,\"b, \"\"two\"\"\",c\r\n"
                      "X,88.7,-,-0.50\n\nY Z,.654,,1.20e-3";
  table *t = read_text(&d, good, strlen(good));
  ck_assert_msg(t != NULL, "%s", diag_text(d));
  ck_assert_str_eq(t->title, "Two models");
  ck_assert_str_eq(t->cite, "Table 9");
  ck_assert_uint_eq(t->rows, 2);
  ck_assert_uint_eq(t->columns, 3);
  ck_assert_uint_eq(t->printed, 4);
  ck_assert_str_eq(t->column[0], "a");
  ck_assert_str_eq(t->column[1], "b, \"two\"");
  ck_assert_str_eq(t->row[1], "Y Z");
  ck_assert(!table_at(t, 0, 1)->printed);
  ck_assert(!table_at(t, 1, 1)->printed);
  ck_assert_str_eq(table_at(t, 0, 0)->text, "88.7");
  ck_assert_uint_eq(table_at(t, 1, 2)->place.line, 8);
  ck_assert_uint_eq(table_at(t, 1, 2)->place.column, 11);
  unsigned number;
  const char *near = NULL;
  ck_assert(table_find_row(t, &number, &near, "Y Z") && number == 1);
  ck_assert(!table_find_column(t, &number, &near, "b, \"twoo\""));
  ck_assert_str_eq(near, "b, \"two\"");
  ck_assert(!table_find_row(t, &number, &near, "nothing like it"));
  ck_assert_ptr_null(near);
  table_destroy(t);
  diag_destroy(d);
}
END_TEST

START_TEST(intervals)
{
  static const struct {
    const char *text;
    bool truncated;
    const char *low, *high;
    bool low_open, high_open;
  } all[] = {
      {"88.7", false, "1773/20", "355/4", false, false}, /* 88.65, 88.75 */
      {"88.70", false, "17739/200", "17741/200", false, false},
      {"3", false, "5/2", "7/2", false, false},
      {".654", false, "1307/2000", "1309/2000", false, false},
      {"0", false, "-1/2", "1/2", false, false},
      {"-0.5", false, "-11/20", "-9/20", false, false},
      {"+2", false, "3/2", "5/2", false, false},
      {"\xE2\x88\x92" "2", false, "-5/2", "-3/2", false, false},
      {"1.20e-3", false, "239/200000", "241/200000", false, false}, /* 0.00120 and 0.000005 either way */
      {"12e2", false, "1150", "1250", false, false},
      {"88.7", true, "887/10", "444/5", false, true},
      {"-0.5", true, "-3/5", "-1/2", true, false},
      {"-0", true, "-1", "0", true, false},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    text s;
    text_init(&s);
    text_addf(&s, ",x\nr,%s\n", all[i].text);
    diag *d;
    table *t = read_text(&d, text_string(&s), s.length);
    ck_assert_msg(t != NULL, "%s", diag_text(d));
    fmpq_t low, high;
    bool low_open, high_open;
    fmpq_init(low);
    fmpq_init(high);
    table_interval(low, high, &low_open, &high_open, table_at(t, 0, 0), all[i].truncated);
    char *a = fmpq_get_str(NULL, 10, low), *b = fmpq_get_str(NULL, 10, high);
    ck_assert_msg(!strcmp(a, all[i].low) && !strcmp(b, all[i].high), "%s: %s to %s", all[i].text, a, b);
    ck_assert(low_open == all[i].low_open && high_open == all[i].high_open);
    flint_free(a);
    flint_free(b);
    fmpq_clear(low);
    fmpq_clear(high);
    table_destroy(t);
    diag_destroy(d);
    text_clear(&s);
  }
}
END_TEST

START_TEST(what_is_malformed)
{
  static const struct {
    const char *text;
    const char *message; /* with its place */
  } all[] = {
      {"", "t.csv:1:1: error: no table in this file: it has no header"},
      {"# only\n", "t.csv:2:1: error: no table in this file: it has no header"},
      {"model\nX\n", "t.csv:1:1: error: a header without columns"},
      {"m,a\n", "t.csv:2:1: error: no table in this file: there is no row below its header"},
      {"m,a,a\nX,1,2\n", "t.csv:1:5: error: a second column 'a'"},
      {"m,a,\nX,1,2\n", "t.csv:1:5: error: a column without a name"},
      {"m,a\nX,1\nX,2\n", "t.csv:3:1: error: a second row 'X'"},
      {"m,a\n,1\n", "t.csv:2:1: error: a row without a name"},
      {"m,a\n\"X\nY\",1\n", "t.csv:2:1: error: a row with a name of several lines"},
      {"m,a\nX,1,2\n", "t.csv:2:1: error: a row of 3 fields under a header of 2"},
      {"m,a\nX\n", "t.csv:2:1: error: a row of 1 field under a header of 2"},
      {"m,a\nX,1\n# late\n", "t.csv:3:1: error: a comment behind the header"},
      {"m,a\nX,8 8\n", "t.csv:2:3: error: '8 8' is neither a number as printed nor a dash"},
      {"m,a\nX,1.\n", "t.csv:2:3: error: '1.' ends in a point"},
      {"m,a\nX,.\n", "t.csv:2:3: error: '.' is neither"},
      {"m,a\nX,88.7%\n", "t.csv:2:3: error: '88.7%' is neither"},
      {"m,a\nX,1e\n", "t.csv:2:3: error: '1e' is neither"},
      {"m,a\nX,1e1000\n", "t.csv:2:3: error: '1e1000' has too large an exponent"},
      {"m,a\nX,0x10\n", "t.csv:2:3: error: '0x10' is neither"},
      {"m,a\nX,nan\n", "t.csv:2:3: error: 'nan' is neither"},
      {"m,a\nX,\"1\n", "t.csv:2:3: error: a quote that is never closed"},
      {"m,a\nX,\"1\"2\n", "t.csv:2:6: error: something behind a closing quote"},
      {"m,a\nX,1\"2\n", "t.csv:2:4: error: a quote within a field that does not begin with one"},
      {"m,a\nX,1\x01\n", "t.csv:2:4: error: a control character (first byte 0x01); a table is plain text"},
      {"m,a\nX,\xFF\n", "t.csv:2:3: error: a byte 0xff that is not UTF-8; a table is UTF-8 text"},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    diag *d;
    ck_assert_ptr_null(read_text(&d, all[i].text, strlen(all[i].text)));
    ck_assert_msg(!strncmp(diag_text(d), all[i].message, strlen(all[i].message)), "%s\nin place of %s", diag_text(d),
                  all[i].message);
    ck_assert_uint_eq(diag_errors(d), 1);
    diag_destroy(d);
  }
  diag *d; /* a name of several lines, in a file that is fine but for that */
  ck_assert_ptr_null(read_text(&d, plain, strlen(plain)));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "t.csv:8:1: error: a row with a name of several lines"));
  diag_destroy(d);
}
END_TEST

/* `count` times what `one` makes of i, read as a table. */
static void check_limit(const char *head, const char *one, unsigned count, const char *tail, const char *wanted)
{
  text s;
  text_init(&s);
  text_add(&s, head);
  for (unsigned i = 0; i < count; i++) {
    text_add(&s, one);
    if (strchr(one, '\n'))
      text_addf(&s, "r%u", i);
  }
  text_add(&s, tail);
  diag *d;
  table *t = read_text(&d, text_string(&s), s.length);
  if (wanted)
    ck_assert_msg(!t && strstr(diag_text(d), wanted), "%s", diag_text(d));
  else
    ck_assert_msg(t != NULL, "%s", diag_text(d));
  table_destroy(t);
  diag_destroy(d);
  text_clear(&s);
}

START_TEST(limits)
{
  check_limit("m,a\nX,", "1", LIMIT_TABLE_FIELD, "\n", NULL);
  check_limit("m,a\nX,", "1", LIMIT_TABLE_FIELD + 1, "\n", "a field of more than 500 bytes");
  check_limit("m,a", ",", LIMIT_TABLE_COLUMNS, "\n", "more than 256 columns");
  check_limit("m,a\nr", ",1\n", LIMIT_TABLE_CELLS - 1, ",1\n", NULL);
  check_limit("m,a\nr", ",1\n", LIMIT_TABLE_CELLS, ",1\n", "more than 10000 cells");
}
END_TEST

/* ---- claims ---- */

static char *folder;

static void write_file(const char *name, const char *s)
{
  text path;
  text_init(&path);
  text_addf(&path, "%s/%s", folder, name);
  FILE *f = fopen(text_string(&path), "w");
  ck_assert_ptr_nonnull(f);
  fputs(s, f);
  fclose(f);
  text_clear(&path);
}

static library *read_claims(diag **d, const char *name)
{
  text path;
  text_init(&path);
  text_addf(&path, "%s/%s", folder, name);
  *d = diag_create(NULL, 0);
  library *l = library_read(*d, text_string(&path), 0);
  text_clear(&path);
  return l;
}

static void make_folder(void)
{
  static char name[] = "/tmp/assay-table-XXXXXX";
  strcpy(name + strlen(name) - 6, "XXXXXX");
  folder = mkdtemp(name);
  ck_assert_ptr_nonnull(folder);
  write_file("t.csv", "m,a b,c,d\nX,1.0,2,-\nY,3,-0.4,5\n");
}

static void remove_folder(void)
{
  static const char *const names[] = {"t.csv", "c.claim"};
  for (size_t i = 0; i < 2; i++) {
    text path;
    text_init(&path);
    text_addf(&path, "%s/%s", folder, names[i]);
    unlink(text_string(&path));
    text_clear(&path);
  }
  rmdir(folder);
}

static void check_printed(const char *claims, unsigned number, const char *wanted)
{
  write_file("c.claim", claims);
  diag *d;
  library *l = read_claims(&d, "c.claim");
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  text t;
  text_init(&t);
  claim_print(&t, library_claim(l, number));
  ck_assert_str_eq(text_string(&t), wanted);
  /* What is printed needs no table, and has the same fingerprint. */
  char before[65], after[65];
  claim_hash(before, library_claim(l, number));
  diag_source *source = diag_source_from("printed", text_string(&t), t.length);
  library *again = library_read_source(d, source, 0);
  ck_assert_msg(again != NULL, "%s", diag_text(d));
  claim_hash(after, library_claim(again, 0));
  ck_assert_str_eq(before, after);
  library_destroy(again);
  diag_source_destroy(source);
  library_destroy(l);
  diag_destroy(d);
  text_clear(&t);
}

START_TEST(a_table_is_given_lines)
{
  check_printed("claim x table T from \"t.csv\" possible p: T[\"X\",\"a b\"] + T[\"Y\",2] < 9 end", 0,
                "claim x\n  given T[1, 1] in [0.95, 1.05]\n  given T[2, 2] in [-0.45, -0.35]\n"
                "  possible p: T[1, 1] + T[2, 2] < 9\nend\n");
  check_printed("claim x table T from \"t.csv\" truncated possible p: T[1,1] < T[2,2] end", 0,
                "claim x\n  given T[1, 1] in [1, 1.1)\n  given T[2, 2] in (-0.5, -0.4]\n"
                "  possible p: T[1, 1] < T[2, 2]\nend\n");
}
END_TEST

/* Only what is named somewhere: through loops, families and index arithmetic; a size could be anything. */
START_TEST(numbers_that_are_taken)
{
  check_printed("claim x table T from \"t.csv\" possible p: forall k in 1..1: T[2, 2*k + 1] > 4 end", 0,
                "claim x\n  given T[2, 3] in [4.5, 5.5]\n  possible p: forall k in 1..1: T[2, 2*k + 1] > 4\nend\n");
  check_printed("claim x table T from \"t.csv\" let s[i in 1..2] = T[i, \"a b\"] possible p: s[1] < s[2] end", 0,
                "claim x\n  given T[1, 1] in [0.95, 1.05]\n  given T[2, 1] in [2.5, 3.5]\n"
                "  let s[i in 1..2] = T[i, 1]\n  possible p: s[1] < s[2]\nend\n");
  check_printed("claim x size n in 1..2 table T from \"t.csv\" possible p: T[n, \"c\"] < 1 end", 0,
                "claim x\n  size n in 1..2\n  given T[1, 2] in [1.5, 2.5]\n  given T[2, 2] in [-0.45, -0.35]\n"
                "  possible p: T[n, 2] < 1\nend\n");
  check_printed("claim x table T from \"t.csv\" possible p: T[1,1] < 1 end "
                "claim y from x given q in [0,1] replace p: q < 1 end",
                1, "claim y\n  given q in [0, 1]\n  possible p: q < 1\nend\n");
}
END_TEST

START_TEST(the_hash_covers_what_is_taken)
{
  char hex[4][65];
  const char *const tables[] = {"m,a,b\nX,1,2\n", "m,a,b\nX,1,3\n", "m,a,b\nX,1.0,2\n", "# c\nn,a,c\nX,1,2\n"};
  write_file("c.claim", "claim x table T from \"t.csv\" possible p: T[1,1] < 1 end");
  for (int i = 0; i < 4; i++) {
    write_file("t.csv", tables[i]);
    diag *d;
    library *l = read_claims(&d, "c.claim");
    ck_assert_msg(l != NULL, "%s", diag_text(d));
    claim_hash(hex[i], library_claim(l, 0));
    library_destroy(l);
    diag_destroy(d);
  }
  ck_assert_str_eq(hex[0], hex[1]);
  ck_assert_str_ne(hex[0], hex[2]); /* one digit more */
  ck_assert_str_eq(hex[0], hex[3]);
}
END_TEST

START_TEST(what_claims_get_wrong)
{
  static const struct {
    const char *claim, *message;
  } all[] = {
      {"T[\"Z\",1] < 1", "no row 'Z' in the table"},
      {"T[\"X\",\"a c\"] < 1", "did you mean 'a b'?"},
      {"T[\"X\",\"d\"] < 1", "no number is printed in row 'X' and column 'd'"},
      {"T[3,1] < 1", "has 2 rows and 3 columns"},
      {"T[0,1] < 1", "has 2 rows and 3 columns"},
      {"T[1] < 1", "'T' takes 2 indices, and 1 is given"},
      {"g[\"X\"] < 1", "a string names a row or a column of a table, and 'g' is none here"},
      {"T[\"X\" + 1, 2] < 1", "syntax error"},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    text s;
    text_init(&s);
    text_addf(&s, "claim x\n  table T from \"t.csv\"\n  given g[i in 1..1] in [0,1]\n  possible p: %s\nend", all[i].claim);
    write_file("c.claim", text_string(&s));
    diag *d;
    ck_assert_ptr_null(read_claims(&d, "c.claim"));
    ck_assert_msg(strstr(diag_text(d), "c.claim:4:") != NULL, "%s", diag_text(d));
    if (strcmp(all[i].message, "syntax error") != 0)
      ck_assert_msg(strstr(diag_text(d), all[i].message) != NULL, "%s", diag_text(d));
    diag_destroy(d);
    text_clear(&s);
  }
  static const struct {
    const char *line, *message;
  } lines[] = {
      {"table T from \"none.csv\"", "c.claim:2:14: error: cannot open "},
      {"table T from \"t.csv\" cut", "c.claim:2:22: error: 'cut' means nothing here"},
      {"table T from \"t.csv\" table T from \"t.csv\"", "c.claim:2:28: error: 'T' is declared twice"},
      {"table T from \"t.csv\" given T[9,9] in real", "c.claim:2:28: error: 'T' is declared twice"},
  };
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    text s;
    text_init(&s);
    text_addf(&s, "claim x\n%s\npossible p: 1 < 2\nend", lines[i].line);
    write_file("c.claim", text_string(&s));
    diag *d;
    ck_assert_ptr_null(read_claims(&d, "c.claim"));
    ck_assert_msg(strstr(diag_text(d), lines[i].message) != NULL, "%s", diag_text(d));
    diag_destroy(d);
    text_clear(&s);
  }
  write_file("t.csv", "m,a\nX,y\n"); /* wrong in the table: its place, and why it was read, once for two claims */
  write_file("c.claim", "claim x table T from \"t.csv\" possible p: 1 < 2 end\n"
                        "claim y table T from \"t.csv\" possible p: 1 < 2 end");
  diag *d;
  ck_assert_ptr_null(read_claims(&d, "c.claim"));
  ck_assert_uint_eq(diag_errors(d), 1);
  ck_assert_ptr_nonnull(strstr(diag_text(d), "t.csv:2:3: error: 'y' is neither"));
  ck_assert_ptr_nonnull(strstr(diag_text(d), "c.claim:1:22: note: read because of this"));
  diag_destroy(d);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("table");
  TCase *t = tcase_create("table");
  tcase_add_test(t, reads_what_stands_there);
  tcase_add_test(t, intervals);
  tcase_add_test(t, what_is_malformed);
  tcase_add_test(t, limits);
  suite_add_tcase(s, t);
  TCase *c = tcase_create("claims");
  tcase_add_checked_fixture(c, make_folder, remove_folder);
  tcase_add_test(c, a_table_is_given_lines);
  tcase_add_test(c, numbers_that_are_taken);
  tcase_add_test(c, the_hash_covers_what_is_taken);
  tcase_add_test(c, what_claims_get_wrong);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
