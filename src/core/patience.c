/* A limit for whatever a thread computes. */
#include "core/patience.h"

#include <omp.h>

static _Thread_local patience now;

patience patience_begin(const volatile int *stop, double deadline)
{
  patience before = now;
  now = (patience){stop, deadline};
  return before;
}

void patience_end(patience before)
{
  now = before;
}

bool patience_is_over(void)
{
  return (now.stop && *now.stop) || (now.deadline > 0 && omp_get_wtime() >= now.deadline);
}
