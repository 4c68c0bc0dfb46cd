/* Types of definitions, elements defined twice, and the order of givens. */
#include "lang/types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lets whose types must agree, as a forest (union-find), and what is known of each tree's type. */
typedef struct {
  resolver *r;
  unsigned *up;
  signed char *known; /* at the root: -1 nothing, 0 value, 1 truth value */
} let_types;

static unsigned root_of(let_types *t, unsigned i)
{
  while (t->up[i] != i) {
    t->up[i] = t->up[t->up[i]];
    i = t->up[i];
  }
  return i;
}

static void learn(let_types *t, unsigned let, signed char type)
{
  unsigned root = root_of(t, let);
  if (t->known[root] < 0)
    t->known[root] = type; /* what contradicts is reported when that line is resolved */
}

static void join(let_types *t, unsigned a, unsigned b)
{
  a = root_of(t, a);
  b = root_of(t, b);
  if (a == b)
    return;
  signed char type = t->known[a] < 0 ? t->known[b] : t->known[a];
  t->up[b > a ? b : a] = b > a ? a : b;
  t->known[b > a ? a : b] = type;
}

static void learn_from(let_types *t, unsigned let, const node *raw)
{
  unsigned number;
  if (raw->kind == NODE_IF) {
    learn_from(t, let, raw->child[1]);
    learn_from(t, let, raw->child[2]);
  } else if (raw->kind == NODE_NAME) {
    if (names_find_string(t->r->flat->symbols, &number, raw->name) &&
        t->r->flat->entry[number].kind == DECLARE_LET)
      join(t, let, t->r->flat->entry[number].symbol);
    else
      learn(t, let, 0);
  } else {
    bool fold = raw->kind == NODE_FOLD && (raw->fold == FOLD_FORALL || raw->fold == FOLD_EXISTS);
    learn(t, let, fold || raw->kind == NODE_COMPARE || raw->kind == NODE_NOT || raw->kind == NODE_AND ||
                      raw->kind == NODE_OR || raw->kind == NODE_IMPLIES);
  }
}

void types_of_lets(resolver *r)
{
  claim *c = r->claim;
  let_types t = {r, memory_new(c->lets, sizeof(unsigned)), memory_new(c->lets, 1)};
  for (unsigned i = 0; i < c->lets; i++) {
    t.up[i] = i;
    t.known[i] = -1;
  }
  for (unsigned i = 0; i < r->flat->entries; i++) {
    const flat_entry *e = &r->flat->entry[i];
    for (unsigned k = 0; e->kind == DECLARE_LET && k < e->lines.count; k++)
      learn_from(&t, e->symbol, ((const declaration *)e->lines.item[k])->body);
  }
  for (unsigned i = 0; i < c->lets; i++)
    c->let[i].type = t.known[root_of(&t, i)] == 1 ? TYPE_TRUTH : TYPE_VALUE;
  free(t.up);
  free(t.known);
}

static bool is_constant(const node *n)
{
  if (n->kind == NODE_SIZE || n->kind == NODE_INDEX || n->type != TYPE_INTEGER)
    return false;
  for (unsigned i = 0; i < n->children; i++)
    if (!is_constant(n->child[i]))
      return false;
  return true;
}

bool types_constant(int64_t *value, const node *n)
{
  return is_constant(n) && tree_integer(value, n, NULL, NULL);
}

types_lines types_lines_start(resolver *r)
{
  return (types_lines){.r = r, .seen = names_create()};
}

static void add_key(text *t, const claim *c, const node *n)
{
  int64_t value;
  if (types_constant(&value, n))
    text_addf(t, "%" PRId64, value);
  else
    claim_print_node(t, c, n);
}

void types_lines_add(types_lines *l, const char *name, diag_place place, const claim_position *position,
                     unsigned n)
{
  text key;
  text_init(&key);
  for (unsigned i = 0; i < n; i++) {
    add_key(&key, l->r->claim, position[i].low);
    if (position[i].name) {
      text_add(&key, "..");
      add_key(&key, l->r->claim, position[i].high);
    }
    text_add(&key, ",");
  }
  unsigned number;
  if (names_find(l->seen, &number, text_string(&key), key.length)) {
    int inner = key.length > 0 ? (int)key.length - 1 : 0; /* without the last comma */
    if (n)
      resolve_error(l->r, place, "%s[%.*s] is defined twice", name, inner, text_string(&key));
    else
      resolve_error(l->r, place, "'%s' is defined twice", name);
    diag_note(l->r->store->d, *l->place[number], "first defined here");
  } else {
    memory_region *region = l->r->store->region;
    if ((l->count & (l->count - 1)) == 0)
      l->place = memory_resize(l->place, 2 * (size_t)l->count + 1, sizeof *l->place);
    diag_place *copy = memory_region_new(region, 1, sizeof(diag_place));
    *copy = place;
    l->place[l->count] = copy;
    names_put(l->seen, memory_region_copy(region, text_string(&key), key.length), key.length, l->count++);
  }
  text_clear(&key);
}

void types_lines_end(types_lines *l)
{
  names_destroy(l->seen);
  free(l->place);
}

/* The walk of types_check_order: which lets are known to depend on nothing but what is above the given at
 * hand. Givens come in order, so a let once found good stays good, and each is walked once. */
typedef struct {
  resolver *r;
  const claim *c;
  bool *met;       /* lets, then random families, walked or waiting */
  unsigned *stack; /* those waiting */
  unsigned waiting;
  const claim_given *given;
} order_walk;

/* What n names waits to be walked, if it is a let, or a random family, which stands for its variances. */
static bool wait_for(order_walk *w, const node *n)
{
  if (n->kind != NODE_LET && n->kind != NODE_RANDOM)
    return false;
  unsigned number = n->symbol + (n->kind == NODE_RANDOM ? w->c->lets : 0);
  if (w->met[number])
    return false;
  w->met[number] = true;
  w->stack[w->waiting++] = number;
  return true;
}

static bool walk_node(order_walk *w, const node *n, diag_place from)
{
  if (n->kind == NODE_GIVEN && w->c->given[n->symbol].order >= w->given->order) {
    resolve_error(w->r, from, "the range of '%s' depends on '%s', which is not declared above it",
                  w->given->name, n->name);
    diag_note(w->r->store->d, n->place, "through a definition, here");
    return false;
  }
  wait_for(w, n);
  for (unsigned i = 0; i < n->children; i++)
    if (!walk_node(w, n->child[i], from))
      return false;
  return true;
}

/* Lets that an interval end names, and all that they need. What the end itself names was checked when it was
 * resolved. */
static bool walk_end(order_walk *w, const node *end)
{
  for (unsigned i = 0; i < end->children; i++)
    if (!walk_end(w, end->child[i]))
      return false;
  if (!wait_for(w, end))
    return true;
  while (w->waiting) {
    unsigned number = w->stack[--w->waiting];
    bool let = number < w->c->lets;
    const claim_let *l = let ? &w->c->let[number] : NULL;
    const claim_random *g = let ? NULL : &w->c->random[number - w->c->lets];
    for (unsigned i = 0; i < (let ? l->lines : g->lines); i++)
      if (!walk_node(w, let ? l->line[i].body : g->line[i].variance, end->place))
        return false;
  }
  return true;
}

void types_check_order(resolver *r)
{
  const claim *c = r->claim;
  size_t all = (size_t)c->lets + c->randoms;
  order_walk w = {.r = r, .c = c, .met = memory_new(all, 1), .stack = memory_new(all, sizeof(unsigned))};
  bool good = true;
  for (unsigned i = 0; i < c->givens && good; i++) {
    w.given = &c->given[i];
    for (unsigned k = 0; k < w.given->lines && good; k++) {
      const claim_given_line *l = &w.given->line[k];
      good = (!l->low || walk_end(&w, l->low)) && (!l->high || walk_end(&w, l->high));
    }
  }
  free(w.met);
  free(w.stack);
}
