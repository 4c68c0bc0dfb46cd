/* What an audit will run, in which order, with which options and under which names its files go. */
#ifndef ASSAY_CLI_AUDIT_PLAN_H
#define ASSAY_CLI_AUDIT_PLAN_H

#include "check/audit.h"
#include "cli/options.h"
#include "cli/targets.h"

typedef struct {
  const target *target;
  const char *name;      /* of the case, else of the claim */
  const char *statement; /* which printed statement the claim formalises */
  unsigned repeat;       /* 1, or more where an earlier item would write files of the same names */
  char *sizes;           /* for audit_options; NULL: the claim's own */
} plan_item;

/* Items of one statement stand together, statements in the order of their first item. */
typedef struct {
  size_t count;
  plan_item *item;
} audit_plan;

/* False with messages when --sizes, or the sizes of a case, name a size that is not there. The plan
 * borrows from t. */
bool audit_plan_make(audit_plan *p, diag *d, const target_list *t, const options *o);
void audit_plan_clear(audit_plan *p);

/* The options of one item; `certificates` and `judge` are left to the caller. */
audit_options audit_plan_options(const plan_item *item, const options *o);

/* The command that gives the same results, without the options that do not matter for them. Free with
 * free. */
char *audit_plan_command(const options *o);

#endif
