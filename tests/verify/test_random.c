/* The judge's expectations: published moments, moments worked out by hand, derivatives on both sides of a mean, where a mean is
 * undefined, and what is refused. */
#include "probe.h"

static void is(const char *body, const char *values, const char *expression, const char *expected)
{
  char *value = value_at(body, values, expression);
  ck_assert_msg(strcmp(value, expected) == 0, "%s is %s, not %s", expression, value, expected);
  free(value);
}

#define NOTHING "{\"sizes\": {}, \"values\": {}}"

/* E g^(2k) = (2k - 1)!! v^k. */
START_TEST(test_one_variable)
{
  const char *body = "random g ~ normal(0, 3)\n random z ~ normal(0, 0)";
  is(body, NOTHING, "mean(g)", "0");
  is(body, NOTHING, "mean(g^2)", "3");
  is(body, NOTHING, "mean(g^3)", "0");
  is(body, NOTHING, "mean(g^4)", "27");
  is(body, NOTHING, "mean(g^6)", "405");
  is(body, NOTHING, "mean(g^8)", "8505");
  is(body, NOTHING, "mean((g^2)^4)", "8505");
  is(body, NOTHING, "mean(7)", "7");
  is(body, NOTHING, "mean((z + 2)^3)", "8");
  is(body, NOTHING, "mean((g + 1)^4)", "46"); /* 27 + 6*3 + 1 */
  is(body, NOTHING, "mean(g^2/3)^2 + 2*mean(-g*g)", "-5");
  is(body, NOTHING, "mean(mean(g^2)*g^2)", "9");
}
END_TEST

/* The chi-square distribution with n degrees of freedom: mean n, variance 2n, third central moment 8n, fourth 12n^2 + 48n. */
START_TEST(test_chi_square)
{
  const char *body = "size n >= 1\n random g[i in 1..n] ~ normal(0, 1)\n let q = sum(i in 1..n: g[i]^2)\n let m = mean(q)";
  const char *at = "{\"sizes\": {\"n\": 4}, \"values\": {}}";
  is(body, at, "m", "4");
  is(body, at, "mean((q - m)^2)", "8");
  is(body, at, "mean((q - m)^3)", "32");
  is(body, at, "mean((q - m)^4)", "384");
}
END_TEST

/* Isserlis: with x = A g, E x1 x2 x3 x4 = c12 c34 + c13 c24 + c14 c23, c = A A^T. A has the rows (1, 2), (0, 1), (3, -1), (1,
 * 1): c12 = 2, c34 = 2, c13 = 1, c24 = 1, c14 = 3, c23 = -1. */
START_TEST(test_isserlis)
{
  const char *body = "random g[i in 1..2] ~ normal(0, 1)\n let x[1] = g[1] + 2*g[2]\n let x[2] = g[2]\n"
                     "let x[3] = 3*g[1] - g[2]\n let x[4] = g[1] + g[2]";
  is(body, NOTHING, "mean(prod(i in 1..4: x[i]))", "2"); /* 4 + 1 - 3 */
  is(body, NOTHING, "mean(x[1]*x[3])", "1");
  is(body, NOTHING, "mean(x[1]^2*x[3]^2)", "52"); /* 5*10 + 2*1 */
}
END_TEST

/* Through a recurrence, lets of two indices, an `if`, and with coefficients and a variance that are given. */
START_TEST(test_recurrence)
{
  const char *body = "size T >= 1\n given a in real\n given s in real\n random w[t in 1..T] ~ normal(0, s)\n let h[0] = 0\n"
                     "let h[t in 1..T] = a*h[t-1] + (if t > 1 then w[t] else 2*w[t])";
  const char *at = "{\"sizes\": {\"T\": 3}, \"values\": {\"a\": \"1/2\", \"s\": \"4\"}}";
  is(body, at, "mean(h[3]^2)", "6");            /* s (4 a^4 + a^2 + 1) */
  is(body, at, "mean(h[3]*h[2])", "4");         /* s (4 a^3 + a) */
  is(body, at, "d(mean(h[3]^2), a)", "12");     /* s (16 a^3 + 2 a) */
  is(body, at, "mean(d(h[3]^2, a))", "12");
  is(body, at, "mean(d(h[3], a)^2)", "20");     /* h3 = 2 a^2 w1 + a w2 + w3; s (16 a^2 + 1) */
  is(body, at, "d(mean(h[3]^2), s)", "3/2");
  is(body, at, "d(d(mean(h[3]^2), a), a)", "56"); /* s (48 a^2 + 2) */
}
END_TEST

START_TEST(test_undefined)
{
  const char *body = "given x in real\n given v in real\n random g ~ normal(0, v)\n random k ~ normal(0, 1)";
  const char *at = "{\"sizes\": {}, \"values\": {\"x\": \"0\", \"v\": \"-1\"}}";
  is(body, at, "mean(g^2)", "undefined");
  is(body, at, "mean(g)", "undefined");
  is(body, at, "mean(k^2)", "1");
  is(body, at, "mean(k/x)", "undefined"); /* its moment is 0, its coefficient is not defined */
  is(body, at, "mean(k*log(x))", "undefined");
  is(body, at, "mean(if x = 0 then k^2 else k/x)", "1");
  ck_assert_str_eq(truth_at(body, at, "x != 0 implies mean(k/x) = 0", 0), "true");
}
END_TEST

/* Also what a 0th power drops has to be defined. */
START_TEST(test_power_0)
{
  const char *body = "given x in real\n given v in real\n random g ~ normal(0, v)\n random k ~ normal(0, 1)";
  const char *at = "{\"sizes\": {}, \"values\": {\"x\": \"0\", \"v\": \"-1\"}}";
  is(body, at, "mean((x*k + k^2)^0)", "1");
  is(body, at, "mean((k/x)^0)", "undefined");
  is(body, at, "mean((k + g)^0)", "undefined");
}
END_TEST

/* E h^2 = x where x >= 0 and is undefined below: at 0 a derivative on both sides cannot be told from the value. */
START_TEST(test_variance_0)
{
  const char *body = "given x in real\n random h ~ normal(0, x)\n random z ~ normal(0, 0)\n random k ~ normal(0, 1)";
  const char *at = "{\"sizes\": {}, \"values\": {\"x\": \"0\"}}";
  is(body, at, "mean(h^2)", "0");
  is(body, at, "d(mean(h^2), x)", "unknown");
  is(body, at, "d(mean(h), x)", "unknown");
  is(body, at, "d(mean(h*k + k^2), x)", "unknown");
  is(body, at, "d(abs(mean(h)), x)", "unknown");
  is(body, at, "d(mean(x*z^2 + x*k^2), x)", "1");
  is(body, at, "d(mean(abs(x)*k*z^2), x)", "0"); /* of an odd moment only the coefficient's value counts */
  is(body, "{\"sizes\": {}, \"values\": {\"x\": \"2\"}}", "d(mean(h^4), x)", "12"); /* 3 x^2 */
}
END_TEST

/* The place and the beginning of what is said. */
static void refused(const char *expression, const char *message)
{
  text t;
  text_init(&t);
  text_addf(&t, "given x in real\n random g ~ normal(0, 1)\n random h[i in 1..1500] ~ normal(0, x^2)\n show probe: %s = 0",
            expression);
  setup s = setup_make(t.data, "{\"sizes\": {}, \"values\": {\"x\": \"1\"}}");
  truth r = TRUTH_UNKNOWN;
  ck_assert_int_ne(verify_truth(s.d, &r, library_claim(s.l, 0), s.x, "probe", 64), STATUS_OK);
  ck_assert_msg(strstr(diag_text(s.d), "probe.claim:5:"), "%s", diag_text(s.d));
  ck_assert_msg(strstr(diag_text(s.d), message), "%s: %s", expression, diag_text(s.d));
  setup_clear(&s);
  text_clear(&t);
}

START_TEST(test_refused)
{
  refused("x + g", "g is random");
  refused("mean(exp(g))", "what stands here is no polynomial in random elements");
  refused("mean(max(g, 0))", "what stands here is no polynomial");
  refused("mean(max(i in 1..2: h[i]))", "max of random values is no polynomial in them");
  refused("mean(1/g)", "a quotient of a random value is no polynomial in it");
  refused("mean(g^(-1))", "this power of a random value is no polynomial in it");
  refused("mean(g^1001)", "this power of a random value is beyond the limit of 1000");
  refused("mean((((g^1000)^1000)^1000)^5)", "the polynomial below this mean has a power beyond the limit of 2^14");
  refused("mean(if g > 0 then g else 0)", "g is random");
  refused("mean(d(x*g*h[2], x))", "the variance of a random element in this depends on the variable");
  refused("mean(h[1501])", "h[1501]");
  refused("mean(sum(i in 1..1500: h[i])^2)", "the polynomial below this mean has too many terms");
}
END_TEST

/* Equalities of transcendental coefficients are not decided, inequalities are. */
START_TEST(test_coefficients)
{
  const char *body = "given x in real\n random g ~ normal(0, exp(x))";
  const char *at = "{\"sizes\": {}, \"values\": {\"x\": \"1\"}}";
  ck_assert_str_eq(truth_at(body, at, "mean((g*x)^2) < 2.71828182845904523537", 0), "true");
  ck_assert_str_eq(truth_at(body, at, "mean((g*x)^2) < 2.71828182845904523536", 0), "false");
}
END_TEST

int main(void)
{
  Suite *s = suite_create("random");
  TCase *c = tcase_create("random");
  tcase_set_timeout(c, 300);
  tcase_add_test(c, test_one_variable);
  tcase_add_test(c, test_chi_square);
  tcase_add_test(c, test_isserlis);
  tcase_add_test(c, test_recurrence);
  tcase_add_test(c, test_undefined);
  tcase_add_test(c, test_power_0);
  tcase_add_test(c, test_variance_0);
  tcase_add_test(c, test_refused);
  tcase_add_test(c, test_coefficients);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed != 0;
}
