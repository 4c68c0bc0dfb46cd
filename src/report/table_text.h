/* The summary of an audit for people: a table, grouped by printed statement. */
#ifndef ASSAY_REPORT_TABLE_TEXT_H
#define ASSAY_REPORT_TABLE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "check/result.h"

typedef struct {
  FILE *out;
  bool colour;
  bool quiet; /* only what is refuted, or not as expected */
} table_style;

/* One printed statement with all its readings: `names` are those of the claims, `results` what came of
 * each (NULL: it could not be audited, or was not come to). A line for each claim: verdict, size, the
 * smallest counterexample or the reason; then in one line how many of the readings are false. A claim that
 * asks what is possible counts as false when it is IMPOSSIBLE. */
void table_write_group(const table_style *s, const char *statement, const char *const *names,
                       const check_result *const *results, size_t count);

/* "SURVIVED 20000", "REFUTED": the verdict with its number. Appends. */
void table_print_verdict(text *out, const check_result *r);

/* All verdicts of a run, counted: "12 REFUTED, 3 SURVIVED"; the runs that were not as expected; what was
 * not audited. */
void table_write_totals(const table_style *s, const check_result *const *results, size_t count);

#endif
