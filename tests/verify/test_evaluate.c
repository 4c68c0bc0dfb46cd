/* The judge's evaluator: values and derivatives worked out by hand, the elementary functions against 60-digit
 * values of another program (mpmath 1.2.1), where things are undefined, what needs no arithmetic, near ties,
 * deep recurrences. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

typedef struct {
  const char *expression, *expected;
} pair;

static void check_values(const char *body, const char *values, const pair *p, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    char *got = value_at(body, values, p[i].expression);
    ck_assert_msg(!strcmp(got, p[i].expected), "%s: %s, not %s", p[i].expression, got, p[i].expected);
    free(got);
  }
}

static void check_truths(const char *body, const char *values, const pair *p, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const char *got = truth_at(body, values, p[i].expression, 256);
    ck_assert_msg(!strcmp(got, p[i].expected), "%s: %s, not %s", p[i].expression, got, p[i].expected);
  }
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* s[2] = 199/4 is the published counterexample to Lemma D.6; the rest is that recurrence differentiated by
 * hand. */
static const char recurrence[] =
  "size T >= 1\n given a[t in 1..T] in real\n given d[t in 1..T] in real\n given z[t in 1..T] in real\n"
  "let s[0] = 0\n let s[t in 1..T] = a[t]*s[t-1] + d[t]*z[t]";
static const char published[] = "{\"sizes\": {\"T\": 2}, \"values\": {\"a[1]\": \"1/2\", \"a[2]\": \"0.5\", "
                                "\"d[1]\": \"0x1p-1\", \"d[2]\": \"5e-1\","
                                " \"z[1]\": -1, \"z[2]\": 100}}";

START_TEST(test_recurrence)
{
  static const pair p[] = {
      {"s[1]", "-1/2"},
      {"s[2]", "199/4"},
      {"s[T]", "199/4"},
      {"d(s[2], a[2])", "-1/2"},
      {"d(s[2], z[1])", "1/4"},
      {"d(s[2], d[1])", "-1/2"},
      {"d(s[2], z[2])", "1/2"},
      {"d(s[1], z[2])", "0"},
      {"d(s[2], a[1])", "0"},
      {"d(d(s[2], a[2]), d[1])", "-1"},
      {"d(d(s[2], d[1]), a[2])", "-1"},
      {"d(d(s[2], a[2]), a[2])", "0"},
      {"d(s[2]^2, z[1])", "199/8"}, /* 2 s[2] / 4 */
      {"sum(t in 1..T: d(s[T], z[t]))", "3/4"},
      {"max(t in 1..T: s[t]) - min(t in 1..T: s[t])", "201/4"},
      {"sum(i in 1..T, j in i..T: i*j)", "7"},
      {"prod(i in 1..T: i + 1)", "6"},
      {"sum(t in 3..T: 1/0)", "0"},
      {"prod(t in 3..T: 1/0)", "1"},
      {"min(t in 3..T: 1)", "undefined"},
      {"max(a[1], z[1], s[2])", "199/4"},
  };
  check_values(recurrence, published, p, COUNT(p));
}
END_TEST

static const char one[] = "given p in real\n given q in real";
static const char two_and_one[] = "{\"values\": {\"p\": 2, \"q\": 1}}";

START_TEST(test_rational)
{
  static const pair p[] = {
      {"-p^2", "-4"},
      {"2^3^2", "512"},
      {"p^(-2)", "1/4"},
      {"(p - 2)^0", "1"},
      {"(p - 2)^(-1)", "undefined"},
      {"(p - 2)^3", "0"},
      {"sqrt(9/4)", "3/2"},
      {"sqrt(2)", "ball"},
      {"cbrt(-8/27)", "-2/3"},
      {"cbrt(9)", "ball"},
      {"exp(p - 2)", "1"},
      {"expm1(0)", "0"},
      {"log(q)", "0"},
      {"log1p(0)", "0"},
      {"sin(0)", "0"},
      {"cos(0)", "1"},
      {"tan(0)", "0"},
      {"atan(0)", "0"},
      {"tanh(0)", "0"},
      {"erf(0)", "0"},
      {"sigmoid(0)", "1/2"},
      {"softplus(0)", "ball"},
      {"silu(0)", "0"},
      {"gelu(0)", "0"},
      {"lambertw0(0)", "0"},
      {"relu(-p)", "0"},
      {"relu(p)", "2"},
      {"abs(-p)", "2"},
      {"min(p, q, 3/2)", "1"},
      {"sqrt(-p)", "undefined"},
      {"log(0)", "undefined"},
      {"log(-p)", "undefined"},
      {"log1p(-1)", "undefined"},
      {"lambertw0(-p)", "undefined"},
      {"1/(p - 2)", "undefined"},
      {"0*(1/(p - 2))", "undefined"},
      {"exp(p) - exp(p)", "0"},
      {"exp(p)/exp(2*q)", "1"},
      {"0*exp(p)", "0"},
      {"pi/pi", "1"},
      {"1/(exp(p) - exp(2))", "undefined"},
      {"1/(exp(p) - 1 - expm1(p))", "unknown"},
      {"tan(pi/2)", "unknown"},
      {"1e-3 + 0x1.8p-3", "377/2000"},
      {"if p = 2 then q else 1/0", "1"},
      {"max(exp(q), exp(p)) - exp(p)", "0"},
  };
  check_values(one, two_and_one, p, COUNT(p));
}
END_TEST

START_TEST(test_derivative)
{
  static const pair p[] = {
      {"d(p^3, p)", "12"},
      {"d(d(p^3, p), p)", "12"},
      {"d(d(d(p^3, p), p), p)", "6"},
      {"d(1/p, p)", "-1/4"},
      {"d(d(1/p, p), p)", "1/4"},
      {"d(p/q, q)", "-2"},
      {"d(d(p/q, q), p)", "-1"},
      {"d(p^(-3), p)", "-3/16"},
      {"d(p^0, p)", "0"},
      {"d(q, p)", "0"},
      {"d(d(p*q, p), q)", "1"},
      {"d(q*d(p^2, p), p)", "2"},
      {"d(sqrt(p + 2), p)", "1/4"},
      {"d(d(sqrt(p + 2), p), p)", "-1/32"},
      {"d(cbrt(4*p), p)", "1/3"},
      {"d(exp(p - 2), p)", "1"},
      {"d(log(p - 1), p)", "1"},
      {"d(d(log(p - 1), p), p)", "-1"},
      {"d(sigmoid(p - 2), p)", "1/4"},
      {"d(silu(p - 2), p)", "1/2"},
      {"d(gelu(p - 2), p)", "1/2"},
      {"d(lambertw0(p - 2), p)", "1"},
      {"d(d(sin(p - 2), p), p)", "0"},
      /* where there is none; the value itself stays */
      {"d(abs(p - 2), p)", "undefined"},
      {"abs(p - 2)", "0"},
      {"d(abs(p - 3), p)", "-1"},
      {"d(abs(p - 2), q)", "0"},
      {"d(relu(p - 2), p)", "undefined"},
      {"d(relu(p - 3), p)", "0"},
      {"d(relu(p), p)", "1"},
      {"d(max(p, 2), p)", "undefined"},
      {"d(max(p, 2*q), q)", "undefined"},
      {"d(max(p, 1), p)", "1"},
      {"d(min(p, 1), p)", "0"},
      {"d(min(p, p), p)", "1"},
      {"d(max(q, 1) + p, p)", "1"},
      {"d(max(p, 2, 3), p)", "0"},
      {"d(max(2, p, p), p)", "undefined"},
      {"d(sqrt(p - 2), p)", "undefined"},
      {"sqrt(p - 2)", "0"},
      {"d(cbrt(p - 2), p)", "undefined"},
      {"d(log(p - 2), p)", "undefined"},
      {"d(1/(p - 2), p)", "undefined"},
      {"d(1/(p - 2), q)", "undefined"},
      {"d(abs(p - p), p)", "0"},
      {"d(0*abs(p - 2), p)", "undefined"},
      {"d(d(abs(p - 2), p), p)", "undefined"},
      {"d(abs(p^2), p)", "4"},
      {"d(sum(i in 1..3: sum(j in 1..3: abs(i*p - j*p))), p)", "8"},
      {"d(if p <= 2 then 0 else p, p)", "undefined"},
      {"d(if p <= 3 then p^2 else 0, p)", "4"},
      {"d(if q <= 1 then p else 2*p, p)", "1"},
      {"d(if q <= 1 then p else 2*p, q)", "undefined"},
      {"d(if p <= 3 or p = 2 then p else 0, p)", "1"},
      {"d(if p >= 3 or p <= 2 then p else 0, p)", "undefined"},
      {"d(if not p != 2 then 1 else 0, p)", "undefined"},
      {"d(if p <= p then 3*p else 0, p)", "3"},
      {"d(if p + (p - 2)^2 <= p then 0 else p, p)", "undefined"},
      {"d(if (if p <= 2 then 0 else 1) <= 1/2 then p else 2*p, p)", "undefined"},
      {"d(if abs(p - 2) <= 1/2 then p else 2*p, p)", "1"},
      {"d(max(if p > 0 then 1 else 5, 1), p)", "undefined"},
      {"d(if (forall i in 1..3: p < i + 1) then p else 3*p, p)", "undefined"},
      {"d(if (forall i in 3..5: p < i) then p else 3*p, p)", "1"},
  };
  check_values(one, two_and_one, p, COUNT(p));
}
END_TEST

START_TEST(test_truth)
{
  static const pair p[] = {
      {"p = 2", "true"},
      {"p != 2", "false"},
      {"q < p <= 2", "true"},
      {"q < p < 2", "false"},
      {"2 < p <= 1/0", "false"},
      {"q <= p <= 1/(p - 2)", "undefined"},
      {"p != 2 implies 1/(p - 2) > 0", "true"},
      {"1/(p - 2) > 0 implies p != 2", "undefined"},
      {"p = 2 or 1/(p - 2) > 0", "true"},
      {"1/0 > 0 or p = 2", "undefined"},
      {"p != 2 and 1/(p - 2) > 0", "false"},
      {"p = 2 and 1/(p - 2) > 0", "undefined"},
      {"not 1/0 > 0", "undefined"},
      {"forall i in 1..0: 1/0 > 0", "true"},
      {"exists i in 1..0: 1/0 > 0", "false"},
      {"forall i in 1..3: i != 2 and 1/(i - 3) < 0", "false"},
      {"forall i in 1..3: 1/(i - 2) < 0", "undefined"},
      {"exists i in 1..3: 1/(i - 2) < 0", "true"},
      {"exists i in 2..3: 1/(i - 2) > 0", "undefined"},
      {"forall i in 1..3, j in i..3: i <= j", "true"},
      {"exists i in 1..3: i^2 = 9", "true"},
      {"if p = 2 then q = 1 else 1/0 > 0", "true"},
      {"if 1/0 > 0 then q = 1 else q = 1", "undefined"},
      /* the same node decides */
      {"exp(p) <= exp(p)", "true"},
      {"exp(p) = exp(2*q)", "true"},
      {"exp(p) < exp(p)", "false"},
      {"log(p)/log(p) = 1", "true"},
      {"exp(p) + exp(q) = exp(q) + exp(p)", "true"},
      {"log(p - 2) <= log(p - 2)", "undefined"},
      {"log(p - 2) - log(p - 2) = 0", "undefined"},
      {"-(-exp(p)) = exp(p)", "true"},
      /* what balls cannot decide, and what that makes of formulas */
      {"exp(log(p)) = p", "open"},
      {"exp(log(p)) < p", "open"},
      {"exp(log(p)) <= p or p = 2", "true"},
      {"exp(log(p)) <= p and p = 3", "false"},
      {"exp(log(p)) <= p and 1/0 > 0", "unknown"},
      {"1/(exp(log(p)) - p) > 0", "unknown"},
      {"if exp(log(p)) <= p then q = 1 else q <= 1", "true"},
      {"if exp(log(p)) <= p then q = 1 else q < 1", "open"},
      {"1/(exp(log(p)) - p) > 0 and 1/0 > 0", "unknown"},
      /* near ties: sqrt 2 = 1.4142135623730950488016887242096980785696 7187..., so by less than 10^-40 */
      {"sqrt(2) > 1.4142135623730950488016887242096980785696", "true"},
      {"sqrt(2) < 1.4142135623730950488016887242096980785697", "true"},
      {"sqrt(2) <= 1.4142135623730950488016887242096980785696", "false"},
      {"1/3 > 0.3333333333333333333333333333333333333333", "true"},
      {"1/3 >= 1/3 + 1e-330", "false"},
      {"exp(1e-30) > 1 + 1e-30", "true"},
      {"tanh(1e-30) >= 1e-30", "false"},
      {"pi < 3.1415926535897932384626433832795028841972", "true"},
      {"pi < 3.1415926535897932384626433832795028841971", "false"},
      {"exp(-1000000) > 0", "true"},
      {"softplus(-1000000) > 0", "true"},
      {"softplus(100) > 100", "true"},
  };
  check_truths(one, two_and_one, p, COUNT(p));
}
END_TEST

/* f(5/8), f'(5/8), f''(5/8): mpmath, 60 digits, rounded to 25. */
static const struct {
  const char *name, *value, *first, *second;
} functions[] = {
  {"sqrt", "0.7905694150420948329997234", "0.6324555320336758663997787", "-0.505964425626940693119823"},
  {"cbrt", "0.8549879733383484946765544", "0.4559935857804525304941624", "-0.4863931581658160325271065"},
  {"exp", "1.868245957432222406501836", "1.868245957432222406501836", "1.868245957432222406501836"},
  {"expm1", "0.8682459574322224065018356", "1.868245957432222406501836", "1.868245957432222406501836"},
  {"log", "-0.470003629245735553650937", "1.6", "-2.56"},
  {"log1p", "0.4855078157817008078017911", "0.6153846153846153846153846", "-0.3786982248520710059171598"},
  {"sin", "0.5850972729404621548053993", "0.8109631195052179021895348", "-0.5850972729404621548053993"},
  {"cos", "0.8109631195052179021895348", "-0.5850972729404621548053993", "-0.8109631195052179021895348"},
  {"tan", "0.7214844409909044199895179", "1.520539798591957842081216", "2.194091613183082198784633"},
  {"atan", "0.5585993153435624359715082", "0.7191011235955056179775281", "-0.6463830324453983082944073"},
  {"tanh", "0.5545997223493822939990391", "0.6924191479699880696307533", "-0.7680309344271024761742939"},
  {"erf", "0.6232408821884179724486405", "0.7634995357606048850874685", "-0.9543744197007561063593356"},
  {"sigmoid", "0.6513548646660542436211987", "0.227091704941920404636553", "-0.06874286853653576902065933"},
  {"softplus", "1.053700678276518637213593", "0.6513548646660542436211987", "0.227091704941920404636553"},
  {"silu", "0.4070967904162839022632492", "0.7932871802547544965190443", "0.4112191170485059536351938"},
  {"gelu", "0.4587590443445621673060372", "0.939115076295283863978855", "0.5281340587607598204446784"},
  {"lambertw0", "0.413381281910724355857857", "0.4679629336558149365029874", "-0.3739293153815021903608561"},
};

START_TEST(test_functions)
{
  for (size_t i = 0; i < COUNT(functions); i++) {
    const char *expected[] = {functions[i].value, functions[i].first, functions[i].second};
    const char *form[] = {"%s(p)", "d(%s(p), p)", "d(d(%s(p), p), p)"};
    for (int k = 0; k < 3; k++) {
      text t;
      text_init(&t);
      text_add(&t, "abs(");
      char part[100];
      const char *at = strstr(form[k], "%s");
      snprintf(part, sizeof part, "%.*s%s%s", (int)(at - form[k]), form[k], functions[i].name, at + 2);
      text_addf(&t, "%s - (%s)) <= abs(%s)*1e-24", part, expected[k], expected[k]);
      const char *got = truth_at("given p in real", "{\"values\": {\"p\": \"5/8\"}}", t.data, 256);
      ck_assert_msg(!strcmp(got, "true"), "%s: %s", t.data, got);
      text_clear(&t);
    }
  }
}
END_TEST

START_TEST(test_deep)
{
  static const char geometric[] = "size T >= 1\n let s[0] = 0\n let s[t in 1..T] = s[t-1]/2 + 1";
  static const char count[] = "size T >= 1\n given x in real\n let s[0] = 0\n let s[t in 1..T] = s[t-1] + x";
  ck_assert_str_eq(truth_at(geometric, "{\"sizes\": {\"T\": 4096}}", "s[T] = 2 - 2^(1 - T)", 256), "true");
  ck_assert_str_eq(truth_at(count, "{\"sizes\": {\"T\": 100000}, \"values\": {\"x\": 1}}", "s[T] = T", 256),
                   "true");
  ck_assert_str_eq(
      truth_at(count, "{\"sizes\": {\"T\": 20000}, \"values\": {\"x\": 1}}", "d(s[T], x) = T", 256), "true");
  /* transcendental all the way */
  ck_assert_str_eq(truth_at("size T >= 1\n let s[0] = 0\n let s[t in 1..T] = exp(-s[t-1])",
                            "{\"sizes\": {\"T\": 3000}}", "0.567143290409783 < s[T] < 0.567143290409784",
                            256),
                   "true"); /* the omega constant */
}
END_TEST

START_TEST(test_errors)
{
  static const struct {
    const char *lines, *formula, *message;
    assay_status status;
  } e[] = {
      {"let s[3] = s[4]\n let s[4] = s[3] + 1", "s[3] = 0", "s[3] is used before it is defined",
       STATUS_BAD_INPUT},
      {"let s[1] = 1", "s[2] = 0", "s[2] is not defined", STATUS_BAD_INPUT},
      {"let s[1] = 1\n let s[t in 1..2] = 2", "s[1] = 0", "s[1] is defined twice", STATUS_BAD_INPUT},
      {"given x[t in 1..2] in real", "x[3] = 0", "x[3] is used, but not declared", STATUS_BAD_INPUT},
      {"let c[t in 1..3] = c[4 - t] or 1 = 1", "c[2]", "c[2] is used before it is defined", STATUS_BAD_INPUT},
      {"let s[t in 1..100000000] = s[t - 1] + 1\n let s[0] = 0", "s[100000000] = 0", "too deep",
       STATUS_UNABLE},
      {"given x[t in 1..2] in real", "x[1]^100000000 = 1", "beyond the limit", STATUS_UNABLE},
      {"given x[t in 1..2] in real",
       "d(d(d(d(d(d(d(d(d(x[1]^9, x[1]), x[1]), x[1]), x[1]), x[1]), x[1]), x[1]), x[1]), x[1]) = 1",
       "nested too deeply", STATUS_UNABLE},
      {"given x[t in 1..2] in real",
       "d(d(d(d(d(d(d(d(x[1]^8, x[1]), x[1]), x[1]), x[1]), x[1]), x[1]), x[1]), x[1]) = 40320", "",
       STATUS_OK},
  };
  for (size_t i = 0; i < COUNT(e); i++) {
    text t;
    text_init(&t);
    text_addf(&t, "%s\n show probe: %s", e[i].lines, e[i].formula);
    setup s = setup_make(t.data, strstr(t.data, "given") ? "{\"values\": {\"x[1]\": 1, \"x[2]\": 2}}"
                                                         : "{\"values\": {}}");
    truth r = TRUTH_TRUE;
    assay_status status = verify_truth(s.d, &r, library_claim(s.l, 0), s.x, "probe", 256);
    ck_assert_msg(status == e[i].status && strstr(diag_text(s.d), e[i].message), "%s: %d %s", t.data, status,
                  diag_text(s.d));
    ck_assert_str_eq(truth_name(r), status == STATUS_OK ? "true" : "unknown");
    setup_clear(&s);
    text_clear(&t);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("evaluate");
  TCase *t = tcase_create("evaluate");
  tcase_set_timeout(t, 300);
  tcase_add_test(t, test_recurrence);
  tcase_add_test(t, test_rational);
  tcase_add_test(t, test_derivative);
  tcase_add_test(t, test_truth);
  tcase_add_test(t, test_functions);
  tcase_add_test(t, test_deep);
  tcase_add_test(t, test_errors);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
