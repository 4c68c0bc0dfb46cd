/* What the audit of a Mamba-1 model found, for people. */
#ifndef ASSAY_REPORT_MODEL_TEXT_H
#define ASSAY_REPORT_MODEL_TEXT_H

#include <stdio.h>

#include "check/mamba_assumption.h"

/* Writes the report: what is asked, one paragraph per layer, the total. Numbers are enclosed by decimals that
 * are rounded outward. No colour, no locale. */
void model_text_write(FILE *out, const mamba_report *report);

#endif
