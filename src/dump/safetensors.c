/* The safetensors container: 8 bytes of header length (little-endian), a JSON object, then the values.
 *
 *   {"__metadata__": {"key": "text"}, "NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
 *
 * Offsets count from the end of the header; together the tensors cover the rest of the file, without gap or
 * overlap. Source: the format's description at https://github.com/huggingface/safetensors. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/dump.h"
#include "dump/json_text.h"
#include "dump/reader.h"

enum { LENGTH_BYTES = 8 };

/* One member of the header's object, while it is being read. */
typedef struct {
  dump_file *file;
  size_t segment;
  dump_error *error;
  const char *name;
  uint64_t at;    /* byte offset of the name in the file */
  uint64_t start; /* byte offset of the first value of the file */
} entry;

/* Sets the error "tensor NAME: REASON" at the name's place; always false. */
static bool entry_fail(const entry *e, const char *reason)
{
  char *name = dump_quote(e->name);
  dump_error_set_at(e->error, e->file->segments[e->segment].name, e->at, "tensor %s: %s", name, reason);
  free(name);
  return false;
}

/* A member that must be a whole number >= 0. */
static bool take_natural(uint64_t *value, const json_t *number)
{
  if (!json_is_integer(number) || json_integer_value(number) < 0)
    return false;
  *value = (uint64_t)json_integer_value(number);
  return true;
}

static bool read_type(dump_tensor *tensor, const entry *e, const json_t *type)
{
  if (!json_is_string(type))
    return entry_fail(e, "dtype is missing or no string");
  const char *name = json_string_value(type);
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof tensor->type_name ||
      strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != length)
    return entry_fail(e, "dtype is no name of a type");
  memcpy(tensor->type_name, name, length + 1);
  tensor->type = reader_type(name);
  return true;
}

static bool read_shape(dump_tensor *tensor, const entry *e, const json_t *shape)
{
  if (!json_is_array(shape))
    return entry_fail(e, "shape is missing or no array");
  if (json_array_size(shape) > DUMP_RANK)
    return entry_fail(e, "shape has more than 32 dimensions");
  tensor->rank = (unsigned)json_array_size(shape);
  for (unsigned i = 0; i < tensor->rank; i++)
    if (!take_natural(&tensor->shape[i], json_array_get(shape, i)))
      return entry_fail(e, "shape has an entry that is no whole number >= 0");
  if (!reader_fill_row_major(tensor))
    return entry_fail(e, "the product of shape and dtype is too large");
  return true;
}

static bool read_place(dump_tensor *tensor, const entry *e, const json_t *offsets)
{
  uint64_t begin, end;
  if (!json_is_array(offsets) || json_array_size(offsets) != 2 ||
      !take_natural(&begin, json_array_get(offsets, 0)) || !take_natural(&end, json_array_get(offsets, 1)))
    return entry_fail(e, "data_offsets is no pair of whole numbers >= 0");
  if (begin > end)
    return entry_fail(e, "data_offsets end before they begin");
  if (end > e->file->segments[e->segment].length - e->start)
    return entry_fail(e, "data_offsets reach beyond the end of the file");
  tensor->segment = e->segment;
  tensor->offset = e->start + begin;
  if (tensor->type == DUMP_OTHER) /* a type of the future: listed, never read */
    tensor->bytes = end - begin;
  if (tensor->bytes != end - begin)
    return entry_fail(e, "shape and dtype do not give the length of data_offsets");
  return true;
}

static bool read_entry(const entry *e, const json_t *value)
{
  if (!json_is_object(value))
    return entry_fail(e, "its description is no object");
  dump_tensor *tensor = reader_add(e->file, e->name);
  return read_type(tensor, e, json_object_get(value, "dtype")) &&
         read_shape(tensor, e, json_object_get(value, "shape")) &&
         read_place(tensor, e, json_object_get(value, "data_offsets"));
}

static bool read_metadata(const entry *e, json_t *value)
{
  bool good = json_is_object(value);
  const char *key;
  json_t *member;
  json_object_foreach(value, key, member) good = good && json_is_string(member);
  if (!good) {
    dump_error_set_at(e->error, e->file->segments[e->segment].name, e->at,
                      "__metadata__ is no object of strings");
    return false;
  }
  json_object_foreach(value, key, member) reader_add_note(e->file, key, json_string_value(member));
  return true;
}

static int compare_places(const void *a, const void *b)
{
  const dump_tensor *x = *(const dump_tensor *const *)a, *y = *(const dump_tensor *const *)b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* The tensors from number `first` on, put in order, must cover the file from `start` to its end. */
static bool check_cover(const dump_file *file, size_t segment, size_t first, uint64_t start,
                        dump_error *error)
{
  const char *name = file->segments[segment].name;
  size_t count = file->count - first;
  const dump_tensor **order = memory_new(count + 1, sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = &file->tensors[first + i];
  if (count > 1)
    qsort(order, count, sizeof *order, compare_places);
  uint64_t reached = start;
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    good = order[i]->offset == reached;
    if (!good && order[i]->offset > reached)
      dump_error_set_at(error, name, reached, "the bytes up to %llu belong to no tensor",
                        (unsigned long long)order[i]->offset);
    else if (!good) {
      char *a = dump_quote(order[i - 1]->name), *b = dump_quote(order[i]->name);
      dump_error_set_at(error, name, order[i]->offset, "tensors %s and %s overlap", a, b);
      free(a);
      free(b);
    }
    reached = order[i]->offset + order[i]->bytes;
  }
  if (good && reached != file->segments[segment].length) {
    good = false;
    dump_error_set_at(error, name, reached, "the bytes up to the end of the file belong to no tensor");
  }
  free(order);
  return good;
}

static uint64_t header_length(const unsigned char *data)
{
  uint64_t length = 0;
  for (unsigned i = 0; i < LENGTH_BYTES; i++)
    length |= (uint64_t)data[i] << (8 * i);
  return length;
}

/* A header of less than 2^40 bytes, whether it begins well or not; or one that begins well. The reader can
 * then say what is wrong. */
bool safetensors_is(const unsigned char *data, size_t length)
{
  return length >= LENGTH_BYTES &&
         (header_length(data) >> 40 == 0 || (length > LENGTH_BYTES && data[LENGTH_BYTES] == '{'));
}

/* The header as JSON; `length` is set. */
static json_t *read_header(uint64_t *length, const reader_segment *segment, const dump_limits *limits,
                           dump_error *error)
{
  const char *name = segment->name;
  if (segment->length < LENGTH_BYTES) {
    dump_error_set_at(error, name, segment->length, "the file ends inside the 8 bytes of header length");
    return NULL;
  }
  *length = header_length(segment->data);
  if (*length > limits->header_bytes) {
    dump_error_set_at(error, name, 0, "header length %llu exceeds the limit of %llu bytes",
                      (unsigned long long)*length, (unsigned long long)limits->header_bytes);
    return NULL;
  }
  if (*length > segment->length - LENGTH_BYTES) {
    dump_error_set_at(error, name, 0, "header length %llu reaches beyond the end of the file",
                      (unsigned long long)*length);
    return NULL;
  }
  const char *header = (const char *)segment->data + LENGTH_BYTES;
  if (*length == 0 || header[0] != '{') {
    dump_error_set_at(error, name, LENGTH_BYTES, "the header does not begin with '{'");
    return NULL;
  }
  return json_text_parse(name, "the header", header, (size_t)*length, LENGTH_BYTES, limits->depth, error);
}

assay_status safetensors_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  uint64_t length;
  json_t *root = read_header(&length, &file->segments[segment], limits, error);
  if (root == NULL)
    return STATUS_BAD_INPUT;
  file->container = "safetensors";
  size_t count = json_object_size(root), i = 0, first = file->count;
  const char *header = (const char *)file->segments[segment].data + LENGTH_BYTES;
  size_t *keys = memory_new(count + 1, sizeof *keys);
  json_text_keys(keys, count, header, (size_t)length);
  entry e = {.file = file, .segment = segment, .error = error, .start = LENGTH_BYTES + length};
  bool good = true;
  if (count > limits->tensors && count - limits->tensors > (json_object_get(root, "__metadata__") != NULL)) {
    dump_error_set_at(error, file->segments[segment].name, LENGTH_BYTES,
                      "%zu names exceed the limit of %llu tensors", count,
                      (unsigned long long)limits->tensors);
    good = false;
  }
  json_t *value;
  json_object_foreach(root, e.name, value)
  { /* Jansson keeps the order of the text */
    if (!good)
      break;
    e.at = LENGTH_BYTES + keys[i++];
    good = strcmp(e.name, "__metadata__") == 0 ? read_metadata(&e, value) : read_entry(&e, value);
  }
  free(keys);
  json_decref(root);
  return good && check_cover(file, segment, first, e.start, error) ? STATUS_OK : STATUS_BAD_INPUT;
}
