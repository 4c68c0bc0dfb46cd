/* Certified subdivision: what holds for every instance whose values lie in the ranges of the claim.
 *
 * Guarantee: BOX_ALL is a proof (in ball arithmetic) for every point of the box, open ends included as closed ones.
 * Nothing else is: BOX_OPEN only says that the budget did not suffice. */
#ifndef ASSAY_CHECK_BOX_H
#define ASSAY_CHECK_BOX_H

#include "check/search.h"

typedef enum {
  BOX_NO_INSTANCE, /* the hypotheses fail everywhere */
  BOX_NO_WITNESS,  /* target `target` is false wherever the hypotheses hold */
  BOX_ALL_TRUE     /* every target is true wherever the hypotheses hold */
} box_question;

/* Only for a case with at most BOX_MOST_VARIABLES drawn elements, whose ranges have constant finite ends. */
enum { BOX_MOST_VARIABLES = 8, BOX_MOST_BOXES = 30000 };

/* True when it is proved. *boxes: how many were looked at. */
bool box_prove(search *s, size_t case_number, box_question question, size_t target, uint64_t *boxes);

#endif
