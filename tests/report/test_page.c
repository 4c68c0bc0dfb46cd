/* The page for a reviewer, and expressions with numbers put in. Expected values were computed by hand
 * (made.h). */
#include "made.h"

#include "report/page_text.h"
#include "report/substitute.h"

static void write_it(FILE *out, const void *result)
{
  page_write(out, result, 1024);
}

START_TEST(test_sample)
{
  made_library m;
  made_open(&m);
  check_result r = made_refuted(&m);
  char *page = made_output(write_it, &r);
  diag_source *sample = made_sample("sample-page.txt");
  made_compare(page, sample->text);
  diag_source_destroy(sample);
  free(page);
  check_result_destroy(&r);
  made_close(&m);
}
END_TEST

static void expect(const char *page, const char *line)
{
  ck_assert_msg(strstr(page, line), "'%s' is not in\n%s", line, page);
}

/* The lines that matter, apart from the layout. */
START_TEST(test_lines)
{
  made_library m;
  made_open(&m);
  check_result r = made_refuted(&m);
  char *page = made_output(write_it, &r);
  expect(page, "\nm = min(t in 1..2: z[t])\n  = min(-1, 100)\n  = -1\n");
  expect(page, "\ns[0] = 0\ns[1] = alpha[1]*s[0] + delta[1]*z[1]\n     = 1/2*0 + 1/2*-1\n     = -1/2\n");
  expect(page, "\ns[2] = alpha[2]*s[1] + delta[2]*z[2]\n     = 1/2*(-1/2) + 1/2*100\n     = 199/4\n");
  expect(page, "\nrange of alpha[2]: 0 < 1/2 is true\n");
  expect(page, "\nnonexpansive at t = 2: 1 <= 1 is true\n");
  expect(page, "\ncentred: -1 <= 0 is true\ncentred: 0 <= 100 is true\n");
  expect(page, "\nmixture: -1 = -1 is true\n");
  expect(page, "\nupper at t = 2: 199/4 <= 99/2 is false\n");
  expect(page, "\nseed 7, source: random, instance 41, attempt 2; then made smaller in 9 steps\n");
  expect(page, "\nassay-verify made.claim 'out dir/lemma-d6-later.json'\n");
  free(page);
  check_result_destroy(&r);
  made_close(&m);
}
END_TEST

/* One step, and none. */
START_TEST(test_steps)
{
  made_library m;
  made_open(&m);
  check_result r = made_refuted(&m);
  r.counterexample->shrink_steps = 1;
  char *page = made_output(write_it, &r);
  expect(page, "attempt 2; then made smaller in 1 step\n");
  free(page);
  r.counterexample->shrink_steps = 0;
  page = made_output(write_it, &r);
  expect(page, "attempt 2; nothing smaller was found\n");
  free(page);
  check_result_destroy(&r);
  made_close(&m);
}
END_TEST

/* sqrt 2 = 1.41421356237309504880168872..., cut after 20 digits on either side. */
START_TEST(test_witness)
{
  made_library m;
  made_open(&m);
  check_result r = made_possible(&m);
  char *page = made_output(write_it, &r);
  expect(page, "question: middle is POSSIBLE\n");
  expect(page, "\nr = sqrt(x)\n  = sqrt(2)\n  = [1.4142135623730950488, 1.4142135623730950489]\n");
  expect(page, "\nWhat holds\n");
  expect(page, "No certificate was kept.\n");
  free(page);
  check_result_destroy(&r);
  made_close(&m);
}
END_TEST

/* At w = 3, v = 2. The mean of f[1] is 3*2 + 1. */
static const char random_text[] =
    "claim r\n  given w in [0, 9]\n  given v in [0, 4]\n  random g[k in 1..2] ~ normal(0, v)\n"
    "  let f[k in 1..2] = w*g[k]^2 - g[3-k]/2 + 1\n  let many = (g[1] + g[2])^40\n  let rough = sqrt(w)*g[1]\n"
    "  let m = mean(f[1])\n  show s: mean(many*0 + rough + f[2]) + m <= 1\nend\n";

START_TEST(test_random)
{
  static const char *const names[] = {"w", "v"}, *const values[] = {"3", "2"};
  diag *d = diag_create(stderr, 0);
  diag_source *source = diag_source_from("r.claim", random_text, strlen(random_text));
  library *l = library_read_source(d, source, 0);
  ck_assert_ptr_nonnull(l);
  check_result r = {.claim = library_claim(l, 0), .verdict = VERDICT_REFUTED};
  r.file = memory_copy_string("r.claim");
  r.reason = memory_copy_string("");
  check_witness *w = r.counterexample = memory_new(1, sizeof *w);
  made_instance(&w->instance, 0, 0, 2, names, values);
  w->label = memory_copy_string("s");
  char *page = made_output(write_it, &r);
  expect(page, "\nf[1] = w*g[1]^2 - g[2]/2 + 1\n     = 3*g[1]^2 - g[2]/2 + 1\n     = 3*g[1]^2 - 1/2*g[2] + 1\n");
  expect(page, "\nf[2] = w*g[2]^2 - g[1]/2 + 1\n     = 3*g[2]^2 - g[1]/2 + 1\n     = 3*g[2]^2 - 1/2*g[1] + 1\n");
  expect(page, "\nmany = (g[1] + g[2])^40\n     = a polynomial of 41 terms\n");
  expect(page, "\nrough = sqrt(w)*g[1]\n      = sqrt(3)*g[1]\n      = not known\n");
  expect(page, "\nm = mean(f[1])\n  = 7\n");
  expect(page, "\nRandom elements are independent.");
  free(page);
  check_result_destroy(&r);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

static void print_let(text *out, const claim *c, const int64_t *sizes, unsigned let, unsigned line,
                      int64_t index, const substitute_value *value, size_t values)
{
  substitution s = {
      .claim = c, .sizes = sizes, .index = {index}, .known = 1, .value = value, .values = values};
  text_clear(out);
  substitute_print(out, &s, c->let[let].line[line].body);
}

START_TEST(test_substitute)
{
  static const char source_text[] =
      "claim x\n  size T >= 1\n  given b[s in 1..T, t in 1..T] in real\n  given big in real\n"
      "  let u[t in 1..T] = sum(s in 1..t: b[s,t]^(t-s)) - T/(t+1)\n"
      "  let v[t in 1..T] = if t > 1 then big*b[t,1] else prod(i in 1..2, j in i..2: b[i,j])\n"
      "  let w[t in 1..T] = b[1,t]*d(sum(s in 1..t: b[1,s]^t), b[1,t])\n"
      "  show g: forall t in 1..T: u[t] <= v[t]*w[t]\nend\n";
  diag *d = diag_create(stderr, 0);
  diag_source *source = diag_source_from("x.claim", source_text, strlen(source_text));
  library *l = library_read_source(d, source, 0);
  ck_assert_ptr_nonnull(l);
  const claim *c = library_claim(l, 0);
  const int64_t sizes[] = {3};
  fmpq_t minus, huge;
  fmpq_init(minus);
  fmpq_init(huge);
  fmpq_set_si(minus, -1, 3);
  fmpz_ui_pow_ui(fmpq_numref(huge), 2, 200); /* too long to take a name's place */
  const substitute_value values[] = {{"b[1,2]", minus}, {"big", huge}};
  text out;
  text_init(&out);
  print_let(&out, c, sizes, 0, 0, 2, NULL, 0);
  ck_assert_str_eq(text_string(&out), "sum(s in 1..2: b[s, 2]^(2 - s)) - 3/3");
  print_let(&out, c, sizes, 0, 0, 2, values, 2);
  ck_assert_str_eq(text_string(&out), "(-1/3)^1 + b[2, 2]^0 - 3/3");
  print_let(&out, c, sizes, 1, 0, 2, values, 2);
  ck_assert_str_eq(text_string(&out), "if 2 > 1 then big*b[2, 1] else prod(i in 1..2, j in i..2: b[i, j])");
  print_let(&out, c, sizes, 2, 0, 2, values, 2);
  ck_assert_str_eq(text_string(&out), "-1/3*d(sum(s in 1..2: b[1, s]^2), b[1, 2])");
  text_clear(&out);
  fmpq_clear(minus);
  fmpq_clear(huge);
  library_destroy(l);
  diag_source_destroy(source);
  diag_destroy(d);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pages");
  TCase *tests = tcase_create("pages");
  tcase_add_test(tests, test_sample);
  tcase_add_test(tests, test_lines);
  tcase_add_test(tests, test_steps);
  tcase_add_test(tests, test_witness);
  tcase_add_test(tests, test_random);
  tcase_add_test(tests, test_substitute);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
