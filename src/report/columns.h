/* A table of words in aligned columns: the first column to the left, the others to the right. */
#ifndef ASSAY_REPORT_COLUMNS_H
#define ASSAY_REPORT_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

#include "core/text.h"

enum { COLUMNS_WIDEST = 60 }; /* a longer cell stands out of its column */

typedef struct {
  unsigned columns;
  size_t cells; /* filled row by row */
  char **cell;  /* owned */
} columns;

void columns_init(columns *c, unsigned count);
/* The next cell. */
void columns_add(columns *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes over a string. */
void columns_take(columns *c, char *s);
/* Writes the rows, each behind `indent` blanks. */
void columns_write(FILE *out, const columns *c, int indent);
void columns_clear(columns *c);

#endif
