/* Expressions with their indices, sizes and perhaps names replaced by numbers, for calculations that a
 * person follows. */
#ifndef ASSAY_REPORT_SUBSTITUTE_H
#define ASSAY_REPORT_SUBSTITUTE_H

#include "core/limits.h"
#include "core/text.h"
#include "lang/claim.h"

/* A named element with its exact value. */
typedef struct {
  const char *name;
  const fmpq *value;
} substitute_value;

typedef struct {
  const claim *claim;
  const int64_t *sizes;
  int64_t index[LIMIT_BINDERS]; /* by slot */
  uint32_t known;               /* bit i: slot i has a value */
  /* With values, a name found among them becomes its number, and a short fold is written out; within d(..., ...)
   * neither. */
  const substitute_value *value;
  size_t values;
} substitution;

/* Appends the expression. The tree itself is not changed. */
void substitute_print(text *out, const substitution *s, const node *n);

#endif
