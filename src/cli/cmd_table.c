/* assay table: the numbers of a printed table, and what claims made of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/audit.h"
#include "cli/commands.h"
#include "cli/in_order.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/targets.h"
#include "core/memory.h"
#include "report/cells.h"
#include "report/results_json.h"

/* A claim that uses the table. */
typedef struct {
  const target *target;
  const claim_given *given;
  check_result result;
  diag *messages; /* NULL: it was not come to */
  bool fine;      /* there is a result */
} table_use;

typedef struct {
  const options *o;
  diag *d;
  table *table;
  target_list targets;
  size_t uses;
  table_use *use;
  size_t count; /* those with a result */
  cells_use *cells;
  char *certificates, *judge;
  const volatile int *stop;
  int threads; /* for each claim */
  progress progress;
  bool bad_input, stopped;
} table_run;

/* What a claim calls the table; NULL when it does not use it, or no number of it. */
static const claim_given *given_of(const claim *c, const char *file)
{
  for (unsigned i = 0; i < c->givens; i++)
    if (c->given[i].table && c->given[i].lines && path_is_same_file(c->given[i].table->path, file))
      return &c->given[i];
  return NULL;
}

/* Runs on any thread, several at once. */
static void audit_use(void *context, size_t i)
{
  table_run *t = context;
  table_use *u = &t->use[i];
  if (*t->stop)
    return;
  audit_options o = audit_options_default();
  o.trials = t->o->has_trials ? t->o->trials : TABLE_TRIALS;
  o.seed = t->o->has_seed ? t->o->seed : o.seed;
  o.threads = t->threads;
  o.precision = t->o->precision ? t->o->precision : o.precision;
  o.power = 0;
  char number[24]; /* claims of several files may have one name, and their certificates too */
  snprintf(number, sizeof number, "%zu", i);
  char *folder = path_join(t->certificates, number);
  o.certificates = folder;
  o.judge = t->judge;
  o.progress = progress_show;
  o.progress_context = &t->progress;
  o.stop = t->stop;
  u->messages = diag_create(NULL, 0);
  u->fine = audit_claim(&u->result, u->messages, u->target->claim, u->target->file, &o);
  free(folder);
}

static void tell_use(void *context, size_t i)
{
  table_run *t = context;
  table_use *u = &t->use[i];
  progress_pause(&t->progress);
  if (u->messages && diag_errors(u->messages)) {
    fputs(diag_text(u->messages), stderr);
    t->bad_input = true;
  }
  t->stopped |= !u->messages || (u->fine && u->result.interrupted);
  if (u->fine)
    t->cells[t->count++] = (cells_use){&u->result, u->given};
  progress_resume(&t->progress, i + 1);
}

static void audit_all(table_run *t)
{
  t->use = memory_new(t->targets.count, sizeof *t->use);
  for (size_t i = 0; i < t->targets.count; i++) {
    const target *x = &t->targets.target[i];
    const claim_given *g = given_of(x->claim, t->o->argument[0]);
    if (g)
      t->use[t->uses++] = (table_use){.target = x, .given = g};
  }
  t->cells = memory_new(t->uses, sizeof *t->cells);
  progress_init(&t->progress, t->uses, !t->o->quiet);
  in_order jobs = {.count = t->uses, .work = audit_use, .tell = tell_use, .context = t};
  jobs.threads = in_order_share(t->o->threads, t->uses, &t->threads);
  in_order_run(&jobs);
}

static bool collect(table_run *t)
{
  bool fine = true;
  targets_init(&t->targets, t->d);
  if (t->o->arguments == 1)
    return targets_add_bundled(&t->targets);
  for (int i = 1; i < t->o->arguments; i++)
    if (!strcmp(t->o->argument[i], "-")) {
      diag_error_plain(t->d, "table does not read claims from standard input: the judge has to read them again");
      fine = false;
    } else
      fine = targets_add(&t->targets, t->o->argument[i]) && fine;
  return fine;
}

static void write_all(table_run *t)
{
  const options *o = t->o;
  cells_report r = {o->argument[0], t->table, t->count, t->cells};
  if (!o->json || strcmp(o->json, "-") != 0)
    cells_text_write(stdout, &r);
  if (o->json) {
    json_t *value = cells_json_create(&r);
    t->bad_input = !results_json_write(t->d, o->json, value) || t->bad_input;
    json_decref(value);
  }
}

static int exit_status(const table_run *t)
{
  bool refuted = false, open = false;
  for (size_t i = 0; i < t->count; i++) {
    verdict v = t->cells[i].result->verdict;
    refuted |= v == VERDICT_REFUTED;
    open |= v == VERDICT_UNDECIDED || v == VERDICT_NO_INSTANCE || v == VERDICT_VACUOUS || v == VERDICT_NO_WITNESS;
  }
  return t->bad_input ? EXIT_BAD_INPUT
         : refuted    ? EXIT_REFUTED
         : t->stopped ? EXIT_STOPPED
         : open       ? EXIT_UNDECIDED
                      : EXIT_FINE;
}

static int run(table_run *t)
{
  t->stop = signals_install();
  if (t->o->arguments < 1) {
    diag_error_plain(t->d, "table takes a file of printed numbers; see assay help table");
    return EXIT_BAD_INPUT;
  }
  t->table = table_read(t->d, t->o->argument[0]);
  if (!t->table)
    return EXIT_BAD_INPUT;
  t->bad_input = !collect(t);
  t->judge = path_judge();
  if (!t->judge) {
    diag_error_plain(t->d, "assay-verify is neither beside this program nor in PATH, and no verdict stands without it");
    return EXIT_INTERNAL;
  }
  t->certificates = path_make_temporary(t->d);
  if (!t->certificates)
    return EXIT_BAD_INPUT;
  audit_all(t);
  write_all(t);
  return exit_status(t);
}

int cmd_table(const options *o, diag *d)
{
  table_run t = {.o = o, .d = d};
  int status = run(&t);
  for (size_t i = 0; i < t.uses; i++) {
    if (t.use[i].fine)
      check_result_destroy(&t.use[i].result);
    diag_destroy(t.use[i].messages);
  }
  free(t.use);
  free(t.cells);
  if (t.certificates)
    path_remove_tree(t.certificates);
  free(t.certificates);
  free(t.judge);
  targets_clear(&t.targets);
  table_destroy(t.table);
  return status;
}
