/* What stands below an `integral` as steps that know only numbers: folds written out, `if` decided, what is free of the
 * variable computed. An integral inside that uses the variable is a step with a body of its own, which may use the steps of
 * the outer one. */
#include <stdlib.h>

#include "core/limits.h"
#include "verify/evaluate_internal.h"
#include "verify/integral.h"

enum { STEPS_MOST = 1 << 20 };

typedef struct building {
  evaluator *e;
  const node *integral;
  struct building *outer; /* of the integral around this one, whose variable is used here; NULL: none */
  integrand_step *step;
  uint32_t steps, capacity;
  number given_up; /* NUMBER_UNDEFINED or NUMBER_UNKNOWN: what the integral is then; else NUMBER_ONE */
} building;

/* Whether n uses the variable of the integral at this level. */
static bool uses(const node *n, unsigned level)
{
  if (n->kind == NODE_VARIABLE)
    return n->slot == level;
  for (unsigned i = 0; i < n->children; i++)
    if (uses(n->child[i], level))
      return true;
  return false;
}

static uint32_t give_up(building *b, number why)
{
  if (b->given_up == NUMBER_ONE)
    b->given_up = why;
  return 0;
}

static uint32_t add_step(building *b, integrand_step s)
{
  if (b->steps >= STEPS_MOST)
    return give_up(b, NUMBER_UNKNOWN);
  if (b->steps == b->capacity) {
    b->capacity = b->capacity ? 2 * b->capacity : 32;
    b->step = memory_resize(b->step, b->capacity, sizeof *b->step);
  }
  b->step[b->steps] = s;
  return b->steps++;
}

/* The value is the last step. */
static void end_with(building *b, uint32_t value)
{
  if (b->given_up == NUMBER_ONE && value + 1 != b->steps)
    add_step(b, (integrand_step){.op = OP_NEGATE, .a = add_step(b, (integrand_step){.op = OP_NEGATE, .a = value})});
}

static uint32_t build(building *b, const node *n, int64_t *slot);

static uint32_t closed(building *b, number value)
{
  return number_is_defined(value) ? add_step(b, (integrand_step){.op = STEP_NUMBER, .number = value}) : give_up(b, value);
}

/* A fold over values; `have` tells whether there was one before. */
static void fold(building *b, const node *n, int64_t *slot, unsigned r, uint32_t *value, bool *have)
{
  static const unsigned op[] = {[FOLD_SUM] = OP_ADD,
                                [FOLD_PRODUCT] = OP_MULTIPLY,
                                [FOLD_MIN] = OP_FUNCTION + FUNCTION_MIN,
                                [FOLD_MAX] = OP_FUNCTION + FUNCTION_MAX};
  if (r == n->ranges) {
    uint32_t next = build(b, n->child[0], slot);
    *value = *have ? add_step(b, (integrand_step){.op = op[n->fold], .a = *value, .b = next}) : next;
    *have = true;
    return;
  }
  int64_t low, high;
  if (!evaluator_integer(b->e, &low, n->range[r].low, slot) || !evaluator_integer(b->e, &high, n->range[r].high, slot))
    return;
  for (int64_t i = low; i <= high && b->given_up == NUMBER_ONE && evaluator_may_go_on(b->e, n); i++) {
    slot[n->range[r].slot] = i;
    fold(b, n, slot, r + 1, value, have);
    if (i == INT64_MAX)
      break;
  }
}

static uint32_t fold_steps(building *b, const node *n, int64_t *slot)
{
  uint32_t value = 0;
  bool have = false;
  fold(b, n, slot, 0, &value, &have);
  if (have)
    return value;
  return closed(b, n->fold == FOLD_SUM ? NUMBER_ZERO : n->fold == FOLD_PRODUCT ? NUMBER_ONE : NUMBER_UNDEFINED);
}

static uint32_t call_steps(building *b, const node *n, int64_t *slot)
{
  unsigned op = OP_FUNCTION + (unsigned)n->function;
  uint32_t a = build(b, n->child[0], slot);
  if (n->function != FUNCTION_MIN && n->function != FUNCTION_MAX)
    return add_step(b, (integrand_step){.op = op, .a = a});
  for (unsigned i = 1; i < n->children; i++) {
    uint32_t next = build(b, n->child[i], slot);
    a = add_step(b, (integrand_step){.op = op, .a = a, .b = next});
  }
  return a;
}

static uint32_t power_steps(building *b, const node *n, int64_t *slot)
{
  int64_t exponent;
  uint32_t base = build(b, n->child[0], slot);
  if (!evaluator_integer(b->e, &exponent, n->child[1], slot) || exponent > LIMIT_EXPONENT || exponent < -LIMIT_EXPONENT)
    return give_up(b, NUMBER_UNKNOWN);
  return add_step(b, (integrand_step){.op = OP_POWER, .a = base, .exponent = exponent});
}

/* The body of the integral n as a step of its own. */
static uint32_t integral_step(building *b, const node *n, int64_t *slot)
{
  if (b->outer) /* three within one another */
    return give_up(b, NUMBER_UNKNOWN);
  uint32_t low = build(b, n->child[0], slot), high = build(b, n->child[1], slot);
  building inside = {.e = b->e, .integral = n, .outer = b, .given_up = b->given_up};
  uint32_t last = build(&inside, n->child[2], slot);
  end_with(&inside, last);
  if (inside.given_up != NUMBER_ONE || b->given_up != NUMBER_ONE) {
    free(inside.step);
    return give_up(b, inside.given_up != NUMBER_ONE ? inside.given_up : b->given_up);
  }
  integrand *inner = integrand_create(inside.step, inside.steps);
  uint32_t step = add_step(b, (integrand_step){.op = STEP_INTEGRAL, .a = low, .b = high, .inner = inner});
  if (b->given_up != NUMBER_ONE) /* no step was left */
    integrand_destroy(inner);
  return step;
}

static uint32_t build(building *b, const node *n, int64_t *slot)
{
  static const unsigned op[] = {[NODE_ADD] = OP_ADD,
                                [NODE_SUBTRACT] = OP_SUBTRACT,
                                [NODE_MULTIPLY] = OP_MULTIPLY,
                                [NODE_DIVIDE] = OP_DIVIDE};
  if (b->given_up != NUMBER_ONE || !evaluator_may_go_on(b->e, n))
    return give_up(b, NUMBER_UNKNOWN);
  if (!uses(n, b->integral->slot)) {
    if (b->outer && uses(n, b->outer->integral->slot)) {
      uint32_t step = build(b->outer, n, slot);
      return b->outer->given_up == NUMBER_ONE ? add_step(b, (integrand_step){.op = STEP_OUTER, .a = step})
                                              : give_up(b, b->outer->given_up);
    }
    return closed(b, dual_value(evaluator_value_of(b->e, n, slot)));
  }
  switch (n->kind) {
  case NODE_VARIABLE:
    return add_step(b, (integrand_step){.op = STEP_VARIABLE});
  case NODE_NEGATE:
    return add_step(b, (integrand_step){.op = OP_NEGATE, .a = build(b, n->child[0], slot)});
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_DIVIDE: {
    uint32_t left = build(b, n->child[0], slot), right = build(b, n->child[1], slot);
    return add_step(b, (integrand_step){.op = op[n->kind], .a = left, .b = right});
  }
  case NODE_POWER:
    return power_steps(b, n, slot);
  case NODE_CALL:
    return call_steps(b, n, slot);
  case NODE_FOLD:
    return fold_steps(b, n, slot);
  case NODE_IF: {
    bool open = uses(n->child[0], b->integral->slot) || (b->outer && uses(n->child[0], b->outer->integral->slot));
    truth c = open ? TRUTH_UNKNOWN : evaluator_truth_of(b->e, n->child[0], slot).value;
    if (c != TRUTH_TRUE && c != TRUTH_FALSE)
      return give_up(b, c == TRUTH_UNDEFINED ? NUMBER_UNDEFINED : NUMBER_UNKNOWN);
    return build(b, n->child[c == TRUTH_TRUE ? 1 : 2], slot);
  }
  case NODE_INTEGRAL:
    return integral_step(b, n, slot);
  default: /* a derivative of what uses the variable */
    return give_up(b, NUMBER_UNKNOWN);
  }
}

number integrand_value(evaluator *e, const node *n, int64_t *slot)
{
  number low = dual_value(evaluator_value_of(e, n->child[0], slot)),
         high = dual_value(evaluator_value_of(e, n->child[1], slot));
  if (!number_is_defined(low) || !number_is_defined(high))
    return low == NUMBER_UNDEFINED || high == NUMBER_UNDEFINED ? NUMBER_UNDEFINED : NUMBER_UNKNOWN;
  building b = {.e = e, .integral = n, .given_up = NUMBER_ONE};
  uint32_t last = build(&b, n->child[2], slot);
  end_with(&b, last);
  integrand *f = integrand_create(b.step, b.steps);
  if (b.given_up != NUMBER_ONE || e->status != STATUS_OK) {
    integrand_destroy(f);
    return e->status != STATUS_OK ? NUMBER_UNKNOWN : b.given_up;
  }
  f->low = low;
  f->high = high;
  return number_integral(e->numbers, f);
}
