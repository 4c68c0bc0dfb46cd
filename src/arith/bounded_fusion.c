/* Products into sums, comparisons into conjunctions, chains of minima into lists. See bounded_fusion.h. */
#include "arith/bounded_fusion.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

void *bounded_room(void *array, size_t used, size_t *capacity, size_t size)
{
  if (used < *capacity)
    return array;
  *capacity = *capacity ? memory_multiply(*capacity, 2) : 64;
  return memory_resize(array, *capacity, size);
}

bool bounded_is_comparison(const bounded_node *node)
{
  return node->op == TAPE_LESS || node->op == TAPE_LESS_EQUAL || node->op == TAPE_EQUAL;
}

static bool can_fuse(const bounded_fusion *d, uint32_t inner, const bounded_node *user)
{
  const bounded_node *node = &d->nodes->node[inner];
  return node->uses == 1 && node->second == user->second;
}

static bool is_product(const bounded_fusion *d, uint32_t inner, const bounded_node *user)
{
  const bounded_node *node = &d->nodes->node[inner];
  return node->op == TAPE_MULTIPLY && node->kind == BOUNDED_MAGNITUDE && can_fuse(d, inner, user);
}

size_t bounded_flatten(bounded_fusion *d, uint32_t root, uint32_t **leaves, bool undo)
{
  const bounded_node *node = d->nodes->node;
  size_t depth = 0, count = 0, capacity = 0;
  *leaves = NULL;
  d->stack = bounded_room(d->stack, depth, &d->stack_capacity, sizeof *d->stack);
  d->stack[depth++] = root;
  while (depth) {
    uint32_t i = d->stack[--depth];
    bool inner = node[i].op == node[root].op && node[i].kind == node[root].kind &&
                 (i == root || can_fuse(d, i, &node[root]));
    if (inner) {
      d->fused[i] = i != root && !undo;
      if (undo)
        d->rooted[i] = 2;
      d->stack = bounded_room(d->stack, depth + 1, &d->stack_capacity, sizeof *d->stack);
      d->stack[depth++] = node[i].b;
      d->stack = bounded_room(d->stack, depth + 1, &d->stack_capacity, sizeof *d->stack);
      d->stack[depth++] = node[i].a;
    } else {
      *leaves = bounded_room(*leaves, count, &capacity, sizeof **leaves);
      (*leaves)[count++] = i;
    }
  }
  return count;
}

static void find_products(bounded_fusion *d)
{
  for (uint32_t i = 0; i < d->nodes->nodes; i++) {
    const bounded_node *node = &d->nodes->node[i];
    bool sum = (node->op == TAPE_ADD || node->op == TAPE_SUBTRACT) && node->kind == BOUNDED_MAGNITUDE;
    if (!sum)
      continue;
    if (is_product(d, node->a, node))
      d->fused[node->a] = 1;
    if (is_product(d, node->b, node))
      d->fused[node->b] = 1;
  }
}

bool bounded_is_exact_sum(const bounded_nodes *n, uint32_t i)
{
  const bounded_node *node = n->node, *x = &node[i];
  return (x->op == TAPE_ADD || x->op == TAPE_SUBTRACT) && node[x->a].kind == BOUNDED_EXACT &&
         node[x->b].kind == BOUNDED_EXACT;
}

bool bounded_compares_sum(const bounded_nodes *n, uint32_t i)
{
  const bounded_node *node = n->node, *x = &node[i];
  return bounded_is_comparison(x) && ((bounded_is_exact_sum(n, x->a) && node[x->b].kind == BOUNDED_EXACT) ||
                              (bounded_is_exact_sum(n, x->b) && node[x->a].kind == BOUNDED_EXACT));
}

static void find_compared_sums(bounded_fusion *d)
{
  for (uint32_t i = 0; i < d->nodes->nodes; i++) {
    const bounded_node *x = &d->nodes->node[i];
    if (!bounded_compares_sum(d->nodes, i))
      continue;
    uint32_t sum = bounded_is_exact_sum(d->nodes, x->a) ? x->a : x->b;
    if (can_fuse(d, sum, x))
      d->fused[sum] = 1;
  }
}

static void add_members(bounded_fusion *d, uint32_t root, const uint32_t *leaf, size_t count)
{
  const bounded_node *node = d->nodes->node;
  bool defined = true;
  for (size_t k = 0; k < count; k++)
    defined = defined && node[leaf[k]].defined;
  bool guarded = false;
  for (size_t k = 0; k < count; k++) {
    const bounded_node *x = &node[leaf[k]];
    bool single = bounded_is_comparison(x) && can_fuse(d, leaf[k], &node[root]);
    bool listed = defined && single && node[x->a].kind == BOUNDED_EXACT && node[x->b].kind == BOUNDED_EXACT &&
                  bounded_is_permanent(&node[x->a]) && bounded_is_permanent(&node[x->b]);
    if (single)
      d->fused[leaf[k]] = 1;
    d->members = bounded_room(d->members, d->member_count, &d->member_capacity, sizeof *d->members);
    d->members[d->member_count++] = (bounded_member){leaf[k], root, guarded, listed, NODE_NONE};
    guarded = guarded || !x->defined;
  }
}

/* Conjunctions. Where every member is certainly defined their order does not matter; elsewhere the members
 * must come to be in the order in which they stand. Otherwise the tree stays as it is. */
static void find_conjunctions(bounded_fusion *d)
{
  const bounded_node *node = d->nodes->node;
  for (uint32_t i = (uint32_t)d->nodes->nodes; i-- > 0;) {
    if (node[i].op != TAPE_AND || d->fused[i] || d->rooted[i])
      continue;
    uint32_t *leaf;
    size_t count = bounded_flatten(d, i, &leaf, false);
    bool defined = true, ordered = true;
    for (size_t k = 0; k < count; k++) {
      defined = defined && node[leaf[k]].defined;
      ordered = ordered && (k == 0 || leaf[k] > leaf[k - 1]);
    }
    if (defined || ordered) {
      d->rooted[i] = 1;
      add_members(d, i, leaf, count);
    } else {
      free(leaf);
      bounded_flatten(d, i, &leaf, true);
    }
    free(leaf);
  }
}

static int by_leaf(const void *a, const void *b)
{
  const bounded_member *x = a, *y = b;
  if (x->leaf != y->leaf)
    return x->leaf < y->leaf ? -1 : 1;
  return x->root < y->root ? -1 : x->root > y->root;
}

bounded_fusion bounded_fusion_create(const bounded_nodes *n, bounded_draft *draft)
{
  bounded_fusion d = {.nodes = n, .draft = draft};
  d.fused = memory_new(n->nodes, 1);
  d.rooted = memory_new(n->nodes, 1);
  d.started = memory_new(n->nodes, 1);
  find_products(&d);
  find_compared_sums(&d);
  find_conjunctions(&d);
  for (uint32_t i = (uint32_t)n->nodes; i-- > 0;) { /* inner nodes of exact chains, from their roots down */
    const bounded_node *node = &n->node[i];
    bool chain = (node->op == TAPE_MIN || node->op == TAPE_MAX) && node->kind == BOUNDED_EXACT && !d.fused[i];
    uint32_t *leaf = NULL;
    if (chain)
      bounded_flatten(&d, i, &leaf, false);
    free(leaf);
  }
  if (d.member_count)
    qsort(d.members, d.member_count, sizeof *d.members, by_leaf);
  d.listed = memory_new(n->nodes, sizeof *d.listed);
  memset(d.listed, 0xff, n->nodes * sizeof *d.listed); /* NODE_NONE */
  for (size_t k = d.member_count; k-- > 0;)
    if (d.members[k].listed) {
      d.members[k].next = d.listed[d.members[k].root];
      d.listed[d.members[k].root] = (uint32_t)k;
    }
  return d;
}

void bounded_fusion_clear(bounded_fusion *d)
{
  free(d->fused);
  free(d->rooted);
  free(d->started);
  free(d->members);
  free(d->listed);
  free(d->stack);
}
