/* Influence: how strongly what came in at token s acts on what comes out at token t, as a function of t - s.
 *
 * J(t, s) = dy_t/dx_s is a matrix; |J| is its Frobenius norm. Three of them are measured, all along the
 * trajectory of one input sequence, at the doubles that the model computes:
 *
 *   scan   of one layer: y_t its readout (net_view.y, before gate and projection), x_s what drives the
 * recurrence at token s directly, (u_s, Delta_s, B_s, C_s) as independent variables. This is the setting of
 * Theorem 3.1 in which parameters see their own token. Exact for each pair: the products of decays
 * themselves. mixer  of one layer: y_t what the layer adds to the residual stream, x_s the residual stream
 * before the layer: through norm, projections, convolution, step, scan, gate and output projection. model y_t
 * the hidden state behind the final norm, x_s what enters the first layer (the embedding).
 *
 * mixer and model go backwards through the adjoint of the blocks, a row of J at a time. With at least as many
 * probes as the model is wide, all rows are taken and |J| is exact but for rounding. With K fewer, |J|^2 is
 * estimated by the mean of |J^T v|^2 over K vectors v of independent signs (Philox, by seed, position and
 * probe); its expectation is |J|^2.
 *
 * No number underflows: exponents are kept apart (sim/wide.h). What is 0 is exactly 0: decays are those of
 * exp(Delta A) as real numbers, also where the double is 0.
 *
 * Averages are over the positions t of the options and over the sequences; s runs through all s <= t.
 * lg is the logarithm to base 10, log the natural one. */
#ifndef ASSAY_SIM_INFLUENCE_H
#define ASSAY_SIM_INFLUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "sim/net.h"

typedef struct {
  size_t positions; /* P: t = ceil(T i / P), i = 1..P, counted from 1, in a sequence of T tokens; 0 or P >= T:
                       all */
  size_t probes;       /* K; 0: all rows */
  uint64_t seed;
  bool scan, mixer, model; /* what to measure */
  const bool *layers;  /* of which layers scan and mixer; NULL: of all */
  int threads;         /* 0: as many as OpenMP likes */
  void (*progress)(void *context, const char *what, double fraction); /* from the calling thread; NULL */
  void *context;
  const volatile int *stop; /* ends the work soon after it becomes nonzero; NULL */
} influence_options;

/* positions 8, probes 8, seed 0, all three, all layers. */
influence_options influence_options_default(void);

/* All pairs (t, s) with one t - s. */
typedef struct {
  uint64_t pairs;         /* measured, over all sequences */
  uint64_t zeros;         /* of these: |J| is exactly 0; in none of the logarithms below */
  uint64_t broken;        /* of these: not a number or infinite; in nothing below */
  double mean_lg;         /* mean of lg |J| over the others; NaN when there are none, and so the next three */
  double lg_mean;         /* lg of the mean of |J|, zeros included */
  double least_lg, greatest_lg; /* of lg |J| */
  double bound_lg; /* scan: mean of lg of the bound of Theorem 3.1 over the same pairs; NaN: no bound */
} influence_distance;

/* log |J| = intercept + slope (t - s): least squares over all pairs with s < t and 0 < |J| < infinity. */
typedef struct {
  bool known;       /* two distances at least */
  uint64_t pairs;
  size_t first, last; /* the smallest and the largest t - s that occur */
  double slope, intercept;
} influence_fit;

typedef struct {
  bool known;
  const char *reason;     /* why not; a constant string. "" when it was not asked for */
  bool exact;             /* all rows, else probes */
  size_t distances;       /* at[0 .. distances-1] */
  influence_distance *at;
  influence_fit fit;
} influence_curve;

/* The decays that the recurrences used: exp(Delta A) of selective scans, |a| of fixed ones. RWKV-4's are not
 * known here. */
typedef struct {
  bool known;
  const char *reason;
  double log_max;       /* log A_max over all t and entries, rounded upward; kappa = -log_max */
  double log_max_below; /* ... and rounded downward */
  double mean_log;      /* mean of log alpha over all t and entries; -infinity where some alpha is 0 */
  uint64_t entries;     /* t times channels times states, over all sequences */
} influence_decay;

/* Theorem 3.1 with its constants: for s < t
 *   |dy_t/dx_s| <= |C_t| A_max^(t-s) |d(Delta_s B_s u_s)/dx_s + (dA_s/dx_s) h_(s-1)|,
 * Euclidean norm of C_t (of several groups the largest), Frobenius norm of the last factor, h as a real
 * number. Every operation is rounded outward: given the Delta, B, C, u of the run and the A of the layer as exact
 * numbers, the bound is proved. (They are worked out once more from what entered the layer, and are those of
 * the net but for rounding.) */
typedef struct {
  bool known;
  const char *reason;
  uint64_t pairs;     /* s < t */
  uint64_t exceeded;  /* of these |J| is larger than the bound by more than its own rounding can explain: 0 */
  double least_room;  /* the smallest lg bound - lg |J|, NaN: no pair */
  double most_room;
} influence_bound;

typedef struct {
  char *name;  /* of the layer; owned */
  const char *family;
  size_t layer, channels, states;
  influence_curve scan, mixer;
  influence_decay decay;
  influence_bound bound;
} influence_layer;

typedef struct {
  influence_options options;
  size_t sequences;      /* measured in full */
  size_t tokens;         /* the longest */
  size_t positions;      /* of it */
  size_t probes;         /* used: options.probes, or the width */
  size_t width;
  bool stopped;          /* not all sequences */
  influence_layer *layers;
  size_t layer_count;
  influence_curve model;
  influence_decay decay; /* of all layers, whether listed or not */
} influence_result;

/* Measures. `inputs` are `count` sequences of at least one token each. STATUS_OK also when it was stopped:
 * then what was finished is in the result (of a sequence that was not finished nothing). The result is to be
 * cleared. The net must outlive it. The numbers do not depend on the number of threads. */
assay_status influence_measure(influence_result *result, const net *n, const net_input *inputs, size_t count,
                               const influence_options *options);
void influence_result_clear(influence_result *result);

#endif
