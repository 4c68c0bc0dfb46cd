/* What the values of a tensor are like. */
#ifndef ASSAY_DUMP_STATISTICS_H
#define ASSAY_DUMP_STATISTICS_H

#include "dump/dump.h"

/* The parts of complex numbers count as numbers of their own. */
typedef struct {
  bool known;         /* false: the values could not be read, and nothing below is set */
  bool has_finite;    /* else least and most are not set */
  double least, most; /* of the finite values */
  uint64_t nan, infinite, zero;
  /* Nonzero, and below the normal numbers of the stored type; for integers, truth values and blocks 0. */
  uint64_t subnormal;
} dump_statistics;

/* Reads every value. STATUS_BAD_INPUT with `error` set (see dump_values), and for a tensor whose strides give
 * it more elements than it has bytes. */
assay_status dump_measure(dump_statistics *statistics, const dump_file *file, const dump_tensor *tensor,
                          dump_error *error);

#endif
