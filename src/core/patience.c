/* A limit for whatever a thread computes. */
#include "core/patience.h"

#include <omp.h>
#include <stddef.h>

static _Thread_local const volatile int *stop_at;
static _Thread_local double deadline_at;

void patience_begin(const volatile int *stop, double deadline)
{
  stop_at = stop;
  deadline_at = deadline;
}

void patience_end(void)
{
  patience_begin(NULL, 0);
}

bool patience_is_over(void)
{
  return (stop_at && *stop_at) || (deadline_at > 0 && omp_get_wtime() >= deadline_at);
}
