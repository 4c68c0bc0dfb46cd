/* Resolution of one expression: names looked up, types checked, slots given out. Shared by resolve.c and
 * resolve_claim.c only. */
#ifndef ASSAY_LANG_RESOLVE_H
#define ASSAY_LANG_RESOLVE_H

#include "core/limits.h"
#include "lang/flat.h"

typedef struct {
  syntax_store *store;
  flat_claim *flat;
  claim *claim;
  struct {
    const char *name;
    diag_place place;
  } scope[LIMIT_BINDERS]; /* the indices in force; a slot is a place in it */
  unsigned slots;
  struct {
    const char *name;
    diag_place place;
  } variable[LIMIT_BINDERS]; /* the variables of the integrals around, outermost first */
  unsigned variables;
  const flat_entry *ordered; /* NULL, or the given whose interval is read: names must be declared above it */
  bool first_line;           /* ... and this is its first line */
  unsigned sizes_known;      /* sizes that may be used: those with smaller numbers */
  unsigned errors_before;
  bool stop; /* a limit was reached */
} resolver;

/* The expression, resolved, or NULL with errors. */
node *resolve_expression(resolver *r, const node *raw);
/* ... which must be a number, a truth value, an integer expression; `what` names it in messages. */
node *resolve_value(resolver *r, const node *raw);
node *resolve_truth(resolver *r, const node *raw);
node *resolve_integer(resolver *r, const node *raw, const char *what);
/* A range `raw` into *range, its index bound. False with errors. Either way one slot more is in use, unless
 * there are too many; the caller takes them back by setting r->slots. */
bool resolve_range(resolver *r, node_range *range, const node_range *raw);
/* Error at a place; counted so that no more than SYNTAX_ERRORS come out of one claim. */
void resolve_error(resolver *r, diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Have there been too many? */
bool resolve_enough(const resolver *r);

/* Index number `position` of `element`, where it is a string: the number of that row or column. NULL with errors. */
node *table_resolve_index(resolver *r, const node *element, unsigned position);
/* An element of a table at two plain numbers, resolved: is something printed there? False with errors. */
bool table_check_element(resolver *r, const node *n);

/* Leaves out the numbers of tables that nothing in the claim names (lang/table_usage.c). */
void table_keep_used(claim *c);

#endif
