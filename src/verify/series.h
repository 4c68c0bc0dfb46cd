/* Power series over balls of what is integrated.
 *
 * The coefficient of order k of a series around a ball holds f^(k)(x)/k! for every x in the ball. Where a function has a kink in
 * the ball only its range is known: the other coefficients are then everything, [-inf, inf]. Where it is perhaps undefined
 * somewhere in the ball, the coefficient of order 0 is not finite. */
#ifndef ASSAY_VERIFY_SERIES_H
#define ASSAY_VERIFY_SERIES_H

#include "verify/integral.h"

typedef struct {
  slong length, precision; /* coefficients of order 0 .. length - 1, computed with so many bits */
  arb_poly_struct *value;  /* by step */
} series;

void series_init(series *s, const integrand *f, slong length, slong precision);
void series_clear(series *s, const integrand *f);

/* The series of the body around `start`, a point or a ball. Valid until the next one. */
const arb_poly_struct *series_of_body(numbers *n, series *s, const integrand *f, const arb_t start);

#endif
