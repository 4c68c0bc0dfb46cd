/* assay model: what the assumption of Theorem 4.2 is worth for the parameters of a trained model. */
#include <stdio.h>
#include <stdlib.h>

#include "check/model_audit.h"
#include "cli/commands.h"
#include "cli/families.h"
#include "cli/targets.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/decimal.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/results_json.h"

static void add_option(text *command, const char *option, const char *word)
{
  if (!word)
    return;
  text_add_word(command, option);
  text_add_word(command, word);
}

/* The command that gives these results again. */
static void add_command(text *command, const options *o, const model_options *m)
{
  text_addf(command, "assay model --length %llu --precision %ld", (unsigned long long)m->tokens, (long)m->precision_limit);
  if (m->polarized) {
    char *rate = decimal_double(m->polar_rate);
    text_addf(command, " --polarized=%s", rate);
    free(rate);
  }
  if (o->header_limit)
    text_addf(command, " --header-limit %llu", (unsigned long long)o->header_limit);
  add_option(command, "--family", o->family);
  add_option(command, "--activations", o->activations);
  for (int i = 0; i < o->claim_count; i++)
    add_option(command, "--claim", o->claim[i]);
  if (o->argument[0][0] == '-')
    text_add_word(command, "--");
  text_add_word(command, o->argument[0]);
}

static bool write_json(const options *o, diag *d, const model_report *report)
{
  text command;
  text_init(&command);
  add_command(&command, o, &report->options);
  results_run run = {.command = text_string(&command)};
  json_t *models = json_array(), *audited = model_json_create(report);
  if (!models || json_array_append_new(models, audited))
    memory_die("a JSON value could not be made");
  json_t *value = results_json_create(&run, NULL, 0, models);
  bool fine = results_json_write(d, o->json, value);
  json_decref(value);
  text_clear(&command);
  return fine;
}

static model_options read_options(const options *o)
{
  model_options m = model_options_default();
  if (o->length)
    m.tokens = o->length;
  if (o->precision)
    m.precision_limit = o->precision;
  m.threads = o->threads;
  m.polarized = o->polarized;
  if (o->polar_rate != 0)
    m.polar_rate = o->polar_rate;
  return m;
}

static int report_on(const options *o, diag *d, const model_report *report)
{
  bool fine = true;
  if (!o->json || o->json[0] != '-' || o->json[1])
    model_text_write(stdout, report);
  if (o->json)
    fine = write_json(o, d, report);
  truth holds = model_report_truth(report);
  if (!fine)
    return EXIT_BAD_INPUT;
  return holds == TRUTH_FALSE ? EXIT_REFUTED : holds == TRUTH_TRUE ? EXIT_FINE : EXIT_UNDECIDED;
}

/* All that a run reads, apart from the words of the command line. */
typedef struct {
  family_list families;
  target_list claims;
  dump_file *file, *activations;
} inputs;

static bool read_claims(target_list *claims, const options *o)
{
  static const char *const usual[] = {"theorem-4-2", "lemma-d6", "theorem-3-1-memory"};
  bool fine = true;
  for (int i = 0; i < o->claim_count && fine; i++)
    fine = targets_add(claims, o->claim[i]);
  for (size_t i = 0; o->activations && !o->claim_count && i < sizeof usual / sizeof *usual && fine; i++)
    fine = targets_add(claims, usual[i]);
  return fine;
}

static int audit(const options *o, diag *d, const inputs *in, dump_error *error)
{
  model m;
  if (model_recognise(&m, in->families.family, in->families.count, in->file, error) != STATUS_OK)
    return EXIT_BAD_INPUT;
  model_report report;
  model_options wanted = read_options(o);
  const claim **claims = memory_new(in->claims.count, sizeof *claims);
  for (size_t i = 0; i < in->claims.count; i++)
    claims[i] = in->claims.target[i].claim;
  wanted.claims = claims;
  wanted.claim_count = in->claims.count;
  wanted.only_fitting = o->claim_count == 0;
  wanted.activations = in->activations;
  int status = EXIT_BAD_INPUT;
  if (model_audit(&report, &m, &wanted, error) == STATUS_OK) {
    status = report_on(o, d, &report);
    model_report_clear(&report);
  }
  free(claims);
  model_clear(&m);
  return status;
}

static int run(const options *o, diag *d, inputs *in, dump_error *error)
{
  dump_limits limits = dump_limits_default();
  if (o->header_limit)
    limits.header_bytes = o->header_limit;
  if (!families_read(&in->families, d, o->family) || !read_claims(&in->claims, o))
    return EXIT_BAD_INPUT;
  in->file = dump_open(o->argument[0], &limits, error);
  if (in->file && o->activations)
    in->activations = dump_open(o->activations, &limits, error);
  if (!in->file || (o->activations && !in->activations))
    return EXIT_BAD_INPUT;
  return audit(o, d, in, error);
}

int cmd_model(const options *o, diag *d)
{
  if (o->arguments != 1) {
    diag_error_plain(d, "model takes one file or folder; see assay help model");
    return EXIT_BAD_INPUT;
  }
  inputs in = {0};
  dump_error error;
  targets_init(&in.claims, d);
  dump_error_init(&error);
  int status = run(o, d, &in, &error);
  if (error.message) {
    fputs("assay: error: ", stderr);
    dump_error_print(stderr, &error);
  }
  dump_error_clear(&error);
  dump_close(in.activations);
  dump_close(in.file);
  targets_clear(&in.claims);
  families_clear(&in.families);
  return status;
}
