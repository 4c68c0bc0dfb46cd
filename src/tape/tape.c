/* The builder of tapes: every operation is looked up before it is added, and simplified where that is exact. */
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"

/* Past this many bits a constant is not folded: the arithmetics have limits of their own. */
enum { FOLD_BITS = 4096 };

tape *tape_create(size_t limit)
{
  tape *t = memory_new(1, sizeof *t);
  t->limit = limit < UINT32_MAX - 1 ? limit : UINT32_MAX - 2;
  return t;
}

void tape_destroy(tape *t)
{
  if (!t)
    return;
  for (size_t i = 0; i < t->constants; i++)
    fmpq_clear(&t->constant[i]);
  for (size_t i = 0; i < t->elements; i++)
    free(t->element[i].name);
  free(t->op);
  free(t->constant);
  free(t->element);
  free(t->label);
  free(t->atom);
  free(t->index_name);
  free(t->index_value);
  free(t->table);
  free(t->constant_table);
  free(t);
}

static void *grow(void *array, size_t used, size_t *capacity, size_t size)
{
  if (used < *capacity)
    return array;
  *capacity = *capacity ? memory_multiply(*capacity, 2) : 64;
  return memory_resize(array, *capacity, size);
}

bool tape_is_truth(tape_opcode op)
{
  return op == TAPE_TRUTH || (op >= TAPE_LESS && op <= TAPE_CHOOSE);
}

unsigned tape_operands(tape_opcode op)
{
  if (op <= TAPE_UNDEFINED || op == TAPE_TRUTH)
    return 0;
  switch (op) {
  case TAPE_SELECT:
  case TAPE_CHOOSE:
    return 3;
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
  case TAPE_SPREAD:
  case TAPE_MIN:
  case TAPE_MAX:
  case TAPE_LESS:
  case TAPE_LESS_EQUAL:
  case TAPE_EQUAL:
  case TAPE_AND:
  case TAPE_OR:
  case TAPE_IMPLIES:
    return 2;
  default:
    return 1;
  }
}

const char *tape_opcode_name(tape_opcode op)
{
  static const char *const names[TAPE_OPCODES] = {
      "constant", "input", "pi", "undefined", "truth", "negate", "add", "subtract", "multiply", "divide", "power",
      "zero", "spread", "min", "max", "abs", "sqrt", "cbrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan",
      "atan", "tanh", "erf", "sigmoid", "softplus", "silu", "gelu", "relu", "lambertw0", "select", "less",
      "less-equal", "equal", "defined", "not", "and", "or", "implies", "choose"};
  return op < TAPE_OPCODES ? names[op] : "?";
}

/* ---- looking up ---- */

static uint64_t mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  h ^= h >> 32;
  return h;
}

static uint64_t hash_op(uint8_t op, tape_id a, tape_id b, tape_id c)
{
  return mix(mix((uint64_t)a << 32 | b) + ((uint64_t)c << 8 | op));
}

static void grow_table(tape *t)
{
  size_t size = t->table_size ? memory_multiply(t->table_size, 2) : 256;
  free(t->table);
  t->table = memory_new(size, sizeof *t->table);
  t->table_size = size;
  for (size_t i = 0; i < t->ops; i++) {
    const tape_op *o = &t->op[i];
    size_t k = hash_op(o->op, o->a, o->b, o->c) & (size - 1);
    while (t->table[k])
      k = (k + 1) & (size - 1);
    t->table[k] = (uint32_t)i + 1;
  }
}

/* Whether the operation is certain to be defined, given that of its operands. */
static bool is_total(const tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c)
{
  switch (op) {
  case TAPE_CONSTANT:
  case TAPE_INPUT:
  case TAPE_PI:
    return true;
  case TAPE_TRUTH:
    return a != TRUTH_UNDEFINED;
  case TAPE_UNDEFINED:
  case TAPE_DIVIDE:
  case TAPE_SQRT:
  case TAPE_LOG:
  case TAPE_LOG1P:
  case TAPE_TAN:
  case TAPE_LAMBERTW0:
    return false;
  case TAPE_POWER:
    return t->op[a].total && (int32_t)b >= 0;
  default:
    break;
  }
  unsigned n = tape_operands(op);
  return (n < 1 || t->op[a].total) && (n < 2 || t->op[b].total) && (n < 3 || t->op[c].total);
}

static tape_id add_op(tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c)
{
  if (t->full)
    return 0;
  if (2 * (t->ops + 1) > t->table_size)
    grow_table(t);
  size_t k = hash_op((uint8_t)op, a, b, c) & (t->table_size - 1);
  for (; t->table[k]; k = (k + 1) & (t->table_size - 1)) {
    const tape_op *o = &t->op[t->table[k] - 1];
    if (o->op == op && o->a == a && o->b == b && o->c == c)
      return t->table[k] - 1;
  }
  if (t->ops >= t->limit) {
    t->full = true;
    return 0;
  }
  t->op = grow(t->op, t->ops, &t->op_capacity, sizeof *t->op);
  t->op[t->ops] = (tape_op){(uint8_t)op, is_total(t, op, a, b, c), a, b, c};
  t->table[k] = (uint32_t)++t->ops;
  return (tape_id)(t->ops - 1);
}

/* ---- constants ---- */

static uint64_t hash_constant(const fmpq_t x)
{
  /* The residues of numerator and denominator by a prime of 31 bits: stable, and cheap for small numbers. */
  ulong p = fmpz_fdiv_ui(fmpq_numref(x), 2147483647u), q = fmpz_fdiv_ui(fmpq_denref(x), 2147483647u);
  return mix((uint64_t)p << 32 | q);
}

static void grow_constant_table(tape *t)
{
  size_t size = t->constant_table_size ? memory_multiply(t->constant_table_size, 2) : 64;
  free(t->constant_table);
  t->constant_table = memory_new(size, sizeof *t->constant_table);
  t->constant_table_size = size;
  for (size_t i = 0; i < t->constants; i++) {
    size_t k = hash_constant(&t->constant[i]) & (size - 1);
    while (t->constant_table[k])
      k = (k + 1) & (size - 1);
    t->constant_table[k] = (uint32_t)i + 1;
  }
}

tape_id tape_constant(tape *t, const fmpq_t value)
{
  if (2 * (t->constants + 1) > t->constant_table_size)
    grow_constant_table(t);
  size_t k = hash_constant(value) & (t->constant_table_size - 1);
  for (; t->constant_table[k]; k = (k + 1) & (t->constant_table_size - 1))
    if (fmpq_equal(&t->constant[t->constant_table[k] - 1], value))
      return add_op(t, TAPE_CONSTANT, t->constant_table[k] - 1, TAPE_NONE, TAPE_NONE);
  t->constant = grow(t->constant, t->constants, &t->constant_capacity, sizeof *t->constant);
  fmpq_init(&t->constant[t->constants]);
  fmpq_set(&t->constant[t->constants], value);
  t->constant_table[k] = (uint32_t)++t->constants;
  return add_op(t, TAPE_CONSTANT, (uint32_t)(t->constants - 1), TAPE_NONE, TAPE_NONE);
}

tape_id tape_integer(tape *t, int64_t value)
{
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_si(q, value, 1);
  tape_id id = tape_constant(t, q);
  fmpq_clear(q);
  return id;
}

tape_id tape_truth(tape *t, truth value)
{
  return add_op(t, TAPE_TRUTH, (uint32_t)value, TAPE_NONE, TAPE_NONE);
}

tape_id tape_leaf(tape *t, tape_opcode op, uint32_t a)
{
  return add_op(t, op, a, TAPE_NONE, TAPE_NONE);
}

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
    return add_op(t, op, a, TAPE_NONE, TAPE_NONE);
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
  return add_op(t, op, a, TAPE_NONE, TAPE_NONE);
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
  return commutes && a > b ? add_op(t, op, b, a, TAPE_NONE) : add_op(t, op, a, b, TAPE_NONE);
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
    return add_op(t, op, a, b, TAPE_NONE);
  case TAPE_OR:
    if (is_truth_constant(t, a, TRUTH_FALSE))
      return b;
    if (is_truth_constant(t, a, TRUTH_TRUE) || is_truth_constant(t, a, TRUTH_UNDEFINED) ||
        is_truth_constant(t, b, TRUTH_FALSE) || a == b)
      return a;
    return add_op(t, op, a, b, TAPE_NONE);
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
  return add_op(t, TAPE_POWER, a, (uint32_t)exponent, TAPE_NONE);
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
  return add_op(t, op, a, b, condition);
}

/* ---- what the claim says ---- */

void tape_add_element(tape *t, tape_element e)
{
  t->element = grow(t->element, t->elements, &t->element_capacity, sizeof *t->element);
  t->element[t->elements++] = e;
}

bool tape_is_drawn(const tape *t, size_t e)
{
  const tape_op *o = &t->op[t->element[e].op];
  return o->op == TAPE_INPUT && o->a == e;
}

uint32_t tape_add_atom(tape *t, tape_atom atom, const char *const *names, const int64_t *values, uint32_t indices)
{
  atom.indices = indices;
  atom.first_index = (uint32_t)t->indices;
  for (uint32_t i = 0; i < indices; i++) {
    if (t->indices == t->index_capacity) {
      size_t capacity = t->index_capacity;
      t->index_name = grow(t->index_name, t->indices, &capacity, sizeof *t->index_name);
      t->index_value = grow(t->index_value, t->indices, &t->index_capacity, sizeof *t->index_value);
    }
    t->index_name[t->indices] = names[i];
    t->index_value[t->indices++] = values[i];
  }
  t->atom = grow(t->atom, t->atoms, &t->atom_capacity, sizeof *t->atom);
  t->atom[t->atoms] = atom;
  return (uint32_t)t->atoms++;
}

void tape_add_label(tape *t, tape_label label)
{
  t->label = grow(t->label, t->labels, &t->label_capacity, sizeof *t->label);
  t->label[t->labels++] = label;
}

tape_id tape_hypotheses(tape *t)
{
  tape_id all = tape_truth(t, TRUTH_TRUE);
  for (size_t i = 0; i < t->labels; i++)
    if (t->label[i].kind == TAPE_RANGE || t->label[i].kind == TAPE_ASSUME)
      all = tape_binary(t, TAPE_AND, all, t->label[i].truth);
  return all;
}
