/* A claim, asked of many instances that are what they are: no search, a table of what is true.
 *
 * For each instance, hypotheses and conclusions are decided independently of each other, and each hypothesis by itself. So a
 * table says what a model does where the theorem has nothing to say, too.
 *
 * Guarantee: what is counted as true or false is certified. The ladder: blocks of LANES instances in doubles with a bound on
 * their error, label by label; the conjuncts of what is left open, again in doubles, and where many are open still in balls
 * of 64 bits; a few of them exactly, each by itself; then the label, exactly where that is possible, and in balls of 128,
 * 256, ... bits over exact values up to the limit (below 64 no ball is tried at all). The table does not depend on the
 * number of threads. */
#ifndef ASSAY_CHECK_CLAIM_TABLE_H
#define ASSAY_CHECK_CLAIM_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/flint.h"
#include "tape/tape.h"

enum { CLAIM_TRUE, CLAIM_FALSE, CLAIM_UNKNOWN, CLAIM_OUTCOMES };

#define CLAIM_NOWHERE UINT64_MAX

/* The slack of an instance is the smallest of greater side - smaller side over the comparisons of the conclusions. */
typedef struct {
  uint64_t over; /* how many instances had an enclosure of theirs */
  uint64_t first; /* the one with the smallest lower end, of several the first; CLAIM_NOWHERE: over is 0 */
  arf_t low;     /* that end: none of the slacks is smaller */
} claim_slack;

typedef struct {
  uint64_t count[CLAIM_OUTCOMES][CLAIM_OUTCOMES]; /* hypotheses x conclusions; undefined counts as unknown, and so does all
                                                     of an instance with a NaN or infinity */
  uint64_t refuted;                               /* the first with true hypotheses and a false conclusion; CLAIM_NOWHERE */
  claim_slack slack[2];                           /* of instances whose hypotheses are true, false */
  size_t labels;
  char **label;                                   /* names of the tape's hypotheses, owned */
  uint64_t *failures;                             /* how often each was false */
} claim_table;

void claim_table_init(claim_table *t);
void claim_table_clear(claim_table *t);
/* Sums; the first that is refuted and the smaller slack, `to` before `from`. Says which of these are now from's. */
typedef struct {
  bool refuted, slack[2];
} claim_taken;
claim_taken claim_table_add(claim_table *to, const claim_table *from);

/* A tape with all that is needed to ask it. Adds operations to the tape, which it borrows. */
typedef struct claim_asker claim_asker;
claim_asker *claim_asker_create(tape *t, slong precision);
void claim_asker_destroy(claim_asker *a);

/* The instances 0 .. count - 1. */
typedef struct {
  uint64_t count;
  /* Fills input[e * LANES + lane] with drawn element e of instance first + lane, for lane < lanes; of an instance that is not
   * to be counted it may leave that. Returns which are: bit by bit. Called from several threads. */
  uint32_t (*fill)(void *context, double *input, uint64_t first, unsigned lanes);
  void *context;
} claim_instances;

/* Fills t, which is initialised. `stop` (NULL: never) ends it early: false. */
bool claim_asker_run(const claim_asker *a, claim_table *t, const claim_instances *in, int threads, const volatile int *stop);

/* Where the slack of one instance is, value[e] being its elements: finite doubles. */
typedef struct {
  size_t atom;                    /* of the tape: the comparison; of several as small the first */
  arb_t difference, small, great; /* greater side - smaller side, and these two */
} claim_least;
void claim_least_init(claim_least *l);
void claim_least_clear(claim_least *l);
/* False when no comparison of a conclusion has finite sides. */
bool claim_asker_least(claim_least *l, const claim_asker *a, const double *value);

#endif
