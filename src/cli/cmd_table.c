/* assay table: the numbers of a printed table, and what claims made of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/audit.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/targets.h"
#include "core/memory.h"
#include "report/cells.h"
#include "report/results_json.h"

typedef struct {
  const options *o;
  diag *d;
  table *table;
  target_list targets;
  size_t count; /* claims that use the table, audited so far */
  check_result *result;
  cells_use *use;
  char *certificates, *judge;
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

static audit_options options_of(const table_run *t, const volatile int *stop, progress *p)
{
  audit_options o = audit_options_default();
  o.trials = t->o->has_trials ? t->o->trials : TABLE_TRIALS;
  o.seed = t->o->has_seed ? t->o->seed : o.seed;
  o.threads = t->o->threads;
  o.precision = t->o->precision ? t->o->precision : o.precision;
  o.power = 0;
  o.certificates = t->certificates;
  o.judge = t->judge;
  o.progress = progress_show;
  o.progress_context = p;
  o.stop = stop;
  return o;
}

static void audit_all(table_run *t, const volatile int *stop)
{
  size_t all = t->targets.count;
  t->result = memory_new(all, sizeof *t->result);
  t->use = memory_new(all, sizeof *t->use);
  progress p;
  progress_init(&p, all, !t->o->quiet);
  audit_options o = options_of(t, stop, &p);
  for (size_t i = 0; i < all; i++) {
    const target *x = &t->targets.target[i];
    const claim_given *g = given_of(x->claim, t->o->argument[0]);
    p.done = i;
    if (!g)
      continue;
    if (*stop) {
      t->stopped = true;
      break;
    }
    diag *messages = diag_create(NULL, 0);
    bool fine = audit_claim(&t->result[t->count], messages, x->library, x->claim, x->file, &o);
    progress_wipe(&p);
    if (diag_errors(messages)) {
      fputs(diag_text(messages), stderr);
      t->bad_input = true;
    }
    diag_destroy(messages);
    if (fine) {
      t->stopped |= t->result[t->count].interrupted;
      t->use[t->count] = (cells_use){&t->result[t->count], g};
      t->count++;
    }
  }
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
  cells_report r = {o->argument[0], t->table, t->count, t->use};
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
    verdict v = t->result[i].verdict;
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
  const volatile int *stop = signals_install();
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
  audit_all(t, stop);
  write_all(t);
  return exit_status(t);
}

int cmd_table(const options *o, diag *d)
{
  table_run t = {.o = o, .d = d};
  int status = run(&t);
  for (size_t i = 0; i < t.count; i++)
    check_result_destroy(&t.result[i]);
  free(t.result);
  free(t.use);
  if (t.certificates)
    path_remove_tree(t.certificates);
  free(t.certificates);
  free(t.judge);
  targets_clear(&t.targets);
  table_destroy(t.table);
  return status;
}
