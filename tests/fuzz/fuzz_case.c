/* The reader of case files. */
#include <stdlib.h>

#include "source/case_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  diag *d = diag_create(NULL, 10);
  case_file f;
  bool good = case_file_read_source(&f, d, diag_source_from("fuzz.case", (const char *)data, size));
  if (good != (diag_errors(d) == 0))
    abort();
  for (size_t i = 0; good && i < f.count; i++)
    if (!f.run[i].name || (!f.run[i].claim && !f.run[i].file))
      abort();
  case_file_clear(&f);
  diag_destroy(d);
  return 0;
}
