/* Independent jobs on several threads, whose outcomes are told one after the other. */
#ifndef ASSAY_CLI_IN_ORDER_H
#define ASSAY_CLI_IN_ORDER_H

#include <stddef.h>

typedef struct {
  size_t count;
  unsigned threads; /* at least 1; 1: everything happens on the caller's thread */
  /* Job i, on some thread. Jobs start in the order of i. */
  void (*work)(void *context, size_t i);
  /* What job i came to, on the caller's thread, in the order of i, while later jobs may run. */
  void (*tell)(void *context, size_t i);
  void *context;
} in_order;

/* Runs all jobs: work(i) once for each i, and tell(i) as soon as work has returned for 0..i. Where no thread can be had the
 * caller's does it all. */
void in_order_run(const in_order *jobs);

/* How many of `jobs` jobs to run at once on `threads` threads (0: all cores), and how many threads each of them may have. */
unsigned in_order_share(int threads, size_t jobs, int *each);

#endif
