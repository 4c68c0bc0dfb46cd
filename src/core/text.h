/* A growing string. Running out of memory ends the program with exit status 70 and a message (see memory.h). */
#ifndef ASSAY_CORE_TEXT_H
#define ASSAY_CORE_TEXT_H

#include <stddef.h>

typedef struct {
  char *data; /* NUL-terminated once anything was added; NULL before */
  size_t length, capacity;
} text;

void text_init(text *t);
void text_clear(text *t);
void text_add(text *t, const char *s);
void text_add_bytes(text *t, const char *s, size_t n);
void text_add_char(text *t, char c);
void text_addf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a word that a shell takes for just that, after a blank where there is something before it. */
void text_add_word(text *t, const char *word);
/* The string, "" when empty. Owned by t. */
const char *text_string(const text *t);
/* Hands the string over to the caller (free with free) and empties t. */
char *text_take(text *t);

#endif
