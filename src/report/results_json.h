/* The one results file. Its schema is reports/schema.json. */
#ifndef ASSAY_REPORT_RESULTS_JSON_H
#define ASSAY_REPORT_RESULTS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "check/result.h"
#include "core/diag.h"

#define RESULTS_SCHEMA "assay-results/1"

/* What is said of the run as a whole. */
typedef struct {
  uint64_t seed;
  const char *command; /* the options that matter for the results, and what was audited */
  bool stopped;        /* some claims were not come to */
} results_run;

/* A new object, owned by the caller: `schema`, `seed`, `command`, `versions`, `stopped`, `claims`,
 * `models`. Results that are NULL (claims that could not be audited) are left out. Exact numbers are
 * strings, enclosures decimal strings: no number of the file is a NaN or an infinity. `models` are objects
 * of model_json_create, taken over; NULL for none. */
json_t *results_json_create(const results_run *run, const check_result *const *results, size_t count,
                            json_t *models);
/* One claim. */
json_t *results_json_claim(const check_result *r);

/* Writes the value with a newline at the end; "-" is standard output. The file appears in one step where
 * it is a plain one. False with a message. */
bool results_json_write(diag *d, const char *path, const json_t *value);

#endif
