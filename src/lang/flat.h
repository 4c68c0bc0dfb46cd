/* A claim with all that it inherits put in its place, names not yet looked up. */
#ifndef ASSAY_LANG_FLAT_H
#define ASSAY_LANG_FLAT_H

#include "lang/syntax.h"

/* What one name or one label stands for. Names: DECLARE_SIZE, DECLARE_GIVEN, DECLARE_RANDOM or DECLARE_LET. Labels:
 * DECLARE_ASSUME, DECLARE_SHOW, DECLARE_POSSIBLE or DECLARE_TRIVIAL. */
typedef struct {
  declare_kind kind;
  const char *name;
  diag_place place;
  syntax_list lines;           /* of declaration *, one or more */
  const declaration *try_line; /* of a size; NULL */
  bool own, own_try;           /* declared by this claim, not inherited */
  bool dropped;
  unsigned symbol; /* number among its kind, given out by resolution */
} flat_entry;

typedef struct {
  const syntax_claim *syntax;
  const char *title, *cite; /* NULL: none */
  flat_entry *entry;
  unsigned entries, capacity;
  names *symbols, *labels; /* to numbers of entries */
  unsigned ancestors;
} flat_claim;

/* Puts the declarations of `c` over those of `parent` (NULL: none). What the rules are: a repeated size, try,
 * given, random or let replaces the inherited one with all its lines, in its place (these three may become one
 * another); new ones go behind; labels are changed by drop and replace only. Errors go to the store's
 * diag and make it return NULL. */
flat_claim *flat_create(syntax_store *s, const syntax_claim *c, const flat_claim *parent);
void flat_destroy(flat_claim *f);

/* Names, types and shapes: the finished claim, in the store's region; NULL with errors in its diag. */
claim *resolve_claim(syntax_store *s, flat_claim *f);

/* Is a declaration kind that of a label? */
bool flat_is_label(declare_kind kind);
/* "size", "given", "let", "assume", ... */
const char *flat_kind_name(declare_kind kind);

#endif
