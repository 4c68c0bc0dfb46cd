/* Diagnostics: messages with a place, the line it is in, and a caret. */
#include "core/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"

struct diag {
  FILE *out;
  unsigned max, errors;
  bool muted; /* the last error was not written, so its notes are not either */
  diag_place first;
  text written;
};

diag *diag_create(FILE *out, unsigned max)
{
  diag *d = memory_new(1, sizeof(diag));
  d->out = out;
  d->max = max;
  return d;
}

void diag_destroy(diag *d)
{
  if (!d)
    return;
  text_clear(&d->written);
  free(d);
}

unsigned diag_errors(const diag *d)
{
  return d->errors;
}

const char *diag_text(const diag *d)
{
  return text_string(&d->written);
}

diag_place diag_first_place(const diag *d)
{
  return d->first;
}

/* Characters shown before and after the place; a longer line is cut there. */
enum { SHOWN_BEFORE = 96, SHOWN_AFTER = 64 };

static bool is_continuation(char c)
{
  return ((unsigned char)c & 0xC0) == 0x80;
}

/* Bytes of the well-formed UTF-8 sequence at s[0..n-1], 0 if there is none. Overlong forms do not matter
 * here. */
static size_t sequence_length(const char *s, size_t n)
{
  unsigned char c = (unsigned char)s[0];
  size_t need = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
  if (need > n)
    return 0;
  for (size_t i = 1; i < need; i++)
    if (!is_continuation(s[i]))
      return 0;
  return need;
}

/* Control characters (U+0080..9F included), and those that reorder text on a screen (U+202A..E, U+2066..9).
 */
static bool is_control(const unsigned char *s, size_t length)
{
  if (length == 1)
    return s[0] < 0x20 || s[0] == 0x7F;
  if (length == 2)
    return s[0] == 0xC2 && s[1] < 0xA0;
  return length == 3 && s[0] == 0xE2 &&
         ((s[1] == 0x80 && s[2] >= 0xAA && s[2] <= 0xAE) || (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
}

/* Appends s[0..n-1] so that it is safe on a terminal: each control character and each stray byte as '?'. With
 * `blank` every character but a tab becomes a space instead, so that what follows stands below what followed.
 */
static void add_shown(text *t, const char *s, size_t n, bool blank)
{
  for (size_t i = 0; i < n;) {
    size_t length = sequence_length(s + i, n - i);
    bool control = length > 0 && s[i] != '\t' && is_control((const unsigned char *)s + i, length);
    if (blank && s[i] != '\t')
      text_add_char(t, ' ');
    else if (length == 0 || control)
      text_add_char(t, '?');
    else
      text_add_bytes(t, s + i, length);
    i += length ? length : 1;
  }
}

static void add_line_and_caret(text *t, const diag_place *p)
{
  const char *s = p->source->text;
  size_t length = p->source->length, at = p->offset < length ? p->offset : length;
  size_t begin = at, end = at;
  for (unsigned shown = 0; begin > 0 && s[begin - 1] != '\n' && shown < SHOWN_BEFORE;
       shown += !is_continuation(s[begin]))
    begin--;
  while (begin > 0 && begin < at && is_continuation(s[begin]))
    begin++;
  for (unsigned shown = 0; end < length && s[end] != '\n' && shown < SHOWN_AFTER;
       shown += !is_continuation(s[end]))
    end++;
  while (end < length && is_continuation(s[end]))
    end++;
  const char *before = begin > 0 && s[begin - 1] != '\n' ? "..." : "";
  const char *after = end < length && s[end] != '\n' ? "..." : "";
  if (end > at && s[end - 1] == '\r')
    end--;
  text_addf(t, "  %s", before);
  add_shown(t, s + begin, end - begin, false);
  text_addf(t, "%s\n  %s", after, *before ? "   " : "");
  add_shown(t, s + begin, at - begin, true);
  text_add(t, "^\n");
}

/* A name in a message may hold anything. Only line feeds stay, for messages of several lines. */
static void add_message(text *t, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  char *message = memory_new(n > 0 ? (size_t)n + 1 : 1, 1);
  vsnprintf(message, n > 0 ? (size_t)n + 1 : 1, format, again);
  va_end(again);
  for (const char *s = message; *s;) {
    size_t length = strcspn(s, "\n");
    add_shown(t, s, length, false);
    s += length;
    if (*s)
      text_add_char(t, *s++);
  }
  free(message);
}

static void report(diag *d, const diag_place *p, const char *kind, const char *format, va_list args)
{
  text t;
  text_init(&t);
  if (p && p->source) {
    add_shown(&t, p->source->name, strlen(p->source->name), false);
    text_addf(&t, ":%u:%u: %s: ", p->line, p->column, kind);
  } else
    text_addf(&t, "assay: %s: ", kind);
  add_message(&t, format, args);
  text_add(&t, "\n");
  if (p && p->source)
    add_line_and_caret(&t, p);
  text_add_bytes(&d->written, t.data, t.length);
  if (d->out) {
    fwrite(t.data, 1, t.length, d->out);
    fflush(d->out);
  }
  text_clear(&t);
}

static void report_error(diag *d, const diag_place *p, const char *format, va_list args)
{
  if (d->errors == 0 && p)
    d->first = *p;
  if (d->errors < UINT32_MAX)
    d->errors++;
  d->muted = d->max && d->errors > d->max;
  if (!d->muted)
    report(d, p, "error", format, args);
}

void diag_error(diag *d, diag_place place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_error(d, &place, format, args);
  va_end(args);
}

void diag_note(diag *d, diag_place place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (!d->muted)
    report(d, &place, "note", format, args);
  va_end(args);
}

void diag_error_plain(diag *d, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  report_error(d, NULL, format, args);
  va_end(args);
}

diag_source *diag_source_from(const char *name, const char *bytes, size_t length)
{
  diag_source *s = memory_new(1, sizeof(diag_source));
  s->name = memory_copy_string(name);
  s->text = memory_new(memory_add(length, 1), 1);
  s->length = length;
  if (length)
    memcpy(s->text, bytes, length);
  return s;
}

void diag_source_destroy(diag_source *s)
{
  if (!s)
    return;
  free(s->name);
  free(s->text);
  free(s);
}

/* Opens a regular file. A pipe or a device is refused, not waited for: hence O_NONBLOCK. */
static FILE *open_regular(diag *d, const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about;
  FILE *f = NULL;
  if (file < 0)
    diag_error_plain(d, "cannot open %s: %s", path, strerror(errno));
  else if (fstat(file, &about))
    diag_error_plain(d, "cannot read %s: %s", path, strerror(errno));
  else if (S_ISDIR(about.st_mode))
    diag_error_plain(d, "cannot read %s: %s", path, strerror(EISDIR));
  else if (!S_ISREG(about.st_mode))
    diag_error_plain(d, "cannot read %s: it is a pipe or a device and no regular file", path);
  else if (!(f = fdopen(file, "rb")))
    diag_error_plain(d, "cannot read %s: %s", path, strerror(errno));
  if (!f && file >= 0)
    close(file);
  return f;
}

diag_source *diag_source_read(diag *d, const char *path, size_t limit)
{
  bool standard = strcmp(path, "-") == 0;
  FILE *f = standard ? stdin : open_regular(d, path);
  if (!f)
    return NULL;
  char *bytes = NULL;
  size_t length = 0, capacity = 0;
  for (;;) {
    if (length == capacity) {
      capacity = capacity ? memory_multiply(capacity, 2) : 65536;
      if (capacity > limit && length <= limit)
        capacity = memory_add(limit, 1);
      bytes = memory_resize(bytes, memory_add(capacity, 1), 1);
    }
    size_t n = fread(bytes + length, 1, capacity - length, f);
    length += n;
    if (n == 0 || length > limit)
      break;
  }
  diag_source *s = NULL;
  if (ferror(f)) {
    diag_error_plain(d, "cannot read %s: %s", path, strerror(errno));
  } else if (length > limit) {
    diag_error_plain(d, "%s is larger than %zu bytes, the limit for such a file", path, limit);
  } else {
    bytes[length] = 0;
    s = memory_new(1, sizeof(diag_source));
    s->name = memory_copy_string(standard ? "(standard input)" : path);
    s->text = bytes;
    s->length = length;
    bytes = NULL;
  }
  free(bytes);
  if (!standard)
    fclose(f);
  return s;
}

/* Optimal string alignment, three rows. */
unsigned diag_name_distance(const char *a, const char *b, unsigned limit)
{
  size_t n = strlen(a), m = strlen(b);
  if ((n > m ? n - m : m - n) > limit)
    return limit + 1;
  unsigned *rows = memory_new(memory_multiply(3, m + 1), sizeof(unsigned));
  unsigned *before = rows, *last = rows + (m + 1), *now = rows + 2 * (m + 1);
  for (size_t j = 0; j <= m; j++)
    last[j] = (unsigned)j;
  unsigned smallest = 0;
  for (size_t i = 1; i <= n && smallest <= limit; i++) {
    now[0] = smallest = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best)
        best = last[j] + 1;
      if (now[j - 1] + 1 < best)
        best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
      if (best < smallest)
        smallest = best;
    }
    unsigned *oldest = before;
    before = last;
    last = now;
    now = oldest;
  }
  unsigned result = smallest > limit || last[m] > limit ? limit + 1 : last[m];
  free(rows);
  return result;
}
