/* Measures of a run, for people. */
#ifndef ASSAY_REPORT_MEASURE_TEXT_H
#define ASSAY_REPORT_MEASURE_TEXT_H

#include <stdio.h>

#include "report/measure.h"

/* Writes the report: a table or two for each measure, "-" where something is undefined. Numbers are doubles
 * rounded to six digits; nothing of it is certified. No colour, no locale. */
void measure_text_write(FILE *out, const measure_report *report);

/* Parts of it. */
void recall_text_write(FILE *out, const measure_report *report);
void robustness_text_write(FILE *out, const measure_report *report);

/* "%.DIGITSg" of x, "-" for what is not finite. The caller frees it. */
char *measure_text_number(double x, int digits);

#endif
