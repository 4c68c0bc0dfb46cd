/* A page for a reviewer. */
#include "report/page_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "report/formula_text.h"
#include "report/instance_text.h"
#include "report/page_internal.h"

void page_print_heading(const page *p, const char *heading)
{
  fprintf(p->out, "\n%s\n", heading);
  for (size_t i = 0; i < strlen(heading); i++)
    fputc('-', p->out);
  fputs("\n", p->out);
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
  page_print_heading(p, "The statement");
  text statement;
  text_init(&statement);
  claim_print(&statement, c);
  fputs(text_string(&statement), p->out);
  text_clear(&statement);
}

static void write_instance(const page *p)
{
  const check_instance *x = &p->witness->instance;
  page_print_heading(p, "The values");
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
  page_print_heading(p, "The hypotheses");
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

/* The line that breaks: as it stands in the claim, then with its two sides. `wanted` is the truth that it
 * has. */
static void write_conclusion(const page *p, const char *heading, truth wanted)
{
  page_print_heading(p, heading);
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
        page_write_sides(p, label, k);
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

static void write_origin(const page *p, const char *file)
{
  const check_witness *w = p->witness;
  page_print_heading(p, "Where it comes from");
  fprintf(p->out, "seed %llu, source: %s, instance %llu", (unsigned long long)w->origin.seed,
          source_name(w->origin.source), (unsigned long long)w->origin.number);
  if (w->origin.attempt)
    fprintf(p->out, ", attempt %u", (unsigned)w->origin.attempt);
  if (w->place)
    fprintf(p->out, "\n%s", w->place);
  if (w->shrink_steps)
    fprintf(p->out, "; then made smaller in %llu step%s\n", (unsigned long long)w->shrink_steps,
            w->shrink_steps == 1 ? "" : "s");
  else
    fputs("; nothing smaller was found\n", p->out);
  page_print_heading(p, "To check it again");
  if (w->certificate) {
    text command;
    text_init(&command);
    text_add_word(&command, "assay-verify");
    text_add_word(&command, file);
    text_add_word(&command, w->certificate);
    fprintf(p->out, "%s\n", text_string(&command));
    text_clear(&command);
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
  page_evaluate(p);
  page_expand(p);
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
    page_write_steps(&p);
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
