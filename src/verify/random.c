/* Expectations: what stands below a `mean` is a polynomial in random elements whose coefficients are numbers of the judge,
 * with their derivatives. It is multiplied out term by term; the expectation of a monomial comes from integration by
 * parts, E[g f] = v E[df/dg] for a variable g of variance v (Stein). */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "verify/evaluate_internal.h"

/* The value of a polynomial that has no random element in it; NULL, with a message at n, where it has. */
static const dual *free_of_random(evaluator *e, const polynomial *p, const node *n, const char *what)
{
  const dual *value = dual_literal(&e->duals, NUMBER_ZERO);
  for (unsigned i = 0; i < p->terms; i++) {
    if (p->term[i].factors) {
      evaluator_fail(e, STATUS_BAD_INPUT, n->place, what, " of a random value is no polynomial in it");
      return NULL;
    }
    value = p->term[i].coefficient;
  }
  return value;
}

/* ---- which expressions reach a random element ---- */

static bool reaches(const evaluator *e, const node *n)
{
  if (n->kind == NODE_RANDOM || (n->kind == NODE_LET && e->random.let[n->symbol]))
    return true;
  if (n->kind == NODE_MEAN || n->kind == NODE_LET || n->kind == NODE_GIVEN)
    return false;
  for (unsigned i = 0; i < n->children; i++)
    if (reaches(e, n->child[i]))
      return true;
  return false;
}

void random_init(evaluator *e)
{
  key_map_init(&e->random.variable);
  key_map_init(&e->random.element);
  e->random.let = memory_new(e->c->lets, sizeof *e->random.let);
  bool grows = e->c->randoms > 0;
  while (grows) {
    grows = false;
    for (unsigned i = 0; i < e->c->lets; i++)
      for (unsigned l = 0; l < e->c->let[i].lines && !e->random.let[i]; l++)
        grows |= e->random.let[i] = reaches(e, e->c->let[i].line[l].body);
  }
}

void random_clear(evaluator *e)
{
  key_map_clear(&e->random.variable);
  key_map_clear(&e->random.element);
  free(e->random.let);
  free(e->random.variance);
  free(e->random.polynomial);
}

/* ---- expressions ---- */

static const polynomial *polynomial_of(evaluator *e, const node *n, int64_t *slot);

/* The line of a random family that declares the element; binds `slot`. NULL with a message: none, or two. */
static const node *variance_of(evaluator *e, const node *n, const int64_t *index, int64_t *slot)
{
  const claim_random *r = &e->c->random[n->symbol];
  int64_t other[LIMIT_BINDERS];
  const node *found = NULL;
  for (unsigned l = 0; l < r->lines && e->status == STATUS_OK; l++) {
    if (!evaluator_line_defines(e, r->line[l].position, r->positions, index, found ? other : slot))
      continue;
    if (found)
      evaluator_fail_element(e, n, index, " is declared twice");
    found = r->line[l].variance;
  }
  if (!found)
    evaluator_fail_element(e, n, index, " is used, but not declared");
  return e->status == STATUS_OK ? found : NULL;
}

static const polynomial *random_element(evaluator *e, const node *n, const int64_t *slot)
{
  int64_t index[LIMIT_BINDERS], own[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 1] = {n->symbol};
  if (!evaluator_indices(e, index, n, slot))
    return expansion_unknown(e);
  memcpy(key + 1, index, n->children * sizeof *index);
  uint32_t at;
  if (!key_map_find(&e->random.variable, key, n->children + 1, &at)) {
    const node *variance = variance_of(e, n, index, own);
    if (!variance)
      return expansion_unknown(e);
    at = e->random.variables++;
    if (at == e->random.variable_room) {
      e->random.variable_room = at ? 2 * at : 16;
      e->random.variance = memory_resize(e->random.variance, e->random.variable_room, sizeof *e->random.variance);
    }
    e->random.variance[at].expression = variance;
    memcpy(e->random.variance[at].slot, own, sizeof own);
    key_map_set(&e->random.variable, key, n->children + 1, at);
  }
  gathering g;
  expansion_begin(e, &g);
  expansion_add(e, &g, 1, &(uint64_t){(uint64_t)at << 32 | 1}, dual_literal(&e->duals, NUMBER_ONE));
  return expansion_finish(&g);
}

/* All terms with coefficient 0, or undefined as theirs is: what has to be defined where a 0th power is. */
static const polynomial *zero_times(evaluator *e, const polynomial *p)
{
  const dual *one = dual_literal(&e->duals, NUMBER_ONE);
  gathering g;
  expansion_begin(e, &g);
  for (unsigned i = 0; i < p->terms; i++) {
    const dual *c = dual_apply(&e->duals, OP_SUBTRACT, dual_power(&e->duals, p->term[i].coefficient, 0), one);
    expansion_add(e, &g, p->term[i].factors, p->term[i].factor, c);
  }
  return expansion_finish(&g);
}

static const polynomial *power(evaluator *e, const node *n, int64_t *slot)
{
  const polynomial *base = polynomial_of(e, n->child[0], slot), *result = NULL;
  int64_t exponent;
  if (!evaluator_integer(e, &exponent, n->child[1], slot))
    return expansion_unknown(e);
  bool plain = base->terms == 1 && base->term[0].factors == 0;
  if (plain && exponent <= LIMIT_EXPONENT && exponent >= -LIMIT_EXPONENT)
    return expansion_constant(e, dual_power(&e->duals, base->term[0].coefficient, exponent));
  if (exponent < 0 || exponent > RANDOM_POWER) {
    evaluator_fail(e, exponent < 0 ? STATUS_BAD_INPUT : STATUS_UNABLE, n->place, "this power of a random value",
                   exponent < 0 ? " is no polynomial in it" : " is beyond the limit of 1000");
    return expansion_unknown(e);
  }
  result = expansion_constant(e, dual_literal(&e->duals, NUMBER_ONE));
  if (exponent == 0)
    return expansion_sum(e, result, zero_times(e, base), false);
  for (int64_t i = 0; i < exponent && e->status == STATUS_OK; i++)
    result = expansion_product(e, result, base);
  return result;
}

/* sum and prod; the other folds are no polynomials. A sum grows in one place, a product is made anew. */
static void fold(evaluator *e, const node *n, int64_t *slot, unsigned r, gathering *total, const polynomial **value)
{
  if (r == n->ranges) {
    const polynomial *next = polynomial_of(e, n->child[0], slot);
    if (n->fold == FOLD_SUM)
      expansion_add_all(e, total, next, false);
    else
      *value = expansion_product(e, *value, next);
    return;
  }
  int64_t low, high;
  if (!evaluator_integer(e, &low, n->range[r].low, slot) || !evaluator_integer(e, &high, n->range[r].high, slot))
    return;
  for (int64_t i = low; i <= high && evaluator_may_go_on(e, n); i++) {
    slot[n->range[r].slot] = i;
    fold(e, n, slot, r + 1, total, value);
    if (i == INT64_MAX)
      break;
  }
}

static const polynomial *fold_value(evaluator *e, const node *n, int64_t *slot)
{
  if (n->fold != FOLD_SUM && n->fold != FOLD_PRODUCT) {
    evaluator_fail(e, STATUS_BAD_INPUT, n->place, tree_fold_name(n->fold), " of random values is no polynomial in them");
    return expansion_unknown(e);
  }
  const polynomial *value = expansion_constant(e, dual_literal(&e->duals, NUMBER_ONE));
  gathering total;
  expansion_begin(e, &total);
  expansion_add(e, &total, 0, NULL, dual_literal(&e->duals, NUMBER_ZERO));
  fold(e, n, slot, 0, &total, &value);
  const polynomial *all = expansion_finish(&total);
  return n->fold == FOLD_SUM ? all : value;
}

/* The branch that is taken. Where the condition may change with a variable of differentiation, the derivatives of the
 * coefficients are not followed: unknown. */
static const polynomial *branch(evaluator *e, const node *n, int64_t *slot)
{
  decision c = evaluator_truth_of(e, n->child[0], slot);
  if (c.value == TRUTH_UNDEFINED)
    return expansion_constant(e, dual_literal(&e->duals, NUMBER_UNDEFINED));
  if ((c.value != TRUTH_TRUE && c.value != TRUTH_FALSE) || (!c.literal && e->duals.levels))
    return expansion_unknown(e);
  return polynomial_of(e, n->child[c.value == TRUTH_TRUE ? 1 : 2], slot);
}

/* A random element whose variance depends on the variable has no derivative of its own. */
static void refuse_variances(evaluator *e, const node *n, const polynomial *p, int level)
{
  int64_t slot[LIMIT_BINDERS];
  for (unsigned i = 0; i < p->terms; i++)
    for (unsigned k = 0; k < p->term[i].factors && e->status == STATUS_OK; k++) {
      uint32_t variable = (uint32_t)(p->term[i].factor[k] >> 32);
      memcpy(slot, e->random.variance[variable].slot, sizeof slot);
      if (evaluator_mentions(e, e->random.variance[variable].expression, slot) >> level & 1)
        evaluator_fail(e, STATUS_BAD_INPUT, n->place, "the variance of a random element in this depends on the variable",
                       "; take the derivative of the mean");
    }
}

static const polynomial *derivative(evaluator *e, const node *n, int64_t *slot)
{
  uint32_t outer;
  int level = evaluator_begin_derivative(e, n, slot, &outer);
  if (level < 0)
    return expansion_unknown(e);
  const polynomial *p = polynomial_of(e, n->child[0], slot);
  refuse_variances(e, n, p, level);
  evaluator_end_derivative(e, level, outer);
  gathering g;
  expansion_begin(e, &g);
  for (unsigned i = 0; i < p->terms; i++)
    expansion_add(e, &g, p->term[i].factors, p->term[i].factor, dual_derivative(&e->duals, p->term[i].coefficient, level));
  return expansion_finish(&g);
}

/* An element of a `let` as a polynomial, made once under each list of variables of differentiation. */
static const polynomial *let_element(evaluator *e, const node *n, const int64_t *slot)
{
  int64_t index[LIMIT_BINDERS], own[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 2] = {n->symbol, e->list};
  if (!evaluator_indices(e, index, n, slot))
    return expansion_unknown(e);
  memcpy(key + 2, index, n->children * sizeof *index);
  uint32_t at;
  if (key_map_find(&e->random.element, key, n->children + 2, &at)) {
    if (e->random.polynomial[at])
      return e->random.polynomial[at];
    evaluator_fail_element(e, n, index, " is used before it is defined");
    return expansion_unknown(e);
  }
  at = e->random.elements++;
  if (at == e->random.element_room) {
    e->random.element_room = at ? 2 * at : 16;
    e->random.polynomial = memory_resize(e->random.polynomial, e->random.element_room, sizeof *e->random.polynomial);
  }
  e->random.polynomial[at] = NULL;
  key_map_set(&e->random.element, key, n->children + 2, at);
  const node *body = evaluator_let_body(e, n, index, own);
  const polynomial *p = body ? polynomial_of(e, body, own) : expansion_unknown(e);
  return e->random.polynomial[at] = p;
}

static const polynomial *quotient(evaluator *e, const node *n, int64_t *slot)
{
  const polynomial *a = polynomial_of(e, n->child[0], slot);
  const dual *b = free_of_random(e, polynomial_of(e, n->child[1], slot), n->child[1], "a quotient");
  gathering g;
  if (!b)
    return expansion_unknown(e);
  expansion_begin(e, &g);
  for (unsigned i = 0; i < a->terms; i++)
    expansion_add(e, &g, a->term[i].factors, a->term[i].factor, dual_apply(&e->duals, OP_DIVIDE, a->term[i].coefficient, b));
  return expansion_finish(&g);
}

static const polynomial *polynomial_of(evaluator *e, const node *n, int64_t *slot)
{
  if (!evaluator_may_go_on(e, n))
    return expansion_unknown(e);
  if (!reaches(e, n))
    return expansion_constant(e, evaluator_value_of(e, n, slot));
  switch (n->kind) {
  case NODE_RANDOM:
    return random_element(e, n, slot);
  case NODE_LET:
    return let_element(e, n, slot);
  case NODE_NEGATE:
    return expansion_sum(e, expansion_constant(e, dual_literal(&e->duals, NUMBER_ZERO)), polynomial_of(e, n->child[0], slot), true);
  case NODE_ADD:
  case NODE_SUBTRACT: {
    const polynomial *a = polynomial_of(e, n->child[0], slot), *b = polynomial_of(e, n->child[1], slot);
    return expansion_sum(e, a, b, n->kind == NODE_SUBTRACT);
  }
  case NODE_MULTIPLY: {
    const polynomial *a = polynomial_of(e, n->child[0], slot), *b = polynomial_of(e, n->child[1], slot);
    return expansion_product(e, a, b);
  }
  case NODE_DIVIDE:
    return quotient(e, n, slot);
  case NODE_POWER:
    return power(e, n, slot);
  case NODE_FOLD:
    return fold_value(e, n, slot);
  case NODE_IF:
    return branch(e, n, slot);
  case NODE_DERIVATIVE:
    return derivative(e, n, slot);
  default:
    evaluator_fail(e, STATUS_BAD_INPUT, n->place, "what stands here", " is no polynomial in random elements");
    return expansion_unknown(e);
  }
}

/* ---- the expectation ---- */

/* The variance of a variable; undefined below 0. One of 0 may be below 0 nearby: unknown where it depends on a variable of
 * differentiation. */
static const dual *variance(evaluator *e, uint32_t variable)
{
  int64_t slot[LIMIT_BINDERS];
  memcpy(slot, e->random.variance[variable].slot, sizeof slot);
  const dual *v = evaluator_value_of(e, e->random.variance[variable].expression, slot);
  number value = dual_value(v);
  if (!number_is_defined(value))
    return dual_literal(&e->duals, value);
  int sign = number_sign(e->numbers, value);
  bool open = sign == NUMBER_OPEN || (sign == 0 && v->depends);
  return open       ? dual_literal(&e->duals, NUMBER_UNKNOWN)
         : sign < 0 ? dual_literal(&e->duals, NUMBER_UNDEFINED)
                    : v;
}

/* E[g^k] = (k - 1) v E[g^(k-2)] from E[1] = 1; E[g] = 0 where v is defined. */
static const dual *moment(evaluator *e, const dual *v, uint32_t k)
{
  if (k % 2)
    return dual_literal(&e->duals, number_is_defined(dual_value(v)) ? NUMBER_ZERO : dual_value(v));
  const dual *m = dual_literal(&e->duals, NUMBER_ONE);
  for (uint32_t i = 2; i <= k; i += 2) {
    const dual *odd = dual_literal(&e->duals, number_from_integer(e->numbers, i - 1));
    m = dual_apply(&e->duals, OP_MULTIPLY, dual_apply(&e->duals, OP_MULTIPLY, odd, v), m);
  }
  return m;
}

/* A coefficient times the moment of its monomial. One of an odd moment only has to be defined. */
static const dual *expectation(evaluator *e, const term *t)
{
  const dual *m = dual_literal(&e->duals, NUMBER_ONE);
  bool odd = false;
  for (unsigned i = 0; i < t->factors; i++) {
    odd |= t->factor[i] & 1;
    m = dual_apply(&e->duals, OP_MULTIPLY, m, moment(e, variance(e, (uint32_t)(t->factor[i] >> 32)), (uint32_t)t->factor[i]));
  }
  if (!odd)
    return dual_apply(&e->duals, OP_MULTIPLY, t->coefficient, m);
  const dual *part[] = {t->coefficient, m};
  number value = NUMBER_ZERO;
  for (unsigned i = 0; i < 2 && value != NUMBER_UNDEFINED; i++)
    value = number_is_defined(dual_value(part[i])) ? value : dual_value(part[i]);
  return dual_literal(&e->duals, value);
}

const dual *random_mean(evaluator *e, const node *n, int64_t *slot)
{
  const node *outer = e->random.mean;
  e->random.mean = n;
  e->random.place = n->place;
  const polynomial *p = polynomial_of(e, n->child[0], slot);
  const dual *total = dual_literal(&e->duals, NUMBER_ZERO);
  for (unsigned i = 0; i < p->terms && e->status == STATUS_OK; i++)
    total = dual_apply(&e->duals, OP_ADD, total, expectation(e, &p->term[i]));
  e->random.mean = outer;
  return total;
}

uint32_t random_mentions(evaluator *e, const node *n, const int64_t *slot)
{
  int64_t index[LIMIT_BINDERS], own[LIMIT_BINDERS];
  const node *variance = evaluator_indices(e, index, n, slot) ? variance_of(e, n, index, own) : NULL;
  return variance ? evaluator_mentions(e, variance, own) : 0;
}
