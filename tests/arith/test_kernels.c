/* The double kernels against balls: the stated relative bound at random and at awkward arguments, NaN outside
 * of the domain, exact values, any length, the same bits whatever compiler and instruction set built them. */
#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith/kernel_loop.h"
#include "arith/kernels.h"
#include "core/flint.h"

/* Sanitized code is some ten times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define POINTS 100000
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POINTS 100000
#endif
#endif
#ifndef POINTS
#define POINTS 1000000
#endif

#define PRECISION 128

typedef void kernel_function(double *restrict out, const double *restrict in, size_t n);
typedef void ball_function(arb_t out, const arb_t in, slong precision);

struct kernel {
  const char *name;
  kernel_function *evaluate;
  ball_function *truth;
  double bound;
  double lo, hi;              /* the domain, ends included */
  double centre;              /* where the relative error is hardest to keep */
  double fixed, fixed_value;  /* an argument with an exact result */
  uint64_t bits;              /* of the results on a fixed list of arguments */
};

/* The sums of bits were recorded from a build without AVX2: they show that builds agree, not that they are
 * right. */
static const struct kernel kernels[] = {
  {"exp", kernel_exp, arb_exp, KERNEL_EXP_REL, -708.0, 709.0, 0.0, 0.0, 1.0, 0xe1addf1e6a2684eau},
  {"expm1", kernel_expm1, arb_expm1, KERNEL_EXPM1_REL, -DBL_MAX, 709.0, 0.0, 0.0, 0.0, 0xaf7c0f4d8856d947u},
  {"log", kernel_log, arb_log, KERNEL_LOG_REL, DBL_MIN, DBL_MAX, 1.0, 1.0, 0.0, 0x58962b5d24fefed0u},
  {"log1p", kernel_log1p, arb_log1p, KERNEL_LOG1P_REL, -1.0 + 0x1p-53, DBL_MAX, 0.0, 0.0, 0.0,
   0x55e0d2965ff716e2u},
};

#define KERNELS ((int)(sizeof kernels / sizeof *kernels))

/* splitmix64 */
static uint64_t random_bits(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double random_unit(uint64_t *state)
{
  return (double)(random_bits(state) >> 11) * 0x1p-53;
}

static double step_by(double x, int ulps)
{
  uint64_t bits = kernel_bits(x);
  return kernel_from_bits(bits + (uint64_t)(int64_t)ulps);
}

static double power_of_two(int exponent)
{
  return kernel_from_bits((uint64_t)(exponent + 1023) << 52);
}

/* An argument of some kind or other, perhaps outside of the domain. */
static double random_argument(uint64_t *state)
{
  int small = (int)(random_bits(state) % 9) - 4;
  double sign = random_bits(state) % 2 ? 1.0 : -1.0;
  double u = random_unit(state);
  switch (random_bits(state) % 10) {
  case 0: /* anything at all */
    return kernel_from_bits(random_bits(state));
  case 1: /* exp's domain, evenly */
    return -709.0 + 1419.0 * u;
  case 2:
    return -2.0 + 4.0 * u;
  case 3: /* next to where exp's k steps: (k + 1/2) ln 2 */
    return step_by((floor(2046.0 * u) - 1022.5) * 0x1.62e42fefa39efp-1, 3 * small);
  case 4: /* next to k ln 2, where exp is near a power of two, and expm1's terms cancel most for k = 1 */
    u = step_by((floor(7.0 * u) - 3.0) * 0x1.62e42fefa39efp-1, small);
    return u + sign * random_unit(state) * 0x1p-20;
  case 5: /* next to where log's k steps, also after 1 + x */
    u = step_by(0x1.6a09ep0 * power_of_two((int)(2040.0 * u) - 1020), small);
    return u - (double)(random_bits(state) % 2);
  case 6: /* next to a power of two, also after 1 + x */
    return sign * step_by(power_of_two((int)(120.0 * u) - 60), small) - (double)(random_bits(state) % 2);
  case 7: /* a few halves of an ulp of 1, where 1 + x is rounded most */
    return sign * (double)(random_bits(state) % 64) * 0x1p-55 * (1.0 + (double)small * 0x1p-52);
  case 8: /* next to 1 */
    return 1.0 + sign * u * power_of_two(-(int)(random_bits(state) % 53));
  default: /* small numbers of all sizes, down to the subnormal ones */
    return sign * (1.0 + u) * power_of_two(-(int)(random_bits(state) % 1000)) * (small < 0 ? 1.0 : 0x1p-70);
  }
}

static int in_domain(const struct kernel *kernel, double x)
{
  return x >= kernel->lo && x <= kernel->hi;
}

struct judge {
  arb_t x, truth, difference, allowed, bound;
};

static void judge_init(struct judge *judge, const struct kernel *kernel)
{
  arb_init(judge->x);
  arb_init(judge->truth);
  arb_init(judge->difference);
  arb_init(judge->allowed);
  arb_init(judge->bound);
  arb_set_d(judge->bound, kernel->bound);
}

static void judge_clear(struct judge *judge)
{
  arb_clear(judge->x);
  arb_clear(judge->truth);
  arb_clear(judge->difference);
  arb_clear(judge->allowed);
  arb_clear(judge->bound);
}

/* Whether |y - F(x)| <= bound |F(x)| for certain. */
static int judge_accepts(struct judge *judge, const struct kernel *kernel, double x, double y)
{
  if (isnan(y) || isinf(y))
    return 0;
  arb_set_d(judge->x, x);
  kernel->truth(judge->truth, judge->x, PRECISION);
  arb_set_d(judge->difference, y);
  arb_sub(judge->difference, judge->difference, judge->truth, PRECISION);
  arb_abs(judge->difference, judge->difference);
  arb_abs(judge->allowed, judge->truth);
  arb_mul(judge->allowed, judge->allowed, judge->bound, PRECISION);
  return arb_le(judge->difference, judge->allowed);
}

static void check_block(struct judge *judge, const struct kernel *kernel, const double *in, size_t n)
{
  double out[KERNEL_BLOCK];
  kernel->evaluate(out, in, n);
  for (size_t i = 0; i < n; i++) {
    if (!in_domain(kernel, in[i]))
      ck_assert_msg(isnan(out[i]), "%s(%a) is %a, outside of the domain", kernel->name, in[i], out[i]);
    else
      ck_assert_msg(judge_accepts(judge, kernel, in[i], out[i]), "%s(%a) is not %a within %a",
                    kernel->name, in[i], out[i], kernel->bound);
  }
}

START_TEST(test_bound_at_random)
{
  const struct kernel *kernel = &kernels[_i];
  uint64_t state = 20250101;
  double in[KERNEL_BLOCK];
  struct judge judge;
  judge_init(&judge, kernel);
  for (int done = 0; done < POINTS; done += KERNEL_BLOCK) {
    for (int i = 0; i < KERNEL_BLOCK; i++) {
      /* A few arguments stay outside, for the NaNs. */
      in[i] = random_argument(&state);
      for (int again = 0; again < 4 && !in_domain(kernel, in[i]); again++)
        in[i] = random_argument(&state);
    }
    check_block(&judge, kernel, in, KERNEL_BLOCK);
  }
  judge_clear(&judge);
}
END_TEST

/* Every double within 200 ulps of the ends of the domain, of the hard point, of places where k steps. */
START_TEST(test_bound_at_edges)
{
  const struct kernel *kernel = &kernels[_i];
  const double places[] = {
    kernel->lo, kernel->hi, kernel->centre,
    0x1.62e42fefa39efp-2, 0x1.0a2b23f3bab73p0,                /* ln 2 / 2 and three times that */
    0x1.6a09ep-1, 0x1.6a09ep0, 0x1.2bec4p-2, 0x1.a8278p-2,    /* where log's and log1p's k step */
    0x1p-52, 0x1p-53, 0x1p53, 0x1p54, 0.25, 0.5, 1.0, 37.43,
    0x1p-400, 0x1p-537, DBL_MIN,
  };
  struct judge judge;
  judge_init(&judge, kernel);
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    for (int step = -200; step <= 200; step++) {
      double x = step_by(places[p], step);
      check_block(&judge, kernel, &x, 1);
      x = -x;
      check_block(&judge, kernel, &x, 1);
    }
  }
  judge_clear(&judge);
}
END_TEST

START_TEST(test_exact_values)
{
  const struct kernel *kernel = &kernels[_i];
  double out;
  kernel->evaluate(&out, &kernel->fixed, 1);
  ck_assert_msg(out == kernel->fixed_value, "%s(%a) is %a", kernel->name, kernel->fixed, out);
  if (kernel->fixed == 0) {
    const double minus_zero = -0.0;
    kernel->evaluate(&out, &minus_zero, 1);
    ck_assert_msg(out == kernel->fixed_value, "%s(-0) is %a", kernel->name, out);
  }
}
END_TEST

/* The ends of each domain, written out by hand: last arguments inside, first ones outside. */
START_TEST(test_domain)
{
  static const struct {
    int kernel, inside;
    double x;
  } cases[] = {
    {0, 1, -708.0}, {0, 1, 709.0}, {0, 0, -0x1.6200000000001p9}, {0, 0, 0x1.6280000000001p9}, {0, 0, 710.0},
    {0, 0, -745.0}, {0, 0, -1e300}, {0, 1, 0x1p-1074}, {0, 1, -1e-300},
    {1, 1, -DBL_MAX}, {1, 1, -709.0}, {1, 1, 709.0}, {1, 0, 0x1.6280000000001p9}, {1, 0, 1e300},
    {1, 1, 0x1p-1074}, {1, 1, -0x1p-1074}, {1, 1, 1e-290},
    {2, 1, 0x1p-1022}, {2, 1, DBL_MAX}, {2, 0, 0x0.fffffffffffffp-1022}, {2, 0, 0x1p-1074}, {2, 0, 0.0},
    {2, 0, -0.0}, {2, 0, -1.0}, {2, 0, -DBL_MAX},
    {3, 1, -0x1.fffffffffffffp-1}, {3, 1, DBL_MAX}, {3, 0, -1.0}, {3, 0, -0x1.0000000000001p0}, {3, 0, -2.0},
    {3, 1, 0x1p-1074}, {3, 1, -0x1p-1074}, {3, 1, 1e-290},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const struct kernel *kernel = &kernels[cases[c].kernel];
    double out;
    kernel->evaluate(&out, &cases[c].x, 1);
    ck_assert_msg(isnan(out) != cases[c].inside, "%s(%a) is %a", kernel->name, cases[c].x, out);
  }
  for (int k = 0; k < KERNELS; k++) {
    const double never[] = {NAN, -NAN, INFINITY, -INFINITY, kernel_from_bits(0x7ff0000000000001u)};
    double out[5];
    kernels[k].evaluate(out, never, 5);
    for (int i = 0; i < 5; i++)
      ck_assert_msg(isnan(out[i]), "%s(%f) is %a", kernels[k].name, never[i], out[i]);
  }
}
END_TEST

/* A result depends on its argument only, not on place or length, and nothing is written beyond the end. */
START_TEST(test_length)
{
  enum { LONGEST = 3 * KERNEL_BLOCK + 5 };
  const struct kernel *kernel = &kernels[_i];
  uint64_t state = 7;
  double in[LONGEST], out[LONGEST + 1];
  uint64_t alone[LONGEST];
  for (int i = 0; i < LONGEST; i++) {
    in[i] = random_argument(&state);
    kernel->evaluate(out, &in[i], 1);
    alone[i] = kernel_bits(out[0]);
  }
  for (int n = 0; n <= LONGEST; n++) {
    for (int i = 0; i <= LONGEST; i++)
      out[i] = 12345.0;
    kernel->evaluate(out, in, (size_t)n);
    for (int i = 0; i < n; i++)
      ck_assert_msg(kernel_bits(out[i]) == alone[i], "%s(%a) depends on its place", kernel->name, in[i]);
    for (int i = n; i <= LONGEST; i++)
      ck_assert(out[i] == 12345.0);
  }
}
END_TEST

START_TEST(test_same_bits)
{
  const struct kernel *kernel = &kernels[_i];
  uint64_t state = 99, sum = 0xcbf29ce484222325u;
  double in[KERNEL_BLOCK], out[KERNEL_BLOCK];
  for (int done = 0; done < 200000; done += KERNEL_BLOCK) {
    for (int i = 0; i < KERNEL_BLOCK; i++)
      in[i] = random_argument(&state);
    kernel->evaluate(out, in, KERNEL_BLOCK);
    for (int i = 0; i < KERNEL_BLOCK; i++) {
      sum = (sum ^ kernel_bits(out[i])) * 0x100000001b3u;
      sum ^= sum >> 32;
    }
  }
  ck_assert_msg(sum == kernel->bits, "%s: the bits sum up to 0x%016" PRIx64, kernel->name, sum);
}
END_TEST

/* What the proofs suppose of the two parts of ln 2. */
START_TEST(test_ln2)
{
  arb_t gap, part, limit;
  arb_init(gap);
  arb_init(part);
  arb_init(limit);
  arb_const_log2(gap, 256);
  arb_set_d(part, LN2_HI);
  arb_sub(gap, gap, part, 256);
  arb_set_d(part, LN2_LO);
  arb_sub(gap, gap, part, 256);
  arb_abs(gap, gap);
  arb_set_d(limit, 0x1p-102);
  ck_assert(arb_le(gap, limit));
  ck_assert(fmod(LN2_HI, 0x1p-42) == 0.0);
  arb_clear(gap);
  arb_clear(part);
  arb_clear(limit);
}
END_TEST

/* The judge of this test is not blind: a result that is off by twice the bound is turned down. */
START_TEST(test_judge)
{
  const struct kernel *kernel = &kernels[_i];
  const double x = 1.5;
  double y;
  struct judge judge;
  judge_init(&judge, kernel);
  kernel->evaluate(&y, &x, 1);
  ck_assert(judge_accepts(&judge, kernel, x, y));
  ck_assert(!judge_accepts(&judge, kernel, x, y * (1.0 + 0x1p-50)));
  ck_assert(!judge_accepts(&judge, kernel, x, y * (1.0 - 0x1p-50)));
  ck_assert(!judge_accepts(&judge, kernel, x, NAN));
  judge_clear(&judge);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("kernels");
  TCase *tests = tcase_create("kernels");
  tcase_set_timeout(tests, 0);
  tcase_add_test(tests, test_ln2);
  tcase_add_loop_test(tests, test_judge, 0, KERNELS);
  tcase_add_loop_test(tests, test_exact_values, 0, KERNELS);
  tcase_add_test(tests, test_domain);
  tcase_add_loop_test(tests, test_length, 0, KERNELS);
  tcase_add_loop_test(tests, test_same_bits, 0, KERNELS);
  tcase_add_loop_test(tests, test_bound_at_edges, 0, KERNELS);
  tcase_add_loop_test(tests, test_bound_at_random, 0, KERNELS);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
