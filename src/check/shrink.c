/* Shrinking: the measure, what a smaller instance must do, and the sizes. */
#include <stdlib.h>
#include <string.h>

#include "check/shrink_internal.h"
#include "core/limits.h"
#include "core/memory.h"
#include "lang/lower.h"

enum {
  MOST_TRIES = 8000,  /* instances decided for one shrink */
  MOST_CUTS = 64      /* places at which one size is cut */
};

/* Long tapes have long numbers: a step counts double at 10 000 steps. Ordinary claims stay far below; an instance of a thousand
 * tokens gets what it can within half a minute. */
static const double most_work = 40e6, steps_of_double_weight = 10000;

/* ---- the measure ---- */

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
  for (size_t e = 0; e < n; e++) /* a 1 is as plain as a 0 */
    m->distinct += !fmpq_is_zero(sorted[e]) && !fmpq_is_one(sorted[e]) && (e == 0 || !fmpq_equal(sorted[e], sorted[e - 1]));
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

static bool make(shrunk *x, const claim *c, const int64_t *sizes, slong precision, const char *target_name)
{
  *x = (shrunk){.precision = precision};
  diag *quiet = diag_create(NULL, 1);
  bool made = stage_create_for(&x->g, quiet, c, sizes, precision, target_name, NULL);
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
  if (!make(x, c, sizes, precision, target_name))
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

bool shrink_is_over(shrinker *k)
{
  return k->tries >= MOST_TRIES || k->work >= most_work || (k->stop && *k->stop);
}

static void count_try(shrinker *k, const stage *g)
{
  double steps = (double)decider_program(g->decider)->steps;
  k->tries++;
  k->work += steps * (1 + steps / steps_of_double_weight);
}

bool shrink_accept(shrinker *k)
{
  shrunk *x = k->x;
  if (shrink_is_over(k))
    return false;
  stage_complete(&x->state, k->trial);
  measure m;
  measure_take(&m, &x->g, k->trial);
  bool better = measure_less(&m, &k->now);
  if (better) {
    count_try(k, &x->g);
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

bool shrink_try_value(shrinker *k, size_t e, bool group, const fmpq_t v)
{
  shrunk *x = k->x;
  if (fmpq_equal(&x->value[e], v))
    return false;
  stage_copy_values(k->trial, x->value, x->g.plain->elements);
  for (size_t i = 0; i < x->g.plain->elements; i++)
    if (i == e || (group && fmpq_equal(&x->value[i], &x->value[e])))
      fmpq_set(&k->trial[i], v);
  return shrink_accept(k);
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
  bool made = lower_sizes_admissible(c, sizes) && make(&smaller, c, sizes, x->precision, k->target_name);
  free(sizes);
  bool found = false;
  for (int64_t i = 0; made && i < MOST_CUTS && i < old && !found && !shrink_is_over(k); i++) {
    count_try(k, &smaller.g);
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
    while (!shrink_is_over(k) && shrink_size(k, i))
      progress = true;
  return progress;
}

void shrink_run(shrunk *x, const char *target_name, const volatile int *stop)
{
  shrinker k = {.x = x, .target_name = target_name, .stop = stop};
  k.trial = stage_new_values(x->g.plain->elements);
  measure_take(&k.now, &x->g, x->value);
  while (!shrink_is_over(&k) &&
         (shrink_sizes(&k) || shrink_zero_entries(&k) || shrink_merge_entries(&k) || shrink_simplify_pairs(&k) ||
          shrink_simplify_entries(&k)))
    continue;
  fmpz_clear(k.now.sum);
  stage_free_values(k.trial, x->g.plain->elements);
}
