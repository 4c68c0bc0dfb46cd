/* Random values of one element, LANES instances at once.
 *
 * Use of a word, 64 bits that draw_fill makes of an element's 32 and the instance's salt: bits 0-7 are the
 * roll that chooses the kind, 8-11 are flags, the others make the value. Every kind's candidates are
 * computed (draw_fill.h), without a branch, and each lane takes the one that its roll names. */
#include "source/draw_lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "arith/vector.h"
#include "core/target.h"
#include "source/draw_fill.h"

/* ---- tempers ---- */

/* Chances in 256ths; what is left is uniform. */
static const uint8_t tempers[DRAW_TEMPERS][DRAW_KINDS] = {
    {[DRAW_BESIDE_LOW] = 2, [DRAW_BESIDE_HIGH] = 2, [DRAW_LOG] = 16, [DRAW_SMALL] = 8}, /* mostly uniform */
    {[DRAW_LOW_END] = 88, [DRAW_HIGH_END] = 88, [DRAW_BESIDE_LOW] = 10, [DRAW_BESIDE_HIGH] = 10,
     [DRAW_SMALL] = 20}, /* corners */
    {[DRAW_LOW_END] = 40, [DRAW_HIGH_END] = 120, [DRAW_BESIDE_LOW] = 4, [DRAW_BESIDE_HIGH] = 4,
     [DRAW_SMALL] = 40}, /* mostly high */
    {[DRAW_LOW_END] = 120, [DRAW_HIGH_END] = 40, [DRAW_BESIDE_LOW] = 4, [DRAW_BESIDE_HIGH] = 4,
     [DRAW_SMALL] = 40, [DRAW_ZERO] = 16}, /* or low */
    {[DRAW_SMALL] = 200, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 16}, /* small rationals */
    {[DRAW_EARLIER] = 100, [DRAW_LOW_END] = 32, [DRAW_HIGH_END] = 32, [DRAW_SMALL] = 32,
     [DRAW_ZERO] = 16}, /* few different values */
    {[DRAW_LOG] = 160, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 16, [DRAW_TINY] = 16,
     [DRAW_HUGE] = 8}, /* all magnitudes */
    {[DRAW_ALTERNATE] = 160, [DRAW_SMALL] = 32, [DRAW_LOW_END] = 16,
     [DRAW_HIGH_END] = 16}, /* alternating signs */
    {[DRAW_HUGE] = 60, [DRAW_TINY] = 60, [DRAW_LOW_END] = 24, [DRAW_HIGH_END] = 24, [DRAW_BESIDE_LOW] = 20,
     [DRAW_BESIDE_HIGH] = 20, [DRAW_ZERO] = 16}, /* extremes */
    {[DRAW_ZERO] = 150, [DRAW_SMALL] = 40, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 24}, /* mostly zero */
    {[DRAW_REPEAT] = 210, [DRAW_SMALL] = 26, [DRAW_LOW_END] = 4, [DRAW_HIGH_END] = 8,
     [DRAW_ZERO] = 8}, /* constant */
    {[DRAW_REPEAT] = 158, [DRAW_SMALL] = 40, [DRAW_LOW_END] = 16, [DRAW_HIGH_END] = 24,
     [DRAW_ZERO] = 16}, /* constant in parts */
    {[DRAW_LOW_END] = 20, [DRAW_HIGH_END] = 20, [DRAW_SMALL] = 60, [DRAW_EARLIER] = 30, [DRAW_LOG] = 30,
     [DRAW_ZERO] = 20} /* a bit of all */
};

/* Which lists a lane of this temper is on. */
enum { ALTERNATING = 1, REPEATING = 2, LOG = 4, EXTREME = 8 };

static unsigned lists_of(const uint8_t chance[DRAW_KINDS])
{
  return (chance[DRAW_ALTERNATE] ? ALTERNATING : 0) | (chance[DRAW_EARLIER] ? REPEATING : 0) |
         (chance[DRAW_LOG] ? LOG : 0) | (chance[DRAW_HUGE] || chance[DRAW_TINY] ? EXTREME : 0);
}

void draw_table_fill(draw_table *t)
{
  for (int temper = 0; temper < DRAW_TEMPERS; temper++) {
    t->lists[temper] = (uint8_t)lists_of(tempers[temper]);
    int roll = 0;
    for (int kind = 0; kind < DRAW_KINDS; kind++)
      for (int k = 0; k < tempers[temper][kind]; k++)
        t->place[temper][roll++] = (uint16_t)(kind * LANES);
    while (roll < DRAW_ROLLS)
      t->place[temper][roll++] = DRAW_UNIFORM * LANES;
  }
}

static void add_lane(draw_lanes *list, unsigned lane, bool wanted)
{
  list->lane[list->count] = (uint8_t)lane;
  list->count += wanted;
}

void draw_start(draw_rows *r, const draw_table *table, const uint64_t block[4 * LANES])
{
  r->alternating.count = r->repeating.count = r->log.count = r->extreme.count = 0;
  const unsigned width = draw_fill_width();
  unsigned asked = 0; /* what the lanes of this vector ask for */
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint64_t temper = block[lane] * DRAW_TEMPERS >> 32;
    unsigned lists = table->lists[temper];
    r->place[lane] = table->place[temper];
    r->salt[lane] = block[2 * LANES + lane] | block[3 * LANES + lane] << 32;
    add_lane(&r->alternating, lane, lists & ALTERNATING);
    add_lane(&r->repeating, lane, lists & REPEATING);
    asked |= lists;
    if ((lane + 1) % width == 0) {
      add_lane(&r->log, lane + 1 - width, asked & LOG);
      add_lane(&r->extreme, lane + 1 - width, asked & EXTREME);
      asked = 0;
    }
  }
  memset(r->row[DRAW_ZERO], 0, sizeof r->row[DRAW_ZERO]);
}

void draw_forget(draw_rows *r)
{
  for (unsigned lane = 0; lane < LANES; lane++)
    r->row[DRAW_REPEAT][lane] = r->row[DRAW_ALTERNATE][lane] = NAN; /* lies in no range */
}

/* ---- the range ---- */

/* The next double, up or down; from 0 the smallest one of that sign. */
VECTOR_INLINE vector next(vector x, bool up)
{
  vector y = (up ? x : vector_negate(x)) + vector_all(0); /* no -0 */
  vector_mask one = (vector_mask)(y >= vector_all(0)) | 1; /* or its negative */
  y = (vector)((vector_mask)y - one);
  return up ? y : vector_negate(y);
}

/* At an open end: a millionth of the width inside, or, where that is the end itself, next to it. */
VECTOR_INLINE vector inside(vector end, vector step, vector beside)
{
  vector x = end + step;
  return vector_select((vector_mask)(x == end), beside, x);
}

VECTOR_INLINE void set_low(draw_rows *r, const draw_range *range, int i, bool has_low, vector low,
                           vector half)
{
  vector beside = next(has_low ? low : vector_all(0), true), end = has_low ? low : vector_all(-1);
  if (has_low && range->low_open) {
    end = inside(low, half * vector_all(0x1p-19), beside);
    low = beside;
  }
  vector_store(r->row[DRAW_BESIDE_LOW] + i, beside);
  vector_store(r->row[DRAW_LOW_END] + i, end);
  vector_store(r->low + i, low);
}

VECTOR_INLINE void set_high(draw_rows *r, const draw_range *range, int i, bool has_high, vector high,
                            vector half)
{
  vector beside = next(has_high ? high : vector_all(0), false), end = has_high ? high : vector_all(1);
  if (has_high && range->high_open) {
    end = inside(high, half * vector_all(-0x1p-19), beside);
    high = beside;
  }
  vector_store(r->row[DRAW_BESIDE_HIGH] + i, beside);
  vector_store(r->row[DRAW_HIGH_END] + i, end);
  vector_store(r->high + i, high);
}

VECTOR_INLINE void set_range(draw_rows *r, const draw_range *range, bool keep_low, int i, bool has_low,
                             bool has_high)
{
  vector low = has_low ? vector_load(range->low + i) : vector_all(-DBL_MAX);
  vector high = has_high ? vector_load(range->high + i) : vector_all(DBL_MAX);
  low = vector_select((vector_mask)(low < vector_all(-DBL_MAX)), vector_all(-DBL_MAX), low); /* NaN stays */
  high = vector_select((vector_mask)(high > vector_all(DBL_MAX)), vector_all(DBL_MAX), high);
  vector half = vector_all(0.5); /* the width of which "a millionth" is taken where an end is infinite */
  if (has_low && has_high) {     /* half of the width does not overflow */
    half = high * vector_all(0.5) - low * vector_all(0.5);
    vector_store(r->half + i, half);
  }
  vector_store(r->from + i, has_low ? low : high);
  if (!keep_low)
    set_low(r, range, i, has_low, low, half);
  set_high(r, range, i, has_high, high, half);
}

TARGET_VECTOR static void set_range_lanes(draw_rows *r, const draw_range *range)
{
#define SET_RANGE(low, high) EACH_VECTOR(i) set_range(r, range, false, i, low, high)
  BY_RANGE(range->low, range->high, SET_RANGE)
}

/* The usual dependent range, [0, 1 - something]. */
TARGET_VECTOR static void set_other_end_lanes(draw_rows *r, const draw_range *range)
{
  EACH_VECTOR(i) set_range(r, range, true, i, true, true);
}

void draw_set_range(draw_rows *r, const draw_range *range, bool keep_low)
{
  r->has_low = range->low;
  r->has_high = range->high;
  if (keep_low && range->low && range->high)
    set_other_end_lanes(r, range);
  else
    set_range_lanes(r, range);
}

/* ---- kinds ---- */

/* The value before, negated; without flag 8 times a factor from [0.5, 1.5). 0 has no sign to alternate.
 * (Flags index tables here: a branch on random bits costs more than all the rest.) */
static void fill_alternating(draw_rows *r)
{
  for (unsigned k = 0; k < r->alternating.count; k++) {
    unsigned lane = r->alternating.lane[k];
    uint64_t w = r->word[lane];
    const double factor[2] = {0.5 + (double)(int64_t)(w >> 12) * 0x1p-52, 1};
    double before = r->row[DRAW_REPEAT][lane];
    r->row[DRAW_ALTERNATE][lane] = before == 0 ? NAN : -before * factor[w >> 8 & 1];
  }
}

/* With flag 8 the complement to 1, which is as common in hypotheses. */
static void fill_earlier(draw_rows *r, const double *input, const uint32_t *earlier, size_t drawn)
{
  static const double offset[2] = {0, 1}, sign[2] = {1, -1};
  for (unsigned k = 0; k < r->repeating.count; k++) {
    unsigned lane = r->repeating.lane[k];
    uint64_t w = r->word[lane];
    double y = drawn ? input[(size_t)earlier[(w >> 32) * drawn >> 32] * LANES + lane] : NAN;
    r->row[DRAW_EARLIER][lane] = offset[w >> 8 & 1] + sign[w >> 8 & 1] * y;
  }
}

/* ---- the choice ---- */

VECTOR_INLINE double candidate(const draw_rows *r, int lane)
{
  const double *rows = (const double *)(const void *)r->row;
  return rows[r->place[lane][r->word[lane] & (DRAW_ROLLS - 1)] + lane];
}

VECTOR_INLINE vector_mask fits(vector x, vector low, vector high)
{
  return (vector_mask)(x >= low) & (vector_mask)(x <= high);
}

/* The candidate where the range allows it, else the uniform value; `bad` where that does not lie in it
 * either. */
VECTOR_INLINE void choose(double *x, draw_rows *r, int i, vector_mask *bad)
{
  vector y = {candidate(r, i), candidate(r, i + 1), candidate(r, i + 2), candidate(r, i + 3)};
  vector low = vector_load(r->low + i), high = vector_load(r->high + i);
  vector uniform = vector_load(r->row[DRAW_UNIFORM] + i);
  vector_mask first = fits(y, low, high);
  y = vector_select(first, y, uniform);
  *bad |= ~(first | fits(uniform, low, high));
  vector_store(r->row[DRAW_REPEAT] + i, y);
  vector_store(x + i, y);
}

TARGET_VECTOR static bool choose_lanes(double *restrict x, draw_rows *r)
{
  vector_mask bad = {0, 0, 0, 0};
  EACH_VECTOR(i)
    choose(x, r, i, &bad);
  return !(bad[0] | bad[1] | bad[2] | bad[3]);
}

/* Rounding can take a uniform value past its end; a range can be empty, or its ends not numbers. */
static void put_right(double *restrict x, draw_rows *r)
{
  for (unsigned lane = 0; lane < LANES; lane++) {
    double y = x[lane] < r->low[lane] ? r->low[lane] : x[lane];
    y = y > r->high[lane] ? r->high[lane] : y;
    r->row[DRAW_REPEAT][lane] = x[lane] = isfinite(y) ? y : 0;
  }
}

void draw_values(draw_rows *r, double *restrict x, const uint64_t word[LANES], const double *input,
                 const uint32_t *earlier, size_t drawn)
{
  draw_fill(r, word);
  fill_alternating(r);
  fill_earlier(r, input, earlier, drawn);
  if (!choose_lanes(x, r))
    put_right(x, r);
}
