/* Drawing associative-recall sequences. */
#include "sim/mqar.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/philox.h"

mqar_options mqar_options_make(uint64_t vocabulary, size_t pairs, size_t length, uint64_t seed)
{
  if (!length)
    length = pairs < 16 ? 64 : 4 * pairs;
  return (mqar_options){.vocabulary = vocabulary, .seed = seed, .pairs = pairs, .length = length, .exponent = 0.01};
}

const char *mqar_reason(const mqar_options *o)
{
  if (o->pairs < 1)
    return "a sequence needs a pair";
  if (o->vocabulary < 4 || o->pairs > o->vocabulary / 2 - 1)
    return "the vocabulary has too few keys for so many pairs";
  if (o->length % 2 || o->length / 4 < o->pairs)
    return "the length must be even and at least four times the number of pairs";
  return o->vocabulary > UINT32_MAX ? "the vocabulary is too large" : NULL;
}

/* `count` different numbers from first .. first + size - 1, in random order. */
static void draw_different(uint32_t *out, size_t count, uint64_t first, uint64_t size, philox_stream *stream)
{
  bool *taken = memory_new((size_t)size, sizeof *taken);
  for (size_t i = 0; i < count;) {
    uint64_t k = philox_below(stream, size);
    if (taken[k])
      continue;
    taken[k] = true;
    out[i++] = (uint32_t)(first + k);
  }
  free(taken);
}

/* The first index whose cumulative weight is above u. */
static size_t search(const double *cumulative, size_t n, double u)
{
  size_t low = 0, high = n - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (u < cumulative[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* A number that was drawn before is drawn again: that is to draw from what is left, in proportion. */
static void draw_gaps(size_t *gap, const mqar_options *o, philox_stream *stream)
{
  size_t space = (o->length - 2 * o->pairs) / 2;
  double *cumulative = memory_new(space, sizeof *cumulative), sum = 0;
  bool *taken = memory_new(space, sizeof *taken);
  for (size_t g = 0; g < space; g++)
    cumulative[g] = sum += pow((double)(g + 1), o->exponent - 1);
  for (size_t j = 0; j < o->pairs;) {
    size_t g = search(cumulative, space, philox_uniform(stream) * sum);
    if (taken[g])
      continue;
    taken[g] = true;
    gap[j++] = g;
  }
  free(cumulative);
  free(taken);
}

void mqar_make(uint32_t *token, mqar_query *query, const mqar_options *o, uint64_t example)
{
  philox_stream stream = philox_stream_start(o->seed, philox_hash_name("recall"), example, (uint32_t)o->pairs);
  uint64_t half = o->vocabulary / 2;
  uint32_t *key = memory_new(o->pairs, sizeof *key), *value = memory_new(o->pairs, sizeof *value);
  size_t *gap = memory_new(o->pairs, sizeof *gap);
  draw_different(key, o->pairs, 1, half - 1, &stream);
  draw_different(value, o->pairs, half, o->vocabulary - half, &stream);
  draw_gaps(gap, o, &stream);
  memset(token, 0, o->length * sizeof *token);
  for (size_t j = 0; j < o->pairs; j++) {
    query[j] = (mqar_query){.key_at = 2 * j, .query_at = 2 * o->pairs + 2 * gap[j], .value = value[j]};
    token[2 * j] = token[query[j].query_at] = key[j];
    token[2 * j + 1] = value[j];
  }
  free(key);
  free(value);
  free(gap);
}
