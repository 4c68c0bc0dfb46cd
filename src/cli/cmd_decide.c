/* assay decide: what is true of single instances that somebody brings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cert/instance.h"
#include "check/audit.h"
#include "cli/commands.h"
#include "cli/targets.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"
#include "lang/lower.h"
#include "report/formula_text.h"

/* What one instance comes to. */
typedef enum {
  ANSWER_SATISFIES,
  ANSWER_REFUTES,
  ANSWER_INADMISSIBLE,
  ANSWER_UNDEFINED,
  ANSWER_UNKNOWN,
  ANSWER_BAD
} answer;
static const char *const answer_words[] = {"satisfies", "refutes", "inadmissible", "undefined", "unknown"};

static bool is_hypothesis(const tape_label *l)
{
  return l->kind == TAPE_RANGE || l->kind == TAPE_ASSUME;
}

static bool is_unsettled(truth a)
{
  return a == TRUTH_UNKNOWN || a == TRUTH_OPEN;
}

/* The first label of a kind with this truth; SIZE_MAX for none. OPEN counts as UNKNOWN. */
static size_t find_label(const decider_state *s, const tape *t, bool hypothesis, truth wanted)
{
  for (size_t i = 0; i < t->labels; i++) {
    truth a = decide_label(s, i);
    if (t->label[i].kind != TAPE_TRIVIAL && is_hypothesis(&t->label[i]) == hypothesis &&
        (a == wanted || (wanted == TRUTH_UNKNOWN && is_unsettled(a))))
      return i;
  }
  return SIZE_MAX;
}

static bool has_possible(const tape *t)
{
  for (size_t i = 0; i < t->labels; i++)
    if (t->label[i].kind == TAPE_POSSIBLE)
      return true;
  return false;
}

/* The answer, and the label that gives it: SIZE_MAX where there is none to name. */
static answer find_answer(size_t *label, const decider_state *s, const tape *t)
{
  static const struct {
    bool hypothesis;
    truth truth;
    answer answer;
  } steps[] = {{true, TRUTH_FALSE, ANSWER_INADMISSIBLE},   {true, TRUTH_UNDEFINED, ANSWER_UNDEFINED},
               {true, TRUTH_UNKNOWN, ANSWER_UNKNOWN},      {false, TRUTH_FALSE, ANSWER_REFUTES},
               {false, TRUTH_UNDEFINED, ANSWER_UNDEFINED}, {false, TRUTH_UNKNOWN, ANSWER_UNKNOWN}};
  bool possible = has_possible(t);
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (possible && i == 3) { /* a witness for one label is a witness, whatever the others say */
      *label = find_label(s, t, false, TRUTH_TRUE);
      if (*label != SIZE_MAX)
        return ANSWER_SATISFIES;
    }
    *label = find_label(s, t, steps[i].hypothesis, steps[i].truth);
    if (possible && steps[i].answer == ANSWER_REFUTES)
      continue;
    if (*label != SIZE_MAX)
      return steps[i].answer;
  }
  *label = possible ? find_label(s, t, false, TRUTH_FALSE) : SIZE_MAX;
  return possible ? ANSWER_INADMISSIBLE : ANSWER_SATISFIES;
}

/* The atom of the label that shows its truth: the first of the same truth, else the first that is not
 * true. */
static size_t find_atom(const decider_state *s, const tape_label *l, truth wanted)
{
  size_t other = SIZE_MAX;
  for (size_t i = l->first_atom; i < (size_t)l->first_atom + l->atoms; i++) {
    truth a = decide_atom(s, i);
    if (a == wanted)
      return i;
    if (a != TRUTH_TRUE && other == SIZE_MAX)
      other = i;
  }
  return other;
}

/* Why one arithmetic alone may leave a truth unknown. */
static void print_limit(text *out, decide_arithmetic only, const instance *x)
{
  double unused;
  if (only == DECIDE_BOUNDED) {
    for (size_t i = 0; i < x->values; i++)
      if (!rational_get_double(&unused, &x->value[i].value)) {
        text_addf(out, "; %s is no double", x->value[i].name);
        return;
      }
    text_add(out, "; it leaves open what is nearer than its error bounds, a tie too, and most functions");
  } else if (only == DECIDE_EXACT)
    text_add(out, "; it leaves open what is not rational");
  else if (only == DECIDE_BALL)
    text_add(out, "; it leaves open what is nearer than its precision, a tie too");
}

static void print_answer(answer a, size_t label, const decider_state *s, const tape *t, const instance *x,
                         const options *o)
{
  text out;
  text_init(&out);
  text_add(&out, answer_words[a]);
  if (label == SIZE_MAX)
    text_add(&out, ": every hypothesis and every conclusion is true");
  else {
    truth value = decide_label(s, label);
    size_t atom = find_atom(s, &t->label[label], value);
    text_add(&out, ": ");
    formula_print(&out, s, t, label, atom);
  }
  text_addf(&out, " (%s arithmetic", decide_decided_by(s));
  if (a == ANSWER_UNKNOWN)
    print_limit(&out, o->arithmetic, x);
  text_add_char(&out, ')');
  puts(text_string(&out));
  text_clear(&out);
}

/* A tape with its decider is made once for a row of instances of the same sizes. */
typedef struct {
  int64_t *sizes; /* NULL: none made */
  tape *t;
  decider *d;
  decider_state *s;
} workshop;

static void workshop_clear(workshop *w)
{
  decider_state_destroy(w->s);
  decider_destroy(w->d);
  tape_destroy(w->t);
  free(w->sizes);
  *w = (workshop){0};
}

static bool workshop_make(workshop *w, diag *d, const claim *c, const int64_t *sizes, slong precision)
{
  if (w->sizes && !memcmp(w->sizes, sizes, c->sizes * sizeof *sizes))
    return true;
  workshop_clear(w);
  w->t = lower_claim(d, c, sizes, LIMIT_TAPE);
  if (!w->t)
    return false;
  w->sizes = memory_new(c->sizes, sizeof *w->sizes);
  memcpy(w->sizes, sizes, c->sizes * sizeof *sizes);
  w->d = decider_create(w->t, precision);
  w->s = decider_state_create(w->d);
  return true;
}

static answer decide_one(workshop *w, diag *d, const char *from, const claim *c, const instance *x,
                         const options *o)
{
  match m;
  answer a = ANSWER_BAD;
  match_kind kind = match_instance(d, from, &m, c, x);
  if (kind == MATCH_OUTSIDE) {
    const claim_size *s = &c->size[m.outside];
    text out;
    text_init(&out);
    text_addf(&out, "%s: %s = %lld, but the claim says size %s ", answer_words[ANSWER_INADMISSIBLE], s->name,
              (long long)m.sizes[m.outside], s->name);
    text_add(&out, s->high ? "in " : ">= ");
    claim_print_node(&out, c, s->low);
    if (s->high) {
      text_add(&out, "..");
      claim_print_node(&out, c, s->high);
    }
    puts(text_string(&out));
    text_clear(&out);
    a = ANSWER_INADMISSIBLE;
  } else if (kind == MATCH_FITS &&
             workshop_make(w, d, c, m.sizes,
                           o->precision ? o->precision : audit_options_default().precision)) {
    fmpq *value = memory_new(m.count, sizeof *value);
    for (size_t i = 0; i < m.count; i++)
      value[i] = x->value[m.element[i].value].value; /* borrowed: the numbers stay those of x */
    decide_instance(w->s, value, o->arithmetic);
    free(value);
    size_t label;
    a = find_answer(&label, w->s, w->t);
    print_answer(a, label, w->s, w->t, x, o);
  }
  match_clear(&m);
  return a;
}

/* The claim that [FILE] CLAIM names. */
static const claim *find_claim(target_list *t, const options *o, diag *d)
{
  const char *first = o->argument[0];
  if (o->arguments == 3)
    targets_add_claim(t, first, o->argument[1]);
  else if (strchr(first, '/') || path_has_suffix(first, ".claim")) {
    if (targets_add_file(t, first) && t->count != 1)
      diag_error_plain(d, "%s holds %zu claims; say which one: assay decide FILE CLAIM INSTANCES", first,
                       t->count);
  } else
    targets_add_claim(t, NULL, first);
  return t->count == 1 ? t->target[0].claim : NULL;
}

int cmd_decide(const options *o, diag *d)
{
  if (o->arguments < 2 || o->arguments > 3) {
    diag_error_plain(d, "decide takes [FILE] CLAIM INSTANCES.json; see assay help decide");
    return EXIT_BAD_INPUT;
  }
  const char *path = o->argument[o->arguments - 1];
  if (!strcmp(path, "-") && !strcmp(o->argument[0], "-")) {
    diag_error_plain(d, "standard input can be read once: either the claim or the instances come from it");
    return EXIT_BAD_INPUT;
  }
  target_list t;
  targets_init(&t, d);
  const claim *c = find_claim(&t, o, d);
  size_t count = 0;
  instance *array = c ? instance_read_file(d, path, &count) : NULL;
  bool seen[ANSWER_BAD + 1] = {false};
  if (!array)
    seen[ANSWER_BAD] = true;
  workshop w = {0};
  for (size_t i = 0; array && i < count; i++) {
    text from;
    text_init(&from);
    text_add(&from, path);
    if (count > 1)
      text_addf(&from, ", instance %zu", i + 1);
    seen[decide_one(&w, d, text_string(&from), c, &array[i], o)] = true;
    text_clear(&from);
  }
  workshop_clear(&w);
  if (array)
    instance_array_free(array, count);
  targets_clear(&t);
  if (seen[ANSWER_BAD])
    return EXIT_BAD_INPUT;
  if (seen[ANSWER_REFUTES])
    return EXIT_REFUTED;
  return seen[ANSWER_INADMISSIBLE] || seen[ANSWER_UNDEFINED] || seen[ANSWER_UNKNOWN] ? EXIT_UNDECIDED
                                                                                     : EXIT_FINE;
}
