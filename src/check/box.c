/* Certified subdivision, depth first, halving the widest side. */
#include "check/box.h"

#include <stdlib.h>

#include "check/search_internal.h"
#include "core/memory.h"

enum { BOX_PRECISION = 96, BOX_DEPTH = 400 };

typedef struct {
  size_t elements;
  size_t variables;
  size_t element[BOX_MOST_VARIABLES];
  arf_t start_width[BOX_MOST_VARIABLES];
} box_shape;

/* The ranges as balls in `box`; false when some range is not a constant finite one. */
static bool make_root(box_shape *shape, arb_ptr box, const tape *t)
{
  shape->elements = t->elements;
  shape->variables = 0;
  for (size_t e = 0; e < t->elements; e++) {
    const tape_element *x = &t->element[e];
    if (!tape_is_drawn(t, e))
      continue;
    if (shape->variables == BOX_MOST_VARIABLES || x->low == TAPE_NONE || x->high == TAPE_NONE ||
        t->op[x->low].op != TAPE_CONSTANT || t->op[x->high].op != TAPE_CONSTANT)
      return false;
    shape->element[shape->variables++] = e;
    arb_t high;
    arb_init(high);
    arb_set_fmpq(&box[e], &t->constant[t->op[x->low].a], BOX_PRECISION);
    arb_set_fmpq(high, &t->constant[t->op[x->high].a], BOX_PRECISION);
    arb_union(&box[e], &box[e], high, BOX_PRECISION);
    arb_clear(high);
  }
  return shape->variables > 0;
}

/* The variable whose ball has the greatest radius, relative to the whole range. */
static size_t widest(const box_shape *shape, arb_srcptr box)
{
  size_t best = shape->element[0];
  arf_t width, most;
  arf_init(width);
  arf_init(most);
  for (size_t i = 0; i < shape->variables; i++) {
    arf_set_mag(width, arb_radref(&box[shape->element[i]]));
    if (!arf_is_zero(shape->start_width[i]))
      arf_div(width, width, shape->start_width[i], 30, ARF_RND_DOWN);
    if (i == 0 || arf_cmp(width, most) > 0) {
      arf_set(most, width);
      best = shape->element[i];
    }
  }
  arf_clear(width);
  arf_clear(most);
  return best;
}

/* Halves ball e of `box` into `box` and `other` (whose other balls are copied); together they cover it. */
static void halve(arb_ptr box, arb_ptr other, size_t elements, size_t e)
{
  for (size_t i = 0; i < elements; i++)
    arb_set(&other[i], &box[i]);
  arf_t low, high, middle;
  arf_init(low);
  arf_init(high);
  arf_init(middle);
  arb_get_interval_arf(low, high, &box[e], BOX_PRECISION);
  arf_set(middle, arb_midref(&box[e]));
  arb_set_interval_arf(&box[e], low, middle, BOX_PRECISION);
  arb_set_interval_arf(&other[e], middle, high, BOX_PRECISION);
  arf_clear(low);
  arf_clear(high);
  arf_clear(middle);
}

static bool is_settled(const search *s, ball_state *b, box_question question, size_t target)
{
  const uint32_t *labels;
  size_t targets = search_targets(s, &labels);
  if (ball_truth(b, 0) == TRUTH_FALSE)
    return true;
  if (question == BOX_NO_INSTANCE)
    return false;
  if (question == BOX_NO_WITNESS)
    return ball_truth(b, target + 1) == TRUTH_FALSE;
  for (size_t k = 0; k < targets; k++)
    if (ball_truth(b, k + 1) != TRUTH_TRUE)
      return false;
  return true;
}

/* An integral takes about a millisecond, and one of integrals a hundred times as long. */
static uint64_t most_boxes(const tape_program *p)
{
  enum { WITH_INTEGRALS = 300, WITH_NESTED = 30 };
  uint64_t most = BOX_MOST_BOXES;
  for (size_t i = 0; i < p->integrals; i++) {
    uint64_t few = p->integral[i].body->integrals ? WITH_NESTED : WITH_INTEGRALS;
    most = few < most ? few : most;
  }
  return most;
}

bool box_prove(search *s, size_t case_number, box_question question, size_t target, uint64_t *boxes)
{
  search_case *c = &s->at[case_number];
  size_t elements = c->g.plain->elements;
  *boxes = 0;
  arb_ptr stack[BOX_DEPTH];
  size_t depth = 1;
  stack[0] = _arb_vec_init((slong)elements);
  box_shape shape;
  bool fine = make_root(&shape, stack[0], c->g.solved);
  for (size_t i = 0; i < shape.variables; i++) {
    arf_init(shape.start_width[i]);
    arf_set_mag(shape.start_width[i], arb_radref(&stack[0][shape.element[i]]));
  }
  const tape_program *p = decider_program(c->g.block_decider);
  const uint64_t most = most_boxes(p);
  ball_state *b = ball_create(p, 0);
  while (fine && depth > 0) {
    arb_ptr box = stack[depth - 1];
    ball_run_box(b, box, BOX_PRECISION);
    ++*boxes;
    if (is_settled(s, b, question, target)) {
      _arb_vec_clear(box, (slong)elements);
      depth--;
      continue;
    }
    fine = *boxes < most && depth < BOX_DEPTH && !search_should_stop(s);
    if (!fine)
      break;
    stack[depth] = _arb_vec_init((slong)elements);
    halve(box, stack[depth], elements, widest(&shape, box));
    depth++;
  }
  ball_destroy(b);
  while (depth > 0)
    _arb_vec_clear(stack[--depth], (slong)elements);
  for (size_t i = 0; i < shape.variables; i++)
    arf_clear(shape.start_width[i]);
  return fine;
}
