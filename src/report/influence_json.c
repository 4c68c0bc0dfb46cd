/* Influence of past tokens, for programs. */
#include "report/influence_json.h"

#include <math.h>

#include "report/json_make.h"

static json_t *number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *distance(const influence_distance *d, size_t k)
{
  json_t *o = json_make_object();
  json_put(o, "distance", json_make_count(k));
  json_put(o, "pairs", json_make_count(d->pairs));
  json_put(o, "zeros", json_make_count(d->zeros));
  json_put(o, "broken", json_make_count(d->broken));
  json_put(o, "mean_lg", number(d->mean_lg));
  json_put(o, "lg_mean", number(d->lg_mean));
  json_put(o, "least_lg", number(d->least_lg));
  json_put(o, "greatest_lg", number(d->greatest_lg));
  json_put(o, "bound_lg", number(d->bound_lg));
  return o;
}

static json_t *fit(const influence_fit *f)
{
  if (!f->known)
    return json_null();
  json_t *o = json_make_object();
  json_put(o, "slope", number(f->slope));
  json_put(o, "intercept", number(f->intercept));
  json_put(o, "pairs", json_make_count(f->pairs));
  json_put(o, "first", json_make_count(f->first));
  json_put(o, "last", json_make_count(f->last));
  return o;
}

/* null: not asked for. */
static json_t *curve(const influence_curve *c)
{
  if (!c->known && !*c->reason)
    return json_null();
  json_t *o = json_make_object(), *list = json_make_array();
  json_put(o, "reason", json_make_string(c->known ? NULL : c->reason));
  json_put(o, "exact", json_boolean(c->exact));
  json_put(o, "fit", fit(&c->fit));
  for (size_t k = 0; k < c->distances; k++)
    json_push(list, distance(&c->at[k], k));
  json_put(o, "distances", list);
  return o;
}

static json_t *decay(const influence_decay *d)
{
  json_t *o = json_make_object();
  json_put(o, "reason", json_make_string(d->known ? NULL : d->reason));
  json_put(o, "log_max", number(d->log_max));
  json_put(o, "log_max_below", number(d->log_max_below));
  json_put(o, "mean_log", number(d->mean_log));
  json_put(o, "entries", json_make_count(d->entries));
  return o;
}

static json_t *bound(const influence_bound *b)
{
  if (!b->known)
    return json_null();
  json_t *o = json_make_object();
  json_put(o, "pairs", json_make_count(b->pairs));
  json_put(o, "exceeded", json_make_count(b->exceeded));
  json_put(o, "least_room", number(b->least_room));
  json_put(o, "most_room", number(b->most_room));
  return o;
}

static json_t *layer(const influence_layer *l)
{
  json_t *o = json_make_object();
  json_put(o, "layer", json_make_count(l->layer + 1));
  json_put(o, "name", json_make_string(l->name));
  json_put(o, "family", json_make_string(l->family));
  json_put(o, "channels", json_make_count(l->channels));
  json_put(o, "states", json_make_count(l->states));
  json_put(o, "decay", decay(&l->decay));
  json_put(o, "bound", bound(&l->bound));
  json_put(o, "scan", curve(&l->scan));
  json_put(o, "mixer", curve(&l->mixer));
  return o;
}

json_t *influence_json_create(const influence_result *r)
{
  json_t *o = json_make_object(), *list = json_make_array();
  json_put(o, "sequences", json_make_count(r->sequences));
  json_put(o, "stopped", json_boolean(r->stopped));
  json_put(o, "tokens", json_make_count(r->tokens));
  json_put(o, "positions", json_make_count(r->positions));
  json_put(o, "width", json_make_count(r->width));
  json_put(o, "probes", json_make_count(r->probes));
  json_put(o, "seed", json_make_count(r->options.seed));
  json_put(o, "decay", decay(&r->decay));
  json_put(o, "model", curve(&r->model));
  for (size_t i = 0; i < r->layer_count; i++)
    json_push(list, layer(&r->layers[i]));
  json_put(o, "layers", list);
  return o;
}
