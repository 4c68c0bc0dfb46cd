/* The adversary's second way: a search over corners.
 *
 * Most margins of theorems about linear recurrences are linear or convex in each value alone, so that their least values lie at
 * corners: every value at an end of its range or equal to another one. From random corners, one element at a time is moved
 * to each of a few positions, LANES moves evaluated at once, and the best is kept, until no move helps. Elements of a
 * bounded range are moved by fractions of it, so that delta <= 1 - alpha stays tight while alpha changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/search_internal.h"
#include "core/memory.h"
#include "core/philox.h"

enum { MOVES = 6, MOST_SWEEPS = 40 };

/* Steps of the tape, LANES instances at once, that one search may take. */
static const uint64_t step_budget = 100000000;

static const uint32_t corner_attempt = 0x434F5200u;
static const double fractions[] = {0, 1, 0.5, 0.25, 0.75};
static const double values[] = {0, 1, -1, 2, -2};
enum { PLACES = 5 };

typedef struct {
  search *s;
  search_case *c;
  search_worker *w;
  size_t elements;
  drawer_position *lanes; /* elements * LANES */
  double *now;            /* the positions kept */
  double best;
  uint64_t steps; /* taken */
} corner_search;

/* The margins of all lanes: the least of the targets' where the hypotheses seem to hold, +infinity elsewhere. */
static void evaluate(corner_search *k, double *margin)
{
  const uint32_t *labels;
  size_t targets = search_targets(k->s, &labels);
  drawer_place(k->w->draw, k->w->input, k->lanes);
  size_t steps = decider_program_kept(k->c->g.block_decider)->steps;
  real_run(k->w->real, k->w->input, 0, steps);
  k->steps += steps;
  const double *hypotheses = real_output(k->w->real, 0);
  for (unsigned lane = 0; lane < LANES; lane++) {
    margin[lane] = INFINITY;
    for (size_t i = 0; i < targets && hypotheses[lane] >= -1e-14; i++) {
      double m = real_output(k->w->real, i + 1)[lane];
      if (k->c->g.plain->label[labels[i]].kind == TAPE_POSSIBLE)
        m = -m;
      if (!k->s->found[i] && m < margin[lane])
        margin[lane] = m;
    }
  }
}

static void fill_lanes(corner_search *k)
{
  for (size_t e = 0; e < k->elements; e++)
    for (unsigned lane = 0; lane < LANES; lane++)
      k->lanes[e * LANES + lane].at = k->now[e];
}

/* The moves of element e: the usual places, and the position of its neighbour. */
static double move_of(const corner_search *k, size_t e, unsigned move)
{
  if (move < PLACES)
    return drawer_is_bounded(k->c->draw, e) ? fractions[move] : values[move];
  size_t other = e > 0 ? e - 1 : e + 1 < k->elements ? e + 1 : e;
  return drawer_is_bounded(k->c->draw, e) == drawer_is_bounded(k->c->draw, other) ? k->now[other] : k->now[e];
}

/* Tries all moves, LANES at a time; takes the best of each batch. */
static bool sweep(corner_search *k)
{
  bool better = false;
  size_t total = k->elements * MOVES;
  double margin[LANES];
  for (size_t first = 0; first < total && k->steps < step_budget && !search_should_stop(k->s); first += LANES) {
    fill_lanes(k);
    for (unsigned lane = 0; lane < LANES && first + lane < total; lane++) {
      size_t e = (first + lane) / MOVES;
      k->lanes[e * LANES + lane].at = move_of(k, e, (unsigned)((first + lane) % MOVES));
    }
    evaluate(k, margin);
    unsigned best = LANES;
    for (unsigned lane = 0; lane < LANES && first + lane < total; lane++)
      if (margin[lane] < k->best - 1e-15 * fabs(k->best)) {
        k->best = margin[lane];
        best = lane;
      }
    if (best == LANES)
      continue;
    size_t e = (first + best) / MOVES;
    k->now[e] = k->lanes[e * LANES + best].at;
    better = true;
  }
  return better;
}

/* LANES random corners, the best of which is taken: a position for each given as a whole, changed here and there. */
static bool start_from_corner(corner_search *k, unsigned start)
{
  double margin[LANES];
  const tape *t = k->c->g.solved;
  for (unsigned lane = 0; lane < LANES; lane++) {
    philox_stream r = philox_stream_start(k->s->options->seed, k->s->key, (uint64_t)start * LANES + lane, corner_attempt);
    unsigned place = 0;
    for (size_t e = 0; e < k->elements; e++) {
      bool first = e == 0 || t->element[e].given != t->element[e - 1].given;
      if (first || philox_below(&r, 4) == 0)
        place = (unsigned)philox_below(&r, PLACES);
      k->lanes[e * LANES + lane].at = drawer_is_bounded(k->c->draw, e) ? fractions[place] : values[place];
    }
  }
  evaluate(k, margin);
  unsigned best = 0;
  for (unsigned lane = 1; lane < LANES; lane++)
    if (margin[lane] < margin[best])
      best = lane;
  for (size_t e = 0; e < k->elements; e++)
    k->now[e] = k->lanes[e * LANES + best].at;
  k->best = margin[best];
  return isfinite(k->best);
}

bool search_corners(search *s, size_t case_number, unsigned start, double *x)
{
  search_case *c = &s->at[case_number];
  corner_search k = {.s = s, .c = c, .w = search_worker_of(s, c, 0), .elements = c->g.plain->elements};
  k.lanes = memory_new(memory_multiply(k.elements, LANES), sizeof *k.lanes);
  k.now = memory_new(k.elements, sizeof *k.now);
  bool fine = start_from_corner(&k, start);
  for (unsigned i = 0; fine && i < MOST_SWEEPS && sweep(&k) && !search_should_stop(s); i++)
    continue;
  if (fine) {
    fill_lanes(&k);
    drawer_place(k.w->draw, k.w->input, k.lanes);
    for (size_t e = 0; e < k.elements; e++)
      x[e] = k.w->input[e * LANES];
  }
  free(k.lanes);
  free(k.now);
  return fine;
}
