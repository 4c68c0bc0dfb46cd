/* The random source: instances of a tape, LANES at a time.
 *
 * Every element is drawn from a mix: uniform in its range, log-uniform, at an end of the range or the double next to it,
 * equal to an earlier value, a small rational, zero, of alternating sign, huge, tiny, subnormal. Each instance first
 * draws a *temper* that says how much of each it takes, so that corners of many variables at once are common (uniform
 * draws alone meet the counterexamples of arXiv:2501.00658, Lemma D.6 with density 10^-8 at T = 8).
 *
 * Ends of a range that depend on earlier values are computed in plain double: a drawn value may miss its range by an
 * ulp. That costs an instance, never a verdict: the range is a hypothesis, and the checker decides it. */
#ifndef ASSAY_SOURCE_DRAW_H
#define ASSAY_SOURCE_DRAW_H

#include "arith/arith.h"
#include "tape/tape.h"

typedef struct drawer drawer; /* shared, read only */
typedef struct drawer_state drawer_state; /* one thread's */

/* NULL when the elements cannot be put into an order (tape_draw_order). The tape must outlive it. */
drawer *drawer_create(const tape *t);
void drawer_destroy(drawer *d);
drawer_state *drawer_state_create(const drawer *d);
void drawer_state_destroy(drawer_state *s);

/* Space for drawer_fill, zeroed, and aligned as `bounded` likes it best. Free with free(). */
double *drawer_new_input(const drawer *d);

/* input[e * LANES + lane] for instances first .. first + LANES - 1: functions of (seed, claim, instance, attempt).
 * Solved elements are drawn as well, by their constant ends: the value serves where the solution does not exist (a x = 0
 * with a = 0 leaves x free). */
void drawer_fill(drawer_state *s, double *input, uint64_t seed, uint32_t claim, uint64_t first, uint32_t attempt);

/* Where an element stands: at a fraction of its range when both ends are finite, whatever they are; else at a value. */
typedef struct {
  double at; /* fraction in [0, 1], or the value */
} drawer_position;

/* The same lanes from positions: position[e * LANES + lane]. An element keeps its fraction when an earlier one, and with it
 * its range, changes. */
void drawer_place(drawer_state *s, double *input, const drawer_position *position);
/* Whether element e has two finite ends (and so stands at a fraction). */
bool drawer_is_bounded(const drawer *d, size_t e);

#endif
