/* What the parts of check/claim_table.h share. Private to check/claim_table.c and check/claim_ladder.c. */
#ifndef ASSAY_CHECK_CLAIM_TABLE_INTERNAL_H
#define ASSAY_CHECK_CLAIM_TABLE_INTERNAL_H

#include "check/claim_table.h"

struct claim_asker {
  tape *t;
  slong precision;
  size_t asked;           /* labels that are hypotheses or conclusions */
  uint32_t *label;        /* their numbers */
  bool has_slack;
  tape_program *all;      /* outputs: those labels, then the slack if there is one */
  tape_program **alone;   /* of each of those labels, its truth only */
  /* What the labels are conjunctions of: those of label k are parts first_part[k] .. first_part[k + 1] - 1, in order. */
  size_t *first_part;
  tape_id *part;
  tape_program *parts;    /* outputs: all of them, then the slack if there is one */
};

/* The names of the hypotheses. */
void claim_table_set_labels(claim_table *t, const claim_asker *a);
/* Keeps the smaller lower end and, of equal ones, the earlier instance. Whether it is this one. */
bool claim_table_keep(claim_slack *s, uint64_t instance, const arf_t low);
/* Adds what one thread found; instance numbers are those of one run. */
void claim_table_merge(claim_table *to, const claim_table *from);

#endif
