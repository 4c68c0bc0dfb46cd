/* Plain double over LANES instances at once: values, and margins in place of truths. It guides searches
 * and never decides. The contract is in arith.h. */
#include <math.h>
#include <stdlib.h>

#include "arith/real_internal.h"
#include "arith/kernels.h"
#include "core/memory.h"
#include "core/target.h"

static double *round_constants(const tape *t)
{
  double *constant = memory_new(t->constants, sizeof *constant);
  arf_t x;
  arf_init(x);
  for (size_t i = 0; i < t->constants; i++) {
    arf_set_fmpq(x, &t->constant[i], 53, ARF_RND_NEAR);
    constant[i] = arf_get_d(x, ARF_RND_NEAR);
  }
  arf_clear(x);
  return constant;
}

/* `constant`: those of the tape, NULL: not rounded yet. */
static real_state *create(const tape_program *p, const double *constant)
{
  real_state *s = memory_new(1, sizeof *s);
  s->program = p;
  s->value = memory_new(memory_multiply(p->value_slots, LANES), sizeof *s->value);
  s->margin = memory_new(memory_multiply(p->truth_slots, LANES), sizeof *s->margin);
  s->constant = constant;
  if (!constant)
    s->constant = s->own_constant = round_constants(p->source);
  s->inner = memory_new(p->integrals, sizeof(real_state *));
  for (size_t i = 0; i < p->integrals; i++)
    s->inner[i] = create(p->integral[i].body, s->constant);
  return s;
}

real_state *real_create(const tape_program *p)
{
  return create(p, NULL);
}

void real_destroy(real_state *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->program->integrals; i++)
    real_destroy(s->inner[i]);
  free(s->inner);
  free(s->value);
  free(s->margin);
  free(s->own_constant);
  free(s);
}

const double *real_output(const real_state *s, size_t k)
{
  const tape_output *o = &s->program->output[k];
  return (o->truth ? s->margin : s->value) + (size_t)o->slot * LANES;
}

static double power(double x, int32_t exponent)
{
  uint32_t n = exponent < 0 ? -(uint32_t)exponent : (uint32_t)exponent;
  double r = 1;
  for (double b = x; n; n >>= 1, b *= b)
    if (n & 1)
      r *= b;
  return exponent >= 0 ? r : x != 0 ? 1 / r : NAN;
}

/* The connectives: false is a negative margin, undefined is NaN; a left side that decides hides the right
 * one. */
static inline double margin_and(double a, double b)
{
  return a < 0 && !(b < a) ? a : a == a ? (b < a || b != b ? b : a) : a;
}

static inline double margin_or(double a, double b)
{
  return -margin_and(-a, -b);
}

#define EACH_LANE(expression)        \
  for (int i = 0; i < LANES; i++) \
    r[i] = (expression);             \
  break

TARGET_VECTOR static void real_arithmetic(tape_opcode op, double *restrict r, const double *a,
                                          const double *b)
{
  switch (op) {
  case TAPE_NEGATE:
    EACH_LANE(-a[i]);
  case TAPE_ADD:
    EACH_LANE(a[i] + b[i]);
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    EACH_LANE(a[i] - b[i]);
  case TAPE_MULTIPLY:
    EACH_LANE(a[i] * b[i]);
  case TAPE_DIVIDE:
    EACH_LANE(b[i] != 0 ? a[i] / b[i] : NAN);
  case TAPE_MIN:
    EACH_LANE(a[i] < b[i] || a[i] != a[i] ? a[i] : b[i]);
  case TAPE_MAX:
    EACH_LANE(a[i] > b[i] || a[i] != a[i] ? a[i] : b[i]);
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
    EACH_LANE((b[i] - a[i]) / (1 + fabs(a[i]) + fabs(b[i])));
  default: /* TAPE_EQUAL */
    EACH_LANE(-fabs(a[i] - b[i]) / (1 + fabs(a[i]) + fabs(b[i])));
  }
}

/* exp and its relatives by the vector kernels; the lanes outside their domain by the system's library. */
static void by_kernel(tape_opcode op, double *restrict r, const double *restrict a)
{
  switch (op) {
  case TAPE_EXP:
    kernel_exp(r, a, LANES);
    break;
  case TAPE_EXPM1:
    kernel_expm1(r, a, LANES);
    break;
  case TAPE_LOG:
    kernel_log(r, a, LANES);
    break;
  default:
    kernel_log1p(r, a, LANES);
    break;
  }
  for (int i = 0; i < LANES; i++)
    if (r[i] != r[i])
      r[i] = real_function(op, a[i]);
}

static void run_truth(real_state *s, const tape_step *t)
{
  double *r = s->margin + (size_t)t->target * LANES;
  const double *a = s->margin + (size_t)t->a * LANES, *b = s->margin + (size_t)t->b * LANES;
  const double *c = s->margin + (size_t)t->c * LANES, *v = s->value + (size_t)t->a * LANES;
  switch ((tape_opcode)t->op) {
  case TAPE_TRUTH:
    EACH_LANE(t->a == TRUTH_TRUE ? 1 : t->a == TRUTH_FALSE ? -1 : NAN);
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL:
    real_arithmetic((tape_opcode)t->op, r, v, s->value + (size_t)t->b * LANES);
    break;
  case TAPE_DEFINED:
    EACH_LANE(v[i] == v[i] ? 1 : NAN);
  case TAPE_NOT:
    EACH_LANE(-a[i]);
  case TAPE_AND:
    EACH_LANE(margin_and(a[i], b[i]));
  case TAPE_OR:
    EACH_LANE(margin_or(a[i], b[i]));
  case TAPE_IMPLIES:
    EACH_LANE(margin_or(-a[i], b[i]));
  default: /* TAPE_CHOOSE: operands a, b under the condition c */
    EACH_LANE(c[i] >= 0 ? a[i] : c[i] < 0 ? b[i] : NAN);
  }
}

/* The margin of a conclusion, relative to its sides. Both sides 0 is the dullest way to meet a <= b, not
 * nearly a violation. */
static inline double relative_margin(tape_opcode op, double a, double b)
{
  double size = fabs(a) + fabs(b);
  if (size == 0)
    return op == TAPE_LESS_EQUAL ? 1 : 0;
  return (op == TAPE_EQUAL ? -fabs(b - a) : b - a) / size;
}

static void run_comparison_relative(real_state *s, const tape_step *t)
{
  double *r = s->margin + (size_t)t->target * LANES;
  const double *a = s->value + (size_t)t->a * LANES, *b = s->value + (size_t)t->b * LANES;
  for (unsigned i = 0; i < LANES; i++)
    r[i] = relative_margin((tape_opcode)t->op, a[i], b[i]);
}

static void run_value(real_state *s, const double *input, const tape_step *t)
{
  double *r = s->value + (size_t)t->target * LANES;
  const double *a = s->value + (size_t)t->a * LANES, *b = s->value + (size_t)t->b * LANES;
  switch ((tape_opcode)t->op) {
  case TAPE_CONSTANT:
    EACH_LANE(s->constant[t->a]);
  case TAPE_INPUT:
    EACH_LANE(input[(size_t)t->a * LANES + (size_t)i]);
  case TAPE_PI:
    EACH_LANE(3.14159265358979323846);
  case TAPE_UNDEFINED:
    EACH_LANE(NAN);
  case TAPE_VARIABLE:
    EACH_LANE(s->variable[i]);
  case TAPE_INTEGRAL:
    real_integral(r, s, t);
    break;
  case TAPE_NEGATE:
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
  case TAPE_SPREAD:
  case TAPE_MIN:
  case TAPE_MAX:
    real_arithmetic((tape_opcode)t->op, r, a, b);
    break;
  case TAPE_POWER:
    EACH_LANE(power(a[i], (int32_t)t->b));
  case TAPE_EXP:
  case TAPE_EXPM1:
  case TAPE_LOG:
  case TAPE_LOG1P:
    by_kernel((tape_opcode)t->op, r, a);
    break;
  case TAPE_SELECT: {
    const double *c = s->margin + (size_t)t->c * LANES;
    EACH_LANE(c[i] >= 0 ? a[i] : c[i] < 0 ? b[i] : NAN);
  }
  default:
    EACH_LANE(real_function((tape_opcode)t->op, a[i]));
  }
}

void real_run(real_state *s, const double *input, size_t from, size_t to)
{
  for (size_t k = from; k < to; k++) {
    const tape_step *t = &s->program->step[k];
    bool compares = t->op == TAPE_LESS || t->op == TAPE_LESS_EQUAL || t->op == TAPE_EQUAL;
    if (compares && k >= s->program->first_phase)
      run_comparison_relative(s, t);
    else if (tape_is_truth((tape_opcode)t->op))
      run_truth(s, t);
    else
      run_value(s, input, t);
  }
}
