/* Polynomials in random elements; the contract is in expansion.h. */
#include "verify/expansion.h"

#include <stdlib.h>
#include <string.h>

#include "verify/evaluate_internal.h"

void expansion_begin(evaluator *e, gathering *g)
{
  key_map_init(&g->place);
  g->p = memory_region_new(e->duals.region, 1, sizeof(polynomial));
}

const polynomial *expansion_finish(gathering *g)
{
  key_map_clear(&g->place);
  return g->p;
}

void expansion_add(evaluator *e, gathering *g, unsigned factors, const uint64_t *factor, const dual *coefficient)
{
  uint32_t at;
  if (key_map_find(&g->place, factor, factors, &at)) {
    term *old = &g->p->term[at];
    old->coefficient = dual_apply(&e->duals, OP_ADD, old->coefficient, coefficient);
    return;
  }
  if (++e->random.terms > RANDOM_TERMS) {
    evaluator_fail(e, STATUS_UNABLE, e->random.place, "the polynomial below this mean has too many terms", "");
    return;
  }
  polynomial *p = g->p;
  if (p->terms == p->capacity) {
    unsigned capacity = p->capacity ? 2 * p->capacity : 4;
    term *room = memory_region_new(e->duals.region, capacity, sizeof *room);
    if (p->terms)
      memcpy(room, p->term, p->terms * sizeof *room);
    p->term = room;
    p->capacity = capacity;
  }
  key_map_set(&g->place, factor, factors, p->terms);
  uint64_t *own = factors ? memory_region_new(e->duals.region, factors, sizeof *own) : NULL;
  if (factors)
    memcpy(own, factor, factors * sizeof *own);
  p->term[p->terms++] = (term){factors, own, coefficient};
}

const polynomial *expansion_constant(evaluator *e, const dual *value)
{
  gathering g;
  expansion_begin(e, &g);
  expansion_add(e, &g, 0, NULL, value);
  return expansion_finish(&g);
}

const polynomial *expansion_unknown(evaluator *e)
{
  return expansion_constant(e, dual_literal(&e->duals, NUMBER_UNKNOWN));
}

void expansion_add_all(evaluator *e, gathering *g, const polynomial *a, bool negate)
{
  for (unsigned i = 0; i < a->terms; i++) {
    const term *t = &a->term[i];
    const dual *c = negate ? dual_apply(&e->duals, OP_NEGATE, t->coefficient, NULL) : t->coefficient;
    expansion_add(e, g, t->factors, t->factor, c);
  }
}

const polynomial *expansion_sum(evaluator *e, const polynomial *a, const polynomial *b, bool negate_b)
{
  gathering g;
  expansion_begin(e, &g);
  expansion_add_all(e, &g, a, false);
  expansion_add_all(e, &g, b, negate_b);
  return expansion_finish(&g);
}

/* The factors of both, merged into `out`; how many. */
static unsigned merge(uint64_t *out, const term *a, const term *b)
{
  unsigned i = 0, j = 0, n = 0;
  while (i < a->factors || j < b->factors) {
    uint64_t x = i < a->factors ? a->factor[i] >> 32 : UINT64_MAX, y = j < b->factors ? b->factor[j] >> 32 : UINT64_MAX;
    uint64_t power = (x <= y ? a->factor[i] & UINT32_MAX : 0) + (y <= x ? b->factor[j] & UINT32_MAX : 0);
    out[n++] = (x <= y ? x : y) << 32 | power;
    i += x <= y;
    j += y <= x;
  }
  return n;
}

static unsigned most_factors(const polynomial *a)
{
  unsigned most = 0;
  for (unsigned i = 0; i < a->terms; i++)
    most = a->term[i].factors > most ? a->term[i].factors : most;
  return most;
}

const polynomial *expansion_product(evaluator *e, const polynomial *a, const polynomial *b)
{
  uint64_t *factor = memory_new(most_factors(a) + most_factors(b), sizeof *factor);
  gathering g;
  expansion_begin(e, &g);
  for (unsigned i = 0; i < a->terms; i++)
    for (unsigned j = 0; j < b->terms && evaluator_may_go_on(e, e->random.mean); j++) {
      unsigned n = merge(factor, &a->term[i], &b->term[j]);
      for (unsigned k = 0; k < n; k++)
        if ((factor[k] & UINT32_MAX) > RANDOM_DEGREE)
          evaluator_fail(e, STATUS_UNABLE, e->random.place, "the polynomial below this mean has a power beyond the limit", " of 2^14");
      expansion_add(e, &g, n, factor, dual_apply(&e->duals, OP_MULTIPLY, a->term[i].coefficient, b->term[j].coefficient));
    }
  free(factor);
  return expansion_finish(&g);
}
