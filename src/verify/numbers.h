/* What number.c and ball.c share. */
#ifndef ASSAY_VERIFY_NUMBERS_H
#define ASSAY_VERIFY_NUMBERS_H

#include "core/key_map.h"
#include "verify/integral.h"
#include "verify/number.h"

typedef struct {
  unsigned op;
  number a;        /* operands; always older than the number itself */
  int64_t b;       /* the second operand, or the exponent of OP_POWER */
  fmpq_t rational; /* OP_RATIONAL */
  slong precision; /* of the ball; 0: none yet */
  arb_t ball;
} number_entry;

struct numbers {
  integrand **integral; /* by b of OP_INTEGRAL; owned */
  uint32_t integrals;
  number_entry *entry;
  uint32_t count, capacity;
  key_map map;
  slong max_precision;
};

static inline bool numbers_takes_two(unsigned op)
{
  return (op >= OP_ADD && op <= OP_DIVIDE) || op == OP_FUNCTION + FUNCTION_MIN ||
         op == OP_FUNCTION + FUNCTION_MAX;
}

/* f(x) of one operand, which lies in the domain. */
void numbers_function(arb_t r, function_kind f, const arb_t x, slong precision);

/* Gives the number a ball of at least this precision. Domain: a defined number. */
void numbers_refine(numbers *s, number a, slong precision);

#endif
