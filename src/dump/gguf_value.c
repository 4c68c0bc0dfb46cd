/* The header of a GGUF file, item by item: numbers, strings, typed values. See gguf.h. */
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/gguf.h"
#include "dump/octets.h"
#include "dump/reader.h"

enum { BOOL = 7, ARRAY = 9, NAME_MOST = 65535, DEPTH_MOST = 10000 };

/* The types of values, by number. */
static const struct {
  const char *name;
  unsigned bytes; /* 0: not fixed */
  enum { UNSIGNED, SIGNED, FLOATING, OTHER } sort;
} types[] = {
    {"u8", 1, UNSIGNED},  {"i8", 1, SIGNED},      {"u16", 2, UNSIGNED}, {"i16", 2, SIGNED},
    {"u32", 4, UNSIGNED}, {"i32", 4, SIGNED},     {"f32", 4, FLOATING}, {"bool", 1, OTHER},
    {"string", 0, OTHER}, {"array", 0, OTHER},    {"u64", 8, UNSIGNED}, {"i64", 8, SIGNED},
    {"f64", 8, FLOATING},
};
enum { TYPES = sizeof types / sizeof *types };

bool gguf_fail(const gguf_cursor *c, uint64_t at, const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  dump_error_set_at(c->error, c->name, at, "%s", message);
  return false;
}

/* Not enough is left for what begins at `at`. */
static bool fail_end(const gguf_cursor *c, uint64_t at, const char *what)
{
  if (c->limited)
    return gguf_fail(c, at, "the header exceeds the limit of %llu bytes", (unsigned long long)c->end);
  return gguf_fail(c, at, "%s reaches beyond the end of the file", what);
}

bool gguf_take(gguf_cursor *c, uint64_t *value, unsigned bytes, const char *what)
{
  if (c->end - c->at < bytes)
    return fail_end(c, c->at, what);
  *value = c->big ? octets_big(c->data + c->at, bytes) : octets_little(c->data + c->at, bytes);
  c->at += bytes;
  return true;
}

bool gguf_take_string(gguf_cursor *c, const char **string, uint64_t *length, const char *what)
{
  uint64_t at = c->at;
  if (!gguf_take(c, length, 8, what))
    return false;
  if (*length > c->end - c->at)
    return fail_end(c, at, what);
  *string = (const char *)c->data + c->at;
  c->at += *length;
  return true;
}

char *gguf_take_name(gguf_cursor *c, const char *what)
{
  uint64_t at = c->at, length;
  const char *string;
  if (!gguf_take_string(c, &string, &length, what))
    return NULL;
  if (length == 0 || length > NAME_MOST) {
    gguf_fail(c, at, "%s is empty or longer than %d bytes", what, NAME_MOST);
    return NULL;
  }
  if (!reader_name_fits(string, (size_t)length)) {
    gguf_fail(c, at + 8, "%s is not UTF-8, or has a NUL byte", what);
    return NULL;
  }
  char *name = memory_new((size_t)length + 1, 1);
  memcpy(name, string, (size_t)length);
  return name;
}

static void add_float(text *out, uint64_t bits, unsigned bytes)
{
  double value;
  if (bytes == 4) {
    uint32_t narrow = (uint32_t)bits;
    float single;
    memcpy(&single, &narrow, sizeof single);
    value = single;
  } else
    memcpy(&value, &bits, sizeof value);
  text_addf(out, "%.*g", bytes == 4 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG, value);
}

/* A value of a type of fixed size. */
static bool take_scalar(gguf_cursor *c, text *out, unsigned type, uint64_t *raw)
{
  uint64_t at = c->at;
  unsigned bytes = types[type].bytes;
  if (!gguf_take(c, raw, bytes, "a value"))
    return false;
  if (types[type].sort == FLOATING)
    add_float(out, *raw, bytes);
  else if (types[type].sort == SIGNED) {
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    text_addf(out, "%" PRId64, (int64_t)((*raw ^ sign) - sign)); /* extends the sign */
  } else if (types[type].sort == UNSIGNED)
    text_addf(out, "%" PRIu64, *raw);
  else if (*raw > 1)
    return gguf_fail(c, at, "a boolean value is neither 0 nor 1");
  else
    text_add(out, *raw == 1 ? "true" : "false");
  return true;
}

static bool take_type(gguf_cursor *c, uint32_t *type)
{
  uint64_t at = c->at, number;
  if (!gguf_take(c, &number, 4, "the type of a value"))
    return false;
  if (number >= TYPES)
    return gguf_fail(c, at, "%llu is no type of values", (unsigned long long)number);
  *type = (uint32_t)number;
  return true;
}

/* Type and length of an array, the length not more than what is left can hold. */
static bool take_array_head(gguf_cursor *c, uint32_t *type, uint64_t *length)
{
  if (!take_type(c, type))
    return false;
  uint64_t at = c->at;
  unsigned least = *type == ARRAY ? 12 : *type == GGUF_STRING ? 8 : types[*type].bytes;
  if (!gguf_take(c, length, 8, "the length of an array"))
    return false;
  if (*length > (c->end - c->at) / least)
    return fail_end(c, at, "an array");
  return true;
}

/* Moves behind the elements of an array. */
static bool skip_elements(gguf_cursor *c, uint32_t type, uint64_t length, uint32_t depth)
{
  if (types[type].bytes > 0) {
    c->at += types[type].bytes * length; /* take_array_head saw to it that they are there */
    return true;
  }
  if (type == ARRAY && (depth >= c->depth || depth >= DEPTH_MOST))
    return gguf_fail(c, c->at, "arrays are nested more than %u deep", (unsigned)depth);
  bool good = true;
  for (uint64_t i = 0; good && i < length; i++) {
    uint64_t inner;
    if (type == ARRAY) {
      uint32_t inner_type;
      good = take_array_head(c, &inner_type, &inner) && skip_elements(c, inner_type, inner, depth + 1);
    } else {
      const char *string;
      good = gguf_take_string(c, &string, &inner, "a string of an array");
    }
  }
  return good;
}

/* Strings that are no text are only measured. */
static bool take_text(gguf_cursor *c, text *out, bool quote)
{
  const char *string;
  uint64_t length;
  if (!gguf_take_string(c, &string, &length, "a string"))
    return false;
  if (!reader_name_fits(string, (size_t)length))
    text_addf(out, "(%llu bytes that are no text)", (unsigned long long)length);
  else if (!quote)
    text_add_bytes(out, string, (size_t)length);
  else {
    char *copy = memory_new((size_t)length + 1, 1);
    memcpy(copy, string, (size_t)length);
    char *quoted = dump_quote(copy);
    text_add(out, quoted);
    free(quoted);
    free(copy);
  }
  return true;
}

static bool take_array(gguf_cursor *c, text *out)
{
  enum { SHOWN = 16 };
  uint32_t type;
  uint64_t length, raw;
  if (!take_array_head(c, &type, &length))
    return false;
  if (type == ARRAY || length > SHOWN) {
    text_addf(out, "%llu %s%s", (unsigned long long)length, types[type].name,
              type == ARRAY || type == GGUF_STRING ? "s" : " values");
    return skip_elements(c, type, length, 1);
  }
  text_add_char(out, '[');
  for (uint64_t i = 0; i < length; i++) {
    text_add(out, i > 0 ? ", " : "");
    if (!(type == GGUF_STRING ? take_text(c, out, true) : take_scalar(c, out, type, &raw)))
      return false;
  }
  text_add_char(out, ']');
  return true;
}

bool gguf_take_value(gguf_cursor *c, text *out, uint32_t *type, uint64_t *raw)
{
  if (!take_type(c, type))
    return false;
  if (*type == ARRAY)
    return take_array(c, out);
  return *type == GGUF_STRING ? take_text(c, out, false) : take_scalar(c, out, *type, raw);
}
