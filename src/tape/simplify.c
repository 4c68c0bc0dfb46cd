/* The builder: operations simplified where that is exact and keeps what is defined. */
#include "tape/tape_internal.h"

/* Past this many bits a constant is not folded: the arithmetics have limits of their own. */
enum { FOLD_BITS = 4096 };

/* The rational value of a constant operation, or NULL. */
static const fmpq *constant_of(const tape *t, tape_id id)
{
  return t->op[id].op == TAPE_CONSTANT ? &t->constant[t->op[id].a] : NULL;
}

static bool is_integer(const tape *t, tape_id id, slong value)
{
  const fmpq *q = constant_of(t, id);
  return q && fmpz_is_one(fmpq_denref(q)) && fmpz_equal_si(fmpq_numref(q), value);
}

static bool is_small(const fmpq *q)
{
  return fmpz_bits(fmpq_numref(q)) + fmpz_bits(fmpq_denref(q)) <= FOLD_BITS;
}

static bool is_truth_constant(const tape *t, tape_id id, truth value)
{
  return t->op[id].op == TAPE_TRUTH && t->op[id].a == (uint32_t)value;
}

/* ---- simplifying constructors ---- */

static tape_id fold_unary(tape *t, tape_opcode op, const fmpq *x)
{
  fmpq_t r;
  fmpq_init(r);
  switch (op) {
  case TAPE_NEGATE:
    fmpq_neg(r, x);
    break;
  case TAPE_ABS:
    fmpq_abs(r, x);
    break;
  case TAPE_RELU:
    if (fmpq_sgn(x) > 0)
      fmpq_set(r, x);
    break;
  default: /* TAPE_ZERO: r is 0 */
    break;
  }
  tape_id id = tape_constant(t, r);
  fmpq_clear(r);
  return id;
}

tape_id tape_unary(tape *t, tape_opcode op, tape_id a)
{
  if (t->full)
    return 0;
  const tape_op *x = &t->op[a];
  if (op == TAPE_NOT) {
    if (x->op == TAPE_TRUTH)
      return tape_truth(t, truth_not((truth)x->a));
    if (x->op == TAPE_NOT)
      return x->a;
    return tape_add_op(t, op, a, TAPE_NONE, TAPE_NONE);
  }
  if (op == TAPE_DEFINED && x->total)
    return tape_truth(t, TRUTH_TRUE);
  if (op == TAPE_ZERO && x->total)
    return tape_integer(t, 0);
  if (op == TAPE_ZERO && x->op == TAPE_ZERO)
    return a;
  if (x->op == TAPE_UNDEFINED)
    return op == TAPE_DEFINED ? tape_truth(t, TRUTH_UNDEFINED) : a;
  const fmpq *q = constant_of(t, a);
  if (q && (op == TAPE_NEGATE || op == TAPE_ABS || op == TAPE_RELU || op == TAPE_ZERO))
    return fold_unary(t, op, q);
  if (op == TAPE_NEGATE && x->op == TAPE_NEGATE)
    return x->a;
  return tape_add_op(t, op, a, TAPE_NONE, TAPE_NONE);
}

/* Both operands are constants. */
static tape_id fold_binary(tape *t, tape_opcode op, const fmpq *x, const fmpq *y)
{
  int order = fmpq_cmp(x, y);
  switch (op) {
  case TAPE_LESS:
    return tape_truth(t, order < 0 ? TRUTH_TRUE : TRUTH_FALSE);
  case TAPE_LESS_EQUAL:
    return tape_truth(t, order <= 0 ? TRUTH_TRUE : TRUTH_FALSE);
  case TAPE_EQUAL:
    return tape_truth(t, order == 0 ? TRUTH_TRUE : TRUTH_FALSE);
  case TAPE_DIVIDE:
    if (fmpq_is_zero(y))
      return tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
    break;
  default:
    break;
  }
  fmpq_t r;
  fmpq_init(r);
  switch (op) {
  case TAPE_ADD:
    fmpq_add(r, x, y);
    break;
  case TAPE_SUBTRACT:
  case TAPE_SPREAD:
    fmpq_sub(r, x, y);
    break;
  case TAPE_MULTIPLY:
    fmpq_mul(r, x, y);
    break;
  case TAPE_DIVIDE:
    fmpq_div(r, x, y);
    break;
  case TAPE_MIN:
    fmpq_set(r, order <= 0 ? x : y);
    break;
  default: /* TAPE_MAX */
    fmpq_set(r, order <= 0 ? y : x);
    break;
  }
  tape_id id = tape_constant(t, r);
  fmpq_clear(r);
  return id;
}

static tape_id binary_value(tape *t, tape_opcode op, tape_id a, tape_id b)
{
  tape_opcode undefined = TAPE_UNDEFINED;
  if (t->op[a].op == undefined || t->op[b].op == undefined) {
    bool compares = op == TAPE_LESS || op == TAPE_LESS_EQUAL || op == TAPE_EQUAL;
    return compares ? tape_truth(t, TRUTH_UNDEFINED) : tape_leaf(t, undefined, TAPE_NONE);
  }
  const fmpq *x = constant_of(t, a), *y = constant_of(t, b);
  if (x && y && is_small(x) && is_small(y))
    return fold_binary(t, op, x, y);
  switch (op) {
  case TAPE_ADD:
    if (is_integer(t, a, 0))
      return b;
    if (is_integer(t, b, 0))
      return a;
    break;
  case TAPE_SUBTRACT:
    if (is_integer(t, b, 0))
      return a;
    if (is_integer(t, a, 0))
      return tape_unary(t, TAPE_NEGATE, b);
    if (a == b)
      return tape_unary(t, TAPE_ZERO, a);
    break;
  case TAPE_SPREAD:
    if (a == b)
      return tape_unary(t, TAPE_ZERO, a);
    break;
  case TAPE_MULTIPLY:
    if (is_integer(t, a, 1))
      return b;
    if (is_integer(t, b, 1))
      return a;
    break;
  case TAPE_DIVIDE:
    if (is_integer(t, b, 1))
      return a;
    if (is_integer(t, b, 0))
      return tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
    break;
  case TAPE_MIN:
  case TAPE_MAX:
    if (a == b)
      return a;
    break;
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL:
    if (a == b)
      return tape_unary(t, TAPE_DEFINED, a);
    break;
  case TAPE_LESS:
    if (a == b)
      return tape_unary(t, TAPE_NOT, tape_unary(t, TAPE_DEFINED, a));
    break;
  default:
    break;
  }
  /* One form for what does not depend on the order of its operands. */
  bool commutes = op == TAPE_ADD || op == TAPE_MULTIPLY || op == TAPE_EQUAL;
  return commutes && a > b ? tape_add_op(t, op, b, a, TAPE_NONE) : tape_add_op(t, op, a, b, TAPE_NONE);
}

tape_id tape_binary(tape *t, tape_opcode op, tape_id a, tape_id b)
{
  if (t->full)
    return 0;
  switch (op) {
  case TAPE_AND:
    if (is_truth_constant(t, a, TRUTH_TRUE))
      return b;
    if (is_truth_constant(t, a, TRUTH_FALSE) || is_truth_constant(t, a, TRUTH_UNDEFINED) ||
        is_truth_constant(t, b, TRUTH_TRUE) || a == b)
      return a;
    return tape_add_op(t, op, a, b, TAPE_NONE);
  case TAPE_OR:
    if (is_truth_constant(t, a, TRUTH_FALSE))
      return b;
    if (is_truth_constant(t, a, TRUTH_TRUE) || is_truth_constant(t, a, TRUTH_UNDEFINED) ||
        is_truth_constant(t, b, TRUTH_FALSE) || a == b)
      return a;
    return tape_add_op(t, op, a, b, TAPE_NONE);
  case TAPE_IMPLIES:
    return tape_binary(t, TAPE_OR, tape_unary(t, TAPE_NOT, a), b);
  default:
    return binary_value(t, op, a, b);
  }
}

tape_id tape_power(tape *t, tape_id a, int32_t exponent)
{
  if (t->full)
    return 0;
  if (t->op[a].op == TAPE_UNDEFINED || exponent == 1)
    return a;
  if (exponent == 0 && t->op[a].total)
    return tape_integer(t, 1);
  const fmpq *x = constant_of(t, a);
  if (x) {
    if (fmpq_is_zero(x) && exponent < 0)
      return tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
    uint64_t bits = fmpz_bits(fmpq_numref(x)) + fmpz_bits(fmpq_denref(x));
    uint64_t size = (uint64_t)(exponent < 0 ? -(int64_t)exponent : exponent);
    if (size <= FOLD_BITS && bits * size <= FOLD_BITS) {
      fmpq_t r;
      fmpq_init(r);
      fmpq_pow_si(r, x, exponent);
      tape_id id = tape_constant(t, r);
      fmpq_clear(r);
      return id;
    }
  }
  return tape_add_op(t, TAPE_POWER, a, (uint32_t)exponent, TAPE_NONE);
}

tape_id tape_select(tape *t, tape_opcode op, tape_id condition, tape_id a, tape_id b)
{
  if (t->full)
    return 0;
  if (is_truth_constant(t, condition, TRUTH_TRUE))
    return a;
  if (is_truth_constant(t, condition, TRUTH_FALSE))
    return b;
  if (is_truth_constant(t, condition, TRUTH_UNDEFINED))
    return op == TAPE_SELECT ? tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE) : condition;
  /* With a = b it is not a: on the boundary of its condition it has no derivative. */
  return tape_add_op(t, op, a, b, condition);
}
