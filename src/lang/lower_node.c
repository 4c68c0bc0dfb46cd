/* Lowering of expressions: references, arithmetic, functions, truth. */
#include <stdarg.h>
#include <stdlib.h>

#include "core/memory.h"
#include "lang/lowering.h"

void lowering_fail(lowering *l, diag_place place, const char *format, ...)
{
  if (!l->failed) {
    text message;
    text_init(&message);
    va_list args;
    va_start(args, format);
    char buffer[1024];
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    text_add(&message, buffer);
    for (unsigned i = 0; i < l->c->sizes; i++)
      text_addf(&message, "%s%s = %lld", i ? ", " : " (at ", l->c->size[i].name, (long long)l->sizes[i]);
    if (l->c->sizes)
      text_add(&message, ")");
    diag_error(l->d, place, "%s", text_string(&message));
    text_clear(&message);
  }
  l->failed = true;
}

int64_t lowering_integer(lowering *l, const node *n)
{
  int64_t value = 0;
  if (!tree_integer(&value, n, l->sizes, l->index))
    lowering_fail(l, n->place, "this index expression has no value in 64 bits");
  return value;
}

static bool is_random(const lowering *l, tape_id id)
{
  return !l->failed && l->t->op[id].random;
}

tape_id lowering_certain(lowering *l, const node *n, const char *what)
{
  tape_id id = lowering_node(l, n);
  if (is_random(l, id))
    lowering_fail(l, n->place, "%s cannot be random: what is random has to stand within mean(...)", what);
  return l->failed ? 0 : id;
}

tape_id lowering_side(lowering *l, const node *n)
{
  tape_id id = lowering_certain(l, n, "a side of a comparison");
  if (!l->failed && l->t->op[id].variables)
    lowering_fail(l, n->place, "a side of a comparison cannot depend on the variable of an integral (min, max, abs and relu may)");
  return l->failed ? 0 : id;
}

tape_id lowering_compare(lowering *l, relation r, tape_id left, tape_id right)
{
  if (!l->failed)
    tape_cancel_signs(l->t, &left, &right);
  switch (r) {
  case RELATION_LESS:
    return tape_binary(l->t, TAPE_LESS, left, right);
  case RELATION_LESS_EQUAL:
    return tape_binary(l->t, TAPE_LESS_EQUAL, left, right);
  case RELATION_EQUAL:
    return tape_binary(l->t, TAPE_EQUAL, left, right);
  case RELATION_NOT_EQUAL:
    return tape_unary(l->t, TAPE_NOT, tape_binary(l->t, TAPE_EQUAL, left, right));
  case RELATION_GREATER_EQUAL:
    return tape_binary(l->t, TAPE_LESS_EQUAL, right, left);
  default:
    return tape_binary(l->t, TAPE_LESS, right, left);
  }
}

static tape_id lower_chain(lowering *l, const node *n)
{
  tape_id all = tape_truth(l->t, TRUTH_TRUE), left = lowering_side(l, n->child[0]);
  for (unsigned i = 1; i < n->children && !l->failed; i++) {
    tape_id right = lowering_side(l, n->child[i]);
    if (l->failed)
      break;
    all = tape_binary(l->t, TAPE_AND, all, lowering_compare(l, n->relations[i - 1], left, right));
    left = right;
  }
  return all;
}

/* A^e. Powers of one base climb by products, so that A^(t-1) for t = 1..T costs T operations. */
static tape_id lower_power(lowering *l, const node *n)
{
  tape_id base = lowering_node(l, n->child[0]);
  int64_t e = lowering_integer(l, n->child[1]);
  if (l->failed)
    return 0;
  if (e > LIMIT_EXPONENT || e < -LIMIT_EXPONENT) {
    lowering_fail(l, n->child[1]->place, "the exponent %lld is past the limit of %d", (long long)e, LIMIT_EXPONENT);
    return 0;
  }
  if (e < 0 && is_random(l, base)) {
    lowering_fail(l, n->child[1]->place,
                  "the exponent %lld makes this no polynomial in the random elements, and mean takes nothing else",
                  (long long)e);
    return 0;
  }
  uint64_t key[3] = {MEMO_POWER, base, (uint64_t)e};
  uint32_t id;
  if (key_map_find(&l->memo, key, 3, &id))
    return id;
  uint64_t below[3] = {MEMO_POWER, base, (uint64_t)(e - 1)};
  if (e == 2)
    id = tape_binary(l->t, TAPE_MULTIPLY, base, base);
  else if (e > 2 && key_map_find(&l->memo, below, 3, &id))
    id = tape_binary(l->t, TAPE_MULTIPLY, id, base);
  else
    id = tape_power(l->t, base, (int32_t)e);
  key_map_set(&l->memo, key, 3, id);
  return id;
}

static const tape_opcode opcode_of_function[FUNCTION_COUNT] = {
    [FUNCTION_ABS] = TAPE_ABS,         [FUNCTION_MIN] = TAPE_MIN,           [FUNCTION_MAX] = TAPE_MAX,
    [FUNCTION_SQRT] = TAPE_SQRT,       [FUNCTION_CBRT] = TAPE_CBRT,         [FUNCTION_EXP] = TAPE_EXP,
    [FUNCTION_EXPM1] = TAPE_EXPM1,     [FUNCTION_LOG] = TAPE_LOG,           [FUNCTION_LOG1P] = TAPE_LOG1P,
    [FUNCTION_SIN] = TAPE_SIN,         [FUNCTION_COS] = TAPE_COS,           [FUNCTION_TAN] = TAPE_TAN,
    [FUNCTION_ATAN] = TAPE_ATAN,       [FUNCTION_TANH] = TAPE_TANH,         [FUNCTION_ERF] = TAPE_ERF,
    [FUNCTION_SIGMOID] = TAPE_SIGMOID, [FUNCTION_SOFTPLUS] = TAPE_SOFTPLUS, [FUNCTION_SILU] = TAPE_SILU,
    [FUNCTION_GELU] = TAPE_GELU,       [FUNCTION_RELU] = TAPE_RELU,         [FUNCTION_LAMBERTW0] = TAPE_LAMBERTW0};

static tape_id lower_call(lowering *l, const node *n)
{
  tape_opcode op = opcode_of_function[n->function];
  tape_id result = 0;
  for (unsigned i = 0; i < n->children && !l->failed; i++) {
    tape_id x = lowering_node(l, n->child[i]);
    if (is_random(l, x))
      lowering_fail(l, n->place, "'%s' of a random value is no polynomial in the random elements, and mean takes "
                                 "nothing else", tree_function_name(n->function));
    else if (!l->failed)
      result = i ? tape_binary(l->t, op, result, x) : op == TAPE_MIN || op == TAPE_MAX ? x : tape_unary(l->t, op, x);
  }
  return result;
}

/* Both branches are lowered unless the condition is decided by the sizes and indices alone. */
static tape_id lower_if(lowering *l, const node *n)
{
  tape_id condition = lowering_node(l, n->child[0]);
  if (l->failed)
    return 0;
  const tape_op *o = &l->t->op[condition];
  if (o->op == TAPE_TRUTH && o->a == TRUTH_TRUE)
    return lowering_node(l, n->child[1]);
  if (o->op == TAPE_TRUTH && o->a == TRUTH_FALSE)
    return lowering_node(l, n->child[2]);
  tape_id yes = lowering_node(l, n->child[1]), no = lowering_node(l, n->child[2]);
  return tape_select(l->t, n->type == TYPE_TRUTH ? TAPE_CHOOSE : TAPE_SELECT, condition, yes, no);
}

/* The right side is not lowered when the left one is decided by the sizes and indices alone. */
static tape_id lower_connective(lowering *l, const node *n)
{
  tape_opcode op = n->kind == NODE_AND ? TAPE_AND : n->kind == NODE_OR ? TAPE_OR : TAPE_IMPLIES;
  tape_id left = lowering_node(l, n->child[0]);
  if (l->failed)
    return 0;
  const tape_op *o = &l->t->op[left];
  if (o->op == TAPE_TRUTH && o->a == (n->kind == NODE_OR ? TRUTH_TRUE : TRUTH_FALSE))
    return n->kind == NODE_IMPLIES ? tape_truth(l->t, TRUTH_TRUE) : left;
  tape_id right = lowering_node(l, n->child[1]);
  return tape_binary(l->t, op, left, right);
}

/* Operations to walk through, each once. */
typedef struct {
  char *seen;
  tape_id *waiting;
  size_t count, capacity;
} op_walk;

static void walk_add(op_walk *w, tape_id id)
{
  if (w->seen[id])
    return;
  w->seen[id] = 1;
  if (w->count == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 64;
    w->waiting = memory_resize(w->waiting, w->capacity, sizeof *w->waiting);
  }
  w->waiting[w->count++] = id;
}

/* Whether a random element of y has a variance that depends on x. */
static bool variance_depends(const lowering *l, tape_id y, tape_id x)
{
  const tape *t = l->t;
  op_walk through = {.seen = memory_new(t->ops, 1)}, variances = {.seen = memory_new(t->ops, 1)};
  tape_id child[3];
  walk_add(&through, y);
  while (through.count) {
    const tape_op *o = &t->op[through.waiting[--through.count]];
    unsigned n = tape_children(child, o);
    for (unsigned i = 0; i < n; i++)
      if (t->op[child[i]].random)
        walk_add(&through, child[i]);
    if (o->op == TAPE_RANDOM)
      walk_add(&variances, l->variance[o->a]);
  }
  while (variances.count) {
    unsigned n = tape_children(child, &t->op[variances.waiting[--variances.count]]);
    for (unsigned i = 0; i < n; i++)
      walk_add(&variances, child[i]);
  }
  bool found = variances.seen[x];
  free(through.seen);
  free(through.waiting);
  free(variances.seen);
  free(variances.waiting);
  return found;
}

static tape_id lower_derivative(lowering *l, const node *n)
{
  tape_id y = lowering_node(l, n->child[0]), x = lowering_node(l, n->child[1]);
  if (is_random(l, y) && variance_depends(l, y, x))
    lowering_fail(l, n->place, "the variance of a random element in this depends on '%s'; take the derivative of the mean",
                  n->child[1]->name);
  return l->failed ? 0 : tape_derivative(l->t, l->derivatives, y, x);
}

static tape_id lower_mean(lowering *l, const node *n)
{
  tape_id y = lowering_node(l, n->child[0]);
  if (!is_random(l, y))
    return l->failed ? 0 : y;
  if (!l->moments)
    l->moments = tape_moments_create(LIMIT_MONOMIALS);
  size_t terms = 0;
  tape_id mean = tape_mean(l->t, l->moments, y, l->variance, &terms);
  if (mean == TAPE_NONE && terms > 1)
    lowering_fail(l, n->place, "with this mean the claim takes those of polynomials of %zu terms or more in all, before like ones "
                               "are put together, past the limit of %d", terms, LIMIT_MONOMIALS);
  else if (mean == TAPE_NONE && terms)
    lowering_fail(l, n->place, "this mean takes a power of a random element past the limit of %d", TAPE_MOMENTS_EXPONENT);
  return mean == TAPE_NONE ? 0 : mean;
}

static tape_id lower_plain(lowering *l, const node *n)
{
  static const tape_opcode arithmetic[] = {[NODE_ADD] = TAPE_ADD,
                                           [NODE_SUBTRACT] = TAPE_SUBTRACT,
                                           [NODE_MULTIPLY] = TAPE_MULTIPLY,
                                           [NODE_DIVIDE] = TAPE_DIVIDE};
  switch (n->kind) {
  case NODE_NUMBER:
    return tape_constant(l->t, n->number);
  case NODE_PI:
    return tape_leaf(l->t, TAPE_PI, TAPE_NONE);
  case NODE_SIZE:
    return tape_integer(l->t, l->sizes[n->symbol]);
  case NODE_INDEX:
    return tape_integer(l->t, l->index[n->slot]);
  case NODE_GIVEN:
  case NODE_LET:
  case NODE_RANDOM:
    return lowering_reference(l, n);
  case NODE_VARIABLE:
    return tape_leaf(l->t, TAPE_VARIABLE, n->slot);
  case NODE_MEAN:
    return lower_mean(l, n);
  case NODE_INTEGRAL:
    return lowering_integral(l, n);
  case NODE_NEGATE:
    return tape_unary(l->t, TAPE_NEGATE, lowering_node(l, n->child[0]));
  case NODE_NOT:
    return tape_unary(l->t, TAPE_NOT, lowering_node(l, n->child[0]));
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_DIVIDE: {
    tape_id a = lowering_node(l, n->child[0]);
    tape_id b = n->kind == NODE_DIVIDE ? lowering_certain(l, n->child[1], "a divisor") : lowering_node(l, n->child[1]);
    return l->failed ? 0 : tape_binary(l->t, arithmetic[n->kind], a, b);
  }
  case NODE_POWER:
    return lower_power(l, n);
  case NODE_CALL:
    return lower_call(l, n);
  case NODE_FOLD:
    return lowering_fold(l, n);
  case NODE_IF:
    return lower_if(l, n);
  case NODE_COMPARE:
    return lower_chain(l, n);
  case NODE_AND:
  case NODE_OR:
  case NODE_IMPLIES:
    return lower_connective(l, n);
  case NODE_DERIVATIVE:
    return lower_derivative(l, n);
  }
  return 0;
}

/* What does not use the innermost index is the same at every turn of the innermost loop. */
static bool is_worth_keeping(const lowering *l, const node *n)
{
  return l->bound && n->depth >= 3 && !(n->free_slots >> (l->bound - 1) & 1) && n->kind != NODE_FOLD;
}

tape_id lowering_node(lowering *l, const node *n)
{
  char here;
  if (l->failed)
    return 0;
  if (l->stack_base - &here > (ptrdiff_t)l->stack_room) {
    l->too_deep = true;
    if (l->shallow)
      l->failed = true;
    else
      lowering_fail(l, n->place, "the recurrence is nested too deeply here");
    return 0;
  }
  if (l->t->full) {
    lowering_fail(l, n->place, "the claim needs more than %zu operations at these sizes", l->t->limit);
    return 0;
  }
  if (!is_worth_keeping(l, n)) {
    tape_id id = lower_plain(l, n);
    return l->failed ? 0 : id;
  }
  uint64_t key[LIMIT_BINDERS + 2] = {MEMO_NODE, (uint64_t)(uintptr_t)n};
  unsigned length = 2;
  for (unsigned i = 0; i < l->bound; i++)
    if (n->free_slots >> i & 1)
      key[length++] = (uint64_t)l->index[i];
  uint32_t id;
  if (key_map_find(&l->memo, key, length, &id))
    return id;
  id = lower_plain(l, n);
  if (l->failed)
    return 0;
  key_map_set(&l->memo, key, length, id);
  return id;
}
