/* The judge's decision, step by step: the right claim, a fitting instance, every hypothesis, the label. What
 * the label breaks at, index and sides, is in broken.c. */
#include "verify/judge.h"

#include <string.h>

#include "cert/exact.h"
#include "core/limits.h"
#include "verify/broken.h"
#include "verify/deep.h"

typedef struct {
  diag *d;
  text *report, *last;
  const library *library;
  const certificate *z;
  const char *file;
  slong precision;
  judge_verdict verdict;
  const claim *c;
  match m;
  evaluator *e;
} trial;

static judge_verdict reject(trial *j, const char *why)
{
  text_addf(j->last, "not a counterexample: %s", why);
  return JUDGE_REJECTED;
}

static judge_verdict refuse(trial *j, const char *why)
{
  diag_error_plain(j->d, "%s: %s", j->file, why);
  text_addf(j->last, "not decided: %s", why);
  return JUDGE_UNREADABLE;
}

/* The claim that the certificate is for, word by word. */
static judge_verdict find_claim(trial *j)
{
  const certificate *z = j->z;
  j->c = library_find(j->library, z->claim_name);
  if (!j->c)
    return refuse(j, "for another claim: the claim file has none of this name");
  text t;
  text_init(&t);
  claim_print(&t, j->c);
  char hash[65];
  claim_hash(hash, j->c);
  text_addf(j->report, "%sSHA-256 %s\n\n", text_string(&t), hash);
  bool same = !strcmp(text_string(&t), z->claim_text), same_hash = !strcmp(hash, z->claim_hash);
  text_clear(&t);
  if (!same)
    return refuse(j, "for another claim: the text of the claim is not that of the claim file");
  return same_hash ? JUDGE_ACCEPTED : refuse(j, "for another claim: the SHA-256 is not that of the claim");
}

static judge_verdict fit_instance(trial *j)
{
  const instance *x = &j->z->instance;
  match_kind fit = match_instance(j->d, j->file, &j->m, j->c, x);
  if (fit == MATCH_WRONG) {
    text_add(j->last, "not decided: the sizes or values are not those that the claim declares");
    return JUDGE_UNREADABLE;
  }
  for (size_t i = 0; i < x->sizes; i++)
    text_addf(j->report, "%s = %lld\n", x->size[i].name, (long long)x->size[i].value);
  for (size_t i = 0; i < x->values; i++) {
    text_addf(j->report, "%s = ", x->value[i].name);
    exact_print(j->report, &x->value[i].value);
    text_add(j->report, "\n");
  }
  text_add(j->report, "\n");
  if (fit == MATCH_OUTSIDE) {
    text_addf(j->last, "not a counterexample: the size %s is outside its range",
              j->c->size[j->m.outside].name);
    return JUDGE_REJECTED;
  }
  return JUDGE_ACCEPTED;
}

/* Whether the value lies in the range of its line. */
static truth in_range(trial *j, const match_element *g)
{
  const claim_given_line *line = &j->c->given[g->given].line[g->line];
  numbers *s = evaluator_numbers(j->e);
  int64_t slots[LIMIT_BINDERS] = {0};
  truth above = TRUTH_TRUE, below = TRUTH_TRUE;
  for (unsigned p = 0; p < j->c->given[g->given].positions; p++)
    if (line->position[p].name)
      slots[line->position[p].slot] = g->indices[p];
  number x = number_from_rational(s, &j->z->instance.value[g->value].value);
  if (line->low)
    above = evaluator_compare(j->e, line->low_open ? RELATION_LESS : RELATION_LESS_EQUAL,
                              evaluator_value(j->e, line->low, slots), x);
  if (line->high)
    below = evaluator_compare(j->e, line->high_open ? RELATION_LESS : RELATION_LESS_EQUAL, x,
                              evaluator_value(j->e, line->high, slots));
  return below == TRUTH_FALSE ? below : truth_and(above, below);
}

/* Notes the truth of one hypothesis; a false one beats whatever else is wrong. */
static void note_hypothesis(trial *j, truth *worst, text *which, const char *kind, const char *name,
                            truth value)
{
  if (value != TRUTH_TRUE)
    text_addf(j->report, "%s %s: %s\n", kind, name, truth_name(value));
  if (value == TRUTH_TRUE || *worst == TRUTH_FALSE || (*worst != TRUTH_TRUE && value != TRUTH_FALSE))
    return;
  *worst = value;
  text_clear(which);
  text_addf(which, "the %s %s is %s", kind, name, truth_name(value));
}

static judge_verdict check_hypotheses(trial *j)
{
  truth worst = TRUTH_TRUE;
  text which, name;
  text_init(&which);
  text_init(&name);
  const match *m = &j->m;
  for (size_t i = 0, same; i < m->count; i += same) { /* one line for each line of a given */
    truth line = TRUTH_TRUE;
    const claim_given *g = &j->c->given[m->element[i].given];
    for (same = 0; i + same < m->count && m->element[i + same].given == m->element[i].given &&
                   m->element[i + same].line == m->element[i].line; same++) {
      truth value = in_range(j, &m->element[i + same]);
      text_clear(&name);
      claim_print_element(&name, g->name, m->element[i + same].indices, g->positions);
      note_hypothesis(j, &worst, &which, "range of", name.data, value);
      line = truth_and(line, value);
    }
    if (line == TRUTH_TRUE)
      text_addf(j->report, "range of %s (%zu value%s): true\n", g->name, same, same == 1 ? "" : "s");
  }
  for (unsigned i = 0; i < j->c->labels; i++) {
    const claim_label *l = &j->c->label[i];
    int64_t slots[LIMIT_BINDERS] = {0};
    if (l->kind != LABEL_ASSUME)
      continue;
    truth value = evaluator_truth(j->e, l->body, slots);
    if (value == TRUTH_TRUE)
      text_addf(j->report, "assume %s: true\n", l->name);
    note_hypothesis(j, &worst, &which, "assume", l->name, value);
  }
  judge_verdict v = worst == TRUTH_TRUE ? JUDGE_ACCEPTED : reject(j, text_string(&which));
  text_clear(&which);
  text_clear(&name);
  return v;
}

/* Which other labels would do, for someone who got the name wrong. */
static void report_others(trial *j, label_kind kind, truth wanted)
{
  for (unsigned i = 0; i < j->c->labels; i++) {
    const claim_label *l = &j->c->label[i];
    int64_t slots[LIMIT_BINDERS] = {0};
    if (l->kind == kind && strcmp(l->name, j->z->label) && evaluator_truth(j->e, l->body, slots) == wanted)
      text_addf(j->report, "(%s is %s, but the certificate does not name it)\n", l->name, truth_name(wanted));
  }
}

static judge_verdict check_label(trial *j)
{
  label_kind kind = j->z->witness ? LABEL_POSSIBLE : LABEL_SHOW;
  truth wanted = j->z->witness ? TRUTH_TRUE : TRUTH_FALSE;
  const char *word = j->z->witness ? "possible" : "show";
  const claim_label *l = NULL;
  for (unsigned i = 0; i < j->c->labels; i++)
    if (!strcmp(j->c->label[i].name, j->z->label) && j->c->label[i].kind == kind)
      l = &j->c->label[i];
  if (!l)
    return reject(j, j->z->witness ? "the claim has no such label that is possible"
                                   : "the claim shows no such label");
  int64_t slots[LIMIT_BINDERS] = {0};
  truth value = evaluator_truth(j->e, l->body, slots);
  text_addf(j->report, "%s %s: %s\n", word, l->name, truth_name(value));
  if (value != wanted) {
    report_others(j, kind, wanted);
    text_addf(j->last, "not a counterexample: %s is %s", l->name, truth_name(value));
    return JUDGE_REJECTED;
  }
  text where;
  text_init(&where);
  const char *wrong = broken_check(j->e, j->report, &where, &j->m, l->body, wanted, j->z);
  if (wrong)
    reject(j, wrong);
  else
    text_addf(j->last, "accepted: %s: %s is %s%s", j->c->name, l->name, truth_name(value),
              text_string(&where));
  text_clear(&where);
  return wrong ? JUDGE_REJECTED : JUDGE_ACCEPTED;
}

static void hold_trial(void *argument)
{
  trial *j = argument;
  j->verdict = find_claim(j);
  if (j->verdict != JUDGE_ACCEPTED)
    return;
  j->verdict = fit_instance(j);
  if (j->verdict == JUDGE_ACCEPTED) {
    j->e = evaluator_create(j->d, j->c, &j->z->instance, &j->m, j->precision);
    j->verdict = check_hypotheses(j);
    if (j->verdict == JUDGE_ACCEPTED)
      j->verdict = check_label(j);
    /* a failure on the way makes truths unknown, so nothing was accepted; it has a message of its own */
    if (evaluator_status(j->e) != STATUS_OK) {
      bool ill = evaluator_status(j->e) == STATUS_BAD_INPUT;
      text_clear(j->last);
      text_add(j->last, ill ? "not decided: the claim is not well defined at this instance"
                            : "not a counterexample: unknown, a limit was reached");
      j->verdict = ill ? JUDGE_UNREADABLE : JUDGE_REJECTED;
    }
    evaluator_destroy(j->e);
  }
  match_clear(&j->m);
}

judge_verdict judge_certificate(diag *d, text *report, text *last, const library *l, const certificate *z,
                                const char *file, slong max_precision)
{
  trial j = {.d = d, .report = report, .last = last, .library = l, .z = z, .file = file,
             .precision = max_precision, .verdict = JUDGE_REJECTED};
  deep_call(hold_trial, &j);
  return j.verdict;
}
