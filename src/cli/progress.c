/* The progress line. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_init(progress *p, size_t count, bool wanted)
{
  const char *terminal = getenv("TERM");
  *p = (progress){.count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
  p->shown = wanted && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb");
}

static void show(progress *p, const char *claim, const char *what, double fraction)
{
  double time = now();
  if (p->dirty && time - p->last < 0.1)
    return;
  p->last = time;
  p->dirty = true;
  int percent = fraction >= 0 && fraction <= 1 ? (int)(100 * fraction) : 0;
  fprintf(stderr, "\r\033[K%zu/%zu %.40s: %.30s %d %%", p->done + 1, p->count, claim, what, percent);
  fflush(stderr);
}

void progress_show(void *context, const char *claim, const char *what, double fraction)
{
  progress *p = context;
  if (!p->shown)
    return;
  pthread_mutex_lock(&p->lock);
  show(p, claim, what, fraction);
  pthread_mutex_unlock(&p->lock);
}

static void wipe(progress *p)
{
  if (!p->dirty)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->dirty = false;
}

void progress_wipe(progress *p)
{
  pthread_mutex_lock(&p->lock);
  wipe(p);
  pthread_mutex_unlock(&p->lock);
}

void progress_pause(progress *p)
{
  pthread_mutex_lock(&p->lock);
  wipe(p);
}

void progress_resume(progress *p, size_t done)
{
  p->done = done;
  pthread_mutex_unlock(&p->lock);
}
