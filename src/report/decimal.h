/* Decimal numbers rounded outward, for results that people and programs read. No locale has a say in them.
 *
 * The form is that of JSON: "-12.5", "0.00037", "1.25e-321"; zeros at the end are dropped. */
#ifndef ASSAY_REPORT_DECIMAL_H
#define ASSAY_REPORT_DECIMAL_H

#include <stdbool.h>

#include "core/flint.h"

/* x rounded to at most `digits` significant digits (1 to 1000), to a number >= x (up) or <= x (not up).
 * Beyond about 10^(+-8e7) the result is a power of ten or "0" on the asked side of x. NULL when there is no
 * number on that side: x is NaN or infinite, or x is beyond and lies outward of every number that this
 * writes. The caller frees it. */
char *decimal_toward(const arf_t x, int digits, bool up);

/* Both ends of a ball, rounded outward: *lower <= every number of the ball <= *upper. Either may come out
 * NULL. */
void decimal_ends(char **lower, char **upper, const arb_t x, int digits);

/* The same for a number known to be >= 0, whatever the ball says: *lower is never NULL and never negative. */
void decimal_ends_positive(char **lower, char **upper, const arb_t x, int digits);

/* "[LOWER, UPPER]", with -inf and inf for ends that are NULL, or the number alone when both ends are the same
 * text. */
char *decimal_ball(const arb_t x, int digits);

/* A finite double in 17 significant digits, rounded to nearest: reads back as the same double. */
char *decimal_double(double x);

#endif
