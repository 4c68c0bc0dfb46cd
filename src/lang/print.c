/* A claim as text: canonical layout, as few brackets as will do. */
#include "lang/claim.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>

#include "lang/literal.h"

/* Binding strength, as in the grammar. */
enum {
  LEVEL_IMPLIES = 1,
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_COMPARE,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVEL_NEGATION,
  LEVEL_POWER,
  LEVEL_ATOM
};

static int number_level(const fmpq *x)
{
  if (literal_print(NULL, x))
    return LEVEL_ATOM;
  return fmpz_is_one(fmpq_denref(x)) ? LEVEL_NEGATION : LEVEL_PRODUCT;
}

static int level_of(const node *n)
{
  switch (n->kind) {
  case NODE_IMPLIES:
    return LEVEL_IMPLIES;
  case NODE_OR:
    return LEVEL_OR;
  case NODE_AND:
    return LEVEL_AND;
  case NODE_NOT:
    return LEVEL_NOT;
  case NODE_COMPARE:
    return LEVEL_COMPARE;
  case NODE_ADD:
  case NODE_SUBTRACT:
    return LEVEL_SUM;
  case NODE_MULTIPLY:
  case NODE_DIVIDE:
    return LEVEL_PRODUCT;
  case NODE_NEGATE:
    return LEVEL_NEGATION;
  case NODE_POWER:
    return LEVEL_POWER;
  case NODE_NUMBER:
    return number_level(n->number);
  default:
    return LEVEL_ATOM;
  }
}

/* Extends as far right as it can: needs brackets wherever something follows. */
static bool is_open(const node *n)
{
  return n->kind == NODE_IF || (n->kind == NODE_FOLD && (n->fold == FOLD_FORALL || n->fold == FOLD_EXISTS));
}

/* Stands behind an operator without brackets, whatever its level. */
static bool is_prefix(const node *n)
{
  return is_open(n) || n->kind == NODE_NEGATE ||
         (n->kind == NODE_NUMBER && number_level(n->number) == LEVEL_NEGATION);
}

static void print_bare(text *out, const claim *c, const node *n, bool last);

/* `level`: what binds less gets brackets. `last`: nothing follows that an open construct could swallow. */
static void print_part(text *out, const claim *c, const node *n, int level, bool last)
{
  bool brackets = level_of(n) < level || (is_open(n) && !last);
  if (brackets)
    text_add_char(out, '(');
  print_bare(out, c, n, last || brackets);
  if (brackets)
    text_add_char(out, ')');
}

static void print_right(text *out, const claim *c, const node *n, int level, bool last)
{
  print_part(out, c, n, is_prefix(n) ? 0 : level, last);
}

static void print_binary(text *out, const claim *c, const node *n, const char *sign, int left, int right,
                         bool last)
{
  print_part(out, c, n->child[0], left, false);
  text_add(out, sign);
  print_right(out, c, n->child[1], right, last);
}

static void print_list(text *out, const claim *c, const node *n)
{
  for (unsigned i = 0; i < n->children; i++) {
    if (i)
      text_add(out, ", ");
    claim_print_node(out, c, n->child[i]);
  }
}

static void print_name(text *out, const claim *c, const node *n, const char *name)
{
  text_add(out, n->name ? n->name : name);
  if (n->children) {
    text_add_char(out, '[');
    print_list(out, c, n);
    text_add_char(out, ']');
  }
}

static void print_number(text *out, const fmpq *x)
{
  if (literal_print(out, x))
    return;
  char *s = fmpq_get_str(NULL, 10, x);
  text_add(out, s);
  flint_free(s);
}

static void print_ranges(text *out, const claim *c, const node_range *r, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    if (i)
      text_add(out, ", ");
    if (r[i].name)
      text_addf(out, "%s in ", r[i].name);
    claim_print_node(out, c, r[i].low);
    if (r[i].name) {
      text_add(out, "..");
      claim_print_node(out, c, r[i].high);
    }
  }
}

static void print_fold(text *out, const claim *c, const node *n, bool last)
{
  bool open = is_open(n);
  text_add(out, tree_fold_name(n->fold));
  text_add(out, open ? " " : "(");
  print_ranges(out, c, n->range, n->ranges);
  text_add(out, ": ");
  print_part(out, c, n->child[0], 0, open ? last : true);
  if (!open)
    text_add_char(out, ')');
}

static void print_comparison(text *out, const claim *c, const node *n, bool last)
{
  print_part(out, c, n->child[0], LEVEL_SUM, false);
  for (unsigned i = 1; i < n->children; i++) {
    text_addf(out, " %s ", tree_relation_name(n->relations[i - 1]));
    print_right(out, c, n->child[i], LEVEL_SUM, last && i + 1 == n->children);
  }
}

static void print_bare(text *out, const claim *c, const node *n, bool last)
{
  switch (n->kind) {
  case NODE_NUMBER:
    print_number(out, n->number);
    break;
  case NODE_PI:
    text_add(out, "pi");
    break;
  case NODE_SIZE:
    print_name(out, c, n, c ? c->size[n->symbol].name : "?");
    break;
  case NODE_INDEX:
    print_name(out, c, n, "?");
    break;
  case NODE_GIVEN:
    print_name(out, c, n, c ? c->given[n->symbol].name : "?");
    break;
  case NODE_LET:
    print_name(out, c, n, c ? c->let[n->symbol].name : "?");
    break;
  case NODE_RANDOM:
    print_name(out, c, n, c ? c->random[n->symbol].name : "?");
    break;
  case NODE_VARIABLE:
    print_name(out, c, n, "?");
    break;
  case NODE_MEAN:
    text_add(out, "mean(");
    print_list(out, c, n);
    text_add_char(out, ')');
    break;
  case NODE_INTEGRAL:
    text_addf(out, "integral(%s in ", n->name);
    claim_print_node(out, c, n->child[0]);
    text_add(out, "..");
    claim_print_node(out, c, n->child[1]);
    text_add(out, ": ");
    claim_print_node(out, c, n->child[2]);
    text_add_char(out, ')');
    break;
  case NODE_NEGATE:
    text_add_char(out, '-');
    print_right(out, c, n->child[0], LEVEL_NEGATION, last);
    break;
  case NODE_ADD:
    print_binary(out, c, n, " + ", LEVEL_SUM, LEVEL_PRODUCT, last);
    break;
  case NODE_SUBTRACT:
    print_binary(out, c, n, " - ", LEVEL_SUM, LEVEL_PRODUCT, last);
    break;
  case NODE_MULTIPLY:
    print_binary(out, c, n, "*", LEVEL_PRODUCT, LEVEL_NEGATION, last);
    break;
  case NODE_DIVIDE:
    print_binary(out, c, n, "/", LEVEL_PRODUCT, LEVEL_NEGATION, last);
    break;
  case NODE_POWER:
    print_binary(out, c, n, "^", LEVEL_ATOM, LEVEL_POWER, last);
    break;
  case NODE_CALL:
    text_addf(out, "%s(", tree_function_name(n->function));
    print_list(out, c, n);
    text_add_char(out, ')');
    break;
  case NODE_FOLD:
    print_fold(out, c, n, last);
    break;
  case NODE_IF:
    text_add(out, "if ");
    print_part(out, c, n->child[0], 0, true);
    text_add(out, " then ");
    print_part(out, c, n->child[1], 0, true);
    text_add(out, " else ");
    print_part(out, c, n->child[2], 0, last);
    break;
  case NODE_COMPARE:
    print_comparison(out, c, n, last);
    break;
  case NODE_NOT:
    text_add(out, "not ");
    print_right(out, c, n->child[0], LEVEL_NOT, last);
    break;
  case NODE_AND:
    print_binary(out, c, n, " and ", LEVEL_AND, LEVEL_NOT, last);
    break;
  case NODE_OR:
    print_binary(out, c, n, " or ", LEVEL_OR, LEVEL_AND, last);
    break;
  case NODE_IMPLIES:
    print_binary(out, c, n, " implies ", LEVEL_OR, LEVEL_IMPLIES, last);
    break;
  case NODE_DERIVATIVE:
    text_add(out, "d(");
    print_list(out, c, n);
    text_add_char(out, ')');
    break;
  }
}

void claim_print_node(text *out, const claim *c, const node *n)
{
  print_part(out, c, n, 0, true);
}

void claim_print_element(text *out, const char *name, const int64_t *indices, unsigned count)
{
  text_add(out, name);
  for (unsigned i = 0; i < count; i++)
    text_addf(out, "%s%" PRId64, i ? "," : "[", indices[i]);
  if (count)
    text_add_char(out, ']');
}

static void print_quoted(text *out, const char *s)
{
  text_add_char(out, '"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      text_add_char(out, '\\');
    text_add_char(out, *s);
  }
  text_add_char(out, '"');
}

static void print_string(text *out, const char *word, const char *s)
{
  text_addf(out, "  %s ", word);
  print_quoted(out, s);
  text_add_char(out, '\n');
}

static void print_role(text *out, const char *role)
{
  if (role)
    text_addf(out, " as %s", role);
}

static void print_size(text *out, const claim *c, const claim_size *s)
{
  text_addf(out, "  size %s %s ", s->name, s->high ? "in" : ">=");
  claim_print_node(out, c, s->low);
  if (s->high) {
    text_add(out, "..");
    claim_print_node(out, c, s->high);
  }
  print_role(out, s->role);
  text_add_char(out, '\n');
  if (s->try_low) {
    text_addf(out, "  try %s in ", s->name);
    claim_print_node(out, c, s->try_low);
    text_add(out, "..");
    claim_print_node(out, c, s->try_high);
    text_add_char(out, '\n');
  }
}

static void print_head(text *out, const claim *c, const char *word, const char *name, const claim_position *p,
                       unsigned n)
{
  text_addf(out, "  %s %s", word, name);
  if (n) {
    text_add_char(out, '[');
    print_ranges(out, c, p, n);
    text_add_char(out, ']');
  }
}

static void print_given_line(text *out, const claim *c, const claim_given *g, const claim_given_line *l)
{
  print_head(out, c, g->stored ? "tensor" : "given", g->name, l->position, g->positions);
  for (unsigned i = 0; i < g->stored; i++) {
    text_add_char(out, ' ');
    print_quoted(out, g->stored_as[i]);
  }
  bool everything = !l->low && !l->high;
  if (!everything || !g->stored)
    text_add(out, " in ");
  if (everything) {
    text_add(out, g->stored ? "" : "real");
  } else {
    text_add_char(out, l->low_open ? '(' : '[');
    if (l->low)
      claim_print_node(out, c, l->low);
    else
      text_add(out, "-inf");
    text_add(out, ", ");
    if (l->high)
      claim_print_node(out, c, l->high);
    else
      text_add(out, "inf");
    text_add_char(out, l->high_open ? ')' : ']');
  }
  print_role(out, g->role);
  if (g->otherwise) {
    text_add(out, " else ");
    claim_print_node(out, c, g->otherwise);
  }
  text_add_char(out, '\n');
}

static void print_random_line(text *out, const claim *c, const claim_random *g, const claim_random_line *l)
{
  print_head(out, c, "random", g->name, l->position, g->positions);
  text_add(out, " ~ normal(0, ");
  claim_print_node(out, c, l->variance);
  text_add(out, ")\n");
}

static void print_let_line(text *out, const claim *c, const claim_let *l, const claim_let_line *line)
{
  print_head(out, c, "let", l->name, line->position, l->positions);
  print_role(out, l->role);
  text_add(out, " = ");
  claim_print_node(out, c, line->body);
  text_add_char(out, '\n');
}

const char *claim_kind_name(claim_kind k)
{
  static const char *const word[CLAIM_KINDS] = {"reading", "repair", "contrast"};
  return word[k];
}

void claim_print(text *out, const claim *c)
{
  static const char *const word[] = {"assume", "show", "possible", "trivial"};
  text_addf(out, "%s %s", c->family ? "family" : "claim", c->name);
  if (c->kind != CLAIM_READING)
    text_addf(out, " as %s", claim_kind_name(c->kind));
  text_add_char(out, '\n');
  if (c->title)
    print_string(out, "title", c->title);
  if (c->cite)
    print_string(out, "source", c->cite);
  for (unsigned i = 0; i < c->sizes; i++)
    print_size(out, c, &c->size[i]);
  for (unsigned g = 0, l = 0, e = 0; g < c->givens || l < c->lets || e < c->randoms;) {
    unsigned order_of_given = g < c->givens ? c->given[g].order : UINT_MAX;
    unsigned order_of_let = l < c->lets ? c->let[l].order : UINT_MAX;
    unsigned order_of_random = e < c->randoms ? c->random[e].order : UINT_MAX;
    if (order_of_given < order_of_let && order_of_given < order_of_random) {
      for (unsigned k = 0; k < c->given[g].lines; k++)
        print_given_line(out, c, &c->given[g], &c->given[g].line[k]);
      g++;
    } else if (order_of_let < order_of_random) {
      for (unsigned k = 0; k < c->let[l].lines; k++)
        print_let_line(out, c, &c->let[l], &c->let[l].line[k]);
      l++;
    } else {
      for (unsigned k = 0; k < c->random[e].lines; k++)
        print_random_line(out, c, &c->random[e], &c->random[e].line[k]);
      e++;
    }
  }
  for (unsigned i = 0; i < c->labels; i++) {
    text_addf(out, "  %s %s: ", word[c->label[i].kind], c->label[i].name);
    claim_print_node(out, c, c->label[i].body);
    text_add_char(out, '\n');
  }
  text_add(out, "end\n");
}
