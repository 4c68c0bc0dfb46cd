/* Numbers of the judge: exact rationals, and reals that are known by how they were computed.
 *
 * A number is a handle into a table. Equal rationals share one handle, and so do results of the same
 * operation on the same operands: where two handles are equal, the two numbers are equal. A real that is not
 * known to be rational has a ball (Arb) that is recomputed with twice the precision as often as a decision
 * needs, up to the limit. Rationals whose size would pass LIMIT_EXACT_BITS are kept as such reals too.
 *
 * Two handles stand for no number: NUMBER_UNDEFINED (outside the domain of some operation, for certain) and
 * NUMBER_UNKNOWN (perhaps undefined, or perhaps one of several). Undefined wins over unknown. */
#ifndef ASSAY_VERIFY_NUMBER_H
#define ASSAY_VERIFY_NUMBER_H

#include <stdint.h>

#include "core/flint.h"
#include "core/status.h"
#include "core/text.h"
#include "lang/tree.h"

typedef uint32_t number;
enum { NUMBER_UNDEFINED, NUMBER_UNKNOWN, NUMBER_ZERO, NUMBER_ONE };

/* Operations; a function f of the language is OP_FUNCTION + f. Powers have a function of their own. */
enum { OP_RATIONAL, OP_PI, OP_INTEGRAL, OP_NEGATE, OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_POWER, OP_FUNCTION };

typedef struct numbers numbers;

numbers *numbers_create(slong max_precision);
void numbers_destroy(numbers *s);
/* True once the table is full; from then on every new number is NUMBER_UNKNOWN. */
bool numbers_full(const numbers *s);

number number_from_rational(numbers *s, const fmpq_t q);
number number_from_integer(numbers *s, int64_t n);
number number_pi(numbers *s);
/* The result of an operation of one operand (b is ignored) or two (+ - * / min max). Rational wherever the
 * language says that the value is rational. */
number number_apply(numbers *s, unsigned op, number a, number b);
/* The integral of f, which the table takes over; NUMBER_UNKNOWN where its body is not certainly defined and bounded. */
struct integrand;
number number_integral(numbers *s, struct integrand *f);
number number_power(numbers *s, number a, int64_t exponent); /* a^0 is 1 */

static inline bool number_is_defined(number a)
{
  return a > NUMBER_UNKNOWN;
}

/* -1, 0 or 1; NUMBER_OPEN where the precision does not suffice. Domain: defined numbers. */
enum { NUMBER_OPEN = 2 };
int number_sign(numbers *s, number a);
int number_compare(numbers *s, number a, number b);

/* The value if it is rational, else NULL. Valid until the next number is made. */
const fmpq *number_rational(const numbers *s, number a);
/* A ball that holds the number, computed with at least `precision` bits. */
void number_ball(numbers *s, arb_t ball, number a, slong precision);
/* Appends the rational, or a decimal enclosure rounded outward. */
void number_print(numbers *s, text *out, number a);

#endif
