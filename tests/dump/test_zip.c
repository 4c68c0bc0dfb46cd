/* The zip directory: what programs that write archives write, and everything that can be wrong with one. The
 * archives are from tools/make-dump-fixtures.py; other zip programs read them. */
#include "dump/zip.h"

#include <check.h>

#include "fixture.h"

static const char *const good[] = {
    "text.zip",
    "text-zip64.zip",
    "text-streamed-bare.zip",
    "text-streamed-bare-wide.zip",
    "text-streamed-signed.zip",
    "text-streamed-signed-wide.zip",
};
enum { GOOD = sizeof good / sizeof *good };

static assay_status open_zip(zip_directory *directory, const fixture *f, const dump_limits *limits,
                             dump_error *error)
{
  dump_limits defaults = dump_limits_default();
  dump_error_init(error);
  return zip_open(directory, "zip", f->data, f->length, limits != NULL ? limits : &defaults, error);
}

START_TEST(test_good)
{
  static const struct {
    const char *name;
    bool deflated;
    uint64_t length;
  } members[] = {{"a", false, 5}, {"b", true, 2000}, {"folder/", false, 0}, {"folder/c", false, 7}};
  fixture f = fixture_read(good[_i]);
  zip_directory directory;
  dump_error error;
  assay_status status = open_zip(&directory, &f, NULL, &error);
  ck_assert_msg(status == STATUS_OK, "%s: %s", good[_i], error.message);
  ck_assert_uint_eq(directory.count, 4);
  for (size_t i = 0; i < 4; i++) {
    const zip_member *m = &directory.members[i];
    ck_assert_str_eq(m->name, members[i].name);
    ck_assert_ptr_eq(zip_find(&directory, members[i].name), m);
    ck_assert(m->deflated == members[i].deflated);
    ck_assert_uint_eq(m->length, members[i].length);
    ck_assert_uint_eq(m->header, fixture_find(&f, "PK\3\4", 4, (unsigned)i));
  }
  ck_assert_mem_eq(f.data + directory.members[0].offset, "hello", 5);
  ck_assert_mem_eq(f.data + directory.members[3].offset, "the end", 7);
  ck_assert_uint_eq(directory.members[0].checksum, 0x3610a686); /* of "hello", as other programs print it */
  ck_assert_ptr_null(zip_find(&directory, ""));
  ck_assert_ptr_null(zip_find(&directory, "c"));
  ck_assert_ptr_null(zip_find(&directory, "folder/d"));

  /* The bytes as segments. */
  dump_file *file = reader_create("zip");
  uint64_t base;
  size_t archive = reader_borrow(file, "zip", f.data, f.length);
  ck_assert_uint_eq(zip_segment(file, archive, &directory.members[3], &base), archive);
  ck_assert_uint_eq(base, directory.members[3].offset);
  size_t segment = zip_segment(file, archive, &directory.members[1], &base);
  ck_assert_uint_ne(segment, archive);
  ck_assert_uint_eq(base, 0);
  ck_assert_int_eq(reader_inflate(file, segment, &error), STATUS_OK);
  for (size_t i = 0; i < 2000; i++)
    ck_assert_uint_eq(file->segments[segment].data[i], 'x');
  dump_close(file);
  zip_clear(&directory);
  free(f.data);
}
END_TEST

/* Places in an archive: a signature, which one of them, and how far behind it. */
#define LOCAL "PK\3\4"
#define ENTRY "PK\1\2"
#define END "PK\5\6"
#define END64 "PK\6\6"
#define LOCATOR "PK\6\7"
#define DESCRIPTOR "PK\7\10"

typedef struct {
  const char *signature; /* NULL: no such place */
  unsigned nth, delta;
} spot;

static size_t find_spot(const fixture *f, spot s)
{
  return fixture_find(f, s.signature, 4, s.nth) + s.delta;
}

static const struct {
  const char *archive;
  struct {
    spot where;
    unsigned width;
    uint64_t value;
  } changes[2];
  const char *message; /* NULL: still a good archive */
  spot where;
} hostile[] = {
    /* The end record. */
    {"text.zip", {{{END, 0, 4}, 2, 1}}, "has several parts", {END, 0, 0}},
    {"text.zip", {{{END, 0, 6}, 2, 1}}, "has several parts", {END, 0, 0}},
    {"text.zip", {{{END, 0, 8}, 2, 5}}, "has several parts", {END, 0, 0}},
    {"text.zip", {{{END, 0, 8}, 4, 0x00050005}}, "too short for the number", {END, 0, 0}},
    {"text.zip", {{{END, 0, 8}, 4, 0xffffffff}}, "too short for the number", {END, 0, 0}},
    {"text.zip", {{{END, 0, 8}, 4, 0x00030003}}, "bytes behind its last entry", {ENTRY, 3, 0}},
    {"text.zip", {{{END, 0, 8}, 4, 0}}, "bytes behind its last entry", {ENTRY, 0, 0}},
    {"text.zip", {{{END, 0, 12}, 4, 202}}, "does not end where its end record begins", {END, 0, 0}},
    {"text.zip", {{{END, 0, 16}, 4, 0}}, "does not end where its end record begins", {END, 0, 0}},
    {"text.zip", {{{END, 0, 16}, 4, 0xffffffff}}, "does not end where its end record begins", {END, 0, 0}},
    {"text.zip", {{{END, 0, 20}, 2, 1}}, "does not end with its end record", {END, 0, 0}},
    /* Entries. */
    {"text.zip", {{{ENTRY, 1, 3}, 1, 0}}, "an entry of the zip directory is expected", {ENTRY, 0, 47}},
    {"text.zip", {{{ENTRY, 0, 8}, 2, 1}}, "\"a\": it is encrypted", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 0, 8}, 2, 0x2000}}, "\"a\": it is encrypted", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 1, 10}, 2, 12}}, "\"b\": compression method 12", {ENTRY, 1, 0}},
    {"text.zip", {{{ENTRY, 0, 20}, 4, 6}}, "its two sizes differ", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 1, 20}, 4, 0x7fffffff}},
     "\"b\": its data reach into the directory", {LOCAL, 1, 0}},
    {"text.zip", {{{ENTRY, 1, 20}, 4, 0xffffffff}}, "zip64 extra field is missing", {ENTRY, 1, 0}},
    {"text.zip", {{{ENTRY, 1, 24}, 4, 0x7fffffff}}, "cannot inflate to 2147483647", {ENTRY, 1, 0}},
    {"text.zip", {{{ENTRY, 0, 28}, 2, 0}}, "has an empty name", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 0, 28}, 2, 0xffff}}, "reaches beyond the directory's end", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 0, 30}, 2, 0xffff}}, "reaches beyond the directory's end", {ENTRY, 0, 0}},
    {"text.zip", {{{ENTRY, 3, 32}, 2, 1}}, "reaches beyond the directory's end", {ENTRY, 3, 0}},
    {"text.zip", {{{ENTRY, 3, 34}, 2, 1}}, "it is in another part", {ENTRY, 3, 0}},
    {"text.zip", {{{ENTRY, 3, 42}, 4, 0x7fffffff}}, "does not lead to a local header", {ENTRY, 3, 0}},
    {"text.zip", {{{ENTRY, 3, 42}, 4, 1}}, "does not lead to a local header", {ENTRY, 3, 0}},
    {"text.zip", {{{ENTRY, 3, 42}, 4, 0}}, "another name", {LOCAL, 0, 0}},
    {"text.zip", {{{ENTRY, 0, 46}, 1, 0xff}}, "not UTF-8", {ENTRY, 0, 46}},
    {"text.zip", {{{ENTRY, 0, 46}, 1, 0}}, "a NUL byte", {ENTRY, 0, 46}},
    {"text.zip", {{{ENTRY, 0, 46}, 1, '\n'}},
     "member \"\\x0a\": its local header has another name", {LOCAL, 0, 0}},
    {"text.zip", {{{ENTRY, 1, 46}, 1, 'a'}, {{LOCAL, 1, 30}, 1, 'a'}}, "two members have the name \"a\"",
     {ENTRY, 1, 0}},
    /* Local headers. */
    {"text.zip", {{{LOCAL, 0, 6}, 2, 1}}, "\"a\": it is encrypted", {LOCAL, 0, 0}},
    {"text.zip", {{{LOCAL, 1, 8}, 2, 0}}, "another compression method", {LOCAL, 1, 0}},
    {"text.zip", {{{LOCAL, 0, 14}, 4, 1}}, "other sizes or another checksum", {LOCAL, 0, 0}},
    {"text.zip", {{{LOCAL, 0, 18}, 4, 4}}, "other sizes or another checksum", {LOCAL, 0, 0}},
    {"text.zip", {{{LOCAL, 0, 22}, 4, 0}}, "other sizes or another checksum", {LOCAL, 0, 0}},
    {"text.zip", {{{LOCAL, 0, 18}, 4, 0xffffffff}}, "extra field of its local header", {LOCAL, 0, 0}},
    {"text.zip", {{{LOCAL, 1, 26}, 2, 60000}}, "local header reaches into the directory", {LOCAL, 1, 0}},
    {"text.zip", {{{LOCAL, 1, 28}, 2, 60000}}, "local header reaches into the directory", {LOCAL, 1, 0}},
    {"text.zip", {{{LOCAL, 0, 28}, 2, 1}}, "members \"a\" and \"b\" overlap", {LOCAL, 1, 0}},
    {"text.zip", {{{LOCAL, 0, 6}, 2, 8}}, NULL, {NULL, 0, 0}},
    {"text.zip", {{{LOCAL, 0, 6}, 2, 8}, {{LOCAL, 0, 14}, 4, 0}}, "no data descriptor", {LOCAL, 1, 0}},
    /* Zip64. */
    {"text-zip64.zip", {{{LOCATOR, 0, 4}, 4, 1}}, "has several parts", {LOCATOR, 0, 0}},
    {"text-zip64.zip", {{{LOCATOR, 0, 16}, 4, 2}}, "has several parts", {LOCATOR, 0, 0}},
    {"text-zip64.zip", {{{LOCATOR, 0, 8}, 8, 0}}, "does not lead to a zip64 end record", {LOCATOR, 0, 0}},
    {"text-zip64.zip", {{{LOCATOR, 0, 8}, 8, UINT64_MAX}}, "does not lead to", {LOCATOR, 0, 0}},
    {"text-zip64.zip", {{{LOCATOR, 0, 0}, 1, 0}}, "does not end where its end record begins", {END, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 4}, 8, 45}}, "does not end where its locator begins", {END64, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 4}, 8, UINT64_MAX}},
     "does not end where its locator begins", {END64, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 16}, 4, 1}}, "contradicts the end record", {END64, 0, 0}},
    {"text-zip64.zip", {{{END, 0, 8}, 2, 3}}, "contradicts the end record", {END64, 0, 0}},
    {"text-zip64.zip", {{{END, 0, 10}, 2, 4}}, NULL, {NULL, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 24}, 8, 5}}, "has several parts", {END64, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 24}, 8, UINT64_MAX}, {{END64, 0, 32}, 8, UINT64_MAX}},
     "too short for the number", {END64, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 40}, 8, UINT64_MAX}}, "does not end where its end record", {END64, 0, 0}},
    {"text-zip64.zip", {{{END64, 0, 48}, 8, UINT64_MAX}}, "does not end where its end record", {END64, 0, 0}},
    /* In the extra field of "a": 8 bytes of another kind, then kind and size, length, stored, header. */
    {"text-zip64.zip", {{{ENTRY, 0, 57}, 2, 16}}, "missing or too short", {ENTRY, 0, 0}},
    {"text-zip64.zip", {{{ENTRY, 0, 57}, 2, 60}}, "missing or too short", {ENTRY, 0, 0}},
    {"text-zip64.zip", {{{ENTRY, 0, 55}, 2, 2}}, "missing or too short", {ENTRY, 0, 0}},
    {"text-zip64.zip", {{{ENTRY, 0, 59}, 8, UINT64_MAX}}, "its two sizes differ", {ENTRY, 0, 0}},
    {"text-zip64.zip", {{{ENTRY, 0, 59}, 8, UINT64_MAX}, {{ENTRY, 0, 67}, 8, UINT64_MAX}},
     "data reach into the directory", {LOCAL, 0, 0}},
    {"text-zip64.zip", {{{ENTRY, 0, 75}, 8, UINT64_MAX}}, "does not lead to a local header", {ENTRY, 0, 0}},
    {"text-zip64.zip", {{{LOCAL, 0, 45}, 8, 6}}, "other sizes or another checksum", {LOCAL, 0, 0}},
    {"text-zip64.zip", {{{LOCAL, 0, 43}, 2, 12}}, "missing or too short", {LOCAL, 0, 0}},
    /* Descriptors: signature, checksum, stored, length. */
    {"text-streamed-signed.zip", {{{DESCRIPTOR, 0, 4}, 4, 0}}, "no data descriptor", {DESCRIPTOR, 0, 0}},
    {"text-streamed-signed.zip", {{{DESCRIPTOR, 0, 8}, 4, 6}}, "no data descriptor", {DESCRIPTOR, 0, 0}},
    {"text-streamed-signed.zip", {{{DESCRIPTOR, 0, 12}, 4, 6}}, "no data descriptor", {DESCRIPTOR, 0, 0}},
    {"text-streamed-signed-wide.zip", {{{DESCRIPTOR, 0, 23}, 1, 1}},
     "no data descriptor", {DESCRIPTOR, 0, 0}},
    {"text-streamed-signed.zip", {{{LOCAL, 0, 14}, 4, 7}}, "other sizes or another checksum", {LOCAL, 0, 0}},
};

START_TEST(test_hostile)
{
  fixture f = fixture_read(hostile[_i].archive);
  size_t where = hostile[_i].message != NULL ? find_spot(&f, hostile[_i].where) : 0;
  fixture whole = fixture_copy(f.data, f.length);
  for (size_t k = 0; k < 2; k++)
    if (hostile[_i].changes[k].where.signature != NULL)
      fixture_set(&f, find_spot(&whole, hostile[_i].changes[k].where), hostile[_i].changes[k].width,
                  hostile[_i].changes[k].value);
  ck_assert_mem_ne(f.data, whole.data, f.length);
  zip_directory directory;
  dump_error error;
  assay_status status = open_zip(&directory, &f, NULL, &error);
  if (hostile[_i].message == NULL) {
    ck_assert_int_eq(status, STATUS_OK);
    zip_clear(&directory);
  } else {
    fixture_expect_error(&error, where, hostile[_i].message);
    ck_assert_int_eq(status, STATUS_BAD_INPUT);
    ck_assert(directory.members == NULL && directory.count == 0);
  }
  free(whole.data);
  free(f.data);
}
END_TEST

START_TEST(test_cut)
{
  fixture f = fixture_read(good[_i]);
  for (size_t length = 0; length < f.length; length++) {
    fixture part = fixture_copy(f.data, length);
    zip_directory directory;
    dump_error error;
    ck_assert_int_eq(open_zip(&directory, &part, NULL, &error), STATUS_BAD_INPUT);
    ck_assert(error.has_offset && error.offset <= length);
    dump_error_clear(&error);
    free(part.data);
  }
  /* Nor may anything stand before or behind. */
  for (size_t before = 0; before < 2; before++) {
    fixture longer = {calloc(f.length + 1, 1), f.length + 1};
    memcpy(longer.data + before, f.data, f.length);
    zip_directory directory;
    dump_error error;
    ck_assert_int_eq(open_zip(&directory, &longer, NULL, &error), STATUS_BAD_INPUT);
    dump_error_clear(&error);
    free(longer.data);
  }
  free(f.data);
}
END_TEST

START_TEST(test_limits)
{
  fixture f = fixture_read("text.zip");
  dump_limits limits = dump_limits_default();
  zip_directory directory;
  dump_error error;
  limits.inflated_bytes = 1999;
  open_zip(&directory, &f, &limits, &error);
  fixture_expect_error(&error, fixture_find(&f, ENTRY, 4, 1), "above the limit of 1999");
  limits.inflated_bytes = 2000;
  limits.header_bytes = 200; /* the directory has one more */
  open_zip(&directory, &f, &limits, &error);
  fixture_expect_error(&error, fixture_find(&f, ENTRY, 4, 0), "201 bytes, above the limit of 200");
  limits.header_bytes = 201;
  ck_assert_int_eq(open_zip(&directory, &f, &limits, &error), STATUS_OK);
  zip_clear(&directory);
  free(f.data);
}
END_TEST

/* A comment of any length that is full of false end records. */
START_TEST(test_comment)
{
  fixture f = fixture_read("text.zip");
  enum { COMMENT = 65535 };
  fixture longer = {calloc(f.length + COMMENT, 1), f.length + COMMENT};
  memcpy(longer.data, f.data, f.length);
  for (size_t i = 0; i + 4 <= COMMENT; i += 4)
    memcpy(longer.data + f.length + i, END, 4);
  fixture_set(&longer, f.length - 2, 2, COMMENT);
  zip_directory directory;
  dump_error error;
  ck_assert_int_eq(open_zip(&directory, &longer, NULL, &error), STATUS_OK);
  ck_assert_uint_eq(directory.count, 4);
  zip_clear(&directory);
  free(longer.data);
  free(f.data);
}
END_TEST

START_TEST(test_content)
{
  fixture f = fixture_read("text.zip");
  fixture_expect_refusal(&f, NULL, 0,
                         "no torch file and no npz; its members: \"a\", \"b\", \"folder/\", \"folder/c\"");
  free(f.data);
  static const unsigned char empty[22] = "PK\5\6";
  f = fixture_copy(empty, sizeof empty);
  fixture_expect_refusal(&f, NULL, 0, "its members: none");
  free(f.data);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("zip");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_loop_test(all, test_good, 0, GOOD);
  tcase_add_loop_test(all, test_hostile, 0, sizeof hostile / sizeof *hostile);
  tcase_add_loop_test(all, test_cut, 0, GOOD);
  tcase_add_test(all, test_limits);
  tcase_add_test(all, test_comment);
  tcase_add_test(all, test_content);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
