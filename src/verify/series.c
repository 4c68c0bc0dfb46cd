/* Power series of bodies, step by step; the contract is in series.h. */
#include "verify/series.h"

#include <stdlib.h>

#include "core/memory.h"
#include "verify/numbers.h"

/* low + width (start + x), its ends being series in the outer variable. */
static void own_variable(arb_poly_struct *y, const arb_t start, const series *s)
{
  arb_t low, width;
  arb_init(low);
  arb_init(width);
  for (slong k = 0; k < s->rows; k++) {
    arb_poly_get_coeff_arb(low, s->low, k);
    arb_poly_get_coeff_arb(width, s->width, k);
    arb_addmul(low, width, start, s->precision);
    arb_poly_zero(&y[k]);
    arb_poly_set_coeff_arb(&y[k], 1, width);
    arb_poly_set_coeff_arb(&y[k], 0, low);
  }
  arb_clear(low);
  arb_clear(width);
}

/* A step of the outer body does not depend on the variable here: each of its coefficients is a row. */
static void outer_step(arb_poly_struct *y, const arb_poly_struct *x, const series *s)
{
  arb_t c;
  arb_init(c);
  for (slong k = 0; k < s->rows; k++) {
    arb_poly_get_coeff_arb(c, x, k);
    arb_poly_set_arb(&y[k], c);
  }
  arb_clear(c);
}

static void step_series(numbers *n, series *s, const integrand *f, uint32_t i, const arb_t start)
{
  const integrand_step *step = &f->step[i];
  arb_poly_struct *y = &s->value[(slong)i * s->rows], *a = &s->value[(slong)step->a * s->rows],
                  *b = &s->value[(slong)step->b * s->rows];
  arb_t number_;
  bool leaf = step->op == STEP_VARIABLE || step->op == STEP_NUMBER || step->op == STEP_OUTER;
  /* Arb's 0 times what is undefined is 0, and its 0th power 1. */
  if (!leaf && (!series_has_value(a) || ((numbers_takes_two(step->op) || step->op == STEP_INTEGRAL) && !series_has_value(b)))) {
    series_nothing_known(y, s);
    return;
  }
  switch (step->op) {
  case STEP_VARIABLE:
    if (s->outer) {
      own_variable(y, start, s);
      break;
    }
    arb_poly_set_arb(y, start);
    arb_poly_set_coeff_si(y, 1, 1);
    break;
  case STEP_NUMBER:
    arb_init(number_);
    number_ball(n, number_, step->number, s->precision);
    arb_poly_set_arb(y, number_);
    arb_clear(number_);
    break;
  case STEP_OUTER:
    outer_step(y, &s->outer->value[step->a], s);
    break;
  case STEP_INTEGRAL:
    integral_series(n, y, s, step->inner, a, b, start);
    break;
  case OP_NEGATE:
    for (slong k = 0; k < s->rows; k++)
      arb_poly_neg(&y[k], &a[k]);
    break;
  case OP_ADD:
    for (slong k = 0; k < s->rows; k++)
      arb_poly_add(&y[k], &a[k], &b[k], s->precision);
    break;
  case OP_SUBTRACT:
    for (slong k = 0; k < s->rows; k++)
      arb_poly_sub(&y[k], &a[k], &b[k], s->precision);
    break;
  case OP_MULTIPLY:
    series_multiply(y, a, b, s);
    break;
  case OP_DIVIDE:
    series_reciprocal(y, b, s);
    if (series_has_value(y))
      series_multiply(y, y, a, s);
    break;
  case OP_POWER:
    series_power(y, a, step->exponent, s);
    break;
  case OP_FUNCTION + FUNCTION_MIN:
  case OP_FUNCTION + FUNCTION_MAX:
    series_smaller_or_larger(y, a, b, step->op == OP_FUNCTION + FUNCTION_MIN, s);
    break;
  default:
    series_function(y, a, (function_kind)(step->op - OP_FUNCTION), s);
  }
}

void series_init(series *s, const integrand *f, slong rows, slong length, slong precision, uint64_t *work,
                 uint64_t most_work)
{
  *s = (series){.rows = rows, .length = length, .precision = precision, .work = work, .most_work = most_work};
  s->value = memory_new(memory_multiply(f->steps, (size_t)rows), sizeof *s->value);
  for (slong i = 0; i < (slong)f->steps * rows; i++)
    arb_poly_init(&s->value[i]);
}

void series_clear(series *s, const integrand *f)
{
  for (slong i = 0; i < (slong)f->steps * s->rows; i++)
    arb_poly_clear(&s->value[i]);
  free(s->value);
}

const arb_poly_struct *series_of_body(numbers *n, series *s, const integrand *f, const arb_t start)
{
  *s->work += (uint64_t)f->steps * (uint64_t)(s->rows * s->rows);
  for (uint32_t i = 0; i < f->steps; i++)
    step_series(n, s, f, i, start);
  return &s->value[(slong)(f->steps - 1) * s->rows];
}
