/* A deep stack is that of a thread which does nothing else. */
#include "verify/deep.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "core/flint.h"
#include "core/memory.h"

static const size_t most = (size_t)1024 << 20, least = (size_t)1 << 20, reserve = (size_t)256 << 10;

static _Thread_local uintptr_t stack_end; /* stacks grow downward; 0: not on a deep stack */

typedef struct {
  void (*f)(void *);
  void *argument;
  size_t size;
} call;

static void *run(void *p)
{
  call *c = p;
  stack_end = (uintptr_t)__builtin_frame_address(0) - c->size + reserve;
  c->f(c->argument);
  flint_cleanup();
  return NULL;
}

void deep_call(void (*f)(void *), void *argument)
{
  call c = {f, argument, most};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  /* less where the system grants less */
  while (pthread_attr_setstacksize(&attributes, c.size) || pthread_create(&thread, &attributes, run, &c)) {
    c.size /= 2;
    if (c.size < least)
      memory_die("no stack for the evaluator");
  }
  pthread_attr_destroy(&attributes);
  pthread_join(thread, NULL);
}

bool deep_enough(void)
{
  return stack_end && (uintptr_t)__builtin_frame_address(0) > stack_end;
}
