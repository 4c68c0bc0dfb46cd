/* Exact numbers and enclosures as text, the way instances and certificates hold them.
 *
 * A number is "-3", "3/4", a decimal ("0.1", "1e-3") or a hexadecimal one ("0x1.8p-3"), always exact, with no
 * blanks and no sign but '-' in front. An enclosure is a number, or "[m +/- r]" ("[+/- r]" for m = 0) with
 * decimals m and r: the reals from m - r to m + r. */
#ifndef ASSAY_CERT_EXACT_H
#define ASSAY_CERT_EXACT_H

#include <stdbool.h>

#include "core/flint.h"
#include "core/text.h"

/* Sets x. Returns NULL, or why the text is no number (then x is unset). At most LIMIT_EXACT_BITS bits. */
const char *exact_read(fmpq_t x, const char *s);
/* Appends "p/q" in lowest terms, or "p". exact_read gives x again. */
void exact_print(text *out, const fmpq_t x);

/* Sets the ends of an enclosure (equal for a number). Returns NULL, or why the text is none. */
const char *enclosure_read(fmpq_t low, fmpq_t high, const char *s);
/* Appends a decimal enclosure of the ball, rounded outward, with about `digits` digits; it holds every point
 * of x. Returns false, and appends nothing, if x is not bounded (NaN, infinite, or beyond 2^300000). */
bool enclosure_print(text *out, const arb_t x, long digits);

#endif
