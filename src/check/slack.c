/* Slack and emptiness of surviving bounds, on a sample of instances. */
#include "check/slack.h"

#include <stdlib.h>
#include <string.h>

#include "check/search_internal.h"
#include "core/limits.h"
#include "core/memory.h"

enum { SAMPLE = 8, SAMPLE_BLOCKS = 4 };

static char *instance_text(const search_case *c, const claim *of, const fmpq *value)
{
  enum { MOST_SHOWN = 40 };
  text out;
  text_init(&out);
  for (unsigned i = 0; i < of->sizes; i++)
    text_addf(&out, "%s%s = %lld", i ? ", " : "", of->size[i].name, (long long)c->g.sizes[i]);
  for (size_t e = 0; e < c->g.plain->elements && e < MOST_SHOWN; e++) {
    char *v = fmpq_get_str(NULL, 10, &value[e]);
    text_addf(&out, "%s%s = %s", e ? ", " : of->sizes ? "; " : "", c->g.plain->element[e].name, v);
    flint_free(v);
  }
  if (c->g.plain->elements > MOST_SHOWN)
    text_add(&out, ", ...");
  return text_take(&out);
}

char *slack_place_text(const tape *t, const tape_atom *a)
{
  text out;
  text_init(&out);
  for (unsigned i = 0; i < a->indices; i++)
    text_addf(&out, "%s%s = %lld", i ? ", " : "", t->index_name[a->first_index + i],
              (long long)t->index_value[a->first_index + i]);
  return text_take(&out);
}

typedef struct {
  arf_t least; /* lower end of the smallest difference */
  bool any;
} best_slack;

/* Puts the sides into the order smaller, greater that the comparison asks for; false for = and !=. */
static bool orient(const tape_atom *a, arb_t smaller, arb_t greater, arb_t difference)
{
  relation r = (relation)a->relation;
  if (r == RELATION_EQUAL || r == RELATION_NOT_EQUAL)
    return false;
  if (r == RELATION_GREATER || r == RELATION_GREATER_EQUAL) {
    arb_swap(smaller, greater);
    arb_neg(difference, difference);
  }
  return true;
}

/* Only a difference whose sign is certain is worth comparing: the lower end of a wide ball says nothing. */
static bool is_certain(const arb_t difference)
{
  return arb_is_positive(difference) || arb_is_zero(difference);
}

static void keep_slack(check_slack *out, const search *s, const search_case *c, size_t label, const tape_atom *a,
                       const fmpq *value, arb_t small, arb_t great, const arb_t difference)
{
  free(out->label);
  free(out->at);
  free(out->instance);
  free(out->difference);
  free(out->ratio);
  out->ratio = NULL;
  out->label = memory_copy_string(c->g.plain->label[label].name);
  out->at = slack_place_text(c->g.plain, a);
  out->instance = instance_text(c, s->claim, value);
  out->difference = decide_ball_text(difference);
  if (arb_is_positive(small) && arb_is_positive(great)) {
    arb_div(small, small, great, 256);
    out->ratio = decide_ball_text(small);
  }
}

static void look_at_atom(check_slack *out, best_slack *best, const search *s, const search_case *c,
                         const decider_state *state, size_t label, size_t atom, const fmpq *value)
{
  arb_t small, great, difference;
  arb_init(small);
  arb_init(great);
  arb_init(difference);
  arf_t low;
  arf_init(low);
  const tape_atom *a = &c->g.plain->atom[atom];
  if (decide_sides(small, great, difference, state, atom) && orient(a, small, great, difference) &&
      is_certain(difference)) {
    arb_get_lbound_arf(low, difference, 64);
    if (!best->any || arf_cmp(low, best->least) < 0) {
      best->any = true;
      arf_set(best->least, low);
      keep_slack(out, s, c, label, a, value, small, great, difference);
    }
  }
  arf_clear(low);
  arb_clear(small);
  arb_clear(great);
  arb_clear(difference);
}

/* Called for the first SAMPLE admissible instances of a case, decided; returns whether it wants more. */
typedef bool instance_visitor(void *context, search *s, search_case *c, search_worker *w);

static void visit_sample(search *s, search_case *c, instance_visitor *visit, void *context)
{
  if (!c->draw)
    return;
  search_worker *w = search_worker_of(s, c, 0);
  unsigned seen = 0;
  for (unsigned block = 0; block < SAMPLE_BLOCKS && seen < SAMPLE; block++) {
    drawer_fill(w->draw, w->input, s->options->seed, s->key, block * LANES, 0);
    bounded_run_first(w->bounded, w->input);
    for (unsigned lane = 0; lane < LANES && seen < SAMPLE; lane++) {
      if (bounded_false(w->bounded, 0) >> lane & 1)
        continue;
      search_lane_values(c->g.plain, w->input, lane, w->value);
      stage_complete(&w->decide, w->value);
      decide_instance(w->decide.decide, w->value, DECIDE_LADDER);
      if (decide_hypotheses(w->decide.decide) != TRUTH_TRUE)
        continue;
      seen++;
      if (!visit(context, s, c, w))
        return;
    }
  }
}

typedef struct {
  check_slack *out;
  best_slack best;
} slack_context;

static bool look_at_instance(void *context, search *s, search_case *c, search_worker *w)
{
  slack_context *k = context;
  k->out->over++;
  for (size_t i = 0; i < c->g.plain->labels; i++)
    for (size_t j = 0; c->g.plain->label[i].kind == TAPE_SHOW && j < c->g.plain->label[i].atoms; j++)
      look_at_atom(k->out, &k->best, s, c, w->decide.decide, i, c->g.plain->label[i].first_atom + j, w->value);
  return true;
}

void slack_measure(check_slack *out, search *s)
{
  slack_context k = {.out = out};
  arf_init(k.best.least);
  for (size_t i = 0; i < s->cases && !search_should_stop(s); i++)
    visit_sample(s, &s->at[i], look_at_instance, &k);
  out->known = k.best.any;
  arf_clear(k.best.least);
}

/* Appends thousandths as a decimal: -616301 as -616.301. */
static void add_thousandths(text *out, const fmpz_t n)
{
  fmpz_t q, r;
  fmpz_init(q);
  fmpz_init(r);
  fmpz_abs(q, n);
  fmpz_set_ui(r, 1000);
  fmpz_tdiv_qr(q, r, q, r);
  char *whole = fmpz_get_str(NULL, 10, q);
  text_addf(out, "%s%s.%03lu", fmpz_sgn(n) < 0 ? "-" : "", whole, fmpz_get_ui(r));
  flint_free(whole);
  fmpz_clear(q);
  fmpz_clear(r);
}

/* |x| as a power of ten, the exponent to thousandths, enclosed: "10^-616.301", "10^[-616.302, -616.301]"; 0 as "0". NULL when
 * the enclosure is not yet that narrow. */
static char *order_of_magnitude(const arb_t x)
{
  if (arb_is_zero(x))
    return memory_copy_string("0");
  if (arb_contains_zero(x))
    return NULL;
  arb_t e, ten;
  arb_init(e);
  arb_init(ten);
  arf_t end;
  arf_init(end);
  fmpz_t low, high;
  fmpz_init(low);
  fmpz_init(high);
  arb_abs(e, x);
  arb_log(e, e, 128);
  arb_const_log10(ten, 128);
  arb_div(e, e, ten, 128);
  arb_mul_ui(e, e, 1000, 128);
  arb_get_lbound_arf(end, e, 128);
  arf_get_fmpz(low, end, ARF_RND_FLOOR);
  arb_get_ubound_arf(end, e, 128);
  arf_get_fmpz(high, end, ARF_RND_CEIL);
  text out;
  text_init(&out);
  text_add(&out, fmpz_equal(low, high) ? "10^" : "10^[");
  add_thousandths(&out, low);
  if (!fmpz_equal(low, high)) {
    text_add(&out, ", ");
    add_thousandths(&out, high);
    text_add(&out, "]");
  }
  fmpz_sub(high, high, low);
  bool narrow = fmpz_cmp_ui(high, 1) <= 0;
  char *s = narrow ? text_take(&out) : NULL;
  text_clear(&out);
  fmpz_clear(low);
  fmpz_clear(high);
  arf_clear(end);
  arb_clear(e);
  arb_clear(ten);
  return s;
}

/* ---- gaps of equalities ---- */

typedef struct {
  arf_t most; /* upper end of the largest |left - right| */
  bool any;
} widest_gap;

static bool look_at_gaps(void *context, search *s, search_case *c, search_worker *w)
{
  (void)s;
  widest_gap *k = context;
  const tape *t = c->g.plain;
  arb_t left, right, gap;
  arb_init(left);
  arb_init(right);
  arb_init(gap);
  arf_t high;
  arf_init(high);
  for (size_t i = 0; i < t->labels; i++)
    for (size_t j = 0; t->label[i].kind == TAPE_SHOW && j < t->label[i].atoms; j++) {
      size_t atom = t->label[i].first_atom + j;
      if (t->atom[atom].relation != RELATION_EQUAL || decide_atom(w->decide.decide, atom) != TRUTH_OPEN ||
          !decide_sides(left, right, gap, w->decide.decide, atom))
        continue;
      arb_get_abs_ubound_arf(high, gap, 64);
      if (!k->any || arf_cmp(high, k->most) > 0)
        arf_set(k->most, high);
      k->any = true;
    }
  arf_clear(high);
  arb_clear(left);
  arb_clear(right);
  arb_clear(gap);
  return true;
}

char *slack_largest_gap(search *s)
{
  widest_gap k = {.any = false};
  arf_init(k.most);
  for (size_t i = 0; i < s->cases && !search_should_stop(s); i++)
    visit_sample(s, &s->at[i], look_at_gaps, &k);
  char *power = NULL;
  if (k.any) {
    arb_t bound;
    arb_init(bound);
    arb_set_arf(bound, k.most);
    power = order_of_magnitude(bound);
    arb_clear(bound);
  }
  arf_clear(k.most);
  return power;
}

/* ---- emptiness ---- */

typedef struct {
  tape_program *p;
  char *power;
} emptiness_context;

static bool measure_emptiness(void *context, search *s, search_case *c, search_worker *w)
{
  (void)s;
  (void)c;
  emptiness_context *k = context;
  ball_state *b = ball_create(k->p, LIMIT_EXACT_BITS);
  arb_t x;
  arb_init(x);
  for (slong precision = 128; precision <= LIMIT_PRECISION && !k->power; precision *= 2) {
    ball_run(b, w->value, precision, true);
    if (ball_value(x, b, 0) == STATUS_OK)
      k->power = order_of_magnitude(x);
  }
  arb_clear(x);
  ball_destroy(b);
  return !k->power;
}

char *slack_emptiness(search *s)
{
  search_case *c = &s->at[s->cases - 1];
  tape *t = c->g.plain;
  tape_id trivial = TAPE_NONE, shown = TAPE_NONE;
  for (size_t i = 0; i < t->labels; i++) {
    if (t->label[i].kind == TAPE_TRIVIAL && trivial == TAPE_NONE)
      trivial = t->label[i].truth;
    if (t->label[i].kind != TAPE_SHOW || shown != TAPE_NONE || !t->label[i].atoms)
      continue;
    const tape_atom *a = &t->atom[t->label[i].first_atom + t->label[i].atoms - 1];
    bool turned = a->relation == RELATION_GREATER || a->relation == RELATION_GREATER_EQUAL;
    shown = turned ? a->left : a->right;
  }
  if (trivial == TAPE_NONE || shown == TAPE_NONE)
    return NULL;
  tape_id gap = tape_binary(t, TAPE_DIVIDE, tape_binary(t, TAPE_SUBTRACT, trivial, shown),
                            tape_unary(t, TAPE_ABS, trivial));
  emptiness_context k = {.p = tape_compile(t, &gap, 1, 1, false)};
  visit_sample(s, c, measure_emptiness, &k);
  tape_program_destroy(k.p);
  return k.power;
}
