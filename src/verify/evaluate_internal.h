/* What the parts of the evaluator share. Private to verify/evaluate.c and verify/element.c. */
#ifndef ASSAY_VERIFY_EVALUATE_INTERNAL_H
#define ASSAY_VERIFY_EVALUATE_INTERNAL_H

#include "verify/dual.h"
#include "verify/evaluate.h"

/* What is known of a formula, and for derivatives through an `if` that it decides: the variables that the
 * comparisons reached depend on, and those for which one of them holds (edge) or may hold (maybe) with
 * equality. */
typedef struct {
  truth value;
  uint32_t depends, edge, maybe;
  bool literal; /* the same at all instances; meant only while variables are in force */
} decision;

/* One element of a let, under one list of variables of differentiation. */
typedef struct {
  bool done; /* otherwise it is being computed */
  const dual *value;
  decision truth;
} element;

struct evaluator {
  diag *d;
  const claim *c;
  const instance *x;
  const match *m;
  numbers *numbers;
  duals duals;
  key_map given; /* (number of the given, indices) -> element of m */
  key_map defined; /* (number of the let, list of variables, indices) -> place in element */
  element *element;
  uint32_t elements, capacity;
  key_map lists;             /* (list, element) -> the list with the element put behind it; list 0 is empty */
  uint32_t lists_count, list; /* the list in force */
  key_map mentions;          /* (number of the let, list, indices) -> the variables that it mentions */
  key_map ifs;               /* (node, indices that it uses) -> a number */
  uint32_t ifs_count;
  size_t steps;
  assay_status status;
};

/* evaluate.c */
const dual *evaluator_value_of(evaluator *e, const node *n, int64_t *slot);
decision evaluator_truth_of(evaluator *e, const node *n, int64_t *slot);
/* Gives up; the first reason counts. */
void evaluator_fail(evaluator *e, assay_status status, diag_place place, const char *what, const char *why);
/* False when the evaluation is over. */
bool evaluator_may_go_on(evaluator *e, const node *n);

/* element.c */
bool evaluator_integer(evaluator *e, int64_t *value, const node *n, const int64_t *slot);
/* Which given element, of the match, a NODE_GIVEN names; false, with a message, when there is none. */
bool evaluator_find_given(evaluator *e, uint32_t *at, const node *n, const int64_t *slot);
/* The element of a let that a NODE_LET refers to, computed once. */
element evaluator_find_element(evaluator *e, const node *n, const int64_t *slot);
/* The variables of differentiation in force that stand anywhere in n, in what is not reached, too; also where they cancel,
 * as in x - x. */
uint32_t evaluator_mentions(evaluator *e, const node *n, int64_t *slot);

#endif
