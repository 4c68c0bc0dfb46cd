/* Exact evaluation over the rationals; the contract is in arith.h. The numbers are arf where all of them
 * are dyadic (exact_dyadic.c), fmpq otherwise (exact_rational.c). */
#include "arith/exact_internal.h"

#include <stdlib.h>

#include "arith/special.h"
#include "arith/truths.h"
#include "core/memory.h"
#include "core/rational.h"

static void find_makers(exact_state *s)
{
  const tape_program *p = s->program;
  uint32_t *maker[2];
  maker[0] = memory_new(p->value_slots, sizeof *maker[0]);
  maker[1] = memory_new(p->truth_slots, sizeof *maker[1]);
  /* The slot of an output is never used again: the last writer is its maker. */
  for (size_t k = 0; k < p->steps; k++)
    maker[tape_is_truth((tape_opcode)p->step[k].op)][p->step[k].target] = (uint32_t)k;
  s->maker = memory_new(p->outputs, sizeof *s->maker);
  for (size_t i = 0; i < p->outputs; i++)
    s->maker[i] = maker[p->output[i].truth][p->output[i].slot];
  free(maker[0]);
  free(maker[1]);
}

exact_state *exact_create(const tape_program *p, size_t bits)
{
  exact_state *s = memory_new(1, sizeof *s);
  s->program = p;
  s->bits = bits < (size_t)1 << 40 ? bits : (size_t)1 << 40; /* sums of sizes must not overflow */
  s->kind = memory_new(p->value_slots, sizeof *s->kind);
  s->truth = memory_new(p->truth_slots, sizeof *s->truth);
  for (size_t i = 0; i < p->truth_slots; i++)
    s->truth[i] = TRUTH_UNKNOWN;
  s->dyadic_program = exact_dyadic_program(p);
  if (s->dyadic_program) {
    s->dyadic = memory_new(p->value_slots, sizeof *s->dyadic);
    for (size_t i = 0; i < p->value_slots; i++)
      arf_init(s->dyadic + i);
    s->filter = exact_filter_create(p);
    find_makers(s);
  }
  return s;
}

void exact_destroy(exact_state *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->program->value_slots; i++) {
    if (s->rational)
      fmpq_clear(&s->rational[i]);
    if (s->dyadic)
      arf_clear(s->dyadic + i);
  }
  for (size_t e = 0; s->lane && e < s->program->inputs; e++)
    fmpq_clear(&s->lane[e]);
  free(s->lane);
  free(s->rational);
  free(s->dyadic);
  exact_filter_destroy(s->filter);
  free(s->maker);
  free(s->kind);
  free(s->truth);
  free(s);
}

/* ---- what is known without a number ---- */

static exact_kind weaker(exact_kind a, exact_kind b)
{
  if (a == EXACT_UNDEFINED || b == EXACT_UNDEFINED)
    return EXACT_UNDEFINED;
  return a == EXACT_UNKNOWN || b == EXACT_UNKNOWN ? EXACT_UNKNOWN : EXACT_DEFINED;
}

exact_kind exact_kind_of(tape_opcode op, exact_kind a, exact_kind b)
{
  exact_kind kind = weaker(a, b);
  if (kind != EXACT_DEFINED)
    return kind;
  switch (op) {
  case TAPE_DIVIDE:
  case TAPE_SQRT:
  case TAPE_LOG:
  case TAPE_LOG1P:
  case TAPE_TAN:
  case TAPE_LAMBERTW0:
    return EXACT_UNKNOWN;
  default:
    return EXACT_DEFINED;
  }
}

/* ---- numbers, of either representation ---- */

static int compare(const exact_state *s, uint32_t a, uint32_t b)
{
  return s->by_dyadic ? arf_cmp(s->dyadic + a, s->dyadic + b) : fmpq_cmp(&s->rational[a], &s->rational[b]);
}

static bool is_zero(const exact_state *s, uint32_t a)
{
  return s->by_dyadic ? arf_is_zero(s->dyadic + a) : fmpq_is_zero(&s->rational[a]);
}

static void set_zero(exact_state *s, uint32_t target)
{
  if (s->by_dyadic)
    arf_zero(s->dyadic + target);
  else
    fmpq_zero(&s->rational[target]);
}

static exact_kind set_leaf(exact_state *s, uint32_t target, const fmpq *x)
{
  if (s->by_dyadic)
    return exact_dyadic_set(s, target, x) ? EXACT_RATIONAL : EXACT_DEFINED;
  fmpq_set(&s->rational[target], x);
  return exact_rational_fits(s, x) ? EXACT_RATIONAL : EXACT_DEFINED;
}

static void copy(exact_state *s, uint32_t target, uint32_t a)
{
  if (s->by_dyadic)
    arf_set(s->dyadic + target, s->dyadic + a);
  else
    fmpq_set(&s->rational[target], &s->rational[a]);
}

/* ---- steps ---- */

static exact_kind unary(exact_state *s, const tape_step *t)
{
  tape_opcode op = (tape_opcode)t->op;
  exact_kind kind = s->kind[t->a];
  if (op == TAPE_ZERO && kind == EXACT_DEFINED) {
    set_zero(s, t->target);
    return EXACT_RATIONAL;
  }
  if (kind != EXACT_RATIONAL)
    return exact_kind_of(op, kind, EXACT_RATIONAL);
  if (s->by_dyadic)
    return exact_dyadic_unary(s, op, t->target, t->a) ? EXACT_RATIONAL : EXACT_DEFINED;
  switch (special_value(&s->rational[t->target], op, &s->rational[t->a])) {
  case STATUS_OK:
    return EXACT_RATIONAL;
  case STATUS_UNDEFINED:
    return EXACT_UNDEFINED;
  default:
    return EXACT_DEFINED;
  }
}

static exact_kind power(exact_state *s, const tape_step *t)
{
  exact_kind kind = s->kind[t->a];
  int32_t exponent = (int32_t)t->b;
  if (kind != EXACT_RATIONAL)
    return kind == EXACT_DEFINED && exponent < 0 ? EXACT_UNKNOWN : kind;
  if (exponent < 0 && is_zero(s, t->a))
    return EXACT_UNDEFINED;
  bool fits = s->by_dyadic ? exact_dyadic_power(s, t->target, t->a, exponent)
                           : exact_rational_power(s, t->target, t->a, exponent);
  return fits ? EXACT_RATIONAL : EXACT_DEFINED;
}

static exact_kind binary(exact_state *s, const tape_step *t)
{
  tape_opcode op = (tape_opcode)t->op;
  exact_kind a = s->kind[t->a], b = s->kind[t->b];
  if (op == TAPE_DIVIDE && b == EXACT_RATIONAL) {
    if (is_zero(s, t->b))
      return EXACT_UNDEFINED;
    if (a != EXACT_RATIONAL)
      return a;
  }
  if (a == EXACT_RATIONAL && b == EXACT_RATIONAL) {
    bool fits = s->by_dyadic ? exact_dyadic_binary(s, op, t->target, t->a, t->b)
                             : exact_rational_binary(s, op, t->target, t->a, t->b);
    return fits ? EXACT_RATIONAL : EXACT_DEFINED;
  }
  bool zero = (a == EXACT_RATIONAL && b == EXACT_DEFINED && is_zero(s, t->a)) ||
              (b == EXACT_RATIONAL && a == EXACT_DEFINED && is_zero(s, t->b));
  if (op == TAPE_MULTIPLY && zero) { /* whatever the other factor is */
    set_zero(s, t->target);
    return EXACT_RATIONAL;
  }
  return exact_kind_of(op, a, b);
}

static exact_kind select_value(exact_state *s, const tape_step *t)
{
  exact_kind a = s->kind[t->a], b = s->kind[t->b];
  switch (s->truth[t->c]) {
  case TRUTH_TRUE:
    if (a == EXACT_RATIONAL)
      copy(s, t->target, t->a);
    return a;
  case TRUTH_FALSE:
    if (b == EXACT_RATIONAL)
      copy(s, t->target, t->b);
    return b;
  case TRUTH_UNDEFINED:
    return EXACT_UNDEFINED;
  case TRUTH_OPEN:
    if (a == EXACT_RATIONAL && b == EXACT_RATIONAL && compare(s, t->a, t->b) == 0) {
      copy(s, t->target, t->a);
      return EXACT_RATIONAL;
    }
    if (a == EXACT_UNDEFINED && b == EXACT_UNDEFINED)
      return EXACT_UNDEFINED;
    return a == EXACT_UNDEFINED || b == EXACT_UNDEFINED ? EXACT_UNKNOWN : weaker(a, b);
  default:
    return EXACT_UNKNOWN;
  }
}

/* Only what makes it undefined is known here, and 0 where the ends are equal and the body is defined everywhere. */
static exact_kind integral(exact_state *s, const tape_step *t)
{
  exact_kind a = s->kind[t->a], b = s->kind[t->b];
  const tape_program *body = s->program->integral[t->c].body;
  if (weaker(a, b) == EXACT_UNDEFINED)
    return EXACT_UNDEFINED;
  if (weaker(a, b) == EXACT_UNKNOWN || !body->source->op[body->output[0].id].total)
    return EXACT_UNKNOWN;
  if (a != EXACT_RATIONAL || b != EXACT_RATIONAL || compare(s, t->a, t->b) != 0)
    return EXACT_DEFINED;
  set_zero(s, t->target);
  return EXACT_RATIONAL;
}

static exact_kind value_step(exact_state *s, const fmpq *input, const tape_step *t)
{
  switch ((tape_opcode)t->op) {
  case TAPE_CONSTANT:
    return set_leaf(s, t->target, &s->program->source->constant[t->a]);
  case TAPE_INPUT:
    return set_leaf(s, t->target, &input[t->a]);
  case TAPE_PI:
    return EXACT_DEFINED;
  case TAPE_UNDEFINED:
    return EXACT_UNDEFINED;
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
  case TAPE_SPREAD:
  case TAPE_MIN:
  case TAPE_MAX:
    return binary(s, t);
  case TAPE_POWER:
    return power(s, t);
  case TAPE_SELECT:
    return select_value(s, t);
  case TAPE_INTEGRAL:
    return integral(s, t);
  default:
    return unary(s, t);
  }
}

static truth comparison(const exact_state *s, const tape_step *t)
{
  exact_kind a = s->kind[t->a], b = s->kind[t->b];
  if (a != EXACT_RATIONAL || b != EXACT_RATIONAL)
    switch (weaker(a, b)) {
    case EXACT_UNDEFINED:
      return TRUTH_UNDEFINED;
    case EXACT_DEFINED:
      return TRUTH_OPEN;
    default:
      return TRUTH_UNKNOWN;
    }
  int order = compare(s, t->a, t->b);
  bool holds = t->op == TAPE_LESS ? order < 0 : t->op == TAPE_LESS_EQUAL ? order <= 0 : order == 0;
  return holds ? TRUTH_TRUE : TRUTH_FALSE;
}

static truth truth_step(const exact_state *s, const tape_step *t)
{
  truth result;
  if (truth_of_truths(&result, t, s->truth))
    return result;
  if (t->op != TAPE_DEFINED)
    return comparison(s, t);
  return s->kind[t->a] == EXACT_UNDEFINED ? TRUTH_UNDEFINED
         : s->kind[t->a] == EXACT_UNKNOWN ? TRUTH_UNKNOWN
                                          : TRUTH_TRUE;
}

void exact_step(exact_state *s, const fmpq *input, const tape_step *t)
{
  if (tape_is_truth((tape_opcode)t->op))
    s->truth[t->target] = truth_step(s, t);
  else
    s->kind[t->target] = (uint8_t)value_step(s, input, t);
}

void exact_begin_rational(exact_state *s)
{
  s->by_dyadic = false;
  if (!s->rational) {
    s->rational = memory_new(s->program->value_slots, sizeof *s->rational);
    for (size_t i = 0; i < s->program->value_slots; i++)
      fmpq_init(&s->rational[i]);
  }
}

void exact_run(exact_state *s, const fmpq *input)
{
  if (s->dyadic_program && exact_dyadic_input(s, input)) {
    s->by_dyadic = true;
    if (s->filter) {
      exact_filter_run(s, input);
      return;
    }
  } else {
    exact_begin_rational(s);
  }
  for (size_t k = 0; k < s->program->steps; k++)
    exact_step(s, input, &s->program->step[k]);
}

bool exact_run_lane(exact_state *s, const double *input, unsigned lane, uint64_t wanted)
{
  if (s->filter) {
    s->by_dyadic = true;
    exact_filter_run_doubles(s, input + lane, wanted);
    return s->program->outputs > 64;
  }
  const tape_program *p = s->program;
  if (!s->lane) {
    s->lane = memory_new(p->inputs, sizeof *s->lane);
    for (size_t e = 0; e < p->inputs; e++)
      fmpq_init(&s->lane[e]);
  }
  for (size_t e = 0; e < p->inputs; e++)
    rational_set_double(&s->lane[e], input[e * LANES + lane]);
  exact_run(s, s->lane);
  return true;
}

truth exact_truth(const exact_state *s, size_t k)
{
  return s->truth[s->program->output[k].slot];
}

assay_status exact_value(fmpq_t value, const exact_state *s, size_t k)
{
  uint32_t slot = s->program->output[k].slot;
  switch ((exact_kind)s->kind[slot]) {
  case EXACT_RATIONAL:
    if (s->by_dyadic)
      arf_get_fmpq(value, s->dyadic + slot);
    else
      fmpq_set(value, &s->rational[slot]);
    return STATUS_OK;
  case EXACT_UNDEFINED:
    return STATUS_UNDEFINED;
  default:
    return STATUS_UNABLE;
  }
}
