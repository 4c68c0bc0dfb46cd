/* Random values of one element, LANES instances at once: the kinds of values of source/draw.h, and the
 * tempers that mix them. A value is a function of one 64-bit random word, of the instance's temper, of
 * the ends of the range and of the instance's earlier values; the same bits with every compiler and
 * instruction set. */
#ifndef ASSAY_SOURCE_DRAW_LANES_H
#define ASSAY_SOURCE_DRAW_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arith/arith.h"

/* From the first to the last the chances add up; what is left of 256 is uniform. */
enum {
  DRAW_LOW_END,  /* at an end of the range; a millionth of the width from it where it is open; */
  DRAW_HIGH_END, /* -1 and 1 where it is infinite */
  DRAW_ZERO,
  DRAW_ALTERNATE, /* minus the value before, of the same given, or of similar size */
  DRAW_REPEAT,    /* the value before */
  DRAW_SMALL,     /* a small dyadic rational, a sixteenth of a finite range */
  DRAW_LOG,       /* about log-uniform */
  DRAW_HUGE,
  DRAW_TINY,      /* down to subnormal */
  DRAW_BESIDE,    /* the double next to an end */
  DRAW_EARLIER,   /* a value of any earlier element, or 1 less it */
  DRAW_KINDS
};

/* How the lanes draw. chance[k][lane]: the chance, in 256ths, of kinds 0 .. k together. */
typedef struct {
  int64_t chance[DRAW_KINDS][LANES];
} draw_mix;

/* Each lane's temper from a random word. */
void draw_mix_choose(draw_mix *mix, const uint64_t word[LANES]);

typedef struct {
  const double *low, *high; /* LANES each; NULL: infinite */
  bool low_open, high_open;
  const double *previous;   /* LANES: the values before, of the same given; NULL: none */
  const double *input;      /* of all elements, LANES each */
  const uint32_t *earlier;  /* elements that have values, `drawn` of them */
  size_t drawn;
} draw_range;

/* x[lane] for each lane, inside of the range as far as doubles can tell; 0 where an end is not a number.
 * x must not overlap the ends. */
void draw_values(double *restrict x, const draw_mix *mix, const draw_range *range,
                 const uint64_t word[LANES]);

#endif
