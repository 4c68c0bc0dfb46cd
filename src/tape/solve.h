/* Equalities that are linear in one given element are solved for it, exactly. */
#ifndef ASSAY_TAPE_SOLVE_H
#define ASSAY_TAPE_SOLVE_H

#include "tape/tape.h"

/* For each hypothesis a = b (an atom of an ASSUME label) that is linear in an input x, with a coefficient c that does
 * not depend on x, x becomes the operation -(a - b at x = 0) / c wherever it occurs, and the atom becomes "the solution
 * is defined" (c is not 0). The element declared last is preferred; one whose solution would have to be known
 * before another element's range can be drawn in, while it depends on that element, is not taken. Returns how many
 * atoms were solved; at most `limit`.
 *
 * Guarantee: an instance of the solved tape, with the solved elements' values, is an instance of the original tape, and
 * the hypotheses, conclusions and values are equal. */
unsigned tape_solve(tape *t, unsigned limit);
/* The same for elements of some givens alone: may[g] for those of given number g. What is supplied from elsewhere is not to be
 * solved for. */
unsigned tape_solve_some(tape *t, unsigned limit, const bool *may);
/* The same for label number `question` (a POSSIBLE one) alone: what is drawn from the tape afterwards looks only for
 * instances that meet its equalities. Call it before tape_solve: the question says more than the hypotheses do. */
unsigned tape_solve_question(tape *t, size_t question, unsigned limit);

/* The order in which elements can be drawn: each after the inputs that the ends of its range depend on. `order` takes
 * t->elements numbers. False when there is none (a cycle through solved elements). */
bool tape_draw_order(const tape *t, uint32_t *order);

#endif
