/* assay audit --model: the instances are what a model did with sequences. */
#include "cli/audit_model.h"

#include <stdlib.h>

#include "cli/sim_input.h"
#include "core/memory.h"

enum { AT_ONCE = 4 * NET_PIECE }; /* tokens that are read at once */

bool audit_model_check(diag *d, const options *o)
{
  const struct {
    const char *name;
    bool given;
  } search[] = {{"trials", o->has_trials}, {"time", o->time > 0},          {"sizes", o->sizes != NULL},
                {"power", o->has_power},   {"require-proof", o->require_proof}},
    run[] = {{"tokens", o->tokens != NULL},       {"input", o->input != NULL},     {"random", o->random > 0},
             {"sequences", o->sequences > 0},     {"layers", o->layers != NULL},   {"family", o->family != NULL},
             {"polarized", o->polarized},         {"header-limit", o->header_limit > 0}};
  for (size_t i = 0; o->model && i < sizeof search / sizeof *search; i++)
    if (search[i].given) {
      diag_error_plain(d, "--%s says how to search, and with --model nothing is searched: its sequences are the instances",
                       search[i].name);
      return false;
    }
  for (size_t i = 0; !o->model && i < sizeof run / sizeof *run; i++)
    if (run[i].given) {
      diag_error_plain(d, "--%s goes with --model", run[i].name);
      return false;
    }
  return true;
}

bool audit_model_add_claims(target_list *targets)
{
  static const char *const usual[] = {"theorem-4-2", "lemma-d6", "lemma-d6-damped-start", "theorem-3-1-memory"};
  bool fine = true;
  for (size_t i = 0; i < sizeof usual / sizeof *usual && fine; i++)
    fine = targets_add(targets, usual[i]);
  return fine;
}

/* ---- running ---- */

typedef struct {
  sim_input in;
  diag *d;
} runner;

static uint64_t length(void *context, size_t sequence)
{
  runner *k = context;
  return sim_input_length(&k->in, sequence);
}

static assay_status run_sequence(void *context, size_t sequence, const net_observer *observer)
{
  runner *k = context;
  net_state *state = net_state_create(k->in.net);
  uint64_t tokens = sim_input_length(&k->in, sequence);
  assay_status status = STATUS_OK;
  for (uint64_t first = 0; first < tokens && status == STATUS_OK; first += AT_ONCE) {
    net_input piece;
    size_t count = tokens - first < AT_ONCE ? (size_t)(tokens - first) : AT_ONCE;
    status = sim_input_read(&k->in, k->d, &piece, sequence, first, count) ? net_run(k->in.net, state, &piece, observer)
                                                                          : STATUS_BAD_INPUT;
  }
  net_state_destroy(state);
  return status;
}

static bool run(trajectory_report *r, runner *k, const options *o, const claim *const *claims, size_t count, progress *bar,
                const volatile int *stop)
{
  size_t layers = net_layers(k->in.net);
  net_layer *layer = memory_new(layers, sizeof *layer);
  for (size_t i = 0; i < layers; i++)
    layer[i] = net_get_layer(k->in.net, i);
  trajectory_source source = {.file = o->model, .layers = layers, .layer = layer, .wanted = k->in.layers,
                              .sequences = k->in.sequences, .length = length, .run = run_sequence, .context = k};
  trajectory_options wanted = {.precision = o->precision ? o->precision : audit_options_default().precision,
                               .threads = o->threads, .progress = progress_show, .progress_context = bar, .stop = stop};
  assay_status status = trajectory_run(r, claims, count, &source, &wanted);
  progress_wipe(bar);
  free(layer);
  if (status == STATUS_OK)
    return true;
  if (!diag_errors(k->d))
    diag_error_plain(k->d, "%s: it could not be run", o->model);
  trajectory_report_clear(r);
  return false;
}

bool audit_model_run(trajectory_report *r, diag *d, const options *o, const claim *const *claims, size_t count,
                     progress *bar, const volatile int *stop)
{
  runner k = {.d = d};
  *r = (trajectory_report){0};
  if (!sim_input_open_model(&k.in, d, o, o->model))
    return false;
  bool fine = sim_input_open_sequences(&k.in, d, o) && run(r, &k, o, claims, count, bar, stop);
  sim_input_close(&k.in);
  return fine;
}
