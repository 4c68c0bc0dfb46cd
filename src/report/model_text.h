/* What the audit of a model found, for people. */
#ifndef ASSAY_REPORT_MODEL_TEXT_H
#define ASSAY_REPORT_MODEL_TEXT_H

#include <stdio.h>

#include "check/model_audit.h"

/* Writes the report: what is asked, a line for each layer, the totals, what the bound is worth, the worst entries.
 * Numbers are enclosed by decimals that are rounded outward. No colour, no locale. */
void model_text_write(FILE *out, const model_report *report);

#endif
