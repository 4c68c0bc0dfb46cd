/* assay model: the Mamba assumption, entry by entry, over the parameters of a trained model. */
#include <stdio.h>
#include <stdlib.h>

#include "check/mamba_assumption.h"
#include "cli/commands.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/results_json.h"

static bool write_json(const options *o, diag *d, const mamba_report *report, const mamba_options *m)
{
  text command;
  text_init(&command);
  text_addf(&command, "assay model --length %llu --precision %ld %s", (unsigned long long)m->tokens,
            (long)m->precision_limit, o->argument[0]);
  results_run run = {.command = text_string(&command)};
  json_t *models = json_array(), *model = model_json_create(report);
  if (!models || json_array_append_new(models, model))
    memory_die("a JSON value could not be made");
  json_t *value = results_json_create(&run, NULL, 0, models);
  bool fine = results_json_write(d, o->json, value);
  json_decref(value);
  text_clear(&command);
  return fine;
}

int cmd_model(const options *o, diag *d)
{
  if (o->arguments != 1) {
    diag_error_plain(d, "model takes one file; see assay help model");
    return EXIT_BAD_INPUT;
  }
  mamba_options m = mamba_options_default();
  if (o->length)
    m.tokens = o->length;
  if (o->precision)
    m.precision_limit = o->precision;
  m.threads = o->threads;
  mamba_report report;
  dump_error error;
  dump_error_init(&error);
  assay_status status = mamba_audit_file(&report, o->argument[0], &m, &error);
  if (status != STATUS_OK) {
    fputs("assay: error: ", stderr);
    dump_error_print(stderr, &error);
    dump_error_clear(&error);
    return EXIT_BAD_INPUT;
  }
  dump_error_clear(&error);
  bool fine = true;
  if (!o->json || o->json[0] != '-' || o->json[1])
    model_text_write(stdout, &report);
  if (o->json)
    fine = write_json(o, d, &report, &m);
  truth holds = mamba_report_truth(&report);
  mamba_report_clear(&report);
  if (!fine)
    return EXIT_BAD_INPUT;
  return holds == TRUTH_FALSE ? EXIT_REFUTED : holds == TRUTH_TRUE ? EXIT_FINE : EXIT_UNDECIDED;
}
