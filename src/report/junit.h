/* An audit as JUnit XML, which most services of continuous integration read. */
#ifndef ASSAY_REPORT_JUNIT_H
#define ASSAY_REPORT_JUNIT_H

#include <stdio.h>

#include "check/result.h"

/* One of the claims, or of the cases, that were to be audited. */
typedef struct {
  const char *name, *statement;
  const check_result *result; /* NULL: not audited */
} junit_item;

/* Writes the whole document: a test case for each item, with the statement as its class. What did not come out
 * as expected is a failure (report/outcome.h), what was not audited is an error. UTF-8; bytes that are none and
 * characters that XML does not know are written as '?'. */
void junit_write(FILE *out, const junit_item *item, size_t count);

#endif
