/* The decay of the vectorised scans that have no table: exp(Delta A) = 2^X with X = Delta (A log2 e). k is X rounded to an
 * integer, f = X - k with |f| <= 1/2, and 2^f is the square of 2^(f/2), which comes from a polynomial of degree 9; then k
 * is added to the exponent. The error is proved in tests/gappa/scan-exp.g with FMA, scan-exp-generic.g without.
 *
 * The file that includes this one has defined INLINE, vector, vector_bits, mul_add, mul_rest (scan_lanes.h). */
#include <math.h>
#include <stdint.h>

#define NEAR 1021.0 /* where 2^X is a normal number, and k may be added to the exponent */

/* Adding it to a double below 2^51 in absolute value rounds that to an integer, which the low bits then hold. */
#define SHIFT 0x1.8p52

/* 2^(f/2) up to 2^-55.1. */
#define C1 0x1.62e42fefa39efp-2
#define C2 0x1.ebfbdff82c482p-5
#define C3 0x1.c6b08d704a8b1p-8
#define C4 0x1.3b2ab6fc489a1p-11
#define C5 0x1.5d87fe750e4aap-15
#define C6 0x1.43090b3b31558p-19
#define C7 0x1.ffcc1fab1334bp-24
#define C8 0x1.6309ecdbfa971p-28
#define C9 0x1.b4d3350c838f3p-33

/* 2^f; *shifted holds k in its low bits. */
INLINE vector power(vector_bits *shifted, vector step, vector rate)
{
  vector t = mul_add(step, rate, all(SHIFT));
  vector f = mul_rest(step, rate, t - all(SHIFT));
  vector q = mul_add(all(C9), f, all(C8));
  q = mul_add(q, f, all(C7));
  q = mul_add(q, f, all(C6));
  q = mul_add(q, f, all(C5));
  q = mul_add(q, f, all(C4));
  q = mul_add(q, f, all(C3));
  q = mul_add(q, f, all(C2));
  q = mul_add(q, f, all(C1));
  vector root = mul_add(q, f, all(1.0));
  *shifted = (vector_bits)t;
  return root * root;
}

INLINE void decay_near(vector *alpha, vector step, const vector *rate, int count)
{
#pragma GCC unroll 4
  for (int i = 0; i < count; i++) {
    vector_bits k;
    vector p = power(&k, step, rate[i]);
    alpha[i] = (vector)((vector_bits)p + (k << 52));
  }
}

/* 2^k, -1022 <= k <= 1023. */
INLINE vector two_to(vector_bits k)
{
  return (vector)((k + 1023) << 52);
}

/* In two steps, of which only the second one rounds, where the result is subnormal. */
INLINE vector decay_far(vector step, vector rate)
{
  vector x = step * rate;
  vector_bits below = (vector_bits)(x < -1100.0), above = (vector_bits)(x > 1100.0), number = (vector_bits)(x == x);
  vector_bits k, inside = number & ~below & ~above;
  vector p = power(&k, choose(inside, step, all(0.0)), choose(inside, rate, all(0.0)));
  k -= (vector_bits)all(SHIFT);
  vector_bits half = k >> 1;
  vector alpha = p * two_to(half) * two_to(k - half);
  return choose(number, choose(below, all(0.0), choose(above, all(INFINITY), alpha)), x);
}
