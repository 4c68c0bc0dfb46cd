/* Quadrature by Taylor's formula; the contract is in integral.h. */
#include "verify/integral.h"

#include <stdlib.h>

#include "core/memory.h"
#include "verify/series.h"

enum { PARTS_MAX = 1 << 14, WORK_MAX = 1 << 22 /* parts times steps */ };

/* The body over one part, [c - r, c + r]; *finite: an enclosure was found. */
static void part(numbers *n, series *s, arb_t result, bool *finite, const integrand *f, const arf_t c, const arf_t r)
{
  slong degree = s->length - 1, precision = s->precision;
  arb_t ball, a, width, term, range;
  arb_init(ball);
  arb_init(a);
  arb_init(width);
  arb_init(term);
  arb_init(range);
  arb_set_arf(ball, c);
  arb_set_arf(width, r);
  arb_add_error(ball, width);
  const arb_poly_struct *y = series_of_body(n, s, f, ball);
  arb_poly_get_coeff_arb(range, y, 0);
  arb_poly_get_coeff_arb(a, y, degree);
  arb_mul(range, range, width, precision); /* the range over the part: what serves at a kink */
  arb_mul_2exp_si(range, range, 1);
  *finite = arb_is_finite(range);
  arb_set(result, range);
  if (*finite && arb_is_finite(a)) {
    arb_pow_ui(term, width, (ulong)degree + 1, precision);
    arb_mul(term, term, a, precision);
    arb_mul_2exp_si(term, term, 1);
    arb_div_ui(term, term, (ulong)degree + 1, precision);
    arb_zero(range);
    arb_add_error(range, term);
    arb_set_arf(ball, c);
    y = series_of_body(n, s, f, ball);
    for (slong k = 0; k < degree; k += 2) {
      arb_poly_get_coeff_arb(a, y, k);
      arb_pow_ui(term, width, (ulong)k + 1, precision);
      arb_mul(term, term, a, precision);
      arb_mul_2exp_si(term, term, 1);
      arb_div_ui(term, term, (ulong)k + 1, precision);
      arb_add(range, range, term, precision);
    }
    if (arb_is_finite(range) && mag_cmp(arb_radref(range), arb_radref(result)) < 0)
      arb_set(result, range);
  }
  arb_clear(ball);
  arb_clear(a);
  arb_clear(width);
  arb_clear(term);
  arb_clear(range);
}

typedef struct {
  arf_t c, r;
} interval;

static void push(interval *stack, unsigned *depth, const arf_t c, const arf_t r)
{
  arf_init(stack[*depth].c);
  arf_init(stack[*depth].r);
  arf_set(stack[*depth].c, c);
  arf_set(stack[*depth].r, r);
  ++*depth;
}

/* The integral over [c - r, c + r], parts being good once their radius is below 2^-precision times their width. */
static void over_interval(numbers *n, series *s, arb_t result, const integrand *f, const arf_t c, const arf_t r,
                          slong precision)
{
  enum { STACK = 1 << 13 };
  interval *stack = memory_new(STACK, sizeof *stack);
  unsigned depth = 0, parts = 0;
  arb_t value;
  mag_t enough, width;
  arb_init(value);
  mag_init(enough);
  mag_init(width);
  arb_zero(result);
  arf_get_mag(enough, r); /* a part narrower than this is taken as it is */
  mag_mul_2exp_si(enough, enough, -2 * precision);
  push(stack, &depth, c, r);
  while (depth > 0) {
    interval x = stack[--depth];
    bool finite;
    part(n, s, value, &finite, f, x.c, x.r);
    arf_get_mag(width, x.r);
    bool narrow = mag_cmp(width, enough) <= 0 || ++parts > PARTS_MAX || depth + 2 > STACK ||
                  (uint64_t)parts * f->steps > WORK_MAX;
    mag_mul_2exp_si(width, width, -precision);
    if (narrow || (finite && mag_cmp(arb_radref(value), width) <= 0)) {
      if (finite)
        arb_add(result, result, value, s->precision);
      else
        arb_indeterminate(result);
    } else {
      arf_t half, side;
      arf_init(half);
      arf_init(side);
      arf_mul_2exp_si(half, x.r, -1);
      arf_add(side, x.c, half, ARF_PREC_EXACT, ARF_RND_DOWN);
      push(stack, &depth, side, half);
      arf_sub(side, x.c, half, ARF_PREC_EXACT, ARF_RND_DOWN);
      push(stack, &depth, side, half);
      arf_clear(half);
      arf_clear(side);
    }
    arf_clear(x.c);
    arf_clear(x.r);
    if (!arb_is_finite(result))
      break;
  }
  while (depth > 0) {
    arf_clear(stack[--depth].c);
    arf_clear(stack[depth].r);
  }
  arb_clear(value);
  mag_clear(enough);
  mag_clear(width);
  free(stack);
}

/* What an end that is known as a ball leaves open: its radius times the size of the body there. */
static void add_end(numbers *n, series *s, arb_t result, const integrand *f, const arb_t end)
{
  if (arb_is_exact(end))
    return;
  arb_t size, width;
  arb_init(size);
  arb_init(width);
  arb_poly_get_coeff_arb(size, series_of_body(n, s, f, end), 0);
  arb_get_rad_arb(width, end);
  arb_mul(size, size, width, s->precision);
  arb_add_error(result, size);
  arb_clear(size);
  arb_clear(width);
}

void integral_ball(numbers *n, arb_t result, const integrand *f, slong precision)
{
  precision = precision < INTEGRAL_PRECISION ? precision : INTEGRAL_PRECISION;
  series s;
  series_init(&s, f, 10 + precision / 8, precision + 30);
  arb_t low, high;
  arf_t c, r;
  arb_init(low);
  arb_init(high);
  arf_init(c);
  arf_init(r);
  number_ball(n, low, f->low, s.precision);
  number_ball(n, high, f->high, s.precision);
  arf_add(c, arb_midref(low), arb_midref(high), ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_sub(r, arb_midref(high), arb_midref(low), ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_mul_2exp_si(c, c, -1);
  arf_mul_2exp_si(r, r, -1);
  bool backward = arf_sgn(r) < 0;
  arf_abs(r, r);
  if (arf_is_finite(c) && arf_is_finite(r))
    over_interval(n, &s, result, f, c, r, precision);
  else
    arb_indeterminate(result);
  add_end(n, &s, result, f, low);
  add_end(n, &s, result, f, high);
  if (backward)
    arb_neg(result, result);
  series_clear(&s, f);
  arb_clear(low);
  arb_clear(high);
  arf_clear(c);
  arf_clear(r);
}
