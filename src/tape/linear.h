/* What the labels of a tape say by linear inequalities over the given elements. */
#ifndef ASSAY_TAPE_LINEAR_H
#define ASSAY_TAPE_LINEAR_H

#include "tape/tape.h"

/* sum of coefficient[i] * element[i] RELATION right, exactly. */
typedef enum { LINEAR_LESS, LINEAR_LESS_EQUAL, LINEAR_EQUAL } linear_relation;
typedef struct {
  linear_relation relation;
  size_t terms; /* no element twice, no coefficient 0; none: 0 RELATION right */
  uint32_t *element;
  fmpq *coefficient;
  fmpq_t right;
  uint32_t label, atom; /* where it comes from; atom UINT32_MAX: from the label as a whole */
} linear_row;

typedef struct {
  linear_row *row;
  size_t rows, capacity;
} linear_system;

void linear_init(linear_system *s);
void linear_clear(linear_system *s);

/* Adds rows for label number `label` of t, in order; of a range, an assumption or a question.
 *
 * Guarantee: where the label is true, so is every row. The converse need not hold: what is not linear is left out, and so
 * is what lies behind `or`, `implies` or a condition. The maximum of several linear forms, abs and relu are taken apart
 * where they are bounded from above, and the minimum from below, up to a limit of rows for one comparison. */
void linear_add_label(linear_system *s, const tape *t, size_t label);

#endif
