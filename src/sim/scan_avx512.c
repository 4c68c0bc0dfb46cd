/* The vectorised scan for AVX-512; the contract is in scan.h, the loops in scan_lanes.h.
 *
 * exp(Delta A) = 2^X with X = Delta (A log2 e). Let k be X rounded to a multiple of 1/16, j = 16 (k - floor k), and
 * f = X - k, |f| <= 1/32. Then 2^X = 2^floor(k) 2^(j/16) 2^f, the second from a table of sixteen numbers in two
 * registers, the third from a polynomial of degree 6. Scaling by 2^floor(k) is one instruction that also underflows
 * gradually, rounding once, and overflows. The numbers are in scan_table.h, the proof in tests/gappa/scan-table.g. */
#include "sim/scan_vector.h"

#ifdef SCAN_HAS_X86
#include <immintrin.h>
#include <math.h>

#define LANES 8
#define TARGET __attribute__((target("avx512f,avx512dq,avx2,fma")))
#define INLINE static inline __attribute__((always_inline, target("avx512f,avx512dq,avx2,fma")))
#define SCAN_CHANNELS scan_channels_avx512
#define SCAN_DECAYS scan_decays_avx512
#define NEAR 0x1p20 /* so that k is exact; the scaling does the rest */

#include "sim/scan_table.h"
#include "sim/scan_types.h"

INLINE vector mul_add(vector a, vector b, vector c)
{
  return (vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

INLINE void decay_near(vector *alpha, vector step, const vector *rate, int count)
{
  const vector low = (vector)_mm512_load_pd(scan_sixteenths), high = (vector)_mm512_load_pd(scan_sixteenths + 8);
#pragma GCC unroll 4
  for (int i = 0; i < count; i++) {
    vector shifted = mul_add(step, rate[i], all(SHIFT_SIXTEENTHS));
    vector k = shifted - all(SHIFT_SIXTEENTHS);
    vector f = mul_add(step, rate[i], -k);
    vector q = mul_add(all(F6), f, all(F5));
    q = mul_add(q, f, all(F4));
    q = mul_add(q, f, all(F3));
    q = mul_add(q, f, all(F2));
    q = mul_add(q, f, all(F1));
    vector s = (vector)_mm512_permutex2var_pd((__m512d)low, (__m512i)shifted, (__m512d)high);
    alpha[i] = (vector)_mm512_scalef_pd((__m512d)mul_add(s, f * q, s), (__m512d)k);
  }
}

/* Beyond 2^11 the result is 0 or infinity. */
INLINE vector decay_far(vector step, vector rate)
{
  vector x = step * rate, alpha;
  __mmask8 below = _mm512_cmp_pd_mask((__m512d)x, (__m512d)all(-0x1p11), _CMP_LT_OQ);
  __mmask8 above = _mm512_cmp_pd_mask((__m512d)x, (__m512d)all(0x1p11), _CMP_GT_OQ);
  decay_near(&alpha, step, &rate, 1);
  __m512d result = _mm512_mask_mov_pd((__m512d)alpha, below, _mm512_setzero_pd());
  return (vector)_mm512_mask_mov_pd(result, above, (__m512d)all(INFINITY));
}

#include "sim/scan_lanes.h"
#endif
