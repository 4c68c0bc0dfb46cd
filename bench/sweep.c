/* The random sweep, block by block. */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"

bool sweep_create(sweep *s, const tape *t, const decider *d)
{
  const uint32_t *labels;
  *s = (sweep){.t = t, .draw = drawer_create(t)};
  if (!s->draw)
    return false;
  s->draw_state = drawer_state_create(s->draw);
  s->bounded = bounded_create(decider_program(d));
  s->decide = decider_state_create(d);
  s->input = drawer_new_input(s->draw);
  s->targets = decider_targets(d, &labels);
  s->target = memory_new(s->targets, sizeof *s->target);
  return true;
}

void sweep_clear(sweep *s)
{
  if (!s->draw)
    return;
  drawer_state_destroy(s->draw_state);
  drawer_destroy(s->draw);
  bounded_destroy(s->bounded);
  decider_state_destroy(s->decide);
  free(s->input);
  free(s->target);
}

static truth certain(const sweep *s, size_t output, unsigned lane)
{
  return bounded_true(s->bounded, output) >> lane & 1    ? TRUTH_TRUE
         : bounded_false(s->bounded, output) >> lane & 1 ? TRUTH_FALSE
                                                         : TRUTH_UNKNOWN;
}

/* What `bounded` left undecided, or found to break a conclusion. */
static void climb(sweep *s, unsigned lane)
{
  decide_summary summary = {.hypotheses = certain(s, 0, lane), .target = s->target};
  for (size_t k = 0; k < s->targets; k++)
    s->target[k] = certain(s, k + 1, lane);
  decide_lane(s->decide, s->input, lane, &summary);
  s->climbed++;
  if (summary.hypotheses != TRUTH_TRUE) {
    s->unsettled += summary.hypotheses != TRUTH_FALSE;
    return;
  }
  bool held = true, broken = false;
  for (size_t k = 0; k < s->targets; k++) {
    held = held && s->target[k] == TRUTH_TRUE;
    broken = broken || s->target[k] == TRUTH_FALSE;
  }
  s->admissible++;
  s->held += held;
  s->broken += broken;
  s->unsettled += !held && !broken;
}

static void run_block(sweep *s, uint64_t first)
{
  drawer_fill(s->draw_state, s->input, 1, 0, first, 0);
  s->drawn += LANES;
  bounded_run_first(s->bounded, s->input);
  uint32_t out = bounded_false(s->bounded, 0);
  if (out == UINT32_MAX)
    return;
  bounded_run_second(s->bounded, s->input);
  uint32_t in = bounded_true(s->bounded, 0), holds = UINT32_MAX;
  for (size_t k = 1; k <= s->targets; k++)
    holds &= bounded_true(s->bounded, k);
  s->admissible += (unsigned)__builtin_popcount(in & holds);
  s->held += (unsigned)__builtin_popcount(in & holds);
  for (uint32_t rest = ~(out | (in & holds)); rest; rest &= rest - 1)
    climb(s, (unsigned)__builtin_ctz(rest));
}

void sweep_run(sweep *s, uint64_t first, unsigned blocks)
{
  for (unsigned k = 0; k < blocks; k++)
    run_block(s, first + (uint64_t)k * LANES);
}

void sweep_print(const sweep *s)
{
  printf("# sweep: %" PRIu64 " drawn, %" PRIu64 " admissible, %" PRIu64 " held, %" PRIu64 " broken, %" PRIu64
         " climbed, %" PRIu64 " unsettled\n",
         s->drawn, s->admissible, s->held, s->broken, s->climbed, s->unsettled);
}
