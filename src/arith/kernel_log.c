/* log and log1p with a proved relative error; the contract is in kernels.h.
 *
 * x = 2^k (1 + f) with 1 + f between 0x1.6a09ep-1 and 0x1.6a09ep+0, next to sqrt(1/2) and sqrt 2. With s
 * = f/(2 + f), log(1 + f) = 2 artanh s = 2 s + s q, where q = 2/3 s^2 + 2/5 s^4 + ... is cut after s^20.
 * Since 2 s = f - h + s h for h = f^2/2, that is f - (h - s (h + q)), whose leading term is exact: so the
 * relative error stays small close to x = 1, where k = 0 and nothing is added. (That way to write it is
 * well known from the C libraries.)
 *
 * log1p takes u = 1 + x, rounded, and what the rounding lost, c = 1 + x - u, which is a double again
 * (Knuth's two-sum): log(1 + x) = log u + log(1 + c/u), and log(1 + c/u) is c/u up to 2^-107.
 *
 * Behind each operation stands the size of its result and what its rounding and its operands' errors
 * amount to. The sums are proved in tests/gappa/log*.g, whose constants a test compares with the ones
 * below. */
#include "arith/kernels.h"

#include "arith/kernel_loop.h"

/* 2/3, 2/5, ..., 2/21, rounded. */
#define L1 0x1.5555555555555p-1
#define L2 0x1.999999999999ap-2
#define L3 0x1.2492492492492p-2
#define L4 0x1.c71c71c71c71cp-3
#define L5 0x1.745d1745d1746p-3
#define L6 0x1.3b13b13b13b14p-3
#define L7 0x1.1111111111111p-3
#define L8 0x1.e1e1e1e1e1e1ep-4
#define L9 0x1.af286bca1af28p-4
#define L10 0x1.8618618618618p-4

#define LEAST_FACTOR_BITS 0x3fe6a09e00000000u /* of 0x1.6a09ep-1 */
#define ONE_BITS 0x3ff0000000000000u
#define FRACTION_BITS 0x000fffffffffffffu
#define TWO52_BITS 0x4330000000000000u

struct reduced {
  double f, k; /* x = 2^k (1 + f), exactly */
};

/* For normal positive x. */
static inline struct reduced reduce(double x)
{
  /* With this added, the exponent field steps at 0x1.6a09ep-1 times a power of two, and holds k + 1023. */
  uint64_t bits = kernel_bits(x) + (ONE_BITS - LEAST_FACTOR_BITS);
  struct reduced a;
  a.k = kernel_from_bits(TWO52_BITS | (bits >> 52)) - (0x1p52 + 1023.0);    /* exact; -1022 .. 1024 */
  a.f = kernel_from_bits((bits & FRACTION_BITS) + LEAST_FACTOR_BITS) - 1.0; /* exact; -0.2929 .. 0.4143 */
  return a;
}

/* k ln 2 + log(1 + f) + a small number, where low is k LN2_LO + that number, rounded. */
static inline double log_reduced(double f, double k, double low)
{
  double h = 0.5 * f * f;    /* f^2/2 < 0.0858: 2^-57, and relatively 2^-53 */
  double s = f / (2.0 + f);  /* |s| < 0.1716: relatively 2^-52 */
  double z = s * s;          /* < 0.0295: relatively 2^-50.6 */
  double w = z * z;          /* < 0.0009 */
  double odd = z * (L1 + w * (L3 + w * (L5 + w * (L7 + w * L9))));    /* < 0.0197: relatively 2^-50.1 */
  double even = w * (L2 + w * (L4 + w * (L6 + w * (L8 + w * L10))));  /* < 0.0004: relatively 2^-49.2 */
  double q = odd + even;     /* < 0.02: 2^-55.8 */
  double v = s * (h + q) + low;  /* product < 0.0182: 2^-56.4; sum: 2^-59; series 2^-61.9; low 2^-87 */
  double y = f - (h - v);    /* h - v < 0.08: 2^-57; y < 0.347: 2^-55 */
  return k * LN2_HI + y;     /* product: exact; sum: exact where k = 0, else beyond 0.346, relatively 2^-53 */
}

static inline double log_element(double x)
{
  struct reduced a = reduce(x);
  double y = log_reduced(a.f, a.k, a.k * LN2_LO);
  return kernel_choose((x >= DBL_MIN) & (x <= DBL_MAX), y, KERNEL_NAN);
}

/* f = 0 and k = 0 where |x| <= 2^-53: u = 1, c = x, and the result is c/u = x itself, off log(1 + x) by
 * |x|/2 relatively. Where k = 0 and f is one ulp of u, c may be half of that: the worst case. */
static inline double log1p_element(double x)
{
  double u = 1.0 + x;                          /* at least 2^-53 in the domain */
  double part = u - 1.0;                       /* of x, as u has it */
  double c = (1.0 - (u - part)) + (x - part);  /* exact; at most half an ulp of u */
  struct reduced a = reduce(u);
  double low = a.k * LN2_LO + c / u;           /* c/u <= 2^-53: 2^-106; k LN2_LO < 2^-34: 2^-87; sum: 2^-87 */
  double y = log_reduced(a.f, a.k, low);
  return kernel_choose((x >= KERNEL_LOG1P_LO) & (x <= DBL_MAX), y, KERNEL_NAN);
}

KERNEL_DEFINE(kernel_log, log_element)
KERNEL_DEFINE(kernel_log1p, log1p_element)
