/* Bends and deviations over layers. */
#include "sim/stack.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static void moments_init(stack_moments *m, size_t elements)
{
  m->mean = memory_new(elements, sizeof *m->mean);
  m->square = memory_new(elements, sizeof *m->square);
}

static void moments_clear(stack_moments *m)
{
  free(m->mean);
  free(m->square);
}

void stack_init(stack_deviation *s, size_t layers, size_t width, size_t piece)
{
  size_t elements = memory_multiply(piece, width);
  *s = (stack_deviation){.layers = layers, .width = width};
  s->before = memory_new(elements, sizeof *s->before);
  moments_init(&s->with, elements);
  moments_init(&s->without, elements);
}

void stack_clear(stack_deviation *s)
{
  free(s->before);
  moments_clear(&s->with);
  moments_clear(&s->without);
}

void stack_begin(stack_deviation *s)
{
  s->bend = s->deviation = s->variance = (measured){0};
}

/* x as the number `count` (from 1) of each element. */
static void moments_add(stack_moments *m, size_t elements, size_t count, const double *x)
{
  for (size_t i = 0; i < elements; i++) {
    double from_old = count == 1 ? 0 : x[i] - m->mean[i];
    double mean = count == 1 ? x[i] : m->mean[i] + from_old / (double)count;
    m->square[i] = count == 1 ? 0 : m->square[i] + from_old * (x[i] - mean);
    m->mean[i] = mean;
  }
}

static void add_bends(stack_deviation *s, size_t tokens, const double *input, const double *output)
{
  for (size_t t = 0; t < tokens; t++) {
    measured sum = {0};
    for (size_t i = t * s->width; i < (t + 1) * s->width; i++) /* halves: their sum cannot overflow */
      measured_accumulate(&sum.sum, &sum.low, fabs(input[i] - (0.5 * s->before[i] + 0.5 * output[i])));
    measured_add(&s->bend, sum.sum + sum.low);
  }
}

static void add_moments(stack_deviation *s, size_t tokens)
{
  for (size_t t = 0; t < tokens; t++) {
    measured root = {0}, square = {0};
    for (size_t i = t * s->width; i < (t + 1) * s->width; i++) {
      measured_accumulate(&root.sum, &root.low, sqrt(s->without.square[i] / (double)s->layers));
      measured_accumulate(&square.sum, &square.low, s->with.square[i]);
    }
    measured_add(&s->deviation, root.sum + root.low);
    measured_add(&s->variance, square.sum + square.low);
  }
}

void stack_add(stack_deviation *s, size_t layer, size_t tokens, const double *input, const double *output)
{
  size_t elements = tokens * s->width;
  if (layer == 0)
    moments_add(&s->with, elements, 1, input);
  else
    add_bends(s, tokens, input, output);
  memcpy(s->before, input, elements * sizeof *input);
  moments_add(&s->with, elements, layer + 2, output);
  moments_add(&s->without, elements, layer + 1, output);
  if (layer + 1 == s->layers)
    add_moments(s, tokens);
}

/* The mean over tokens, NAN as soon as one of them is undefined; over `terms` and the features. */
static double mean_of(const stack_deviation *s, const measured *m, double terms)
{
  return m->undefined ? NAN : measured_mean(m) / terms / (double)s->width;
}

void stack_end(const stack_deviation *s, measured *sm, measured *sm_printed, measured *st, measured *st_depth_squared)
{
  double layers = (double)s->layers, per_token;
  if (s->layers >= 2) { /* the sum over tokens has a term for each of the L - 1 bends of a token */
    per_token = mean_of(s, &s->bend, 1);
    measured_add(sm, per_token);
    if (s->layers >= 3)
      measured_add(sm_printed, per_token * (layers - 1) / (layers - 2));
  }
  measured_add(st, mean_of(s, &s->deviation, 1));
  measured_add(st_depth_squared, mean_of(s, &s->variance, layers + 1));
}
