/* Recognition of layers by names and shapes. */
#include "dump/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/model_shape.h"

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_separator(char c)
{
  return c == '.' || c == '/';
}

int model_compare_names(const char *a, const char *b)
{
  const char *x = a, *y = b;
  while (*x != 0 && *y != 0) {
    if (!is_digit(*x) || !is_digit(*y)) {
      if (*x != *y)
        return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
      x++;
      y++;
      continue;
    }
    while (*x == '0')
      x++;
    while (*y == '0')
      y++;
    size_t m = 0, n = 0;
    while (is_digit(x[m]))
      m++;
    while (is_digit(y[n]))
      n++;
    if (m != n)
      return m < n ? -1 : 1;
    int order = memcmp(x, y, m);
    if (order != 0)
      return order;
    x += m;
    y += n;
  }
  if (*x != *y)
    return *x == 0 ? -1 : 1;
  return strcmp(a, b);
}

const claim_let *model_role(const claim *family, const char *role)
{
  for (unsigned i = 0; i < family->lets; i++)
    if (family->let[i].role && !strcmp(family->let[i].role, role))
      return &family->let[i];
  return NULL;
}

size_t model_extent(const model_layer *layer, unsigned given, unsigned position)
{
  const claim_given *g = &layer->family->given[given];
  int64_t value = 0;
  if (position >= g->positions || !g->line[0].position[position].high ||
      !tree_integer(&value, g->line[0].position[position].high, layer->sizes, NULL))
    return 0;
  return value > 0 ? (size_t)value : 0;
}

int model_size_role(const claim *family, const char *role)
{
  for (unsigned i = 0; i < family->sizes; i++)
    if (family->size[i].role && !strcmp(family->size[i].role, role))
      return (int)i;
  return -1;
}

bool model_default(fmpq_t value, const claim_given *tensor)
{
  const node *n = tensor->otherwise;
  bool negative = n && n->kind == NODE_NEGATE;
  if (negative)
    n = n->child[0];
  if (!n || n->kind != NODE_NUMBER)
    return false;
  fmpq_set(value, n->number);
  if (negative)
    fmpq_neg(value, value);
  return true;
}

/* ---- names ---- */

/* Whether `name` is a prefix, empty or ending at a separator, and then `ending`. */
static bool ends_in(size_t *prefix, const char *name, const char *ending)
{
  size_t length = strlen(name), tail = strlen(ending);
  if (length < tail || strcmp(name + length - tail, ending) != 0)
    return false;
  *prefix = length - tail;
  return *prefix == 0 || is_separator(name[*prefix - 1]);
}

/* Looking for the tensors of one family. What "/NAME" finds is the same for every layer, and is found once. */
typedef struct {
  const dump_file *file;
  const claim *family;
  struct {
    const char *ending; /* a name of the family, by address */
    const dump_tensor *found;
  } *anywhere;
  size_t count;
} search;

/* The one tensor of the file whose name ends so; NULL when there is none or more than one. */
static const dump_tensor *find_anywhere(search *s, const char *ending)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->anywhere[i].ending == ending)
      return s->anywhere[i].found;
  const dump_tensor *found = NULL;
  size_t times = 0;
  for (size_t i = 0; i < dump_count(s->file); i++) {
    const dump_tensor *x = dump_get(s->file, i);
    size_t prefix;
    if (x->kind == DUMP_OPTIMIZER || !ends_in(&prefix, x->name, ending))
      continue;
    found = x;
    times++;
  }
  s->anywhere = memory_resize(s->anywhere, s->count + 1, sizeof *s->anywhere);
  s->anywhere[s->count].ending = ending;
  s->anywhere[s->count].found = times == 1 ? found : NULL;
  return s->anywhere[s->count++].found;
}

/* Appends the last component of the prefix that is a number: that of the layer, in most files. */
static void add_number(text *out, const char *anchor, size_t prefix)
{
  while (prefix > 0) {
    size_t end = --prefix; /* the separator */
    while (prefix > 0 && !is_separator(anchor[prefix - 1]))
      prefix--;
    size_t digits = prefix;
    while (digits < end && is_digit(anchor[digits]))
      digits++;
    if (digits == end && end > prefix) {
      text_add_bytes(out, anchor + prefix, end - prefix);
      return;
    }
  }
}

/* The tensor called `name` by a layer whose names begin with the first `prefix` bytes of `anchor`. */
static const dump_tensor *find_named(search *s, const char *anchor, size_t prefix, const char *name)
{
  if (name[0] == '/')
    return find_anywhere(s, name + 1);
  size_t whole = prefix;
  while (!strncmp(name, "../", 3)) {
    if (prefix == 0)
      return NULL;
    prefix--;
    while (prefix > 0 && !is_separator(anchor[prefix - 1]))
      prefix--;
    name += 3;
  }
  text full;
  text_init(&full);
  text_add_bytes(&full, anchor, prefix);
  size_t plain = strcspn(name, "*");
  text_add_bytes(&full, name, plain);
  if (name[plain]) {
    add_number(&full, anchor, whole);
    text_add(&full, name + plain + 1);
  }
  const dump_tensor *found = dump_find(s->file, text_string(&full));
  text_clear(&full);
  return found && found->kind != DUMP_OPTIMIZER ? found : NULL;
}

const dump_tensor *model_find_misfit(const model_layer *layer, const dump_file *file, unsigned given)
{
  const claim_given *g = &layer->family->given[given];
  search s = {.file = file, .family = layer->family};
  const dump_tensor *found = NULL;
  /* The layer's name, with whichever separator the file has behind it. */
  for (const char *separator = layer->name[0] ? "./" : ""; !found && !layer->tensor[given]; separator++) {
    text anchor;
    text_init(&anchor);
    text_add(&anchor, layer->name);
    text_add_bytes(&anchor, separator, *separator != 0);
    for (unsigned k = 0; k < g->stored && !found; k++)
      found = find_named(&s, text_string(&anchor), anchor.length, g->stored_as[k]);
    text_clear(&anchor);
    if (separator[0] == 0 || separator[1] == 0)
      break;
  }
  free(s.anywhere);
  return found;
}

static char *layer_name(const char *anchor, size_t prefix)
{
  if (prefix > 0)
    prefix--; /* the separator */
  text out;
  text_init(&out);
  text_add_bytes(&out, anchor, prefix);
  text_add(&out, "");
  return text_take(&out);
}

/* ---- one family at one anchor ---- */

static void layer_clear(model_layer *layer)
{
  free(layer->name);
  free(layer->sizes);
  free(layer->tensor);
}

/* Why it is no layer of the family goes to `reason`. */
static bool fit(model_layer *layer, text *reason, search *s, const bool *needed, const dump_tensor *anchor, size_t prefix)
{
  const claim *family = s->family;
  *layer = (model_layer){.family = family, .name = layer_name(anchor->name, prefix)};
  layer->sizes = memory_new(family->sizes, sizeof *layer->sizes);
  layer->tensor = memory_new(family->givens, sizeof *layer->tensor);
  bool first = true, good = true;
  for (unsigned i = 0; i < family->givens; i++) {
    const claim_given *g = &family->given[i];
    if (!g->stored)
      continue;
    for (unsigned k = 0; k < g->stored && !layer->tensor[i]; k++)
      layer->tensor[i] = first ? anchor : find_named(s, anchor->name, prefix, g->stored_as[k]);
    first = false;
    if (layer->tensor[i]) {
      layer->bound++;
    } else if (needed[i] && !g->otherwise) {
      text_addf(reason, "%s%s has no \"%s\" there", good ? "" : ", ", good ? family->name : "and", g->stored_as[0]);
      good = false;
    }
  }
  good = good && model_fit_sizes(layer, reason, needed);
  if (!good)
    layer_clear(layer);
  return good;
}

/* ---- all families at all anchors ---- */

typedef struct {
  const dump_tensor *anchor;
  bool found;
  model_layer layer; /* the best fit */
  size_t nearest;    /* tensors found by the family that came nearest, plus 1; 0: none tried */
  char *reason;      /* of that one; owned */
} place;

typedef struct {
  place *place;
  size_t count, capacity;
  size_t *number; /* of each tensor of the file: its place plus 1, 0: none */
} place_list;

/* Of the tensor number i of the file. */
static place *place_of(place_list *l, const dump_file *file, size_t i)
{
  if (l->number[i] > 0)
    return &l->place[l->number[i] - 1];
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 64;
    l->place = memory_resize(l->place, l->capacity, sizeof *l->place);
  }
  l->place[l->count] = (place){.anchor = dump_get(file, i)};
  l->number[i] = ++l->count;
  return &l->place[l->count - 1];
}

static const claim_given *anchor_of(const claim *family)
{
  for (unsigned i = 0; i < family->givens; i++)
    if (family->given[i].stored)
      return &family->given[i];
  return NULL;
}

static size_t count_found(search *s, const char *anchor, size_t prefix)
{
  size_t found = 0;
  for (unsigned i = 0; i < s->family->givens; i++) {
    const claim_given *g = &s->family->given[i];
    bool seen = false;
    for (unsigned k = 0; k < g->stored && !seen; k++)
      seen = find_named(s, anchor, prefix, g->stored_as[k]) != NULL;
    found += seen;
  }
  return found;
}

static void try_anchor(place *p, search *s, const bool *needed, size_t prefix)
{
  model_layer layer;
  text reason;
  text_init(&reason);
  if (fit(&layer, &reason, s, needed, p->anchor, prefix)) {
    if (!p->found || layer.bound > p->layer.bound) {
      if (p->found)
        layer_clear(&p->layer);
      p->layer = layer;
      p->found = true;
    } else {
      layer_clear(&layer);
    }
  } else if (!p->found) {
    size_t found = count_found(s, p->anchor->name, prefix) + 1;
    if (found > p->nearest) {
      p->nearest = found;
      free(p->reason);
      p->reason = memory_copy_string(text_string(&reason));
    }
  }
  text_clear(&reason);
}

static void try_family(place_list *l, const claim *family, const dump_file *file)
{
  const claim_given *anchor = anchor_of(family);
  if (!anchor)
    return;
  search s = {.file = file, .family = family};
  bool *needed = memory_new(family->givens, sizeof *needed);
  model_needed(needed, family);
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *x = dump_get(file, i);
    if (x->kind == DUMP_OPTIMIZER)
      continue;
    for (unsigned k = 0; k < anchor->stored; k++) {
      size_t prefix;
      if (ends_in(&prefix, x->name, anchor->stored_as[k])) {
        try_anchor(place_of(l, file, i), &s, needed, prefix);
        break;
      }
    }
  }
  free(needed);
  free(s.anywhere);
}

/* ---- what is left over ---- */

static void add_stray(model *m, const char *anchor, const char *reason)
{
  m->strays = memory_resize(m->strays, m->stray_count + 1, sizeof *m->strays);
  text line;
  text_init(&line);
  char *name = dump_quote(anchor);
  text_addf(&line, "%s: %s", name, reason);
  free(name);
  m->strays[m->stray_count++] = text_take(&line);
}

/* Whether any tensor bears one of the names of a given, behind whatever prefix. */
static bool seen_anywhere(const dump_file *file, const claim_given *g)
{
  for (unsigned k = 0; k < g->stored; k++) {
    const char *name = g->stored_as[k] + (g->stored_as[k][0] == '/');
    size_t prefix;
    while (!strncmp(name, "../", 3))
      name += 3;
    for (size_t i = 0; i < dump_count(file); i++)
      if (dump_get(file, i)->kind != DUMP_OPTIMIZER && ends_in(&prefix, dump_get(file, i)->name, name))
        return true;
  }
  return false;
}

/* The family that most names of the file remind of, and what it lacks. */
static void add_nearest(text *out, const dump_file *file, const claim *const *families, size_t count)
{
  enum { MOST = 4 };
  const claim *best = NULL;
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    size_t seen = 0;
    for (unsigned k = 0; k < families[i]->givens; k++)
      seen += families[i]->given[k].stored && seen_anywhere(file, &families[i]->given[k]);
    if (seen > most) {
      most = seen;
      best = families[i];
    }
  }
  if (!best)
    return;
  text_addf(out, "; the nearest family is %s, which has no", best->name);
  unsigned lacking = 0;
  for (unsigned k = 0; k < best->givens; k++) {
    const claim_given *g = &best->given[k];
    if (g->stored && !seen_anywhere(file, g) && ++lacking <= MOST)
      text_addf(out, "%s \"%s\"", lacking > 1 ? "," : "", g->stored_as[0]);
  }
  text_add(out, lacking > MOST ? ", ... there" : lacking ? " there" : " anchor there");
}

/* Some names of the file and what was wrong with each anchor, in one message. */
static void report_nothing(const model *m, const claim *const *families, size_t families_count, dump_error *error)
{
  enum { NAMES = 24, STRAYS = 8 };
  text out;
  text_init(&out);
  for (size_t i = 0; i < m->stray_count && i < STRAYS; i++)
    text_addf(&out, "; %s", m->strays[i]);
  if (m->stray_count == 0)
    add_nearest(&out, m->file, families, families_count);
  size_t count = dump_count(m->file);
  text_addf(&out, "; it holds %zu tensor%s", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count && i < NAMES; i++) {
    char *name = dump_quote(dump_get(m->file, i)->name);
    text_addf(&out, "%s%s", i == 0 ? ": " : ", ", name);
    free(name);
  }
  if (count > NAMES)
    text_addf(&out, " and %zu more", count - NAMES);
  dump_error_set(error, dump_name(m->file),
                 "no layer of a known family found%s; assay-family(5) says how to describe another", text_string(&out));
  text_clear(&out);
}

static int compare_layers(const void *a, const void *b)
{
  const model_layer *x = a, *y = b;
  int order = model_compare_names(x->name, y->name);
  return order ? order : model_compare_names(x->family->name, y->family->name);
}

/* Numbers the layers of a family from 1. */
static void number_layers(model *m, const claim *family)
{
  int size = model_size_role(family, "layer");
  int64_t number = 0;
  for (size_t i = 0; size >= 0 && i < m->count; i++)
    if (m->layers[i].family == family)
      m->layers[i].sizes[size] = ++number;
}

/* A layer whose number is beyond what its family allows is none. */
static void drop_beyond(model *m)
{
  size_t kept = 0;
  for (size_t i = 0; i < m->count; i++) {
    model_layer *layer = &m->layers[i];
    text reason;
    text_init(&reason);
    if (model_sizes_hold(layer, &reason)) {
      m->layers[kept++] = *layer;
    } else {
      add_stray(m, layer->name, text_string(&reason));
      layer_clear(layer);
    }
    text_clear(&reason);
  }
  m->count = kept;
}

assay_status model_recognise(model *m, const claim *const *families, size_t count, const dump_file *file,
                             dump_error *error)
{
  *m = (model){.file = file};
  place_list l = {.number = memory_new(dump_count(file), sizeof *l.number)};
  for (size_t i = 0; i < count; i++)
    try_family(&l, families[i], file);
  m->layers = memory_new(l.count, sizeof *m->layers);
  for (size_t i = 0; i < l.count; i++) {
    place *p = &l.place[i];
    if (p->found)
      m->layers[m->count++] = p->layer;
    else
      add_stray(m, p->anchor->name, p->reason);
    free(p->reason);
  }
  free(l.place);
  free(l.number);
  qsort(m->layers, m->count, sizeof *m->layers, compare_layers);
  for (size_t i = 0; i < count; i++)
    number_layers(m, families[i]);
  drop_beyond(m);
  if (m->count > 0)
    return STATUS_OK;
  report_nothing(m, families, count, error);
  model_clear(m);
  return STATUS_BAD_INPUT;
}

void model_clear(model *m)
{
  for (size_t i = 0; i < m->count; i++)
    layer_clear(&m->layers[i]);
  for (size_t i = 0; i < m->stray_count; i++)
    free(m->strays[i]);
  free(m->layers);
  free(m->strays);
  *m = (model){0};
}
