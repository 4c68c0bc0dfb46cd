/* The sizes of a layer, from the shapes of its tensors; which tensors are needed. */
#include "dump/model_shape.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* ---- what is needed ---- */

/* What definitions reach. Those still to be looked into wait in a list: a chain of definitions may be long. */
typedef struct {
  const claim *family;
  bool *givens, *sizes, *lets;
  unsigned *waiting, count;
} reach;

static reach reach_new(const claim *family)
{
  return (reach){.family = family,
                 .givens = memory_new(family->givens, sizeof(bool)),
                 .sizes = memory_new(family->sizes, sizeof(bool)),
                 .lets = memory_new(family->lets, sizeof(bool)),
                 .waiting = memory_new(family->lets, sizeof(unsigned))};
}

static void reach_clear(reach *r)
{
  free(r->givens);
  free(r->sizes);
  free(r->lets);
  free(r->waiting);
}

static void reach_let(reach *r, unsigned let)
{
  if (!r->lets[let])
    r->waiting[r->count++] = let;
  r->lets[let] = true;
}

static void reach_node(reach *r, const node *n);

static void reach_positions(reach *r, const claim_position *position, unsigned positions)
{
  for (unsigned i = 0; i < positions; i++) {
    reach_node(r, position[i].low);
    reach_node(r, position[i].high);
  }
}

/* A given comes with its shape and the range of its values. */
static void reach_given(reach *r, unsigned given)
{
  const claim_given *g = &r->family->given[given];
  if (r->givens[given])
    return;
  r->givens[given] = true;
  for (unsigned i = 0; i < g->lines; i++) {
    reach_positions(r, g->line[i].position, g->positions);
    reach_node(r, g->line[i].low);
    reach_node(r, g->line[i].high);
  }
}

static void reach_node(reach *r, const node *n)
{
  if (!n)
    return;
  if (n->kind == NODE_SIZE)
    r->sizes[n->symbol] = true;
  if (n->kind == NODE_GIVEN)
    reach_given(r, n->symbol);
  if (n->kind == NODE_LET)
    reach_let(r, n->symbol);
  for (unsigned i = 0; i < n->ranges; i++) {
    reach_node(r, n->range[i].low);
    reach_node(r, n->range[i].high);
  }
  for (unsigned i = 0; i < n->children; i++)
    reach_node(r, n->child[i]);
}

static reach reach_roles(const claim *family)
{
  static const char *const roles[] = {"step", "rate", "decay", "log_decay"};
  reach r = reach_new(family);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
    const claim_let *let = model_role(family, roles[i]);
    if (let)
      reach_let(&r, (unsigned)(let - family->let));
  }
  while (r.count > 0) {
    const claim_let *let = &family->let[r.waiting[--r.count]];
    for (unsigned i = 0; i < let->lines; i++) {
      reach_positions(&r, let->line[i].position, let->positions);
      reach_node(&r, let->line[i].body);
    }
  }
  return r;
}

void model_needed(bool *needed, const claim *family)
{
  reach r = reach_roles(family);
  memcpy(needed, r.givens, family->givens * sizeof *needed);
  reach_clear(&r);
}

/* ---- sizes ---- */

enum { OPEN = -1 };

/* The value of a bound; OPEN while a size in it is. */
static int64_t bound_value(const node *n, const int64_t *sizes)
{
  if (n->kind == NODE_SIZE)
    return sizes[n->symbol];
  for (unsigned i = 0; i < n->children; i++)
    if (bound_value(n->child[i], sizes) == OPEN)
      return OPEN;
  int64_t value;
  return tree_integer(&value, n, sizes, NULL) && value >= 0 ? value : 0; /* 0 is no dimension: it will not fit */
}

/* The stored shape as the family sees it: complex numbers are pairs, along one more index. Returns the rank. */
static unsigned seen_shape(uint64_t *shape, const dump_tensor *x)
{
  unsigned rank = x->rank;
  memcpy(shape, x->shape, rank * sizeof *shape);
  if (dump_lanes(x->type) > 1)
    shape[rank++] = dump_lanes(x->type);
  return rank;
}

/* The stored shape with as many dimensions as the tensor has indices; false when lengths of 1 do not make up for it. */
static bool match_rank(uint64_t *shape, const dump_tensor *x, unsigned positions)
{
  uint64_t stored[DUMP_RANK + 1];
  unsigned stored_rank = seen_shape(stored, x), rank = 0, longer = 0;
  for (unsigned i = 0; i < stored_rank; i++)
    longer += stored[i] != 1;
  bool complex = stored_rank > x->rank; /* whose pairs must be what the last index is for */
  if (stored_rank < positions || longer > positions || (complex && stored_rank != positions))
    return false;
  unsigned ones = positions - longer; /* to keep: the first ones */
  for (unsigned i = 0; i < stored_rank; i++) {
    if (stored[i] != 1 || ones > 0)
      shape[rank++] = stored[i];
    if (stored[i] == 1 && ones > 0)
      ones--;
  }
  return rank == positions;
}

/* Whether every product of the first few lengths of `a` is one of `b` too: b is a with dimensions split. */
static bool is_split(const uint64_t *a, unsigned m, const uint64_t *b, unsigned n)
{
  uint64_t x = 1;
  for (unsigned i = 0; i < m; i++) {
    x *= a[i];
    uint64_t y = 1;
    bool found = x == 1;
    for (unsigned k = 0; k < n && !found; k++) {
      y *= b[k];
      found = x == y;
    }
    if (!found)
      return false;
  }
  return true;
}

typedef enum { FIT_NO, FIT_LATER, FIT_YES } fit_result;

/* As a row-major reshape, once every length is known. */
static fit_result fit_reshaped(const model_layer *layer, const claim_given *g, const dump_tensor *x)
{
  uint64_t wanted[DUMP_RANK], product = 1;
  for (unsigned i = 0; i < g->positions; i++) {
    int64_t bound = bound_value(g->line[0].position[i].high, layer->sizes);
    if (bound == OPEN)
      return FIT_LATER;
    if (bound == 0 || product > UINT64_MAX / (uint64_t)bound)
      return FIT_NO;
    wanted[i] = (uint64_t)bound;
    product *= (uint64_t)bound;
  }
  /* [3, 2] for [2, 3] may be its transpose, whose elements would be read in the wrong order. */
  bool nested = is_split(x->shape, x->rank, wanted, g->positions) || is_split(wanted, g->positions, x->shape, x->rank);
  return product == x->count && nested && dump_lanes(x->type) == 1 ? FIT_YES : FIT_NO;
}

/* Whether no known length contradicts the shape; *open: some are not known. */
static bool agrees(bool *open, const model_layer *layer, const claim_given *g, const uint64_t *shape)
{
  *open = false;
  for (unsigned i = 0; i < g->positions; i++) {
    int64_t bound = bound_value(g->line[0].position[i].high, layer->sizes);
    if (bound != OPEN && (uint64_t)bound != shape[i])
      return false;
    *open = *open || bound == OPEN;
  }
  return true;
}

/* Fixes open sizes only when the shape fits what is known. */
static fit_result fit_tensor(model_layer *layer, const claim_given *g, const dump_tensor *x)
{
  uint64_t shape[DUMP_RANK + 1];
  bool open;
  if (x->count == 0 || x->count > UINT64_MAX / 2 || g->positions > DUMP_RANK)
    return FIT_NO;
  if (match_rank(shape, x, g->positions) && agrees(&open, layer, g, shape)) {
    for (unsigned i = 0; i < g->positions; i++) {
      const node *high = g->line[0].position[i].high;
      if (high->kind == NODE_SIZE && layer->sizes[high->symbol] == OPEN && shape[i] <= INT32_MAX)
        layer->sizes[high->symbol] = (int64_t)shape[i];
    }
    if (agrees(&open, layer, g, shape))
      return open ? FIT_LATER : FIT_YES;
  }
  return fit_reshaped(layer, g, x);
}

static void add_shape(text *out, const dump_tensor *x)
{
  for (unsigned i = 0; i < x->rank; i++)
    text_addf(out, "%s%llu", i ? ", " : "[", (unsigned long long)x->shape[i]);
  text_add(out, x->rank ? "]" : "a single number");
  if (dump_lanes(x->type) > 1)
    text_add(out, " of complex numbers");
}

static void explain(text *reason, const model_layer *layer, const claim_given *g, const dump_tensor *x)
{
  char *name = dump_quote(x->name);
  text_addf(reason, "%s wants %s of shape ", layer->family->name, name);
  free(name);
  for (unsigned i = 0; i < g->positions; i++) {
    text_add(reason, i ? ", " : "[");
    const node *high = g->line[0].position[i].high;
    int64_t bound = bound_value(high, layer->sizes);
    claim_print_node(reason, layer->family, high);
    if (bound > 0 && high->kind != NODE_NUMBER)
      text_addf(reason, " = %lld", (long long)bound);
  }
  text_add(reason, g->positions ? "], and it is " : "[], and it is ");
  add_shape(reason, x);
}

bool model_sizes_hold(const model_layer *layer, text *reason)
{
  const claim *f = layer->family;
  for (unsigned i = 0; i < f->sizes; i++) {
    int64_t low = bound_value(f->size[i].low, layer->sizes);
    int64_t high = f->size[i].high ? bound_value(f->size[i].high, layer->sizes) : INT64_MAX;
    if (layer->sizes[i] < low || layer->sizes[i] > high) {
      text_addf(reason, "%s: %s = %lld is out of its bounds", f->name, f->size[i].name, (long long)layer->sizes[i]);
      return false;
    }
  }
  return true;
}

/* Sizes that no tensor fixed: those without a part in what is needed get their least value. */
static bool close_sizes(model_layer *layer, text *reason)
{
  const claim *f = layer->family;
  reach r = reach_roles(f);
  bool good = true;
  for (unsigned i = 0; i < f->sizes && good; i++) {
    if (layer->sizes[i] != OPEN)
      continue;
    if (r.sizes[i]) {
      text_addf(reason, "%s: no tensor tells the size %s", f->name, f->size[i].name);
      good = false;
    }
    layer->sizes[i] = bound_value(f->size[i].low, layer->sizes);
  }
  reach_clear(&r);
  return good && model_sizes_hold(layer, reason);
}

/* Sizes to which their bounds leave one value need no tensor. */
static void tell_bounded(model_layer *layer)
{
  const claim *f = layer->family;
  for (unsigned i = 0; i < f->sizes; i++) {
    if (layer->sizes[i] != OPEN || !f->size[i].high)
      continue;
    int64_t low = bound_value(f->size[i].low, layer->sizes);
    if (low == bound_value(f->size[i].high, layer->sizes))
      layer->sizes[i] = low; /* or both are open */
  }
}

/* One try with the tensors that are bound: false when one of them does not fit, *which. */
static bool try_sizes(unsigned *which, model_layer *layer, bool *fits)
{
  const claim *f = layer->family;
  for (unsigned i = 0; i < f->sizes; i++)
    layer->sizes[i] = OPEN;
  int layers = model_size_role(f, "layer");
  if (layers >= 0)
    layer->sizes[layers] = 1; /* numbered later */
  memset(fits, 0, f->givens * sizeof *fits);
  for (bool changed = true; changed;) { /* each turn fits a tensor more */
    changed = false;
    tell_bounded(layer);
    for (unsigned i = 0; i < f->givens; i++) {
      if (!layer->tensor[i] || fits[i])
        continue;
      fit_result found = fit_tensor(layer, &f->given[i], layer->tensor[i]);
      *which = i;
      if (found == FIT_NO)
        return false;
      fits[i] = found == FIT_YES;
      changed = changed || fits[i];
    }
  }
  tell_bounded(layer);
  for (unsigned i = 0; i < f->givens; i++) {
    *which = i;
    if (layer->tensor[i] && !fits[i])
      return false;
  }
  return true;
}

bool model_fit_sizes(model_layer *layer, text *reason, const bool *needed)
{
  const claim *f = layer->family;
  bool *fits = memory_new(f->givens, sizeof *fits), good = true;
  unsigned which;
  while (good && !try_sizes(&which, layer, fits)) {
    if (needed[which]) {
      explain(reason, layer, &f->given[which], layer->tensor[which]);
      good = false;
    } else { /* again without it, and without what it said of sizes */
      layer->tensor[which] = NULL;
      layer->bound--;
    }
  }
  free(fits);
  return good && close_sizes(layer, reason);
}
