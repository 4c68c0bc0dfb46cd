/* The calculations on a page: the values of what is defined, and how each comes about, in names and in
 * numbers. */
#include "report/page_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "report/decimal.h"
#include "report/instance_text.h"
#include "report/substitute.h"

/* ---- values ---- */

/* Output i of a program that was run, as it is shown. */
static void set_step(step_value *v, ball_state *s, size_t i, bool is_truth)
{
  if (is_truth) {
    truth a = ball_truth(s, i);
    v->shown = memory_copy_string(a == TRUTH_OPEN ? "unknown" : truth_name(a));
    return;
  }
  arb_t x;
  arb_init(x);
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
  arb_clear(x);
}

/* Balls of growing precision until they have DIGITS digits, over exact values where these are rational. */
void page_evaluate(page *p)
{
  size_t n = 0;
  tape_id *id = memory_new(p->lets.count, sizeof *id);
  size_t *at = memory_new(p->lets.count, sizeof *at); /* of which let */
  for (size_t i = 0; i < p->lets.count; i++)
    if (!p->t->op[p->lets.let[i].id].random) {
      at[n] = i;
      id[n++] = p->lets.let[i].id;
    }
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
      if (!program->output[i].truth && ball_exact_value(p->step[at[i]].value, s, i) == STATUS_UNABLE &&
          ball_value(x, s, i) != STATUS_UNDEFINED && arb_rel_accuracy_bits(x) < 4 * DIGITS)
        settled = precision >= p->precision;
  }
  for (size_t i = 0; i < n; i++)
    set_step(&p->step[at[i]], s, i, program->output[i].truth);
  arb_clear(x);
  ball_destroy(s);
  tape_program_destroy(program);
  free(id);
  free(at);
}

/* ---- calculations ---- */

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

void page_write_steps(const page *p)
{
  if (!p->lets.count)
    return;
  page_print_heading(p, "Step by step");
  if (p->lets.randoms)
    fputs("Random elements are independent. Of one with variance v, the mean of its square is v, of its fourth power\n"
          "3 v^2, of its power 2k 1*3*...*(2k - 1) v^k, and of an odd power 0.\n\n", p->out);
  size_t values = 0;
  substitute_value *value = known_values(p, &values);
  for (size_t i = 0; i < p->lets.count && i < MOST_STEPS; i++)
    write_step(p, i, value, values < MOST_STEPS ? values : 0);
  if (p->lets.count > MOST_STEPS)
    fprintf(p->out, "... and %zu more\n", p->lets.count - MOST_STEPS);
  free(value);
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
void page_write_sides(const page *p, const claim_label *label, size_t atom)
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
