/* A page for a reviewer. */
#include "report/page_text.h"

#include <stdlib.h>
#include <string.h>

#include "check/decide.h"
#include "core/limits.h"
#include "core/memory.h"
#include "lang/lower.h"
#include "report/decimal.h"
#include "report/formula_text.h"
#include "report/instance_text.h"
#include "report/substitute.h"

enum {
  MOST_STEPS = 2000,  /* let elements, and lines of hypotheses, that are shown */
  MOST_FORMULA = 300, /* characters of a formula */
  MOST_DIGITS = 200,  /* characters of an exact value */
  DIGITS = 20         /* of an enclosure */
};

/* A let element's value. */
typedef struct {
  bool exact;
  fmpq_t value;
  char *shown; /* the value, a truth, "undefined" or "not known" */
} step_value;

typedef struct {
  FILE *out;
  const claim *claim;
  const check_witness *witness;
  slong precision;
  tape *t;
  lower_let_list lets;
  decider *d;
  decider_state *s;
  step_value *step; /* one for each let element */
} page;

static void print_heading(const page *p, const char *heading)
{
  fprintf(p->out, "\n%s\n", heading);
  for (size_t i = 0; i < strlen(heading); i++)
    fputc('-', p->out);
  fputs("\n", p->out);
}

/* ---- values ---- */

/* Balls of growing precision until they have DIGITS digits, over exact values where these are rational. */
static void evaluate_lets(page *p)
{
  size_t n = p->lets.count;
  tape_id *id = memory_new(n, sizeof *id);
  for (size_t i = 0; i < n; i++)
    id[i] = p->lets.let[i].id;
  tape_program *program = tape_compile(p->t, id, n, n, false);
  ball_state *s = ball_create(program, LIMIT_EXACT_BITS);
  arb_t x;
  arb_init(x);
  bool settled = false;
  for (slong precision = 128; !settled; precision = 2 * precision) {
    if (precision > p->precision)
      precision = p->precision;
    ball_run(s, p->witness->instance.value, precision, true);
    settled = true;
    for (size_t i = 0; i < n; i++)
      if (!program->output[i].truth && ball_exact_value(p->step[i].value, s, i) == STATUS_UNABLE &&
          ball_value(x, s, i) != STATUS_UNDEFINED && arb_rel_accuracy_bits(x) < 4 * DIGITS)
        settled = precision >= p->precision;
  }
  for (size_t i = 0; i < n; i++) {
    step_value *v = &p->step[i];
    if (program->output[i].truth) {
      truth a = ball_truth(s, i);
      v->shown = memory_copy_string(a == TRUTH_OPEN ? "unknown" : truth_name(a));
      continue;
    }
    assay_status status = ball_exact_value(v->value, s, i);
    v->exact = status == STATUS_OK;
    if (v->exact) {
      text shown;
      text_init(&shown);
      number_print(&shown, v->value, MOST_DIGITS);
      v->shown = text_take(&shown);
    } else if (status == STATUS_UNDEFINED || ball_value(x, s, i) == STATUS_UNDEFINED)
      v->shown = memory_copy_string("undefined");
    else if (ball_value(x, s, i) == STATUS_OK && arb_is_finite(x))
      v->shown = decimal_ball(x, DIGITS);
    else
      v->shown = memory_copy_string("not known");
  }
  arb_clear(x);
  ball_destroy(s);
  tape_program_destroy(program);
  free(id);
}

/* ---- sections ---- */

static void write_head(const page *p, const char *what)
{
  const claim *c = p->claim;
  fprintf(p->out, "%s: %s\n", c->name, what);
  if (c->title)
    fprintf(p->out, "%s\n", c->title);
  if (c->cite)
    fprintf(p->out, "%s\n", c->cite);
  print_heading(p, "The statement");
  text statement;
  text_init(&statement);
  claim_print(&statement, c);
  fputs(text_string(&statement), p->out);
  text_clear(&statement);
}

static void write_instance(const page *p)
{
  const check_instance *x = &p->witness->instance;
  print_heading(p, "The values");
  for (unsigned i = 0; i < x->sizes; i++)
    fprintf(p->out, "%s = %lld\n", p->claim->size[i].name, (long long)x->size[i]);
  for (size_t e = 0; e < x->elements && e < MOST_STEPS; e++) {
    text number;
    text_init(&number);
    number_print(&number, &x->value[e], MOST_DIGITS);
    fprintf(p->out, "%s = %s\n", x->name[e], text_string(&number));
    text_clear(&number);
  }
  if (x->elements > MOST_STEPS)
    fprintf(p->out, "... and %zu more, which are in the certificate\n", x->elements - MOST_STEPS);
  if (!x->sizes && !x->elements)
    fputs("The claim has no sizes and no givens.\n", p->out);
}

/* Every element whose value is exact, givens first. */
static substitute_value *known_values(const page *p, size_t *count)
{
  const check_instance *x = &p->witness->instance;
  substitute_value *v = memory_new(x->elements + p->lets.count, sizeof *v);
  *count = 0;
  for (size_t e = 0; e < x->elements; e++)
    v[(*count)++] = (substitute_value){x->name[e], &x->value[e]};
  for (size_t i = 0; i < p->lets.count; i++)
    if (p->step[i].exact)
      v[(*count)++] = (substitute_value){p->lets.let[i].name, p->step[i].value};
  return v;
}

/* "NAME = formula in names", "= the same in numbers", "= value"; what is too long or says nothing new is
 * left out. */
static void write_calculation(const page *p, const char *name, const text *names, const text *numbers,
                              const char *value)
{
  int indent = (int)strlen(name);
  const char *last = value;
  fprintf(p->out, "%s", name);
  if (names->length <= MOST_FORMULA && strcmp(text_string(names), value)) {
    last = text_string(names);
    fprintf(p->out, " = %s\n%*s", last, indent, "");
  }
  if (numbers->length <= MOST_FORMULA && strcmp(text_string(numbers), last) &&
      strcmp(text_string(numbers), value))
    fprintf(p->out, " = %s\n%*s", text_string(numbers), indent, "");
  fprintf(p->out, " = %s\n", value);
}

static void write_step(const page *p, size_t i, const substitute_value *value, size_t values)
{
  const struct lower_let *let = &p->lets.let[i];
  const claim_let_line *line = &p->claim->let[let->let].line[let->line];
  substitution s = {.claim = p->claim, .sizes = p->witness->instance.size};
  for (unsigned k = 0; k < let->indices; k++)
    if (line->position[k].name) {
      s.index[line->position[k].slot] = let->index[k];
      s.known |= UINT32_C(1) << line->position[k].slot;
    }
  text names, numbers;
  text_init(&names);
  text_init(&numbers);
  substitute_print(&names, &s, line->body);
  s.value = value;
  s.values = values;
  substitute_print(&numbers, &s, line->body);
  write_calculation(p, let->name, &names, &numbers, p->step[i].shown);
  text_clear(&names);
  text_clear(&numbers);
}

static void write_steps(const page *p)
{
  if (!p->lets.count)
    return;
  print_heading(p, "Step by step");
  size_t values = 0;
  substitute_value *value = known_values(p, &values);
  for (size_t i = 0; i < p->lets.count && i < MOST_STEPS; i++)
    write_step(p, i, value, values < MOST_STEPS ? values : 0);
  if (p->lets.count > MOST_STEPS)
    fprintf(p->out, "... and %zu more\n", p->lets.count - MOST_STEPS);
  free(value);
}

static void write_formula(const page *p, size_t label, size_t atom)
{
  text line;
  text_init(&line);
  formula_print(&line, p->s, p->t, label, atom);
  fprintf(p->out, "%s\n", text_string(&line));
  text_clear(&line);
}

/* Each hypothesis, comparison by comparison. */
static void write_hypotheses(const page *p)
{
  size_t lines = 0, more = 0;
  print_heading(p, "The hypotheses");
  for (size_t i = 0; i < p->t->labels; i++) {
    const tape_label *l = &p->t->label[i];
    if (l->kind != TAPE_RANGE && l->kind != TAPE_ASSUME)
      continue;
    for (size_t k = l->first_atom; k < (size_t)l->first_atom + l->atoms; k++) {
      if (lines < MOST_STEPS)
        write_formula(p, i, k);
      else
        more++;
      lines++;
    }
    if (!l->atoms && l->kind == TAPE_ASSUME) { /* over an empty range */
      write_formula(p, i, SIZE_MAX);
      lines++;
    }
  }
  if (more)
    fprintf(p->out, "... and %zu more, each decided likewise\n", more);
  if (!lines)
    fputs("none\n", p->out);
}

static const claim_label *find_label(const page *p)
{
  for (unsigned i = 0; i < p->claim->labels; i++)
    if (!strcmp(p->claim->label[i].name, p->witness->label))
      return &p->claim->label[i];
  return NULL;
}

static bool is_broken_atom(const page *p, const tape_atom *a)
{
  const check_witness *w = p->witness;
  if (a->indices != w->indices)
    return false;
  for (unsigned i = 0; i < a->indices; i++)
    if (p->t->index_value[a->first_index + i] != w->index_value[i] ||
        strcmp(p->t->index_name[a->first_index + i], w->index_name[i]))
      return false;
  return true;
}

/* The comparison inside a conclusion that atom `a` stands for, below its quantifiers, whose indices it
 * binds; NULL where the formula is built otherwise. */
static const node *find_comparison(const node *n, const tape *t, const tape_atom *a, substitution *s)
{
  uint32_t index = 0;
  while (n->kind == NODE_FOLD && n->fold == FOLD_FORALL) {
    for (unsigned i = 0; i < n->ranges; i++, index++) {
      if (index >= a->indices)
        return NULL;
      s->index[n->range[i].slot] = t->index_value[a->first_index + index];
      s->known |= UINT32_C(1) << n->range[i].slot;
    }
    n = n->child[0];
  }
  unsigned last = a->part ? a->part : 1;
  return n->kind == NODE_COMPARE && index == a->indices && last < n->children ? n : NULL;
}

/* Both sides of the comparison, calculated. */
static void write_sides(const page *p, const claim_label *label, size_t atom)
{
  const tape_atom *a = &p->t->atom[atom];
  substitution s = {.claim = p->claim, .sizes = p->witness->instance.size};
  const node *n = label && a->left != TAPE_NONE ? find_comparison(label->body, p->t, a, &s) : NULL;
  if (!n)
    return;
  size_t values = 0;
  substitute_value *value = known_values(p, &values);
  for (int right = 0; right < 2; right++) {
    const node *side = n->child[(a->part ? a->part - 1u : 0u) + (unsigned)right];
    char *shown = decide_side_text(p->s, atom, right);
    text names, numbers;
    text_init(&names);
    text_init(&numbers);
    s.values = 0;
    substitute_print(&names, &s, side);
    s.value = value;
    s.values = values < MOST_STEPS ? values : 0;
    substitute_print(&numbers, &s, side);
    write_calculation(p, right ? "right side" : "left side ", &names, &numbers, shown ? shown : "not known");
    text_clear(&names);
    text_clear(&numbers);
    free(shown);
  }
  free(value);
}

/* The line that breaks: as it stands in the claim, then with its two sides. `wanted` is the truth that it
 * has. */
static void write_conclusion(const page *p, const char *heading, truth wanted)
{
  print_heading(p, heading);
  const claim_label *label = find_label(p);
  if (label) {
    text line;
    text_init(&line);
    claim_print_node(&line, p->claim, label->body);
    fprintf(p->out, "%s: %s\n", label->name, text_string(&line));
    text_clear(&line);
  }
  for (size_t i = 0; i < p->t->labels; i++) {
    const tape_label *l = &p->t->label[i];
    if ((l->kind != TAPE_SHOW && l->kind != TAPE_POSSIBLE) || strcmp(l->name, p->witness->label))
      continue;
    size_t shown = 0;
    for (size_t k = l->first_atom; k < (size_t)l->first_atom + l->atoms; k++)
      if (decide_atom(p->s, k) == wanted &&
          (l->kind == TAPE_POSSIBLE || (!shown && is_broken_atom(p, &p->t->atom[k])))) {
        write_sides(p, label, k);
        write_formula(p, i, k);
        shown++;
      }
    if (!shown)
      write_formula(p, i, SIZE_MAX);
  }
  if (strcmp(decide_decided_by(p->s), "ball"))
    fprintf(p->out, "(decided in exact arithmetic)\n");
  else
    fprintf(p->out,
            "(decided in ball arithmetic; a number m +/- r stands for everything from m - r to m + r)\n");
}

/* A file name as a shell takes it for one word. */
static void print_word(FILE *out, const char *word)
{
  size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%");
  if (*word && !word[plain]) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}

static void write_origin(const page *p, const char *file)
{
  const check_witness *w = p->witness;
  print_heading(p, "Where it comes from");
  fprintf(p->out, "seed %llu, source: %s, instance %llu", (unsigned long long)w->origin.seed,
          source_name(w->origin.source), (unsigned long long)w->origin.number);
  if (w->origin.attempt)
    fprintf(p->out, ", attempt %u", (unsigned)w->origin.attempt);
  fprintf(p->out, "; then made smaller in %llu step%s\n", (unsigned long long)w->shrink_steps,
          w->shrink_steps == 1 ? "" : "s");
  print_heading(p, "To check it again");
  if (w->certificate) {
    fputs("assay-verify ", p->out);
    print_word(p->out, file);
    fputc(' ', p->out);
    print_word(p->out, w->certificate);
    fputc('\n', p->out);
  } else
    fputs("No certificate was kept.\n", p->out);
}

/* ---- the whole ---- */

static bool page_start(page *p)
{
  diag *quiet = diag_create(NULL, 1);
  p->t = lower_let_elements(&p->lets, quiet, p->claim, p->witness->instance.size, LIMIT_TAPE);
  diag_destroy(quiet);
  if (!p->t || p->t->elements != p->witness->instance.elements)
    return false;
  p->step = memory_new(p->lets.count, sizeof *p->step);
  for (size_t i = 0; i < p->lets.count; i++)
    fmpq_init(p->step[i].value);
  evaluate_lets(p);
  p->d = decider_create(p->t, p->precision);
  p->s = decider_state_create(p->d);
  decide_instance(p->s, p->witness->instance.value, DECIDE_LADDER);
  return true;
}

static void page_clear(page *p)
{
  for (size_t i = 0; p->step && i < p->lets.count; i++) {
    fmpq_clear(p->step[i].value);
    free(p->step[i].shown);
  }
  free(p->step);
  decider_state_destroy(p->s);
  decider_destroy(p->d);
  tape_destroy(p->t);
  lower_let_list_clear(&p->lets);
}

static void write_witness(FILE *out, const check_result *r, const check_witness *w, slong precision,
                          bool refutes)
{
  page p = {.out = out, .claim = r->claim, .witness = w, .precision = precision};
  bool started = page_start(&p);
  text head;
  text_init(&head);
  if (refutes)
    text_add(&head, verdict_name(r->verdict));
  else
    text_addf(&head, "%s is %s", w->label, verdict_name(VERDICT_POSSIBLE));
  write_head(&p, text_string(&head));
  text_clear(&head);
  write_instance(&p);
  if (started) {
    write_steps(&p);
    write_hypotheses(&p);
    write_conclusion(&p, refutes ? "What breaks" : "What holds", refutes ? TRUTH_FALSE : TRUTH_TRUE);
  }
  write_origin(&p, r->file);
  page_clear(&p);
}

void page_write(FILE *out, const check_result *r, slong precision)
{
  if (r->counterexample)
    write_witness(out, r, r->counterexample, precision, true);
  bool first = true;
  for (size_t i = 0; i < r->possibles; i++)
    if (r->possible[i].witness) {
      fputs(first ? "" : "\n\n", out);
      first = false;
      write_witness(out, r, r->possible[i].witness, precision, false);
    }
}
