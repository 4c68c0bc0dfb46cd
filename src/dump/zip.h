/* The directory of a zip archive, read from its end as zip programs do, zip64 included. Private to src/dump.
 *
 * Guarantee. Every member's data lie inside the archive, before its directory; local headers agree with the
 * directory (name, method; sizes and checksum where the local header has them, else a data descriptor behind
 * the data); no two members overlap; names are unique, not empty, valid UTF-8 and free of NUL. Methods other
 * than stored and deflated, encryption, and archives in several parts are errors. */
#ifndef ASSAY_DUMP_ZIP_H
#define ASSAY_DUMP_ZIP_H

#include "dump/dump.h"
#include "dump/reader.h"

typedef struct {
  char *name;       /* owned */
  uint64_t header;  /* offset of its local header */
  uint64_t offset;  /* of its first byte of data */
  uint64_t stored;  /* bytes in the archive */
  uint64_t length;  /* bytes when inflated; equal to stored when not deflated */
  uint32_t checksum;
  bool deflated;
} zip_member;

typedef struct {
  zip_member *members; /* in the order of the directory */
  size_t count;
  const zip_member **by_name; /* the members in the order of strcmp */
} zip_directory;

/* STATUS_BAD_INPUT with `error` set; `directory` is then empty. */
assay_status zip_open(zip_directory *directory, const char *name, const unsigned char *data, uint64_t length,
                      const dump_limits *limits, dump_error *error);
void zip_clear(zip_directory *directory);
/* NULL when there is none of that name. */
const zip_member *zip_find(const zip_directory *directory, const char *name);

/* The bytes of a member as a segment of `file`, whose segment `archive` is the zip: the archive's own segment
 * with *base = the member's offset when stored, a new (compressed) segment with *base = 0 when deflated. */
size_t zip_segment(dump_file *file, size_t archive, const zip_member *member, uint64_t *base);

/* The readers of what lies inside. */
bool npz_is(const zip_directory *directory);
assay_status npz_read(dump_file *file, size_t archive, const zip_directory *directory,
                      const dump_limits *limits, dump_error *error);
bool torch_zip_is(const zip_directory *directory);
assay_status torch_zip_read(dump_file *file, size_t archive, const zip_directory *directory,
                            const dump_limits *limits, dump_error *error);

#endif
