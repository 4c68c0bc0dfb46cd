/* Evaluation by Arb balls at one precision, over the exact values of what is rational; the contract is in
 * arith.h. */
#include <stdlib.h>

#include "arith/ball_functions.h"
#include "arith/ball_integral.h"
#include "arith/exact_internal.h"
#include "arith/truths.h"
#include "core/memory.h"

struct ball_state {
  const tape_program *program;
  exact_state *exact;
  ball_integral **integral; /* those of the program */
  arb_ptr value;
  uint8_t *defined;  /* definedness, by value slot */
  uint8_t *rational; /* the exact value of this slot is known; `value` may be stale until `fresh` */
  uint8_t *fresh;
  truth *truth;
  /* of the run in progress */
  const fmpq *input;
  arb_srcptr box;
  slong precision;
  bool use_exact;
};

ball_state *ball_create(const tape_program *p, size_t exact_bits)
{
  ball_state *s = memory_new(1, sizeof *s);
  s->program = p;
  s->exact = exact_create(p, exact_bits);
  s->integral = memory_new(p->integrals, sizeof(ball_integral *));
  for (size_t i = 0; i < p->integrals; i++)
    s->integral[i] = ball_integral_create(p, i);
  s->value = memory_new(p->value_slots, sizeof *s->value);
  for (size_t i = 0; i < p->value_slots; i++)
    arb_init(s->value + i);
  s->defined = memory_new(p->value_slots, 1);
  s->rational = memory_new(p->value_slots, 1);
  s->fresh = memory_new(p->value_slots, 1);
  s->truth = memory_new(p->truth_slots, sizeof *s->truth);
  for (size_t i = 0; i < p->truth_slots; i++)
    s->truth[i] = TRUTH_UNKNOWN;
  s->precision = 64;
  return s;
}

void ball_destroy(ball_state *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->program->value_slots; i++)
    arb_clear(s->value + i);
  for (size_t i = 0; i < s->program->integrals; i++)
    ball_integral_destroy(s->integral[i]);
  free(s->integral);
  exact_destroy(s->exact);
  free(s->value);
  free(s->defined);
  free(s->rational);
  free(s->fresh);
  free(s->truth);
  free(s);
}

/* The ball of a slot, made from its exact value when it is first asked for. */
static arb_ptr ball_of(const ball_state *s, uint32_t slot)
{
  if (s->rational[slot] && !s->fresh[slot]) {
    arb_set_fmpq(s->value + slot, &s->exact->rational[slot], s->precision);
    s->fresh[slot] = 1;
  }
  return s->value + slot;
}

static definedness weaker(definedness a, definedness b)
{
  return a > b ? a : b;
}

/* ---- values ---- */

static definedness select_value(ball_state *s, const tape_step *t, arb_t y)
{
  definedness a = (definedness)s->defined[t->a], b = (definedness)s->defined[t->b];
  switch (s->truth[t->c]) {
  case TRUTH_TRUE:
    arb_set(y, ball_of(s, t->a));
    return a;
  case TRUTH_FALSE:
    arb_set(y, ball_of(s, t->b));
    return b;
  case TRUTH_UNDEFINED:
    return BALL_UNDEFINED;
  case TRUTH_OPEN:
    arb_union(y, ball_of(s, t->a), ball_of(s, t->b), s->precision);
    return a == b ? a : BALL_PERHAPS;
  default: /* if it is defined at all, it is one of the two */
    arb_union(y, ball_of(s, t->a), ball_of(s, t->b), s->precision);
    return a == BALL_UNDEFINED && b == BALL_UNDEFINED ? BALL_UNDEFINED : BALL_PERHAPS;
  }
}

static definedness integrate(ball_state *s, const tape_step *t, arb_t y)
{
  const tape_integral_body *body = &s->program->integral[t->c];
  definedness ends = weaker((definedness)s->defined[t->a], (definedness)s->defined[t->b]);
  if (ends != BALL_DEFINED) {
    arb_indeterminate(y);
    return ends;
  }
  for (size_t i = 0; i < body->captures; i++) {
    uint32_t from = body->capture[i].from;
    if (body->capture[i].truth)
      ball_integral_set_truth(s->integral[t->c], i, s->truth[from]);
    else
      ball_integral_set_value(s->integral[t->c], i, s->defined[from] == BALL_DEFINED ? ball_of(s, from) : NULL);
  }
  return ball_integral_run(y, s->integral[t->c], ball_of(s, t->a), ball_of(s, t->b), s->precision);
}

static definedness value_step(ball_state *s, const tape_step *t, arb_t y)
{
  tape_opcode op = (tape_opcode)t->op;
  definedness before;
  switch (op) {
  case TAPE_CONSTANT:
    arb_set_fmpq(y, &s->program->source->constant[t->a], s->precision);
    return BALL_DEFINED;
  case TAPE_INPUT:
    if (s->box)
      arb_set(y, s->box + t->a);
    else
      arb_set_fmpq(y, &s->input[t->a], s->precision);
    return BALL_DEFINED;
  case TAPE_PI:
    arb_const_pi(y, s->precision);
    return BALL_DEFINED;
  case TAPE_UNDEFINED:
    return BALL_UNDEFINED;
  case TAPE_SELECT:
    return select_value(s, t, y);
  case TAPE_INTEGRAL:
    return integrate(s, t, y);
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
  case TAPE_SPREAD:
  case TAPE_MIN:
  case TAPE_MAX:
    before = weaker((definedness)s->defined[t->a], (definedness)s->defined[t->b]);
    if (before == BALL_UNDEFINED)
      return before;
    return weaker(before, ball_binary(y, op, ball_of(s, t->a), ball_of(s, t->b), s->precision));
  case TAPE_POWER:
    before = (definedness)s->defined[t->a];
    if (before == BALL_UNDEFINED)
      return before;
    return weaker(before, ball_power(y, ball_of(s, t->a), (int32_t)t->b, s->precision));
  default:
    before = (definedness)s->defined[t->a];
    if (before == BALL_UNDEFINED)
      return before;
    return weaker(before, ball_function(y, op, ball_of(s, t->a), s->precision));
  }
}

static void run_value(ball_state *s, const tape_step *t)
{
  uint32_t target = t->target;
  s->rational[target] = 0;
  s->fresh[target] = 0;
  if (s->use_exact) {
    exact_step(s->exact, s->input, t);
    exact_kind kind = (exact_kind)s->exact->kind[target];
    s->rational[target] = kind == EXACT_RATIONAL;
    if (kind == EXACT_RATIONAL || kind == EXACT_UNDEFINED) {
      s->defined[target] = kind == EXACT_RATIONAL ? BALL_DEFINED : BALL_UNDEFINED;
      return;
    }
  }
  definedness d = value_step(s, t, s->value + target);
  if (s->use_exact && s->exact->kind[target] == EXACT_DEFINED)
    d = BALL_DEFINED; /* known by exact means, whatever a wide ball says */
  s->defined[target] = (uint8_t)d;
  if (d == BALL_UNDEFINED)
    arb_indeterminate(s->value + target);
}

/* ---- truths ---- */

/* For all points of the balls. arb_lt and its relatives are false when an end is NaN. */
static truth decide(tape_opcode op, const arb_t a, const arb_t b)
{
  switch (op) {
  case TAPE_LESS:
    return arb_lt(a, b) ? TRUTH_TRUE : arb_ge(a, b) ? TRUTH_FALSE : TRUTH_OPEN;
  case TAPE_LESS_EQUAL:
    return arb_le(a, b) ? TRUTH_TRUE : arb_gt(a, b) ? TRUTH_FALSE : TRUTH_OPEN;
  default: /* TAPE_EQUAL */
    if (arb_is_exact(a) && arb_is_exact(b) && arb_is_finite(a) && arb_is_finite(b) && arb_equal(a, b))
      return TRUTH_TRUE;
    return arb_overlaps(a, b) ? TRUTH_OPEN : TRUTH_FALSE;
  }
}

static truth comparison(const ball_state *s, const tape_step *t)
{
  definedness d = weaker((definedness)s->defined[t->a], (definedness)s->defined[t->b]);
  if (d != BALL_DEFINED)
    return d == BALL_UNDEFINED ? TRUTH_UNDEFINED : TRUTH_UNKNOWN;
  if (s->rational[t->a] && s->rational[t->b]) {
    int order = fmpq_cmp(&s->exact->rational[t->a], &s->exact->rational[t->b]);
    bool holds = t->op == TAPE_LESS ? order < 0 : t->op == TAPE_LESS_EQUAL ? order <= 0 : order == 0;
    return holds ? TRUTH_TRUE : TRUTH_FALSE;
  }
  const arb_struct *a = ball_of(s, t->a), *b = ball_of(s, t->b);
  if (!arb_is_finite(a) || !arb_is_finite(b))
    return TRUTH_OPEN;
  return decide((tape_opcode)t->op, a, b);
}

static truth truth_step(const ball_state *s, const tape_step *t)
{
  truth result;
  if (truth_of_truths(&result, t, s->truth))
    return result;
  if (t->op != TAPE_DEFINED)
    return comparison(s, t);
  return s->defined[t->a] == BALL_DEFINED     ? TRUTH_TRUE
         : s->defined[t->a] == BALL_UNDEFINED ? TRUTH_UNDEFINED
                                              : TRUTH_UNKNOWN;
}

/* ---- runs ---- */

static void run(ball_state *s)
{
  const tape_program *p = s->program;
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    if (!tape_is_truth((tape_opcode)t->op)) {
      run_value(s, t);
      continue;
    }
    s->truth[t->target] = truth_step(s, t);
    if (s->use_exact) /* its connectives choose between exact values: they may use what the balls found out */
      s->exact->truth[t->target] = s->truth[t->target];
  }
}

void ball_run(ball_state *s, const fmpq *input, slong precision, bool use_exact)
{
  s->input = input;
  s->box = NULL;
  s->precision = precision;
  s->use_exact = use_exact;
  if (use_exact)
    exact_begin_rational(s->exact);
  run(s);
}

void ball_run_box(ball_state *s, arb_srcptr input, slong precision)
{
  s->input = NULL;
  s->box = input;
  s->precision = precision;
  s->use_exact = false;
  run(s);
}

truth ball_truth(const ball_state *s, size_t k)
{
  return s->truth[s->program->output[k].slot];
}

assay_status ball_value(arb_t value, const ball_state *s, size_t k)
{
  uint32_t slot = s->program->output[k].slot;
  if (s->defined[slot] != BALL_DEFINED)
    return s->defined[slot] == BALL_UNDEFINED ? STATUS_UNDEFINED : STATUS_UNABLE;
  const arb_struct *ball = ball_of(s, slot);
  if (!arb_is_finite(ball))
    return STATUS_UNABLE;
  arb_set(value, ball);
  return STATUS_OK;
}

assay_status ball_exact_value(fmpq_t value, const ball_state *s, size_t k)
{
  return s->use_exact ? exact_value(value, s->exact, k) : STATUS_UNABLE;
}
