/* The table of a claim that was asked of many instances (check/claim_table.h), for programs. */
#ifndef ASSAY_REPORT_CLAIM_TABLE_JSON_H
#define ASSAY_REPORT_CLAIM_TABLE_JSON_H

#include <jansson.h>

#include "check/claim_table.h"

/* Puts "hypotheses" and "failing" into the object; t all zero: nothing was asked. */
void claim_table_json_put(json_t *object, const claim_table *t);

#endif
