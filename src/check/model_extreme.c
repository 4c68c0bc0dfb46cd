/* The largest and smallest entries of a layer, and how the states of a channel differ.
 *
 * Of groups with copies the first stands for all: whatever is found is the first of its kind, and copies have no bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/model_work.h"
#include "core/memory.h"

/* Candidates for an extreme: entries, sorted by what is stored, equal ones kept once (the first), so that no precision is
 * spent on telling apart what is the same. */
typedef struct {
  size_t *entry;
  size_t count;
} candidates;

static double upper(const model_bounds *b, int sign, size_t i)
{
  return sign > 0 ? b->high[i] : -b->low[i];
}

static double lower(const model_bounds *b, int sign, size_t i)
{
  return sign > 0 ? b->low[i] : -b->high[i];
}

/* Which entries are looked at. Those that do not differ in the inputs that matter count as the same. */
typedef struct {
  bool *reached; /* by input, in a layer that is elementwise: it matters; owned */
  const unsigned char *use; /* NULL, or those with use[i] == wanted */
  unsigned char wanted;
  const model_entry *without; /* not these, nor those with the same stored values */
  size_t without_count;
} selection;

static bool same_stored(const model_work *w, const selection *s, size_t i, size_t j);

static bool looked_at(const model_work *w, const selection *s, size_t i)
{
  return model_valid(w, i) && (!s->use || s->use[i] == s->wanted);
}

static bool left_out(const model_work *w, const selection *s, size_t i)
{
  for (size_t k = 0; k < s->without_count; k++)
    if (same_stored(w, s, i, s->without[k].channel * w->shape.states + s->without[k].state))
      return true;
  return false;
}

/* qsort has no argument for them: the layer whose candidates are sorted, and what for. */
static _Thread_local const model_work *sorted_work;
static _Thread_local const selection *sorted_for;

static int compare_stored(const void *a, const void *b)
{
  size_t i = *(const size_t *)a, j = *(const size_t *)b;
  const model_work *w = sorted_work;
  const entry_tape *e = model_tape(w, i), *f = model_tape(w, j);
  if (e != f)
    return i < j ? -1 : 1;
  for (size_t k = 0; k < e->inputs; k++) {
    uint64_t at;
    if (w->shape.elementwise && !sorted_for->reached[k])
      continue;
    double x = entry_stored(&at, e, &w->store, i, k), y = entry_stored(&at, f, &w->store, j, k);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return 0;
}

static int compare_stored_then_place(const void *a, const void *b)
{
  int order = compare_stored(a, b);
  size_t i = *(const size_t *)a, j = *(const size_t *)b;
  return order ? order : i < j ? -1 : i > j;
}

static int compare_places(const void *a, const void *b)
{
  size_t i = *(const size_t *)a, j = *(const size_t *)b;
  return i < j ? -1 : i > j;
}

static bool same_stored(const model_work *w, const selection *s, size_t i, size_t j)
{
  sorted_work = w;
  sorted_for = s;
  return compare_stored(&i, &j) == 0;
}

static void merge_equal(candidates *c, const model_work *w, const selection *s)
{
  if (c->count < 2)
    return;
  sorted_work = w;
  sorted_for = s;
  qsort(c->entry, c->count, sizeof *c->entry, compare_stored_then_place);
  size_t kept = 0;
  for (size_t k = 0; k < c->count; k++)
    if (k == 0 || compare_stored(&c->entry[k], &c->entry[kept - 1]) != 0)
      c->entry[kept++] = c->entry[k];
  c->count = kept;
  qsort(c->entry, c->count, sizeof *c->entry, compare_places);
}

/* The stored values that matter of the entry looked at last, to skip equal neighbours: where training left the rates as they
 * were initialised, those of all channels are. */
typedef struct {
  double value[8];
  size_t input[8], inputs; /* of the one tape; none: nothing is kept */
  bool known;
} neighbour;

static neighbour neighbour_start(const model_work *w, const selection *s)
{
  neighbour n = {0};
  for (size_t k = 0; w->shape.elementwise && k < w->tape[0].inputs; k++) {
    if (!s->reached[k])
      continue;
    if (n.inputs == 8)
      return (neighbour){0};
    n.input[n.inputs++] = k;
  }
  return n;
}

/* Whether the entry's stored values are those kept; they are kept now. */
static bool as_before(neighbour *n, const model_work *w, size_t entry)
{
  bool same = n->known && n->inputs > 0;
  size_t channel = entry / w->shape.states, state = entry % w->shape.states;
  n->known = true;
  for (size_t k = 0; k < n->inputs; k++) {
    const entry_input *in = &w->tape[0].input[n->input[k]];
    double x = w->value[in->given][in->base + channel * in->per_channel + state * in->per_state];
    same = same && x == n->value[k];
    n->value[k] = x;
  }
  return same;
}

/* What is looked for: the largest (sign 1) or smallest (sign -1) value. */
typedef struct {
  entry_value which;
  const model_bounds *bounds;
  int sign;
} target;

static const model_span *span_of(const model_group *g, entry_value which)
{
  return which == ENTRY_MARGIN ? &g->margin : which == ENTRY_RATE ? &g->rate : &g->log_decay;
}

/* The largest of the entries' lower ends. */
static double find_best(const model_work *w, const target *t, const selection *from)
{
  double best = -INFINITY;
  for (size_t k = 0; k < w->groups; k++) {
    const model_group *g = &w->group[k];
    const model_span *span = span_of(g, t->which);
    if ((t->sign > 0 ? span->greatest_low : -span->least_high) <= best)
      continue;
    for (size_t i = g->first; i < g->first + g->count; i++)
      if (lower(t->bounds, t->sign, i) > best && looked_at(w, from, i) && !left_out(w, from, i))
        best = lower(t->bounds, t->sign, i);
  }
  return best;
}

/* The entries that may be the largest. */
static candidates find(const model_work *w, const target *t, selection *from)
{
  from->reached = memory_new(w->tape[0].inputs + 1, sizeof *from->reached);
  if (t->which == ENTRY_MARGIN) /* the worst are told apart by all that is stored, even where all have one margin */
    memset(from->reached, true, w->tape[0].inputs);
  else if (w->shape.elementwise)
    entry_reaches(from->reached, &w->tape[0], entry_operation(&w->tape[0], t->which));
  double best = find_best(w, t, from);
  candidates c = {0};
  neighbour n = neighbour_start(w, from);
  size_t capacity = 0;
  for (size_t k = 0; k < w->groups; k++) {
    const model_group *g = &w->group[k];
    const model_span *span = span_of(g, t->which);
    if ((t->sign > 0 ? span->greatest_high : -span->least_low) < best)
      continue;
    for (size_t i = g->first; i < g->first + g->count; i++) {
      if (upper(t->bounds, t->sign, i) < best || !looked_at(w, from, i) || as_before(&n, w, i) || left_out(w, from, i))
        continue;
      if (c.count == capacity) {
        capacity = capacity ? 2 * capacity : 16;
        c.entry = memory_resize(c.entry, capacity, sizeof *c.entry);
      }
      c.entry[c.count++] = i;
    }
  }
  merge_equal(&c, w, from);
  free(from->reached);
  from->reached = NULL;
  return c;
}

/* The evaluator of an entry, kept while the tape is the same. */
struct model_evaluator {
  const entry_tape *of;
  entry_eval *eval;
};

struct model_evaluator *model_evaluator_create(void)
{
  return memory_new(1, sizeof(struct model_evaluator));
}

void model_evaluator_destroy(struct model_evaluator *v)
{
  if (v)
    entry_eval_destroy(v->eval);
  free(v);
}

static entry_eval *evaluate(const model_work *w, size_t entry, slong precision)
{
  const entry_tape *e = model_tape(w, entry);
  struct model_evaluator *v = w->evaluator;
  if (v->of != e) {
    entry_eval_destroy(v->eval);
    v->eval = entry_eval_create(e);
    v->of = e;
  }
  entry_eval_ball(v->eval, &w->store, entry, precision);
  return v->eval;
}

bool model_extreme(arb_t result, const model_work *w, entry_value which, const model_bounds *bounds, int sign,
                   const unsigned char *use, unsigned char wanted)
{
  enum { PRECISION = 128 };
  selection from = {.use = use, .wanted = wanted};
  candidates c = find(w, &(target){which, bounds, sign}, &from);
  arb_t x;
  arb_init(x);
  for (size_t k = 0; k < c.count; k++) {
    if (!entry_eval_enclosure(x, evaluate(w, c.entry[k], PRECISION), which))
      arb_zero_pm_inf(x);
    if (k == 0)
      arb_set(result, x);
    else if (sign > 0)
      arb_max(result, result, x, PRECISION);
    else
      arb_min(result, result, x, PRECISION);
  }
  bool found = c.count > 0;
  arb_clear(x);
  free(c.entry);
  return found;
}

/* Drops the candidates whose margin is certainly below another's at this precision. */
static void narrow(candidates *c, const model_work *w, slong precision)
{
  arb_t x;
  arf_t best, end;
  arf_struct *high = memory_new(c->count, sizeof *high);
  arb_init(x);
  arf_init(best);
  arf_init(end);
  arf_neg_inf(best);
  for (size_t k = 0; k < c->count; k++) {
    arf_init(&high[k]);
    arf_pos_inf(&high[k]);
    if (!entry_eval_enclosure(x, evaluate(w, c->entry[k], precision), ENTRY_MARGIN))
      continue;
    arb_get_lbound_arf(end, x, precision);
    if (!arf_is_nan(end) && arf_cmp(end, best) > 0)
      arf_set(best, end);
    arb_get_ubound_arf(&high[k], x, precision);
  }
  size_t kept = 0;
  for (size_t k = 0; k < c->count; k++) {
    if (arf_is_nan(&high[k]) || arf_cmp(&high[k], best) >= 0)
      c->entry[kept++] = c->entry[k];
    arf_clear(&high[k]);
  }
  c->count = kept;
  free(high);
  arb_clear(x);
  arf_clear(best);
  arf_clear(end);
}

static model_stored stored_input(const model_work *w, size_t entry, size_t i)
{
  const entry_tape *e = model_tape(w, entry);
  const dump_tensor *x = w->layer->tensor[e->input[i].given];
  uint64_t at;
  model_stored s = {.value = entry_stored(&at, e, &w->store, entry, i), .rank = x->rank};
  s.name = memory_copy_string(x->name);
  if (dump_lanes(x->type) > 1) { /* the part, as one more index behind the others */
    s.index[s.rank++] = at % dump_lanes(x->type);
    at /= dump_lanes(x->type);
  }
  for (unsigned k = x->rank; k-- > 0;) {
    s.index[k] = at % x->shape[k];
    at /= x->shape[k];
  }
  return s;
}

static bool find_one(model_entry *worst, const model_work *w, selection *from)
{
  enum { EFFORT = 1 << 22, PRECISION = 128 }; /* candidates times bits */
  candidates c = find(w, &(target){ENTRY_MARGIN, &w->margin, 1}, from);
  if (c.count == 0)
    return false;
  bool tied = model_tape(w, c.entry[0])->always_equal; /* no precision tells them apart */
  for (slong p = 64; !tied && c.count > 1 && p <= w->options->precision_limit && c.count <= (size_t)(EFFORT / p); p *= 2)
    narrow(&c, w, p);
  size_t entry = c.entry[0];
  worst->certain = c.count == 1;
  worst->channel = entry / w->shape.states;
  worst->state = entry % w->shape.states;
  free(c.entry);
  const entry_eval *v = evaluate(w, entry, PRECISION);
  arb_ptr const value[] = {worst->step, worst->rate, worst->decay, worst->margin};
  static const entry_value which[] = {ENTRY_STEP, ENTRY_RATE, ENTRY_DECAY, ENTRY_MARGIN};
  for (int k = 0; k < 4; k++)
    if (!entry_eval_enclosure(value[k], v, which[k]))
      arb_zero_pm_inf(value[k]);
  const entry_tape *e = model_tape(w, entry);
  worst->stored = memory_new(e->inputs, sizeof *worst->stored);
  for (size_t i = 0; i < e->inputs; i++)
    worst->stored[worst->stored_count++] = stored_input(w, entry, i);
  return true;
}

size_t model_find_worst(model_entry *worst, const model_work *w)
{
  selection from = {.without = worst};
  while (from.without_count < MODEL_WORST && find_one(&worst[from.without_count], w, &from))
    from.without_count++;
  return from.without_count;
}

void model_entry_init(model_entry *e)
{
  arb_init(e->step);
  arb_init(e->rate);
  arb_init(e->decay);
  arb_init(e->margin);
}

void model_entry_clear(model_entry *e)
{
  for (size_t i = 0; i < e->stored_count; i++)
    free(e->stored[i].name);
  free(e->stored);
  arb_clear(e->step);
  arb_clear(e->rate);
  arb_clear(e->decay);
  arb_clear(e->margin);
}

/* The largest and the smallest A of a channel lie in [high_low, high_high] and [low_low, low_high]. */
typedef struct {
  double high_low, high_high, low_low, low_high;
  size_t states; /* the valid ones */
} channel_ends;

static channel_ends find_ends(const model_work *w, size_t first)
{
  channel_ends e = {-INFINITY, -INFINITY, INFINITY, INFINITY, 0};
  for (size_t i = first; i < first + w->shape.states; i++) {
    double low = w->decay.low[i], high = w->decay.high[i];
    if (!model_valid(w, i))
      continue;
    e.states++;
    e.high_low = low > e.high_low ? low : e.high_low;
    e.high_high = high > e.high_high ? high : e.high_high;
    e.low_low = low < e.low_low ? low : e.low_low;
    e.low_high = high < e.low_high ? high : e.low_high;
  }
  return e;
}

/* The first edge above x, MODEL_BINS when there is none; edges grow by 1 / MODEL_BINS. */
static int first_above(const double *edge, double x)
{
  int k = x > 0 ? x < 1 ? (int)(x * MODEL_BINS) : MODEL_BINS : 0;
  while (k > 0 && edge[k - 1] > x)
    k--;
  while (k < MODEL_BINS && edge[k] <= x)
    k++;
  return k;
}

void model_find_spread(model_spread *spread, const model_work *w)
{
  *spread = (model_spread){0};
  /* Doubles on both sides of the edges, which are no doubles. */
  double edge_low[MODEL_BINS], edge_high[MODEL_BINS];
  for (int k = 0; k < MODEL_BINS; k++) {
    edge_low[k] = nextafter((k + 1) / (double)MODEL_BINS, 0);
    edge_high[k] = nextafter((k + 1) / (double)MODEL_BINS, 2);
  }
  if (w->shape.states < 2)
    return;
  uint64_t from[MODEL_BINS + 1] = {0}; /* how many spreads are certainly below edge k and no edge before it */
  for (size_t g = 0; g < w->groups; g++)
    for (size_t i = 0; i < w->group[g].count; i += w->shape.states) {
      channel_ends e = find_ends(w, w->group[g].first + i);
      if (e.states < 2)
        continue;
      spread->channels += w->group[g].copies;
      double least = nextafter(e.high_low - e.low_high, -INFINITY), most = nextafter(e.high_high - e.low_low, INFINITY);
      int below = first_above(edge_low, most);
      from[below] += w->group[g].copies;
      for (int k = first_above(edge_high, least); k < below; k++)
        spread->unknown[k] += w->group[g].copies;
    }
  for (int k = 0; k < MODEL_BINS; k++)
    spread->below[k] = from[k] + (k > 0 ? spread->below[k - 1] : 0);
}
