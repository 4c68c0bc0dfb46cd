/* What the audit of a Mamba-1 model found, for programs. */
#ifndef ASSAY_REPORT_MODEL_JSON_H
#define ASSAY_REPORT_MODEL_JSON_H

#include <jansson.h>

#include "check/mamba_assumption.h"

/* A new object, owned by the caller (json_decref):
 *
 *   file, tokens, precision_limit, verdict ("true", "false", "unknown"), total (counts), skipped (array of
 * strings), layers: array of name, a_log, dt_bias (names of tensors), channels, states, counts: holds, fails,
 * unknown, invalid, by_double, by_ball, by_rule, beyond_single a_min, a_max, log10_power: enclosures, or null
 * when every entry is invalid worst, or null: channel, state, certain, a_log, dt_bias (decimal strings that
 * read back as the stored double), delta, a, decay, margin: enclosures
 *
 * An enclosure is {"lower": STRING, "upper": STRING}, decimals rounded outward; null stands for an end that
 * is not known. Counts are integers. Bytes of a name or path that are not UTF-8 are replaced. */
json_t *model_json_create(const mamba_report *report);

#endif
