/* The summary of an audit for people: a table, grouped by printed statement. */
#ifndef ASSAY_REPORT_TABLE_TEXT_H
#define ASSAY_REPORT_TABLE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "check/result.h"
#include "core/text.h"

typedef struct {
  FILE *out;
  bool colour;
  bool quiet; /* only what is refuted, or not as expected */
} table_style;

/* One printed statement with all claims about it: `names` are those of the claims, `results` what came of
 * each (NULL: it could not be audited, or was not come to). A line for each claim: its kind where not all are readings,
 * verdict, size, the smallest counterexample or the reason; then in one line how many of the readings are false and how
 * many repairs. A claim that asks what is possible counts as false when it is IMPOSSIBLE. */
void table_write_group(const table_style *s, const char *statement, const char *const *names,
                       const check_result *const *results, size_t count);

/* The claims about one printed statement, counted. */
typedef struct {
  size_t readings, false_, open, repairs, false_repairs, open_repairs;
} table_count;

/* Counts a claim; nothing for NULL. */
void table_count_result(table_count *n, const check_result *r);
/* "false under some reading tried (1 of 3); 1 not settled; no repair refuted (0 of 2)". Appends; nothing where there is neither. */
void table_print_count(text *out, const table_count *n);

/* What a row says behind the verdict: the counterexample, or why there is none. Appends. */
void table_print_detail(text *out, const check_result *r);
/* "SURVIVED 20000", "REFUTED": the verdict with its number. Appends. */
void table_print_verdict(text *out, const check_result *r);

/* All verdicts of a run, counted: "12 REFUTED, 3 SURVIVED"; the runs that were not as expected; what was
 * not audited. */
void table_write_totals(const table_style *s, const check_result *const *results, size_t count);

#endif
