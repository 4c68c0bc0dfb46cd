/* One array of numpy. */
#include "tests/fuzz/fuzz_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_dump(npy_read, data, size);
  return 0;
}
