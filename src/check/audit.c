/* The audit of one claim, from sources to verdict. */
#include "check/audit.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check/absence.h"
#include "check/box.h"
#include "check/brought.h"
#include "check/establish.h"
#include "check/mutants.h"
#include "check/search.h"
#include "check/shrink.h"
#include "check/slack.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/patience.h"
#include "lang/variant.h"

enum { NEED_PART = 10 /* the necessity of a hypothesis gets this part of the trials */ };

audit_options audit_options_default(void)
{
  return (audit_options){.seed = 1, .trials = AUDIT_TRIALS, .precision = 4096, .power = AUDIT_POWER};
}

static void add_to(check_counts *to, const check_counts *from)
{
  to->drawn += from->drawn;
  to->accepted += from->accepted;
  to->true_ += from->true_;
  to->false_ += from->false_;
  to->unknown += from->unknown;
  to->undefined += from->undefined;
  to->undecided_hypotheses += from->undecided_hypotheses;
}

static check_witness *establish_hit(check_result *r, diag *d, search *s, const search_hit *hit,
                                    const char *target_name, const char *name)
{
  shrunk x = {0};
  check_witness *w = NULL;
  patience before = patience_begin(NULL, 0); /* what was found is worth the time that it takes to certify it */
  if (shrink_start(&x, s, hit, target_name))
    w = audit_establish(r, d, s->options, &x, target_name, hit->origin, name);
  else
    check_result_set_reason(r, "an instance that seemed to decide the claim did not do so when decided anew");
  shrunk_clear(&x);
  patience_end(before);
  return w;
}

/* Instances of one source at the same sizes are counted together. Takes t's sizes. */
static void add_tally(check_result *r, check_tally *t)
{
  add_to(&r->total, &t->counts);
  for (size_t i = 0; i < r->tallies; i++)
    if (r->tally[i].source == t->source &&
        !memcmp(r->tally[i].sizes, t->sizes, r->claim->sizes * sizeof *t->sizes)) {
      add_to(&r->tally[i].counts, &t->counts);
      free(t->sizes);
      t->sizes = NULL;
      return;
    }
  r->tally = memory_resize(r->tally, r->tallies + 1, sizeof *r->tally);
  r->tally[r->tallies++] = *t;
  t->sizes = NULL; /* it has moved */
}

static void take_counts(check_result *r, const search *s)
{
  for (size_t i = 0; i < s->cases; i++)
    for (int k = 0; k < SOURCE_KINDS; k++) {
      if (!s->at[i].counts[k].drawn)
        continue;
      check_tally t = {.source = (source_kind)k, .counts = s->at[i].counts[k]};
      t.sizes = memory_new(s->claim->sizes, sizeof *t.sizes);
      memcpy(t.sizes, s->at[i].g.sizes, s->claim->sizes * sizeof *t.sizes);
      add_tally(r, &t);
    }
}

/* Decides the instances that came with the claim; a counterexample among them is established. False when their file is
 * unusable. */
static bool audit_brought(check_result *r, diag *d, const audit_options *o)
{
  brought b;
  bool fine = brought_decide(&b, d, r->claim, o->instances, o->precision);
  for (size_t i = 0; i < b.tallies; i++)
    add_tally(r, &b.tally[i]);
  shrunk x = {0};
  patience before = patience_begin(NULL, 0);
  if (fine && b.hit && shrink_start_values(&x, r->claim, b.sizes, b.value, o->precision, NULL)) {
    check_origin origin = {.seed = o->seed, .number = b.number, .source = SOURCE_CASE};
    r->counterexample = audit_establish(r, d, o, &x, NULL, origin, r->claim->name);
    r->verdict = r->counterexample ? VERDICT_REFUTED : VERDICT_UNDECIDED;
  }
  shrunk_clear(&x);
  patience_end(before);
  brought_clear(&b);
  return fine;
}

/* ---- claims that show ---- */

/* Whether every size had some certified true instance; else names the first that had none. */
static bool every_size_has_true(check_result *r, const search *s)
{
  for (size_t i = 0; i < s->cases; i++) {
    uint64_t good = 0;
    for (int k = 0; k < SOURCE_KINDS; k++)
      good += s->at[i].counts[k].true_;
    if (good)
      continue;
    text sizes;
    text_init(&sizes);
    for (unsigned j = 0; j < s->claim->sizes; j++)
      text_addf(&sizes, "%s%s = %lld", j ? ", " : "", s->claim->size[j].name, (long long)s->at[i].g.sizes[j]);
    check_result_set_reason(r, "no instance was certified true at %s", sizes.length ? text_string(&sizes) : "the only sizes");
    text_clear(&sizes);
    return false;
  }
  return true;
}

/* No instance was accepted. */
static void judge_absence(check_result *r, search *s)
{
  absence a = absence_prove(r, s, ABSENCE_OF_INSTANCES);
  r->verdict = a.proved && a.all_sizes ? VERDICT_VACUOUS : VERDICT_NO_INSTANCE;
  if (!a.proved) {
    check_result_set_reason(r, "none of %llu instance%s was certain to meet the hypotheses", (unsigned long long)r->total.drawn,
               r->total.drawn == 1 ? "" : "s");
    return;
  }
  text why;
  text_init(&why);
  absence_print(&why, &a, false);
  text_add(&why, a.all_sizes ? "" : ", at every size tried");
  check_result_set_reason(r, "%s", text_string(&why));
  text_clear(&why);
}

static void judge_survivor(check_result *r, search *s)
{
  const check_counts *n = &r->total;
  uint64_t boxes;
  if (n->accepted == 0) {
    judge_absence(r, s);
    return;
  }
  r->verdict = VERDICT_UNDECIDED;
  if (r->interrupted)
    check_result_set_reason(r, "stopped early, after %llu instance%s", (unsigned long long)n->drawn, n->drawn == 1 ? "" : "s");
  else if (n->true_ && s->cases == 1 && search_covers_all_sizes(s) && box_prove(s, 0, BOX_ALL_TRUE, 0, &boxes)) {
    r->verdict = VERDICT_PROVED_ON_BOX;
    check_result_set_reason(r, "every one of %llu boxes that cover the ranges was certified", (unsigned long long)boxes);
  } else if (n->unknown * CHECK_UNKNOWN_SHARE > n->accepted) {
    char *gap = slack_largest_gap(s);
    check_result_set_reason(r, "%llu of %llu admissible instances could not be decided at %ld bits%s%s",
               (unsigned long long)n->unknown, (unsigned long long)n->accepted, (long)s->options->precision,
               gap ? "; the sides of an undecided equality differ by at most " : "", gap ? gap : "");
    free(gap);
  } else if (!n->true_)
    check_result_set_reason(r, "no instance was certified true: %llu of %llu admissible ones are undefined",
               (unsigned long long)n->undefined, (unsigned long long)n->accepted);
  else if (every_size_has_true(r, s)) {
    r->verdict = VERDICT_SURVIVED;
    check_result_set_reason(r, "%llu instance%s certified true, none false", (unsigned long long)n->true_,
               n->true_ == 1 ? "" : "s");
  }
}

/* A search of its own for a changed claim; whether a counterexample was certified. */
static bool is_refuted(const claim *c, const audit_options *o, uint64_t trials, double deadline, bool *applicable)
{
  search s;
  search_hit hit;
  diag *quiet = diag_create(NULL, 1);
  bool found = false;
  *applicable = search_create(&s, quiet, c, o);
  if (*applicable) {
    s.deadline = deadline;
    found = search_run(&s, trials, &hit);
    search_hit_clear(&s, &hit);
    search_clear(&s);
  }
  diag_destroy(quiet);
  return found;
}

static void measure_power(check_result *r, tree_memory *memory, search *s)
{
  unsigned count;
  mutant *m = mutants_create(memory, s->claim, (unsigned)s->options->power, &count);
  r->power.survivor = memory_new(count, sizeof *r->power.survivor);
  for (unsigned i = 0; i < count && !search_should_stop(s); i++) {
    bool applicable, refuted = is_refuted(m[i].claim, s->options, s->options->trials, s->deadline, &applicable);
    if (!applicable)
      continue;
    r->power.tried++;
    r->power.refuted += refuted;
    if (!refuted)
      r->power.survivor[r->power.survivors++] = memory_copy_string(m[i].what);
  }
  r->power_measured = count > 0;
  mutants_destroy(m, count);
}

static void add_need(check_result *r, char *hypothesis, const claim *without, search *s)
{
  bool applicable;
  bool needed = is_refuted(without, s->options, s->options->trials / NEED_PART, s->deadline, &applicable);
  r->need[r->needs++] = (check_need){.hypothesis = hypothesis, .needed = needed, .tried = applicable};
}

static void measure_needs(check_result *r, tree_memory *memory, search *s)
{
  const claim *c = s->claim;
  unsigned most = c->labels;
  for (unsigned i = 0; i < c->givens; i++)
    most += c->given[i].lines;
  r->need = memory_new(most, sizeof *r->need);
  for (unsigned i = 0; i < c->labels && !search_should_stop(s); i++)
    if (c->label[i].kind == LABEL_ASSUME)
      add_need(r, memory_copy_string(c->label[i].name), variant_with_label(memory, c, i, NULL), s);
  for (unsigned i = 0; i < c->givens; i++)
    for (unsigned j = 0; j < c->given[i].lines && !search_should_stop(s); j++) {
      if (!c->given[i].line[j].low && !c->given[i].line[j].high)
        continue;
      text name;
      text_init(&name);
      text_addf(&name, "range of %s", c->given[i].name);
      if (c->given[i].lines > 1)
        text_addf(&name, ", line %u", j + 1);
      add_need(r, text_take(&name), variant_without_range(memory, c, i, j), s);
    }
}

static void audit_show(check_result *r, diag *d, search *s)
{
  search_hit hit;
  bool found = search_run(s, s->options->trials, &hit);
  r->interrupted = s->interrupted;
  if (found) {
    r->counterexample = establish_hit(r, d, s, &hit, NULL, s->claim->name);
    r->verdict = r->counterexample ? VERDICT_REFUTED : VERDICT_UNDECIDED;
    r->interrupted |= s->options->stop && *s->options->stop; /* it could have been made smaller */
    search_hit_clear(s, &hit);
    take_counts(r, s);
    return;
  }
  take_counts(r, s);
  judge_survivor(r, s);
  if (r->verdict != VERDICT_SURVIVED && r->verdict != VERDICT_PROVED_ON_BOX)
    return;
  slack_measure(&r->slack, s);
  r->emptiness = slack_emptiness(s);
  if (s->options->power > 0) {
    tree_memory *memory = tree_memory_create();
    measure_power(r, memory, s);
    measure_needs(r, memory, s);
    tree_memory_destroy(memory);
  }
  r->interrupted |= s->interrupted;
}

/* ---- claims that ask what is possible ---- */

/* No witness was found. */
static void prove_impossible(check_result *r, check_possible *p, search *s, int target)
{
  absence a = absence_prove(r, s, target);
  if (!a.proved || !a.all_sizes)
    return;
  p->verdict = VERDICT_IMPOSSIBLE;
  text why;
  text_init(&why);
  absence_print(&why, &a, true);
  check_result_set_reason(r, "%s: %s", p->label, text_string(&why));
  text_clear(&why);
}

static void audit_possible(check_result *r, diag *d, search *s)
{
  const uint32_t *labels;
  size_t targets = search_targets(s, &labels), left = targets;
  r->possible = memory_new(targets, sizeof *r->possible);
  r->possibles = targets;
  for (size_t k = 0; k < targets; k++) {
    r->possible[k].label = memory_copy_string(s->at[0].g.plain->label[labels[k]].name);
    r->possible[k].verdict = VERDICT_NO_WITNESS;
  }
  search_hit hit;
  while (left > 0 && search_run(s, s->options->trials, &hit)) {
    size_t k = hit.target;
    check_possible *p = &r->possible[k];
    text name;
    text_init(&name);
    text_addf(&name, "%s-%s", s->claim->name, p->label);
    p->witness = establish_hit(r, d, s, &hit, p->label, text_string(&name));
    text_clear(&name);
    p->verdict = p->witness ? VERDICT_POSSIBLE : VERDICT_UNDECIDED;
    search_hit_clear(s, &hit);
    s->found[k] = true;
    left--;
  }
  r->interrupted = s->interrupted;
  take_counts(r, s);
  r->verdict = VERDICT_POSSIBLE;
  for (size_t k = 0; k < targets; k++) {
    check_possible *p = &r->possible[k];
    if (p->verdict == VERDICT_NO_WITNESS)
      prove_impossible(r, p, s, (int)k);
    if (p->verdict == VERDICT_IMPOSSIBLE || (r->verdict == VERDICT_POSSIBLE && p->verdict != VERDICT_POSSIBLE))
      r->verdict = p->verdict;
  }
  if (r->verdict == VERDICT_NO_WITNESS)
    check_result_set_reason(r, "no witness among %llu instance%s", (unsigned long long)r->total.drawn,
               r->total.drawn == 1 ? "" : "s");
}

bool audit_claim(check_result *r, diag *d, const claim *c, const char *file, const audit_options *options)
{
  double start = omp_get_wtime();
  *r = (check_result){.claim = c, .file = memory_copy_string(file), .reason = memory_copy_string("")};
  bool asks = false;
  for (unsigned i = 0; i < c->labels; i++)
    asks |= c->label[i].kind == LABEL_POSSIBLE;
  search s;
  bool made = search_create(&s, d, c, options);
  if (!made && options->stop && *options->stop) {
    r->verdict = VERDICT_UNDECIDED;
    r->interrupted = true;
    check_result_set_reason(r, "stopped early, before anything was tried");
    return true;
  }
  s.deadline = options->time > 0 ? start + options->time : 0;
  patience before = patience_begin(options->stop, s.deadline);
  bool fine = made && (!options->instances || asks || audit_brought(r, d, options));
  if (fine && asks)
    audit_possible(r, d, &s);
  else if (fine && !r->counterexample)
    audit_show(r, d, &s);
  patience_end(before);
  search_clear(&s);
  if (!fine)
    check_result_destroy(r);
  else
    r->seconds = omp_get_wtime() - start;
  return fine;
}
