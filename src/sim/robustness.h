/* What noise in a window of the input (sim/corruption.h) does to what comes out at the end.
 *
 * The clean sequence and one corrupted sequence for each window go through the model side by side, piece by
 * piece: memory is that of pieces and states. Compared, h and g being the vectors behind the final norm and
 * p and q the model's distributions (softmax of the logits, where there is a head) of the clean and the
 * corrupted sequence:
 *
 *   change      |g_t - h_t| / |h_t|, Euclidean
 *   divergence  KL(p_t || q_t) = sum of p log(p / q), in nats
 *   agreement   whether the largest logit is the same id's (of several largest the first)
 *
 * at the last token of each sequence ("last"), and at each token behind the window ("behind"; for windows
 * that reach the end there is none). "pooled" is the change of the mean of h_t over all tokens of the
 * sequence. Before the window nothing changes: models are causal. A change is undefined where h is 0 or not
 * finite, a divergence where a logit is not finite; both are counted so. */
#ifndef ASSAY_SIM_ROBUSTNESS_H
#define ASSAY_SIM_ROBUSTNESS_H

#include "core/status.h"
#include "sim/corruption.h"
#include "sim/measured.h"
#include "sim/net.h"

typedef struct {
  measured change, divergence, agreement;
} robustness_place;

typedef struct {
  corruption_window window;
  uint64_t replaced; /* tokens, of all sequences */
  robustness_place last, behind;
  measured pooled;   /* over sequences */
} robustness_row;

typedef struct {
  uint64_t sequences;
  bool has_logits;
  double deviation;
  size_t windows;
  robustness_row row[CORRUPTION_WINDOWS];
} robustness_report;

typedef struct robustness robustness;
robustness *robustness_create(const net *n, const corruption_window *window, size_t windows, double deviation, uint64_t seed);
void robustness_destroy(robustness *r);
/* Sequence number `sequence` of `tokens` tokens. */
void robustness_begin(robustness *r, uint64_t sequence, uint64_t tokens);
/* The clean run of a piece: as net_observer's finish. `first` is the token's number in the sequence. A run
 * of at most NET_PIECE tokens calls it once. */
void robustness_clean(robustness *r, size_t tokens, const double *hidden, const double *logits);
/* The corrupted runs of the same piece, of at most NET_PIECE tokens. */
assay_status robustness_corrupted(robustness *r, uint64_t first, const net_input *piece);
/* The sequence counts; without it nothing of a sequence that was cut short is in the report. */
void robustness_end(robustness *r);
const robustness_report *robustness_result(const robustness *r);

/* KL(p || q) in nats for the softmax of logits p, q [n]; NAN where one is not finite. Relative error some
 * 1e-15 of the larger of it and the square of the largest difference of logits, where that is below 1. */
double robustness_divergence(const double *p, const double *q, size_t n);

#endif
