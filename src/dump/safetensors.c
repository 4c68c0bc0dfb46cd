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
#include "dump/reader.h"

enum { LENGTH_BYTES = 8 };

/* One member of the header's object, while it is being read. */
typedef struct {
  dump_file *file;
  dump_error *error;
  const char *name;
  uint64_t at;    /* byte offset of the name in the file */
  uint64_t start; /* byte offset of the first value of the file */
} entry;

/* Sets the error "tensor NAME: REASON" at the name's place; always false. */
static bool entry_fail(const entry *e, const char *reason)
{
  char *name = dump_quote(e->name);
  dump_error_set_at(e->error, e->file->name, e->at, "tensor %s: %s", name, reason);
  free(name);
  return false;
}

/* The offset in `header` of each key of the outermost object, in order; `count` of them. The text is known to
 * be valid JSON, so strings and brackets are all there is to watch. */
static void find_keys(size_t *keys, size_t count, const char *header, size_t length)
{
  size_t found = 0, depth = 0;
  bool wants_key = false;
  for (size_t i = 0; i < length && found < count; i++) {
    switch (header[i]) {
    case '{':
    case '[':
      wants_key = ++depth == 1;
      break;
    case '}':
    case ']':
      depth--;
      break;
    case ',':
      wants_key = depth == 1;
      break;
    case '"':
      if (wants_key)
        keys[found++] = i;
      wants_key = false;
      for (i++; i < length && header[i] != '"'; i++)
        if (header[i] == '\\')
          i++;
      break;
    default:
      break;
    }
  }
}

/* Jansson reports a repeated key one past its closing quote: steps back to the opening one. */
static size_t key_start(const char *header, size_t end)
{
  if (end < 2)
    return 0;
  size_t i = end - 2;
  for (; i > 0; i--) {
    if (header[i] != '"')
      continue;
    size_t slashes = 0;
    while (slashes < i && header[i - 1 - slashes] == '\\')
      slashes++;
    if (slashes % 2 == 0)
      break;
  }
  return i;
}

static json_t *parse_header(const dump_file *file, const char *header, size_t length, dump_error *error)
{
  if (length == 0 || header[0] != '{') {
    dump_error_set_at(error, file->name, LENGTH_BYTES, "the header does not begin with '{'");
    return NULL;
  }
  const char *nul = memchr(header, 0, length);
  if (nul != NULL) {
    dump_error_set_at(error, file->name, LENGTH_BYTES + (uint64_t)(nul - header),
                      "the header contains a NUL byte");
    return NULL;
  }
  json_error_t problem;
  json_t *root = json_loadb(header, length, JSON_REJECT_DUPLICATES, &problem);
  if (root != NULL)
    return root;
  size_t place = problem.position < 0 ? 0 : (size_t)problem.position;
  if (place > length)
    place = length;
  const char *reason = problem.text;
  switch (json_error_code(&problem)) {
  case json_error_duplicate_key:
    place = key_start(header, place);
    reason = "a name occurs twice";
    break;
  case json_error_null_character:
  case json_error_null_byte_in_key:
    reason = "a string contains NUL";
    break;
  case json_error_invalid_utf8:
    reason = "the header is not UTF-8";
    break;
  case json_error_out_of_memory:
    reason = "out of memory";
    break;
  case json_error_stack_overflow:
    reason = "the header is nested too deep";
    break;
  case json_error_premature_end_of_input:
    reason = "the header ends inside its JSON text";
    break;
  default: { /* Jansson's text quotes bytes of the file */
    char *quoted = dump_quote(problem.text);
    dump_error_set_at(error, file->name, LENGTH_BYTES + place, "the header is not JSON: %s", quoted);
    free(quoted);
    return NULL;
  }
  }
  dump_error_set_at(error, file->name, LENGTH_BYTES + place, "%s", reason);
  return NULL;
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
  bool empty = false;
  for (unsigned i = 0; i < tensor->rank; i++) {
    if (!take_natural(&tensor->shape[i], json_array_get(shape, i)))
      return entry_fail(e, "shape has an entry that is no whole number >= 0");
    empty = empty || tensor->shape[i] == 0;
  }
  tensor->count = empty ? 0 : 1;
  if (!empty)
    for (unsigned i = 0; i < tensor->rank; i++)
      if (__builtin_mul_overflow(tensor->count, tensor->shape[i], &tensor->count))
        return entry_fail(e, "the product of the shape exceeds 64 bits");
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
  if (end > e->file->length - e->start)
    return entry_fail(e, "data_offsets reach beyond the end of the file");
  tensor->offset = e->start + begin;
  tensor->bytes = end - begin;
  uint64_t size = reader_type_size(tensor->type_name), wanted;
  if (size == 0) /* a type of the future: listed, never read */
    return true;
  if (__builtin_mul_overflow(tensor->count, size, &wanted))
    return entry_fail(e, "the product of shape and dtype exceeds 64 bits");
  if (wanted != tensor->bytes)
    return entry_fail(e, "shape and dtype do not give the length of data_offsets");
  return true;
}

static bool read_entry(const entry *e, const json_t *value)
{
  if (!json_is_object(value))
    return entry_fail(e, "its description is no object");
  dump_tensor *tensor = reader_add(e->file);
  tensor->name = memory_copy_string(e->name);
  return read_type(tensor, e, json_object_get(value, "dtype")) &&
         read_shape(tensor, e, json_object_get(value, "shape")) &&
         read_place(tensor, e, json_object_get(value, "data_offsets"));
}

static bool read_metadata(const dump_file *file, uint64_t at, json_t *value, dump_error *error)
{
  bool good = json_is_object(value);
  const char *key;
  json_t *member;
  json_object_foreach(value, key, member) good = good && json_is_string(member);
  if (!good)
    dump_error_set_at(error, file->name, at, "__metadata__ is no object of strings");
  return good;
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

/* The tensors, put in order, must cover the file from `start` to its end. */
static bool check_cover(const dump_file *file, uint64_t start, dump_error *error)
{
  const dump_tensor **order = memory_new(file->count + 1, sizeof *order);
  for (size_t i = 0; i < file->count; i++)
    order[i] = &file->tensors[i];
  if (file->count > 1)
    qsort(order, file->count, sizeof *order, compare_places);
  uint64_t reached = start;
  bool good = true;
  for (size_t i = 0; good && i < file->count; i++) {
    good = order[i]->offset == reached;
    if (!good && order[i]->offset > reached)
      dump_error_set_at(error, file->name, reached, "the bytes up to %llu belong to no tensor",
                        (unsigned long long)order[i]->offset);
    else if (!good) {
      char *a = dump_quote(order[i - 1]->name), *b = dump_quote(order[i]->name);
      dump_error_set_at(error, file->name, order[i]->offset, "tensors %s and %s overlap", a, b);
      free(a);
      free(b);
    }
    reached = order[i]->offset + order[i]->bytes;
  }
  if (good && reached != file->length) {
    good = false;
    dump_error_set_at(error, file->name, reached, "the bytes up to the end of the file belong to no tensor");
  }
  free(order);
  return good;
}

static bool read_all(dump_file *file, dump_error *error)
{
  if (file->length < LENGTH_BYTES) {
    dump_error_set_at(error, file->name, file->length, "the file ends inside the 8 bytes of header length");
    return false;
  }
  uint64_t length = 0;
  for (unsigned i = 0; i < LENGTH_BYTES; i++)
    length |= (uint64_t)file->data[i] << (8 * i);
  if (length > DUMP_HEADER_BYTES) {
    dump_error_set_at(error, file->name, 0, "no safetensors file: header length %llu exceeds the limit of %d bytes",
                      (unsigned long long)length, DUMP_HEADER_BYTES);
    return false;
  }
  if (length > file->length - LENGTH_BYTES) {
    dump_error_set_at(error, file->name, 0, "no safetensors file, or one cut short: header length %llu reaches beyond the end of the file",
                      (unsigned long long)length);
    return false;
  }
  const char *header = (const char *)file->data + LENGTH_BYTES;
  json_t *root = parse_header(file, header, (size_t)length, error);
  if (root == NULL)
    return false;

  size_t count = json_object_size(root), i = 0;
  size_t *keys = memory_new(count + 1, sizeof *keys);
  find_keys(keys, count, header, (size_t)length);
  entry e = {.file = file, .error = error, .start = LENGTH_BYTES + length};
  bool good = true;
  json_t *value;
  json_object_foreach(root, e.name, value)
  { /* Jansson keeps the order of the text */
    e.at = LENGTH_BYTES + keys[i++];
    good =
        strcmp(e.name, "__metadata__") == 0 ? read_metadata(file, e.at, value, error) : read_entry(&e, value);
    if (!good)
      break;
  }
  free(keys);
  json_decref(root);
  return good && check_cover(file, e.start, error);
}

static dump_file *finish(dump_file *file, dump_error *error)
{
  if (file != NULL && !read_all(file, error)) {
    dump_close(file);
    return NULL;
  }
  if (file != NULL)
    reader_index(file);
  return file;
}

dump_file *dump_open_safetensors(const char *path, dump_error *error)
{
  return finish(reader_map(path, error), error);
}

dump_file *dump_read_safetensors(const char *name, const unsigned char *data, size_t length,
                                 dump_error *error)
{
  return finish(reader_create(name, data, length), error);
}
