/* An audit as TAP, the Test Anything Protocol: one line per claim. */
#ifndef ASSAY_REPORT_TAP_H
#define ASSAY_REPORT_TAP_H

#include <stdio.h>

#include "check/result.h"

/* "1..COUNT". */
void tap_write_plan(FILE *out, size_t count);
/* "ok 3 - NAME: REFUTED as expected", "not ok 3 - NAME: SURVIVED 20000, expected REFUTED", "ok 3 - NAME:
 * REFUTED" where nothing is expected, "not ok 3 - NAME: not audited" for NULL. `number` counts from 1. */
void tap_write(FILE *out, size_t number, const char *name, const check_result *r);

#endif
