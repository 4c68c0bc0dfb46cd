/* How much of an associative recall (sim/mqar.h) a model gets right.
 *
 * At the position of a query the model answers with the id of the greatest logit, of several the first;
 * right is the value that came with the key. All ids that the model has logits for compete. Where a logit
 * is a NaN there is no answer: broken, and not right. Distance is that of query and key: position of the
 * query minus that of its key in the pairs. */
#ifndef ASSAY_SIM_RECALL_H
#define ASSAY_SIM_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "sim/corruption.h"
#include "sim/mqar.h"
#include "sim/net.h"

enum { RECALL_BINS = 32 }; /* bin k: distances 2^k .. 2^(k+1) - 1 */

typedef struct {
  uint64_t asked, right, broken;
} recall_tally;

typedef struct {
  mqar_options task;
  uint64_t examples; /* done */
  recall_tally clean, distance[RECALL_BINS];
  /* The same examples with a window of tokens replaced by noise: of all queries, and of those whose key,
   * value and query lie outside the window. */
  size_t windows;
  corruption_window window[CORRUPTION_WINDOWS];
  recall_tally all[CORRUPTION_WINDOWS], intact[CORRUPTION_WINDOWS];
} recall_result;

typedef struct {
  uint64_t examples;
  const corruption_window *window;
  size_t windows; /* up to CORRUPTION_WINDOWS */
  const volatile int *stop; /* nonzero: no further example is begun; NULL */
  void (*progress)(void *context, uint64_t done); /* NULL */
  void *context;
} recall_options;

/* NULL, or why the model cannot be asked: no embedding, no head, the task's vocabulary is more than it has. */
const char *recall_reason(const net *n, const mqar_options *task);

/* Both reasons, mqar_reason and recall_reason, must be NULL. STATUS_OK also when it was stopped; else what
 * net_run says. */
assay_status recall_run(recall_result *result, const net *n, const mqar_options *task, const recall_options *options);

/* Wilson's interval for the probability of a right answer at 95 %, as if queries were independent (those of
 * one sequence need not be). asked 0: [0, 1]. */
void recall_interval(double *lower, double *upper, const recall_tally *t);

#endif
