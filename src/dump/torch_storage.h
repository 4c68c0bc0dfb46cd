/* Storages by their persistent ids, and element types by name. Private to torch*.c. */
#ifndef ASSAY_DUMP_TORCH_STORAGE_H
#define ASSAY_DUMP_TORCH_STORAGE_H

#include "dump/torch.h"

/* One reference to a storage, or to a view of one. */
typedef struct {
  const char *key; /* not terminated */
  size_t key_length;
  torch_type type;
  uint64_t first, count; /* elements: of the view, or 0 and all */
  uint64_t whole;        /* elements of the storage */
} torch_mention;

/* "FloatStorage"; false when there is none of that name. */
bool torch_type_of_storage(torch_type *type, const char *class_name);
/* "float32"; OTHER of size 0 when there is none of that name. */
void torch_type_of_name(torch_type *type, const char *name);
bool torch_is_storage(const pickle_value *value);
/* Of a value that is one. */
bool torch_take_mention(torch_reader *r, torch_mention *mention, const pickle_value *value);

#endif
