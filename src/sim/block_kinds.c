/* The kinds of blocks, and which one a family is. */
#include <string.h>

#include "sim/block.h"

const block_kind *const block_kinds[] = {&block_kind_mamba1, &block_kind_mamba2, &block_kind_s4d, &block_kind_lru,
                                         &block_kind_rwkv4,  NULL};

static bool has_role(const claim *family, const char *role)
{
  for (unsigned i = 0; i < family->givens; i++)
    if (family->given[i].stored && family->given[i].role && !strcmp(family->given[i].role, role))
      return true;
  return false;
}

const block_kind *block_kind_of(const claim *family)
{
  for (size_t k = 0; block_kinds[k]; k++) {
    bool all = true;
    for (size_t i = 0; block_kinds[k]->roles[i] && all; i++)
      all = has_role(family, block_kinds[k]->roles[i]);
    if (all)
      return block_kinds[k];
  }
  return NULL;
}
