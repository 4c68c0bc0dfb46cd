/* Lowering of folds: sum, prod, min, max, forall, exists over one or several ranges.
 *
 * A fold over a..b is the fold over a..b-1 and one more term, where the former was lowered before. A maximum over s, t of
 * |e_s - e_t|, both over the same range, is max e - min e: O(T) operations where the statement has O(T^2) terms. */
#include "lang/lowering.h"

typedef struct fold_form fold_form;

/* A fold as it will be run: its ranges in order, outermost first, and its body or the spread that replaces it. */
struct fold_form {
  fold_kind kind;
  const node *origin; /* with tag and level, the name under which results are kept */
  unsigned tag;
  unsigned ranges;
  const node_range *range[LIMIT_BINDERS];
  unsigned nest[LIMIT_BINDERS]; /* of folds within folds that are run as one: from which one a range is, 0 the outermost */
  unsigned body_nest;
  const node *body;
  const fold_form *highest, *lowest; /* not NULL: the body is highest - lowest */
};

static tape_opcode opcode_of_fold(fold_kind kind)
{
  switch (kind) {
  case FOLD_SUM:
    return TAPE_ADD;
  case FOLD_PRODUCT:
    return TAPE_MULTIPLY;
  case FOLD_MIN:
    return TAPE_MIN;
  case FOLD_MAX:
    return TAPE_MAX;
  case FOLD_FORALL:
    return TAPE_AND;
  default:
    return TAPE_OR;
  }
}

static uint32_t range_uses(const node_range *r)
{
  return r->low->free_slots | r->high->free_slots;
}

/* The indices that the part of the fold below `level` depends on. */
static uint32_t uses_below(const fold_form *f, unsigned level)
{
  uint32_t uses = f->highest ? uses_below(f->highest, 0) | range_uses(f->highest->range[0]) : f->body->free_slots;
  for (unsigned k = level + 1; k < f->ranges; k++)
    uses |= range_uses(f->range[k]);
  for (unsigned k = level; k < f->ranges; k++)
    uses &= ~((uint32_t)1 << f->range[k]->slot);
  return uses;
}

static bool is_decided(const lowering *l, fold_kind kind, tape_id acc)
{
  const tape_op *o = &l->t->op[acc];
  return o->op == TAPE_TRUTH && ((kind == FOLD_FORALL && o->a != TRUTH_TRUE) ||
                                 (kind == FOLD_EXISTS && o->a != TRUTH_FALSE));
}

/* What a maximum without terms is at `level`: nothing, or, where an inner fold begins, undefined. */
static tape_id without_terms(lowering *l, const fold_form *f, unsigned level)
{
  unsigned own = level == f->ranges ? f->body_nest : f->nest[level];
  bool is_inner = level > 0 && own > f->nest[level - 1];
  return is_inner && !l->failed ? tape_leaf(l->t, TAPE_UNDEFINED, TAPE_NONE) : TAPE_NONE;
}

bool lowering_turn(lowering *l, const node *n, int64_t last)
{
  if (l->stop && *l->stop)
    l->failed = true;
  if (l->failed)
    return false;
  if (++l->work <= LIMIT_TURNS && last < INT64_MAX)
    return true;
  lowering_fail(l, n->place, "this claim takes more than %d steps to unroll at these sizes", LIMIT_TURNS);
  return false;
}

/* The fold from `level` inwards; TAPE_NONE when it has no terms. */
static tape_id fold_level(lowering *l, const fold_form *f, unsigned level)
{
  if (level == f->ranges) {
    if (!f->highest)
      return lowering_node(l, f->body);
    tape_id high = fold_level(l, f->highest, 0), low = fold_level(l, f->lowest, 0);
    if (l->failed || high == TAPE_NONE)
      return without_terms(l, f, level);
    return tape_binary(l->t, TAPE_SPREAD, high, low);
  }
  const node_range *r = f->range[level];
  int64_t first = lowering_integer(l, r->low), last = lowering_integer(l, r->high);
  if (l->failed || first > last)
    return without_terms(l, f, level);

  uint32_t uses = uses_below(f, level);
  uint64_t key[LIMIT_BINDERS + 5] = {MEMO_FOLD, (uint64_t)(uintptr_t)f->origin, f->tag + level, (uint64_t)first};
  unsigned length = 5;
  for (unsigned i = 0; i < LIMIT_BINDERS; i++)
    if (uses >> i & 1)
      key[length++] = (uint64_t)l->index[i];
  tape_id acc = TAPE_NONE;
  key[4] = (uint64_t)last;
  if (key_map_find(&l->memo, key, length, &acc))
    return acc;
  key[4] = (uint64_t)(last - 1);
  int64_t next = last > first && key_map_find(&l->memo, key, length, &acc) ? last : first;

  unsigned bound = l->bound;
  for (int64_t i = next; i <= last && !l->failed; i++) {
    if (acc != TAPE_NONE && is_decided(l, f->kind, acc))
      break;
    if (!lowering_turn(l, f->origin, last))
      break;
    l->bound = r->slot + 1 > bound ? r->slot + 1 : bound;
    l->index_name[r->slot] = r->name;
    l->index[r->slot] = i;
    tape_id term = fold_level(l, f, level + 1);
    if ((f->kind == FOLD_MIN || f->kind == FOLD_MAX) && !l->failed && term != TAPE_NONE && l->t->op[term].random)
      lowering_fail(l, f->body->place, "the %s of random values is no polynomial in the random elements, and mean takes "
                                       "nothing else", tree_fold_name(f->kind));
    if (l->failed)
      break;
    if (acc == TAPE_NONE)
      acc = term;
    else if (term != TAPE_NONE)
      acc = tape_binary(l->t, opcode_of_fold(f->kind), acc, term);
  }
  l->bound = bound;
  if (l->failed)
    return 0;
  if (acc == TAPE_NONE)
    acc = without_terms(l, f, level);
  key[4] = (uint64_t)last;
  key_map_set(&l->memo, key, length, acc);
  return acc;
}

/* Whether b is a with the index in slot `from` renamed to slot `to`. */
static bool equal_renamed(const node *a, const node *b, unsigned from, unsigned to)
{
  if (a->kind != b->kind || a->children != b->children || a->ranges != b->ranges)
    return false;
  switch (a->kind) {
  case NODE_VARIABLE:
    return a->slot == b->slot;
  case NODE_INDEX:
    return b->slot == (a->slot == from ? to : a->slot);
  case NODE_NUMBER:
    return fmpq_equal(a->number, b->number);
  case NODE_CALL:
    if (a->function != b->function)
      return false;
    break;
  case NODE_FOLD:
    if (a->fold != b->fold)
      return false;
    break;
  default:
    if (a->symbol != b->symbol)
      return false;
  }
  for (unsigned i = 0; i < a->ranges; i++)
    if (a->range[i].slot != b->range[i].slot || !equal_renamed(a->range[i].low, b->range[i].low, from, to) ||
        !equal_renamed(a->range[i].high, b->range[i].high, from, to))
      return false;
  if (a->kind == NODE_COMPARE)
    for (unsigned i = 0; i + 1 < a->children; i++)
      if (a->relations[i] != b->relations[i])
        return false;
  for (unsigned i = 0; i < a->children; i++)
    if (!equal_renamed(a->child[i], b->child[i], from, to))
      return false;
  return true;
}

/* Whether ranges i and j of the maximum f of |x - y| run over the same set, x is y with one index for the other, and
 * nothing else depends on which is which; and that they are empty is not for another range of the inner fold to say. */
static bool is_spread(const fold_form *f, unsigned i, unsigned j, const node *x, const node *y)
{
  const node_range *a = f->range[i], *b = f->range[j];
  uint32_t own = (uint32_t)1 << a->slot, other = (uint32_t)1 << b->slot;
  unsigned inner = f->nest[i] > f->nest[j] ? f->nest[i] : f->nest[j];
  for (unsigned k = 0; k < f->ranges; k++)
    if (range_uses(f->range[k]) & (own | other) ||
        (k != i && k != j && f->nest[k] == inner && f->nest[i] != f->nest[j]))
      return false;
  return tree_equal(a->low, b->low) && tree_equal(a->high, b->high) && !(x->free_slots & other) &&
         !(y->free_slots & own) && x->free_slots & own && equal_renamed(x, y, a->slot, b->slot);
}

/* Takes ranges i and j out of f and puts the spread of x over range i in place of its body. */
static void make_spread(fold_form *f, fold_form *highest, fold_form *lowest, unsigned i, unsigned j, const node *x)
{
  *highest = (fold_form){.kind = FOLD_MAX, .origin = f->origin, .tag = LIMIT_BINDERS, .ranges = 1, .body = x};
  highest->range[0] = f->range[i];
  *lowest = *highest;
  lowest->kind = FOLD_MIN;
  lowest->tag = 2 * LIMIT_BINDERS;
  f->body_nest = f->nest[i] < f->nest[j] ? f->nest[i] : f->nest[j];
  unsigned kept = 0;
  for (unsigned k = 0; k < f->ranges; k++)
    if (k != i && k != j) {
      f->nest[kept] = f->nest[k];
      f->range[kept++] = f->range[k];
    }
  f->ranges = kept;
  f->highest = highest;
  f->lowest = lowest;
}

static bool find_spread(fold_form *f, fold_form *highest, fold_form *lowest)
{
  const node *body = f->body;
  if (body->kind != NODE_CALL || body->function != FUNCTION_ABS || body->child[0]->kind != NODE_SUBTRACT)
    return false;
  const node *x = body->child[0]->child[0], *y = body->child[0]->child[1];
  for (unsigned i = 0; i < f->ranges; i++)
    for (unsigned j = 0; j < f->ranges; j++)
      if (i != j && is_spread(f, i, j, x, y)) {
        make_spread(f, highest, lowest, i, j, x);
        return true;
      }
  return false;
}

/* Takes the ranges of fold `n` into f, and n's body. */
static void take_in(fold_form *f, const node *n, unsigned nest)
{
  for (unsigned i = 0; i < n->ranges && f->ranges < LIMIT_BINDERS; i++) {
    f->nest[f->ranges] = nest;
    f->range[f->ranges++] = &n->range[i];
  }
  f->body = n->child[0];
}

tape_id lowering_fold(lowering *l, const node *n)
{
  fold_form f = {.kind = n->fold, .origin = n}, highest, lowest;
  unsigned nest = 0;
  take_in(&f, n, 0);
  if (n->fold == FOLD_MAX) { /* a maximum of maxima is one maximum over all ranges, which may hold a spread */
    fold_form all = f;
    while (all.body->kind == NODE_FOLD && all.body->fold == FOLD_MAX && all.ranges + all.body->ranges <= LIMIT_BINDERS)
      take_in(&all, all.body, ++nest);
    if (find_spread(&all, &highest, &lowest))
      f = all;
  }
  tape_id result = fold_level(l, &f, 0);
  if (l->failed)
    return 0;
  if (result != TAPE_NONE)
    return result;
  switch (n->fold) {
  case FOLD_SUM:
    return tape_integer(l->t, 0);
  case FOLD_PRODUCT:
    return tape_integer(l->t, 1);
  case FOLD_FORALL:
    return tape_truth(l->t, TRUTH_TRUE);
  case FOLD_EXISTS:
    return tape_truth(l->t, TRUTH_FALSE);
  default:
    return tape_leaf(l->t, TAPE_UNDEFINED, TAPE_NONE);
  }
}
