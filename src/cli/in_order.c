/* Independent jobs on several threads, whose outcomes are told one after the other. */
#include "cli/in_order.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/flint.h"
#include "core/memory.h"

/* What a main thread has on Linux by default; what recursion in an audit has been tried with. */
enum { STACK_BYTES = 8 << 20 };

typedef struct {
  const in_order *jobs;
  pthread_mutex_t lock;
  pthread_cond_t finished; /* some job has */
  size_t next;
  bool *done;
} crew;

static void *run_jobs(void *context)
{
  crew *c = context;
  pthread_mutex_lock(&c->lock);
  while (c->next < c->jobs->count) {
    size_t i = c->next++;
    pthread_mutex_unlock(&c->lock);
    c->jobs->work(c->jobs->context, i);
    pthread_mutex_lock(&c->lock);
    c->done[i] = true;
    pthread_cond_signal(&c->finished);
  }
  pthread_mutex_unlock(&c->lock);
  flint_cleanup();
  return NULL;
}

static void tell_all(crew *c)
{
  for (size_t i = 0; i < c->jobs->count; i++) {
    pthread_mutex_lock(&c->lock);
    while (!c->done[i])
      pthread_cond_wait(&c->finished, &c->lock);
    pthread_mutex_unlock(&c->lock);
    c->jobs->tell(c->jobs->context, i);
  }
}

static void run_here(const in_order *jobs)
{
  for (size_t i = 0; i < jobs->count; i++) {
    jobs->work(jobs->context, i);
    jobs->tell(jobs->context, i);
  }
}

/* As many of the threads as can be had. */
static unsigned start(pthread_t *thread, crew *c)
{
  unsigned started = 0;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return 0;
  if (!pthread_attr_setstacksize(&attributes, STACK_BYTES))
    while (started < c->jobs->threads && !pthread_create(&thread[started], &attributes, run_jobs, c))
      started++;
  pthread_attr_destroy(&attributes);
  return started;
}

void in_order_run(const in_order *jobs)
{
  if (jobs->threads <= 1) {
    run_here(jobs);
    return;
  }
  crew c = {.jobs = jobs, .lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};
  c.done = memory_new(jobs->count, sizeof *c.done);
  pthread_t *thread = memory_new(jobs->threads, sizeof *thread);
  unsigned started = start(thread, &c);
  if (started)
    tell_all(&c);
  else
    run_here(jobs);
  for (unsigned i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  free(thread);
  free(c.done);
  pthread_cond_destroy(&c.finished);
  pthread_mutex_destroy(&c.lock);
}

unsigned in_order_share(int threads, size_t jobs, int *each)
{
  int all = threads > 0 ? threads : omp_get_max_threads();
  int at_once = jobs == 0 ? 1 : jobs < (size_t)all ? (int)jobs : all;
  *each = all / at_once;
  return (unsigned)at_once;
}
