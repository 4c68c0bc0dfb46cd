/* The audit of a model: layer by layer, and summed up. */
#include "check/model_audit.h"

#include <stdlib.h>

#include "check/model_claim.h"
#include "check/model_inputs.h"
#include "check/model_recorded.h"
#include "check/model_work.h"
#include "core/memory.h"
#include "core/text.h"

enum { PRECISION = 128 };

model_options model_options_default(void)
{
  return (model_options){.tokens = 2048, .precision_limit = 4096, .polar_rate = -1000};
}

void model_threshold(arb_t delta, const arb_t a, slong precision)
{
  /* With v = 1 - Delta: exp(a (1 - v)) = v, so a v exp(a v) = a exp(a); v = 1 is the solution a v = a < -1 on the lower
   * branch, the other is a v = W0(a exp a). */
  arb_t x;
  arb_init(x);
  arb_exp(x, a, precision);
  arb_mul(x, x, a, precision);
  arb_lambertw(x, x, 0, precision);
  arb_div(x, x, a, precision);
  arb_sub_si(delta, x, 1, precision);
  arb_neg(delta, delta);
  arb_clear(x);
}

/* ---- a layer ---- */

static void layer_init(model_layer_report *r, const model_work *w)
{
  *r = (model_layer_report){.family = w->layer->family->name};
  text name;
  text_init(&name);
  text_add(&name, w->layer->name);
  if (w->rate)
    text_addf(&name, "%sstate at rate %g", w->layer->name[0] ? ", " : "", *w->rate);
  r->name = text_take(&name);
  r->channels = w->shape.channels;
  r->states = w->shape.states;
  r->channel_word = w->shape.channel_word;
  r->state_word = w->shape.state_word;
  r->has_step = w->margin.low != NULL;
  r->has_rate = w->rate_bounds.low != NULL;
  r->always_equal = w->tape[0].always_equal;
  arb_ptr const all[] = {r->alone.threshold_min, r->alone.threshold_max, r->a_min, r->a_max, r->power, r->horizon};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    arb_init(all[i]);
  for (int i = 0; i < MODEL_WORST; i++)
    model_entry_init(&r->worst[i]);
}

static void layer_clear(model_layer_report *r)
{
  free(r->name);
  arb_ptr const all[] = {r->alone.threshold_min, r->alone.threshold_max, r->a_min, r->a_max, r->power, r->horizon};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    arb_clear(all[i]);
  for (int i = 0; i < MODEL_WORST; i++)
    model_entry_clear(&r->worst[i]);
  for (size_t i = 0; i < r->claim_count; i++)
    model_claim_result_clear(&r->claims[i]);
  free(r->claims);
}

/* Adds `times` entries of one kind. */
static void count_kind(model_layer_report *r, unsigned decided, unsigned alone, uint64_t times)
{
  model_counts *n = &r->counts;
  n->invalid += decided == MODEL_INVALID ? times : 0;
  n->contradicting += decided == MODEL_CONTRADICTING ? times : 0;
  n->collapsed += decided == MODEL_COLLAPSED ? times : 0;
  n->unknown += decided == MODEL_UNKNOWN && r->has_step ? times : 0;
  n->holds += decided & MODEL_HOLDS ? times : 0;
  n->fails += decided & MODEL_FAILS ? times : 0;
  n->by_double += decided & MODEL_BY_DOUBLE ? times : 0;
  n->by_ball += decided & MODEL_BY_BALL ? times : 0;
  n->by_rule += decided & MODEL_BY_RULE ? times : 0;
  if (decided < MODEL_UNKNOWN)
    return;
  r->valid += times;
  if (r->has_rate) {
    r->alone.can += alone == ALONE_CAN ? times : 0;
    r->alone.never += alone == ALONE_NEVER ? times : 0;
    r->alone.unknown += alone == ALONE_UNKNOWN ? times : 0;
  }
}

/* How many entries there are of each kind; several tables, so that equal neighbours do not wait for one another. */
static void count(model_layer_report *r, const model_work *w)
{
  enum { TABLES = 4, STATES_ALONE = 3, KINDS = 128 };
  uint64_t times[TABLES][STATES_ALONE][KINDS] = {0};
  for (size_t k = 0; k < w->groups; k++) {
    const model_group *g = &w->group[k];
    for (size_t i = g->first; i < g->first + g->count; i++)
      times[i % TABLES][w->alone[i]][w->decided[i]] += g->copies;
  }
  for (unsigned decided = 0; decided < KINDS; decided++)
    for (unsigned alone = 0; alone < STATES_ALONE; alone++)
      for (int k = 0; k < TABLES; k++)
        count_kind(r, decided, alone, times[k][alone][decided]);
}

/* Delta* grows with -a: its ends belong to the ends of a. */
static void find_thresholds(model_layer_report *r, const model_work *w)
{
  arb_t a;
  arb_init(a);
  r->alone.has_threshold = model_extreme(a, w, ENTRY_RATE, &w->rate_bounds, 1, w->alone, ALONE_CAN);
  if (r->alone.has_threshold) {
    model_threshold(r->alone.threshold_min, a, PRECISION);
    model_extreme(a, w, ENTRY_RATE, &w->rate_bounds, -1, w->alone, ALONE_CAN);
    model_threshold(r->alone.threshold_max, a, PRECISION);
  }
  arb_clear(a);
}

/* log10 of 1/kappa = -log10(-log A_max). */
static void set_horizon(arb_t horizon, const arb_t log_max)
{
  arb_t ten;
  arb_init(ten);
  arb_neg(horizon, log_max);
  arb_log(horizon, horizon, PRECISION);
  arb_const_log10(ten, PRECISION);
  arb_div(horizon, horizon, ten, PRECISION);
  arb_neg(horizon, horizon);
  arb_clear(ten);
}

static void find_range(model_layer_report *r, const model_work *w)
{
  arb_t x;
  arb_init(x);
  model_extreme(x, w, ENTRY_LOG_DECAY, &w->log_decay, 1, NULL, 0);
  arb_exp(r->a_max, x, PRECISION);
  set_horizon(r->horizon, x);
  model_extreme(x, w, ENTRY_LOG_DECAY, &w->log_decay, -1, NULL, 0);
  arb_exp(r->a_min, x, PRECISION);
  /* log10 of A_min^(T-1): the logarithm, unlike A_min, never underflows. */
  arb_mul_ui(r->power, x, w->options->tokens - 1, PRECISION);
  arb_const_log10(x, PRECISION);
  arb_div(r->power, r->power, x, PRECISION);
  arb_clear(x);
}

/* What was recorded, and the claims. */
static assay_status ask_claims(model_layer_report *r, const model_work *w, bool only_layer, dump_error *error)
{
  const model_options *o = w->options;
  model_recording recording = {0};
  assay_status status = STATUS_OK;
  if (o->activations)
    status = model_recording_read(&recording, w, o->activations, only_layer, error);
  if (status == STATUS_OK)
    status = model_count_recorded(&r->recorded, w, &recording, error);
  bool ask = !o->activations || recording.tokens > 0;
  r->claims = memory_new(o->claim_count, sizeof *r->claims);
  for (size_t i = 0; i < o->claim_count && ask && status == STATUS_OK; i++) {
    status = model_run_claim(&r->claims[i], o->claims[i], w, &recording, error);
    if (status == STATUS_BAD_INPUT && o->only_fitting) {
      r->claims[i] = (model_claim_result){.claim = o->claims[i]->name, .reason = memory_copy_string(error->message)};
      dump_error_clear(error);
      status = STATUS_OK;
    }
    r->claim_count += status == STATUS_OK;
  }
  model_recording_clear(&recording);
  return status;
}

static assay_status audit_layer(model_layer_report *r, model_room *room, const model_layer *layer, const double *rate,
                                const model *m, const model_options *options, dump_error *error)
{
  model_work w;
  assay_status status = model_work_init(&w, room, layer, rate, m->file, options, error);
  if (status != STATUS_OK)
    return status;
  layer_init(r, &w);
  model_decide(&w);
  count(r, &w);
  if (r->valid > 0) {
    find_range(r, &w);
    model_find_spread(&r->spread, &w);
    if (r->has_rate)
      find_thresholds(r, &w);
    if (r->has_step)
      r->worst_count = model_find_worst(r->worst, &w);
    status = model_find_inputs(&r->inputs, &w, error);
    if (status == STATUS_OK && !rate)
      status = ask_claims(r, &w, m->count == 1, error);
  }
  model_work_clear(&w);
  if (status != STATUS_OK)
    layer_clear(r);
  return status;
}

/* ---- the model ---- */

static void add(model_report *report, const model_layer_report *r)
{
  model_counts *sum = &report->total;
  const model_counts *n = &r->counts;
  sum->holds += n->holds;
  sum->fails += n->fails;
  sum->unknown += n->unknown;
  sum->invalid += n->invalid;
  sum->contradicting += n->contradicting;
  sum->collapsed += n->collapsed;
  sum->by_double += n->by_double;
  sum->by_ball += n->by_ball;
  sum->by_rule += n->by_rule;
  report->total_alone.can += r->alone.can;
  report->total_alone.never += r->alone.never;
  report->total_alone.unknown += r->alone.unknown;
  report->total_inputs.known = report->total_inputs.known || r->inputs.known;
  report->total_inputs.holds += r->inputs.holds;
  report->total_inputs.fails += r->inputs.fails;
  report->total_inputs.depends += r->inputs.depends;
  report->total_inputs.unknown += r->inputs.unknown;
}

/* Merges a layer's worst entries into the model's. */
static void add_worst(model_report *report, size_t layer)
{
  const model_layer_report *r = &report->layers[layer];
  for (size_t e = 0; e < r->worst_count; e++) {
    size_t at = report->worst_count;
    while (at > 0) {
      const model_layer_report *other = &report->layers[report->worst[at - 1].layer];
      const arb_struct *margin = other->worst[report->worst[at - 1].entry].margin;
      if (arf_cmp(arb_midref(r->worst[e].margin), arb_midref(margin)) <= 0)
        break;
      at--;
    }
    if (at == MODEL_WORST)
      return;
    if (report->worst_count < MODEL_WORST)
      report->worst_count++;
    for (size_t i = report->worst_count - 1; i > at; i--)
      report->worst[i] = report->worst[i - 1];
    report->worst[at].layer = layer;
    report->worst[at].entry = e;
  }
}

static assay_status add_layer(model_report *report, model_room *room, const model_layer *layer, const double *rate,
                              const model *m, dump_error *error)
{
  model_layer_report *r = &report->layers[report->layer_count];
  assay_status status = audit_layer(r, room, layer, rate, m, &report->options, error);
  if (status != STATUS_OK)
    return status;
  report->layer_count++;
  add(report, r);
  return STATUS_OK;
}

/* Names that fit no layer would go by without a word. */
static bool is_recording_used(const model_report *report, dump_error *error)
{
  uint64_t valid = 0, tokens = 0;
  for (size_t k = 0; k < report->layer_count; k++) {
    valid += report->layers[k].valid;
    tokens += report->layers[k].recorded.tokens;
  }
  if (!report->options.activations || valid == 0 || tokens > 0)
    return true;
  char *name = dump_quote(report->layers[0].name);
  dump_error_set(error, dump_name(report->options.activations),
                 "it holds nothing for any layer; looked for is LAYER.delta, the first layer being %s", name);
  free(name);
  return false;
}

assay_status model_audit(model_report *report, const model *m, const model_options *options, dump_error *error)
{
  *report = (model_report){.file = memory_copy_string(dump_name(m->file)),
                           .container = dump_container(m->file),
                           .options = *options};
  report->layers = memory_new(memory_multiply(m->count, 1 + MODEL_EXTRA), sizeof *report->layers);
  report->skipped = memory_new(m->stray_count + 1, sizeof *report->skipped);
  for (size_t k = 0; k < m->stray_count; k++)
    report->skipped[report->skipped_count++] = memory_copy_string(m->strays[k]);
  const double extra[MODEL_EXTRA] = {0, options->polar_rate};
  assay_status status = STATUS_OK;
  model_room room = {0};
  for (size_t k = 0; k < m->count && status == STATUS_OK; k++) {
    status = add_layer(report, &room, &m->layers[k], NULL, m, error);
    bool append = options->polarized && model_role(m->layers[k].family, "rate");
    for (int i = 0; append && i < MODEL_EXTRA && status == STATUS_OK; i++)
      status = add_layer(report, &room, &m->layers[k], &extra[i], m, error);
  }
  model_room_clear(&room);
  if (status == STATUS_OK && !is_recording_used(report, error))
    status = STATUS_BAD_INPUT;
  if (status != STATUS_OK) {
    model_report_clear(report);
    return status;
  }
  for (size_t k = 0; k < report->layer_count; k++)
    add_worst(report, k);
  return STATUS_OK;
}

void model_report_clear(model_report *report)
{
  for (size_t k = 0; k < report->layer_count; k++)
    layer_clear(&report->layers[k]);
  for (size_t k = 0; k < report->skipped_count; k++)
    free(report->skipped[k]);
  free(report->layers);
  free(report->skipped);
  free(report->file);
  *report = (model_report){0};
}

truth model_report_truth(const model_report *report)
{
  const model_counts *n = &report->total;
  if (n->fails > 0)
    return TRUTH_FALSE;
  bool open = n->unknown + n->invalid + n->contradicting + n->collapsed > 0 || report->skipped_count > 0;
  for (size_t k = 0; k < report->layer_count; k++)
    open = open || !report->layers[k].has_step;
  return open ? TRUTH_UNKNOWN : TRUTH_TRUE;
}
