/* Instances that somebody wrote down. */
#include "check/brought.h"

#include <stdlib.h>
#include <string.h>

#include "cert/instance.h"
#include "check/search_internal.h"
#include "core/memory.h"

/* Decides one instance at its sizes, and keeps it when it is the first that hits. */
static bool decide_one(brought *b, diag *d, const claim *c, const match *m, const instance *x, uint64_t number,
                       slong precision)
{
  stage g;
  if (!stage_create(&g, d, c, m->sizes, precision))
    return false;
  stage_state state;
  stage_state_init(&state, &g);
  fmpq *value = stage_new_values(m->count);
  for (size_t e = 0; e < m->count; e++)
    fmpq_set(&value[e], &x->value[m->element[e].value].value);
  /* As written: what an equality could be solved for is given here. */
  decide_summary summary = {.target = state.target};
  decide_quickly(state.decide, value, &summary);
  size_t hit;
  const uint32_t *labels;
  size_t targets = decider_targets(g.decider, &labels);
  outcome o = search_outcome(g.plain, labels, targets, NULL, summary.hypotheses, state.target, &hit);
  check_tally *t = &b->tally[b->tallies++];
  t->source = SOURCE_CASE;
  t->sizes = memory_new(c->sizes, sizeof *t->sizes);
  if (c->sizes)
    memcpy(t->sizes, m->sizes, c->sizes * sizeof *t->sizes);
  search_count(&t->counts, o);
  if (hit != SIZE_MAX && !b->hit) {
    b->hit = true;
    b->target = hit;
    b->number = number;
    b->sizes = memory_new(c->sizes, sizeof *b->sizes);
    if (c->sizes)
      memcpy(b->sizes, m->sizes, c->sizes * sizeof *b->sizes);
    b->value = value;
    b->elements = m->count;
    value = NULL;
  }
  stage_free_values(value, m->count);
  stage_state_clear(&state);
  stage_clear(&g);
  return true;
}

bool brought_decide(brought *b, diag *d, const claim *c, const char *path, slong precision)
{
  *b = (brought){0};
  size_t count;
  instance *list = instance_read_file(d, path, &count);
  if (!list)
    return false;
  b->tally = memory_new(count, sizeof *b->tally);
  bool fine = true;
  for (size_t i = 0; i < count && fine; i++) {
    match m;
    match_kind kind = match_instance(d, path, &m, c, &list[i]);
    fine = kind != MATCH_WRONG;
    if (kind == MATCH_FITS) /* one whose sizes are outside their range is no instance: it shows nothing */
      fine = decide_one(b, d, c, &m, &list[i], i, precision);
    match_clear(&m);
  }
  instance_array_free(list, count);
  return fine;
}

void brought_clear(brought *b)
{
  for (size_t i = 0; i < b->tallies; i++)
    free(b->tally[i].sizes);
  free(b->tally);
  free(b->sizes);
  if (b->value)
    stage_free_values(b->value, b->elements);
  *b = (brought){0};
}
