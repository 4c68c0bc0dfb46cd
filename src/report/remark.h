/* What a reader should know beside a verdict that is true as it stands. */
#ifndef ASSAY_REPORT_REMARK_H
#define ASSAY_REPORT_REMARK_H

#include "check/result.h"

/* "only 7 instances were certified": of a claim that SURVIVED so few that it has hardly been tested, although
 * it has givens to draw more from. NULL where there is nothing to remark. Free with free. */
char *remark_make(const check_result *r);

#endif
