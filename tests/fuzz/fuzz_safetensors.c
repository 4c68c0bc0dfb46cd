/* The reader of parameter files: every value of every tensor that it lets through can be read. */
#include <stdlib.h>

#include "dump/dump.h"
#include "dump/mamba.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { AT_ONCE = 64 };
  double values[AT_ONCE];
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read_safetensors("fuzz.safetensors", data, size, &error);
  if (!file && !error.message)
    abort();
  for (size_t i = 0; file && i < dump_count(file); i++) {
    const dump_tensor *tensor = dump_get(file, i);
    for (uint64_t first = 0; first < tensor->count; first += AT_ONCE) {
      uint64_t rest = tensor->count - first;
      size_t count = rest < AT_ONCE ? (size_t)rest : AT_ONCE;
      if (dump_values(file, values, tensor, first, count, &error) != STATUS_OK)
        break;
    }
  }
  if (file) {
    mamba_model model;
    if (mamba_recognise(&model, file, &error) == STATUS_OK)
      mamba_clear(&model);
    dump_close(file);
  }
  dump_error_clear(&error);
  return 0;
}
