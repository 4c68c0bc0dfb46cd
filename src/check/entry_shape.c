/* The shape of a layer, and whether one tape serves all its entries. */
#include <stdlib.h>
#include <string.h>

#include "check/entry_internal.h"
#include "core/limits.h"
#include "core/memory.h"

const claim_let *entry_decay(const claim *family)
{
  const claim_let *let = model_role(family, "log_decay");
  return let ? let : model_role(family, "decay");
}

int entry_index_size(const claim_position *p)
{
  bool plain = p->name && p->high->kind == NODE_SIZE && p->low->kind == NODE_NUMBER && fmpq_is_one(p->low->number);
  return plain ? (int)p->high->symbol : -1;
}

assay_status entry_refuse(dump_error *error, const char *file, const claim *family, const char *what)
{
  dump_error_set(error, file, "family %s (%s): %s", family->name, family->place.source->name, what);
  return STATUS_BAD_INPUT;
}

/* ---- elementwise? ---- */

/* A definition, seen with the channel's index (0), the state's (1) or neither (-1) at each of its positions. */
typedef struct {
  unsigned let;
  signed char axis[LIMIT_BINDERS];
} sight;

/* A layer is elementwise unless something that its roles reach says no. Each definition is looked into once for each way
 * in which its positions are indexed; those ahead wait in the list, so that chains and recurrences cost no stack. */
typedef struct {
  const claim *family;
  int size[2]; /* the sizes of the two indices; -1 */
  sight *seen;
  size_t count, done, capacity;
} walk;

enum { WALK_SIGHTS = 1000 };

static bool add_sight(walk *w, const sight *s)
{
  for (size_t i = 0; i < w->count; i++)
    if (w->seen[i].let == s->let && !memcmp(w->seen[i].axis, s->axis, sizeof s->axis))
      return true;
  if (w->count == WALK_SIGHTS)
    return false;
  if (w->count == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 16;
    w->seen = memory_resize(w->seen, w->capacity, sizeof *w->seen);
  }
  w->seen[w->count++] = *s;
  return true;
}

static void clear_axes(signed char *axis)
{
  memset(axis, -1, LIMIT_BINDERS);
}

static bool is_axis_size(const walk *w, const node *n)
{
  return n->kind == NODE_SIZE && ((int)n->symbol == w->size[0] || (int)n->symbol == w->size[1]);
}

static int axis_of(const node *n, const signed char *axis)
{
  return n->kind == NODE_INDEX ? axis[n->slot] : -1;
}

static bool walk_node(walk *w, const node *n, const signed char *axis);

/* Whether declared positions, indexed along `along`, run over all entries where they should and are the same for all
 * elsewhere. Fills the axes of the slots that they bind. */
static bool walk_positions(walk *w, signed char *axis, const claim_position *position, unsigned positions,
                           const signed char *along)
{
  unsigned slot = 0;
  clear_axes(axis);
  for (unsigned i = 0; i < positions; i++) {
    const claim_position *p = &position[i];
    if (along[i] >= 0 ? entry_index_size(p) != w->size[along[i]]
                      : !walk_node(w, p->low, axis) || (p->high && !walk_node(w, p->high, axis)))
      return false;
    if (p->name)
      axis[slot++] = along[i];
  }
  return true;
}

static bool walk_given(walk *w, unsigned number, const signed char *along)
{
  const claim_given *g = &w->family->given[number];
  for (unsigned i = 0; i < g->lines; i++) {
    const claim_given_line *l = &g->line[i];
    signed char axis[LIMIT_BINDERS];
    if (!walk_positions(w, axis, l->position, g->positions, along) || (l->low && !walk_node(w, l->low, axis)) ||
        (l->high && !walk_node(w, l->high, axis)))
      return false;
  }
  return true;
}

static bool walk_node(walk *w, const node *n, const signed char *axis)
{
  if (is_axis_size(w, n) || axis_of(n, axis) >= 0)
    return false;
  if (n->kind == NODE_GIVEN || n->kind == NODE_LET) {
    sight s = {.let = n->symbol};
    clear_axes(s.axis);
    for (unsigned i = 0; i < n->children; i++) {
      s.axis[i] = (signed char)axis_of(n->child[i], axis);
      if (s.axis[i] < 0 && !walk_node(w, n->child[i], axis))
        return false;
    }
    return n->kind == NODE_LET ? add_sight(w, &s) : walk_given(w, n->symbol, s.axis);
  }
  signed char inside[LIMIT_BINDERS];
  memcpy(inside, axis, sizeof inside);
  for (unsigned i = 0; i < n->ranges; i++) {
    if (!walk_node(w, n->range[i].low, inside) || !walk_node(w, n->range[i].high, inside))
      return false;
    inside[n->range[i].slot] = -1;
  }
  for (unsigned i = 0; i < n->children; i++)
    if (!walk_node(w, n->child[i], inside))
      return false;
  return true;
}

/* Looks into all that waits in the list, and into what that reaches. */
static bool walk_all(walk *w)
{
  for (; w->done < w->count; w->done++) {
    sight s = w->seen[w->done];
    const claim_let *let = &w->family->let[s.let];
    for (unsigned k = 0; k < let->lines; k++) {
      signed char axis[LIMIT_BINDERS];
      if (!walk_positions(w, axis, let->line[k].position, let->positions, s.axis) ||
          !walk_node(w, let->line[k].body, axis))
        return false;
    }
  }
  return true;
}

const char *const entry_roles[ENTRY_ROLES] = {"step", "rate", "log_decay", "decay"};

bool entry_axes(signed char *axis, const claim_let *let, const int *size)
{
  for (unsigned i = 0; i < let->positions; i++) {
    int s = entry_index_size(&let->line[0].position[i]);
    axis[i] = (signed char)(s < 0 ? -1 : s == size[0] ? 0 : s == size[1] ? 1 : -1);
    if (axis[i] < 0)
      return false;
  }
  return true;
}

void entry_sizes(int *size, const claim *family)
{
  const claim_let *decay = entry_decay(family);
  size[0] = decay->positions > 0 ? entry_index_size(&decay->line[0].position[0]) : -1;
  size[1] = decay->positions > 1 ? entry_index_size(&decay->line[0].position[1]) : -1;
}

assay_status entry_shape_of(entry_shape *shape, const model_layer *layer, const char *file, dump_error *error)
{
  const claim *f = layer->family;
  const claim_let *decay = entry_decay(f);
  if (!decay || (model_role(f, "log_decay") && model_role(f, "decay")))
    return entry_refuse(error, file, f, "it needs one definition with the role log_decay, or one with the role decay");
  if (model_role(f, "rate") && !model_role(f, "step"))
    return entry_refuse(error, file, f, "it has a rate and no step");
  int size[2];
  entry_sizes(size, f);
  if (decay->positions > 2 || (decay->positions > 0 && size[0] < 0) || (decay->positions > 1 && size[1] < 0))
    return entry_refuse(error, file, f, "the decay is indexed by at most two ranges 1..SIZE");
  if (size[0] >= 0 && size[0] == size[1])
    return entry_refuse(error, file, f, "the two indices of the decay have the same size");
  walk w = {.family = f, .size = {size[0], size[1]}};
  for (unsigned i = 0; i < ENTRY_ROLES; i++) {
    const claim_let *let = model_role(f, entry_roles[i]);
    sight s;
    if (!let)
      continue;
    clear_axes(s.axis);
    if (let->type != TYPE_VALUE || !entry_axes(s.axis, let, size)) {
      free(w.seen);
      return entry_refuse(error, file, f, "step, rate and decay are numbers indexed by the decay's own sizes");
    }
    s.let = (unsigned)(let - f->let);
    add_sight(&w, &s);
  }
  bool elementwise = walk_all(&w);
  free(w.seen);
  *shape = (entry_shape){.elementwise = elementwise,
                         .channels = size[0] < 0 ? 1 : (size_t)layer->sizes[size[0]],
                         .states = size[1] < 0 ? 1 : (size_t)layer->sizes[size[1]]};
  if (size[0] >= 0)
    shape->channel_word = f->size[size[0]].role ? f->size[size[0]].role : f->size[size[0]].name;
  if (size[1] >= 0)
    shape->state_word = f->size[size[1]].role ? f->size[size[1]].role : f->size[size[1]].name;
  if (shape->channels == 0 || shape->states == 0)
    return entry_refuse(error, file, f, "it has no entries");
  size_t limit = elementwise ? ENTRY_LAYER : ENTRY_APART;
  if (shape->channels > limit / shape->states) {
    char *name = dump_quote(layer->name);
    dump_error_set(error, file, "layer %s has %zu x %zu entries; the limit is %zu", name, shape->channels, shape->states,
                   limit);
    free(name);
    return STATUS_UNABLE;
  }
  return STATUS_OK;
}
