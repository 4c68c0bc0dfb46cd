/* The ladder: what is true of one instance, decided by the first arithmetic that can.
 *
 * bounded -> exact (dyadic or rational, where the tape is rational) -> balls of growing precision over exact values. */
#ifndef ASSAY_CHECK_DECIDE_H
#define ASSAY_CHECK_DECIDE_H

#include "arith/arith.h"
#include "tape/tape.h"

typedef enum { DECIDE_LADDER, DECIDE_BOUNDED, DECIDE_EXACT, DECIDE_BALL } decide_arithmetic;

/* The tape of a claim at fixed sizes with a program that yields every label and atom. Shared by threads, read only. */
typedef struct decider decider;
/* Appends the conjunction of the hypotheses to the tape. */
decider *decider_create(tape *t, slong precision);
void decider_destroy(decider *d);
const tape *decider_tape(const decider *d);

/* One thread's working space. */
typedef struct decider_state decider_state;
decider_state *decider_state_create(const decider *d);
void decider_state_destroy(decider_state *s);

/* Quick form for sweeps: the truth of all hypotheses together and of each show or possible, nothing else. `target` is the
 * number of outputs of decider_targets. Starts above `bounded`, which the sweep has run on whole blocks. */
typedef struct {
  truth hypotheses;
  truth *target;
} decide_summary;
void decide_quickly(decider_state *s, const fmpq *values, decide_summary *out);
/* The same of lane `lane` of a block, input[e * LANES + lane]: finite doubles. On entry `out` holds what `bounded` is
 * certain of (TRUTH_UNKNOWN otherwise); that is taken over, the rest decided. Targets stay open where the hypotheses are
 * not met. */
void decide_lane(decider_state *s, const double *input, unsigned lane, decide_summary *out);
/* The labels of kind SHOW or POSSIBLE, in order: their numbers on the tape. */
size_t decider_targets(const decider *d, const uint32_t **labels);
/* The program of the quick form, for block evaluation in `bounded` and `real`: output 0 all hypotheses (first phase), then the
 * targets. The second has no slot reused. */
const tape_program *decider_program(const decider *d);
const tape_program *decider_program_kept(const decider *d);

/* Decides everything (one rational for each element of the tape; those of solved elements are not read). */
void decide_instance(decider_state *s, const fmpq *values, decide_arithmetic arithmetic);
/* After decide_instance: the truth of label k of the tape, of atom k, of all hypotheses. */
truth decide_label(const decider_state *s, size_t label);
truth decide_atom(const decider_state *s, size_t atom);
truth decide_hypotheses(const decider_state *s);
/* The first show that is false (or possible that is true): its label, and the atom that shows it (SIZE_MAX: none alone).
 * False when there is none. */
bool decide_broken(const decider_state *s, size_t *label, size_t *atom);
/* The arithmetic that had the last word: "bounded", "exact", "ball". */
const char *decide_decided_by(const decider_state *s);
/* One side of a comparison: exact text "p/q" where it is rational, else a decimal enclosure rounded outward; NULL when
 * undefined or nothing is known. The caller frees. */
char *decide_side_text(const decider_state *s, size_t atom, bool right);
/* Balls for the two sides of an atom and for right - left; false when nothing is known. */
bool decide_sides(arb_t left, arb_t right, arb_t difference, const decider_state *s, size_t atom);
/* Decimal text of a ball, rounded outward (cert/exact.h): "[1.25 +/- 1e-20]"; NULL when it is not bounded. */
char *decide_ball_text(const arb_t x);

#endif
