/* Resolution of a claim: its declarations in order, each expression by resolve.c. */
#include "lang/resolve.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lang/types.h"

static const declaration *line_of(const flat_entry *e, unsigned i)
{
  return e->lines.item[i];
}

/* Gives every name its number and its shape, so that expressions may refer to names in any order. */
static void number_entries(resolver *r)
{
  memory_region *region = r->store->region;
  claim *c = r->claim;
  flat_claim *f = r->flat;
  for (unsigned i = 0; i < f->entries; i++) {
    flat_entry *e = &f->entry[i];
    if (!e->dropped)
      e->symbol = e->kind == DECLARE_SIZE    ? c->sizes++
                  : e->kind == DECLARE_GIVEN  ? c->givens++
                  : e->kind == DECLARE_RANDOM ? c->randoms++
                  : e->kind == DECLARE_LET    ? c->lets++
                                              : c->labels++;
  }
  c->size = memory_region_new(region, c->sizes, sizeof(claim_size));
  c->given = memory_region_new(region, c->givens, sizeof(claim_given));
  c->random = memory_region_new(region, c->randoms, sizeof(claim_random));
  c->let = memory_region_new(region, c->lets, sizeof(claim_let));
  c->label = memory_region_new(region, c->labels, sizeof(claim_label));
  for (unsigned i = 0; i < f->entries; i++) {
    const flat_entry *e = &f->entry[i];
    if (e->kind == DECLARE_GIVEN) {
      claim_given *g = &c->given[e->symbol];
      *g = (claim_given){.name = e->name, .place = e->place, .order = i, .lines = e->lines.count};
      g->positions = line_of(e, 0)->positions;
      g->table = line_of(e, 0)->table;
      g->line = memory_region_new(region, g->lines, sizeof(claim_given_line));
    } else if (e->kind == DECLARE_RANDOM) {
      claim_random *g = &c->random[e->symbol];
      *g = (claim_random){.name = e->name, .place = e->place, .order = i, .lines = e->lines.count};
      g->positions = line_of(e, 0)->positions;
      g->line = memory_region_new(region, g->lines, sizeof(claim_random_line));
    } else if (e->kind == DECLARE_LET) {
      claim_let *l = &c->let[e->symbol];
      *l = (claim_let){.name = e->name, .place = e->place, .order = i, .lines = e->lines.count};
      l->positions = line_of(e, 0)->positions;
      l->line = memory_region_new(region, l->lines, sizeof(claim_let_line));
    }
  }
}

static void check_bounds(resolver *r, diag_place place, const node *low, const node *high, const char *name)
{
  int64_t a, b;
  if (types_constant(&a, low) && types_constant(&b, high) && a > b)
    resolve_error(r, place, "no value is left for '%s' between %lld and %lld", name, (long long)a,
                  (long long)b);
}

static void resolve_size(resolver *r, const flat_entry *e)
{
  claim_size *s = &r->claim->size[e->symbol];
  const declaration *d = line_of(e, 0);
  s->name = e->name;
  s->place = e->place;
  s->role = d->role;
  r->sizes_known = e->symbol;
  s->low = resolve_integer(r, d->low, "a bound of a size");
  if (d->high)
    s->high = resolve_integer(r, d->high, "a bound of a size");
  if (s->low && s->high)
    check_bounds(r, e->place, s->low, s->high, e->name);
  if (e->try_line) {
    s->try_low = resolve_integer(r, e->try_line->low, "a bound of a size");
    s->try_high = resolve_integer(r, e->try_line->high, "a bound of a size");
    if (s->try_low && s->try_high)
      check_bounds(r, e->try_line->place, s->try_low, s->try_high, e->name);
  }
  r->sizes_known = UINT_MAX;
}

/* The positions of a line; binds its indices from slot 0. */
static bool resolve_positions(resolver *r, claim_position **position, unsigned *slots, const flat_entry *e,
                              const declaration *d)
{
  unsigned wanted = line_of(e, 0)->positions;
  bool good = d->positions == wanted;
  r->slots = 0;
  if (!good) {
    resolve_error(r, d->place, "'%s' has %u %s here and %u above", e->name, d->positions,
                  d->positions == 1 ? "index" : "indices", wanted);
    diag_note(r->store->d, e->place, "first declared here");
  }
  *position = memory_region_new(r->store->region, d->positions, sizeof(claim_position));
  for (unsigned i = 0; i < d->positions && !resolve_enough(r); i++) {
    claim_position *p = &(*position)[i];
    if (d->position[i].name) {
      good &= resolve_range(r, p, &d->position[i]);
    } else {
      *p = d->position[i];
      p->low = resolve_integer(r, p->low, "an index");
      good &= p->low != NULL;
    }
  }
  *slots = r->slots;
  return good && !resolve_enough(r);
}

/* Whether an integer expression is the number of a layer, in whole or in part. */
static bool uses_layer(const resolver *r, const node *n)
{
  const char *role = n->kind == NODE_SIZE ? r->claim->size[n->symbol].role : NULL;
  if (role && strcmp(role, "layer") == 0)
    return true;
  for (unsigned i = 0; i < n->children; i++)
    if (uses_layer(r, n->child[i]))
      return true;
  return false;
}

/* A file stores lengths: 1..E, and E is known before any element is. */
static void resolve_tensor_index(resolver *r, const flat_entry *e, const declaration *d, const claim_position *p)
{
  if (!p->name || (p->low && (p->low->kind != NODE_NUMBER || !fmpq_is_one(p->low->number))))
    resolve_error(r, d->place, "each index of the tensor '%s' is a range that begins with 1", e->name);
  else if (p->high && p->high->free_slots)
    resolve_error(r, p->high->place, "the length of the tensor '%s' depends on another of its indices", e->name);
  else if (p->high && uses_layer(r, p->high))
    resolve_error(r, p->high->place, "the length of the tensor '%s' depends on the number of the layer", e->name);
}

static bool is_plain_number(const node *n)
{
  return n->kind == NODE_NUMBER || (n->kind == NODE_NEGATE && n->child[0]->kind == NODE_NUMBER);
}

/* A tensor is one array, so it has one line. */
static void resolve_tensor(resolver *r, claim_given *g, const flat_entry *e, const claim_given_line *l,
                           const declaration *d)
{
  if (g->lines != 1) {
    if (!g->stored)
      resolve_error(r, line_of(e, 1)->place, "the tensor '%s' is declared by more than one line", e->name);
    g->stored = d->stored;
    return;
  }
  g->stored = d->stored;
  g->stored_as = d->stored_as;
  for (unsigned i = 0; i < d->positions && !resolve_enough(r); i++)
    resolve_tensor_index(r, e, d, &l->position[i]);
  if (!d->body)
    return;
  g->otherwise = resolve_value(r, d->body);
  if (g->otherwise && !is_plain_number(g->otherwise))
    resolve_error(r, g->otherwise->place, "what stands for the tensor '%s' where a file has none is a plain number",
                  e->name);
}

static void resolve_given(resolver *r, const flat_entry *e)
{
  claim_given *g = &r->claim->given[e->symbol];
  types_lines seen = types_lines_start(r);
  for (unsigned i = 0; i < g->lines && !resolve_enough(r); i++) {
    claim_given_line *l = &g->line[i];
    const declaration *d = line_of(e, i);
    l->place = d->place;
    l->low_open = d->low_open || !d->low;
    l->high_open = d->high_open || !d->high;
    r->ordered = NULL;
    if (resolve_positions(r, &l->position, &l->slots, e, d))
      types_lines_add(&seen, e->name, d->place, l->position, g->positions);
    r->ordered = e;
    r->first_line = i == 0;
    if (d->low)
      l->low = resolve_value(r, d->low);
    if (d->high)
      l->high = resolve_value(r, d->high);
    r->ordered = NULL;
    if (d->role && g->role && strcmp(g->role, d->role) != 0)
      resolve_error(r, d->place, "'%s' has two roles, %s and %s", e->name, g->role, d->role);
    else if (d->role)
      g->role = d->role;
    if (d->stored)
      resolve_tensor(r, g, e, l, d);
  }
  types_lines_end(&seen);
  r->slots = 0;
}

static void resolve_random(resolver *r, const flat_entry *e)
{
  claim_random *g = &r->claim->random[e->symbol];
  types_lines seen = types_lines_start(r);
  for (unsigned i = 0; i < g->lines && !resolve_enough(r); i++) {
    claim_random_line *l = &g->line[i];
    const declaration *d = line_of(e, i);
    l->place = d->place;
    if (resolve_positions(r, &l->position, &l->slots, e, d))
      types_lines_add(&seen, e->name, d->place, l->position, g->positions);
    l->variance = resolve_value(r, d->body);
  }
  types_lines_end(&seen);
  r->slots = 0;
}

static void resolve_let(resolver *r, const flat_entry *e)
{
  claim_let *l = &r->claim->let[e->symbol];
  types_lines seen = types_lines_start(r);
  for (unsigned i = 0; i < l->lines && !resolve_enough(r); i++) {
    claim_let_line *line = &l->line[i];
    const declaration *d = line_of(e, i);
    line->place = d->place;
    if (resolve_positions(r, &line->position, &line->slots, e, d))
      types_lines_add(&seen, e->name, d->place, line->position, l->positions);
    if (d->role && l->role && strcmp(l->role, d->role) != 0)
      resolve_error(r, d->place, "'%s' has two roles, %s and %s", e->name, l->role, d->role);
    else if (d->role)
      l->role = d->role;
    line->body = resolve_expression(r, d->body);
    if (line->body && (line->body->type == TYPE_TRUTH) != (l->type == TYPE_TRUTH)) {
      resolve_error(r, line->body->place, "'%s' is a %s elsewhere, and this is a %s", e->name,
                    l->type == TYPE_TRUTH ? "truth value" : "number",
                    l->type == TYPE_TRUTH ? "number" : "truth value");
      if (i > 0)
        diag_note(r->store->d, e->place, "first declared here");
    }
  }
  types_lines_end(&seen);
  r->slots = 0;
}

static void resolve_label(resolver *r, const flat_entry *e)
{
  claim_label *l = &r->claim->label[e->symbol];
  const declaration *d = line_of(e, 0);
  l->kind = e->kind == DECLARE_ASSUME     ? LABEL_ASSUME
            : e->kind == DECLARE_SHOW     ? LABEL_SHOW
            : e->kind == DECLARE_POSSIBLE ? LABEL_POSSIBLE
                                          : LABEL_TRIVIAL;
  l->name = e->name;
  l->place = e->place;
  l->body = l->kind == LABEL_TRIVIAL ? resolve_value(r, d->body) : resolve_truth(r, d->body);
}

/* A claim either shows something or asks what is possible. */
static void check_conclusions(resolver *r)
{
  const claim_label *first = NULL;
  for (unsigned i = 0; i < r->claim->labels; i++) {
    const claim_label *l = &r->claim->label[i];
    if (l->kind != LABEL_SHOW && l->kind != LABEL_POSSIBLE)
      continue;
    if (!first)
      first = l;
    if (l->kind != first->kind) {
      resolve_error(r, l->place, "a claim has either 'show' or 'possible', not both");
      diag_note(r->store->d, first->place, "the other is here");
      return;
    }
  }
  if (first && r->claim->family)
    resolve_error(r, first->place, "a family describes a model and concludes nothing");
  else if (!first && !r->claim->family)
    resolve_error(r, r->claim->place, "claim '%s' concludes nothing: it has neither 'show' nor 'possible'",
                  r->claim->name);
}

claim *resolve_claim(syntax_store *s, flat_claim *f)
{
  resolver r = {.store = s, .flat = f, .sizes_known = UINT_MAX, .errors_before = diag_errors(s->d)};
  claim *c = r.claim = memory_region_new(s->region, 1, sizeof(claim));
  c->name = f->syntax->name;
  c->place = f->syntax->place;
  c->kind = f->syntax->kind;
  c->comment = f->syntax->comment;
  c->preface = f->syntax->preface;
  c->title = f->title;
  c->cite = f->cite;
  c->parent = f->syntax->parent;
  c->family = f->syntax->family;
  number_entries(&r);
  types_of_lets(&r);
  for (unsigned i = 0; i < f->entries && !resolve_enough(&r); i++) {
    const flat_entry *e = &f->entry[i];
    if (e->kind == DECLARE_SIZE)
      resolve_size(&r, e);
    else if (e->kind == DECLARE_GIVEN)
      resolve_given(&r, e);
    else if (e->kind == DECLARE_RANDOM)
      resolve_random(&r, e);
    else if (e->kind == DECLARE_LET)
      resolve_let(&r, e);
    else if (!e->dropped)
      resolve_label(&r, e);
  }
  if (!resolve_enough(&r))
    check_conclusions(&r);
  if (diag_errors(s->d) == r.errors_before)
    types_check_order(&r);
  if (diag_errors(s->d) == r.errors_before)
    table_keep_used(c);
  return diag_errors(s->d) == r.errors_before ? c : NULL;
}
