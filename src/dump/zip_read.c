/* From a zip archive to the reader of what it holds. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "dump/zip.h"

bool zip_is(const unsigned char *data, size_t length)
{
  /* A first member; or an archive without any, with its end record alone. */
  return length >= 4 && (memcmp(data, "PK\3\4", 4) == 0 || memcmp(data, "PK\5\6", 4) == 0 ||
                         memcmp(data, "PK\6\6", 4) == 0);
}

size_t zip_segment(dump_file *file, size_t archive, const zip_member *member, uint64_t *base)
{
  *base = member->deflated ? 0 : member->offset;
  return member->deflated ? reader_add_packed(file, archive, member->name, member->offset, member->stored,
                                              member->length, member->checksum)
                          : archive;
}

static assay_status refuse_content(const dump_file *file, size_t archive, const zip_directory *directory,
                                   dump_error *error)
{
  enum { SHOWN = 4 };
  text seen;
  text_init(&seen);
  for (size_t i = 0; i < directory->count && i < SHOWN; i++) {
    char *name = dump_quote(directory->members[i].name);
    text_addf(&seen, "%s%s", i > 0 ? ", " : "", name);
    free(name);
  }
  if (directory->count > SHOWN)
    text_addf(&seen, " and %zu more", directory->count - SHOWN);
  dump_error_set_at(error, file->segments[archive].name, 0,
                    "a zip archive, but no torch file and no npz; its members: %s",
                    directory->count > 0 ? text_string(&seen) : "none");
  text_clear(&seen);
  return STATUS_BAD_INPUT;
}

assay_status zip_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  const reader_segment *whole = &file->segments[segment];
  zip_directory directory;
  assay_status status = zip_open(&directory, whole->name, whole->data, whole->length, limits, error);
  if (status != STATUS_OK)
    return status;
  if (torch_zip_is(&directory))
    status = torch_zip_read(file, segment, &directory, limits, error);
  else if (npz_is(&directory))
    status = npz_read(file, segment, &directory, limits, error);
  else
    status = refuse_content(file, segment, &directory, error);
  zip_clear(&directory);
  return status;
}
