/* Aligned columns. */
#include "report/columns.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

void columns_init(columns *c, unsigned count)
{
  *c = (columns){.columns = count};
}

void columns_take(columns *c, char *s)
{
  if ((c->cells & (c->cells + 1)) == 0) /* room for 2 cells at 0, 4 at 1, 8 at 3, ... */
    c->cell = memory_resize(c->cell, 2 * (c->cells + 1), sizeof *c->cell);
  c->cell[c->cells++] = s;
}

void columns_add(columns *c, const char *format, ...)
{
  char buffer[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  columns_take(c, memory_copy_string(buffer));
}

void columns_write(FILE *out, const columns *c, int indent)
{
  int *width = memory_new(c->columns, sizeof *width);
  for (size_t i = 0; i < c->cells; i++) {
    size_t n = strlen(c->cell[i]);
    int *w = &width[i % c->columns];
    if (n <= COLUMNS_WIDEST && (int)n > *w)
      *w = (int)n;
  }
  for (size_t i = 0; i < c->cells; i++) {
    unsigned k = (unsigned)(i % c->columns);
    fprintf(out, "%*s%*s%s", k ? 2 : indent, "", k ? width[k] : -width[k], c->cell[i], k + 1 == c->columns ? "\n" : "");
  }
  free(width);
}

void columns_clear(columns *c)
{
  for (size_t i = 0; i < c->cells; i++)
    free(c->cell[i]);
  free(c->cell);
  columns_init(c, c->columns);
}
