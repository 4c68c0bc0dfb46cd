/* A page for a reviewer: one counterexample, or one witness, with everything needed to follow it by hand.
 *
 * The statement; the values; every `let` element in the order in which it is computed, with its formula
 * and its value; each hypothesis with both sides; the line that breaks; where the instance came from; the
 * command that checks it again. Values are exact where they are rational and not too long, else decimal
 * enclosures [a, b]. */
#ifndef ASSAY_REPORT_PAGE_TEXT_H
#define ASSAY_REPORT_PAGE_TEXT_H

#include <stdio.h>

#include "check/result.h"

/* Writes the page on r->counterexample, or on the witnesses of a claim that asks what is possible. Nothing
 * when there is none. precision: bits of a ball at most. */
void page_write(FILE *out, const check_result *r, slong precision);

#endif
