/* The .npy container: one array of numpy.
 *
 *   \x93NUMPY, version (2 bytes), length of the header (2 bytes in version 1, else 4; little-endian),
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } spaces, newline; then the elements.
 *
 * The header is a literal of Python. Versions 1 and 2 are Latin-1, version 3 is UTF-8, which matters only to
 * the names of structured elements. A lone file's array is named after the file, without folder and ".npy".
 * Source: numpy.lib.format, "A simple file format for NumPy arrays" (NEP 1). */
#include "dump/npy.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/octets.h"
#include "dump/reader.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* The literal of the header, being read. */
typedef struct {
  const unsigned char *data; /* from the beginning of the .npy bytes */
  uint64_t at, end;
  npy_problem *problem;
} literal;

static bool fail(npy_problem *problem, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Always false. */
static bool fail(npy_problem *problem, uint64_t at, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem->text, sizeof problem->text, format, arguments);
  va_end(arguments);
  problem->at = at;
  return false;
}

static bool fail_here(literal *l, const char *reason)
{
  return fail(l->problem, l->at, "the array's header: %s", l->at < l->end ? reason : "it ends too early");
}

static void skip_space(literal *l)
{
  while (l->at < l->end && memchr(" \t\n\r\f", l->data[l->at], 5) != NULL)
    l->at++;
}

/* The next character other than space; 0 at the end. */
static unsigned char peek(literal *l)
{
  skip_space(l);
  return l->at < l->end ? l->data[l->at] : 0;
}

static bool take(literal *l, char c)
{
  if (peek(l) != (unsigned char)c)
    return false;
  l->at++;
  return true;
}

/* A string in either kind of quotes, cut to `room` - 1 bytes. What may stand here needs ASCII only. */
static bool take_string(literal *l, char *string, size_t room)
{
  unsigned char quote = peek(l);
  if (quote != '\'' && quote != '"')
    return fail_here(l, "a string is expected here");
  size_t length = 0;
  for (l->at++; l->at < l->end && l->data[l->at] != quote; l->at++) {
    unsigned char c = l->data[l->at];
    if (c == '\\' || c < 0x20 || c > 0x7e)
      return fail_here(l, "a string has a backslash, a control character or one outside ASCII");
    if (length + 1 < room)
      string[length++] = (char)c;
  }
  string[length] = 0;
  if (l->at == l->end)
    return fail_here(l, "");
  l->at++;
  return true;
}

static bool take_bool(literal *l, bool *value)
{
  static const char *const words[2] = {"False", "True"};
  skip_space(l);
  for (unsigned i = 0; i < 2; i++) {
    size_t length = strlen(words[i]);
    if (l->end - l->at >= length && memcmp(l->data + l->at, words[i], length) == 0) {
      l->at += length;
      *value = i == 1;
      return true;
    }
  }
  return fail_here(l, "fortran_order is neither True nor False");
}

/* A whole number; Python 2 wrote some with an L behind. */
static bool take_natural(literal *l, uint64_t *value)
{
  unsigned char first = peek(l);
  uint64_t start = l->at;
  if (first < '0' || first > '9')
    return fail_here(l, "a whole number >= 0 is expected here");
  *value = 0;
  for (; l->at < l->end && l->data[l->at] >= '0' && l->data[l->at] <= '9'; l->at++)
    if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
        __builtin_add_overflow(*value, (uint64_t)(l->data[l->at] - '0'), value))
      return fail(l->problem, start, "the array's header: a number exceeds 64 bits");
  if (first == '0' && l->at - start > 1)
    return fail(l->problem, start, "the array's header: a number begins with 0");
  if (l->at < l->end && l->data[l->at] == 'L')
    l->at++;
  return true;
}

static bool take_shape(literal *l, npy_header *h)
{
  if (!take(l, '('))
    return fail_here(l, "shape is no tuple");
  h->rank = 0;
  bool comma = true;
  while (peek(l) != ')') {
    if (!comma)
      return fail_here(l, "a comma or ')' is expected here");
    if (h->rank == DUMP_RANK)
      return fail_here(l, "shape has more than 32 dimensions");
    if (!take_natural(l, &h->shape[h->rank]))
      return false;
    h->rank++;
    comma = take(l, ',');
  }
  if (h->rank == 1 && !comma)
    return fail_here(l, "shape is no tuple (a single dimension needs a comma)");
  l->at++;
  return true;
}

/* The kinds of numbers: letter and size of each type that is read. */
static const struct {
  char kind;
  unsigned size;
  dump_type type;
} kinds[] = {
    {'f', 8, DUMP_F64}, {'f', 4, DUMP_F32},  {'f', 2, DUMP_F16}, {'f', 1, DUMP_F8_E5M2}, {'i', 8, DUMP_I64},
    {'i', 4, DUMP_I32}, {'i', 2, DUMP_I16},  {'i', 1, DUMP_I8},  {'u', 8, DUMP_U64},     {'u', 4, DUMP_U32},
    {'u', 2, DUMP_U16}, {'u', 1, DUMP_U8},   {'b', 1, DUMP_BOOL}, {'c', 8, DUMP_C64},    {'c', 16, DUMP_C128},
    {'V', 2, DUMP_BF16},
};

static bool set_type(literal *l, uint64_t at, const char *descr, npy_header *h)
{
  const char *p = descr;
  /* "=", "|" and nothing: the order of the machine that reads, as numpy has it. */
  bool native_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  h->big_endian = *p == '>' || (*p != '<' && native_big);
  if (*p != 0 && strchr("<>=|", *p) != NULL)
    p++;
  char kind = *p;
  if (kind == 'O')
    return fail(l->problem, at, "the array holds Python objects: a pickle is inside, which is not read");
  char *quoted = dump_quote(descr);
  bool good = kind != 0 && strchr("fiubcVSaUMm", kind) != NULL;
  uint64_t size = 0;
  unsigned digits = 0;
  for (p++; good && *p >= '0' && *p <= '9' && digits < 10; p++, digits++)
    size = 10 * size + (uint64_t)(*p - '0');
  /* A date or a span of time has its unit in brackets. */
  bool unit = (kind == 'M' || kind == 'm') && *p == '[';
  if (!good || digits == 0 || digits == 10 || (*p != 0 && !unit))
    good = fail(l->problem, at, "the array's header: %s is no type of elements that is known here", quoted);
  free(quoted);
  if (!good)
    return false;
  h->item = kind == 'U' ? 4 * size : size;
  h->type = DUMP_OTHER;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].kind == kind && kinds[i].size == size)
      h->type = kinds[i].type;
  if (h->item <= 1)
    h->big_endian = false;
  snprintf(h->type_name, sizeof h->type_name, "%.15s", descr);
  return true;
}

static bool take_descr(literal *l, npy_header *h)
{
  unsigned char first = peek(l);
  uint64_t at = l->at;
  if (first == '[' || first == '(')
    return fail_here(l, "structured elements are not read (nor is a pickle inside)");
  char descr[64];
  return take_string(l, descr, sizeof descr) && set_type(l, at, descr, h);
}

static bool take_dictionary(literal *l, npy_header *h)
{
  static const char *const keys[3] = {"descr", "fortran_order", "shape"};
  bool seen[3] = {false}, comma = true;
  if (!take(l, '{'))
    return fail_here(l, "'{' is expected here");
  while (peek(l) != '}') {
    if (!comma)
      return fail_here(l, "a comma or '}' is expected here");
    uint64_t at = l->at;
    char key[32];
    if (!take_string(l, key, sizeof key))
      return false;
    unsigned k = 0;
    while (k < 3 && strcmp(key, keys[k]) != 0)
      k++;
    if (k == 3 || seen[k])
      return fail(l->problem, at, "the array's header: this key %s", k == 3 ? "is unknown" : "occurs twice");
    seen[k] = true;
    if (!take(l, ':'))
      return fail_here(l, "':' is expected here");
    if (!(k == 0 ? take_descr(l, h) : k == 1 ? take_bool(l, &h->fortran) : take_shape(l, h)))
      return false;
    comma = take(l, ',');
  }
  for (unsigned k = 0; k < 3; k++)
    if (!seen[k])
      return fail(l->problem, l->at, "the array's header: %s is missing", keys[k]);
  l->at++;
  if (peek(l) != 0 || l->at < l->end)
    return fail_here(l, "something stands behind the dictionary");
  return true;
}

bool npy_is(const unsigned char *data, size_t length)
{
  return length >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

uint64_t npy_header_bytes(const unsigned char *data, uint64_t available)
{
  if (available < 8 || memcmp(data, magic, sizeof magic) != 0)
    return 0;
  unsigned width = data[6] == 1 ? 2 : 4;
  return available < 8 + width ? 0 : 8 + width + octets_little(data + 8, width);
}

bool npy_parse(npy_header *h, const unsigned char *data, uint64_t available, uint64_t length,
               const dump_limits *limits, npy_problem *problem)
{
  *h = (npy_header){0};
  uint64_t known = available < sizeof magic ? available : sizeof magic;
  if (memcmp(data, magic, known) != 0)
    return fail(problem, 0, "an array of numpy is expected here, which would begin with \\x93NUMPY");
  if (available < 8)
    return fail(problem, available, "the array's header: it ends too early");
  if (data[6] < 1 || data[6] > 3 || data[7] != 0)
    return fail(problem, 6, "version %u.%u of the array format is not known here", data[6], data[7]);
  h->start = npy_header_bytes(data, available);
  if (h->start == 0)
    return fail(problem, available, "the array's header: it ends too early");
  uint64_t text = data[6] == 1 ? 10 : 12;
  if (h->start - text > limits->header_bytes)
    return fail(problem, 8, "the array's header has %llu bytes, above the limit of %llu",
                (unsigned long long)(h->start - text), (unsigned long long)limits->header_bytes);
  if (h->start > length || h->start > available)
    return fail(problem, 8, "the array's header reaches beyond the end");
  literal l = {.data = data, .at = text, .end = h->start, .problem = problem};
  return take_dictionary(&l, h);
}

/* Fills everything of a tensor but name and place; false on overflow. */
static bool lay_out(dump_tensor *tensor, const npy_header *h)
{
  tensor->type = h->type;
  memcpy(tensor->type_name, h->type_name, sizeof tensor->type_name);
  tensor->big_endian = h->big_endian;
  tensor->rank = h->rank;
  memcpy(tensor->shape, h->shape, sizeof tensor->shape);
  if (!reader_fill_row_major(tensor))
    return false;
  if (h->fortran && tensor->count > 0) {
    int64_t stride = 1;
    for (unsigned i = 0; i < h->rank; i++) {
      tensor->stride[i] = stride;
      stride *= (int64_t)h->shape[i]; /* divides the count, which fits */
    }
    if (!reader_fill_strided(tensor))
      return false;
  }
  return !__builtin_mul_overflow(tensor->count, h->item, &tensor->bytes);
}

bool npy_add(dump_file *file, const char *name, size_t segment, uint64_t base, uint64_t length,
             const npy_header *h, npy_problem *problem)
{
  dump_tensor made = {0};
  if (!lay_out(&made, h))
    return fail(problem, 8, "the array's header: the product of shape and size of an element is too large");
  uint64_t present = length - h->start;
  if (made.bytes > present)
    return fail(problem, h->start, "the array has %llu bytes, but only %llu are there",
                (unsigned long long)made.bytes, (unsigned long long)present);
  if (made.bytes < present)
    return fail(problem, h->start + made.bytes,
                "%llu bytes stand behind the end of the array (a second array is not read)",
                (unsigned long long)(present - made.bytes));
  dump_tensor *tensor = reader_add(file, name);
  made.name = tensor->name;
  made.segment = segment;
  made.offset = base + h->start;
  *tensor = made;
  if (made.type == DUMP_BF16) {
    char *quoted = dump_quote(name);
    size_t room = strlen(quoted) + 16;
    char *key = memory_new(room, 1);
    snprintf(key, room, "type of %s", quoted);
    reader_add_note(file, key, "two raw bytes, taken for bfloat16");
    free(key);
    free(quoted);
  }
  return true;
}

/* The file's name without folders and ".npy"; "array" when nothing fit is left. */
static char *array_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *name = memory_copy_string(slash != NULL ? slash + 1 : path);
  size_t length = strlen(name);
  if (length >= 4 && strcmp(name + length - 4, ".npy") == 0)
    name[length -= 4] = 0;
  if (length > 0 && reader_name_fits(name, length))
    return name;
  free(name);
  return memory_copy_string("array");
}

assay_status npy_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  const reader_segment *whole = &file->segments[segment];
  npy_header header;
  npy_problem problem;
  char *name = array_name(whole->name);
  file->container = "npy";
  bool good = npy_parse(&header, whole->data, whole->length, whole->length, limits, &problem) &&
              npy_add(file, name, segment, 0, whole->length, &header, &problem);
  if (!good)
    dump_error_set_at(error, whole->name, problem.at, "%s", problem.text);
  free(name);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}
