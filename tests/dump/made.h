/* Dumps made by hand, of one tensor over given bytes. */
#ifndef ASSAY_TESTS_DUMP_MADE_H
#define ASSAY_TESTS_DUMP_MADE_H

#include <check.h>

#include "dump/dump.h"
#include "dump/reader.h"

/* A tensor "x" at byte `offset` of the data. strides NULL: row-major. */
static inline dump_file *made_dump(const unsigned char *data, size_t length, uint64_t offset, dump_type type,
                                   unsigned rank, const uint64_t *shape, const int64_t *strides,
                                   bool big_endian)
{
  dump_file *file = reader_create("made");
  file->container = "made";
  size_t segment = reader_borrow(file, "made", data, length);
  dump_tensor *tensor = reader_add(file, "x");
  tensor->type = type;
  tensor->rank = rank;
  tensor->segment = segment;
  tensor->offset = offset;
  tensor->big_endian = big_endian;
  for (unsigned i = 0; i < rank; i++) {
    tensor->shape[i] = shape[i];
    tensor->stride[i] = strides != NULL ? strides[i] : 0;
  }
  ck_assert(strides != NULL ? reader_fill_strided(tensor) : reader_fill_row_major(tensor));
  ck_assert_uint_le(tensor->bytes, length - offset);
  dump_limits limits = dump_limits_default();
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(reader_index(file, &limits, &error), STATUS_OK);
  return file;
}

/* The only tensor's elements from `first` on. */
static inline void made_values(double *values, const dump_file *file, uint64_t first, size_t count)
{
  dump_error error;
  dump_error_init(&error);
  assay_status status = dump_values(file, values, dump_get(file, 0), first, count, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.message);
}

#endif
