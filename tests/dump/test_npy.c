/* Arrays of numpy, alone and in archives. The values are those that tools/make-dump-fixtures.py was told to
 * write; numpy reads the same from these files. */
#include <check.h>
#include <math.h>

#include "dump/dump.h"
#include "fixture.h"

/* The tensor has that type, as the file spells it, that shape (ended by 99) and these values. */
static void expect_tensor(const dump_file *file, const char *name, dump_type type, const char *type_name,
                          const uint64_t *shape, const double *values)
{
  const dump_tensor *tensor = dump_find(file, name);
  ck_assert_msg(tensor != NULL, "no %s", name);
  ck_assert_msg(tensor->type == type, "%s: type %d", name, (int)tensor->type);
  ck_assert_str_eq(tensor->type_name, type_name);
  uint64_t count = 1;
  for (unsigned i = 0; i < tensor->rank; i++) {
    ck_assert_uint_eq(tensor->shape[i], shape[i]);
    count *= shape[i];
  }
  ck_assert_uint_eq(shape[tensor->rank], 99);
  ck_assert_uint_eq(tensor->count, count);
  for (size_t i = 0; i < count * dump_lanes(type); i++) {
    double value = fixture_value(file, tensor, i);
    ck_assert_msg(value == values[i], "%s[%zu]: %.17g", name, i, value);
  }
}
#define SHAPE(...) ((const uint64_t[]){__VA_ARGS__ 99})
#define VALUES(...) ((const double[]){__VA_ARGS__})

START_TEST(test_alone)
{
  fixture f = fixture_read("a.npy");
  dump_file *file = fixture_open(&f, "folder/a.npy", NULL);
  ck_assert_str_eq(dump_container(file), "npy");
  ck_assert_uint_eq(dump_count(file), 1);
  expect_tensor(file, "a", DUMP_F32, "<f4", SHAPE(2, 3, ), VALUES(0.5, 1.5, 2.5, 3.5, 4.5, 5.5));
  ck_assert(dump_get(file, 0)->contiguous);
  ck_assert_uint_eq(dump_get(file, 0)->offset, f.length - 24);
  ck_assert_uint_eq(dump_get(file, 0)->bytes, 24);
  dump_close(file);
  free(f.data);

  f = fixture_read("b.npy"); /* version 2, Fortran order, big-endian */
  file = fixture_open(&f, "b", NULL);
  expect_tensor(file, "b", DUMP_F64, ">f8", SHAPE(3, 2, ), VALUES(0.5, 3.5, 1.5, 4.5, 2.5, 5.5));
  const dump_tensor *tensor = dump_get(file, 0);
  ck_assert(!tensor->contiguous && tensor->big_endian);
  ck_assert_int_eq(tensor->stride[0], 1);
  ck_assert_int_eq(tensor->stride[1], 3);
  ck_assert_uint_eq(tensor->bytes, 48);
  dump_close(file);
  free(f.data);

  f = fixture_read("c.npy"); /* version 3, Fortran order */
  file = fixture_open(&f, "\xff.npy", NULL);
  expect_tensor(file, "array", DUMP_I16, "<i2", SHAPE(2, 2, 2, ), VALUES(0, 4, 2, 6, 1, 5, 3, 7));
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_types)
{
  fixture f = fixture_read(_i == 0 ? "types.npz" : "types-deflated.npz");
  dump_file *file = fixture_open(&f, "types.npz", NULL);
  ck_assert_str_eq(dump_container(file), "npz");
  ck_assert_uint_eq(dump_count(file), 36);
  static const struct {
    const char *name;
    dump_type type;
    double values[3];
  } types[] = {
      {"f2", DUMP_F16, {-2.5, 0, 1.5}}, {"f4", DUMP_F32, {-2.5, 0, 1.5}}, {"f8", DUMP_F64, {-2.5, 0, 1.5}},
      {"i1", DUMP_I8, {-2, 0, 100}},    {"i2", DUMP_I16, {-2, 0, 100}},   {"i4", DUMP_I32, {-2, 0, 100}},
      {"i8", DUMP_I64, {-2, 0, 100}},   {"u1", DUMP_U8, {2, 0, 200}},     {"u2", DUMP_U16, {2, 0, 200}},
      {"u4", DUMP_U32, {2, 0, 200}},    {"u8", DUMP_U64, {2, 0, 200}},
  };
  for (unsigned big = 0; big < 2; big++) {
    char name[32], spelt[8];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
      snprintf(name, sizeof name, "%s/%s", big ? "big" : "little", types[i].name);
      snprintf(spelt, sizeof spelt, "%c%s", types[i].name[1] == '1' ? '|' : big ? '>' : '<', types[i].name);
      expect_tensor(file, name, types[i].type, spelt, SHAPE(3, ), types[i].values);
    }
    expect_tensor(file, big ? "big/c8" : "little/c8", DUMP_C64, big ? ">c8" : "<c8", SHAPE(2, ),
                  VALUES(1, -2, 0.5, 0));
    expect_tensor(file, big ? "big/c16" : "little/c16", DUMP_C128, big ? ">c16" : "<c16", SHAPE(2, ),
                  VALUES(1, -2, 0.5, 0));
  }
  expect_tensor(file, "bool", DUMP_BOOL, "|b1", SHAPE(4, ), VALUES(1, 0, 0, 1));
  expect_tensor(file, "bfloat16", DUMP_BF16, "<V2", SHAPE(3, ), VALUES(1, -2, 0.15625));
  ck_assert_ptr_nonnull(strstr(dump_note(file, "type of \"bfloat16\""), "bfloat16"));
  ck_assert_uint_eq(dump_note_count(file), 1);
  expect_tensor(file, "float8_e5m2", DUMP_F8_E5M2, "<f1", SHAPE(2, ), VALUES(1, -2));
  expect_tensor(file, "native", DUMP_I16, "=i2", SHAPE(2, ), VALUES(257, -1));
  expect_tensor(file, "empty", DUMP_F32, "<f4", SHAPE(0, 3, ), VALUES(0));
  expect_tensor(file, "number", DUMP_F64, "<f8", SHAPE(), VALUES(7.25));
  expect_tensor(file, "python2", DUMP_I32, "<i4", SHAPE(2, ), VALUES(5, -5));
  static const struct {
    const char *name, *spelt;
    uint64_t bytes;
  } others[] = {{"text", "<U3", 24}, {"date", "<M8[ns]", 8}, {"raw", "|V5", 10}};
  for (size_t i = 0; i < 3; i++) {
    const dump_tensor *tensor = dump_find(file, others[i].name);
    ck_assert_int_eq(tensor->type, DUMP_OTHER);
    ck_assert_str_eq(tensor->type_name, others[i].spelt);
    ck_assert_uint_eq(tensor->bytes, others[i].bytes);
  }
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_archives)
{
  static const char *const names[] = {"two.npz", "two-deflated.npz", "two-zip64.npz"};
  fixture f = fixture_read(names[_i]);
  dump_file *file = fixture_open(&f, names[_i], NULL);
  ck_assert_uint_eq(dump_count(file), 2);
  expect_tensor(file, "a", DUMP_F32, "<f4", SHAPE(2, 3, ), VALUES(0.5, 1.5, 2.5, 3.5, 4.5, 5.5));
  expect_tensor(file, "folder/b", DUMP_F64, ">f8", SHAPE(3, 2, ), VALUES(0.5, 3.5, 1.5, 4.5, 2.5, 5.5));
  /* Stored arrays are read where they lie. */
  ck_assert_uint_eq(dump_segment_count(file), _i == 1 ? 3 : 1);
  const dump_tensor *a = dump_find(file, "a");
  dump_segment segment = dump_get_segment(file, a->segment);
  if (_i == 1) {
    ck_assert_str_eq(segment.member, "a.npy");
    ck_assert(segment.compressed && segment.length == 104 && a->offset == 80);
  } else {
    float first;
    ck_assert(!segment.compressed);
    memcpy(&first, f.data + a->offset, 4);
    ck_assert(first == 0.5f);
  }
  dump_close(file);
  free(f.data);
}
END_TEST

/* A .npy of the header's text, where '@' marks the place of the error and is dropped. */
static fixture make_npy(unsigned version, const char *text, size_t values, size_t *mark)
{
  size_t start = version == 1 ? 10 : 12, length = strlen(text), at = start;
  fixture f = {calloc(start + length + values + 1, 1), 0};
  memcpy(f.data, "\x93NUMPY", 6);
  f.data[6] = (unsigned char)version;
  *mark = SIZE_MAX;
  for (const char *p = text; *p != 0; p++)
    if (*p == '@')
      *mark = at;
    else
      f.data[at++] = (unsigned char)*p;
  fixture_set(&(fixture){f.data, at}, 8, version == 1 ? 2 : 4, at - start);
  f.length = at + values;
  fixture exact = fixture_copy(f.data, f.length);
  free(f.data);
  return exact;
}

#define DICT(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}"
#define MANY "1, 1, 1, 1, 1, 1, 1, 1, "

static const struct {
  const char *text;
  size_t values; /* bytes of them */
  const char *message;
} headers[] = {
    /* Good ones first. */
    {DICT("'<f4'", "False", "(2,)"), 8, NULL},
    {"  {\n\t\"shape\" : ( 2 , ) , \"descr\" : \"<f4\" , \"fortran_order\" : True , }  \n", 8, NULL},
    {DICT("'f4'", "False", "(2,1,)"), 8, NULL},
    {DICT("'|f4'", "False", "(2L, 1L)"), 8, NULL},
    {DICT("'<f4'", "True", "(0, 18446744073709551615)"), 0, NULL},
    {DICT("'<f16'", "True", "(2, 3)"), 96, NULL},
    {DICT("'<f4'", "False", "(" MANY MANY MANY MANY ")"), 4, NULL},
    /* The literal. */
    {"@", 0, "ends too early"},
    {"   @", 0, "ends too early"},
    {"@[1]", 0, "'{' is expected"},
    {"{@}", 0, "descr is missing"},
    {"{'descr': '<f4', 'shape': ()@}", 4, "fortran_order is missing"},
    {"{'descr': '<f4', 'fortran_order': True@}", 4, "shape is missing"},
    {"{'descr': '<f4', @'descr': '<f4'}", 4, "occurs twice"},
    {"{@'colour': 1}", 4, "is unknown"},
    {"{@descr: 1}", 4, "a string is expected"},
    {"{'descr' @'<f4'}", 4, "':' is expected"},
    {"{'descr': '<f4' @'shape': ()}", 4, "a comma or '}'"},
    {"{'descr': '<f4@", 4, "ends too early"},
    {"{'de@\\x73cr': 1}", 4, "a backslash"},
    {"{'de@\xe9': 1}", 4, "outside ASCII"},
    {DICT("'<f4'", "False", "()") " @x", 4, "behind the dictionary"},
    {DICT("'<f4'", "@0", "()"), 4, "neither True nor False"},
    {DICT("'<f4'", "@Tru", "()"), 4, "neither True nor False"},
    /* Shapes. */
    {DICT("'<f4'", "False", "@[2]"), 8, "no tuple"},
    {DICT("'<f4'", "False", "(2@)"), 8, "a single dimension needs a comma"},
    {DICT("'<f4'", "False", "(2 @1)"), 8, "a comma or ')'"},
    {DICT("'<f4'", "False", "(@-2,)"), 8, "a whole number"},
    {DICT("'<f4'", "False", "(2@.0,)"), 8, "a comma or ')'"},
    {DICT("'<f4'", "False", "(@02,)"), 8, "begins with 0"},
    {DICT("'<f4'", "False", "(@,)"), 8, "a whole number"},
    {DICT("'<f4'", "False", "(@True,)"), 8, "a whole number"},
    {DICT("'<f4'", "False", "(@18446744073709551616,)"), 8, "exceeds 64 bits"},
    {DICT("'<f4'", "False", "(@99999999999999999999999,)"), 8, "exceeds 64 bits"},
    {DICT("'<f4'", "False", "(" MANY MANY MANY MANY "@1)"), 8, "more than 32 dimensions"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1@", 8, "ends too early"},
    /* Types. */
    {DICT("@'|O'", "False", "(2,)"), 8, "a pickle is inside, which is not read"},
    {DICT("@'O8'", "False", "(2,)"), 8, "a pickle is inside, which is not read"},
    {DICT("@[('a', '<f4')]", "False", "(2,)"), 8, "structured elements are not read"},
    {DICT("@('<f4', (2,))", "False", "(2,)"), 8, "structured elements are not read"},
    {DICT("@'<f'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@''", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@'<'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@'<<f4'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@'<g2'", "False", "(2,)"), 8, "\"<g2\" is no type of elements"},
    {DICT("@'<f4x'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@'<f4[ns]'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@'<S99999999999999999999'", "False", "(2,)"), 8, "no type of elements"},
    {DICT("@4", "False", "(2,)"), 8, "a string is expected"},
};

START_TEST(test_headers)
{
  for (unsigned version = 1; version <= 3; version++) {
    size_t mark;
    fixture f = make_npy(version, headers[_i].text, headers[_i].values, &mark);
    if (headers[_i].message != NULL)
      fixture_expect_refusal(&f, NULL, mark, headers[_i].message);
    else
      dump_close(fixture_open(&f, "good", NULL));
    free(f.data);
  }
}
END_TEST

/* Sizes that are not those of the array. */
START_TEST(test_sizes)
{
  static const struct {
    const char *shape;
    size_t values;
    long long at; /* counted from behind the header; -1: the header's length */
    const char *message;
  } wrong[] = {
      {"(2, 1)", 7, 0, "the array has 8 bytes, but only 7 are there"},
      {"(2, 1)", 0, 0, "the array has 8 bytes, but only 0 are there"},
      {"(2, 1)", 9, 8, "1 bytes stand behind the end of the array"},
      {"(0, 1)", 1, 0, "1 bytes stand behind"},
      {"(4294967296, 4294967296)", 8, -1, "is too large"},
      {"(4611686018427387905, 1)", 8, -1, "is too large"}, /* times 4 it would be 4 */
      {"(18446744073709551615,)", 8, -1, "is too large"},
      {"(1000000000000,)", 8, 0, "only 8 are there"},
  };
  for (unsigned order = 0; order < 2; order++)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      char text[200];
      size_t mark;
      snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': %s, 'shape': %s}",
               order == 0 ? "False" : "True", wrong[i].shape);
      fixture f = make_npy(1, text, wrong[i].values, &mark);
      uint64_t at = wrong[i].at < 0 ? 8 : 10 + strlen(text) + (uint64_t)wrong[i].at;
      fixture_expect_refusal(&f, NULL, at, wrong[i].message);
      free(f.data);
    }
  size_t mark;
  fixture f = make_npy(1, DICT("'<f4'", "False", "()"), 4, &mark);
  dump_limits limits = dump_limits_default();
  limits.header_bytes = f.length - 4 - 10 - 1;
  fixture_expect_refusal(&f, &limits, 8, "above the limit of");
  limits.header_bytes++;
  dump_close(fixture_open(&f, "good", &limits));
  f.data[7] = 1;
  fixture_expect_refusal(&f, NULL, 6, "version 1.1 of the array format");
  f.data[6] = 4, f.data[7] = 0;
  fixture_expect_refusal(&f, NULL, 6, "version 4.0 of the array format");
  f.data[6] = 1;
  fixture_set(&f, 8, 2, 0xffff);
  fixture_expect_refusal(&f, NULL, 8, "reaches beyond the end");
  free(f.data);
}
END_TEST

/* An error inside a stored member has its place in the archive, one inside a deflated member the member's. */
START_TEST(test_members)
{
  fixture f = fixture_read("two.npz");
  size_t at = fixture_find(&f, "<f4", 3, 0), start = fixture_find(&f, "\x93NUMPY", 6, 0);
  memcpy(f.data + at, "|O4", 3);
  fixture_expect_refusal(&f, NULL, at - 1, "member \"a.npy\": the array holds Python objects");
  memcpy(f.data + at, "<f8", 3);
  fixture_expect_refusal(&f, NULL, start + 80, "the array has 48 bytes, but only 24 are there");
  memcpy(f.data + at, "<f4", 3);
  f.data[start] = 0;
  fixture_expect_refusal(&f, NULL, start, "an array of numpy is expected");
  free(f.data);

  f = fixture_read("two-deflated.npz");
  size_t local = fixture_find(&f, "PK\3\4", 4, 0), entry = fixture_find(&f, "PK\1\2", 4, 0);
  size_t data = local + 30 + 5;
  fixture_set(&f, local + 22, 4, 103); /* the size it says it inflates to */
  fixture_set(&f, entry + 24, 4, 103);
  fixture_expect_refusal(&f, NULL, data,
                         "member \"a.npy\": at byte 80 of what it inflates to: the array has 24 bytes");
  fixture_set(&f, local + 22, 4, 10);
  fixture_set(&f, entry + 24, 4, 10);
  fixture_expect_refusal(&f, NULL, data, "at byte 8 of what it inflates to: the array's header reaches");
  fixture_set(&f, local + 22, 4, 104);
  fixture_set(&f, entry + 24, 4, 104);
  unsigned char kept = f.data[data];
  f.data[data] = 0xff; /* no kind of block */
  fixture_expect_refusal(&f, NULL, data, "member \"a.npy\": damaged deflate data");
  f.data[data] = 3; /* the end, at once */
  fixture_expect_refusal(&f, NULL, data, "inflates to less");
  f.data[data] = kept;

  /* The checksum is tested when a value is asked for, and then always. */
  f.data[local + 14] ^= 1;
  f.data[entry + 16] ^= 1;
  dump_file *file = fixture_open(&f, "sum.npz", NULL);
  for (unsigned i = 0; i < 2; i++) {
    double value;
    dump_error error;
    dump_error_init(&error);
    ck_assert_int_eq(dump_values(file, &value, dump_find(file, "a"), 0, 1, &error), STATUS_BAD_INPUT);
    fixture_expect_error(&error, data, "\"a.npy\": its checksum");
    ck_assert_int_eq(dump_values(file, &value, dump_find(file, "folder/b"), 0, 1, &error), STATUS_OK);
  }
  dump_close(file);

  dump_limits limits = dump_limits_default();
  limits.inflated_bytes = 100;
  fixture_expect_refusal(&f, &limits, entry, "above the limit of 100");
  free(f.data);
  f = fixture_read("two.npz");
  limits = dump_limits_default();
  limits.tensors = 1;
  fixture_expect_refusal(&f, &limits, fixture_find(&f, "\x93NUMPY", 6, 1), "more arrays than the limit");

  /* What is no array is said to be there. */
  size_t local_name = fixture_find(&f, ".npy", 4, 1), entry_name = fixture_find(&f, ".npy", 4, 3);
  memcpy(f.data + local_name, ".txt", 4);
  memcpy(f.data + entry_name, ".txt", 4);
  file = fixture_open(&f, "one.npz", NULL);
  ck_assert_uint_eq(dump_count(file), 1);
  ck_assert_str_eq(dump_note(file, "member that is no array"), "\"folder/b.txt\"");
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_cut)
{
  static const char *const names[] = {"a.npy",   "b.npy",            "c.npy",
                                      "two.npz", "two-deflated.npz", "two-zip64.npz"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    fixture_cut_everywhere(names[i]);
}
END_TEST

START_TEST(test_changes)
{
  fixture_change_everywhere("two-deflated.npz");
  fixture_change_everywhere("two-zip64.npz");
  fixture_change_everywhere("b.npy");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("npy");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_alone);
  tcase_add_loop_test(all, test_types, 0, 2);
  tcase_add_loop_test(all, test_archives, 0, 3);
  tcase_add_loop_test(all, test_headers, 0, sizeof headers / sizeof *headers);
  tcase_add_test(all, test_sizes);
  tcase_add_test(all, test_members);
  tcase_add_test(all, test_cut);
  tcase_add_test(all, test_changes);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
