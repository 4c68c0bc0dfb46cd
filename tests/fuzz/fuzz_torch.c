/* Checkpoints: pickles by themselves, torch's old streams, and torch's archives. */
#include "dump/zip.h"
#include "tests/fuzz/fuzz_dump.h"

static assay_status read_torch(dump_file *file, size_t segment, const dump_limits *given, dump_error *error)
{
  const unsigned char *data = file->segments[segment].data;
  size_t length = (size_t)file->segments[segment].length;
  dump_limits limits = *given;
  limits.header_bytes = 1 << 16; /* as above: what takes long shows nothing */
  limits.tensors = 1000;
  if (!zip_is(data, length))
    return torch_legacy_read(file, segment, &limits, error);
  zip_directory directory;
  assay_status status = zip_open(&directory, "fuzz", data, length, &limits, error);
  if (status == STATUS_OK && !torch_zip_is(&directory)) {
    dump_error_set_at(error, "fuzz", 0, "no torch file");
    status = STATUS_BAD_INPUT;
  }
  if (status == STATUS_OK)
    status = torch_zip_read(file, segment, &directory, &limits, error);
  zip_clear(&directory);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_dump(read_torch, data, size);
  return 0;
}
