/* A claim, asked of many instances: tables, what is made of the tape, and where the slack of one instance is. */
#include "check/claim_table.h"

#include <stdlib.h>
#include <string.h>

#include "arith/arith.h"
#include "check/claim_table_internal.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"
#include "lang/tree.h"

/* ---- tables ---- */

void claim_table_init(claim_table *t)
{
  *t = (claim_table){.refuted = CLAIM_NOWHERE};
  for (int k = 0; k < 2; k++) {
    t->slack[k].first = CLAIM_NOWHERE;
    arf_init(t->slack[k].low);
  }
}

void claim_table_clear(claim_table *t)
{
  for (size_t i = 0; i < t->labels; i++)
    free(t->label[i]);
  free(t->label);
  free(t->failures);
  for (int k = 0; k < 2; k++)
    arf_clear(t->slack[k].low);
  *t = (claim_table){0};
}

bool claim_table_keep(claim_slack *s, uint64_t instance, const arf_t low)
{
  int order = s->first == CLAIM_NOWHERE ? -1 : arf_cmp(low, s->low);
  if (order > 0 || (order == 0 && instance >= s->first))
    return false;
  s->first = instance;
  arf_set(s->low, low);
  return true;
}

void claim_table_set_labels(claim_table *t, const claim_asker *a)
{
  t->labels = 0;
  t->label = memory_new(a->asked, sizeof *t->label);
  t->failures = memory_new(a->asked, sizeof *t->failures);
  for (size_t k = 0; k < a->asked; k++)
    if (a->t->label[a->label[k]].kind != TAPE_SHOW)
      t->label[t->labels++] = memory_copy_string(a->t->label[a->label[k]].name);
}

static void add_labels(claim_table *to, const claim_table *from)
{
  if (!to->label) {
    to->label = memory_new(from->labels + 1, sizeof *to->label);
    to->failures = memory_new(from->labels + 1, sizeof *to->failures);
    for (size_t i = 0; i < from->labels; i++)
      to->label[to->labels++] = memory_copy_string(from->label[i]);
  }
  for (size_t i = 0; i < to->labels && i < from->labels; i++)
    to->failures[i] += from->failures[i];
}

static void add_counts(claim_table *to, const claim_table *from)
{
  for (int h = 0; h < CLAIM_OUTCOMES; h++)
    for (int c = 0; c < CLAIM_OUTCOMES; c++)
      to->count[h][c] += from->count[h][c];
}

claim_taken claim_table_add(claim_table *to, const claim_table *from)
{
  claim_taken taken = {.refuted = to->refuted == CLAIM_NOWHERE && from->refuted != CLAIM_NOWHERE};
  add_counts(to, from);
  add_labels(to, from);
  if (taken.refuted)
    to->refuted = from->refuted;
  for (int k = 0; k < 2; k++) {
    const claim_slack *s = &from->slack[k];
    to->slack[k].over += s->over;
    bool smaller = s->first != CLAIM_NOWHERE &&
                   (to->slack[k].first == CLAIM_NOWHERE || arf_cmp(s->low, to->slack[k].low) < 0);
    taken.slack[k] = smaller;
    if (smaller) {
      to->slack[k].first = s->first;
      arf_set(to->slack[k].low, s->low);
    }
  }
  return taken;
}

void claim_table_merge(claim_table *to, const claim_table *from)
{
  add_counts(to, from);
  add_labels(to, from);
  if (from->refuted < to->refuted)
    to->refuted = from->refuted;
  for (int k = 0; k < 2; k++) {
    to->slack[k].over += from->slack[k].over;
    if (from->slack[k].first != CLAIM_NOWHERE)
      claim_table_keep(&to->slack[k], from->slack[k].first, from->slack[k].low);
  }
}

/* ---- the tape ---- */

/* The sides in the order smaller, greater that a comparison asks for; false for what is no such comparison. */
static bool sides_of(tape_id *small, tape_id *great, const tape_atom *a)
{
  bool turned = a->relation == RELATION_GREATER || a->relation == RELATION_GREATER_EQUAL;
  if (a->left == TAPE_NONE || a->right == TAPE_NONE || a->relation == RELATION_EQUAL || a->relation == RELATION_NOT_EQUAL)
    return false;
  *small = turned ? a->right : a->left;
  *great = turned ? a->left : a->right;
  return true;
}

/* The smallest difference of all comparisons of the conclusions; TAPE_NONE. */
static tape_id add_slack(tape *t)
{
  tape_id least = TAPE_NONE, small, great;
  for (size_t i = 0; i < t->labels; i++)
    for (size_t j = 0; t->label[i].kind == TAPE_SHOW && j < t->label[i].atoms; j++) {
      if (!sides_of(&small, &great, &t->atom[t->label[i].first_atom + j]))
        continue;
      tape_id difference = tape_binary(t, TAPE_SUBTRACT, great, small);
      least = least == TAPE_NONE ? difference : tape_binary(t, TAPE_MIN, least, difference);
    }
  return t->full ? TAPE_NONE : least;
}

/* Appends the conjuncts of a truth, from left to right. */
static void add_parts(claim_asker *a, size_t *parts, tape_id whole)
{
  size_t room = 0, waiting = 0;
  tape_id *stack = NULL; /* chains are as long as sequences: no recursion */
  for (tape_id id = whole;;) {
    if (waiting + 1 > room)
      stack = memory_resize(stack, room = 2 * room + 64, sizeof *stack);
    const tape_op *o = &a->t->op[id];
    if (o->op == TAPE_AND) {
      stack[waiting++] = o->b;
      id = o->a;
      continue;
    }
    if ((*parts & (*parts - 1)) == 0)
      a->part = memory_resize(a->part, 2 * *parts + 1, sizeof *a->part);
    a->part[(*parts)++] = id;
    if (waiting == 0)
      break;
    id = stack[--waiting];
  }
  free(stack);
}

static void find_parts(claim_asker *a, tape_id slack)
{
  size_t parts = 0;
  a->first_part = memory_new(a->asked + 1, sizeof *a->first_part);
  for (size_t k = 0; k < a->asked; k++) {
    a->first_part[k] = parts;
    add_parts(a, &parts, a->t->label[a->label[k]].truth);
  }
  a->first_part[a->asked] = parts;
  tape_id *output = memory_new(parts + 1, sizeof *output);
  memcpy(output, a->part, parts * sizeof *output);
  output[parts] = slack;
  a->parts = tape_compile(a->t, output, parts + a->has_slack, parts + a->has_slack, false);
  free(output);
}

claim_asker *claim_asker_create(tape *t, slong precision)
{
  claim_asker *a = memory_new(1, sizeof *a);
  a->t = t;
  a->precision = precision;
  a->label = memory_new(t->labels, sizeof *a->label);
  a->alone = memory_new(t->labels, sizeof *a->alone);
  tape_id *output = memory_new(t->labels + 1, sizeof *output);
  for (size_t i = 0; i < t->labels; i++) {
    tape_label_kind kind = t->label[i].kind;
    if (kind != TAPE_RANGE && kind != TAPE_ASSUME && kind != TAPE_SHOW)
      continue;
    a->alone[a->asked] = tape_compile(t, &t->label[i].truth, 1, 1, false);
    a->label[a->asked] = (uint32_t)i;
    output[a->asked++] = t->label[i].truth;
  }
  output[a->asked] = add_slack(t);
  a->has_slack = output[a->asked] != TAPE_NONE;
  a->all = tape_compile(t, output, a->asked + a->has_slack, a->asked + a->has_slack, false);
  find_parts(a, output[a->asked]);
  free(output);
  return a;
}

void claim_asker_destroy(claim_asker *a)
{
  if (!a)
    return;
  for (size_t k = 0; k < a->asked; k++)
    tape_program_destroy(a->alone[k]);
  tape_program_destroy(a->all);
  tape_program_destroy(a->parts);
  free(a->first_part);
  free(a->part);
  free(a->alone);
  free(a->label);
  free(a);
}

/* ---- where the slack is ---- */

void claim_least_init(claim_least *l)
{
  *l = (claim_least){.atom = SIZE_MAX};
  arb_init(l->difference);
  arb_init(l->small);
  arb_init(l->great);
}

void claim_least_clear(claim_least *l)
{
  arb_clear(l->difference);
  arb_clear(l->small);
  arb_clear(l->great);
}

/* Balls for the sides of all comparisons; the smallest difference by its midpoint: near ties any of them will do. */
static void look_at_sides(claim_least *l, const ball_state *s, const uint32_t *atom, size_t atoms)
{
  enum { BITS = 128 };
  arb_t x, small, great;
  arf_t least;
  arb_init(x);
  arb_init(small);
  arb_init(great);
  arf_init(least);
  for (size_t k = 0; k < atoms; k++) {
    if (ball_value(small, s, 2 * k) != STATUS_OK || ball_value(great, s, 2 * k + 1) != STATUS_OK)
      continue;
    arb_sub(x, great, small, BITS);
    if (arb_is_finite(x) && (l->atom == SIZE_MAX || arf_cmp(arb_midref(x), least) < 0)) {
      l->atom = atom[k];
      arf_set(least, arb_midref(x));
      arb_set(l->difference, x);
      arb_set(l->small, small);
      arb_set(l->great, great);
    }
  }
  arb_clear(x);
  arb_clear(small);
  arb_clear(great);
  arf_clear(least);
}

/* A tie, or nearly one: the difference itself, exactly if it can be had. */
static void sharpen(claim_least *l, const claim_asker *a, const fmpq *value)
{
  enum { BITS = 128 };
  tape_id small = TAPE_NONE, great = TAPE_NONE;
  sides_of(&small, &great, &a->t->atom[l->atom]);
  const tape_id sides[2] = {small, great};
  tape_program *p = tape_compile(a->t, sides, 2, 2, false);
  exact_state *s = exact_create(p, LIMIT_EXACT_BITS);
  fmpq_t x, y;
  fmpq_init(x);
  fmpq_init(y);
  exact_run(s, value);
  if (exact_value(x, s, 0) == STATUS_OK && exact_value(y, s, 1) == STATUS_OK) {
    fmpq_sub(x, y, x);
    arb_set_fmpq(l->difference, x, BITS);
  }
  fmpq_clear(x);
  fmpq_clear(y);
  exact_destroy(s);
  tape_program_destroy(p);
}

bool claim_asker_least(claim_least *l, const claim_asker *a, const double *value)
{
  enum { BITS = 128 };
  const tape *t = a->t;
  uint32_t *atom = memory_new(t->atoms, sizeof *atom);
  tape_id *side = memory_new(2 * t->atoms, sizeof *side);
  size_t atoms = 0;
  for (size_t i = 0; i < t->labels; i++)
    for (size_t j = 0; t->label[i].kind == TAPE_SHOW && j < t->label[i].atoms; j++)
      if (sides_of(&side[2 * atoms], &side[2 * atoms + 1], &t->atom[t->label[i].first_atom + j]))
        atom[atoms++] = (uint32_t)(t->label[i].first_atom + j);
  fmpq *exact = memory_new(t->elements, sizeof *exact);
  for (size_t e = 0; e < t->elements; e++) {
    fmpq_init(&exact[e]);
    if (tape_is_drawn(t, e))
      rational_set_double(&exact[e], value[e]);
  }
  l->atom = SIZE_MAX;
  if (atoms) {
    tape_program *p = tape_compile(t, side, 2 * atoms, 2 * atoms, false);
    ball_state *s = ball_create(p, LIMIT_EXACT_BITS);
    ball_run(s, exact, BITS, false);
    look_at_sides(l, s, atom, atoms);
    ball_destroy(s);
    tape_program_destroy(p);
  }
  if (l->atom != SIZE_MAX && arb_contains_zero(l->difference))
    sharpen(l, a, exact);
  for (size_t e = 0; e < t->elements; e++)
    fmpq_clear(&exact[e]);
  free(exact);
  free(side);
  free(atom);
  return l->atom != SIZE_MAX;
}
