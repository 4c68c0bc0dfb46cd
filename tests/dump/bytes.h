/* Safetensors files made by hand in tests: header text and value bytes, put together. */
#ifndef ASSAY_TESTS_DUMP_BYTES_H
#define ASSAY_TESTS_DUMP_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned char *data;
  size_t length;
  size_t mark; /* where '@' stood in the header, as an offset in the file; SIZE_MAX without */
} bytes;

/* The file of a header and `values` bytes of data (NULL: zeros). In the header '@' marks a place and is
 * dropped, '~' becomes a NUL byte and '^' the byte 0xff. */
static inline bytes bytes_make(const char *header, const void *data, size_t values)
{
  size_t room = strlen(header);
  bytes made = {malloc(8 + room + values + 1), 0, SIZE_MAX};
  size_t at = 8;
  for (const char *p = header; *p != 0; p++) {
    if (*p == '@')
      made.mark = at;
    else
      made.data[at++] = *p == '~' ? 0 : *p == '^' ? 0xff : (unsigned char)*p;
  }
  uint64_t length = at - 8;
  for (unsigned i = 0; i < 8; i++)
    made.data[i] = (unsigned char)(length >> (8 * i));
  if (data != NULL)
    memcpy(made.data + at, data, values);
  else
    memset(made.data + at, 0, values);
  made.length = at + values;
  return made;
}

static inline void bytes_set_length(bytes *file, uint64_t length)
{
  for (unsigned i = 0; i < 8; i++)
    file->data[i] = (unsigned char)(length >> (8 * i));
}

#endif
