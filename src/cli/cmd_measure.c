/* assay measure: what the papers measure on a model that runs. Measures of one input share one run of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/audit.h"
#include "cli/commands.h"
#include "cli/measure_plan.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sim_input.h"
#include "core/memory.h"
#include "report/measure_json.h"
#include "report/measure_text.h"

typedef struct {
  const options *o;
  diag *d;
  const volatile int *stop;
  progress progress;
  sim_input in;
  measure_plan plan;
  bool stopped;
  smoothness *smoothness;
  spread *spread;
  robustness *robustness;
  recall_result recall[MEASURE_PAIRS];
  size_t recalls;
  influence_result influence;
  bool has_influence;
} work;

static bool interrupted(work *w)
{
  return w->stopped = w->stopped || *w->stop;
}

/* ---- the run that smoothness, spread and robustness share ---- */

static bool see(void *context, const net_view *view)
{
  work *w = context;
  if (w->smoothness)
    smoothness_see(w->smoothness, view);
  if (w->spread && w->in.layers[view->layer])
    spread_see(w->spread, view);
  return true;
}

static bool finish(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  work *w = context;
  (void)first;
  if (w->robustness)
    robustness_clean(w->robustness, tokens, hidden, logits);
  return true;
}

static bool run_piece(work *w, net_state *state, size_t sequence, uint64_t first, size_t tokens)
{
  net_input piece;
  net_observer observer = {.wanted = w->spread ? NET_WANT_ALPHA : 0,
                           .layers = w->smoothness ? NULL : w->in.layers,
                           .see = see,
                           .finish = finish,
                           .logits = w->robustness && net_logits(w->in.net),
                           .context = w};
  if (!sim_input_read(&w->in, w->d, &piece, sequence, first, tokens))
    return false;
  assay_status status = net_run(w->in.net, state, &piece, &observer);
  if (status == STATUS_OK && w->robustness)
    status = robustness_corrupted(w->robustness, first, &piece);
  if (status != STATUS_OK)
    diag_error_plain(w->d, "the model could not be run");
  return status == STATUS_OK;
}

static void show_run(work *w, size_t sequence, uint64_t first, uint64_t length)
{
  double done = ((double)sequence + (double)first / (double)length) / (double)w->in.sequences;
  progress_show(&w->progress, "sequences", "run through the model", done);
}

static bool run_sequence(work *w, size_t sequence)
{
  uint64_t length = sim_input_length(&w->in, sequence), first = 0;
  net_state *state = net_state_create(w->in.net);
  bool fine = true;
  if (w->smoothness)
    smoothness_begin(w->smoothness, length);
  if (w->robustness)
    robustness_begin(w->robustness, sequence, length);
  while (first < length && fine && !interrupted(w)) {
    size_t tokens = length - first < NET_PIECE ? (size_t)(length - first) : NET_PIECE;
    fine = run_piece(w, state, sequence, first, tokens);
    first += tokens;
    show_run(w, sequence, first, length);
  }
  if (w->smoothness && fine)
    smoothness_end(w->smoothness);
  if (w->robustness && first >= length && fine)
    robustness_end(w->robustness);
  net_state_destroy(state);
  return fine;
}

static bool run_shared(work *w)
{
  const measure_plan *p = &w->plan;
  if (p->what & MEASURE_SMOOTHNESS) {
    smoothness_options wanted = smoothness_options_default();
    wanted.normalizer = p->normalizer;
    w->smoothness = smoothness_create(net_layers(w->in.net), net_width(w->in.net), &wanted);
  }
  if (p->what & MEASURE_SPREAD)
    w->spread = spread_create(w->in.net);
  if (p->what & MEASURE_ROBUSTNESS) {
    corruption_window window[CORRUPTION_WINDOWS];
    size_t windows = measure_plan_windows(window, p, w->in.longest);
    w->robustness = robustness_create(w->in.net, window, windows, p->noise, p->seed);
  }
  if (!w->smoothness && !w->spread && !w->robustness)
    return true;
  bool fine = true;
  for (size_t k = 0; k < w->in.sequences && fine && !interrupted(w); k++)
    fine = run_sequence(w, k);
  w->progress.done++;
  return fine;
}

/* ---- influence ---- */

static void show_influence(void *context, const char *what, double fraction)
{
  progress_show(context, "influence", what, fraction);
}

/* A whole sequence of its own. */
static bool read_whole(work *w, net_input *whole, size_t sequence)
{
  net_input piece;
  size_t tokens = (size_t)sim_input_length(&w->in, sequence), width = net_width(w->in.net);
  *whole = (net_input){.tokens = tokens};
  uint32_t *token = NULL;
  double *vector = NULL;
  for (size_t first = 0; first < tokens; first += piece.tokens) {
    size_t count = tokens - first < NET_PIECE ? tokens - first : NET_PIECE;
    if (!sim_input_read(&w->in, w->d, &piece, sequence, first, count)) {
      free(token);
      free(vector);
      return false;
    }
    if (piece.token && !token)
      token = memory_new(tokens, sizeof *token);
    if (piece.vector && !vector)
      vector = memory_new(memory_multiply(tokens, width), sizeof *vector);
    if (piece.token)
      memcpy(token + first, piece.token, count * sizeof *token);
    else
      memcpy(vector + first * width, piece.vector, count * width * sizeof *vector);
  }
  whole->token = token;
  whole->vector = vector;
  return true;
}

static bool run_influence(work *w)
{
  if (!(w->plan.what & MEASURE_INFLUENCE) || interrupted(w))
    return true;
  influence_options wanted = influence_options_default();
  if (w->o->positions)
    wanted.positions = (size_t)w->o->positions;
  if (w->o->probes)
    wanted.probes = (size_t)w->o->probes;
  wanted.seed = w->plan.seed;
  wanted.layers = w->in.layers;
  wanted.threads = w->o->threads;
  wanted.progress = show_influence;
  wanted.context = &w->progress;
  wanted.stop = w->stop;
  net_input *input = memory_new(w->in.sequences, sizeof *input);
  bool fine = true;
  for (size_t k = 0; k < w->in.sequences && fine; k++)
    fine = read_whole(w, &input[k], k);
  if (fine) {
    w->has_influence = true;
    fine = influence_measure(&w->influence, w->in.net, input, w->in.sequences, &wanted) == STATUS_OK;
    if (!fine)
      diag_error_plain(w->d, "the influence could not be measured");
  }
  for (size_t k = 0; k < w->in.sequences; k++) {
    free((void *)input[k].token);
    free((void *)input[k].vector);
  }
  free(input);
  w->progress.done++;
  return fine;
}

/* ---- recall ---- */

static void show_recall(void *context, uint64_t done)
{
  work *w = context;
  progress_show(&w->progress, "recall", "sequences", (double)done / (double)w->plan.examples);
}

/* Whether recall can be asked for with every number of pairs that was given; of the usual ones those remain that fit. */
static bool check_recall(work *w)
{
  measure_plan *p = &w->plan;
  size_t fitting = 0;
  for (size_t i = 0; (p->what & MEASURE_RECALL) && i < p->pair_count; i++) {
    mqar_options task = measure_plan_task(p, w->in.net, i);
    const char *reason = recall_reason(w->in.net, &task);
    if (!reason)
      reason = mqar_reason(&task);
    if (!reason) {
      p->pairs[fitting++] = p->pairs[i];
    } else if (w->o->pairs || (i + 1 == p->pair_count && !fitting)) {
      diag_error_plain(w->d, "recall, %zu pairs in %zu tokens, vocabulary %llu: %s", task.pairs, task.length,
                       (unsigned long long)task.vocabulary, reason);
      return false;
    }
  }
  p->pair_count = fitting;
  return true;
}

static bool run_recall(work *w)
{
  const measure_plan *p = &w->plan;
  if (!(p->what & MEASURE_RECALL))
    return true;
  corruption_window window[CORRUPTION_WINDOWS];
  recall_options wanted = {.examples = p->examples, .window = window, .stop = w->stop, .progress = show_recall, .context = w};
  for (size_t i = 0; i < p->pair_count && !interrupted(w); i++) {
    mqar_options task = measure_plan_task(p, w->in.net, i);
    if (p->what & MEASURE_ROBUSTNESS)
      wanted.windows = measure_plan_windows(window, p, task.length);
    if (recall_run(&w->recall[i], w->in.net, &task, &wanted) != STATUS_OK) {
      diag_error_plain(w->d, "the model could not be run");
      return false;
    }
    w->recalls = i + 1;
  }
  interrupted(w);
  w->progress.done++;
  return true;
}

/* ---- */

static bool write_json(const work *w, const measure_report *report)
{
  json_t *value = measure_json_create(report);
  bool fine = measure_json_write(w->d, w->o->json, value);
  json_decref(value);
  return fine;
}

static bool write_report(work *w)
{
  text command;
  text_init(&command);
  measure_plan_add_command(&command, &w->plan, w->o);
  measure_report report = {.file = w->o->argument[1],
                           .container = dump_container(w->in.file),
                           .net = w->in.net,
                           .chosen = w->in.layers,
                           .command = text_string(&command),
                           .seed = w->plan.seed,
                           .stopped = w->stopped,
                           .sequences = w->in.sequences,
                           .tokens = w->in.longest,
                           .smoothness = w->smoothness ? smoothness_result(w->smoothness) : NULL,
                           .spread = w->spread ? spread_finish(w->spread, w->in.layers) : NULL,
                           .robustness = w->robustness ? robustness_result(w->robustness) : NULL,
                           .recall = w->recall,
                           .recalls = w->recalls,
                           .influence = w->has_influence ? &w->influence : NULL};
  bool fine = true;
  progress_wipe(&w->progress);
  if (!w->o->quiet && (!w->o->json || w->o->json[0] != '-' || w->o->json[1]))
    measure_text_write(stdout, &report);
  if (w->o->json)
    fine = write_json(w, &report);
  text_clear(&command);
  return fine;
}

static bool open_sequences(work *w)
{
  unsigned needing = w->plan.what & ~(unsigned)MEASURE_RECALL;
  bool given = w->o->tokens || w->o->input || w->o->random;
  if (needing == MEASURE_ROBUSTNESS && (w->plan.what & MEASURE_RECALL) && !given) {
    w->plan.robustness_of_recall_alone = true;
    needing = 0;
  }
  if (!needing && given) {
    diag_error_plain(w->d, "recall makes its own sequences: --tokens, --input and --random have no use");
    return false;
  }
  return !needing || sim_input_open_sequences(&w->in, w->d, w->o);
}

static bool run(work *w)
{
  progress_init(&w->progress, measure_plan_stages(&w->plan), !w->o->quiet);
  bool shared = !w->plan.robustness_of_recall_alone;
  return (!shared || run_shared(w)) && run_influence(w) && run_recall(w);
}

int cmd_measure(const options *o, diag *d)
{
  work w = {.o = o, .d = d, .stop = signals_install()}; /* whatever is interrupted from here on ends in a report */
  if (!measure_plan_read(&w.plan, d, o) || !sim_input_open_model(&w.in, d, o, o->argument[1]))
    return EXIT_BAD_INPUT;
  int status = EXIT_BAD_INPUT;
  if (check_recall(&w) && open_sequences(&w) && run(&w) && write_report(&w))
    status = w.stopped ? EXIT_STOPPED : EXIT_FINE;
  progress_wipe(&w.progress);
  smoothness_destroy(w.smoothness);
  spread_destroy(w.spread);
  robustness_destroy(w.robustness);
  if (w.has_influence)
    influence_result_clear(&w.influence);
  sim_input_close(&w.in);
  return status;
}
