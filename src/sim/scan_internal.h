/* What the files of the selective scan share. */
#ifndef ASSAY_SIM_SCAN_INTERNAL_H
#define ASSAY_SIM_SCAN_INTERNAL_H

#include "sim/scan.h"

static inline const double *scan_row(const scan_input *rows, size_t sequence, size_t token)
{
  return rows->at + sequence * rows->sequence + token * rows->token;
}

static inline double *scan_row_out(const scan_output *rows, size_t sequence, size_t token)
{
  return rows->at + sequence * rows->sequence + token * rows->token;
}

/* The reference, one thread. */
void scan_reference(double *state, const scan_outputs *out, const scan_layer *layer, const scan_inputs *in);

#endif
