/* Candidates with four lanes to a vector, and the choice between that and eight. */
#include "source/draw_fill.h"

#include "core/target.h"

TARGET_VECTOR static void fill_lanes(draw_rows *r, const uint64_t *word)
{
  FILL_ROWS
}

unsigned draw_fill_width(void)
{
#if defined(__x86_64__) && !defined(ASSAY_ONE_TARGET)
  if (__builtin_cpu_supports("avx512f"))
    return 8;
#endif
  return 4;
}

void draw_fill(draw_rows *r, const uint64_t word[LANES])
{
  if (draw_fill_width() == 8)
    draw_fill_wide(r, word);
  else
    fill_lanes(r, word);
}
