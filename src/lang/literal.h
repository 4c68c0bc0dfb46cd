/* Number literals: exact, both ways. */
#ifndef ASSAY_LANG_LITERAL_H
#define ASSAY_LANG_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/flint.h"
#include "core/text.h"

/* Limits of a literal: digits, and the decimal (of a hexadecimal one: binary) exponent of its first and last
 * digit. */
enum { LITERAL_DIGITS = 100000, LITERAL_EXPONENT = 100000 };

/* Sets x to the value of a literal: DIGITS, DIGITS.DIGITS, either with an exponent eN, or 0xH.H with an
 * optional exponent pN (of 2). Exact. Returns NULL, or why not. */
const char *literal_read(fmpq *x, const char *s, size_t length);

/* True if x >= 0 is the value of some literal, and then `out` (unless NULL) gets the one that literal_print
 * chose for it: plain digits, a decimal, one with an exponent, or a hexadecimal one, whichever is fit.
 * literal_read of that gives x again. */
bool literal_print(text *out, const fmpq *x);

#endif
