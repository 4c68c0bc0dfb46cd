/* What assay measure is asked for: its first argument and the options that are its own. */
#ifndef ASSAY_CLI_MEASURE_PLAN_H
#define ASSAY_CLI_MEASURE_PLAN_H

#include "cli/options.h"
#include "core/diag.h"
#include "core/text.h"
#include "sim/corruption.h"
#include "sim/mqar.h"
#include "sim/net.h"
#include "sim/smoothness.h"

enum { MEASURE_INFLUENCE = 1, MEASURE_SMOOTHNESS = 2, MEASURE_SPREAD = 4, MEASURE_RECALL = 8, MEASURE_ROBUSTNESS = 16 };
enum { MEASURE_PAIRS = 16, MEASURE_EXAMPLES = 256 };

typedef struct {
  unsigned what;     /* of MEASURE_INFLUENCE ... */
  uint64_t seed;
  energy_normalizer normalizer;
  double noise;      /* standard deviation of vectors that are put in */
  corruption_window window[CORRUPTION_WINDOWS];
  size_t windows;    /* 0: not given */
  size_t pairs[MEASURE_PAIRS], pair_count;
  size_t length;     /* of recall's sequences */
  uint64_t vocabulary; /* 0: the model's */
  uint64_t examples; /* of recall, for each number of pairs */
  bool robustness_of_recall_alone; /* no sequences were given: noise is put into those of recall only */
} measure_plan;

/* False with one message in d when there are not two arguments, or one of them or an option is malformed. */
bool measure_plan_read(measure_plan *p, diag *d, const options *o);

/* The windows that were given or, without any, the first, last and middle N tokens of T: N = 32 where T >=
 * 128, else a quarter of T, 1 at least. */
size_t measure_plan_windows(corruption_window *window, const measure_plan *p, uint64_t tokens);

/* Recall with pairs[i]. */
mqar_options measure_plan_task(const measure_plan *p, const net *n, size_t i);

/* How many things there are to show progress of. */
size_t measure_plan_stages(const measure_plan *p);

/* The command line that gives the same results again. */
void measure_plan_add_command(text *command, const measure_plan *p, const options *o);

#endif
