/* GGUF files: all types of keys and tensors in both orders of bytes, and everything that can be wrong. The
 * values are those that tools/make-dump-fixtures.py was told to write. */
#include <check.h>

#include "dump/dump.h"
#include "fixture.h"

static const struct {
  const char *name;
  uint64_t alignment;
  bool big;
} files[] = {{"v2.gguf", 32, false}, {"v3.gguf", 64, false}, {"v3-big.gguf", 32, true}};

START_TEST(test_notes)
{
  static const char *const notes[][2] = {
      {"general.architecture", "mamba"},
      {"value.0", "200"},
      {"value.1", "-100"},
      {"value.2", "60000"},
      {"value.3", "-30000"},
      {"value.4", "4000000000"},
      {"value.5", "-2000000000"},
      {"value.6", "0.100000001"},
      {"value.7", "true"},
      {"value.10", "18446744073709551615"},
      {"value.11", "-9223372036854775808"},
      {"value.12", "0.10000000000000001"},
      {"text", "two\nlines"},
      {"bytes", "(4 bytes that are no text)"},
      {"short", "[1, -2, 3]"},
      {"strings", "[\"one\", \"tw\\\"o\"]"},
      {"long", "20 f32 values"},
      {"tokens", "17 strings"},
      {"nested", "2 arrays"},
      {"none", "[]"},
  };
  fixture f = fixture_read(files[_i].name);
  dump_file *file = fixture_open(&f, files[_i].name, NULL);
  ck_assert_str_eq(dump_container(file), "GGUF");
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    ck_assert_str_eq(dump_note(file, notes[i][0]), notes[i][1]);
  ck_assert_uint_eq(dump_note_count(file), sizeof notes / sizeof *notes + (_i == 1));
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_tensors)
{
  static const struct {
    const char *name, *spelt;
    dump_type type;
    unsigned rank;
    uint64_t shape[4];
    uint64_t count, bytes;
    double values[6];
  } tensors[] = {
      {"blk.0.ssm_a", "F32", DUMP_F32, 2, {3, 2}, 6, 24, {0.5, 1.5, 2.5, 3.5, 4.5, 5.5}},
      {"half", "F16", DUMP_F16, 1, {3}, 3, 6, {1.5, -2, 0.25}},
      {"brain", "BF16", DUMP_BF16, 1, {2}, 2, 4, {1, -2}},
      {"double", "F64", DUMP_F64, 4, {2, 1, 1, 2}, 4, 32, {1, 2, 3, 0.1}},
      {"i8", "I8", DUMP_I8, 1, {3}, 3, 3, {-2, 0, 100}},
      {"i16", "I16", DUMP_I16, 1, {3}, 3, 6, {-2, 0, 100}},
      {"i32", "I32", DUMP_I32, 1, {3}, 3, 12, {-2, 0, 100}},
      {"i64", "I64", DUMP_I64, 1, {3}, 3, 24, {-2, 0, 100}},
      {"q8", "Q8_0", DUMP_Q8_0, 2, {2, 32}, 64, 68, {-8, -7.5, -7, -6.5, -6, -5.5}},
      {"iq4", "IQ4_NL", DUMP_OTHER, 1, {32}, 32, 18, {0}},
      {"new", "77", DUMP_OTHER, 1, {5}, 5, 0, {0}},
      {"one", "F32", DUMP_F32, 0, {0}, 1, 4, {3}},
      {"none", "F32", DUMP_F32, 2, {4, 0}, 0, 0, {0}},
  };
  fixture f = fixture_read(files[_i].name);
  dump_file *file = fixture_open(&f, files[_i].name, NULL);
  ck_assert_uint_eq(dump_count(file), sizeof tensors / sizeof *tensors);
  uint64_t start = dump_get(file, 0)->offset;
  ck_assert_uint_eq(start % files[_i].alignment, 0);
  for (size_t k = 0; k < sizeof tensors / sizeof *tensors; k++) {
    const dump_tensor *t = dump_get(file, k);
    ck_assert_str_eq(t->name, tensors[k].name);
    ck_assert_str_eq(t->type_name, tensors[k].spelt);
    ck_assert_int_eq((int)t->type, (int)tensors[k].type);
    ck_assert_int_eq((int)t->kind, DUMP_PARAMETER);
    ck_assert_uint_eq(t->rank, tensors[k].rank);
    for (unsigned i = 0; i < t->rank; i++)
      ck_assert_uint_eq(t->shape[i], tensors[k].shape[i]);
    ck_assert_uint_eq(t->count, tensors[k].count);
    ck_assert_uint_eq(t->bytes, tensors[k].bytes);
    ck_assert_uint_eq((t->offset - start) % files[_i].alignment, 0);
    ck_assert(t->big_endian == files[_i].big);
    for (size_t i = 0; t->type != DUMP_OTHER && i < t->count && i < 6; i++)
      ck_assert_msg(fixture_value(file, t, i) == tensors[k].values[i], "%s[%zu] is %g", t->name, i,
                    fixture_value(file, t, i));
  }
  /* The second row of blocks has a scale of its own. */
  const dump_tensor *blocks = dump_find(file, "q8");
  ck_assert(fixture_value(file, blocks, 31) == 7.5 && fixture_value(file, blocks, 32) == 0);
  ck_assert(fixture_value(file, blocks, 63) == -62);
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_parts)
{
  fixture f = fixture_read("part-00002-of-00002.gguf");
  dump_file *file = fixture_open(&f, "part", NULL);
  ck_assert_str_eq(dump_note(file, "split.no"), "1");
  ck_assert_str_eq(dump_note(file, "split.count"), "2");
  ck_assert_str_eq(dump_note(file, "split.tensors.count"), "3");
  ck_assert(fixture_value(file, dump_find(file, "third"), 0) == 4);
  dump_close(file);
  free(f.data);
}
END_TEST

/* Places in small.gguf:
 *   8 tensors, 16 keys, 24 "general.alignment", 49 its type, 53 its value, 57 "k", 66 its type (array),
 *   70 type of elements, 74 length, 82 length of the string, 90 the string, 91 "a", 100 rank, 104 and 112
 *   dimensions 2 and 1, 120 type, 124 offset 0, 132 "b", 141 rank, 145 dimension 1, 153 type, 157 offset 8,
 *   165 padding, 168 data, 180 end. */
static const struct {
  struct {
    size_t at;
    unsigned width;
    uint64_t value;
  } changes[2];
  uint64_t offset;
  const char *message;
} hostile[] = {
    {{{4, 4, 1}}, 4, "GGUF version 1 is not read"},
    {{{4, 4, 4}}, 4, "GGUF version 4 is not read"},
    {{{4, 4, 0x02000000}}, 4, "big-endian GGUF version 2 is not read"},
    {{{4, 4, 0x03000000}}, 8, "144115188075855872 tensors exceed the limit of 1000000"},
    {{{8, 8, UINT64_MAX}}, 8, "exceed the limit of 1000000"},
    {{{8, 8, 1000}}, 8, "1000 tensors cannot be described in what follows"},
    {{{16, 8, UINT64_MAX}}, 16, "keys cannot stand in what follows"},
    {{{16, 8, 100}}, 16, "100 keys cannot stand in what follows"},
    /* Keys and values. */
    {{{24, 8, 0}}, 24, "a key is empty"},
    {{{24, 8, 149}}, 24, "a key reaches beyond the end of the file"},
    {{{24, 8, UINT64_MAX}}, 24, "a key reaches beyond the end of the file"},
    {{{32, 1, 0}}, 32, "a key is not UTF-8, or has a NUL byte"},
    {{{32, 1, 0xff}}, 32, "a key is not UTF-8, or has a NUL byte"},
    {{{49, 4, 13}}, 49, "13 is no type of values"},
    {{{49, 4, UINT32_MAX}}, 49, "is no type of values"},
    {{{49, 4, 5}}, 49, "general.alignment is no number of type u32"},
    {{{49, 4, 7}, {53, 1, 2}}, 53, "a boolean value is neither 0 nor 1"},
    {{{49, 4, 8}}, 53, "a string reaches beyond the end of the file"},
    {{{53, 4, 0}}, 49, "general.alignment 0 is no power of two"},
    {{{53, 4, 1}}, 49, "general.alignment 1 is no power of two from 8"},
    {{{53, 4, 24}}, 49, "general.alignment 24 is no power of two"},
    {{{53, 4, 0x80000000}}, 49, "general.alignment 2147483648 is no power of two from 8 to"},
    {{{53, 4, 16}}, 124, "\"a\": its data reach beyond the end of the file"},
    {{{53, 4, 0x1000000}}, 124, "\"a\": its data reach beyond the end of the file"},
    {{{70, 4, 13}}, 70, "13 is no type of values"},
    {{{70, 4, 9}}, 86, "an array reaches beyond the end of the file"}, /* the string is taken for one */
    {{{74, 8, UINT64_MAX}}, 74, "an array reaches beyond the end of the file"},
    {{{74, 8, 13}}, 74, "an array reaches beyond the end of the file"},
    {{{70, 4, 0}, {74, 8, UINT64_MAX}}, 74, "an array reaches beyond the end of the file"},
    {{{70, 4, 12}, {74, 8, UINT64_C(1) << 61}}, 74, "an array reaches beyond the end of the file"},
    {{{82, 8, 91}}, 82, "a string reaches beyond the end of the file"},
    {{{82, 8, UINT64_MAX - 7}}, 82, "a string reaches beyond the end of the file"},
    {{{57, 8, 0x10000}}, 57, "a key reaches beyond the end of the file"},
    /* Tensors. */
    {{{91, 8, 0}}, 91, "the name of a tensor is empty"},
    {{{91, 8, 100000}}, 91, "the name of a tensor reaches beyond the end of the file"},
    {{{99, 1, 0x80}}, 99, "the name of a tensor is not UTF-8"},
    {{{140, 1, 'a'}}, 132, "the tensor \"a\" occurs twice; the first is at byte 91"},
    {{{100, 4, 9}}, 100, "tensor \"a\": 9 dimensions are more than the 4 of the format"},
    {{{100, 4, UINT32_MAX}}, 100, "4294967295 dimensions are more than the 4"},
    {{{104, 8, UINT64_MAX}}, 100, "the product of its dimensions is too large"},
    {{{104, 8, UINT64_C(1) << 62}}, 100, "the product of its dimensions is too large"},
    {{{104, 8, UINT64_C(1) << 32}, {112, 8, UINT64_C(1) << 32}}, 100, "the product of its dimensions"},
    {{{104, 8, 1000}}, 124, "\"a\": its data reach beyond the end of the file"},
    {{{104, 8, 3}}, 157, "tensors \"a\" and \"b\" overlap"},
    {{{120, 4, 8}}, 100, "rows of 2 values are no whole blocks of 32, as Q8_0 has them"},
    {{{120, 4, 12}}, 100, "rows of 2 values are no whole blocks of 256, as Q4_K has them"},
    {{{124, 8, 4}}, 124, "\"a\": its offset is no multiple of the alignment"},
    {{{124, 8, 16}}, 124, "\"a\": its data reach beyond the end of the file"},
    {{{124, 8, UINT64_MAX - 7}}, 124, "\"a\": its data reach beyond the end of the file"},
    {{{124, 8, 8}, {104, 8, 1}}, 157, "tensors \"a\" and \"b\" overlap"},
    {{{153, 4, 28}}, 157, "\"b\": its data reach beyond the end of the file"},
    {{{157, 8, 0}}, 124, "tensors \"b\" and \"a\" overlap"},
};

START_TEST(test_hostile)
{
  fixture f = fixture_read("small.gguf");
  ck_assert_uint_eq(f.length, 180);
  for (size_t k = 0; k < 2; k++)
    if (hostile[_i].changes[k].width > 0)
      fixture_set(&f, hostile[_i].changes[k].at, hostile[_i].changes[k].width, hostile[_i].changes[k].value);
  fixture_expect_refusal(&f, NULL, hostile[_i].offset, hostile[_i].message);
  free(f.data);
}
END_TEST

/* A key that holds arrays of arrays, `depth` deep, in a file without tensors. */
static fixture make_nested(unsigned depth)
{
  size_t length = 24 + 9 + 4 + 12 * (size_t)depth;
  fixture f = {calloc(length, 1), length};
  memcpy(f.data, "GGUF\3", 5);
  fixture_set(&f, 16, 8, 1);
  fixture_set(&f, 24, 8, 1);
  f.data[32] = 'k';
  fixture_set(&f, 33, 4, 9);
  for (unsigned i = 0; i < depth; i++) {
    fixture_set(&f, 37 + 12 * i, 4, i + 1 < depth ? 9 : 0);
    fixture_set(&f, 41 + 12 * i, 8, i + 1 < depth ? 1 : 0);
  }
  return f;
}

START_TEST(test_limits)
{
  fixture f = make_nested(512);
  dump_close(fixture_open(&f, "nested", NULL));
  free(f.data);
  f = make_nested(514);
  fixture_expect_refusal(&f, NULL, 37 + 12 * 512, "arrays are nested more than 512 deep");
  free(f.data);
  f = make_nested(1000000); /* must not use up the stack, whatever the limit */
  dump_limits limits = dump_limits_default();
  limits.depth = UINT32_MAX;
  fixture_expect_refusal(&f, &limits, 37 + 12 * 10000, "arrays are nested more than 10000 deep");
  free(f.data);

  f = fixture_read("small.gguf");
  limits = dump_limits_default();
  limits.header_bytes = 165;
  dump_close(fixture_open(&f, "small", &limits));
  limits.header_bytes = 164;
  fixture_expect_refusal(&f, &limits, 157, "the header exceeds the limit of 164 bytes");
  limits.header_bytes = 100;
  fixture_expect_refusal(&f, &limits, 100, "the header exceeds the limit of 100 bytes");
  limits = dump_limits_default();
  limits.tensors = 1;
  fixture_expect_refusal(&f, &limits, 8, "2 tensors exceed the limit of 1");
  free(f.data);
}
END_TEST

START_TEST(test_keys_twice)
{
  static const unsigned char twice[] = "GGUF\3\0\0\0" "\0\0\0\0\0\0\0\0" "\2\0\0\0\0\0\0\0"
                                       "\1\0\0\0\0\0\0\0k\0\0\0\0\1" "\1\0\0\0\0\0\0\0k\0\0\0\0\2";
  fixture f = fixture_copy(twice, sizeof twice - 1);
  fixture_expect_refusal(&f, NULL, 38, "the key \"k\" occurs twice; the first is at byte 24");
  f.data[46] = 'l';
  dump_close(fixture_open(&f, "keys", NULL));
  free(f.data);
}
END_TEST

START_TEST(test_cut)
{
  static const char *const names[] = {"small.gguf", "v2.gguf", "v3.gguf", "v3-big.gguf",
                                      "part-00001-of-00002.gguf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    fixture_cut_everywhere(names[i]);
}
END_TEST

START_TEST(test_changes)
{
  fixture_change_everywhere("small.gguf");
  fixture_change_everywhere("v3-big.gguf");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("gguf");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_loop_test(all, test_notes, 0, sizeof files / sizeof *files);
  tcase_add_loop_test(all, test_tensors, 0, sizeof files / sizeof *files);
  tcase_add_test(all, test_parts);
  tcase_add_loop_test(all, test_hostile, 0, sizeof hostile / sizeof *hostile);
  tcase_add_test(all, test_limits);
  tcase_add_test(all, test_keys_twice);
  tcase_add_test(all, test_cut);
  tcase_add_test(all, test_changes);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
