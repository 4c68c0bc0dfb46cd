/* The three methods of every form agree: reference and vector bit for bit, whatever the target, the
 * threads, the strides and where the sequence is cut; the chunked one in its bits with itself, and with
 * the others up to rounding. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "forms_cases.h"

/* Sizes below, at and above what goes into a register, a block, a tile or a chunk. */
static const case_sizes some_sizes[] = {
  {1, 1, 1, 1, 1, 1, 0},   {2, 7, 5, 3, 2, 1, 3},   {1, 64, 16, 8, 2, 2, 0},
  {1, 130, 67, 2, 1, 1, 1}, {2, 17, 33, 2, 4, 2, 0}, {1, 65, 3, 70, 1, 1, 5},
};
enum { SIZES = sizeof some_sizes / sizeof *some_sizes };

typedef struct {
  double *state, *out;
  size_t states, outs;
} result;

static result result_new(const form_case *c)
{
  result r;
  r.states = c->sizes.sequences * c->state;
  r.outs = c->sizes.sequences * c->sizes.tokens * c->out;
  r.state = memory_new(r.states, sizeof *r.state);
  r.out = memory_new(r.outs, sizeof *r.out);
  memcpy(r.state, c->begin, r.states * sizeof *r.state);
  return r;
}

static void result_free(result r)
{
  free(r.state);
  free(r.out);
}

static result run(const form_case *c, scan_method method, scan_target target, int threads)
{
  scan_options options = {method, target, threads};
  result r = result_new(c);
  case_run(c, &options, r.state, r.out, 0, c->sizes.tokens);
  return r;
}

static void same_bits(const form_case *c, result a, result b, const char *what)
{
  ck_assert_msg(memcmp(a.state, b.state, a.states * sizeof *a.state) == 0, "%s: %s: states differ",
                case_names[c->kind], what);
  ck_assert_msg(memcmp(a.out, b.out, a.outs * sizeof *a.out) == 0, "%s: %s: outputs differ",
                case_names[c->kind], what);
}

/* Numbers are sums of less than 1e4 terms, none of them larger than 10. */
static void close_to(const form_case *c, const double *a, const double *b, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double tolerance = c->kind == CASE_WKV ? 1e-12 * fmax(1, fabs(a[i])) : 1e-12;
    if (!(fabs(a[i] - b[i]) <= tolerance))
      ck_abort_msg("%s: number %zu: %.17g, chunked %.17g", case_names[c->kind], i, a[i], b[i]);
  }
}

static void vector_is_reference(const form_case *c)
{
  static const scan_target targets[] = {SCAN_BEST, SCAN_GENERIC, SCAN_AVX2, SCAN_AVX512};
  result reference = run(c, SCAN_REFERENCE, SCAN_BEST, 1);
  for (int k = 0; k < 4; k++) {
    result vector = run(c, SCAN_VECTOR, targets[k], 1 + k % 3);
    same_bits(c, reference, vector, "reference and vector");
    result_free(vector);
  }
  result usual = result_new(c);
  case_run(c, NULL, usual.state, usual.out, 0, c->sizes.tokens);
  same_bits(c, reference, usual, "reference and default");
  result_free(usual);
  result_free(reference);
}

static void chunked_agrees(const form_case *c)
{
  result reference = run(c, SCAN_REFERENCE, SCAN_BEST, 1), one = run(c, SCAN_CHUNKED, SCAN_BEST, 1);
  close_to(c, reference.out, one.out, one.outs);
  if (c->kind != CASE_WKV) /* whose state is over an exponent, which may be another one; y shows it */
    close_to(c, reference.state, one.state, one.states);
  result three = run(c, SCAN_CHUNKED, SCAN_GENERIC, 3);
  same_bits(c, one, three, "chunked on one and three threads");
  result_free(reference);
  result_free(one);
  result_free(three);
}

static void cutting(const form_case *c)
{
  static const scan_method methods[] = {SCAN_REFERENCE, SCAN_VECTOR, SCAN_CHUNKED};
  for (int m = 0; m < 3; m++) {
    scan_options options = {.method = methods[m], .threads = 2};
    result whole = run(c, methods[m], SCAN_BEST, 1), cut = result_new(c);
    size_t grain = m == 2 ? SCAN_CHUNK : 1, from = 0;
    for (size_t length = grain; from < c->sizes.tokens; length += 2 * grain) {
      size_t to = from + length < c->sizes.tokens ? from + length : c->sizes.tokens;
      case_run(c, &options, cut.state, cut.out, from, to);
      case_run(c, &options, cut.state, cut.out, to, to); /* no token: nothing changes */
      from = to;
    }
    same_bits(c, whole, cut, "in one and in parts");
    result_free(whole);
    result_free(cut);
  }
}

static void for_sizes(int kind, void (*check)(const form_case *))
{
  for (int k = 0; k < SIZES; k++) {
    form_case c;
    case_init(&c, (case_kind)kind, some_sizes[k], (unsigned long long)(SIZES * kind + k));
    check(&c);
    case_clear(&c);
  }
}

START_TEST(each_vector_is_reference)
{
  for_sizes(_i, vector_is_reference);
}
END_TEST

START_TEST(each_chunked_agrees)
{
  for_sizes(_i, chunked_agrees);
}
END_TEST

START_TEST(each_cutting)
{
  for_sizes(_i, cutting);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("forms");
  TCase *tc = tcase_create("methods");
  tcase_add_loop_test(tc, each_vector_is_reference, 0, CASES);
  tcase_add_loop_test(tc, each_chunked_agrees, 0, CASES);
  tcase_add_loop_test(tc, each_cutting, 0, CASES);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
