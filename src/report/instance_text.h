/* Sizes and instances in short, for tables. */
#ifndef ASSAY_REPORT_INSTANCE_TEXT_H
#define ASSAY_REPORT_INSTANCE_TEXT_H

#include "check/result.h"
#include "core/text.h"

/* Appends "T = 2, N = 1"; nothing for a claim without sizes. */
void sizes_print(text *out, const claim *c, const int64_t *sizes);
/* Appends "alpha[1..2] = 1/2; z[1..2] = -1, 100; p = 1": neighbours of one name together, one value for
 * all where they agree. A value of more than some 40 characters is given as a decimal enclosure. */
void instance_print_short(text *out, const check_instance *i);
/* Appends the exact value, or a decimal enclosure [a, b] where that takes more than `most` characters. */
void number_print(text *out, const fmpq_t x, size_t most);
/* Appends "upper at t = 2: 199/4 <= 99/2". */
void witness_print_broken(text *out, const check_witness *w);

#endif
