/* Which numbers of its tables a claim takes: the others are no givens of it, so that instances, witnesses and boxes stay
 * small. Folds and families over constant ranges are gone through index by index; where an index depends on a size, or
 * there are too many, every number that it could name is taken. */
#include <stdlib.h>
#include <string.h>

#include "lang/resolve.h"
#include "lang/table.h"
#include "lang/types.h"

enum { MOST_TURNS = 1000, MOST_NODES = 1 << 20 };

typedef struct {
  const claim *c;
  bool **used; /* by given and cell; NULL: of no table */
  int64_t value[LIMIT_BINDERS];
  bool known[LIMIT_BINDERS];
  unsigned nodes; /* visited */
} usage;

static bool is_known(const usage *u, const node *n)
{
  if (n->kind == NODE_SIZE || (n->kind == NODE_INDEX && !u->known[n->slot]))
    return false;
  for (unsigned i = 0; i < n->children; i++)
    if (!is_known(u, n->child[i]))
      return false;
  return true;
}

static bool value_of(const usage *u, int64_t *value, const node *n)
{
  return is_known(u, n) && tree_integer(value, n, NULL, u->value);
}

static void take(usage *u, const node *n)
{
  const table *t = u->c->given[n->symbol].table->table;
  if (n->children != 2)
    return;
  int64_t row, column;
  bool one_row = value_of(u, &row, n->child[0]), one_column = value_of(u, &column, n->child[1]);
  for (unsigned i = 0; i < t->rows; i++)
    for (unsigned j = 0; j < t->columns; j++)
      if ((!one_row || row == (int64_t)i + 1) && (!one_column || column == (int64_t)j + 1))
        u->used[n->symbol][(size_t)i * t->columns + j] = true;
}

static void walk(usage *u, const node *n);

/* Every choice of ranges number k and above, and under each the node; a range without a name binds nothing. */
static void walk_ranges(usage *u, const node_range *range, unsigned k, unsigned count, const node *n)
{
  int64_t low, high;
  if (k == count) {
    walk(u, n);
    return;
  }
  const node_range *r = &range[k];
  if (!r->name) {
    walk_ranges(u, range, k + 1, count, n);
  } else if (u->nodes < MOST_NODES && value_of(u, &low, r->low) && value_of(u, &high, r->high) &&
             (high < low || (uint64_t)high - (uint64_t)low < MOST_TURNS)) {
    u->known[r->slot] = true;
    for (int64_t i = low; i <= high; i++) {
      u->value[r->slot] = i;
      walk_ranges(u, range, k + 1, count, n);
    }
  } else {
    u->known[r->slot] = false;
    walk_ranges(u, range, k + 1, count, n);
  }
}

static void walk(usage *u, const node *n)
{
  if (!n)
    return;
  u->nodes += u->nodes < MOST_NODES;
  if (n->kind == NODE_GIVEN && u->used[n->symbol])
    take(u, n);
  if (n->kind == NODE_FOLD) {
    walk_ranges(u, n->range, 0, n->ranges, n->child[0]);
    return;
  }
  for (unsigned i = 0; i < n->children; i++)
    walk(u, n->child[i]);
}

static void walk_claim(usage *u)
{
  const claim *c = u->c;
  for (unsigned i = 0; i < c->givens; i++)
    for (unsigned k = 0; !u->used[i] && k < c->given[i].lines; k++) {
      const claim_given_line *l = &c->given[i].line[k];
      walk_ranges(u, l->position, 0, c->given[i].positions, l->low);
      walk_ranges(u, l->position, 0, c->given[i].positions, l->high);
    }
  for (unsigned i = 0; i < c->randoms; i++)
    for (unsigned k = 0; k < c->random[i].lines; k++)
      walk_ranges(u, c->random[i].line[k].position, 0, c->random[i].positions, c->random[i].line[k].variance);
  for (unsigned i = 0; i < c->lets; i++)
    for (unsigned k = 0; k < c->let[i].lines; k++)
      walk_ranges(u, c->let[i].line[k].position, 0, c->let[i].positions, c->let[i].line[k].body);
  for (unsigned i = 0; i < c->labels; i++)
    walk(u, c->label[i].body);
}

/* Keeps the lines of the numbers taken. */
static void keep_lines(claim_given *g, const bool *used)
{
  const table *t = g->table->table;
  unsigned kept = 0;
  for (unsigned k = 0; k < g->lines; k++) {
    int64_t row, column;
    bool fine = tree_integer(&row, g->line[k].position[0].low, NULL, NULL) &&
                tree_integer(&column, g->line[k].position[1].low, NULL, NULL);
    if (fine && used[(size_t)(row - 1) * t->columns + (size_t)(column - 1)])
      g->line[kept++] = g->line[k];
  }
  g->lines = kept;
}

void table_keep_used(claim *c)
{
  usage u = {.c = c, .used = memory_new(c->givens, sizeof *u.used)};
  bool any = false;
  for (unsigned i = 0; i < c->givens; i++)
    if (c->given[i].table) {
      const table *t = c->given[i].table->table;
      u.used[i] = memory_new((size_t)t->rows * t->columns, sizeof(bool));
      any = true;
    }
  if (any)
    walk_claim(&u);
  for (unsigned i = 0; i < c->givens; i++) {
    if (u.used[i])
      keep_lines(&c->given[i], u.used[i]);
    free(u.used[i]);
  }
  free(u.used);
}
