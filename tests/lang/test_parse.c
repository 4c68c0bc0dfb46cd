/* What the text of a claim means: trees, numbers, types, slots, inheritance. Expected values are written by
 * hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lang/variant.h"
#include "tree_dump.h"

static diag *messages;
static diag_source *source;

/* The library of a text; NULL when it has errors (then `messages` says which). */
static library *read_text(const char *s)
{
  diag_destroy(messages);
  diag_source_destroy(source);
  messages = diag_create(NULL, 0);
  source = diag_source_from("text", s, strlen(s));
  return library_read_source(messages, source, 0);
}

static void forget(void)
{
  diag_destroy(messages);
  diag_source_destroy(source);
  messages = NULL;
  source = NULL;
  flint_cleanup();
}

/* Around one expression: names to use in it. `show e: EXPR` or `trivial e: EXPR`. */
static library *read_expression(const char *label, const char *expression)
{
  text t;
  text_init(&t);
  text_addf(
      &t,
      "claim c size T >= 1 size N >= 1 given a in real given b in real given c in real given x[t in 1..T] in "
      "real "
      "given w[i in 1..T, j in 1..N] in real let p = a < b let s = a + b %s e: %s\n show last: 0 = 0 end",
      label, expression);
  library *l = read_text(text_string(&t));
  text_clear(&t);
  return l;
}

static const struct {
  const char *label, *text, *tree;
} trees[] = {
    {"trivial", "a + b*c", "(+ a (* b c))"},
    {"trivial", "a - b - c", "(- (- a b) c)"},
    {"trivial", "a/b/c*a", "(* (/ (/ a b) c) a)"},
    {"trivial", "-a^2", "(neg (^ a 2))"},
    {"trivial", "-a*b", "(* (neg a) b)"},
    {"trivial", "-a + b", "(+ (neg a) b)"},
    {"trivial", "a - -b", "(- a (neg b))"},
    {"trivial", "a*-b", "(* a (neg b))"},
    {"trivial", "--a", "(neg (neg a))"},
    {"trivial", "a^2^3", "(^ a (^ 2 3))"},
    {"trivial", "a^-1", "(^ a (neg 1))"},
    {"trivial", "a^-T*b", "(* (^ a (neg T)) b)"},
    {"trivial", "a^-T^2", "(^ a (neg (^ T 2)))"},
    {"trivial", "(a + b)^(T-1)", "(^ (+ a b) (- T 1))"},
    {"trivial", "min(a, b, c)", "(min a b c)"},
    {"trivial", "min(t in 1..T: x[t])", "(min t=1..T x[t])"},
    {"trivial", "sum(i in 1..T, j in i..N: w[i, j])", "(sum i=1..T j=i..N w[i,j])"},
    {"trivial", "prod(t in 1 .. T - 1 : x[t + 1] * a)", "(prod t=1..(- T 1) (* x[(+ t 1)] a))"},
    {"trivial", "if a < b then a else b + c", "(if (a < b) a (+ b c))"},
    {"trivial", "a + if p then a else b + c", "(+ a (if p a (+ b c)))"},
    {"trivial", "(if p then a else b) + c", "(+ (if p a b) c)"},
    {"trivial", "if p then if p then a else b else c", "(if p (if p a b) c)"},
    {"trivial", "d(x[1]^2*a, x[1])", "(d (* (^ x[1] 2) a) x[1])"},
    {"trivial", "d(d(s, a), b)", "(d (d s a) b)"},
    {"trivial", "sigmoid (a) + lambertw0\n(b)", "(+ (sigmoid a) (lambertw0 b))"},
    {"trivial", "exp(pi) * \xCF\x80", "(* (exp pi) pi)"},
    {"show", "a < b", "(a < b)"},
    {"show", "a < b <= c = a != b >= c > a", "(a < b <= c = a != b >= c > a)"},
    {"show", "a \xE2\x89\xA4 b \xE2\x89\xA5 c \xE2\x89\xA0 a", "(a <= b >= c != a)"},
    {"show", "a + b < c*a", "((+ a b) < (* c a))"},
    {"show", "p implies p implies p", "(implies p (implies p p))"},
    {"show", "p or p and p", "(or p (and p p))"},
    {"show", "p and p and p", "(and (and p p) p)"},
    {"show", "p or p or p implies p", "(implies (or (or p p) p) p)"},
    {"show", "not p and p", "(and (not p) p)"},
    {"show", "not a < b", "(not (a < b))"},
    {"show", "not not p or p", "(or (not (not p)) p)"},
    {"show", "a < b implies c < a and p", "(implies (a < b) (and (c < a) p))"},
    {"show", "forall t in 1..T: p and x[t] < a", "(forall t=1..T (and p (x[t] < a)))"},
    {"show", "p and forall t in 1..T: p and x[t] < a", "(and p (forall t=1..T (and p (x[t] < a))))"},
    {"show", "p or exists t in 1..T: x[t] < a implies p", "(or p (exists t=1..T (implies (x[t] < a) p)))"},
    {"show", "(forall t in 1..T: p) and p", "(and (forall t=1..T p) p)"},
    {"show", "not exists i in 1..T, j in 1..N: w[i,j] = 0", "(not (exists i=1..T j=1..N (w[i,j] = 0)))"},
    {"show", "forall t in 1..T: exists r in 1..t: x[r] = x[t]",
     "(forall t=1..T (exists r=1..t (x[r] = x[t])))"},
    {"show", "if p then p else a < b and p", "(if p p (and (a < b) p))"},
    {"show", "(((p)))", "p"},
};

START_TEST(test_trees)
{
  for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
    library *l = read_expression(trees[i].label, trees[i].text);
    ck_assert_msg(l != NULL, "%s:\n%s", trees[i].text, messages ? diag_text(messages) : "");
    text t;
    text_init(&t);
    tree_dump(&t, library_claim(l, 0)->label[0].body);
    ck_assert_str_eq(text_string(&t), trees[i].tree);
    text_clear(&t);
    library_destroy(l);
  }
  forget();
}
END_TEST

START_TEST(test_numbers)
{
  static const struct {
    const char *text, *value;
  } cases[] = {
      {"0", "0"},        {"007", "7"},
      {"0.1", "1/10"},   {"1e-3", "1/1000"},
      {"1E+3", "1000"},  {"2.50", "5/2"},
      {"12.5e1", "125"}, {"0x1.8p-3", "3/16"},
      {"0xff", "255"},   {"0XA.8", "21/2"},
      {"0x1p4", "16"},   {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"0.000", "0"},    {"0e99999", "0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    library *l = read_expression("trivial", cases[i].text);
    ck_assert_msg(l != NULL, "%s", cases[i].text);
    const node *n = library_claim(l, 0)->label[0].body;
    ck_assert_int_eq(n->kind, NODE_NUMBER);
    char *s = fmpq_get_str(NULL, 10, n->number);
    ck_assert_str_eq(s, cases[i].value);
    flint_free(s);
    library_destroy(l);
  }
  library *l = read_expression("trivial", "1e-330");
  fmpq_t x;
  fmpq_init(x);
  fmpz_set_ui(fmpq_denref(x), 10);
  fmpz_pow_ui(fmpq_denref(x), fmpq_denref(x), 330);
  fmpz_one(fmpq_numref(x));
  ck_assert(fmpq_equal(library_claim(l, 0)->label[0].body->number, x));
  fmpq_clear(x);
  library_destroy(l);
  static const char *const wrong[] = {"1e100001", "1e-100001", "0x1p100001", "0.1e-100000", "1e",
                                      "0x",       "1..",       "1.5.2",      "1_0"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    ck_assert_msg(!read_expression("trivial", wrong[i]), "%s", wrong[i]);
  forget();
}
END_TEST

START_TEST(test_types)
{
  static const struct {
    const char *label, *text;
    node_type type;
  } cases[] = {
      {"trivial", "T + 2*N - 3^T", TYPE_INTEGER},
      {"trivial", "-T", TYPE_INTEGER},
      {"trivial", "2.0", TYPE_INTEGER},
      {"trivial", "T/2", TYPE_VALUE},
      {"trivial", "0.5*T", TYPE_VALUE},
      {"trivial", "a", TYPE_VALUE},
      {"trivial", "s", TYPE_VALUE},
      {"trivial", "a^2", TYPE_VALUE},
      {"show", "p", TYPE_TRUTH},
      {"trivial", "sum(t in 1..T: t)", TYPE_VALUE},
      {"show", "T < N", TYPE_TRUTH},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    library *l = read_expression(cases[i].label, cases[i].text);
    ck_assert_int_eq(library_claim(l, 0)->label[0].body->type, cases[i].type);
    library_destroy(l);
  }
  forget();
}
END_TEST

/* Truth values through definitions that refer to each other in any order. */
START_TEST(test_let_types)
{
  library *l =
      read_text("claim c size T >= 1 given a in real let u[t in 1..T] = u[t-1] let u[0] = v let v = w "
                "let w = if a < 0 then w2 else w3 let w2 = not w3 let w3 = a = 1 let y = y2 let y2 = a "
                "let loop = loop show e: u[T] end");
  ck_assert_msg(l != NULL, "%s", diag_text(messages));
  const claim *c = library_claim(l, 0);
  static const node_type expected[] = {TYPE_TRUTH, TYPE_TRUTH, TYPE_TRUTH, TYPE_TRUTH,
                                       TYPE_TRUTH, TYPE_VALUE, TYPE_VALUE, TYPE_VALUE};
  ck_assert_uint_eq(c->lets, 8);
  for (unsigned i = 0; i < c->lets; i++)
    ck_assert_msg(c->let[i].type == expected[i], "%s", c->let[i].name);
  library_destroy(l);
  forget();
}
END_TEST

START_TEST(test_slots)
{
  library *l =
      read_text("claim c size T >= 1 size N >= 1 given x[i in 1..N, t in 1..T] in real "
                "let h[0, t in 1..T] = 0 "
                "let h[n in 1..N, t in n..T] = x[n, t] + sum(r in 1..t, q in r..n: x[q, r] * x[n, t]) "
                "show e: forall t in 1..T: h[0, t] = 0 end");
  ck_assert_msg(l != NULL, "%s", diag_text(messages));
  const claim *c = library_claim(l, 0);
  ck_assert_uint_eq(c->let[0].lines, 2);
  ck_assert_uint_eq(c->let[0].line[0].slots, 1);
  ck_assert_ptr_null(c->let[0].line[0].position[0].name);
  ck_assert_ptr_null(c->let[0].line[0].position[0].high);
  ck_assert_uint_eq(c->let[0].line[0].position[1].slot, 0);
  const claim_let_line *line = &c->let[0].line[1];
  ck_assert_uint_eq(line->slots, 2);
  ck_assert_uint_eq(line->position[1].slot, 1);
  ck_assert_uint_eq(line->position[1].low->slot, 0);
  const node *sum = line->body->child[1];
  ck_assert_int_eq(sum->kind, NODE_FOLD);
  ck_assert_uint_eq(sum->range[0].slot, 2);
  ck_assert_uint_eq(sum->range[1].slot, 3);
  ck_assert_uint_eq(sum->free_slots, 3);               /* n and t */
  ck_assert_uint_eq(sum->child[0]->free_slots, 15);    /* q, r, n, t */
  ck_assert_uint_eq(sum->range[1].low->free_slots, 4); /* r */
  ck_assert_uint_eq(line->body->free_slots, 3);
  /* + 1, sum 1, * 1, x 1, q 1 */
  ck_assert_uint_eq(line->body->depth, 5);
  ck_assert_uint_eq(c->label[0].body->free_slots, 0);
  library_destroy(l);
  forget();
}
END_TEST

static const char *const family =
    "claim base\n title \"Base\"\n source \"Paper, 1\"\n size T >= 1\n try T in 1..4\n"
    " given a[t in 1..T] in [0, 1) as decay\n given p in (-inf, 2]\n let m = p\n assume h1: p < 1\n assume "
    "h2: m < 1\n"
    " show s1: p < 3\nend\n"
    "claim derived from base\n try T in 2..3\n given p in [0, 1]\n given q in real\n let m = q\n drop h1\n"
    " replace s1: p < 4\n assume h1: q = q\nend\n"
    "claim fixed from derived\n title \"Fixed\"\n let p = 1/2\n size T in 2..9\n show s2: m = m\nend\n";

START_TEST(test_inheritance)
{
  library *l = read_text(family);
  ck_assert_msg(l != NULL, "%s", diag_text(messages));
  ck_assert_uint_eq(library_claims(l), 3);
  ck_assert_ptr_eq(library_find(l, "derived"), library_claim(l, 1));
  ck_assert_ptr_null(library_find(l, "nobody"));
  static const char *const expected[] = {
    "claim base\n  title \"Base\"\n  source \"Paper, 1\"\n  size T >= 1\n  try T in 1..4\n"
    "  given a[t in 1..T] in [0, 1) as decay\n  given p in (-inf, 2]\n  let m = p\n  assume h1: p < 1\n"
    "  assume h2: m < 1\n  show s1: p < 3\nend\n",
    "claim derived\n  title \"Base\"\n  source \"Paper, 1\"\n  size T >= 1\n  try T in 2..3\n"
    "  given a[t in 1..T] in [0, 1) as decay\n  given p in [0, 1]\n  let m = q\n  given q in real\n"
    "  assume h2: m < 1\n  show s1: p < 4\n  assume h1: q = q\nend\n",
    "claim fixed\n  title \"Fixed\"\n  source \"Paper, 1\"\n  size T in 2..9\n  try T in 2..3\n"
    "  given a[t in 1..T] in [0, 1) as decay\n  let p = 1/2\n  let m = q\n  given q in real\n"
    "  assume h2: m < 1\n  show s1: p < 4\n  assume h1: q = q\n  show s2: m = m\nend\n",
  };
  for (unsigned i = 0; i < 3; i++) {
    text t;
    text_init(&t);
    claim_print(&t, library_claim(l, i));
    ck_assert_str_eq(text_string(&t), expected[i]);
    text_clear(&t);
  }
  ck_assert_str_eq(library_claim(l, 2)->parent, "derived");
  ck_assert_str_eq(library_claim(l, 0)->given[0].role, "decay");
  ck_assert(library_claim(l, 0)->given[1].line[0].low_open);
  ck_assert_ptr_null(library_claim(l, 0)->given[1].line[0].low);
  library_destroy(l);
  forget();
}
END_TEST

/* What a claim is to its source, and the comments that reports repeat. */
static const char told[] = "# What the file is about.\n#   - a point   \r\n\n# TRUE: by hand.\n#\n# Twice.\nclaim a\n  given x in real\n"
                           "# within\n  show s: x = x\nend\n\n# Far above.\n\nclaim b from a as repair end claim c from b end\n"
                           "# Above two.\nclaim d from a as contrast end claim e from a as reading end\n";

START_TEST(test_kinds_and_comments)
{
  static const struct {
    claim_kind kind;
    const char *comment;
  } wanted[] = {{CLAIM_READING, "TRUE: by hand.\n\nTwice."},
                {CLAIM_REPAIR, NULL},
                {CLAIM_READING, NULL}, /* a kind is not inherited */
                {CLAIM_CONTRAST, "Above two."},
                {CLAIM_READING, NULL}};
  library *l = read_text(told);
  ck_assert_uint_eq(library_claims(l), sizeof wanted / sizeof wanted[0]);
  for (unsigned i = 0; i < library_claims(l); i++) {
    const claim *c = library_claim(l, i);
    ck_assert_int_eq(c->kind, wanted[i].kind);
    ck_assert_str_eq(c->preface, "What the file is about.\n  - a point");
    ck_assert_pstr_eq(c->comment, wanted[i].comment);
  }
  text printed;
  text_init(&printed);
  claim_print(&printed, library_claim(l, 3));
  ck_assert_msg(strstr(text_string(&printed), "claim d as contrast\n") == text_string(&printed), "%s", text_string(&printed));
  text_clear(&printed);
  library_destroy(l);
  forget();
  l = read_text("# Of the claim alone.\nclaim a given x in real show s: x = x end");
  ck_assert_str_eq(library_claim(l, 0)->comment, "Of the claim alone.");
  ck_assert_ptr_null(library_claim(l, 0)->preface);
  library_destroy(l);
  forget();
  ck_assert_ptr_null(read_text("claim a as erratum given x in real show s: x = x end"));
  ck_assert_ptr_nonnull(strstr(diag_text(messages), ":1:12: error: a claim is a reading, a repair or a contrast, no 'erratum'"));
  forget();
}
END_TEST

START_TEST(test_variants)
{
  library *l = read_text(family);
  const claim *c = library_claim(l, 0);
  tree_memory *v = tree_memory_create();
  const claim *without = variant_with_label(v, c, 0, NULL);
  ck_assert_uint_eq(without->labels, c->labels - 1);
  ck_assert_str_eq(without->label[0].name, "h2");
  const claim *other = variant_with_label(v, c, 2, c->label[0].body);
  ck_assert_uint_eq(other->labels, c->labels);
  ck_assert_str_eq(other->label[2].name, "s1");
  ck_assert_ptr_eq(other->label[2].body, c->label[0].body);
  const claim *wide = variant_without_range(v, c, 0, 0);
  ck_assert_ptr_null(wide->given[0].line[0].low);
  ck_assert_ptr_nonnull(c->given[0].line[0].low);
  char before[65], after[65];
  claim_hash(before, c);
  claim_hash(after, wide);
  ck_assert_str_ne(before, after);
  tree_memory_destroy(v);
  library_destroy(l);
  forget();
}
END_TEST

/* printf 'claim c\n  show s: 0 = 0\nend\n' | sha256sum */
START_TEST(test_hash)
{
  library *l = read_text("claim c show s : 0=0 end");
  char hex[65];
  claim_hash(hex, library_claim(l, 0));
  ck_assert_str_eq(hex, "60f75acc4658ead19f1b044674d7bcd061fce5ed69672e7f1a2f45406f40b3fd");
  library_destroy(l);
  forget();
}
END_TEST

START_TEST(test_integers)
{
  static const struct {
    const char *text;
    bool good;
    int64_t value;
  } cases[] = {
    {"T + 2*N - 1", true, 12},   {"-T^2", true, -9},     {"(-1)^-3", true, -1},          {"2^-1", false, 0},
    {"0^0", true, 1},            {"0^-1", false, 0},     {"2^62", true, INT64_C(1) << 62}, {"2^63", false, 0},
    {"-2^62 - 2^62", true, INT64_MIN}, {"1^10000000000", true, 1}, {"9223372036854775807 + 1", false, 0},
    {"9223372036854775808", false, 0}, {"3037000500*3037000500", false, 0},
  };
  const int64_t sizes[] = {3, 5};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    library *l = read_expression("trivial", cases[i].text);
    ck_assert_msg(l != NULL, "%s", diag_text(messages));
    int64_t value = 77;
    bool good = tree_integer(&value, library_claim(l, 0)->label[0].body, sizes, NULL);
    ck_assert_msg(good == cases[i].good, "%s", cases[i].text);
    ck_assert_msg(value == (good ? cases[i].value : 77), "%s", cases[i].text);
    library_destroy(l);
  }
  forget();
}
END_TEST

START_TEST(test_equal)
{
  static const char *const text_[] = {"a + b",
                                      "b + a",
                                      "sum(t in 1..T: x[t])",
                                      "sum(r in 1..T: x[r])",
                                      "sum(t in 2..T: x[t])",
                                      "exp(a)",
                                      "log(a)",
                                      "1/2",
                                      "0.5",
                                      "if a < b then a else b",
                                      "if a <= b then a else b"};
  enum { N = sizeof text_ / sizeof text_[0] };
  text t;
  text_init(&t);
  text_add(&t,
           "claim c size T >= 1 given a in real given b in real given x[t in 1..T] in real show s: 0 = 0\n");
  for (int i = 0; i < N; i++)
    text_addf(&t, "trivial e%d: %s\n", i, text_[i]);
  text_add(&t, "end");
  library *l = read_text(text_string(&t));
  ck_assert_msg(l != NULL, "%s", diag_text(messages));
  const claim *c = library_claim(l, 0);
  for (unsigned i = 0; i < N; i++)
    for (unsigned k = 0; k < N; k++)
      ck_assert_msg(tree_equal(c->label[i + 1].body, c->label[k + 1].body) ==
                        (i == k || (i == 2 && k == 3) || (i == 3 && k == 2)),
                    "%s, %s", text_[i], text_[k]);
  text_clear(&t);
  library_destroy(l);
  forget();
}
END_TEST

START_TEST(test_names)
{
  library *l = read_text(
      "\xEF\xBB\xBF"
      "claim c\r\n given \xCE\xB1_max in real\r\n given \xCE\x94 in real given \xCE\xB4 in real\r\n"
      "given \xCF\x82 in real let exp = alpha_max + Delta let d = delta + sigma show min: d = exp end\r\n");
  ck_assert_msg(l != NULL, "%s", diag_text(messages));
  const claim *c = library_claim(l, 0);
  ck_assert_str_eq(c->given[0].name, "alpha_max");
  ck_assert_str_eq(c->given[1].name, "Delta");
  ck_assert_str_eq(c->given[2].name, "delta");
  ck_assert_str_eq(c->given[3].name, "sigma");
  library_destroy(l);
  forget();
}
END_TEST

START_TEST(test_element)
{
  text t;
  text_init(&t);
  claim_print_element(&t, "h", (const int64_t[]){1, -2}, 2);
  claim_print_element(&t, "p", NULL, 0);
  ck_assert_str_eq(text_string(&t), "h[1,-2]p");
  text_clear(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("parse");
  TCase *tests = tcase_create("parse");
  tcase_add_test(tests, test_trees);
  tcase_add_test(tests, test_numbers);
  tcase_add_test(tests, test_types);
  tcase_add_test(tests, test_let_types);
  tcase_add_test(tests, test_slots);
  tcase_add_test(tests, test_inheritance);
  tcase_add_test(tests, test_kinds_and_comments);
  tcase_add_test(tests, test_variants);
  tcase_add_test(tests, test_hash);
  tcase_add_test(tests, test_integers);
  tcase_add_test(tests, test_equal);
  tcase_add_test(tests, test_names);
  tcase_add_test(tests, test_element);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
