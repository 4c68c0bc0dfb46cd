/* The audit of one claim: sources, search, shrinking, certificate, judge, verdict. */
#ifndef ASSAY_CHECK_AUDIT_H
#define ASSAY_CHECK_AUDIT_H

#include "check/result.h"
#include "core/diag.h"

typedef struct {
  uint64_t seed;           /* default 1 */
  uint64_t trials;         /* instances of the random source over all sizes; default AUDIT_TRIALS */
  double time;             /* seconds for one claim; 0: no limit. A run that it cuts short says so */
  int threads;             /* 0: all cores */
  slong precision;         /* bits of a ball at most */
  const char *sizes;       /* "T=1..8,N=2": instead of the claim's try; NULL: the claim's */
  int power;               /* mutants of the conclusion at most; 0: none */
  bool require_proof;      /* SURVIVED is not enough */
  const char *certificates; /* folder that certificates go to (made if missing); NULL: none are kept */
  const char *instances;   /* file of instances to decide first; NULL: none */
  const char *judge;       /* path of assay-verify */
  const char *place;       /* of a trajectory: where an instance comes from, in words; NULL */
  /* Called now and then with a short text for a progress line; NULL: none. */
  void (*progress)(void *context, const char *claim, const char *what, double fraction);
  void *progress_context;
  /* Becomes nonzero when the user wants to stop. */
  const volatile int *stop;
} audit_options;

enum { AUDIT_TRIALS = 5000, AUDIT_POWER = 4 };

audit_options audit_options_default(void);

/* Audits claim c. False, with messages in d, when the claim cannot be lowered or the options do not fit it.
 * The result is the same whatever the number of threads; `seconds` apart. Several threads may audit claims at once, also
 * claims of one library, each with a d of its own. */
bool audit_claim(check_result *r, diag *d, const claim *c, const char *file, const audit_options *options);

/* Parses "T=1..8,N=2" against the sizes of c: low and high of each; those not named keep INT64_MIN. */
bool audit_parse_sizes(diag *d, const claim *c, const char *choice, int64_t *low, int64_t *high);

#endif
