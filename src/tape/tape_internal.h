/* Private to tape/. */
#ifndef ASSAY_TAPE_TAPE_INTERNAL_H
#define ASSAY_TAPE_TAPE_INTERNAL_H

#include "tape/tape.h"

/* The operation as it stands, without simplification: the one that is there already, or a new one. */
tape_id tape_add_op(tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c);

/* The operation o with map[i] for each operation i that it is made of; not for leaves. o may be one of another tape. */
tape_id tape_rebuild(tape *t, tape_op o, const tape_id *map);

#endif
