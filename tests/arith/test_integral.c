/* Integrals: against closed forms and values of another program, where nothing can be known, their derivatives, and the complex
 * evaluation of a body beside the real one. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "arith/arith.h"
#include "arith/ball_complex.h"
#include "arith/ball_functions.h"
#include "core/memory.h"
#include "small_tape.h"
#include "tape/copy.h"
#include "tape/derivative.h"

/* Inputs 3/4 and 1/3. */
static tape *t;
static tape_id x[2];
static const slong point[2][2] = {{3, 4}, {1, 3}};

static void set_up(void)
{
  t = small_tape(x, 2);
}

static void tear_down(void)
{
  tape_destroy(t);
}

static tape_id whole(int64_t v)
{
  return tape_integer(t, v);
}

static tape_id plus(tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_ADD, a, b);
}

static tape_id minus(tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_SUBTRACT, a, b);
}

static tape_id times(tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_MULTIPLY, a, b);
}

static tape_id over(tape_id a, tape_id b)
{
  return tape_binary(t, TAPE_DIVIDE, a, b);
}

static tape_id call(tape_opcode op, tape_id a)
{
  return tape_unary(t, op, a);
}

static tape_id variable(uint32_t level)
{
  return tape_leaf(t, TAPE_VARIABLE, level);
}

static tape_id integral(uint32_t level, tape_id low, tape_id high, tape_id body)
{
  return tape_integral(t, low, high, tape_integrand(t, level, body));
}

/* The normal density. */
static tape_id density(tape_id v)
{
  tape_id bell = call(TAPE_EXP, over(call(TAPE_NEGATE, times(v, v)), whole(2)));
  return over(bell, call(TAPE_SQRT, times(whole(2), tape_leaf(t, TAPE_PI, TAPE_NONE))));
}

static assay_status value_of(arb_t value, tape_id id, slong precision)
{
  tape_program *p = tape_compile(t, &id, 1, 1, false);
  ball_state *s = ball_create(p, 1 << 20);
  fmpq input[2];
  for (int i = 0; i < 2; i++) {
    fmpq_init(&input[i]);
    fmpq_set_si(&input[i], point[i][0], (ulong)point[i][1]);
  }
  ball_run(s, input, precision, precision > 64);
  assay_status status = ball_value(value, s, 0);
  for (int i = 0; i < 2; i++)
    fmpq_clear(&input[i]);
  ball_destroy(s);
  tape_program_destroy(p);
  return status;
}

static double real_of(tape_id id)
{
  tape_program *p = tape_compile(t, &id, 1, 1, false);
  real_state *s = real_create(p);
  double input[2 * LANES];
  for (unsigned i = 0; i < 2 * LANES; i++)
    input[i] = (double)point[i / LANES][0] / (double)point[i / LANES][1];
  real_run(s, input, 0, p->steps);
  double v = real_output(s, 0)[LANES - 1];
  real_destroy(s);
  tape_program_destroy(p);
  return v;
}

/* The integral, to nearly all bits at three precisions, is what `expected` is; the plain double is near it. The balls of integrals
 * of integrals stop shrinking at 160 bits. */
static void check_to(const char *name, tape_id found, tape_id expected, slong most_bits)
{
  arb_t a, b;
  arb_init(a);
  arb_init(b);
  for (slong precision = 64; precision <= 256; precision *= 2) {
    ck_assert_msg(value_of(a, found, precision) == STATUS_OK, "%s at %ld bits: unknown", name, precision);
    ck_assert_int_eq(value_of(b, expected, precision + 64), STATUS_OK);
    ck_assert_msg(arb_overlaps(a, b), "%s at %ld bits: not what was expected", name, precision);
    ck_assert_msg(mag_cmp_2exp_si(arb_radref(a), 16 - (precision < most_bits ? precision : most_bits)) < 0,
                  "%s at %ld bits: too wide", name, precision);
  }
  double d = arf_get_d(arb_midref(a), ARF_RND_NEAR);
  ck_assert_msg(fabs(real_of(found) - d) < 2e-2 * (1 + fabs(d)), "%s: in double %g is not %g", name, real_of(found), d);
  arb_clear(b);
  arb_clear(a);
}

static void check_equal(const char *name, tape_id found, tape_id expected)
{
  check_to(name, found, expected, 256);
}

static void check_nested(const char *name, tape_id found, tape_id expected)
{
  check_to(name, found, expected, 160);
}

/* The decimal digits came from mpmath. */
static void check_digits(const char *name, tape_id found, const char *digits, slong precision)
{
  arb_t a, b;
  arb_init(a);
  arb_init(b);
  arb_set_str(b, digits, 200);
  mag_add_ui_2exp_si(arb_radref(b), arb_radref(b), 1, -60);
  ck_assert_msg(value_of(a, found, precision) == STATUS_OK, "%s: unknown", name);
  ck_assert_msg(arb_overlaps(a, b), "%s: not %s", name, digits);
  ck_assert_msg(mag_cmp_2exp_si(arb_radref(a), 20 - precision) < 0, "%s: too wide", name);
  ck_assert(fabs(real_of(found) - arf_get_d(arb_midref(b), ARF_RND_NEAR)) < 1e-5);
  arb_clear(b);
  arb_clear(a);
}

static void check_unknown(const char *name, tape_id id)
{
  arb_t a;
  arb_init(a);
  tape_id defined = call(TAPE_DEFINED, id);
  tape_program *p = tape_compile(t, &defined, 1, 1, false);
  ball_state *s = ball_create(p, 1000);
  fmpq input[2];
  for (int i = 0; i < 2; i++) {
    fmpq_init(&input[i]);
    fmpq_set_si(&input[i], point[i][0], (ulong)point[i][1]);
  }
  ball_run(s, input, 64, true);
  ck_assert_msg(ball_truth(s, 0) == TRUTH_UNKNOWN, "%s: whether it is defined is known", name);
  for (int i = 0; i < 2; i++)
    fmpq_clear(&input[i]);
  ball_destroy(s);
  tape_program_destroy(p);
  for (slong precision = 64; precision <= 256; precision *= 4)
    ck_assert_msg(value_of(a, id, precision) == STATUS_UNABLE, "%s is known at %ld bits", name, precision);
  arb_clear(a);
}

START_TEST(test_closed_forms)
{
  tape_id v = variable(0), one = whole(1), two = whole(2), zero = whole(0), s = x[0], m = x[1];
  tape_id pi = tape_leaf(t, TAPE_PI, TAPE_NONE), root_two = call(TAPE_SQRT, two);
  check_equal("x^2", integral(0, zero, one, times(v, v)), small_fraction(t, 1, 3));
  check_equal("1/x", integral(0, one, whole(8), over(one, v)), call(TAPE_LOG, whole(8)));
  check_equal("1/x from right to left", integral(0, whole(8), one, over(one, v)), call(TAPE_NEGATE, call(TAPE_LOG, whole(8))));
  check_equal("1/(1+x^2)", integral(0, m, s, over(one, plus(one, times(v, v)))),
              minus(call(TAPE_ATAN, s), call(TAPE_ATAN, m)));
  check_equal("exp(-x^2)", integral(0, zero, s, call(TAPE_EXP, call(TAPE_NEGATE, times(v, v)))),
              over(times(call(TAPE_ERF, s), call(TAPE_SQRT, pi)), two));
  check_equal("sigmoid", integral(0, whole(-3), whole(2), call(TAPE_SIGMOID, v)),
              minus(call(TAPE_SOFTPLUS, two), call(TAPE_SOFTPLUS, whole(-3))));
  check_equal("abs", integral(0, whole(-1), whole(8), call(TAPE_ABS, v)), small_fraction(t, 65, 2));
  check_equal("relu", integral(0, whole(-1), whole(3), call(TAPE_RELU, minus(v, m))),
              over(times(minus(whole(3), m), minus(whole(3), m)), two));
  check_equal("max", integral(0, whole(-1), one, tape_binary(t, TAPE_MAX, v, times(v, v))), small_fraction(t, 5, 6));
  check_equal("min", integral(0, whole(-1), one, tape_binary(t, TAPE_MIN, v, times(v, v))), small_fraction(t, -1, 6));
  check_equal("cbrt", integral(0, whole(-1), whole(8), call(TAPE_CBRT, v)), small_fraction(t, 45, 4));
  check_equal("tanh", integral(0, zero, two, call(TAPE_TANH, v)),
              minus(plus(two, call(TAPE_SOFTPLUS, whole(-4))), call(TAPE_LOG, two)));
  check_equal("sqrt", integral(0, one, whole(4), call(TAPE_SQRT, v)), small_fraction(t, 14, 3));
  check_equal("odd", integral(0, whole(-5), whole(5), call(TAPE_ERF, v)), zero);
  check_equal("tan", integral(0, zero, one, call(TAPE_TAN, v)), call(TAPE_NEGATE, call(TAPE_LOG, call(TAPE_COS, one))));
  check_equal("log1p", integral(0, zero, one, call(TAPE_LOG1P, v)), minus(times(two, call(TAPE_LOG, two)), one));

  check_equal("between balls", integral(0, call(TAPE_EXP, m), call(TAPE_EXP, s), over(one, v)), minus(s, m));

  /* Moments of s g + m for a normal g, cut off at 40 where the density is below 2^-1150. */
  tape_id far = whole(40), near = whole(-40), y = plus(times(s, v), m), b = over(m, s);
  check_equal("density", integral(0, near, far, density(v)), one);
  check_equal("second moment", integral(0, near, far, times(times(y, y), density(v))), plus(times(s, s), times(m, m)));
  tape_id below = over(plus(one, call(TAPE_ERF, over(b, root_two))), two);
  check_equal("E relu", integral(0, near, far, times(call(TAPE_RELU, y), density(v))),
              plus(times(s, density(b)), times(m, below)));
  /* E[gelu(s g)] = s^2 / sqrt(2 pi (1 + s^2)), by Stein's lemma. */
  tape_id wide = plus(one, times(s, s));
  check_equal("E gelu", integral(0, near, far, times(call(TAPE_GELU, times(s, v)), density(v))),
              over(times(s, s), call(TAPE_SQRT, times(times(two, pi), wide))));
}
END_TEST

START_TEST(test_digits)
{
  tape_id v = variable(0), w = variable(1), one = whole(1);
  check_digits("E silu", integral(0, whole(-8), whole(8), times(call(TAPE_SILU, v), density(v))),
               "0.2066209641419019880079063946386410743635", 64);
  check_digits("tan exp", integral(0, whole(0), one, times(call(TAPE_TAN, v), call(TAPE_EXP, v))),
               "1.265376481211212655430795170258233209679", 64);
  check_digits("lambertw0", integral(0, whole(0), whole(2), call(TAPE_LAMBERTW0, v)),
               "1.050961758950216445109965976667995491797", 64);
  check_digits("cbrt cos", integral(0, one, whole(8), times(call(TAPE_CBRT, v), call(TAPE_COS, v))),
               "0.9191422768758579424221012689676680208336", 64);
  check_digits("softplus tanh", integral(0, whole(-2), whole(3), times(call(TAPE_SOFTPLUS, v), call(TAPE_TANH, v))),
               "4.177787335958124145051435229719170941367", 64);
  tape_id mixed = over(times(call(TAPE_LOG1P, v), call(TAPE_EXPM1, v)), plus(one, call(TAPE_SQRT, v)));
  check_digits("log1p expm1", integral(0, small_fraction(t, 1, 4), whole(2), mixed),
               "1.736138994201112074707363966291288951582", 64);
  mixed = times(times(call(TAPE_ATAN, times(whole(3), v)), call(TAPE_ERF, v)), call(TAPE_SIN, v));
  check_digits("atan erf sin", integral(0, whole(-1), whole(2), mixed), "1.226820942111194346", 64);
  tape_id e = call(TAPE_EXP, v), f = call(TAPE_EXP, w);
  tape_id soft = times(times(times(v, over(e, plus(e, f))), density(v)), density(w));
  check_digits("E of a softmax", integral(0, whole(-6), whole(6), integral(1, whole(-6), whole(6), soft)),
               "0.18158091697540381377", 53);
}
END_TEST

/* Integrals of integrals: one with an end that is the outer variable, and one over what is integrated elsewhere. */
START_TEST(test_nested)
{
  tape_id v = variable(0), w = variable(1), zero = whole(0), one = whole(1), two = whole(2);
  check_nested("triangle", integral(0, zero, one, integral(1, zero, v, times(v, w))), small_fraction(t, 1, 8));
  check_nested("e^(s (y - x))", integral(0, zero, one, integral(1, v, two, call(TAPE_EXP, times(x[0], minus(w, v))))),
               minus(over(minus(call(TAPE_EXP, times(two, x[0])), call(TAPE_EXP, x[0])), times(x[0], x[0])), over(one, x[0])));
  tape_id inner = integral(0, zero, x[1], call(TAPE_COS, v)); /* of the same level: the outer variable is not within */
  check_equal("shadow", integral(0, zero, one, times(v, times(inner, v))), over(call(TAPE_SIN, x[1]), whole(3)));
  tape_id triple = integral(0, zero, one, integral(1, zero, one, integral(2, zero, one, times(times(v, w), plus(variable(2), v)))));
  arb_t a;
  arb_init(a);
  ck_assert_int_eq(value_of(a, triple, 64), STATUS_OK);
  ck_assert(fabs(arf_get_d(arb_midref(a), ARF_RND_NEAR) - (0.125 + 1.0 / 6)) < 1e-12);
  arb_clear(a);
}
END_TEST

static void check_contains(tape_id found, slong p, ulong q, slong bits)
{
  arb_t a;
  fmpq_t expected;
  arb_init(a);
  fmpq_init(expected);
  fmpq_set_si(expected, p, q);
  ck_assert_int_eq(value_of(a, found, 64), STATUS_OK);
  ck_assert_msg(mag_cmp_2exp_si(arb_radref(a), -bits) < 0, "%ld/%lu is too wide", p, q);
  ck_assert_msg(arb_contains_fmpq(a, expected), "not %ld/%lu", p, q);
  fmpq_clear(expected);
  arb_clear(a);
}

/* Kinks in the outer variable, met through the inner integral: in its body, at its end, and across the square, where the integral is
 * known, if not closely. */
START_TEST(test_nested_kinks)
{
  tape_id v = variable(0), w = variable(1), zero = whole(0), one = whole(1), off = minus(v, small_fraction(t, 1, 3));
  check_contains(integral(0, zero, one, integral(1, zero, one, call(TAPE_ABS, plus(off, times(zero, w))))), 5, 18, 12);
  check_contains(integral(0, zero, one, integral(1, whole(-1), off, call(TAPE_ABS, w))), 44, 81, 12);
  check_contains(integral(0, zero, one, integral(1, off, one, call(TAPE_ABS, w))), 37, 81, 12);
  check_contains(integral(0, zero, one, integral(1, zero, one, call(TAPE_RELU, minus(v, w)))), 1, 6, 4);
}
END_TEST

START_TEST(test_unknown)
{
  tape_id v = variable(0), one = whole(1), below = whole(-1), zero = whole(0);
  check_unknown("1/x", integral(0, below, one, over(one, v)));
  check_unknown("1/x^2", integral(0, below, one, tape_power(t, v, -2)));
  check_unknown("1/x at the end", integral(0, zero, one, over(one, v)));
  check_unknown("1/(3x-1)", integral(0, zero, one, over(one, minus(times(whole(3), v), one))));
  check_unknown("x/x", integral(0, below, one, over(v, v)));
  check_unknown("x/|x|", integral(0, below, one, over(v, call(TAPE_ABS, v))));
  check_unknown("sqrt", integral(0, below, one, call(TAPE_SQRT, v)));
  check_unknown("sqrt of a negative number", integral(0, whole(-2), below, call(TAPE_SQRT, v)));
  check_unknown("1/sqrt", integral(0, zero, one, over(one, call(TAPE_SQRT, v))));
  check_unknown("log", integral(0, zero, one, call(TAPE_LOG, v)));
  check_unknown("log of a negative number", integral(0, whole(-3), whole(-2), call(TAPE_LOG, v)));
  check_unknown("log1p", integral(0, whole(-2), one, call(TAPE_LOG1P, v)));
  check_unknown("tan", integral(0, zero, whole(2), call(TAPE_TAN, v)));
  check_unknown("lambertw0", integral(0, below, one, call(TAPE_LAMBERTW0, v)));
  check_unknown("0 * log", integral(0, below, one, times(v, call(TAPE_ZERO, call(TAPE_LOG, v)))));
  check_unknown("inner", integral(0, zero, one, integral(1, zero, one, over(one, minus(v, variable(1))))));
  check_unknown("undefined around", integral(0, zero, one, times(v, call(TAPE_LOG, call(TAPE_NEGATE, x[0])))));
  check_unknown("undefined where the ends meet", integral(0, zero, zero, over(one, v)));
  arb_t a;
  arb_init(a);
  ck_assert_int_eq(value_of(a, integral(0, zero, call(TAPE_LOG, call(TAPE_NEGATE, x[0])), v), 64), STATUS_UNDEFINED);
  ck_assert_int_eq(value_of(a, integral(0, one, one, over(one, v)), 64), STATUS_OK);
  ck_assert(arb_is_zero(a));
  arb_clear(a);
}
END_TEST

static tape_id derivative(tape_id y, tape_id by)
{
  tape_derivatives *cache = tape_derivatives_create();
  tape_id d = tape_derivative(t, cache, y, by);
  tape_derivatives_destroy(cache);
  return d;
}

START_TEST(test_derivative)
{
  tape_id v = variable(0), w = variable(1), zero = whole(0), one = whole(1), s = x[0], m = x[1];
  tape_id bell = call(TAPE_EXP, call(TAPE_NEGATE, times(v, v)));
  check_equal("by an end", derivative(integral(0, zero, s, bell), s), call(TAPE_EXP, call(TAPE_NEGATE, times(s, s))));
  check_equal("by the lower end", derivative(integral(0, times(s, s), one, bell), s),
              times(times(whole(-2), s), call(TAPE_EXP, call(TAPE_NEGATE, tape_power(t, s, 4)))));
  /* of the integral of e^(s x) over 0..1, (e^s - 1) / s */
  tape_id closed = over(call(TAPE_EXPM1, s), s);
  check_equal("by a parameter", derivative(integral(0, zero, one, call(TAPE_EXP, times(s, v))), s), derivative(closed, s));
  check_equal("by both", derivative(integral(0, m, s, call(TAPE_EXP, times(s, v))), s),
              derivative(over(minus(call(TAPE_EXP, times(s, s)), call(TAPE_EXP, times(s, m))), s), s));
  tape_id twice = integral(0, zero, s, integral(1, zero, v, call(TAPE_COS, times(m, w)))); /* (1 - cos(m s)) / m^2 */
  closed = over(minus(one, call(TAPE_COS, times(m, s))), times(m, m));
  check_nested("nested, by an end", derivative(twice, s), derivative(closed, s));
  check_nested("nested, by a parameter", derivative(twice, m), derivative(closed, m));
  check_nested("second", derivative(derivative(twice, s), s), derivative(derivative(closed, s), s));
  arb_t a;
  arb_init(a); /* from the edge of a domain */
  tape_id edge = derivative(integral(0, minus(s, small_fraction(t, 3, 4)), one, call(TAPE_SQRT, v)), s);
  ck_assert_int_eq(value_of(a, edge, 64), STATUS_UNDEFINED);
  arb_clear(a);
  check_unknown("of a kink within", derivative(integral(0, whole(-1), one, call(TAPE_ABS, times(s, v))), s));
  ck_assert(tape_depends(t, twice, m));
  ck_assert(!tape_depends(t, integral(0, zero, one, bell), m));
}
END_TEST

/* What the tape does without arithmetic, and what `exact` says. */
START_TEST(test_tape)
{
  tape_id v = variable(0), zero = whole(0), one = whole(1), sine = call(TAPE_SIN, times(v, x[0]));
  tape_id i = integral(0, zero, one, sine);
  ck_assert(t->op[i].total && !t->op[i].variables && t->op[sine].variables == 1);
  ck_assert(!t->op[integral(0, zero, one, over(one, v))].total);
  ck_assert_uint_eq(integral(0, zero, one, call(TAPE_NEGATE, sine)), call(TAPE_NEGATE, i));
  ck_assert_uint_eq(integral(0, one, whole(3), x[1]), times(whole(2), x[1]));
  ck_assert_uint_eq(integral(0, one, one, sine), zero);
  ck_assert_uint_eq(minus(i, integral(0, zero, one, sine)), zero);
  ck_assert_uint_eq(tape_substitute(t, integral(1, zero, v, times(v, variable(1))), 0, x[1]),
                    integral(1, zero, x[1], times(x[1], variable(1))));
  ck_assert_uint_eq(tape_substitute(t, i, 0, x[1]), i);

  tape_program *p = tape_compile(t, &i, 1, 1, false);
  exact_state *s = exact_create(p, 1000);
  fmpq input[2];
  fmpq_init(&input[0]);
  fmpq_init(&input[1]);
  exact_run(s, input);
  fmpq_t value;
  fmpq_init(value);
  ck_assert_int_eq(exact_value(value, s, 0), STATUS_UNABLE);
  fmpq_clear(value);
  exact_destroy(s);
  tape_program_destroy(p);

  tape *other = tape_create(1000);
  tape_id *replace = memory_new(t->ops, sizeof *replace);
  for (size_t k = 0; k < t->ops; k++)
    replace[k] = TAPE_NONE;
  replace[x[0]] = tape_integer(other, 2);
  replace[x[1]] = tape_integer(other, 3);
  tape_id *at = tape_copy(other, t, replace);
  ck_assert_int_eq(other->op[at[i]].op, TAPE_INTEGRAL);
  ck_assert_int_eq(other->op[other->op[at[i]].c].op, TAPE_INTEGRAND);
  free(at);
  free(replace);
  tape_destroy(other);
}
END_TEST

/* The truths that the arithmetics report of 0 < I - 1/10 * [..]: bounded never claims one that it cannot know. */
START_TEST(test_bounded)
{
  tape_id v = variable(0);
  tape_id i = integral(0, whole(0), whole(1), over(x[0], plus(v, whole(1))));
  tape_id output[2] = {tape_binary(t, TAPE_LESS, i, whole(1)), tape_binary(t, TAPE_LESS, whole(1), i)};
  tape_program *p = tape_compile(t, output, 2, 1, false);
  bounded_state *s = bounded_create(p);
  double input[2 * LANES];
  for (unsigned k = 0; k < 2 * LANES; k++)
    input[k] = k % 3;
  bounded_run_first(s, input);
  bounded_run_second(s, input);
  for (size_t k = 0; k < 2; k++)
    ck_assert(bounded_true(s, k) == 0 && bounded_false(s, k) == 0);
  bounded_destroy(s);
  tape_program_destroy(p);
}
END_TEST

/* The slopes that guide a climb, against the derivatives. */
START_TEST(test_gradient)
{
  tape_id v = variable(0), s = x[0], m = x[1];
  tape_id y = integral(0, m, times(s, s), call(TAPE_EXP, times(s, v))), d[2] = {derivative(y, s), derivative(y, m)};
  tape_program *p = tape_compile(t, &y, 1, 1, true);
  real_state *state = real_create(p);
  double input[2 * LANES], gradient[2];
  for (unsigned i = 0; i < 2 * LANES; i++)
    input[i] = (double)point[i / LANES][0] / (double)point[i / LANES][1];
  real_run(state, input, 0, p->steps);
  real_gradient(state, 0, 3, gradient);
  for (int i = 0; i < 2; i++)
    ck_assert(fabs(gradient[i] - real_of(d[i])) < 1e-4);
  real_destroy(state);
  tape_program_destroy(p);
}
END_TEST

/* Of every function: at real points as ball_function says, the values at points of a ball lie in the value of the ball, also with
 * an imaginary part, where it is analytic; a ball that meets a real place where it is undefined gives nothing. */
START_TEST(test_complex_functions)
{
  static const double middle[] = {-3, -1, -0.25, 0, 0.5, 1.5707963, 2, 20}, width[] = {0, 0.125, 0.5, 3};
  acb_t z, f, at, value;
  arb_t real, expected;
  acb_init(z);
  acb_init(f);
  acb_init(at);
  acb_init(value);
  arb_init(real);
  arb_init(expected);
  unsigned known = 0, known_analytic = 0;
  for (tape_opcode op = TAPE_ABS; op <= TAPE_LAMBERTW0; op++)
    for (unsigned i = 0; i < sizeof middle / sizeof *middle; i++)
      for (unsigned j = 0; j < sizeof width / sizeof *width; j++)
        for (int analytic = 0; analytic < 2; analytic++) {
          acb_set_d(z, middle[i]);
          mag_set_d(arb_radref(acb_realref(z)), width[j]);
          if (analytic)
            mag_set_d(arb_radref(acb_imagref(z)), width[j]);
          ball_complex_function(f, op, z, analytic, 80);
          bool finite = acb_is_finite(f);
          known += finite && !analytic;
          known_analytic += finite && analytic;
          for (int k = -4; k <= 4 && finite; k++) {
            arb_set_d(real, middle[i] + k * width[j] / 4);
            ck_assert_msg(ball_function(expected, op, real, 120) == BALL_DEFINED, "%s at %g +/- %g", tape_opcode_name(op),
                          middle[i], width[j]);
            acb_set_arb(at, expected);
            ck_assert_msg(acb_overlaps(f, at), "%s at %g +/- %g", tape_opcode_name(op), middle[i], width[j]);
            for (int h = -2; h <= 2 && analytic; h++) { /* beside the real axis */
              acb_set_d_d(at, middle[i] + k * width[j] / 4, h * width[j] / 2);
              ball_complex_function(value, op, at, true, 120);
              ck_assert_msg(acb_is_finite(value) && acb_overlaps(f, value), "%s beside %g +/- %g", tape_opcode_name(op),
                            middle[i], width[j]);
            }
          }
        }
  ck_assert_uint_ge(known, 400);
  ck_assert_uint_ge(known_analytic, 300);
  arb_clear(expected);
  arb_clear(real);
  acb_clear(value);
  acb_clear(at);
  acb_clear(f);
  acb_clear(z);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("integral");
  TCase *c = tcase_create("integral");
  tcase_set_timeout(c, 120);
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, test_closed_forms);
  tcase_add_test(c, test_digits);
  tcase_add_test(c, test_nested);
  tcase_add_test(c, test_nested_kinks);
  tcase_add_test(c, test_unknown);
  tcase_add_test(c, test_derivative);
  tcase_add_test(c, test_tape);
  tcase_add_test(c, test_bounded);
  tcase_add_test(c, test_gradient);
  tcase_add_test(c, test_complex_functions);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
