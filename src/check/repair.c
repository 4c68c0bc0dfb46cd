/* Repair: instances that miss their hypotheses are moved towards them.
 *
 * Where fewer than one draw in a thousand is accepted, each lane that misses a hypothesis is moved along the gradient of
 * the least margin, by as much as would meet it if it were linear and a little more, a few times over. Doubles guide; the
 * checker decides what comes out. */
#include <math.h>
#include <stdlib.h>

#include "check/search_internal.h"
#include "core/memory.h"
#include "core/rational.h"

enum { REPAIR_TURNS = 12, ACCEPTED_IN = 1000 };

bool search_needs_repair(const search_case *c)
{
  const check_counts *n = &c->counts[SOURCE_RANDOM];
  return n->drawn > 0 && n->accepted * ACCEPTED_IN < n->drawn;
}

/* Moves one lane; false when the margin has no useful gradient there. */
static bool move_lane(search_worker *w, const tape *t, unsigned lane, double margin, double *gradient)
{
  real_gradient(w->real, 0, lane, gradient);
  double size = 0;
  for (size_t e = 0; e < t->elements; e++)
    if (isfinite(gradient[e]))
      size += gradient[e] * gradient[e];
  if (!(size > 0) || !isfinite(size))
    return false;
  double step = (1.25 * -margin + 0x1p-30) / size;
  for (size_t e = 0; e < t->elements; e++) {
    if (!isfinite(gradient[e]) || gradient[e] == 0)
      continue;
    double *x = &w->input[e * LANES + lane], moved = *x + step * gradient[e];
    const tape_element *element = &t->element[e];
    if (element->low != TAPE_NONE && t->op[element->low].op == TAPE_CONSTANT)
      moved = fmax(moved, rational_near_double(&t->constant[t->op[element->low].a]));
    if (element->high != TAPE_NONE && t->op[element->high].op == TAPE_CONSTANT)
      moved = fmin(moved, rational_near_double(&t->constant[t->op[element->high].a]));
    if (isfinite(moved))
      *x = moved;
  }
  return true;
}

void search_repair(search_case *c, search_worker *w)
{
  const tape *t = c->g.solved;
  const tape_program *p = decider_program_kept(c->g.block_decider);
  if (!w->real)
    w->real = real_create(p);
  double *gradient = memory_new(t->elements, sizeof *gradient);
  bool moved = true;
  for (unsigned turn = 0; turn < REPAIR_TURNS && moved; turn++) {
    real_run(w->real, w->input, 0, p->first_phase);
    moved = false;
    double margin[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
      margin[lane] = real_output(w->real, 0)[lane];
    for (unsigned lane = 0; lane < LANES; lane++)
      if (margin[lane] < 0x1p-40 && isfinite(margin[lane]))
        moved |= move_lane(w, t, lane, margin[lane], gradient);
  }
  free(gradient);
}
