/* Trajectories as instances: claims asked of what a model did with sequences.
 *
 * Each (layer, channel, state) of a run over T tokens is a sequence alpha_t, Delta_t, b_t: one instance of a claim about a
 * recurrence, at the size T. Every recorded double is the exact real number that it stands for; what the claim makes of them,
 * the states h_t among it, the checker computes anew, so that the model's own rounding of h is no part of this. Claims and
 * layers meet through roles (check/claim_roles.h), and are decided as check/claim_table.h says: certified.
 *
 * A claim with the role `step` is not asked of a layer whose family has no step, one with the role `input` not of a complex
 * recurrence; of a complex recurrence the decay is its modulus.
 *
 * Memory. Decays and inputs of whole sequences are held for as many channels, layer after layer, as `bytes` has room for, of
 * one channel at least; where that is not all of them, the model runs over the sequence several times. The report does not
 * depend on that, nor on the number of threads.
 *
 * Numbers of sequences, layers, channels, states and tokens count from 0; indices of a claim as the claim has them. */
#ifndef ASSAY_CHECK_TRAJECTORY_H
#define ASSAY_CHECK_TRAJECTORY_H

#include "check/audit.h"
#include "check/claim_table.h"
#include "sim/net.h"

/* What is run. */
typedef struct {
  const char *file;       /* the model's name */
  size_t layers;
  const net_layer *layer; /* all of the model's */
  const bool *wanted;     /* which of them are asked; NULL: all */
  size_t sequences;
  uint64_t (*length)(void *context, size_t sequence); /* in tokens, >= 1 */
  /* Runs one sequence, whole, from the empty state on. What is not STATUS_OK ends everything. */
  assay_status (*run)(void *context, size_t sequence, const net_observer *observer);
  void *context;
} trajectory_source;

enum { TRAJECTORY_MEGABYTES = 1024 };

typedef struct {
  slong precision;
  int threads;
  size_t bytes; /* for recordings; 0: TRAJECTORY_MEGABYTES */
  void (*progress)(void *context, const char *what, const char *where, double fraction); /* NULL: none */
  void *progress_context;
  const volatile int *stop; /* becomes nonzero when the user wants an end; NULL */
} trajectory_options;

typedef struct {
  size_t sequence, channel, state, token; /* token: of a claim that knows no time */
} trajectory_place;

/* The slack of an instance is the smallest of greater side - smaller side of its conclusions. */
typedef struct {
  bool known;
  trajectory_place place;  /* of the instance whose slack has the smallest lower end */
  size_t tokens;           /* its T */
  char *label, *at;        /* where in it: "upper", "t = 3" */
  arb_t difference;        /* its slack; that of no other is below min(lower end of this, table.slack.low) */
  bool has_ratio;
  arb_t ratio;             /* smaller / greater side there, where both are positive */
} trajectory_slack;

/* One claim and one layer. */
typedef struct {
  char *reason; /* why it was not asked; NULL: it was */
  claim_table table;
  trajectory_place refuted;  /* the first, when table.refuted is not CLAIM_NOWHERE */
  trajectory_slack slack[2]; /* of instances whose hypotheses are true, false */
} trajectory_answer;

typedef struct {
  size_t number;
  char *name, *family;
  size_t channels, states;
  trajectory_answer *answer; /* one for each claim */
} trajectory_layer;

/* One claim, over all layers. */
typedef struct {
  const claim *claim;
  size_t tallies;
  check_tally *tally;
  bool refuted;      /* the first instance whose hypotheses are true and whose conclusion is false */
  size_t layer;      /* number */
  trajectory_place place;
  uint64_t instance; /* how many instances come before it */
  size_t tokens;
  double *decay, *step, *input; /* of it, `tokens` numbers each; what the claim does not use is NULL */
  size_t slack_layer[2];        /* index into `layers` of the smallest slack; SIZE_MAX: none is known */
} trajectory_claim;

typedef struct {
  char *file;
  size_t sequences;
  uint64_t tokens;   /* of all sequences */
  uint64_t runs;     /* of the model over a sequence */
  size_t layers;
  trajectory_layer *layer;
  size_t claims;
  trajectory_claim *claim;
  bool interrupted;  /* the user ended it: what is said is said of less */
  double seconds;
} trajectory_report;

/* What `run` returned when that was not STATUS_OK and the user did not want an end. The report is to be cleared in every case. */
assay_status trajectory_run(trajectory_report *r, const claim *const *claims, size_t count, const trajectory_source *source,
                            const trajectory_options *options);
void trajectory_report_clear(trajectory_report *r);

/* The verdict on claim k, as of an audit whose instances these are: REFUTED only with a shrunk counterexample that the judge
 * accepted. Shrinking starts from the shortest of some beginnings of the sequence that break the claim already. Of `o` the
 * fields precision, certificates, judge, stop and seed count; NAME.json is the certificate. */
void trajectory_verdict(check_result *result, diag *d, const trajectory_report *r, size_t k, const char *file,
                        const audit_options *o, const char *name);

#endif
