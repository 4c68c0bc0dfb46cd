/* Private to tape/tape.c and tape/simplify.c. */
#ifndef ASSAY_TAPE_TAPE_INTERNAL_H
#define ASSAY_TAPE_TAPE_INTERNAL_H

#include "tape/tape.h"

/* The operation as it stands, without simplification: the one that is there already, or a new one. */
tape_id tape_add_op(tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c);

#endif
