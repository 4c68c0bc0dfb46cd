/* The GGUF container, versions 2 and 3 (of which 3 may be big-endian).
 *
 *   "GGUF", version (4 bytes), number of tensors, number of keys (8 bytes each);
 *   for each key: a name, the type of the value (4 bytes), the value;
 *   for each tensor: a name, the number of dimensions (4 bytes), these (8 bytes each), the type (4 bytes),
 *   the offset (8 bytes) from where the data begin; then the data, at the next multiple of the alignment.
 *
 * The alignment is the key general.alignment, else 32; every offset is a multiple of it. GGUF lists the
 * fastest dimension first: a tensor's shape here is the reverse. Keys become notes; those of a file in
 * several parts are split.no, split.count and split.tensors.count. Gaps between tensors, and bytes behind the
 * last one, are padding. Source: the description in GGML's docs/gguf.md. */
#include "dump/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/octets.h"
#include "dump/reader.h"

enum {
  RANK_MOST = 4,
  ALIGNMENT_USUAL = 32,
  ALIGNMENT_LEAST = 8,
  ALIGNMENT_MOST = 1 << 24,
  KEY_LEAST = 8 + 1 + 4 + 1,       /* bytes of a key and its value */
  TENSOR_LEAST = 8 + 1 + 4 + 4 + 8 /* bytes of what describes a tensor */
};

/* A name and where it stands. */
typedef struct {
  const char *name;
  uint64_t at;
} named;

/* A tensor's place, as the header gives it. */
typedef struct {
  const dump_tensor *tensor;
  uint64_t at; /* of the field with its offset */
} place;

bool gguf_is(const unsigned char *data, size_t length)
{
  return length >= 4 && memcmp(data, "GGUF", 4) == 0;
}

static int compare_names(const void *x, const void *y)
{
  const named *a = x, *b = y;
  int order = strcmp(a->name, b->name);
  return order != 0 ? order : a->at < b->at ? -1 : a->at > b->at;
}

static bool check_unique(const gguf_cursor *c, named *names, size_t count, const char *what)
{
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 1; i < count; i++)
    if (strcmp(names[i - 1].name, names[i].name) == 0) {
      char *quoted = dump_quote(names[i].name);
      gguf_fail(c, names[i].at, "%s %s occurs twice; the first is at byte %llu", what, quoted,
                (unsigned long long)names[i - 1].at);
      free(quoted);
      return false;
    }
  return true;
}

static bool check_alignment(const gguf_cursor *c, uint64_t at, uint32_t type, uint64_t alignment)
{
  if (type != GGUF_U32)
    return gguf_fail(c, at, "general.alignment is no number of type u32");
  if (alignment < ALIGNMENT_LEAST || alignment > ALIGNMENT_MOST || (alignment & (alignment - 1)) != 0)
    return gguf_fail(c, at, "general.alignment %llu is no power of two from %d to %d",
                     (unsigned long long)alignment, ALIGNMENT_LEAST, ALIGNMENT_MOST);
  return true;
}

static bool read_keys(gguf_cursor *c, dump_file *file, uint64_t count, uint64_t *alignment)
{
  named *names = memory_new((size_t)count + 1, sizeof *names);
  size_t first = file->note_count;
  bool good = true;
  for (uint64_t i = 0; good && i < count; i++) {
    names[i].at = c->at;
    char *key = gguf_take_name(c, "a key");
    uint64_t at = c->at, raw = 0;
    uint32_t type;
    text value;
    text_init(&value);
    good = key != NULL && gguf_take_value(c, &value, &type, &raw);
    if (good && strcmp(key, "general.alignment") == 0) {
      good = check_alignment(c, at, type, raw);
      *alignment = raw;
    }
    if (good)
      reader_add_note(file, key, text_string(&value));
    text_clear(&value);
    free(key);
  }
  for (uint64_t i = 0; good && i < count; i++)
    names[i].name = file->notes[first + i].key;
  good = good && check_unique(c, names, (size_t)count, "the key");
  free(names);
  return good;
}

static bool fail_tensor(const gguf_cursor *c, uint64_t at, const dump_tensor *tensor, const char *reason)
{
  char *name = dump_quote(tensor->name);
  gguf_fail(c, at, "tensor %s: %s", name, reason);
  free(name);
  return false;
}

/* The shape, in the order of rows. */
static bool read_shape(gguf_cursor *c, dump_tensor *tensor)
{
  uint64_t at = c->at, rank;
  char reason[80];
  if (!gguf_take(c, &rank, 4, "the number of dimensions"))
    return false;
  if (rank > RANK_MOST) {
    snprintf(reason, sizeof reason, "%llu dimensions are more than the %d of the format",
             (unsigned long long)rank, RANK_MOST);
    return fail_tensor(c, at, tensor, reason);
  }
  tensor->rank = (unsigned)rank;
  for (unsigned i = 0; i < tensor->rank; i++)
    if (!gguf_take(c, &tensor->shape[tensor->rank - 1 - i], 8, "a dimension"))
      return false;
  return true;
}

/* The type; with it and the shape, which begins at `at`, the size. */
static bool read_type(gguf_cursor *c, dump_tensor *tensor, uint64_t at)
{
  uint64_t number;
  if (!gguf_take(c, &number, 4, "the type of a tensor"))
    return false;
  const gguf_type *type = gguf_find_type(number);
  tensor->type = type != NULL ? type->type : DUMP_OTHER;
  if (type != NULL)
    snprintf(tensor->type_name, sizeof tensor->type_name, "%s", type->name);
  else
    snprintf(tensor->type_name, sizeof tensor->type_name, "%llu", (unsigned long long)number);
  uint64_t row = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
  if (type != NULL && row % type->values != 0) {
    char reason[120];
    snprintf(reason, sizeof reason, "rows of %llu values are no whole blocks of %u, as %s has them",
             (unsigned long long)row, type->values, type->name);
    return fail_tensor(c, at, tensor, reason);
  }
  tensor->big_endian = c->big;
  if (!reader_fill_row_major(tensor) ||
      (type != NULL &&
       __builtin_mul_overflow(tensor->count / type->values, (uint64_t)type->bytes, &tensor->bytes)))
    return fail_tensor(c, at, tensor, "the product of its dimensions is too large");
  return true;
}

static bool read_tensor(gguf_cursor *c, dump_file *file, size_t segment, uint64_t *offset_at)
{
  char *name = gguf_take_name(c, "the name of a tensor");
  if (name == NULL)
    return false;
  dump_tensor *tensor = reader_add(file, name);
  free(name);
  tensor->segment = segment;
  uint64_t at = c->at;
  if (!read_shape(c, tensor) || !read_type(c, tensor, at))
    return false;
  *offset_at = c->at;
  return gguf_take(c, &tensor->offset, 8, "the offset of a tensor");
}

static int compare_places(const void *x, const void *y)
{
  const dump_tensor *a = ((const place *)x)->tensor, *b = ((const place *)y)->tensor;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* No byte belongs to two tensors. Of a type that is not known nobody knows the size: it must not begin inside
 * another tensor. */
static bool check_overlap(const gguf_cursor *c, place *places, size_t count)
{
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (places[i].tensor->count > 0)
      places[used++] = places[i];
  qsort(places, used, sizeof *places, compare_places);
  for (size_t i = 1; i < used; i++) {
    const dump_tensor *before = places[i - 1].tensor, *after = places[i].tensor;
    if (after->offset - before->offset < before->bytes) {
      char *x = dump_quote(before->name), *y = dump_quote(after->name);
      gguf_fail(c, places[i].at, "tensors %s and %s overlap", x, y);
      free(x);
      free(y);
      return false;
    }
  }
  return true;
}

/* Turns the offsets of the header into those of the file. */
static bool check_places(const gguf_cursor *c, dump_file *file, size_t first, const uint64_t *offset_at,
                         uint64_t length, uint64_t alignment)
{
  uint64_t start = (c->at + alignment - 1) & ~(alignment - 1), present = length > start ? length - start : 0;
  size_t count = file->count - first;
  place *places = memory_new(count + 1, sizeof *places);
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    dump_tensor *tensor = &file->tensors[first + i];
    places[i] = (place){tensor, offset_at[i]};
    if (tensor->offset % alignment != 0)
      good = fail_tensor(c, offset_at[i], tensor, "its offset is no multiple of the alignment");
    else if (tensor->offset > present || tensor->bytes > present - tensor->offset)
      good = fail_tensor(c, offset_at[i], tensor, "its data reach beyond the end of the file");
    else
      tensor->offset += start;
  }
  good = good && check_overlap(c, places, count);
  free(places);
  return good;
}

static bool read_tensors(gguf_cursor *c, dump_file *file, size_t segment, uint64_t count, uint64_t alignment)
{
  size_t first = file->count;
  named *names = memory_new((size_t)count + 1, sizeof *names);
  uint64_t *offset_at = memory_new((size_t)count + 1, sizeof *offset_at);
  bool good = true;
  for (uint64_t i = 0; good && i < count; i++) {
    names[i].at = c->at;
    good = read_tensor(c, file, segment, &offset_at[i]);
  }
  for (uint64_t i = 0; good && i < count; i++)
    names[i].name = file->tensors[first + i].name;
  good = good && check_unique(c, names, (size_t)count, "the tensor") &&
         check_places(c, file, first, offset_at, file->segments[segment].length, alignment);
  free(offset_at);
  free(names);
  return good;
}

/* Magic and version; they tell the order of bytes. */
static bool read_version(gguf_cursor *c)
{
  uint64_t little, big;
  if (c->end < 4 || memcmp(c->data, "GGUF", 4) != 0)
    return gguf_fail(c, 0, "no GGUF file");
  c->at = 4;
  if (!gguf_take(c, &little, 4, "the version"))
    return false;
  big = octets_big(c->data + 4, 4);
  c->big = big == 3;
  if (c->big || little == 2 || little == 3)
    return true;
  bool swapped = big < little;
  return gguf_fail(c, 4, "%sGGUF version %llu is not read, only 2 and 3 (and 3 big-endian)",
                   swapped ? "big-endian " : "", (unsigned long long)(swapped ? big : little));
}

static bool read_all(gguf_cursor *c, dump_file *file, size_t segment, const dump_limits *limits)
{
  uint64_t tensors, keys, alignment = ALIGNMENT_USUAL;
  if (!read_version(c) || !gguf_take(c, &tensors, 8, "the number of tensors") ||
      !gguf_take(c, &keys, 8, "the number of keys"))
    return false;
  if (tensors > limits->tensors)
    return gguf_fail(c, 8, "%llu tensors exceed the limit of %llu", (unsigned long long)tensors,
                     (unsigned long long)limits->tensors);
  if (tensors > (c->end - c->at) / TENSOR_LEAST)
    return gguf_fail(c, 8, "%llu tensors cannot be described in what follows", (unsigned long long)tensors);
  if (keys > (c->end - c->at) / KEY_LEAST)
    return gguf_fail(c, 16, "%llu keys cannot stand in what follows", (unsigned long long)keys);
  return read_keys(c, file, keys, &alignment) && read_tensors(c, file, segment, tensors, alignment);
}

assay_status gguf_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  const reader_segment *whole = &file->segments[segment];
  gguf_cursor c = {.name = whole->name,
                   .data = whole->data,
                   .end = whole->length,
                   .depth = limits->depth,
                   .error = error};
  if (c.end > limits->header_bytes) {
    c.end = limits->header_bytes;
    c.limited = true;
  }
  file->container = "GGUF";
  return read_all(&c, file, segment, limits) ? STATUS_OK : STATUS_BAD_INPUT;
}
