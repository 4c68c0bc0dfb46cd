/* A claim at one choice of sizes. */
#include "check/stage.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"
#include "lang/lower.h"
#include "tape/solve.h"

enum { SOLVE_LIMIT = 256 }; /* equalities solved on one tape */

static size_t find_question(const tape *t, const char *question)
{
  for (size_t i = 0; question && i < t->labels; i++)
    if (t->label[i].kind == TAPE_POSSIBLE && !strcmp(t->label[i].name, question))
      return i;
  return SIZE_MAX;
}

/* The solved tape, or NULL when nothing can be solved, or nothing could be drawn afterwards. */
static tape *solve(const claim *c, const int64_t *sizes, size_t question, const volatile int *stop)
{
  diag *quiet = diag_create(NULL, 1);
  tape *t = lower_claim_until(quiet, c, sizes, LIMIT_TAPE, stop);
  diag_destroy(quiet);
  if (!t)
    return NULL;
  unsigned solved = question == SIZE_MAX ? 0 : tape_solve_question(t, question, SOLVE_LIMIT);
  solved += tape_solve(t, SOLVE_LIMIT - solved);
  bool useful = solved > 0 && !t->full;
  if (useful) {
    uint32_t *order = memory_new(t->elements, sizeof *order);
    useful = tape_draw_order(t, order);
    free(order);
  }
  if (!useful) {
    tape_destroy(t);
    return NULL;
  }
  return t;
}

bool stage_has_equality(const tape *t, size_t label)
{
  for (size_t k = 0; k < t->label[label].atoms; k++)
    if (t->op[t->atom[t->label[label].first_atom + k].truth].op == TAPE_EQUAL)
      return true;
  return false;
}

static bool is_worth_solving(const tape *t, size_t question)
{
  for (size_t i = 0; i < t->labels; i++)
    if ((t->label[i].kind == TAPE_ASSUME || i == question) && stage_has_equality(t, i))
      return true;
  return false;
}

bool stage_is_drawn(const stage *g, size_t e)
{
  return tape_is_drawn(g->solved, e);
}

bool stage_create(stage *g, diag *d, const claim *c, const int64_t *sizes, slong precision)
{
  return stage_create_for(g, d, c, sizes, precision, NULL, NULL);
}

bool stage_create_for(stage *g, diag *d, const claim *c, const int64_t *sizes, slong precision, const char *question,
                      const volatile int *stop)
{
  *g = (stage){.claim = c};
  g->plain = lower_claim_until(d, c, sizes, LIMIT_TAPE, stop);
  if (!g->plain)
    return false;
  g->sizes = memory_new(c->sizes, sizeof *g->sizes);
  if (c->sizes)
    memcpy(g->sizes, sizes, c->sizes * sizeof *g->sizes);
  size_t label = find_question(g->plain, question);
  g->solved = is_worth_solving(g->plain, label) ? solve(c, sizes, label, stop) : NULL;
  g->decider = decider_create(g->plain, precision);
  if (!g->solved) {
    g->solved = g->plain;
    g->block_decider = g->decider;
    return true;
  }
  g->block_decider = decider_create(g->solved, precision);
  tape_id *output = memory_new(g->solved->elements, sizeof *output);
  size_t solutions = 0;
  for (size_t e = 0; e < g->solved->elements; e++)
    if (!stage_is_drawn(g, e))
      output[solutions++] = g->solved->element[e].op;
  g->solutions = tape_compile(g->solved, output, solutions, solutions, false);
  free(output);
  return true;
}

void stage_clear(stage *g)
{
  tape_program_destroy(g->solutions);
  if (g->block_decider != g->decider)
    decider_destroy(g->block_decider);
  decider_destroy(g->decider);
  if (g->solved != g->plain)
    tape_destroy(g->solved);
  tape_destroy(g->plain);
  free(g->sizes);
  *g = (stage){0};
}

void stage_state_init(stage_state *s, const stage *g)
{
  const uint32_t *labels;
  *s = (stage_state){.g = g, .decide = decider_state_create(g->decider)};
  s->target = memory_new(decider_targets(g->decider, &labels), sizeof *s->target);
  if (g->solutions) {
    s->solutions = exact_create(g->solutions, LIMIT_EXACT_BITS);
    s->value = stage_new_values(g->solved->elements);
  }
}

void stage_state_clear(stage_state *s)
{
  decider_state_destroy(s->decide);
  if (s->solutions)
    exact_destroy(s->solutions);
  if (s->value)
    stage_free_values(s->value, s->g->solved->elements);
  free(s->target);
  *s = (stage_state){0};
}

void stage_complete(stage_state *s, fmpq *value)
{
  if (!s->solutions)
    return;
  exact_run(s->solutions, value);
  size_t k = 0;
  fmpq_t x;
  fmpq_init(x);
  for (size_t e = 0; e < s->g->solved->elements; e++)
    if (!stage_is_drawn(s->g, e) && exact_value(x, s->solutions, k++) == STATUS_OK)
      fmpq_set(&value[e], x);
  fmpq_clear(x);
}

truth stage_decide(stage_state *s, fmpq *value)
{
  decide_summary summary = {.target = s->target};
  stage_complete(s, value);
  decide_quickly(s->decide, value, &summary);
  return summary.hypotheses;
}

truth stage_decide_lane(stage_state *s, const double *input, unsigned lane, truth hypotheses, const truth *target)
{
  const uint32_t *labels;
  size_t elements = s->g->solved->elements, targets = decider_targets(s->g->decider, &labels);
  if (s->solutions) {
    for (size_t e = 0; e < elements; e++)
      rational_set_double(&s->value[e], input[e * LANES + lane]);
    return stage_decide(s, s->value);
  }
  decide_summary summary = {.hypotheses = hypotheses, .target = s->target};
  memcpy(s->target, target, targets * sizeof *target);
  decide_lane(s->decide, input, lane, &summary);
  return summary.hypotheses;
}

fmpq *stage_new_values(size_t n)
{
  fmpq *value = memory_new(n, sizeof *value);
  for (size_t e = 0; e < n; e++)
    fmpq_init(&value[e]);
  return value;
}

void stage_free_values(fmpq *value, size_t n)
{
  for (size_t e = 0; value && e < n; e++)
    fmpq_clear(&value[e]);
  free(value);
}

void stage_copy_values(fmpq *to, const fmpq *from, size_t n)
{
  for (size_t e = 0; e < n; e++)
    fmpq_set(&to[e], &from[e]);
}
