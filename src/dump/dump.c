/* The part of reading parameter files that no format owns: errors, mapping, lookup, exact conversion of
 * values. */
#include "dump/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/reader.h"

void dump_error_init(dump_error *error)
{
  *error = (dump_error){0};
}

void dump_error_clear(dump_error *error)
{
  free(error->message);
  free(error->file);
  dump_error_init(error);
}

static void error_store(dump_error *error, const char *file, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void error_store(dump_error *error, const char *file, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0)
    memory_die("a message could not be formatted");
  char *message = memory_new((size_t)length + 1, 1);
  vsnprintf(message, (size_t)length + 1, format, arguments);
  char *name = memory_copy_string(file); /* before the old one goes: `file` may be it */
  dump_error_clear(error);
  error->message = message;
  error->file = name;
}

void dump_error_set(dump_error *error, const char *file, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  error_store(error, file, format, arguments);
  va_end(arguments);
}

void dump_error_set_at(dump_error *error, const char *file, uint64_t offset, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  error_store(error, file, format, arguments);
  va_end(arguments);
  error->offset = offset;
  error->has_offset = true;
}

void dump_error_print(FILE *out, const dump_error *error)
{
  if (error->message == NULL)
    return;
  if (error->has_offset)
    fprintf(out, "%s: byte %llu: %s\n", error->file, (unsigned long long)error->offset, error->message);
  else
    fprintf(out, "%s: %s\n", error->file, error->message);
}

char *dump_quote(const char *name)
{
  enum { SHOWN = 120 };
  size_t length = strlen(name), shown = length;
  if (length > SHOWN) {
    shown = SHOWN;
    while (shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80)
      shown--;
  }
  text out;
  text_init(&out);
  text_add_char(&out, '"');
  for (size_t i = 0; i < shown; i++) {
    unsigned char c = (unsigned char)name[i];
    /* C1 controls (U+0080 to U+009F) are two bytes in UTF-8 and steer terminals as well. */
    bool c1 = c == 0xc2 && i + 1 < shown && (unsigned char)name[i + 1] < 0xa0;
    if (c < 0x20 || c == 0x7f)
      text_addf(&out, "\\x%02x", c);
    else if (c1)
      text_addf(&out, "\\u%04x", (unsigned char)name[++i]);
    else {
      if (c == '"' || c == '\\')
        text_add_char(&out, '\\');
      text_add_char(&out, (char)c);
    }
  }
  text_add(&out, shown < length ? "...\"" : "\"");
  return text_take(&out);
}

dump_file *reader_create(const char *name, const unsigned char *data, size_t length)
{
  dump_file *file = memory_new(1, sizeof *file);
  file->name = memory_copy_string(name);
  file->data = data;
  file->length = length;
  return file;
}

dump_file *reader_map(const char *path, dump_error *error)
{
  dump_file *file = NULL;
  /* O_NONBLOCK: a named pipe must be refused, not waited for. */
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    dump_error_set(error, path, "cannot open: %s", strerror(errno));
    return NULL;
  }
  struct stat about;
  if (fstat(descriptor, &about) != 0) {
    dump_error_set(error, path, "cannot look at the file: %s", strerror(errno));
    goto cleanup;
  }
  if (!S_ISREG(about.st_mode)) {
    dump_error_set(error, path, "not a regular file");
    goto cleanup;
  }
  if (about.st_size < 0 || (uint64_t)about.st_size > SIZE_MAX) {
    dump_error_set(error, path, "the file is too large to map");
    goto cleanup;
  }
  size_t length = (size_t)about.st_size;
  if (length == 0) { /* mmap refuses an empty range; the reader will say what is missing */
    file = reader_create(path, NULL, 0);
    goto cleanup;
  }
  void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) {
    dump_error_set(error, path, "cannot map the file: %s", strerror(errno));
    goto cleanup;
  }
  file = reader_create(path, data, length);
  file->mapped = true;

cleanup:
  close(descriptor);
  return file;
}

dump_tensor *reader_add(dump_file *file)
{
  if (file->count == file->capacity) {
    file->capacity = file->capacity == 0 ? 64 : memory_multiply(file->capacity, 2);
    file->tensors = memory_resize(file->tensors, file->capacity, sizeof *file->tensors);
  }
  dump_tensor *tensor = &file->tensors[file->count++];
  memset(tensor, 0, sizeof *tensor);
  return tensor;
}

static int compare_names(const void *a, const void *b)
{
  const dump_tensor *x = *(const dump_tensor *const *)a, *y = *(const dump_tensor *const *)b;
  return strcmp(x->name, y->name);
}

void reader_index(dump_file *file)
{
  file->by_name = memory_new(file->count + 1, sizeof *file->by_name);
  for (size_t i = 0; i < file->count; i++)
    file->by_name[i] = &file->tensors[i];
  if (file->count > 1)
    qsort(file->by_name, file->count, sizeof *file->by_name, compare_names);
}

void dump_close(dump_file *file)
{
  if (file == NULL)
    return;
  if (file->mapped)
    munmap((void *)(uintptr_t)file->data, file->length);
  for (size_t i = 0; i < file->count; i++)
    free(file->tensors[i].name);
  free(file->tensors);
  free(file->by_name);
  free(file->name);
  free(file);
}

const char *dump_name(const dump_file *file)
{
  return file->name;
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

static const struct {
  const char *name;
  unsigned size;
  dump_type type;
} types[] = {
    {"F64", 8, DUMP_F64},       {"F32", 4, DUMP_F32},       {"F16", 2, DUMP_F16},   {"BF16", 2, DUMP_BF16},
    {"I64", 8, DUMP_I64},       {"BOOL", 1, DUMP_OTHER},    {"U8", 1, DUMP_OTHER},  {"I8", 1, DUMP_OTHER},
    {"F8_E5M2", 1, DUMP_OTHER}, {"F8_E4M3", 1, DUMP_OTHER}, {"I16", 2, DUMP_OTHER}, {"U16", 2, DUMP_OTHER},
    {"I32", 4, DUMP_OTHER},     {"U32", 4, DUMP_OTHER},     {"U64", 8, DUMP_OTHER}, {"C64", 8, DUMP_OTHER},
};

unsigned reader_type_size(const char *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(name, types[i].name) == 0)
      return types[i].size;
  return 0;
}

dump_type reader_type(const char *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(name, types[i].name) == 0)
      return types[i].type;
  return DUMP_OTHER;
}

/* Little-endian, whatever the machine; no alignment is assumed. */
static uint64_t load(const unsigned char *p, unsigned bytes)
{
  uint64_t word = 0;
  for (unsigned i = 0; i < bytes; i++)
    word |= (uint64_t)p[i] << (8 * i);
  return word;
}

static double from_binary64(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Widening float to double is exact, subnormals included. */
static double from_binary32(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* 1 sign, 5 exponent, 10 fraction bits; every value is a double. */
static double from_binary16(unsigned bits)
{
  unsigned exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexp((double)fraction, -24);
  else
    magnitude = ldexp((double)(fraction | 0x400), (int)exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

assay_status dump_values(const dump_file *file, double *values, const dump_tensor *tensor, uint64_t first,
                         size_t count, dump_error *error)
{
  if (tensor->type == DUMP_OTHER) {
    char *name = dump_quote(tensor->name);
    dump_error_set_at(error, file->name, tensor->offset,
                      "tensor %s has type %s; only F64, F32, F16, BF16 and I64 can be read", name,
                      tensor->type_name);
    free(name);
    return STATUS_BAD_INPUT;
  }
  if (first > tensor->count || count > tensor->count - first) {
    char *name = dump_quote(tensor->name);
    dump_error_set_at(error, file->name, tensor->offset,
                      "tensor %s has %llu values; some beyond were asked for", name,
                      (unsigned long long)tensor->count);
    free(name);
    return STATUS_BAD_INPUT;
  }
  if (count == 0)
    return STATUS_OK;
  unsigned size = reader_type_size(tensor->type_name);
  uint64_t start = tensor->offset + first * size;
  const unsigned char *p = file->data + start;
  switch (tensor->type) {
  case DUMP_F64:
    for (size_t i = 0; i < count; i++)
      values[i] = from_binary64(load(p + 8 * i, 8));
    break;
  case DUMP_F32:
    for (size_t i = 0; i < count; i++)
      values[i] = from_binary32((uint32_t)load(p + 4 * i, 4));
    break;
  case DUMP_F16:
    for (size_t i = 0; i < count; i++)
      values[i] = from_binary16((unsigned)load(p + 2 * i, 2));
    break;
  case DUMP_BF16: /* the upper half of a binary32 */
    for (size_t i = 0; i < count; i++)
      values[i] = from_binary32((uint32_t)load(p + 2 * i, 2) << 16);
    break;
  case DUMP_I64:
    for (size_t i = 0; i < count; i++) {
      uint64_t word = load(p + 8 * i, 8);
      uint64_t magnitude = word >> 63 ? -word : word;
      double rounded = (double)magnitude;
      /* 2^64 cannot come out: |word| <= 2^63, so the way back is defined. */
      if ((uint64_t)rounded != magnitude) {
        char *name = dump_quote(tensor->name);
        dump_error_set_at(error, file->name, start + 8 * i, "value %llu of tensor %s, %s%llu, is no double",
                          (unsigned long long)(first + i), name, word >> 63 ? "-" : "",
                          (unsigned long long)magnitude);
        free(name);
        return STATUS_BAD_INPUT;
      }
      values[i] = word >> 63 ? -rounded : rounded;
    }
    break;
  case DUMP_OTHER:
    break;
  }
  return STATUS_OK;
}
