/* The table of numbers: interning, domains, exact results. Balls are in ball.c. */
#include "verify/number.h"

#include <stdlib.h>
#include <string.h>

#include "cert/exact.h"
#include "core/limits.h"
#include "core/memory.h"
#include "verify/numbers.h"

enum { NUMBERS_MAX = 1 << 24, FIRST_PRECISION = 64, SHOWN_DIGITS = 30 };

numbers *numbers_create(slong max_precision)
{
  numbers *s = memory_new(1, sizeof *s);
  s->max_precision = max_precision;
  key_map_init(&s->map);
  s->count = NUMBER_ZERO; /* undefined and unknown have no entry that is ever read */
  number_from_integer(s, 0);
  number_from_integer(s, 1);
  return s;
}

void numbers_destroy(numbers *s)
{
  for (number i = NUMBER_ZERO; i < s->count; i++) {
    fmpq_clear(s->entry[i].rational);
    if (s->entry[i].precision)
      arb_clear(s->entry[i].ball);
  }
  for (uint32_t i = 0; i < s->integrals; i++)
    integrand_destroy(s->integral[i]);
  free(s->integral);
  free(s->entry);
  key_map_clear(&s->map);
  free(s);
}

bool numbers_full(const numbers *s)
{
  return s->count >= NUMBERS_MAX;
}

static number add_entry(numbers *s, const uint64_t *key, size_t length, unsigned op, number a, int64_t b)
{
  if (numbers_full(s))
    return NUMBER_UNKNOWN;
  if (s->count >= s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 256;
    s->entry = memory_resize(s->entry, s->capacity, sizeof *s->entry);
  }
  number_entry *e = &s->entry[s->count];
  memset(e, 0, sizeof *e);
  e->op = op;
  e->a = a;
  e->b = b;
  fmpq_init(e->rational);
  key_map_set(&s->map, key, length, s->count);
  return s->count++;
}

/* The words of |x|, in `word`. */
static void put_words(uint64_t *word, size_t count, const fmpz_t x)
{
  fmpz_t magnitude;
  fmpz_init(magnitude);
  fmpz_abs(magnitude, x);
  fmpz_get_ui_array((ulong *)word, (slong)count, magnitude);
  fmpz_clear(magnitude);
}

number number_from_rational(numbers *s, const fmpq_t q)
{
  size_t above = (size_t)fmpz_size(fmpq_numref(q)), below = (size_t)fmpz_size(fmpq_denref(q)),
         length = 3 + above + below;
  uint64_t *key = memory_new(length, sizeof *key);
  key[0] = OP_RATIONAL;
  key[1] = fmpq_sgn(q) < 0;
  key[2] = above;
  if (above)
    put_words(key + 3, above, fmpq_numref(q));
  put_words(key + 3 + above, below, fmpq_denref(q));
  number a;
  if (!key_map_find(&s->map, key, length, &a)) {
    a = add_entry(s, key, length, OP_RATIONAL, 0, 0);
    if (a != NUMBER_UNKNOWN)
      fmpq_set(s->entry[a].rational, q);
  }
  free(key);
  return a;
}

number number_from_integer(numbers *s, int64_t n)
{
  fmpq_t q;
  fmpq_init(q);
  fmpz_set_si(fmpq_numref(q), n);
  number a = number_from_rational(s, q);
  fmpq_clear(q);
  return a;
}

/* The real number that is this operation on these operands, without any simplification. */
static number make_real(numbers *s, unsigned op, number a, int64_t b)
{
  uint64_t key[3] = {op, a, (uint64_t)b};
  number r;
  return key_map_find(&s->map, key, 3, &r) ? r : add_entry(s, key, 3, op, a, b);
}

number number_pi(numbers *s)
{
  return make_real(s, OP_PI, 0, 0);
}

number number_integral(numbers *s, integrand *f)
{
  s->integral = memory_resize(s->integral, s->integrals + 1, sizeof *s->integral);
  s->integral[s->integrals++] = f;
  arb_t ball;
  arb_init(ball);
  integral_ball(s, ball, f, FIRST_PRECISION);
  bool known = arb_is_finite(ball);
  arb_clear(ball);
  if (!known)
    return NUMBER_UNKNOWN;
  return f->low == f->high ? NUMBER_ZERO : make_real(s, OP_INTEGRAL, 0, s->integrals - 1);
}

const fmpq *number_rational(const numbers *s, number a)
{
  return number_is_defined(a) && s->entry[a].op == OP_RATIONAL ? s->entry[a].rational : NULL;
}

int number_compare(numbers *s, number a, number b)
{
  if (!number_is_defined(a) ||
      !number_is_defined(b)) /* happens within this file only, when the table is full */
    return NUMBER_OPEN;
  if (a == b)
    return 0;
  const fmpq *p = number_rational(s, a), *q = number_rational(s, b);
  if (p && q)
    return fmpq_cmp(p, q) < 0 ? -1 : 1; /* equal rationals are one number */
  for (slong precision = FIRST_PRECISION;; precision *= 2) {
    if (precision > s->max_precision)
      precision = s->max_precision;
    numbers_refine(s, a, precision);
    numbers_refine(s, b, precision);
    const arb_struct *x = s->entry[a].ball, *y = s->entry[b].ball;
    if (arb_lt(x, y))
      return -1;
    if (arb_gt(x, y))
      return 1;
    if (arb_is_exact(x) && arb_is_exact(y) && arb_eq(x, y))
      return 0;
    if (precision == s->max_precision)
      return NUMBER_OPEN;
  }
}

int number_sign(numbers *s, number a)
{
  const fmpq *q = number_rational(s, a);
  return q ? fmpq_sgn(q) : number_compare(s, a, NUMBER_ZERO);
}

/* What a sign says of "positive", "not negative" and "not zero". */
static truth decided(int sign, bool wanted)
{
  return sign == NUMBER_OPEN ? TRUTH_OPEN : wanted ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Whether the operation is defined at its operands: true, false or open. */
static truth in_domain(numbers *s, unsigned op, number a, number b)
{
  int sign;
  number x;
  switch (op) {
  case OP_DIVIDE:
    sign = number_sign(s, b);
    return decided(sign, sign != 0);
  case OP_FUNCTION + FUNCTION_SQRT:
    sign = number_sign(s, a);
    return decided(sign, sign >= 0);
  case OP_FUNCTION + FUNCTION_LOG:
    sign = number_sign(s, a);
    return decided(sign, sign > 0);
  case OP_FUNCTION + FUNCTION_LOG1P:
    sign = number_compare(s, a, number_from_integer(s, -1));
    return decided(sign, sign > 0);
  case OP_FUNCTION + FUNCTION_TAN: /* the poles, odd multiples of pi/2, are irrational */
    sign = number_rational(s, a) ? 1 : number_sign(s, number_apply(s, OP_FUNCTION + FUNCTION_COS, a, 0));
    return decided(sign, sign != 0);
  case OP_FUNCTION + FUNCTION_LAMBERTW0: /* a >= -1/e */
    x = number_apply(s, OP_NEGATE, number_apply(s, OP_FUNCTION + FUNCTION_EXP, number_from_integer(s, -1), 0),
                     0);
    sign = number_compare(s, a, x);
    return decided(sign, sign >= 0);
  default:
    return TRUTH_TRUE;
  }
}

/* r = the root of a if that is rational (degree 2 or 3; a >= 0 where it is 2). */
static bool rational_root(fmpq_t r, const fmpq_t a, ulong degree)
{
  return fmpz_root(fmpq_numref(r), fmpq_numref(a), (slong)degree) &&
         fmpz_root(fmpq_denref(r), fmpq_denref(a), (slong)degree);
}

/* r = f(a) where that is rational. Functions that are transcendental at every other rational are so by the
 * theorem of Lindemann; for erf and gelu nothing is claimed beyond 0, only less is simplified. */
static bool rational_function(fmpq_t r, function_kind f, const fmpq_t a)
{
  switch (f) {
  case FUNCTION_ABS:
    fmpq_abs(r, a);
    return true;
  case FUNCTION_RELU:
    if (fmpq_sgn(a) > 0)
      fmpq_set(r, a);
    return true; /* r was 0 */
  case FUNCTION_SQRT:
    return rational_root(r, a, 2);
  case FUNCTION_CBRT:
    return rational_root(r, a, 3);
  case FUNCTION_EXP:
  case FUNCTION_COS:
    fmpq_one(r);
    return fmpq_is_zero(a);
  case FUNCTION_LOG:
    return fmpq_is_one(a);
  case FUNCTION_SIGMOID:
    fmpq_set_si(r, 1, 2);
    return fmpq_is_zero(a);
  case FUNCTION_SOFTPLUS:
    return false;
  default: /* the others are 0 at 0 */
    return fmpq_is_zero(a);
  }
}

static slong size_of(const fmpq_t q)
{
  return (slong)(fmpz_bits(fmpq_numref(q)) + fmpz_bits(fmpq_denref(q)));
}

/* The rational result of an operation on rationals within its domain; false if it is none, or too long. */
static bool exact_result(fmpq_t r, unsigned op, const fmpq_t a, const fmpq_t b)
{
  if (op >= OP_FUNCTION)
    return rational_function(r, (function_kind)(op - OP_FUNCTION), a);
  if (op != OP_NEGATE && size_of(a) + size_of(b) > LIMIT_EXACT_BITS)
    return false;
  switch (op) {
  case OP_NEGATE:
    fmpq_neg(r, a);
    return true;
  case OP_ADD:
    fmpq_add(r, a, b);
    return true;
  case OP_SUBTRACT:
    fmpq_sub(r, a, b);
    return true;
  case OP_MULTIPLY:
    fmpq_mul(r, a, b);
    return true;
  case OP_DIVIDE:
    fmpq_div(r, a, b);
    return true;
  default:
    return false;
  }
}

/* Simplifications that need no arithmetic, for operands within the domain; NUMBER_UNKNOWN: none applies. */
static number simplify(numbers *s, unsigned op, number a, number b)
{
  switch (op) {
  case OP_NEGATE:
    return s->entry[a].op == OP_NEGATE ? s->entry[a].a : NUMBER_UNKNOWN;
  case OP_ADD:
    return a == NUMBER_ZERO ? b : b == NUMBER_ZERO ? a : NUMBER_UNKNOWN;
  case OP_SUBTRACT:
    return a == b             ? NUMBER_ZERO
           : b == NUMBER_ZERO ? a
           : a == NUMBER_ZERO ? number_apply(s, OP_NEGATE, b, 0)
                              : NUMBER_UNKNOWN;
  case OP_MULTIPLY:
    if (a == NUMBER_ZERO || b == NUMBER_ZERO)
      return NUMBER_ZERO;
    return a == NUMBER_ONE ? b : b == NUMBER_ONE ? a : NUMBER_UNKNOWN;
  case OP_DIVIDE:
    return a == b ? NUMBER_ONE : b == NUMBER_ONE ? a : a == NUMBER_ZERO ? NUMBER_ZERO : NUMBER_UNKNOWN;
  default:
    return NUMBER_UNKNOWN;
  }
}

/* min, max, abs and relu are one of their operands (or its negative, or 0) once the order is decided. */
static number choose(numbers *s, unsigned op, number a, number b)
{
  bool two = numbers_takes_two(op);
  int order = number_compare(s, a, two ? b : NUMBER_ZERO);
  if (order == NUMBER_OPEN)
    return make_real(s, op, a, two ? b : 0);
  switch (op) {
  case OP_FUNCTION + FUNCTION_MIN:
    return order <= 0 ? a : b;
  case OP_FUNCTION + FUNCTION_MAX:
    return order >= 0 ? a : b;
  case OP_FUNCTION + FUNCTION_ABS:
    return order >= 0 ? a : number_apply(s, OP_NEGATE, a, 0);
  default:
    return order >= 0 ? a : NUMBER_ZERO;
  }
}

number number_apply(numbers *s, unsigned op, number a, number b)
{
  if (!numbers_takes_two(op))
    b = NUMBER_ZERO;
  if (a == NUMBER_UNDEFINED || b == NUMBER_UNDEFINED)
    return NUMBER_UNDEFINED;
  if (a == NUMBER_UNKNOWN || b == NUMBER_UNKNOWN)
    return NUMBER_UNKNOWN;
  truth inside = in_domain(s, op, a, b);
  if (inside != TRUTH_TRUE)
    return inside == TRUTH_FALSE ? NUMBER_UNDEFINED : NUMBER_UNKNOWN;
  number r = simplify(s, op, a, b);
  if (r != NUMBER_UNKNOWN)
    return r;
  if (op == OP_FUNCTION + FUNCTION_MIN || op == OP_FUNCTION + FUNCTION_MAX ||
      op == OP_FUNCTION + FUNCTION_ABS || op == OP_FUNCTION + FUNCTION_RELU)
    return choose(s, op, a, b);
  const fmpq *p = number_rational(s, a), *q = number_rational(s, b);
  fmpq_t exact;
  fmpq_init(exact);
  if (p && q && exact_result(exact, op, p, q))
    r = number_from_rational(s, exact);
  fmpq_clear(exact);
  if (r != NUMBER_UNKNOWN)
    return r;
  if ((op == OP_ADD || op == OP_MULTIPLY) && a > b)
    return make_real(s, op, b, a);
  return make_real(s, op, a, b);
}

number number_power(numbers *s, number a, int64_t exponent)
{
  if (!number_is_defined(a))
    return a;
  if (exponent == 0)
    return NUMBER_ONE;
  if (exponent == 1)
    return a;
  if (exponent < 0) {
    number domain = number_apply(s, OP_DIVIDE, NUMBER_ONE, a);
    if (!number_is_defined(domain))
      return domain;
  }
  if (a == NUMBER_ZERO || a == NUMBER_ONE)
    return a;
  const fmpq *p = number_rational(s, a);
  uint64_t steps = exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent;
  bool fits = p && steps <= LIMIT_EXACT_BITS && (uint64_t)size_of(p) * steps <= LIMIT_EXACT_BITS;
  if (!fits)
    return make_real(s, OP_POWER, a, exponent);
  fmpq_t q;
  fmpq_init(q);
  fmpq_pow_si(q, p, (slong)exponent);
  number r = number_from_rational(s, q);
  fmpq_clear(q);
  return r;
}

void number_print(numbers *s, text *out, number a)
{
  const fmpq *q = number_is_defined(a) ? number_rational(s, a) : NULL;
  if (!number_is_defined(a)) {
    text_add(out, a == NUMBER_UNDEFINED ? "undefined" : "unknown");
  } else if (q) {
    exact_print(out, q);
  } else {
    numbers_refine(s, a, 2 * FIRST_PRECISION);
    if (!enclosure_print(out, s->entry[a].ball, SHOWN_DIGITS))
      text_add(out, "unbounded");
  }
}
