/* Sums of two doubles against exact arithmetic: what they stand for lies within their bound, and is met
 * exactly where the bound is 0; with and without a fused multiply-add. */
#include <check.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/twofold.h"
#include "core/flint.h"
#include "core/philox.h"

/* A twofold and a real number that it stands for. */
typedef struct {
  twofold x;
  arf_t real;
} sample;

static void exact_sum(arf_t r, double h, double l)
{
  arf_t a;
  arf_init(a);
  arf_set_d(r, h);
  arf_set_d(a, l);
  arf_add(r, r, a, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_clear(a);
}

/* |real - (h + l)| <= e; nothing is claimed where e is not finite. */
static bool stands_for(twofold x, const arf_t real)
{
  if (!twofold_is_known(x))
    return true;
  arf_t d;
  arf_init(d);
  exact_sum(d, x.h, x.l);
  arf_sub(d, d, real, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_abs(d, d);
  bool fine = isfinite(x.h) && isfinite(x.l) && arf_cmp_d(d, x.e) <= 0;
  arf_clear(d);
  return fine;
}

enum { STYLES = 7 };

/* Few bits, all bits, any magnitude, subnormal, at the ends of the range, 0. */
static double draw_double(philox_stream *random, unsigned style)
{
  double sign = philox_below(random, 2) ? 1 : -1, unit = philox_uniform(random);
  switch (style) {
  case 0:
    return sign * (double)philox_below(random, 64) / 16;
  case 1:
    return sign * unit;
  case 2:
    return sign * ldexp(1 + unit, (int)philox_below(random, 2040) - 1020);
  case 3:
    return sign * ldexp((double)philox_below(random, 1000), -1074);
  case 4:
    return sign * ldexp(DBL_MAX, -(int)philox_below(random, 3));
  case 5:
    return sign * ldexp(1, (int)philox_below(random, 140) - 70);
  default:
    return 0;
  }
}

/* Of one double, or of two; exactly known, or not. */
static void draw_sample(sample *s, philox_stream *random)
{
  unsigned style = (unsigned)philox_below(random, STYLES), kind = (unsigned)philox_below(random, 4);
  s->x = twofold_double(draw_double(random, style));
  if (kind >= 1)
    s->x.l = philox_below(random, 2) ? ldexp(draw_double(random, 1), -60) * s->x.h
                                     : draw_double(random, (unsigned)philox_below(random, STYLES));
  if (!isfinite(s->x.l))
    s->x.l = 0;
  exact_sum(s->real, s->x.h, s->x.l);
  if (kind == 3) { /* off by a part of the bound */
    s->x.e = twofold_outward(ldexp(fabs(s->x.h), -(int)philox_below(random, 120)));
    arf_t off;
    arf_init(off);
    arf_set_d(off, s->x.e * (1 - 0x1p-53) * (2 * philox_uniform(random) - 1));
    arf_add(s->real, s->real, off, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(off);
  }
}

static bool same(twofold x, twofold y)
{
  return (x.h == y.h && x.l == y.l && x.e == y.e) || (!twofold_is_known(x) && !twofold_is_known(y));
}

typedef struct {
  size_t total, exact, known, signs;
} tally;

static void check_result(tally *n, twofold x, const arf_t real, const char *what, uint64_t number)
{
  n->total++;
  n->known += twofold_is_known(x);
  n->exact += twofold_is_exact(x);
  ck_assert_msg(stands_for(x, real), "%s, number %llu: %a + %a, off by more than %a", what,
                (unsigned long long)number, x.h, x.l, x.e);
  int sign = twofold_sign(x);
  n->signs += sign != 2;
  ck_assert_msg(sign == 2 || sign == arf_sgn(real), "%s, number %llu: the sign", what,
                (unsigned long long)number);
}

START_TEST(test_against_exact)
{
  tally n = {0};
  sample a, b;
  arf_t r;
  arf_init(a.real);
  arf_init(b.real);
  arf_init(r);
  for (uint64_t number = 0; number < 30000; number++) {
    philox_stream random = philox_stream_start(21, 0, number, 0);
    draw_sample(&a, &random);
    draw_sample(&b, &random);
    if (philox_below(&random, 16) == 0) { /* as near to a tie as may be */
      b.x = a.x;
      arf_set(b.real, a.real);
    }
    arf_add(r, a.real, b.real, ARF_PREC_EXACT, ARF_RND_DOWN);
    check_result(&n, twofold_add(a.x, b.x), r, "sum", number);
    arf_sub(r, a.real, b.real, ARF_PREC_EXACT, ARF_RND_DOWN);
    check_result(&n, twofold_subtract(a.x, b.x), r, "difference", number);
    int order = twofold_compare(a.x, b.x);
    ck_assert(order == 2 || order == arf_sgn(r));
    arf_mul(r, a.real, b.real, ARF_PREC_EXACT, ARF_RND_DOWN);
    twofold product = twofold_multiply(a.x, b.x, false);
    check_result(&n, product, r, "product", number);
    twofold fused = twofold_multiply(a.x, b.x, true);
    check_result(&n, fused, r, "fused product", number);
    ck_assert(same(product, fused));
    uint32_t exponent = (uint32_t)philox_below(&random, 6);
    arf_one(r);
    for (uint32_t i = 0; i < exponent; i++)
      arf_mul(r, r, a.real, ARF_PREC_EXACT, ARF_RND_DOWN);
    check_result(&n, twofold_power(a.x, exponent, number % 2), r, "power", number);
    bool greatest = philox_below(&random, 2);
    arf_set(r, (arf_cmp(a.real, b.real) > 0) == greatest ? a.real : b.real);
    check_result(&n, twofold_least(a.x, b.x, greatest), r, "least", number);
    arf_abs(r, a.real);
    check_result(&n, twofold_abs(a.x), r, "abs", number);
    if (arf_sgn(a.real) < 0)
      arf_zero(r);
    check_result(&n, twofold_relu(a.x), r, "relu", number);
  }
  printf("%zu results, %zu known, %zu exactly; %zu signs\n", n.total, n.known, n.exact, n.signs);
  ck_assert_uint_gt(n.exact, n.total / 4);
  ck_assert_uint_gt(n.known, n.total / 2);
  ck_assert_uint_gt(n.signs, n.total / 2);
  ck_assert_uint_lt(n.exact, n.known);
  arf_clear(a.real);
  arf_clear(b.real);
  arf_clear(r);
}
END_TEST

/* Worked out by hand. */
START_TEST(test_known)
{
  /* (1 + 2^-52)^2 = 1 + 2^-51 + 2^-104 */
  twofold x = twofold_multiply(twofold_double(1 + DBL_EPSILON), twofold_double(1 + DBL_EPSILON), false);
  ck_assert(x.h == 1 + 2 * DBL_EPSILON && x.l == 0x1p-104 && x.e == 0);
  /* 1 + 2^-1074 - 1 */
  x = twofold_add(twofold_add(twofold_double(1), twofold_double(0x1p-1074)), twofold_double(-1));
  ck_assert(x.h + x.l == 0x1p-1074 && x.e == 0 && twofold_sign(x) == 1);
  /* 1 + 2^-60 + 2^-200 needs three doubles. */
  x = twofold_add(twofold_add(twofold_double(1), twofold_double(0x1p-60)), twofold_double(0x1p-200));
  ck_assert(x.e >= 0x1p-200 && x.e < 0x1p-150);
  ck_assert_int_eq(twofold_compare(x, twofold_add(twofold_double(1), twofold_double(0x1p-60))), 2);
  ck_assert_int_eq(twofold_compare(x, twofold_double(1)), 1);
  /* Products that underflow are not 0, those that overflow not known. */
  x = twofold_multiply(twofold_double(0x1p-600), twofold_double(0x1p-600), false);
  ck_assert(x.e > 0 && twofold_sign(x) == 2);
  ck_assert(!twofold_is_known(twofold_multiply(twofold_double(0x1p600), twofold_double(0x1p600), false)));
  ck_assert(!twofold_is_known(twofold_multiply(twofold_double(0x1p600), twofold_double(0x1p600), true)));
  ck_assert(!twofold_is_known(twofold_add(twofold_double(DBL_MAX), twofold_double(DBL_MAX))));
  /* 0 times a number is 0, however little is known of the number; 0 times nothing known is not. */
  ck_assert(twofold_is_zero(twofold_multiply(twofold_double(0), (twofold){1, 2, 3}, false)));
  ck_assert(!twofold_is_known(twofold_multiply(twofold_double(0), twofold_unknown(), false)));
  ck_assert(!twofold_is_known(twofold_add(twofold_double(0), twofold_unknown())));
  ck_assert_int_eq(twofold_sign(twofold_unknown()), 2);
  ck_assert_int_eq(twofold_sign((twofold){1, 0, NAN}), 2);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("twofold");
  TCase *tests = tcase_create("twofold");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_known);
  tcase_add_test(tests, test_against_exact);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
