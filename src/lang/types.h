/* What is found out about a claim as a whole, beside its expressions one by one. Private to resolution. */
#ifndef ASSAY_LANG_TYPES_H
#define ASSAY_LANG_TYPES_H

#include "lang/resolve.h"

/* Sets the type of every let, value or truth value, from the heads of its lines: lets may refer to each other
 * in any order, so that bodies cannot be resolved before. A let that nothing tells about is a value. */
void types_of_lets(resolver *r);

/* The lines of one name so far, to find elements that are certainly defined twice: lines with the same
 * positions. What only shows at some size is found when the claim is lowered. */
typedef struct {
  resolver *r;
  names *seen;
  const diag_place **place;
  unsigned count;
} types_lines;
types_lines types_lines_start(resolver *r);
void types_lines_add(types_lines *l, const char *name, diag_place place, const claim_position *position,
                     unsigned n);
void types_lines_end(types_lines *l);

/* Interval ends may use lets that are declared above; such a let must not depend on a given declared below,
 * or nobody could draw values in order. Domain: a claim resolved without errors. */
void types_check_order(resolver *r);

/* The value of an integer expression without sizes and indices; false for others. */
bool types_constant(int64_t *value, const node *n);

#endif
