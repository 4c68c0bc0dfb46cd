/* Archives of arrays. Those of torch have a target of their own. */
#include "dump/zip.h"
#include "tests/fuzz/fuzz_dump.h"

static assay_status read_npz(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  zip_directory directory;
  assay_status status = zip_open(&directory, "fuzz", file->segments[segment].data,
                                 file->segments[segment].length, limits, error);
  if (status == STATUS_OK)
    status = npz_read(file, segment, &directory, limits, error);
  zip_clear(&directory);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_dump(read_npz, data, size);
  return 0;
}
