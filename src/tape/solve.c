/* Equalities that are linear in one given element are solved for it, exactly. */
#include "tape/solve.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "tape/derivative.h"
#include "tape/tape_internal.h"

/* needed[i]: operation i is an operand, near or far, of the roots. */
static void mark_operands(const tape *t, uint8_t *needed, const tape_id *root, size_t roots)
{
  memset(needed, 0, t->ops);
  for (size_t i = 0; i < roots; i++)
    if (root[i] != TAPE_NONE)
      needed[root[i]] = 1;
  for (size_t i = t->ops; i-- > 0;) {
    if (!needed[i])
      continue;
    tape_id child[3];
    unsigned n = tape_children(child, &t->op[i]);
    for (unsigned k = 0; k < n; k++)
      needed[child[k]] = 1;
  }
}

/* map[i] for every operation marked in `needed`: the same with x replaced. */
static void substitute(tape *t, const uint8_t *needed, tape_id x, tape_id replacement, tape_id *map, size_t ops)
{
  for (size_t i = 0; i < ops && !t->full; i++) {
    map[i] = (tape_id)i;
    if (!needed[i])
      continue;
    tape_op o = t->op[i];
    tape_id child[3];
    unsigned n = tape_children(child, &o);
    bool changed = false;
    for (unsigned k = 0; k < n; k++)
      changed = changed || map[child[k]] != child[k];
    if (i == x)
      map[i] = replacement;
    else if (changed)
      map[i] = tape_rebuild(t, o, map);
  }
}

/* Whether x is somewhere where it does not count for the slope, but decides what is defined. */
static bool is_guarded(const tape *t, const uint8_t *needed, tape_id difference, tape_id x)
{
  for (tape_id i = 0; i <= difference; i++)
    if (needed[i] && tape_hides_operands(t, i) && tape_depends(t, i, x))
      return true;
  return false;
}

/* The solution of `difference` = 0 for x, or TAPE_NONE when it is not linear in x. */
static tape_id solve_for(tape *t, tape_derivatives *cache, tape_id difference, tape_id x)
{
  tape_id slope = tape_slope(t, cache, difference, x);
  if (t->full || tape_depends(t, slope, x))
    return TAPE_NONE;
  const tape_op *o = &t->op[slope];
  if (o->op == TAPE_UNDEFINED || (o->op == TAPE_CONSTANT && fmpq_is_zero(&t->constant[o->a])))
    return TAPE_NONE;
  size_t ops = t->ops;
  uint8_t *needed = memory_new(ops, 1);
  tape_id *map = memory_new(ops, sizeof *map);
  mark_operands(t, needed, &difference, 1);
  tape_id rest = TAPE_NONE;
  if (!is_guarded(t, needed, difference, x)) {
    substitute(t, needed, x, tape_integer(t, 0), map, ops);
    rest = t->full ? TAPE_NONE : map[difference];
  }
  free(needed);
  free(map);
  if (rest == TAPE_NONE)
    return TAPE_NONE;
  tape_id solution = tape_unary(t, TAPE_NEGATE, tape_binary(t, TAPE_DIVIDE, rest, slope));
  return t->full ? TAPE_NONE : solution;
}

/* Whether some element that `solution` depends on has a range that depends on x: then neither could be drawn first. */
static bool makes_cycle(const tape *t, tape_id solution, tape_id x)
{
  for (size_t i = 0; i < t->elements; i++) {
    const tape_element *e = &t->element[i];
    if (!tape_is_drawn(t, i) || e->op == x || !tape_depends(t, solution, e->op))
      continue;
    if ((e->low != TAPE_NONE && tape_depends(t, e->low, x)) || (e->high != TAPE_NONE && tape_depends(t, e->high, x)))
      return true;
  }
  return false;
}

/* Puts `solution` in the place of x in everything that the tape says. */
static void replace_everywhere(tape *t, tape_id x, tape_id solution)
{
  size_t roots = 3 * t->elements + t->labels + 3 * t->atoms, n = 0, ops = t->ops;
  tape_id **place = memory_new(roots, sizeof *place), *root = memory_new(roots, sizeof *root);
  for (size_t i = 0; i < t->elements; i++) {
    place[n++] = &t->element[i].op;
    place[n++] = &t->element[i].low;
    place[n++] = &t->element[i].high;
  }
  for (size_t i = 0; i < t->atoms; i++) {
    place[n++] = &t->atom[i].truth;
    place[n++] = &t->atom[i].left;
    place[n++] = &t->atom[i].right;
  }
  for (size_t i = 0; i < t->labels; i++)
    place[n++] = &t->label[i].truth;
  for (size_t i = 0; i < n; i++)
    root[i] = *place[i];
  uint8_t *needed = memory_new(ops, 1);
  tape_id *map = memory_new(ops, sizeof *map);
  mark_operands(t, needed, root, n);
  substitute(t, needed, x, solution, map, ops);
  for (size_t i = 0; i < n && !t->full; i++)
    if (*place[i] != TAPE_NONE)
      *place[i] = map[*place[i]];
  free(needed);
  free(map);
  free(root);
  free(place);
}

static bool solve_atom(tape *t, tape_derivatives *cache, size_t label, size_t atom, const bool *may)
{
  tape_op o = t->op[t->atom[atom].truth];
  if (o.op != TAPE_EQUAL)
    return false;
  tape_id difference = tape_binary(t, TAPE_SUBTRACT, o.a, o.b);
  for (size_t i = t->elements; i-- > 0 && !t->full;) {
    tape_id x = t->element[i].op;
    if ((may && !may[t->element[i].given]) || !tape_is_drawn(t, i) || !tape_depends(t, difference, x))
      continue;
    tape_id solution = solve_for(t, cache, difference, x);
    if (solution == TAPE_NONE || makes_cycle(t, solution, x))
      continue;
    replace_everywhere(t, x, solution);
    tape_label *l = &t->label[label];
    t->atom[atom].truth = tape_unary(t, TAPE_DEFINED, solution);
    l->solved = true;
    l->truth = tape_truth(t, TRUTH_TRUE);
    for (size_t k = 0; k < l->atoms; k++)
      l->truth = tape_binary(t, TAPE_AND, l->truth, t->atom[l->first_atom + k].truth);
    return true;
  }
  return false;
}

static unsigned solve_label(tape *t, tape_derivatives *cache, size_t label, unsigned limit, const bool *may)
{
  unsigned solved = 0;
  for (size_t k = 0; k < t->label[label].atoms && solved < limit && !t->full; k++)
    solved += solve_atom(t, cache, label, t->label[label].first_atom + k, may);
  return solved;
}

unsigned tape_solve_question(tape *t, size_t question, unsigned limit)
{
  tape_derivatives *cache = tape_derivatives_create();
  unsigned solved = solve_label(t, cache, question, limit, NULL);
  tape_derivatives_destroy(cache);
  return solved;
}

unsigned tape_solve(tape *t, unsigned limit)
{
  return tape_solve_some(t, limit, NULL);
}

unsigned tape_solve_some(tape *t, unsigned limit, const bool *may)
{
  unsigned solved = 0;
  tape_derivatives *cache = tape_derivatives_create();
  for (size_t i = 0; i < t->labels; i++)
    if (t->label[i].kind == TAPE_ASSUME)
      solved += solve_label(t, cache, i, limit - solved, may);
  tape_derivatives_destroy(cache);
  return solved;
}

bool tape_draw_order(const tape *t, uint32_t *order)
{
  size_t count = t->elements, placed = 0;
  uint8_t *done = memory_new(count, 1), *needed = memory_new(t->ops, 1);
  /* As declared wherever that works, which is nearly always in one pass. */
  for (bool progress = true; progress && placed < count;) {
    progress = false;
    for (size_t i = 0; i < count; i++) {
      const tape_element *e = &t->element[i];
      if (done[i])
        continue;
      bool drawn = tape_is_drawn(t, i), ready = true;
      bool constant = drawn && (e->low == TAPE_NONE || t->op[e->low].op == TAPE_CONSTANT) &&
                      (e->high == TAPE_NONE || t->op[e->high].op == TAPE_CONSTANT);
      if (drawn && !constant) {
        mark_operands(t, needed, (tape_id[]){e->low, e->high}, 2);
        for (size_t k = 0; k < count && ready; k++)
          ready = done[k] || !tape_is_drawn(t, k) || !needed[t->element[k].op];
      }
      if (!ready)
        continue;
      order[placed++] = (uint32_t)i;
      done[i] = 1;
      progress = true;
    }
  }
  free(done);
  free(needed);
  return placed == count;
}
