/* What all readers share: layouts, lookup, segments and their inflating, notes, names. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "made.h"

static dump_tensor shaped(dump_type type, unsigned rank, const uint64_t *shape)
{
  dump_tensor t = {.type = type, .rank = rank, .bytes = 77};
  for (unsigned i = 0; i < rank && i < DUMP_RANK; i++)
    t.shape[i] = shape[i];
  return t;
}

START_TEST(test_row_major)
{
  dump_tensor t = shaped(DUMP_F32, 3, (uint64_t[]){2, 3, 4});
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.stride[0] == 12 && t.stride[1] == 4 && t.stride[2] == 1 && t.count == 24 && t.bytes == 96);
  ck_assert(t.contiguous);
  t = shaped(DUMP_C128, 0, NULL);
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.count == 1 && t.bytes == 16);
  t = shaped(DUMP_U8, 1, (uint64_t[]){INT64_MAX});
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.count == INT64_MAX && t.bytes == INT64_MAX);
  t = shaped(DUMP_OTHER, 2, (uint64_t[]){3, 5});
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.count == 15 && t.bytes == 77 && t.stride[0] == 5);
  /* Nothing in it: no product matters. */
  t = shaped(DUMP_F64, 3, (uint64_t[]){UINT64_MAX, UINT64_MAX, 0});
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.count == 0 && t.bytes == 0 && t.stride[0] == 0);
  uint64_t ones[DUMP_RANK];
  for (unsigned i = 0; i < DUMP_RANK; i++)
    ones[i] = 1;
  t = shaped(DUMP_F64, DUMP_RANK, ones);
  ck_assert(reader_fill_row_major(&t));
  t.rank = DUMP_RANK + 1;
  ck_assert(!reader_fill_row_major(&t));
}
END_TEST

START_TEST(test_overflow)
{
  static const struct {
    dump_type type;
    unsigned rank;
    uint64_t shape[3];
  } bad[] = {
      {DUMP_U8, 1, {(uint64_t)INT64_MAX + 1}},
      {DUMP_U8, 2, {UINT64_C(1) << 32, UINT64_C(1) << 32}},
      {DUMP_F32, 1, {UINT64_C(1) << 62}},
      {DUMP_C128, 2, {UINT64_C(1) << 30, UINT64_C(1) << 30}},
      {DUMP_U8, 3, {3, UINT64_MAX / 3 + 1, 1}},
      {DUMP_Q8_0, 2, {32, 33}},
      {DUMP_Q8_0, 0, {0}},
      {DUMP_Q4_K, 1, {128}},
      {DUMP_Q8_0, 1, {(UINT64_C(1) << 63) - 32 + 64}},
      {DUMP_OTHER, 2, {UINT64_C(1) << 32, UINT64_C(1) << 32}},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dump_tensor t = shaped(bad[i].type, bad[i].rank, bad[i].shape), before = t;
    ck_assert_msg(!reader_fill_row_major(&t), "case %zu", i);
    ck_assert(memcmp(&t, &before, sizeof t) == 0);
  }
  dump_tensor t = shaped(DUMP_Q5_1, 2, (uint64_t[]){3, 64});
  ck_assert(reader_fill_row_major(&t));
  ck_assert(t.bytes == 6 * 24 && t.count == 192);
}
END_TEST

START_TEST(test_strided)
{
  dump_tensor t = shaped(DUMP_F32, 2, (uint64_t[]){3, 2});
  t.stride[0] = 10;
  t.stride[1] = 3;
  ck_assert(reader_fill_strided(&t));
  ck_assert(!t.contiguous && t.count == 6 && t.bytes == 4 * (20 + 3 + 1));
  t.stride[1] = -1;
  ck_assert(!reader_fill_strided(&t));
  t.stride[0] = INT64_MAX;
  t.stride[1] = 1;
  ck_assert(!reader_fill_strided(&t));
  t.stride[0] = INT64_MAX / 4; /* the bytes of float32 overflow */
  ck_assert(!reader_fill_strided(&t));
  t.shape[0] = 0; /* nothing in it: whatever the strides */
  ck_assert(reader_fill_strided(&t));
  ck_assert(t.count == 0 && t.bytes == 0);
  t = shaped(DUMP_F64, 2, (uint64_t[]){UINT64_C(1) << 40, 2}); /* repeats one element */
  t.stride[1] = 1;
  ck_assert(reader_fill_strided(&t));
  ck_assert(t.count == UINT64_C(1) << 41 && t.bytes == 16 && !t.contiguous);
  t = shaped(DUMP_U8, 2, (uint64_t[]){UINT64_C(1) << 40, UINT64_C(1) << 40});
  ck_assert(!reader_fill_strided(&t));
  t = shaped(DUMP_Q8_0, 2, (uint64_t[]){2, 32});
  t.stride[0] = 32;
  t.stride[1] = 1;
  ck_assert(reader_fill_strided(&t));
  ck_assert(t.bytes == 68);
  t.stride[0] = 64;
  ck_assert(!reader_fill_strided(&t));
}
END_TEST

START_TEST(test_lookup)
{
  static const char *const names[] = {"b", "", "a.weight", "a", "B", "\xc3\xa9", "a.bias"};
  enum { NAMES = sizeof names / sizeof *names };
  dump_file *file = reader_create("f");
  size_t one = reader_borrow(file, "one", (const unsigned char *)"x", 1);
  for (size_t i = 0; i < NAMES; i++) {
    dump_tensor *t = reader_add(file, names[i]);
    t->segment = one;
    t->offset = i;
    ck_assert(reader_fill_row_major(t));
  }
  dump_limits limits = dump_limits_default();
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(reader_index(file, &limits, &error), STATUS_OK);
  for (size_t i = 0; i < NAMES; i++)
    ck_assert_ptr_eq(dump_find(file, names[i]), dump_get(file, i));
  ck_assert_ptr_null(dump_find(file, "c"));
  ck_assert_ptr_null(dump_find(file, "a."));
  limits.tensors = NAMES - 1;
  ck_assert_int_eq(reader_index(file, &limits, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message, "7 tensors exceed the limit of 6");

  /* The same name again, in another file: both places are told. */
  limits.tensors = 100;
  size_t two = reader_borrow(file, "two", (const unsigned char *)"y", 1);
  dump_tensor *again = reader_add(file, "a.weight");
  again->segment = two;
  again->offset = 40;
  ck_assert_int_eq(reader_index(file, &limits, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message, "tensor \"a.weight\" occurs twice; the first is at byte 2 of \"one\"");
  ck_assert_str_eq(error.file, "two");
  ck_assert_uint_eq(error.offset, 40);
  dump_error_clear(&error);
  dump_close(file);
}
END_TEST

/* An archive of raw deflate bytes, with a few bytes around them. */
typedef struct {
  unsigned char archive[4096];
  unsigned char plain[3000];
  size_t packed;
} deflated;

enum { AHEAD = 5, BEHIND = 4 };

static void deflate_plain(deflated *d)
{
  for (size_t i = 0; i < sizeof d->plain; i++)
    d->plain[i] = (unsigned char)(i * i >> 7);
  memset(d->archive, 0xee, sizeof d->archive);
  z_stream stream = {0};
  ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = d->plain;
  stream.avail_in = sizeof d->plain;
  stream.next_out = d->archive + AHEAD;
  stream.avail_out = sizeof d->archive - AHEAD - BEHIND;
  ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
  d->packed = stream.total_out;
  deflateEnd(&stream);
}

/* A tensor of bytes 100 to 199 of the member. */
static dump_file *packed_dump(const deflated *d, size_t packed, size_t length, uint32_t checksum)
{
  dump_file *file = reader_create("z");
  size_t archive = reader_borrow(file, "z.zip", d->archive, sizeof d->archive);
  size_t member = reader_add_packed(file, archive, "m.npy", AHEAD, packed, length, checksum);
  dump_tensor *tensor = reader_add(file, "x");
  tensor->type = DUMP_U8;
  tensor->rank = 1;
  tensor->shape[0] = 100;
  tensor->segment = member;
  tensor->offset = 100;
  ck_assert(reader_fill_row_major(tensor));
  dump_limits limits = dump_limits_default();
  ck_assert_int_eq(reader_index(file, &limits, NULL), STATUS_OK);
  return file;
}

static uint32_t checksum_of(const deflated *d)
{
  return (uint32_t)crc32(0, d->plain, sizeof d->plain);
}

START_TEST(test_inflate)
{
  deflated d;
  deflate_plain(&d);
  dump_file *file = packed_dump(&d, d.packed, sizeof d.plain, checksum_of(&d));
  ck_assert_uint_eq(dump_segment_count(file), 2);
  dump_segment segment = dump_get_segment(file, 1);
  ck_assert(segment.compressed && segment.length == sizeof d.plain);
  ck_assert_str_eq(segment.name, "z.zip");
  ck_assert_str_eq(segment.member, "m.npy");
  ck_assert(!dump_get_segment(file, 0).compressed);
  ck_assert_ptr_null(file->segments[1].data); /* nobody has asked yet */
  double values[100];
  made_values(values, file, 0, 100);
  for (unsigned i = 0; i < 100; i++)
    ck_assert(values[i] == d.plain[100 + i]);
  const unsigned char *data = file->segments[1].data;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(dump_prepare(file, dump_get(file, 0), &error), STATUS_OK);
  ck_assert_ptr_eq(file->segments[1].data, data); /* once is enough */
  dump_close(file);

  /* A member without bytes. */
  deflated none = {.archive = {[AHEAD] = 3, [AHEAD + 1] = 0}};
  file = reader_create("z");
  size_t archive = reader_borrow(file, "z.zip", none.archive, sizeof none.archive);
  size_t member = reader_add_packed(file, archive, "none", AHEAD, 2, 0, 0);
  ck_assert_int_eq(reader_inflate(file, member, &error), STATUS_OK);
  ck_assert_ptr_nonnull(file->segments[member].data);
  dump_close(file);
}
END_TEST

static void expect_damage(const deflated *d, size_t packed, size_t length, uint32_t checksum,
                          const char *part)
{
  dump_file *file = packed_dump(d, packed, length, checksum);
  dump_error error;
  dump_error_init(&error);
  double value;
  for (int again = 0; again < 2; again++) {
    ck_assert_int_eq(dump_values(file, &value, dump_get(file, 0), 0, 1, &error), STATUS_BAD_INPUT);
    ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" lacks \"%s\"", error.message, part);
    ck_assert_ptr_nonnull(strstr(error.message, "compressed member \"m.npy\""));
    ck_assert_str_eq(error.file, "z.zip");
    ck_assert(error.has_offset && error.offset == AHEAD);
  }
  dump_error_clear(&error);
  dump_close(file);
}

START_TEST(test_damaged)
{
  deflated d;
  deflate_plain(&d);
  uint32_t checksum = checksum_of(&d);
  expect_damage(&d, d.packed, sizeof d.plain, checksum ^ 1, "checksum");
  expect_damage(&d, d.packed, sizeof d.plain - 1, checksum, "more than");
  expect_damage(&d, d.packed, sizeof d.plain + 1, checksum, "less than");
  expect_damage(&d, d.packed + 1, sizeof d.plain, checksum, "bytes follow");
  expect_damage(&d, d.packed - 1, sizeof d.plain + 1, checksum, "too early");
  expect_damage(&d, 0, sizeof d.plain, checksum, "too early");
  for (size_t cut = 1; cut < d.packed; cut++) { /* whatever the length says */
    dump_file *file = packed_dump(&d, cut, sizeof d.plain, checksum);
    dump_error error;
    dump_error_init(&error);
    ck_assert_int_eq(dump_prepare(file, dump_get(file, 0), &error), STATUS_BAD_INPUT);
    dump_error_clear(&error);
    dump_close(file);
  }
  d.archive[AHEAD] = 0x07; /* a block of a kind that does not exist */
  expect_damage(&d, d.packed, sizeof d.plain, checksum, "damaged");
}
END_TEST

static void *read_all(void *argument)
{
  const dump_file *file = argument;
  double values[100], sum = 0;
  dump_error error;
  dump_error_init(&error);
  for (int i = 0; i < 50; i++)
    if (dump_values(file, values, dump_get(file, 0), 0, 100, &error) == STATUS_OK)
      sum += values[i];
  dump_error_clear(&error);
  double *result = malloc(sizeof *result);
  *result = sum;
  return result;
}

START_TEST(test_threads)
{
  deflated d;
  deflate_plain(&d);
  double wanted = 0;
  for (int i = 0; i < 50; i++)
    wanted += d.plain[100 + i];
  dump_file *file = packed_dump(&d, d.packed, sizeof d.plain, checksum_of(&d));
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, read_all, file), 0);
  for (int i = 0; i < 8; i++) {
    void *sum;
    ck_assert_int_eq(pthread_join(threads[i], &sum), 0);
    ck_assert(*(double *)sum == wanted);
    free(sum);
  }
  dump_close(file);
}
END_TEST

START_TEST(test_notes)
{
  dump_file *file = reader_create("f");
  ck_assert_ptr_null(dump_note(file, "a"));
  for (int i = 0; i < 40; i++) {
    char key[8], value[8];
    snprintf(key, sizeof key, "k%d", i % 30);
    snprintf(value, sizeof value, "v%d", i);
    reader_add_note(file, key, value);
  }
  ck_assert_uint_eq(dump_note_count(file), 40);
  ck_assert_str_eq(dump_note(file, "k29"), "v29");
  ck_assert_str_eq(dump_note(file, "k3"), "v3"); /* the first of two */
  const char *key, *value;
  dump_get_note(file, 33, &key, &value);
  ck_assert_str_eq(key, "k3");
  ck_assert_str_eq(value, "v33");
  dump_close(file);
}
END_TEST

START_TEST(test_names)
{
  static const char *const good[] = {
      "",        "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf",
      "\x7f\x01"};
  static const char *const bad[] = {"\x80",
                                    "\xc3",
                                    "\xc0\x80",
                                    "\xe0\x80\x80",
                                    "\xed\xa0\x80",
                                    "\xf0\x8f\xbf\xbf",
                                    "\xf4\x90\x80\x80",
                                    "\xf8\x88\x80\x80",
                                    "a\xe2\x82",
                                    "\xff"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ck_assert_msg(reader_name_fits(good[i], strlen(good[i])), "good %zu", i);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_msg(!reader_name_fits(bad[i], strlen(bad[i])), "bad %zu", i);
  ck_assert(!reader_name_fits("a\0b", 3));
}
END_TEST

START_TEST(test_types)
{
  static const char *const names[] = {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I64",  "I32",
                                      "I16", "I8",  "U64", "U32",  "U16",     "U8",      "BOOL", "C64"};
  static const unsigned sizes[] = {8, 4, 2, 2, 1, 1, 8, 4, 2, 1, 8, 4, 2, 1, 1, 8};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    dump_type type = reader_type(names[i]);
    ck_assert_int_eq(type, (int)i);
    ck_assert_uint_eq(dump_type_bytes(type), sizes[i]);
    unsigned values, bytes;
    reader_block(type, &values, &bytes);
    ck_assert(values == 1 && bytes == sizes[i]);
  }
  ck_assert_int_eq(reader_type("F4"), DUMP_OTHER);
  ck_assert_int_eq(reader_type("f32"), DUMP_OTHER);
  ck_assert_uint_eq(dump_lanes(DUMP_C64), 2);
  ck_assert_uint_eq(dump_lanes(DUMP_F64), 1);
  unsigned values = 9, bytes = 9;
  reader_block(DUMP_OTHER, &values, &bytes);
  ck_assert(values == 0 && bytes == 0 && dump_type_bytes(DUMP_OTHER) == 0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("readers");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_row_major);
  tcase_add_test(all, test_overflow);
  tcase_add_test(all, test_strided);
  tcase_add_test(all, test_lookup);
  tcase_add_test(all, test_inflate);
  tcase_add_test(all, test_damaged);
  tcase_add_test(all, test_threads);
  tcase_add_test(all, test_notes);
  tcase_add_test(all, test_names);
  tcase_add_test(all, test_types);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
