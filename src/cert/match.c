/* Holding an instance against a claim: the sizes in their ranges, and exactly the elements that the claim
 * declares. */
#include "cert/instance.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"

enum { SHOWN_NAMES = 8 }; /* messages about names, before the rest is only counted */

typedef struct {
  diag *d;
  const char *from;
  const claim *c;
  const instance *x;
  match *m;
  const instance_value **sorted; /* x->value by name */
  bool *used;                    /* by number in x->value */
  size_t capacity, steps, missing;
  int64_t slot[LIMIT_BINDERS];
  int64_t index[LIMIT_BINDERS];
  bool good;
} matching;

static int compare_names(const void *a, const void *b)
{
  const instance_value *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static void complain(matching *w, const char *what, const char *name, const char *why)
{
  diag_error_plain(w->d, "%s: %s%s%s", w->from, what, name, why);
  w->good = false;
}

static match_kind match_sizes(matching *w)
{
  const claim *c = w->c;
  const instance *x = w->x;
  match_kind kind = MATCH_FITS;
  for (unsigned i = 0; i < c->sizes; i++) {
    size_t k = 0;
    while (k < x->sizes && strcmp(x->size[k].name, c->size[i].name))
      k++;
    if (k == x->sizes)
      complain(w, "the size ", c->size[i].name, " is missing");
    else if (x->size[k].value > LIMIT_SIZE || x->size[k].value < -LIMIT_SIZE)
      complain(w, "the size ", c->size[i].name, " is beyond the limit of 1048576");
    else
      w->m->sizes[i] = x->size[k].value;
  }
  for (size_t k = 0; k < x->sizes; k++) {
    unsigned i = 0;
    while (i < c->sizes && strcmp(x->size[k].name, c->size[i].name))
      i++;
    if (i == c->sizes)
      complain(w, "the claim has no size ", x->size[k].name, "");
  }
  for (unsigned i = 0; w->good && i < c->sizes; i++) {
    int64_t low, high, value = w->m->sizes[i];
    const claim_size *s = &c->size[i];
    if ((s->low && !tree_integer(&low, s->low, w->m->sizes, NULL)) ||
        (s->high && !tree_integer(&high, s->high, w->m->sizes, NULL))) {
      complain(w, "the range of the size ", s->name, " cannot be computed");
    } else if (((s->low && value < low) || (s->high && value > high)) && kind == MATCH_FITS) {
      kind = MATCH_OUTSIDE;
      w->m->outside = i;
    }
  }
  return w->good ? kind : MATCH_WRONG;
}

static void add_element(matching *w, unsigned given, unsigned line)
{
  const claim_given *g = &w->c->given[given];
  text name;
  text_init(&name);
  claim_print_element(&name, g->name, w->index, g->positions);
  instance_value wanted = {.name = name.data};
  const instance_value *key = &wanted, **found = NULL;
  if (w->x->values)
    found = bsearch(&key, w->sorted, w->x->values, sizeof *w->sorted, compare_names);
  size_t at = found ? (size_t)(*found - w->x->value) : 0;
  if (!found) {
    if (w->missing++ < SHOWN_NAMES)
      complain(w, "the value of ", name.data, " is missing");
  } else if (w->used[at]) {
    complain(w, "the claim declares ", name.data, " twice");
  } else {
    match *m = w->m;
    if (m->count == w->capacity) {
      w->capacity = w->capacity ? 2 * w->capacity : 64;
      m->element = memory_resize(m->element, w->capacity, sizeof *m->element);
    }
    int64_t *indices = memory_region_new(m->region, g->positions, sizeof *indices);
    if (g->positions)
      memcpy(indices, w->index, g->positions * sizeof *indices);
    m->element[m->count++] = (match_element){given, line, indices, at};
    w->used[at] = true;
  }
  text_clear(&name);
}

/* Walks position `p` and those after it. A line of many empty ranges has many steps and no element, hence
 * their limit. */
static void walk_positions(matching *w, unsigned given, unsigned line, unsigned p)
{
  const claim_given *g = &w->c->given[given];
  if (++w->steps > 2 * (size_t)LIMIT_INPUTS) {
    if (w->steps == 2 * (size_t)LIMIT_INPUTS + 1)
      complain(w, "too many elements of ", g->name, " (the limit is 4194304)");
    w->good = false;
    return;
  }
  if (p == g->positions) {
    add_element(w, given, line);
    return;
  }
  const claim_position *range = &g->line[line].position[p];
  int64_t low, high;
  if (!tree_integer(&low, range->low, w->m->sizes, w->slot) ||
      (range->high && !tree_integer(&high, range->high, w->m->sizes, w->slot))) {
    complain(w, "an index range of ", g->name, " cannot be computed");
    return;
  }
  if (!range->high)
    high = low;
  for (int64_t i = low; i <= high && w->steps <= 2 * (size_t)LIMIT_INPUTS; i++) {
    w->index[p] = i;
    if (range->name)
      w->slot[range->slot] = i;
    walk_positions(w, given, line, p + 1);
    if (i == INT64_MAX)
      break;
  }
}

static void match_elements(matching *w)
{
  const instance *x = w->x;
  w->sorted = memory_new(x->values, sizeof *w->sorted);
  w->used = memory_new(x->values, sizeof *w->used);
  for (size_t i = 0; i < x->values; i++)
    w->sorted[i] = &x->value[i];
  qsort(w->sorted, x->values, sizeof *w->sorted, compare_names);
  for (unsigned g = 0; g < w->c->givens; g++) {
    if (w->c->given[g].positions > LIMIT_BINDERS)
      complain(w, "more than 32 indices of ", w->c->given[g].name, "");
    for (unsigned l = 0; w->c->given[g].positions <= LIMIT_BINDERS && l < w->c->given[g].lines; l++)
      walk_positions(w, g, l, 0);
  }
  if (w->missing > SHOWN_NAMES)
    diag_error_plain(w->d, "%s: %zu values are missing in all", w->from, w->missing);
  size_t surplus = 0;
  for (size_t i = 0; i < x->values; i++)
    if (!w->used[i] && surplus++ < SHOWN_NAMES)
      complain(w, "the claim has no element ", x->value[i].name, " at these sizes");
  if (surplus > SHOWN_NAMES)
    diag_error_plain(w->d, "%s: %zu values are surplus in all", w->from, surplus);
  free(w->sorted);
  free(w->used);
}

match_kind match_instance(diag *d, const char *from, match *m, const claim *c, const instance *x)
{
  *m = (match){.region = memory_region_create()};
  m->sizes = memory_region_new(m->region, c->sizes, sizeof *m->sizes);
  matching w = {.d = d, .from = from, .c = c, .x = x, .m = m, .good = true};
  match_kind kind = match_sizes(&w);
  if (kind != MATCH_FITS)
    return kind;
  match_elements(&w);
  return w.good ? MATCH_FITS : MATCH_WRONG;
}

void match_clear(match *m)
{
  free(m->element);
  memory_region_destroy(m->region);
  *m = (match){0};
}
