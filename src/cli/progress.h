/* One line on a terminal that says what is being done, overwritten again and again. Nothing anywhere else. */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Several threads may show what they do. */
typedef struct {
  pthread_mutex_t lock;
  bool shown;         /* messages go to a terminal that can overwrite a line */
  bool dirty;         /* there is a line to wipe */
  double last;        /* when it was written last */
  size_t done, count; /* claims */
} progress;

void progress_init(progress *p, size_t count, bool wanted);
/* As audit_options wants it; context is the progress. */
void progress_show(void *context, const char *claim, const char *what, double fraction);
/* Wipes the line. */
void progress_wipe(progress *p);
/* Wipes the line and keeps it away, while something else is written, until progress_resume by the same thread, which says how
 * many claims are done by then. */
void progress_pause(progress *p);
void progress_resume(progress *p, size_t done);

#endif
