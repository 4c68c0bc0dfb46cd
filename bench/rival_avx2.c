/* The hand-written rival in AVX2 intrinsics.
 *
 * The error scheme is that of src/arith/bounded.c. u = 2^-53. A value x is held as v and m with |x - v| <=
 * k u m and |v| <= m, m being the same expression with every term taken positive and k a count of roundings
 * known when the program is written:
 *   input                k = 0
 *   1 - a                k = 1, m = |v| (operands exact)
 *   x + y                k = max(kx, ky) + 1
 *   x y                  k = kx + ky + 1 (and a term of order u, below 2^-40 here)
 * Where every term is positive anyway m is v and costs nothing: alpha, delta, p, 1 - p and the powers of A.
 *
 * Counts: p m: 1, (1-p) M: 2, s[1]: 3; s[t] = alpha s + delta z: max(k + 1, 1) + 1 = k + 2, so s[16]: 33.
 * A^(t-1): t - 2, so at most 14; q = A^(t-1) (1-p): 16; r = A^(t-1) p: 15; 1 - q: 17; (1-q) m: 18; q M:
 * 17; their sum: 19, and 18 for the upper line. Every comparison is given k = 64, which leaves room for
 * the second-order terms and for the roundings of m and of the comparison itself.
 *
 * Underflow: alpha, delta, p, 1 - p and the powers lie in [0, 1], so that an absolute error of 2^-1075 in
 * a product is never magnified but by |m| or |M|. There are fewer than 200 products: tiny = 2^-1000 (1 +
 * M - m) is far more than all their errors together. */
#include "rivals.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define KERNEL __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline, target("avx2")))

bool rival_avx2_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

typedef struct {
  __m256d v, m;
} pair;

INLINE __m256d load(const double *input, int element)
{
  return _mm256_loadu_pd(input + element * LANES);
}

/* Hypotheses: all so far true for certain, and some false for certain. */
typedef struct {
  __m256d yes, no;
} masks;

INLINE void must(masks *h, __m256d true_)
{
  h->yes = _mm256_and_pd(h->yes, true_);
  h->no = _mm256_or_pd(h->no, _mm256_xor_pd(true_, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))));
}

/* The least certain distance of a conclusion from falling, and the least possible one from being false. */
typedef struct {
  __m256d below, above;
} margins;

/* a <= b, where the error of b - a is at most 64 u e + tiny. */
INLINE void compare(margins *least, __m256d a, __m256d b, __m256d e, __m256d tiny)
{
  __m256d d = _mm256_sub_pd(b, a);
  e = _mm256_add_pd(_mm256_mul_pd(e, _mm256_set1_pd(64 * 0x1p-53)), tiny);
  least->below = _mm256_min_pd(_mm256_sub_pd(d, e), least->below);
  least->above = _mm256_min_pd(_mm256_add_pd(d, e), least->above);
}

KERNEL static void run_four(rival_verdict *out, const double *input, int lane)
{
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1);
  const __m256d sign = _mm256_set1_pd(-0.0), unit = _mm256_set1_pd(2 * 0x1p-53);
  const double *at = input + lane;
  __m256d ones = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  masks h = {ones, zero};

  /* Hypotheses: the ranges, of which delta <= 1 - alpha has one rounding, and m <= 0 <= M. */
  __m256d first = load(at, RIVAL_ALPHA), least_alpha = first;
  must(&h, _mm256_and_pd(_mm256_cmp_pd(zero, first, _CMP_LT_OQ), _mm256_cmp_pd(first, one, _CMP_LT_OQ)));
  __m256d low = load(at, RIVAL_Z), high = low, finite = _mm256_sub_pd(low, low);
  for (int t = 2; t <= RIVAL_T; t++) {
    __m256d alpha = load(at, RIVAL_ALPHA + t - 1), delta = load(at, RIVAL_DELTA + t - 2);
    __m256d z = load(at, RIVAL_Z + t - 2);
    least_alpha = _mm256_min_pd(alpha, least_alpha);
    must(&h, _mm256_and_pd(_mm256_cmp_pd(zero, alpha, _CMP_LT_OQ), _mm256_cmp_pd(alpha, one, _CMP_LT_OQ)));
    must(&h, _mm256_cmp_pd(zero, delta, _CMP_LE_OQ));
    __m256d rest = _mm256_sub_pd(one, alpha), d = _mm256_sub_pd(rest, delta), e = _mm256_mul_pd(unit, rest);
    h.yes = _mm256_and_pd(h.yes, _mm256_cmp_pd(d, e, _CMP_GE_OQ));
    h.no = _mm256_or_pd(h.no, _mm256_cmp_pd(_mm256_add_pd(d, e), zero, _CMP_LT_OQ));
    low = _mm256_min_pd(z, low);
    high = _mm256_max_pd(z, high);
    finite = _mm256_add_pd(finite, _mm256_sub_pd(z, z));
  }
  __m256d p = load(at, RIVAL_P);
  must(&h, _mm256_and_pd(_mm256_cmp_pd(zero, p, _CMP_LE_OQ), _mm256_cmp_pd(p, one, _CMP_LE_OQ)));
  must(&h, _mm256_and_pd(_mm256_cmp_pd(low, zero, _CMP_LE_OQ), _mm256_cmp_pd(zero, high, _CMP_LE_OQ)));

  /* The recurrence and its bounds. */
  __m256d low_size = _mm256_andnot_pd(sign, low), high_size = _mm256_andnot_pd(sign, high);
  __m256d tiny = _mm256_add_pd(one, _mm256_add_pd(low_size, high_size));
  tiny = _mm256_mul_pd(_mm256_set1_pd(0x1p-1000), tiny);
  __m256d other = _mm256_sub_pd(one, p), power = one;
  pair s;
  s.v = _mm256_add_pd(_mm256_mul_pd(p, low), _mm256_mul_pd(other, high));
  s.m = _mm256_add_pd(_mm256_mul_pd(p, low_size), _mm256_mul_pd(other, high_size));
  margins c = {_mm256_set1_pd(1e300), _mm256_set1_pd(1e300)};
  for (int t = 2; t <= RIVAL_T; t++) {
    __m256d alpha = load(at, RIVAL_ALPHA + t - 1), delta = load(at, RIVAL_DELTA + t - 2);
    __m256d z = load(at, RIVAL_Z + t - 2);
    s.v = _mm256_add_pd(_mm256_mul_pd(alpha, s.v), _mm256_mul_pd(delta, z));
    s.m = _mm256_add_pd(_mm256_mul_pd(alpha, s.m), _mm256_mul_pd(delta, _mm256_andnot_pd(sign, z)));
    power = _mm256_mul_pd(power, least_alpha);
    __m256d q = _mm256_mul_pd(power, other), r = _mm256_mul_pd(power, p);
    __m256d lower = _mm256_add_pd(_mm256_mul_pd(_mm256_sub_pd(one, q), low), _mm256_mul_pd(q, high));
    __m256d upper = _mm256_add_pd(_mm256_mul_pd(r, low), _mm256_mul_pd(_mm256_sub_pd(one, r), high));
    __m256d lower_m = _mm256_mul_pd(_mm256_add_pd(one, q), low_size);
    __m256d upper_m = _mm256_mul_pd(_mm256_add_pd(one, r), high_size);
    lower_m = _mm256_add_pd(lower_m, _mm256_mul_pd(q, high_size));
    upper_m = _mm256_add_pd(_mm256_mul_pd(r, low_size), upper_m);
    compare(&c, lower, s.v, _mm256_add_pd(lower_m, s.m), tiny);
    compare(&c, s.v, upper, _mm256_add_pd(upper_m, s.m), tiny);
  }
  /* Infinities and NaN among the z leave 0 - 0 behind as NaN; in the other inputs they break a range. */
  int known = _mm256_movemask_pd(_mm256_cmp_pd(finite, zero, _CMP_EQ_OQ));
  out->admissible |= (uint32_t)(_mm256_movemask_pd(h.yes) & known) << lane;
  out->inadmissible |= (uint32_t)(_mm256_movemask_pd(h.no) & known) << lane;
  out->holds |= (uint32_t)(_mm256_movemask_pd(_mm256_cmp_pd(c.below, zero, _CMP_GE_OQ)) & known) << lane;
  out->breaks |= (uint32_t)(_mm256_movemask_pd(_mm256_cmp_pd(c.above, zero, _CMP_LT_OQ)) & known) << lane;
}

KERNEL void rival_avx2(rival_verdict *out, const double *input)
{
  *out = (rival_verdict){0};
  for (int lane = 0; lane < LANES; lane += 4)
    run_four(out, input, lane);
}

#else

bool rival_avx2_usable(void)
{
  return false;
}

void rival_avx2(rival_verdict *out, const double *input)
{
  (void)input;
  *out = (rival_verdict){0};
}

#endif
