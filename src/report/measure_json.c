/* Measures as JSON. */
#include "report/measure_json.h"

#include <math.h>

#include "report/influence_json.h"
#include "report/json_make.h"
#include "report/output.h"

static json_t *number_value(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *mean_value(const measured *m)
{
  json_t *object = json_make_object();
  json_put(object, "mean", number_value(measured_mean(m)));
  json_put(object, "count", json_make_count(m->count));
  json_put(object, "undefined", json_make_count(m->undefined));
  return object;
}

/* ---- smoothness ---- */

static json_t *place_value(const smoothness_row *row)
{
  json_t *object = json_make_object();
  json_put(object, "distance", mean_value(&row->distance));
  json_put(object, "square", mean_value(&row->square));
  json_put(object, "energy", mean_value(&row->energy));
  json_put(object, "cosine", mean_value(&row->cosine));
  json_put(object, "neighbour", mean_value(&row->neighbour));
  json_put(object, "layerwise", mean_value(&row->layerwise));
  json_put(object, "directionless", json_make_count(row->directionless));
  return object;
}

static json_t *matrix_value(const measured *value, size_t places)
{
  json_t *rows = json_make_array();
  for (size_t i = 0; i < places; i++) {
    json_t *row = json_make_array();
    for (size_t j = 0; j < places; j++)
      json_push(row, number_value(measured_mean(&value[i * places + j])));
    json_push(rows, row);
  }
  return rows;
}

static json_t *alignment_value(const smoothness_report *s)
{
  static const char *const way[] = {"none", "all tokens", "all tokens by matrices", "kept tokens"};
  json_t *object = json_make_object();
  json_put(object, "tokens", json_make_string(way[s->way]));
  json_put(object, "block", matrix_value(s->block_alignment, s->layers + 1));
  json_put(object, "block_debiased", matrix_value(s->block_debiased, s->layers + 1));
  json_put(object, "mixer", matrix_value(s->mixer_alignment, s->layers));
  json_put(object, "mixer_debiased", matrix_value(s->mixer_debiased, s->layers));
  return object;
}

static json_t *smoothness_value(const smoothness_report *s, const bool *chosen)
{
  json_t *object = json_make_object(), *layers = json_make_array();
  json_put(object, "sequences", json_make_count(s->sequences));
  json_put(object, "tokens", json_make_count(s->tokens));
  json_put(object, "width", json_make_count(s->width));
  json_put(object, "kept", s->least_kept ? json_make_count(s->least_kept) : json_null());
  json_put(object, "normalizer", json_make_string(energy_normalizer_name(s->normalizer)));
  json_put(object, "input", place_value(&s->block[0]));
  for (size_t l = 0; l < s->layers; l++) {
    if (!chosen[l])
      continue;
    json_t *layer = json_make_object();
    json_put(layer, "layer", json_make_count(l + 1));
    json_put(layer, "block", place_value(&s->block[l + 1]));
    json_put(layer, "mixer", place_value(&s->mixer[l]));
    json_push(layers, layer);
  }
  json_put(object, "layers", layers);
  json_put(object, "sm", mean_value(&s->sm));
  json_put(object, "sm_printed", mean_value(&s->sm_printed));
  json_put(object, "st", mean_value(&s->st));
  json_put(object, "st_depth_squared", mean_value(&s->st_depth_squared));
  json_put(object, "cka", alignment_value(s));
  return object;
}

/* ---- spread ---- */

static json_t *histogram_value(const spread_histogram *h)
{
  if (!h->values.count && !h->values.undefined)
    return json_null();
  json_t *object = mean_value(&h->values), *below = json_make_array();
  json_put(object, "least", h->values.count ? number_value(h->least) : json_null());
  json_put(object, "greatest", h->values.count ? number_value(h->greatest) : json_null());
  for (int k = 0; k < SPREAD_BINS; k++)
    json_push(below, json_make_count(h->below[k]));
  json_put(object, "below", below);
  return object;
}

static void put_spreads(json_t *object, const spread_layer *r)
{
  json_put(object, "channels", json_make_count(r->channels));
  json_put(object, "tokens", json_make_count(r->tokens));
  json_put(object, "by_state", histogram_value(&r->by_state));
  json_put(object, "by_state_mean", histogram_value(&r->by_state_mean));
  json_put(object, "by_state_most", histogram_value(&r->by_state_most));
  json_put(object, "by_token", histogram_value(&r->by_token));
  json_put(object, "whole", histogram_value(&r->whole));
}

static json_t *spread_value(const spread_report *s, const bool *chosen)
{
  json_t *object = json_make_object(), *layers = json_make_array(), *total = json_make_object();
  for (size_t l = 0; l < s->layers; l++) {
    if (!chosen[l] || !s->layer[l].known)
      continue;
    json_t *layer = json_make_object();
    json_put(layer, "layer", json_make_count(l + 1));
    json_put(layer, "states", json_make_count(s->layer[l].states));
    put_spreads(layer, &s->layer[l]);
    json_push(layers, layer);
  }
  put_spreads(total, &s->total);
  json_put(object, "layers", layers);
  json_put(object, "total", total);
  return object;
}

/* ---- recall, robustness ---- */

static json_t *tally_value(const recall_tally *t)
{
  json_t *object = json_make_object();
  double lower, upper;
  recall_interval(&lower, &upper, t);
  json_put(object, "asked", json_make_count(t->asked));
  json_put(object, "right", json_make_count(t->right));
  json_put(object, "broken", json_make_count(t->broken));
  json_put(object, "accuracy", t->asked ? number_value((double)t->right / (double)t->asked) : json_null());
  json_put(object, "lower", number_value(lower));
  json_put(object, "upper", number_value(upper));
  return object;
}

static json_t *window_name(const corruption_window *w)
{
  char name[CORRUPTION_NAME];
  corruption_name(name, w);
  return json_make_string(name);
}

static json_t *recall_value(const recall_result *r)
{
  json_t *object = json_make_object(), *distances = json_make_array(), *windows = json_make_array();
  json_put(object, "pairs", json_make_count(r->task.pairs));
  json_put(object, "length", json_make_count(r->task.length));
  json_put(object, "vocabulary", json_make_count(r->task.vocabulary));
  json_put(object, "sequences", json_make_count(r->examples));
  json_put(object, "all", tally_value(&r->clean));
  for (int k = 0; k < RECALL_BINS; k++) {
    if (!r->distance[k].asked)
      continue;
    json_t *bin = tally_value(&r->distance[k]);
    json_put(bin, "from", json_make_count(UINT64_C(1) << k));
    json_put(bin, "to", json_make_count((UINT64_C(2) << k) - 1));
    json_push(distances, bin);
  }
  json_put(object, "by_distance", distances);
  for (size_t w = 0; w < r->windows; w++) {
    json_t *window = json_make_object();
    json_put(window, "window", window_name(&r->window[w]));
    json_put(window, "all", tally_value(&r->all[w]));
    json_put(window, "intact", tally_value(&r->intact[w]));
    json_push(windows, window);
  }
  json_put(object, "corrupted", windows);
  return object;
}

static json_t *robustness_place_value(const robustness_place *p)
{
  json_t *object = json_make_object();
  json_put(object, "change", mean_value(&p->change));
  json_put(object, "divergence", mean_value(&p->divergence));
  json_put(object, "agreement", mean_value(&p->agreement));
  return object;
}

static json_t *robustness_value(const robustness_report *r)
{
  json_t *object = json_make_object(), *windows = json_make_array();
  json_put(object, "sequences", json_make_count(r->sequences));
  json_put(object, "deviation", number_value(r->deviation));
  for (size_t w = 0; w < r->windows; w++) {
    const robustness_row *row = &r->row[w];
    json_t *window = json_make_object();
    json_put(window, "window", window_name(&row->window));
    json_put(window, "replaced", json_make_count(row->replaced));
    json_put(window, "last", robustness_place_value(&row->last));
    json_put(window, "behind", robustness_place_value(&row->behind));
    json_put(window, "pooled", mean_value(&row->pooled));
    json_push(windows, window);
  }
  json_put(object, "windows", windows);
  return object;
}

/* ---- */

static json_t *layers_value(const net *n)
{
  json_t *layers = json_make_array();
  for (size_t l = 0; l < net_layers(n); l++) {
    net_layer of = net_get_layer(n, l);
    json_t *layer = json_make_object();
    json_put(layer, "layer", json_make_count(l + 1));
    json_put(layer, "name", json_make_string(of.name));
    json_put(layer, "family", json_make_string(of.family));
    json_put(layer, "channels", json_make_count(of.channels));
    json_put(layer, "states", json_make_count(of.states));
    json_push(layers, layer);
  }
  return layers;
}

json_t *measure_json_create(const measure_report *report)
{
  json_t *object = json_make_object();
  json_put(object, "schema", json_make_string(MEASURE_SCHEMA));
  json_put(object, "command", json_make_string(report->command));
  json_put(object, "file", json_make_string(report->file));
  json_put(object, "container", json_make_string(report->container));
  json_put(object, "seed", json_make_count(report->seed));
  json_put(object, "stopped", json_boolean(report->stopped));
  json_put(object, "width", json_make_count(net_width(report->net)));
  json_put(object, "layers", layers_value(report->net));
  json_put(object, "smoothness", report->smoothness ? smoothness_value(report->smoothness, report->chosen) : json_null());
  json_put(object, "spread", report->spread ? spread_value(report->spread, report->chosen) : json_null());
  json_put(object, "robustness", report->robustness ? robustness_value(report->robustness) : json_null());
  json_t *recalls = json_make_array();
  for (size_t i = 0; i < report->recalls; i++)
    json_push(recalls, recall_value(&report->recall[i]));
  json_put(object, "recall", recalls);
  json_put(object, "influence", report->influence ? influence_json_create(report->influence) : json_null());
  return object;
}

bool measure_json_write(diag *d, const char *path, const json_t *value)
{
  output o;
  if (!output_open(&o, d, path))
    return false;
  /* A failure to write stays with the stream, where output_close finds it. */
  if (!json_dumpf(value, o.file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)))
    fputc('\n', o.file);
  return output_close(&o, d);
}
