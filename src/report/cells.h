/* The numbers of a printed table, and what claims made of each. */
#ifndef ASSAY_REPORT_CELLS_H
#define ASSAY_REPORT_CELLS_H

#include <jansson.h>
#include <stdio.h>

#include "check/result.h"
#include "lang/table.h"

#define CELLS_SCHEMA "assay-table/1"

/* A claim that takes numbers from the table. */
typedef struct {
  const check_result *result;
  const claim_given *given; /* what it calls the table */
} cells_use;

typedef struct {
  const char *file; /* as it was asked for */
  const table *table;
  size_t uses;
  const cells_use *use;
} cells_report;

/* What one line of a claim made of one number. */
typedef struct {
  const char *label; /* NULL: the claim as a whole */
  verdict verdict;
  const fmpq *value;   /* the number in the witness or counterexample; NULL: there is none */
  const fmpq *low, *high; /* multipliers of its two ends in the contradiction that proves the line impossible; NULL: 0 */
} cells_mark;

/* Whether the claim takes that number; row and column from 0. */
bool cells_takes(const cells_use *u, unsigned row, unsigned column);
/* What the lines of the claim made of it, in order: of several lines those that are impossible without it are left out.
 * Returns how many; the caller frees *marks. The numbers belong to the result. */
size_t cells_marks(cells_mark **marks, const cells_use *u, unsigned row, unsigned column);

/* Every cell, with the interval that it stands for and a line for each mark. */
void cells_text_write(FILE *out, const cells_report *r);
/* The same as JSON (reports/table-schema.json). */
json_t *cells_json_create(const cells_report *r);
/* Appends an end of an interval: a decimal, exactly. */
void cells_print_end(text *out, const fmpq_t x);

#endif
