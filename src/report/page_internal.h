/* What the files that make a page share: the witness, its tape and the values that were calculated. */
#ifndef ASSAY_REPORT_PAGE_INTERNAL_H
#define ASSAY_REPORT_PAGE_INTERNAL_H

#include <stdio.h>

#include "check/decide.h"
#include "check/result.h"
#include "lang/lower.h"

enum {
  MOST_STEPS = 2000,  /* let elements, and lines of hypotheses, that are shown */
  MOST_FORMULA = 300, /* characters of a formula */
  MOST_DIGITS = 200,  /* characters of an exact value */
  DIGITS = 20         /* of an enclosure */
};

/* A let element's value. */
typedef struct {
  bool exact;
  fmpq_t value;
  char *shown; /* the value, a truth, a polynomial in random elements, "undefined" or "not known" */
} step_value;

typedef struct {
  FILE *out;
  const claim *claim;
  const check_witness *witness;
  slong precision;
  tape *t;
  lower_let_list lets;
  decider *d;
  decider_state *s;
  step_value *step; /* one for each let element */
} page;

/* "HEADING", underlined, after a blank line. */
void page_print_heading(const page *p, const char *heading);

/* Sets p->step from p->t, p->lets and the witness: each value exact where it is rational, else a ball of as many
 * digits as are shown. Leaves out what depends on random elements. */
void page_evaluate(page *p);
/* Sets what is shown of these: polynomials in the random elements. */
void page_expand(page *p);
/* "Step by step": every let element in the order in which it is computed. Nothing without lets. */
void page_write_steps(const page *p);
/* Both sides of comparison `atom` of the label (NULL: none is known), calculated; nothing where it is no
 * comparison below quantifiers. */
void page_write_sides(const page *p, const claim_label *label, size_t atom);

#endif
