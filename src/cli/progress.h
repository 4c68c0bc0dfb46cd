/* One line on a terminal that says what is being done, overwritten again and again. Nothing anywhere else. */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  bool shown;         /* messages go to a terminal that can overwrite a line */
  bool dirty;         /* there is a line to wipe */
  double last;        /* when it was written last */
  size_t done, count; /* claims */
} progress;

void progress_init(progress *p, size_t count, bool wanted);
/* As audit_options wants it; context is the progress. */
void progress_show(void *context, const char *claim, const char *what, double fraction);
/* Wipes the line, before anything else is written. */
void progress_wipe(progress *p);

#endif
