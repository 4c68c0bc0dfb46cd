/* The vectorised scan for any machine, by the vector extension that gcc and clang share; the contract is in scan.h, the
 * loops in scan_lanes.h, the exponential in scan_exp.h. Without FMA, every product and sum is rounded. */
#include "sim/scan_vector.h"

#define LANES 2
#define TARGET
#define INLINE static inline __attribute__((always_inline))
#define SCAN_CHANNELS scan_channels_generic
#define SCAN_DECAYS scan_decays_generic

#include "sim/scan_types.h"

INLINE vector mul_add(vector a, vector b, vector c)
{
  return a * b + c;
}

/* fl(a b) - c, where c is an integer next to it: exact but for the product. */
INLINE vector mul_rest(vector a, vector b, vector c)
{
  return a * b - c;
}

#include "sim/scan_exp.h"
#include "sim/scan_lanes.h"
