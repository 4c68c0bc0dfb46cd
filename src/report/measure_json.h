/* Measures of a run, for programs. */
#ifndef ASSAY_REPORT_MEASURE_JSON_H
#define ASSAY_REPORT_MEASURE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "core/diag.h"
#include "report/measure.h"

#define MEASURE_SCHEMA "assay-measures/1"

/* A new object, owned by the caller: the report as reports/measure-schema.json lays it down. Layers are
 * numbered from 1, places of the residual stream from 0, tokens from 0. A number reads back as the same
 * double, null where it is undefined; beside a mean stand how many values it is over and how many were
 * undefined. */
json_t *measure_json_create(const measure_report *report);

/* Writes the value with a newline at the end; "-" is standard output. The file appears in one step where it
 * is a plain one. False with a message. */
bool measure_json_write(diag *d, const char *path, const json_t *value);

#endif
