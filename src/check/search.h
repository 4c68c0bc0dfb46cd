/* The hunt for an instance that refutes a claim (or for a witness of a `possible` one), over a list of sizes. */
#ifndef ASSAY_CHECK_SEARCH_H
#define ASSAY_CHECK_SEARCH_H

#include "check/audit.h"
#include "check/result.h"
#include "check/stage.h"
#include "source/draw.h"
#include "source/grid.h"

/* A claim at one choice of sizes, and how far the search of it has come. */
typedef struct {
  stage g;
  drawer *draw;   /* NULL: the elements cannot be put into an order */
  grid *points;   /* NULL: none */
  struct search_worker **worker; /* one per thread, made when first used */
  check_counts counts[SOURCE_KINDS];
  uint64_t drawn_random, next_grid; /* how far the sources have come */
  bool repairing;                   /* too few draws were accepted as they came (check/repair.c) */
  uint64_t climbed;                 /* instances that `bounded` left undecided */
  size_t next_linear;               /* how many linear programs were tried */
  size_t question;                  /* the target whose equalities are solved here; SIZE_MAX: none, all targets alike */
} search_case;

typedef struct {
  const claim *claim;
  const audit_options *options;
  uint32_t key;         /* of the claim's random streams */
  int threads;
  size_t cases;
  search_case *at;      /* by growing sum of sizes; after each choice of sizes, the questions that can be solved there */
  double deadline;      /* omp_get_wtime() at which to stop; 0: none */
  bool interrupted;
  bool *found;          /* per target: a `possible` that has its witness */
} search;

/* A refuting instance or witness: values of all elements of the case's tape, complete. */
typedef struct {
  size_t case_number;
  size_t target;        /* which show or possible (decider_targets) */
  fmpq *value;
  check_origin origin;
} search_hit;

/* Lowers the claim at all sizes to be tried. False with messages in d when that fails. */
bool search_create(search *s, diag *d, const claim *c, const audit_options *options);
void search_clear(search *s);
void search_hit_clear(search *s, search_hit *hit);

/* Runs the sources through all cases with `trials` random instances in all (grid and adversary in proportion). True at
 * the first hit in the order of the search, which does not depend on the number of threads. Can be called
 * again: it goes on where it stopped. */
bool search_run(search *s, uint64_t trials, search_hit *hit);

/* Whether the user or the clock wants an end. Sets s->interrupted. */
bool search_should_stop(search *s);

/* Whether the claim admits no sizes but those that are tried. */
bool search_covers_all_sizes(const search *s);

/* A copy of one lane as rationals. */
void search_lane_values(const tape *t, const double *input, unsigned lane, fmpq *value);
/* Decides one instance (solved elements are given their values): whether it is a hit on a target still looked for, and
 * which. Counts it under `source`. */
bool search_try(search *s, size_t case_number, fmpq *value, source_kind source, size_t *target);
/* The targets of the claim: the labels (numbers on the tape) that are to be broken or met. The same at all sizes. */
size_t search_targets(const search *s, const uint32_t **labels);

#endif
