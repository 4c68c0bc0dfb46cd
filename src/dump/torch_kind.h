/* What a part of a checkpoint is for. Private to torch*.c. */
#ifndef ASSAY_DUMP_TORCH_KIND_H
#define ASSAY_DUMP_TORCH_KIND_H

#include "dump/torch.h"

typedef enum {
  PART_OPEN, /* nothing known yet: torch tensors are parameters */
  PART_PARAMETERS,
  PART_OPTIMIZER,
  PART_EXTRA
} torch_part;

/* Of what lies in a container, of which `part` is known. `plain`: no torch tensor is in the whole file, so
 * that numpy's arrays take their role. */
torch_part torch_part_of(const pickle_value *container, torch_part part, bool plain);
/* Of what lies under a text key in a container whose contents are of `part`. */
torch_part torch_part_under(const char *key, size_t length, torch_part part);

#endif
