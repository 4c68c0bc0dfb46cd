/* The certificate format: exact numbers, instances, certificates, matching; one message with its place for
 * each defect. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cert/certificate.h"
#include "cert/exact.h"
#include "core/memory.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

START_TEST(test_exact)
{
  static const struct {
    const char *in, *out; /* out NULL: no number */
  } t[] = {
      {"0", "0"},
      {"-0", "0"},
      {"3", "3"},
      {"-3", "-3"},
      {"007", "7"},
      {"6/4", "3/2"},
      {"-6/4", "-3/2"},
      {"0/5", "0"},
      {"0.1", "1/10"},
      {"-0.125", "-1/8"},
      {"1e-3", "1/1000"},
      {"1e+2", "100"},
      {"12.5E1", "125"},
      {"0x1.8p-3", "3/16"},
      {"0x10", "16"},
      {"-0x1p-2", "-1/4"},
      {"0X.8", NULL},
      {"0xA.8P0", "21/2"},
      {"1/0", NULL},
      {"0/0", NULL},
      {"", NULL},
      {"-", NULL},
      {"+1", NULL},
      {"--1", NULL},
      {".5", NULL},
      {"1.", NULL},
      {"1e", NULL},
      {"1e+", NULL},
      {"e5", NULL},
      {"1 ", NULL},
      {" 1", NULL},
      {"1/-2", NULL},
      {"1/2/3", NULL},
      {"1.5/2", NULL},
      {"1/2.5", NULL},
      {"1/", NULL},
      {"/2", NULL},
      {"nan", NULL},
      {"inf", NULL},
      {"0x", NULL},
      {"1,5", NULL},
      {"1_000", NULL},
      {"1e1000000", NULL},
      {"1e-99999999999999999999", NULL},
      {"0x1p1000000", NULL},
      {"1p3", NULL},
      {"0x1e3", "483"},
  };
  fmpq_t x;
  fmpq_init(x);
  for (size_t i = 0; i < COUNT(t); i++) {
    const char *wrong = exact_read(x, t[i].in);
    text got;
    text_init(&got);
    if (!wrong)
      exact_print(&got, x);
    ck_assert_msg(wrong ? !t[i].out : t[i].out && !strcmp(got.data, t[i].out), "%s: %s %s", t[i].in,
                  text_string(&got), wrong);
    text_clear(&got);
  }
  /* every double is exact: the smallest one is 2^-1074 */
  fmpq_t two;
  fmpq_init(two);
  ck_assert_ptr_null(exact_read(x, "0x0.0000000000001p-1022"));
  fmpq_set_si(two, 2, 1);
  fmpq_pow_si(two, two, -1074);
  ck_assert(fmpq_equal(x, two));
  /* a fraction at the limit of size, and one beyond it */
  char *digits = memory_new(400000, 1);
  memset(digits, '7', 300000);
  memcpy(digits + 300000, "/3", 3);
  ck_assert_ptr_null(exact_read(x, digits));
  memset(digits, '7', 390000);
  memcpy(digits + 390000, "/3", 3);
  ck_assert_ptr_nonnull(exact_read(x, digits));
  free(digits);
  fmpq_clear(two);
  fmpq_clear(x);
}
END_TEST

START_TEST(test_enclosure)
{
  static const struct {
    const char *in, *low, *high; /* low NULL: no enclosure */
  } t[] = {
      {"1/3", "1/3", "1/3"},
      {"[0.5 +/- 0.25]", "1/4", "3/4"},
      {"[-1 +/- 1e-2]", "-101/100", "-99/100"},
      {"[+/- 2]", "-2", "2"},
      {"[1/2 +/- 0]", "1/2", "1/2"},
      {"[1]", NULL, NULL},
      {"[1 +/- ]", NULL, NULL},
      {"[1 +/- 1] ", NULL, NULL},
      {"[1+/- 1]", NULL, NULL},
      {"[1 +/- -1]", NULL, NULL},
      {"[", NULL, NULL},
      {"[nan +/- inf]", NULL, NULL},
      {"]+/- [", NULL, NULL},
      {"[]+/- 1", NULL, NULL},
  };
  fmpq_t low, high, a;
  fmpq_init(low), fmpq_init(high), fmpq_init(a);
  for (size_t i = 0; i < COUNT(t); i++) {
    const char *wrong = enclosure_read(low, high, t[i].in);
    ck_assert_msg(!wrong == !!t[i].low, "%s: %s", t[i].in, wrong);
    if (wrong)
      continue;
    exact_read(a, t[i].low);
    ck_assert_msg(fmpq_equal(low, a), "%s", t[i].in);
    exact_read(a, t[i].high);
    ck_assert_msg(fmpq_equal(high, a), "%s", t[i].in);
  }
  /* what is printed holds the whole ball */
  flint_rand_t state;
  flint_randinit(state);
  arb_t x;
  arb_init(x);
  for (int i = 0; i < 2000; i++) {
    arb_randtest(x, state, 200, 20);
    text s;
    text_init(&s);
    if (!enclosure_print(&s, x, 1 + i % 40)) {
      mag_t size;
      mag_init(size);
      arb_get_mag(size, x);
      ck_assert_int_ge(mag_cmp_2exp_si(size, 300000), 0);
      mag_clear(size);
      continue;
    }
    ck_assert_msg(!enclosure_read(low, high, s.data), "%s", s.data);
    arf_t end;
    fmpq_t exact;
    arf_init(end);
    fmpq_init(exact);
    arb_get_lbound_arf(end, x, ARF_PREC_EXACT);
    arf_get_fmpq(exact, end);
    ck_assert_msg(fmpq_cmp(low, exact) <= 0, "%s", s.data);
    arb_get_ubound_arf(end, x, ARF_PREC_EXACT);
    arf_get_fmpq(exact, end);
    ck_assert_msg(fmpq_cmp(exact, high) <= 0, "%s", s.data);
    arf_clear(end);
    fmpq_clear(exact);
    text_clear(&s);
  }
  text s;
  text_init(&s);
  arb_indeterminate(x);
  ck_assert(!enclosure_print(&s, x, 10));
  arb_pos_inf(x);
  ck_assert(!enclosure_print(&s, x, 10));
  text_clear(&s);
  arb_clear(x);
  flint_randclear(state);
  fmpq_clear(low), fmpq_clear(high), fmpq_clear(a);
}
END_TEST

static instance *read_text(diag *d, const char *json, size_t *count)
{
  diag_source *s = diag_source_from("x.json", json, strlen(json));
  instance *array = instance_read_source(d, s, count);
  diag_source_destroy(s);
  return array;
}

START_TEST(test_instances)
{
  size_t count;
  diag *d = diag_create(NULL, 20);
  instance *a = read_text(d,
                          "[{\"sizes\": {\"T\": 2}, \"values\": {\"h[1, 2]\": \"0.5\", \"h[ -3,4 ]\": -7, "
                          "\"p\": \"1/3\"}},\n {\"values\": {}}]",
                          &count);
  ck_assert_msg(a, "%s", diag_text(d));
  ck_assert_uint_eq(count, 2);
  char *json = instance_to_json(&a[0]);
  ck_assert_str_eq(json, "{\n  \"sizes\": {\n    \"T\": 2\n  },\n  \"values\": {\n    \"h[1,2]\": \"1/2\",\n "
                         "   \"h[-3,4]\": \"-7\",\n"
                         "    \"p\": \"1/3\"\n  }\n}\n");
  free(json);
  instance copy;
  instance_init(&copy);
  instance_copy(&copy, &a[0]);
  ck_assert_str_eq(copy.value[1].name, "h[-3,4]");
  instance_clear(&copy);
  instance_array_free(a, count);
  a = read_text(d, "[]", &count);
  ck_assert(a && count == 0);
  instance_array_free(a, count);
  diag_destroy(d);
}
END_TEST

/* Each defect, and where its one message points. */
static const struct {
  const char *json, *message;
} defects[] = {
    {"", "x.json:1:1: error: "},
    {"{\"values\": {\"p\": \"1\"}", "x.json:1:21: error: '}' expected"},
    {"{\"values\": {}} x", "x.json:1:16: error: end of file expected"},
    {"{\"values\":\n  {\"p\": \"1\", \"p\": \"1\"}}", "x.json:2:16: error: duplicate object key"},
    {"{\"values\": {\"x[1, 2]\": 1,\n \"x[1,2]\": 1}}",
     "x.json:2:12: error: x[1,2]: this element is given twice"},
    {"{\"values\": {\"p\": 0.5}}",
     "x.json:1:18: error: p: a JSON number with a point or an exponent is not exact"},
    {"{\"values\": {\"p\": 1e3}}", "x.json:1:18: error: p: a JSON number with a point"},
    {"{\"values\": {\"p\": 12345678901234567890}}", "write large numbers as strings"},
    {"{\"values\": {\"a\": 1,\n\n   \"p\": \"1/0\"}}", "x.json:3:9: error: p: the denominator is zero"},
    {"{\"values\": {\"p\": \"x\"}}", "x.json:1:18: error: p: not a number"},
    {"{\"values\": {\"\\u03b1\": \"1\", \"q\": \"2\",  \"p\": true}}",
     "x.json:1:44: error: p: a value must be a string or an integer"},
    {"{\"sizes\": {\"]}\": 1}, \"values\": {\"p\": true}}", "x.json:1:38: error: p: a value must be"},
    {"{\"values\": {\"p[01]\": 1}}", "x.json:1:22: error: p[01]: not the name of an element"},
    {"{\"values\": {\"p[]\": 1}}", "not the name"},
    {"{\"values\": {\"p[1\": 1}}", "not the name"},
    {"{\"values\": {\"p[1]]\": 1}}", "not the name"},
    {"{\"values\": {\"p[1 2]\": 1}}", "not the name"},
    {"{\"values\": {\"[1]\": 1}}", "not the name"},
    {"{\"values\": {\"p[-0]\": 1}}", "not the name"},
    {"{\"values\": {\"p[99999999999999999999]\": 1}}", "not the name"},
    {"{\"sizes\": {\"T\": \"2\"}}", "x.json:1:17: error: the size T must be an integer"},
    {"{\"sizes\": [], \"values\": {}}", "x.json:1:11: error: \"sizes\" must be an object"},
    {"{\"sizes\": {}, \"vlaues\": {}}", "x.json:1:25: error: unknown key \"vlaues\""},
    {"{}", "x.json:1:1: error: an instance has \"sizes\", \"values\" or both"},
    {"[{\"values\": {}},\n 3]", "x.json:2:2: error: an instance must be an object"},
    {"3", "x.json:1:1: error: an instance must be an object"},
};

START_TEST(test_defects)
{
  for (size_t i = 0; i < COUNT(defects); i++) {
    size_t count;
    diag *d = diag_create(NULL, 20);
    ck_assert_msg(!read_text(d, defects[i].json, &count), "%s", defects[i].json);
    ck_assert_msg(strstr(diag_text(d), defects[i].message), "%s:\n%s", defects[i].json, diag_text(d));
    ck_assert_msg(diag_errors(d) == 1, "%s:\n%s", defects[i].json, diag_text(d));
    diag_destroy(d);
  }
  /* all at once: a message each, and an end to it */
  text t;
  text_init(&t);
  text_add(&t, "{\"values\": {");
  for (int i = 0; i < 20000; i++)
    text_addf(&t, "%s\"x[%d]\": null", i ? ", " : "", i);
  text_add(&t, "}}");
  size_t count;
  diag *d = diag_create(NULL, 20);
  ck_assert(!read_text(d, t.data, &count));
  ck_assert_uint_eq(diag_errors(d), 20000);
  diag_destroy(d);
  text_clear(&t);
  /* an array a million deep */
  for (int i = 0; i < 1000000; i++)
    text_add_char(&t, '[');
  d = diag_create(NULL, 20);
  ck_assert(!read_text(d, t.data, &count));
  diag_destroy(d);
  text_clear(&t);
}
END_TEST

static const char triangle[] =
  "claim c\n size n in 1..4\n size m in n..5\n given a[i in 1..n, j in i..n] in real\n given b[0] in real\n"
  " given b[k in n..m] in real\n given p in real\n show s: p = p\nend\n";

static const struct {
  const char *json;
  match_kind kind;
  const char *message;
} matches[] = {
    {"{\"sizes\": {\"m\": 2, \"n\": 2}, \"values\": {\"p\": 1, \"a[2,2]\": 4, \"a[1,2]\": 3, \"a[1,1]\": 2, "
     "\"b[0]\": 5, \"b[2]\": 6}}",
     MATCH_FITS, ""},
    {"{\"sizes\": {\"n\": 1, \"m\": 2}, \"values\": {\"p\": 1, \"a[1,1]\": 2, \"b[0]\": 5, \"b[1]\": 6}}",
     MATCH_WRONG, "the value of b[2] is missing"},
    {"{\"sizes\": {\"n\": 1, \"m\": 1}, \"values\": {\"p\": 1, \"a[1,1]\": 2, \"b[0]\": 5, \"b[1]\": 6, "
     "\"a[2,1]\": 0}}",
     MATCH_WRONG, "the claim has no element a[2,1]"},
    {"{\"sizes\": {\"n\": 1, \"m\": 1}, \"values\": {\"p\": 1, \"a[1,1]\": 2, \"b[0]\": 5, \"b[1]\": 6, "
     "\"q\": 0}}",
     MATCH_WRONG, "no element q"},
    {"{\"sizes\": {\"n\": 1}, \"values\": {}}", MATCH_WRONG, "the size m is missing"},
    {"{\"sizes\": {\"n\": 1, \"m\": 1, \"k\": 1}, \"values\": {}}", MATCH_WRONG, "the claim has no size k"},
    {"{\"sizes\": {\"n\": 3, \"m\": 2}, \"values\": {}}", MATCH_OUTSIDE, ""},
    {"{\"sizes\": {\"n\": 0, \"m\": 2}, \"values\": {}}", MATCH_OUTSIDE, ""},
    {"{\"sizes\": {\"n\": 9999999, \"m\": 2}, \"values\": {}}", MATCH_WRONG, "beyond the limit"},
};

START_TEST(test_match)
{
  diag *d = diag_create(NULL, 20);
  diag_source *s = diag_source_from("c.claim", triangle, strlen(triangle));
  library *l = library_read_source(d, s, 0);
  ck_assert_msg(l, "%s", diag_text(d));
  for (size_t i = 0; i < COUNT(matches); i++) {
    size_t count;
    diag *messages = diag_create(NULL, 20);
    instance *x = read_text(messages, matches[i].json, &count);
    ck_assert(x);
    match m;
    match_kind kind = match_instance(messages, "x.json", &m, library_claim(l, 0), x);
    ck_assert_msg(kind == matches[i].kind && strstr(diag_text(messages), matches[i].message), "%s: %d\n%s",
                  matches[i].json, kind, diag_text(messages));
    ck_assert_int_eq(kind == MATCH_WRONG, diag_errors(messages) > 0);
    if (kind == MATCH_FITS) { /* in the order of the claim: a[1,1] a[1,2] a[2,2] b[0] b[2] p */
      static const long value[] = {2, 3, 4, 5, 6, 1};
      ck_assert_uint_eq(m.count, 6);
      for (size_t k = 0; k < 6; k++)
        ck_assert(fmpz_equal_si(fmpq_numref(&x->value[m.element[k].value].value), value[k]));
      ck_assert_int_eq(m.element[1].indices[1], 2);
      ck_assert_int_eq(m.element[4].indices[0], 2);
      ck_assert_uint_eq(m.element[4].line, 1);
    }
    if (kind == MATCH_OUTSIDE)
      ck_assert_uint_eq(m.outside, x->size[0].value == 3); /* m = 2 is below n = 3; n = 0 is below 1 */
    match_clear(&m);
    instance_array_free(x, count);
    diag_destroy(messages);
  }
  library_destroy(l);
  diag_source_destroy(s);
  diag_destroy(d);
}
END_TEST

START_TEST(test_declared_twice)
{
  static const char twice[] =
      "claim c\n size n >= 1\n given x[1] in real\n given x[i in 1..n] in real\n show s: 0 = 0\nend\n";
  diag *d = diag_create(NULL, 20);
  diag_source *s = diag_source_from("c.claim", twice, strlen(twice));
  library *l = library_read_source(d, s, 0);
  ck_assert_msg(l, "%s", diag_text(d));
  size_t count;
  instance *x = read_text(d, "{\"sizes\": {\"n\": 2}, \"values\": {\"x[1]\": 1, \"x[2]\": 2}}", &count);
  match m;
  ck_assert_int_eq(match_instance(d, "x.json", &m, library_claim(l, 0), x), MATCH_WRONG);
  ck_assert_msg(strstr(diag_text(d), "the claim declares x[1] twice"), "%s", diag_text(d));
  match_clear(&m);
  instance_array_free(x, count);
  library_destroy(l);
  diag_source_destroy(s);
  diag_destroy(d);
}
END_TEST

static const char canonical[] =
    "{\n  \"schema\": \"assay-certificate/1\",\n  \"claim\": {\n    \"name\": \"c\",\n    \"file\": "
    "\"c.claim\",\n    \"text\": \"claim c\\nend\\n\",\n"
    "    \"sha256\": \"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"\n  },\n  "
    "\"sizes\": {\n    \"n\": 2\n  },\n"
    "  \"values\": {\n    \"p\": \"-1/3\"\n  },\n  \"broken\": {\n    \"label\": \"s\",\n    \"index\": {\n  "
    "    \"t\": 2,\n      \"i\": 1\n    },\n"
    "    \"left\": \"[1.5 +/- 1e-9]\",\n    \"right\": \"1\"\n  },\n  \"found\": {\n    \"seed\": "
    "\"18446744073709551615\",\n"
    "    \"instance\": 7,\n    \"source\": \"r\xC3\xA4nd\",\n    \"attempt\": 0\n  }\n}\n";

START_TEST(test_round_trip)
{
  diag *d = diag_create(NULL, 20);
  certificate z;
  certificate_init(&z);
  diag_source *s = diag_source_from("z.json", canonical, strlen(canonical));
  ck_assert_msg(certificate_read_source(d, s, &z), "%s", diag_text(d));
  ck_assert(z.seed == UINT64_MAX && z.number == 7 && z.indices == 2 && !z.witness &&
            !strcmp(z.index[1].name, "i"));
  char *json = certificate_to_json(&z);
  ck_assert_str_eq(json, canonical);
  free(json);
  char name[] = "/tmp/assay-certificate-XXXXXX";
  int f = mkstemp(name);
  ck_assert_int_ge(f, 0);
  close(f);
  ck_assert(certificate_write(d, name, &z));
  certificate_clear(&z);
  ck_assert(certificate_read(d, name, &z));
  json = certificate_to_json(&z);
  ck_assert_str_eq(json, canonical);
  free(json);
  size_t count;
  instance *x = instance_read_file(d, name, &count); /* a certificate is its instance */
  ck_assert(x && count == 1 && x[0].values == 1);
  instance_array_free(x, count);
  remove(name);
  ck_assert(!certificate_write(d, "/nonexistent/z.json", &z));
  certificate_clear(&z);
  ck_assert(!certificate_read(d, "/nonexistent/z.json", &z));
  ck_assert_uint_eq(diag_errors(d), 2);
  certificate_clear(&z);
  diag_source_destroy(s);
  diag_destroy(d);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("certificate");
  TCase *t = tcase_create("certificate");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, test_exact);
  tcase_add_test(t, test_enclosure);
  tcase_add_test(t, test_instances);
  tcase_add_test(t, test_defects);
  tcase_add_test(t, test_match);
  tcase_add_test(t, test_declared_twice);
  tcase_add_test(t, test_round_trip);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
