/* The one type of error of all readers: a message, the file, the byte offset. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/dump.h"
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

void dump_error_set_tensor(dump_error *error, const dump_file *file, const dump_tensor *tensor,
                           const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  error_store(error, file->segments[tensor->segment].name, format, arguments);
  va_end(arguments);
  error->offset = reader_place(file, tensor, 0);
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
