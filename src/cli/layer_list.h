/* Lists of layers on the command line: "1,3..5", numbered from 1. */
#ifndef ASSAY_CLI_LAYER_LIST_H
#define ASSAY_CLI_LAYER_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"

/* chosen[i] = whether the list names layer i + 1 of `count`. Numbers and ranges LOW..HIGH, separated by commas; a layer may
 * be named twice. False with one message when the list is malformed, empty, or names a layer that there is not. */
bool layer_list_read(bool *chosen, size_t count, diag *d, const char *list);

#endif
