/* How the residual stream changes through a stack of layers: Sm and St of arXiv:2510.06640, as
 * sim/smoothness.h defines them. Nothing is kept but a piece: each token's numbers are complete when the
 * last layer has seen it. */
#ifndef ASSAY_SIM_STACK_H
#define ASSAY_SIM_STACK_H

#include <stddef.h>

#include "sim/measured.h"

/* Mean and sum of squared deviations so far, elementwise. */
typedef struct {
  double *mean, *square;
} stack_moments;

typedef struct {
  size_t layers, width;
  double *before;               /* [piece, M]: h^(l-1) while layer l + 1 is seen */
  stack_moments with, without;  /* over h^0 .. and over h^1 .. */
  measured bend, deviation, variance; /* over tokens: a token's sum over layers and features, in each case */
} stack_deviation;

void stack_init(stack_deviation *s, size_t layers, size_t width, size_t piece);
void stack_clear(stack_deviation *s);
void stack_begin(stack_deviation *s);
/* Layer `layer` (from 0) of a piece, layer after layer: its input and output, [tokens, M]. */
void stack_add(stack_deviation *s, size_t layer, size_t tokens, const double *input, const double *output);
/* Adds a value to each. */
void stack_end(const stack_deviation *s, measured *sm, measured *sm_printed, measured *st, measured *st_depth_squared);

#endif
