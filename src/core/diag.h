/* Diagnostics: one clear message with its place, wherever bad input is met.
 *
 * A source holds the text of one input file; a place points into it by byte offset, line and column (columns count
 * characters from 1, tabs as one). Messages about a source print as
 *
 *   FILE:LINE:COLUMN: error: MESSAGE
 *     the line
 *     ^
 */
#ifndef ASSAY_CORE_DIAG_H
#define ASSAY_CORE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  char *name;  /* as given on the command line */
  char *text;  /* length bytes and a NUL */
  size_t length;
} diag_source;

typedef struct {
  const diag_source *source; /* NULL: no place */
  size_t offset;             /* of the first byte meant */
  unsigned line, column;     /* from 1 */
} diag_place;

typedef struct diag diag;

/* A sink that writes to `out` (NULL: collects only). Counts errors; after `max` errors further ones are counted but not written. */
diag *diag_create(FILE *out, unsigned max);
void diag_destroy(diag *d);

unsigned diag_errors(const diag *d);
/* Every message written so far, as one string owned by d. */
const char *diag_text(const diag *d);
/* Where the first error was; place.source is NULL when there is none or it had no place. */
diag_place diag_first_place(const diag *d);

void diag_error(diag *d, diag_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(diag *d, diag_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Message without a place: "assay: error: ..." */
void diag_error_plain(diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a whole regular file; at most `limit` bytes. NULL with a message in d on failure, which it is to name a folder, a
 * pipe or a device: those are not waited for. "-" reads standard input, whatever that is. */
diag_source *diag_source_read(diag *d, const char *path, size_t limit);
/* A source from memory; copies name and text. */
diag_source *diag_source_from(const char *name, const char *text, size_t length);
void diag_source_destroy(diag_source *s);

/* Edit distance (insert, delete, replace, swap of neighbours) of two names, at most `limit` + 1. For "did you mean". */
unsigned diag_name_distance(const char *a, const char *b, unsigned limit);

#endif
