/* assay audit: claims, with tables, pages, certificates and results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit_model.h"
#include "cli/audit_plan.h"
#include "cli/commands.h"
#include "cli/in_order.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/targets.h"
#include "core/memory.h"
#include "report/index_text.h"
#include "report/json_make.h"
#include "report/junit.h"
#include "report/output.h"
#include "report/page_text.h"
#include "report/results_json.h"
#include "report/table_text.h"
#include "report/tap.h"
#include "report/trajectory_json.h"
#include "report/trajectory_text.h"

/* What came of one claim. */
typedef struct {
  check_result result;
  diag *messages;
  bool come_to, fine; /* it was, before the audit was stopped; there is a result */
} outcome;

typedef struct {
  const options *o;
  diag *d;
  target_list targets;
  audit_plan plan;
  outcome *outcome;
  const check_result **result; /* NULL: could not be audited, or was not come to */
  char *certificates;          /* folder */
  bool temporary;              /* which goes at the end */
  char *judge;
  const volatile int *stop;
  int threads;  /* for each claim */
  size_t first; /* of the items of the statement that is told of */
  progress progress;
  trajectory_report model;     /* with --model: the instances of all claims */
  table_style style;
  bool bad_input, stopped; /* some claim could not be read or lowered; some were not come to */
} audit_run;

/* ---- before ---- */

static bool is_standard(const char *path)
{
  return path && !strcmp(path, "-");
}

/* Whether standard output is left to the table. */
static bool has_table(const options *o)
{
  return !o->tap && !is_standard(o->json) && !is_standard(o->junit);
}

static bool check_outputs(audit_run *a)
{
  const options *o = a->o;
  if (o->tap + is_standard(o->json) + is_standard(o->junit) > 1) {
    diag_error_plain(a->d, "at most one of --json, --junit and --tap can have standard output");
    return false;
  }
  if (o->json && o->junit && (!strcmp(o->json, o->junit) || path_is_same_file(o->json, o->junit))) {
    diag_error_plain(a->d, "--json and --junit name one file, %s", o->json);
    return false;
  }
  return true;
}

static bool make_folders(audit_run *a)
{
  if ((a->o->json && !output_check(a->d, a->o->json)) || (a->o->junit && !output_check(a->d, a->o->junit)))
    return false;
  if (a->o->out) {
    a->certificates = path_join(a->o->out, "certificates");
    char *results = path_join(a->o->out, "results.json");
    bool fine = path_make_directory(a->d, a->certificates) && output_check(a->d, results);
    free(results);
    return fine;
  }
  /* The judge reads certificates from files; nobody asked to keep them. */
  a->certificates = path_make_temporary(a->d);
  a->temporary = a->certificates != NULL;
  return a->temporary;
}

static bool collect_targets(audit_run *a)
{
  const options *o = a->o;
  targets_init(&a->targets, a->d);
  if (!o->arguments && o->model)
    a->bad_input = !audit_model_add_claims(&a->targets);
  else if (!o->arguments)
    a->bad_input = !targets_add_bundled_cases(&a->targets);
  for (int i = 0; i < o->arguments; i++) {
    if (!strcmp(o->argument[i], "-")) {
      diag_error_plain(a->d, "audit does not read standard input: the judge has to read the claim again");
      a->bad_input = true;
    } else
      a->bad_input = !targets_add(&a->targets, o->argument[i]) || a->bad_input;
  }
  return a->targets.count > 0;
}

/* ---- one claim ---- */

static void drop_certificate(check_witness *w)
{
  if (!w)
    return;
  free(w->certificate);
  w->certificate = NULL;
}

static bool has_page(const check_result *r)
{
  bool has = r->counterexample != NULL;
  for (size_t i = 0; i < r->possibles; i++)
    has = has || r->possible[i].witness;
  return has;
}

/* Free with free. */
static char *page_name(const plan_item *item)
{
  text name;
  text_init(&name);
  text_add(&name, item->target->claim->name);
  if (item->repeat > 1)
    text_addf(&name, ".%u", item->repeat);
  text_add(&name, ".txt");
  return text_take(&name);
}

static void write_page(audit_run *a, const plan_item *item, const check_result *r, slong precision)
{
  char *name = page_name(item), *path = path_join(a->o->out, name);
  free(name);
  output out;
  bool fine = output_open(&out, a->d, path);
  if (fine) {
    page_write(out.file, r, precision);
    fine = output_close(&out, a->d);
  }
  a->bad_input = a->bad_input || !fine;
  free(path);
}

/* Runs on any thread, several at once: writes to nothing but its outcome, and files of its own. */
static void audit_item(void *context, size_t i)
{
  audit_run *a = context;
  outcome *x = &a->outcome[i];
  if (*a->stop && !a->o->model) /* of a model all was asked already, as far as it came */
    return;
  const plan_item *item = &a->plan.item[i];
  const target *t = item->target;
  audit_options o = audit_plan_options(item, a->o);
  x->come_to = true;
  x->messages = diag_create(NULL, 0);
  char *folder = NULL;
  if (item->repeat > 1) {
    char number[24];
    snprintf(number, sizeof number, "%u", item->repeat);
    folder = path_join(a->certificates, number);
    path_make_directory(x->messages, folder);
  }
  o.threads = a->threads;
  o.certificates = folder ? folder : a->certificates;
  o.judge = a->judge;
  o.progress = progress_show;
  o.progress_context = &a->progress;
  o.stop = a->stop;
  progress_show(&a->progress, item->name, "starting", 0);
  x->fine = true;
  if (a->o->model)
    trajectory_verdict(&x->result, x->messages, &a->model, i, t->file, &o, t->claim->name);
  else
    x->fine = audit_claim(&x->result, x->messages, t->claim, t->file, &o);
  free(folder);
}

static void take_result(audit_run *a, size_t i)
{
  const plan_item *item = &a->plan.item[i];
  const case_run *run = item->target->run;
  check_result *r = &a->outcome[i].result;
  a->result[i] = r;
  if (run && !a->o->model) { /* what a case expects, it expects of a search */
    r->case_name = memory_copy_string(run->name);
    r->expected = run->expect ? memory_copy_string(run->expect) : NULL;
  }
  if (a->o->out && has_page(r))
    write_page(a, item, r, audit_plan_options(item, a->o).precision);
  if (a->temporary) {
    drop_certificate(r->counterexample);
    for (size_t k = 0; k < r->possibles; k++)
      drop_certificate(r->possible[k].witness);
  }
}

/* ---- all ---- */

static void print_group(audit_run *a, size_t first, size_t last)
{
  const char **names = memory_new(last - first + 1, sizeof *names);
  for (size_t i = first; i <= last; i++)
    names[i - first] = a->plan.item[i].name;
  table_write_group(&a->style, a->plan.item[first].statement, names, a->result + first, last - first + 1);
  fflush(a->style.out);
  free(names);
}

static bool run_model(audit_run *a)
{
  const claim **claims = memory_new(a->plan.count, sizeof *claims);
  for (size_t i = 0; i < a->plan.count; i++)
    claims[i] = a->plan.item[i].target->claim;
  bool fine = audit_model_run(&a->model, a->d, a->o, claims, a->plan.count, &a->progress, a->stop);
  free(claims);
  if (fine && has_table(a->o) && !a->o->quiet)
    trajectory_text_write(stdout, &a->model);
  return fine;
}

/* Writes what came of claim i. */
static void tell_item(void *context, size_t i)
{
  audit_run *a = context;
  const plan_item *item = &a->plan.item[i];
  const outcome *x = &a->outcome[i];
  bool begins = i == 0 || strcmp(item->statement, a->plan.item[i - 1].statement);
  bool ends = i + 1 == a->plan.count || strcmp(item->statement, a->plan.item[i + 1].statement);
  a->first = begins ? i : a->first;
  progress_pause(&a->progress);
  if (x->messages && diag_errors(x->messages)) {
    fputs(diag_text(x->messages), stderr);
    a->bad_input = true;
  }
  if (x->fine)
    take_result(a, i);
  a->stopped = a->stopped || !x->come_to;
  if (a->o->tap)
    tap_write(stdout, i + 1, item->name, a->result[i]);
  if (has_table(a->o) && ends && a->outcome[a->first].come_to)
    print_group(a, a->first, i);
  progress_resume(&a->progress, i + 1);
}

static void audit_all(audit_run *a)
{
  in_order jobs = {.count = a->plan.count, .work = audit_item, .tell = tell_item, .context = a};
  jobs.threads = in_order_share(a->o->threads, a->o->model ? 1 : a->plan.count, &a->threads);
  a->outcome = memory_new(a->plan.count, sizeof *a->outcome);
  a->result = memory_new(a->plan.count, sizeof *a->result);
  if (a->o->tap)
    tap_write_plan(stdout, a->plan.count);
  in_order_run(&jobs);
  if (has_table(a->o))
    table_write_totals(&a->style, a->result, a->plan.count);
  if (has_table(a->o) && a->stopped)
    puts("stopped early, before every claim was come to");
}

static void write_junit(audit_run *a)
{
  output out;
  if (!output_open(&out, a->d, a->o->junit)) {
    a->bad_input = true;
    return;
  }
  junit_item *item = memory_new(a->plan.count, sizeof *item);
  for (size_t i = 0; i < a->plan.count; i++)
    item[i] = (junit_item){a->plan.item[i].name, a->plan.item[i].statement, a->result[i]};
  junit_write(out.file, item, a->plan.count);
  free(item);
  a->bad_input = !output_close(&out, a->d) || a->bad_input;
}

static void write_index(audit_run *a)
{
  char *path = path_join(a->o->out, "INDEX");
  output out;
  bool fine = output_open(&out, a->d, path);
  if (fine) {
    index_item *item = memory_new(a->plan.count, sizeof *item);
    for (size_t i = 0; i < a->plan.count; i++) {
      const plan_item *x = &a->plan.item[i];
      char *page = a->result[i] && has_page(a->result[i]) ? page_name(x) : NULL;
      item[i] = (index_item){x->name, x->statement, page, a->result[i]};
    }
    index_write(out.file, item, a->plan.count);
    for (size_t i = 0; i < a->plan.count; i++)
      free((char *)item[i].page);
    free(item);
    fine = output_close(&out, a->d);
  }
  free(path);
  a->bad_input = a->bad_input || !fine;
}

static void write_results(audit_run *a)
{
  if (!a->o->json && !a->o->out)
    return;
  char *command = audit_plan_command(a->o);
  results_run run = {.seed = a->o->has_seed ? a->o->seed : audit_options_default().seed,
                     .command = command,
                     .stopped = a->stopped};
  json_t *value = results_json_create(&run, a->result, a->plan.count, NULL);
  if (a->o->model)
    json_put(value, "trajectories", trajectory_json_create(&a->model));
  if (a->o->json)
    a->bad_input = !results_json_write(a->d, a->o->json, value) || a->bad_input;
  if (a->o->out) {
    char *path = path_join(a->o->out, "results.json");
    a->bad_input = !results_json_write(a->d, path, value) || a->bad_input;
    free(path);
    write_index(a);
    if (!a->o->quiet && has_table(a->o))
      printf("Reports: %s (INDEX, results.json, a page for each counterexample, certificates)\n", a->o->out);
  }
  json_decref(value);
  free(command);
}

/* What one result adds: of all, the highest in the order 2, 1, 4, 3, 0 counts. */
static void weigh(const check_result *r, bool require_proof, bool *refuted, bool *stopped, bool *undecided)
{
  bool expected = r->expected && check_result_as_expected(r);
  *stopped |= r->interrupted;
  *refuted |= r->expected ? !expected : r->verdict == VERDICT_REFUTED;
  *undecided |= require_proof && r->verdict == VERDICT_SURVIVED;
  if (!expected)
    *undecided |= r->verdict == VERDICT_UNDECIDED || r->verdict == VERDICT_NO_INSTANCE ||
                  r->verdict == VERDICT_VACUOUS || r->verdict == VERDICT_NO_WITNESS;
}

static int exit_status(const audit_run *a)
{
  bool refuted = false, stopped = a->stopped, undecided = false;
  for (size_t i = 0; i < a->plan.count; i++)
    if (a->result[i])
      weigh(a->result[i], a->o->require_proof, &refuted, &stopped, &undecided);
  return a->bad_input ? EXIT_BAD_INPUT
         : refuted    ? EXIT_REFUTED
         : stopped    ? EXIT_STOPPED
         : undecided  ? EXIT_UNDECIDED
                      : EXIT_FINE;
}

static int run(audit_run *a)
{
  a->stop = signals_install(); /* first: whatever is interrupted from here on ends in a report */
  if (!check_outputs(a) || !audit_model_check(a->d, a->o) || !collect_targets(a) || !audit_plan_make(&a->plan, a->d, &a->targets, a->o) || !make_folders(a))
    return EXIT_BAD_INPUT;
  a->judge = path_judge();
  if (!a->judge) {
    diag_error_plain(
        a->d, "assay-verify is neither beside this program nor in PATH, and no verdict stands without it");
    return EXIT_INTERNAL;
  }
  progress_init(&a->progress, a->plan.count, !a->o->quiet);
  if (a->o->model && !run_model(a))
    return EXIT_BAD_INPUT;
  audit_all(a);
  write_results(a);
  if (a->o->junit)
    write_junit(a);
  return exit_status(a);
}

int cmd_audit(const options *o, diag *d)
{
  audit_run a = {.o = o, .d = d};
  a.style = (table_style){.out = stdout, .quiet = o->quiet};
  a.style.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && !o->tap;
  int status = run(&a);
  for (size_t i = 0; a.outcome && i < a.plan.count; i++) {
    if (a.outcome[i].fine)
      check_result_destroy(&a.outcome[i].result);
    diag_destroy(a.outcome[i].messages);
  }
  free(a.outcome);
  free(a.result);
  trajectory_report_clear(&a.model);
  if (a.temporary)
    path_remove_tree(a.certificates);
  free(a.certificates);
  free(a.judge);
  audit_plan_clear(&a.plan);
  targets_clear(&a.targets);
  return status;
}
