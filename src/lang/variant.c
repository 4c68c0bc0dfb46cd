/* Copies of a claim with one thing changed; all else is shared. */
#include "lang/variant.h"

#include <string.h>

#include "core/memory.h"

static claim *copy_claim(tree_memory *m, const claim *c)
{
  claim *copy = memory_region_new(tree_memory_region(m), 1, sizeof(claim));
  *copy = *c;
  return copy;
}

const claim *variant_with_label(tree_memory *m, const claim *c, unsigned label, node *body)
{
  claim *copy = copy_claim(m, c);
  copy->label = memory_region_new(tree_memory_region(m), c->labels, sizeof(claim_label));
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

const claim *variant_without_range(tree_memory *m, const claim *c, unsigned given, unsigned line)
{
  claim *copy = copy_claim(m, c);
  copy->given = memory_region_new(tree_memory_region(m), c->givens, sizeof(claim_given));
  memcpy(copy->given, c->given, c->givens * sizeof(claim_given));
  claim_given *g = &copy->given[given];
  g->line = memory_region_new(tree_memory_region(m), g->lines, sizeof(claim_given_line));
  memcpy(g->line, c->given[given].line, g->lines * sizeof(claim_given_line));
  g->line[line].low = g->line[line].high = NULL;
  g->line[line].low_open = g->line[line].high_open = true;
  return copy;
}
