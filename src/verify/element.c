/* Elements: which given one a name and its indices stand for, and the values of the `let`s, each computed once. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "verify/evaluate_internal.h"

void evaluator_fail_element(evaluator *e, const node *n, const int64_t *index, const char *why)
{
  text name;
  text_init(&name);
  claim_print_element(&name, n->name, index, n->children);
  evaluator_fail(e, STATUS_BAD_INPUT, n->place, name.data, why);
  text_clear(&name);
}

bool evaluator_integer(evaluator *e, int64_t *value, const node *n, const int64_t *slot)
{
  bool good = tree_integer(value, n, e->m->sizes, slot);
  if (!good)
    evaluator_fail(e, STATUS_UNABLE, n->place, "this index or exponent", " is out of range");
  return good;
}

bool evaluator_indices(evaluator *e, int64_t *index, const node *n, const int64_t *slot)
{
  if (n->children > LIMIT_BINDERS)
    evaluator_fail(e, STATUS_UNABLE, n->place, "an element with more than 32 indices", "");
  for (unsigned i = 0; i < n->children; i++)
    if (e->status != STATUS_OK || !evaluator_integer(e, &index[i], n->child[i], slot))
      return false;
  return true;
}

bool evaluator_find_given(evaluator *e, uint32_t *at, const node *n, const int64_t *slot)
{
  int64_t index[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 1] = {n->symbol};
  if (!evaluator_indices(e, index, n, slot))
    return false;
  memcpy(key + 1, index, n->children * sizeof *index);
  bool found = key_map_find(&e->given, key, n->children + 1, at);
  if (!found)
    evaluator_fail_element(e, n, index, " is used, but not declared");
  return found;
}

bool evaluator_line_defines(evaluator *e, const claim_position *position, unsigned positions, const int64_t *index,
                            int64_t *slot)
{
  for (unsigned p = 0; p < positions; p++) {
    const claim_position *range = &position[p];
    int64_t low, high;
    if (!evaluator_integer(e, &low, range->low, slot) || (range->high && !evaluator_integer(e, &high, range->high, slot)))
      return false;
    if (index[p] < low || index[p] > (range->high ? high : low))
      return false;
    if (range->name)
      slot[range->slot] = index[p];
  }
  return true;
}

const node *evaluator_let_body(evaluator *e, const node *n, const int64_t *index, int64_t *slot)
{
  const claim_let *let = &e->c->let[n->symbol];
  int64_t other[LIMIT_BINDERS];
  const claim_let_line *line = NULL;
  for (unsigned l = 0; l < let->lines && e->status == STATUS_OK; l++) {
    if (!evaluator_line_defines(e, let->line[l].position, let->positions, index, line ? other : slot))
      continue;
    if (line)
      evaluator_fail_element(e, n, index, " is defined twice");
    line = &let->line[l];
  }
  if (!line)
    evaluator_fail_element(e, n, index, " is not defined");
  return e->status == STATUS_OK ? line->body : NULL;
}

static void compute_element(evaluator *e, element *r, const node *n, const int64_t *index)
{
  int64_t slot[LIMIT_BINDERS];
  const node *body = evaluator_let_body(e, n, index, slot);
  if (!body)
    return;
  if (e->c->let[n->symbol].type == TYPE_TRUTH)
    r->truth = evaluator_truth_of(e, body, slot);
  else
    r->value = evaluator_value_of(e, body, slot);
}

/* The element that a NODE_LET refers to, computed once. */
element evaluator_find_element(evaluator *e, const node *n, const int64_t *slot)
{
  element r = {true, dual_literal(&e->duals, NUMBER_UNKNOWN), {TRUTH_UNKNOWN, 0, 0, 0, false}};
  int64_t index[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 2] = {n->symbol, e->list};
  if (!evaluator_indices(e, index, n, slot))
    return r;
  memcpy(key + 2, index, n->children * sizeof *index);
  uint32_t at;
  if (key_map_find(&e->defined, key, n->children + 2, &at)) {
    if (e->element[at].done)
      return e->element[at];
    evaluator_fail_element(e, n, index, " is used before it is defined");
    return r;
  }
  if (e->elements == e->capacity) {
    e->capacity = e->capacity ? 2 * e->capacity : 64;
    e->element = memory_resize(e->element, e->capacity, sizeof *e->element);
  }
  at = e->elements++;
  e->element[at] = (element){0};
  key_map_set(&e->defined, key, n->children + 2, at);
  compute_element(e, &r, n, index);
  e->element[at] = r;
  return r;
}

/* ---- dependence ---- */

static uint32_t mentions_of_let(evaluator *e, const node *n, const int64_t *slot)
{
  const claim_let *let = &e->c->let[n->symbol];
  int64_t index[LIMIT_BINDERS], own[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 2] = {n->symbol, e->list};
  uint32_t found = 0;
  if (!evaluator_indices(e, index, n, slot))
    return 0;
  memcpy(key + 2, index, n->children * sizeof *index);
  if (key_map_find(&e->mentions, key, n->children + 2, &found))
    return found;
  for (unsigned l = 0; l < let->lines && e->status == STATUS_OK; l++)
    if (evaluator_line_defines(e, let->line[l].position, let->positions, index, own))
      found |= evaluator_mentions(e, let->line[l].body, own);
  key_map_set(&e->mentions, key, n->children + 2, found);
  return found;
}

static uint32_t mentions_of_fold(evaluator *e, const node *n, int64_t *slot, unsigned r)
{
  if (r == n->ranges)
    return evaluator_mentions(e, n->child[0], slot);
  int64_t low, high;
  uint32_t found = 0;
  if (!evaluator_integer(e, &low, n->range[r].low, slot) || !evaluator_integer(e, &high, n->range[r].high, slot))
    return 0;
  for (int64_t i = low; i <= high && evaluator_may_go_on(e, n); i++) {
    slot[n->range[r].slot] = i;
    found |= mentions_of_fold(e, n, slot, r + 1);
    if (i == INT64_MAX)
      break;
  }
  return found;
}

uint32_t evaluator_mentions(evaluator *e, const node *n, int64_t *slot)
{
  uint32_t at, found = 0;
  if (!evaluator_may_go_on(e, n))
    return 0;
  switch (n->kind) {
  case NODE_GIVEN:
    for (unsigned i = 0; evaluator_find_given(e, &at, n, slot) && i < e->duals.levels; i++)
      found |= e->duals.seed[i] == at ? 1u << i : 0;
    return found;
  case NODE_LET:
    return mentions_of_let(e, n, slot);
  case NODE_FOLD:
    return mentions_of_fold(e, n, slot, 0);
  case NODE_DERIVATIVE:
    return evaluator_mentions(e, n->child[0], slot);
  case NODE_RANDOM:
    return random_mentions(e, n, slot);
  default:
    for (unsigned i = 0; i < n->children; i++)
      found |= evaluator_mentions(e, n->child[i], slot);
    return found;
  }
}
