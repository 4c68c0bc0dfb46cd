/* The syntax tree: words, completion, integer expressions, equality. */
#include "lang/tree.h"

#include <string.h>

#include "lang/claim.h"

const char *tree_fold_name(fold_kind fold)
{
  static const char *const word[] = {"sum", "prod", "min", "max", "forall", "exists"};
  return word[fold];
}

const char *tree_function_name(function_kind function)
{
  static const char *const word[FUNCTION_COUNT] = {
      "abs", "min",  "max",  "sqrt", "cbrt",    "exp",      "expm1", "log",  "log1p", "sin",      "cos",
      "tan", "atan", "tanh", "erf",  "sigmoid", "softplus", "silu",  "gelu", "relu",  "lambertw0"};
  return word[function];
}

const char *tree_relation_name(relation r)
{
  static const char *const word[] = {"<", "<=", "=", "!=", ">=", ">"};
  return word[r];
}

/* INTEGER is what tree_integer understands. */
static node_type type_of(const node *n)
{
  switch (n->kind) {
  case NODE_NUMBER:
    return fmpz_is_one(fmpq_denref(n->number)) ? TYPE_INTEGER : TYPE_VALUE;
  case NODE_SIZE:
  case NODE_INDEX:
    return TYPE_INTEGER;
  case NODE_NEGATE:
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_POWER:
    for (unsigned i = 0; i < n->children; i++)
      if (n->child[i]->type != TYPE_INTEGER)
        return TYPE_VALUE;
    return TYPE_INTEGER;
  case NODE_FOLD:
    return n->fold == FOLD_FORALL || n->fold == FOLD_EXISTS ? TYPE_TRUTH : TYPE_VALUE;
  case NODE_IF:
    return n->child[1]->type == TYPE_TRUTH ? TYPE_TRUTH : TYPE_VALUE;
  case NODE_COMPARE:
  case NODE_NOT:
  case NODE_AND:
  case NODE_OR:
  case NODE_IMPLIES:
    return TYPE_TRUTH;
  case NODE_LET:
    return n->type == TYPE_TRUTH ? TYPE_TRUTH : TYPE_VALUE; /* the definition's, not to be seen from here */
  default:
    return TYPE_VALUE;
  }
}

void tree_complete(node *n)
{
  unsigned depth = 0;
  uint32_t slots = n->kind == NODE_INDEX ? UINT32_C(1) << n->slot : 0;
  for (unsigned i = 0; i < n->children; i++) {
    depth = n->child[i]->depth > depth ? n->child[i]->depth : depth;
    slots |= n->child[i]->free_slots;
  }
  for (unsigned i = n->ranges; i-- > 0;) {
    const node_range *r = &n->range[i];
    slots &= ~(UINT32_C(1) << r->slot);
    slots |= r->low->free_slots | r->high->free_slots;
    depth = r->low->depth > depth ? r->low->depth : depth;
    depth = r->high->depth > depth ? r->high->depth : depth;
  }
  n->depth = depth + 1;
  n->free_slots = slots;
  n->type = type_of(n);
}

static bool integer_power(int64_t *value, int64_t base, int64_t exponent)
{
  if (exponent < 0) {
    if (base != 1 && base != -1)
      return false;
    *value = exponent % 2 ? base : 1;
    return true;
  }
  int64_t result = 1;
  for (;;) {
    if (exponent % 2 && __builtin_mul_overflow(result, base, &result))
      return false;
    exponent /= 2;
    if (exponent == 0)
      break;
    if (__builtin_mul_overflow(base, base, &base))
      return false;
  }
  *value = result;
  return true;
}

bool tree_integer(int64_t *value, const node *n, const int64_t *sizes, const int64_t *indices)
{
  int64_t a, b, result = 0;
  switch (n->kind) {
  case NODE_NUMBER:
    if (!fmpz_is_one(fmpq_denref(n->number)) || !fmpz_fits_si(fmpq_numref(n->number)))
      return false;
    *value = fmpz_get_si(fmpq_numref(n->number));
    return true;
  case NODE_SIZE:
    *value = sizes[n->symbol];
    return true;
  case NODE_INDEX:
    *value = indices[n->slot];
    return true;
  case NODE_NEGATE:
    if (!tree_integer(&a, n->child[0], sizes, indices) || __builtin_sub_overflow((int64_t)0, a, &result))
      return false;
    *value = result;
    return true;
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_POWER:
    if (!tree_integer(&a, n->child[0], sizes, indices) || !tree_integer(&b, n->child[1], sizes, indices))
      return false;
    if (n->kind == NODE_POWER ? !integer_power(&result, a, b)
        : n->kind == NODE_ADD ? __builtin_add_overflow(a, b, &result)
        : n->kind == NODE_SUBTRACT ? __builtin_sub_overflow(a, b, &result)
                                   : __builtin_mul_overflow(a, b, &result))
      return false;
    *value = result;
    return true;
  default:
    return false;
  }
}

bool tree_equal(const node *a, const node *b)
{
  if (a == b)
    return true;
  if (a->kind != b->kind || a->children != b->children || a->ranges != b->ranges || a->depth != b->depth)
    return false;
  switch (a->kind) {
  case NODE_NUMBER:
    return fmpq_equal(a->number, b->number);
  case NODE_SIZE:
  case NODE_GIVEN:
  case NODE_LET:
  case NODE_RANDOM:
    if (a->symbol != b->symbol)
      return false;
    break;
  case NODE_INDEX:
  case NODE_VARIABLE:
    return a->slot == b->slot;
  case NODE_CALL:
    if (a->function != b->function)
      return false;
    break;
  case NODE_FOLD:
    if (a->fold != b->fold)
      return false;
    break;
  case NODE_COMPARE:
    for (unsigned i = 0; i + 1 < a->children; i++)
      if (a->relations[i] != b->relations[i])
        return false;
    break;
  default:
    break;
  }
  for (unsigned i = 0; i < a->ranges; i++)
    if (a->range[i].slot != b->range[i].slot || !tree_equal(a->range[i].low, b->range[i].low) ||
        !tree_equal(a->range[i].high, b->range[i].high))
      return false;
  for (unsigned i = 0; i < a->children; i++)
    if (!tree_equal(a->child[i], b->child[i]))
      return false;
  return true;
}
