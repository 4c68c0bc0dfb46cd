/* Contradictory hypotheses. */
#include "check/absence.h"

#include <stdlib.h>
#include <string.h>

#include "check/box.h"
#include "check/search_internal.h"
#include "check/simplex.h"
#include "core/memory.h"

/* Each row costs a pass over the tape. */
enum { MOST_OPERATIONS = 50000, MOST_LABEL_ATOMS = 2000 };

bool absence_rows(linear_system *rows, const search_case *c, int target)
{
  const tape *t = c->g.plain;
  const uint32_t *labels;
  decider_targets(c->g.decider, &labels);
  linear_init(rows);
  if (t->ops > MOST_OPERATIONS)
    return false;
  for (size_t i = 0; i < t->labels; i++) {
    bool hypothesis = t->label[i].kind == TAPE_RANGE || t->label[i].kind == TAPE_ASSUME;
    if ((hypothesis || (target >= 0 && i == labels[target])) && t->label[i].atoms <= MOST_LABEL_ATOMS)
      linear_add_label(rows, t, i);
  }
  return true;
}

static void keep_row(check_multiplier *m, const tape *t, const linear_row *row, const fmpq_t multiplier)
{
  const tape_label *l = &t->label[row->label];
  m->label = memory_copy_string(l->name);
  m->range = l->kind == TAPE_RANGE;
  if (row->atom != UINT32_MAX) {
    const tape_atom *a = &t->atom[row->atom];
    m->indices = a->indices;
    m->index_name = memory_new(a->indices, sizeof *m->index_name);
    m->index_value = memory_new(a->indices, sizeof *m->index_value);
    for (uint32_t i = 0; i < a->indices; i++) {
      m->index_name[i] = memory_copy_string(t->index_name[a->first_index + i]);
      m->index_value[i] = t->index_value[a->first_index + i];
    }
  }
  static const char *const relations[] = {[LINEAR_LESS] = "<", [LINEAR_LESS_EQUAL] = "<=", [LINEAR_EQUAL] = "="};
  m->relation = relations[row->relation];
  m->terms = row->terms;
  m->element = memory_new(row->terms, sizeof *m->element);
  m->coefficient = memory_new(row->terms, sizeof *m->coefficient);
  for (size_t i = 0; i < row->terms; i++) {
    m->element[i] = memory_copy_string(t->element[row->element[i]].name);
    fmpq_init(&m->coefficient[i]);
    fmpq_set(&m->coefficient[i], &row->coefficient[i]);
  }
  fmpq_init(m->right);
  fmpq_set(m->right, row->right);
  fmpq_init(m->multiplier);
  fmpq_set(m->multiplier, multiplier);
}

static void keep(check_result *r, const search_case *c, int target, const linear_system *rows, const fmpq *multiplier)
{
  const uint32_t *labels;
  decider_targets(c->g.decider, &labels);
  r->contradiction = memory_resize(r->contradiction, r->contradictions + 1, sizeof *r->contradiction);
  check_contradiction *k = &r->contradiction[r->contradictions++];
  *k = (check_contradiction){0};
  k->sizes = memory_new(r->claim->sizes, sizeof *k->sizes);
  memcpy(k->sizes, c->g.sizes, r->claim->sizes * sizeof *k->sizes);
  if (target >= 0)
    k->label = memory_copy_string(c->g.plain->label[labels[target]].name);
  k->row = memory_new(rows->rows, sizeof *k->row);
  for (size_t i = 0; i < rows->rows; i++)
    if (!fmpq_is_zero(&multiplier[i]))
      keep_row(&k->row[k->rows++], c->g.plain, &rows->row[i], &multiplier[i]);
}

static bool contradict(check_result *r, const search_case *c, int target)
{
  linear_system rows;
  if (!absence_rows(&rows, c, target))
    return false;
  fmpq *multiplier = stage_new_values(rows.rows);
  bool found = simplex_contradict(multiplier, &rows);
  if (found)
    keep(r, c, target, &rows, multiplier);
  stage_free_values(multiplier, rows.rows);
  linear_clear(&rows);
  return found;
}

absence absence_prove(check_result *r, search *s, int target)
{
  absence a = {.proved = true, .all_sizes = search_covers_all_sizes(s)};
  box_question question = target < 0 ? BOX_NO_INSTANCE : BOX_NO_WITNESS;
  for (size_t i = 0; i < s->cases && a.proved; i++) {
    if (s->at[i].question != SIZE_MAX)
      continue;
    uint64_t boxes = 0;
    if (contradict(r, &s->at[i], target))
      a.contradictions++;
    else
      a.proved = a.all_sizes && box_prove(s, i, question, target < 0 ? 0 : (size_t)target, &boxes);
    a.boxes += boxes;
  }
  return a;
}

void absence_print(text *out, const absence *a, bool possible)
{
  if (a->contradictions)
    text_add(out, possible ? "it and the hypotheses are contradictory linear inequalities"
                           : "the hypotheses are contradictory linear inequalities");
  if (a->contradictions && a->boxes)
    text_add(out, ", or ");
  if (a->boxes)
    text_addf(out, "%s on every one of %llu boxes that cover the ranges",
              possible ? "it is false wherever the hypotheses hold" : "the hypotheses fail",
              (unsigned long long)a->boxes);
}
