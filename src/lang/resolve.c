/* Resolution of expressions. A node whose parts had errors is NULL; nothing more is said about it. */
#include "lang/resolve.h"

#include <string.h>

void resolve_error(resolver *r, diag_place place, const char *format, ...)
{
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(r->store->d, place, "%s", message);
}

bool resolve_enough(const resolver *r)
{
  return r->stop || diag_errors(r->store->d) >= r->errors_before + SYNTAX_ERRORS;
}

static node *copy_node(resolver *r, const node *raw, node_kind kind)
{
  if (++r->store->nodes > SYNTAX_NODES) {
    if (!r->stop)
      resolve_error(r, raw->place,
                    "too long: more than %d parts of expressions in all, those inherited included",
                    SYNTAX_NODES);
    r->stop = true;
    return NULL;
  }
  node *n = memory_region_new(r->store->region, 1, sizeof(node));
  *n = *raw;
  n->kind = kind;
  if (n->children)
    n->child = memory_region_new(r->store->region, n->children, sizeof(node *));
  if (n->ranges)
    n->range = memory_region_new(r->store->region, n->ranges, sizeof(node_range));
  return n;
}

static void unknown_name(resolver *r, const node *raw)
{
  names_nearest near = names_nearest_start(raw->name);
  for (unsigned i = 0; i < r->slots; i++)
    names_nearest_offer(&near, r->scope[i].name);
  for (unsigned i = 0; i < r->variables; i++)
    names_nearest_offer(&near, r->variable[i].name);
  names_nearest_offer_all(&near, r->flat->symbols);
  if (near.best)
    resolve_error(r, raw->place, "unknown name '%s'; did you mean '%s'?", raw->name, near.best);
  else
    resolve_error(r, raw->place, "unknown name '%s'", raw->name);
}

static bool same_count(resolver *r, const node *raw, const flat_entry *e, unsigned wanted)
{
  if (raw->children == wanted)
    return true;
  text count;
  text_init(&count);
  if (wanted == 0)
    text_add(&count, "no index");
  else
    text_addf(&count, "%u %s", wanted, wanted == 1 ? "index" : "indices");
  if (raw->children == 0)
    resolve_error(r, raw->place, "'%s' takes %s, and none is given", raw->name, text_string(&count));
  else
    resolve_error(r, raw->place, "'%s' takes %s, and %u %s given", raw->name, text_string(&count),
                  raw->children, raw->children == 1 ? "is" : "are");
  text_clear(&count);
  if (e)
    diag_note(r->store->d, e->place, "declared here");
  return false;
}

/* An interval may use what is declared above, and a later line of a given the elements of earlier ones. */
static bool is_above(resolver *r, const node *raw, const flat_entry *e)
{
  if (!r->ordered || e < r->ordered || (e == r->ordered && !r->first_line))
    return true;
  if (e == r->ordered)
    resolve_error(r, raw->place, "the range of '%s' cannot use '%s' itself", e->name, e->name);
  else
    resolve_error(r, raw->place,
                  "the range of '%s' can use what is declared above it only, and '%s' is declared below",
                  r->ordered->name, e->name);
  if (e != r->ordered)
    diag_note(r->store->d, e->place, "declared here");
  return false;
}

static bool resolve_children(resolver *r, node *n, const node *raw, bool integers)
{
  bool good = true;
  for (unsigned i = 0; i < raw->children && !resolve_enough(r); i++) {
    n->child[i] = !integers                              ? resolve_expression(r, raw->child[i])
                  : raw->child[i]->kind == NODE_STRING ? table_resolve_index(r, raw, i)
                                                       : resolve_integer(r, raw->child[i], "an index");
    good &= n->child[i] != NULL;
  }
  return good && !resolve_enough(r);
}

static node *resolve_name(resolver *r, const node *raw)
{
  for (unsigned i = 0; i < r->slots; i++)
    if (strcmp(r->scope[i].name, raw->name) == 0) {
      node *n = copy_node(r, raw, NODE_INDEX);
      if (!n || !same_count(r, raw, NULL, 0))
        return NULL;
      n->slot = i;
      return n;
    }
  for (unsigned i = 0; i < r->variables; i++)
    if (strcmp(r->variable[i].name, raw->name) == 0) {
      node *n = copy_node(r, raw, NODE_VARIABLE);
      if (!n || !same_count(r, raw, NULL, 0))
        return NULL;
      n->slot = i;
      return n;
    }
  unsigned number;
  if (!names_find_string(r->flat->symbols, &number, raw->name)) {
    unknown_name(r, raw);
    return NULL;
  }
  const flat_entry *e = &r->flat->entry[number];
  node_kind kind = e->kind == DECLARE_SIZE     ? NODE_SIZE
                   : e->kind == DECLARE_GIVEN  ? NODE_GIVEN
                   : e->kind == DECLARE_RANDOM ? NODE_RANDOM
                                               : NODE_LET;
  node *n = copy_node(r, raw, kind);
  if (!n)
    return NULL;
  n->symbol = e->symbol;
  unsigned positions = 0;
  if (kind == NODE_GIVEN)
    positions = r->claim->given[e->symbol].positions;
  else if (kind == NODE_RANDOM)
    positions = r->claim->random[e->symbol].positions;
  else if (kind == NODE_LET)
    positions = r->claim->let[e->symbol].positions;
  else if (e->symbol >= r->sizes_known) {
    resolve_error(r, raw->place, "the bounds of a size can use earlier sizes only, and '%s' is not one",
                  raw->name);
    return NULL;
  }
  if (kind == NODE_LET)
    n->type = r->claim->let[e->symbol].type;
  bool good = same_count(r, raw, e, positions);
  good &= kind == NODE_SIZE || is_above(r, raw, e);
  return resolve_children(r, n, raw, true) && good && table_check_element(r, n) ? n : NULL;
}

/* Whether `name`, an index or a variable, can be bound here. */
static bool is_free(resolver *r, const char *what, const char *name, diag_place place)
{
  bool good = true;
  unsigned number;
  for (unsigned i = 0; i < r->slots + r->variables; i++) {
    bool index = i < r->slots;
    unsigned k = index ? i : i - r->slots;
    if (strcmp(index ? r->scope[k].name : r->variable[k].name, name) == 0) {
      resolve_error(r, place, "%s '%s' is in use already", what, name);
      diag_note(r->store->d, index ? r->scope[k].place : r->variable[k].place, "bound here");
      good = false;
    }
  }
  if (names_find_string(r->flat->symbols, &number, name)) {
    const flat_entry *e = &r->flat->entry[number];
    resolve_error(r, place, "%s '%s' has the name of a %s", what, name, flat_kind_name(e->kind));
    diag_note(r->store->d, e->place, "declared here");
    good = false;
  }
  return good;
}

bool resolve_range(resolver *r, node_range *range, const node_range *raw)
{
  *range = *raw;
  range->low = resolve_integer(r, raw->low, "the end of a range");
  range->high = resolve_integer(r, raw->high, "the end of a range");
  bool good = range->low && range->high;
  good &= is_free(r, "index", raw->name, raw->place);
  if (r->slots == LIMIT_BINDERS) {
    resolve_error(r, raw->place, "more than %d indices in force", LIMIT_BINDERS);
    return false;
  }
  range->slot = r->slots;
  r->scope[r->slots].name = raw->name;
  r->scope[r->slots].place = raw->place;
  r->slots++;
  return good;
}

static bool is_truth_fold(fold_kind fold)
{
  return fold == FOLD_FORALL || fold == FOLD_EXISTS;
}

static node *resolve_fold(resolver *r, const node *raw)
{
  unsigned outer = r->slots;
  node *n = copy_node(r, raw, NODE_FOLD);
  bool good = n != NULL;
  for (unsigned i = 0; n && i < raw->ranges && !resolve_enough(r); i++)
    good &= resolve_range(r, &n->range[i], &raw->range[i]);
  if (n && !resolve_enough(r)) {
    n->child[0] =
        is_truth_fold(raw->fold) ? resolve_truth(r, raw->child[0]) : resolve_value(r, raw->child[0]);
    good &= n->child[0] != NULL;
  }
  r->slots = outer;
  return good ? n : NULL;
}

/* The ends do not see the variable. */
static node *resolve_integral(resolver *r, const node *raw)
{
  node *n = copy_node(r, raw, NODE_INTEGRAL);
  if (!n)
    return NULL;
  n->slot = r->variables;
  bool good = is_free(r, "variable", raw->name, raw->place);
  for (unsigned i = 0; i < 3 && !resolve_enough(r); i++) {
    if (i == 2) {
      if (r->variables == LIMIT_BINDERS) {
        resolve_error(r, raw->place, "more than %d integrals around one another", LIMIT_BINDERS);
        return NULL;
      }
      r->variable[r->variables].name = raw->name;
      r->variable[r->variables++].place = raw->place;
    }
    n->child[i] = resolve_value(r, raw->child[i]);
    good &= n->child[i] != NULL;
    if (i == 2)
      r->variables--;
  }
  return good && !resolve_enough(r) ? n : NULL;
}

static bool check_type(resolver *r, const node *n, bool truth)
{
  if ((n->type == TYPE_TRUTH) == truth)
    return true;
  const char *wanted = truth ? "truth value" : "number", *found = truth ? "number" : "truth value";
  if (n->name)
    resolve_error(r, n->place, "a %s is wanted here, and '%s' is a %s", wanted, n->name, found);
  else
    resolve_error(r, n->place, "a %s is wanted here, and this is a %s", wanted, found);
  return false;
}

static const char *kind_of_name(const node *n)
{
  return n->kind == NODE_GIVEN      ? "a given"
         : n->kind == NODE_RANDOM   ? "random"
         : n->kind == NODE_VARIABLE ? "the variable of an integral"
         : n->kind == NODE_LET      ? "a let"
         : n->kind == NODE_SIZE     ? "a size"
                                    : "an index";
}

/* The part that makes an expression other than an integer one. */
static const node *not_integer(const node *n)
{
  bool arithmetic = n->kind == NODE_NEGATE || n->kind == NODE_ADD || n->kind == NODE_SUBTRACT ||
                    n->kind == NODE_MULTIPLY || n->kind == NODE_POWER;
  for (unsigned i = 0; arithmetic && i < n->children; i++)
    if (n->child[i]->type != TYPE_INTEGER)
      return not_integer(n->child[i]);
  return n;
}

/* Is it an integer expression? `what` says where one is wanted. */
static bool check_integer(resolver *r, const node *n, const char *what)
{
  if (n->type == TYPE_INTEGER)
    return true;
  const node *part = not_integer(n);
  if (part->name)
    resolve_error(r, part->place, "%s is made of integers, sizes and indices, and '%s' is %s", what,
                  part->name, kind_of_name(part));
  else if (part->kind == NODE_DIVIDE)
    resolve_error(r, part->place, "%s is made of integers, sizes and indices by + - * ^, without '/'", what);
  else if (part->kind == NODE_NUMBER)
    resolve_error(r, part->place, "%s is made of integers, sizes and indices, and this number is no integer",
                  what);
  else
    resolve_error(r, part->place, "%s is made of integers, sizes and indices by + - * ^", what);
  return false;
}

static bool check_children(resolver *r, const node *n, bool truth)
{
  for (unsigned i = 0; i < n->children; i++)
    if (!check_type(r, n->child[i], truth))
      return false;
  return true;
}

static bool check_if(resolver *r, const node *n)
{
  bool truth = n->child[1]->type == TYPE_TRUTH;
  bool good = check_type(r, n->child[0], true);
  if ((n->child[2]->type == TYPE_TRUTH) != truth) {
    resolve_error(r, n->child[2]->place, "one branch of 'if' is a truth value and the other is a number");
    return false;
  }
  return good;
}

static bool check_call(resolver *r, const node *n)
{
  if (n->function != FUNCTION_MIN && n->function != FUNCTION_MAX && n->children != 1) {
    resolve_error(r, n->place, "'%s' takes one argument, but %u are given", tree_function_name(n->function),
                  n->children);
    return false;
  }
  return check_children(r, n, false);
}

static bool check_parts(resolver *r, const node *n)
{
  switch (n->kind) {
  case NODE_NOT:
  case NODE_AND:
  case NODE_OR:
  case NODE_IMPLIES:
    return check_children(r, n, true);
  case NODE_IF:
    return check_if(r, n);
  case NODE_CALL:
    return check_call(r, n);
  case NODE_POWER:
    if (!check_integer(r, n->child[1], "an exponent"))
      return false;
    return check_type(r, n->child[0], false);
  case NODE_DERIVATIVE:
    if (n->child[1]->kind != NODE_GIVEN) {
      if (n->child[1]->name)
        resolve_error(r, n->child[1]->place, "a derivative is by an element of a given, and '%s' is %s",
                      n->child[1]->name, kind_of_name(n->child[1]));
      else
        resolve_error(r, n->child[1]->place, "a derivative is by an element of a given");
      return false;
    }
    return check_type(r, n->child[0], false);
  default:
    return check_children(r, n, false);
  }
}

node *resolve_expression(resolver *r, const node *raw)
{
  node *n;
  if (resolve_enough(r))
    return NULL;
  if (raw->kind == NODE_NAME) {
    n = resolve_name(r, raw);
  } else if (raw->kind == NODE_FOLD) {
    n = resolve_fold(r, raw);
  } else if (raw->kind == NODE_INTEGRAL) {
    n = resolve_integral(r, raw);
  } else {
    n = copy_node(r, raw, raw->kind);
    if (n && !(resolve_children(r, n, raw, false) && check_parts(r, n)))
      n = NULL;
  }
  if (n)
    tree_complete(n);
  return n;
}

node *resolve_value(resolver *r, const node *raw)
{
  node *n = resolve_expression(r, raw);
  return n && check_type(r, n, false) ? n : NULL;
}

node *resolve_truth(resolver *r, const node *raw)
{
  node *n = resolve_expression(r, raw);
  return n && check_type(r, n, true) ? n : NULL;
}

node *resolve_integer(resolver *r, const node *raw, const char *what)
{
  node *n = resolve_expression(r, raw);
  return n && check_integer(r, n, what) ? n : NULL;
}
