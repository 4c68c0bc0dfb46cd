/* What the parts of the search share. Private to check/search*.c and check/adversary.c. */
#ifndef ASSAY_CHECK_SEARCH_INTERNAL_H
#define ASSAY_CHECK_SEARCH_INTERNAL_H

#include "check/search.h"

/* One thread's working space for one case. */
typedef struct search_worker {
  bounded_state *bounded;
  drawer_state *draw;
  stage_state decide;
  real_state *real;
  double *input;      /* elements * LANES */
  fmpq *value;        /* elements */
  truth *lane_target; /* what `bounded` says of the targets in one lane */
} search_worker;

search_worker *search_worker_of(search *s, search_case *c, int thread);
void search_worker_destroy(search_worker *w);

/* The choices of sizes to be tried, by growing sum: *count arrays of claim->sizes numbers, for the caller to free. NULL with
 * a message in d when there are none. */
int64_t **search_list_sizes(diag *d, const claim *c, const audit_options *options, size_t *count);

/* What an instance amounts to. */
typedef enum { OUTCOME_REJECTED, OUTCOME_UNDECIDED_HYPOTHESES, OUTCOME_TRUE, OUTCOME_FALSE, OUTCOME_UNDEFINED,
               OUTCOME_UNKNOWN } outcome;
/* From the truths of the hypotheses and of the targets (labels[k] of tape t); *hit: the first target that is hit, SIZE_MAX if
 * none. Targets k with found[k] are no longer looked for (found NULL: all are). */
outcome search_outcome(const tape *t, const uint32_t *labels, size_t targets, const bool *found, truth hypotheses,
                       const truth *target, size_t *hit);
void search_count(check_counts *counts, outcome o);

/* How many instances of this case may be decided one by one, by each source. */
uint64_t search_affordable(const search *s, const search_case *c);

/* Instances first .. end - 1 of the random source; up to `limit` more of the grid's. True at a hit. */
bool search_random(search *s, size_t case_number, uint64_t first, uint64_t end, search_hit *hit);
bool search_grid(search *s, size_t case_number, uint64_t limit, search_hit *hit);
/* search_should_stop for any thread: sets nothing. */
bool search_is_stopped(const search *s);

/* Whether fewer than one random instance in a thousand was accepted so far. */
bool search_needs_repair(const search_case *c);
/* Moves the lanes of w->input that miss a hypothesis towards meeting it. */
void search_repair(search_case *c, search_worker *w);

/* The adversary's two ways, each from a number of starting points. */
bool search_from_corners(search *s, size_t case_number, unsigned starts, search_hit *hit);
bool search_by_climbing(search *s, size_t case_number, unsigned starts, search_hit *hit);

/* Points of linear programs, where nothing was accepted, or for the questions without a witness. */
bool search_by_linear_program(search *s, size_t case_number, search_hit *hit);

/* One search over corners from starting point `start`: x[e] for every element (solved ones 0). False when no start was
 * admissible. The worker's real_state must exist. */
bool search_corners(search *s, size_t case_number, unsigned start, double *x);

#endif
