/* The two result types of assay, never mixed.
 *
 * A status says whether a computation could be carried out; a truth says what is known of a formula.
 * "Unable" is never "false", and a formula that is not known to be true is never reported as true. */
#ifndef ASSAY_CORE_STATUS_H
#define ASSAY_CORE_STATUS_H

typedef enum {
  STATUS_OK,
  STATUS_UNDEFINED, /* mathematically undefined: 1/0, log 0, the minimum of nothing */
  STATUS_UNABLE,    /* a limit was reached; says nothing about the mathematics */
  STATUS_BAD_INPUT, /* a claim, file or option is wrong; a diagnostic was written */
  STATUS_NO_MEMORY
} assay_status;

/* What is known of a formula at one instance.
 *
 * TRUTH_OPEN   defined, true or false, not known which (two balls overlap);
 * TRUTH_UNKNOWN  nothing known: it may even be undefined (a ball below a fraction bar contains 0);
 * TRUTH_UNDEFINED  certainly undefined. */
typedef enum { TRUTH_FALSE, TRUTH_TRUE, TRUTH_OPEN, TRUTH_UNKNOWN, TRUTH_UNDEFINED } truth;

/* The connectives on these values, left operand first: the right operand matters only where the left one does not
 * decide, otherwise an undefined part makes the formula undefined. Total functions, exact. */
truth truth_not(truth a);
truth truth_and(truth a, truth b);
truth truth_or(truth a, truth b);
truth truth_implies(truth a, truth b);

/* "true", "false", "open", "unknown", "undefined". */
const char *truth_name(truth a);

#endif
