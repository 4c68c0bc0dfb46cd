/* Lowering of references: elements of givens, of lets and of random families. */
#include <stdlib.h>

#include "core/memory.h"
#include "lang/lowering.h"

static char *element_name(const char *name, const int64_t *indices, unsigned count)
{
  text t;
  text_init(&t);
  claim_print_element(&t, name, indices, count);
  return text_take(&t);
}

/* Whether the positions of a line take these indices; binds its slots. */
static bool line_matches(lowering *l, const claim_position *position, unsigned positions, const int64_t *indices)
{
  l->bound = 0;
  for (unsigned i = 0; i < positions; i++) {
    int64_t low = lowering_integer(l, position[i].low);
    if (!position[i].name) {
      if (indices[i] != low)
        return false;
      continue;
    }
    if (indices[i] < low || indices[i] > lowering_integer(l, position[i].high))
      return false;
    l->index_name[l->bound] = position[i].name;
    l->index[l->bound++] = indices[i];
  }
  return !l->failed;
}

static void list_let(lowering *l, unsigned number, unsigned line, const int64_t *indices, tape_id id)
{
  lower_let_list *list = l->lets;
  const claim_let *let = &l->c->let[number];
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->let = memory_resize(list->let, list->capacity, sizeof *list->let);
  }
  struct lower_let *x = &list->let[list->count++];
  *x = (struct lower_let){element_name(let->name, indices, let->positions), id, number, line, let->positions, NULL};
  x->index = memory_new(let->positions, sizeof *x->index);
  for (unsigned i = 0; i < let->positions; i++)
    x->index[i] = indices[i];
}

static void list_random(lowering *l, unsigned number, const int64_t *indices, tape_id id)
{
  lower_let_list *list = l->lets;
  const claim_random *random = &l->c->random[number];
  if (list->randoms == list->random_capacity) {
    list->random_capacity = list->random_capacity ? 2 * list->random_capacity : 16;
    list->random = memory_resize(list->random, list->random_capacity, sizeof *list->random);
  }
  list->random[list->randoms++] = (struct lower_random){element_name(random->name, indices, random->positions), id};
}

/* The lines of the let or random family that a reference names, seen alike. */
typedef struct {
  const char *name;
  unsigned positions, lines;
} family_shape;

static family_shape shape_of(const claim *c, const node *reference)
{
  const claim_let *let = reference->kind == NODE_LET ? &c->let[reference->symbol] : NULL;
  const claim_random *random = let ? NULL : &c->random[reference->symbol];
  return let ? (family_shape){let->name, let->positions, let->lines}
             : (family_shape){random->name, random->positions, random->lines};
}

static const claim_position *position_of(const claim *c, const node *reference, unsigned line)
{
  return reference->kind == NODE_LET ? c->let[reference->symbol].line[line].position
                                     : c->random[reference->symbol].line[line].position;
}

/* A random element: a leaf of its own, with the variance beside it. */
static tape_id lower_random_element(lowering *l, const node *variance)
{
  tape_id v = lowering_certain(l, variance, "a variance");
  if (l->failed)
    return 0;
  if (l->randoms == LIMIT_INPUTS) {
    lowering_fail(l, variance->place, "more than %d random elements at these sizes", LIMIT_INPUTS);
    return 0;
  }
  if (l->randoms == l->random_capacity) {
    l->random_capacity = l->random_capacity ? 2 * l->random_capacity : 64;
    l->variance = memory_resize(l->variance, l->random_capacity, sizeof *l->variance);
  }
  l->variance[l->randoms] = v;
  return tape_leaf(l->t, TAPE_RANDOM, l->randoms++);
}

/* The body of a let element, or a random element; the indices stand in a frame of their own. */
static tape_id lower_line(lowering *l, const node *reference, const int64_t *indices)
{
  if (l->stop && *l->stop) {
    l->failed = true;
    return 0;
  }
  family_shape shape = shape_of(l->c, reference);
  int64_t saved_index[LIMIT_BINDERS];
  const char *saved_name[LIMIT_BINDERS];
  unsigned saved_bound = l->bound;
  for (unsigned i = 0; i < saved_bound; i++) {
    saved_index[i] = l->index[i];
    saved_name[i] = l->index_name[i];
  }
  unsigned found = shape.lines;
  bool twice = false;
  for (unsigned i = 0; i < shape.lines && !l->failed; i++)
    if (line_matches(l, position_of(l->c, reference, i), shape.positions, indices)) {
      twice = found < shape.lines;
      if (twice)
        break;
      found = i;
    }
  tape_id result = 0;
  if (found == shape.lines || twice) {
    char *name = element_name(shape.name, indices, shape.positions);
    lowering_fail(l, reference->place, twice ? "%s is defined twice" : "%s is not defined", name);
    free(name);
  } else {
    line_matches(l, position_of(l->c, reference, found), shape.positions, indices);
    if (reference->kind == NODE_RANDOM)
      result = lower_random_element(l, l->c->random[reference->symbol].line[found].variance);
    else
      result = lowering_node(l, l->c->let[reference->symbol].line[found].body);
    if (l->lets && !l->failed) {
      if (reference->kind == NODE_LET)
        list_let(l, reference->symbol, found, indices, result);
      else
        list_random(l, reference->symbol, indices, result);
    }
  }
  l->bound = saved_bound;
  for (unsigned i = 0; i < saved_bound; i++) {
    l->index[i] = saved_index[i];
    l->index_name[i] = saved_name[i];
  }
  return result;
}

tape_id lowering_reference(lowering *l, const node *n)
{
  int64_t indices[LIMIT_BINDERS];
  unsigned memo = n->kind == NODE_LET ? MEMO_LET : n->kind == NODE_RANDOM ? MEMO_RANDOM : MEMO_GIVEN;
  uint64_t key[LIMIT_BINDERS + 2] = {memo, n->symbol};
  for (unsigned i = 0; i < n->children; i++) {
    indices[i] = lowering_integer(l, n->child[i]);
    key[2 + i] = (uint64_t)indices[i];
  }
  if (l->failed)
    return 0;
  uint32_t id;
  bool known = key_map_find(&l->memo, key, n->children + 2, &id);
  if (known && id != MEMO_UNDERWAY)
    return n->kind == NODE_GIVEN ? l->t->element[id].op : id;
  if (known || n->kind == NODE_GIVEN) {
    char *name = element_name(n->name, indices, n->children);
    lowering_fail(l, n->place, known ? "%s is used before it is defined" : "%s is not given", name);
    free(name);
    return 0;
  }
  key_map_set(&l->memo, key, n->children + 2, MEMO_UNDERWAY);
  id = lower_line(l, n, indices);
  key_map_set(&l->memo, key, n->children + 2, id);
  return id;
}
