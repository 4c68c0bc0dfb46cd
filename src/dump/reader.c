/* A dump as its readers fill it: tensors, their layout, notes, and finding them by name. */
#include "dump/reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

dump_limits dump_limits_default(void)
{
  return (dump_limits){
      .header_bytes = 100000000, .tensors = 1000000, .inflated_bytes = UINT64_C(4) << 30, .depth = 512};
}

dump_file *reader_create(const char *name)
{
  dump_file *file = memory_new(1, sizeof *file);
  file->name = memory_copy_string(name);
  return file;
}

void dump_close(dump_file *file)
{
  if (file == NULL)
    return;
  reader_drop_segments(file);
  for (size_t i = 0; i < file->count; i++)
    free(file->tensors[i].name);
  for (size_t i = 0; i < file->note_count; i++) {
    free(file->notes[i].key);
    free(file->notes[i].value);
  }
  free(file->tensors);
  free(file->by_name);
  free(file->notes);
  free(file->name);
  free(file);
}

dump_tensor *reader_add(dump_file *file, const char *name)
{
  if (file->count == file->capacity) {
    file->capacity = file->capacity == 0 ? 64 : memory_multiply(file->capacity, 2);
    file->tensors = memory_resize(file->tensors, file->capacity, sizeof *file->tensors);
  }
  dump_tensor *tensor = &file->tensors[file->count++];
  memset(tensor, 0, sizeof *tensor);
  tensor->name = memory_copy_string(name);
  return tensor;
}

static bool is_empty(const dump_tensor *tensor)
{
  for (unsigned i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] == 0)
      return true;
  return false;
}

/* The elements of a tensor that is not empty; false when there are more than a stride can tell. */
static bool count_elements(uint64_t *count, const dump_tensor *tensor)
{
  *count = 1;
  for (unsigned i = 0; i < tensor->rank; i++)
    if (__builtin_mul_overflow(*count, tensor->shape[i], count))
      return false;
  return *count <= INT64_MAX;
}

static void fill_empty(dump_tensor *tensor)
{
  memset(tensor->stride, 0, sizeof tensor->stride);
  tensor->contiguous = true;
  tensor->count = 0;
  if (tensor->type != DUMP_OTHER)
    tensor->bytes = 0;
}

bool reader_fill_row_major(dump_tensor *tensor)
{
  unsigned values, size;
  reader_block(tensor->type, &values, &size);
  if (tensor->rank > DUMP_RANK)
    return false;
  /* Blocks lie along the last index. */
  if (values > 1 && (tensor->rank == 0 || tensor->shape[tensor->rank - 1] % values != 0))
    return false;
  if (is_empty(tensor)) {
    fill_empty(tensor);
    return true;
  }
  uint64_t count, bytes = 0;
  if (!count_elements(&count, tensor))
    return false;
  if (values > 0 && __builtin_mul_overflow(count / values, (uint64_t)size, &bytes))
    return false;
  tensor->count = count;
  if (values > 0)
    tensor->bytes = bytes;
  int64_t stride = 1;
  for (unsigned i = tensor->rank; i-- > 0;) {
    tensor->stride[i] = stride;
    stride *= (int64_t)tensor->shape[i]; /* at most count, which fits */
  }
  tensor->contiguous = true;
  return true;
}

bool reader_fill_strided(dump_tensor *tensor)
{
  unsigned values, size;
  reader_block(tensor->type, &values, &size);
  if (tensor->rank > DUMP_RANK)
    return false;
  for (unsigned i = 0; i < tensor->rank; i++)
    if (tensor->stride[i] < 0)
      return false;
  if (is_empty(tensor)) {
    fill_empty(tensor);
    return true;
  }
  uint64_t count, last = 0, bytes = 0;
  if (!count_elements(&count, tensor))
    return false;
  bool contiguous = true;
  int64_t row_major = 1;
  for (unsigned i = tensor->rank; i-- > 0;) {
    uint64_t reach;
    if (__builtin_mul_overflow(tensor->shape[i] - 1, (uint64_t)tensor->stride[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
    /* Along an index with a single value nothing is ever stepped over. */
    contiguous = contiguous && (tensor->shape[i] == 1 || tensor->stride[i] == row_major);
    row_major *= (int64_t)tensor->shape[i];
  }
  if (values > 1)
    return contiguous && reader_fill_row_major(tensor);
  if (last >= INT64_MAX || __builtin_mul_overflow(last + 1, (uint64_t)size, &bytes))
    return false;
  tensor->contiguous = contiguous;
  tensor->count = count;
  if (values > 0)
    tensor->bytes = bytes;
  return true;
}

uint64_t reader_place(const dump_file *file, const dump_tensor *tensor, uint64_t ahead)
{
  const reader_segment *segment = &file->segments[tensor->segment];
  return segment->hold == SEGMENT_INFLATED ? segment->packed_offset : tensor->offset + ahead;
}

static int compare_names(const void *a, const void *b)
{
  const dump_tensor *x = *(const dump_tensor *const *)a, *y = *(const dump_tensor *const *)b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order : x < y ? -1 : x > y;
}

static assay_status report_twice(const dump_file *file, const dump_tensor *a, const dump_tensor *b,
                                 dump_error *error)
{
  const char *first = file->segments[a->segment].name, *second = file->segments[b->segment].name;
  char *name = dump_quote(a->name), *other = dump_quote(first);
  bool same = strcmp(first, second) == 0;
  dump_error_set_tensor(error, file, b, "tensor %s occurs twice; the first is at byte %llu%s%s", name,
                        (unsigned long long)reader_place(file, a, 0), same ? "" : " of ", same ? "" : other);
  free(other);
  free(name);
  return STATUS_BAD_INPUT;
}

assay_status reader_index(dump_file *file, const dump_limits *limits, dump_error *error)
{
  if (file->count > limits->tensors) {
    dump_error_set(error, file->name, "%zu tensors exceed the limit of %llu", file->count,
                   (unsigned long long)limits->tensors);
    return STATUS_BAD_INPUT;
  }
  free(file->by_name);
  file->by_name = memory_new(file->count + 1, sizeof *file->by_name);
  for (size_t i = 0; i < file->count; i++)
    file->by_name[i] = &file->tensors[i];
  if (file->count > 1)
    qsort(file->by_name, file->count, sizeof *file->by_name, compare_names);
  for (size_t i = 1; i < file->count; i++)
    if (strcmp(file->by_name[i - 1]->name, file->by_name[i]->name) == 0)
      return report_twice(file, file->by_name[i - 1], file->by_name[i], error);
  return STATUS_OK;
}

const char *dump_name(const dump_file *file)
{
  return file->name;
}

const char *dump_container(const dump_file *file)
{
  return file->container;
}

size_t dump_count(const dump_file *file)
{
  return file->count;
}

const dump_tensor *dump_get(const dump_file *file, size_t i)
{
  return i < file->count ? &file->tensors[i] : NULL;
}

const dump_tensor *dump_find(const dump_file *file, const char *name)
{
  size_t low = 0, high = file->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const dump_tensor *tensor = file->by_name[middle];
    int order = strcmp(name, tensor->name);
    if (order == 0)
      return tensor;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void reader_add_note(dump_file *file, const char *key, const char *value)
{
  if (file->note_count == file->note_capacity) {
    file->note_capacity = file->note_capacity == 0 ? 16 : memory_multiply(file->note_capacity, 2);
    file->notes = memory_resize(file->notes, file->note_capacity, sizeof *file->notes);
  }
  file->notes[file->note_count++] = (reader_note){memory_copy_string(key), memory_copy_string(value)};
}

const char *dump_note(const dump_file *file, const char *key)
{
  for (size_t i = 0; i < file->note_count; i++)
    if (strcmp(file->notes[i].key, key) == 0)
      return file->notes[i].value;
  return NULL;
}

size_t dump_note_count(const dump_file *file)
{
  return file->note_count;
}

void dump_get_note(const dump_file *file, size_t i, const char **key, const char **value)
{
  *key = file->notes[i].key;
  *value = file->notes[i].value;
}

/* The bytes of the UTF-8 character at the beginning of at least one byte; 0 when there is none. */
static size_t character_length(const unsigned char *p, size_t length)
{
  unsigned char c = p[0];
  if (c < 0x80)
    return 1;
  size_t n = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (n == 0 || n > length)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  /* Overlong forms, surrogates, and beyond U+10FFFF show in the second byte. */
  bool odd = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] >= 0xa0) || (c == 0xf0 && p[1] < 0x90) ||
             (c == 0xf4 && p[1] >= 0x90);
  return odd ? 0 : n;
}

bool reader_name_fits(const char *name, size_t length)
{
  const unsigned char *p = (const unsigned char *)name;
  for (size_t i = 0; i < length;) {
    size_t n = p[i] == 0 ? 0 : character_length(p + i, length - i);
    if (n == 0)
      return false;
    i += n;
  }
  return true;
}
