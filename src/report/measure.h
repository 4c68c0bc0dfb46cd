/* What assay measure found, put together for the writers. Everything is borrowed; NULL: not asked for. */
#ifndef ASSAY_REPORT_MEASURE_H
#define ASSAY_REPORT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/influence.h"
#include "sim/net.h"
#include "sim/recall.h"
#include "sim/robustness.h"
#include "sim/smoothness.h"
#include "sim/spread.h"

typedef struct {
  const char *file, *container;
  const net *net;
  const bool *chosen;     /* [layers]: which are to be reported on */
  const char *command;    /* that repeats the run */
  uint64_t seed;
  bool stopped;           /* before all was done */
  uint64_t sequences;     /* that were to go through the model; 0: no measure wanted any */
  uint64_t tokens;        /* of the longest */
  const smoothness_report *smoothness;
  const spread_report *spread;
  const robustness_report *robustness;
  const recall_result *recall; /* [recalls], one for each number of pairs */
  size_t recalls;
  const influence_result *influence;
} measure_report;

#endif
