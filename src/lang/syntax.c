/* Building what the parser reads: memory, limits, lists. */
#include "lang/syntax.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "lang/comment.h"

void syntax_store_init(syntax_store *s, diag *d, unsigned max_depth)
{
  *s = (syntax_store){.d = d, .memory = tree_memory_create(), .words = names_create()};
  s->region = tree_memory_region(s->memory);
  s->max_depth = max_depth == 0 || max_depth > LIMIT_NESTING ? LIMIT_NESTING : max_depth;
}

void syntax_store_clear(syntax_store *s)
{
  table_store_clear(s);
  free(s->word);
  names_destroy(s->words);
  tree_memory_destroy(s->memory);
}

const char *syntax_word(syntax_store *s, const char *bytes, size_t length)
{
  unsigned number;
  if (names_find(s->words, &number, bytes, length))
    return s->word[number];
  if (s->word_count == s->word_capacity) {
    s->word_capacity = s->word_capacity ? 2 * s->word_capacity : 64;
    s->word = memory_resize(s->word, s->word_capacity, sizeof *s->word);
  }
  const char *copy = memory_region_copy(s->region, bytes, length);
  s->word[s->word_count] = copy;
  names_put(s->words, copy, length, s->word_count++);
  return copy;
}

fmpq *syntax_number(syntax_store *s)
{
  return tree_memory_number(s->memory);
}

void syntax_error(syntax_reader *r, diag_place place, const char *format, ...)
{
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(r->store->d, place, "%s", message);
  if (diag_errors(r->store->d) >= SYNTAX_ERRORS)
    r->stop = true;
}

static void too_deep(syntax_reader *r, diag_place place)
{
  if (!r->stop)
    syntax_error(r, place, "nested too deeply (the limit is %u)", r->store->max_depth);
  r->stop = true;
}

/* The first place where a limit is passed is reported, and reading ends. */
static node *check_depth(syntax_reader *r, node *n)
{
  unsigned depth = 0;
  for (unsigned i = 0; i < n->children; i++)
    depth = n->child[i]->depth > depth ? n->child[i]->depth : depth;
  for (unsigned i = 0; i < n->ranges; i++) {
    depth = n->range[i].low->depth > depth ? n->range[i].low->depth : depth;
    depth = n->range[i].high->depth > depth ? n->range[i].high->depth : depth;
  }
  n->depth = depth + 1;
  if (n->depth > r->store->max_depth)
    too_deep(r, n->place);
  return n;
}

node *syntax_node(syntax_reader *r, node_kind kind, diag_place place, unsigned children)
{
  if (++r->store->nodes > SYNTAX_NODES && !r->stop) {
    syntax_error(r, place, "too long: more than %d parts of expressions in all", SYNTAX_NODES);
    r->stop = true;
  }
  node *n = memory_region_new(r->store->region, 1, sizeof(node));
  n->kind = kind;
  n->place = place;
  n->depth = 1;
  n->children = children;
  if (children)
    n->child = memory_region_new(r->store->region, children, sizeof(node *));
  return n;
}

node *syntax_unary(syntax_reader *r, node_kind kind, diag_place place, node *a)
{
  node *n = syntax_node(r, kind, place, 1);
  n->child[0] = a;
  return check_depth(r, n);
}

node *syntax_binary(syntax_reader *r, node_kind kind, diag_place place, node *a, node *b)
{
  node *n = syntax_node(r, kind, place, 2);
  n->child[0] = a;
  n->child[1] = b;
  return check_depth(r, n);
}

node *syntax_with_list(syntax_reader *r, node_kind kind, diag_place place, const syntax_list *children)
{
  node *n = syntax_node(r, kind, place, children ? children->count : 0);
  for (unsigned i = 0; i < n->children; i++)
    n->child[i] = children->item[i];
  return check_depth(r, n);
}

node *syntax_fold(syntax_reader *r, fold_kind fold, diag_place place, const syntax_list *ranges, node *body)
{
  node *n = syntax_node(r, NODE_FOLD, place, 1);
  n->fold = fold;
  n->child[0] = body;
  n->ranges = ranges->count;
  n->range = memory_region_new(r->store->region, ranges->count, sizeof(node_range));
  for (unsigned i = 0; i < ranges->count; i++)
    n->range[i] = *(claim_position *)ranges->item[i];
  return check_depth(r, n);
}

/* The range names the variable. */
node *syntax_integral(syntax_reader *r, diag_place place, const claim_position *range, node *body)
{
  node *n = syntax_node(r, NODE_INTEGRAL, place, 3);
  n->name = range->name;
  n->child[0] = range->low;
  n->child[1] = range->high;
  n->child[2] = body;
  return check_depth(r, n);
}

syntax_list *syntax_list_new(syntax_reader *r)
{
  return memory_region_new(r->store->region, 1, sizeof(syntax_list));
}

void syntax_list_add(memory_region *region, syntax_list *l, void *item)
{
  if (l->count == l->capacity) {
    unsigned capacity = l->capacity ? 2 * l->capacity : 4;
    void **grown = memory_region_new(region, capacity, sizeof(void *));
    if (l->count)
      memcpy(grown, l->item, l->count * sizeof(void *));
    l->item = grown;
    l->capacity = capacity;
  }
  l->item[l->count++] = item;
}

claim_position *syntax_position(syntax_reader *r, diag_place place, const char *name, node *low, node *high)
{
  claim_position *p = memory_region_new(r->store->region, 1, sizeof(claim_position));
  p->name = name;
  p->place = place;
  p->low = low;
  p->high = high;
  return p;
}

declaration *syntax_declare(syntax_reader *r, declare_kind kind, diag_place place, const char *name)
{
  declaration *d = memory_region_new(r->store->region, 1, sizeof(declaration));
  d->kind = kind;
  d->place = place;
  d->name = name;
  return d;
}

void syntax_set_positions(syntax_reader *r, declaration *d, const syntax_list *positions)
{
  d->positions = positions ? positions->count : 0;
  if (d->positions > LIMIT_BINDERS) {
    syntax_error(r, d->place, "more than %d indices", LIMIT_BINDERS);
    d->positions = LIMIT_BINDERS;
  }
  d->position = memory_region_new(r->store->region, d->positions, sizeof(claim_position));
  for (unsigned i = 0; i < d->positions; i++)
    d->position[i] = *(claim_position *)positions->item[i];
}

void syntax_add_claim(syntax_reader *r, diag_place place, const char *name, bool family)
{
  syntax_claim *c = memory_region_new(r->store->region, 1, sizeof(syntax_claim));
  c->name = name;
  c->place = place;
  c->family = family;
  if (!r->file->last || r->file->last->place.line != place.line) /* else it would be that of many */
    c->comment = comment_above(r->store->region, r->source, place.offset);
  c->preface = r->file->first ? r->file->first->preface : comment_at_head(r->store->region, r->source, place.offset);
  if (r->file->last)
    r->file->last->next = c;
  else
    r->file->first = c;
  r->file->last = c;
  r->file->claims++;
}

void syntax_set_kind(syntax_reader *r, diag_place place, const char *word)
{
  for (int k = 0; k < CLAIM_KINDS; k++)
    if (!strcmp(word, claim_kind_name((claim_kind)k))) {
      r->file->last->kind = (claim_kind)k;
      return;
    }
  syntax_error(r, place, "a claim is a reading, a repair or a contrast, no '%s'", word);
}

void syntax_set_stored(syntax_reader *r, declaration *d, const syntax_list *strings)
{
  d->stored = strings->count;
  d->stored_as = memory_region_new(r->store->region, strings->count, sizeof(char *));
  for (unsigned i = 0; i < strings->count; i++)
    d->stored_as[i] = strings->item[i];
}

void syntax_only_family(syntax_reader *r, diag_place place, const char *what)
{
  if (!r->file->last->family)
    syntax_error(r, place, "%s only where a model family is described", what);
}

void syntax_add_declaration(syntax_reader *r, declaration *d)
{
  syntax_claim *c = r->file->last;
  if (c->last)
    c->last->next = d;
  else
    c->first = d;
  c->last = d;
}
