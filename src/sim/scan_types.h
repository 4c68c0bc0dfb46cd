/* A vector of LANES doubles, for the file that includes this one and has defined
 *
 *   LANES   how many
 *   INLINE  how a static function is compiled for the target, and inlined */
#include <stdint.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are only handed to functions that are inlined */

typedef double vector __attribute__((vector_size(8 * LANES)));
typedef int64_t vector_bits __attribute__((vector_size(8 * LANES)));
typedef double vector_anywhere __attribute__((vector_size(8 * LANES), aligned(8)));

#if LANES == 2
#define ALL(x) {(x), (x)}
#elif LANES == 4
#define ALL(x) {(x), (x), (x), (x)}
#else
#define ALL(x) {(x), (x), (x), (x), (x), (x), (x), (x)}
#endif

INLINE vector all(double x)
{
  return (vector)ALL(x);
}

INLINE vector choose(vector_bits mask, vector yes, vector no)
{
  return (vector)(((vector_bits)yes & mask) | ((vector_bits)no & ~mask));
}
