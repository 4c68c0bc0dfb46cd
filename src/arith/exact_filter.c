/* What exact arithmetic need not be asked: one pass in sums of two doubles (twofold.h) settles most
 * comparisons of a program over dyadic numbers, ties included as long as the numbers have few bits. What
 * the others and the value outputs need is computed exactly, nothing else: values that the pass knows
 * exactly are taken from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/exact_internal.h"
#include "arith/truths.h"
#include "arith/twofold.h"
#include "core/memory.h"

/* Past this many steps the filter's tables would weigh more than they help. */
enum { FILTER_STEPS = 1 << 19 };

/* A step of the program: its operands are the steps that made them (POWER's b: the exponent; leaves: as in
 * tape_step). */
typedef struct {
  uint8_t op;
  uint32_t number; /* its own */
  uint32_t a, b, c;
} filter_step;

/* The steps that some of the outputs need, kept for the next run that wants the same. */
enum { PLANS = 4 };
typedef struct {
  uint64_t wanted; /* bit k: output k */
  filter_step *step;
  size_t steps;
  filter_step *sorted; /* the same in another order that works, with long runs of one operation */
} filter_plan;

/* All arrays by step, none by slot: nothing is overwritten. */
struct exact_filter {
  filter_step *step;
  uint8_t *needed;
  uint8_t *found;   /* the truth that the pass found; of SELECT: of its condition */
  twofold *value;
  twofold *constant; /* by number of the constant */
  filter_plan plan[PLANS];
  unsigned next_plan;
  bool fused; /* whether the processor has a fused multiply-add */
};

/* Two doubles that make up a dyadic number, or nearly so. */
static twofold near_dyadic(const fmpq *x)
{
  ulong shift = fmpz_val2(fmpq_denref(x));
  if (!COEFF_IS_MPZ(*fmpq_numref(x)) && shift < 1000) {
    slong top = *fmpq_numref(x);
    if (top >= -((slong)1 << 53) && top <= (slong)1 << 53)
      return twofold_double(ldexp((double)top, -(int)shift)); /* at least 2^-1000, or 0: a double */
  }
  arf_t a, rest;
  arf_init(a);
  arf_init(rest);
  arf_set_fmpz(a, fmpq_numref(x));
  arf_mul_2exp_si(a, a, -(slong)shift);
  twofold r = {arf_get_d(a, ARF_RND_NEAR), 0, HUGE_VAL};
  if (isfinite(r.h)) {
    arf_set_d(rest, r.h);
    arf_sub(rest, a, rest, ARF_PREC_EXACT, ARF_RND_DOWN);
    r.l = arf_get_d(rest, ARF_RND_NEAR);
    /* Off by 2^-53 of itself, or by less than the smallest double. */
    r.e = arf_cmp_d(rest, r.l) == 0 ? 0 : twofold_outward(0x1p-52 * fabs(r.l));
  }
  arf_clear(rest);
  arf_clear(a);
  return r;
}

exact_filter *exact_filter_create(const tape_program *p)
{
  if (p->steps > FILTER_STEPS)
    return NULL;
  exact_filter *f = memory_new(1, sizeof *f);
  f->step = memory_new(p->steps, sizeof *f->step);
  f->needed = memory_new(p->steps, 1);
  f->found = memory_new(p->steps, 1);
  f->value = memory_new(p->steps, sizeof *f->value);
  f->constant = memory_new(p->source->constants, sizeof *f->constant);
  uint32_t *maker[2];
  maker[0] = memory_new(p->value_slots, sizeof *maker[0]);
  maker[1] = memory_new(p->truth_slots, sizeof *maker[1]);
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    tape_opcode op = (tape_opcode)t->op;
    filter_step *s = &f->step[k];
    *s = (filter_step){t->op, (uint32_t)k, t->a, t->b, t->c};
    uint32_t *operand[3] = {&s->a, &s->b, &s->c};
    for (unsigned j = 0; j < tape_operands(op); j++) {
      bool is_truth = (op >= TAPE_NOT && op <= TAPE_CHOOSE) || (op == TAPE_SELECT && j == 2);
      *operand[j] = maker[is_truth][*operand[j]];
    }
    maker[tape_is_truth(op)][t->target] = (uint32_t)k;
    if (op == TAPE_CONSTANT)
      f->constant[t->a] = near_dyadic(&p->source->constant[t->a]);
  }
  free(maker[0]);
  free(maker[1]);
#if defined(__x86_64__)
  f->fused = __builtin_cpu_supports("fma");
#endif
  return f;
}

static void clear_plan(filter_plan *plan)
{
  free(plan->step);
  free(plan->sorted);
}

void exact_filter_destroy(exact_filter *f)
{
  if (!f)
    return;
  for (int i = 0; i < PLANS; i++)
    clear_plan(&f->plan[i]);
  free(f->step);
  free(f->needed);
  free(f->found);
  free(f->value);
  free(f->constant);
  free(f);
}

/* ---- what is wanted ---- */

static const uint32_t *operand_of(const filter_step *s, unsigned j)
{
  return j == 0 ? &s->a : j == 1 ? &s->b : &s->c;
}

static bool is_wanted(const exact_state *s, size_t output, uint64_t wanted)
{
  return s->program->outputs > 64 || wanted >> output & 1;
}

static void mark_outputs(const exact_state *s, uint64_t wanted)
{
  for (size_t i = 0; i < s->program->outputs; i++)
    if (is_wanted(s, i, wanted))
      s->filter->needed[s->maker[i]] = 1;
}

static bool is_ready(const filter_step *s, const uint8_t *waiting)
{
  for (unsigned j = 0; j < tape_operands((tape_opcode)s->op); j++)
    if (waiting[*operand_of(s, j)])
      return false;
  return true;
}

/* Takes one operation after the other, and of each all steps that can be taken, for so many rounds; what is
 * left by then comes as it stands. `waiting`: by number, 1 for each step of the plan. */
static void sort_plan(filter_plan *plan, uint8_t *waiting)
{
  enum { ROUNDS = 64 };
  size_t n = 0;
  plan->sorted = memory_new(plan->steps, sizeof *plan->sorted);
  for (int round = 0; round < ROUNDS && n < plan->steps; round++)
    for (uint8_t op = 0; op < TAPE_OPCODES; op++)
      for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].op == op && waiting[plan->step[i].number] && is_ready(&plan->step[i], waiting)) {
          plan->sorted[n++] = plan->step[i];
          waiting[plan->step[i].number] = 0;
        }
  for (size_t i = 0; i < plan->steps; i++)
    if (waiting[plan->step[i].number])
      plan->sorted[n++] = plan->step[i];
}

static const filter_plan *plan_for(exact_state *s, uint64_t wanted)
{
  exact_filter *f = s->filter;
  size_t steps = s->program->steps;
  for (int i = 0; i < PLANS; i++)
    if (f->plan[i].step && f->plan[i].wanted == wanted)
      return &f->plan[i];
  filter_plan *plan = &f->plan[f->next_plan++ % PLANS];
  clear_plan(plan);
  *plan = (filter_plan){.wanted = wanted};
  memset(f->needed, 0, steps);
  mark_outputs(s, wanted);
  for (size_t k = steps; k-- > 0;)
    for (unsigned j = 0; f->needed[k] && j < tape_operands((tape_opcode)f->step[k].op); j++)
      f->needed[*operand_of(&f->step[k], j)] = 1;
  for (size_t k = 0; k < steps; k++)
    plan->steps += f->needed[k];
  plan->step = memory_new(plan->steps, sizeof *plan->step);
  for (size_t k = 0, n = 0; k < steps; k++)
    if (f->needed[k])
      plan->step[n++] = f->step[k];
  sort_plan(plan, f->needed);
  return plan;
}

/* ---- the pass ---- */

static bool is_decided(truth found)
{
  return found == TRUTH_TRUE || found == TRUTH_FALSE;
}

TWOFOLD_INLINE truth compare(tape_opcode op, twofold a, twofold b)
{
  int sign = twofold_compare(b, a);
  if (sign == 2)
    return TRUTH_UNKNOWN;
  bool holds = op == TAPE_LESS ? sign > 0 : op == TAPE_LESS_EQUAL ? sign >= 0 : sign == 0;
  return holds ? TRUTH_TRUE : TRUTH_FALSE;
}

static twofold select_value(truth condition, twofold a, twofold b)
{
  return condition == TRUTH_TRUE ? a : condition == TRUTH_FALSE ? b : twofold_unknown();
}

/* A run of steps of one operation from s on; returns how many. Inputs are input[a * LANES], or, where input
 * is NULL, rational[a]. */
TWOFOLD_INLINE size_t evaluate(exact_filter *f, const filter_step *s, size_t left, const double *input,
                               const fmpq *rational, bool fused)
{
  twofold *const v = f->value;
  uint8_t *const found = f->found;
  const tape_opcode op = (tape_opcode)s->op;
  const filter_step *const end = s + left, *const start = s;
#define RUN(statement)                  \
  do                                    \
    statement;                          \
  while (++s < end && s->op == op);     \
  break
#define VALUE(x) RUN(v[s->number] = (x))
#define TRUTH(x) RUN(found[s->number] = (uint8_t)(x))
  switch (op) {
  case TAPE_CONSTANT:
    VALUE(f->constant[s->a]);
  case TAPE_INPUT:
    VALUE(input ? twofold_double(input[(size_t)s->a * LANES]) : near_dyadic(&rational[s->a]));
  case TAPE_NEGATE:
    VALUE(twofold_negate(v[s->a]));
  case TAPE_ADD:
    VALUE(twofold_add(v[s->a], v[s->b]));
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    VALUE(twofold_subtract(v[s->a], v[s->b]));
  case TAPE_MULTIPLY:
    VALUE(twofold_multiply(v[s->a], v[s->b], fused));
  case TAPE_POWER:
    VALUE(twofold_power(v[s->a], s->b, fused));
  case TAPE_ZERO:
    VALUE(twofold_is_known(v[s->a]) ? twofold_double(0) : twofold_unknown());
  case TAPE_MIN:
    VALUE(twofold_least(v[s->a], v[s->b], false));
  case TAPE_MAX:
    VALUE(twofold_least(v[s->a], v[s->b], true));
  case TAPE_ABS:
    VALUE(twofold_abs(v[s->a]));
  case TAPE_RELU:
    VALUE(twofold_relu(v[s->a]));
  case TAPE_SELECT:
    found[s->number] = found[s->c];
    v[s->number] = select_value((truth)found[s->c], v[s->a], v[s->b]);
    s++;
    break;
  case TAPE_TRUTH:
    TRUTH(s->a);
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL:
    TRUTH(compare(op, v[s->a], v[s->b]));
  case TAPE_DEFINED:
    TRUTH(twofold_is_known(v[s->a]) ? TRUTH_TRUE : TRUTH_UNKNOWN);
  case TAPE_NOT:
    TRUTH(truth_not((truth)found[s->a]));
  case TAPE_AND:
    TRUTH(truth_and((truth)found[s->a], (truth)found[s->b]));
  case TAPE_OR:
    TRUTH(truth_or((truth)found[s->a], (truth)found[s->b]));
  case TAPE_IMPLIES:
    TRUTH(truth_implies((truth)found[s->a], (truth)found[s->b]));
  case TAPE_CHOOSE:
    TRUTH(truth_choose((truth)found[s->c], (truth)found[s->a], (truth)found[s->b]));
  default: /* not in a dyadic program */
    VALUE(twofold_unknown());
  }
#undef RUN
#undef VALUE
#undef TRUTH
  return (size_t)(s - start);
}

static void pass(exact_filter *f, const filter_plan *plan, const double *input, const fmpq *rational)
{
  for (size_t i = 0; i < plan->steps;)
    i += evaluate(f, &plan->sorted[i], plan->steps - i, input, rational, false);
}

#if defined(__x86_64__)
__attribute__((target("fma")))
#endif
static void pass_fused(exact_filter *f, const filter_plan *plan, const double *input, const fmpq *rational)
{
  for (size_t i = 0; i < plan->steps;)
    i += evaluate(f, &plan->sorted[i], plan->steps - i, input, rational, true);
}

/* ---- the rest, exactly ---- */

/* Whether every output that is wanted is a truth that the pass found; then they are in place. */
static bool take_outputs(exact_state *s, uint64_t wanted)
{
  const tape_program *p = s->program;
  for (size_t i = 0; i < p->outputs; i++) {
    if (!is_wanted(s, i, wanted))
      continue;
    if (!p->output[i].truth || !is_decided((truth)s->filter->found[s->maker[i]]))
      return false;
    s->truth[p->output[i].slot] = (truth)s->filter->found[s->maker[i]];
  }
  return true;
}

/* Of a truth that was found, and of a value that is known exactly, nothing more is needed; of a SELECT only
 * the branch taken. */
static bool is_settled(const exact_filter *f, size_t k)
{
  bool is_truth = tape_is_truth((tape_opcode)f->step[k].op);
  return is_truth ? is_decided((truth)f->found[k]) : twofold_is_exact(f->value[k]);
}

static void mark_needed(exact_state *s, const filter_plan *plan)
{
  exact_filter *f = s->filter;
  for (size_t i = 0; i < plan->steps; i++)
    f->needed[plan->step[i].number] = 0;
  mark_outputs(s, plan->wanted);
  for (size_t i = plan->steps; i-- > 0;) {
    const filter_step *t = &plan->step[i];
    size_t k = t->number;
    if (!f->needed[k] || is_settled(f, k))
      continue;
    if (t->op == TAPE_SELECT && is_decided((truth)f->found[k])) {
      f->needed[f->found[k] == TRUTH_TRUE ? t->a : t->b] = f->needed[t->c] = 1;
      continue;
    }
    for (unsigned j = 0; j < tape_operands((tape_opcode)t->op); j++)
      f->needed[*operand_of(t, j)] = 1;
  }
}

static void run(exact_state *s, const double *input, const fmpq *rational, uint64_t wanted)
{
  exact_filter *f = s->filter;
  const filter_plan *plan = plan_for(s, wanted);
  (f->fused ? pass_fused : pass)(f, plan, input, rational);
  if (take_outputs(s, wanted))
    return;
  mark_needed(s, plan);
  for (size_t i = 0; i < plan->steps; i++) {
    size_t k = plan->step[i].number;
    if (!f->needed[k])
      continue;
    const tape_step *t = &s->program->step[k];
    if (!is_settled(f, k))
      exact_step(s, rational, t); /* no input, where they are doubles */
    else if (tape_is_truth((tape_opcode)t->op))
      s->truth[t->target] = (truth)f->found[k];
    else
      s->kind[t->target] = exact_dyadic_set_sum(s, t->target, f->value[k].h, f->value[k].l) ? EXACT_RATIONAL
                                                                                           : EXACT_DEFINED;
  }
}

void exact_filter_run(exact_state *s, const fmpq *input)
{
  run(s, NULL, input, UINT64_MAX);
}

void exact_filter_run_doubles(exact_state *s, const double *input, uint64_t wanted)
{
  run(s, input, NULL, wanted);
}
