/* A walk over the trees of a family's definitions, in double. */
#include "sim/definition.h"

#include <math.h>
#include <string.h>

#include "core/limits.h"

enum { DEPTH = 400 /* definitions within definitions */ };

typedef struct {
  const definition_store *store;
  double activation;
  unsigned depth;
} walk;

static bool value_of(double *value, walk *w, const node *n, const int64_t *slot);

double definition_nearest(const fmpq_t q)
{
  mpfr_t x;
  mpfr_init2(x, 53);
  fmpq_get_mpfr(x, q, MPFR_RNDN);
  double value = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  return value;
}

static double softplus(double x)
{
  return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static bool call(double *value, function_kind f, double x)
{
  switch (f) {
  case FUNCTION_ABS:
    *value = fabs(x);
    return true;
  case FUNCTION_SQRT:
    *value = sqrt(x);
    return true;
  case FUNCTION_CBRT:
    *value = cbrt(x);
    return true;
  case FUNCTION_EXP:
    *value = exp(x);
    return true;
  case FUNCTION_EXPM1:
    *value = expm1(x);
    return true;
  case FUNCTION_LOG:
    *value = log(x);
    return true;
  case FUNCTION_LOG1P:
    *value = log1p(x);
    return true;
  case FUNCTION_SIN:
    *value = sin(x);
    return true;
  case FUNCTION_COS:
    *value = cos(x);
    return true;
  case FUNCTION_TANH:
    *value = tanh(x);
    return true;
  case FUNCTION_SIGMOID:
    *value = 1 / (1 + exp(-x));
    return true;
  case FUNCTION_SOFTPLUS:
    *value = softplus(x);
    return true;
  case FUNCTION_SILU:
    *value = x / (1 + exp(-x));
    return true;
  case FUNCTION_RELU:
    *value = x > 0 ? x : 0;
    return true;
  default:
    return false;
  }
}

static bool call_value(double *value, walk *w, const node *n, const int64_t *slot)
{
  double x;
  if (!value_of(&x, w, n->child[0], slot))
    return false;
  if (n->function != FUNCTION_MIN && n->function != FUNCTION_MAX)
    return call(value, n->function, x);
  for (unsigned i = 1; i < n->children; i++) {
    double y;
    if (!value_of(&y, w, n->child[i], slot))
      return false;
    x = n->function == FUNCTION_MIN ? fmin(x, y) : fmax(x, y);
  }
  *value = x;
  return true;
}

static bool compare(double a, relation r, double b)
{
  switch (r) {
  case RELATION_LESS:
    return a < b;
  case RELATION_LESS_EQUAL:
    return a <= b;
  case RELATION_EQUAL:
    return a == b;
  case RELATION_NOT_EQUAL:
    return a != b;
  case RELATION_GREATER_EQUAL:
    return a >= b;
  default:
    return a > b;
  }
}

static bool truth_of(bool *value, walk *w, const node *n, const int64_t *slot)
{
  bool a, b;
  switch (n->kind) {
  case NODE_COMPARE:
    *value = true;
    for (unsigned i = 0; i + 1 < n->children; i++) {
      double x, y;
      if (!value_of(&x, w, n->child[i], slot) || !value_of(&y, w, n->child[i + 1], slot))
        return false;
      *value = *value && compare(x, n->relations[i], y);
    }
    return true;
  case NODE_NOT:
    if (!truth_of(&a, w, n->child[0], slot))
      return false;
    *value = !a;
    return true;
  case NODE_AND:
  case NODE_OR:
    if (!truth_of(&a, w, n->child[0], slot) || !truth_of(&b, w, n->child[1], slot))
      return false;
    *value = n->kind == NODE_AND ? a && b : a || b;
    return true;
  default:
    return false;
  }
}

size_t definition_count(const model_layer *layer, unsigned given)
{
  const claim_given *g = &layer->family->given[given];
  size_t count = 1;
  for (unsigned i = 0; i < g->positions; i++) {
    int64_t high;
    if (g->lines == 0 || !g->line[0].position[i].high ||
        !tree_integer(&high, g->line[0].position[i].high, layer->sizes, NULL) || high < 1)
      return 0;
    if (__builtin_mul_overflow(count, (size_t)high, &count))
      return 0;
  }
  return count;
}

static bool given_value(double *value, walk *w, const node *n, const int64_t *slot)
{
  const model_layer *layer = w->store->layer;
  const claim_given *g = &layer->family->given[n->symbol];
  if (!g->stored) {
    *value = w->activation;
    return true;
  }
  if (!w->store->value[n->symbol]) {
    fmpq_t x;
    fmpq_init(x);
    bool found = model_default(x, g);
    *value = found ? definition_nearest(x) : 0;
    fmpq_clear(x);
    return found;
  }
  size_t at = 0;
  for (unsigned i = 0; i < g->positions; i++) {
    int64_t high, index;
    if (!tree_integer(&high, g->line[0].position[i].high, layer->sizes, NULL) ||
        !tree_integer(&index, n->child[i], layer->sizes, slot) || index < 1 || index > high)
      return false;
    at = at * (size_t)high + (size_t)(index - 1);
  }
  *value = w->store->value[n->symbol][at];
  return true;
}

/* The line of a definition that has this element, and the slots that its positions bind. */
static const claim_let_line *find_line(int64_t *slot, walk *w, const claim_let *let, const int64_t *index)
{
  const int64_t *sizes = w->store->layer->sizes;
  for (unsigned k = 0; k < let->lines; k++) {
    const claim_let_line *line = &let->line[k];
    bool here = true;
    unsigned bound = 0;
    for (unsigned i = 0; i < let->positions && here; i++) {
      const claim_position *p = &line->position[i];
      int64_t low = 0, high = 0;
      here = tree_integer(&low, p->low, sizes, slot) && (!p->high || tree_integer(&high, p->high, sizes, slot));
      here = here && (p->name ? index[i] >= low && index[i] <= high : index[i] == low);
      if (here && p->name)
        slot[bound++] = index[i];
    }
    if (here)
      return line;
  }
  return NULL;
}

static bool let_value(double *value, walk *w, const claim_let *let, const int64_t *index)
{
  int64_t slot[LIMIT_BINDERS] = {0};
  const claim_let_line *line = find_line(slot, w, let, index);
  if (!line || let->type == TYPE_TRUTH || w->depth == DEPTH)
    return false;
  w->depth++;
  bool found = value_of(value, w, line->body, slot);
  w->depth--;
  return found;
}

static bool let_node_value(double *value, walk *w, const node *n, const int64_t *slot)
{
  const claim *f = w->store->layer->family;
  int64_t index[LIMIT_BINDERS];
  if (n->children > LIMIT_BINDERS)
    return false;
  for (unsigned i = 0; i < n->children; i++)
    if (!tree_integer(&index[i], n->child[i], w->store->layer->sizes, slot))
      return false;
  return let_value(value, w, &f->let[n->symbol], index);
}

/* Folds over one range after the other. */
static bool fold_value(double *value, walk *w, const node *n, int64_t *slot, unsigned range, bool *any)
{
  if (range == n->ranges) {
    double x;
    if (!value_of(&x, w, n->child[0], slot))
      return false;
    if (!*any)
      *value = x;
    else
      *value = n->fold == FOLD_SUM       ? *value + x
               : n->fold == FOLD_PRODUCT ? *value * x
               : n->fold == FOLD_MIN     ? fmin(*value, x)
                                         : fmax(*value, x);
    *any = true;
    return true;
  }
  const node_range *r = &n->range[range];
  int64_t low, high;
  if (!tree_integer(&low, r->low, w->store->layer->sizes, slot) ||
      !tree_integer(&high, r->high, w->store->layer->sizes, slot))
    return false;
  for (int64_t i = low; i <= high; i++) {
    slot[r->slot] = i;
    if (!fold_value(value, w, n, slot, range + 1, any))
      return false;
  }
  return true;
}

static bool fold_node_value(double *value, walk *w, const node *n, const int64_t *slot)
{
  int64_t inner[LIMIT_BINDERS];
  bool any = false;
  if (n->fold == FOLD_FORALL || n->fold == FOLD_EXISTS)
    return false;
  memcpy(inner, slot, sizeof inner);
  if (!fold_value(value, w, n, inner, 0, &any))
    return false;
  if (!any)
    *value = n->fold == FOLD_PRODUCT ? 1 : 0;
  return any || n->fold == FOLD_SUM || n->fold == FOLD_PRODUCT;
}

static bool binary_value(double *value, walk *w, const node *n, const int64_t *slot)
{
  double a, b;
  if (!value_of(&a, w, n->child[0], slot) || !value_of(&b, w, n->child[1], slot))
    return false;
  switch (n->kind) {
  case NODE_ADD:
    *value = a + b;
    return true;
  case NODE_SUBTRACT:
    *value = a - b;
    return true;
  case NODE_MULTIPLY:
    *value = a * b;
    return true;
  case NODE_DIVIDE:
    *value = a / b;
    return true;
  default:
    *value = pow(a, b);
    return true;
  }
}

/* `slot` has LIMIT_BINDERS elements. */
static bool value_of(double *value, walk *w, const node *n, const int64_t *slot)
{
  bool condition;
  switch (n->kind) {
  case NODE_NUMBER:
    *value = definition_nearest(n->number);
    return true;
  case NODE_PI:
    *value = M_PI;
    return true;
  case NODE_SIZE:
    *value = (double)w->store->layer->sizes[n->symbol];
    return true;
  case NODE_INDEX:
    *value = (double)slot[n->slot];
    return true;
  case NODE_GIVEN:
    return given_value(value, w, n, slot);
  case NODE_LET:
    return let_node_value(value, w, n, slot);
  case NODE_NEGATE:
    if (!value_of(value, w, n->child[0], slot))
      return false;
    *value = -*value;
    return true;
  case NODE_ADD:
  case NODE_SUBTRACT:
  case NODE_MULTIPLY:
  case NODE_DIVIDE:
  case NODE_POWER:
    return binary_value(value, w, n, slot);
  case NODE_CALL:
    return call_value(value, w, n, slot);
  case NODE_FOLD:
    return fold_node_value(value, w, n, slot);
  case NODE_IF:
    return truth_of(&condition, w, n->child[0], slot) && value_of(value, w, n->child[condition ? 1 : 2], slot);
  default:
    return false;
  }
}

bool definition_value(double *value, const definition_store *store, const claim_let *let, const int64_t *index,
                      double activation)
{
  walk w = {store, activation, 0};
  return let_value(value, &w, let, index);
}

/* ---- forms ---- */

/* A definition, given or index by itself. */
static bool is_let(const claim *f, const node *n, const char *role)
{
  return n->kind == NODE_LET && f->let[n->symbol].role && !strcmp(f->let[n->symbol].role, role);
}

bool definition_has_product(const claim *family)
{
  const claim_let *let = model_role(family, "log_decay");
  if (!let || let->lines != 1 || let->line[0].body->kind != NODE_MULTIPLY)
    return false;
  node *const *factor = let->line[0].body->child;
  return (is_let(family, factor[0], "step") && is_let(family, factor[1], "rate")) ||
         (is_let(family, factor[0], "rate") && is_let(family, factor[1], "step"));
}

static bool is_own_element(const node *n)
{
  return n->kind == NODE_GIVEN && n->children == 1 && n->child[0]->kind == NODE_INDEX && n->child[0]->slot == 0;
}

static bool is_activation(const claim *family, const node *n)
{
  const claim_given *g = &family->given[n->symbol];
  return !g->stored && g->role && !strcmp(g->role, "activation");
}

int definition_softplus_bias(const claim *family)
{
  const claim_let *let = model_role(family, "step");
  if (!let || let->lines != 1 || let->positions != 1)
    return -1;
  const node *n = let->line[0].body;
  if (n->kind != NODE_CALL || n->function != FUNCTION_SOFTPLUS || n->child[0]->kind != NODE_ADD)
    return -1;
  const node *a = n->child[0]->child[0], *b = n->child[0]->child[1];
  if (!is_own_element(a) || !is_own_element(b))
    return -1;
  if (is_activation(family, a) && family->given[b->symbol].stored)
    return (int)b->symbol;
  if (is_activation(family, b) && family->given[a->symbol].stored)
    return (int)a->symbol;
  return -1;
}
