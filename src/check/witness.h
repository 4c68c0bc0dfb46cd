/* From a shrunk instance to something to show: decided once more in exact or ball arithmetic on the claim as it stands
 * (no equality solved), written down as a certificate, and put before the judge. */
#ifndef ASSAY_CHECK_WITNESS_H
#define ASSAY_CHECK_WITNESS_H

#include "check/result.h"
#include "check/shrink.h"

/* NULL when the instance, decided anew, does not hit after all (limits). target_name as in shrink.h; place as in result.h. */
check_witness *witness_create(const shrunk *x, const char *target_name, check_origin origin, const char *place);

/* Writes the certificate into folder/NAME.json and sets w->certificate. False with a message. */
bool witness_write(check_witness *w, diag *d, const claim *c, const char *file, const char *folder, const char *name);

/* Runs the judge on the claim file and the certificate. Returns its exit status (0: accepted), -1 when it could not be
 * run. Sets w->judged, and appends the last line that the judge printed to `said`. */
int witness_judge(check_witness *w, const char *judge, const char *file, text *said);

#endif
