/* The vectorised scan for AVX2 with FMA; the contract is in scan.h, the loops in scan_lanes.h, the exponential in
 * scan_exp.h. */
#include "sim/scan_vector.h"

#ifdef SCAN_HAS_X86
#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline, target("avx2,fma")))
#define SCAN_CHANNELS scan_channels_avx2
#define SCAN_DECAYS scan_decays_avx2

#include "sim/scan_types.h"

INLINE vector mul_add(vector a, vector b, vector c)
{
  return (vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/* a b - c, where c is an integer next to it: f. */
INLINE vector mul_rest(vector a, vector b, vector c)
{
  return (vector)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#include "sim/scan_exp.h"
#include "sim/scan_lanes.h"
#endif
