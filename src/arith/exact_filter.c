/* What exact arithmetic need not be asked: one pass in double with a running error bound settles most
 * comparisons of a program over dyadic numbers, and what the others and the value outputs need is computed
 * exactly, nothing else.
 *
 * The pass. u = 2^-53, eta = 2^-1074; x is the number that a slot stands for. |x - v| <= e in every slot,
 * e infinite or NaN where nothing is known, e = 0 where x = v. Every e is a sum of positive terms with at
 * most half a dozen roundings; `outward` multiplies by 1 + 16 u and adds 2^-1060, far more than eta for
 * each operation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/exact_internal.h"
#include "core/memory.h"

/* Past this many steps the filter's tables would weigh more than they help. */
enum { FILTER_STEPS = 1 << 20 };

struct exact_filter {
  uint32_t *source; /* 3 for each step: the steps that made its operands */
  uint8_t *needed;  /* by step */
  uint8_t *found;   /* by step: the truth that the pass found; of SELECT: of its condition */
  double *v, *e;    /* by value slot */
  double *constant, *constant_error;
};

static double outward(double e)
{
  return e * 0x1.0000000000008p+0 + 0x1p-1060;
}

/* A double near a dyadic number, and how far off it may be: nothing, or u |v|, or eta where v is
 * subnormal. */
static double near_dyadic(const fmpq *x, double *error)
{
  ulong shift = fmpz_val2(fmpq_denref(x));
  if (!COEFF_IS_MPZ(*fmpq_numref(x)) && shift < 1000) {
    slong top = *fmpq_numref(x);
    if (top >= -((slong)1 << 53) && top <= (slong)1 << 53) {
      *error = 0; /* at least 2^-1000, or 0: a double */
      return ldexp((double)top, -(int)shift);
    }
  }
  arf_t a;
  arf_init(a);
  arf_set_fmpz(a, fmpq_numref(x));
  arf_mul_2exp_si(a, a, -(slong)shift);
  double v = arf_get_d(a, ARF_RND_NEAR);
  bool exact = isfinite(v) && arf_cmp_d(a, v) == 0;
  arf_clear(a);
  *error = exact ? 0 : isfinite(v) ? outward(0x1p-52 * fabs(v)) : HUGE_VAL;
  return v;
}

exact_filter *exact_filter_create(const tape_program *p)
{
  if (p->steps > FILTER_STEPS)
    return NULL;
  exact_filter *f = memory_new(1, sizeof *f);
  f->source = memory_new(memory_multiply(p->steps, 3), sizeof *f->source);
  f->needed = memory_new(p->steps, 1);
  f->found = memory_new(p->steps, 1);
  f->v = memory_new(p->value_slots, sizeof *f->v);
  f->e = memory_new(p->value_slots, sizeof *f->e);
  f->constant = memory_new(p->source->constants, sizeof *f->constant);
  f->constant_error = memory_new(p->source->constants, sizeof *f->constant_error);
  uint32_t *maker[2];
  maker[0] = memory_new(p->value_slots, sizeof *maker[0]);
  maker[1] = memory_new(p->truth_slots, sizeof *maker[1]);
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    tape_opcode op = (tape_opcode)t->op;
    const uint32_t operand[3] = {t->a, t->b, t->c};
    for (unsigned j = 0; j < tape_operands(op); j++) {
      bool is_truth = (op >= TAPE_NOT && op <= TAPE_CHOOSE) || (op == TAPE_SELECT && j == 2);
      f->source[3 * k + j] = maker[is_truth][operand[j]];
    }
    maker[tape_is_truth(op)][t->target] = (uint32_t)k;
    if (op == TAPE_CONSTANT)
      f->constant[t->a] = near_dyadic(&p->source->constant[t->a], &f->constant_error[t->a]);
  }
  free(maker[0]);
  free(maker[1]);
  return f;
}

void exact_filter_destroy(exact_filter *f)
{
  if (!f)
    return;
  free(f->source);
  free(f->needed);
  free(f->found);
  free(f->v);
  free(f->e);
  free(f->constant);
  free(f->constant_error);
  free(f);
}

/* ---- the pass ---- */

typedef struct {
  double v, e;
} approximation;

static approximation times(approximation a, approximation b)
{
  double v = a.v * b.v;
  bool known = a.e < HUGE_VAL && b.e < HUGE_VAL; /* else it may be what an undefined condition selects */
  if (known && ((a.v == 0 && a.e == 0) || (b.v == 0 && b.e == 0)))
    return (approximation){0, 0};
  return (approximation){v, outward((fabs(a.v) * b.e + fabs(b.v) * a.e) + (a.e * b.e + 0x1p-53 * fabs(v)))};
}

static approximation power(approximation x, uint32_t n)
{
  approximation r = {1, x.e < HUGE_VAL ? 0 : HUGE_VAL};
  for (bool started = false; n; n >>= 1) {
    if (n & 1) {
      r = started ? times(r, x) : x;
      started = true;
    }
    if (n > 1)
      x = times(x, x);
  }
  return r;
}

static approximation approximate(const exact_filter *f, const fmpq *input, const tape_step *t,
                                 truth condition)
{
  approximation r, a = {f->v[0], 0}, b = a;
  tape_opcode op = (tape_opcode)t->op;
  unsigned operands = tape_operands(op);
  if (operands >= 1)
    a = (approximation){f->v[t->a], f->e[t->a]};
  if (operands >= 2)
    b = (approximation){f->v[t->b], f->e[t->b]};
  switch (op) {
  case TAPE_CONSTANT:
    return (approximation){f->constant[t->a], f->constant_error[t->a]};
  case TAPE_INPUT:
    r.v = near_dyadic(&input[t->a], &r.e);
    return r;
  case TAPE_ADD:
    r.v = a.v + b.v;
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    r.v = a.v - b.v;
    break;
  case TAPE_MULTIPLY:
    return times(a, b);
  case TAPE_POWER:
    return power(a, t->b);
  case TAPE_MIN:
    return (approximation){fmin(a.v, b.v), a.e + b.e == 0 ? 0 : outward(a.e + b.e)};
  case TAPE_MAX:
    return (approximation){fmax(a.v, b.v), a.e + b.e == 0 ? 0 : outward(a.e + b.e)};
  case TAPE_NEGATE:
    return (approximation){-a.v, a.e};
  case TAPE_ABS:
    return (approximation){fabs(a.v), a.e};
  case TAPE_RELU:
    return (approximation){fmax(a.v, 0), a.e};
  case TAPE_ZERO:
    return (approximation){0, a.e < HUGE_VAL ? 0 : HUGE_VAL};
  case TAPE_SELECT:
    if (condition == TRUTH_TRUE)
      return a;
    return condition == TRUTH_FALSE ? b : (approximation){0, HUGE_VAL};
  default:
    return (approximation){0, HUGE_VAL};
  }
  r.e = outward((a.e + b.e) + 0x1p-53 * fabs(r.v)); /* sums */
  return r;
}

/* fl(vb - va) has the sign of the difference, and is at most 1 + u times as large. */
static truth compare(const exact_filter *f, const tape_step *t)
{
  double d = f->v[t->b] - f->v[t->a], e = f->e[t->a] + f->e[t->b];
  if (e == 0) {
    bool holds = t->op == TAPE_LESS ? d > 0 : t->op == TAPE_LESS_EQUAL ? d >= 0 : d == 0;
    return holds ? TRUTH_TRUE : TRUTH_FALSE;
  }
  double far = outward(e);
  if (!(fabs(d) > far) || !(far < HUGE_VAL))
    return TRUTH_UNKNOWN;
  return t->op != TAPE_EQUAL && d > 0 ? TRUTH_TRUE : TRUTH_FALSE;
}

static void pass(exact_state *s, const fmpq *input)
{
  exact_filter *f = s->filter;
  const tape_program *p = s->program;
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    tape_opcode op = (tape_opcode)t->op;
    if (op == TAPE_LESS || op == TAPE_LESS_EQUAL || op == TAPE_EQUAL) {
      f->found[k] = (uint8_t)compare(f, t);
      s->truth[t->target] = (truth)f->found[k];
    } else if (op == TAPE_DEFINED) {
      f->found[k] = f->e[t->a] < HUGE_VAL ? TRUTH_TRUE : TRUTH_UNKNOWN;
      s->truth[t->target] = (truth)f->found[k];
    } else if (tape_is_truth(op)) {
      exact_step(s, input, t);
      f->found[k] = (uint8_t)s->truth[t->target];
    } else {
      f->found[k] = op == TAPE_SELECT ? (uint8_t)s->truth[t->c] : TRUTH_UNKNOWN;
      approximation r = approximate(f, input, t, (truth)f->found[k]);
      f->v[t->target] = r.v;
      f->e[t->target] = r.e;
    }
  }
}

/* ---- the rest, exactly ---- */

static bool is_decided(uint8_t found)
{
  return found == TRUTH_TRUE || found == TRUTH_FALSE;
}

/* From the outputs back: of a truth that was found nothing more is needed, of a SELECT only the branch
 * taken. */
static size_t mark(const exact_state *s)
{
  exact_filter *f = s->filter;
  const tape_program *p = s->program;
  size_t end = 0;
  memset(f->needed, 0, p->steps);
  for (size_t i = 0; i < p->outputs; i++) {
    f->needed[s->maker[i]] = 1;
    end = s->maker[i] + 1 > end ? s->maker[i] + 1 : end;
  }
  for (size_t k = end; k-- > 0;) {
    if (!f->needed[k])
      continue;
    tape_opcode op = (tape_opcode)p->step[k].op;
    const uint32_t *from = &f->source[3 * k];
    if (tape_is_truth(op) && is_decided(f->found[k]))
      continue;
    if (op == TAPE_SELECT && is_decided(f->found[k])) {
      f->needed[from[f->found[k] == TRUTH_TRUE ? 0 : 1]] = f->needed[from[2]] = 1;
      continue;
    }
    for (unsigned j = 0; j < tape_operands(op); j++)
      f->needed[from[j]] = 1;
  }
  return end;
}

void exact_filter_run(exact_state *s, const fmpq *input)
{
  const exact_filter *f = s->filter;
  pass(s, input);
  size_t end = mark(s);
  for (size_t k = 0; k < end; k++) {
    if (!f->needed[k])
      continue;
    const tape_step *t = &s->program->step[k];
    if (tape_is_truth((tape_opcode)t->op) && is_decided(f->found[k]))
      s->truth[t->target] = (truth)f->found[k];
    else
      exact_step(s, input, t);
  }
}
