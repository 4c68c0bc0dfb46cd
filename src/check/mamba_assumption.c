/* Decides the Mamba assumption for every entry of a model and sums it up layer by layer. */
#include "check/mamba_assumption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "check/mamba_ball.h"
#include "check/mamba_work.h"
#include "core/memory.h"
#include "core/text.h"

/* Entries per unit of work: large enough for the kernels, small enough for the cache and for few channels. */
enum { BLOCK = 4096 };

mamba_options mamba_options_default(void)
{
  return (mamba_options){.tokens = 2048, .precision_limit = 4096};
}

/* TRUTH_OPEN while the ball contains 0 and something above it. */
static truth margin_truth(const arb_t margin)
{
  if (arb_is_nonpositive(margin))
    return TRUTH_TRUE;
  if (arb_is_positive(margin))
    return TRUTH_FALSE;
  return TRUTH_OPEN;
}

static truth decide_by_balls(mamba_ball *ball, double a_log, double dt_bias, slong limit)
{
  for (slong precision = 64; precision <= limit; precision *= 2) {
    mamba_ball_set(ball, a_log, dt_bias, precision);
    truth found = margin_truth(ball->margin);
    if (found != TRUTH_OPEN)
      return found;
  }
  return TRUTH_OPEN;
}

truth mamba_decide_entry(double a_log, double dt_bias, slong precision_limit)
{
  if (!isfinite(a_log) || !isfinite(dt_bias))
    return TRUTH_UNDEFINED;
  mamba_ball ball;
  mamba_ball_init(&ball);
  truth found = decide_by_balls(&ball, a_log, dt_bias, precision_limit);
  mamba_ball_clear(&ball);
  if (found == TRUTH_OPEN && a_log <= 0)
    found = TRUTH_FALSE; /* the rule of the header */
  return found;
}

/* Doubles around the ball. What the ball does not bound, the doubles do not. */
static void ball_to_doubles(double *low, double *high, const arb_t ball)
{
  arf_t end;
  arf_init(end);
  arb_get_lbound_arf(end, ball, 64);
  *low = arf_is_nan(end) ? -INFINITY : arf_get_d(end, ARF_RND_FLOOR);
  arb_get_ubound_arf(end, ball, 64);
  *high = arf_is_nan(end) ? INFINITY : arf_get_d(end, ARF_RND_CEIL);
  arf_clear(end);
}

static unsigned char decide_entry(const mamba_work *work, size_t i, mamba_ball *ball, slong limit)
{
  double a_log = work->a_log[i], dt_bias = work->dt_bias[i / work->states];
  const mamba_enclosures *bound = &work->bound;
  if (!isfinite(a_log) || !isfinite(dt_bias))
    return MAMBA_INVALID;
  if (bound->margin_high[i] <= 0)
    return MAMBA_HOLDS | MAMBA_BY_DOUBLE;
  if (bound->margin_low[i] > 0)
    return MAMBA_FAILS | MAMBA_BY_DOUBLE;
  if (isnan(bound->margin_low[i])) { /* no bound yet: the search for extremes needs one */
    mamba_ball_set(ball, a_log, dt_bias, 64);
    ball_to_doubles(&bound->margin_low[i], &bound->margin_high[i], ball->margin);
    ball_to_doubles(&bound->rate_low[i], &bound->rate_high[i], ball->rate);
  }
  truth found = decide_by_balls(ball, a_log, dt_bias, limit);
  if (found == TRUTH_TRUE)
    return MAMBA_HOLDS | MAMBA_BY_BALL;
  if (found == TRUTH_FALSE)
    return MAMBA_FAILS | MAMBA_BY_BALL;
  return a_log <= 0 ? MAMBA_FAILS | MAMBA_BY_RULE : MAMBA_UNKNOWN;
}

static void decide_block(const mamba_work *work, size_t first, size_t count, mamba_ball *ball,
                         const mamba_options *options)
{
  if (options->only_balls)
    for (size_t i = first; i < first + count; i++)
      work->bound.margin_low[i] = work->bound.margin_high[i] = NAN;
  else
    mamba_enclose(&work->bound, work->a_log, work->dt_bias, work->states, first, count);
  for (size_t i = first; i < first + count; i++)
    work->decided[i] = decide_entry(work, i, ball, options->precision_limit);
}

/* Entries are independent of each other, so who decides which does not matter. */
static void decide_layer(const mamba_work *work, const mamba_options *options)
{
  size_t blocks = (work->entries + BLOCK - 1) / BLOCK;
#ifdef _OPENMP
  int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
#endif
#pragma omp parallel num_threads(threads)
  {
    mamba_ball ball;
    mamba_ball_init(&ball);
#pragma omp for schedule(dynamic)
    for (size_t k = 0; k < blocks; k++) {
      size_t first = k * BLOCK, left = work->entries - first;
      decide_block(work, first, left < BLOCK ? left : BLOCK, &ball, options);
    }
    mamba_ball_clear(&ball);
#ifdef _OPENMP
    if (omp_get_thread_num() != 0) /* FLINT keeps constants per thread */
      flint_cleanup();
#endif
  }
}

/* exp(a_log) in single precision, rounded to nearest, is infinite from log(2^128 - 2^103) on, and 0 up to
 * log(2^-150). The doubles here are those logarithms rounded. */
static bool is_beyond_single(double a_log)
{
  return a_log >= 0x1.62e42feda39efp+6 || a_log <= -0x1.9fe3682cd3be4p+6;
}

static void count_layer(mamba_counts *counts, const mamba_work *work)
{
  *counts = (mamba_counts){0};
  for (size_t i = 0; i < work->entries; i++) {
    unsigned char d = work->decided[i];
    counts->invalid += d == MAMBA_INVALID;
    counts->unknown += d == MAMBA_UNKNOWN;
    counts->holds += (d & MAMBA_HOLDS) != 0;
    counts->fails += (d & MAMBA_FAILS) != 0;
    counts->by_double += (d & MAMBA_BY_DOUBLE) != 0;
    counts->by_ball += (d & MAMBA_BY_BALL) != 0;
    counts->by_rule += (d & MAMBA_BY_RULE) != 0;
    counts->beyond_single += d != MAMBA_INVALID && is_beyond_single(work->a_log[i]);
  }
}

static void add_counts(mamba_counts *sum, const mamba_counts *more)
{
  sum->holds += more->holds;
  sum->fails += more->fails;
  sum->unknown += more->unknown;
  sum->invalid += more->invalid;
  sum->by_double += more->by_double;
  sum->by_ball += more->by_ball;
  sum->by_rule += more->by_rule;
  sum->beyond_single += more->beyond_single;
}

static void layer_report_init(mamba_layer_report *report, const mamba_layer *layer)
{
  report->name = memory_copy_string(layer->name);
  report->a_log_name = memory_copy_string(layer->a_log->name);
  report->dt_bias_name = memory_copy_string(layer->dt_bias->name);
  report->channels = layer->channels;
  report->states = layer->states;
  arb_init(report->a_min);
  arb_init(report->a_max);
  arb_init(report->power);
  arb_init(report->worst_delta);
  arb_init(report->worst_a);
  arb_init(report->worst_decay);
  arb_init(report->worst_margin);
}

static void layer_report_clear(mamba_layer_report *report)
{
  free(report->name);
  free(report->a_log_name);
  free(report->dt_bias_name);
  arb_clear(report->a_min);
  arb_clear(report->a_max);
  arb_clear(report->power);
  arb_clear(report->worst_delta);
  arb_clear(report->worst_a);
  arb_clear(report->worst_decay);
  arb_clear(report->worst_margin);
}

static assay_status audit_layer(mamba_layer_report *report, const dump_file *file, const mamba_layer *layer,
                                const mamba_options *options, dump_error *error)
{
  uint64_t entries = layer->a_log->count;
  if (entries > MAMBA_LAYER_ENTRIES) {
    char *name = dump_quote(layer->a_log->name);
    dump_error_set_at(error, dump_name(file), layer->a_log->offset,
                      "tensor %s has %llu entries; the limit is %d", name, (unsigned long long)entries,
                      (int)MAMBA_LAYER_ENTRIES);
    free(name);
    return STATUS_UNABLE;
  }
  size_t n = (size_t)entries;
  double *a_log = memory_new(n, sizeof *a_log), *dt_bias = memory_new(layer->channels, sizeof *dt_bias);
  double *bounds = memory_new(memory_multiply(4, n), sizeof *bounds);
  unsigned char *decided = memory_new(n, 1);
  mamba_work work = {a_log,  dt_bias, layer->states, n, {bounds, bounds + n, bounds + 2 * n, bounds + 3 * n},
                     decided};

  assay_status status = dump_values(file, a_log, layer->a_log, 0, n, error);
  if (status == STATUS_OK)
    status = dump_values(file, dt_bias, layer->dt_bias, 0, layer->channels, error);
  if (status != STATUS_OK)
    goto cleanup;
  decide_layer(&work, options);
  count_layer(&report->counts, &work);
  report->has_entries = report->counts.invalid < entries;
  if (report->has_entries) {
    mamba_find_range(report, &work, options->tokens);
    mamba_find_worst(report, &work, options->precision_limit);
  }

cleanup:
  free(a_log);
  free(dt_bias);
  free(bounds);
  free(decided);
  return status;
}

static char *describe_stray(const mamba_stray *stray)
{
  text out;
  text_init(&out);
  char *name = dump_quote(stray->a_log->name);
  text_addf(&out, "%s: %s", name, stray->reason);
  free(name);
  return text_take(&out);
}

assay_status mamba_audit(mamba_report *report, const mamba_model *model, const mamba_options *options,
                         dump_error *error)
{
  *report = (mamba_report){.file = memory_copy_string(dump_name(model->file)), .options = *options};
  report->layers = memory_new(model->count, sizeof *report->layers);
  report->skipped = memory_new(model->stray_count + 1, sizeof *report->skipped);
  while (report->skipped_count < model->stray_count) {
    report->skipped[report->skipped_count] = describe_stray(&model->strays[report->skipped_count]);
    report->skipped_count++;
  }
  for (size_t k = 0; k < model->count; k++) {
    mamba_layer_report *layer = &report->layers[k];
    layer_report_init(layer, &model->layers[k]);
    report->layer_count++;
    assay_status status = audit_layer(layer, model->file, &model->layers[k], options, error);
    if (status != STATUS_OK) {
      mamba_report_clear(report);
      return status;
    }
    add_counts(&report->total, &layer->counts);
  }
  return STATUS_OK;
}

assay_status mamba_audit_file(mamba_report *report, const char *path, const mamba_options *options,
                              dump_error *error)
{
  *report = (mamba_report){0};
  dump_file *file = dump_open_safetensors(path, error);
  if (file == NULL)
    return STATUS_BAD_INPUT;
  mamba_model model;
  assay_status status = mamba_recognise(&model, file, error);
  if (status == STATUS_OK)
    status = mamba_audit(report, &model, options, error);
  mamba_clear(&model);
  dump_close(file);
  return status;
}

void mamba_report_clear(mamba_report *report)
{
  for (size_t k = 0; k < report->layer_count; k++)
    layer_report_clear(&report->layers[k]);
  for (size_t k = 0; k < report->skipped_count; k++)
    free(report->skipped[k]);
  free(report->layers);
  free(report->skipped);
  free(report->file);
  *report = (mamba_report){0};
}

truth mamba_report_truth(const mamba_report *report)
{
  if (report->total.fails > 0)
    return TRUTH_FALSE;
  return report->total.unknown > 0 || report->total.invalid > 0 ? TRUTH_UNKNOWN : TRUTH_TRUE;
}
