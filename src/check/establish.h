/* What stands between an instance that seems to decide a claim and a verdict: shrinking, certifying anew, the certificate, the
 * judge. */
#ifndef ASSAY_CHECK_ESTABLISH_H
#define ASSAY_CHECK_ESTABLISH_H

#include "check/audit.h"
#include "check/shrink.h"

/* The witness, which the judge has accepted; NULL with a reason in r when one of the steps fails. `o` says where certificates
 * go, who judges, and when to stop shrinking; target_name as in shrink.h; NAME.json is the certificate. */
check_witness *audit_establish(check_result *r, diag *d, const audit_options *o, shrunk *x, const char *target_name,
                               check_origin origin, const char *name);

#endif
