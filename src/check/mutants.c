/* Mutants of a claim's conclusions. */
#include "check/mutants.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef enum { MUTATE_FACTOR, MUTATE_EXPONENT_UP, MUTATE_EXPONENT_DOWN, MUTATE_EXTREME, MUTATE_INDEX, MUTATE_SIGN,
               MUTATE_KINDS } mutation;

enum { MOST_SITES = 16 }; /* places looked at for one kind in one label */

/* Builds the mutant at the place number `site` among those where the kind applies. */
typedef struct {
  tree_memory *memory;
  const claim *c;
  mutation kind;
  unsigned site; /* which place is wanted */
  unsigned seen; /* places passed so far */
  text what;
} maker;

static node *copy_node(maker *m, const node *n)
{
  node *copy = memory_region_new(tree_memory_region(m->memory), 1, sizeof *copy);
  *copy = *n;
  copy->child = memory_region_new(tree_memory_region(m->memory), n->children, sizeof *copy->child);
  if (n->children)
    memcpy(copy->child, n->child, n->children * sizeof *copy->child);
  return copy;
}

static node *new_number(maker *m, const node *place, slong p, ulong q)
{
  node *n = memory_region_new(tree_memory_region(m->memory), 1, sizeof *n);
  n->kind = NODE_NUMBER;
  n->place = place->place;
  n->number = tree_memory_number(m->memory);
  fmpq_set_si(n->number, p, q);
  tree_complete(n);
  return n;
}

static node *new_binary(maker *m, node_kind kind, node *a, node *b)
{
  node *n = memory_region_new(tree_memory_region(m->memory), 1, sizeof *n);
  n->kind = kind;
  n->place = a->place;
  n->children = 2;
  n->child = memory_region_new(tree_memory_region(m->memory), 2, sizeof *n->child);
  n->child[0] = a;
  n->child[1] = b;
  tree_complete(n);
  return n;
}

static void describe(maker *m, const char *how, const node *n)
{
  text_add(&m->what, how);
  claim_print_node(&m->what, m->c, n);
}

static bool is_extreme(const node *n)
{
  return (n->kind == NODE_FOLD && (n->fold == FOLD_MIN || n->fold == FOLD_MAX)) ||
         (n->kind == NODE_CALL && (n->function == FUNCTION_MIN || n->function == FUNCTION_MAX));
}

static bool applies(mutation kind, const node *n)
{
  switch (kind) {
  case MUTATE_FACTOR: { /* 0 times anything is 0 */
    if (n->kind != NODE_COMPARE)
      return false;
    const node *last = n->child[n->children - 1];
    return last->kind != NODE_NUMBER || !fmpq_is_zero(last->number);
  }
  case MUTATE_EXPONENT_UP:
  case MUTATE_EXPONENT_DOWN:
    return n->kind == NODE_POWER;
  case MUTATE_EXTREME:
    return is_extreme(n);
  case MUTATE_INDEX:
    return n->kind == NODE_LET && n->children > 0;
  default:
    return (n->kind == NODE_ADD || n->kind == NODE_SUBTRACT) && n->type != TYPE_INTEGER;
  }
}

static node *change(maker *m, const node *n)
{
  node *copy = copy_node(m, n);
  switch (m->kind) {
  case MUTATE_FACTOR: {
    unsigned last = n->children - 1;
    describe(m, "factor 1 - 10^-6 on ", n->child[last]);
    copy->child[last] = new_binary(m, NODE_MULTIPLY, new_number(m, n, 999999, 1000000), n->child[last]);
    break;
  }
  case MUTATE_EXPONENT_UP:
  case MUTATE_EXPONENT_DOWN: {
    bool up = m->kind == MUTATE_EXPONENT_UP;
    describe(m, up ? "exponent + 1 in " : "exponent - 1 in ", n);
    copy->child[1] = new_binary(m, up ? NODE_ADD : NODE_SUBTRACT, n->child[1], new_number(m, n, 1, 1));
    break;
  }
  case MUTATE_EXTREME:
    describe(m, "min and max exchanged in ", n);
    if (n->kind == NODE_FOLD)
      copy->fold = n->fold == FOLD_MIN ? FOLD_MAX : FOLD_MIN;
    else
      copy->function = n->function == FUNCTION_MIN ? FUNCTION_MAX : FUNCTION_MIN;
    break;
  case MUTATE_INDEX:
    describe(m, "last index - 1 in ", n);
    copy->child[n->children - 1] =
        new_binary(m, NODE_SUBTRACT, n->child[n->children - 1], new_number(m, n, 1, 1));
    break;
  default:
    describe(m, "the other sign in ", n);
    copy->kind = n->kind == NODE_ADD ? NODE_SUBTRACT : NODE_ADD;
    break;
  }
  tree_complete(copy);
  return copy;
}

/* The tree with the wanted place changed; NULL when it has no such place. Only the path to the place is copied. */
static node *mutate(maker *m, const node *n)
{
  if (applies(m->kind, n) && m->seen++ == m->site)
    return change(m, n);
  if (n->kind == NODE_DERIVATIVE) /* what is differentiated by must stay an element */
    return NULL;
  for (unsigned i = 0; i < n->children; i++) {
    if (n->kind == NODE_POWER && i == 1)
      continue;
    node *child = mutate(m, n->child[i]);
    if (!child)
      continue;
    node *copy = copy_node(m, n);
    copy->child[i] = child;
    tree_complete(copy);
    return copy;
  }
  return NULL;
}

mutant *mutants_create(tree_memory *memory, const claim *c, unsigned most, unsigned *count)
{
  mutant *list = memory_new(most, sizeof *list);
  *count = 0;
  /* Site by site, so that every kind and every label has its turn before any has a second one. */
  for (unsigned site = 0; site < MOST_SITES && *count < most; site++)
    for (int kind = 0; kind < MUTATE_KINDS && *count < most; kind++)
      for (unsigned i = 0; i < c->labels && *count < most; i++) {
        if (c->label[i].kind != LABEL_SHOW)
          continue;
        maker m = {.memory = memory, .c = c, .kind = (mutation)kind, .site = site};
        text_init(&m.what);
        text_addf(&m.what, "%s: ", c->label[i].name);
        node *body = mutate(&m, c->label[i].body);
        if (body)
          list[(*count)++] = (mutant){variant_with_label(memory, c, i, body), text_take(&m.what)};
        text_clear(&m.what);
      }
  return list;
}

void mutants_destroy(mutant *m, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    free(m[i].what);
  free(m);
}
