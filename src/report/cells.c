/* What claims made of the numbers of a table. */
#include "report/cells.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "lang/literal.h"

bool cells_takes(const cells_use *u, unsigned row, unsigned column)
{
  for (unsigned k = 0; k < u->given->lines; k++) {
    const claim_position *p = u->given->line[k].position;
    int64_t i, j;
    if (tree_integer(&i, p[0].low, NULL, NULL) && tree_integer(&j, p[1].low, NULL, NULL) && i == (int64_t)row + 1 &&
        j == (int64_t)column + 1)
      return true;
  }
  return false;
}

static const fmpq *value_in(const check_witness *w, const char *element)
{
  for (size_t i = 0; w && i < w->instance.elements; i++)
    if (!strcmp(w->instance.name[i], element))
      return &w->instance.value[i];
  return NULL;
}

static bool same_label(const char *a, const char *b)
{
  return a && b ? !strcmp(a, b) : a == b;
}

/* Only one of the two ends of a range is ever needed twice: the rows of one end are one row. */
static void find_multipliers(cells_mark *m, const check_result *r, const char *label, const char *element)
{
  for (size_t i = 0; i < r->contradictions; i++) {
    const check_contradiction *c = &r->contradiction[i];
    if (!same_label(c->label, label))
      continue;
    for (size_t k = 0; k < c->rows; k++) {
      const check_multiplier *row = &c->row[k];
      if (row->range && row->terms == 1 && !strcmp(row->element[0], element))
        *(fmpq_sgn(&row->coefficient[0]) < 0 ? &m->low : &m->high) = row->multiplier;
    }
  }
}

size_t cells_marks(cells_mark **marks, const cells_use *u, unsigned row, unsigned column)
{
  const check_result *r = u->result;
  int64_t index[2] = {(int64_t)row + 1, (int64_t)column + 1};
  text element;
  text_init(&element);
  claim_print_element(&element, u->given->name, index, 2);
  const char *name = text_string(&element);
  *marks = memory_new(r->possibles + 1, sizeof **marks);
  size_t count = 0;
  for (size_t k = 0; k < r->possibles; k++) {
    const check_possible *p = &r->possible[k];
    cells_mark m = {.label = p->label, .verdict = p->verdict, .value = value_in(p->witness, name)};
    if (p->verdict == VERDICT_IMPOSSIBLE)
      find_multipliers(&m, r, p->label, name);
    if (p->verdict != VERDICT_IMPOSSIBLE || r->possibles == 1 || m.low || m.high)
      (*marks)[count++] = m;
  }
  if (!r->possibles) {
    cells_mark m = {.verdict = r->verdict, .value = value_in(r->counterexample, name)};
    find_multipliers(&m, r, NULL, name);
    (*marks)[count++] = m;
  }
  text_clear(&element);
  return count;
}

void cells_print_end(text *out, const fmpq_t x)
{
  fmpq_t size;
  fmpq_init(size);
  fmpq_abs(size, x);
  if (fmpq_sgn(x) < 0)
    text_add_char(out, '-');
  literal_print(out, size); /* an end has a decimal: half a unit of a decimal place */
  fmpq_clear(size);
}
