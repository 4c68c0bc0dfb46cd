/* Numbers and strings of a pickle that are written as text, and integers of any length. */
#include <string.h>

#include "dump/pickle_build.h"

enum { INTEGER_BYTES = 1024 };

static pickle_value *refuse(pickle *p, const char *reason)
{
  pickle_error(p, "%s", reason);
  return NULL;
}

/* Windows' line ends. */
static size_t trimmed(const char *line, size_t length)
{
  return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

static pickle_value *make_int(pickle *p, int64_t integer)
{
  pickle_value *value = pickle_new_value(p, PICKLE_INT);
  if (value != NULL)
    value->u.integer = integer;
  return value;
}

static pickle_value *make_text(pickle *p, pickle_kind kind, const char *data, size_t length)
{
  pickle_value *value = data == NULL ? NULL : pickle_new_value(p, kind);
  if (value != NULL) {
    value->u.text.data = data;
    value->u.text.length = length;
  }
  return value;
}

static pickle_value *decimal(pickle *p, const char *line, size_t length)
{
  bool negative = length > 0 && line[0] == '-';
  uint64_t sum = 0;
  bool fits = true;
  if (length == (negative ? 1 : 0) || length > INTEGER_BYTES)
    return refuse(p, "an integer without digits, or of too many");
  for (size_t i = negative ? 1 : 0; i < length; i++) {
    if (line[i] < '0' || line[i] > '9')
      return refuse(p, "an integer that is no number");
    fits = fits && !__builtin_mul_overflow(sum, (uint64_t)10, &sum) &&
           !__builtin_add_overflow(sum, (uint64_t)(line[i] - '0'), &sum);
  }
  if (fits && sum <= INT64_MAX)
    return make_int(p, negative ? -(int64_t)sum : (int64_t)sum);
  return make_text(p, PICKLE_NUMERAL, line, length);
}

pickle_value *pickle_line_int(pickle *p, const char *line, size_t length)
{
  length = trimmed(line, length);
  if (length == 2 && line[0] == '0' && (line[1] == '0' || line[1] == '1')) { /* how protocol 0 writes them */
    pickle_value *value = pickle_new_value(p, PICKLE_BOOL);
    if (value != NULL)
      value->u.truth = line[1] == '1';
    return value;
  }
  return decimal(p, line, length);
}

pickle_value *pickle_line_long(pickle *p, const char *line, size_t length)
{
  length = trimmed(line, length);
  if (length > 0 && line[length - 1] == 'L')
    length--;
  return decimal(p, line, length);
}

pickle_value *pickle_line_float(pickle *p, const char *line, size_t length)
{
  length = trimmed(line, length);
  if (length == 0 || length > 64)
    return refuse(p, "a float without digits, or of too many");
  for (size_t i = 0; i < length; i++)
    if (memchr("0123456789+-.eEinfaN", line[i], 20) == NULL)
      return refuse(p, "a float that is no number");
  return make_text(p, PICKLE_NUMERAL, line, length);
}

pickle_value *pickle_long(pickle *p, const unsigned char *data, size_t length)
{
  if (length > INTEGER_BYTES)
    return refuse(p, "an integer of too many bytes");
  bool negative = length > 0 && (data[length - 1] & 0x80) != 0;
  /* Bytes of the sign alone. */
  while (length > 0 && data[length - 1] == (negative ? 0xff : 0) &&
         (length == 1 ? !negative : ((data[length - 2] & 0x80) != 0) == negative))
    length--;
  if (length <= 8) {
    uint64_t bits = negative ? UINT64_MAX : 0;
    for (size_t i = length; i-- > 0;)
      bits = bits << 8 | data[i];
    int64_t integer;
    memcpy(&integer, &bits, sizeof integer);
    return make_int(p, integer);
  }
  /* The magnitude in hexadecimal. */
  unsigned char magnitude[INTEGER_BYTES];
  unsigned carry = negative;
  for (size_t i = 0; i < length; i++) {
    unsigned byte = (negative ? (unsigned)(unsigned char)~data[i] : data[i]) + carry;
    magnitude[i] = (unsigned char)byte;
    carry = byte >> 8;
  }
  static const char digits[] = "0123456789abcdef";
  char written[2 * INTEGER_BYTES + 4];
  size_t at = 0;
  if (negative)
    written[at++] = '-';
  written[at++] = '0';
  written[at++] = 'x';
  size_t first = at;
  for (size_t i = length; i-- > 0;) {
    for (unsigned half = 2; half-- > 0;) {
      unsigned digit = magnitude[i] >> (4 * half) & 15;
      if (digit != 0 || at > first)
        written[at++] = digits[digit];
    }
  }
  return make_text(p, PICKLE_NUMERAL, pickle_copy(p, written, at), at);
}

static int hex_digit(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* The number in `count` hexadecimal digits at line[at]; false when they are not there. */
static bool hex_number(uint32_t *number, const char *line, size_t length, size_t at, size_t count)
{
  *number = 0;
  if (count > length - at)
    return false;
  for (size_t i = at; i < at + count; i++) {
    int digit = hex_digit(line[i]);
    if (digit < 0)
      return false;
    *number = *number << 4 | (uint32_t)digit;
  }
  return true;
}

/* Python's literal of a string without its u or b: quotes and backslashes. */
pickle_value *pickle_line_string(pickle *p, const char *line, size_t length)
{
  length = trimmed(line, length);
  if (length < 2 || (line[0] != '\'' && line[0] != '"') || line[length - 1] != line[0])
    return refuse(p, "a string without quotes");
  char *out = pickle_copy(p, line, length);
  if (out == NULL)
    return NULL;
  static const char letters[] = "abfnrtv", stands[] = "\a\b\f\n\r\t\v";
  size_t end = length - 1, made = 0;
  for (size_t i = 1; i < end; i++) {
    if (line[i] != '\\') {
      out[made++] = line[i];
      continue;
    }
    if (++i == end)
      return refuse(p, "a string ends inside an escape");
    const char *letter = line[i] == 0 ? NULL : strchr(letters, line[i]);
    uint32_t number;
    if (letter != NULL)
      out[made++] = stands[letter - letters];
    else if (line[i] == 'x') {
      if (!hex_number(&number, line, end, i + 1, 2))
        return refuse(p, "a damaged escape in a string");
      out[made++] = (char)(unsigned char)number;
      i += 2;
    } else if (line[i] >= '0' && line[i] <= '7') {
      number = 0;
      size_t digits = 0;
      for (; digits < 3 && i + digits < end && line[i + digits] >= '0' && line[i + digits] <= '7'; digits++)
        number = number << 3 | (uint32_t)(line[i + digits] - '0');
      out[made++] = (char)(unsigned char)number;
      i += digits - 1;
    } else {
      if (line[i] != '\\' && line[i] != '\'' && line[i] != '"')
        out[made++] = '\\';
      out[made++] = line[i];
    }
  }
  return make_text(p, PICKLE_BYTES, out, made);
}

/* UTF-8, surrogates included. */
static size_t put_character(char *out, uint32_t c)
{
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(unsigned char)(lead[more] | c >> (6 * more));
  for (size_t i = 1; i <= more; i++)
    out[i] = (char)(unsigned char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
  return more + 1;
}

/* Latin-1 with \uXXXX and \UXXXXXXXX. */
pickle_value *pickle_line_unicode(pickle *p, const char *line, size_t length)
{
  length = trimmed(line, length);
  char *out = pickle_new(p, 2 * length + 1, 1);
  if (out == NULL)
    return NULL;
  size_t made = 0;
  for (size_t i = 0; i < length; i++) {
    uint32_t c = (unsigned char)line[i];
    if (c == '\\' && i + 1 < length && (line[i + 1] == 'u' || line[i + 1] == 'U')) {
      size_t digits = line[i + 1] == 'u' ? 4 : 8;
      if (!hex_number(&c, line, length, i + 2, digits) || c > 0x10ffff)
        return refuse(p, "a damaged escape in a string");
      i += digits + 1;
    }
    made += put_character(out + made, c);
  }
  return make_text(p, PICKLE_STRING, out, made);
}

pickle_value *pickle_latin1(pickle *p, const pickle_value *text)
{
  const unsigned char *in = (const unsigned char *)text->u.text.data;
  size_t length = text->u.text.length, made = 0;
  char *out = pickle_new(p, length + 1, 1);
  if (out == NULL)
    return NULL;
  for (size_t i = 0; i < length; i++) {
    if (in[i] < 0x80)
      out[made++] = (char)in[i];
    else if ((in[i] == 0xc2 || in[i] == 0xc3) && i + 1 < length && (in[i + 1] & 0xc0) == 0x80) {
      out[made++] = (char)(unsigned char)((in[i] & 3) << 6 | (in[i + 1] & 0x3f));
      i++;
    } else
      return refuse(p, "text that stands for bytes holds other characters");
  }
  return make_text(p, PICKLE_BYTES, out, made);
}
