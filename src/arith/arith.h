/* The four arithmetics that run a tape program.
 *
 *   real      plain double, LANES instances at once, with margins and their gradients. It guides searches.
 *             It never decides.
 *   bounded   double with a proved error bound on every result, LANES instances at once. It decides most
 *             instances.
 *   exact     rationals; what is not rational is "unable" (its truths are unknown).
 *   ball      Arb balls at one precision, over the exact values of those that are rational.
 *
 * Guarantee of the last three: a truth reported true (false, undefined) is true (false, undefined) of the
 * real numbers that the inputs stand for. OPEN and UNKNOWN promise what core/status.h says. Inputs are
 * indexed by element number of the tape; those of solved elements are not read. A state belongs to one
 * thread; the program is only read. */
#ifndef ASSAY_ARITH_ARITH_H
#define ASSAY_ARITH_ARITH_H

#include "core/status.h"
#include "tape/tape.h"

enum { LANES = 32 };

/* ---- real ---- */

typedef struct real_state real_state;
real_state *real_create(const tape_program *p);
void real_destroy(real_state *s);
/* input[e * LANES + lane]. Runs steps [from, to) so that a source can draw and compute by turns. */
void real_run(real_state *s, const double *input, size_t from, size_t to);
/* The LANES values of output k. A truth is its margin: > 0 true, < 0 false, 0 either, NaN undefined. A
 * comparison a <= b or a < b has the margin (b - a) / S, a = b has -|a - b| / S; and is min, or is max. In
 * the first phase (hypotheses) S = 1 + |a| + |b|, so that the margin shrinks towards the boundary; in the
 * second (conclusions) S = |a| + |b|, so that a climb is not drawn to where both sides vanish: there a <=
 * b has the margin 1, the others 0. */
const double *real_output(const real_state *s, size_t k);
/* Gradient of output k in lane `lane` with respect to every input (one of the subgradients at a kink; 0
 * for inputs that it does not depend on). The program must have been compiled with keep_all and run as a
 * whole. */
void real_gradient(real_state *s, size_t k, unsigned lane, double *gradient);

/* ---- bounded ---- */

typedef struct bounded_state bounded_state;
bounded_state *bounded_create(const tape_program *p);
void bounded_destroy(bounded_state *s);
/* Runs the first phase, or the second, which must follow the first on the same inputs. Inputs are exact
 * doubles; a lane with a NaN or infinity among its inputs has only unknown truths. */
void bounded_run_first(bounded_state *s, const double *input);
void bounded_run_second(bounded_state *s, const double *input);
/* Bit i: output k is certainly true (false) in lane i. */
uint32_t bounded_true(const bounded_state *s, size_t k);
uint32_t bounded_false(const bounded_state *s, size_t k);
/* The value of output k in one lane: |true value - *value| <= *error; error is infinite when nothing is
 * known. */
void bounded_value(const bounded_state *s, size_t k, unsigned lane, double *value, double *error);
/* The same of all LANES lanes as enclosures: low[lane] <= true value <= high[lane], infinite where nothing is known. */
void bounded_enclosures(const bounded_state *s, size_t k, double *restrict low, double *restrict high);

/* ---- exact ---- */

typedef struct exact_state exact_state;
/* bits: no number may need more (numerator plus denominator); the size is predicted before it is computed. */
exact_state *exact_create(const tape_program *p, size_t bits);
void exact_destroy(exact_state *s);
void exact_run(exact_state *s, const fmpq *input);
/* From the finite doubles input[e * LANES + lane], much faster where numbers stay dyadic. Returns whether
 * all outputs were computed, as with exact_run, or only those in `wanted` (bit k: output k); all are when
 * there are more than 64. */
bool exact_run_lane(exact_state *s, const double *input, unsigned lane, uint64_t wanted);
truth exact_truth(const exact_state *s, size_t k);
/* STATUS_OK and the value; STATUS_UNDEFINED; STATUS_UNABLE (irrational or past the bit limit). */
assay_status exact_value(fmpq_t value, const exact_state *s, size_t k);

/* ---- ball ---- */

typedef struct ball_state ball_state;
ball_state *ball_create(const tape_program *p, size_t exact_bits);
void ball_destroy(ball_state *s);
/* use_exact: values that are rational are first computed exactly (once per call), where the bit limit
 * allows, and comparisons between two of them are exact; otherwise everything but the inputs is a ball. */
void ball_run(ball_state *s, const fmpq *input, slong precision, bool use_exact);
truth ball_truth(const ball_state *s, size_t k);
/* STATUS_OK and an enclosure; STATUS_UNDEFINED; STATUS_UNABLE: nothing known. */
assay_status ball_value(arb_t value, const ball_state *s, size_t k);
/* The exact companion of output k after a run with use_exact: STATUS_OK, STATUS_UNDEFINED or STATUS_UNABLE
 * (not rational, too large, or not asked for). */
assay_status ball_exact_value(fmpq_t value, const ball_state *s, size_t k);
/* Inputs that are balls, not points: every truth holds for all points of the box (for subdivision). */
void ball_run_box(ball_state *s, arb_srcptr input, slong precision);

#endif
