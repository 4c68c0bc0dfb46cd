/* Expectations, `mean`, of polynomials in random elements. Private to the evaluator.
 *
 * Undefined where a coefficient is (of a monomial whose moment is 0, too), or where the variance of a random element that
 * occurs is undefined or below 0. What is no polynomial in random elements is refused, with its place. */
#ifndef ASSAY_VERIFY_RANDOM_H
#define ASSAY_VERIFY_RANDOM_H

#include "core/limits.h"
#include "verify/expansion.h"

enum { RANDOM_POWER = 1000 };

/* What the evaluator keeps of random elements. */
typedef struct {
  bool *let;        /* by number of the let: whether some element of it may reach a random one */
  key_map variable; /* (number of the random family, indices) -> its number */
  struct {
    const node *expression;
    int64_t slot[LIMIT_BINDERS];
  } *variance; /* by variable */
  uint32_t variables, variable_room;
  key_map element; /* (number of the let, list of variables of differentiation, indices) -> place in polynomial */
  const polynomial **polynomial; /* NULL: under way */
  uint32_t elements, element_room;
  size_t terms;     /* made so far */
  const node *mean; /* the innermost one under way */
  diag_place place; /* of the last one begun */
} random_state;

#endif
