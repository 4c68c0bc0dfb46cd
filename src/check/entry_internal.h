/* What the parts of check/entry.h share: a family's roles and the indices of its definitions. Private to src/check/entry*.c. */
#ifndef ASSAY_CHECK_ENTRY_INTERNAL_H
#define ASSAY_CHECK_ENTRY_INTERNAL_H

#include "check/entry.h"

enum { ENTRY_ROLES = 4 };
extern const char *const entry_roles[ENTRY_ROLES]; /* step, rate, log_decay, decay */

/* The definition with the role log_decay, else that with the role decay; NULL. */
const claim_let *entry_decay(const claim *family);
/* The size that bounds an index 1..SIZE; -1 for another range. */
int entry_index_size(const claim_position *p);
/* size[0], size[1]: the sizes of the decay's two indices; -1 where it has no such index. */
void entry_sizes(int *size, const claim *family);
/* axis[i]: which of the two index i of a definition is; false when it is neither. */
bool entry_axes(signed char *axis, const claim_let *let, const int *size);
/* Sets `error` to what is wrong with the family; STATUS_BAD_INPUT. */
assay_status entry_refuse(dump_error *error, const char *file, const claim *family, const char *what);

#endif
