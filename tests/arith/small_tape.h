/* Short tapes for the tests of single operations. */
#ifndef ASSAY_TESTS_ARITH_SMALL_TAPE_H
#define ASSAY_TESTS_ARITH_SMALL_TAPE_H

#include "arith/arith.h"

/* A tape with `inputs` inputs; x[i] is the operation of input i. */
static inline tape *small_tape(tape_id *x, uint32_t inputs)
{
  tape *t = tape_create(100000);
  for (uint32_t i = 0; i < inputs; i++) {
    tape_add_element(t, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
    x[i] = tape_leaf(t, TAPE_INPUT, i);
  }
  return t;
}

static inline tape_id small_fraction(tape *t, slong p, ulong q)
{
  fmpq_t x;
  fmpq_init(x);
  fmpq_set_si(x, p, q);
  tape_id id = tape_constant(t, x);
  fmpq_clear(x);
  return id;
}

#endif
