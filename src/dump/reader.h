/* What the readers of single formats share. Private to src/dump. */
#ifndef ASSAY_DUMP_READER_H
#define ASSAY_DUMP_READER_H

#include "dump/dump.h"

struct dump_file {
  char *name;
  const unsigned char *data; /* length bytes: mapped when `mapped`, else borrowed */
  size_t length;
  bool mapped;
  dump_tensor *tensors;
  size_t count, capacity;
  const dump_tensor **by_name; /* the tensors in the order of strcmp; made by reader_index */
};

/* An empty dump on borrowed bytes. */
dump_file *reader_create(const char *name, const unsigned char *data, size_t length);
/* An empty dump on a mapped regular file; NULL with `error` set. */
dump_file *reader_map(const char *path, dump_error *error);
/* A zeroed tensor at the end. The pointer is good until the next call. */
dump_tensor *reader_add(dump_file *file);
/* Makes dump_find work; call once, after the last reader_add. */
void reader_index(dump_file *file);

/* Bytes per value of the types that the formats name, 0 for one that is not known. */
unsigned reader_type_size(const char *name);
dump_type reader_type(const char *name);

#endif
