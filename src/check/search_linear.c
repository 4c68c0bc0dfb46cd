/* Where hardly anything that is drawn meets the hypotheses, linear programming does: a point that meets all linear
 * inequalities that follow from the hypotheses (and from a `possible` label) is one more instance to decide. */
#include "check/absence.h"
#include "check/search_internal.h"
#include "check/simplex.h"

static bool try_target(search *s, size_t case_number, int target, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  size_t elements = c->g.plain->elements, found;
  linear_system rows;
  if (!absence_rows(&rows, c, target))
    return false;
  fmpq *value = stage_new_values(elements);
  bool hits = simplex_find_point(value, elements, &rows) && search_try(s, case_number, value, SOURCE_LINEAR, &found);
  linear_clear(&rows);
  if (hits) {
    check_origin origin = {.seed = s->options->seed, .number = (uint64_t)(target + 1), .source = SOURCE_LINEAR};
    *hit = (search_hit){.case_number = case_number, .target = found, .value = value, .origin = origin};
  } else
    stage_free_values(value, elements);
  return hits;
}

static bool is_any_accepted(const search_case *c)
{
  for (int k = 0; k < SOURCE_KINDS; k++)
    if (c->counts[k].accepted)
      return true;
  return false;
}

bool search_by_linear_program(search *s, size_t case_number, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  const uint32_t *labels;
  size_t targets = search_targets(s, &labels);
  if (c->question != SIZE_MAX || !c->g.plain->elements)
    return false;
  if (c->g.plain->label[labels[0]].kind == TAPE_SHOW) {
    bool wanted = !c->next_linear && !is_any_accepted(c);
    c->next_linear = 1;
    return wanted && try_target(s, case_number, ABSENCE_OF_INSTANCES, hit);
  }
  while (c->next_linear < targets && !search_should_stop(s)) {
    size_t target = c->next_linear++;
    if (!s->found[target] && try_target(s, case_number, (int)target, hit))
      return true;
  }
  return false;
}
