/* What the vectorised scans share; scan_lanes.h is their common code. */
#ifndef ASSAY_SIM_SCAN_VECTOR_H
#define ASSAY_SIM_SCAN_VECTOR_H

#include "sim/scan_internal.h"

/* log2 e, rounded: off by 2^-56.8 of it. */
#define SCAN_LOG2E 0x1.71547652b82fep+0

enum {
  SCAN_TILE = 8,    /* tokens */
  SCAN_GROUP = 512, /* channels, at most, of one part; a multiple of SCAN_LANES */
  SCAN_LANES = 8    /* at most */
};

/* What one call works off: channels first .. first + channels - 1 of one sequence, tokens from .. to - 1. */
typedef struct {
  const scan_layer *layer;
  const scan_inputs *in;
  const scan_outputs *out;
  double *state; /* [channels, N], of these channels alone */
  size_t sequence, first, channels, from, to;
} scan_part;

/* work: 64-byte aligned, of scan_work_size bytes. */
typedef void scan_channels(void *work, const scan_part *part);
scan_channels scan_channels_generic;

/* exp(step A) alone for n numbers rate = A SCAN_LOG2E, n a multiple of 32, |step rate| <= 1021: to measure it. */
typedef void scan_decays(double *alpha, double step, const double *rate, size_t n);
scan_decays scan_decays_generic;

#if defined(__x86_64__)
#define SCAN_HAS_X86 1
scan_channels scan_channels_avx2, scan_channels_avx512;
scan_decays scan_decays_avx2, scan_decays_avx512;
#endif

/* The code for a target that this machine has, and work for it with these outputs; to be freed. */
scan_channels *scan_channels_of(scan_target target);
scan_decays *scan_decays_of(scan_target target);
void *scan_work_new(const scan_layer *layer, const scan_outputs *out);

/* How D channels are parted: `count` groups of `width` channels, the last one perhaps smaller. So that threads have equal
 * work; the result does not depend on it. */
typedef struct {
  size_t count, width;
} scan_groups;
scan_groups scan_part_channels(size_t channels, size_t pieces, int threads);

/* SCAN_CHUNKED. */
void scan_chunked(scan_channels *run, double *state, const scan_outputs *out, const scan_layer *layer,
                  const scan_inputs *in, int threads);

#endif
