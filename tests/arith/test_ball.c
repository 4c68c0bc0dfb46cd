/* ball: functions against values computed elsewhere (mpmath at 70 digits), edges of domains, boxes, and
 * what is exact. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/ball_functions.h"
#include "small_tape.h"

static const struct {
  tape_opcode op;
  const char *x, *y; /* y to 50 digits */
} known[] = {
    {TAPE_CBRT, "2", "1.2599210498948731647672106072782283505702514647015"},
    {TAPE_CBRT, "-3/7", "-0.75394744112915380137105065475631893327979149041351"},
    {TAPE_CBRT, "1/1000000", "0.01"},
    {TAPE_SQRT, "2", "1.4142135623730950488016887242096980785696718753769"},
    {TAPE_SQRT, "3/7", "0.65465367070797714379829245624685835556920808239542"},
    {TAPE_EXP, "1", "2.7182818284590452353602874713526624977572470937"},
    {TAPE_EXP, "-700", "9.8596765437597708567053729478494651051156001814009e-305"},
    {TAPE_EXP, "1000", "1.9700711140170469938888793522433231253169379853238e+434"},
    {TAPE_EXPM1, "1/3", "0.39561242508608952862812531960258683759790651519941"},
    {TAPE_EXPM1, "-1/1000000000", "-0.00000000099999999950000000016666666662500000000833333333194"},
    {TAPE_LOG, "2", "0.69314718055994530941723212145817656807550013436026"},
    {TAPE_LOG, "1/1000", "-6.9077552789821370520539743640530926228033044658863"},
    {TAPE_LOG1P, "-1/2", "-0.69314718055994530941723212145817656807550013436026"},
    {TAPE_LOG1P, "1/1000000000", "0.00000000099999999950000000033333333308333333353333333316667"},
    {TAPE_SIN, "1", "0.84147098480789650665250232163029899962256306079837"},
    {TAPE_SIN, "-22/7", "0.0012644889303773534003603504756459324917739113911976"},
    {TAPE_COS, "1", "0.54030230586813971740093660744297660373231042061792"},
    {TAPE_COS, "11/7", "-0.00063224459155327365451835077521455673031420291996351"},
    {TAPE_TAN, "1", "1.5574077246549022305069748074583601730872507723815"},
    {TAPE_TAN, "11/7", "-1581.6660411069837079729290816982181588307067207641"},
    {TAPE_ATAN, "1", "0.78539816339744830961566084581987572104929234984378"},
    {TAPE_ATAN, "-1000", "-1.5697963271282297525647978820048308980869637651333"},
    {TAPE_TANH, "1/2", "0.46211715726000975850231848364367254873028928033011"},
    {TAPE_TANH, "-40", "-0.9999999999999999999999999999999999639029722430917"},
    {TAPE_ERF, "1/2", "0.52049987781304653768274665389196452873645157575796"},
    {TAPE_ERF, "-5", "-0.99999999999846254020557196514981165651461662110988"},
    {TAPE_SIGMOID, "1", "0.73105857863000487925115924182183627436514464016506"},
    {TAPE_SIGMOID, "-800", "3.6678745841776872134554956542607982154696342266126e-348"},
    {TAPE_SIGMOID, "50", "0.99999999999999999999980712501520360822169830291911"},
    {TAPE_SOFTPLUS, "1", "1.3132616875182228340489954949678556419152800856703"},
    {TAPE_SOFTPLUS, "-1000", "5.0759588975494567652918094795743369193055992828928e-435"},
    {TAPE_SOFTPLUS, "1000", "1000.0"},
    {TAPE_SILU, "2", "1.7615941559557648881194582826047935904127685972579"},
    {TAPE_SILU, "-300", "-1.5444600667236041343464585763201392994404994673333e-128"},
    {TAPE_GELU, "1", "0.8413447460685429485852325456320379224779129667266"},
    {TAPE_GELU, "-20", "-5.5072482372124673901512455617149306656149954695187e-88"},
    {TAPE_GELU, "1/5", "0.11585194188782060460848759059126008688592688263623"},
    {TAPE_LAMBERTW0, "1", "0.56714329040978387299996866221035554975381578718651"},
    {TAPE_LAMBERTW0, "-1/3", "-0.61906128673594511215232699402092223330147177726297"},
    {TAPE_LAMBERTW0, "1000", "5.2496028524015962271260563196973062825214723860596"},
    {TAPE_LAMBERTW0, "-36787944/100000000", "-0.99992019848408339721822311270734064697760718371748"},
};

/* |y - decimal| < 10^-48 |y| */
static bool agrees(const arb_t y, const char *decimal)
{
  arb_t d, e;
  arb_init(d);
  arb_init(e);
  arb_set_str(d, decimal, 400);
  arb_sub(e, y, d, 400);
  arb_div(e, e, d, 400);
  arb_abs(e, e);
  arb_set_str(d, "1e-48", 400);
  bool yes = arb_lt(e, d);
  arb_clear(e);
  arb_clear(d);
  return yes;
}

START_TEST(known_values)
{
  fmpq_t q;
  arb_t x, y;
  fmpq_init(q);
  arb_init(x);
  arb_init(y);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    fmpq_set_str(q, known[i].x, 10);
    arb_set_fmpq(x, q, 300);
    ck_assert_int_eq(ball_function(y, known[i].op, x, 300), BALL_DEFINED);
    ck_assert_msg(agrees(y, known[i].y), "%s(%s)", tape_opcode_name(known[i].op), known[i].x);
    ck_assert_int_eq(ball_function(x, known[i].op, x, 300), BALL_DEFINED); /* in place */
    ck_assert(arb_equal(x, y));
  }
  arb_clear(y);
  arb_clear(x);
  fmpq_clear(q);
}
END_TEST

/* A wide ball: the values at points of it lie in the result. */
START_TEST(wide_balls)
{
  static const double low[] = {-2, -0.5, -1e-3, 0.25, 3, -40, 100}, width[] = {0, 1e-9, 0.1, 1, 8};
  arb_t x, y, point, value;
  arb_init(x);
  arb_init(y);
  arb_init(point);
  arb_init(value);
  for (tape_opcode op = TAPE_ABS; op <= TAPE_LAMBERTW0; op++)
    for (size_t i = 0; i < sizeof low / sizeof *low; i++)
      for (size_t j = 0; j < sizeof width / sizeof *width; j++) {
        arf_t end;
        arf_init(end);
        arb_set_d(x, low[i]);
        arf_set_d(end, width[j]);
        arb_add_error_arf(x, end);
        arf_clear(end);
        definedness d = ball_function(y, op, x, 64);
        for (int k = -3; k <= 3; k++) {
          arb_set_d(point, low[i] + k * width[j] / 4);
          definedness at = ball_function(value, op, point, 128);
          ck_assert(d != BALL_DEFINED || at == BALL_DEFINED);
          ck_assert(d != BALL_UNDEFINED || at == BALL_UNDEFINED);
          ck_assert(at != BALL_DEFINED || d == BALL_UNDEFINED || arb_overlaps(value, y));
        }
      }
  arb_clear(value);
  arb_clear(point);
  arb_clear(y);
  arb_clear(x);
}
END_TEST

static definedness at(tape_opcode op, double middle, double radius)
{
  arb_t x, y;
  arf_t r;
  arb_init(x);
  arb_init(y);
  arf_init(r);
  arb_set_d(x, middle);
  arf_set_d(r, radius);
  arb_add_error_arf(x, r);
  definedness d = ball_function(y, op, x, 64);
  arf_clear(r);
  arb_clear(y);
  arb_clear(x);
  return d;
}

START_TEST(edges_of_domains)
{
  ck_assert_int_eq(at(TAPE_SQRT, 0, 0), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_SQRT, 1, 1), BALL_PERHAPS); /* radii are rounded up: the ball reaches below 0 */
  ck_assert_int_eq(at(TAPE_SQRT, 1, 0.5), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_SQRT, 0, 1), BALL_PERHAPS);
  ck_assert_int_eq(at(TAPE_SQRT, -2, 1), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LOG, 0, 0), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LOG, 1, 1), BALL_PERHAPS);
  ck_assert_int_eq(at(TAPE_LOG, -2, 1), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LOG, 0x1p-1074, 0), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_LOG1P, -1, 0), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LOG1P, -1, 0x1p-60), BALL_PERHAPS);
  ck_assert_int_eq(at(TAPE_LOG1P, -1 + 0x1p-53, 0), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_LOG1P, -2, 0.5), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LAMBERTW0, -0.3678794411714423, 0), BALL_DEFINED); /* the doubles around -1/e */
  ck_assert_int_eq(at(TAPE_LAMBERTW0, -0.36787944117144239, 0), BALL_UNDEFINED);
  ck_assert_int_eq(at(TAPE_LAMBERTW0, -0.3678794411714423, 1e-10), BALL_PERHAPS);
  ck_assert_int_eq(at(TAPE_TAN, 1.5, 0.1), BALL_PERHAPS);
  ck_assert_int_eq(at(TAPE_TAN, 1.5, 0.01), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_CBRT, 0, 1), BALL_DEFINED);
  ck_assert_int_eq(at(TAPE_EXP, 1e300, 0), BALL_DEFINED);
}
END_TEST

static tape_program *program;
static ball_state *state;

static void start(const tape *t, const tape_id *outputs, size_t n)
{
  program = tape_compile(t, outputs, n, n, false);
  state = ball_create(program, 10000);
}

static void stop(tape *t)
{
  ball_destroy(state);
  tape_program_destroy(program);
  tape_destroy(t);
}

static void run(slong p, ulong q, slong precision, bool use_exact)
{
  fmpq x[1];
  fmpq_init(x);
  fmpq_set_si(x, p, q);
  ball_run(state, x, precision, use_exact);
  fmpq_clear(x);
}

START_TEST(what_is_exact)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id three = tape_binary(t, TAPE_MULTIPLY, tape_binary(t, TAPE_DIVIDE, x[0], tape_integer(t, 3)),
                              tape_integer(t, 3));
  tape_id root = tape_unary(t, TAPE_SQRT, tape_binary(t, TAPE_MULTIPLY, x[0], x[0]));
  tape_id logarithm = tape_unary(t, TAPE_LOG, tape_unary(t, TAPE_EXP, x[0]));
  tape_id square = tape_power(t, tape_unary(t, TAPE_SQRT, tape_integer(t, 2)), 2);
  tape_id inverse = tape_binary(t, TAPE_DIVIDE, tape_integer(t, 1),
                                tape_binary(t, TAPE_SUBTRACT, square, tape_integer(t, 2)));
  tape_id outputs[] = {
      tape_binary(t, TAPE_EQUAL, three, x[0]),
      tape_binary(t, TAPE_EQUAL, root, x[0]),
      tape_binary(t, TAPE_EQUAL, logarithm, x[0]),
      tape_binary(t, TAPE_EQUAL, logarithm, tape_integer(t, 7)),
      tape_binary(t, TAPE_LESS, inverse, x[0]),
      inverse,
      tape_binary(
          t, TAPE_LESS,
          tape_unary(t, TAPE_TAN,
                     tape_binary(t, TAPE_DIVIDE, tape_leaf(t, TAPE_PI, TAPE_NONE), tape_integer(t, 2))),
          x[0]),
      tape_binary(t, TAPE_LESS, tape_unary(t, TAPE_LOG, tape_binary(t, TAPE_SUBTRACT, x[0], x[0])), x[0]),
      tape_unary(t, TAPE_SQRT, tape_unary(t, TAPE_NEGATE, root))};
  start(t, outputs, 9);
  static const truth exact[] = {TRUTH_TRUE,    TRUTH_TRUE, TRUTH_OPEN,    TRUTH_FALSE,
                                TRUTH_UNKNOWN, 0,          TRUTH_UNKNOWN, TRUTH_UNDEFINED};
  static const truth plain[] = {TRUTH_OPEN,    TRUTH_OPEN, TRUTH_OPEN,    TRUTH_FALSE,
                                TRUTH_UNKNOWN, 0,          TRUTH_UNKNOWN, TRUTH_UNDEFINED};
  arb_t y;
  arb_init(y);
  for (slong precision = 53; precision <= 4000; precision *= 3)
    for (int use_exact = 0; use_exact < 2; use_exact++) {
      run(2, 7, precision, use_exact);
      for (size_t k = 0; k < 8; k++)
        if (k != 5)
          ck_assert_int_eq(ball_truth(state, k), (use_exact ? exact : plain)[k]);
      ck_assert_int_eq(ball_value(y, state, 5), STATUS_UNABLE);
      ck_assert_int_eq(ball_value(y, state, 8), STATUS_UNDEFINED);
    }
  arb_clear(y);
  stop(t);
}
END_TEST

/* Truths about all points of a box. */
START_TEST(boxes)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id zero = tape_integer(t, 0), one = tape_integer(t, 1), two = tape_integer(t, 2);
  tape_id outputs[] = {
      tape_binary(t, TAPE_LESS, x[0], two),
      tape_binary(t, TAPE_LESS, x[0], one),
      tape_binary(t, TAPE_LESS, two, x[0]),
      tape_binary(t, TAPE_EQUAL, x[0], one),
      tape_binary(t, TAPE_LESS, zero, tape_binary(t, TAPE_DIVIDE, one, x[0])),
      tape_binary(t, TAPE_LESS, zero,
                  tape_binary(t, TAPE_DIVIDE, one, tape_binary(t, TAPE_SUBTRACT, x[0], one))),
      tape_binary(t, TAPE_LESS, tape_unary(t, TAPE_SQRT, tape_binary(t, TAPE_SUBTRACT, x[0], two)), zero),
      tape_binary(t, TAPE_LESS_EQUAL, zero, tape_power(t, tape_binary(t, TAPE_SUBTRACT, x[0], one), 2)),
      tape_binary(t, TAPE_LESS, tape_select(t, TAPE_SELECT, tape_binary(t, TAPE_LESS, x[0], one), one, two),
                  tape_integer(t, 3))};
  start(t, outputs, 9);
  arb_t box; /* [1/2, 3/2], a little more */
  arb_init(box);
  arb_set_d(box, 1);
  mag_set_d(arb_radref(box), 0.5);
  ball_run_box(state, box, 64);
  static const truth expected[] = {TRUTH_TRUE, TRUTH_OPEN, TRUTH_FALSE,     TRUTH_OPEN, TRUTH_TRUE,
                                   TRUTH_UNKNOWN, TRUTH_UNDEFINED, TRUTH_OPEN, TRUTH_TRUE};
  for (size_t k = 0; k < 9; k++)
    if (k != 7) /* the square may or may not be seen to be positive */
      ck_assert_msg(ball_truth(state, k) == expected[k], "%zu: %s", k, truth_name(ball_truth(state, k)));
  ck_assert_int_ne(ball_truth(state, 7), TRUTH_FALSE);
  arb_one(box); /* a box that is a point */
  ball_run_box(state, box, 64);
  ck_assert_int_eq(ball_truth(state, 3), TRUTH_TRUE);
  ck_assert_int_eq(ball_truth(state, 5), TRUTH_UNDEFINED);
  arb_indeterminate(box); /* and one that is nothing at all */
  ball_run_box(state, box, 64);
  for (size_t k = 0; k < 9; k++)
    ck_assert(ball_truth(state, k) == TRUTH_OPEN || ball_truth(state, k) == TRUTH_UNKNOWN || k == 8);
  arb_clear(box);
  stop(t);
}
END_TEST

/* Balls that are not numbers, or without bounds, tell nothing: never "false". */
START_TEST(no_bounds)
{
  tape_id x[1];
  tape *t = small_tape(x, 1);
  tape_id tower = x[0];
  for (int i = 0; i < 6; i++)
    tower = tape_unary(t, TAPE_EXP, tower);
  tape_id difference = tape_binary(t, TAPE_SUBTRACT, tower, tape_binary(t, TAPE_ADD, tower, x[0]));
  tape_id outputs[] = {
      tape_binary(t, TAPE_LESS, difference, x[0]), tape_binary(t, TAPE_EQUAL, difference, x[0]),
      tape_binary(t, TAPE_LESS_EQUAL, tape_binary(t, TAPE_MIN, difference, x[0]), x[0]), difference};
  start(t, outputs, 4);
  run(1000, 1, 64, true);
  arb_t y;
  arb_init(y);
  ck_assert_int_eq(ball_truth(state, 0), TRUTH_OPEN);
  ck_assert_int_eq(ball_truth(state, 1), TRUTH_OPEN);
  ck_assert_int_ne(ball_truth(state, 2), TRUTH_FALSE);
  ck_assert_int_eq(ball_value(y, state, 3), STATUS_UNABLE);
  arb_clear(y);
  stop(t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("ball");
  TCase *tests = tcase_create("ball");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, known_values);
  tcase_add_test(tests, wide_balls);
  tcase_add_test(tests, edges_of_domains);
  tcase_add_test(tests, what_is_exact);
  tcase_add_test(tests, boxes);
  tcase_add_test(tests, no_bounds);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
