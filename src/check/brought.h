/* Instances that somebody wrote down: a counterexample found by hand, a certificate that was kept. */
#ifndef ASSAY_CHECK_BROUGHT_H
#define ASSAY_CHECK_BROUGHT_H

#include "check/result.h"
#include "check/search.h"

typedef struct {
  size_t tallies;
  check_tally *tally;  /* one for each instance; sizes owned */
  bool hit;
  int64_t *sizes;      /* of the first that hits (owned) */
  fmpq *value;
  size_t elements;
  size_t target;
  uint64_t number;     /* from 0 */
} brought;

/* Decides the instances of a file (cert/instance.h) for claim c, in order. False with messages in d when the file
 * cannot be read or an instance is none of the claim's; *b is to be cleared in every case. */
bool brought_decide(brought *b, diag *d, const claim *c, const char *path, slong precision);
void brought_clear(brought *b);

#endif
