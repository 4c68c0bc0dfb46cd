/* One decided formula of an instance as text: which, at which indices, both sides, and what it comes to. */
#ifndef ASSAY_REPORT_FORMULA_TEXT_H
#define ASSAY_REPORT_FORMULA_TEXT_H

#include "check/decide.h"
#include "core/text.h"
#include "lang/claim.h"

/* Appends "upper at t = 2: 199/4 <= 99/2 is false"; of a range "range of alpha[2]: 0 < 3/2 is true".
 * `atom` SIZE_MAX: the label as a whole, "upper is undefined". A side that is undefined, or that nothing
 * is known of, is written "?". */
void formula_print(text *out, const decider_state *s, const tape *t, size_t label, size_t atom);

/* Appends " at t = 2, n = 1"; nothing without indices. */
void formula_print_indices(text *out, unsigned indices, const char *const *names, const int64_t *values);

#endif
