/* Inheritance: the declarations of a claim put over those of the claim that it is derived from. */
#include "lang/flat.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  syntax_store *store;
  flat_claim *f;
  bool title_seen, source_seen;
  size_t told; /* where a table of a name that is taken was last complained of, from 1: it has a declaration for each number */
} flattening;

bool flat_is_label(declare_kind kind)
{
  return kind == DECLARE_ASSUME || kind == DECLARE_SHOW || kind == DECLARE_POSSIBLE ||
         kind == DECLARE_TRIVIAL;
}

const char *flat_kind_name(declare_kind kind)
{
  static const char *const word[] = {"size",     "try",     "given", "random family", "let", "assume", "show",
                                     "possible", "trivial", "drop",  "replace", "title",  "source"};
  return word[kind];
}

void flat_destroy(flat_claim *f)
{
  if (!f)
    return;
  names_destroy(f->symbols);
  names_destroy(f->labels);
  free(f->entry);
  free(f);
}

static flat_entry *add_entry(flattening *w, const declaration *d)
{
  flat_claim *f = w->f;
  if (f->entries == f->capacity) {
    f->capacity = f->capacity ? 2 * f->capacity : 16;
    f->entry = memory_resize(f->entry, f->capacity, sizeof(flat_entry));
  }
  names_put_string(flat_is_label(d->kind) ? f->labels : f->symbols, d->name, f->entries);
  flat_entry *e = &f->entry[f->entries++];
  *e = (flat_entry){.kind = d->kind, .name = d->name, .place = d->place, .own = true};
  return e;
}

static void add_line(flattening *w, flat_entry *e, const declaration *d)
{
  syntax_list_add(w->store->region, &e->lines, (void *)d);
}

static flat_entry *find(const names *t, const flat_claim *f, const char *name)
{
  unsigned number;
  return names_find_string(t, &number, name) ? &f->entry[number] : NULL;
}

static const char *nearest(const names *t, const char *name)
{
  names_nearest near = names_nearest_start(name);
  names_nearest_offer_all(&near, t);
  return near.best;
}

static void put_symbol(flattening *w, const declaration *d)
{
  flat_entry *e = find(w->f->symbols, w->f, d->name);
  if (!e) {
    add_line(w, add_entry(w, d), d);
    return;
  }
  bool size_involved = e->kind == DECLARE_SIZE || d->kind == DECLARE_SIZE;
  if (e->own && (e->kind != d->kind || d->kind == DECLARE_SIZE)) {
    if (e->kind == d->kind)
      diag_error(w->store->d, d->place, "size '%s' is declared twice", d->name);
    else
      diag_error(w->store->d, d->place, "'%s' is declared twice, as a %s and as a %s", d->name,
                 flat_kind_name(e->kind), flat_kind_name(d->kind));
    diag_note(w->store->d, e->place, "first declared here");
    return;
  }
  if (!e->own && e->kind != d->kind && size_involved) {
    diag_error(w->store->d, d->place, "'%s' is inherited as a %s and cannot become a %s", d->name,
               flat_kind_name(e->kind), flat_kind_name(d->kind));
    diag_note(w->store->d, e->place, "inherited from here");
    return;
  }
  if (!e->own) {
    e->kind = d->kind;
    e->place = d->place;
    e->own = true;
    e->lines = (syntax_list){0};
  }
  if (e->own && e->lines.count) {
    const declaration *first = e->lines.item[0];
    if (first->table != d->table || (d->table && first->place.offset != d->place.offset)) {
      if (w->told == d->place.offset + 1)
        return;
      w->told = d->place.offset + 1;
      diag_error(w->store->d, d->place, "'%s' is declared twice, and one of the two is a table", d->name);
      diag_note(w->store->d, e->place, "first declared here");
      return;
    }
  }
  add_line(w, e, d);
}

static void put_try(flattening *w, const declaration *d)
{
  flat_entry *e = find(w->f->symbols, w->f, d->name);
  if (!e || e->kind != DECLARE_SIZE) {
    const char *near = e ? NULL : nearest(w->f->symbols, d->name);
    if (e)
      diag_error(w->store->d, d->place, "'%s' is a %s; only a size can be tried", d->name,
                 flat_kind_name(e->kind));
    else if (near)
      diag_error(w->store->d, d->place, "unknown size '%s'; did you mean '%s'?", d->name, near);
    else
      diag_error(w->store->d, d->place, "unknown size '%s'", d->name);
    return;
  }
  if (e->try_line && e->own_try) {
    diag_error(w->store->d, d->place, "what to try for '%s' is said twice", d->name);
    diag_note(w->store->d, e->try_line->place, "first said here");
    return;
  }
  e->own_try = true;
  e->try_line = d;
}

static void put_label(flattening *w, const declaration *d)
{
  flat_entry *e = find(w->f->labels, w->f, d->name);
  if (!e) {
    add_line(w, add_entry(w, d), d);
    return;
  }
  if (e->own) {
    diag_error(w->store->d, d->place, "label '%s' is used twice", d->name);
    diag_note(w->store->d, e->place, "first used here");
  } else {
    diag_error(w->store->d, d->place, "label '%s' is inherited; to change it write: replace %s: ...", d->name,
               d->name);
    diag_note(w->store->d, e->place, "inherited from here");
  }
}

static void change_label(flattening *w, const declaration *d)
{
  const char *what = flat_kind_name(d->kind);
  flat_entry *e = find(w->f->labels, w->f, d->name);
  if (!w->f->syntax->parent) {
    diag_error(w->store->d, d->place,
               "unknown label '%s': nothing to %s in a claim that is not derived from another", d->name,
               what);
    return;
  }
  if (!e) {
    const char *near = nearest(w->f->labels, d->name);
    if (near)
      diag_error(w->store->d, d->place, "unknown label '%s'; did you mean '%s'?", d->name, near);
    else
      diag_error(w->store->d, d->place, "unknown label '%s'", d->name);
    return;
  }
  if (e->own) {
    diag_error(w->store->d, d->place, "label '%s' is this claim's own; %s is for inherited ones", d->name,
               what);
    diag_note(w->store->d, e->place, "written here");
    return;
  }
  if (d->kind == DECLARE_DROP) {
    e->dropped = true;
    names_remove(w->f->labels, e->name);
    return;
  }
  e->own = true;
  e->place = d->place;
  e->lines = (syntax_list){0};
  add_line(w, e, d);
}

static void put_text(flattening *w, const declaration *d)
{
  bool title = d->kind == DECLARE_TITLE;
  bool *seen = title ? &w->title_seen : &w->source_seen;
  if (*seen)
    diag_error(w->store->d, d->place, "a second %s in one claim", title ? "title" : "source");
  *seen = true;
  *(title ? &w->f->title : &w->f->cite) = d->name;
}

static void put(flattening *w, const declaration *d)
{
  switch (d->kind) {
  case DECLARE_SIZE:
  case DECLARE_GIVEN:
  case DECLARE_RANDOM:
  case DECLARE_LET:
    put_symbol(w, d);
    break;
  case DECLARE_TRY:
    put_try(w, d);
    break;
  case DECLARE_DROP:
  case DECLARE_REPLACE:
    change_label(w, d);
    break;
  case DECLARE_TITLE:
  case DECLARE_SOURCE:
    put_text(w, d);
    break;
  default:
    put_label(w, d);
  }
}

flat_claim *flat_create(syntax_store *s, const syntax_claim *c, const flat_claim *parent)
{
  flattening w = {.store = s, .f = memory_new(1, sizeof(flat_claim))};
  flat_claim *f = w.f;
  f->syntax = c;
  f->symbols = names_create();
  f->labels = names_create();
  unsigned before = diag_errors(s->d);
  if (parent) {
    f->ancestors = parent->ancestors + 1;
    f->title = parent->title;
    f->cite = parent->cite;
    f->entry = memory_new(parent->entries, sizeof(flat_entry));
    f->capacity = parent->entries;
    for (unsigned i = 0; i < parent->entries; i++) {
      if (parent->entry[i].dropped)
        continue;
      flat_entry *e = &f->entry[f->entries];
      *e = parent->entry[i];
      e->own = e->own_try = false;
      names_put_string(flat_is_label(e->kind) ? f->labels : f->symbols, e->name, f->entries++);
    }
    if (s->nodes <= SYNTAX_NODES - parent->entries)
      s->nodes += parent->entries;
    else
      diag_error(s->d, c->place, "too much is inherited in this file: more than %d parts in all",
                 SYNTAX_NODES);
  }
  for (const declaration *d = c->first; d && diag_errors(s->d) < before + SYNTAX_ERRORS; d = d->next)
    put(&w, d);
  if (diag_errors(s->d) > before) {
    flat_destroy(f);
    return NULL;
  }
  return f;
}
