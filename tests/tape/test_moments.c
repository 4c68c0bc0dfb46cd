/* Expectations against published moments, against Isserlis' theorem over pairings, against a finite distribution that has
 * the moments of a Gaussian, and against rigorous integration; what is undefined; limits. */
#include <check.h>
#include <stdlib.h>

#include "arith/arith.h"
#include "core/memory.h"
#include "tape/derivative.h"
#include "tape/moments.h"
#include "tape/tape.h"

enum { INPUTS = 3, ELEMENTS = 50, PRECISION = 256 };

static tape *t;
static tape_id in[INPUTS], g[ELEMENTS], variance[ELEMENTS];
static tape_moments *moments;
static tape_derivatives *cache;
static fmpq *input;

static void set_up(void)
{
  static const char *const name[] = {"x", "y", "z"};
  t = tape_create(1 << 22);
  tape_truth(t, TRUTH_TRUE);
  input = memory_new(INPUTS, sizeof *input);
  for (uint32_t i = 0; i < INPUTS; i++) {
    in[i] = tape_leaf(t, TAPE_INPUT, i);
    tape_add_element(t, (tape_element){.name = memory_copy_string(name[i]), .op = in[i], .low = TAPE_NONE, .high = TAPE_NONE});
    fmpq_init(&input[i]);
  }
  for (uint32_t i = 0; i < ELEMENTS; i++) {
    g[i] = tape_leaf(t, TAPE_RANDOM, i);
    variance[i] = tape_integer(t, 1);
  }
  moments = tape_moments_create(1 << 20);
  cache = tape_derivatives_create();
}

static void tear_down(void)
{
  for (uint32_t i = 0; i < INPUTS; i++)
    fmpq_clear(&input[i]);
  free(input);
  tape_moments_destroy(moments);
  tape_derivatives_destroy(cache);
  tape_destroy(t);
}

static tape_id whole(int64_t v)
{
  return tape_integer(t, v);
}

static tape_id with(tape_opcode op, tape_id a, tape_id b)
{
  return tape_binary(t, op, a, b);
}

static tape_id times(tape_id a, tape_id b)
{
  return with(TAPE_MULTIPLY, a, b);
}

static tape_id plus(tape_id a, tape_id b)
{
  return with(TAPE_ADD, a, b);
}

static tape_id mean(tape_id e)
{
  size_t terms;
  tape_id id = tape_mean(t, moments, e, variance, &terms);
  ck_assert(id != TAPE_NONE);
  ck_assert(!t->op[id].random);
  return id;
}

static void set_inputs(slong x, slong y, slong z, ulong below)
{
  fmpq_set_si(&input[0], x, below);
  fmpq_set_si(&input[1], y, below);
  fmpq_set_si(&input[2], z, below);
}

static assay_status value_of(arb_t value, tape_id id)
{
  tape_program *program = tape_compile(t, &id, 1, 1, false);
  ball_state *s = ball_create(program, 1 << 20);
  ball_run(s, input, PRECISION, true);
  assay_status status = ball_value(value, s, 0);
  ball_destroy(s);
  tape_program_destroy(program);
  return status;
}

/* That the value is this number; balls of PRECISION bits cannot tell it from numbers very near. */
static void check_value(tape_id id, const fmpq_t expected)
{
  arb_t value, difference;
  arb_init(value);
  arb_init(difference);
  ck_assert_int_eq(value_of(value, id), STATUS_OK);
  arb_set_fmpq(difference, expected, PRECISION);
  arb_sub(difference, value, difference, PRECISION);
  ck_assert(arb_contains_zero(difference));
  arb_mul_2exp_si(difference, difference, PRECISION / 2);
  arb_abs(difference, difference);
  arf_t bound, one;
  arf_init(bound);
  arf_init(one);
  arf_one(one);
  arb_get_ubound_arf(bound, difference, PRECISION);
  ck_assert(arf_cmp(bound, one) < 0);
  arf_clear(bound);
  arf_clear(one);
  arb_clear(value);
  arb_clear(difference);
}

static void check_ratio(tape_id id, slong p, ulong q)
{
  fmpq_t expected;
  fmpq_init(expected);
  fmpq_set_si(expected, p, q);
  check_value(id, expected);
  fmpq_clear(expected);
}

static void check_undefined(tape_id id)
{
  arb_t value;
  arb_init(value);
  ck_assert_int_eq(value_of(value, id), STATUS_UNDEFINED);
  arb_clear(value);
}

/* 1, 3, 15, 105 ... times powers of the variance; odd moments are 0. */
START_TEST(test_moments_of_one)
{
  static const slong printed[] = {1, 1, 3, 15, 105, 945, 10395, 135135, 2027025, 34459425, 654729075};
  variance[0] = in[0];
  set_inputs(3, 0, 0, 2);
  fmpq_t expected, power;
  fmpq_init(expected);
  fmpq_init(power);
  for (int k = 0; k <= 10; k++) {
    fmpq_pow_si(power, &input[0], k);
    fmpq_set_si(expected, printed[k], 1);
    fmpq_mul(expected, expected, power);
    check_value(mean(tape_power(t, g[0], 2 * k)), expected);
    check_ratio(mean(tape_power(t, g[0], 2 * k + 1)), 0, 1);
  }
  fmpq_clear(expected);
  fmpq_clear(power);
}
END_TEST

/* E[(g_1^2 + ... + g_n^2)^k] = n (n + 2) ... (n + 2k - 2), and with the sum spelled as powers of squares. */
START_TEST(test_chi_square)
{
  for (int n = 1; n <= 5; n++) {
    tape_id sum = whole(0);
    for (int i = 0; i < n; i++)
      sum = plus(sum, times(g[i], g[i]));
    slong expected = 1;
    tape_id product = whole(1);
    for (int k = 1; k <= 5; k++) {
      expected *= n + 2 * (k - 1);
      product = times(product, sum);
      check_ratio(mean(tape_power(t, sum, k)), expected, 1);
      check_ratio(mean(product), expected, 1);
    }
  }
}
END_TEST

/* Sums over all pairings of the left `n` of index[], by the covariances. */
static void add_pairings(fmpq_t sum, const fmpq_t factor, const fmpq_mat_t covariance, const int *index, int n)
{
  if (n == 0) {
    fmpq_add(sum, sum, factor);
    return;
  }
  for (int i = 1; i < n; i++) {
    int rest[8], count = 0;
    for (int k = 1; k < n; k++)
      if (k != i)
        rest[count++] = index[k];
    fmpq_t product;
    fmpq_init(product);
    fmpq_mul(product, factor, fmpq_mat_entry(covariance, index[0], index[i]));
    add_pairings(sum, product, covariance, rest, count);
    fmpq_clear(product);
  }
}

/* Isserlis: six correlated variables y = A g with variances 1, 2, 3; products of four and of six of them. */
START_TEST(test_isserlis)
{
  enum { N = 6, M = 3 };
  static const int a[N][M] = {{1, 2, -1}, {0, 3, 1}, {2, -2, 5}, {1, 1, 1}, {-3, 0, 2}, {4, -1, -1}};
  static const int choice[][N] = {{0, 1, 2, 3, 4, 5}, {0, 0, 1, 1, 2, 2}, {5, 5, 5, 5, 5, 5}, {3, 1, 4, 1, 5, 2}};
  tape_id y[N];
  fmpq_mat_t covariance;
  fmpq_mat_init(covariance, N, N);
  for (int j = 0; j < M; j++)
    variance[j] = whole(j + 1);
  for (int i = 0; i < N; i++) {
    y[i] = whole(0);
    for (int j = 0; j < M; j++)
      y[i] = plus(y[i], times(whole(a[i][j]), g[j]));
    for (int k = 0; k < N; k++) {
      int c = 0;
      for (int j = 0; j < M; j++)
        c += a[i][j] * a[k][j] * (j + 1);
      fmpq_set_si(fmpq_mat_entry(covariance, i, k), c, 1);
    }
  }
  fmpq_t expected, one;
  fmpq_init(expected);
  fmpq_init(one);
  fmpq_one(one);
  for (size_t c = 0; c < sizeof choice / sizeof choice[0]; c++)
    for (int n = 1; n <= N; n++) {
      tape_id product = whole(1);
      for (int i = 0; i < n; i++)
        product = times(product, y[choice[c][i]]);
      fmpq_zero(expected);
      if (n % 2 == 0)
        add_pairings(expected, one, covariance, choice[c], n);
      check_value(mean(product), expected);
    }
  fmpq_clear(expected);
  fmpq_clear(one);
  fmpq_mat_clear(covariance);
}
END_TEST

/* Var(x' A x) = 2 tr((A S)^2) for symmetric A and independent x with variances S. */
START_TEST(test_quadratic_form)
{
  static const int a[3][3] = {{2, -1, 3}, {-1, 5, 0}, {3, 0, -4}}, s[] = {1, 3, 7};
  tape_id form = whole(0);
  slong trace = 0;
  for (int i = 0; i < 3; i++) {
    variance[i] = whole(s[i]);
    for (int j = 0; j < 3; j++) {
      form = plus(form, times(times(whole(a[i][j]), g[i]), g[j]));
      trace += a[i][j] * s[j] * a[j][i] * s[i];
    }
  }
  tape_id m = mean(form);
  tape_id centred = with(TAPE_SUBTRACT, form, m);
  check_ratio(m, 2 * 1 + 5 * 3 - 4 * 7, 1);
  check_ratio(mean(times(centred, centred)), 2 * trace, 1);
  check_ratio(mean(tape_power(t, centred, 2)), 2 * trace, 1);
}
END_TEST

/* ---- a finite distribution ---- */

/* The points -3 .. 3 with these weights in 180ths have the moments of N(0, 1) up to the seventh. */
static const int weight[] = {1, 9, 45, 70, 45, 9, 1};

/* The value of a polynomial's operation by plain rational arithmetic, RANDOM k being r[k]. */
static void evaluate(fmpq_t value, tape_id id, const fmpq *r)
{
  const tape_op o = t->op[id];
  fmpq_t a, b;
  fmpq_init(a);
  fmpq_init(b);
  if (o.op == TAPE_CONSTANT)
    fmpq_set(value, &t->constant[o.a]);
  else if (o.op == TAPE_INPUT)
    fmpq_set(value, &input[o.a]);
  else if (o.op == TAPE_RANDOM)
    fmpq_set(value, &r[o.a]);
  else {
    if (o.op != TAPE_SELECT) /* a derivative: its first operand where the second is defined */
      evaluate(a, o.a, r);
    if (o.op != TAPE_SELECT && tape_operands((tape_opcode)o.op) > 1)
      evaluate(b, o.b, r);
    switch (o.op) {
    case TAPE_NEGATE:
      fmpq_neg(value, a);
      break;
    case TAPE_ADD:
      fmpq_add(value, a, b);
      break;
    case TAPE_SUBTRACT:
      fmpq_sub(value, a, b);
      break;
    case TAPE_MULTIPLY:
      fmpq_mul(value, a, b);
      break;
    case TAPE_DIVIDE:
      fmpq_div(value, a, b);
      break;
    case TAPE_POWER:
      fmpq_pow_si(value, a, (slong)o.b);
      break;
    case TAPE_SELECT:
      ck_assert(o.a == o.b && t->op[o.c].op == TAPE_DEFINED);
      evaluate(value, o.a, r);
      break;
    default:
      ck_assert_int_eq(o.op, TAPE_ZERO);
      fmpq_zero(value);
      break;
    }
  }
  fmpq_clear(a);
  fmpq_clear(b);
}

/* The mean of y in three elements whose variances are squares of whole numbers. */
static void enumerate(fmpq_t sum, tape_id y, const int *deviation)
{
  fmpq *r = memory_new(3, sizeof *r);
  fmpq_t value, w;
  fmpq_init(value);
  fmpq_init(w);
  for (int k = 0; k < 3; k++)
    fmpq_init(&r[k]);
  fmpq_zero(sum);
  for (int p = 0; p < 343; p++) {
    int place[] = {p % 7, p / 7 % 7, p / 49};
    for (int k = 0; k < 3; k++)
      fmpq_set_si(&r[k], deviation[k] * (place[k] - 3), 1);
    fmpq_set_si(w, weight[place[0]] * weight[place[1]] * weight[place[2]], 180u * 180u * 180u);
    evaluate(value, y, r);
    fmpq_mul(value, value, w);
    fmpq_add(sum, sum, value);
  }
  for (int k = 0; k < 3; k++)
    fmpq_clear(&r[k]);
  free(r);
  fmpq_clear(value);
  fmpq_clear(w);
}

static uint32_t state;

static unsigned draw(unsigned n)
{
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % n;
}

/* A random polynomial of degree at most 7, grown from leaves by operations. */
static tape_id draw_polynomial(void)
{
  enum { MOST = 24 };
  tape_id value[MOST];
  unsigned degree[MOST], count = 0;
  while (count < MOST) {
    unsigned i = count ? draw(count) : 0, j = count ? draw(count) : 0, kind = count < 4 ? draw(3) : 2 + draw(9);
    tape_id v;
    unsigned e;
    if (kind == 0) {
      v = g[draw(3)];
      e = 1;
    } else if (kind == 1) {
      v = in[draw(3)];
      e = 0;
    } else if (kind == 2) {
      v = draw(2) ? g[draw(3)] : whole((int64_t)draw(9) - 4);
      e = 1;
    } else if (kind < 6) {
      v = plus(value[i], value[j]);
      e = degree[i] > degree[j] ? degree[i] : degree[j];
    } else if (kind == 6) {
      v = with(TAPE_SUBTRACT, value[i], value[j]);
      e = degree[i] > degree[j] ? degree[i] : degree[j];
    } else if (kind < 9) {
      v = times(value[i], value[j]);
      e = degree[i] + degree[j];
    } else if (kind == 9) {
      unsigned k = draw(4);
      v = tape_power(t, value[i], (int32_t)k);
      e = k * degree[i];
    } else {
      v = with(TAPE_DIVIDE, value[i], with(TAPE_ADD, times(in[0], in[0]), whole(1)));
      e = degree[i];
    }
    if (e > 7)
      continue;
    value[count] = v;
    degree[count++] = e;
  }
  tape_id all = value[MOST - 1];
  for (unsigned i = MOST - 4; i < MOST - 1; i++)
    all = plus(all, value[i]);
  return all;
}

START_TEST(test_finite_distribution)
{
  static const int deviation[] = {1, 2, 3};
  fmpq_t expected;
  fmpq_init(expected);
  for (int k = 0; k < 3; k++)
    variance[k] = whole(deviation[k] * deviation[k]);
  set_inputs(2, -3, 5, 7);
  for (state = 1; state < 61; state++) {
    uint32_t seed = state;
    tape_id y = draw_polynomial();
    enumerate(expected, y, deviation);
    check_value(mean(y), expected);
    state = seed;
  }
  fmpq_clear(expected);
}
END_TEST

/* The same with variances on the tape, and d in both orders: d(mean e, x) = mean(d(e, x)). */
START_TEST(test_derivative)
{
  fmpq_t expected;
  fmpq_init(expected);
  static const int deviation[] = {1, 2, 3};
  for (int k = 0; k < 3; k++)
    variance[k] = whole(deviation[k] * deviation[k]);
  set_inputs(3, 2, -5, 4);
  for (state = 100; state < 130; state++) {
    uint32_t seed = state;
    tape_id y = draw_polynomial();
    tape_id inside = tape_derivative(t, cache, y, in[1]), outside = tape_derivative(t, cache, mean(y), in[1]);
    enumerate(expected, inside, deviation);
    check_value(mean(inside), expected);
    check_value(outside, expected);
    state = seed;
  }
  /* d E[g^4] / dv = 6 v */
  variance[4] = in[0];
  check_ratio(tape_derivative(t, cache, mean(tape_power(t, g[4], 4)), in[0]), 9, 2);
  fmpq_clear(expected);
}
END_TEST

/* x(t) = a x(t - 1) + g(t): E[x(T)^2] = v (1 + a^2 + ... ), and the mean of each step asked for in turn. */
START_TEST(test_recurrence)
{
  fmpq_t expected, factor;
  fmpq_init(expected);
  fmpq_init(factor);
  set_inputs(2, 5, 0, 3);
  tape_id x = whole(0);
  fmpq_mul(factor, &input[0], &input[0]);
  for (int k = 0; k < 40; k++) {
    variance[k] = in[1];
    x = plus(times(in[0], x), g[k]);
    fmpq_mul(expected, expected, factor);
    fmpq_add(expected, expected, &input[1]);
    check_value(mean(times(x, x)), expected);
  }
  fmpq_clear(expected);
  fmpq_clear(factor);
}
END_TEST

/* A sum that doubles itself 60 times over is as cheap as its depth. */
START_TEST(test_doubling)
{
  tape_id x = plus(g[0], g[1]);
  for (int k = 0; k < 30; k++)
    x = plus(x, with(TAPE_SUBTRACT, x, g[2]));
  variance[2] = whole(0);
  check_ratio(mean(times(x, x)), (slong)1 << 61, 1);
}
END_TEST

/* ---- where it is defined ---- */

START_TEST(test_undefined)
{
  tape_id reciprocal = with(TAPE_DIVIDE, whole(1), in[0]);
  tape_id root = tape_unary(t, TAPE_SQRT, in[1]);
  tape_id odd = mean(times(reciprocal, g[0]));                                     /* a term without a mean */
  tape_id over = mean(with(TAPE_DIVIDE, g[0], in[0]));
  tape_id gone = mean(with(TAPE_SUBTRACT, times(root, g[0]), times(g[0], root))); /* a - a */
  tape_id crossed = mean(with(TAPE_SUBTRACT, times(plus(root, g[0]), g[0]), times(g[0], g[0])));
  tape_id kept = mean(times(root, tape_power(t, g[0], 2)));
  tape_id zeroth = mean(tape_power(t, times(root, g[0]), 0));
  set_inputs(0, -1, 0, 1);
  tape_id undefined[] = {odd, over, gone, crossed, kept, zeroth};
  for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; i++)
    check_undefined(undefined[i]);
  set_inputs(4, 4, 0, 1);
  check_ratio(odd, 0, 1);
  check_ratio(over, 0, 1);
  check_ratio(gone, 0, 1);
  check_ratio(crossed, 0, 1);
  check_ratio(kept, 2, 1);
  check_ratio(zeroth, 1, 1);
  /* What is defined in any case asks for nothing: no operation is left over. */
  ck_assert_uint_eq(mean(times(in[0], g[0])), whole(0));
}
END_TEST

START_TEST(test_variance_below_zero)
{
  variance[0] = in[0];
  variance[1] = with(TAPE_MULTIPLY, in[0], in[0]);
  variance[2] = whole(-1);
  tape_id used[] = {mean(g[0]), mean(times(g[0], g[0])), mean(with(TAPE_SUBTRACT, times(whole(2), g[0]), times(g[0], whole(2)))),
                    mean(tape_power(t, g[0], 3))};
  set_inputs(-1, 0, 0, 2);
  for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
    check_undefined(used[i]);
  check_ratio(mean(times(g[1], g[1])), 1, 4);
  check_undefined(mean(g[2]));
  set_inputs(0, 0, 0, 1);
  for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
    check_ratio(used[i], 0, 1);
  variance[3] = plus(in[0], whole(1));
  variance[4] = times(in[0], in[1]);
  variance[5] = plus(times(in[0], in[0]), tape_unary(t, TAPE_ABS, in[1]));
  tape_id sum = mean(times(g[3], g[3])), product = mean(times(g[4], g[4])), sure = mean(times(g[5], g[5]));
  set_inputs(-2, 3, 0, 1);
  check_undefined(sum);
  check_undefined(product);
  check_ratio(sure, 7, 1);
}
END_TEST

/* A branch that is not taken asks for nothing. */
START_TEST(test_branches)
{
  tape_id condition = with(TAPE_LESS, whole(0), in[0]);
  tape_id over = with(TAPE_DIVIDE, g[0], in[0]);
  variance[1] = in[1];
  tape_id y = tape_select(t, TAPE_SELECT, condition, over, times(g[1], g[0]));
  tape_id plain = mean(y), square = mean(times(y, y));
  set_inputs(2, -1, 0, 1);
  check_ratio(plain, 0, 1);
  check_ratio(square, 1, 4);
  set_inputs(0, 3, 0, 1);
  check_ratio(plain, 0, 1);
  check_ratio(square, 3, 1);
  set_inputs(0, -3, 0, 1);
  check_undefined(plain);
  check_undefined(square);
}
END_TEST

/* ---- limits ---- */

START_TEST(test_limits)
{
  tape_moments_destroy(moments);
  moments = tape_moments_create(100);
  tape_id sum = whole(0);
  size_t terms;
  for (int i = 0; i < ELEMENTS; i++)
    sum = plus(sum, g[i]);
  check_ratio(mean(times(sum, sum)), ELEMENTS, 1);
  ck_assert_uint_eq(tape_mean(t, moments, tape_power(t, sum, 4), variance, &terms), TAPE_NONE);
  ck_assert_uint_gt(terms, 100);
  tape_moments_destroy(moments);
  moments = tape_moments_create(1 << 16);
  size_t before = t->ops;
  ck_assert_uint_eq(tape_mean(t, moments, tape_power(t, sum, 20), variance, &terms), TAPE_NONE);
  ck_assert_uint_gt(terms, 1 << 16);
  ck_assert_uint_lt(t->ops - before, 1 << 20);
  /* few terms, many products of them */
  tape_moments_destroy(moments);
  moments = tape_moments_create(1 << 12);
  tape_id power = tape_power(t, plus(g[0], whole(1)), 2000);
  ck_assert_uint_eq(tape_mean(t, moments, power, variance, &terms), TAPE_NONE);
  ck_assert_uint_gt(terms, 1 << 12);
  tape_moments_destroy(moments);
  moments = tape_moments_create(1 << 16);
  ck_assert_uint_eq(tape_mean(t, moments, tape_power(t, g[0], 1 << 24), variance, &terms), TAPE_NONE);
}
END_TEST

/* ---- integration ---- */

/* (1 + 2 x)^4 x^2 exp(-x^2 / 3) / sqrt(3 pi): that of N(0, 3/2). */
static int integrand(acb_ptr value, const acb_t x, void *context, slong order, slong precision)
{
  (void)context;
  (void)order;
  acb_t s;
  acb_init(s);
  acb_mul_2exp_si(value, x, 1);
  acb_add_ui(value, value, 1, precision);
  acb_pow_ui(value, value, 4, precision);
  acb_mul(value, value, x, precision);
  acb_mul(value, value, x, precision);
  acb_mul(s, x, x, precision);
  acb_div_si(s, s, -3, precision);
  acb_exp(s, s, precision);
  acb_mul(value, value, s, precision);
  acb_const_pi(s, precision);
  acb_mul_ui(s, s, 3, precision);
  acb_sqrt(s, s, precision);
  acb_div(value, value, s, precision);
  acb_clear(s);
  return 0;
}

/* Over [-40, 40]; what is left out is below 1e-200. */
START_TEST(test_integration)
{
  variance[0] = in[0];
  set_inputs(3, 0, 0, 2);
  tape_id y = times(tape_power(t, plus(whole(1), times(whole(2), g[0])), 4), times(g[0], g[0]));
  acb_t value, low, high;
  arb_t found;
  mag_t tolerance;
  acb_init(value);
  acb_init(low);
  acb_init(high);
  arb_init(found);
  mag_init(tolerance);
  acb_set_si(low, -40);
  acb_set_si(high, 40);
  mag_set_ui_2exp_si(tolerance, 1, -120);
  acb_calc_integrate(value, integrand, NULL, low, high, 120, tolerance, NULL, 128);
  ck_assert_int_eq(value_of(found, mean(y)), STATUS_OK);
  arb_sub(found, found, acb_realref(value), 128);
  ck_assert(arb_contains_zero(found));
  ck_assert(arb_rel_accuracy_bits(acb_realref(value)) > 80);
  acb_clear(value);
  acb_clear(low);
  acb_clear(high);
  arb_clear(found);
  mag_clear(tolerance);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("moments");
  TCase *tests = tcase_create("tests");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_moments_of_one);
  tcase_add_test(tests, test_chi_square);
  tcase_add_test(tests, test_isserlis);
  tcase_add_test(tests, test_quadratic_form);
  tcase_add_test(tests, test_finite_distribution);
  tcase_add_test(tests, test_derivative);
  tcase_add_test(tests, test_recurrence);
  tcase_add_test(tests, test_doubling);
  tcase_add_test(tests, test_undefined);
  tcase_add_test(tests, test_variance_below_zero);
  tcase_add_test(tests, test_branches);
  tcase_add_test(tests, test_limits);
  tcase_add_test(tests, test_integration);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
