/* Certificates changed value by value and field by field: each is accepted only if it still refutes. For
 * Lemma D.6 "still refutes" is decided here, by hand-written rational arithmetic on that one recurrence, T
 * = 2. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cert/exact.h"
#include "verify/judge.h"

static diag *d;
static library *lemma;

static void start(void)
{
  d = diag_create(NULL, 20);
  const char *top = getenv("top_srcdir");
  text path;
  text_init(&path);
  text_addf(&path, "%s/lemmas/wang2025/lemma-d6.claim", top ? top : ".");
  lemma = library_read(d, path.data, 0);
  ck_assert_msg(lemma, "%s", diag_text(d));
  text_clear(&path);
}

static void stop(void)
{
  library_destroy(lemma);
  diag_destroy(d);
}

enum { ALPHA1, ALPHA2, DELTA1, DELTA2, Z1, Z2, P, VALUES };
static const char *const names[VALUES] = {"alpha[1]", "alpha[2]", "delta[1]", "delta[2]",
                                          "z[1]",     "z[2]",     "p"};

/* What is so, by hand: whether the hypotheses hold, and both sides of the two conclusions at t = 1 and 2. */
typedef struct {
  bool admissible;
  fmpq_t left[2][2], right[2][2]; /* [lower, upper][t - 1] */
} truth_by_hand;

static bool within(const fmpq_t low, const fmpq_t x, const fmpq_t high, bool open)
{
  return open ? fmpq_cmp(low, x) < 0 && fmpq_cmp(x, high) < 0
              : fmpq_cmp(low, x) <= 0 && fmpq_cmp(x, high) <= 0;
}

static void by_hand(truth_by_hand *h, fmpq *v)
{
  fmpq_t zero, one, a, b, q, power, s[2];
  fmpq_init(zero), fmpq_init(one), fmpq_init(a), fmpq_init(b), fmpq_init(q), fmpq_init(power),
      fmpq_init(s[0]), fmpq_init(s[1]);
  fmpq_one(one);
  fmpq *m = fmpq_cmp(v + Z1, v + Z2) < 0 ? v + Z1 : v + Z2, *big = m == v + Z1 ? v + Z2 : v + Z1;
  fmpq *least = fmpq_cmp(v + ALPHA1, v + ALPHA2) < 0 ? v + ALPHA1 : v + ALPHA2;
  bool good = within(zero, v + P, one, false) && fmpq_sgn(m) <= 0 && fmpq_sgn(big) >= 0;
  for (int t = 0; t < 2; t++) {
    fmpq_add(a, v + ALPHA1 + t, v + DELTA1 + t);
    good = good && within(zero, v + ALPHA1 + t, one, true) && within(zero, v + DELTA1 + t, one, false) &&
           fmpq_cmp(a, one) <= 0;
  }
  fmpq_sub(q, one, v + P);
  fmpq_mul(a, v + P, m);
  fmpq_mul(b, q, big);
  fmpq_add(a, a, b);
  h->admissible = good && fmpq_equal(a, v + Z1);
  fmpq_mul(s[0], v + DELTA1, v + Z1);
  fmpq_mul(a, v + ALPHA2, s[0]);
  fmpq_mul(b, v + DELTA2, v + Z2);
  fmpq_add(s[1], a, b);
  for (int t = 0; t < 2; t++) { /* weight w of one end, 1 - w of the other */
    fmpq_set(power, t == 0 ? one : least);
    for (int upper = 0; upper < 2; upper++) {
      fmpq *bound = upper ? h->right[1][t] : h->left[0][t];
      fmpq_mul(a, power, upper ? v + P : q);
      fmpq_sub(b, one, a);
      fmpq_mul(a, a, upper ? m : big);
      fmpq_mul(b, b, upper ? big : m);
      fmpq_add(bound, a, b);
      fmpq_set(upper ? h->left[1][t] : h->right[0][t], s[t]);
    }
  }
  fmpq_clear(zero), fmpq_clear(one), fmpq_clear(a), fmpq_clear(b), fmpq_clear(q), fmpq_clear(power),
      fmpq_clear(s[0]), fmpq_clear(s[1]);
}

static void hand_init(truth_by_hand *h)
{
  for (int i = 0; i < 4; i++) {
    fmpq_init(h->left[i / 2][i % 2]);
    fmpq_init(h->right[i / 2][i % 2]);
  }
}

static void hand_clear(truth_by_hand *h)
{
  for (int i = 0; i < 4; i++) {
    fmpq_clear(h->left[i / 2][i % 2]);
    fmpq_clear(h->right[i / 2][i % 2]);
  }
}

static bool breaks(const truth_by_hand *h, int upper, int t)
{
  return h->admissible && fmpq_cmp(h->left[upper][t - 1], h->right[upper][t - 1]) > 0;
}

/* The certificate of these values; sides 0: none, 1: of the published instance at t = 2. */
static void fill(certificate *z, fmpq *v, const char *label, int t, bool sides)
{
  certificate_init(z);
  certificate_set_claim(z, library_find(lemma, "lemma-d6"), "lemma-d6.claim");
  instance_add_size(&z->instance, "T", 2);
  for (int i = 0; i < VALUES; i++)
    instance_add_value(&z->instance, names[i], v + i);
  z->label = memory_copy_string(label);
  if (t)
    certificate_add_index(z, "t", t);
  if (sides) {
    z->left = memory_copy_string("199/4");
    z->right = memory_copy_string("99/2");
  }
  z->found = true;
  z->seed = 1;
  z->source = memory_copy_string("random");
}

static judge_verdict judge(const library *l, const certificate *z, text *last)
{
  text report;
  text_init(&report);
  text_clear(last);
  judge_verdict verdict = judge_certificate(d, &report, last, l, z, "z.json", 0);
  ck_assert(last->length > 0);
  ck_assert_int_eq(verdict == JUDGE_ACCEPTED, !strncmp(last->data, "accepted: ", 10));
  text_clear(&report);
  return verdict;
}

static void published(fmpq *v)
{
  static const char *const value[VALUES] = {"1/2", "1/2", "1/2", "1/2", "-1", "100", "1"};
  for (int i = 0; i < VALUES; i++) {
    fmpq_init(v + i);
    ck_assert_ptr_null(exact_read(v + i, value[i]));
  }
}

static unsigned accepted, rejected;

/* Both labels, with each index and none, with the published sides and none. */
static void check_all(fmpq *v)
{
  truth_by_hand h;
  hand_init(&h);
  by_hand(&h, v);
  fmpq_t left, right;
  fmpq_init(left), fmpq_init(right);
  fmpq_set_si(left, 199, 4), fmpq_set_si(right, 99, 2);
  text last;
  text_init(&last);
  for (int k = 0; k < 12; k++) {
    int upper = k % 2, t = k / 2 % 3, sides = k / 6;
    certificate z;
    fill(&z, v, upper ? "upper" : "lower", t, sides);
    judge_verdict verdict = judge(lemma, &z, &last);
    int first = t ? t : breaks(&h, upper, 1) ? 1 : 2;
    bool fit = !sides ||
               (fmpq_equal(h.left[upper][first - 1], left) && fmpq_equal(h.right[upper][first - 1], right));
    bool expected = breaks(&h, upper, first) && fit;
    if ((verdict == JUDGE_ACCEPTED) != expected || verdict == JUDGE_UNREADABLE) {
      char *json = certificate_to_json(&z);
      ck_abort_msg("%s\n%s\n%sexpected %d", json, last.data, diag_text(d), expected);
    }
    expected ? accepted++ : rejected++;
    certificate_clear(&z);
  }
  text_clear(&last);
  fmpq_clear(left), fmpq_clear(right);
  hand_clear(&h);
}

START_TEST(test_values)
{
  static const char *const others[] = {"0",
                                       "1",
                                       "-1",
                                       "1/2",
                                       "1/4",
                                       "3/4",
                                       "99/100",
                                       "2",
                                       "100",
                                       "-100",
                                       "101",
                                       "1/1000000",
                                       "1e-40",
                                       "0x1p-1074",
                                       "0x0.fffffffffffff8p0",
                                       "0x0.8000000000001p0"};
  fmpq v[VALUES], kept;
  fmpq_t tiny, other;
  published(v);
  fmpq_init(&kept), fmpq_init(tiny), fmpq_init(other);
  ck_assert_ptr_null(exact_read(tiny, "1e-40"));
  accepted = rejected = 0;
  check_all(v);
  for (int i = 0; i < VALUES; i++) {
    fmpq_set(&kept, v + i);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
      ck_assert_ptr_null(exact_read(other, others[k]));
      fmpq_set(v + i, other);
      check_all(v);
    }
    fmpq_sub(v + i, &kept, tiny);
    check_all(v);
    fmpq_add(v + i, &kept, tiny);
    check_all(v);
    fmpq_set(v + i, &kept);
  }
  /* all small grids on which z[1] is an end, so that the mixture can hold */
  static const char *const grid[] = {"1/4", "1/2", "3/4"};
  for (int k = 0; k < 3 * 3 * 3 * 3 * 4; k++) {
    int digit = k;
    for (int i = 0; i < 4; i++, digit /= 3)
      exact_read(v + i, grid[digit % 3]);
    exact_read(v + Z1, digit % 2 ? "-1" : "1");
    exact_read(v + Z2, digit % 2 ? "100" : "-100");
    exact_read(v + P, (digit % 2) != (digit / 2) ? "1" : "0");
    check_all(v);
  }
  ck_assert_uint_gt(accepted, 200);
  ck_assert_uint_gt(rejected, 1000);
  for (int i = 0; i < VALUES; i++)
    fmpq_clear(v + i);
  fmpq_clear(&kept), fmpq_clear(tiny), fmpq_clear(other);
}
END_TEST

/* One field at a time, in the JSON: `path` is keys joined by '/', `value` JSON or NULL to take the field
 * away. Verdict by the meaning of the field. */
static const struct {
  const char *path, *value;
  int verdict;
} fields[] = {
    {"schema", "\"assay-certificate/1\"", 0},
    {"schema", "\"assay-certificate/2\"", 2},
    {"schema", "1", 2},
    {"schema", NULL, 2},
    {"claim/name", "\"lemma-d6-later-tokens\"", 2},
    {"claim/name", "\"lemma-d7\"", 2},
    {"claim/name", NULL, 2},
    {"claim/file", "\"elsewhere.claim\"", 0},
    {"claim/file", NULL, 0},
    {"claim/text", "\"claim lemma-d6\\nend\\n\"", 2},
    {"claim/text", NULL, 2},
    {"claim/sha256", "\"0000000000000000000000000000000000000000000000000000000000000000\"", 2},
    {"claim/sha256", "\"12\"", 2},
    {"claim/sha256", NULL, 2},
    {"claim/more", "1", 2},
    {"claim", NULL, 2},
    {"sizes/T", "2", 0},
    {"sizes/T", "1", 2},
    {"sizes/T", "3", 2},
    {"sizes/T", "0", 1},
    {"sizes/T", "\"2\"", 2},
    {"sizes/T", "2.0", 2},
    {"sizes/T", "99999999", 2},
    {"sizes/T", NULL, 2},
    {"sizes/N", "1", 2},
    {"sizes", NULL, 2},
    {"values/p", "\"1\"", 0},
    {"values/p", "1", 0},
    {"values/p", "\"2/2\"", 0},
    {"values/p", "\"0x1\"", 0},
    {"values/p", "1.0", 2},
    {"values/p", "\"1.\"", 2},
    {"values/p", "\"1/0\"", 2},
    {"values/p", "\"\"", 2},
    {"values/p", "\" 1\"", 2},
    {"values/p", "null", 2},
    {"values/p", "\"nan\"", 2},
    {"values/p", "\"1e999999999\"", 2},
    {"values/p", NULL, 2},
    {"values/z[3]", "\"0\"", 2},
    {"values/z", "\"0\"", 2},
    {"values/z[ 2 ]", "\"100\"", 2},
    {"values/x", "\"0\"", 2},
    {"values/z[2]", NULL, 2},
    {"values", NULL, 2},
    {"broken/label", "\"lower\"", 1},
    {"broken/label", "\"mixture\"", 1},
    {"broken/label", "\"none\"", 1},
    {"broken/label", NULL, 2},
    {"broken/index/t", "2", 0},
    {"broken/index/t", "1", 1},
    {"broken/index/t", "3", 1},
    {"broken/index/t", "0", 1},
    {"broken/index/t", "\"2\"", 2},
    {"broken/index/u", "2", 1},
    {"broken/left", "\"49.75\"", 0},
    {"broken/left", "\"49.76\"", 1},
    {"broken/left", "\"[49.7 +/- 0.1]\"", 0},
    {"broken/left", "\"[49.7 +/- 0.01]\"", 1},
    {"broken/left", "\"[+/- 50]\"", 0},
    {"broken/left", "\"large\"", 2},
    {"broken/left", "\"[49 +/- -1]\"", 2},
    {"broken/left", NULL, 0},
    {"broken/right", "\"199/4\"", 1},
    {"broken/right", NULL, 0},
    {"broken/more", "1", 2},
    {"broken", NULL, 2},
    {"witness", "{\"label\": \"upper\"}", 2},
    {"found/seed", "7", 0},
    {"found/seed", "\"18446744073709551615\"", 0},
    {"found/seed", "\"18446744073709551616\"", 2},
    {"found/seed", "-1", 2},
    {"found/source", "\"grid\"", 0},
    {"found/attempt", "3", 0},
    {"found/instance", NULL, 2},
    {"found", NULL, 0},
    {"more", "1", 2},
};

static judge_verdict judge_json(const library *l, const char *json, size_t length, text *last)
{
  certificate z;
  certificate_init(&z);
  diag_source *s = diag_source_from("z.json", json, length);
  judge_verdict verdict = certificate_read_source(d, s, &z) ? judge(l, &z, last) : JUDGE_UNREADABLE;
  diag_source_destroy(s);
  certificate_clear(&z);
  return verdict;
}

static void set_field(json_t *root, const char *path, const char *value)
{
  char key[40];
  const char *slash;
  while ((slash = strchr(path, '/'))) {
    snprintf(key, sizeof key, "%.*s", (int)(slash - path), path);
    root = json_object_get(root, key);
    path = slash + 1;
  }
  if (value)
    ck_assert_int_eq(json_object_set_new(root, path, json_loads(value, JSON_DECODE_ANY, NULL)), 0);
  else
    ck_assert_int_eq(json_object_del(root, path), 0);
}

START_TEST(test_fields)
{
  fmpq v[VALUES];
  certificate z;
  text last;
  text_init(&last);
  published(v);
  fill(&z, v, "upper", 2, true);
  char *json = certificate_to_json(&z);
  ck_assert_int_eq(judge_json(lemma, json, strlen(json), &last), JUDGE_ACCEPTED);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    json_t *root = json_loads(json, 0, NULL);
    set_field(root, fields[i].path, fields[i].value);
    char *changed = json_dumps(root, 0);
    unsigned errors = diag_errors(d);
    judge_verdict verdict = judge_json(lemma, changed, strlen(changed), &last);
    ck_assert_msg((int)verdict == fields[i].verdict, "%s = %s: %d", fields[i].path, fields[i].value, verdict);
    ck_assert_int_eq(verdict == JUDGE_UNREADABLE,
                     diag_errors(d) > errors); /* exactly then there is a message */
    free(changed);
    json_decref(root);
  }
  for (size_t i = 0; i + 2 < strlen(json); i += 7) /* cut short anywhere */
    ck_assert_int_eq(judge_json(lemma, json, i, &last), JUDGE_UNREADABLE);
  /* every single byte of the text of the claim matters */
  char *claim_text = z.claim_text;
  for (size_t i = 0; i < strlen(claim_text); i += 11) {
    claim_text[i] ^= 1;
    ck_assert_int_eq(judge(lemma, &z, &last), JUDGE_UNREADABLE);
    claim_text[i] ^= 1;
  }
  ck_assert_int_eq(judge(lemma, &z, &last), JUDGE_ACCEPTED);
  free(json);
  certificate_clear(&z);
  text_clear(&last);
  for (int i = 0; i < VALUES; i++)
    fmpq_clear(v + i);
}
END_TEST

/* Small claims, for what Lemma D.6 does not reach. */
static const char small[] =
    "claim c\n size n in 1..3\n given x[i in 1..n] in real\n given y in [0, 1 - x[1]]\n"
    " assume side: y != 0 implies 1/y > 1\n"
    " show first: forall i in 1..n: x[i] <= 1/3 and (forall j in i..n: x[i] + x[j] != 1)\n"
    " show second: 1/(x[1] - 1/4) > 0\n show third: exp(log(2 + y)) = 2 + y\n show fourth: 0 <= exp(x[1]) < "
    "2 <= 3\nend\n"
    "claim w\n size n >= 1\n given x[i in 1..n] in real\n given y in real\n"
    " possible yes: exists i in 1..n: exp(x[i]) > 3/2\n possible no: x[1] > 2\nend\n";

static const struct {
  char claim;
  const char *values; /* x[1], x[2], y; n = 2 */
  const char *statement;
  int verdict;
  const char *last; /* how the last line ends */
} cases[] = {
    {'c', "\"x[1]\": 0, \"x[2]\": \"1/2\", \"y\": 0", "\"broken\": {\"label\": \"first\"}", 0,
     "first is false at i = 2"},
    {'c', "\"x[1]\": 0, \"x[2]\": 1, \"y\": 0", "\"broken\": {\"label\": \"first\"}", 0,
     "first is false at i = 1, j = 2"},
    {'c', "\"x[1]\": 0, \"x[2]\": 1, \"y\": 0", "\"broken\": {\"label\": \"first\", \"index\": {\"i\": 2}}",
     0, "at i = 2"},
    {'c', "\"x[1]\": 0, \"x[2]\": 1, \"y\": 0",
     "\"broken\": {\"label\": \"first\", \"index\": {\"i\": 2, \"j\": 2}}", 1,
     "no quantifier of the label has"},
    {'c', "\"x[1]\": \"1/4\", \"x[2]\": 1, \"y\": 0", "\"broken\": {\"label\": \"first\"}", 0,
     "first is false at i = 2"}, /* second is undefined */
    {'c', "\"x[1]\": \"1/4\", \"x[2]\": 1, \"y\": 0", "\"broken\": {\"label\": \"second\"}", 1,
     "second is undefined"},
    {'c', "\"x[1]\": 0, \"x[2]\": 0, \"y\": 0", "\"broken\": {\"label\": \"first\"}", 1, "first is true"},
    {'c', "\"x[1]\": 0, \"x[2]\": 0, \"y\": 0", "\"broken\": {\"label\": \"third\"}", 1, "third is open"},
    {'c', "\"x[1]\": 1, \"x[2]\": 0, \"y\": 0",
     "\"broken\": {\"label\": \"fourth\", \"left\": \"[2.7182818 +/- 1e-6]\", \"right\": \"2\"}", 0,
     "fourth is false"},
    {'c', "\"x[1]\": 1, \"x[2]\": 0, \"y\": 0",
     "\"broken\": {\"label\": \"fourth\", \"left\": \"[2.7182 +/- 1e-6]\"}", 1, "states"},
    {'c', "\"x[1]\": 1, \"x[2]\": 0, \"y\": \"1e-40\"", "\"broken\": {\"label\": \"fourth\"}", 1,
     "the range of y is false"},
    {'c', "\"x[1]\": 0, \"x[2]\": 1, \"y\": 1", "\"broken\": {\"label\": \"first\"}", 1,
     "the assume side is false"},
    {'w', "\"x[1]\": \"1/2\", \"x[2]\": 0, \"y\": 0",
     "\"witness\": {\"label\": \"yes\", \"index\": {\"i\": 1}}", 0, "yes is true at i = 1"},
    {'w', "\"x[1]\": \"1/2\", \"x[2]\": 0, \"y\": 0",
     "\"witness\": {\"label\": \"yes\", \"index\": {\"i\": 2}}", 1, "states"},
    {'w', "\"x[1]\": \"1/2\", \"x[2]\": 0, \"y\": 0", "\"witness\": {\"label\": \"no\"}", 1, "no is false"},
    {'w', "\"x[1]\": \"1/2\", \"x[2]\": 0, \"y\": 0", "\"witness\": {\"label\": \"first\"}", 1, "possible"},
    {'w', "\"x[1]\": \"1/2\", \"x[2]\": 0, \"y\": 0", "\"broken\": {\"label\": \"no\"}", 1,
     "shows no such label"},
};

START_TEST(test_small)
{
  diag_source *s = diag_source_from("c.claim", small, strlen(small));
  library *l = library_read_source(d, s, 0);
  ck_assert_msg(l, "%s", diag_text(d));
  text json, last;
  text_init(&json);
  text_init(&last);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    certificate z;
    certificate_init(&z);
    certificate_set_claim(&z, library_claim(l, cases[i].claim == 'w'), NULL);
    json_t *string = json_string(z.claim_text);
    char *escaped = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    text_clear(&json);
    text_addf(&json,
              "{\"schema\": \"assay-certificate/1\", \"claim\": {\"name\": \"%c\", \"text\": %s, \"sha256\": "
              "\"%s\"}, "
              "\"sizes\": {\"n\": 2}, \"values\": {%s}, %s}",
              cases[i].claim, escaped, z.claim_hash, cases[i].values, cases[i].statement);
    judge_verdict verdict = judge_json(l, json.data, json.length, &last);
    size_t n = strlen(cases[i].last);
    ck_assert_msg((int)verdict == cases[i].verdict && last.length > n &&
                      !strcmp(last.data + last.length - n, cases[i].last),
                  "%s: %d %s\n%s", json.data, verdict, text_string(&last), diag_text(d));
    free(escaped);
    certificate_clear(&z);
  }
  text_clear(&json);
  text_clear(&last);
  library_destroy(l);
  diag_source_destroy(s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("mutate");
  TCase *t = tcase_create("mutate");
  tcase_set_timeout(t, 300);
  tcase_add_checked_fixture(t, start, stop);
  tcase_add_test(t, test_values);
  tcase_add_test(t, test_fields);
  tcase_add_test(t, test_small);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
