/* Comments that are for the reader of a report as well: what a file says before its claims, and what stands above a claim. */
#ifndef ASSAY_LANG_COMMENT_H
#define ASSAY_LANG_COMMENT_H

#include <stddef.h>

#include "core/diag.h"
#include "core/memory.h"

/* The block of comment lines directly above the line that holds byte `offset`: its lines without the '#', without one blank
 * behind it and without blanks at their end, separated by line feeds. NULL when there is none. */
const char *comment_above(memory_region *region, const diag_source *source, size_t offset);

/* The block that the file begins with, likewise, where the line of byte `offset` is not directly below it. */
const char *comment_at_head(memory_region *region, const diag_source *source, size_t offset);

#endif
