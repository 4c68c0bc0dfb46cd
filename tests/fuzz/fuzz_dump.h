/* Fuzzing one reader of parameter files: what it refuses has a message and an offset, and every value of what
 * it lets through can be asked for. */
#ifndef ASSAY_TESTS_FUZZ_FUZZ_DUMP_H
#define ASSAY_TESTS_FUZZ_FUZZ_DUMP_H

#include <stdlib.h>

#include "dump/reader.h"
#include "tests/fuzz/fuzz.h"

typedef assay_status fuzz_reader(dump_file *file, size_t segment, const dump_limits *limits,
                                 dump_error *error);

static inline void fuzz_dump_values(const dump_file *file, dump_error *error)
{
  enum { AT_ONCE = 64, AT_MOST = 1 << 16 /* a stride of 0 makes many out of one */ };
  double values[2 * AT_ONCE]; /* complex ones are two */
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *tensor = dump_get(file, i);
    for (uint64_t first = 0; first < tensor->count && first < AT_MOST; first += AT_ONCE) {
      uint64_t rest = tensor->count - first;
      size_t count = rest < AT_ONCE ? (size_t)rest : AT_ONCE;
      if (dump_values(file, values, tensor, first, count, error) != STATUS_OK)
        break;
    }
  }
}

static inline void fuzz_dump(fuzz_reader *reader, const uint8_t *data, size_t size)
{
  dump_limits limits = dump_limits_default();
  limits.inflated_bytes = 1 << 20; /* a bomb would cost time and show nothing */
  dump_error error;
  dump_error_init(&error);
  dump_file *file = reader_create("fuzz");
  size_t segment = reader_borrow(file, "fuzz", data, size);
  if (reader(file, segment, &limits, &error) != STATUS_OK) {
    if (error.message == NULL || !error.has_offset || error.offset > size)
      abort();
  } else if (error.message != NULL)
    abort();
  else if (reader_index(file, &limits, &error) == STATUS_OK)
    fuzz_dump_values(file, &error);
  dump_close(file);
  dump_error_clear(&error);
}

#endif
