/* The exhaustive source. */
#include "source/grid.h"

#include <stdlib.h>

#include "core/memory.h"

enum {
  GRID_VALUES = 16,
  MOST_SPARE = 256 /* instances when all elements are solved: most are the same instance, completed */
};

/* By growing numerator plus denominator, 0 first; what follows tells a reader least when it stands in a counterexample. */
static const struct {
  int8_t p;
  uint8_t q;
} simple[] = {{0, 1},  {1, 1},  {-1, 1}, {1, 2}, {2, 1},  {-2, 1}, {-1, 2}, {1, 3}, {3, 1}, {-3, 1},
              {1, 4},  {2, 3},  {3, 2},  {3, 4}, {4, 1},  {-1, 3}, {-4, 1}, {1, 5}, {1, 10}, {9, 10},
              {10, 1}, {-10, 1}};
enum { SIMPLE = sizeof simple / sizeof simple[0], BEFORE_EXTREMES = 6 };

struct grid {
  const tape *t;
  unsigned width;
  uint64_t count;
  unsigned *values;  /* of each element: how many it takes; 0 for solved ones, unless there is nothing else to choose */
  unsigned *spare;   /* of a solved element: how many values it has for where its solution does not exist */
  fmpq *value;       /* GRID_VALUES of each element */
};

static const fmpq *constant_end(const tape *t, tape_id id)
{
  return id != TAPE_NONE && t->op[id].op == TAPE_CONSTANT ? &t->constant[t->op[id].a] : NULL;
}

static bool is_inside(const tape_element *e, const fmpq *low, const fmpq *high, const fmpq_t x)
{
  if (low && (fmpq_cmp(x, low) < 0 || (e->low_open && fmpq_equal(x, low))))
    return false;
  return !high || !(fmpq_cmp(x, high) > 0 || (e->high_open && fmpq_equal(x, high)));
}

static bool add_value(const grid *g, size_t element, unsigned *count, const fmpq_t x)
{
  fmpq *list = g->value + element * GRID_VALUES;
  for (unsigned i = 0; i < *count; i++)
    if (fmpq_equal(&list[i], x))
      return false;
  if (*count < GRID_VALUES)
    fmpq_set(&list[(*count)++], x);
  return true;
}

/* What no double reaches: past 10^50 and 10^500 where an end is infinite, within 10^-50 and 10^-500 of one that is finite. */
static void add_extremes(const grid *g, size_t element, unsigned *count, const fmpq *low, const fmpq *high)
{
  static const ulong powers[] = {50, 500};
  const tape_element *e = &g->t->element[element];
  fmpq_t x, size;
  fmpq_init(x);
  fmpq_init(size);
  for (unsigned i = 0; i < 2; i++)
    for (int end = 0; end < 2; end++) {
      const fmpq *at = end ? high : low;
      fmpz_ui_pow_ui(fmpq_numref(size), 10, powers[i]);
      fmpz_one(fmpq_denref(size));
      if (at)
        fmpq_inv(size, size);
      if ((end == 0) == !at) /* down from a high end, and towards minus infinity */
        fmpq_neg(size, size);
      fmpq_set(x, size);
      if (at)
        fmpq_add(x, at, size);
      if (is_inside(e, low, high, x))
        add_value(g, element, count, x);
    }
  fmpq_clear(x);
  fmpq_clear(size);
}

/* The list of element e: closed constant ends, simple rationals inside, and for a narrow range its simple fractions. */
static unsigned list_values(const grid *g, size_t element)
{
  const tape_element *e = &g->t->element[element];
  const fmpq *low = constant_end(g->t, e->low), *high = constant_end(g->t, e->high);
  unsigned count = 0;
  if (low && !e->low_open)
    add_value(g, element, &count, low);
  if (high && !e->high_open)
    add_value(g, element, &count, high);
  fmpq_t x, width;
  fmpq_init(x);
  fmpq_init(width);
  for (unsigned i = 0; i < SIMPLE; i++) {
    if (i == BEFORE_EXTREMES)
      add_extremes(g, element, &count, low, high);
    fmpq_set_si(x, simple[i].p, simple[i].q);
    if (is_inside(e, low, high, x))
      add_value(g, element, &count, x);
  }
  if (low && high) { /* fractions of the width */
    fmpq_sub(width, high, low);
    for (unsigned i = 0; i < SIMPLE && count < GRID_VALUES; i++) {
      fmpq_set_si(x, simple[i].p, simple[i].q);
      if (fmpq_sgn(x) <= 0)
        continue;
      fmpq_mul(x, x, width);
      fmpq_add(x, x, low);
      if (is_inside(e, low, high, x))
        add_value(g, element, &count, x);
    }
  }
  fmpq_clear(x);
  fmpq_clear(width);
  return count;
}

/* Instances when each element takes at most `width` values; more than limit counts as limit + 1. */
static uint64_t count_instances(const grid *g, const unsigned *available, unsigned width, uint64_t limit)
{
  uint64_t count = 1;
  for (size_t e = 0; e < g->t->elements; e++) {
    unsigned n = available[e] < width ? available[e] : width;
    if (n == 0)
      continue;
    if (count > limit / n)
      return limit + 1;
    count *= n;
  }
  return count;
}

grid *grid_create(const tape *t, uint64_t limit)
{
  grid *g = memory_new(1, sizeof *g);
  g->t = t;
  g->values = memory_new(t->elements, sizeof *g->values);
  g->spare = memory_new(t->elements, sizeof *g->spare);
  size_t total = memory_multiply(t->elements, GRID_VALUES);
  g->value = memory_new(total, sizeof *g->value);
  for (size_t i = 0; i < total; i++)
    fmpq_init(&g->value[i]);
  for (size_t e = 0; e < t->elements; e++)
    *(tape_is_drawn(t, e) ? &g->values[e] : &g->spare[e]) = list_values(g, e);
  if (count_instances(g, g->values, GRID_VALUES, 1) <= 1) {
    /* Nothing to choose but for what a solution that does not exist leaves free. */
    for (size_t e = 0; e < t->elements; e++)
      if (!tape_is_drawn(t, e))
        g->values[e] = g->spare[e];
    limit = limit < MOST_SPARE ? limit : MOST_SPARE;
  }
  while (g->width < GRID_VALUES && count_instances(g, g->values, g->width + 1, limit) <= limit)
    g->width++;
  if (!t->elements || g->width < 2) {
    grid_destroy(g);
    return NULL;
  }
  g->count = count_instances(g, g->values, g->width, limit);
  for (size_t e = 0; e < t->elements; e++)
    if (g->values[e] > g->width)
      g->values[e] = g->width;
  return g;
}

void grid_destroy(grid *g)
{
  if (!g)
    return;
  for (size_t i = 0; i < g->t->elements * GRID_VALUES; i++)
    fmpq_clear(&g->value[i]);
  free(g->value);
  free(g->values);
  free(g->spare);
  free(g);
}

uint64_t grid_count(const grid *g)
{
  return g->count;
}

unsigned grid_width(const grid *g)
{
  return g->width;
}

void grid_fill(const grid *g, fmpq *values, uint64_t number)
{
  for (size_t e = 0; e < g->t->elements; e++) {
    unsigned n = g->values[e];
    if (!n) { /* solved */
      fmpq_zero(&values[e]);
      if (g->spare[e])
        fmpq_set(&values[e], &g->value[e * GRID_VALUES + number % g->spare[e]]);
      continue;
    }
    fmpq_set(&values[e], &g->value[e * GRID_VALUES + number % n]);
    number /= n;
  }
}
