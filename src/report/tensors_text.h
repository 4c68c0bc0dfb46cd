/* What is in a parameter file, as a table. */
#ifndef ASSAY_REPORT_TENSORS_TEXT_H
#define ASSAY_REPORT_TENSORS_TEXT_H

#include <stdio.h>

#include "dump/dump.h"
#include "dump/statistics.h"

/* A line for each tensor, in the order of the file: name, type, shape, kind, place (the byte offset; where
 * there are several files or compressed members, of which); strides and byte order where they are unusual.
 * `statistics` has one entry for each tensor, or is NULL. Extremes are written in full when they are whole
 * numbers up to 2^53; else with 9 digits where they are binary32 numbers, which these tell apart, and 17
 * otherwise. */
void tensors_text_write(FILE *out, const dump_file *file, const dump_statistics *statistics);

/* "parameter", "optimizer", "extra". */
const char *tensors_kind_name(dump_kind kind);

#endif
