/* Random claims, as text, and instances of them: what the judge and the tape must agree on. Everything is a
 * function of the stream. */
#ifndef ASSAY_TESTS_CHECK_RANDOM_CLAIM_H
#define ASSAY_TESTS_CHECK_RANDOM_CLAIM_H

#include <stdbool.h>

#include "core/flint.h"
#include "core/philox.h"
#include "core/text.h"

typedef struct {
  bool functions;   /* transcendental ones and roots */
  bool division;    /* and negative powers */
  bool derivatives; /* d(e, x), nested at times */
  bool means;       /* mean(e) over random elements, nested at times */
} random_features;

/* Appends `claim probe ... end`: sizes T and perhaps N, scalar and indexed givens with ranges, recurrences,
 * truth lets, folds, conditions, equalities, some of them linear in one given. Every element that it names
 * exists for T >= 1, N >= 1. */
void random_claim(text *out, philox_stream *random, random_features features);

/* A small rational; few different ones under one `palette`, so that ties are common. `dyadic`: all are
 * doubles. */
void random_small(fmpq_t value, philox_stream *random, uint64_t palette, bool dyadic);

#endif
