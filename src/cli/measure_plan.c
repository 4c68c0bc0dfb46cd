/* Reading what is to be measured. */
#include "cli/measure_plan.h"

#include <stdlib.h>
#include <string.h>

#include "check/audit.h"
#include "cli/sim_input.h"
#include "report/decimal.h"

static const struct {
  const char *name;
  unsigned what;
} words[] = {{"influence", MEASURE_INFLUENCE}, {"smoothness", MEASURE_SMOOTHNESS}, {"spread", MEASURE_SPREAD},
             {"recall", MEASURE_RECALL},       {"robustness", MEASURE_ROBUSTNESS}};
enum { WORDS = sizeof words / sizeof *words };

static bool read_what(unsigned *what, diag *d, const char *list)
{
  *what = 0;
  for (const char *s = list;; s++) {
    size_t length = strcspn(s, ",");
    unsigned found = 0;
    for (int i = 0; i < WORDS; i++)
      if (strlen(words[i].name) == length && !strncmp(s, words[i].name, length))
        found = words[i].what;
    if (!found) {
      diag_error_plain(d, "'%.*s' is none of influence, smoothness, spread, recall and robustness", (int)length, s);
      return false;
    }
    *what |= found;
    s += length;
    if (!*s)
      return true;
  }
}

static bool read_pairs(measure_plan *p, diag *d, const char *list)
{
  for (const char *s = list;; s++) {
    size_t length = strspn(s, "0123456789");
    if (!length || length > 9 || (s[length] && s[length] != ',') || p->pair_count == MEASURE_PAIRS)
      break;
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
      n = 10 * n + (size_t)(s[i] - '0');
    if (!n)
      break;
    p->pairs[p->pair_count++] = n;
    s += length;
    if (!*s)
      return true;
  }
  diag_error_plain(d, "--pairs: '%s' is no list of up to %d whole numbers above 0, separated by commas", list, MEASURE_PAIRS);
  return false;
}

/* Four tokens a pair, 64 at least. */
static size_t usual_length(const measure_plan *p)
{
  size_t most = 16;
  for (size_t i = 0; i < p->pair_count; i++)
    most = p->pairs[i] > most ? p->pairs[i] : most;
  return 4 * most;
}

bool measure_plan_read(measure_plan *p, diag *d, const options *o)
{
  *p = (measure_plan){.seed = o->has_seed ? o->seed : audit_options_default().seed,
                      .normalizer = smoothness_options_default().normalizer,
                      .noise = o->has_noise ? o->noise : 1,
                      .examples = o->sequences ? o->sequences : MEASURE_EXAMPLES,
                      .vocabulary = o->vocabulary};
  if (o->arguments != 2) {
    diag_error_plain(d, "measure takes what to measure and one file or folder; see assay help measure");
    return false;
  }
  if (!read_what(&p->what, d, o->argument[0]) || !read_pairs(p, d, o->pairs ? o->pairs : "4,8,16"))
    return false;
  p->length = o->length ? (size_t)o->length : usual_length(p);
  if (p->length > UINT32_MAX) {
    diag_error_plain(d, "--length: recall takes at most %llu tokens", (unsigned long long)UINT32_MAX);
    return false;
  }
  if (o->normalizer && !energy_normalizer_read(&p->normalizer, o->normalizer)) {
    diag_error_plain(d, "--normalizer: '%s' is none of sum, tokens, pairs and norm", o->normalizer);
    return false;
  }
  if (o->window && !(p->windows = corruption_read(p->window, o->window))) {
    diag_error_plain(d, "--window: '%s' is no list of up to %d windows first:N, last:N, middle:N or A:B with A < B", o->window,
                     CORRUPTION_WINDOWS);
    return false;
  }
  return true;
}

size_t measure_plan_windows(corruption_window *window, const measure_plan *p, uint64_t tokens)
{
  if (p->windows) {
    memcpy(window, p->window, p->windows * sizeof *window);
    return p->windows;
  }
  uint64_t n = tokens >= 128 ? 32 : tokens >= 4 ? tokens / 4 : 1;
  window[0] = (corruption_window){.kind = WINDOW_FIRST, .a = n};
  window[1] = (corruption_window){.kind = WINDOW_LAST, .a = n};
  window[2] = (corruption_window){.kind = WINDOW_MIDDLE, .a = n};
  return 3;
}

mqar_options measure_plan_task(const measure_plan *p, const net *n, size_t i)
{
  uint64_t known = net_vocabulary(n) < net_logits(n) ? net_vocabulary(n) : net_logits(n);
  return mqar_options_make(p->vocabulary ? p->vocabulary : known, p->pairs[i], p->length, p->seed);
}

size_t measure_plan_stages(const measure_plan *p)
{
  size_t shared = (p->what & (MEASURE_SMOOTHNESS | MEASURE_SPREAD)) ||
                  ((p->what & MEASURE_ROBUSTNESS) && !p->robustness_of_recall_alone);
  return shared + ((p->what & MEASURE_INFLUENCE) != 0) + ((p->what & MEASURE_RECALL) != 0);
}

static void add_number(text *command, const char *option, uint64_t n)
{
  if (n)
    text_addf(command, " --%s %llu", option, (unsigned long long)n);
}

static void add_word(text *command, const char *option, const char *word)
{
  if (!word)
    return;
  text_addf(command, " --%s", option);
  text_add_word(command, word);
}

void measure_plan_add_command(text *command, const measure_plan *p, const options *o)
{
  text_add(command, "assay measure");
  sim_input_add_command(command, o);
  if (!o->random) { /* else they stand there */
    add_number(command, "sequences", o->sequences);
    text_addf(command, " --seed %llu", (unsigned long long)p->seed);
  }
  add_number(command, "positions", o->positions);
  add_number(command, "probes", o->probes);
  add_word(command, "normalizer", o->normalizer);
  add_word(command, "window", o->window);
  if (o->has_noise) {
    char *noise = decimal_double(p->noise);
    if (strchr(noise, 'e')) /* which the option does not take; it is below 10^-4 then */
      text_addf(command, " --noise %.17f", p->noise);
    else
      text_addf(command, " --noise %s", noise);
    free(noise);
  }
  add_word(command, "pairs", o->pairs);
  add_number(command, "length", o->length);
  add_number(command, "vocabulary", o->vocabulary);
  if (o->argument[0][0] == '-' || o->argument[1][0] == '-')
    text_add(command, " --");
  text_add_word(command, o->argument[0]);
  text_add_word(command, o->argument[1]);
}
