#include "random_tape.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

static uint64_t below(philox_stream *random, uint64_t n)
{
  return philox_below(random, n);
}

/* ---- tapes ---- */

static tape_id any_value(const random_tape *r, philox_stream *random)
{
  /* Mostly recent ones, so that things get deep. */
  size_t reach = below(random, 3) ? (r->values < 8 ? r->values : 8) : r->values;
  return r->value[r->values - 1 - below(random, reach)];
}

static tape_id any_truth(const random_tape *r, philox_stream *random)
{
  size_t reach = below(random, 3) ? (r->truths < 6 ? r->truths : 6) : r->truths;
  return r->truth[r->truths - 1 - below(random, reach)];
}

static tape_id any_constant(const random_tape *r, philox_stream *random, random_kind kind)
{
  static const slong whole[] = {0, 1, -1, 2, 3, -5, 7};
  fmpq_t x;
  fmpq_init(x);
  ulong denominator = kind == RANDOM_DYADIC ? 1ul << below(random, 4) : 1 + below(random, 10);
  fmpq_set_si(x, whole[below(random, 7)], denominator);
  if (below(random, 40) == 0) {
    fmpq_mul_2exp(x, x, 900);
  } else if (below(random, 20) == 0) {
    fmpq_div_2exp(x, x, 1000 + below(random, 100));
  }
  tape_id id = tape_constant(r->tape, x);
  fmpq_clear(x);
  return id;
}

static tape_id new_value(const random_tape *r, philox_stream *random, random_kind kind)
{
  static const tape_opcode binary[] = {TAPE_ADD, TAPE_ADD,      TAPE_SUBTRACT, TAPE_SUBTRACT, TAPE_MULTIPLY,
                                       TAPE_MIN, TAPE_MULTIPLY, TAPE_MULTIPLY, TAPE_MAX,      TAPE_SPREAD};
  static const tape_opcode simple[] = {TAPE_NEGATE, TAPE_ABS, TAPE_RELU};
  static const tape_opcode functions[] = {TAPE_SQRT,  TAPE_CBRT,     TAPE_EXP,     TAPE_EXPM1,    TAPE_LOG,
                                          TAPE_LOG1P, TAPE_SIN,      TAPE_COS,     TAPE_TAN,      TAPE_ATAN,
                                          TAPE_TANH,  TAPE_ERF,      TAPE_SIGMOID, TAPE_SOFTPLUS, TAPE_SILU,
                                          TAPE_GELU,  TAPE_LAMBERTW0};
  tape *t = r->tape;
  tape_id a = any_value(r, random), b = any_value(r, random), c = any_value(r, random),
          d = any_value(r, random);
  tape_opcode op = binary[below(random, 10)], sum = below(random, 2) ? TAPE_ADD : TAPE_SUBTRACT;
  tape_id constant, condition;
  switch (below(random, kind == RANDOM_ANY ? 12 : kind == RANDOM_RATIONAL ? 9 : 8)) {
  case 0:
    return tape_unary(t, simple[below(random, 3)], a);
  case 1:
    return tape_power(t, a, (int32_t)below(random, 6) - (kind == RANDOM_DYADIC ? 0 : 2));
  case 2:
    constant = any_constant(r, random, kind);
    return tape_binary(t, op, constant, a);
  case 3: /* a sum of products, as recurrences are */
    a = tape_binary(t, TAPE_MULTIPLY, a, b);
    if (below(random, 2))
      c = tape_binary(t, TAPE_MULTIPLY, c, d);
    return tape_binary(t, sum, a, c);
  case 4:
    condition = r->truths ? any_truth(r, random) : TAPE_NONE;
    return r->truths ? tape_select(t, TAPE_SELECT, condition, a, b) : a;
  case 8:
    return tape_binary(t, TAPE_DIVIDE, a, b);
  case 9:
  case 10:
  case 11:
    return tape_unary(t, functions[below(random, 17)], a);
  default:
    return tape_binary(t, op, a, b);
  }
}

static tape_id new_truth(const random_tape *r, philox_stream *random, random_kind kind)
{
  static const tape_opcode relations[] = {TAPE_LESS, TAPE_LESS_EQUAL, TAPE_LESS_EQUAL, TAPE_EQUAL};
  static const tape_opcode connectives[] = {TAPE_AND, TAPE_AND, TAPE_AND, TAPE_AND, TAPE_OR, TAPE_IMPLIES};
  tape *t = r->tape;
  if (!r->truths || below(random, 2)) {
    tape_id a = below(random, 6) ? any_value(r, random) : any_constant(r, random, kind);
    tape_id b = below(random, 6) ? any_value(r, random) : any_constant(r, random, kind);
    tape_id relation = tape_binary(t, relations[below(random, 4)], a, b);
    if (!r->truths || below(random, 2))
      return relation;
    tape_id before = any_truth(r, random);
    return tape_binary(t, TAPE_AND, before, relation);
  }
  tape_id a = any_truth(r, random), b = any_truth(r, random), c = any_truth(r, random);
  switch (below(random, 10)) {
  case 0:
    return tape_unary(t, TAPE_NOT, a);
  case 1:
    return tape_select(t, TAPE_CHOOSE, c, a, b);
  default:
    return tape_binary(t, connectives[below(random, 6)], a, b);
  }
}

random_tape random_tape_make(philox_stream *random, random_kind kind)
{
  random_tape r = {.tape = tape_create(100000)};
  size_t length = 5 + below(random, 60);
  r.inputs = 1 + below(random, 7);
  r.value = memory_new(r.inputs + length + 3, sizeof *r.value);
  r.truth = memory_new(length + 2, sizeof *r.truth);
  for (size_t i = 0; i < r.inputs; i++) {
    tape_add_element(r.tape, (tape_element){.low = TAPE_NONE, .high = TAPE_NONE});
    r.value[r.values++] = tape_leaf(r.tape, TAPE_INPUT, (uint32_t)i);
  }
  if (kind == RANDOM_ANY && below(random, 3) == 0)
    r.value[r.values++] = tape_leaf(r.tape, TAPE_PI, TAPE_NONE);
  if (kind == RANDOM_ANY && below(random, 6) == 0)
    r.value[r.values++] = tape_leaf(r.tape, TAPE_UNDEFINED, TAPE_NONE);
  for (size_t i = 0; i < length; i++) {
    bool value = below(random, 3) != 0;
    tape_id id = value ? new_value(&r, random, kind) : new_truth(&r, random, kind);
    if (value)
      r.value[r.values++] = id;
    else
      r.truth[r.truths++] = id;
  }
  tape_id last = new_truth(&r, random, kind);
  r.truth[r.truths++] = last;
  return r;
}

void random_tape_clear(random_tape *r)
{
  tape_destroy(r->tape);
  free(r->value);
  free(r->truth);
}

/* ---- instances ---- */

static double any_double(philox_stream *random, const double *before, size_t count, bool wild)
{
  /* One draw for each statement: the order must not be the compiler's. */
  double sign = below(random, 2) ? 1 : -1;
  double x = count ? before[below(random, count) * LANES] : 0.75;
  double y = count ? before[below(random, count) * LANES] : 0.5;
  double uniform = philox_uniform(random);
  bool often = below(random, 4) != 0;
  int down = (int)below(random, 60), far_down = (int)below(random, 1080), up = (int)below(random, 1020);
  switch (below(random, wild ? 18 : 17)) {
  case 0:
    return 0;
  case 1:
    return sign;
  case 2:
    return sign * (double)(down % 5) / 4;
  case 3:
    return x;
  case 4:
    return nextafter(x, sign * HUGE_VAL);
  case 5:
    return x + y;
  case 6:
    return nextafter(x + y, sign * HUGE_VAL);
  case 7:
    return nextafter(x * y, sign * HUGE_VAL);
  case 8:
    return 1 - x;
  case 9:
    return -x;
  case 10:
    return sign * ldexp(uniform, -down);
  case 11:
    return often ? 1 - ldexp(uniform, -down) : sign * 30 * uniform;
  case 12:
    return often ? uniform : sign * ldexp(1 + uniform, -far_down);
  case 13:
    return often ? uniform : sign * ldexp(1 + uniform, up);
  case 17:
    return often ? sign * HUGE_VAL : NAN;
  default:
    return sign * uniform;
  }
}

void random_lanes(double *input, size_t inputs, philox_stream *random, bool wild)
{
  for (size_t lane = 0; lane < LANES; lane++)
    for (size_t i = 0; i < inputs; i++) {
      double x = any_double(random, input + lane, i, wild);
      input[i * LANES + lane] = wild || isfinite(x) ? x : 0.5;
    }
}

void random_exact(fmpq *value, const double *input, size_t inputs, unsigned lane)
{
  arf_t x;
  arf_init(x);
  for (size_t i = 0; i < inputs; i++) {
    double d = input[i * LANES + lane];
    arf_set_d(x, isfinite(d) ? d : 0);
    arf_get_fmpq(&value[i], x);
  }
  arf_clear(x);
}

bool random_consistent(truth a, truth b)
{
  bool a_decided = a == TRUTH_TRUE || a == TRUTH_FALSE, b_decided = b == TRUTH_TRUE || b == TRUTH_FALSE;
  if (a_decided && b_decided)
    return a == b;
  if (a == TRUTH_UNDEFINED)
    return b == TRUTH_UNDEFINED || b == TRUTH_UNKNOWN;
  if (b == TRUTH_UNDEFINED)
    return a == TRUTH_UNKNOWN;
  return true;
}
