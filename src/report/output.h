/* The files that reports are written to. */
#ifndef ASSAY_REPORT_OUTPUT_H
#define ASSAY_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/diag.h"

/* One file underway. Private but for `file`. */
typedef struct {
  FILE *file;
  const char *path;
  char *part; /* what is written in place of path until it is whole; NULL: path itself */
  bool made;  /* nothing was there under that name before */
} output;

/* Whether output_open will find the file one that can be written, "-" included; it is made where it is not
 * there. False with a message, also for a folder, a pipe or the like, which would have to be waited for. */
bool output_check(diag *d, const char *path);

/* Opens the file; "-" is standard output. False with a message; then there is nothing to close. `path` is
 * borrowed until output_close. */
bool output_open(output *o, diag *d, const char *path);
/* Closes it; standard output stays open, and what went wrong there is for the program's end to say. A plain file appears, or is replaced, in one step, and only if all of it could be written;
 * false with a message where not. */
bool output_close(output *o, diag *d);
/* Closes it without giving it the name: what was there before is there still. Where it could only be written in place, it
 * is empty or cut short. */
void output_abandon(output *o);

#endif
