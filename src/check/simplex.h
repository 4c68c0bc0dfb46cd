/* Systems of linear inequalities: a point, or a certificate that there is none.
 *
 * GLPK proposes a basis in doubles; FLINT solves for that basis exactly, and what comes out is checked exactly against every
 * row. So a "yes" is a proof, and a "no" says nothing. */
#ifndef ASSAY_CHECK_SIMPLEX_H
#define ASSAY_CHECK_SIMPLEX_H

#include "tape/linear.h"

/* Whether multiplier[i] * row i, added up, is a contradiction (Farkas, Motzkin): the multipliers of inequalities are not
 * negative, the coefficients cancel, and the right sides give less than 0, or 0 when some strict row takes part. */
bool simplex_is_contradiction(const linear_system *s, const fmpq *multiplier);
/* Looks for such multipliers (s->rows of them): integers without a common divisor. True: they are in `multiplier`, checked. */
bool simplex_contradict(fmpq *multiplier, const linear_system *s);

/* Whether the values, one for each element, meet every row. */
bool simplex_is_met(const linear_system *s, const fmpq *value);
/* Looks for a point that meets every row, away from the edges where that can be had. True: it is in value[0 .. elements),
 * checked; elements in no row are 0. */
bool simplex_find_point(fmpq *value, size_t elements, const linear_system *s);

#endif
