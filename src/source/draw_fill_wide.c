/* Candidates with eight lanes to a vector, for processors with AVX-512: the same bits in half the steps. */
#define VECTOR_DOUBLES 8
#include "source/draw_fill.h"

#if defined(__x86_64__)
#define TARGET_WIDE __attribute__((target("avx512f")))
#else
#define TARGET_WIDE
#endif

TARGET_WIDE static void fill_lanes(draw_rows *r, const uint64_t *word)
{
  FILL_ROWS
}

void draw_fill_wide(draw_rows *r, const uint64_t word[LANES])
{
  fill_lanes(r, word);
}
