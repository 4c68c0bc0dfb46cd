/* Between rationals and doubles, exactly. */
#ifndef ASSAY_CORE_RATIONAL_H
#define ASSAY_CORE_RATIONAL_H

#include <stdbool.h>

#include "core/flint.h"

/* q = x, which must be finite. Exact. */
void rational_set_double(fmpq_t q, double x);
/* Whether some double equals q; then *x is it. */
bool rational_get_double(double *x, const fmpq_t q);
/* A double near q: within an ulp; infinite past the largest double. For searches only. */
double rational_near_double(const fmpq_t q);

#endif
