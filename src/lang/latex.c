/* Expressions as LaTeX, in the looks of a paper: fractions, subscripts, products without a sign. For reading;
 * brackets stand wherever a reader could doubt. */
#include "lang/latex.h"

#include <string.h>

#include "lang/literal.h"
#include "lang/words.h"

enum {
  LEVEL_OPEN,
  LEVEL_IMPLIES,
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
    return LEVEL_PRODUCT;
  case NODE_NEGATE:
    return LEVEL_NEGATION;
  case NODE_DIVIDE:
  case NODE_POWER:
  case NODE_DERIVATIVE:
    return LEVEL_POWER;
  case NODE_CALL:
    return n->function == FUNCTION_ABS ? LEVEL_ATOM : LEVEL_POWER;
  case NODE_FOLD: /* a big operator takes all that follows up to a plus */
    return n->fold == FOLD_FORALL || n->fold == FOLD_EXISTS ? LEVEL_OPEN : LEVEL_SUM;
  case NODE_INTEGRAL:
    return LEVEL_PRODUCT;
  case NODE_NUMBER:
    return fmpq_sgn(n->number) < 0 ? LEVEL_NEGATION
           : literal_print(NULL, n->number) && fmpz_is_one(fmpq_denref(n->number)) ? LEVEL_ATOM
                                                                                   : LEVEL_POWER;
  default:
    return LEVEL_ATOM;
  }
}

static void print(text *out, const claim *c, const node *n, int level);

static bool is_capital(char c)
{
  return c >= 'A' && c <= 'Z';
}

/* One Greek letter; those that look like Latin capitals have no command. */
static void print_greek(text *out, const char *name, bool capital)
{
  static const char *const with_capital[] = {"gamma", "delta", "theta", "lambda", "xi",   "pi",
                                             "sigma", "upsilon", "phi", "psi",    "omega"};
  if (!capital) {
    text_addf(out, strcmp(name, "omicron") == 0 ? "o" : "\\%s ", name);
    return;
  }
  for (size_t i = 0; i < sizeof with_capital / sizeof with_capital[0]; i++)
    if (strcmp(name, with_capital[i]) == 0) {
      text_addf(out, "\\%c%s ", name[0] - 'a' + 'A', name + 1);
      return;
    }
  text_addf(out, "\\mathrm{%c}", name[0] - 'a' + 'A');
}

/* A piece of a name between underlines. */
static void print_piece(text *out, const char *s, size_t n, bool first)
{
  char piece[256];
  if (n >= sizeof piece)
    n = sizeof piece - 1;
  memcpy(piece, s, n);
  piece[n] = 0;
  size_t at = 0, length;
  const char *greek;
  while (piece[at] && (greek = words_greek_prefix(piece + at, &length)))
    at += length;
  if (n > 0 && at == n) {
    for (at = 0; piece[at]; at += length) {
      greek = words_greek_prefix(piece + at, &length);
      print_greek(out, greek, is_capital(piece[at]));
    }
    if (out->length && out->data[out->length - 1] == ' ')
      out->data[--out->length] = 0;
  } else if (n == 1 || strspn(piece, "0123456789") == n) {
    text_add(out, piece);
  } else {
    text_addf(out, first ? "\\mathit{%s}" : "\\mathrm{%s}", piece);
  }
}

/* The first piece of a name, then its subscripts so far, the brace left open; true if there are any. Digits
 * at the end of the first piece are a subscript: h0. */
static bool open_name(text *out, const char *name)
{
  size_t n = strcspn(name, "_"), letters = n;
  if (n == 0) { /* begins with an underline */
    latex_words(out, name);
    return false;
  }
  while (letters > 0 && name[letters - 1] >= '0' && name[letters - 1] <= '9')
    letters--;
  print_piece(out, name, letters, true);
  bool open = false;
  if (letters < n) {
    text_add(out, "_{");
    text_add_bytes(out, name + letters, n - letters);
    open = true;
  }
  for (const char *s = name + n; *s == '_'; s += 1 + strcspn(s + 1, "_")) {
    text_add(out, open ? "," : "_{");
    print_piece(out, s + 1, strcspn(s + 1, "_"), false);
    open = true;
  }
  return open;
}

void latex_name(text *out, const char *name)
{
  if (open_name(out, name))
    text_add_char(out, '}');
}

static void print_element(text *out, const claim *c, const node *n)
{
  bool open = open_name(out, n->name ? n->name : "?");
  for (unsigned i = 0; i < n->children; i++) {
    text_add(out, open ? "," : "_{");
    print(out, c, n->child[i], LEVEL_OPEN);
    open = true;
  }
  if (open)
    text_add_char(out, '}');
}

void latex_head(text *out, const claim *c, const char *name, const claim_position *p, unsigned n)
{
  bool open = open_name(out, name);
  for (unsigned i = 0; i < n; i++) {
    text_add(out, open ? "," : "_{");
    if (p[i].name)
      latex_name(out, p[i].name);
    else
      print(out, c, p[i].low, LEVEL_OPEN);
    open = true;
  }
  if (open)
    text_add_char(out, '}');
}

bool latex_ranges(text *out, const claim *c, const node_range *r, unsigned n)
{
  bool any = false;
  for (unsigned i = 0; i < n; i++) {
    if (!r[i].name)
      continue;
    if (any)
      text_add(out, ",\\; ");
    print(out, c, r[i].low, LEVEL_SUM);
    text_add(out, " \\le ");
    latex_name(out, r[i].name);
    text_add(out, " \\le ");
    print(out, c, r[i].high, LEVEL_SUM);
    any = true;
  }
  return any;
}

static void print_number(text *out, const fmpq *x)
{
  text t;
  text_init(&t);
  if (literal_print(&t, x) && t.data[1] != 'x') {
    const char *s = text_string(&t), *e = strchr(s, 'e');
    if (!e)
      text_add(out, s);
    else if (e == s + 1 && s[0] == '1')
      text_addf(out, "10^{%s}", e + 1);
    else
      text_addf(out, "%.*s \\cdot 10^{%s}", (int)(e - s), s, e + 1);
  } else {
    const fmpz *p = fmpq_numref(x), *q = fmpq_denref(x);
    char *above = fmpz_get_str(NULL, 10, p), *below = fmpz_get_str(NULL, 10, q);
    if (fmpz_is_one(q))
      text_add(out, above);
    else
      text_addf(out, "%s\\frac{%s}{%s}", above[0] == '-' ? "-" : "", above + (above[0] == '-'), below);
    flint_free(above);
    flint_free(below);
  }
  text_clear(&t);
}

static void print_call(text *out, const claim *c, const node *n)
{
  static const char *const before[FUNCTION_COUNT] = {
    [FUNCTION_ABS] = "\\left|",      [FUNCTION_MIN] = "\\min\\left(",  [FUNCTION_MAX] = "\\max\\left(",
    [FUNCTION_SQRT] = "\\sqrt{",     [FUNCTION_CBRT] = "\\sqrt[3]{",   [FUNCTION_EXP] = "\\exp\\left(",
    [FUNCTION_LOG] = "\\log\\left(", [FUNCTION_SIN] = "\\sin\\left(",  [FUNCTION_COS] = "\\cos\\left(",
    [FUNCTION_TAN] = "\\tan\\left(", [FUNCTION_ATAN] = "\\arctan\\left(", [FUNCTION_TANH] = "\\tanh\\left(",
    [FUNCTION_LAMBERTW0] = "W_0\\left("};
  if (before[n->function])
    text_add(out, before[n->function]);
  else
    text_addf(out, "\\operatorname{%s}\\left(", tree_function_name(n->function));
  for (unsigned i = 0; i < n->children; i++) {
    if (i)
      text_add(out, ", ");
    print(out, c, n->child[i], LEVEL_OPEN);
  }
  text_add(out, n->function == FUNCTION_ABS                                      ? "\\right|"
                : n->function == FUNCTION_SQRT || n->function == FUNCTION_CBRT ? "}"
                                                                               : "\\right)");
}

static void print_fold(text *out, const claim *c, const node *n)
{
  static const char *const sign[] = {"\\sum", "\\prod", "\\min", "\\max", "\\forall\\, ", "\\exists\\, "};
  bool open = n->fold == FOLD_FORALL || n->fold == FOLD_EXISTS;
  text_add(out, sign[n->fold]);
  if (!open)
    text_add(out, "_{");
  latex_ranges(out, c, n->range, n->ranges);
  text_add(out, open ? ":\\; " : "} ");
  print(out, c, n->child[0], open ? LEVEL_OPEN : LEVEL_PRODUCT);
}

static void print_binary(text *out, const claim *c, const node *n, int left, const char *sign, int right)
{
  print(out, c, n->child[0], left);
  text_add(out, sign);
  print(out, c, n->child[1], right);
}

/* Does the text of an expression begin with a digit, so that it cannot stand right behind a factor? */
static bool begins_with_digit(const node *n)
{
  while (n->kind == NODE_MULTIPLY || n->kind == NODE_POWER)
    n = n->child[0];
  return n->kind == NODE_NUMBER;
}

static void print_frac(text *out, const claim *c, const node *n)
{
  text_add(out, "\\frac{");
  print(out, c, n->child[0], LEVEL_OPEN);
  text_add(out, "}{");
  print(out, c, n->child[1], LEVEL_OPEN);
  text_add_char(out, '}');
}

static void print_derivative(text *out, const claim *c, const node *n)
{
  bool short_ = n->child[0]->kind == NODE_LET || n->child[0]->kind == NODE_GIVEN;
  text_add(out, "\\frac{\\partial ");
  if (short_)
    print(out, c, n->child[0], LEVEL_ATOM);
  text_add(out, "}{\\partial ");
  print(out, c, n->child[1], LEVEL_ATOM);
  text_add_char(out, '}');
  if (!short_) {
    text_add(out, "\\left(");
    print(out, c, n->child[0], LEVEL_OPEN);
    text_add(out, "\\right)");
  }
}

static void print_integral(text *out, const claim *c, const node *n)
{
  text_add(out, "\\int_{");
  print(out, c, n->child[0], LEVEL_OPEN);
  text_add(out, "}^{");
  print(out, c, n->child[1], LEVEL_OPEN);
  text_add(out, "} ");
  print(out, c, n->child[2], LEVEL_PRODUCT);
  text_add(out, " \\, d");
  latex_name(out, n->name);
}

static void print_comparison(text *out, const claim *c, const node *n)
{
  static const char *const sign[] = {"<", "\\le", "=", "\\ne", "\\ge", ">"};
  print(out, c, n->child[0], LEVEL_SUM);
  for (unsigned i = 1; i < n->children; i++) {
    text_addf(out, " %s ", sign[n->relations[i - 1]]);
    print(out, c, n->child[i], LEVEL_SUM);
  }
}

static void print_bare(text *out, const claim *c, const node *n)
{
  switch (n->kind) {
  case NODE_NUMBER:
    print_number(out, n->number);
    break;
  case NODE_PI:
    text_add(out, "\\pi");
    break;
  case NODE_SIZE:
  case NODE_INDEX:
  case NODE_GIVEN:
  case NODE_RANDOM:
  case NODE_VARIABLE:
  case NODE_LET:
    print_element(out, c, n);
    break;
  case NODE_MEAN:
    text_add(out, "\\mathbb{E}\\left[");
    print(out, c, n->child[0], LEVEL_OPEN);
    text_add(out, "\\right]");
    break;
  case NODE_INTEGRAL:
    print_integral(out, c, n);
    break;
  case NODE_NEGATE:
    text_add_char(out, '-');
    print(out, c, n->child[0], LEVEL_PRODUCT + 1);
    break;
  case NODE_ADD:
    print_binary(out, c, n, LEVEL_SUM, " + ", LEVEL_PRODUCT);
    break;
  case NODE_SUBTRACT:
    print_binary(out, c, n, LEVEL_SUM, " - ", LEVEL_PRODUCT);
    break;
  case NODE_MULTIPLY:
    print_binary(out, c, n, LEVEL_PRODUCT, begins_with_digit(n->child[1]) ? " \\cdot " : "\\, ", LEVEL_POWER);
    break;
  case NODE_DIVIDE:
    print_frac(out, c, n);
    break;
  case NODE_POWER:
    print_binary(out, c, n, LEVEL_ATOM, "^{", LEVEL_OPEN);
    text_add_char(out, '}');
    break;
  case NODE_CALL:
    print_call(out, c, n);
    break;
  case NODE_FOLD:
    print_fold(out, c, n);
    break;
  case NODE_IF:
    text_add(out, "\\begin{cases} ");
    print(out, c, n->child[1], LEVEL_OPEN);
    text_add(out, " & \\text{if } ");
    print(out, c, n->child[0], LEVEL_OPEN);
    text_add(out, " \\\\ ");
    print(out, c, n->child[2], LEVEL_OPEN);
    text_add(out, " & \\text{otherwise} \\end{cases}");
    break;
  case NODE_COMPARE:
    print_comparison(out, c, n);
    break;
  case NODE_NOT:
    text_add(out, "\\neg ");
    print(out, c, n->child[0], LEVEL_COMPARE + 1);
    break;
  case NODE_AND:
    print_binary(out, c, n, LEVEL_AND, " \\text{ and } ", LEVEL_NOT);
    break;
  case NODE_OR:
    print_binary(out, c, n, LEVEL_OR, " \\text{ or } ", LEVEL_AND);
    break;
  case NODE_IMPLIES:
    print_binary(out, c, n, LEVEL_OR, " \\implies ", LEVEL_IMPLIES);
    break;
  case NODE_DERIVATIVE:
    print_derivative(out, c, n);
    break;
  }
}

static void print(text *out, const claim *c, const node *n, int level)
{
  bool brackets = level_of(n) < level;
  text_add(out, brackets ? "\\left(" : "");
  print_bare(out, c, n);
  text_add(out, brackets ? "\\right)" : "");
}

void latex_expression(text *out, const claim *c, const node *n)
{
  print(out, c, n, LEVEL_OPEN);
}

void latex_words(text *out, const char *s)
{
  for (; *s; s++) {
    if (strchr("#$%&_{}", *s))
      text_addf(out, "\\%c", *s);
    else if (*s == '\\')
      text_add(out, "\\textbackslash{}");
    else if (*s == '^' || *s == '~')
      text_addf(out, "\\%c{}", *s);
    else
      text_add_char(out, *s);
  }
}
