/* Copies of a claim with one thing changed; all else is shared. */
#include "lang/variant.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

struct variants {
  memory_region *region;
  fmpq **number; /* in the region, to be cleared */
  size_t numbers, capacity;
};

variants *variants_create(void)
{
  variants *v = memory_new(1, sizeof *v);
  v->region = memory_region_create();
  return v;
}

void variants_destroy(variants *v)
{
  for (size_t i = 0; i < v->numbers; i++)
    fmpq_clear(v->number[i]);
  free(v->number);
  memory_region_destroy(v->region);
  free(v);
}

memory_region *variants_region(variants *v)
{
  return v->region;
}

fmpq *variants_number(variants *v)
{
  if (v->numbers == v->capacity) {
    v->capacity = v->capacity ? 2 * v->capacity : 16;
    v->number = memory_resize(v->number, v->capacity, sizeof *v->number);
  }
  fmpq *x = memory_region_new(v->region, 1, sizeof(fmpq));
  fmpq_init(x);
  return v->number[v->numbers++] = x;
}

static claim *copy_claim(variants *v, const claim *c)
{
  claim *copy = memory_region_new(v->region, 1, sizeof(claim));
  *copy = *c;
  return copy;
}

const claim *variant_with_label(variants *v, const claim *c, unsigned label, node *body)
{
  claim *copy = copy_claim(v, c);
  copy->label = memory_region_new(v->region, c->labels, sizeof(claim_label));
  copy->labels = 0;
  for (unsigned i = 0; i < c->labels; i++) {
    if (i == label && !body)
      continue;
    copy->label[copy->labels] = c->label[i];
    if (i == label)
      copy->label[copy->labels].body = body;
    copy->labels++;
  }
  return copy;
}

const claim *variant_without_range(variants *v, const claim *c, unsigned given, unsigned line)
{
  claim *copy = copy_claim(v, c);
  copy->given = memory_region_new(v->region, c->givens, sizeof(claim_given));
  memcpy(copy->given, c->given, c->givens * sizeof(claim_given));
  claim_given *g = &copy->given[given];
  g->line = memory_region_new(v->region, g->lines, sizeof(claim_given_line));
  memcpy(g->line, c->given[given].line, g->lines * sizeof(claim_given_line));
  g->line[line].low = g->line[line].high = NULL;
  g->line[line].low_open = g->line[line].high_open = true;
  return copy;
}
