/* What a run of a model was like, in a table for people: of each layer how large its vectors were, and between which values
 * steps and decays lay.
 *
 * Numbers are what double arithmetic makes of the doubles of the run; nothing is certified. A NaN makes what it enters NaN. */
#ifndef ASSAY_REPORT_RUN_TEXT_H
#define ASSAY_REPORT_RUN_TEXT_H

#include <stdio.h>

#include "sim/net.h"

typedef struct {
  double low, high; /* low > high: nothing was seen; NaN once a NaN was */
} run_range;

typedef struct {
  bool seen;
  uint64_t values;              /* of each of the following */
  double input, mixer, output;  /* sums of squares */
  run_range step, alpha;
} run_layer;

typedef struct {
  const net *net;
  run_layer *layers;
  double hidden; /* sum of squares */
  uint64_t hidden_values;
} run_summary;

void run_summary_init(run_summary *s, const net *n);
void run_summary_clear(run_summary *s);

/* Of a piece; what the view does not have is left out. */
void run_summary_see(run_summary *s, const net_view *view);
void run_summary_finish(run_summary *s, size_t tokens, const double *hidden);

/* The table, of the layers that were seen. */
void run_text_write(FILE *out, const run_summary *s);

#endif
