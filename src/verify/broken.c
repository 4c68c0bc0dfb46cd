/* Where a formula breaks, and whether that is what the certificate says. */
#include "verify/broken.h"

#include <string.h>

#include "cert/exact.h"
#include "core/limits.h"

enum { SIDE_PRECISION = 256 };

typedef struct {
  evaluator *e;
  text *where; /* " at t = 2, ..." */
  text sides;  /* the lines about them */
  const match *m;
  const certificate *z;
  size_t used;     /* indices of the certificate that a quantifier has taken */
  bool has_sides;  /* the formula came down to a comparison */
  const char *wrong;
  int64_t slots[LIMIT_BINDERS];
} descent;

static bool range_ends(descent *b, const node_range *range, int64_t *low, int64_t *high)
{
  return tree_integer(low, range->low, b->m->sizes, b->slots) &&
         tree_integer(high, range->high, b->m->sizes, b->slots);
}

/* What the certificate states for an index of this name; NULL: nothing. */
static const instance_size *stated_index(const descent *b, const char *name)
{
  for (size_t i = 0; i < b->z->indices; i++)
    if (!strcmp(b->z->index[i].name, name))
      return &b->z->index[i];
  return NULL;
}

/* Binds the ranges from number r on, so that the body has the wanted truth: an index that the certificate
 * states is taken, the others are searched in order. */
static bool bind_ranges(descent *b, const node *fold, unsigned r, truth wanted)
{
  int64_t low, high;
  if (r == fold->ranges)
    return evaluator_truth(b->e, fold->child[0], b->slots) == wanted;
  const node_range *range = &fold->range[r];
  const instance_size *stated = stated_index(b, range->name);
  if (!range_ends(b, range, &low, &high))
    return false;
  if (stated && (stated->value < low || stated->value > high))
    return false;
  for (int64_t i = stated ? stated->value : low; i <= (stated ? stated->value : high); i++) {
    b->slots[range->slot] = i;
    if (bind_ranges(b, fold, r + 1, wanted))
      return true;
    if (evaluator_status(b->e) != STATUS_OK || i == INT64_MAX)
      break;
  }
  return false;
}

static bool side_holds(descent *b, const char *stated, number a)
{
  numbers *s = evaluator_numbers(b->e);
  if (!stated)
    return true;
  fmpq_t low, high;
  arb_t ball, end;
  fmpq_init(low);
  fmpq_init(high);
  arb_init(ball);
  arb_init(end);
  const fmpq *exact = number_rational(s, a);
  bool holds = !enclosure_read(low, high, stated);
  if (holds && exact) {
    holds = fmpq_cmp(low, exact) <= 0 && fmpq_cmp(exact, high) <= 0;
  } else if (holds) {
    number_ball(s, ball, a, SIDE_PRECISION);
    arb_set_fmpq(end, low, SIDE_PRECISION);
    holds = !arb_gt(end, ball);
    arb_set_fmpq(end, high, SIDE_PRECISION);
    holds = holds && !arb_lt(end, ball);
  }
  fmpq_clear(low);
  fmpq_clear(high);
  arb_clear(ball);
  arb_clear(end);
  return holds;
}

static void print_side(descent *b, const char *what, number a)
{
  text_addf(&b->sides, "  %s", what);
  number_print(evaluator_numbers(b->e), &b->sides, a);
  text_add(&b->sides, "\n");
}

/* The link of a chain that has the wanted truth; of several, the one that the certificate's sides fit. */
static void check_sides(descent *b, const node *chain, truth wanted)
{
  numbers *s = evaluator_numbers(b->e);
  number left = 0, right = 0;
  bool fits = false;
  for (unsigned i = 0; i + 1 < chain->children && !fits; i++) {
    number x = evaluator_value(b->e, chain->child[i], b->slots),
           y = evaluator_value(b->e, chain->child[i + 1], b->slots);
    if (evaluator_compare(b->e, chain->relations[i], x, y) != wanted)
      continue;
    fits = side_holds(b, b->z->left, x) && side_holds(b, b->z->right, y);
    if (!fits && b->has_sides)
      continue;
    left = x;
    right = y;
    b->has_sides = true;
  }
  if (!b->has_sides)
    return;
  print_side(b, "left  = ", left);
  print_side(b, "right = ", right);
  print_side(b, "right - left = ", number_apply(s, OP_SUBTRACT, right, left));
  if (!fits)
    b->wrong = "the sides are not those that the certificate states";
}

static void descend(descent *b, const node *n, truth wanted)
{
  truth other = truth_not(wanted);
  bool all = wanted ==
             TRUTH_FALSE; /* a false conjunction has one false part, as a true disjunction has a true one */
  const node *next = NULL;
  switch (n->kind) {
  case NODE_COMPARE:
    check_sides(b, n, wanted);
    return;
  case NODE_NOT:
    descend(b, n->child[0], other);
    return;
  case NODE_IF:
    next = n->child[evaluator_truth(b->e, n->child[0], b->slots) == TRUTH_TRUE ? 1 : 2];
    break;
  case NODE_AND:
  case NODE_OR:
    if ((n->kind == NODE_AND) == all)
      next = n->child[evaluator_truth(b->e, n->child[0], b->slots) == wanted ? 0 : 1];
    break;
  case NODE_IMPLIES:
    next = all ? n->child[1] : NULL;
    break;
  case NODE_FOLD:
    if ((n->fold == FOLD_FORALL) != all)
      break;
    if (!bind_ranges(b, n, 0, wanted)) {
      b->wrong = "it does not break at the index that the certificate states";
      return;
    }
    for (unsigned r = 0; r < n->ranges; r++) {
      const char *name = n->range[r].name;
      b->used += stated_index(b, name) != NULL;
      text_addf(b->where, "%s %s = %lld", b->where->length ? "," : " at", name,
                (long long)b->slots[n->range[r].slot]);
    }
    next = n->child[0];
    break;
  default:
    break;
  }
  if (next && evaluator_truth(b->e, next, b->slots) == wanted)
    descend(b, next, wanted);
}

const char *broken_check(evaluator *e, text *report, text *where, const match *m, const node *formula,
                         truth wanted, const certificate *z)
{
  descent b = {.e = e, .where = where, .m = m, .z = z};
  text_init(&b.sides);
  descend(&b, formula, wanted);
  if (where->length)
    text_addf(report, " %s\n", text_string(where));
  text_add(report, text_string(&b.sides));
  text_clear(&b.sides);
  if (!b.wrong && b.used != z->indices)
    b.wrong = "the certificate states an index that no quantifier of the label has";
  if (!b.wrong && !b.has_sides && (z->left || z->right))
    b.wrong = "the certificate states sides, but no single comparison decides the label";
  return b.wrong;
}
