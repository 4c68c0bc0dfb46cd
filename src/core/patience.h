/* When to give up: a limit for whatever the calling thread computes, for computations so deep inside that nobody hands it down to
 * them. What is given up is unknown, never wrong. */
#ifndef ASSAY_CORE_PATIENCE_H
#define ASSAY_CORE_PATIENCE_H

#include <stdbool.h>

typedef struct {
  const volatile int *stop;
  double deadline;
} patience;

/* From here on, on this thread: over once *stop is not 0 (NULL: never) or at omp_get_wtime() `deadline` (0: never). Returns what
 * was in force, for patience_end. */
patience patience_begin(const volatile int *stop, double deadline);
void patience_end(patience before);

/* Cheap enough to be asked some 10^5 times in a second. */
bool patience_is_over(void);

#endif
