/* A region, and a list of the numbers in it. */
#include "lang/tree_memory.h"

#include <stdlib.h>

struct tree_memory {
  memory_region *region;
  fmpq **number; /* in the region */
  size_t numbers, capacity;
};

tree_memory *tree_memory_create(void)
{
  tree_memory *m = memory_new(1, sizeof *m);
  m->region = memory_region_create();
  return m;
}

void tree_memory_destroy(tree_memory *m)
{
  for (size_t i = 0; i < m->numbers; i++)
    fmpq_clear(m->number[i]);
  free(m->number);
  memory_region_destroy(m->region);
  free(m);
}

memory_region *tree_memory_region(tree_memory *m)
{
  return m->region;
}

fmpq *tree_memory_number(tree_memory *m)
{
  if (m->numbers == m->capacity) {
    m->capacity = m->capacity ? 2 * m->capacity : 16;
    m->number = memory_resize(m->number, m->capacity, sizeof *m->number);
  }
  fmpq *x = memory_region_new(m->region, 1, sizeof(fmpq));
  fmpq_init(x);
  return m->number[m->numbers++] = x;
}
