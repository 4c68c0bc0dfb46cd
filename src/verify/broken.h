/* Where a formula breaks: the indices of the quantifiers around the comparison that decides, and its two
 * sides. */
#ifndef ASSAY_VERIFY_BROKEN_H
#define ASSAY_VERIFY_BROKEN_H

#include "cert/certificate.h"
#include "verify/evaluate.h"

/* Follows a formula whose truth is `wanted` down to the comparison that makes it so, through quantifiers,
 * connectives and `if`, as long as one part decides; takes the certificate's index where it names one, else
 * the first that will do. Appends indices and sides to `report`, and " at t = 2" to `where`. Returns NULL, or
 * what the certificate says wrongly. */
const char *broken_check(evaluator *e, text *report, text *where, const match *m, const node *formula,
                         truth wanted, const certificate *z);

#endif
