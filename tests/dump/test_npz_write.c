/* Archives that are written piece by piece, read back by our reader; their checksums, by the definition of CRC-32. That other
 * programs read them too is seen in tests/cli/simulate.sh. */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump/dump.h"
#include "dump/npz_write.h"
#include "dump/zip.h"

typedef struct {
  char path[64];
  int file;
  npz_writer *w;
  dump_error error;
} archive;

static archive begin(void)
{
  archive a = {.path = "npz-write-XXXXXX"};
  a.file = mkstemp(a.path);
  ck_assert_int_ge(a.file, 0);
  a.w = npz_writer_create(a.file, a.path);
  dump_error_init(&a.error);
  return a;
}

static size_t add(archive *a, const char *name, unsigned rank, const uint64_t *shape)
{
  size_t array;
  ck_assert(npz_writer_add(a->w, &array, name, rank, shape, &a->error));
  return array;
}

static void append(archive *a, size_t array, const double *values, size_t count)
{
  ck_assert(npz_writer_append(a->w, array, values, count, &a->error));
}

/* The whole file, which is removed. */
static unsigned char *end(archive *a, size_t *length)
{
  ck_assert(npz_writer_finish(a->w, &a->error));
  npz_writer_destroy(a->w);
  *length = (size_t)lseek(a->file, 0, SEEK_END);
  unsigned char *data = malloc(*length);
  ck_assert(pread(a->file, data, *length, 0) == (ssize_t)*length);
  close(a->file);
  unlink(a->path);
  return data;
}

static uint32_t crc(const unsigned char *p, size_t n)
{
  uint32_t c = UINT32_MAX;
  while (n-- > 0) {
    c ^= *p++;
    for (int i = 0; i < 8; i++)
      c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
  }
  return ~c;
}

/* Every checksum, and that no byte lies outside of members, their headers and the directory. */
static void check_zip(const unsigned char *data, size_t length, size_t members)
{
  dump_error error;
  dump_error_init(&error);
  zip_directory d;
  dump_limits limits = dump_limits_default();
  ck_assert_msg(zip_open(&d, "made", data, length, &limits, &error) == STATUS_OK, "%s", error.message);
  ck_assert_uint_eq(d.count, members);
  uint64_t at = 0;
  for (size_t i = 0; i < d.count; i++) {
    ck_assert_uint_eq(d.members[i].header, at);
    ck_assert_uint_eq(crc(data + d.members[i].offset, (size_t)d.members[i].length), d.members[i].checksum);
    at = d.members[i].offset + d.members[i].length;
  }
  zip_clear(&d);
}

static void expect(const dump_file *file, const char *name, unsigned rank, const uint64_t *shape, const double *values)
{
  const dump_tensor *t = dump_find(file, name);
  ck_assert_msg(t != NULL, "no %s", name);
  ck_assert_int_eq(t->type, DUMP_F64);
  ck_assert_uint_eq(t->rank, rank);
  for (unsigned i = 0; i < rank; i++)
    ck_assert_uint_eq(t->shape[i], shape[i]);
  dump_error error;
  dump_error_init(&error);
  for (size_t i = 0; i < t->count; i++) {
    double value;
    ck_assert(dump_values(file, &value, t, i, 1, &error) == STATUS_OK);
    ck_assert_msg(!memcmp(&value, &values[i], sizeof value), "%s[%zu] = %a", name, i, value);
  }
}

#define SHAPE(...) ((const uint64_t[]){__VA_ARGS__})

START_TEST(test_by_turns)
{
  const double x[6] = {1, -0.0, INFINITY, NAN, 0x1p-1074, 0.1}, y[4] = {5, 6, 7, 8}, z = -3;
  archive a = begin();
  size_t first = add(&a, "layers.0/x", 2, SHAPE(2, 3)), second = add(&a, "y", 1, SHAPE(4));
  append(&a, first, x, 1);
  append(&a, second, y, 3);
  append(&a, first, x + 1, 4);
  size_t third = add(&a, "\xc3\xa9", 0, NULL), empty = add(&a, "empty", 3, SHAPE(4, 0, UINT64_MAX));
  append(&a, second, y + 3, 1);
  append(&a, third, &z, 1);
  append(&a, empty, NULL, 0);
  append(&a, first, x + 5, 1);
  size_t length;
  unsigned char *data = end(&a, &length);
  check_zip(data, length, 4);
  dump_file *file = dump_read("made", data, length, NULL, &a.error);
  ck_assert_msg(file != NULL, "%s", a.error.message);
  ck_assert_str_eq(dump_container(file), "npz");
  ck_assert_uint_eq(dump_count(file), 4);
  expect(file, "layers.0/x", 2, SHAPE(2, 3), x);
  expect(file, "y", 1, SHAPE(4), y);
  expect(file, "\xc3\xa9", 0, NULL, &z);
  expect(file, "empty", 3, SHAPE(4, 0, UINT64_MAX), NULL);
  dump_close(file);
  free(data);
}
END_TEST

/* To a mark that was in the midst of one array and before another one began, in a file that would have been of 2^40 bytes. */
START_TEST(test_shorten)
{
  double x[100];
  for (int i = 0; i < 100; i++)
    x[i] = i;
  archive a = begin();
  size_t first = add(&a, "first", 2, SHAPE(UINT64_C(1) << 36, 2)), second = add(&a, "second", 1, SHAPE(100000));
  append(&a, first, x, 20);
  for (int i = 0; i < 300; i++) /* beyond one buffer */
    append(&a, second, x, 100);
  npz_writer_mark(a.w);
  ck_assert_uint_eq(npz_writer_marked(a.w, second), 30000);
  append(&a, first, x, 50);
  size_t third = add(&a, "third", 1, SHAPE(3));
  append(&a, third, x, 2);
  ck_assert_uint_eq(npz_writer_marked(a.w, third), 0);
  npz_writer_shorten(a.w, first, SHAPE(10, 2));
  npz_writer_shorten(a.w, second, SHAPE(30000));
  npz_writer_shorten(a.w, third, SHAPE(0));
  size_t length;
  unsigned char *data = end(&a, &length);
  ck_assert_uint_lt(length, 250000);
  check_zip(data, length, 2);
  dump_file *file = dump_read("made", data, length, NULL, &a.error);
  ck_assert_msg(file != NULL, "%s", a.error.message);
  expect(file, "first", 2, SHAPE(10, 2), x);
  const dump_tensor *t = dump_find(file, "second");
  ck_assert(t != NULL && t->rank == 1 && t->shape[0] == 30000);
  for (size_t i = 0; i < 30000; i++) {
    double value;
    ck_assert(dump_values(file, &value, t, i, 1, &a.error) == STATUS_OK);
    ck_assert(value == (double)(i % 100));
  }
  dump_close(file);
  free(data);
}
END_TEST

/* More than the directory of a zip without zip64 can count. */
START_TEST(test_many)
{
  enum { MANY = 65540 };
  archive a = begin();
  for (size_t i = 0; i < MANY; i++) {
    char name[16];
    double value = (double)i;
    snprintf(name, sizeof name, "%zu", i);
    append(&a, add(&a, name, 0, NULL), &value, 1);
  }
  size_t length;
  unsigned char *data = end(&a, &length);
  check_zip(data, length, MANY);
  dump_file *file = dump_read("made", data, length, NULL, &a.error);
  ck_assert_msg(file != NULL, "%s", a.error.message);
  expect(file, "65539", 0, NULL, &(double){65539});
  dump_close(file);
  free(data);
}
END_TEST

START_TEST(test_none)
{
  archive a = begin();
  size_t length;
  unsigned char *data = end(&a, &length);
  ck_assert_uint_eq(length, 22);
  free(data);
}
END_TEST

START_TEST(test_refused)
{
  archive a = begin();
  size_t array;
  ck_assert(!npz_writer_add(a.w, &array, "x", 2, SHAPE(UINT64_C(1) << 40, UINT64_C(1) << 40), &a.error));
  ck_assert_str_eq(a.error.message, "cannot write: the arrays are larger than a file can be");
  ck_assert(!npz_writer_add(a.w, &array, "x", 1, SHAPE(UINT64_C(1) << 60), &a.error));
  array = add(&a, "x", 1, SHAPE(UINT64_C(1) << 59));
  ck_assert(!npz_writer_add(a.w, &array, "y", 1, SHAPE(UINT64_C(1) << 59), &a.error));
  char name[NPZ_NAME + 2];
  memset(name, 'n', sizeof name - 1);
  name[NPZ_NAME + 1] = 0;
  ck_assert(!npz_writer_add(a.w, &array, name, 0, NULL, &a.error));
  npz_writer_destroy(a.w);
  close(a.file);
  unlink(a.path);

  int full = open("/dev/full", O_WRONLY);
  if (full >= 0) {
    a.w = npz_writer_create(full, "full");
    array = add(&a, "x", 0, NULL);
    ck_assert(!npz_writer_append(a.w, array, &(double){1}, 1, &a.error));
    ck_assert_str_eq(a.error.file, "full");
    ck_assert_str_eq(a.error.message, "cannot write: No space left on device");
    npz_writer_destroy(a.w);
    close(full);
  }
  dump_error_clear(&a.error);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("npz_write");
  TCase *c = tcase_create("archives");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, test_by_turns);
  tcase_add_test(c, test_shorten);
  tcase_add_test(c, test_many);
  tcase_add_test(c, test_none);
  tcase_add_test(c, test_refused);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed != 0;
}
