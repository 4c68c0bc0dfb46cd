/* GGUF files of either order of bytes. */
#include "tests/fuzz/fuzz_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_dump(gguf_read, data, size);
  return 0;
}
