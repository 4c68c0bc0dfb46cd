/* Influence of past tokens: runs the net, keeps what enters each layer, and goes back through the layers. */
#include "sim/influence.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/influence_back.h"
#include "sim/influence_bound.h"
#include "sim/influence_curve.h"
#include "sim/net_internal.h"

influence_options influence_options_default(void)
{
  return (influence_options){.positions = 8, .probes = 8, .scan = true, .mixer = true, .model = true};
}

/* Sums over the sequences that were finished. */
typedef struct {
  curve_sum *scan, *mixer;
  influence_bound bound;
  scan_decay decay;
} layer_sums;

/* A measurement underway. */
typedef struct {
  const net *n;
  const influence_options *o;
  int threads;
  size_t longest, rows;
  layer_sums *layer, *now;         /* [layers]: finished, and of the sequence at hand */
  curve_sum *model, *model_now;
  double **stream; /* [layers + 1]: what enters each layer, and what leaves the last; [T, M] */
  size_t tokens;
  size_t *t, positions;
  double done, share;              /* of the work: progress */
  const char *what;
} work;

static bool stopped(const work *w)
{
  return w->o->stop && *w->o->stop;
}

static bool wants_layer(const work *w, size_t i)
{
  return !w->o->layers || w->o->layers[i];
}

static void show(void *context, double fraction)
{
  work *w = context;
  if (w->o->progress)
    w->o->progress(w->o->context, w->what, w->done + w->share * fraction);
}

/* ---- the forward run ---- */

static bool keep_stream(void *context, const net_view *view)
{
  work *w = context;
  size_t m = w->n->width;
  memcpy(w->stream[view->layer] + view->first * m, view->input, view->tokens * m * sizeof(double));
  if (view->layer + 1 == w->n->count)
    memcpy(w->stream[view->layer + 1] + view->first * m, view->output, view->tokens * m * sizeof(double));
  return !stopped(w);
}

static bool run_forward(work *w, const net_input *in)
{
  net_state *state = net_state_create(w->n);
  net_observer observer = {.see = keep_stream, .context = w};
  assay_status status = net_run(w->n, state, in, &observer);
  net_state_destroy(state);
  return status == STATUS_OK && !stopped(w);
}

static void choose_positions(work *w)
{
  size_t wanted = w->o->positions, tokens = w->tokens;
  w->positions = wanted == 0 || wanted >= tokens ? tokens : wanted;
  w->t = memory_resize(w->t, w->positions, sizeof *w->t);
  for (size_t i = 1; i <= w->positions; i++) /* ceil(T i / P) without T i, which might be too large */
    w->t[i - 1] =
        tokens / w->positions * i + (tokens % w->positions * i + w->positions - 1) / w->positions - 1;
}

/* ---- one layer ---- */

/* Whether |J| is larger than the bound by more than its own rounding: t - s products and sums of N terms of
 * doubles, and two logarithms. */
static bool exceeds(double lg, double bound_lg, size_t distance, size_t states)
{
  double room = 0x1p-49 * ((double)distance + (double)states + fabs(lg) + fabs(bound_lg) + 16);
  return lg - bound_lg > room;
}

static void add_bound(influence_bound *b, double lg, double bound_lg, size_t distance, size_t states)
{
  if (distance == 0 || isnan(lg))
    return;
  double room = bound_lg - lg;
  b->pairs++;
  if (exceeds(lg, bound_lg, distance, states))
    b->exceeded++;
  if (!(b->least_room <= room))
    b->least_room = room;
  if (!(b->most_room >= room))
    b->most_room = room;
}

static bool measure_scan(work *w, size_t i, const scan_record *r)
{
  layer_sums *sums = &w->now[i];
  size_t tokens = w->tokens;
  wide *out = memory_new(memory_multiply(w->positions, tokens), sizeof *out);
  double *checkpoints = scan_checkpoints(r, w->threads);
  bool whole = influence_scan_adjoint(out, r, checkpoints, w->t, w->positions, w->threads, w->o->stop);
  if (whole) {
    scan_bound bound;
    scan_bound_init(&bound, r, w->threads);
    for (size_t p = 0; p < w->positions; p++)
      for (size_t s = 0; s <= w->t[p]; s++) {
        size_t k = w->t[p] - s;
        wide norm = out[p * tokens + s];
        double bound_lg = k ? scan_bound_lg(&bound, w->t[p], s) : NAN;
        curve_sum_add(&sums->scan[k], norm, bound_lg);
        add_bound(&sums->bound, isfinite(norm.m) ? wide_lg(norm) : NAN, bound_lg, k, r->states);
      }
    scan_bound_clear(&bound);
  }
  free(checkpoints);
  free(out);
  return whole;
}

static bool go_back(work *w, curve_sum *sums, back_task *task)
{
  task->tokens = w->tokens;
  task->width = w->n->width;
  task->t = w->t;
  task->positions = w->positions;
  task->rows = w->rows;
  task->seed = w->o->seed;
  task->threads = w->threads;
  task->stop = w->o->stop;
  task->progress = show;
  task->context = w;
  wide *out = memory_new(memory_multiply(w->positions, w->tokens), sizeof *out);
  bool whole = influence_back(out, task);
  for (size_t p = 0; p < w->positions && whole; p++)
    for (size_t s = 0; s <= w->t[p]; s++)
      curve_sum_add(&sums[w->t[p] - s], out[p * w->tokens + s], NAN);
  free(out);
  return whole;
}

static bool measure_layer(work *w, size_t i)
{
  const char *reason;
  const block *b = w->n->block[i];
  const adjoint_kind *kind = adjoint_kind_of(b, &reason);
  if (!kind)
    return true;
  bool whole = true;
  w->what = w->n->name[i];
  show(w, 0);
  if (kind->record) {
    adjoint_record r;
    kind->record(&r, b, w->stream[i], w->tokens, w->threads);
    scan_decay_add(&w->now[i].decay, r.scan.step, r.scan.rate, r.scan.tokens, r.scan.channels, r.scan.states);
    if (w->o->scan && wants_layer(w, i))
      whole = measure_scan(w, i, &r.scan);
    adjoint_record_clear(&r);
  }
  if (kind->poles) {
    size_t count, lanes;
    const double *pole = kind->poles(&count, &lanes, b);
    scan_decay_add_poles(&w->now[i].decay, pole, count, lanes, w->tokens);
  }
  if (whole && w->o->mixer && wants_layer(w, i)) {
    const double *input = w->stream[i];
    whole = go_back(w, w->now[i].mixer, &(back_task){.blocks = 1, .block = &b, .input = &input});
  }
  return whole && !stopped(w);
}

/* ---- the model ---- */

/* Why the model as a whole cannot be measured; NULL: it can. */
static const char *model_reason(const net *n)
{
  const char *reason = NULL;
  for (size_t i = 0; i < n->count && !reason; i++)
    if (!adjoint_kind_of(n->block[i], &reason) && !reason)
      reason = "a layer has no adjoint";
  return reason;
}

static bool measure_model(work *w)
{
  if (!w->o->model || model_reason(w->n))
    return true;
  w->what = "the model";
  return go_back(w, w->model_now,
                 &(back_task){.blocks = w->n->count,
                              .block = (const block *const *)w->n->block,
                              .input = (const double *const *)w->stream,
                              .residual = true,
                              .last = &w->n->last,
                              .output = w->stream[w->n->count]});
}

/* ---- sums ---- */

static void sums_init(const work *w, layer_sums *s)
{
  for (size_t i = 0; i < w->n->count; i++) {
    s[i].scan = curve_sum_create(w->longest);
    s[i].mixer = curve_sum_create(w->longest);
    s[i].bound = (influence_bound){.least_room = NAN, .most_room = NAN};
    scan_decay_init(&s[i].decay);
  }
}

static void sums_clear(const work *w, layer_sums *s)
{
  for (size_t i = 0; i < w->n->count; i++) {
    free(s[i].scan);
    free(s[i].mixer);
  }
}

/* All layers of a sequence, then the model. */
static bool measure_sequence(work *w, const net_input *in, double share)
{
  double begin = w->done;
  size_t parts = w->n->count + 2;
  w->tokens = in->tokens;
  w->what = "the forward run";
  w->share = share / (double)parts;
  show(w, 0);
  for (size_t i = 0; i <= w->n->count; i++)
    w->stream[i] = memory_resize(w->stream[i], memory_multiply(in->tokens, w->n->width), sizeof(double));
  choose_positions(w);
  bool whole = run_forward(w, in);
  for (size_t i = 0; i < w->n->count && whole; i++) {
    w->done = begin + w->share * (double)(i + 1);
    whole = measure_layer(w, i);
  }
  w->done = begin + w->share * (double)(w->n->count + 1);
  whole = whole && measure_model(w);
  w->done = begin + share;
  return whole;
}

/* ---- the result ---- */

static influence_decay decay_of(const scan_decay *d, const char *reason)
{
  influence_decay out = {.known = d->entries > 0, .entries = d->entries};
  out.reason = out.known ? NULL : reason;
  out.log_max = out.known ? d->log_max : NAN;
  out.log_max_below = out.known ? d->log_max_below : NAN;
  out.mean_log = out.known ? d->sum / (double)d->entries : NAN;
  return out;
}

static void decay_join(scan_decay *sum, const scan_decay *d)
{
  sum->log_max = d->log_max > sum->log_max ? d->log_max : sum->log_max;
  sum->log_max_below = d->log_max_below > sum->log_max_below ? d->log_max_below : sum->log_max_below;
  sum->sum += d->sum;
  sum->entries += d->entries;
}

/* A curve that was asked for and has nothing in it. */
static void explain(influence_curve *c, bool wanted)
{
  if (!c->known && wanted && !*c->reason)
    c->reason = "it was stopped before a sequence was finished";
}

static void unknown_curve(influence_curve *c, const char *reason)
{
  free(c->at);
  *c = (influence_curve){.reason = reason};
}

static void finish_layer(influence_layer *l, const work *w, size_t i)
{
  const layer_sums *s = &w->layer[i];
  const char *reason;
  const adjoint_kind *kind = adjoint_kind_of(w->n->block[i], &reason);
  const char *no_scan = kind ? "it has no selective scan" : reason;
  const net_layer facts = net_get_layer(w->n, i);
  *l = (influence_layer){.name = memory_copy_string(facts.name),
                         .family = facts.family,
                         .layer = i,
                         .channels = facts.channels,
                         .states = facts.states};
  curve_finish(&l->scan, s->scan, w->longest, true);
  curve_finish(&l->mixer, s->mixer, w->longest, w->rows == w->n->width);
  if (!kind || !kind->record)
    unknown_curve(&l->scan, w->o->scan ? no_scan : "");
  if (!kind)
    unknown_curve(&l->mixer, w->o->mixer ? reason : "");
  explain(&l->scan, w->o->scan);
  explain(&l->mixer, w->o->mixer);
  bool gathered = kind && (kind->record || kind->poles);
  l->decay = decay_of(&s->decay, !kind      ? reason
                                 : gathered ? "it was stopped"
                                            : "they follow from its keys and are not gathered");
  l->bound = s->bound;
  l->bound.known = l->scan.known;
  l->bound.reason = l->scan.reason;
}

static void finish_result(influence_result *r, const work *w)
{
  scan_decay all;
  scan_decay_init(&all);
  bool whole = true;
  r->layers = memory_new(w->n->count, sizeof *r->layers);
  for (size_t i = 0; i < w->n->count; i++) {
    whole = whole && w->layer[i].decay.entries > 0;
    decay_join(&all, &w->layer[i].decay);
    if (wants_layer(w, i))
      finish_layer(&r->layers[r->layer_count++], w, i);
  }
  if (!whole)
    scan_decay_init(&all);
  r->decay = decay_of(&all, whole ? "it was stopped" : "those of some layer are not known");
  const char *reason = model_reason(w->n);
  curve_finish(&r->model, w->model, w->longest, w->rows == w->n->width);
  if (reason && w->o->model)
    unknown_curve(&r->model, reason);
  explain(&r->model, w->o->model);
}

/* The sums of a sequence that was finished take the place of those before it. */
static void copy_sums(const work *w, layer_sums *to, curve_sum *model_to, const layer_sums *from,
                      const curve_sum *model_from)
{
  size_t bytes = w->longest * sizeof(curve_sum);
  for (size_t i = 0; i < w->n->count; i++) {
    memcpy(to[i].scan, from[i].scan, bytes);
    memcpy(to[i].mixer, from[i].mixer, bytes);
    to[i].bound = from[i].bound;
    to[i].decay = from[i].decay;
  }
  memcpy(model_to, model_from, bytes);
}

assay_status influence_measure(influence_result *r, const net *n, const net_input *inputs, size_t count,
                               const influence_options *options)
{
  work w = {.n = n, .o = options, .threads = options->threads > 0 ? options->threads : omp_get_max_threads()};
  *r = (influence_result){.options = *options, .width = n->width};
  for (size_t i = 0; i < count; i++)
    w.longest = inputs[i].tokens > w.longest ? inputs[i].tokens : w.longest;
  w.rows = options->probes == 0 || options->probes >= n->width ? n->width : options->probes;
  w.layer = memory_new(n->count, sizeof *w.layer);
  w.now = memory_new(n->count, sizeof *w.now);
  sums_init(&w, w.layer);
  sums_init(&w, w.now);
  w.model = curve_sum_create(w.longest);
  w.model_now = curve_sum_create(w.longest);
  w.stream = memory_new(n->count + 1, sizeof *w.stream);
  for (size_t i = 0; i < count && !r->stopped; i++) {
    if (measure_sequence(&w, &inputs[i], 1 / (double)count)) {
      copy_sums(&w, w.layer, w.model, w.now, w.model_now);
      r->sequences++;
      if (inputs[i].tokens == w.longest)
        r->positions = w.positions;
    } else
      r->stopped = true;
  }
  r->tokens = w.longest;
  r->probes = w.rows;
  finish_result(r, &w);
  sums_clear(&w, w.layer);
  sums_clear(&w, w.now);
  free(w.layer);
  free(w.now);
  free(w.model);
  free(w.model_now);
  for (size_t i = 0; i <= n->count; i++)
    free(w.stream[i]);
  free(w.stream);
  free(w.t);
  return STATUS_OK;
}

void influence_result_clear(influence_result *r)
{
  for (size_t i = 0; i < r->layer_count; i++) {
    free(r->layers[i].name);
    free(r->layers[i].scan.at);
    free(r->layers[i].mixer.at);
  }
  free(r->layers);
  free(r->model.at);
  *r = (influence_result){0};
}
