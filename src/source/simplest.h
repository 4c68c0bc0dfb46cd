/* The simplest rational in an interval (Stern-Brocot). */
#ifndef ASSAY_SOURCE_SIMPLEST_H
#define ASSAY_SOURCE_SIMPLEST_H

#include "core/flint.h"

/* The rational of least denominator, and among those of least size, in the closed interval [low, high], low <= high.
 * Exact. Aliasing is allowed. */
void simplest_between(fmpq_t out, const fmpq_t low, const fmpq_t high);
/* The simplest rational within `radius` of x. */
void simplest_near(fmpq_t out, const fmpq_t x, const fmpq_t radius);

#endif
