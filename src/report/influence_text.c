/* Influence of past tokens, for people. */
#include "report/influence_text.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "report/columns.h"
#include "report/measure_text.h"
#include "sim/wide.h"

enum { DIGITS = 6, FEW = 16 /* distances that are shown one by one */ };

static unsigned long long number(uint64_t n)
{
  return n;
}

static void add(columns *c, double x)
{
  columns_take(c, measure_text_number(x, DIGITS));
}

/* ---- distances ---- */

/* Distances first .. last together. */
typedef struct {
  uint64_t pairs, zeros, broken;
  double mean_lg, lg_mean, least_lg, greatest_lg, bound_lg;
} gathered;

static gathered gather(const influence_curve *c, size_t first, size_t last)
{
  gathered g = {.least_lg = NAN, .greatest_lg = NAN};
  double lg = 0, bound = 0, count = 0, bounds = 0;
  wide sum = wide_from(0);
  for (size_t k = first; k <= last && k < c->distances; k++) {
    const influence_distance *d = &c->at[k];
    uint64_t rest = d->pairs - d->broken;
    double n = (double)(rest - d->zeros);
    g.pairs += d->pairs;
    g.zeros += d->zeros;
    g.broken += d->broken;
    if (!isnan(d->bound_lg)) {
      bound += (double)d->pairs * d->bound_lg;
      bounds += (double)d->pairs;
    }
    if (n == 0)
      continue;
    lg += n * d->mean_lg;
    count += n;
    sum = wide_add(sum, wide_multiply(wide_from((double)rest), wide_exp(d->lg_mean * log(10))));
    if (!(g.least_lg <= d->least_lg))
      g.least_lg = d->least_lg;
    if (!(g.greatest_lg >= d->greatest_lg))
      g.greatest_lg = d->greatest_lg;
  }
  g.mean_lg = count > 0 ? lg / count : NAN;
  g.lg_mean = count > 0 ? wide_lg(sum) - log10((double)(g.pairs - g.broken)) : NAN;
  g.bound_lg = bounds > 0 ? bound / bounds : NAN;
  return g;
}

static void write_distances(FILE *out, const influence_curve *curve)
{
  bool few = curve->distances <= FEW, bounded = false;
  for (size_t k = 0; k < curve->distances; k++)
    bounded = bounded || !isnan(curve->at[k].bound_lg);
  columns c;
  columns_init(&c, bounded ? 7 : 6);
  static const char *const head[] = {"t - s",    "pairs",      "mean lg",      "lg mean",
                                     "least lg", "largest lg", "mean lg bound"};
  for (int i = 0; i < (bounded ? 7 : 6); i++)
    columns_add(&c, "%s", head[i]);
  uint64_t zeros = 0, broken = 0;
  for (size_t first = 0, last; first < curve->distances; first = last + 1) {
    last = few || first < 2 ? first : 2 * first - 1;
    last = last < curve->distances ? last : curve->distances - 1;
    gathered g = gather(curve, first, last);
    if (first == last)
      columns_add(&c, "%zu", first);
    else
      columns_add(&c, "%zu..%zu", first, last);
    columns_add(&c, "%llu", number(g.pairs));
    const double value[] = {g.mean_lg, g.lg_mean, g.least_lg, g.greatest_lg, g.bound_lg};
    for (int i = 0; i < (bounded ? 5 : 4); i++)
      add(&c, value[i]);
    zeros += g.zeros;
    broken += g.broken;
  }
  columns_write(out, &c, 2);
  columns_clear(&c);
  if (zeros)
    fprintf(out, "  of these pairs %llu have no influence at all, exactly 0: they are in \"lg mean\" alone\n",
            number(zeros));
  if (broken)
    fprintf(out, "  of these pairs %llu are not a number or infinite: they are in nothing\n", number(broken));
}

static void write_curve(FILE *out, const char *what, const influence_curve *curve)
{
  if (!curve->known && !*curve->reason)
    return;
  fprintf(out, "\n%s\n", what);
  if (curve->known)
    write_distances(out, curve);
  else
    fprintf(out, "  not measured: %s\n", curve->reason);
}

/* ---- slopes ---- */

static void add_slope(columns *c, const char *what, size_t layer, const influence_curve *curve,
                      const influence_decay *decay)
{
  if (!curve->known)
    return;
  if (layer)
    columns_add(c, "%s %zu", what, layer);
  else
    columns_add(c, "%s", what);
  bool fit = curve->fit.known;
  add(c, fit ? curve->fit.slope : NAN);
  add(c, decay->log_max);
  add(c, decay->mean_log);
  columns_add(c, "%llu", number(curve->fit.pairs));
  if (fit)
    columns_add(c, "%zu..%zu", curve->fit.first, curve->fit.last);
  else
    columns_add(c, "-");
}

static void write_slopes(FILE *out, const influence_result *r)
{
  static const char *const head[] = {"of", "slope", "log A_max", "mean log alpha", "pairs", "t - s"};
  columns c;
  columns_init(&c, 6);
  for (int i = 0; i < 6; i++)
    columns_add(&c, "%s", head[i]);
  for (size_t i = 0; i < r->layer_count; i++) {
    const influence_layer *l = &r->layers[i];
    add_slope(&c, "scan", l->layer + 1, &l->scan, &l->decay);
    add_slope(&c, "mixer", l->layer + 1, &l->mixer, &l->decay);
  }
  add_slope(&c, "model", 0, &r->model, &r->decay);
  fputs("\nSlope of log |dy_t/dx_s| for each token that s lies further back, by least squares over all pairs "
        "s < t, beside the\n"
        "decays alpha of the recurrence: log A_max, the largest, which Theorem 3.1 has for its slope, and "
        "the mean. (log is the\n"
        "natural logarithm, lg that to base 10.)\n",
        out);
  columns_write(out, &c, 2);
  columns_clear(&c);
  for (size_t i = 0; i < r->layer_count; i++)
    if (!r->layers[i].decay.known)
      fprintf(out, "  layer %zu: its decays are not known here: %s\n", r->layers[i].layer + 1,
              r->layers[i].decay.reason);
}

/* ---- the bound ---- */

static void write_bounds(FILE *out, const influence_result *r)
{
  columns c;
  columns_init(&c, 6);
  static const char *const head[] = {"scan",   "kappa", "pairs", "above the bound", "least lg bound/|J|",
                                     "largest"};
  bool any = false;
  for (int i = 0; i < 6; i++)
    columns_add(&c, "%s", head[i]);
  for (size_t i = 0; i < r->layer_count; i++) {
    const influence_layer *l = &r->layers[i];
    if (!l->bound.known || l->bound.pairs == 0)
      continue;
    any = true;
    columns_add(&c, "%zu", l->layer + 1);
    add(&c, l->decay.log_max == 0 ? 0 : -l->decay.log_max);
    columns_add(&c, "%llu", number(l->bound.pairs));
    columns_add(&c, "%llu", number(l->bound.exceeded));
    add(&c, l->bound.least_room);
    add(&c, l->bound.most_room);
  }
  if (any) {
    fputs("\nThe bound of Theorem 3.1 with its constants, |dy_t/dx_s| <= |C_t| exp(-kappa (t - s)) "
          "|dh_s/dx_s|, rounded outward,\n"
          "for the scan and its direct inputs: how far the influence stays below it.\n",
          out);
    columns_write(out, &c, 2);
  }
  columns_clear(&c);
}

void influence_text_write(FILE *out, const influence_result *r)
{
  fprintf(out,
          "\nInfluence |dy_t/dx_s|, Frobenius norm, of what comes in at s on what comes out at t: %zu "
          "position%s t",
          r->positions, r->positions == 1 ? "" : "s");
  fprintf(out, r->sequences == 1 ? " of a sequence" : " of each of %zu sequences", r->sequences);
  if (r->probes == r->width)
    fprintf(out, "; all rows\n");
  else
    fprintf(out, "; mixer and model\nestimated by %zu probes (seed %llu)\n", r->probes,
            number(r->options.seed));
  write_slopes(out, r);
  write_bounds(out, r);
  write_curve(out, "Influence through the whole model, embedding to final norm, by t - s:", &r->model);
  for (size_t i = 0; i < r->layer_count; i++) {
    const influence_layer *l = &r->layers[i];
    text t;
    text_init(&t);
    text_addf(&t, "Layer %zu, scan: readout by what drives the recurrence (u, Delta, B, C), by t - s:",
              l->layer + 1);
    write_curve(out, text_string(&t), &l->scan);
    text_clear(&t);
    text_init(&t);
    text_addf(&t, "Layer %zu, mixer: what it adds to the residual stream by what it reads there, by t - s:",
              l->layer + 1);
    write_curve(out, text_string(&t), &l->mixer);
    text_clear(&t);
  }
}
