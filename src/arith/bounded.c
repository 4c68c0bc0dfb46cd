/* Double with a proved error bound on every result, LANES instances at once; the contract is in arith.h.
 *
 * The total. With u = 2^-53, a result of + - * over the inputs that took k roundings is within k u m of
 * the real value (k a static count: max of the operands' plus 1 for a sum, their sum plus 1 for a product;
 * m the same expression with every term taken positive), everything else within a running bound that each
 * operation adds to; both bounds are sums of positive terms rounded outward, and both carry what underflow
 * may take. bounded_internal.h states the invariants; the count of each operation stands beside it in
 * bounded_nodes.c, the proof of comparisons in bounded_truths.h, the running bounds in bounded_general.c
 * and bounded_functions.c.
 *
 * bounded_nodes.c reads the program, bounded_draft.c fuses steps, bounded_plan.c gives them places, once
 * for a program; bounded_execute.c runs the plan. */
#include <math.h>
#include <stdlib.h>

#include "arith/bounded_internal.h"
#include "arith/kernel_loop.h"
#include "core/memory.h"

bounded_state *bounded_create(const tape_program *p)
{
  bounded_state *s = memory_new(1, sizeof *s);
  s->program = p;
  s->plan = bounded_plan_create(p);
  s->floor = memory_new(LANES, sizeof *s->floor);
  s->finite = memory_new(LANES, sizeof *s->finite);
  return s;
}

void bounded_destroy(bounded_state *s)
{
  if (!s)
    return;
  bounded_plan_destroy(s->plan);
  free(s->floor);
  free(s->finite);
  free(s);
}

static const double *resolve(const bounded_plan *plan, const double *input, bounded_reference r)
{
  const double *base = r & BOUNDED_INPUT_BIT ? input : plan->arena;
  return base + (size_t)(r & ~BOUNDED_INPUT_BIT) * LANES;
}

/* Steps hold pointers: made anew only when the inputs have moved. */
static void bind(bounded_state *s, const double *input)
{
  if (s->input == input)
    return;
  bounded_plan *plan = s->plan;
  for (size_t k = 0; k < plan->steps; k++)
    for (unsigned j = 0; j < plan->binding[k].operands; j++) {
      plan->step[k].operand[j].v = resolve(plan, input, plan->binding[k].v[j]);
      plan->step[k].operand[j].m = resolve(plan, input, plan->binding[k].m[j]);
    }
  for (size_t k = 0; k < plan->entries; k++) {
    plan->list[k].a = resolve(plan, input, plan->list[k].a_place);
    plan->list[k].b = resolve(plan, input, plan->list[k].b_place);
  }
  s->input = input;
}

void bounded_run_first(bounded_state *s, const double *input)
{
  bind(s, input);
  for (int i = 0; i < LANES; i++) {
    s->floor[i] = isinf(s->plan->regular) ? BOUNDED_FLOOR : 0;
    s->finite[i] = -1;
  }
  bounded_execute(s, 0, s->plan->first_phase);
}

void bounded_run_second(bounded_state *s, const double *input)
{
  bind(s, input);
  bounded_execute(s, s->plan->first_phase, s->plan->steps);
}

static uint32_t lanes_of(const bounded_state *s, const double *at)
{
  const int64_t *mask = (const int64_t *)(const void *)at;
  uint32_t bits = 0;
  for (int i = 0; i < LANES; i++)
    bits |= (uint32_t)(mask[i] & s->finite[i] & 1) << i;
  return bits;
}

uint32_t bounded_true(const bounded_state *s, size_t k)
{
  return lanes_of(s, resolve(s->plan, s->input, s->plan->output[k].place));
}

uint32_t bounded_false(const bounded_state *s, size_t k)
{
  return lanes_of(s, resolve(s->plan, s->input, s->plan->output[k].place) + BOUNDED_HALF);
}

void bounded_value(const bounded_state *s, size_t k, unsigned lane, double *value, double *error)
{
  const bounded_result *r = &s->plan->output[k];
  const double *at = resolve(s->plan, s->input, r->place) + lane;
  double e = 0;
  if (r->kind != BOUNDED_EXACT) {
    /* k u m, rounded up; 2^-1060 makes up for its underflow */
    double m = at[BOUNDED_HALF];
    e = m == 0 ? 0 : r->k * BOUNDED_U * m * BOUNDED_UP + 0x1p-1060;
  }
  bool known = s->finite[lane] && e < HUGE_VAL; /* false for NaN */
  *value = known ? *at : 0;
  *error = known ? e : HUGE_VAL;
}

/* As above; value -+ e is rounded once more, by at most 2^-53 (|value| + e), which 2^-52 |value| and a factor cover. The last
 * term is a normal number, for the sake of speed, and covers all underflow. */
TARGET_VECTOR static void enclose(double *restrict low, double *restrict high, const double *restrict at, double factor,
                                  const int64_t *restrict finite)
{
  for (unsigned lane = 0; lane < LANES; lane++) {
    double m = at[BOUNDED_HALF + lane], value = at[lane];
    double width = kernel_choose(m == 0, 0, factor * m + fabs(value) * 0x1p-52 + 0x1p-1022);
    int known = (finite[lane] != 0) & (width < HUGE_VAL) & (fabs(value) < HUGE_VAL);
    low[lane] = kernel_choose(known, value - width, -HUGE_VAL);
    high[lane] = kernel_choose(known, value + width, HUGE_VAL);
  }
}

static void enclose_exact(double *restrict low, double *restrict high, const double *restrict at, const int64_t *finite)
{
  for (unsigned lane = 0; lane < LANES; lane++) {
    bool known = finite[lane] && fabs(at[lane]) < HUGE_VAL;
    low[lane] = known ? at[lane] : -HUGE_VAL;
    high[lane] = known ? at[lane] : HUGE_VAL;
  }
}

void bounded_enclosures(const bounded_state *s, size_t k, double *restrict low, double *restrict high)
{
  const bounded_result *r = &s->plan->output[k];
  const double *at = resolve(s->plan, s->input, r->place);
  if (r->kind == BOUNDED_EXACT)
    enclose_exact(low, high, at, s->finite);
  else
    enclose(low, high, at, r->k * BOUNDED_U * (1 + 0x1p-40), s->finite);
}
