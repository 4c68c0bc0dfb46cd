/* assay simulate: runs a model on sequences and writes down what it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/progress.h"
#include "cli/recording.h"
#include "cli/run_state.h"
#include "cli/signals.h"
#include "cli/sim_input.h"
#include "core/memory.h"
#include "report/output.h"
#include "report/run_text.h"

enum {
  AT_ONCE = 4 * NET_PIECE, /* tokens that are read at once */
  MOST_SHOWN = 8           /* sequences of which the last token is shown */
};

typedef struct {
  uint64_t tokens; /* run through */
  bool has_best;
  size_t best; /* the largest logit of the last token */
  double logit;
} sequence_end;

typedef struct {
  const options *o;
  diag *d;
  sim_input in;
  bool kinds[RECORD_KINDS];
  bool recorded, saved;         /* whether `out` and `save` are open */
  output out, save;
  recording recording;
  run_summary summary;
  net_state **states;           /* of all sequences; NULL: nobody asks for them */
  sequence_end end[MOST_SHOWN];
  size_t sequence, complete;    /* the one underway; how many are done */
  uint64_t at, done;            /* tokens of it, of all */
  progress bar;
  double began;
  const volatile int *stop;
  bool interrupted;
} simulation;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what the net shows ---- */

static bool see(void *context, const net_view *view)
{
  simulation *s = context;
  if (*s->stop) {
    s->interrupted = true;
    return false;
  }
  run_summary_see(&s->summary, view);
  return !s->recorded || recording_see(&s->recording, view);
}

static void keep_end(simulation *s, size_t tokens, const double *logits)
{
  sequence_end *end = &s->end[s->sequence];
  end->tokens += tokens;
  if (!logits)
    return;
  size_t count = net_logits(s->in.net);
  const double *last = logits + (tokens - 1) * count;
  end->has_best = true;
  end->best = 0;
  for (size_t i = 1; i < count; i++)
    if (last[i] > last[end->best])
      end->best = i;
  end->logit = last[end->best];
}

static void show_progress(simulation *s)
{
  char what[32];
  double seconds = now() - s->began, length = (double)sim_input_length(&s->in, s->sequence);
  snprintf(what, sizeof what, "%.0f tokens/s", seconds > 0 ? (double)s->done / seconds : 0);
  progress_show(&s->bar, "sequence", what, (double)s->at / length);
}

static bool finish(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  simulation *s = context;
  (void)first;
  run_summary_finish(&s->summary, tokens, hidden);
  if (s->recorded && !recording_finish(&s->recording, tokens, hidden, logits))
    return false;
  if (s->sequence < MOST_SHOWN)
    keep_end(s, tokens, logits);
  s->at += tokens;
  s->done += tokens;
  show_progress(s);
  if (*s->stop)
    s->interrupted = true;
  return !s->interrupted || s->at == sim_input_length(&s->in, s->sequence);
}

/* ---- the run ---- */

static bool run_sequence(simulation *s, net_state *state)
{
  net_observer observer = {.layers = s->in.layers, .see = see, .finish = finish, .context = s};
  bool quiet = s->o->quiet;
  observer.wanted |= !quiet || s->kinds[RECORD_ALPHA] ? NET_WANT_ALPHA : 0;
  observer.wanted |= s->kinds[RECORD_DRIVE] ? NET_WANT_DRIVE : 0;
  observer.wanted |= s->kinds[RECORD_H] ? NET_WANT_H : 0;
  observer.logits = !quiet || s->kinds[RECORD_LOGITS];
  uint64_t length = sim_input_length(&s->in, s->sequence);
  s->at = 0;
  if (s->recorded)
    recording_begin(&s->recording, s->sequence);
  for (uint64_t first = 0; first < length;) {
    size_t tokens = length - first < AT_ONCE ? (size_t)(length - first) : AT_ONCE;
    net_input piece;
    if (!sim_input_read(&s->in, s->d, &piece, s->sequence, first, tokens))
      return false;
    if (net_run(s->in.net, state, &piece, &observer) != STATUS_OK)
      return s->interrupted || complain_of_dump(s->d, &s->recording.error);
    first += tokens;
  }
  if (s->recorded)
    recording_end(&s->recording);
  s->complete++;
  return true;
}

static bool run_sequences(simulation *s)
{
  bool fine = true;
  s->began = now();
  while (s->complete < s->in.sequences && fine && !s->interrupted) {
    s->bar.done = s->sequence = s->complete;
    net_state *state = s->states ? s->states[s->sequence] : net_state_create(s->in.net);
    fine = run_sequence(s, state);
    if (!s->states)
      net_state_destroy(state);
  }
  if (s->complete == s->in.sequences)
    s->interrupted = false; /* too late to matter */
  else if (s->complete > s->sequence) {
    s->sequence = s->complete;
    s->at = 0;
  }
  progress_wipe(&s->bar);
  return fine;
}

/* ---- what is said ---- */

static const char *plural(uint64_t n)
{
  return n == 1 ? "" : "s";
}

static void print_head(const simulation *s)
{
  const net *n = s->in.net;
  uint64_t shortest = s->in.longest;
  printf("%s: %zu layer%s, width %zu", dump_name(s->in.file), net_layers(n), plural(net_layers(n)), net_width(n));
  if (net_vocabulary(n))
    printf(", vocabulary %zu", net_vocabulary(n));
  for (size_t k = 0; k < s->in.sequences; k++)
    if (sim_input_length(&s->in, k) < shortest)
      shortest = sim_input_length(&s->in, k);
  printf("; %zu sequence%s of ", s->in.sequences, plural(s->in.sequences));
  if (shortest < s->in.longest)
    printf("%llu to ", (unsigned long long)shortest);
  printf("%llu token%s\n", (unsigned long long)s->in.longest, plural(s->in.longest));
  if (net_unused(n)) {
    char *name = dump_quote(net_get_unused(n, 0));
    printf("  not used by any layer: %zu parameter%s, the first %s\n", net_unused(n), plural(net_unused(n)), name);
    free(name);
  }
}

static void print_ends(const simulation *s)
{
  size_t count = s->in.sequences < MOST_SHOWN ? s->in.sequences : MOST_SHOWN;
  for (size_t k = 0; k < count; k++)
    if (s->end[k].has_best)
      printf("  sequence %zu, token %llu: the largest logit is that of %zu, %.6g\n", k,
             (unsigned long long)s->end[k].tokens - 1, s->end[k].best, s->end[k].logit);
  if (count < s->in.sequences && s->end[0].has_best)
    printf("  ... and %zu more\n", s->in.sequences - count);
}

static void print_files(const simulation *s, size_t arrays)
{
  if (s->recorded && arrays)
    printf("%s: %zu array%s%s\n", s->o->out, arrays, plural(arrays),
           !s->interrupted     ? ""
           : !s->in.equal_lengths || !s->complete ? ", of the tokens that are done"
                                                  : ", of the complete sequences");
  else if (s->recorded)
    printf("%s: not written, for nothing is done\n", s->o->out);
  for (record_kind k = 0; s->recorded && arrays && s->o->record && k < RECORD_KINDS; k++)
    if (s->kinds[k] && !s->recording.made[k])
      printf("  no %s: the model has none\n", record_kind_name(k));
  if (s->saved && s->interrupted)
    printf("%s: not written, for not all sequences are complete\n", s->o->save_state);
}

static void print(const simulation *s, size_t arrays)
{
  if (!s->o->quiet) {
    print_head(s);
    if (s->done)
      run_text_write(stdout, &s->summary);
    print_ends(s);
  }
  if (s->interrupted)
    printf("stopped early: %zu of %zu sequences are complete%s; of the next %llu of %llu tokens are done\n", s->complete,
           s->in.sequences, s->complete ? "" : ", that is none", (unsigned long long)s->at,
           (unsigned long long)sim_input_length(&s->in, s->sequence));
  if (!s->o->quiet || s->interrupted)
    print_files(s, arrays);
}

/* ---- files ---- */

/* Both files appear, or neither. */
static bool close_files(simulation *s, bool fine, size_t *arrays)
{
  bool save = s->saved && !s->interrupted;
  if (s->recorded && fine)
    fine = recording_close(&s->recording, s->interrupted) || complain_of_dump(s->d, &s->recording.error);
  if (save && fine)
    fine = run_states_write(s->d, s->states, s->in.sequences, fileno(s->save.file), s->o->save_state);
  *arrays = s->done ? s->recording.arrays : 0;
  if (s->recorded && fine && *arrays)
    fine = output_close(&s->out, s->d);
  else if (s->recorded)
    output_abandon(&s->out);
  if (save && fine)
    fine = output_close(&s->save, s->d);
  else if (s->saved)
    output_abandon(&s->save);
  return fine;
}

static bool open_files(simulation *s)
{
  const options *o = s->o;
  if (o->out && !(s->recorded = output_open(&s->out, s->d, o->out)))
    return false;
  if (s->recorded)
    recording_init(&s->recording, &s->in, s->kinds, fileno(s->out.file), o->out);
  if (o->save_state && !(s->saved = output_open(&s->save, s->d, o->save_state))) {
    if (s->recorded)
      output_abandon(&s->out);
    return false;
  }
  return true;
}

static bool is_standard(const char *path)
{
  return path && !strcmp(path, "-");
}

static bool check_options(const options *o, diag *d)
{
  if (o->arguments != 1)
    diag_error_plain(d, "simulate takes one file or folder; see assay help simulate");
  else if (o->record && !o->out)
    diag_error_plain(d, "--record says what goes to --out, which is not given");
  else if (is_standard(o->out) || is_standard(o->save_state))
    diag_error_plain(d, "--%s: an archive cannot go to standard output", is_standard(o->out) ? "out" : "save-state");
  else if (o->out && o->save_state && !strcmp(o->out, o->save_state))
    diag_error_plain(d, "--out and --save-state name the same file");
  else
    return true;
  return false;
}

static int simulate(simulation *s)
{
  const options *o = s->o;
  size_t arrays = 0;
  if (!check_options(o, s->d) || !record_list_read(s->kinds, s->d, o->record) ||
      !sim_input_open_model(&s->in, s->d, o, o->argument[0]))
    return EXIT_BAD_INPUT;
  if (!o->out)
    memset(s->kinds, 0, sizeof s->kinds);
  if (!sim_input_open_sequences(&s->in, s->d, o))
    return EXIT_BAD_INPUT;
  if ((o->state || o->save_state) && !(s->states = run_states_create(s->d, &s->in, o->state)))
    return EXIT_BAD_INPUT;
  if (!open_files(s))
    return EXIT_BAD_INPUT;
  run_summary_init(&s->summary, s->in.net);
  progress_init(&s->bar, s->in.sequences, !o->quiet);
  bool fine = run_sequences(s);
  fine = close_files(s, fine, &arrays);
  if (!fine)
    return EXIT_BAD_INPUT;
  print(s, arrays);
  return s->interrupted ? EXIT_STOPPED : EXIT_FINE;
}

int cmd_simulate(const options *o, diag *d)
{
  simulation s = {.o = o, .d = d};
  s.stop = signals_install();
  int status = simulate(&s);
  recording_clear(&s.recording);
  run_summary_clear(&s.summary);
  run_states_destroy(s.states, s.in.sequences);
  sim_input_close(&s.in);
  return status;
}
