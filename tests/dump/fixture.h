/* Small files from tests/dump/data, whole or spoilt on purpose. */
#ifndef ASSAY_TESTS_DUMP_FIXTURE_H
#define ASSAY_TESTS_DUMP_FIXTURE_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"

typedef struct {
  unsigned char *data; /* of exactly `length` bytes, so that a sanitizer sees a read past the end */
  size_t length;
} fixture;

static inline fixture fixture_copy(const unsigned char *data, size_t length)
{
  fixture f = {malloc(length + (length == 0)), length};
  memcpy(f.data, data, length);
  return f;
}

static inline fixture fixture_read(const char *name)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  static unsigned char data[1 << 16];
  snprintf(path, sizeof path, "%s/tests/dump/data/%s", top != NULL ? top : ".", name);
  FILE *in = fopen(path, "rb");
  ck_assert_msg(in != NULL, "cannot open %s", path);
  size_t length = fread(data, 1, sizeof data, in);
  fclose(in);
  ck_assert_uint_lt(length, sizeof data);
  return fixture_copy(data, length);
}

static inline void fixture_set(fixture *f, size_t at, unsigned width, uint64_t value)
{
  ck_assert(at <= f->length && width <= f->length - at);
  for (unsigned i = 0; i < width; i++)
    f->data[at + i] = (unsigned char)(value >> (8 * i));
}

/* Where the bytes occur for the nth time, counted from 0. */
static inline size_t fixture_find(const fixture *f, const char *bytes, size_t length, unsigned nth)
{
  for (size_t at = 0; at + length <= f->length; at++)
    if (memcmp(f->data + at, bytes, length) == 0 && nth-- == 0)
      return at;
  ck_abort_msg("not found: %s", bytes);
  return 0;
}

static inline dump_file *fixture_open(const fixture *f, const char *name, const dump_limits *limits)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read(name, f->data, f->length, limits, &error);
  if (file == NULL)
    ck_abort_msg("%s: %s (byte %llu)", name, error.message, (unsigned long long)error.offset);
  return file;
}

/* The error that was expected, then cleared. */
static inline void fixture_expect_error(dump_error *error, uint64_t offset, const char *part)
{
  ck_assert_msg(error->message != NULL, "accepted, where this was expected: %s", part);
  ck_assert_msg(strstr(error->message, part) != NULL, "\"%s\" lacks \"%s\"", error->message, part);
  ck_assert_msg(error->has_offset, "%s: no offset", error->message);
  ck_assert_msg(error->offset == offset, "%s: offset %llu, not %llu", error->message,
                (unsigned long long)error->offset, (unsigned long long)offset);
  dump_error_clear(error);
}

static inline void fixture_expect_refusal(const fixture *f, const dump_limits *limits, uint64_t offset,
                                          const char *part)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read("bad", f->data, f->length, limits, &error);
  ck_assert_msg(file == NULL, "accepted, where this was expected: %s", part);
  ck_assert_str_eq(error.file, "bad");
  fixture_expect_error(&error, offset, part);
}

/* Element i, or half i of a complex one. */
static inline double fixture_value(const dump_file *file, const dump_tensor *tensor, size_t i)
{
  double values[2];
  unsigned lanes = dump_lanes(tensor->type);
  dump_error error;
  dump_error_init(&error);
  assay_status status = dump_values(file, values, tensor, i / lanes, 1, &error);
  ck_assert_msg(status == STATUS_OK, "%s: %s", tensor->name, error.message);
  return values[i % lanes];
}

/* Reads all values of a file that was let through, as far as they can be read. */
static inline void fixture_use(const dump_file *file)
{
  dump_error error;
  dump_error_init(&error);
  for (size_t k = 0; k < dump_count(file); k++) {
    const dump_tensor *tensor = dump_get(file, k);
    double values[16];
    for (uint64_t first = 0; first < tensor->count && first < 4096; first += 8) {
      size_t count = tensor->count - first < 8 ? (size_t)(tensor->count - first) : 8;
      if (dump_values(file, values, tensor, first, count, &error) != STATUS_OK)
        break;
    }
  }
  dump_error_clear(&error);
}

/* Cut anywhere, it is refused, with a place in what is left. */
static inline void fixture_cut_everywhere(const char *name)
{
  fixture whole = fixture_read(name);
  for (size_t length = 0; length < whole.length; length++) {
    fixture part = fixture_copy(whole.data, length);
    dump_error error;
    dump_error_init(&error);
    dump_file *file = dump_read("cut", part.data, part.length, NULL, &error);
    ck_assert_msg(file == NULL, "%s: accepted with %zu bytes", name, length);
    ck_assert(error.message != NULL && error.has_offset);
    ck_assert_msg(error.offset <= length, "%s cut to %zu bytes: offset %llu", name, length,
                  (unsigned long long)error.offset);
    dump_error_clear(&error);
    free(part.data);
  }
  free(whole.data);
}

/* Whatever one byte is changed to, the file is refused with a place in it, or all that it says stays
 * inside. */
static inline void fixture_change_everywhere(const char *name)
{
  static const unsigned char changes[] = {0, 1, 8, '9', ')', 0x80, 0xff};
  fixture whole = fixture_read(name);
  unsigned accepted = 0, refused = 0;
  for (size_t at = 0; at < whole.length; at++)
    for (size_t c = 0; c < sizeof changes; c++) {
      fixture changed = fixture_copy(whole.data, whole.length);
      changed.data[at] = changes[c];
      dump_error error;
      dump_error_init(&error);
      dump_file *file = dump_read("changed", changed.data, changed.length, NULL, &error);
      ck_assert((file == NULL) == (error.message != NULL));
      if (file != NULL)
        fixture_use(file);
      else
        ck_assert(error.has_offset && error.offset <= changed.length);
      accepted += file != NULL;
      refused += file == NULL;
      dump_close(file);
      dump_error_clear(&error);
      free(changed.data);
    }
  ck_assert_uint_gt(accepted, whole.length / 2);
  ck_assert_uint_gt(refused, whole.length / 2);
  free(whole.data);
}

#endif
