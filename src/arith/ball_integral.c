/* Rigorous integrals; the contract is in ball_integral.h.
 *
 * The body is evaluated at complex balls of its variable. Where the quadrature asks for an analytic integrand, every operation
 * that depends on the variable must be analytic there; in an integral within another one those depending on either variable,
 * as asked of each: then the inner integral is analytic in the outer variable. */
#include "arith/ball_integral.h"

#include <stdlib.h>

#include "arith/ball_complex.h"
#include "arith/truths.h"
#include "core/memory.h"
#include "core/patience.h"

struct ball_integral {
  const tape_integral_body *what;
  const tape_program *program; /* the body */
  unsigned outer;              /* how many integrals are around this one */
  uint8_t bit;                 /* of its own variable */
  uint8_t *variables;          /* by step: which variables the step depends on */
  acb_ptr value;               /* by slot; indeterminate where it is not certainly defined */
  truth *truth;
  ball_integral **inner;
  /* of the run in progress */
  acb_srcptr at;     /* the variable */
  uint8_t analytic;  /* the variables in which the body must be analytic */
  uint8_t outside;   /* those of the integrals around */
};

static ball_integral *create(const tape_integral_body *what, unsigned outer)
{
  ball_integral *s = memory_new(1, sizeof *s);
  const tape_program *p = what->body;
  s->what = what;
  s->program = p;
  s->outer = outer;
  s->value = memory_new(p->value_slots, sizeof *s->value);
  for (size_t i = 0; i < p->value_slots; i++)
    acb_init(s->value + i);
  s->truth = memory_new(p->truth_slots, sizeof *s->truth);
  s->inner = memory_new(p->integrals, sizeof(ball_integral *));
  for (size_t i = 0; i < p->integrals; i++)
    s->inner[i] = create(&p->integral[i], outer + 1);

  s->variables = memory_new(p->steps, 1);
  uint8_t *of[2] = {memory_new(p->value_slots, 1), memory_new(p->truth_slots, 1)};
  for (size_t i = 0; i < what->captures; i++)
    of[what->capture[i].truth][what->capture[i].to] = what->capture[i].variables;
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    tape_opcode op = (tape_opcode)t->op;
    const uint32_t operand[] = {t->a, t->b, t->c};
    uint8_t bits = 0;
    if (op == TAPE_VARIABLE)
      s->bit = bits = (uint8_t)(1u << t->a);
    for (unsigned j = 0; j < tape_operands(op); j++) {
      bool is_truth = (op >= TAPE_NOT && op <= TAPE_CHOOSE) || (op == TAPE_SELECT && j == 2);
      bits |= of[is_truth][operand[j]];
    }
    for (size_t j = 0; op == TAPE_INTEGRAL && j < p->integral[t->c].captures; j++)
      bits |= of[p->integral[t->c].capture[j].truth][p->integral[t->c].capture[j].from];
    s->variables[k] = of[tape_is_truth(op)][t->target] = bits;
  }
  free(of[0]);
  free(of[1]);
  return s;
}

ball_integral *ball_integral_create(const tape_program *p, size_t k)
{
  return create(&p->integral[k], 0);
}

void ball_integral_destroy(ball_integral *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->program->integrals; i++)
    ball_integral_destroy(s->inner[i]);
  for (size_t i = 0; i < s->program->value_slots; i++)
    acb_clear(s->value + i);
  free(s->inner);
  free(s->value);
  free(s->truth);
  free(s->variables);
  free(s);
}

void ball_integral_set_value(ball_integral *s, size_t i, const arb_t value)
{
  acb_ptr slot = s->value + s->what->capture[i].to;
  if (value)
    acb_set_arb(slot, value);
  else
    acb_indeterminate(slot);
}

void ball_integral_set_truth(ball_integral *s, size_t i, truth value)
{
  s->truth[s->what->capture[i].to] = value;
}

/* ---- the body ---- */

/* By the real parts: real points of the balls are all that is asked about. */
static truth compare(const ball_integral *s, const tape_step *t)
{
  acb_srcptr a = s->value + t->a, b = s->value + t->b;
  if (!acb_is_finite(a) || !acb_is_finite(b))
    return TRUTH_UNKNOWN;
  const arb_struct *x = acb_realref(a), *y = acb_realref(b);
  switch ((tape_opcode)t->op) {
  case TAPE_LESS:
    return arb_lt(x, y) ? TRUTH_TRUE : arb_ge(x, y) ? TRUTH_FALSE : TRUTH_OPEN;
  case TAPE_LESS_EQUAL:
    return arb_le(x, y) ? TRUTH_TRUE : arb_gt(x, y) ? TRUTH_FALSE : TRUTH_OPEN;
  default: /* TAPE_EQUAL */
    return arb_overlaps(x, y) ? TRUTH_OPEN : TRUTH_FALSE;
  }
}

static truth truth_step(const ball_integral *s, const tape_step *t)
{
  truth result;
  if (truth_of_truths(&result, t, s->truth))
    return result;
  if (t->op != TAPE_DEFINED)
    return compare(s, t);
  return acb_is_finite(s->value + t->a) ? TRUTH_TRUE : TRUTH_UNKNOWN;
}

/* Where the condition is open the ball may meet a seam. */
static void select_value(acb_t y, const ball_integral *s, const tape_step *t, bool analytic)
{
  truth condition = s->truth[t->c];
  if (condition == TRUTH_TRUE)
    acb_set(y, s->value + t->a);
  else if (condition == TRUTH_FALSE)
    acb_set(y, s->value + t->b);
  else if (condition == TRUTH_OPEN && !analytic)
    acb_union(y, s->value + t->a, s->value + t->b, ARF_PREC_EXACT);
  else
    acb_indeterminate(y);
}

static void integrate(acb_t y, ball_integral *s, const acb_t low, const acb_t high, uint8_t outside, uint8_t variables,
                      slong precision);

static void integral_step(acb_t y, const ball_integral *s, const tape_step *t, uint8_t variables, slong precision)
{
  ball_integral *inner = s->inner[t->c];
  for (size_t i = 0; i < inner->what->captures; i++) {
    const struct tape_capture *c = &inner->what->capture[i];
    if (c->truth)
      inner->truth[c->to] = s->truth[c->from];
    else
      acb_set(inner->value + c->to, s->value + c->from);
  }
  integrate(y, inner, s->value + t->a, s->value + t->b, s->analytic, variables, precision);
}

static void value_step(acb_t y, const ball_integral *s, const tape_step *t, uint8_t variables, slong precision)
{
  tape_opcode op = (tape_opcode)t->op;
  bool analytic = (variables & s->analytic) != 0;
  switch (op) {
  case TAPE_VARIABLE:
    acb_set(y, s->at);
    break;
  case TAPE_SELECT:
    select_value(y, s, t, analytic);
    break;
  case TAPE_INTEGRAL:
    integral_step(y, s, t, variables, precision);
    break;
  case TAPE_POWER:
    ball_complex_power(y, s->value + t->a, (int32_t)t->b, precision);
    break;
  default:
    if (tape_operands(op) == 2)
      ball_complex_binary(y, op, s->value + t->a, s->value + t->b, analytic, precision);
    else
      ball_complex_function(y, op, s->value + t->a, analytic, precision);
    break;
  }
}

/* The body at x, where it must be analytic in the variables `analytic`; indeterminate where it is not certainly defined. */
static void evaluate(acb_t y, ball_integral *s, const acb_t x, uint8_t analytic, slong precision)
{
  const tape_program *p = s->program;
  if (patience_is_over()) {
    acb_indeterminate(y);
    return;
  }
  s->at = x;
  s->analytic = analytic;
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    if (tape_is_truth((tape_opcode)t->op))
      s->truth[t->target] = truth_step(s, t);
    else
      value_step(s->value + t->target, s, t, s->variables[k], precision);
  }
  acb_set(y, s->value + p->output[0].slot);
}

/* order 1 asks for an analytic integrand. */
static int integrand(acb_ptr y, const acb_t x, void *context, slong order, slong precision)
{
  ball_integral *s = context;
  evaluate(y, s, x, (uint8_t)(s->outside | (order > 0 ? s->bit : 0)), precision);
  return 0;
}

/* ---- from end to end ---- */

/* Adds the integral from `from` to `end`, of which the former is a real point of the ball `end`. */
static void add_rest(acb_t y, ball_integral *s, const acb_t end, const acb_t from, bool minus, uint8_t analytic,
                     slong precision)
{
  acb_t path, value;
  acb_init(path);
  acb_init(value);
  acb_union(path, end, from, ARF_PREC_EXACT);
  evaluate(value, s, path, analytic, precision);
  acb_sub(path, end, from, precision);
  acb_mul(value, value, path, precision);
  if (minus)
    acb_sub(y, y, value, precision);
  else
    acb_add(y, y, value, precision);
  acb_clear(value);
  acb_clear(path);
}

/* To how many bits it is worth integrating: not much closer than what the body takes from around it is known, which over a box of
 * inputs, or beside the points of an integral around, is not close. */
static slong find_goal(const ball_integral *s, slong precision)
{
  enum { SPARE_BITS = 10 };
  slong goal = precision;
  mag_t radius, size;
  mag_init(radius);
  mag_init(size);
  for (size_t i = 0; i < s->what->captures; i++) {
    const struct tape_capture *c = &s->what->capture[i];
    if (c->truth || !acb_is_finite(s->value + c->to))
      continue;
    acb_srcptr v = s->value + c->to;
    mag_max(radius, arb_radref(acb_realref(v)), arb_radref(acb_imagref(v)));
    acb_get_mag(size, v);
    mag_add_ui(size, size, 1);
    mag_div(radius, radius, size);
    if (mag_is_zero(radius))
      continue;
    slong bits = SPARE_BITS - (slong)mag_get_d_log2_approx(radius);
    goal = bits < goal ? bits : goal;
  }
  mag_clear(size);
  mag_clear(radius);
  return goal > SPARE_BITS ? goal : SPARE_BITS;
}

/* Work grows with the square of the precision, and in an integral of integrals with its fourth power: past this many bits the
 * integral is no closer, while everything else is. */
static slong most_bits(const ball_integral *s)
{
  enum { MOST_BITS = 512, MOST_NESTED_BITS = 160 };
  return s->outer || s->program->integrals ? MOST_NESTED_BITS : MOST_BITS;
}

/* The work that one integral may take. Within another one it is done for each of its points. */
static void set_limits(acb_calc_integrate_opt_t options, const ball_integral *s, slong precision)
{
  enum { EVALUATIONS_PER_BIT = 60, NESTED_EVALUATIONS_PER_BIT = 16 };
  bool nested = s->outer || s->program->integrals;
  acb_calc_integrate_opt_init(options);
  /* At a kink the intervals are halved once for each bit, and each takes a rule of as many points as there are bits. */
  options->eval_limit = nested ? NESTED_EVALUATIONS_PER_BIT * precision : (EVALUATIONS_PER_BIT + precision) * precision;
  options->use_heap = 1; /* where halving does not end the work goes where it helps most */
  options->depth_limit = precision + 20;
}

/* From a real point of `low` to one of `high`, and the rests by the mean of the body over them. `outside`: the variables of
 * integrals around in which the result must be analytic; `variables`: all that it depends on. Precision: at most most_bits. */
static void integrate(acb_t y, ball_integral *s, const acb_t low, const acb_t high, uint8_t outside, uint8_t variables,
                      slong precision)
{
  if (!acb_is_finite(low) || !acb_is_finite(high)) {
    acb_indeterminate(y);
    return;
  }
  acb_t a, b, sum;
  acb_init(a);
  acb_init(b);
  acb_init(sum);
  arb_get_mid_arb(acb_realref(a), acb_realref(low));
  arb_get_mid_arb(acb_realref(b), acb_realref(high));
  s->outside = outside;
  if (acb_equal(a, b)) {
    evaluate(sum, s, a, outside, precision);
    if (acb_is_finite(sum))
      acb_zero(sum);
  } else {
    acb_calc_integrate_opt_t options;
    mag_t tolerance;
    mag_init(tolerance);
    slong goal = find_goal(s, precision);
    mag_set_ui_2exp_si(tolerance, 1, -goal);
    set_limits(options, s, goal);
    acb_calc_integrate(sum, integrand, s, a, b, goal, tolerance, options, precision);
    mag_clear(tolerance);
  }
  uint8_t analytic = (uint8_t)(outside | ((outside & variables) ? s->bit : 0));
  if (!acb_equal(low, a) && acb_is_finite(sum))
    add_rest(sum, s, low, a, true, analytic, precision);
  if (!acb_equal(high, b) && acb_is_finite(sum))
    add_rest(sum, s, high, b, false, analytic, precision);
  acb_set(y, sum);
  acb_clear(sum);
  acb_clear(b);
  acb_clear(a);
}

/* Whether the body has a value at some points from one end to the other. Where it has none at one of them, which takes no time to
 * see, all work would be for nothing. */
static bool has_values(ball_integral *s, const acb_t low, const acb_t high, slong precision)
{
  enum { POINTS = 8 };
  bool fine = true;
  acb_t x, y;
  acb_init(x);
  acb_init(y);
  for (int i = 0; i <= POINTS && fine; i++) {
    acb_sub(x, high, low, precision);
    acb_mul_ui(x, x, (ulong)i, precision);
    acb_div_ui(x, x, POINTS, precision);
    acb_add(x, x, low, precision);
    acb_get_mid(x, x);
    evaluate(y, s, x, 0, precision);
    fine = acb_is_finite(y);
  }
  acb_clear(x);
  acb_clear(y);
  return fine;
}

definedness ball_integral_run(arb_t y, ball_integral *s, const arb_t low, const arb_t high, slong precision)
{
  acb_t a, b, sum;
  acb_init(a);
  acb_init(b);
  acb_init(sum);
  acb_set_arb(a, low);
  acb_set_arb(b, high);
  slong enough = precision < most_bits(s) ? precision : most_bits(s);
  bool known = has_values(s, a, b, enough);
  if (known) {
    integrate(sum, s, a, b, 0, 0, enough);
    known = acb_is_finite(sum);
  }
  arb_set(y, acb_realref(sum));
  if (!known)
    arb_indeterminate(y);
  acb_clear(sum);
  acb_clear(b);
  acb_clear(a);
  return known ? BALL_DEFINED : BALL_PERHAPS;
}
