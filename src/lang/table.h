/* Tables of printed numbers: CSV files with the digits as a paper prints them, and the numbers that those digits can
 * stand for.
 *
 * The form is that of RFC 4180 (fields between commas; between double quotes they may hold commas, line ends and,
 * doubled, double quotes), UTF-8, lines ended by LF or CR LF. Lines that begin with # stand before the header;
 * `# title: ...` and `# source: ...` say what the table is. Empty lines mean nothing. The first row names the columns (its
 * first field is free), the first field of each other row names the row. A cell holds a number just as it is printed
 * ("88.7", ".654", "-3", "1.20e-3"), or nothing, "-", or a longer dash: not printed. Blanks around a field that is not
 * between quotes do not count.
 *
 * Ownership: a table owns all it points to, the text of its file included. */
#ifndef ASSAY_LANG_TABLE_H
#define ASSAY_LANG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"
#include "core/flint.h"

typedef struct {
  char *text;   /* as it stands in the file, blanks around it taken off */
  bool printed; /* it is a number; then: */
  bool negative; /* written with a minus sign, be it -0 */
  fmpq_t value;
  fmpq_t unit; /* of its last place: 1/10 for 88.7 */
  diag_place place;
} table_cell;

typedef struct table {
  diag_source *source; /* the file */
  char *title, *cite;  /* NULL: not said */
  unsigned rows, columns; /* 1 or more of each, the header and the row names not counted */
  char **row, **column;   /* their names, all different among themselves */
  table_cell *cell;       /* row by row */
  unsigned printed;       /* how many are numbers */
} table;

/* Reads a file; NULL with messages, each with its place, where something is malformed or over a limit.
 * Domain: any bytes at all. */
table *table_read(diag *d, const char *path);
/* The same from a source, which the table takes over, or which is destroyed. */
table *table_read_source(diag *d, diag_source *source);
void table_destroy(table *t);

/* Row and column from 0. */
const table_cell *table_at(const table *t, unsigned row, unsigned column);
/* The number of a row or a column by its name; when there is none, *near is the one that was perhaps meant, or NULL. */
bool table_find_row(const table *t, unsigned *row, const char **near, const char *name);
bool table_find_column(const table *t, unsigned *column, const char **near, const char *name);

/* The numbers that a printed cell can stand for. Rounded: [value - unit/2, value + unit/2], both ends included, since
 * nobody says which way a tie went. Truncated (digits cut off): [value, value + unit), and (value - unit, value] with a
 * minus sign. */
void table_interval(fmpq_t low, fmpq_t high, bool *low_open, bool *high_open, const table_cell *c, bool truncated);

#endif
