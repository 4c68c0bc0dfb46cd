/* Where trees live: the region of their nodes, and the numbers in them, which have to be cleared. */
#ifndef ASSAY_LANG_TREE_MEMORY_H
#define ASSAY_LANG_TREE_MEMORY_H

#include "core/flint.h"
#include "core/memory.h"

typedef struct tree_memory tree_memory;

tree_memory *tree_memory_create(void);
/* Everything in it dies with it. */
void tree_memory_destroy(tree_memory *m);

memory_region *tree_memory_region(tree_memory *m);
/* A new number, 0. */
fmpq *tree_memory_number(tree_memory *m);

#endif
