/* What is in a parameter file, for programs. */
#ifndef ASSAY_REPORT_TENSORS_JSON_H
#define ASSAY_REPORT_TENSORS_JSON_H

#include <jansson.h>

#include "dump/dump.h"
#include "dump/statistics.h"

#define TENSORS_SCHEMA "assay-tensors/1"

/* A new object, owned by the caller:
 *
 *   schema, file, container
 *   segments  [{file, member (of a compressed member), compressed, length}]
 *   notes     {KEY: TEXT}
 *   tensors   [{name, type, kind, shape, strides (unless row-major), big_endian, segment, offset, bytes,
 *               statistics (with --stats): null, or {min, max, nan, infinite, subnormal, zero}}]
 *
 * min and max are decimal strings of 17 digits, null without a finite value. `statistics` has one entry for
 * each tensor, or is NULL. */
json_t *tensors_json_create(const dump_file *file, const dump_statistics *statistics);

#endif
