/* Printing: print(parse(text)) parses to the same claim and prints the same, for the bundled claims and for
 * random trees. */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/philox.h"
#include "lang/claim.h"
#include "lang/literal.h"
#include "lang/variant.h"
#include "tree_dump.h"

static library *read_text(const char *s, diag_source **source, diag *d)
{
  *source = diag_source_from("printed", s, strlen(s));
  return library_read_source(d, *source, 0);
}

static void check_round_trip(const claim *c, const char *where)
{
  text first, second, latex;
  text_init(&first);
  text_init(&second);
  text_init(&latex);
  claim_print(&first, c);
  diag *d = diag_create(NULL, 0);
  diag_source *source;
  library *l = read_text(text_string(&first), &source, d);
  ck_assert_msg(l != NULL, "%s: %s\n%s", where, text_string(&first), diag_text(d));
  ck_assert_uint_eq(library_claims(l), 1);
  const claim *again = library_claim(l, 0);
  claim_print(&second, again);
  ck_assert_str_eq(text_string(&first), text_string(&second));
  ck_assert_uint_eq(c->labels, again->labels);
  claim_print_latex(&latex, again);
  ck_assert_uint_gt(latex.length, 0);
  text_clear(&first);
  text_clear(&second);
  text_clear(&latex);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}

static unsigned check_file(const char *path)
{
  diag *d = diag_create(NULL, 0);
  library *l = library_read(d, path, 0);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  unsigned n = library_claims(l);
  for (unsigned i = 0; i < n; i++) {
    const claim *c = library_claim(l, i);
    check_round_trip(c, path);
    text t; /* the same claim read again: equal tree by tree */
    text_init(&t);
    claim_print(&t, c);
    diag_source *source;
    library *again = read_text(text_string(&t), &source, d);
    for (unsigned k = 0; k < c->labels; k++)
      ck_assert_msg(tree_equal(c->label[k].body, library_claim(again, 0)->label[k].body), "%s %s", path,
                    c->label[k].name);
    text_clear(&t);
    library_destroy(again);
    diag_source_destroy(source);
  }
  library_destroy(l);
  diag_destroy(d);
  return n;
}

static unsigned check_folder(const char *path)
{
  unsigned claims = 0;
  DIR *folder = opendir(path);
  ck_assert_msg(folder != NULL, "%s", path);
  for (const struct dirent *e; (e = readdir(folder));) {
    char inner[4096];
    struct stat s;
    snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
    size_t n = strlen(e->d_name);
    if (e->d_name[0] == '.' || stat(inner, &s) != 0)
      continue;
    if (S_ISDIR(s.st_mode))
      claims += check_folder(inner);
    else if (n > 6 && strcmp(e->d_name + n - 6, ".claim") == 0)
      claims += check_file(inner);
  }
  closedir(folder);
  return claims;
}

START_TEST(test_bundled)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  static const char *const folder[] = {"lemmas", "tests/claims"};
  unsigned claims = 0;
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", top ? top : ".", folder[i]);
    claims += check_folder(path);
  }
  ck_assert_uint_gt(claims, 0);
  flint_cleanup();
}
END_TEST

/* ---- families ---- */

static bool same_string(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_node(const node *a, const node *b)
{
  return a == b || (a && b && tree_equal(a, b));
}

static void check_same_family(const claim *a, const claim *b)
{
  ck_assert(a->family && b->family);
  ck_assert(same_string(a->title, b->title) && same_string(a->cite, b->cite));
  ck_assert(a->sizes == b->sizes && a->givens == b->givens && a->lets == b->lets);
  for (unsigned i = 0; i < a->sizes; i++) {
    ck_assert(same_string(a->size[i].role, b->size[i].role) && same_node(a->size[i].low, b->size[i].low));
    ck_assert(same_node(a->size[i].high, b->size[i].high));
  }
  for (unsigned i = 0; i < a->givens; i++) {
    const claim_given *x = &a->given[i], *y = &b->given[i];
    ck_assert(x->stored == y->stored && same_string(x->role, y->role) && same_node(x->otherwise, y->otherwise));
    for (unsigned k = 0; k < x->stored; k++)
      ck_assert_str_eq(x->stored_as[k], y->stored_as[k]);
    ck_assert(x->lines == y->lines && same_node(x->line[0].low, y->line[0].low) && same_node(x->line[0].high, y->line[0].high));
    ck_assert(x->line[0].low_open == y->line[0].low_open && x->line[0].high_open == y->line[0].high_open);
  }
  for (unsigned i = 0; i < a->lets; i++) {
    ck_assert(same_string(a->let[i].role, b->let[i].role) && a->let[i].lines == b->let[i].lines);
    for (unsigned k = 0; k < a->let[i].lines; k++)
      ck_assert(tree_equal(a->let[i].line[k].body, b->let[i].line[k].body));
  }
}

/* Every family of a library, printed, is a family that is the same and prints the same. */
static unsigned check_families(const library *l)
{
  diag *d = diag_create(NULL, 0);
  for (unsigned i = 0; i < library_families(l); i++) {
    text first, second;
    text_init(&first);
    text_init(&second);
    claim_print(&first, library_family(l, i));
    diag_source *source;
    library *again = read_text(text_string(&first), &source, d);
    ck_assert_msg(again != NULL, "%s\n%s", text_string(&first), diag_text(d));
    ck_assert(library_families(again) == 1 && library_claims(again) == 0);
    check_same_family(library_family(l, i), library_family(again, 0));
    claim_print(&second, library_family(again, 0));
    ck_assert_str_eq(text_string(&first), text_string(&second));
    text_clear(&first);
    text_clear(&second);
    library_destroy(again);
    diag_source_destroy(source);
  }
  diag_destroy(d);
  return library_families(l);
}

START_TEST(test_shipped_families)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/cases/families", top ? top : ".");
  DIR *folder = opendir(path);
  ck_assert_msg(folder != NULL, "%s", path);
  unsigned families = 0;
  for (const struct dirent *e; (e = readdir(folder));) {
    if (!strstr(e->d_name, ".family"))
      continue;
    snprintf(path, sizeof path, "%s/cases/families/%s", top ? top : ".", e->d_name);
    diag *d = diag_create(NULL, 0);
    library *l = library_read(d, path, 0);
    ck_assert_msg(l != NULL, "%s", diag_text(d));
    ck_assert_uint_eq(library_claims(l), 0);
    families += check_families(l);
    library_destroy(l);
    diag_destroy(d);
  }
  closedir(folder);
  ck_assert_uint_gt(families, 30);
}
END_TEST

START_TEST(test_family_text)
{
  diag *d = diag_create(NULL, 0);
  diag_source *source;
  library *l = read_text(
      "claim before given a in real show s: a <= 1 end\n"
      "family base size D >= 1 as channel tensor x[d in 1..D] \"x\" as norm else -0.50\n"
      "let r[d in 1..D] as rate = (x[d]) end\n"
      "family f from base title \"T\" size l in 1..D as layer tensor y \"a \\\"b\\\\\" \"../y\" in (-inf,0) as gate\n"
      "tensor z[d in 1..2*D, n in 1..3] \"z\" in [0, 1) else 2 given u in real as activation let s as step = r[1] end\n",
      &source, d);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  ck_assert(library_claims(l) == 1 && library_families(l) == 2);
  ck_assert_str_eq(library_claim(l, 0)->name, "before");
  ck_assert_str_eq(library_family(l, 1)->name, "f");
  ck_assert(!library_find(l, "f") && library_find(l, "before"));
  text t;
  text_init(&t);
  claim_print(&t, library_family(l, 1));
  ck_assert_str_eq(text_string(&t), "family f\n"
                                    "  title \"T\"\n"
                                    "  size D >= 1 as channel\n"
                                    "  size l in 1..D as layer\n"
                                    "  tensor x[d in 1..D] \"x\" as norm else -0.5\n"
                                    "  let r[d in 1..D] as rate = x[d]\n"
                                    "  tensor y \"a \\\"b\\\\\" \"../y\" in (-inf, 0) as gate\n"
                                    "  tensor z[d in 1..2*D, n in 1..3] \"z\" in [0, 1) else 2\n"
                                    "  given u in real as activation\n"
                                    "  let s as step = r[1]\n"
                                    "end\n");
  text_clear(&t);
  ck_assert_uint_eq(check_families(l), 2);
  check_round_trip(library_claim(l, 0), "beside families");
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

/* What is printed, for texts that are not printed as they were written. */
START_TEST(test_canonical)
{
  static const struct {
    const char *text, *printed;
  } cases[] = {
    {"((a))+(b*(c))", "a + b*c"},
    {"(a+b)*c-(a-(b-c))", "(a + b)*c - (a - (b - c))"},
    {"a/(b*c)/(b/c)", "a/(b*c)/(b/c)"},
    {"(-a)^2 - -a^2", "(-a)^2 - -a^2"},
    {"(a^2)^3^(4)", "(a^2)^3^4"},
    {"a^(-1)*b^-T", "a^-1*b^-T"},
    {"(if a<b then a else b)+(if a<b then a else b)", "(if a < b then a else b) + if a < b then a else b"},
    {"0.10 + 1.00 + 1e3 + 1e-3", "0.1 + 1 + 1000 + 0.001"},
    {"1e-330 + 12e40", "1e-330 + 12e40"},
    {"0x1.8p-3 + 0x1p-60 + 0x10", "0.1875 + 0x1p-60 + 16"},
    {"0.12345678901234567890123456789012345", "0.12345678901234567890123456789012345"},
    {"max(t in 1..T:a^t)", "max(t in 1..T: a^t)"},
    {"-(a*b) + (-a)*b", "-(a*b) + -a*b"},
    {"d((a),b)", "d(a, b)"},
    {"sum(t in 1..T: if a < b then a else b)*a", "sum(t in 1..T: if a < b then a else b)*a"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    text t;
    text_init(&t);
    text_addf(
        &t,
        "claim c size T >= 1 given a in real given b in real given c in real show s: 0 = 0 trivial e: %s end",
        cases[i].text);
    diag *d = diag_create(NULL, 0);
    diag_source *source;
    library *l = read_text(text_string(&t), &source, d);
    ck_assert_msg(l != NULL, "%s", diag_text(d));
    text_clear(&t);
    claim_print_node(&t, library_claim(l, 0), library_claim(l, 0)->label[1].body);
    ck_assert_str_eq(text_string(&t), cases[i].printed);
    text_clear(&t);
    library_destroy(l);
    diag_source_destroy(source);
    diag_destroy(d);
  }
  flint_cleanup();
}
END_TEST

/* Random families, expectations and integrals: the text as it was written, and as LaTeX. */
START_TEST(test_expectations)
{
  static const char text_of[] = "claim c\n"
                                "  size n >= 1\n"
                                "  given v in [0, 1]\n"
                                "  random g[i in 1..n, 1] ~ normal(0, v)\n"
                                "  random g[1, 2] ~ normal(0, w + 1)\n"
                                "  let w = integral(t in 0..v + 1: integral(s in -t..t^2: s*t) + 1)\n"
                                "  random alpha ~ normal(0, 2)\n"
                                "  given u in real\n"
                                "  show s: 2*mean((alpha - mean(alpha))^2) <= d(mean(g[1, 1]^2), v)\n"
                                "end\n";
  static const char *const latex_of[] = {
      "Let $g_{i,1} \\sim \\mathcal{N}(0, v)$ for $1 \\le i \\le n$, independent of all else.\n",
      "Let $\\alpha \\sim \\mathcal{N}(0, 2)$, independent of all else.\n",
      "\\int_{0}^{v + 1} \\left(\\int_{-t}^{t^{2}} s\\, t \\, ds + 1\\right) \\, dt",
      "2\\, \\mathbb{E}\\left[\\left(\\alpha - \\mathbb{E}\\left[\\alpha\\right]\\right)^{2}\\right]"};
  diag *d = diag_create(NULL, 0);
  diag_source *source;
  library *l = read_text(text_of, &source, d);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  const claim *c = library_claim(l, 0);
  check_round_trip(c, "expectations");
  text t;
  text_init(&t);
  claim_print(&t, c);
  ck_assert_str_eq(text_string(&t), text_of);
  text_clear(&t);
  claim_print_latex(&t, c);
  for (size_t i = 0; i < sizeof latex_of / sizeof latex_of[0]; i++)
    ck_assert_msg(strstr(text_string(&t), latex_of[i]), "%s is not in\n%s", latex_of[i], text_string(&t));
  text_clear(&t);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

START_TEST(test_strings)
{
  diag *d = diag_create(NULL, 0);
  diag_source *source;
  library *l =
      read_text("claim c title \"a \\\"b\\\" \\\\ \xCE\xB1 #\" source \"\" show s: 0 = 0 end", &source, d);
  ck_assert_msg(l != NULL, "%s", diag_text(d));
  ck_assert_str_eq(library_claim(l, 0)->title, "a \"b\" \\ \xCE\xB1 #");
  ck_assert_str_eq(library_claim(l, 0)->cite, "");
  check_round_trip(library_claim(l, 0), "strings");
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

/* Random trees over a few names, well typed by construction. */
typedef struct {
  philox_stream stream;
  tree_memory *v;
  const claim *c; /* labels 0..: a b x[T] T p */
  unsigned bound; /* indices in force */
} maker;

static const char *const index_name[] = {"i", "j", "k", "l", "m", "n"};

static node *make(maker *m, node_kind kind, unsigned children)
{
  node *n = memory_region_new(tree_memory_region(m->v), 1, sizeof(node));
  n->kind = kind;
  n->children = children;
  n->child = memory_region_new(tree_memory_region(m->v), children, sizeof(node *));
  return n;
}

static node *finish(node *n)
{
  tree_complete(n);
  return n;
}

static node *make_number(maker *m, bool integer)
{
  static const char *const word[] = {"0", "1", "2", "10", "0.5", "1e-40", "0x1p-70", "3.25", "1e30"};
  node *n = make(m, NODE_NUMBER, 0);
  n->number = tree_memory_number(m->v);
  const char *s = word[philox_below(&m->stream, integer ? 4 : 9)];
  literal_read(n->number, s, strlen(s));
  return finish(n);
}

static node *make_integer(maker *m, unsigned depth)
{
  uint64_t which = philox_below(&m->stream, depth ? 7 : 3);
  if (which == 0)
    return make_number(m, true);
  if (which == 1 && m->bound > 0) {
    node *n = make(m, NODE_INDEX, 0);
    n->slot = (unsigned)philox_below(&m->stream, m->bound);
    n->name = index_name[n->slot];
    return finish(n);
  }
  if (which <= 2) {
    node *n = make(m, NODE_SIZE, 0);
    n->name = "T";
    return finish(n);
  }
  static const node_kind kinds[] = {NODE_ADD, NODE_SUBTRACT, NODE_MULTIPLY, NODE_NEGATE};
  node_kind kind = kinds[which - 3];
  node *n = make(m, kind, kind == NODE_NEGATE ? 1 : 2);
  for (unsigned i = 0; i < n->children; i++)
    n->child[i] = make_integer(m, depth - 1);
  return finish(n);
}

static node *make_value(maker *m, unsigned depth);
static node *make_truth(maker *m, unsigned depth);

static node *make_fold(maker *m, fold_kind fold, unsigned depth)
{
  unsigned outer = m->bound;
  node *n = make(m, NODE_FOLD, 1);
  n->fold = fold;
  n->ranges = 1 + (unsigned)philox_below(&m->stream, 2);
  n->range = memory_region_new(tree_memory_region(m->v), n->ranges, sizeof(node_range));
  for (unsigned i = 0; i < n->ranges; i++) {
    node_range *r = &n->range[i];
    r->low = make_integer(m, 1);
    r->high = make_integer(m, 1);
    r->slot = m->bound;
    r->name = index_name[m->bound++];
  }
  n->child[0] =
      fold == FOLD_FORALL || fold == FOLD_EXISTS ? make_truth(m, depth - 1) : make_value(m, depth - 1);
  m->bound = outer;
  return finish(n);
}

static node *make_given(maker *m)
{
  node *n = make(m, NODE_GIVEN, philox_below(&m->stream, 2) ? 1 : 0);
  n->name = n->children ? "x" : "a";
  n->symbol = n->children;
  if (n->children)
    n->child[0] = make_integer(m, 1);
  return finish(n);
}

static node *make_if(maker *m, unsigned depth, bool truth)
{
  node *n = make(m, NODE_IF, 3);
  n->child[0] = make_truth(m, depth - 1);
  for (int i = 1; i < 3; i++)
    n->child[i] = truth ? make_truth(m, depth - 1) : make_value(m, depth - 1);
  return finish(n);
}

static node *make_value(maker *m, unsigned depth)
{
  uint64_t which = philox_below(&m->stream, depth ? 13 : 3);
  switch (which) {
  case 0:
    return make_number(m, false);
  case 1:
    return make_integer(m, 0);
  case 2:
    return make_given(m);
  case 3:
    return make_if(m, depth, false);
  case 4:
    if (m->bound + 2 > 6)
      return make_given(m);
    return make_fold(m, (fold_kind)philox_below(&m->stream, 4), depth);
  case 5: {
    node *n = make(m, NODE_CALL, 1);
    n->function = (function_kind)philox_below(&m->stream, FUNCTION_COUNT);
    n->child[0] = make_value(m, depth - 1);
    return finish(n);
  }
  case 6: {
    node *n = make(m, NODE_DERIVATIVE, 2);
    n->child[0] = make_value(m, depth - 1);
    n->child[1] = make_given(m);
    return finish(n);
  }
  case 7: {
    node *n = make(m, NODE_POWER, 2);
    n->child[0] = make_value(m, depth - 1);
    n->child[1] = make_integer(m, 2);
    return finish(n);
  }
  case 8: {
    node *n = make(m, NODE_NEGATE, 1);
    n->child[0] = make_value(m, depth - 1);
    return finish(n);
  }
  default: {
    static const node_kind kinds[] = {NODE_ADD, NODE_SUBTRACT, NODE_MULTIPLY, NODE_DIVIDE};
    node *n = make(m, kinds[which - 9], 2);
    n->child[0] = make_value(m, depth - 1);
    n->child[1] = make_value(m, depth - 1);
    return finish(n);
  }
  }
}

static node *make_truth(maker *m, unsigned depth)
{
  uint64_t which = philox_below(&m->stream, depth ? 8 : 2);
  if (which == 0 || depth == 0) {
    node *n = make(m, NODE_LET, 0);
    n->name = "p";
    n->type = TYPE_TRUTH;
    return finish(n);
  }
  if (which <= 2) {
    node *n = make(m, NODE_COMPARE, 2 + (unsigned)philox_below(&m->stream, 2));
    n->relations = memory_region_new(tree_memory_region(m->v), n->children, sizeof(relation));
    for (unsigned i = 0; i < n->children; i++) {
      n->child[i] = make_value(m, depth - 1);
      n->relations[i] = (relation)philox_below(&m->stream, 6);
    }
    return finish(n);
  }
  if (which == 3)
    return make_if(m, depth, true);
  if (which == 4 && m->bound + 2 <= 6)
    return make_fold(m, philox_below(&m->stream, 2) ? FOLD_FORALL : FOLD_EXISTS, depth);
  static const node_kind kinds[] = {NODE_NOT, NODE_AND, NODE_OR, NODE_IMPLIES};
  node_kind kind = kinds[which % 4];
  node *n = make(m, kind, kind == NODE_NOT ? 1 : 2);
  for (unsigned i = 0; i < n->children; i++)
    n->child[i] = make_truth(m, depth - 1);
  return finish(n);
}

/* The text of a tree is read back as that tree: brackets are where they must be. */
START_TEST(test_random_trees)
{
  diag *d = diag_create(NULL, 0);
  diag_source *source;
  library *l =
      read_text("claim c size T >= 1 given a in real given x[t in 1..T] in real let p = a < 0 show s: p end",
                &source, d);
  maker m = {.v = tree_memory_create(), .c = library_claim(l, 0)};
  for (uint64_t trial = 0; trial < 3000; trial++) {
    m.stream = philox_stream_start(20, 7, trial, 0);
    const claim *c = variant_with_label(m.v, m.c, 0, make_truth(&m, 1 + (unsigned)(trial % 6)));
    text printed, dumped, again;
    text_init(&printed);
    text_init(&dumped);
    text_init(&again);
    claim_print(&printed, c);
    tree_dump(&dumped, c->label[0].body);
    diag_source *s;
    library *k = read_text(text_string(&printed), &s, d);
    ck_assert_msg(k != NULL, "trial %u: %s\n%s", (unsigned)trial, text_string(&printed), diag_text(d));
    tree_dump(&again, library_claim(k, 0)->label[0].body);
    ck_assert_msg(strcmp(text_string(&dumped), text_string(&again)) == 0, "trial %u: %s\n%s\n%s",
                  (unsigned)trial, text_string(&printed), text_string(&dumped), text_string(&again));
    ck_assert(tree_equal(c->label[0].body, library_claim(k, 0)->label[0].body));
    check_round_trip(c, "random");
    text_clear(&printed);
    text_clear(&dumped);
    text_clear(&again);
    library_destroy(k);
    diag_source_destroy(s);
  }
  tree_memory_destroy(m.v);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
  flint_cleanup();
}
END_TEST

/* literal_read(literal_print(x)) = x, for decimal and dyadic x of many sizes; numbers that no literal has,
 * and negative ones, print as an expression that reads and prints the same. */
START_TEST(test_literals)
{
  fmpq_t x, y;
  fmpq_init(x);
  fmpq_init(y);
  for (int two = 0; two < 120; two += 7)
    for (int five = 0; five < 120; five += 7)
      for (int up = 0; up < 60; up += 13) {
        fmpz_set_ui(fmpq_numref(x), 37);
        fmpz_mul_2exp(fmpq_numref(x), fmpq_numref(x), (unsigned)up);
        fmpz_set_ui(fmpq_denref(x), 5);
        fmpz_pow_ui(fmpq_denref(x), fmpq_denref(x), (unsigned)five);
        fmpz_mul_2exp(fmpq_denref(x), fmpq_denref(x), (unsigned)two);
        fmpq_canonicalise(x);
        text t;
        text_init(&t);
        ck_assert(literal_print(&t, x));
        ck_assert_ptr_null(literal_read(y, text_string(&t), t.length));
        ck_assert_msg(fmpq_equal(x, y), "%s", text_string(&t));
        text_clear(&t);
      }
  fmpq_set_si(x, 1, 3);
  ck_assert(!literal_print(NULL, x));
  fmpq_set_si(x, -1, 2);
  ck_assert(!literal_print(NULL, x));
  fmpq_clear(x);
  fmpq_clear(y);
  static const struct {
    slong p;
    ulong q;
    const char *printed;
  } cases[] = {
      {1, 3, "a^2*(1/3) = a"}, {-1, 3, "a^2*(-1/3) = a"}, {-2, 1, "a^2*-2 = a"}, {3, 4, "a^2*0.75 = a"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    diag *d = diag_create(NULL, 0);
    diag_source *source;
    library *l = read_text("claim c given a in real show s: a^2*9 = a end", &source, d);
    node *product = library_claim(l, 0)->label[0].body->child[0];
    fmpq_set_si(product->child[1]->number, cases[i].p, cases[i].q);
    tree_complete(product->child[1]);
    text t;
    text_init(&t);
    claim_print_node(&t, library_claim(l, 0), library_claim(l, 0)->label[0].body);
    ck_assert_str_eq(text_string(&t), cases[i].printed);
    check_round_trip(library_claim(l, 0), "numbers");
    text_clear(&t);
    library_destroy(l);
    diag_source_destroy(source);
    diag_destroy(d);
  }
  flint_cleanup();
}
END_TEST

START_TEST(test_latex)
{
  static const struct {
    const char *text, *latex;
  } cases[] = {
    {"(1 - A^(t-1)*p)*alpha[t]", "\\left(1 - A^{t - 1}\\, p\\right)\\, \\alpha_{t}"},
    {"a/b + Delta_max", "\\frac{a}{b} + \\Delta_{\\mathrm{max}}"},
    {"(a/b)^2*3", "\\left(\\frac{a}{b}\\right)^{2} \\cdot 3"},
    {"max(r in 1..t: abs(alpha[r]))", "\\max_{1 \\le r \\le t} \\left|\\alpha_{r}\\right|"},
    {"sum(r in 1..t: a + b)*p", "\\left(\\sum_{1 \\le r \\le t} \\left(a + b\\right)\\right)\\, p"},
    {"d(a, alpha[t]) - d(a*b, b)",
     "\\frac{\\partial a}{\\partial \\alpha_{t}} - \\frac{\\partial }{\\partial b}\\left(a\\, b\\right)"},
    {"if a < b then sqrt(a) else 1e-30*pi",
     "\\begin{cases} \\sqrt{a} & \\text{if } a < b \\\\ 10^{-30}\\, \\pi & \\text{otherwise} \\end{cases}"},
    {"-(a + b)*step", "-\\left(a + b\\right)\\, \\mathit{step}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    text t;
    text_init(&t);
    text_addf(&t,
              "claim c size T >= 1 given a in real given b in (1, 2) given A in real given p in real given "
              "Delta_max in real "
              "given step in real given alpha[t in 1..T] in real let e[t in 1..T] = %s show s: e[1] = 0 end",
              cases[i].text);
    diag *d = diag_create(NULL, 0);
    diag_source *source;
    library *l = read_text(text_string(&t), &source, d);
    ck_assert_msg(l != NULL, "%s", diag_text(d));
    text_clear(&t);
    claim_print_latex(&t, library_claim(l, 0));
    text wanted;
    text_init(&wanted);
    text_addf(&wanted, "\n  e_{t} &= %s && (1 \\le t \\le T)\n", cases[i].latex);
    ck_assert_msg(strstr(text_string(&t), text_string(&wanted)) != NULL, "%s", text_string(&t));
    text_clear(&t);
    text_clear(&wanted);
    library_destroy(l);
    diag_source_destroy(source);
    diag_destroy(d);
  }
  flint_cleanup();
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("print");
  TCase *tests = tcase_create("print");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_shipped_families);
  tcase_add_test(tests, test_family_text);
  tcase_add_test(tests, test_bundled);
  tcase_add_test(tests, test_canonical);
  tcase_add_test(tests, test_strings);
  tcase_add_test(tests, test_random_trees);
  tcase_add_test(tests, test_literals);
  tcase_add_test(tests, test_latex);
  tcase_add_test(tests, test_expectations);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
