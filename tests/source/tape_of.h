/* A tape from the text of a claim, for the tests of sources. */
#ifndef ASSAY_TESTS_SOURCE_TAPE_OF_H
#define ASSAY_TESTS_SOURCE_TAPE_OF_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "lang/claim.h"
#include "lang/lower.h"
#include "tape/solve.h"

typedef struct {
  diag *d;
  diag_source *source;
  library *l;
  tape *t;
} claim_tape;

/* The first claim of the text at size `size` (if it has one), its equalities solved. */
static inline claim_tape tape_of(const char *claim_text, int64_t size)
{
  claim_tape c = {.d = diag_create(stderr, 10)};
  c.source = diag_source_from("test", claim_text, strlen(claim_text));
  c.l = library_read_source(c.d, c.source, 0);
  ck_assert_ptr_nonnull(c.l);
  c.t = lower_claim(c.d, library_claim(c.l, 0), &size, LIMIT_TAPE);
  ck_assert_ptr_nonnull(c.t);
  tape_solve(c.t, 100);
  return c;
}

static inline void tape_of_clear(claim_tape *c)
{
  tape_destroy(c->t);
  library_destroy(c->l);
  diag_source_destroy(c->source);
  diag_destroy(c->d);
}

#endif
