/* Sums of influences by distance, and the line through them. */
#include "sim/influence_curve.h"

#include <math.h>

#include "core/memory.h"

curve_sum *curve_sum_create(size_t distances)
{
  curve_sum *s = memory_new(distances, sizeof *s);
  for (size_t k = 0; k < distances; k++) {
    s[k].least_lg = INFINITY;
    s[k].greatest_lg = -INFINITY;
  }
  return s;
}

void curve_sum_add(curve_sum *s, wide norm, double bound_lg)
{
  s->pairs++;
  if (!isnan(bound_lg))
    measured_add(&s->bound_lg, bound_lg);
  if (!isfinite(norm.m)) {
    s->broken++;
    return;
  }
  if (norm.m == 0) {
    s->zeros++;
    return;
  }
  double lg = wide_lg(norm);
  measured_add(&s->lg, lg);
  measured_add(&s->log, wide_log(norm));
  s->sum = wide_add(s->sum, norm);
  s->least_lg = lg < s->least_lg ? lg : s->least_lg;
  s->greatest_lg = lg > s->greatest_lg ? lg : s->greatest_lg;
}

static influence_distance distance_of(const curve_sum *s)
{
  influence_distance d = {.pairs = s->pairs, .zeros = s->zeros, .broken = s->broken};
  d.mean_lg = measured_mean(&s->lg);
  d.bound_lg = measured_mean(&s->bound_lg);
  d.lg_mean = d.least_lg = d.greatest_lg = NAN;
  if (s->lg.count) {
    d.lg_mean = wide_lg(s->sum) - log10((double)(s->pairs - s->broken));
    d.least_lg = s->least_lg;
    d.greatest_lg = s->greatest_lg;
  }
  return d;
}

/* Least squares over pairs, from the sums of each distance k: the means of k and of log |J| first, so that
 * nothing large is subtracted. */
static influence_fit fit(const curve_sum *s, size_t distances)
{
  influence_fit f = {.known = false};
  measured x = {0}, y = {0}, xx = {0}, xy = {0};
  for (size_t k = 1; k < distances; k++) {
    uint64_t n = s[k].log.count;
    if (n == 0)
      continue;
    f.first = f.pairs ? f.first : k;
    f.last = k;
    f.pairs += n;
    measured_add(&x, (double)n * (double)k);
    measured_merge(&y, &s[k].log);
  }
  if (f.first == f.last)
    return f;
  double pairs = (double)f.pairs, mean_x = (x.sum + x.low) / pairs, mean_y = (y.sum + y.low) / pairs;
  for (size_t k = 1; k < distances; k++) {
    double n = (double)s[k].log.count, at = (double)k - mean_x;
    measured_add(&xx, n * at * at);
    measured_add(&xy, at * ((s[k].log.sum + s[k].log.low) - n * mean_y));
  }
  f.slope = (xy.sum + xy.low) / (xx.sum + xx.low);
  f.intercept = mean_y - f.slope * mean_x;
  f.known = isfinite(f.slope);
  return f;
}

void curve_finish(influence_curve *curve, const curve_sum *s, size_t distances, bool exact)
{
  while (distances > 0 && s[distances - 1].pairs == 0)
    distances--;
  *curve = (influence_curve){.known = distances > 0, .exact = exact, .distances = distances};
  curve->reason = curve->known ? NULL : "";
  curve->at = memory_new(distances ? distances : 1, sizeof *curve->at);
  for (size_t k = 0; k < distances; k++)
    curve->at[k] = distance_of(&s[k]);
  curve->fit = fit(s, distances);
}
