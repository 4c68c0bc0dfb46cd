/* Numbers with derivatives: dual numbers over dual numbers, one level for each variable of differentiation in
 * force.
 *
 * A leaf is a number that depends on none of the variables. Any other value depends on variable `level` and
 * on none beyond: v is the value and t the derivative with respect to that variable, both free of it. So the
 * derivative rules are written once, for values of any depth, and derivatives nest.
 *
 * Dependence is structural: t may be 0. What is the same expression has the same shape: a difference of equal
 * shapes is the constant 0, and equal shapes make no tie. Shapes are kept only while variables are in force.
 * A derivative that does not exist is NUMBER_UNDEFINED in t; the value beside it stays defined. */
#ifndef ASSAY_VERIFY_DUAL_H
#define ASSAY_VERIFY_DUAL_H

#include "core/key_map.h"
#include "core/memory.h"
#include "verify/number.h"

enum { DUAL_LEVELS = 8 };

typedef struct dual {
  number value;     /* of a leaf */
  int level;        /* -1: a leaf */
  uint32_t shape;   /* 0: not kept */
  bool literal;     /* depends on nothing given; value says all */
  uint32_t depends; /* bit i: depends on variable i */
  uint32_t jumps;   /* bit i: made from the value of an `if` on a boundary that depends on variable i */
  const struct dual *v, *t;
} dual;

typedef struct {
  numbers *numbers;
  key_map shape_of;
  uint32_t shapes, made;
  unsigned levels; /* variables in force */
  uint32_t seed[DUAL_LEVELS]; /* the element that each is */
  const dual **plain; /* by number: the leaf that stands for it while no variable is in force */
  number plains;
  memory_region *region;
} duals;

void duals_init(duals *s, numbers *n);
void duals_clear(duals *s);
bool duals_full(const duals *s);

/* The real number without its derivatives. */
number dual_value(const dual *a);
const dual *dual_literal(duals *s, number a);
/* Given element number `element`. */
const dual *dual_given(duals *s, uint32_t element, number value);
/* b is NULL where there is one operand. */
const dual *dual_apply(duals *s, unsigned op, const dual *a, const dual *b);
const dual *dual_power(duals *s, const dual *a, int64_t exponent);
/* The derivative with respect to variable `level`, the last one in force. */
const dual *dual_derivative(duals *s, const dual *a, int level);
/* The branch that an `if` took, whose condition depends on the variables in `depends`: on its boundary for
 * those in `edge`, perhaps on it for those in `maybe`; if it is, `all` are the variables that the whole `if` mentions. `origin`
 * is a number for this `if` under these indices. */
const dual *dual_branch(duals *s, const dual *a, uint32_t origin, uint32_t depends, uint32_t edge, uint32_t maybe,
                        uint32_t all);

#endif
