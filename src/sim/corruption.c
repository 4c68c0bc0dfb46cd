/* Noise in a window. */
#include "sim/corruption.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/philox.h"

static const char *const kind_names[] = {"first", "last", "middle"};

/* The digits at *s, up to 15 of them; steps behind them. */
static bool read_number(uint64_t *value, const char **s)
{
  const char *start = *s;
  *value = 0;
  while (**s >= '0' && **s <= '9' && *s - start < 15)
    *value = 10 * *value + (uint64_t)(*(*s)++ - '0');
  return *s > start && !(**s >= '0' && **s <= '9');
}

static bool read_window(corruption_window *w, const char **s)
{
  for (int k = WINDOW_FIRST; k <= WINDOW_MIDDLE; k++) {
    size_t n = strlen(kind_names[k]);
    if (!strncmp(*s, kind_names[k], n) && (*s)[n] == ':') {
      *s += n + 1;
      w->kind = (window_kind)k;
      w->b = 0;
      return read_number(&w->a, s) && w->a > 0;
    }
  }
  w->kind = WINDOW_RANGE;
  if (!read_number(&w->a, s) || *(*s)++ != ':')
    return false;
  return read_number(&w->b, s) && w->b > w->a;
}

size_t corruption_read(corruption_window *window, const char *list)
{
  size_t count = 0;
  for (;;) {
    if (count == CORRUPTION_WINDOWS || !read_window(&window[count++], &list))
      return 0;
    if (!*list)
      return count;
    if (*list++ != ',')
      return 0;
  }
}

void corruption_name(char *name, const corruption_window *w)
{
  if (w->kind == WINDOW_RANGE)
    snprintf(name, CORRUPTION_NAME, "%llu:%llu", (unsigned long long)w->a, (unsigned long long)w->b);
  else
    snprintf(name, CORRUPTION_NAME, "%s:%llu", kind_names[w->kind], (unsigned long long)w->a);
}

void corruption_place(uint64_t *from, uint64_t *to, const corruption_window *w, uint64_t tokens)
{
  uint64_t n = w->a < tokens ? w->a : tokens;
  switch (w->kind) {
  case WINDOW_FIRST:
    *from = 0;
    break;
  case WINDOW_LAST:
    *from = tokens - n;
    break;
  case WINDOW_MIDDLE:
    *from = (tokens - n) / 2;
    break;
  default:
    *from = n;
    n = (w->b < tokens ? w->b : tokens) - n;
  }
  *to = *from + n;
}

void corruption_tokens(uint32_t *token, uint64_t first, size_t tokens, uint64_t from, uint64_t to, uint64_t vocabulary,
                       uint64_t seed, uint64_t sequence)
{
  for (size_t i = 0; i < tokens; i++)
    if (first + i >= from && first + i < to) {
      philox_stream s = philox_stream_start(seed, philox_hash_name("noise"), first + i, (uint32_t)sequence);
      token[i] = (uint32_t)philox_below(&s, vocabulary);
    }
}

/* Two normal numbers from a point in the unit disc (Marsaglia and Bray 1964). */
static void draw_two(double *a, double *b, philox_stream *s)
{
  double x, y, r;
  do {
    x = 2 * philox_uniform(s) - 1;
    y = 2 * philox_uniform(s) - 1;
    r = x * x + y * y;
  } while (r >= 1 || r == 0);
  double scale = sqrt(-2 * log(r) / r);
  *a = x * scale;
  *b = y * scale;
}

void corruption_vectors(double *vector, uint64_t first, size_t tokens, uint64_t from, uint64_t to, size_t width,
                        double deviation, uint64_t seed, uint64_t sequence)
{
  for (size_t i = 0; i < tokens; i++) {
    if (first + i < from || first + i >= to)
      continue;
    philox_stream s = philox_stream_start(seed, philox_hash_name("noise"), first + i, (uint32_t)sequence);
    for (size_t j = 0; j < width; j += 2) {
      double a, b;
      draw_two(&a, &b, &s);
      vector[i * width + j] = deviation * a;
      if (j + 1 < width)
        vector[i * width + j + 1] = deviation * b;
    }
  }
}
