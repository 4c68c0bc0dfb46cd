/* The start-up test of the arithmetic; see self_test.h. */
#include "arith/self_test.h"

#include <float.h>
#include <stdbool.h>

#include "arith/arith.h"

/* Through volatile, so that it is this machine that computes, now, and not the compiler. */
static const char *test_rounding(void)
{
  volatile double one = 1, half_ulp = DBL_EPSILON / 2, smallest = DBL_TRUE_MIN, normal = DBL_MIN;
  volatile double tie = one + half_ulp, above = one + half_ulp * 1.5, negative = -one - half_ulp;
  if (tie != one || above != one + DBL_EPSILON || negative != -one)
    return "floating-point arithmetic does not round to nearest";
  volatile double result = normal / 2;
  if (result == 0 || result * 2 != normal)
    return "subnormal results are flushed to zero";
  volatile double operand = smallest * 0x1p60;
  if (operand != 0x1p-1014 || !(smallest > 0))
    return "subnormal operands are taken for zero";
  return NULL;
}

/* The constant times an input, which is 1, in bounded and in ball: an enclosure that was really computed. */
static bool encloses(const fmpq_t x)
{
  tape *t = tape_create(100);
  tape_add_element(t, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
  tape_id input = tape_leaf(t, TAPE_INPUT, 0);
  tape_id product = tape_binary(t, TAPE_MULTIPLY, input, tape_constant(t, x));
  tape_program *p = tape_compile(t, &product, 1, 1, false);

  double lanes[LANES] = {0}, value, error;
  for (int i = 0; i < LANES; i++)
    lanes[i] = 1;
  bounded_state *bounded = bounded_create(p);
  bounded_run_first(bounded, lanes);
  bounded_run_second(bounded, lanes);
  bounded_value(bounded, 0, LANES - 1, &value, &error);

  fmpq one[1];
  arb_t enclosure;
  arf_t low, high;
  fmpq_init(one);
  arb_init(enclosure);
  arf_init(low);
  arf_init(high);
  fmpq_one(one);
  arf_set_d(low, value);
  arb_set_arf(enclosure, low);
  arf_set_d(high, error);
  arb_add_error_arf(enclosure, high);
  bool good = arb_is_finite(enclosure) && arb_contains_fmpq(enclosure, x);

  ball_state *ball = ball_create(p, 10000);
  ball_run(ball, one, 53, false);
  good = good && ball_value(enclosure, ball, 0) == STATUS_OK && arb_contains_fmpq(enclosure, x);

  ball_destroy(ball);
  bounded_destroy(bounded);
  arf_clear(high);
  arf_clear(low);
  arb_clear(enclosure);
  fmpq_clear(one);
  tape_program_destroy(p);
  tape_destroy(t);
  return good;
}

static const char *test_enclosures(void)
{
  fmpq_t x;
  fmpq_init(x);
  const char *wrong = NULL;
  fmpq_set_si(x, 1, 3);
  if (!encloses(x))
    wrong = "the enclosure of 1/3 does not hold it";
  fmpq_set_si(x, 1, 10);
  if (!wrong && !encloses(x))
    wrong = "the enclosure of 1/10 does not hold it";
  fmpq_one(x);
  fmpq_div_2exp(x, x, 1075);
  if (!wrong && !encloses(x))
    wrong = "the enclosure of half the smallest positive number does not hold it";
  fmpq_clear(x);
  return wrong;
}

const char *self_test_run(void)
{
  const char *wrong = test_rounding();
  return wrong ? wrong : test_enclosures();
}
