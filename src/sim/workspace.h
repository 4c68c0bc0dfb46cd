/* Scratch memory of a run: taken piece by piece, given back all at once, and kept for the next time. */
#ifndef ASSAY_SIM_WORKSPACE_H
#define ASSAY_SIM_WORKSPACE_H

#include <stddef.h>

typedef struct {
  double **chunk; /* owned, aligned to 64 bytes */
  size_t *size;   /* doubles in each */
  size_t chunks, at, used; /* the next number is chunk[at][used] */
} workspace;

/* All zeros is an empty one. */
void workspace_clear(workspace *w);
/* Room for `count` numbers, aligned to 64 bytes, not set; good until workspace_reset. */
double *workspace_take(workspace *w, size_t count);
/* Everything taken is given back. */
void workspace_reset(workspace *w);

#endif
