/* What the audit of a model found, for programs. */
#include "report/model_json.h"

#include <math.h>
#include <stdlib.h>

#include "report/claim_table_json.h"
#include "report/decimal.h"
#include "report/json_make.h"

enum { DIGITS = 17 };

static json_t *take_string(char *s)
{
  json_t *value = json_make_string(s);
  free(s);
  return value;
}

static json_t *ends_value(char *lower, char *upper)
{
  json_t *object = json_make_object();
  json_put(object, "lower", take_string(lower));
  json_put(object, "upper", take_string(upper));
  return object;
}

static json_t *ball_value(const arb_t x)
{
  char *lower, *upper;
  decimal_ends(&lower, &upper, x, DIGITS);
  return ends_value(lower, upper);
}

/* Of a number known to be positive. */
static json_t *positive_value(const arb_t x)
{
  char *lower, *upper;
  decimal_ends_positive(&lower, &upper, x, DIGITS);
  return ends_value(lower, upper);
}

static json_t *counts_value(const model_counts *c)
{
  json_t *object = json_make_object();
  json_put(object, "holds", json_make_count(c->holds));
  json_put(object, "fails", json_make_count(c->fails));
  json_put(object, "unknown", json_make_count(c->unknown));
  json_put(object, "invalid", json_make_count(c->invalid));
  json_put(object, "contradicting", json_make_count(c->contradicting));
  json_put(object, "collapsed", json_make_count(c->collapsed));
  json_put(object, "by_double", json_make_count(c->by_double));
  json_put(object, "by_ball", json_make_count(c->by_ball));
  json_put(object, "by_rule", json_make_count(c->by_rule));
  return object;
}

static json_t *alone_value(const model_alone *a, bool with_thresholds)
{
  json_t *object = json_make_object();
  json_put(object, "can", json_make_count(a->can));
  json_put(object, "never", json_make_count(a->never));
  json_put(object, "unknown", json_make_count(a->unknown));
  if (with_thresholds) {
    json_put(object, "threshold_min", a->has_threshold ? positive_value(a->threshold_min) : json_null());
    json_put(object, "threshold_max", a->has_threshold ? positive_value(a->threshold_max) : json_null());
  }
  return object;
}

static json_t *stored_value(const model_stored *s)
{
  json_t *object = json_make_object(), *index = json_make_array();
  json_put(object, "tensor", json_make_string(s->name));
  for (unsigned k = 0; k < s->rank; k++)
    json_push(index, json_make_count(s->index[k]));
  json_put(object, "index", index);
  json_put(object, "value", take_string(decimal_double(s->value)));
  return object;
}

static json_t *entry_value(const model_layer_report *r, const model_entry *e)
{
  json_t *object = json_make_object(), *stored = json_make_array();
  json_put(object, "channel", json_make_count(e->channel));
  json_put(object, "state", json_make_count(e->state));
  json_put(object, "certain", json_boolean(e->certain));
  for (size_t i = 0; i < e->stored_count; i++)
    json_push(stored, stored_value(&e->stored[i]));
  json_put(object, "stored", stored);
  json_put(object, "delta", ball_value(e->step));
  json_put(object, "a", r->has_rate ? ball_value(e->rate) : json_null());
  json_put(object, "decay", positive_value(e->decay));
  json_put(object, "margin", ball_value(e->margin));
  return object;
}

static json_t *spread_value(const model_spread *s)
{
  json_t *object = json_make_object(), *below = json_make_array(), *unknown = json_make_array();
  json_put(object, "channels", json_make_count(s->channels));
  for (int i = 0; i < MODEL_BINS; i++) {
    json_push(below, json_make_count(s->below[i]));
    json_push(unknown, json_make_count(s->unknown[i]));
  }
  json_put(object, "below", below);
  json_put(object, "unknown", unknown);
  return object;
}

/* A bound that may be infinite. */
static json_t *bound_value(double x)
{
  return x > -HUGE_VAL && x < HUGE_VAL ? take_string(decimal_double(x)) : json_null();
}

static json_t *inputs_value(const model_inputs *in)
{
  json_t *object = json_make_object();
  json_put(object, "holds", json_make_count(in->holds));
  json_put(object, "fails", json_make_count(in->fails));
  json_put(object, "depends", json_make_count(in->depends));
  json_put(object, "unknown", json_make_count(in->unknown));
  json_put(object, "step_min", bound_value(in->step_min));
  json_put(object, "step_max", bound_value(in->step_max));
  json_put(object, "log_a_min", bound_value(in->log_a_min));
  json_put(object, "log_a_max", bound_value(in->log_a_max));
  return object;
}

static json_t *recorded_value(const model_recorded *r)
{
  json_t *object = json_make_object();
  json_put(object, "batch", json_make_count(r->batch));
  json_put(object, "tokens", json_make_count(r->tokens));
  json_put(object, "holds", json_make_count(r->holds));
  json_put(object, "fails", json_make_count(r->fails));
  json_put(object, "unknown", json_make_count(r->unknown));
  json_put(object, "invalid", json_make_count(r->invalid));
  return object;
}

static json_t *claim_value(const model_claim_result *c)
{
  json_t *object = json_make_object();
  bool refuted = !c->reason && c->table.refuted != CLAIM_NOWHERE;
  json_put(object, "claim", json_make_string(c->claim));
  json_put(object, "not_asked", c->reason ? json_make_string(c->reason) : json_null());
  claim_table_json_put(object, &c->table);
  json_t *first = refuted ? json_make_object() : json_null();
  if (refuted) {
    json_put(first, "sequence", json_make_count(c->batch));
    json_put(first, "channel", json_make_count(c->channel));
    json_put(first, "state", json_make_count(c->state));
  }
  json_put(object, "refuted_at", first);
  return object;
}

static json_t *layer_value(const model_layer_report *r)
{
  json_t *object = json_make_object();
  bool known = r->valid > 0;
  json_put(object, "name", json_make_string(r->name));
  json_put(object, "family", json_make_string(r->family));
  json_put(object, "channels", json_make_count(r->channels));
  json_put(object, "states", json_make_count(r->states));
  json_put(object, "bias_point", r->has_step ? counts_value(&r->counts) : json_null());
  json_put(object, "parameters_alone", r->has_rate ? alone_value(&r->alone, true) : json_null());
  json_put(object, "a_min", known ? positive_value(r->a_min) : json_null());
  json_put(object, "a_max", known ? positive_value(r->a_max) : json_null());
  json_put(object, "log10_power", known ? ball_value(r->power) : json_null());
  json_put(object, "log10_horizon", known ? ball_value(r->horizon) : json_null());
  json_put(object, "spread", r->spread.channels ? spread_value(&r->spread) : json_null());
  json_put(object, "every_input", r->inputs.known ? inputs_value(&r->inputs) : json_null());
  json_put(object, "every_input_reason", json_make_string(r->inputs.known ? NULL : r->inputs.reason));
  json_put(object, "recorded", r->recorded.known ? recorded_value(&r->recorded) : json_null());
  json_t *claims = json_make_array();
  for (size_t i = 0; i < r->claim_count; i++)
    json_push(claims, claim_value(&r->claims[i]));
  json_put(object, "claims", claims);
  json_t *worst = json_make_array();
  for (size_t i = 0; i < r->worst_count; i++)
    json_push(worst, entry_value(r, &r->worst[i]));
  json_put(object, "worst", worst);
  return object;
}

json_t *model_json_create(const model_report *report)
{
  json_t *object = json_make_object(), *skipped = json_make_array(), *layers = json_make_array();
  json_put(object, "file", json_make_string(report->file));
  json_put(object, "container", json_make_string(report->container));
  json_put(object, "tokens", json_make_count(report->options.tokens));
  json_put(object, "precision_limit", json_make_count((uint64_t)report->options.precision_limit));
  json_put(object, "verdict", json_make_string(truth_name(model_report_truth(report))));
  json_put(object, "bias_point", counts_value(&report->total));
  json_put(object, "parameters_alone", alone_value(&report->total_alone, false));
  for (size_t k = 0; k < report->skipped_count; k++)
    json_push(skipped, json_make_string(report->skipped[k]));
  json_put(object, "skipped", skipped);
  for (size_t k = 0; k < report->layer_count; k++)
    json_push(layers, layer_value(&report->layers[k]));
  json_put(object, "layers", layers);
  return object;
}
