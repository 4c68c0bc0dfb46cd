/* Random values of one element, LANES instances at once.
 *
 * Use of a word: bits 0-7 choose the kind, 8-11 are flags, the others make the value. Kinds that are
 * common, or cheap, are computed in every lane and chosen from; the two rare ones lane by lane. */
#include "source/draw_lanes.h"

#include <string.h>

#include "arith/vector.h"
#include "core/target.h"

/* ---- tempers ---- */

static const uint8_t tempers[][DRAW_KINDS] = {
    {[DRAW_BESIDE] = 4, [DRAW_LOG] = 16, [DRAW_SMALL] = 8}, /* mostly uniform */
    {[DRAW_LOW_END] = 88, [DRAW_HIGH_END] = 88, [DRAW_BESIDE] = 20, [DRAW_SMALL] = 20}, /* corners */
    {[DRAW_LOW_END] = 40, [DRAW_HIGH_END] = 120, [DRAW_BESIDE] = 8, [DRAW_SMALL] = 40}, /* mostly high */
    {[DRAW_LOW_END] = 120, [DRAW_HIGH_END] = 40, [DRAW_BESIDE] = 8, [DRAW_SMALL] = 40, 
     [DRAW_ZERO] = 16}, /* or low */
    {[DRAW_SMALL] = 200, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 16}, /* small rationals */
    {[DRAW_EARLIER] = 100, [DRAW_LOW_END] = 32, [DRAW_HIGH_END] = 32, [DRAW_SMALL] = 32,
     [DRAW_ZERO] = 16}, /* few different values */
    {[DRAW_LOG] = 160, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 16, [DRAW_TINY] = 16,
     [DRAW_HUGE] = 8}, /* all magnitudes */
    {[DRAW_ALTERNATE] = 160, [DRAW_SMALL] = 32, [DRAW_LOW_END] = 16,
     [DRAW_HIGH_END] = 16}, /* alternating signs */
    {[DRAW_HUGE] = 60, [DRAW_TINY] = 60, [DRAW_LOW_END] = 24, [DRAW_HIGH_END] = 24, [DRAW_BESIDE] = 40,
     [DRAW_ZERO] = 16}, /* extremes */
    {[DRAW_ZERO] = 150, [DRAW_SMALL] = 40, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 24}, /* mostly zero */
    {[DRAW_REPEAT] = 210, [DRAW_SMALL] = 26, [DRAW_LOW_END] = 4, [DRAW_HIGH_END] = 8,
     [DRAW_ZERO] = 8}, /* constant */
    {[DRAW_REPEAT] = 150, [DRAW_SMALL] = 40, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 24, [DRAW_ZERO] = 16,
     [DRAW_EARLIER] = 8}, /* constant in parts */
    {[DRAW_LOW_END] = 20, [DRAW_HIGH_END] = 20, [DRAW_SMALL] = 60, [DRAW_EARLIER] = 30, [DRAW_LOG] = 30,
     [DRAW_ZERO] = 20} /* a bit of all */
};

enum { TEMPERS = sizeof tempers / sizeof tempers[0] };

void draw_mix_choose(draw_mix *mix, const uint64_t word[LANES])
{
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint8_t *t = tempers[(word[lane] >> 32) * TEMPERS >> 32];
    int64_t sum = 0;
    for (int k = 0; k < DRAW_KINDS; k++)
      mix->chance[k][lane] = sum += t[k];
  }
}

/* ---- vectors of words ---- */

typedef uint64_t words __attribute__((vector_size(32)));
typedef uint64_t words_loose __attribute__((vector_size(32), aligned(8), may_alias));

VECTOR_INLINE words all_words(uint64_t w)
{
  return (words){w, w, w, w};
}

/* The mask of lanes in which bit k is set. */
VECTOR_INLINE vector_mask flag(words w, int k)
{
  return (vector_mask)(w << (63 - k)) < (vector_mask){0, 0, 0, 0};
}

VECTOR_INLINE words choose_words(vector_mask mask, words a, words b)
{
  return (a & (words)mask) | (b & ~(words)mask);
}

/* Uniform in [0, 1): the upper 52 bits as a fraction. */
VECTOR_INLINE vector unit(words w)
{
  return (vector)((w >> 12) | all_words(0x3ff0000000000000u)) - vector_all(1);
}

/* The next double, up or down; from 0 the smallest one of that sign. */
VECTOR_INLINE vector next(vector x, bool up)
{
  vector y = (up ? x : vector_negate(x)) + vector_all(0); /* no -0 */
  words bits = (words)y;
  y = (vector)choose_words((vector_mask)(y >= vector_all(0)), bits + 1, bits - 1);
  return up ? y : vector_negate(y);
}

/* ---- the range ---- */

typedef struct {
  vector low, high;             /* infinite where there is no end */
  vector from, half;            /* what uniform values come from: [from, from + 2 half] */
  vector low_inside, high_inside; /* values at the ends that are allowed */
} vector_range;

/* The width within which values are drawn where an end is infinite. */
VECTOR_INLINE vector usual_half(words w)
{
  vector small = vector_select(flag(w, 8), vector_all(1), vector_all(0.5));
  vector large = vector_select(flag(w, 8), vector_all(32), vector_all(4));
  return vector_select(flag(w, 9), large, small);
}

VECTOR_INLINE vector_range range_of(const draw_range *r, int i, words w, bool has_low, bool has_high)
{
  const double infinity = __builtin_inf();
  vector_range v;
  v.low = has_low ? vector_load(r->low + i) : vector_all(-infinity);
  v.high = has_high ? vector_load(r->high + i) : vector_all(infinity);
  if (has_low && has_high) { /* half of the width does not overflow */
    v.half = v.high * vector_all(0.5) - v.low * vector_all(0.5);
    v.from = v.low;
  } else {
    v.half = usual_half(w);
    v.from = has_low ? v.low : has_high ? (v.high - v.half) - v.half : vector_negate(v.half + v.half);
    if (!has_low && !has_high)
      v.half += v.half;
  }
  v.low_inside = has_low ? v.low : vector_all(-1);
  v.high_inside = has_high ? v.high : vector_all(1);
  if (has_low && r->low_open) {
    vector inside = v.low + v.half * vector_all(0x1p-19);
    v.low_inside = vector_select((vector_mask)(inside == v.low), next(v.low, true), inside);
  }
  if (has_high && r->high_open) {
    vector inside = v.high - v.half * vector_all(0x1p-19);
    v.high_inside = vector_select((vector_mask)(inside == v.high), next(v.high, false), inside);
  }
  return v;
}

VECTOR_INLINE vector_mask fits(vector x, const vector_range *v)
{
  return (vector_mask)(x >= v->low) & (vector_mask)(x <= v->high);
}

/* ---- kinds ---- */

/* Uniform; of SMALL, and of every second one with bit 10, only the leading bits: easy to read, and sums
 * of such values are exact. A sixteenth of a finite range is not its low end. */
VECTOR_INLINE vector draw_uniform(const vector_range *v, words w, vector_mask small, bool finite)
{
  words kept = choose_words(small, all_words((uint64_t)15 << 60),
                            choose_words(flag(w, 10), all_words((uint64_t)63 << 58), all_words(UINT64_MAX)));
  kept &= w;
  if (finite)
    kept = choose_words(small & (vector_mask)(kept == all_words(0)), all_words((uint64_t)1 << 63), kept);
  vector part = v->half * unit(kept);
  return vector_min(vector_max((v->from + part) + part, v->low), v->high);
}

/* LOG, HUGE and TINY: a random exponent and a random fraction, put together as bits. An exponent of 0
 * makes a subnormal. */
VECTOR_INLINE vector draw_magnitude(const vector_range *v, words w, vector_mask huge, vector_mask tiny,
                                    bool has_low, bool has_high)
{
  vector_mask log = ~(huge | tiny), exact = flag(w, 8) & ~log, positive = flag(w, 9);
  words exponent = choose_words(log | exact, w >> 58, w >> 54); /* 0..63 or 0..1023 */
  words least = choose_words(log, all_words(has_low && has_high ? 1023 - 64 : 1023 - 40),
                             choose_words(huge, all_words(1023), all_words(1023 - 64) & (words)exact));
  words fraction = (w >> 2) & all_words(0x000fffffffffffffu) & ~(words)exact;
  vector size = (vector)((least + exponent) << 52 | fraction);
  vector x = vector_select(positive, size, vector_negate(size));
  x = vector_select(fits(x, v), x, vector_negate(x));
  if (has_low)
    x = vector_select(tiny, v->low + size, x);
  if (!has_low && !has_high)
    return x;
  vector part = has_low && has_high ? (v->half + v->half) * size : size;
  vector above = v->low + part, below = v->high - part;
  vector from_end = !has_high ? above : !has_low ? below : vector_select(positive, above, below);
  return vector_select(log, from_end, x);
}

/* Adds the lanes that ask for a rare kind to *rare: lane i + j as bit i + j of its element j. */
VECTOR_INLINE void draw_common(words *rare, double *x, const draw_mix *mix, const draw_range *r,
                               const uint64_t *word, int i, bool has_low, bool has_high)
{
  words w = *(const words_loose *)(const void *)(word + i);
  vector_mask roll = (vector_mask)(w & 255), below[DRAW_KINDS];
  for (int k = 0; k < DRAW_KINDS; k++)
    below[k] = roll < *(const vector_mask_loose *)(const void *)(mix->chance[k] + i);
  vector_range v = range_of(r, i, w, has_low, has_high);
  vector uniform = draw_uniform(&v, w, below[DRAW_SMALL], has_low && has_high);
  vector_mask huge = below[DRAW_HUGE] & ~below[DRAW_LOG], tiny = below[DRAW_TINY] & ~below[DRAW_HUGE];
  vector magnitude = draw_magnitude(&v, w, huge, tiny, has_low, has_high);
  /* From the last kind to the first. */
  vector y = vector_select(below[DRAW_TINY] & ~below[DRAW_SMALL], magnitude, uniform);
  if (r->previous) {
    vector before = vector_load(r->previous + i);
    y = vector_select(below[DRAW_REPEAT] & ~below[DRAW_ALTERNATE], before, y);
    vector factor = vector_select(flag(w, 8), vector_all(1), vector_all(0.5) + unit(w));
    vector_mask alternate = below[DRAW_ALTERNATE] & ~(vector_mask)(before == vector_all(0));
    y = vector_select(alternate, vector_negate(before) * factor, y);
  }
  y = vector_select(below[DRAW_ZERO], vector_all(0), y);
  y = vector_select(below[DRAW_HIGH_END], v.high_inside, y);
  y = vector_select(below[DRAW_LOW_END], v.low_inside, y);
  y = vector_select(fits(y, &v), y, uniform);
  if (has_low && r->low_open)
    y = vector_select((vector_mask)(y == v.low), v.low_inside, y);
  if (has_high && r->high_open)
    y = vector_select((vector_mask)(y == v.high), v.high_inside, y);
  vector_store(x + i, vector_select((vector_mask)(y - y == vector_all(0)), y, vector_all(0)));
  *rare |= (words)(below[DRAW_EARLIER] & ~below[DRAW_TINY]) & ((words){1, 2, 4, 8} << i);
}

TARGET_VECTOR static uint32_t draw_lanes_common(double *restrict x, const draw_mix *mix, const draw_range *r,
                                                const uint64_t *word)
{
  words rare = {0, 0, 0, 0};
#define EACH(has_low, has_high)      \
  for (int i = 0; i < LANES; i += 4) \
    draw_common(&rare, x, mix, r, word, i, has_low, has_high)
  if (r->low && r->high)
    EACH(true, true);
  else if (r->low)
    EACH(true, false);
  else if (r->high)
    EACH(false, true);
  else
    EACH(false, false);
#undef EACH
  return (uint32_t)(rare[0] | rare[1] | rare[2] | rare[3]);
}

/* ---- the rare kinds ---- */

static double step(double x, bool up)
{
  int64_t bits;
  x += 0; /* no -0 */
  if (x == 0)
    return up ? 0x1p-1074 : -0x1p-1074;
  memcpy(&bits, &x, sizeof bits);
  bits += (x > 0) == up ? 1 : -1;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The double beside an end; beside an infinite one, beside 0. */
static double beside(const draw_range *r, unsigned lane, bool high)
{
  const double *end = high ? r->high : r->low;
  return step(end ? end[lane] : 0, !high);
}

static double earlier(const draw_range *r, unsigned lane, uint64_t word)
{
  double x = r->input[(size_t)r->earlier[(word >> 32) * r->drawn >> 32] * LANES + lane];
  return word >> 8 & 1 ? 1 - x : x; /* complements to 1 are as common in hypotheses */
}

static void draw_rare(double *x, const draw_range *r, unsigned lane, uint64_t word, bool is_beside)
{
  if (!is_beside && !r->drawn)
    return;
  double y = is_beside ? beside(r, lane, word >> 8 & 1) : earlier(r, lane, word);
  bool above = !r->low || y > r->low[lane] || (!r->low_open && y == r->low[lane]);
  bool under = !r->high || y < r->high[lane] || (!r->high_open && y == r->high[lane]);
  if (above && under && y - y == 0)
    x[lane] = y;
}

void draw_values(double *restrict x, const draw_mix *mix, const draw_range *range, const uint64_t word[LANES])
{
  for (uint32_t rare = draw_lanes_common(x, mix, range, word); rare; rare &= rare - 1) {
    unsigned lane = (unsigned)__builtin_ctz(rare);
    draw_rare(x, range, lane, word[lane], (int64_t)(word[lane] & 255) < mix->chance[DRAW_BESIDE][lane]);
  }
}
