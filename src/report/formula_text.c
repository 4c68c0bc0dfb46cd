/* One decided formula of an instance as text. */
#include "report/formula_text.h"

#include <stdlib.h>

void formula_print_indices(text *out, unsigned indices, const char *const *names, const int64_t *values)
{
  for (unsigned i = 0; i < indices; i++)
    text_addf(out, "%s%s = %lld", i ? ", " : " at ", names[i], (long long)values[i]);
}

static void add_side(text *out, const decider_state *s, size_t atom, bool right)
{
  char *side = decide_side_text(s, atom, right);
  text_add(out, side ? side : "?");
  free(side);
}

static void add_name(text *out, const tape *t, const tape_label *l, size_t atom)
{
  if (l->kind == TAPE_RANGE)
    text_add(out, "range of ");
  if (atom == SIZE_MAX) {
    text_add(out, l->name);
    return;
  }
  const tape_atom *a = &t->atom[atom];
  if (l->kind == TAPE_RANGE)
    claim_print_element(out, l->name, t->index_value + a->first_index, a->indices);
  else {
    text_add(out, l->name);
    formula_print_indices(out, a->indices, t->index_name + a->first_index, t->index_value + a->first_index);
  }
}

void formula_print(text *out, const decider_state *s, const tape *t, size_t label, size_t atom)
{
  const tape_label *l = &t->label[label];
  truth value = atom == SIZE_MAX ? decide_label(s, label) : decide_atom(s, atom);
  add_name(out, t, l, atom);
  if (atom != SIZE_MAX && t->atom[atom].left != TAPE_NONE) {
    text_add(out, ": ");
    add_side(out, s, atom, false);
    text_addf(out, " %s ", tree_relation_name((relation)t->atom[atom].relation));
    add_side(out, s, atom, true);
  }
  text_addf(out, " is %s", value == TRUTH_OPEN ? "unknown" : truth_name(value));
}
