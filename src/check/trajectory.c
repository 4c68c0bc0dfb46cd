/* Claims asked of what a model did with sequences: recording, and deciding. */
#include "check/trajectory.h"

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "arith/arith.h"
#include "check/claim_roles.h"
#include "check/slack.h"
#include "core/memory.h"

/* Some channels of a layer while they are recorded: entry e is channel first + e / states, state e % states. */
typedef struct {
  size_t layer;           /* number */
  size_t first, channels;
  size_t states, all_channels;
  double *decay, *input;  /* [tokens, channels * states]; NULL: no claim wants it */
  double *step;           /* [tokens, channels] */
} unit;

/* A claim at one length. */
typedef struct {
  claim_binding binding;
  claim_asker *asker; /* NULL: it does not fit, see reason */
  char *reason;
} bound_claim;

typedef struct {
  trajectory_report *r;
  const trajectory_source *source;
  const trajectory_options *o;
  bound_claim *bound; /* one for each claim, at `tokens` */
  size_t sequence, tokens;
  bool any_step, any_input;
  size_t units;
  unit *unit; /* of the pass under way */
} work;

static bool is_stopped(const work *w)
{
  return w->o->stop && *w->o->stop;
}

/* ---- claims at a length ---- */

static void unbind(work *w)
{
  for (size_t k = 0; w->bound && k < w->r->claims; k++) {
    claim_asker_destroy(w->bound[k].asker);
    claim_binding_clear(&w->bound[k].binding);
    free(w->bound[k].reason);
  }
  free(w->bound);
  w->bound = NULL;
}

static void bind(work *w, size_t tokens)
{
  if (w->bound && w->tokens == tokens)
    return;
  unbind(w);
  w->tokens = tokens;
  w->any_step = w->any_input = false;
  w->bound = memory_new(w->r->claims, sizeof *w->bound);
  for (size_t k = 0; k < w->r->claims; k++) {
    bound_claim *b = &w->bound[k];
    if (!claim_binding_create(&b->binding, w->r->claim[k].claim, tokens, &b->reason))
      continue;
    b->asker = claim_asker_create(b->binding.t, w->o->precision);
    w->any_step = w->any_step || b->binding.uses_step;
    w->any_input = w->any_input || b->binding.uses_input;
  }
}

static char *reason_of(const bound_claim *b, const claim *c, const net_layer *layer)
{
  text reason;
  text_init(&reason);
  if (!b->asker)
    text_add(&reason, b->reason);
  else if (b->binding.uses_step && !layer->has_step)
    text_addf(&reason, "claim %s: it takes a step, and the family %s has none", c->name, layer->family);
  else if (b->binding.uses_input && layer->complex_states)
    text_addf(&reason, "claim %s: it speaks of real inputs, and those of the family %s are complex", c->name, layer->family);
  char *s = reason.length ? text_take(&reason) : NULL;
  text_clear(&reason);
  return s;
}

/* Whether the claim is asked of the layer at this length; a reason stays until it is asked at some length. */
static bool is_asked(work *w, size_t k, trajectory_layer *l)
{
  trajectory_answer *a = &l->answer[k];
  char *reason = reason_of(&w->bound[k], w->r->claim[k].claim, &w->source->layer[l->number]);
  bool asked = !reason;
  if (asked || (!a->reason && a->table.labels == 0)) {
    free(a->reason);
    a->reason = reason;
    reason = NULL;
  }
  free(reason);
  return asked;
}

/* ---- recording ---- */

static void unit_clear(unit *u)
{
  free(u->decay);
  free(u->input);
  free(u->step);
  *u = (unit){0};
}

static bool see(void *context, const net_view *view)
{
  work *w = context;
  for (size_t i = 0; i < w->units; i++) {
    unit *u = &w->unit[i];
    if (u->layer != view->layer)
      continue;
    size_t entries = u->channels * u->states;
    for (size_t t = 0; t < view->tokens; t++) {
      size_t from = t * u->all_channels + u->first, to = view->first + t;
      memcpy(u->decay + to * entries, view->alpha + from * u->states, entries * sizeof *u->decay);
      if (u->input && view->drive)
        memcpy(u->input + to * entries, view->drive + from * u->states, entries * sizeof *u->input);
      if (u->step && view->step)
        memcpy(u->step + to * u->channels, view->step + from, u->channels * sizeof *u->step);
    }
  }
  return !is_stopped(w);
}

/* Takes as many channels into the pass as there is room for, from channel *channel of layer *layer (index in the report) on,
 * which then are those to go on with. */
static void gather(work *w, size_t *layer, size_t *channel, const bool *asked)
{
  size_t left = w->o->bytes ? w->o->bytes : (size_t)TRAJECTORY_MEGABYTES << 20;
  for (; *layer < w->r->layers; ++*layer, *channel = 0) {
    const trajectory_layer *l = &w->r->layer[*layer];
    const net_layer *n = &w->source->layer[l->number];
    if (!asked[*layer])
      continue;
    bool input = w->any_input && !n->complex_states, step = w->any_step && n->has_step;
    size_t each = memory_multiply(memory_multiply(l->states * (1 + input) + step, w->tokens), sizeof(double));
    size_t count = left / each, rest = l->channels - *channel;
    if (count == 0 && w->units == 0)
      count = 1;
    if (count == 0)
      return;
    count = count < rest ? count : rest;
    unit u = {.layer = l->number, .first = *channel, .channels = count, .states = l->states, .all_channels = l->channels};
    size_t entries = memory_multiply(memory_multiply(count, l->states), w->tokens);
    u.decay = memory_new(entries, sizeof *u.decay);
    u.input = input ? memory_new(entries, sizeof *u.input) : NULL;
    u.step = step ? memory_new(memory_multiply(count, w->tokens), sizeof *u.step) : NULL;
    w->unit[w->units++] = u;
    left -= count * each < left ? count * each : left;
    *channel += count;
    if (*channel < l->channels)
      return;
  }
}

/* ---- instances ---- */

typedef struct {
  const unit *u;
  const claim_binding *b;
} asked_unit;

static size_t entries_of(const unit *u)
{
  return u->channels * u->states;
}

static double value_of(const asked_unit *a, claim_place place, size_t time, size_t entry)
{
  switch (place.role) {
  case ROLE_DECAY:
    return a->u->decay[time * entries_of(a->u) + entry];
  case ROLE_INPUT:
    return a->u->input[time * entries_of(a->u) + entry];
  default:
    return a->u->step[time * a->u->channels + entry / a->u->states];
  }
}

/* Instance time * entries + entry of a claim that knows no time; else the entry. */
static uint32_t fill(void *context, double *input, uint64_t first, unsigned lanes)
{
  const asked_unit *a = context;
  size_t entries = entries_of(a->u), time = (size_t)(first / entries), entry = (size_t)(first % entries);
  for (size_t e = 0; e < a->b->t->elements; e++) {
    claim_place place = a->b->place[e];
    if (place.role == ROLE_NONE)
      continue;
    double *to = input + e * LANES;
    for (unsigned lane = 0; lane < lanes; lane++)
      to[lane] = value_of(a, place, place.time + time + (entry + lane) / entries, (entry + lane) % entries);
  }
  return lanes == LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

static trajectory_place place_of(const work *w, const unit *u, uint64_t instance)
{
  size_t entries = entries_of(u), entry = (size_t)(instance % entries);
  return (trajectory_place){.sequence = w->sequence,
                            .channel = u->first + entry / u->states,
                            .state = entry % u->states,
                            .token = (size_t)(instance / entries)};
}

/* ---- what was found ---- */

static const char *label_of(const tape *t, size_t atom)
{
  for (size_t i = 0; i < t->labels; i++)
    if (atom >= t->label[i].first_atom && atom - t->label[i].first_atom < t->label[i].atoms)
      return t->label[i].name;
  return "";
}

static void take_slack(trajectory_slack *s, const work *w, const asked_unit *a, const claim_asker *asker, uint64_t instance)
{
  const tape *t = a->b->t;
  size_t entries = entries_of(a->u);
  double *value = memory_new(t->elements, sizeof *value);
  for (size_t e = 0; e < t->elements; e++)
    if (a->b->place[e].role != ROLE_NONE)
      value[e] = value_of(a, a->b->place[e], a->b->place[e].time + (size_t)(instance / entries), (size_t)(instance % entries));
  claim_least least;
  claim_least_init(&least);
  free(s->label);
  free(s->at);
  s->label = s->at = NULL;
  s->place = place_of(w, a->u, instance);
  s->tokens = w->tokens;
  s->known = claim_asker_least(&least, asker, value);
  if (s->known) {
    arb_set(s->difference, least.difference);
    s->label = memory_copy_string(label_of(t, least.atom));
    s->at = slack_place_text(t, &t->atom[least.atom]);
    s->has_ratio = arb_is_positive(least.small) && arb_is_positive(least.great);
    if (s->has_ratio)
      arb_div(s->ratio, least.small, least.great, 128);
  }
  claim_least_clear(&least);
  free(value);
}

static double *copy_role(const asked_unit *a, claim_role role, size_t first, size_t tokens, size_t entry)
{
  double *value = memory_new(tokens, sizeof *value);
  for (size_t t = 0; t < tokens; t++)
    value[t] = value_of(a, (claim_place){role, 0}, first + t, entry);
  return value;
}

static void take_refuted(trajectory_claim *c, const work *w, const asked_unit *a, uint64_t instance, uint64_t before)
{
  c->refuted = true;
  c->layer = a->u->layer;
  c->place = place_of(w, a->u, instance);
  c->instance = before + instance;
  c->tokens = a->b->timed ? w->tokens : 1;
  size_t entry = (size_t)(instance % entries_of(a->u));
  c->decay = copy_role(a, ROLE_DECAY, c->place.token, c->tokens, entry);
  c->step = a->b->uses_step ? copy_role(a, ROLE_STEP, c->place.token, c->tokens, entry) : NULL;
  c->input = a->b->uses_input ? copy_role(a, ROLE_INPUT, c->place.token, c->tokens, entry) : NULL;
}

static uint64_t sum_of(const claim_table *t)
{
  uint64_t sum = 0;
  for (int h = 0; h < CLAIM_OUTCOMES; h++)
    for (int c = 0; c < CLAIM_OUTCOMES; c++)
      sum += t->count[h][c];
  return sum;
}

static void add_tally(trajectory_claim *c, const claim_binding *b, const claim_table *t)
{
  check_tally *found = NULL;
  for (size_t i = 0; i < c->tallies && !found; i++)
    if (!memcmp(c->tally[i].sizes, b->sizes, b->c->sizes * sizeof *b->sizes))
      found = &c->tally[i];
  if (!found) {
    c->tally = memory_resize(c->tally, c->tallies + 1, sizeof *c->tally);
    found = &c->tally[c->tallies++];
    *found = (check_tally){.source = SOURCE_TRAJECTORY, .sizes = memory_new(b->c->sizes, sizeof *b->sizes)};
    if (b->c->sizes)
      memcpy(found->sizes, b->sizes, b->c->sizes * sizeof *b->sizes);
  }
  const uint64_t *row = t->count[CLAIM_TRUE], *open = t->count[CLAIM_UNKNOWN];
  found->counts.drawn += sum_of(t);
  found->counts.accepted += row[CLAIM_TRUE] + row[CLAIM_FALSE] + row[CLAIM_UNKNOWN];
  found->counts.true_ += row[CLAIM_TRUE];
  found->counts.false_ += row[CLAIM_FALSE];
  found->counts.unknown += row[CLAIM_UNKNOWN];
  found->counts.undecided_hypotheses += open[CLAIM_TRUE] + open[CLAIM_FALSE] + open[CLAIM_UNKNOWN];
}

static void ask(work *w, size_t k, trajectory_layer *l, const unit *u)
{
  trajectory_claim *c = &w->r->claim[k];
  trajectory_answer *a = &l->answer[k];
  asked_unit au = {u, &w->bound[k].binding};
  claim_instances all = {.count = entries_of(u), .fill = fill, .context = &au};
  if (!au.b->timed)
    all.count = memory_multiply(all.count, w->tokens);
  claim_table found;
  claim_table_init(&found);
  bool whole = claim_asker_run(w->bound[k].asker, &found, &all, w->o->threads, w->o->stop);
  w->r->interrupted = w->r->interrupted || !whole;
  claim_taken taken = claim_table_add(&a->table, &found);
  if (taken.refuted)
    a->refuted = place_of(w, u, found.refuted);
  uint64_t before = 0;
  for (size_t i = 0; i < c->tallies; i++)
    before += c->tally[i].counts.drawn;
  if (taken.refuted && !c->refuted)
    take_refuted(c, w, &au, found.refuted, before);
  for (int i = 0; i < 2; i++)
    if (taken.slack[i])
      take_slack(&a->slack[i], w, &au, w->bound[k].asker, found.slack[i].first);
  add_tally(c, au.b, &found);
  claim_table_clear(&found);
}

static void ask_units(work *w)
{
  for (size_t i = 0; i < w->units; i++)
    for (size_t j = 0; j < w->r->layers; j++) {
      trajectory_layer *l = &w->r->layer[j];
      for (size_t k = 0; l->number == w->unit[i].layer && k < w->r->claims; k++)
        if (!is_stopped(w) && is_asked(w, k, l)) {
          if (w->o->progress)
            w->o->progress(w->o->progress_context, w->r->claim[k].claim->name, l->name,
                           (double)w->sequence / (double)w->source->sequences);
          ask(w, k, l, &w->unit[i]);
        }
    }
}

/* ---- a sequence ---- */

static assay_status run_pass(work *w)
{
  bool *layers = memory_new(w->source->layers, sizeof *layers);
  for (size_t i = 0; i < w->units; i++)
    layers[w->unit[i].layer] = true;
  net_observer observer = {.wanted = NET_WANT_ALPHA | (w->any_input ? NET_WANT_DRIVE : 0), .layers = layers, .see = see,
                           .context = w};
  if (w->o->progress)
    w->o->progress(w->o->progress_context, "running the model", "", (double)w->sequence / (double)w->source->sequences);
  w->r->runs++;
  assay_status status = w->source->run(w->source->context, w->sequence, &observer);
  free(layers);
  return status;
}

static assay_status run_sequence(work *w)
{
  bind(w, (size_t)w->source->length(w->source->context, w->sequence));
  w->r->tokens += w->tokens;
  bool *asked = memory_new(w->r->layers, sizeof *asked);
  for (size_t j = 0; j < w->r->layers; j++)
    for (size_t k = 0; k < w->r->claims; k++)
      asked[j] |= is_asked(w, k, &w->r->layer[j]);
  assay_status status = STATUS_OK;
  w->unit = memory_new(w->r->layers + 1, sizeof *w->unit);
  for (size_t layer = 0, channel = 0; status == STATUS_OK && !is_stopped(w);) {
    gather(w, &layer, &channel, asked);
    if (w->units == 0)
      break;
    status = run_pass(w);
    if (status == STATUS_OK)
      ask_units(w);
    for (size_t i = 0; i < w->units; i++)
      unit_clear(&w->unit[i]);
    w->units = 0;
  }
  free(w->unit);
  free(asked);
  return status;
}

/* ---- all ---- */

static void answer_init(trajectory_answer *a)
{
  claim_table_init(&a->table);
  for (int i = 0; i < 2; i++) {
    arb_init(a->slack[i].difference);
    arb_init(a->slack[i].ratio);
  }
}

static void answer_clear(trajectory_answer *a)
{
  for (int i = 0; i < 2; i++) {
    free(a->slack[i].label);
    free(a->slack[i].at);
    arb_clear(a->slack[i].difference);
    arb_clear(a->slack[i].ratio);
  }
  claim_table_clear(&a->table);
  free(a->reason);
}

static void make_report(trajectory_report *r, const claim *const *claims, size_t count, const trajectory_source *source)
{
  *r = (trajectory_report){.file = memory_copy_string(source->file), .sequences = source->sequences, .claims = count};
  r->claim = memory_new(count, sizeof *r->claim);
  for (size_t k = 0; k < count; k++)
    r->claim[k] = (trajectory_claim){.claim = claims[k], .slack_layer = {SIZE_MAX, SIZE_MAX}};
  r->layer = memory_new(source->layers, sizeof *r->layer);
  for (size_t i = 0; i < source->layers; i++) {
    if (source->wanted && !source->wanted[i])
      continue;
    trajectory_layer *l = &r->layer[r->layers++];
    const net_layer *n = &source->layer[i];
    *l = (trajectory_layer){.number = i, .name = memory_copy_string(n->name), .family = memory_copy_string(n->family),
                            .channels = n->channels, .states = n->states};
    l->answer = memory_new(count, sizeof *l->answer);
    for (size_t k = 0; k < count; k++)
      answer_init(&l->answer[k]);
  }
}

static void find_least(trajectory_report *r)
{
  for (size_t k = 0; k < r->claims; k++)
    for (int i = 0; i < 2; i++)
      for (size_t j = 0; j < r->layers; j++) {
        const trajectory_answer *a = &r->layer[j].answer[k];
        size_t *best = &r->claim[k].slack_layer[i];
        if (a->slack[i].known &&
            (*best == SIZE_MAX || arf_cmp(a->table.slack[i].low, r->layer[*best].answer[k].table.slack[i].low) < 0))
          *best = j;
      }
}

assay_status trajectory_run(trajectory_report *r, const claim *const *claims, size_t count, const trajectory_source *source,
                            const trajectory_options *options)
{
#ifdef _OPENMP
  double start = omp_get_wtime();
#endif
  make_report(r, claims, count, source);
  work w = {.r = r, .source = source, .o = options};
  assay_status status = STATUS_OK;
  for (; w.sequence < source->sequences && status == STATUS_OK && !is_stopped(&w); w.sequence++)
    status = run_sequence(&w);
  unbind(&w);
  if (is_stopped(&w)) {
    r->interrupted = true;
    status = STATUS_OK;
  }
  find_least(r);
#ifdef _OPENMP
  r->seconds = omp_get_wtime() - start;
#endif
  return status;
}

void trajectory_report_clear(trajectory_report *r)
{
  for (size_t j = 0; j < r->layers; j++) {
    for (size_t k = 0; k < r->claims; k++)
      answer_clear(&r->layer[j].answer[k]);
    free(r->layer[j].answer);
    free(r->layer[j].name);
    free(r->layer[j].family);
  }
  for (size_t k = 0; k < r->claims; k++) {
    for (size_t i = 0; i < r->claim[k].tallies; i++)
      free(r->claim[k].tally[i].sizes);
    free(r->claim[k].tally);
    free(r->claim[k].decay);
    free(r->claim[k].step);
    free(r->claim[k].input);
  }
  free(r->claim);
  free(r->layer);
  free(r->file);
  *r = (trajectory_report){0};
}
