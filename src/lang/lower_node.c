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

static char *element_name(const char *name, const int64_t *indices, unsigned count)
{
  text t;
  text_init(&t);
  claim_print_element(&t, name, indices, count);
  return text_take(&t);
}

/* Whether the positions of a line take these indices; binds its slots. */
static bool line_matches(lowering *l, const claim_position *position, unsigned positions, const int64_t *indices)
{
  l->bound = 0;
  for (unsigned i = 0; i < positions; i++) {
    int64_t low = lowering_integer(l, position[i].low);
    if (!position[i].name) {
      if (indices[i] != low)
        return false;
      continue;
    }
    if (indices[i] < low || indices[i] > lowering_integer(l, position[i].high))
      return false;
    l->index_name[l->bound] = position[i].name;
    l->index[l->bound++] = indices[i];
  }
  return !l->failed;
}

static void list_let(lowering *l, unsigned number, unsigned line, const int64_t *indices, tape_id id)
{
  lower_let_list *list = l->lets;
  const claim_let *let = &l->c->let[number];
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->let = memory_resize(list->let, list->capacity, sizeof *list->let);
  }
  struct lower_let *x = &list->let[list->count++];
  *x = (struct lower_let){element_name(let->name, indices, let->positions), id, number, line, let->positions, NULL};
  x->index = memory_new(let->positions, sizeof *x->index);
  for (unsigned i = 0; i < let->positions; i++)
    x->index[i] = indices[i];
}

/* The body of a let element; the indices stand in a frame of their own. */
static tape_id lower_let_body(lowering *l, const node *reference, const int64_t *indices)
{
  if (l->stop && *l->stop) {
    l->failed = true;
    return 0;
  }
  const claim_let *let = &l->c->let[reference->symbol];
  int64_t saved_index[LIMIT_BINDERS];
  const char *saved_name[LIMIT_BINDERS];
  unsigned saved_bound = l->bound;
  for (unsigned i = 0; i < saved_bound; i++) {
    saved_index[i] = l->index[i];
    saved_name[i] = l->index_name[i];
  }
  const claim_let_line *found = NULL;
  bool twice = false;
  for (unsigned i = 0; i < let->lines && !l->failed; i++)
    if (line_matches(l, let->line[i].position, let->positions, indices)) {
      twice = found != NULL;
      if (twice)
        break;
      found = &let->line[i];
    }
  tape_id result = 0;
  if (!found || twice) {
    char *name = element_name(let->name, indices, let->positions);
    lowering_fail(l, reference->place, twice ? "%s is defined twice" : "%s is not defined", name);
    free(name);
  } else {
    line_matches(l, found->position, let->positions, indices);
    result = lowering_node(l, found->body);
    if (l->lets && !l->failed)
      list_let(l, reference->symbol, (unsigned)(found - let->line), indices, result);
  }
  l->bound = saved_bound;
  for (unsigned i = 0; i < saved_bound; i++) {
    l->index[i] = saved_index[i];
    l->index_name[i] = saved_name[i];
  }
  return result;
}

static tape_id lower_reference(lowering *l, const node *n)
{
  int64_t indices[LIMIT_BINDERS];
  uint64_t key[LIMIT_BINDERS + 2] = {n->kind == NODE_LET ? MEMO_LET : MEMO_GIVEN, n->symbol};
  for (unsigned i = 0; i < n->children; i++) {
    indices[i] = lowering_integer(l, n->child[i]);
    key[2 + i] = (uint64_t)indices[i];
  }
  if (l->failed)
    return 0;
  uint32_t id;
  bool known = key_map_find(&l->memo, key, n->children + 2, &id);
  if (known && id != MEMO_UNDERWAY)
    return n->kind == NODE_GIVEN ? l->t->element[id].op : id;
  if (known || n->kind == NODE_GIVEN) {
    char *name = element_name(n->name, indices, n->children);
    lowering_fail(l, n->place, known ? "%s is used before it is defined" : "%s is not given", name);
    free(name);
    return 0;
  }
  key_map_set(&l->memo, key, n->children + 2, MEMO_UNDERWAY);
  id = lower_let_body(l, n, indices);
  key_map_set(&l->memo, key, n->children + 2, id);
  return id;
}

tape_id lowering_compare(lowering *l, relation r, tape_id left, tape_id right)
{
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
  tape_id all = tape_truth(l->t, TRUTH_TRUE), left = lowering_node(l, n->child[0]);
  for (unsigned i = 1; i < n->children && !l->failed; i++) {
    tape_id right = lowering_node(l, n->child[i]);
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
  tape_id result = lowering_node(l, n->child[0]);
  if (op != TAPE_MIN && op != TAPE_MAX)
    return l->failed ? 0 : tape_unary(l->t, op, result);
  for (unsigned i = 1; i < n->children && !l->failed; i++)
    result = tape_binary(l->t, op, result, lowering_node(l, n->child[i]));
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

static tape_id lower_derivative(lowering *l, const node *n)
{
  tape_id y = lowering_node(l, n->child[0]), x = lowering_node(l, n->child[1]);
  return l->failed ? 0 : tape_derivative(l->t, l->derivatives, y, x);
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
    return lower_reference(l, n);
  case NODE_NEGATE:
    return tape_unary(l->t, TAPE_NEGATE, lowering_node(l, n->child[0]));
  case NODE_NOT:
    return tape_unary(l->t, TAPE_NOT, lowering_node(l, n->child[0]));
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_DIVIDE: {
    tape_id a = lowering_node(l, n->child[0]), b = lowering_node(l, n->child[1]);
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
