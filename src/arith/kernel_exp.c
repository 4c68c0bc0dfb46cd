/* exp and expm1 with a proved relative error; the contract is in kernels.h.
 *
 * x = k ln 2 + r with an integer k and |r| <= R_MAX = 0x1.63p-2, slightly more than ln 2 / 2; e^r - 1
 * from its Taylor polynomial of degree 13; then exp x = 2^k e^r and expm1 x = 2^k (e^r - 1) + (2^k - 1).
 *
 * Behind each operation stands the size of its result and what its rounding and its operands' errors
 * amount to. The sums are proved in tests/gappa/exp*.g, whose constants a test compares with the ones
 * below. */
#include "arith/kernels.h"

#include "arith/kernel_loop.h"

/* Adding it to a double below 2^51 in absolute value rounds that to an integer, which the low bits then
 * hold. */
#define SHIFT 0x1.8p52
#define INV_LN2 0x1.71547652b82fep+0

/* 1/2!, 1/3!, ..., 1/13!, rounded. */
#define E2 0x1p-1
#define E3 0x1.5555555555555p-3
#define E4 0x1.5555555555555p-5
#define E5 0x1.1111111111111p-7
#define E6 0x1.6c16c16c16c17p-10
#define E7 0x1.a01a01a01a01ap-13
#define E8 0x1.a01a01a01a01ap-16
#define E9 0x1.71de3a556c734p-19
#define E10 0x1.27e4fb7789f5cp-22
#define E11 0x1.ae64567f544e4p-26
#define E12 0x1.1eed8eff8d898p-29
#define E13 0x1.6124613a86d09p-33

struct reduced {
  double r;      /* |r| <= 0x1.63p-2, within 0x1.01p-55 of x - k ln 2, and equal to x where k = 0 */
  uint64_t k;    /* k modulo 2^12; the bits above are meaningless */
};

static inline struct reduced reduce(double x)
{
  struct reduced a;
  double t = x * INV_LN2 + SHIFT;  /* k + SHIFT: off x/ln 2 by 1/2 + 2^-43 */
  double k = t - SHIFT;            /* exact; |k| <= 1023 */
  double high = x - k * LN2_HI;    /* both exact: a multiple of 2^-54 below 1/2, or k = 0 */
  a.r = high - k * LN2_LO;         /* below 0.3467: 2^-55; the product below 2^-34: 2^-87; ln 2: 2^-92 */
  a.k = kernel_bits(t);
  return a;
}

/* e^r - 1 - r for |r| <= R_MAX. */
static inline double exp_beyond_linear(double r)
{
  double z = r * r;                                                         /* < 0.1202: 2^-57 */
  double even = E2 + z * (E4 + z * (E6 + z * (E8 + z * (E10 + z * E12))));  /* < 0.51: 2^-53.9 */
  double odd = E3 + z * (E5 + z * (E7 + z * (E9 + z * (E11 + z * E13))));   /* < 0.17: 2^-55.2 */
  return z * (even + r * odd);  /* < 0.0677: 2^-55.1 in all; what the series lacks: 2^-57.2 */
}

static inline double exp_element(double x)
{
  struct reduced a = reduce(x);
  double e = a.r + exp_beyond_linear(a.r);  /* -0.294 .. 0.4144: 2^-54.05 */
  double y = 1.0 + e;                       /* 0.706 .. 1.4144: 2^-53 above 1, 2^-54 below; e, r, series */

  /* y 2^k is exact in the domain, where it is a normal number: k is added to the exponent field. */
  double scaled = kernel_from_bits(kernel_bits(y) + (a.k << 52));
  return kernel_choose((x >= KERNEL_EXP_LO) & (x <= KERNEL_EXP_HI), scaled, KERNEL_NAN);
}

/* k = 0: the result is e, with r = x: within 2^-52 relatively for |x| >= 2^-400. For smaller x the
 * quadratic part is 0 or, where x^2 does not underflow to 0, less than 2^-300 |x|: so e = x, and
 * |expm1 x - x| <= x^2.
 * k = 1 is the worst case: e^r - 1/2 may be as small as 0.206, beside errors of 2^-54.05 and, from r, of
 * 2^-55 e^r.
 * k = -1: (e^r)/2 - 1 is at most -0.292, and e's errors are halved.
 * Else the result is at least 0.45 2^k, or at most -0.64. */
static inline double expm1_element(double x)
{
  /* Further down, expm1 x is -1 up to 2^-1020, and so is the result. */
  struct reduced a = reduce(kernel_choose(x < KERNEL_EXP_LO, KERNEL_EXP_LO, x));
  double e = a.r + exp_beyond_linear(a.r);          /* as above */
  double s = kernel_from_bits((a.k + 1023) << 52);  /* 2^k, -1021 <= k <= 1023 */
  double scaled = s * e;                            /* exact but for underflow, 2^-1075, beside -1 */
  double y = scaled + (s - 1.0);                    /* s - 1: exact for |k| <= 53, else 2^-54; sum: 2^-53 */
  return kernel_choose((x >= -DBL_MAX) & (x <= KERNEL_EXPM1_HI), y, KERNEL_NAN);
}

KERNEL_DEFINE(kernel_exp, exp_element)
KERNEL_DEFINE(kernel_expm1, expm1_element)
