/* Tokens against each other, by identities. */
#include "sim/cloud.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/sums.h"

void cloud_init(cloud *c, size_t width)
{
  *c = (cloud){.width = width};
  double **array[] = {&c->mean, &c->direction, &c->direction_low, &c->last, &c->unit, &c->piece};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    *array[i] = memory_new(width, sizeof(double));
}

void cloud_clear(cloud *c)
{
  double *array[] = {c->mean, c->direction, c->direction_low, c->last, c->unit, c->piece};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    free(array[i]);
  *c = (cloud){0};
}

void cloud_begin(cloud *c)
{
  size_t bytes = c->width * sizeof(double);
  memset(c->mean, 0, bytes);
  memset(c->direction, 0, bytes);
  memset(c->direction_low, 0, bytes);
  c->tokens = c->directionless = 0;
  c->deviation = c->deviation_low = c->square = c->square_low = 0;
  c->has_last = false;
  c->neighbours = (measured){0};
}

/* The piece's deviations from its own mean, and what its mean is off from that of the tokens before. */
static void add_deviations(cloud *c, size_t tokens, const double *x)
{
  double before = (double)c->tokens, more = (double)tokens;
  sums_row_mean(c->piece, x, tokens, c->width);
  for (size_t t = 0; t < tokens; t++)
    measured_accumulate(&c->deviation, &c->deviation_low, sums_squared_distance(x + t * c->width, c->piece, c->width));
  if (c->tokens)
    measured_accumulate(&c->deviation, &c->deviation_low,
                        before * more / (before + more) * sums_squared_distance(c->piece, c->mean, c->width));
  for (size_t j = 0; j < c->width; j++)
    c->mean[j] += c->tokens ? (c->piece[j] - c->mean[j]) * (more / (before + more)) : c->piece[j];
}

static void add_direction(cloud *c, const double *x)
{
  if (!sums_direction(c->unit, x, c->width)) {
    c->directionless++;
    if (c->tokens)
      c->neighbours.undefined++;
    c->has_last = false;
    return;
  }
  for (size_t j = 0; j < c->width; j++)
    measured_accumulate(&c->direction[j], &c->direction_low[j], c->unit[j]);
  if (c->has_last)
    measured_add(&c->neighbours, fmax(-1, fmin(1, sums_dot(c->last, c->unit, c->width))));
  else if (c->tokens)
    c->neighbours.undefined++;
  double *other = c->last;
  c->last = c->unit;
  c->unit = other;
  c->has_last = true;
}

void cloud_add(cloud *c, size_t tokens, const double *x)
{
  if (!tokens)
    return;
  add_deviations(c, tokens, x);
  for (size_t t = 0; t < tokens; t++) {
    const double *row = x + t * c->width;
    measured_accumulate(&c->square, &c->square_low, sums_dot(row, row, c->width));
    add_direction(c, row);
    c->tokens++;
  }
}

static double finite_or_nan(double x)
{
  return isfinite(x) ? x : NAN;
}

double cloud_squared_distance(const cloud *c)
{
  return cloud_energy(c, ENERGY_PAIRS);
}

double cloud_cosine(const cloud *c)
{
  uint64_t n = c->tokens - c->directionless;
  if (n < 2)
    return NAN;
  double sum = 0, low = 0;
  for (size_t j = 0; j < c->width; j++) {
    double d = c->direction[j] + c->direction_low[j];
    measured_accumulate(&sum, &low, d * d);
  }
  double count = (double)n, cosine = (sum - count + low) / (count * (count - 1));
  return fmax(-1, fmin(1, cosine));
}

double cloud_neighbour_cosine(const cloud *c)
{
  return measured_mean(&c->neighbours);
}

double cloud_energy(const cloud *c, energy_normalizer by)
{
  double n = (double)c->tokens, deviation = c->deviation + c->deviation_low, square = c->square + c->square_low;
  if (c->tokens < 2)
    return NAN;
  switch (by) {
  case ENERGY_SUM:
    return finite_or_nan(n * deviation);
  case ENERGY_TOKENS:
    return finite_or_nan(deviation);
  case ENERGY_PAIRS:
    return finite_or_nan(2 * deviation / (n - 1));
  default:
    return finite_or_nan(deviation / square);
  }
}

static const char *const normalizer_names[] = {"sum", "tokens", "pairs", "norm"};

bool energy_normalizer_read(energy_normalizer *by, const char *name)
{
  for (int i = ENERGY_SUM; i <= ENERGY_NORM; i++)
    if (!strcmp(name, normalizer_names[i])) {
      *by = (energy_normalizer)i;
      return true;
    }
  return false;
}

const char *energy_normalizer_name(energy_normalizer by)
{
  return normalizer_names[by];
}
