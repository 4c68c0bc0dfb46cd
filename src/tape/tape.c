/* Tapes: operations, each looked up before it is added, and what the claim says by them. */
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "tape/tape_internal.h"

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
  free(t->form);
  free(t->cancels);
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
  if (op <= TAPE_INTEGRAND)
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
  case TAPE_INTEGRAL:
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

unsigned tape_children(tape_id child[3], const tape_op *o)
{
  if (o->op == TAPE_INTEGRAND) {
    child[0] = o->b;
    return 1;
  }
  child[0] = o->a;
  child[1] = o->b;
  child[2] = o->c;
  return o->op == TAPE_INTEGRAL ? 3 : tape_operands((tape_opcode)o->op);
}

const char *tape_opcode_name(tape_opcode op)
{
  static const char *const names[TAPE_OPCODES] = {
      "constant", "input", "pi", "undefined", "truth", "random", "variable",
      "integrand", "negate", "add", "subtract", "multiply", "divide", "power",
      "zero", "spread", "min", "max", "abs", "sqrt", "cbrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan",
      "atan", "tanh", "erf", "sigmoid", "softplus", "silu", "gelu", "relu", "lambertw0", "select", "integral", "less",
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

/* Whether some RANDOM is below the operation. */
static bool is_random(const tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c)
{
  unsigned n = tape_operands(op);
  return op == TAPE_RANDOM || (n > 0 && t->op[a].random) || (n > 1 && t->op[b].random) || (n > 2 && t->op[c].random);
}

/* The variables that stand free in the operation. */
static uint8_t free_variables(const tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c)
{
  tape_id child[3];
  uint8_t bits = op == TAPE_VARIABLE ? (uint8_t)(1u << a) : 0;
  unsigned n = tape_children(child, &(tape_op){.op = (uint8_t)op, .a = a, .b = b, .c = c});
  for (unsigned k = 0; k < n; k++)
    bits |= t->op[child[k]].variables;
  return op == TAPE_INTEGRAND ? (uint8_t)(bits & ~(1u << a)) : bits;
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
  case TAPE_INTEGRAND:
    return t->op[b].total;
  case TAPE_INTEGRAL: /* what is total is continuous in the variable */
    return t->op[a].total && t->op[b].total && t->op[c].total;
  case TAPE_RANDOM: /* its variance may be undefined or below 0 */
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

tape_id tape_add_op(tape *t, tape_opcode op, tape_id a, tape_id b, tape_id c)
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
  t->op[t->ops] = (tape_op){.op = (uint8_t)op, .random = is_random(t, op, a, b, c), .total = is_total(t, op, a, b, c),
                           .variables = free_variables(t, op, a, b, c), .a = a, .b = b, .c = c};
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
      return tape_add_op(t, TAPE_CONSTANT, t->constant_table[k] - 1, TAPE_NONE, TAPE_NONE);
  t->constant = grow(t->constant, t->constants, &t->constant_capacity, sizeof *t->constant);
  fmpq_init(&t->constant[t->constants]);
  fmpq_set(&t->constant[t->constants], value);
  t->constant_table[k] = (uint32_t)++t->constants;
  return tape_add_op(t, TAPE_CONSTANT, (uint32_t)(t->constants - 1), TAPE_NONE, TAPE_NONE);
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
  return tape_add_op(t, TAPE_TRUTH, (uint32_t)value, TAPE_NONE, TAPE_NONE);
}

tape_id tape_leaf(tape *t, tape_opcode op, uint32_t a)
{
  return tape_add_op(t, op, a, TAPE_NONE, TAPE_NONE);
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
