/* The largest and smallest entries of a layer under the Mamba assumption: which they are, and enclosures of
 * their values. */
#include <math.h>
#include <stdlib.h>

#include "check/mamba_ball.h"
#include "check/mamba_work.h"
#include "core/memory.h"

/* A search for the largest of some quantity: candidates are all entries whose upper bound reaches the largest
 * lower one. Within a channel Delta is one number, and every quantity searched for is monotone in a_log: one
 * entry per channel is enough, and of equal ones the first. */
typedef struct {
  const double *low, *high;
  double sign;  /* 1: the largest; -1: the smallest, that is, the largest of the negated */
  double slope; /* 1: grows with a_log; -1: falls with it */
} extreme;

static size_t *find_candidates(size_t *count, const mamba_work *work, const extreme *wanted)
{
  double best = -INFINITY;
  for (size_t i = 0; i < work->entries; i++) {
    double low = wanted->sign > 0 ? wanted->low[i] : -wanted->high[i];
    if (work->decided[i] != MAMBA_INVALID && low > best)
      best = low;
  }
  size_t *candidates = NULL, capacity = 0;
  *count = 0;
  double slope = wanted->sign * wanted->slope;
  for (size_t row = 0; row < work->entries; row += work->states) {
    size_t chosen = SIZE_MAX;
    for (size_t i = row; i < row + work->states; i++) {
      double high = wanted->sign > 0 ? wanted->high[i] : -wanted->low[i];
      if (work->decided[i] != MAMBA_INVALID && high >= best &&
          (chosen == SIZE_MAX || slope * work->a_log[i] > slope * work->a_log[chosen]))
        chosen = i;
    }
    if (chosen == SIZE_MAX)
      continue;
    if (*count == capacity) {
      capacity = capacity == 0 ? 16 : 2 * capacity;
      candidates = memory_resize(candidates, capacity, sizeof *candidates);
    }
    candidates[(*count)++] = chosen;
  }
  return candidates;
}

typedef struct {
  double a_log, dt_bias;
  size_t index;
} candidate;

static int compare_inputs(const void *x, const void *y)
{
  const candidate *p = x, *q = y;
  if (p->a_log != q->a_log)
    return p->a_log < q->a_log ? -1 : 1;
  if (p->dt_bias != q->dt_bias)
    return p->dt_bias < q->dt_bias ? -1 : 1;
  return p->index < q->index ? -1 : 1;
}

static int compare_indices(const void *x, const void *y)
{
  size_t i = *(const size_t *)x, j = *(const size_t *)y;
  return i < j ? -1 : i > j;
}

/* Of candidates with the same two inputs only the first stays: they are equal, and no precision would tell
 * them apart. */
static void merge_equal(size_t *candidates, size_t *count, const mamba_work *work)
{
  candidate *sorted = memory_new(*count, sizeof *sorted);
  for (size_t k = 0; k < *count; k++) {
    size_t i = candidates[k];
    sorted[k] = (candidate){work->a_log[i], work->dt_bias[i / work->states], i};
  }
  qsort(sorted, *count, sizeof *sorted, compare_inputs);
  size_t kept = 0;
  for (size_t k = 0; k < *count; k++)
    if (k == 0 || sorted[k].a_log != sorted[k - 1].a_log || sorted[k].dt_bias != sorted[k - 1].dt_bias)
      candidates[kept++] = sorted[k].index;
  free(sorted);
  qsort(candidates, kept, sizeof *candidates, compare_indices);
  *count = kept;
}

/* The largest and the smallest A of the layer, from the smallest and the largest rate: A = exp(-rate). */
static void find_rate(arb_t rate, const mamba_work *work, double sign)
{
  enum { PRECISION = 128 };
  extreme wanted = {work->bound.rate_low, work->bound.rate_high, sign, 1};
  size_t count, *candidates = find_candidates(&count, work, &wanted);
  merge_equal(candidates, &count, work);
  mamba_ball ball;
  mamba_ball_init(&ball);
  for (size_t k = 0; k < count; k++) {
    size_t i = candidates[k];
    mamba_ball_set(&ball, work->a_log[i], work->dt_bias[i / work->states], PRECISION);
    if (k == 0)
      arb_set(rate, ball.rate);
    else if (sign > 0)
      arb_max(rate, rate, ball.rate, PRECISION);
    else
      arb_min(rate, rate, ball.rate, PRECISION);
  }
  mamba_ball_clear(&ball);
  free(candidates);
}

void mamba_find_range(mamba_layer_report *layer, const mamba_work *work, uint64_t tokens)
{
  enum { PRECISION = 128 };
  arb_t rate, t;
  arb_init(rate);
  arb_init(t);
  find_rate(rate, work, -1);
  arb_neg(rate, rate);
  arb_exp(layer->a_max, rate, PRECISION);
  find_rate(rate, work, 1);
  arb_neg(rate, rate);
  arb_exp(layer->a_min, rate, PRECISION);
  /* log10 of A_min^(T-1) = -(T-1) rate / log 10; the rate, unlike A_min, never underflows. */
  arb_mul_ui(layer->power, rate, tokens - 1, PRECISION);
  arb_const_log10(t, PRECISION);
  arb_div(layer->power, layer->power, t, PRECISION);
  arb_clear(rate);
  arb_clear(t);
}

/* Drops the candidates that are certainly below another at this precision. */
static void narrow(size_t *candidates, size_t *count, const mamba_work *work, slong precision)
{
  mamba_ball ball;
  arf_t best, end;
  arf_struct *high = memory_new(*count, sizeof *high);
  mamba_ball_init(&ball);
  arf_init(best);
  arf_init(end);
  arf_neg_inf(best);
  for (size_t k = 0; k < *count; k++) {
    size_t i = candidates[k];
    arf_init(&high[k]);
    mamba_ball_set(&ball, work->a_log[i], work->dt_bias[i / work->states], precision);
    arb_get_lbound_arf(end, ball.margin, precision);
    if (!arf_is_nan(end) && arf_cmp(end, best) > 0)
      arf_set(best, end);
    arb_get_ubound_arf(&high[k], ball.margin, precision);
  }
  size_t kept = 0;
  for (size_t k = 0; k < *count; k++) {
    if (arf_is_nan(&high[k]) || arf_cmp(&high[k], best) >= 0)
      candidates[kept++] = candidates[k];
    arf_clear(&high[k]);
  }
  *count = kept;
  free(high);
  mamba_ball_clear(&ball);
  arf_clear(best);
  arf_clear(end);
}

void mamba_find_worst(mamba_layer_report *layer, const mamba_work *work, slong limit)
{
  enum { EFFORT = 1 << 22, PRECISION = 128 }; /* candidates times bits */
  extreme wanted = {work->bound.margin_low, work->bound.margin_high, 1, -1};
  size_t count, *candidates = find_candidates(&count, work, &wanted);
  merge_equal(candidates, &count, work);
  for (slong precision = 64; count > 1 && precision <= limit && count <= (size_t)(EFFORT / precision);
       precision *= 2)
    narrow(candidates, &count, work, precision);
  size_t i = candidates[0];
  layer->worst_certain = count == 1;
  layer->worst_channel = i / work->states;
  layer->worst_state = i % work->states;
  layer->worst_a_log = work->a_log[i];
  layer->worst_dt_bias = work->dt_bias[layer->worst_channel];
  free(candidates);

  mamba_ball ball;
  mamba_ball_init(&ball);
  mamba_ball_set(&ball, layer->worst_a_log, layer->worst_dt_bias, PRECISION);
  arb_set(layer->worst_delta, ball.delta);
  arb_set(layer->worst_a, ball.a);
  arb_set(layer->worst_margin, ball.margin);
  arb_neg(ball.rate, ball.rate);
  arb_exp(layer->worst_decay, ball.rate, PRECISION);
  mamba_ball_clear(&ball);
}
