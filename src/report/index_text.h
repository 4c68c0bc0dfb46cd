/* The first thing to read of an audit's folder: what was claimed, why, and what came of it. */
#ifndef ASSAY_REPORT_INDEX_TEXT_H
#define ASSAY_REPORT_INDEX_TEXT_H

#include <stdio.h>

#include "check/result.h"

typedef struct {
  const char *name;
  const char *statement;
  const char *page;           /* file name of the page of a counterexample or a witness; NULL: none */
  const check_result *result; /* NULL: it could not be audited, or was not come to */
} index_item;

/* Items of one statement stand together. First the statements, where there are several, with how many readings and repairs of
 * each are false; then for each statement: what the claim file begins with; each claim with its kind,
 * verdict, title, the comment above it in its file, the whole reason or counterexample and where its page is; and in one line
 * how many readings and repairs are false. */
void index_write(FILE *out, const index_item *item, size_t count);

#endif
