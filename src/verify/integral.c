/* Quadrature by Taylor's formula; the contract is in integral.h. */
#include "verify/integral.h"

#include <stdlib.h>

#include "core/memory.h"
#include "verify/series.h"

enum {
  PARTS_MAX = 1 << 15, /* with those that were cut in halves */
  PARTS_INSIDE = 128,  /* of an integral inside, each time */
  WORK_MAX = 1 << 23,  /* steps times rows^2 */
  WORK_NESTED = 1 << 26,
  GUARD = 30           /* bits computed with beyond those that are wanted */
};

integrand *integrand_create(integrand_step *step, uint32_t steps)
{
  integrand *f = memory_new(1, sizeof *f);
  f->step = step;
  f->steps = steps;
  for (uint32_t i = 0; i < steps; i++)
    f->nested |= step[i].op == STEP_INTEGRAL;
  arb_init(f->ball);
  return f;
}

void integrand_destroy(integrand *f)
{
  for (uint32_t i = 0; i < f->steps; i++)
    if (f->step[i].op == STEP_INTEGRAL)
      integrand_destroy(f->step[i].inner);
  free(f->step);
  arb_clear(f->ball);
  free(f);
}

/* The sum over even j of 2 a_j r^(j + 1)/(j + 1) below the order `degree`. */
static void add_polynomial(arb_t sum, const arb_poly_struct *y, slong degree, const arb_t r, slong precision)
{
  arb_t a, term;
  arb_init(a);
  arb_init(term);
  for (slong j = 0; j < degree; j += 2) {
    arb_poly_get_coeff_arb(a, y, j);
    arb_pow_ui(term, r, (ulong)j + 1, precision);
    arb_mul(term, term, a, precision);
    arb_mul_2exp_si(term, term, 1);
    arb_div_ui(term, term, (ulong)j + 1, precision);
    arb_add(sum, sum, term, precision);
  }
  arb_clear(a);
  arb_clear(term);
}

/* |a| 2 r^(degree + 1)/(degree + 1), to be added to a radius. */
static void remainder_bound(arb_t bound, const arb_t a, slong degree, const arb_t r, slong precision)
{
  arb_pow_ui(bound, r, (ulong)degree + 1, precision);
  arb_mul(bound, bound, a, precision);
  arb_mul_2exp_si(bound, bound, 1);
  arb_div_ui(bound, bound, (ulong)degree + 1, precision);
}

/* Row by row the integral of the body over one part, [c - r, c + r]. *finite: that of row 0 is enclosed. *hopeless, which the
 * caller has set to false: the body is perhaps undefined in the very middle, so no narrower part will do. Returns whether all
 * are enclosed closely: to a radius of `enough`, or of an integral inside as closely as what it depends on is known. */
static bool part(numbers *n, series *s, arb_ptr result, bool *finite, bool *hopeless, const integrand *f, const arf_t c,
                 const arf_t r, const mag_t enough)
{
  slong degree = s->length - 1, precision = s->precision;
  arb_t ball, width, bound, sum;
  arb_init(ball);
  arb_init(width);
  arb_init(bound);
  arb_init(sum);
  arb_ptr last = _arb_vec_init(s->rows); /* the coefficients of order `degree` */
  arb_set_arf(ball, c);
  arb_set_arf(width, r);
  arb_add_error(ball, width);
  const arb_poly_struct *y = series_of_body(n, s, f, ball);
  for (slong k = 0; k < s->rows; k++) {
    arb_poly_get_coeff_arb(&result[k], &y[k], 0);
    arb_poly_get_coeff_arb(&last[k], &y[k], degree);
    arb_mul(&result[k], &result[k], width, precision); /* the range over the part: what serves at a kink */
    arb_mul_2exp_si(&result[k], &result[k], 1);
  }
  *finite = arb_is_finite(result);
  bool close = *finite, smooth = !*finite; /* at a kink the series around the middle would say nothing */
  mag_t size;
  mag_init(size);
  arf_get_mag(size, r);
  for (slong k = 0; k < s->rows; k++)
    smooth = smooth || arb_is_finite(&last[k]);
  if (smooth) {
    arb_set_arf(ball, c);
    y = series_of_body(n, s, f, ball);
    *hopeless = !series_has_value(y);
  }
  for (slong k = 0; k < s->rows && *finite; k++) {
    bool taylor = false;
    if (arb_is_finite(&last[k])) {
      remainder_bound(bound, &last[k], degree, width, precision);
      arb_zero(sum);
      add_polynomial(sum, &y[k], degree, width, precision);
      mag_t known;
      mag_init_set(known, arb_radref(sum));
      arb_add_error(sum, bound);
      mag_mul_2exp_si(known, known, 1);
      taylor = s->outer && mag_cmp(arb_radref(sum), known) <= 0;
      mag_clear(known);
      if (arb_is_finite(sum) && mag_cmp(arb_radref(sum), arb_radref(&result[k])) < 0)
        arb_set(&result[k], sum);
    }
    close = close && (taylor || mag_cmp(arb_radref(&result[k]), enough) <= 0 || (s->outer && mag_cmp(size, s->play) <= 0));
  }
  _arb_vec_clear(last, s->rows);
  mag_clear(size);
  arb_clear(ball);
  arb_clear(width);
  arb_clear(bound);
  arb_clear(sum);
  return close;
}

/* Parts with what is known of them, the oldest and widest first: where the work ends, those that are left serve as they are. */
typedef struct {
  arf_t c, r;
  arb_ptr value; /* by row */
  bool finite, close, hopeless;
} interval;

typedef struct {
  interval *part;
  size_t next, count, capacity;
} queue;

/* c and r are copied. */
static void push(queue *q, numbers *n, series *s, const integrand *f, const arf_t c, const arf_t r, slong precision)
{
  if (q->count == q->capacity) {
    q->capacity = q->capacity ? 2 * q->capacity : 64;
    q->part = memory_resize(q->part, q->capacity, sizeof *q->part);
  }
  interval *x = &q->part[q->count++];
  mag_t enough;
  mag_init(enough);
  arf_init(x->c);
  arf_init(x->r);
  arf_set(x->c, c);
  arf_set(x->r, r);
  x->value = _arb_vec_init(s->rows);
  arf_get_mag(enough, r);
  mag_mul_2exp_si(enough, enough, -precision);
  x->hopeless = false;
  x->close = part(n, s, x->value, &x->finite, &x->hopeless, f, c, r, enough);
  mag_clear(enough);
}

static void push_halves(queue *q, numbers *n, series *s, const integrand *f, const arf_t c, const arf_t r, slong precision)
{
  arf_t half, side;
  arf_init(half);
  arf_init(side);
  arf_mul_2exp_si(half, r, -1);
  arf_sub(side, c, half, ARF_PREC_EXACT, ARF_RND_DOWN);
  push(q, n, s, f, side, half, precision);
  arf_add(side, c, half, ARF_PREC_EXACT, ARF_RND_DOWN);
  push(q, n, s, f, side, half, precision);
  arf_clear(half);
  arf_clear(side);
}

/* Row by row the integral over [c - r, c + r], parts being good once their radius is below 2^-precision times their width. */
static void over_interval(numbers *n, series *s, arb_ptr result, const integrand *f, const arf_t c, const arf_t r,
                          slong precision, unsigned most)
{
  queue q = {0};
  arf_t least;
  arf_init(least); /* a part narrower than this is taken as it is */
  arf_mul_2exp_si(least, r, -2 * precision);
  _arb_vec_zero(result, s->rows);
  push(&q, n, s, f, c, r, precision);
  while (q.next < q.count && arb_is_finite(result)) {
    interval x = q.part[q.next++]; /* its numbers stay the queue's, which may move */
    bool narrow = x.hopeless || arf_cmp(x.r, least) <= 0 || q.count + 2 > most || *s->work > s->most_work;
    if (!x.close && !narrow)
      push_halves(&q, n, s, f, x.c, x.r, precision);
    else if (x.finite)
      _arb_vec_add(result, result, x.value, s->rows, s->precision);
    else
      arb_indeterminate(result);
  }
  for (size_t i = 0; i < q.count; i++) {
    arf_clear(q.part[i].c);
    arf_clear(q.part[i].r);
    _arb_vec_clear(q.part[i].value, s->rows);
  }
  free(q.part);
  arf_clear(least);
}

/* A quarter of it: parts that are narrower than that are known no better than the outer variable is. */
static void set_play(series *t, const arb_t start)
{
  arb_t size;
  mag_t least;
  arb_init(size);
  mag_init(least);
  mag_init(t->play);
  arb_poly_get_coeff_arb(size, t->width, 0);
  arb_get_mag_lower(least, size);
  if (!mag_is_zero(least))
    mag_div(t->play, arb_radref(start), least);
  mag_mul_2exp_si(t->play, t->play, -2);
  mag_clear(least);
  arb_clear(size);
}

void integral_series(numbers *n, arb_poly_struct *y, const series *s, const integrand *inner, const arb_poly_struct *low,
                     const arb_poly_struct *high, const arb_t start)
{
  series t;
  series_init(&t, inner, s->length, s->length, s->precision, s->work, s->most_work);
  arb_poly_t width;
  arb_poly_init(width);
  arb_poly_sub(width, high, low, s->precision);
  t.outer = s;
  t.low = low;
  t.width = width;
  set_play(&t, start);
  arb_ptr row = _arb_vec_init(t.rows);
  arf_t half;
  arf_init(half);
  arf_set_d(half, 0.5);
  over_interval(n, &t, row, inner, half, half, s->precision - GUARD, PARTS_INSIDE);
  if (arb_is_finite(row)) {
    arb_poly_zero(y);
    for (slong k = t.rows - 1; k >= 0; k--)
      arb_poly_set_coeff_arb(y, k, &row[k]);
    arb_poly_mullow(y, y, width, s->length, s->precision);
  } else
    series_nothing_known(y, s);
  arf_clear(half);
  mag_clear(t.play);
  _arb_vec_clear(row, t.rows);
  arb_poly_clear(width);
  series_clear(&t, inner);
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

static void enclose(numbers *n, integrand *f, slong precision)
{
  series s;
  uint64_t work = 0;
  series_init(&s, f, 1, 10 + precision / 8, precision + GUARD, &work, f->nested ? WORK_NESTED : WORK_MAX);
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
    over_interval(n, &s, f->ball, f, c, r, precision, PARTS_MAX);
  else
    arb_indeterminate(f->ball);
  add_end(n, &s, f->ball, f, low);
  add_end(n, &s, f->ball, f, high);
  if (backward)
    arb_neg(f->ball, f->ball);
  series_clear(&s, f);
  arb_clear(low);
  arb_clear(high);
  arf_clear(c);
  arf_clear(r);
}

void integral_ball(numbers *n, arb_t result, integrand *f, slong precision)
{
  slong most = f->nested ? NESTED_PRECISION : INTEGRAL_PRECISION;
  precision = precision < most ? precision : most;
  if (f->precision < precision) {
    enclose(n, f, precision);
    f->precision = precision;
  }
  arb_set(result, f->ball);
}
