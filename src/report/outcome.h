/* One claim of an audit as a test that passed or not, for formats that know of nothing else. */
#ifndef ASSAY_REPORT_OUTCOME_H
#define ASSAY_REPORT_OUTCOME_H

#include <stdbool.h>

#include "check/result.h"
#include "core/text.h"

/* As expected; where nothing was expected, nothing that the exit status would call a failure or open. False for
 * NULL: not audited. */
bool outcome_is_fine(const check_result *r);
/* Appends "REFUTED as expected", "SURVIVED 20000, expected REFUTED", "REFUTED" where nothing is expected, "not
 * audited" for NULL. */
void outcome_print(text *out, const check_result *r);

#endif
