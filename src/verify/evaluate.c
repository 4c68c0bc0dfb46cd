/* The evaluator: expressions and formulas. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "verify/deep.h"
#include "verify/evaluate_internal.h"

enum { STEPS_MAX = 1 << 28 };

void evaluator_fail(evaluator *e, assay_status status, diag_place place, const char *what, const char *why)
{
  if (e->status == STATUS_OK)
    diag_error(e->d, place, "%s%s", what, why);
  if (e->status == STATUS_OK)
    e->status = status;
}

bool evaluator_may_go_on(evaluator *e, const node *n)
{
  if (++e->steps > STEPS_MAX)
    evaluator_fail(e, STATUS_UNABLE, n->place, "the claim takes too long at these sizes",
                   " (the limit is 2^28 steps)");
  else if (duals_full(&e->duals))
    evaluator_fail(e, STATUS_UNABLE, n->place, "the claim has too many different values at these sizes",
                   " (the limit is 2^24)");
  else if (!deep_enough())
    evaluator_fail(e, STATUS_UNABLE, n->place, "the recursion is too deep", " for the stack");
  return e->status == STATUS_OK;
}

static const dual *literal(evaluator *e, number a)
{
  return dual_literal(&e->duals, a);
}

/* A fold under way. */
typedef struct {
  const node *n;
  int64_t *slot;
  const dual *value; /* NULL: none yet */
  decision truth;
} folding;

static decision connect(decision a, decision b, truth value)
{
  return (decision){value, a.depends | b.depends, a.edge | b.edge, a.maybe | b.maybe,
                    a.literal && b.literal};
}

/* Whether the left side settles a conjunction (or, negated, a disjunction), so that the right one is not
 * reached. */
static bool settles_and(truth a)
{
  return a == TRUTH_FALSE || a == TRUTH_UNDEFINED || a == TRUTH_UNKNOWN;
}

/* Takes a value in. */
static void fold_in(evaluator *e, folding *f, const dual *next)
{
  static const unsigned op[] = {[FOLD_SUM] = OP_ADD,
                                [FOLD_PRODUCT] = OP_MULTIPLY,
                                [FOLD_MIN] = OP_FUNCTION + FUNCTION_MIN,
                                [FOLD_MAX] = OP_FUNCTION + FUNCTION_MAX};
  f->value = f->value && next ? dual_apply(&e->duals, op[f->n->fold], f->value, next) : f->value ? f->value : next;
}

/* Takes the body in; true when the rest cannot matter. */
static bool fold_step(evaluator *e, folding *f)
{
  const node *body = f->n->child[0];
  if (f->n->fold == FOLD_FORALL || f->n->fold == FOLD_EXISTS) {
    bool all = f->n->fold == FOLD_FORALL;
    decision next = evaluator_truth_of(e, body, f->slot);
    truth both = all ? truth_and(f->truth.value, next.value) : truth_or(f->truth.value, next.value);
    f->truth = connect(f->truth, next, both);
    return settles_and(all ? both : truth_not(both));
  }
  fold_in(e, f, evaluator_value_of(e, body, f->slot));
  return dual_value(f->value) == NUMBER_UNDEFINED;
}

/* Several ranges are a fold of folds. */
static bool fold_ranges(evaluator *e, folding *f, unsigned r)
{
  if (r == f->n->ranges)
    return fold_step(e, f) || e->status != STATUS_OK;
  const node_range *range = &f->n->range[r];
  int64_t low, high;
  if (!evaluator_integer(e, &low, range->low, f->slot) || !evaluator_integer(e, &high, range->high, f->slot))
    return true;
  const dual *outer = f->value;
  f->value = NULL;
  bool over = false;
  for (int64_t i = low; i <= high && !over; i++) {
    f->slot[range->slot] = i;
    over = !evaluator_may_go_on(e, f->n) || fold_ranges(e, f, r + 1);
    if (i == INT64_MAX)
      break;
  }
  const dual *inner = f->value;
  f->value = outer;
  fold_in(e, f, inner);
  return over;
}

static const dual *fold_value(evaluator *e, const node *n, int64_t *slot)
{
  folding f = {.n = n, .slot = slot};
  fold_ranges(e, &f, 0);
  if (f.value)
    return f.value;
  return literal(e, n->fold == FOLD_SUM       ? NUMBER_ZERO
                    : n->fold == FOLD_PRODUCT ? NUMBER_ONE
                                              : NUMBER_UNDEFINED);
}

/* A number for the `if` at n under the indices in force: the same for the same expression. */
static uint32_t number_of_if(evaluator *e, const node *n, const int64_t *slot)
{
  uint64_t key[LIMIT_BINDERS + 1] = {(uint64_t)(uintptr_t)n};
  size_t length = 1;
  for (unsigned i = 0; i < LIMIT_BINDERS; i++)
    if (n->free_slots >> i & 1)
      key[length++] = (uint64_t)slot[i];
  uint32_t found;
  if (!key_map_find(&e->ifs, key, length, &found))
    key_map_set(&e->ifs, key, length, found = ++e->ifs_count);
  return found;
}

static const dual *if_value(evaluator *e, const node *n, int64_t *slot)
{
  decision c = evaluator_truth_of(e, n->child[0], slot);
  if (c.value != TRUTH_TRUE && c.value != TRUTH_FALSE)
    return literal(e, c.value == TRUTH_UNDEFINED ? NUMBER_UNDEFINED : NUMBER_UNKNOWN);
  const dual *branch = evaluator_value_of(e, n->child[c.value == TRUTH_TRUE ? 1 : 2], slot);
  if (c.literal || e->duals.levels == 0)
    return branch;
  /* On the boundary, what is not reached may depend on variables that what is reached does not: these derivatives
   * change here, too. */
  uint32_t all = c.edge | c.maybe ? evaluator_mentions(e, n, slot) : 0;
  return dual_branch(&e->duals, branch, number_of_if(e, n, slot), c.depends, c.edge, c.maybe, all);
}

int evaluator_begin_derivative(evaluator *e, const node *n, int64_t *slot, uint32_t *outer)
{
  unsigned level = e->duals.levels;
  uint32_t at;
  *outer = e->list;
  if (level == DUAL_LEVELS)
    evaluator_fail(e, STATUS_UNABLE, n->place, "derivatives are nested too deeply", " (the limit is 8)");
  if (level == DUAL_LEVELS || !evaluator_find_given(e, &at, n->child[1], slot))
    return -1;
  uint64_t key[2] = {*outer, at};
  if (!key_map_find(&e->lists, key, 2, &e->list))
    key_map_set(&e->lists, key, 2, e->list = ++e->lists_count);
  e->duals.seed[level] = at;
  e->duals.levels = level + 1;
  return (int)level;
}

void evaluator_end_derivative(evaluator *e, int level, uint32_t outer)
{
  e->duals.levels = (unsigned)level;
  e->list = outer;
}

static const dual *derivative_value(evaluator *e, const node *n, int64_t *slot)
{
  uint32_t outer;
  int level = evaluator_begin_derivative(e, n, slot, &outer);
  if (level < 0)
    return literal(e, NUMBER_UNKNOWN);
  const dual *value = evaluator_value_of(e, n->child[0], slot);
  evaluator_end_derivative(e, level, outer);
  return dual_derivative(&e->duals, value, level);
}

static const dual *power_value(evaluator *e, const node *n, int64_t *slot)
{
  int64_t exponent;
  const dual *base = evaluator_value_of(e, n->child[0], slot);
  if (!evaluator_integer(e, &exponent, n->child[1], slot))
    return literal(e, NUMBER_UNKNOWN);
  if (exponent > LIMIT_EXPONENT || exponent < -LIMIT_EXPONENT) {
    evaluator_fail(e, STATUS_UNABLE, n->place, "this exponent is beyond the limit", " of 2^24");
    return literal(e, NUMBER_UNKNOWN);
  }
  return dual_power(&e->duals, base, exponent);
}

static const dual *call_value(evaluator *e, const node *n, int64_t *slot)
{
  unsigned op = OP_FUNCTION + (unsigned)n->function;
  const dual *a = evaluator_value_of(e, n->child[0], slot);
  if (n->function != FUNCTION_MIN && n->function != FUNCTION_MAX)
    return dual_apply(&e->duals, op, a, NULL);
  for (unsigned i = 1; i < n->children; i++)
    a = dual_apply(&e->duals, op, a, evaluator_value_of(e, n->child[i], slot));
  return a;
}

const dual *evaluator_value_of(evaluator *e, const node *n, int64_t *slot)
{
  static const unsigned op[] = {[NODE_ADD] = OP_ADD,
                                [NODE_SUBTRACT] = OP_SUBTRACT,
                                [NODE_MULTIPLY] = OP_MULTIPLY,
                                [NODE_DIVIDE] = OP_DIVIDE};
  const dual *a, *b;
  uint32_t at;
  if (!evaluator_may_go_on(e, n))
    return literal(e, NUMBER_UNKNOWN);
  switch (n->kind) {
  case NODE_NUMBER:
    return literal(e, number_from_rational(e->numbers, n->number));
  case NODE_PI:
    return literal(e, number_pi(e->numbers));
  case NODE_SIZE:
    return literal(e, number_from_integer(e->numbers, e->m->sizes[n->symbol]));
  case NODE_INDEX:
    return literal(e, number_from_integer(e->numbers, slot[n->slot]));
  case NODE_GIVEN:
    if (!evaluator_find_given(e, &at, n, slot))
      return literal(e, NUMBER_UNKNOWN);
    return dual_given(&e->duals, at,
                      number_from_rational(e->numbers, &e->x->value[e->m->element[at].value].value));
  case NODE_LET:
    return evaluator_find_element(e, n, slot).value;
  case NODE_NEGATE:
    return dual_apply(&e->duals, OP_NEGATE, evaluator_value_of(e, n->child[0], slot), NULL);
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_DIVIDE:
    a = evaluator_value_of(e, n->child[0], slot);
    b = evaluator_value_of(e, n->child[1], slot);
    return dual_apply(&e->duals, op[n->kind], a, b);
  case NODE_POWER:
    return power_value(e, n, slot);
  case NODE_CALL:
    return call_value(e, n, slot);
  case NODE_FOLD:
    return fold_value(e, n, slot);
  case NODE_IF:
    return if_value(e, n, slot);
  case NODE_DERIVATIVE:
    return derivative_value(e, n, slot);
  case NODE_MEAN:
    return random_mean(e, n, slot);
  case NODE_INTEGRAL: /* its derivatives are not followed */
    if (e->duals.levels && evaluator_mentions(e, n, slot))
      return literal(e, NUMBER_UNKNOWN);
    return literal(e, integrand_value(e, n, slot));
  case NODE_RANDOM:
    evaluator_fail(e, STATUS_BAD_INPUT, n->place, n->name, " is random: it means something below a mean only, in a polynomial");
    return literal(e, NUMBER_UNKNOWN);
  default:
    memory_die("a formula stands where a value belongs");
  }
}

truth evaluator_compare(evaluator *e, relation r, number a, number b)
{
  if (!number_is_defined(a) || !number_is_defined(b))
    return a == NUMBER_UNDEFINED || b == NUMBER_UNDEFINED ? TRUTH_UNDEFINED : TRUTH_UNKNOWN;
  int order = number_compare(e->numbers, a, b);
  if (order == NUMBER_OPEN)
    return TRUTH_OPEN;
  bool holds = r == RELATION_LESS            ? order < 0
               : r == RELATION_LESS_EQUAL    ? order <= 0
               : r == RELATION_EQUAL         ? order == 0
               : r == RELATION_NOT_EQUAL     ? order != 0
               : r == RELATION_GREATER_EQUAL ? order >= 0
                                             : order > 0;
  return holds ? TRUTH_TRUE : TRUTH_FALSE;
}

/* A chain of comparisons, as the conjunction of its links. */
static decision compare(evaluator *e, const node *n, int64_t *slot)
{
  decision all = {TRUTH_TRUE, 0, 0, 0, true};
  const dual *a = evaluator_value_of(e, n->child[0], slot);
  for (unsigned i = 0; i + 1 < n->children && !settles_and(all.value); i++) {
    const dual *b = evaluator_value_of(e, n->child[i + 1], slot);
    number x = dual_value(a), y = dual_value(b);
    decision link = {evaluator_compare(e, n->relations[i], x, y), 0, 0, 0, true};
    if (!a->shape || a->shape != b->shape) { /* else it holds or not whatever the variables are */
      link.literal = a->literal && b->literal;
      link.edge = a->jumps | b->jumps;
      link.depends = a->depends | b->depends | link.edge;
    }
    if (link.depends && number_is_defined(x) && number_is_defined(y)) {
      int order = number_compare(e->numbers, x, y);
      link.edge |= order == 0 ? link.depends : 0;
      link.maybe |= order == NUMBER_OPEN ? link.depends : 0;
    }
    all = connect(all, link, truth_and(all.value, link.value));
    a = b;
  }
  return all;
}

static decision if_truth(evaluator *e, const node *n, int64_t *slot)
{
  decision c = evaluator_truth_of(e, n->child[0], slot);
  if (c.value == TRUTH_UNDEFINED || c.value == TRUTH_UNKNOWN)
    return c;
  decision a = c.value != TRUTH_FALSE ? evaluator_truth_of(e, n->child[1], slot) : c;
  decision b = c.value != TRUTH_TRUE ? evaluator_truth_of(e, n->child[2], slot) : c;
  if (c.value != TRUTH_OPEN)
    return c.value == TRUTH_TRUE ? connect(c, a, a.value) : connect(c, b, b.value);
  bool defined = a.value != TRUTH_UNKNOWN && a.value != TRUTH_UNDEFINED && b.value != TRUTH_UNKNOWN &&
                 b.value != TRUTH_UNDEFINED;
  truth value = a.value == b.value ? a.value : defined ? TRUTH_OPEN : TRUTH_UNKNOWN;
  return connect(c, connect(a, b, value), value);
}

decision evaluator_truth_of(evaluator *e, const node *n, int64_t *slot)
{
  decision a = {TRUTH_UNKNOWN, 0, 0, 0, false};
  if (!evaluator_may_go_on(e, n))
    return a;
  folding f = {.n = n, .slot = slot};
  switch (n->kind) {
  case NODE_COMPARE:
    return compare(e, n, slot);
  case NODE_LET:
    return evaluator_find_element(e, n, slot).truth;
  case NODE_NOT:
    a = evaluator_truth_of(e, n->child[0], slot);
    a.value = truth_not(a.value);
    return a;
  case NODE_AND:
  case NODE_OR:
  case NODE_IMPLIES: { /* a or b = not (not a and not b); a implies b = not (a and not b) */
    a = evaluator_truth_of(e, n->child[0], slot);
    if (settles_and(n->kind == NODE_OR ? truth_not(a.value) : a.value)) {
      a.value = n->kind == NODE_IMPLIES ? truth_not(a.value) : a.value;
      return a;
    }
    decision b = evaluator_truth_of(e, n->child[1], slot);
    return connect(a, b, n->kind == NODE_AND ? truth_and(a.value, b.value)
                         : n->kind == NODE_OR ? truth_or(a.value, b.value) : truth_implies(a.value, b.value));
  }
  case NODE_IF:
    return if_truth(e, n, slot);
  case NODE_FOLD:
    f.truth = (decision){n->fold == FOLD_FORALL ? TRUTH_TRUE : TRUTH_FALSE, 0, 0, 0, true};
    fold_ranges(e, &f, 0);
    return f.truth;
  default:
    memory_die("a value stands where a formula belongs");
  }
}

evaluator *evaluator_create(diag *d, const claim *c, const instance *x, const match *m, slong max_precision)
{
  evaluator *e = memory_new(1, sizeof *e);
  e->d = d;
  e->c = c;
  e->x = x;
  e->m = m;
  e->numbers = numbers_create(max_precision > 0 ? max_precision : LIMIT_PRECISION);
  duals_init(&e->duals, e->numbers);
  key_map_init(&e->given);
  key_map_init(&e->defined);
  key_map_init(&e->lists);
  key_map_init(&e->mentions);
  key_map_init(&e->ifs);
  random_init(e);
  for (size_t i = 0; i < m->count; i++) {
    const match_element *g = &m->element[i];
    unsigned positions = c->given[g->given].positions;
    uint64_t key[LIMIT_BINDERS + 1] = {g->given};
    if (positions)
      memcpy(key + 1, g->indices, positions * sizeof *key);
    key_map_set(&e->given, key, positions + 1, (uint32_t)i);
  }
  return e;
}

void evaluator_destroy(evaluator *e)
{
  duals_clear(&e->duals);
  numbers_destroy(e->numbers);
  key_map_clear(&e->given);
  key_map_clear(&e->defined);
  key_map_clear(&e->lists);
  key_map_clear(&e->mentions);
  key_map_clear(&e->ifs);
  random_clear(e);
  free(e->element);
  free(e);
}

truth evaluator_truth(evaluator *e, const node *formula, int64_t *slots)
{
  decision r = evaluator_truth_of(e, formula, slots);
  return e->status == STATUS_OK ? r.value : TRUTH_UNKNOWN;
}

number evaluator_value(evaluator *e, const node *expression, int64_t *slots)
{
  const dual *r = evaluator_value_of(e, expression, slots);
  return e->status == STATUS_OK ? dual_value(r) : NUMBER_UNKNOWN;
}

numbers *evaluator_numbers(evaluator *e)
{
  return e->numbers;
}

assay_status evaluator_status(const evaluator *e)
{
  return e->status;
}
