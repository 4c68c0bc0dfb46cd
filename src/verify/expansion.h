/* Polynomials in random elements, with numbers of the judge and their derivatives as coefficients. Private to the evaluator.
 *
 * They live in the region of the evaluator's duals and are never changed once finished. Past RANDOM_TERMS monomials in all, or a
 * power of one element past RANDOM_DEGREE, the evaluation is over, with a message at the innermost mean. */
#ifndef ASSAY_VERIFY_EXPANSION_H
#define ASSAY_VERIFY_EXPANSION_H

#include "core/key_map.h"
#include "verify/dual.h"
#include "verify/evaluate.h"

enum { RANDOM_TERMS = 1 << 20, RANDOM_DEGREE = 1 << 14 };

/* A factor is variable << 32 | power; factors stand in the order of variables, powers are not 0. */
typedef struct {
  unsigned factors;
  const uint64_t *factor;
  const dual *coefficient;
} term;

typedef struct {
  unsigned terms, capacity;
  term *term; /* all monomials different */
} polynomial;

/* A polynomial while it grows, and where each of its monomials stands. */
typedef struct {
  polynomial *p;
  key_map place;
} gathering;

void expansion_begin(evaluator *e, gathering *g);
/* Adds a term, or all of a polynomial or of its negative. */
void expansion_add(evaluator *e, gathering *g, unsigned factors, const uint64_t *factor, const dual *coefficient);
void expansion_add_all(evaluator *e, gathering *g, const polynomial *a, bool negate);
const polynomial *expansion_finish(gathering *g);

const polynomial *expansion_constant(evaluator *e, const dual *value);
const polynomial *expansion_unknown(evaluator *e);
const polynomial *expansion_sum(evaluator *e, const polynomial *a, const polynomial *b, bool negate_b);
const polynomial *expansion_product(evaluator *e, const polynomial *a, const polynomial *b);

#endif
