/* Influence of past tokens, for people. */
#ifndef ASSAY_REPORT_INFLUENCE_TEXT_H
#define ASSAY_REPORT_INFLUENCE_TEXT_H

#include <stdio.h>

#include "sim/influence.h"

/* Writes a table of slopes beside log A_max and the mean of log alpha, a line of Theorem 3.1's bound for each
 * layer, and for the model and each layer a table of influence by distance: every distance while they are
 * few, else powers of two, each with all distances from it up to the next. Means are over pairs. "-": nothing
 * there. No colour, no locale. */
void influence_text_write(FILE *out, const influence_result *r);

#endif
