/* Candidates for one element's values: the loops of draw_fill.c and draw_fill_wide.c, which differ in how
 * many lanes a vector has (VECTOR_DOUBLES of arith/vector.h); and how loops go by the kind of range. */
#ifndef ASSAY_SOURCE_DRAW_FILL_H
#define ASSAY_SOURCE_DRAW_FILL_H

#include "arith/vector.h"
#include "source/draw_lanes.h"

#define EACH_VECTOR(i) for (int i = 0; i < LANES; i += VECTOR_DOUBLES)

/* Loops are written once for each of the ways in which a range can be finite. */
#define BY_RANGE(has_low, has_high, loop) \
  if ((has_low) && (has_high)) {          \
    loop(true, true);                     \
  } else if (has_low) {                   \
    loop(true, false);                    \
  } else if (has_high) {                  \
    loop(false, true);                    \
  } else {                                \
    loop(false, false);                   \
  }

/* ---- vectors of words ---- */

typedef uint64_t words __attribute__((vector_size(8 * VECTOR_DOUBLES)));
typedef uint64_t words_loose __attribute__((vector_size(8 * VECTOR_DOUBLES), aligned(8), may_alias));

VECTOR_INLINE words all_words(uint64_t w)
{
  return (words)VECTOR_ALL(w);
}

VECTOR_INLINE words load_words(const uint64_t *p)
{
  return *(const words_loose *)(const void *)p;
}

/* The mask of lanes in which bit k is set. */
VECTOR_INLINE vector_mask flag(words w, int k)
{
  return (vector_mask)(w << (63 - k)) < (vector_mask){0};
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

/* ---- kinds ---- */

/* Uniform values lie in [from, from + 2 half]. */
typedef struct {
  vector from, half;
} vector_width;

/* Where an end is infinite the width is 1, 2, 8 or 64, twice that where both are: flags 8 and 9 choose. */
VECTOR_INLINE vector_width width_of(const draw_rows *r, int i, words w, bool has_low, bool has_high)
{
  if (has_low && has_high)
    return (vector_width){vector_load(r->from + i), vector_load(r->half + i)};
  const words exponents = all_words(UINT64_C(0x0404040103ff03fe)); /* 32, 4, 1, 0.5 */
  vector half = (vector)((exponents >> ((w >> 4) & all_words(48))) << 52);
  if (has_low)
    return (vector_width){vector_load(r->from + i), half};
  if (has_high)
    return (vector_width){(vector_load(r->from + i) - half) - half, half};
  return (vector_width){vector_negate(half + half), half + half};
}

VECTOR_INLINE vector place_in(vector_width v, words w)
{
  vector part = v.half * unit(w);
  return (v.from + part) + part;
}

/* Every second value with flag 10, and all of SMALL, have few bits: easy to read, and sums of them are
 * exact. Of the former the last bit is set, so that none is an end; a sixteenth of a finite range is not
 * its low end either. */
VECTOR_INLINE void fill_uniform(draw_rows *r, int i, words w, bool has_low, bool has_high)
{
  vector_width v = width_of(r, i, w, has_low, has_high);
  words simple = (words)flag(w, 10);
  words kept = (w & ~(simple & all_words(UINT64_MAX >> 6))) | (simple & all_words(UINT64_C(1) << 57));
  vector_store(r->row[DRAW_UNIFORM] + i, place_in(v, kept));
  words few = w & all_words(UINT64_C(15) << 60);
  if (has_low && has_high)
    few |= (words)((vector_mask)few == (vector_mask){0}) & all_words(UINT64_C(1) << 63);
  vector_store(r->row[DRAW_SMALL] + i, place_in(v, few));
}

/* LOG, HUGE and TINY: a random exponent and a random fraction, put together as bits. LOG and TINY are
 * distances from an end, the former in terms of the width; flag 9 chooses the end, or else the sign. */
typedef struct {
  words fraction;
  vector sign; /* -0 for the high end, or a minus */
} vector_scale;

VECTOR_INLINE vector_scale scale_of(words w)
{
  return (vector_scale){(w >> 2) & all_words(0x000fffffffffffffu),
                        (vector)(~(words)flag(w, 9) & all_words(UINT64_C(1) << 63))};
}

VECTOR_INLINE vector from_end(const draw_rows *r, int i, vector distance, vector sign, bool has_low,
                              bool has_high)
{
  if (!has_low && !has_high)
    return vector_flip(distance, sign);
  vector from = vector_load(r->from + i);
  if (!has_high)
    return from + distance;
  if (!has_low)
    return from - distance;
  vector_mask minus = (vector_mask)sign < (vector_mask){0};
  return vector_select(minus, vector_load(r->high + i), from) + vector_flip(distance, sign);
}

VECTOR_INLINE void fill_log(draw_rows *r, int i, bool has_low, bool has_high)
{
  words w = load_words(r->word + i);
  vector_scale s = scale_of(w);
  bool finite = has_low && has_high;
  vector size = (vector)(((w >> 58) + (finite ? 1023 - 64 : 1023 - 40)) << 52 | s.fraction);
  if (finite) {
    vector half = vector_load(r->half + i);
    size *= half + half;
  }
  vector_store(r->row[DRAW_LOG] + i, from_end(r, i, size, s.sign, has_low, has_high));
}

/* An exponent of 0 makes a subnormal. With flag 8 both are powers of two within 2^64 of 1. */
VECTOR_INLINE void fill_extremes(draw_rows *r, int i, bool has_low, bool has_high)
{
  words w = load_words(r->word + i);
  vector_scale s = scale_of(w);
  vector_mask plain = flag(w, 8);
  words exponent = choose_words(plain, (w >> 58) + (1023 - 64), w >> 54);
  words below_one = exponent << 52 | (s.fraction & ~(words)plain);
  vector tiny = (vector)below_one, huge = (vector)(all_words(UINT64_C(2046) << 52) - below_one);
  vector_store(r->row[DRAW_TINY] + i, from_end(r, i, tiny, s.sign, has_low, has_high));
  vector_store(r->row[DRAW_HUGE] + i, has_low == has_high ? vector_flip(huge, s.sign)
                                      : has_low           ? huge
                                                          : vector_negate(huge));
}

VECTOR_INLINE void fill(draw_rows *r, const uint64_t *word, int i, bool has_low, bool has_high)
{
  words w = load_words(word + i) & all_words(UINT32_MAX);
  w = (w | w << 32) ^ load_words(r->salt + i);
  *(words_loose *)(void *)(r->word + i) = w;
  fill_uniform(r, i, w, has_low, has_high);
}

/* The body of the functions below: a loop for each kind of range. Vectors are not handed to or from a
 * function with a target of its own, not even inline ones: clang refuses. */
#define FILL(low, high)                                 \
  EACH_VECTOR(i) fill(r, word, i, low, high);            \
  for (unsigned k = 0; k < r->log.count; k++)            \
    fill_log(r, r->log.lane[k], low, high);              \
  for (unsigned k = 0; k < r->extreme.count; k++)        \
    fill_extremes(r, r->extreme.lane[k], low, high)
#define FILL_ROWS BY_RANGE(r->has_low, r->has_high, FILL)

/* draw_fill where draw_fill_width() is 8. */
void draw_fill_wide(draw_rows *r, const uint64_t word[LANES]);

#endif
