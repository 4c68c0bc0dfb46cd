/* A growing string. */
#include "core/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

void text_init(text *t)
{
  *t = (text){0};
}

void text_clear(text *t)
{
  free(t->data);
  text_init(t);
}

static void text_reserve(text *t, size_t extra)
{
  size_t need = memory_add(t->length, memory_add(extra, 1));
  if (need <= t->capacity)
    return;
  size_t capacity = t->capacity ? t->capacity : 64;
  while (capacity < need)
    capacity = memory_multiply(capacity, 2);
  t->data = memory_resize(t->data, capacity, 1);
  t->capacity = capacity;
}

void text_add_bytes(text *t, const char *s, size_t n)
{
  text_reserve(t, n);
  if (n)
    memcpy(t->data + t->length, s, n);
  t->length += n;
  t->data[t->length] = 0;
}

void text_add(text *t, const char *s)
{
  text_add_bytes(t, s, strlen(s));
}

void text_add_char(text *t, char c)
{
  text_add_bytes(t, &c, 1);
}

void text_addf(text *t, const char *format, ...)
{
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n > 0) {
    text_reserve(t, (size_t)n);
    vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
}

/* Characters that mean nothing to a shell wherever they stand; bytes of UTF-8 are such too. */
static bool is_plain(const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
  bool fine = *word != 0;
  for (; *word; word++)
    fine = fine && ((unsigned char)*word >= 0x80 || strchr(plain, *word));
  return fine;
}

void text_add_word(text *t, const char *word)
{
  if (t->length)
    text_add_char(t, ' ');
  if (is_plain(word)) {
    text_add(t, word);
    return;
  }
  text_add_char(t, '\'');
  for (; *word; word++)
    if (*word == '\'')
      text_add(t, "'\\''");
    else
      text_add_char(t, *word);
  text_add_char(t, '\'');
}

const char *text_string(const text *t)
{
  return t->data ? t->data : "";
}

char *text_take(text *t)
{
  if (!t->data)
    text_add(t, "");
  char *s = t->data;
  text_init(t);
  return s;
}
