/* What an audit of one claim established: the input of every report.
 *
 * Ownership: a result owns all its strings and numbers but `claim`, which belongs to the library. Exact numbers are
 * fmpq or text "p/q"; enclosures are decimal text rounded outward ("[1.23e-4 +/- 5e-20]"). */
#ifndef ASSAY_CHECK_RESULT_H
#define ASSAY_CHECK_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/flint.h"
#include "lang/claim.h"

typedef enum {
  VERDICT_REFUTED,
  VERDICT_PROVED,
  VERDICT_PROVED_ON_BOX,
  VERDICT_SURVIVED,
  VERDICT_UNDECIDED,
  VERDICT_NO_INSTANCE,
  VERDICT_VACUOUS,
  VERDICT_POSSIBLE,
  VERDICT_IMPOSSIBLE,
  VERDICT_NO_WITNESS
} verdict;

/* "REFUTED", "PROVED ON BOX", ... as in the manual. */
const char *verdict_name(verdict v);

/* Sources of instances. */
typedef enum {
  SOURCE_GRID, SOURCE_RANDOM, SOURCE_ADVERSARY, SOURCE_CASE, SOURCE_BOX, SOURCE_LINEAR, SOURCE_TRAJECTORY, SOURCE_KINDS
} source_kind;
/* "grid", "random", "adversary", "case file", "box", "linear program", "trajectory" */
const char *source_name(source_kind s);

enum { CHECK_UNKNOWN_SHARE = 100 }; /* a claim survives when at most one admissible instance in this many is unknown */

/* drawn = all instances; accepted = those that certainly meet every hypothesis; of the accepted, true: every conclusion
 * certainly true; false: one certainly false; undefined: one certainly undefined; unknown: the rest. Instances whose
 * hypotheses could not be decided count in undecided_hypotheses. */
typedef struct {
  uint64_t drawn, accepted, true_, false_, unknown, undefined, undecided_hypotheses;
} check_counts;

typedef struct {
  int64_t *sizes; /* claim->sizes of them */
  source_kind source;
  check_counts counts;
} check_tally;

/* An instance: the sizes, and a value for every given element, by name in order of declaration. */
typedef struct {
  unsigned sizes;
  int64_t *size;
  size_t elements;
  char **name;
  fmpq *value;
} check_instance;

/* Where an instance comes from: enough to draw it again. */
typedef struct {
  uint64_t seed, number; /* number of the instance within its source */
  uint32_t attempt;
  source_kind source;
} check_origin;

/* A counterexample, or for `possible` a witness. */
typedef struct {
  check_instance instance;
  char *label;         /* which show is broken, which possible is met */
  unsigned indices;    /* at which values of which indices */
  char **index_name;
  int64_t *index_value;
  char *left, *right;  /* the two sides there; NULL when the formula is no comparison */
  char *relation;      /* "<=" */
  check_origin origin;
  char *place;         /* of a trajectory: model, sequence, layer, channel and state, in words; NULL otherwise */
  uint64_t shrink_steps;   /* how many smaller instances replaced the one that was found */
  char *certificate;   /* path of the file; NULL when none was written */
  bool judged;         /* assay-verify accepted it */
} check_witness;

typedef struct {
  bool known;
  char *label, *at;       /* at: "t = 3"; "" for none */
  char *instance;         /* "T = 2; alpha[1] = 1/2, ..." */
  char *difference;       /* enclosure of right - left */
  char *ratio;            /* enclosure of left / right; NULL when not both certified positive */
  uint64_t over;          /* how many certified true instances were looked at */
} check_slack;

typedef struct {
  char *hypothesis;       /* label, or "range of NAME" */
  bool needed;            /* dropping it, a counterexample was certified */
  bool tried;
} check_need;

typedef struct {
  unsigned tried, refuted;
  unsigned survivors;
  char **survivor;        /* what was changed in each mutant that survived */
} check_power;

/* For `possible`: the verdict on each label. */
typedef struct {
  char *label;
  verdict verdict;
  check_witness *witness; /* NULL: none */
} check_possible;

/* One row of a contradiction: sum of coefficient * element RELATION right follows from a hypothesis (or from the `possible`
 * label), at these indices. */
typedef struct {
  char *label;            /* of the hypothesis; range: the given whose range it is */
  bool range;
  unsigned indices;
  char **index_name;
  int64_t *index_value;
  size_t terms;
  char **element;
  fmpq *coefficient;
  const char *relation;   /* "<", "<=" or "="; not owned */
  fmpq_t right;
  fmpq_t multiplier;      /* not 0; positive unless the relation is "=" */
} check_multiplier;

/* At these sizes the rows, each times its multiplier, add up to 0 < 0, 0 <= b or 0 = b with a negative b: no instance meets the
 * hypotheses (label NULL), or none meets them and the `possible` label. Checked exactly. */
typedef struct {
  int64_t *sizes;
  char *label;
  size_t rows;
  check_multiplier *row;
} check_contradiction;

typedef struct {
  const claim *claim;
  char *file;
  verdict verdict;
  char *reason;           /* one sentence: which limit, at what instance; what was proved; "" when there is nothing to say */
  bool interrupted;       /* --time or Ctrl-C cut it short */
  check_counts total;
  size_t tallies;
  check_tally *tally;
  check_witness *counterexample; /* REFUTED only */
  size_t possibles;
  check_possible *possible;
  size_t contradictions;
  check_contradiction *contradiction;
  check_slack slack;
  size_t needs;
  check_need *need;
  char *emptiness;        /* how far the bound is from the trivial one, as a power of ten; NULL: no `trivial` */
  check_power power;
  bool power_measured;
  double seconds;
  /* Under a case file: */
  char *case_name;        /* NULL: none */
  char *expected;         /* verdict word; NULL: none */
} check_result;

void check_instance_clear(check_instance *i);
void check_witness_destroy(check_witness *w);
void check_result_set_reason(check_result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_result_destroy(check_result *r);
/* Whether the verdict is the expected one ("NO-WITNESS" matches NO WITNESS). True when nothing was expected. */
bool check_result_as_expected(const check_result *r);

#endif
