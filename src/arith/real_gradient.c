/* The gradient of one output in one lane: reverse mode over the values that real_run kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/real_internal.h"
#include "core/memory.h"

typedef struct {
  const real_state *state;
  unsigned lane;
  double *value;  /* adjoints, by value slot */
  double *margin; /* adjoints, by truth slot */
} sweep;

static double value_of(const sweep *w, uint32_t slot)
{
  return w->state->value[(size_t)slot * LANES + w->lane];
}

static double margin_of(const sweep *w, uint32_t slot)
{
  return w->state->margin[(size_t)slot * LANES + w->lane];
}

/* An adjoint of 0 stays 0, even against an infinite slope: the other branch of a minimum must not poison
 * this one. */
static double times(double slope, double adjoint)
{
  return adjoint == 0 ? 0 : slope * adjoint;
}

static void back_comparison(const sweep *w, const tape_step *t, double adjoint)
{
  double a = value_of(w, t->a), b = value_of(w, t->b);
  const tape_program *p = w->state->program;
  bool hypothesis = (size_t)(t - p->step) < p->first_phase;
  double d = b - a, scale = (hypothesis ? 1 : 0) + fabs(a) + fabs(b);
  if (scale == 0)
    return;
  double top = t->op == TAPE_EQUAL ? -fabs(d) : d;
  double slope = t->op == TAPE_EQUAL ? (d > 0 ? -1 : d < 0 ? 1 : 0) : 1; /* of top by d */
  double shrink = top / (scale * scale);
  w->value[t->a] += times(-slope / scale - shrink * (a > 0 ? 1 : a < 0 ? -1 : 0), adjoint);
  w->value[t->b] += times(slope / scale - shrink * (b > 0 ? 1 : b < 0 ? -1 : 0), adjoint);
}

static void back_truth(const sweep *w, const tape_step *t)
{
  double adjoint = w->margin[t->target];
  if (adjoint == 0)
    return;
  double result = margin_of(w, t->target);
  switch ((tape_opcode)t->op) {
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL:
    back_comparison(w, t, adjoint);
    break;
  case TAPE_NOT:
    w->margin[t->a] -= adjoint;
    break;
  case TAPE_AND: /* the result is one of its operands */
  case TAPE_OR:
    w->margin[result == margin_of(w, t->a) ? t->a : t->b] += adjoint;
    break;
  case TAPE_IMPLIES:
    if (result == -margin_of(w, t->a))
      w->margin[t->a] -= adjoint;
    else
      w->margin[t->b] += adjoint;
    break;
  case TAPE_CHOOSE:
    w->margin[margin_of(w, t->c) >= 0 ? t->a : t->b] += adjoint;
    break;
  default: /* TAPE_TRUTH, TAPE_DEFINED */
    break;
  }
}

static double power_slope(double x, int32_t exponent)
{
  return exponent == 0 ? 0 : exponent * pow(x, exponent - 1);
}

static void back_integral(const sweep *w, const tape_step *t, double adjoint)
{
  const tape_integral_body *body = &w->state->program->integral[t->c];
  double low, high, *slope = memory_new(body->captures, sizeof *slope);
  real_integral_slopes(&low, &high, slope, w->state, t, w->lane);
  w->value[t->a] += times(low, adjoint);
  w->value[t->b] += times(high, adjoint);
  for (size_t i = 0; i < body->captures; i++)
    if (!body->capture[i].truth)
      w->value[body->capture[i].from] += times(slope[i], adjoint);
  free(slope);
}

static void back_value(const sweep *w, const tape_step *t, double *gradient)
{
  double adjoint = w->value[t->target];
  if (adjoint == 0)
    return;
  switch ((tape_opcode)t->op) {
  case TAPE_CONSTANT:
  case TAPE_PI:
  case TAPE_UNDEFINED:
    break;
  case TAPE_INPUT:
    gradient[t->a] += adjoint;
    break;
  case TAPE_ADD:
    w->value[t->a] += adjoint;
    w->value[t->b] += adjoint;
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    w->value[t->a] += adjoint;
    w->value[t->b] -= adjoint;
    break;
  case TAPE_MULTIPLY: {
    double a = value_of(w, t->a), b = value_of(w, t->b);
    w->value[t->a] += b * adjoint;
    w->value[t->b] += a * adjoint;
    break;
  }
  case TAPE_DIVIDE: {
    double b = value_of(w, t->b);
    w->value[t->a] += adjoint / b;
    w->value[t->b] -= value_of(w, t->target) / b * adjoint;
    break;
  }
  case TAPE_POWER:
    w->value[t->a] += power_slope(value_of(w, t->a), (int32_t)t->b) * adjoint;
    break;
  case TAPE_MIN:
  case TAPE_MAX:
    w->value[value_of(w, t->target) == value_of(w, t->a) ? t->a : t->b] += adjoint;
    break;
  case TAPE_INTEGRAL:
    back_integral(w, t, adjoint);
    break;
  case TAPE_SELECT:
    w->value[margin_of(w, t->c) >= 0 ? t->a : t->b] += adjoint;
    break;
  default:
    w->value[t->a] += real_function_slope((tape_opcode)t->op, value_of(w, t->a)) * adjoint;
    break;
  }
}

void real_gradient(real_state *s, size_t k, unsigned lane, double *gradient)
{
  const tape_program *p = s->program;
  sweep w = {s, lane, memory_new(p->value_slots, sizeof(double)), memory_new(p->truth_slots, sizeof(double))};
  memset(gradient, 0, p->inputs * sizeof *gradient);
  (p->output[k].truth ? w.margin : w.value)[p->output[k].slot] = 1;
  for (size_t i = p->steps; i-- > 0;) {
    const tape_step *t = &p->step[i];
    if (tape_is_truth((tape_opcode)t->op))
      back_truth(&w, t);
    else
      back_value(&w, t, gradient);
  }
  free(w.value);
  free(w.margin);
}
