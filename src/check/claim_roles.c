/* Which of a claim's quantities a model supplies: sizes from what indices run over, and the tape of the claim there. */
#include "check/claim_roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "lang/lower.h"
#include "tape/solve.h"

enum { SOLVE_LIMIT = 256 };

typedef struct {
  claim_binding *b;
  size_t tokens;
  char **reason;
} binder;

static bool complain(binder *k, const char *format, const char *what)
{
  text message;
  text_init(&message);
  text_addf(&message, "claim %s: ", k->b->c->name);
  text_addf(&message, format, what);
  *k->reason = text_take(&message);
  return false;
}

static claim_role role_of(const claim_given *g)
{
  static const char *const word[] = {"", "decay", "step", "input"};
  for (int r = ROLE_DECAY; g->role && r <= ROLE_INPUT; r++)
    if (!strcmp(g->role, word[r]))
      return (claim_role)r;
  return ROLE_NONE;
}

/* The size of an index 1..SIZE of a given; -1. */
static int index_size(const claim_given *g, unsigned position)
{
  const claim_position *p = &g->line[0].position[position];
  bool plain = g->lines == 1 && p->name && p->high->kind == NODE_SIZE && p->low->kind == NODE_NUMBER &&
               fmpq_is_one(p->low->number);
  return plain ? (int)p->high->symbol : -1;
}

typedef enum { AXIS_TIME, AXIS_STATE, AXIS_OTHER } axis;

/* What an index of a given runs over: the role of its size, or else its place. */
static axis axis_of(const binder *k, const claim_given *g, unsigned position)
{
  int size = index_size(g, position);
  const char *role = size < 0 ? NULL : k->b->c->size[size].role;
  if (!role)
    return position == 0 ? AXIS_TIME : position == 1 ? AXIS_STATE : AXIS_OTHER;
  return !strcmp(role, "time") ? AXIS_TIME : !strcmp(role, "state") ? AXIS_STATE : AXIS_OTHER;
}

static bool has_time(const binder *k, const claim_given *g)
{
  for (unsigned i = 0; i < g->positions; i++)
    if (axis_of(k, g, i) == AXIS_TIME)
      return true;
  return false;
}

static bool set_size(binder *k, const claim_given *g, unsigned position)
{
  int size = index_size(g, position);
  if (size < 0)
    return complain(k, "an index of '%s' is no range 1..SIZE", g->name);
  if (axis_of(k, g, position) == AXIS_OTHER)
    return complain(k, "an index of '%s' runs over something else than time and state", g->name);
  int64_t value = axis_of(k, g, position) == AXIS_TIME ? (int64_t)k->tokens : 1;
  if (k->b->sizes[size] && k->b->sizes[size] != value)
    return complain(k, "'%s' has time and state bounded by one size", g->name);
  k->b->sizes[size] = value;
  return true;
}

/* Either all of what the model supplies has a time, or nothing has. */
static bool set_time(binder *k)
{
  const claim_given *timed = NULL, *timeless = NULL;
  for (unsigned i = 0; i < k->b->c->givens; i++) {
    const claim_given *g = &k->b->c->given[i];
    claim_role role = role_of(g);
    if (role == ROLE_NONE)
      continue;
    *(has_time(k, g) ? &timed : &timeless) = g;
    k->b->uses_step = k->b->uses_step || role == ROLE_STEP;
    k->b->uses_input = k->b->uses_input || role == ROLE_INPUT;
  }
  if (!timed && !timeless)
    return complain(k, "%s", "nothing in it has the role decay, step or input");
  if (timed && k->tokens == 0)
    return complain(k, "'%s' is a sequence, and no activations are given", timed->name);
  if (timed && timeless)
    return complain(k, "'%s' has no time, and other quantities do", timeless->name);
  k->b->timed = timed != NULL;
  if (timeless && k->tokens > 0)
    k->tokens = 1;
  return true;
}

static bool set_sizes(binder *k)
{
  const claim *c = k->b->c;
  k->b->sizes = memory_new(c->sizes, sizeof *k->b->sizes);
  for (unsigned i = 0; i < c->givens; i++) {
    const claim_given *g = &c->given[i];
    if (role_of(g) == ROLE_NONE)
      continue;
    if (g->positions > 2)
      return complain(k, "'%s' has more indices than time and state", g->name);
    for (unsigned p = 0; p < g->positions; p++)
      if (!set_size(k, g, p))
        return false;
  }
  for (unsigned i = 0; i < c->sizes; i++)
    if (!k->b->sizes[i])
      return complain(k, "nothing tells the size %s", c->size[i].name);
  if (!lower_sizes_admissible(c, k->b->sizes))
    return complain(k, "%s", "it does not admit sequences of this length");
  return true;
}

/* The first line of a message of the claim language. */
static bool complain_first(binder *k, const diag *d)
{
  text line;
  text_init(&line);
  text_add_bytes(&line, diag_text(d), strcspn(diag_text(d), "\n"));
  complain(k, "%s", text_string(&line));
  text_clear(&line);
  return false;
}

/* The claim's tape. Solved for is only what the model does not supply: what it does has the values that it has. */
static bool lower_and_solve(binder *k)
{
  claim_binding *b = k->b;
  diag *d = diag_create(NULL, 1);
  b->t = lower_claim(d, b->c, b->sizes, LIMIT_TAPE);
  bool good = b->t || complain_first(k, d);
  diag_destroy(d);
  if (!good)
    return false;
  bool *may = memory_new(b->c->givens, sizeof *may);
  for (unsigned i = 0; i < b->c->givens; i++)
    may[i] = role_of(&b->c->given[i]) == ROLE_NONE;
  tape_solve_some(b->t, SOLVE_LIMIT, may);
  free(may);
  return !b->t->full || complain(k, "%s", "its tape is too long at this length");
}

static bool find_places(binder *k)
{
  claim_binding *b = k->b;
  b->place = memory_new(b->t->elements, sizeof *b->place);
  size_t time = 0;
  for (size_t i = 0; i < b->t->elements; i++) {
    /* The elements of a given come in the order of time: of states there is one. */
    time = i > 0 && b->t->element[i].given == b->t->element[i - 1].given ? time + 1 : 0;
    if (!tape_is_drawn(b->t, i))
      continue;
    b->place[i] = (claim_place){role_of(&b->c->given[b->t->element[i].given]), time};
    if (b->place[i].role == ROLE_NONE)
      return complain(k, "nothing supplies '%s'", b->t->element[i].name);
  }
  return true;
}

static bool concludes(const claim *c)
{
  for (unsigned i = 0; i < c->labels; i++)
    if (c->label[i].kind == LABEL_SHOW)
      return true;
  return false;
}

bool claim_binding_create(claim_binding *b, const claim *c, size_t tokens, char **reason)
{
  *b = (claim_binding){.c = c};
  binder k = {.b = b, .tokens = tokens, .reason = reason};
  *reason = NULL;
  if (!concludes(c))
    return complain(&k, "%s", "it has no conclusion");
  return set_time(&k) && set_sizes(&k) && lower_and_solve(&k) && find_places(&k);
}

void claim_binding_clear(claim_binding *b)
{
  tape_destroy(b->t);
  free(b->place);
  free(b->sizes);
  *b = (claim_binding){0};
}
