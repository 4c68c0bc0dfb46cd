/* The grammar of the claim language. What is built is described in lang/syntax.h. */
%define api.pure full
%define api.prefix {syntax_yy}
%define api.location.type {diag_place}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {void *scanner}
%parse-param {syntax_reader *reader}

%code requires {
#include "lang/syntax.h"
#include "lang/words.h"
}

%union {
  const char *word;
  function_kind function;
  fmpq *number;
  relation relation;
  bool truth;
  declare_kind declare;
  node *node;
  syntax_list *list;
  claim_position *position;
  declaration *declaration;
}

%code {
#include <stdlib.h>
#include <string.h>

/* A place is where something begins. */
#define YYLLOC_DEFAULT(current, rhs, n) \
  do \
    (current) = (n) ? YYRHSLOC(rhs, 1) : YYRHSLOC(rhs, 0); \
  while (0)
#define YYLTYPE_IS_TRIVIAL 1
#define YYINITDEPTH 200
#define YYMAXDEPTH 100000

int syntax_yylex(YYSTYPE *value, YYLTYPE *place, void *scanner);
static void syntax_yyerror(YYLTYPE *place, void *scanner, syntax_reader *reader, const char *message);
static node *name_node(syntax_reader *r, diag_place place, const char *word, const syntax_list *indices);
static node *compare_node(syntax_reader *r, diag_place place, node *a, relation relation_, node *b);
static void extend_comparison(syntax_reader *r, node *chain, relation relation_, node *b);
static node *call_node(syntax_reader *r, diag_place place, function_kind function, const syntax_list *l);
static void check_interval(syntax_reader *r, const declaration *d, diag_place left, diag_place right);
static void check_random(syntax_reader *r, diag_place place, diag_place mean_place, const node *mean);
static void declare(syntax_reader *r, declaration *d);
}

%token YYEOF 0 "the end of the file"
%token CLAIM "claim" FAMILY "family" TENSOR "tensor" TABLE "table" END "end" FROM "from" TITLE "title" SOURCE "source" SIZE "size"
%token TRY "try" GIVEN "given" LET "let"
%token ASSUME "assume" SHOW "show" POSSIBLE "possible" TRIVIAL "trivial" DROP "drop" REPLACE "replace"
%token AS "as" IN "in" REAL "real" INF "inf" FORALL "forall" EXISTS "exists" IF "if" THEN "then" ELSE "else"
%token PI "pi" RANDOM "random" NORMAL "normal" MEAN "mean" INTEGRAL "integral" IMPLIES "implies" OR "or" AND "and" NOT "not"
%token SUM "sum" PROD "prod" MIN "min" MAX "max" DERIVATIVE "d"
%token <word> NAME "a name" CLAIM_WORD "the name of a claim" STRING "a string"
%token <function> FUNCTION "a function"
%token <number> NUMBER "a number"
%token DOTS ".." LESS_EQUAL "<=" GREATER_EQUAL ">=" NOT_EQUAL "!="
%token '(' "(" ')' ")" '[' "[" ']' "]" ',' "," ':' ":" '=' "="
%token '<' "<" '>' ">" '+' "+" '-' "-" '*' "*" '/' "/" '^' "^" '~' "~"

/* Loosest first. OPEN is a construct that extends as far right as it can. */
%precedence OPEN
%right IMPLIES
%left OR
%left AND
%precedence NOT
%precedence CHAIN_END
%left '=' '<' '>' LESS_EQUAL GREATER_EQUAL NOT_EQUAL
%left '+' '-'
%left '*' '/'
%precedence NEGATION
%right '^'

%type <word> parent_name role
%type <node> expression chain element
%type <relation> relation
%type <list> expressions elements ranges positions indices strings
%type <position> range position
%type <declaration> declaration size_bounds interval interval_ends tensor_range
%type <node> low_end high_end otherwise
%type <declare> label_kind
%type <truth> cut

%%

file: claims;

claims: %empty | claims claim;

claim:
  claim_head declarations END { reader->file->last->ended = true; }
| error END;

claim_head:
  CLAIM CLAIM_WORD { syntax_add_claim(reader, @2, $2, false); } parent kind
| FAMILY CLAIM_WORD { syntax_add_claim(reader, @2, $2, true); } parent;

parent:
  %empty
| FROM parent_name { reader->file->last->parent = $2; reader->file->last->parent_place = @2; }
| FROM STRING parent_name {
    reader->file->last->parent_file = $2;
    reader->file->last->parent = $3;
    reader->file->last->parent_place = @2;
  };

parent_name: CLAIM_WORD;

kind: %empty | AS NAME { syntax_set_kind(reader, @2, $2); };

declarations: %empty | declarations declaration { declare(reader, $2); };

declaration:
  TITLE STRING { $$ = syntax_declare(reader, DECLARE_TITLE, @1, $2); }
| SOURCE STRING { $$ = syntax_declare(reader, DECLARE_SOURCE, @1, $2); }
| SIZE NAME size_bounds role {
    $$ = $3;
    $$->kind = DECLARE_SIZE;
    $$->name = $2;
    $$->place = @2;
    $$->role = $4;
  }
| TRY NAME IN expression DOTS expression {
    $$ = syntax_declare(reader, DECLARE_TRY, @2, $2);
    $$->low = $4;
    $$->high = $6;
  }
| GIVEN NAME positions IN interval role {
    $$ = $5;
    $$->name = $2;
    $$->place = @2;
    $$->role = $6;
    syntax_set_positions(reader, $$, $3);
  }
| TENSOR NAME positions strings tensor_range role otherwise {
    $$ = $5;
    $$->name = $2;
    $$->place = @2;
    $$->role = $6;
    $$->body = $7;
    syntax_set_positions(reader, $$, $3);
    syntax_set_stored(reader, $$, $4);
    syntax_only_family(reader, @1, "there are tensors");
  }
| RANDOM NAME positions '~' NORMAL '(' expression ',' expression ')' {
    $$ = syntax_declare(reader, DECLARE_RANDOM, @2, $2);
    $$->body = $9;
    syntax_set_positions(reader, $$, $3);
    check_random(reader, @1, @7, $7);
  }
| TABLE NAME FROM STRING cut { table_declare(reader, @2, $2, @4, $4, $5); $$ = NULL; }
| LET NAME positions role '=' expression {
    $$ = syntax_declare(reader, DECLARE_LET, @2, $2);
    $$->body = $6;
    $$->role = $4;
    if ($4)
      syntax_only_family(reader, @4, "a definition has a role");
    syntax_set_positions(reader, $$, $3);
  }
| label_kind NAME ':' expression { $$ = syntax_declare(reader, $1, @2, $2); $$->body = $4; }
| DROP NAME { $$ = syntax_declare(reader, DECLARE_DROP, @2, $2); }
| error { $$ = NULL; };

/* After `from` words are read as those of claims' names are. */
cut:
  %empty { $$ = false; }
| CLAIM_WORD {
    $$ = true;
    if (strcmp($1, "truncated") != 0)
      syntax_error(reader, @1, "'%s' means nothing here; behind the file of a table may stand: truncated", $1);
  };

label_kind:
  ASSUME { $$ = DECLARE_ASSUME; }
| SHOW { $$ = DECLARE_SHOW; }
| POSSIBLE { $$ = DECLARE_POSSIBLE; }
| TRIVIAL { $$ = DECLARE_TRIVIAL; }
| REPLACE { $$ = DECLARE_REPLACE; };

size_bounds:
  GREATER_EQUAL expression { $$ = syntax_declare(reader, DECLARE_SIZE, @1, NULL); $$->low = $2; }
| IN expression DOTS expression {
    $$ = syntax_declare(reader, DECLARE_SIZE, @1, NULL);
    $$->low = $2;
    $$->high = $4;
  };

interval:
  REAL { $$ = syntax_declare(reader, DECLARE_GIVEN, @1, NULL); $$->low_open = $$->high_open = true; }
| '(' interval_ends ')' { $$ = $2; $$->low_open = $$->high_open = true; }
| '(' interval_ends ']' { $$ = $2; $$->low_open = true; check_interval(reader, $$, @1, @3); }
| '[' interval_ends ')' { $$ = $2; $$->high_open = true; check_interval(reader, $$, @1, @3); }
| '[' interval_ends ']' { $$ = $2; check_interval(reader, $$, @1, @3); };

tensor_range:
  %empty { $$ = syntax_declare(reader, DECLARE_GIVEN, @$, NULL); $$->low_open = $$->high_open = true; }
| IN interval { $$ = $2; };

otherwise: %empty { $$ = NULL; } | ELSE expression { $$ = $2; };

strings:
  STRING { $$ = syntax_list_new(reader); syntax_list_add(reader->store->region, $$, (void *)$1); }
| strings STRING { $$ = $1; syntax_list_add(reader->store->region, $$, (void *)$2); };

interval_ends: low_end ',' high_end {
    $$ = syntax_declare(reader, DECLARE_GIVEN, @1, NULL);
    $$->low = $1;
    $$->high = $3;
  };

low_end: expression | '-' INF { $$ = NULL; };
high_end: expression | INF { $$ = NULL; };

role: %empty { $$ = NULL; } | AS NAME { $$ = $2; };

positions: %empty { $$ = NULL; } | '[' indices ']' { $$ = $2; };

indices:
  position { $$ = syntax_list_new(reader); syntax_list_add(reader->store->region, $$, $1); }
| indices ',' position { $$ = $1; syntax_list_add(reader->store->region, $$, $3); };

position: range | expression { $$ = syntax_position(reader, @1, NULL, $1, NULL); };

ranges:
  range { $$ = syntax_list_new(reader); syntax_list_add(reader->store->region, $$, $1); }
| ranges ',' range { $$ = $1; syntax_list_add(reader->store->region, $$, $3); };

range: NAME IN expression DOTS expression { $$ = syntax_position(reader, @1, $1, $3, $5); };

expressions:
  expression { $$ = syntax_list_new(reader); syntax_list_add(reader->store->region, $$, $1); }
| expressions ',' expression { $$ = $1; syntax_list_add(reader->store->region, $$, $3); };

/* A string names a row or a column of a table. */
elements:
  element { $$ = syntax_list_new(reader); syntax_list_add(reader->store->region, $$, $1); }
| elements ',' element { $$ = $1; syntax_list_add(reader->store->region, $$, $3); };

element: expression | STRING { $$ = syntax_node(reader, NODE_STRING, @1, 0); $$->name = $1; };

expression:
  NUMBER { $$ = syntax_node(reader, NODE_NUMBER, @1, 0); $$->number = $1; }
| PI { $$ = syntax_node(reader, NODE_PI, @1, 0); }
| NAME { $$ = name_node(reader, @1, $1, NULL); }
| NAME '[' elements ']' { $$ = name_node(reader, @1, $1, $3); }
| '(' expression ')' { $$ = $2; }
| FUNCTION '(' expressions ')' { $$ = call_node(reader, @1, $1, $3); }
| MIN '(' expressions ')' { $$ = call_node(reader, @1, FUNCTION_MIN, $3); }
| MAX '(' expressions ')' { $$ = call_node(reader, @1, FUNCTION_MAX, $3); }
| MIN '(' ranges ':' expression ')' { $$ = syntax_fold(reader, FOLD_MIN, @1, $3, $5); }
| MAX '(' ranges ':' expression ')' { $$ = syntax_fold(reader, FOLD_MAX, @1, $3, $5); }
| SUM '(' ranges ':' expression ')' { $$ = syntax_fold(reader, FOLD_SUM, @1, $3, $5); }
| PROD '(' ranges ':' expression ')' { $$ = syntax_fold(reader, FOLD_PRODUCT, @1, $3, $5); }
| DERIVATIVE '(' expression ',' expression ')' { $$ = syntax_binary(reader, NODE_DERIVATIVE, @1, $3, $5); }
| MEAN '(' expression ')' { $$ = syntax_unary(reader, NODE_MEAN, @1, $3); }
| INTEGRAL '(' range ':' expression ')' { $$ = syntax_integral(reader, @1, $3, $5); }
| '-' expression %prec NEGATION { $$ = syntax_unary(reader, NODE_NEGATE, @1, $2); }
| expression '^' expression { $$ = syntax_binary(reader, NODE_POWER, @1, $1, $3); }
| expression '*' expression { $$ = syntax_binary(reader, NODE_MULTIPLY, @1, $1, $3); }
| expression '/' expression { $$ = syntax_binary(reader, NODE_DIVIDE, @1, $1, $3); }
| expression '+' expression { $$ = syntax_binary(reader, NODE_ADD, @1, $1, $3); }
| expression '-' expression { $$ = syntax_binary(reader, NODE_SUBTRACT, @1, $1, $3); }
| chain %prec CHAIN_END
| NOT expression { $$ = syntax_unary(reader, NODE_NOT, @1, $2); }
| expression AND expression { $$ = syntax_binary(reader, NODE_AND, @1, $1, $3); }
| expression OR expression { $$ = syntax_binary(reader, NODE_OR, @1, $1, $3); }
| expression IMPLIES expression { $$ = syntax_binary(reader, NODE_IMPLIES, @1, $1, $3); }
| FORALL ranges ':' expression %prec OPEN { $$ = syntax_fold(reader, FOLD_FORALL, @1, $2, $4); }
| EXISTS ranges ':' expression %prec OPEN { $$ = syntax_fold(reader, FOLD_EXISTS, @1, $2, $4); }
| IF expression THEN expression ELSE expression %prec OPEN {
    syntax_list l = {0};
    syntax_list_add(reader->store->region, &l, $2);
    syntax_list_add(reader->store->region, &l, $4);
    syntax_list_add(reader->store->region, &l, $6);
    $$ = syntax_with_list(reader, NODE_IF, @1, &l);
  };

chain:
  expression relation expression %prec '=' { $$ = compare_node(reader, @1, $1, $2, $3); }
| chain relation expression %prec '=' { $$ = $1; extend_comparison(reader, $$, $2, $3); };

relation:
  '<' { $$ = RELATION_LESS; }
| LESS_EQUAL { $$ = RELATION_LESS_EQUAL; }
| '=' { $$ = RELATION_EQUAL; }
| NOT_EQUAL { $$ = RELATION_NOT_EQUAL; }
| GREATER_EQUAL { $$ = RELATION_GREATER_EQUAL; }
| '>' { $$ = RELATION_GREATER; };

%%

static node *name_node(syntax_reader *r, diag_place place, const char *word, const syntax_list *indices)
{
  node *n = syntax_with_list(r, NODE_NAME, place, indices);
  n->name = word;
  return n;
}

static node *compare_node(syntax_reader *r, diag_place place, node *a, relation relation_, node *b)
{
  node *n = syntax_binary(r, NODE_COMPARE, place, a, b);
  n->relations = memory_region_new(r->store->region, 1, sizeof(relation));
  n->relations[0] = relation_;
  return n;
}

/* Arrays are doubled when the number of operands reaches a power of 2. */
static void extend_comparison(syntax_reader *r, node *chain, relation relation_, node *b)
{
  unsigned n = chain->children;
  if ((n & (n - 1)) == 0) {
    node **child = memory_region_new(r->store->region, 2 * n, sizeof(node *));
    relation *relations = memory_region_new(r->store->region, 2 * n, sizeof(relation));
    memcpy(child, chain->child, n * sizeof(node *));
    memcpy(relations, chain->relations, (n - 1) * sizeof(relation));
    chain->child = child;
    chain->relations = relations;
  }
  chain->child[n] = b;
  chain->relations[n - 1] = relation_;
  chain->children++;
  if (b->depth >= chain->depth)
    chain->depth = b->depth + 1;
}

static node *call_node(syntax_reader *r, diag_place place, function_kind function, const syntax_list *l)
{
  node *n = syntax_with_list(r, NODE_CALL, place, l);
  n->function = function;
  return n;
}

static void check_interval(syntax_reader *r, const declaration *d, diag_place left, diag_place right)
{
  if (!d->low && !d->low_open)
    syntax_error(r, left, "an infinite end is open: write (-inf");
  if (!d->high && !d->high_open)
    syntax_error(r, right, "an infinite end is open: write inf)");
}

static void check_random(syntax_reader *r, diag_place place, diag_place mean_place, const node *mean)
{
  if (r->file->last->family)
    syntax_error(r, place, "a family describes a model whose numbers a file holds: nothing in it is random");
  if (mean->kind != NODE_NUMBER || !fmpq_is_zero(mean->number))
    syntax_error(r, mean_place, "the mean of a random element is 0: write normal(0, VARIANCE), and add another mean "
                                "where the element is used");
}

static void declare(syntax_reader *r, declaration *d)
{
  if (d)
    syntax_add_declaration(r, d);
}

static void syntax_yyerror(YYLTYPE *place, void *scanner, syntax_reader *reader, const char *message)
{
  (void)scanner;
  (void)message; /* the one message that gets here is that the parser's stack is full */
  if (!reader->stop)
    syntax_error(reader, *place, "nested too deeply");
  reader->stop = true;
}

/* Operators are too many to list, and known from the context; so are the words that begin a declaration. */
static bool is_operator(yysymbol_kind_t k)
{
  const char *const word[] = {"+", "-",  "*",  "/",  "^",   "=",  "<",
                              ">", "<=", ">=", "!=", "and", "or", "implies"};
  for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
    if (strcmp(yysymbol_name(k), word[i]) == 0)
      return true;
  return false;
}

static bool is_name_byte(unsigned char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

/* The token as it stands in the file, its first letters, or else its name in the grammar. */
static void add_token(text *t, const diag_place *p, yysymbol_kind_t k)
{
  const char *s = p->source->text + p->offset;
  size_t n = 0;
  bool number = k == YYSYMBOL_NUMBER;
  while (n < 40 && (is_name_byte((unsigned char)s[n]) || (number && s[n] == '.' && s[n + 1] != '.')))
    n++;
  if (n)
    text_add_bytes(t, s, n);
  else
    text_add(t, yysymbol_name(k));
}

static bool expects(const yypcontext_t *context, yysymbol_kind_t wanted)
{
  enum { MOST = 128 };
  yysymbol_kind_t expected[MOST];
  int count = yypcontext_expected_tokens(context, expected, MOST);
  for (int i = 0; i < count; i++)
    if (expected[i] == wanted)
      return true;
  return false;
}

/* Appends "; expected ..." for the tokens that could stand here. */
static void add_expected(text *t, const yypcontext_t *context, yysymbol_kind_t found, const char *word, bool nested)
{
  enum { MOST = 128 };
  yysymbol_kind_t expected[MOST];
  int count = yypcontext_expected_tokens(context, expected, MOST);
  bool value = false, declaration_ = false, name = false;
  for (int i = 0; i < count; i++) {
    value |= expected[i] == YYSYMBOL_NUMBER;
    declaration_ |= expected[i] == YYSYMBOL_SHOW;
    name |= expected[i] == YYSYMBOL_NAME;
  }
  if (name && !value && words_keyword(word)) {
    text_addf(t, "; '%s' is a word of the language and cannot be a name", word);
    return;
  }
  const char *item[MOST + 2];
  int items = 0;
  if (value)
    item[items++] = "a value";
  for (int i = 0; i < count && !value; i++) {
    bool begins = words_begins_declaration(words_keyword(yysymbol_name(expected[i])));
    if (!(is_operator(expected[i]) && count > 4) && !(declaration_ && begins))
      item[items++] = yysymbol_name(expected[i]);
  }
  if (declaration_)
    item[items++] = count > 20 ? "the next declaration" : "a declaration";
  if (declaration_ && found == YYSYMBOL_NAME) {
    const char *near = words_nearest_declaration(word);
    if (near) {
      text_addf(t, "; did you mean '%s'?", near);
      return;
    }
  }
  if (items > 6)
    return;
  for (int i = 0; i < items; i++) {
    bool quote = strncmp(item[i], "a ", 2) != 0 && strncmp(item[i], "the ", 4) != 0;
    text_add(t, i == 0 ? "; expected " : i == items - 1 ? " or " : ", ");
    text_addf(t, quote ? "'%s'" : "%s", item[i]);
  }
  if (items == 1 && !strcmp(item[0], "in") && nested)
    text_add(t, ", as in sum(i in 1..n: x[i])");
  else if (items == 1 && !strcmp(item[0], ":") && !nested)
    text_add(t, " behind a label, as in show bound: x <= 1");
}

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, syntax_reader *reader)
{
  (void)scanner;
  if (reader->stop)
    return 0;
  yysymbol_kind_t found = yypcontext_token(context);
  diag_place place = *yypcontext_location(context);
  const syntax_claim *open = reader->file->last;
  text t, word;
  text_init(&t);
  text_init(&word);
  add_token(&word, &place, found);
  bool ended = found == YYSYMBOL_YYEOF || found == YYSYMBOL_CLAIM || found == YYSYMBOL_FAMILY;
  ended &= open && !open->ended && expects(context, YYSYMBOL_SHOW);
  const char *kind = open && open->family ? "family" : "claim";
  if (ended && found != YYSYMBOL_YYEOF)
    text_addf(&t, "unexpected '%s': %s '%s' has no 'end'", text_string(&word), kind, open->name);
  else if (ended)
    text_addf(&t, "the file ends inside %s '%s': 'end' is missing", kind, open->name);
  else if (found == YYSYMBOL_YYEOF)
    text_add(&t, "unexpected end of the file");
  else if (found == YYSYMBOL_STRING)
    text_add(&t, "unexpected string");
  else
    text_addf(&t, "unexpected '%s'", text_string(&word));
  if (!ended)
    add_expected(&t, context, found, text_string(&word), reader->nesting > 0);
  syntax_error(reader, place, "%s", text_string(&t));
  if ((found == YYSYMBOL_YYEOF || found == YYSYMBOL_CLAIM) && open && !open->ended)
    diag_note(reader->store->d, open->place, "claim '%s' begins here", open->name);
  text_clear(&t);
  text_clear(&word);
  return 0;
}
