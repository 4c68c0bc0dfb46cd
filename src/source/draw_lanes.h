/* Random values of one element, LANES instances at once: the kinds of values of source/draw.h, and the
 * tempers that mix them. A value is a function of one 32-bit random word, of the instance's temper and
 * salt, of the ends of the range and of the instance's earlier values; the same bits with every compiler
 * and instruction set. */
#ifndef ASSAY_SOURCE_DRAW_LANES_H
#define ASSAY_SOURCE_DRAW_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arith/arith.h"

/* Each kind has a row of candidates, one for each lane. */
typedef enum {
  DRAW_LOW_END,  /* at an end of the range; a millionth of the width from it where it is open; */
  DRAW_HIGH_END, /* -1 and 1 where it is infinite */
  DRAW_ZERO,
  DRAW_ALTERNATE,   /* minus the value before, of the same given, or of similar size */
  DRAW_REPEAT,      /* the value before */
  DRAW_SMALL,       /* a small dyadic rational, a sixteenth of a finite range */
  DRAW_LOG,         /* about log-uniform */
  DRAW_HUGE,
  DRAW_TINY,        /* down to subnormal */
  DRAW_BESIDE_LOW,  /* the double next to an end, inside; */
  DRAW_BESIDE_HIGH, /* beside 0 where it is infinite */
  DRAW_EARLIER,     /* a value of any earlier element, or 1 less it */
  DRAW_UNIFORM,
  DRAW_KINDS
} draw_kind;

enum { DRAW_TEMPERS = 13, DRAW_ROLLS = 256 };

/* What a roll of the die means under each temper: the place of that kind's row; and what else its lanes
 * need. */
typedef struct {
  uint16_t place[DRAW_TEMPERS][DRAW_ROLLS];
  uint8_t lists[DRAW_TEMPERS];
} draw_table;

void draw_table_fill(draw_table *t);

/* Lanes, counted. */
typedef struct {
  uint8_t lane[LANES];
  unsigned count;
} draw_lanes;

/* One thread's space: what LANES instances draw from. */
typedef struct {
  double row[DRAW_KINDS][LANES];
  double low[LANES], high[LANES];  /* the least and the greatest value that the range allows */
  double from[LANES], half[LANES]; /* of a finite range: uniform values lie in [from, from + 2 half] */
  bool has_low, has_high;
  const uint16_t *place[LANES];    /* of the temper */
  uint64_t salt[LANES], word[LANES];
  draw_lanes alternating, repeating; /* whose temper may draw ALTERNATE, EARLIER */
  draw_lanes log, extreme; /* the first lanes of vectors one of which may draw LOG, HUGE or TINY */
} draw_rows;

/* Begins LANES instances: tempers and salts from a block of words (core/philox.h, philox_fill_words). The
 * table must stay. */
void draw_start(draw_rows *r, const draw_table *table, const uint64_t block[4 * LANES]);
/* The values drawn from now on have none before them, of the same given. */
void draw_forget(draw_rows *r);

typedef struct {
  const double *low, *high; /* LANES each; NULL: infinite */
  bool low_open, high_open;
} draw_range;

/* The range of the values drawn from now on. keep_low: its low end is closed, and the same as before. */
void draw_set_range(draw_rows *r, const draw_range *range, bool keep_low);

/* Makes the words of `r` from the low halves of these, and the rows of all kinds that are computed from
 * words and the range alone (draw_fill.c). How many lanes a vector has there depends on the processor, not
 * so what comes out. */
void draw_fill(draw_rows *r, const uint64_t word[LANES]);
unsigned draw_fill_width(void);

/* x[lane] for each lane, from the low half of word[lane], inside of the range as far as doubles can tell;
 * 0 where an end is not a number. Element earlier[k], k < drawn, has its values at input + earlier[k] *
 * LANES. x must overlap neither them nor the ends. */
void draw_values(draw_rows *r, double *restrict x, const uint64_t word[LANES], const double *input,
                 const uint32_t *earlier, size_t drawn);

#endif
