/* Expressions with numbers in place of indices, sizes and names: a copy of the tree is made and printed. */
#include "report/substitute.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "lang/tree_memory.h"

enum {
  MOST_TERMS = 12,
  MOST_BITS = 120
}; /* of a fold that is written out; of a number that takes a name's place */

typedef struct {
  substitution s;
  tree_memory *memory; /* of the copy */
} copying;

static node *copy_of(copying *w, const node *n)
{
  node *copy = memory_region_new(tree_memory_region(w->memory), 1, sizeof *copy);
  *copy = *n;
  return copy;
}

static node *number_node(copying *w, const node *from, const fmpq *value)
{
  node *copy = copy_of(w, from);
  copy->kind = NODE_NUMBER;
  copy->children = 0;
  copy->depth = 1;
  copy->free_slots = 0;
  copy->number = tree_memory_number(w->memory);
  fmpq_set(copy->number, value);
  return copy;
}

/* The number as a person writes it: 1/2 rather than 0.5. */
static node *fraction_node(copying *w, const node *from, const fmpq *value)
{
  fmpq_t part;
  if (fmpz_is_one(fmpq_denref(value)))
    return number_node(w, from, value);
  node *copy = copy_of(w, from);
  copy->kind = NODE_DIVIDE;
  copy->children = 2;
  copy->child = memory_region_new(tree_memory_region(w->memory), 2, sizeof *copy->child);
  fmpq_init(part);
  fmpz_set(fmpq_numref(part), fmpq_numref(value));
  copy->child[0] = number_node(w, from, part);
  fmpz_set(fmpq_numref(part), fmpq_denref(value));
  copy->child[1] = number_node(w, from, part);
  fmpq_clear(part);
  return copy;
}

static node *integer_node(copying *w, const node *from, int64_t value)
{
  fmpq_t x;
  fmpq_init(x);
  fmpq_set_si(x, value, 1);
  node *result = number_node(w, from, x);
  fmpq_clear(x);
  return result;
}

/* The integer that n is now; false when it still depends on an index that has no value. */
static bool integer_value(const copying *w, const node *n, int64_t *value)
{
  return n->type == TYPE_INTEGER && !(n->free_slots & ~w->s.known) &&
         tree_integer(value, n, w->s.sizes, w->s.index);
}

static const fmpq *find_value(const copying *w, const node *n)
{
  int64_t index[LIMIT_BINDERS];
  const fmpq *found = NULL;
  if (!w->s.values || n->children > LIMIT_BINDERS)
    return NULL;
  for (unsigned i = 0; i < n->children; i++)
    if (!integer_value(w, n->child[i], &index[i]))
      return NULL;
  text name;
  text_init(&name);
  claim_print_element(
      &name, n->kind == NODE_GIVEN ? w->s.claim->given[n->symbol].name : w->s.claim->let[n->symbol].name,
      index, n->children);
  for (size_t i = 0; i < w->s.values && !found; i++)
    if (!strcmp(w->s.value[i].name, text_string(&name)))
      found = w->s.value[i].value;
  text_clear(&name);
  if (found && fmpz_bits(fmpq_numref(found)) + fmpz_bits(fmpq_denref(found)) > MOST_BITS)
    return NULL;
  return found;
}

static node *copy_tree(copying *w, const node *n);

static node *copy_children(copying *w, const node *n)
{
  node *copy = copy_of(w, n);
  copy->child = memory_region_new(tree_memory_region(w->memory), n->children, sizeof *copy->child);
  for (unsigned i = 0; i < n->children; i++)
    copy->child[i] = copy_tree(w, n->child[i]);
  return copy;
}

static node *write_out(copying *w, const node *n, int64_t low, int64_t high)
{
  uint32_t known = w->s.known, slot = n->range[0].slot;
  node *result = NULL, *call = NULL;
  bool extreme = n->fold == FOLD_MIN || n->fold == FOLD_MAX;
  if (extreme) {
    call = copy_of(w, n);
    call->kind = NODE_CALL;
    call->function = n->fold == FOLD_MIN ? FUNCTION_MIN : FUNCTION_MAX;
    call->ranges = 0;
    call->children = 0;
    call->child = memory_region_new(tree_memory_region(w->memory), MOST_TERMS, sizeof *call->child);
  }
  for (int64_t i = low; i <= high; i++) {
    w->s.known = known | UINT32_C(1) << slot;
    w->s.index[slot] = i;
    node *term = copy_tree(w, n->child[0]);
    w->s.known = known;
    if (extreme)
      call->child[call->children++] = term;
    else if (!result)
      result = term;
    else {
      node *both = copy_of(w, n);
      both->kind = n->fold == FOLD_SUM ? NODE_ADD : NODE_MULTIPLY;
      both->ranges = 0;
      both->children = 2;
      both->child = memory_region_new(tree_memory_region(w->memory), 2, sizeof *both->child);
      both->child[0] = result;
      both->child[1] = term;
      result = both;
    }
  }
  return extreme ? call : result;
}

/* Numbers in the place of names would leave nothing to differentiate; indices and sizes do take theirs. */
static node *copy_derivative(copying *w, const node *n)
{
  size_t values = w->s.values;
  w->s.values = 0;
  node *copy = copy_children(w, n);
  w->s.values = values;
  return copy;
}

static node *copy_fold(copying *w, const node *n)
{
  int64_t low, high;
  if (w->s.values && n->ranges == 1 && n->fold != FOLD_FORALL && n->fold != FOLD_EXISTS &&
      integer_value(w, n->range[0].low, &low) && integer_value(w, n->range[0].high, &high) && low <= high &&
      high - low < MOST_TERMS)
    return write_out(w, n, low, high);
  node *copy = copy_of(w, n);
  copy->range = memory_region_new(tree_memory_region(w->memory), n->ranges, sizeof *copy->range);
  for (unsigned i = 0; i < n->ranges; i++) {
    copy->range[i] = n->range[i];
    copy->range[i].low = copy_tree(w, n->range[i].low);
    copy->range[i].high = copy_tree(w, n->range[i].high);
  }
  copy->child = memory_region_new(tree_memory_region(w->memory), 1, sizeof *copy->child);
  copy->child[0] = copy_tree(w, n->child[0]);
  return copy;
}

static node *copy_tree(copying *w, const node *n)
{
  int64_t value;
  if (integer_value(w, n, &value))
    return integer_node(w, n, value);
  if (n->kind == NODE_FOLD)
    return copy_fold(w, n);
  if (n->kind == NODE_DERIVATIVE)
    return copy_derivative(w, n);
  if (n->kind == NODE_GIVEN || n->kind == NODE_LET) {
    const fmpq *known = find_value(w, n);
    if (known)
      return fraction_node(w, n, known);
  }
  return n->children ? copy_children(w, n) : copy_of(w, n);
}

void substitute_print(text *out, const substitution *s, const node *n)
{
  copying w = {.s = *s, .memory = tree_memory_create()};
  claim_print_node(out, s->claim, copy_tree(&w, n));
  tree_memory_destroy(w.memory);
}
