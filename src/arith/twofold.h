/* Numbers as the unevaluated sum of two doubles, with a bound on what the two leave out.
 *
 * A twofold (h, l, e) stands for any real x with |x - (h + l)| <= e. With e = 0 it stands for h + l and no
 * other number: sums and products of numbers with few bits stay exact, and so ties between them are seen
 * to be ties. Where e is infinite or NaN nothing is known, not even that there is a number. No order of
 * magnitude is promised between h and l.
 *
 * Why an e = 0 can be trusted. Everything rests on two transformations without error, in round-to-nearest:
 *   sum      a + b = s + r exactly, s = fl(a + b) (Knuth, The Art of Computer Programming 2, 4.2.2, theorem
 *            B): for all doubles, subnormal ones too, unless s overflows, and then r is not finite.
 *   product  a b = p + r exactly, p = fl(a b) (Dekker, Numerische Mathematik 18, 1971), where the split of
 *            a and b does not overflow and r is no less than a double can hold. |a|, |b| <= 2^900 and |p| >=
 *            2^-900 suffice: the last bit of a b is at least 2^-1006. a b = 0 is 0 where a or b is.
 * Each operation writes the real result as a finite sum of doubles, sums these up by the first
 * transformation, keeps two of them, and bounds the others by their magnitudes: e = 0 only if both operands
 * have e = 0, every product was exact, and every double that was not kept is 0. (Sums of magnitudes are 0
 * only if all of them are.) In all other cases e is rounded up by `twofold_outward`. */
#ifndef ASSAY_ARITH_TWOFOLD_H
#define ASSAY_ARITH_TWOFOLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Inlined into functions for processors with and without fused multiply-add. */
#define TWOFOLD_INLINE static inline __attribute__((always_inline))

typedef struct {
  double h, l, e;
} twofold;

typedef struct {
  double value, rest;
} twofold_pair;

/* A bound that is a sum of at most two dozen positive terms, each rounded a few times on its way: 1 + 64 u
 * makes up for the roundings, 2^-1000 for all underflow (2^-1074 each). */
TWOFOLD_INLINE double twofold_outward(double e)
{
  return e * 0x1.000000000002p+0 + 0x1p-1000;
}

TWOFOLD_INLINE twofold_pair twofold_two_sum(double a, double b)
{
  double s = a + b, part = s - a;
  return (twofold_pair){s, (a - (s - part)) + (b - part)};
}

/* The upper half of a double's bits (Veltkamp); |a| <= 2^900. */
TWOFOLD_INLINE double twofold_upper(double a)
{
  double c = 0x1.0000002p+27 * a; /* 2^27 + 1 */
  return c - (c - a);
}

/* a b = value + rest, but for at most *missed (added to). `fused`: the processor has a fused multiply-add,
 * which gives the same rest at once. */
TWOFOLD_INLINE twofold_pair twofold_two_product(double a, double b, double *missed, bool fused)
{
  double p = a * b;
  bool fits = (fabs(a) <= 0x1p900) & (fabs(b) <= 0x1p900) & (fabs(p) >= 0x1p-900);
  if (fits | (a == 0) | (b == 0)) { /* one branch; NaN where one is 0 and the other not finite */
    if (fused)
      return (twofold_pair){p, __builtin_fma(a, b, -p)};
    double a1 = twofold_upper(a), a2 = a - a1, b1 = twofold_upper(b), b2 = b - b1;
    return (twofold_pair){p, fits ? ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2 : p - p};
  }
  *missed += twofold_outward(0x1p-53 * fabs(p));
  return (twofold_pair){p, 0};
}

TWOFOLD_INLINE twofold twofold_double(double x)
{
  return (twofold){x, 0, 0};
}

TWOFOLD_INLINE twofold twofold_unknown(void)
{
  return (twofold){0, 0, HUGE_VAL};
}

TWOFOLD_INLINE bool twofold_is_known(twofold x)
{
  return x.e < HUGE_VAL; /* false for NaN */
}

TWOFOLD_INLINE bool twofold_is_exact(twofold x)
{
  return x.e == 0;
}

TWOFOLD_INLINE bool twofold_is_zero(twofold x)
{
  return x.h == 0 && x.l == 0 && x.e == 0;
}

/* Whether x and y are just doubles, exactly: one branch instead of four. */
TWOFOLD_INLINE bool twofold_are_single(twofold x, twofold y)
{
  const double rest[4] = {x.l, x.e, y.l, y.e};
  uint64_t bits[4];
  memcpy(bits, rest, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 == 0; /* -0 is 0 */
}

TWOFOLD_INLINE twofold twofold_negate(twofold x)
{
  return (twofold){-x.h, -x.l, x.e};
}

/* h + l with the rest of both, which no longer are added up: `missed` is a sum of magnitudes, `spread` what
 * the operands' e make of the result; `exact`: the latter is 0 and not just too small for a double. */
TWOFOLD_INLINE twofold twofold_close(double h, double l, double missed, double spread, bool exact)
{
  if (exact && missed == 0)
    return (twofold){h, l, l - l}; /* 0, or NaN after an overflow */
  return (twofold){h, l, twofold_outward(missed + spread)};
}

TWOFOLD_INLINE twofold twofold_add(twofold x, twofold y)
{
  twofold_pair s = twofold_two_sum(x.h, y.h);
  if (twofold_are_single(x, y))
    return (twofold){s.value, s.rest, s.rest - s.rest};
  twofold_pair t = twofold_two_sum(x.l, y.l), c = twofold_two_sum(s.rest, t.value);
  twofold_pair r = twofold_two_sum(s.value, c.value);
  twofold_pair low = twofold_two_sum(r.rest, c.rest), last = twofold_two_sum(low.value, t.rest);
  return twofold_close(r.value, last.value, fabs(low.rest) + fabs(last.rest), x.e + y.e,
                       x.e == 0 && y.e == 0);
}

TWOFOLD_INLINE twofold twofold_subtract(twofold x, twofold y)
{
  return twofold_add(x, twofold_negate(y));
}

/* x y with y.l = 0: the sum of two products. */
TWOFOLD_INLINE twofold twofold_multiply_single(twofold x, twofold y, bool fused)
{
  double missed = 0;
  twofold_pair p = twofold_two_product(x.h, y.h, &missed, fused);
  twofold_pair b = twofold_two_product(x.l, y.h, &missed, fused);
  twofold_pair t = twofold_two_sum(p.rest, b.value), r = twofold_two_sum(p.value, t.value);
  twofold_pair low = twofold_two_sum(r.rest, t.rest), last = twofold_two_sum(low.value, b.rest);
  double spread = (fabs(x.h) + fabs(x.l)) * y.e + fabs(y.h) * x.e + x.e * y.e;
  return twofold_close(r.value, last.value, missed + fabs(low.rest) + fabs(last.rest), spread,
                       x.e == 0 && y.e == 0);
}

/* x y = the sum of the four products of halves. */
TWOFOLD_INLINE twofold twofold_multiply_both(twofold x, twofold y, bool fused)
{
  double missed = 0;
  twofold_pair p = twofold_two_product(x.h, y.h, &missed, fused);
  twofold_pair a = twofold_two_product(x.h, y.l, &missed, fused);
  twofold_pair b = twofold_two_product(x.l, y.h, &missed, fused);
  twofold_pair c = twofold_two_product(x.l, y.l, &missed, fused);
  twofold_pair s = twofold_two_sum(a.value, b.value), t = twofold_two_sum(s.value, p.rest);
  twofold_pair r = twofold_two_sum(p.value, t.value);
  const double small[6] = {s.rest, t.rest, c.value, a.rest, b.rest, c.rest};
  double l = r.rest;
  for (int i = 0; i < 6; i++) {
    twofold_pair next = twofold_two_sum(l, small[i]);
    l = next.value;
    missed += fabs(next.rest);
  }
  double size_x = fabs(x.h) + fabs(x.l), size_y = fabs(y.h) + fabs(y.l);
  return twofold_close(r.value, l, missed, size_x * y.e + size_y * x.e + x.e * y.e, x.e == 0 && y.e == 0);
}

/* 0 times whatever is a number is 0. */
TWOFOLD_INLINE twofold twofold_multiply_long(twofold x, twofold y, bool fused)
{
  if ((twofold_is_zero(x) && twofold_is_known(y)) || (twofold_is_zero(y) && twofold_is_known(x)))
    return twofold_double(0);
  if (y.l == 0)
    return twofold_multiply_single(x, y, fused);
  return x.l == 0 ? twofold_multiply_single(y, x, fused) : twofold_multiply_both(x, y, fused);
}

TWOFOLD_INLINE twofold twofold_multiply(twofold x, twofold y, bool fused)
{
  if (twofold_are_single(x, y)) {
    double missed = 0;
    twofold_pair p = twofold_two_product(x.h, y.h, &missed, fused);
    return twofold_close(p.value, p.rest, missed, 0, true);
  }
  return twofold_multiply_long(x, y, fused);
}

/* n >= 0; x^0 = 1. */
TWOFOLD_INLINE twofold twofold_power(twofold x, uint32_t n, bool fused)
{
  twofold r = {1, 0, twofold_is_known(x) ? 0 : HUGE_VAL};
  for (bool started = false; n; n >>= 1) {
    if (n & 1) {
      r = started ? twofold_multiply(r, x, fused) : x;
      started = true;
    }
    if (n > 1)
      x = twofold_multiply(x, x, fused);
  }
  return r;
}

/* The sign of x: -1, 0, 1; 2 where the bound leaves it open. fl(h + l) has the sign of h + l, and is at
 * most 1 + u times as large. */
TWOFOLD_INLINE int twofold_sign(twofold x)
{
  double s = x.h + x.l;
  if (x.e == 0)
    return (s > 0) - (s < 0);
  double far = twofold_outward(x.e);
  if (!(far < HUGE_VAL) || !(fabs(s) > far))
    return 2;
  return s > 0 ? 1 : -1;
}

/* The sign of x - y, in the same way. */
TWOFOLD_INLINE int twofold_compare(twofold x, twofold y)
{
  if (twofold_are_single(x, y))
    return (x.h > y.h) - (x.h < y.h);
  return twofold_sign(twofold_subtract(x, y));
}

/* The sign of h + l alone. */
TWOFOLD_INLINE bool twofold_is_negative(twofold x)
{
  return x.h + x.l < 0;
}

TWOFOLD_INLINE twofold twofold_abs(twofold x)
{
  return twofold_is_negative(x) ? twofold_negate(x) : x;
}

TWOFOLD_INLINE twofold twofold_relu(twofold x)
{
  return twofold_is_negative(x) ? (twofold){0, 0, x.e} : x;
}

/* Where the sign of d = x - y is open, so that |h + l| <= d.e (1 + 128 u) + 2^-999 there, |x - y| is at most
 * three times d.e (and d.e at least 2^-1000); x's own h + l is off by its e, at most d.e, more. */
TWOFOLD_INLINE twofold twofold_least(twofold x, twofold y, bool greatest)
{
  if (twofold_are_single(x, y)) { /* without a branch: who is less is anybody's guess */
    double least = x.h < y.h ? x.h : y.h, most = x.h > y.h ? x.h : y.h;
    return twofold_double(greatest ? most : least);
  }
  twofold d = twofold_subtract(x, y);
  int sign = twofold_sign(d);
  if (sign == 2)
    return (twofold){x.h, x.l, twofold_outward(8 * d.e)};
  return (sign > 0) == greatest ? x : y;
}

#endif
