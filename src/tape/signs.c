/* Signs: what is equal but for the places of its minus signs, as f(-x) and -f(x) of an odd f, recognised without arithmetic.
 *
 * Each value has a form in which signs stand outermost: a product, a quotient, an odd power or function of negated values
 * becomes the negation of that of the values, and a sum of negated ones a difference. The forms serve comparisons alone, and
 * only where something cancels in them: elsewhere the operations stay as they were written, since others look for them. */
#include <stdlib.h>

#include "core/memory.h"
#include "tape/tape_internal.h"

/* A negation, or a constant below 0. */
static bool is_signed(const tape *t, tape_id id)
{
  const tape_op *o = &t->op[id];
  return o->op == TAPE_NEGATE || (o->op == TAPE_CONSTANT && fmpq_sgn(&t->constant[o->a]) < 0);
}

/* What `id` is the negation of, or `id`; *negative is turned then. */
static tape_id without_sign(tape *t, tape_id id, bool *negative)
{
  if (!is_signed(t, id))
    return id;
  *negative = !*negative;
  return t->op[id].op == TAPE_NEGATE ? t->op[id].a : tape_unary(t, TAPE_NEGATE, id);
}

static tape_id negated(tape *t, tape_id id)
{
  if (!t->full && t->op[id].op == TAPE_SUBTRACT)
    return tape_binary(t, TAPE_SUBTRACT, t->op[id].b, t->op[id].a);
  return tape_unary(t, TAPE_NEGATE, id);
}

static tape_id with_sign(tape *t, tape_id id, bool negative)
{
  return negative ? negated(t, id) : id;
}

static bool is_odd(tape_opcode op)
{
  return op == TAPE_CBRT || op == TAPE_SIN || op == TAPE_TAN || op == TAPE_ATAN || op == TAPE_TANH || op == TAPE_ERF;
}

static tape_id sum(tape *t, tape_id a, tape_id b, bool subtract)
{
  bool of_a = false, of_b = subtract;
  a = without_sign(t, a, &of_a);
  b = without_sign(t, b, &of_b);
  if (of_a == of_b)
    return with_sign(t, tape_binary(t, TAPE_ADD, a, b), of_a);
  return of_a ? tape_binary(t, TAPE_SUBTRACT, b, a) : tape_binary(t, TAPE_SUBTRACT, a, b);
}

/* The form of operation o, given those of its operands. */
static tape_id form(tape *t, tape_op o, tape_id id, const tape_id *of)
{
  tape_opcode op = (tape_opcode)o.op;
  bool negative = false;
  tape_id a, b;
  switch (op) {
  case TAPE_NEGATE:
    return negated(t, of[o.a]);
  case TAPE_ADD:
  case TAPE_SUBTRACT:
    return sum(t, of[o.a], of[o.b], op == TAPE_SUBTRACT);
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
    a = without_sign(t, of[o.a], &negative);
    b = without_sign(t, of[o.b], &negative);
    return with_sign(t, tape_binary(t, op, a, b), negative);
  case TAPE_POWER:
    a = without_sign(t, of[o.a], &negative);
    return with_sign(t, tape_power(t, a, (int32_t)o.b), negative && (int32_t)o.b % 2 != 0);
  case TAPE_SPREAD: /* of one family: not touched */
    return id;
  case TAPE_ABS:
  case TAPE_ZERO:
    return tape_unary(t, op, without_sign(t, of[o.a], &negative));
  default:
    if (tape_is_truth(op))
      return id;
    if (!is_odd(op))
      return tape_rebuild(t, o, of);
    a = without_sign(t, of[o.a], &negative);
    return with_sign(t, tape_unary(t, op, a), negative);
  }
}

/* Forms of the operations up to id. */
static void extend(tape *t, tape_id id)
{
  for (; t->forms <= id && !t->full; t->forms++) {
    tape_id i = (tape_id)t->forms, child[3];
    if (t->forms == t->form_capacity) {
      t->form_capacity = t->form_capacity ? 2 * t->form_capacity : 1024;
      t->form = memory_resize(t->form, t->form_capacity, sizeof *t->form);
      t->cancels = memory_resize(t->cancels, t->form_capacity, sizeof *t->cancels);
    }
    tape_op o = t->op[i];
    unsigned n = tape_children(child, &o);
    bool same = o.op != TAPE_NEGATE, cancels = false;
    for (unsigned k = 0; k < n; k++) {
      same = same && t->form[child[k]] == child[k] && !is_signed(t, child[k]);
      cancels = cancels || t->cancels[child[k]];
    }
    tape_id f = same ? i : form(t, o, i, t->form);
    t->form[i] = f;
    t->cancels[i] = cancels || (t->op[f].op == TAPE_ZERO && o.op != TAPE_ZERO) ||
                    (t->op[f].op == TAPE_CONSTANT && o.op != TAPE_CONSTANT);
  }
}

void tape_cancel_signs(tape *t, tape_id *a, tape_id *b)
{
  extend(t, *a > *b ? *a : *b);
  if (t->full)
    return;
  bool cancels = t->form[*a] == t->form[*b] || t->cancels[*a] || t->cancels[*b];
  if (cancels) {
    *a = t->form[*a];
    *b = t->form[*b];
  }
}
