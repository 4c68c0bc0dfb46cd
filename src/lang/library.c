/* Files of claims: reading them, and those that they derive from. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "lang/flat.h"

/* One file. */
typedef struct {
  const diag_source *source;
  diag_source *owned; /* the same, if the library read it itself */
  syntax_file file;
  syntax_claim **claim;
  flat_claim **flat; /* once a claim was flattened */
  enum { CLAIM_FRESH, CLAIM_OPEN, CLAIM_FLAT, CLAIM_BAD } *state;
  names *by_name;
  bool good;
} unit;

struct library {
  syntax_store store;
  unit **unit;
  unsigned units, unit_capacity;
  names *by_path; /* units */
  const claim **claim; /* what unit 0 holds, resolved, in order */
  const claim **kind[2]; /* its claims, its families */
  unsigned count[2];
  names *by_name;
};

static void unit_forget_flat(unit *u)
{
  for (unsigned i = 0; u->flat && i < u->file.claims; i++)
    flat_destroy(u->flat[i]);
  free(u->flat);
  u->flat = NULL;
}

void library_destroy(library *l)
{
  if (!l)
    return;
  for (unsigned i = 0; i < l->units; i++) {
    unit *u = l->unit[i];
    unit_forget_flat(u);
    free(u->claim);
    free(u->state);
    names_destroy(u->by_name);
    diag_source_destroy(u->owned);
    free(u);
  }
  free(l->unit);
  names_destroy(l->by_path);
  names_destroy(l->by_name);
  free(l->claim);
  free(l->kind[0]);
  free(l->kind[1]);
  syntax_store_clear(&l->store);
  free(l);
}

static void index_claims(library *l, unit *u)
{
  u->claim = memory_new(u->file.claims, sizeof *u->claim);
  u->flat = memory_new(u->file.claims, sizeof *u->flat);
  u->state = memory_new(u->file.claims, sizeof *u->state);
  unsigned i = 0, number;
  for (syntax_claim *c = u->file.first; c; c = c->next, i++) {
    u->claim[i] = c;
    if (names_find_string(u->by_name, &number, c->name)) {
      diag_error(l->store.d, c->place, "a second claim '%s' in this file", c->name);
      diag_note(l->store.d, u->claim[number]->place, "the first is here");
      u->good = false;
      if (diag_errors(l->store.d) >= SYNTAX_ERRORS)
        return;
    } else {
      names_put_string(u->by_name, c->name, i);
    }
  }
}

/* Parses a source, which the library takes over if `owned`. */
static unit *add_unit(library *l, const diag_source *source, diag_source *owned)
{
  if (l->units == l->unit_capacity) {
    l->unit_capacity = l->unit_capacity ? 2 * l->unit_capacity : 4;
    l->unit = memory_resize(l->unit, l->unit_capacity, sizeof *l->unit);
  }
  unit *u = l->unit[l->units] = memory_new(1, sizeof(unit));
  u->source = source;
  u->owned = owned;
  u->by_name = names_create();
  names_put_string(l->by_path, source->name, l->units++);
  u->good = syntax_parse(&l->store, &u->file, source);
  if (u->good)
    index_claims(l, u);
  return u;
}

void syntax_relative_path(text *path, const char *from, const char *file)
{
  const char *slash = strrchr(from, '/');
  if (file[0] != '/' && slash)
    text_add_bytes(path, from, (size_t)(slash - from) + 1);
  else if (strcmp(file, "-") == 0)
    text_add(path, "./");
  text_add(path, file);
}

/* The file that `c` names in its `from`; NULL with errors. */
static unit *parent_unit(library *l, unit *u, const syntax_claim *c)
{
  if (!c->parent_file)
    return u;
  text path;
  text_init(&path);
  syntax_relative_path(&path, u->source->name, c->parent_file);
  unit *p = NULL;
  unsigned number;
  if (names_find_string(l->by_path, &number, text_string(&path))) {
    p = l->unit[number];
  } else {
    diag *quiet = diag_create(NULL, 1);
    diag_source *source = diag_source_read(quiet, text_string(&path), LIMIT_SOURCE_BYTES);
    if (source) {
      p = add_unit(l, source, source);
      if (!p->good)
        diag_note(l->store.d, c->parent_place, "read because of this");
    } else {
      const char *why = diag_text(quiet) + strlen("assay: error: ");
      diag_error(l->store.d, c->parent_place, "%.*s", (int)strcspn(why, "\n"), why);
    }
    diag_destroy(quiet);
  }
  text_clear(&path);
  return p && p->good ? p : NULL;
}

static bool parent_number(library *l, unsigned *number, const unit *p, const syntax_claim *c)
{
  if (names_find_string(p->by_name, number, c->parent))
    return true;
  names_nearest near = names_nearest_start(c->parent);
  names_nearest_offer_all(&near, p->by_name);
  const char *where = c->parent_file ? c->parent_file : "this file";
  if (near.best)
    diag_error(l->store.d, c->parent_place, "no claim '%s' in %s; did you mean '%s'?", c->parent, where,
               near.best);
  else
    diag_error(l->store.d, c->parent_place, "no claim '%s' in %s", c->parent, where);
  return false;
}

/* Claim i of a file with all that it inherits; NULL with errors, reported once. */
static flat_claim *flatten(library *l, unit *u, unsigned i, unsigned depth)
{
  const syntax_claim *c = u->claim[i];
  if (u->state[i] == CLAIM_FLAT || u->state[i] == CLAIM_BAD)
    return u->flat[i];
  const flat_claim *parent = NULL;
  bool good = true;
  if (c->parent && depth < LIMIT_INHERITANCE) {
    u->state[i] = CLAIM_OPEN;
    unit *p = parent_unit(l, u, c);
    unsigned number;
    if (!p || !parent_number(l, &number, p, c)) {
      good = false;
    } else if (p->claim[number]->family != c->family) {
      diag_error(l->store.d, c->parent_place, "'%s' is a %s, from which no %s can be derived", c->parent,
                 c->family ? "claim" : "family", c->family ? "family" : "claim");
      good = false;
    } else if (p->state[number] == CLAIM_OPEN) {
      diag_error(l->store.d, c->parent_place, "claim '%s' is derived from itself", c->parent);
      good = false;
    } else {
      parent = flatten(l, p, number, depth + 1);
      good = parent != NULL;
    }
  }
  if (depth >= LIMIT_INHERITANCE || (parent && parent->ancestors >= LIMIT_INHERITANCE)) {
    diag_error(l->store.d, c->place, "a claim is derived from another more than %d times over",
               LIMIT_INHERITANCE);
    good = false;
  }
  u->flat[i] = good ? flat_create(&l->store, c, parent) : NULL;
  u->state[i] = u->flat[i] ? CLAIM_FLAT : CLAIM_BAD;
  return u->flat[i];
}

/* Claim i of the file itself, resolved, and before it the one that it derives from if that is in the file
 * too: errors in what both share are said once. */
static const claim *resolve(library *l, unsigned i)
{
  unit *u = l->unit[0];
  flat_claim *f = flatten(l, u, i, 0);
  if (l->claim[i] || u->state[i] == CLAIM_BAD)
    return l->claim[i];
  const syntax_claim *c = u->claim[i];
  unsigned parent;
  bool good = !c->parent || c->parent_file || !names_find_string(u->by_name, &parent, c->parent) ||
              resolve(l, parent);
  l->claim[i] = good ? resolve_claim(&l->store, f) : NULL;
  if (!l->claim[i])
    u->state[i] = CLAIM_BAD;
  return l->claim[i];
}

library *library_read_source(diag *d, const diag_source *source, unsigned max_depth)
{
  unsigned before = diag_errors(d);
  library *l = memory_new(1, sizeof(library));
  syntax_store_init(&l->store, d, max_depth);
  l->by_path = names_create();
  l->by_name = names_create();
  unit *u = add_unit(l, source, NULL);
  unsigned all = u->good ? u->file.claims : 0;
  l->claim = memory_new(all, sizeof *l->claim);
  l->kind[0] = memory_new(all, sizeof *l->claim);
  l->kind[1] = memory_new(all, sizeof *l->claim);
  for (unsigned i = 0; i < all && diag_errors(d) < before + SYNTAX_ERRORS; i++) {
    const claim *c = resolve(l, i);
    if (!c)
      continue;
    names_put_string(l->by_name, c->name, i);
    l->kind[c->family][l->count[c->family]++] = c;
  }
  for (unsigned i = 0; i < l->units; i++)
    unit_forget_flat(l->unit[i]);
  if (diag_errors(d) > before) {
    library_destroy(l);
    return NULL;
  }
  l->store.d = NULL;
  return l;
}

library *library_read(diag *d, const char *path, unsigned max_depth)
{
  diag_source *source = diag_source_read(d, path, LIMIT_SOURCE_BYTES);
  if (!source)
    return NULL;
  library *l = library_read_source(d, source, max_depth);
  if (l)
    l->unit[0]->owned = source;
  else
    diag_source_destroy(source);
  return l;
}

unsigned library_claims(const library *l)
{
  return l->count[0];
}

const claim *library_claim(const library *l, unsigned i)
{
  return l->kind[0][i];
}

unsigned library_families(const library *l)
{
  return l->count[1];
}

const claim *library_family(const library *l, unsigned i)
{
  return l->kind[1][i];
}

const claim *library_find(const library *l, const char *name)
{
  unsigned number;
  bool found = names_find_string(l->by_name, &number, name) && !l->claim[number]->family;
  return found ? l->claim[number] : NULL;
}
