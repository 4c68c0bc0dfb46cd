/* Is a file text at all? UTF-8 as of RFC 3629, without control characters. */
#include "lang/syntax.h"

/* Control characters, those of ISO 6429 (U+0080..9F) and the ones that reorder text on a screen (U+202A..E,
 * U+2066..9) included: a reader must see what the program reads. s holds a well-formed sequence and a NUL
 * somewhere behind it. */
static bool is_control(const unsigned char *s)
{
  if (s[0] == 0xC2)
    return s[1] < 0xA0;
  if (s[0] == 0xE2)
    return (s[1] == 0x80 && s[2] >= 0xAA && s[2] <= 0xAE) || (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9);
  return (s[0] < 0x20 && s[0] != '\t' && s[0] != '\n' && s[0] != '\r') || s[0] == 0x7F;
}

/* Bytes of the well-formed sequence at s, of which `left` bytes are there; 0 if there is none. */
static size_t sequence(const unsigned char *s, size_t left)
{
  unsigned char c = s[0], low = 0x80, high = 0xBF;
  size_t need = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
  if (c == 0xE0)
    low = 0xA0; /* overlong */
  else if (c == 0xED)
    high = 0x9F; /* surrogates */
  else if (c == 0xF0)
    low = 0x90; /* overlong */
  else if (c == 0xF4)
    high = 0x8F; /* beyond U+10FFFF */
  if (need > left)
    return 0;
  for (size_t i = 1; i < need; i++, low = 0x80, high = 0xBF)
    if (s[i] < low || s[i] > high)
      return 0;
  return need;
}

bool syntax_check_text(diag *d, const diag_source *source, size_t *skip, const char *what)
{
  const unsigned char *s = (const unsigned char *)source->text;
  size_t n = source->length;
  *skip = n >= 3 && s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF ? 3 : 0;
  diag_place p = {source, *skip, 1, 1};
  while (p.offset < n) {
    unsigned char c = s[p.offset];
    size_t length = sequence(s + p.offset, n - p.offset);
    if (c == 0) {
      diag_error(d, p, "a NUL byte; %s is UTF-8 text", what);
      return false;
    }
    if (length == 0) {
      diag_error(d, p, "a byte 0x%02x that is not UTF-8; %s is UTF-8 text", c, what);
      return false;
    }
    if (is_control(s + p.offset)) {
      diag_error(d, p, "a control character (first byte 0x%02x); %s is plain text", c, what);
      return false;
    }
    p.offset += length;
    p.column++;
    if (c == '\n') {
      p.line++;
      p.column = 1;
    }
  }
  return true;
}
