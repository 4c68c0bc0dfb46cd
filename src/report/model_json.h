/* What the audit of a model found, for programs. */
#ifndef ASSAY_REPORT_MODEL_JSON_H
#define ASSAY_REPORT_MODEL_JSON_H

#include <jansson.h>

#include "check/model_audit.h"

/* A new object, owned by the caller (json_decref): the report as reports/schema.json lays it down under "models".
 *
 * An enclosure is {"lower": STRING, "upper": STRING}, decimals rounded outward; null stands for an end that is not known.
 * Stored numbers are decimal strings that read back as the same double. Bytes of a name or path that are not UTF-8 are
 * replaced. */
json_t *model_json_create(const model_report *report);

#endif
