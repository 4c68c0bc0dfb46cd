/* Decides the entries of a layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "check/model_work.h"
#include "core/memory.h"
#include "core/target.h"

/* Groups per unit of work of a thread. */
enum { AT_ONCE = 16 };

static void ball_to_doubles(double *low, double *high, const arb_t ball)
{
  arf_t end;
  arf_init(end);
  arb_get_lbound_arf(end, ball, 64);
  *low = arf_is_nan(end) ? -INFINITY : arf_get_d(end, ARF_RND_FLOOR);
  arb_get_ubound_arf(end, ball, 64);
  *high = arf_is_nan(end) ? INFINITY : arf_get_d(end, ARF_RND_CEIL);
  arf_clear(end);
}

static const entry_value asked[] = {ENTRY_MARGIN, ENTRY_LOG_DECAY, ENTRY_DECAY, ENTRY_RATE};
enum { ASKED = 4 };

static const model_bounds *bounds_of(const model_work *w, int k)
{
  const model_bounds *const all[ASKED] = {&w->margin, &w->log_decay, &w->decay, &w->rate_bounds};
  return all[k];
}

/* What doubles leave wide, balls of 64 bits narrow. */
static void narrow(model_work *w, entry_eval *v, size_t i)
{
  arb_t x;
  arb_init(x);
  entry_eval_ball(v, &w->store, i, 64);
  for (int k = 0; k < ASKED; k++) {
    const model_bounds *b = bounds_of(w, k);
    double low, high;
    if (!b->low || !entry_eval_enclosure(x, v, asked[k]))
      continue;
    ball_to_doubles(&low, &high, x);
    b->low[i] = low > b->low[i] ? low : b->low[i];
    b->high[i] = high < b->high[i] ? high : b->high[i];
  }
  arb_clear(x);
}

/* Balls of growing precision until the margin is certainly <= 0, or certainly > 0. */
static truth by_balls(model_work *w, entry_eval *v, size_t i)
{
  truth found = TRUTH_OPEN;
  arb_t x;
  arb_init(x);
  for (slong p = 64; p <= w->options->precision_limit && found == TRUTH_OPEN; p *= 2) {
    entry_eval_ball(v, &w->store, i, p);
    if (!entry_eval_enclosure(x, v, ENTRY_MARGIN))
      continue;
    if (arb_is_nonpositive(x))
      found = TRUTH_TRUE;
    else if (arb_is_positive(x))
      found = TRUTH_FALSE;
  }
  arb_clear(x);
  return found;
}

/* What was found out lately about stored values near a = -1. Models are initialised with a = -1 in every channel, and where
 * training left it there, doubles do not decide. One evaluator has one. */
typedef struct {
  size_t inputs; /* that the rate depends on; more than WIDTH: nothing is kept */
  size_t input[4];
  struct {
    double key[4];
    unsigned char found; /* ALONE_UNKNOWN: empty */
  } slot[64];
} memory_of_rates;
enum { WIDTH = 4, SLOTS = 64 };

static void memory_start(memory_of_rates *m, const entry_tape *e)
{
  *m = (memory_of_rates){0};
  bool *reached = memory_new(e->inputs + 1, sizeof *reached);
  if (e->rate != TAPE_NONE)
    entry_reaches(reached, e, e->rate);
  for (size_t i = 0; i < e->inputs; i++) {
    if (reached[i] && m->inputs < WIDTH)
      m->input[m->inputs] = i;
    m->inputs += reached[i];
  }
  free(reached);
}

/* The slot of an entry, its key filled in when it is another's; NULL when nothing is kept. */
static unsigned char *memory_slot(memory_of_rates *m, const model_work *w, size_t entry)
{
  if (m->inputs > WIDTH)
    return NULL;
  double key[WIDTH];
  uint64_t at, hash = 0;
  for (size_t k = 0; k < m->inputs; k++) {
    key[k] = entry_stored(&at, model_tape(w, entry), &w->store, entry, m->input[k]);
    uint64_t bits;
    memcpy(&bits, &key[k], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  }
  size_t s = (size_t)(hash >> 58) % SLOTS;
  if (memcmp(m->slot[s].key, key, m->inputs * sizeof *key) != 0) {
    memcpy(m->slot[s].key, key, m->inputs * sizeof *key);
    m->slot[s].found = ALONE_UNKNOWN;
  }
  return &m->slot[s].found;
}

static unsigned char decide_rate(model_work *w, entry_eval *v, size_t i);

/* a < -1: some step is small enough. */
static unsigned char decide_alone(model_work *w, entry_eval *v, memory_of_rates *m, size_t i)
{
  if (w->rate_bounds.high[i] < -1)
    return ALONE_CAN;
  if (w->rate_bounds.low[i] >= -1)
    return ALONE_NEVER;
  unsigned char *slot = memory_slot(m, w, i);
  if (!slot)
    return decide_rate(w, v, i);
  if (*slot == ALONE_UNKNOWN)
    *slot = decide_rate(w, v, i);
  return *slot;
}

/* By balls; that of a = -1 itself is exact. */
static unsigned char decide_rate(model_work *w, entry_eval *v, size_t i)
{
  arb_t x;
  arb_init(x);
  unsigned char found = ALONE_UNKNOWN;
  for (slong p = 64; p <= w->options->precision_limit && found == ALONE_UNKNOWN; p *= 2) {
    entry_eval_ball(v, &w->store, i, p);
    if (!entry_eval_enclosure(x, v, ENTRY_RATE))
      continue;
    arb_add_si(x, x, 1, p);
    if (arb_is_negative(x))
      found = ALONE_CAN;
    else if (arb_is_nonnegative(x))
      found = ALONE_NEVER;
  }
  arb_clear(x);
  return found;
}

/* Whether the step is certainly positive. */
static bool step_positive(model_work *w, entry_eval *v, size_t i)
{
  arb_t x;
  arb_init(x);
  bool positive = false;
  for (slong p = 64; p <= w->options->precision_limit && !positive; p *= 2) {
    entry_eval_ball(v, &w->store, i, p);
    positive = entry_eval_enclosure(x, v, ENTRY_STEP) && arb_is_positive(x);
  }
  arb_clear(x);
  return positive;
}

/* by_double: the bounds on the margin are still those of doubles, or these had decided. */
static unsigned char decide_margin(model_work *w, entry_eval *v, size_t i, bool by_double)
{
  if (!w->margin.low)
    return MODEL_UNKNOWN;
  if (model_tape(w, i)->always_equal) { /* wherever A has a value */
    bool defined = w->margin.high[i] <= 0 || by_balls(w, v, i) == TRUTH_TRUE;
    return defined ? MODEL_HOLDS | MODEL_BY_RULE : MODEL_UNKNOWN;
  }
  unsigned char who = by_double ? MODEL_BY_DOUBLE : MODEL_BY_BALL;
  if (w->margin.high[i] <= 0)
    return MODEL_HOLDS | who;
  if (w->margin.low[i] > 0)
    return MODEL_FAILS | who;
  narrow(w, v, i);
  truth found = by_balls(w, v, i);
  if (found == TRUTH_TRUE)
    return MODEL_HOLDS | MODEL_BY_BALL;
  if (found == TRUTH_FALSE)
    return MODEL_FAILS | MODEL_BY_BALL;
  bool slope = w->rate_bounds.low && w->alone[i] == ALONE_NEVER && step_positive(w, v, i);
  return slope ? MODEL_FAILS | MODEL_BY_RULE : MODEL_UNKNOWN;
}

/* Whether the family itself says what the rate is, and no stored value. */
static bool is_rate_fixed(const model_work *w, size_t i)
{
  const entry_tape *e = model_tape(w, i);
  return e->rate != TAPE_NONE && e->t->op[e->rate].op == TAPE_CONSTANT;
}

/* Whether A is certainly not in (0, 1). A state that is not in the file, or is fixed, may be 1. */
static bool outside(const model_work *w, size_t i)
{
  return !w->rate && !is_rate_fixed(w, i) && (w->log_decay.low[i] >= 0 || w->decay.low[i] >= 1 || w->decay.high[i] <= 0);
}

/* What the lanes say of the stored values, bit by bit. */
typedef struct {
  uint32_t invalid, collapsed, fits, strays;
} lane_masks;

static void decide_entry(model_work *w, entry_eval *v, memory_of_rates *m, size_t i, const lane_masks *masks, unsigned lane)
{
  w->alone[i] = ALONE_UNKNOWN;
  if (masks->invalid >> lane & 1) {
    w->decided[i] = MODEL_INVALID;
    return;
  }
  bool strays = masks->strays >> lane & 1;
  if (!strays && !(masks->fits >> lane & 1)) {
    entry_eval_ball(v, &w->store, i, 128);
    strays = entry_eval_fit(v) != TRUTH_TRUE;
  }
  double least = w->log_decay.low[i], greatest = w->log_decay.high[i];
  bool wide = !(greatest - least < INFINITY) || (least >= 0) != (greatest >= 0);
  bool by_double = !wide || (w->margin.low && (w->margin.high[i] <= 0 || w->margin.low[i] > 0));
  if (wide)
    narrow(w, v, i);
  if (strays || outside(w, i)) {
    w->decided[i] = MODEL_CONTRADICTING;
    return;
  }
  if (masks->collapsed >> lane & 1) {
    w->decided[i] = MODEL_COLLAPSED;
    return;
  }
  if (w->rate_bounds.low)
    w->alone[i] = decide_alone(w, v, m, i);
  w->decided[i] = decide_margin(w, v, i, by_double);
}

/* All ones where the test is true: what vectors compare to. */
static inline int64_t mask(int test)
{
  return -(int64_t)test;
}

/* Per lane: what the bounds say of the margin, as decide_margin would, given that they put A in (0, 1); 0 where they do not
 * tell, or do not put it there. */
TARGET_VECTOR static void tell_margins(int64_t *restrict found, const model_work *w, size_t first)
{
  const double *restrict log_low = w->log_decay.low + first, *restrict log_high = w->log_decay.high + first;
  const double *restrict least = w->decay.low + first, *restrict greatest = w->decay.high + first;
  const double *restrict low = w->margin.low + first, *restrict high = w->margin.high + first;
  for (unsigned i = 0; i < LANES; i++) {
    int64_t inside = mask(log_high[i] < 0) & mask(log_high[i] - log_low[i] < HUGE_VAL) & mask(least[i] < 1) &
                     mask(greatest[i] > 0);
    int64_t holds = mask(high[i] <= 0) & (MODEL_HOLDS | MODEL_BY_DOUBLE);
    int64_t fails = mask(low[i] > 0) & (MODEL_FAILS | MODEL_BY_DOUBLE);
    found[i] = inside & (holds | fails);
  }
}

/* Per lane: on which side of -1 the rate is. */
TARGET_VECTOR static void tell_rates(int64_t *restrict found, const model_work *w, size_t first)
{
  const double *restrict low = w->rate_bounds.low + first, *restrict high = w->rate_bounds.high + first;
  for (unsigned i = 0; i < LANES; i++)
    found[i] = (mask(high[i] < -1) & ALONE_CAN) | (mask(low[i] >= -1) & ALONE_NEVER);
}

/* Stores what was found; the bits of lanes where nothing was are in the result. */
TARGET_VECTOR static uint32_t store_lanes(unsigned char *restrict to, const int64_t *restrict found)
{
  uint32_t open = 0;
  int64_t any = 0;
  for (unsigned i = 0; i < LANES; i++) {
    to[i] = (unsigned char)found[i];
    any |= mask(found[i] == 0);
  }
  for (unsigned i = 0; any && i < LANES; i++)
    open |= (uint32_t)(found[i] == 0) << i;
  return open;
}

/* A whole block at once, of a layer that has a step: writes what decide_entry would find in those lanes of which the bounds
 * alone tell everything. The bits of the other lanes are in the result. */
static uint32_t decide_plain_lanes(const model_work *w, size_t first)
{
  int64_t found[LANES];
  tell_margins(found, w, first);
  uint32_t open = store_lanes(w->decided + first, found);
  if (w->rate_bounds.low) {
    tell_rates(found, w, first);
    open |= store_lanes(w->alone + first, found);
  }
  return open;
}

static void decide_lanes(model_work *w, entry_eval *v, memory_of_rates *m, size_t first, size_t count)
{
  entry_eval_block(v, &w->store, first, count);
  for (int k = 0; k < ASKED; k++) {
    const model_bounds *b = bounds_of(w, k);
    if (b->low && !w->options->only_balls)
      entry_eval_bounds(b->low + first, b->high + first, v, asked[k], count);
    for (size_t i = first; b->low && w->options->only_balls && i < first + count; i++) {
      b->low[i] = -INFINITY;
      b->high[i] = INFINITY;
    }
  }
  lane_masks masks = {entry_eval_invalid(v), entry_eval_collapsed(v), entry_eval_fits(v), entry_eval_strays(v)};
  uint32_t open = UINT32_MAX;
  if (count == LANES && w->margin.low && !model_tape(w, first)->always_equal)
    open = decide_plain_lanes(w, first) | masks.invalid | masks.collapsed | ~masks.fits | masks.strays;
  for (unsigned i = 0; open && i < count; i++)
    if (open >> i & 1)
      decide_entry(w, v, m, first + i, &masks, i);
}

/* The extremes of a block. Halving keeps the work in vectors, which one running maximum does not. */
TARGET_VECTOR static void add_block(double *restrict least, double *restrict greatest, const double *restrict x)
{
  double small[LANES / 2], large[LANES / 2];
  for (int i = 0; i < LANES / 2; i++) {
    double a = x[i], b = x[i + LANES / 2];
    small[i] = a < b ? a : b;
    large[i] = a > b ? a : b;
  }
  for (int i = 0; i < LANES / 4; i++) {
    small[i] = small[i] < small[i + LANES / 4] ? small[i] : small[i + LANES / 4];
    large[i] = large[i] > large[i + LANES / 4] ? large[i] : large[i + LANES / 4];
  }
  for (int i = 0; i < LANES / 4; i++) {
    *least = small[i] < *least ? small[i] : *least;
    *greatest = large[i] > *greatest ? large[i] : *greatest;
  }
}

static void add_rest(double *least, double *greatest, const double *x, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    *least = x[i] < *least ? x[i] : *least;
    *greatest = x[i] > *greatest ? x[i] : *greatest;
  }
}

static void find_ends(double *least, double *greatest, const double *x, size_t count)
{
  size_t at = 0;
  *least = INFINITY;
  *greatest = -INFINITY;
  for (; count - at >= LANES; at += LANES)
    add_block(least, greatest, x + at);
  add_rest(least, greatest, x + at, count - at);
}

static void find_span(model_span *s, const model_bounds *b, const model_group *g)
{
  if (!b->low)
    return;
  find_ends(&s->least_low, &s->greatest_low, b->low + g->first, g->count);
  find_ends(&s->least_high, &s->greatest_high, b->high + g->first, g->count);
}

/* What was found out about a group: its spans, and the same for its copies. */
static void finish_group(model_work *w, model_group *g)
{
  find_span(&g->margin, &w->margin, g);
  find_span(&g->log_decay, &w->log_decay, g);
  find_span(&g->rate, &w->rate_bounds, g);
  for (size_t k = 1; k < g->copies; k++) {
    memcpy(w->decided + g->first + k * g->count, w->decided + g->first, g->count);
    memcpy(w->alone + g->first + k * g->count, w->alone + g->first, g->count);
  }
}

/* An entry with a tape of its own. */
static void decide_apart(model_work *w, size_t entry)
{
  entry_eval *v = entry_eval_create(&w->tape[entry]);
  memory_of_rates m;
  memory_start(&m, &w->tape[entry]);
  decide_lanes(w, v, &m, entry, 1);
  entry_eval_destroy(v);
}

/* Groups are independent of each other, so who decides which does not matter. */
void model_decide(model_work *w)
{
#ifdef _OPENMP
  int threads = w->options->threads > 0 ? w->options->threads : omp_get_max_threads();
#endif
#pragma omp parallel num_threads(threads)
  {
    entry_eval *v = w->shape.elementwise ? entry_eval_create(&w->tape[0]) : NULL;
    memory_of_rates m;
    memory_start(&m, &w->tape[0]);
#pragma omp for schedule(dynamic, AT_ONCE)
    for (size_t k = 0; k < w->groups; k++) {
      model_group *g = &w->group[k];
      size_t end = g->first + g->count;
      for (size_t at = g->first; v && at < end; at += LANES)
        decide_lanes(w, v, &m, at, end - at < LANES ? end - at : LANES);
      for (size_t at = g->first; !v && at < end; at++)
        decide_apart(w, at);
      finish_group(w, g);
    }
    entry_eval_destroy(v);
#ifdef _OPENMP
    if (omp_get_thread_num() != 0) /* FLINT keeps constants per thread */
      flint_cleanup();
#endif
  }
}
