/* What is wrong with a parameter file, as a message like any other. */
#ifndef ASSAY_CLI_COMPLAIN_H
#define ASSAY_CLI_COMPLAIN_H

#include <stdbool.h>

#include "core/diag.h"
#include "dump/dump.h"

/* Says what `error` holds, if anything, and clears it. Always false. */
bool complain_of_dump(diag *d, dump_error *error);

#endif
