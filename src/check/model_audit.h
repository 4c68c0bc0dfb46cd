/* The assumption A_t + Delta_t <= 1 of Theorem 4.2 of arXiv:2501.00658, and what follows from it, for the parameters of
 * a model of any described family.
 *
 * An entry is a channel and a state of a layer. What is asked of each (check/entry.h defines its decay A, its step Delta
 * and, where A = exp(Delta a), its rate a):
 *
 *   parameters alone   Is there any step Delta > 0 at which A + Delta <= 1? With a >= -1 there is none. With a < -1 it
 *                      holds for 0 < Delta <= Delta*(a) = 1 - W0(a exp a)/a and for no other, since exp(Delta a) + Delta - 1
 *                      is convex in Delta, 0 at 0, and its slope there is a + 1. Asked only of families with a rate.
 *   bias point         Is A + Delta <= 1 where the input contributes nothing to the step? Asked of families with a step.
 *   every input        Is it for every input that the block's norm lets through (check/model_inputs.h)? Asked where the
 *                      family describes the way from the norm to the step.
 *
 * Beside it, per layer: the range of A at the bias point, how much the bound of the theorem says there, how far the layer
 * remembers, and how far the states of a channel differ in A (the paper's Figure 6).
 *
 * Stored numbers are the exact reals that they stand for, and the functions are those of the real numbers: the rounding
 * that a model does when it runs is no part of this.
 *
 * Guarantee. Every `holds`, `fails`, `can` and `never` is certified, every arb_t is an enclosure. What cannot be decided
 * within the precision limit is unknown. Counted apart, and in nothing else: entries with a NaN or infinite input
 * (invalid); entries whose stored values lie outside of what the family says of them, or whose A is not in (0, 1)
 * (contradicting); entries with a stored value so small that it has no effect in double precision and is not 0 either
 * (collapsed).
 *
 * How an entry is decided: doubles with a proved error bound; balls of 64, 128, ... bits up to the limit; last, where
 * a >= -1 is certain and Delta > 0, by the slope above: it fails.
 *
 * The result depends on the file and the options, not on the number of threads. */
#ifndef ASSAY_CHECK_MODEL_AUDIT_H
#define ASSAY_CHECK_MODEL_AUDIT_H

#include "check/claim_table.h"
#include "core/flint.h"
#include "core/status.h"
#include "dump/dump.h"
#include "dump/model.h"

enum {
  MODEL_BINS = 20, /* of the histogram of Figure 6: bin k counts spreads below (k + 1) / 20 */
  MODEL_EXTRA = 2, /* states that an option appends */
  MODEL_WORST = 3  /* entries shown for the model as a whole */
};

typedef struct {
  uint64_t tokens;       /* T >= 1 in 1 - A_min^(T-1) */
  slong precision_limit; /* bits; >= 64. Below 64 no ball is tried at all. */
  int threads;           /* 0: as many as OpenMP likes */
  bool only_balls;       /* skip the double arithmetic: slow, for tests and comparison */
  bool polarized;        /* append two states to each channel, with the rates 0 and polar_rate (Section 6) */
  double polar_rate;     /* <= 0 */
  const dump_file *activations;  /* recorded ones (check/model_recorded.h); NULL */
  const claim *const *claims;    /* to be asked of every layer, on what was recorded where that is given */
  size_t claim_count;
  bool only_fitting;             /* a claim that cannot be asked is no error: its result says why */
} model_options;

/* tokens 2048, precision_limit 4096, threads 0, not polarized, polar_rate -1000. */
model_options model_options_default(void);

typedef struct {
  uint64_t holds, fails, unknown;
  uint64_t invalid, contradicting, collapsed;
  uint64_t by_double, by_ball, by_rule; /* who decided; their sum is holds + fails */
} model_counts;

/* Parameters alone. */
typedef struct {
  uint64_t can, never, unknown;
  bool has_threshold;                 /* can > 0 */
  arb_t threshold_min, threshold_max; /* the smallest and the largest Delta* of the layer */
} model_alone;

/* A number of the file: element index[0..rank-1], from 0, of a tensor in its stored shape. */
typedef struct {
  char *name; /* of the tensor; owned */
  unsigned rank;
  uint64_t index[DUMP_RANK + 1]; /* of a complex number last: 0 the real part, 1 the imaginary */
  double value;
} model_stored;

/* An entry, with all that is known of it. */
typedef struct {
  size_t channel, state;
  bool certain;  /* no entry that comes later (but for those with the same stored values) has a margin that may be as large */
  model_stored *stored; /* what it is made from */
  size_t stored_count;
  arb_t step, rate, decay, margin; /* rate: only when the layer has one */
} model_entry;

/* Of each channel with two states or more, the largest A minus the smallest. */
typedef struct {
  uint64_t channels;
  uint64_t below[MODEL_BINS], unknown[MODEL_BINS];
} model_spread;

/* Every admissible input. The doubles are bounds, not nearest values. */
typedef struct {
  bool known;
  const char *reason;                       /* when not known; a constant string */
  uint64_t holds, fails, depends, unknown;  /* of the valid entries */
  double step_min, step_max;                /* every Delta_t of every channel lies between them */
  double log_a_min, log_a_max;              /* ... and every log A_t: kappa of Theorem 3.1 is at least -log_a_max */
} model_inputs;

/* Recorded activations: (batch, token, channel, state) each. */
typedef struct {
  bool known;           /* false: nothing was recorded, or the decay does not follow from the step alone */
  size_t batch, tokens; /* 0: nothing was recorded */
  uint64_t holds, fails, unknown, invalid; /* invalid: the recorded step is NaN or infinite */
} model_recorded;

/* A claim asked of the entries of a layer (check/model_claim.h). */
typedef struct {
  const char *claim;
  char *reason; /* why it was not asked; NULL: it was */
  claim_table table; /* of the valid entries */
  size_t batch, channel, state; /* of table.refuted; batch: of a claim without time batch * tokens + token */
} model_claim_result;

typedef struct {
  char *name;          /* of the layer; "" when its tensors have no prefix */
  const char *family;
  size_t channels, states;
  const char *channel_word, *state_word; /* "channel", "state"; NULL: there is no such index */
  bool has_step, has_rate;
  bool always_equal;   /* the family makes A + Delta = 1 */
  model_counts counts; /* bias point; of a family without a step all are in holds = fails = 0, unknown = 0 */
  model_alone alone;
  uint64_t valid;      /* entries that are neither invalid nor contradicting nor collapsed; 0: nothing below means anything */
  arb_t a_min, a_max;  /* the smallest and the largest A */
  arb_t power;         /* log10 of A_min^(T-1): the theorem's factor is 1 - 10^power */
  arb_t horizon;       /* log10 of 1/kappa in tokens, kappa = log(1/A_max) */
  model_spread spread;
  model_inputs inputs;
  model_recorded recorded;
  model_claim_result *claims; /* of the options, in order */
  size_t claim_count;
  model_entry worst[MODEL_WORST]; /* the largest margins, largest first, of several equal ones the first; only with a step */
  size_t worst_count;
} model_layer_report;

typedef struct {
  char *file;
  const char *container;
  model_options options;
  model_layer_report *layers;
  size_t layer_count;
  model_counts total;
  model_alone total_alone; /* counts only */
  model_inputs total_inputs; /* counts only; known: some layer's are */
  struct {
    size_t layer, entry; /* layers[layer].worst[entry] */
  } worst[MODEL_WORST]; /* the largest margins of all, as far as balls of 128 bits tell */
  size_t worst_count;
  char **skipped; /* one line for each tensor that looks like a layer and is none, and why: "NAME": REASON */
  size_t skipped_count;
} model_report;

/* Audits the layers of a model that is open. The families must outlive the report. On success `report` is to be cleared by
 * the caller; on failure it is empty and `error` is set: STATUS_BAD_INPUT, or STATUS_UNABLE past a limit of check/entry.h. */
assay_status model_audit(model_report *report, const model *m, const model_options *options, dump_error *error);
void model_report_clear(model_report *report);

/* The model as a whole: false when an entry fails; else unknown when one is unknown, invalid, contradicting or collapsed, a
 * layer has no step, or what looks like a layer was not audited; else true. */
truth model_report_truth(const model_report *report);

/* Delta*(a), an enclosure, for a < -1. */
void model_threshold(arb_t delta, const arb_t a, slong precision);

#endif
