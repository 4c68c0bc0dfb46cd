/* LaTeX of expressions and names; private to the two files that print LaTeX. */
#ifndef ASSAY_LANG_LATEX_H
#define ASSAY_LANG_LATEX_H

#include "lang/claim.h"

/* An expression in mathematics mode. */
void latex_expression(text *out, const claim *c, const node *n);
/* A name with the indices of a defining line: alpha_{\mathrm{max},t}. */
void latex_head(text *out, const claim *c, const char *name, const claim_position *p, unsigned n);
/* A name alone. */
void latex_name(text *out, const char *name);
/* 1 \le t \le T, 1 \le s \le t of those positions that bind an index; false if there is none. */
bool latex_ranges(text *out, const claim *c, const node_range *r, unsigned n);
/* Words in text mode, special characters escaped. */
void latex_words(text *out, const char *s);

#endif
