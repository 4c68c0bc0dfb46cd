/* Shrinking of values and sizes. */
#include "check/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "lang/lower.h"
#include "source/simplest.h"

enum {
  MOST_TRIES = 8000,  /* instances decided for one shrink */
  MOST_CUTS = 64      /* places at which one size is cut */
};

/* ---- the measure ---- */

typedef struct {
  int64_t sizes;
  size_t nonzero, distinct;
  uint64_t bits;
  fmpz_t sum;
  size_t negative;
} measure;

static int compare_values(const void *a, const void *b)
{
  return fmpq_cmp(*(const fmpq *const *)a, *(const fmpq *const *)b);
}

static void measure_take(measure *m, const stage *g, const fmpq *value)
{
  size_t n = g->plain->elements;
  *m = (measure){0};
  fmpz_init(m->sum);
  fmpz_t p;
  fmpz_init(p);
  const fmpq **sorted = memory_new(n, sizeof *sorted);
  for (unsigned i = 0; i < g->claim->sizes; i++)
    m->sizes += g->sizes[i];
  for (size_t e = 0; e < n; e++) {
    sorted[e] = &value[e];
    if (fmpq_is_zero(&value[e]))
      continue;
    m->nonzero++;
    m->bits += fmpz_bits(fmpq_numref(&value[e])) + fmpz_bits(fmpq_denref(&value[e]));
    fmpz_abs(p, fmpq_numref(&value[e]));
    fmpz_add(m->sum, m->sum, p);
    fmpz_add(m->sum, m->sum, fmpq_denref(&value[e]));
    m->negative += fmpq_sgn(&value[e]) < 0;
  }
  if (n)
    qsort(sorted, n, sizeof *sorted, compare_values);
  for (size_t e = 0; e < n; e++)
    m->distinct += !fmpq_is_zero(sorted[e]) && (e == 0 || !fmpq_equal(sorted[e], sorted[e - 1]));
  free(sorted);
  fmpz_clear(p);
}

static int order(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

static bool measure_less(const measure *a, const measure *b)
{
  int c = a->sizes < b->sizes ? -1 : a->sizes > b->sizes;
  if (!c)
    c = order(a->nonzero, b->nonzero);
  if (!c)
    c = order(a->distinct, b->distinct);
  if (!c)
    c = order(a->bits, b->bits);
  if (!c)
    c = fmpz_cmp(a->sum, b->sum);
  if (!c)
    c = order(a->negative, b->negative);
  return c < 0;
}

/* ---- the instance ---- */

void shrunk_clear(shrunk *x)
{
  if (x->g.plain) {
    stage_free_values(x->value, x->g.plain->elements);
    stage_state_clear(&x->state);
    stage_clear(&x->g);
  }
  *x = (shrunk){0};
}

static bool make(shrunk *x, const claim *c, const int64_t *sizes, slong precision)
{
  *x = (shrunk){.precision = precision};
  diag *quiet = diag_create(NULL, 1);
  bool made = stage_create(&x->g, quiet, c, sizes, precision);
  diag_destroy(quiet);
  if (!made)
    return false;
  stage_state_init(&x->state, &x->g);
  x->value = stage_new_values(x->g.plain->elements);
  return true;
}

/* Completes the values and decides: does the instance hit? */
static bool hits(shrunk *x, fmpq *value, const char *target_name)
{
  const uint32_t *labels;
  size_t targets = decider_targets(x->g.decider, &labels);
  if (stage_decide(&x->state, value) != TRUTH_TRUE)
    return false;
  for (size_t k = 0; k < targets; k++) {
    const tape_label *l = &x->g.plain->label[labels[k]];
    if ((!target_name || !strcmp(l->name, target_name)) &&
        x->state.target[k] == (l->kind == TAPE_SHOW ? TRUTH_FALSE : TRUTH_TRUE))
      return true;
  }
  return false;
}

bool shrink_start_values(shrunk *x, const claim *c, const int64_t *sizes, const fmpq *value, slong precision,
                         const char *target_name)
{
  if (!make(x, c, sizes, precision))
    return false;
  stage_copy_values(x->value, value, x->g.plain->elements);
  return hits(x, x->value, target_name);
}

bool shrink_start(shrunk *x, const search *s, const search_hit *hit, const char *target_name)
{
  const int64_t *sizes = s->at[hit->case_number].g.sizes;
  return shrink_start_values(x, s->claim, sizes, hit->value, s->options->precision, target_name);
}

/* ---- one try ---- */

typedef struct {
  shrunk *x;
  const char *target_name;
  const volatile int *stop;
  unsigned tries;
  fmpq *trial; /* of g's elements */
  measure now;
} shrinker;

static bool is_over(shrinker *k)
{
  return k->tries >= MOST_TRIES || (k->stop && *k->stop);
}

/* Takes k->trial in place of the instance if it is smaller and hits. */
static bool accept(shrinker *k)
{
  shrunk *x = k->x;
  if (is_over(k))
    return false;
  stage_complete(&x->state, k->trial);
  measure m;
  measure_take(&m, &x->g, k->trial);
  bool better = measure_less(&m, &k->now);
  if (better) {
    k->tries++;
    better = hits(x, k->trial, k->target_name);
  }
  if (!better) {
    fmpz_clear(m.sum);
    return false;
  }
  stage_copy_values(x->value, k->trial, x->g.plain->elements);
  x->steps++;
  fmpz_clear(k->now.sum);
  k->now = m;
  return true;
}

/* Sets element e, or with `group` every element of equal value, to v. A solved element falls back to its solution, where
 * that exists. */
static bool try_value(shrinker *k, size_t e, bool group, const fmpq_t v)
{
  shrunk *x = k->x;
  if (fmpq_equal(&x->value[e], v))
    return false;
  stage_copy_values(k->trial, x->value, x->g.plain->elements);
  for (size_t i = 0; i < x->g.plain->elements; i++)
    if (i == e || (group && fmpq_equal(&x->value[i], &x->value[e])))
      fmpq_set(&k->trial[i], v);
  return accept(k);
}

/* ---- values ---- */

static bool zero_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  fmpq_t zero;
  fmpq_init(zero);
  for (unsigned given = 0; given < x->g.claim->givens; given++) { /* a whole given at once */
    stage_copy_values(k->trial, x->value, x->g.plain->elements);
    for (size_t e = 0; e < x->g.plain->elements; e++)
      if (x->g.plain->element[e].given == given)
        fmpq_zero(&k->trial[e]);
    progress |= accept(k);
  }
  for (size_t e = 0; e < x->g.plain->elements; e++)
    progress |= try_value(k, e, false, zero);
  fmpq_clear(zero);
  return progress;
}

static bool merge_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  fmpq_t v;
  fmpq_init(v);
  for (size_t e = 0; e < x->g.plain->elements && !is_over(k); e++)
    for (size_t i = 0; i < x->g.plain->elements; i++) {
      fmpq_set(v, &x->value[i]); /* a copy: what is accepted changes the instance */
      progress |= try_value(k, e, true, v) || try_value(k, e, false, v);
    }
  fmpq_clear(v);
  return progress;
}

static const struct {
  int8_t p;
  uint8_t q;
} simple[] = {{1, 1}, {-1, 1}, {1, 2}, {2, 1},  {-2, 1}, {-1, 2}, {1, 3}, {3, 1},  {-3, 1},
              {1, 4}, {2, 3},  {3, 2}, {3, 4},  {4, 1},  {1, 5},  {5, 1}, {-1, 3}, {-4, 1},
              {1, 8}, {7, 8},  {8, 1}, {1, 10}, {9, 10}, {10, 1}, {100, 1}, {1, 100}};

/* +-10^k or +-10^-k next to v, k from the number of digits plus `more`: what a person would write for a huge or tiny
 * number. */
static void power_of_ten(fmpq_t out, const fmpq_t v, unsigned more)
{
  fmpz_t q;
  fmpz_init(q);
  bool small = fmpz_cmpabs(fmpq_numref(v), fmpq_denref(v)) < 0;
  if (small)
    fmpz_tdiv_q(q, fmpq_denref(v), fmpq_numref(v));
  else
    fmpz_tdiv_q(q, fmpq_numref(v), fmpq_denref(v));
  fmpz_abs(q, q);
  ulong digits = fmpz_is_zero(q) ? 0 : fmpz_sizeinbase(q, 10) - 1 + more;
  fmpz_ui_pow_ui(q, 10, digits);
  fmpq_set_fmpz(out, q);
  if (small)
    fmpq_inv(out, out);
  if (fmpq_sgn(v) < 0)
    fmpq_neg(out, out);
  fmpz_clear(q);
}

/* Smaller fractions for the entries equal to entry e (group), or for it alone. */
static bool simplify_entry(shrinker *k, size_t e, bool group)
{
  fmpq_t v, radius, old;
  fmpq_init(v);
  fmpq_init(radius);
  fmpq_init(old);
  bool progress = false;
  for (size_t i = 0; i < sizeof simple / sizeof simple[0] && !progress; i++) {
    fmpq_set_si(v, simple[i].p, simple[i].q);
    progress = try_value(k, e, group, v);
  }
  for (unsigned more = 0; more < 2 && !progress; more++) {
    power_of_ten(v, &k->x->value[e], more);
    progress = try_value(k, e, group, v);
  }
  for (int bits = 0; bits < 60 && !progress; bits += bits < 8 ? 1 : 4) { /* ever nearer to the value itself */
    fmpq_set(old, &k->x->value[e]);
    fmpq_abs(radius, old);
    fmpq_div_2exp(radius, radius, (flint_bitcnt_t)bits);
    simplest_near(v, old, radius);
    progress = try_value(k, e, group, v);
  }
  /* Below the reach of the steps above: huge and tiny values by their powers of two. */
  for (int shift = 512; shift >= 1 && !progress; shift /= 2) {
    fmpq_set(v, &k->x->value[e]);
    if (fmpz_bits(fmpq_numref(v)) > fmpz_bits(fmpq_denref(v)))
      fmpq_div_2exp(v, v, (flint_bitcnt_t)shift);
    else
      fmpq_mul_2exp(v, v, (flint_bitcnt_t)shift);
    progress = try_value(k, e, group, v);
  }
  fmpq_clear(v);
  fmpq_clear(radius);
  fmpq_clear(old);
  return progress;
}

static bool simplify_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  for (size_t e = 0; e < x->g.plain->elements && !is_over(k); e++) {
    if (fmpq_is_zero(&x->value[e]))
      continue;
    while (simplify_entry(k, e, true))
      progress = true;
    while (simplify_entry(k, e, false))
      progress = true;
  }
  return progress;
}

/* Entries of two values changed together, where neither can change alone: alpha = 1/2 and delta = 1 - 1/2, say. */
static bool simplify_pair(shrinker *k, size_t e, size_t f)
{
  enum { FEW = 8 };
  shrunk *x = k->x;
  fmpq_t v, w;
  fmpq_init(v);
  fmpq_init(w);
  bool progress = false;
  for (unsigned i = 0; i < FEW * FEW && !progress; i++) {
    fmpq_set_si(v, simple[i / FEW].p, simple[i / FEW].q);
    fmpq_set_si(w, simple[i % FEW].p, simple[i % FEW].q);
    stage_copy_values(k->trial, x->value, x->g.plain->elements);
    for (size_t j = 0; j < x->g.plain->elements; j++) {
      if (fmpq_equal(&x->value[j], &x->value[e]))
        fmpq_set(&k->trial[j], v);
      else if (fmpq_equal(&x->value[j], &x->value[f]))
        fmpq_set(&k->trial[j], w);
    }
    progress = accept(k);
  }
  fmpq_clear(v);
  fmpq_clear(w);
  return progress;
}

static uint64_t bits_of(const fmpq_t v)
{
  return fmpz_bits(fmpq_numref(v)) + fmpz_bits(fmpq_denref(v));
}

static bool simplify_pairs(shrinker *k)
{
  enum { ALREADY_SIMPLE = 8 }; /* bits of both values together */
  shrunk *x = k->x;
  for (size_t e = 0; e < x->g.plain->elements; e++)
    for (size_t f = e + 1; f < x->g.plain->elements; f++) {
      const fmpq *v = &x->value[e], *w = &x->value[f];
      if (is_over(k))
        return false;
      if (!fmpq_is_zero(v) && !fmpq_is_zero(w) && !fmpq_equal(v, w) && bits_of(v) + bits_of(w) > ALREADY_SIMPLE &&
          simplify_pair(k, e, f))
        return true;
    }
  return false;
}

/* ---- sizes ---- */

static bool uses_size(const node *n, unsigned size)
{
  if (n->kind == NODE_SIZE && n->symbol == size)
    return true;
  for (unsigned i = 0; i < n->children; i++)
    if (uses_size(n->child[i], size))
      return true;
  return false;
}

/* The indices in an element's name, name[1,2]. */
static unsigned read_indices(const char *name, int64_t *indices)
{
  unsigned n = 0;
  for (const char *s = strchr(name, '['); s && *s && *s != ']' && n < LIMIT_BINDERS;) {
    char *end;
    indices[n++] = strtoll(s + 1, &end, 10);
    s = end;
  }
  return n;
}

static const fmpq *find_value(const shrunk *x, const char *name, size_t guess)
{
  for (size_t i = 0; i < x->g.plain->elements; i++) {
    size_t e = (guess + i) % x->g.plain->elements;
    if (!strcmp(x->g.plain->element[e].name, name))
      return &x->value[e];
  }
  return NULL;
}

/* Fills `smaller` from x with place `cut` of size number `size` taken out: later indices move down by one. */
static void cut_instance(shrunk *smaller, const shrunk *x, unsigned size, int64_t cut)
{
  const claim *c = x->g.claim;
  for (size_t e = 0; e < smaller->g.plain->elements; e++) {
    const tape_element *element = &smaller->g.plain->element[e];
    const claim_given *given = &c->given[element->given];
    int64_t indices[LIMIT_BINDERS];
    unsigned n = read_indices(element->name, indices);
    for (unsigned i = 0; i < n; i++) {
      const claim_position *p = &given->line[element->line].position[i];
      bool moves = uses_size(p->low, size) || (p->high && uses_size(p->high, size));
      if (moves && indices[i] >= cut)
        indices[i]++;
    }
    text name;
    text_init(&name);
    claim_print_element(&name, given->name, indices, n);
    const fmpq *old = find_value(x, text_string(&name), e);
    text_clear(&name);
    if (old)
      fmpq_set(&smaller->value[e], old);
  }
}

/* Makes one size smaller by one, cutting at some place. */
static bool shrink_size(shrinker *k, unsigned size)
{
  shrunk *x = k->x;
  const claim *c = x->g.claim;
  int64_t *sizes = memory_new(c->sizes, sizeof *sizes), old = x->g.sizes[size];
  memcpy(sizes, x->g.sizes, c->sizes * sizeof *sizes);
  sizes[size]--;
  shrunk smaller = {0};
  bool made = lower_sizes_admissible(c, sizes) && make(&smaller, c, sizes, x->precision);
  free(sizes);
  bool found = false;
  for (int64_t i = 0; made && i < MOST_CUTS && i < old && !found && !is_over(k); i++) {
    k->tries++;
    cut_instance(&smaller, x, size, old - i);
    found = hits(&smaller, smaller.value, k->target_name);
  }
  if (!found) {
    shrunk_clear(&smaller);
    return false;
  }
  smaller.steps = x->steps + 1;
  stage_free_values(k->trial, x->g.plain->elements);
  shrunk_clear(x);
  *x = smaller;
  x->state.g = &x->g; /* it moved */
  k->trial = stage_new_values(x->g.plain->elements);
  fmpz_clear(k->now.sum);
  measure_take(&k->now, &x->g, x->value);
  return true;
}

static bool shrink_sizes(shrinker *k)
{
  bool progress = false;
  for (unsigned i = 0; i < k->x->g.claim->sizes; i++)
    while (!is_over(k) && shrink_size(k, i))
      progress = true;
  return progress;
}

void shrink_run(shrunk *x, const char *target_name, const volatile int *stop)
{
  shrinker k = {.x = x, .target_name = target_name, .stop = stop};
  k.trial = stage_new_values(x->g.plain->elements);
  measure_take(&k.now, &x->g, x->value);
  while (!is_over(&k) && (shrink_sizes(&k) || zero_entries(&k) || merge_entries(&k) || simplify_pairs(&k) ||
                          simplify_entries(&k)))
    continue;
  fmpz_clear(k.now.sum);
  stage_free_values(k.trial, x->g.plain->elements);
}
