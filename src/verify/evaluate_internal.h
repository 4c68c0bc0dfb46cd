/* What the parts of the evaluator share. Private to verify/evaluate.c, element.c, integrand.c and random.c. */
#ifndef ASSAY_VERIFY_EVALUATE_INTERNAL_H
#define ASSAY_VERIFY_EVALUATE_INTERNAL_H

#include "verify/dual.h"
#include "verify/evaluate.h"
#include "verify/random.h"

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
  random_state random;
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
/* What stands in the NODE_DERIVATIVE n from here on is differentiated; the level of its variable, or -1 after a failure. *outer
 * is for evaluator_end_derivative. */
int evaluator_begin_derivative(evaluator *e, const node *n, int64_t *slot, uint32_t *outer);
void evaluator_end_derivative(evaluator *e, int level, uint32_t outer);

/* element.c */
bool evaluator_integer(evaluator *e, int64_t *value, const node *n, const int64_t *slot);
/* The indices at a reference to an element. */
bool evaluator_indices(evaluator *e, int64_t *index, const node *n, const int64_t *slot);
/* Whether a line with these positions declares the element; binds the slots of its ranges. */
bool evaluator_line_defines(evaluator *e, const claim_position *position, unsigned positions, const int64_t *index,
                            int64_t *slot);
/* What defines the element of a let that a NODE_LET refers to, and the slots bound there; NULL after a message. */
const node *evaluator_let_body(evaluator *e, const node *n, const int64_t *index, int64_t *slot);
/* Gives up because of the element that n refers to. */
void evaluator_fail_element(evaluator *e, const node *n, const int64_t *index, const char *why);
/* Which given element, of the match, a NODE_GIVEN names; false, with a message, when there is none. */
bool evaluator_find_given(evaluator *e, uint32_t *at, const node *n, const int64_t *slot);
/* The element of a let that a NODE_LET refers to, computed once. */
element evaluator_find_element(evaluator *e, const node *n, const int64_t *slot);
/* The variables of differentiation in force that stand anywhere in n, in what is not reached, too; also where they cancel,
 * as in x - x. */
uint32_t evaluator_mentions(evaluator *e, const node *n, int64_t *slot);

/* integrand.c */
/* The value of the NODE_INTEGRAL n; unknown where integral.h cannot enclose it, and where the innermost of three integrals uses
 * the variable of one around it. */
number integrand_value(evaluator *e, const node *n, int64_t *slot);

/* random.c */
void random_init(evaluator *e);
void random_clear(evaluator *e);
/* The value of the NODE_MEAN n. */
const dual *random_mean(evaluator *e, const node *n, int64_t *slot);
/* evaluator_mentions for the variance of the random element that a NODE_RANDOM refers to. */
uint32_t random_mentions(evaluator *e, const node *n, const int64_t *slot);

#endif
