/* Copying a tape's operations onto another tape, with something else in the place of some of them. */
#ifndef ASSAY_TAPE_COPY_H
#define ASSAY_TAPE_COPY_H

#include "tape/tape.h"

/* Adds the operations of `from` to `to` and returns where each went (from->ops numbers; the caller frees).
 * replace[id] is an operation of `to` that stands for operation id of `from`, TAPE_NONE: a copy of it. Every
 * TAPE_INPUT must be replaced. Elements, labels and atoms are not copied. When `to` overflows its limit
 * (to->full) the result is meaningless. */
tape_id *tape_copy(tape *to, const tape *from, const tape_id *replace);

#endif
