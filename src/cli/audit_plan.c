/* What an audit will run. */
#include "cli/audit_plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/sim_input.h"
#include "core/memory.h"

/* ---- sizes ---- */

static bool has_size(const claim *c, const char *name, size_t length)
{
  for (unsigned i = 0; i < c->sizes; i++)
    if (strlen(c->size[i].name) == length && !strncmp(c->size[i].name, name, length))
      return true;
  return false;
}

/* The parts of a well-formed choice that the claim has a size for; NULL when there are none. */
static char *sizes_for(const claim *c, const char *choice)
{
  text out;
  text_init(&out);
  for (const char *s = choice; s && *s;) {
    size_t whole = strcspn(s, ",");
    if (has_size(c, s, strcspn(s, "="))) {
      text_add(&out, out.length ? "," : "");
      text_add_bytes(&out, s, whole);
    }
    s += whole + (s[whole] == ',');
  }
  char *result = out.length ? text_take(&out) : NULL;
  text_clear(&out);
  return result;
}

/* Every name of --sizes must be a size of some claim. */
static bool check_sizes(diag *d, const target_list *t, const char *choice)
{
  for (const char *s = choice; s && *s;) {
    size_t length = strcspn(s, "="), whole = strcspn(s, ",");
    bool found = false;
    for (size_t i = 0; i < t->count && !found; i++)
      found = has_size(t->target[i].claim, s, length);
    if (!found) {
      diag_error_plain(d, "--sizes: no claim that is audited has a size '%.*s'", (int)length, s);
      return false;
    }
    s += whole + (s[whole] == ',');
  }
  return true;
}

static bool check_case_sizes(diag *d, const case_run *run, const claim *c)
{
  for (const char *s = run->sizes; s && *s;) {
    size_t length = strcspn(s, "="), whole = strcspn(s, ",");
    if (!has_size(c, s, length)) {
      diag_error(d, run->place, "case '%s': claim '%s' has no size '%.*s'", run->name, c->name, (int)length,
                 s);
      return false;
    }
    s += whole + (s[whole] == ',');
  }
  return true;
}

/* ---- order and names ---- */

/* Whether two claims would write files of one name: NAME, and NAME-LABEL for each `possible`. */
static bool collide(const claim *a, const claim *b)
{
  if (!strcmp(a->name, b->name))
    return true;
  for (int turn = 0; turn < 2; turn++) {
    const claim *x = turn ? b : a, *y = turn ? a : b;
    size_t n = strlen(x->name);
    for (unsigned i = 0; i < x->labels; i++)
      if (x->label[i].kind == LABEL_POSSIBLE && !strncmp(x->name, y->name, n) && y->name[n] == '-' &&
          !strncmp(y->name + n + 1, x->label[i].name, strlen(x->label[i].name)))
        return true;
  }
  return false;
}

static unsigned count_repeats(const audit_plan *p, const claim *c)
{
  unsigned repeat = 1;
  for (size_t i = 0; i < p->count; i++)
    if (collide(p->item[i].target->claim, c) && p->item[i].repeat >= repeat)
      repeat = p->item[i].repeat + 1;
  return repeat;
}

static const char *statement_of(const claim *c)
{
  return c->cite ? c->cite : "(no source named)";
}

bool audit_plan_make(audit_plan *p, diag *d, const target_list *t, const options *o)
{
  *p = (audit_plan){0};
  p->item = memory_new(t->count, sizeof *p->item);
  if (!check_sizes(d, t, o->sizes))
    return false;
  bool fine = true;
  bool *placed = memory_new(t->count, sizeof *placed);
  for (size_t i = 0; i < t->count; i++) {
    if (placed[i])
      continue;
    const char *statement = statement_of(t->target[i].claim);
    for (size_t k = i; k < t->count; k++) {
      const target *x = &t->target[k];
      if (placed[k] || strcmp(statement, statement_of(x->claim)))
        continue;
      placed[k] = true;
      fine = (!x->run || check_case_sizes(d, x->run, x->claim)) && fine;
      plan_item item = {.target = x, .statement = statement};
      item.name = x->run && x->run->claim ? x->run->name : x->claim->name;
      item.repeat = count_repeats(p, x->claim);
      item.sizes = sizes_for(x->claim, o->sizes ? o->sizes : x->run ? x->run->sizes : NULL);
      p->item[p->count++] = item;
    }
  }
  free(placed);
  return fine;
}

void audit_plan_clear(audit_plan *p)
{
  for (size_t i = 0; i < p->count; i++)
    free(p->item[i].sizes);
  free(p->item);
  *p = (audit_plan){0};
}

/* ---- options ---- */

audit_options audit_plan_options(const plan_item *item, const options *o)
{
  audit_options a = audit_options_default();
  const case_run *run = item->target->run;
  if (o->has_seed)
    a.seed = o->seed;
  else if (run && run->has_seed)
    a.seed = run->seed;
  if (o->has_trials)
    a.trials = o->trials;
  else if (run && run->has_trials)
    a.trials = run->trials;
  if (o->precision)
    a.precision = o->precision;
  if (o->has_power)
    a.power = o->power < 0 ? AUDIT_POWER : o->power;
  a.time = o->time;
  a.threads = o->threads;
  a.sizes = item->sizes;
  a.instances = run ? run->instances : NULL;
  a.require_proof = o->require_proof;
  return a;
}

char *audit_plan_command(const options *o)
{
  text out;
  text_init(&out);
  text_add(&out, "assay audit");
  if (o->has_seed && !o->model)
    text_addf(&out, " --seed %llu", (unsigned long long)o->seed);
  if (o->has_trials)
    text_addf(&out, " --trials %llu", (unsigned long long)o->trials);
  if (o->time > 0) /* in milliseconds: no decimal point that a locale could change */
    text_addf(&out, " --time %llu.%03llu", (unsigned long long)o->time,
              (unsigned long long)(o->time * 1000) % 1000);
  if (o->precision)
    text_addf(&out, " --precision %ld", (long)o->precision);
  if (o->sizes) {
    text_add(&out, " --sizes");
    text_add_word(&out, o->sizes);
  }
  if (o->has_power) {
    text_add(&out, " --power");
    if (o->power >= 0)
      text_addf(&out, "=%d", o->power);
  }
  if (o->require_proof)
    text_add(&out, " --require-proof");
  if (o->model) {
    text_add(&out, " --model");
    text_add_word(&out, o->model);
    sim_input_add_command(&out, o);
  }
  for (int i = 0; i < o->arguments; i++)
    text_add_word(&out, o->argument[i]);
  return text_take(&out);
}
