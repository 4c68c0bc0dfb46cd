/* Tokens that are kept, and their distances. */
#include "sim/token_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/measured.h"
#include "sim/sums.h"

size_t token_sample_size(uint64_t tokens, size_t places, size_t width, size_t cap, size_t budget)
{
  size_t room = budget / places / width, most = room < cap ? room : cap;
  if (most < 2)
    most = 2;
  return tokens < most ? (size_t)tokens : most;
}

void token_sample_init(token_sample *s, uint64_t tokens, size_t places, size_t width, size_t cap, size_t budget)
{
  *s = (token_sample){.places = places, .width = width, .tokens = tokens};
  s->kept = token_sample_size(tokens, places, width, cap, budget);
  s->row = memory_new(places, sizeof *s->row);
  s->filled = memory_new(places, sizeof *s->filled);
  for (size_t p = 0; p < places; p++)
    s->row[p] = memory_new(memory_multiply(s->kept, width), sizeof **s->row);
}

void token_sample_clear(token_sample *s)
{
  for (size_t p = 0; p < s->places; p++)
    free(s->row[p]);
  free(s->row);
  free(s->filled);
  *s = (token_sample){0};
}

/* floor(i T / K), with no product that could overflow: i < K, T = a K + b. */
static uint64_t token_of(const token_sample *s, size_t i)
{
  uint64_t k = s->kept;
  return i * (s->tokens / k) + i * (s->tokens % k) / k;
}

void token_sample_add(token_sample *s, size_t place, uint64_t first, size_t tokens, const double *x)
{
  size_t *filled = &s->filled[place];
  while (*filled < s->kept) {
    uint64_t t = token_of(s, *filled);
    if (t < first || t - first >= tokens)
      return;
    memcpy(s->row[place] + *filled * s->width, x + (size_t)(t - first) * s->width, s->width * sizeof *x);
    ++*filled;
  }
}

double token_sample_distance(const token_sample *s, size_t place)
{
  size_t n = s->filled[place], width = s->width;
  const double *x = s->row[place];
  measured distance = {0};
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < i; j++)
      sum += sqrt(sums_squared_distance(x + i * width, x + j * width, width));
    if (i)
      measured_accumulate(&distance.sum, &distance.low, sum);
    distance.count += i;
  }
  return measured_mean(&distance);
}
