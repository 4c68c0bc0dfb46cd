/* What the audit of a Mamba-1 model found, for programs. */
#include "report/model_json.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/text.h"
#include "report/decimal.h"

enum { DIGITS = 17 };

/* Jansson hands out NULL when memory runs out; here that ends the program, as everywhere. */
static json_t *need(json_t *value)
{
  if (value == NULL)
    memory_die("a JSON value could not be made");
  return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
  if (json_object_set_new(object, key, need(value)) != 0)
    memory_die("a JSON value could not be stored");
}

static json_t *count_value(uint64_t n)
{
  return json_integer((json_int_t)n);
}

/* Tensor names are UTF-8; a path may be anything. */
static json_t *string_value(const char *s)
{
  json_t *value = json_string(s);
  if (value != NULL)
    return value;
  text out;
  text_init(&out);
  for (; *s != 0; s++)
    text_add_char(&out, (unsigned char)*s < 0x80 ? *s : '?');
  value = json_string(text_string(&out));
  text_clear(&out);
  return value;
}

static json_t *end_value(char *s)
{
  json_t *value = s != NULL ? json_string(s) : json_null();
  free(s);
  return value;
}

static json_t *ends_value(char *lower, char *upper)
{
  json_t *object = need(json_object());
  set(object, "lower", end_value(lower));
  set(object, "upper", end_value(upper));
  return object;
}

static json_t *ball_value(const arb_t x)
{
  char *lower, *upper;
  decimal_ends(&lower, &upper, x, DIGITS);
  return ends_value(lower, upper);
}

/* Of a decay, which is positive. */
static json_t *decay_value(const arb_t x)
{
  char *lower, *upper;
  decimal_ends_positive(&lower, &upper, x, DIGITS);
  return ends_value(lower, upper);
}

static json_t *counts_value(const mamba_counts *counts)
{
  json_t *object = need(json_object());
  set(object, "holds", count_value(counts->holds));
  set(object, "fails", count_value(counts->fails));
  set(object, "unknown", count_value(counts->unknown));
  set(object, "invalid", count_value(counts->invalid));
  set(object, "by_double", count_value(counts->by_double));
  set(object, "by_ball", count_value(counts->by_ball));
  set(object, "by_rule", count_value(counts->by_rule));
  set(object, "beyond_single", count_value(counts->beyond_single));
  return object;
}

static json_t *worst_value(const mamba_layer_report *layer)
{
  json_t *object = need(json_object());
  set(object, "channel", count_value(layer->worst_channel));
  set(object, "state", count_value(layer->worst_state));
  set(object, "certain", json_boolean(layer->worst_certain));
  set(object, "a_log", end_value(decimal_double(layer->worst_a_log)));
  set(object, "dt_bias", end_value(decimal_double(layer->worst_dt_bias)));
  set(object, "delta", ball_value(layer->worst_delta));
  set(object, "a", ball_value(layer->worst_a));
  set(object, "decay", decay_value(layer->worst_decay));
  set(object, "margin", ball_value(layer->worst_margin));
  return object;
}

static json_t *layer_value(const mamba_layer_report *layer)
{
  json_t *object = need(json_object());
  bool known = layer->has_entries;
  set(object, "name", string_value(layer->name));
  set(object, "a_log", string_value(layer->a_log_name));
  set(object, "dt_bias", string_value(layer->dt_bias_name));
  set(object, "channels", count_value(layer->channels));
  set(object, "states", count_value(layer->states));
  set(object, "counts", counts_value(&layer->counts));
  set(object, "a_min", known ? decay_value(layer->a_min) : json_null());
  set(object, "a_max", known ? decay_value(layer->a_max) : json_null());
  set(object, "log10_power", known ? ball_value(layer->power) : json_null());
  set(object, "worst", known ? worst_value(layer) : json_null());
  return object;
}

json_t *model_json_create(const mamba_report *report)
{
  json_t *object = need(json_object());
  set(object, "file", string_value(report->file));
  set(object, "tokens", count_value(report->options.tokens));
  set(object, "precision_limit", json_integer(report->options.precision_limit));
  set(object, "verdict", json_string(truth_name(mamba_report_truth(report))));
  set(object, "total", counts_value(&report->total));
  json_t *skipped = need(json_array());
  set(object, "skipped", skipped);
  for (size_t k = 0; k < report->skipped_count; k++)
    if (json_array_append_new(skipped, need(string_value(report->skipped[k]))) != 0)
      memory_die("a JSON value could not be stored");
  json_t *layers = need(json_array());
  set(object, "layers", layers);
  for (size_t k = 0; k < report->layer_count; k++)
    if (json_array_append_new(layers, layer_value(&report->layers[k])) != 0)
      memory_die("a JSON value could not be stored");
  return object;
}
