/* Power series over balls of what is integrated, in its variable and, for an integral inside of another, in the outer variable
 * too.
 *
 * A series is an array of rows: row k is the polynomial in the variable that stands before the k-th power of the outer one.
 * Without an outer variable there is one row. The coefficient of x^j in row k of a series around a ball x_0 and a ball u_0 of
 * the outer variable holds (d/du)^k (d/dx)^j f/(k! j!) at every point of these balls. Where a function has a kink in the balls
 * only its range is known: the other coefficients are then everything, [-inf, inf]. Where it is perhaps undefined somewhere in
 * the balls, the first coefficient is not finite. */
#ifndef ASSAY_VERIFY_SERIES_H
#define ASSAY_VERIFY_SERIES_H

#include "verify/integral.h"

typedef struct series series;
struct series {
  slong rows, length, precision; /* coefficients of order 0 .. length - 1 in each row, computed with so many bits */
  arb_poly_struct *value;        /* by step, row by row */
  uint64_t *work, most_work;     /* what was spent so far, in steps times rows^2, and what may be */
  /* of an integral inside of another: */
  const series *outer;             /* one row; NULL: there is none */
  const arb_poly_struct *low, *width; /* its interval, in the outer variable; its own variable runs through 0..1 */
  mag_t play;                         /* the radius of the ball that the outer series is around, over |width| */
};

/* For bodies of f. `work` is shared with whatever is inside. */
void series_init(series *s, const integrand *f, slong rows, slong length, slong precision, uint64_t *work,
                 uint64_t most_work);
void series_clear(series *s, const integrand *f);

/* The series of the body around `start`, a point or a ball. Valid until the next one. */
const arb_poly_struct *series_of_body(numbers *n, series *s, const integrand *f, const arb_t start);

/* integral.c: the integral of `inner` from low to high (one row each) as a series of one row in the variable of s, around
 * `start`. */
void integral_series(numbers *n, arb_poly_struct *y, const series *s, const integrand *inner, const arb_poly_struct *low,
                     const arb_poly_struct *high, const arb_t start);

/* ---- series_functions.c: operations on rows; `y` is no operand where that is not said ---- */

void series_range_only(arb_poly_struct *y, const arb_t range, const series *s);
void series_nothing_known(arb_poly_struct *y, const series *s);
/* Whether the value, not only a derivative, is enclosed: then it is defined. */
bool series_has_value(const arb_poly_struct *y);
/* y may be a or b. */
void series_multiply(arb_poly_struct *y, const arb_poly_struct *a, const arb_poly_struct *b, const series *s);
void series_reciprocal(arb_poly_struct *y, const arb_poly_struct *x, const series *s);
void series_power(arb_poly_struct *y, const arb_poly_struct *x, int64_t exponent, const series *s);
void series_smaller_or_larger(arb_poly_struct *y, const arb_poly_struct *a, const arb_poly_struct *b, bool smaller,
                              const series *s);
void series_function(arb_poly_struct *y, const arb_poly_struct *x, function_kind f, const series *s);

#endif
