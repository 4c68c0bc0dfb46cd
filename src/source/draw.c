/* The random source. */
#include "source/draw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/philox.h"
#include "tape/solve.h"

/* The elements are drawn in `order`; before element order[k] the first step[k] steps of the program are run, which
 * compute the ends of its range. */
struct drawer {
  const tape *t;
  uint32_t *order;
  size_t *step;            /* elements + 1 of them */
  tape_program *ends;      /* outputs: low and high of each element that has them */
  size_t *low, *high;      /* output numbers, or SIZE_MAX */
};

struct drawer_state {
  const drawer *d;
  real_state *real;
};

/* How an instance draws: the chance, in 256ths, of each kind of value. The rest is uniform. */
typedef struct {
  uint8_t low_end, high_end, beside_end, earlier, zero, small, log_uniform, huge, tiny, alternate, repeat;
} temper;

static const temper tempers[] = {
    {.beside_end = 4, .log_uniform = 16, .small = 8},                                          /* mostly uniform */
    {.low_end = 88, .high_end = 88, .beside_end = 20, .small = 20},                            /* corners */
    {.low_end = 40, .high_end = 120, .beside_end = 8, .small = 40},                            /* mostly high */
    {.low_end = 120, .high_end = 40, .beside_end = 8, .small = 40, .zero = 16},                /* mostly low */
    {.small = 200, .low_end = 16, .high_end = 16},                                             /* small rationals */
    {.earlier = 100, .low_end = 32, .high_end = 32, .small = 32, .zero = 16},                  /* few different values */
    {.log_uniform = 160, .low_end = 16, .high_end = 16, .tiny = 16, .huge = 8},                /* all magnitudes */
    {.alternate = 160, .small = 32, .low_end = 16, .high_end = 16},                            /* alternating signs */
    {.huge = 60, .tiny = 60, .low_end = 24, .high_end = 24, .beside_end = 40, .zero = 16},     /* extremes */
    {.zero = 150, .small = 40, .low_end = 16, .high_end = 24},                                 /* mostly zero */
    {.repeat = 210, .small = 26, .low_end = 4, .high_end = 8, .zero = 8},                      /* constant sequences */
    {.repeat = 150, .small = 40, .low_end = 16, .high_end = 24, .zero = 16, .earlier = 8},     /* constant in parts */
    {.low_end = 20, .high_end = 20, .small = 60, .earlier = 30, .log_uniform = 30, .zero = 20} /* a bit of all */
};

enum { TEMPERS = sizeof tempers / sizeof tempers[0] };

/* Sorts the steps of d->ends by when they can run: a step that reads the k-th element drawn comes after it, so that
 * before element order[k] is drawn steps 0 .. step[k] - 1 have run. No slot is reused, so any such order will do. */
static void sort_steps(drawer *d)
{
  tape_program *p = d->ends;
  size_t count = d->t->elements;
  size_t *rank = memory_new(count, sizeof *rank), *when = memory_new(p->steps, sizeof *when);
  size_t *slot_when[2] = {memory_new(p->value_slots, sizeof(size_t)), memory_new(p->truth_slots, sizeof(size_t))};
  for (size_t k = 0; k < count; k++)
    rank[d->order[k]] = k;
  for (size_t i = 0; i < p->steps; i++) {
    const tape_step *s = &p->step[i];
    tape_opcode op = (tape_opcode)s->op;
    uint32_t operand[3] = {s->a, s->b, s->c};
    if (op == TAPE_INPUT)
      when[i] = rank[s->a] + 1;
    for (unsigned k = 0; k < tape_operands(op); k++) {
      bool is_truth = (op >= TAPE_NOT && op <= TAPE_IMPLIES) || op == TAPE_CHOOSE || (op == TAPE_SELECT && k == 2);
      size_t w = slot_when[is_truth][operand[k]];
      when[i] = w > when[i] ? w : when[i];
    }
    slot_when[tape_is_truth(op)][s->target] = when[i];
  }
  tape_step *sorted = memory_new(p->steps, sizeof *sorted);
  size_t placed = 0;
  size_t *start = memory_new(count + 2, sizeof *start);
  for (size_t i = 0; i < p->steps; i++)
    start[when[i] + 1]++;
  for (size_t k = 0; k <= count; k++)
    start[k + 1] += start[k];
  for (size_t k = 0; k <= count; k++)
    d->step[k] = start[k + 1];
  for (size_t i = 0; i < p->steps; i++, placed++)
    sorted[start[when[i]]++] = p->step[i];
  free(p->step);
  p->step = sorted;
  free(start);
  free(slot_when[0]);
  free(slot_when[1]);
  free(when);
  free(rank);
}

drawer *drawer_create(const tape *t)
{
  drawer *d = memory_new(1, sizeof *d);
  d->t = t;
  d->order = memory_new(t->elements, sizeof *d->order);
  d->step = memory_new(t->elements + 1, sizeof *d->step);
  d->low = memory_new(t->elements, sizeof *d->low);
  d->high = memory_new(t->elements, sizeof *d->high);
  if (!tape_draw_order(t, d->order)) {
    drawer_destroy(d);
    return NULL;
  }
  tape_id *output = memory_new(2 * t->elements, sizeof *output);
  size_t outputs = 0;
  for (size_t i = 0; i < t->elements; i++) {
    const tape_element *e = &t->element[i];
    bool drawn = t->op[e->op].op == TAPE_INPUT;
    d->low[i] = drawn && e->low != TAPE_NONE ? outputs : SIZE_MAX;
    if (d->low[i] != SIZE_MAX)
      output[outputs++] = e->low;
    d->high[i] = drawn && e->high != TAPE_NONE ? outputs : SIZE_MAX;
    if (d->high[i] != SIZE_MAX)
      output[outputs++] = e->high;
  }
  d->ends = tape_compile(t, output, outputs, outputs, true);
  free(output);

  sort_steps(d);
  return d;
}

void drawer_destroy(drawer *d)
{
  if (!d)
    return;
  tape_program_destroy(d->ends);
  free(d->order);
  free(d->step);
  free(d->low);
  free(d->high);
  free(d);
}

drawer_state *drawer_state_create(const drawer *d)
{
  drawer_state *s = memory_new(1, sizeof *s);
  s->d = d;
  s->real = real_create(d->ends);
  return s;
}

void drawer_state_destroy(drawer_state *s)
{
  if (!s)
    return;
  real_destroy(s->real);
  free(s);
}

/* ---- one value ---- */

static const double small_values[] = {0, 1, -1, 0.5, -0.5, 2, -2, 0.25, 0.75, -0.25, 3, -3, 0.125, 1.5, 4, 10, -10, 100,
                                      0.0625, 0.9375};
enum { SMALL_VALUES = sizeof small_values / sizeof small_values[0] };

/* A double from 53 random bits at a uniform place in [low, high], both finite. */
static double between(double low, double high, double u)
{
  double x = low + (high - low) * u;
  if (!isfinite(high - low))
    x = low * (1 - u) + high * u;
  return x < low ? low : x > high ? high : x;
}

/* About log-uniform: a uniform exponent and a uniform fraction. Exact in every C library, unlike exp2(log2(..)). */
static double log_between(int smallest, int largest, double u)
{
  double place = u * (largest - smallest), whole = floor(place);
  return ldexp(1 + (place - whole), smallest + (int)whole);
}

/* Whether x lies in the range as far as doubles can tell; the checker has the last word. */
static bool fits(double x, double low, double high)
{
  return x >= low && x <= high;
}

/* The range within which free values are drawn uniformly when an end is infinite. */
static void usual_range(double low, double high, uint64_t bits, double *from, double *to)
{
  static const double scale[] = {1, 2, 10, 100};
  double s = scale[bits & 3];
  *from = isfinite(low) ? low : isfinite(high) ? high - s : -s;
  *to = isfinite(high) ? high : isfinite(low) ? low + s : s;
}

typedef struct {
  double low, high;
  bool low_open, high_open;
  const double *input; /* of all elements, LANES each */
  const uint32_t *earlier;
  size_t drawn;        /* how many of `earlier` have values */
  unsigned lane;
  double previous;     /* the last value of the same given, 0 for none */
  bool has_previous;
} draw_context;

/* log-uniform in magnitude, away from the finite end nearest to 0, either sign where the range allows it. */
static double draw_log(const draw_context *c, uint64_t bits, double u)
{
  double size = log_between(-40, 20, u);
  bool finite_low = isfinite(c->low), finite_high = isfinite(c->high);
  if (finite_low && finite_high) {
    double width = c->high - c->low, part = width * log_between(-50, 0, u);
    return bits & 1 ? c->low + part : c->high - part;
  }
  if (finite_low)
    return c->low + size;
  if (finite_high)
    return c->high - size;
  return bits & 1 ? size : -size;
}

static double draw_end(const draw_context *c, bool high, bool beside)
{
  double end = high ? c->high : c->low;
  bool open = high ? c->high_open : c->low_open;
  if (!isfinite(end))
    return high ? 1 : -1;
  if (!open && !beside)
    return end;
  /* Next to the end: for an end at 0 the neighbouring double is subnormal, so 2^-52 of the width serves as well. */
  double other = high ? c->low : c->high;
  if (!beside && isfinite(other)) {
    double inside = end + (other - end) * 0x1p-20;
    if (inside != end)
      return inside;
  }
  return nextafter(end, high ? -INFINITY : INFINITY);
}

static double draw_value(const draw_context *c, const temper *p, philox_stream *stream)
{
  uint64_t bits = philox_next(stream);
  double u = (double)(philox_next(stream) >> 11) * 0x1p-53;
  unsigned roll = bits & 255;
  bits >>= 8;
  double x = NAN;
  if (roll < p->low_end)
    x = draw_end(c, false, false);
  else if ((roll -= p->low_end) < p->high_end)
    x = draw_end(c, true, false);
  else if ((roll -= p->high_end) < p->beside_end)
    x = draw_end(c, bits & 1, true);
  else if ((roll -= p->beside_end) < p->earlier) {
    if (c->drawn) {
      x = c->input[c->earlier[bits % c->drawn] * LANES + c->lane];
      if (bits >> 20 & 1 && fits(1 - x, c->low, c->high)) /* complements to 1 are as common in hypotheses */
        x = 1 - x;
    }
  } else if ((roll -= p->earlier) < p->zero)
    x = 0;
  else if ((roll -= p->zero) < p->small) {
    x = small_values[bits % SMALL_VALUES];
    if (!fits(x, c->low, c->high) && isfinite(c->low) && isfinite(c->high))
      x = c->low + (c->high - c->low) * (double)(1 + bits % 15) / 16;
  } else if ((roll -= p->small) < p->log_uniform)
    x = draw_log(c, bits, u);
  else if ((roll -= p->log_uniform) < p->huge) {
    double size = bits >> 2 & 1 ? log_between(20, 1000, u) : ldexp(1, 4 + (int)(bits % 60));
    x = bits & 1 ? size : -size;
    if (!fits(x, c->low, c->high))
      x = -x;
  } else if ((roll -= p->huge) < p->tiny) {
    double size = bits >> 2 & 1 ? log_between(-1060, -60, u) : bits >> 3 & 1 ? 0x1p-1074 : ldexp(1, -4 - (int)(bits % 90));
    x = bits & 1 ? size : -size;
    if (!fits(x, c->low, c->high))
      x = isfinite(c->low) ? c->low + size : -x;
  } else if ((roll -= p->tiny) < p->alternate) {
    if (c->previous != 0)
      x = -c->previous * (bits & 1 ? 1 : 0.5 + u);
  } else if ((roll -= p->alternate) < p->repeat && c->has_previous)
    x = c->previous;
  if (!fits(x, c->low, c->high)) {
    double from, to;
    usual_range(c->low, c->high, bits, &from, &to);
    x = between(from, to, u);
    if (bits >> 40 & 1) /* few bits: easier to read, and sums of such values are exact */
      x = between(from, to, floor(u * 64) / 64);
  }
  /* An open end is no value: step inside. */
  if (x == c->low && c->low_open)
    x = nextafter(x, INFINITY);
  if (x == c->high && c->high_open)
    x = nextafter(x, -INFINITY);
  return isfinite(x) ? x : 0;
}

void drawer_fill(drawer_state *s, double *input, uint64_t seed, uint32_t claim, uint64_t first, uint32_t attempt)
{
  const drawer *d = s->d;
  const tape *t = d->t;
  philox_stream stream[LANES];
  const temper *mood[LANES];
  double previous[LANES];
  for (unsigned lane = 0; lane < LANES; lane++) {
    stream[lane] = philox_stream_start(seed, claim, first + lane, attempt);
    mood[lane] = &tempers[philox_below(&stream[lane], TEMPERS)];
    previous[lane] = 0;
  }
  size_t done = 0;
  for (size_t k = 0; k < t->elements; k++) {
    size_t e = d->order[k];
    const tape_element *element = &t->element[e];
    double *x = input + e * LANES;
    if (t->op[element->op].op != TAPE_INPUT) {
      memset(x, 0, LANES * sizeof *x);
      continue;
    }
    if (d->step[k] > done) {
      real_run(s->real, input, done, d->step[k]);
      done = d->step[k];
    }
    const double *low = d->low[e] == SIZE_MAX ? NULL : real_output(s->real, d->low[e]);
    const double *high = d->high[e] == SIZE_MAX ? NULL : real_output(s->real, d->high[e]);
    bool same_given = k && t->element[d->order[k - 1]].given == element->given;
    for (unsigned lane = 0; lane < LANES; lane++) {
      draw_context c = {.low = low ? low[lane] : -INFINITY,
                        .high = high ? high[lane] : INFINITY,
                        .low_open = element->low_open,
                        .high_open = element->high_open,
                        .input = input,
                        .earlier = d->order,
                        .drawn = k,
                        .lane = lane,
                        .previous = same_given ? previous[lane] : 0,
                        .has_previous = same_given};
      x[lane] = draw_value(&c, mood[lane], &stream[lane]);
      previous[lane] = x[lane];
    }
  }
}

bool drawer_is_bounded(const drawer *d, size_t e)
{
  return d->low[e] != SIZE_MAX && d->high[e] != SIZE_MAX;
}

void drawer_place(drawer_state *s, double *input, const drawer_position *position)
{
  const drawer *d = s->d;
  size_t done = 0;
  for (size_t k = 0; k < d->t->elements; k++) {
    size_t e = d->order[k];
    const tape_element *element = &d->t->element[e];
    double *x = input + e * LANES;
    if (d->t->op[element->op].op != TAPE_INPUT) {
      memset(x, 0, LANES * sizeof *x);
      continue;
    }
    if (!drawer_is_bounded(d, e)) {
      for (unsigned lane = 0; lane < LANES; lane++)
        x[lane] = position[e * LANES + lane].at;
      continue;
    }
    if (d->step[k] > done) {
      real_run(s->real, input, done, d->step[k]);
      done = d->step[k];
    }
    const double *low = real_output(s->real, d->low[e]), *high = real_output(s->real, d->high[e]);
    for (unsigned lane = 0; lane < LANES; lane++) {
      double f = position[e * LANES + lane].at, width = high[lane] - low[lane];
      /* An open end is approached to a millionth of the width: rounding makes it a simple number later. */
      if (f == 0 && element->low_open)
        f = 0x1p-20;
      if (f == 1 && element->high_open)
        f = 1 - 0x1p-20;
      x[lane] = f == 1 ? high[lane] : low[lane] + width * f;
    }
  }
}
