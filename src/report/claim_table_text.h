/* The table of a claim that was asked of many instances (check/claim_table.h), for people. */
#ifndef ASSAY_REPORT_CLAIM_TABLE_TEXT_H
#define ASSAY_REPORT_CLAIM_TABLE_TEXT_H

#include <stdio.h>

#include "check/claim_table.h"
#include "report/columns.h"

/* The first five cells of the head, and three rows: hypotheses true, false, unknown; behind each row there is a cell more where
 * `more` is given, more[k] (not taken). The name is taken. */
void claim_table_text_head(columns *c);
void claim_table_text_rows(columns *c, char *name, const claim_table *t, const char *const *more);
/* A line that says which hypotheses were false, and how often; none when none was. */
void claim_table_text_failures(FILE *out, const char *name, const claim_table *t);

#endif
