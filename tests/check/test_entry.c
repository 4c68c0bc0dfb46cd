/* The tape of an entry: for every family that is shipped, at random stored values, doubles with a bound on their error
 * against balls, and both against the family's formula written by hand; which stored values an entry is made from; and
 * families that ask for something odd. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../dump/made_model.h"
#include "check/entry_eval.h"
#include "core/memory.h"
#include "core/philox.h"

static const uint64_t seed = 20240613;
enum { BITS = 200 };

/* ---- one layer of a family, with random values ---- */

typedef struct {
  dump_file *file;
  model_layer layer;
  double **value; /* of each given; NULL */
  made_tensor *tensor;
  entry_shape shape;
} made_layer;

/* Values in (low, high), now and then 0. */
static double *random_values(philox_stream *s, size_t n, double low, double high)
{
  double *x = malloc((n + 1) * sizeof *x);
  for (size_t i = 0; i < n; i++)
    x[i] = philox_below(s, 30) ? low + (high - low) * philox_uniform(s) : 0;
  return x;
}

/* The k-th size is a number of its own, so that no two are taken for each other; the layer is number 2. */
static int64_t size_value(const claim *f, unsigned k)
{
  static const int64_t value[] = {3, 5, 2, 4, 7, 6, 9, 8, 10, 11};
  return f->size[k].role && !strcmp(f->size[k].role, "layer") ? 2 : value[k];
}

static made_layer make_layer(const claim *f, philox_stream *s, dump_error *error)
{
  made_layer m = {.value = memory_new(f->givens, sizeof *m.value), .tensor = memory_new(f->givens, sizeof *m.tensor)};
  m.layer = (model_layer){.family = f, .name = memory_copy_string(f->name)};
  m.layer.sizes = memory_new(f->sizes, sizeof *m.layer.sizes);
  m.layer.tensor = memory_new(f->givens, sizeof *m.layer.tensor);
  for (unsigned k = 0; k < f->sizes; k++)
    if (!f->size[k].high || f->size[k].low->kind == NODE_NUMBER)
      m.layer.sizes[k] = size_value(f, k);
    else /* others fix it */
      ck_assert(tree_integer(&m.layer.sizes[k], f->size[k].low, m.layer.sizes, NULL));
  size_t count = 0;
  for (unsigned i = 0; i < f->givens; i++) {
    const claim_given *g = &f->given[i];
    if (!g->stored)
      continue;
    made_tensor *x = &m.tensor[count++];
    x->name = g->name;
    x->rank = g->positions;
    uint64_t n = 1;
    for (unsigned k = 0; k < g->positions; k++) {
      int64_t length;
      ck_assert(tree_integer(&length, g->line[0].position[k].high, m.layer.sizes, NULL));
      x->shape[k] = (uint64_t)length;
      n *= x->shape[k];
    }
    bool negative = g->line[0].high != NULL; /* the only range in use: (-inf, 0) */
    x->value = m.value[i] = random_values(s, n, negative ? -3 : -4, negative ? -0.01 : 3);
    for (uint64_t k = 0; k < n && negative; k++)
      m.value[i][k] = m.value[i][k] == 0 ? -1 : m.value[i][k];
  }
  m.file = made_model(m.tensor, count);
  for (unsigned i = 0; i < f->givens; i++)
    if (f->given[i].stored)
      m.layer.tensor[i] = dump_find(m.file, f->given[i].name);
  if (entry_shape_of(&m.shape, &m.layer, "made", error) != STATUS_OK)
    m.shape.channels = 0;
  return m;
}

static void layer_clear(made_layer *m)
{
  for (unsigned i = 0; i < m->layer.family->givens; i++)
    free(m->value[i]);
  free(m->value);
  free(m->tensor);
  free(m->layer.name);
  free(m->layer.sizes);
  free(m->layer.tensor);
  dump_close(m->file);
}

/* Element [i, k] of a tensor with k running to `width`. */
static double stored(const made_layer *m, const char *name, size_t i, size_t width, size_t k)
{
  const claim *f = m->layer.family;
  for (unsigned g = 0; g < f->givens; g++)
    if (!strcmp(f->given[g].name, name))
      return m->value[g][i * width + k];
  ck_abort_msg("no %s", name);
  return 0;
}

/* ---- formulas by hand ---- */

static void softplus(arb_t y, const arb_t x)
{
  arb_exp(y, x, BITS);
  arb_log1p(y, y, BITS);
}

/* 1/(1 + exp(-x)) */
static void sigmoid(arb_t y, const arb_t x)
{
  arb_neg(y, x);
  arb_exp(y, y, BITS);
  arb_add_ui(y, y, 1, BITS);
  arb_inv(y, y, BITS);
}

/* log A and Delta of entry (c, n); Delta is a NaN where the family has none. */
typedef void formula(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n);

/* log A = -Delta e^A_log. */
static void by_logarithm(arb_t log_decay, const arb_t step, double a_log)
{
  arb_set_d(log_decay, a_log);
  arb_exp(log_decay, log_decay, BITS);
  arb_mul(log_decay, log_decay, step, BITS);
  arb_neg(log_decay, log_decay);
}

static void mamba_1(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(step, stored(m, "dt_bias", 0, 0, c));
  softplus(step, step);
  by_logarithm(log_decay, step, stored(m, "A_stored", c, 5, n));
}

static void mamba_1_gguf(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(step, stored(m, "dt_bias", 0, 0, c));
  softplus(step, step);
  arb_set_d(log_decay, stored(m, "A_stored", c, 5, n));
  arb_mul(log_decay, log_decay, step, BITS);
}

static void mamba_2(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(step, stored(m, "dt_bias", 0, 0, c));
  softplus(step, step);
  by_logarithm(log_decay, step, stored(m, "A_stored", 0, 0, c));
}

static void s4d(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(step, stored(m, "log_dt", 0, 0, c));
  arb_exp(step, step, BITS);
  by_logarithm(log_decay, step, stored(m, "A_stored", c, 5, n));
}

static void s4d_shared(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(step, stored(m, "log_dt", 0, 0, c));
  arb_exp(step, step, BITS);
  by_logarithm(log_decay, step, stored(m, "A_stored", 0, 0, n));
}

/* A pole of two numbers: the rate is -softplus of the first. */
static void s4d_poles(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(step, stored(m, "log_dt", 0, 0, c));
  arb_exp(step, step, BITS);
  arb_set_d(log_decay, stored(m, "A_stored", c, 2, 0));
  softplus(log_decay, log_decay);
  arb_mul(log_decay, log_decay, step, BITS);
  arb_neg(log_decay, log_decay);
}

static void lru(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(step, stored(m, "gamma_log", 0, 0, c));
  arb_exp(step, step, BITS);
  arb_set_d(log_decay, stored(m, "nu_log", 0, 0, c));
  arb_exp(log_decay, log_decay, BITS);
  arb_neg(log_decay, log_decay);
}

static void lru_rows(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(step, stored(m, "params_log", 2, 3, c));
  arb_exp(step, step, BITS);
  arb_set_d(log_decay, stored(m, "params_log", 0, 3, c));
  arb_exp(log_decay, log_decay, BITS);
  arb_neg(log_decay, log_decay);
}

/* log a = -8 softplus(Lambda) sigmoid(b); Delta = sqrt(1 - a^2). */
static void rg_lru(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(log_decay, stored(m, "Lambda", c, 5, n));
  softplus(log_decay, log_decay);
  arb_set_d(step, stored(m, "gate_bias", c, 5, n));
  sigmoid(step, step);
  arb_mul(log_decay, log_decay, step, BITS);
  arb_mul_si(log_decay, log_decay, -8, BITS);
  arb_exp(step, log_decay, BITS);
  arb_mul(step, step, step, BITS);
  arb_sub_ui(step, step, 1, BITS);
  arb_neg(step, step);
  arb_sqrt(step, step, BITS);
}

static void rwkv_4(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(log_decay, stored(m, "time_decay", 0, 0, c));
  arb_exp(log_decay, log_decay, BITS);
  arb_neg(log_decay, log_decay);
  arb_exp(step, log_decay, BITS);
  arb_sub_ui(step, step, 1, BITS);
  arb_neg(step, step);
}

static void rwkv_5(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_indeterminate(step);
  arb_set_d(log_decay, stored(m, "time_decay", c, 5, n));
  arb_exp(log_decay, log_decay, BITS);
  arb_neg(log_decay, log_decay);
}

static void rwkv_7(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_set_d(step, stored(m, "decay_bias", c, 5, n));
  sigmoid(log_decay, step);
  arb_set_d(step, -0.5);
  arb_exp(step, step, BITS);
  arb_mul(log_decay, log_decay, step, BITS);
  arb_neg(log_decay, log_decay);
  arb_indeterminate(step);
}

static void retnet(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_indeterminate(step);
  arb_set_d(log_decay, stored(m, "log_gamma", 0, 0, c));
}

static void gla(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_set_d(log_decay, -stored(m, "gate_bias", 0, 0, c));
  softplus(log_decay, log_decay);
  arb_div_si(log_decay, log_decay, -16, BITS);
  arb_indeterminate(step);
}

/* Of layer 2 of 3: the bound is exp(b2)/(exp(b1) + exp(b2) + exp(b3)), and the gate stands at 1/2. */
static void hgrn2(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  arb_t x, sum;
  (void)n;
  arb_init(x);
  arb_init(sum);
  for (size_t i = 0; i < 3; i++) {
    arb_set_d(x, stored(m, "bounds", i, 2, c));
    arb_exp(x, x, BITS);
    arb_add(sum, sum, x, BITS);
    if (i == 1)
      arb_set(log_decay, x);
  }
  arb_div(log_decay, log_decay, sum, BITS);
  arb_add_ui(log_decay, log_decay, 1, BITS);
  arb_mul_2exp_si(log_decay, log_decay, -1); /* b + (1 - b)/2 */
  arb_sub_ui(step, log_decay, 1, BITS);
  arb_neg(step, step);
  arb_log(log_decay, log_decay, BITS);
  arb_clear(x);
  arb_clear(sum);
}

static void mingru(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)m;
  (void)c;
  (void)n;
  arb_set_d(step, 0.5);
  arb_log(log_decay, step, BITS);
}

static void selective_diagonal(arb_t log_decay, arb_t step, const made_layer *m, size_t c, size_t n)
{
  (void)n;
  arb_t bias;
  arb_init(bias);
  arb_set_d(log_decay, stored(m, "map_bias", 0, 3, c));
  arb_set_d(bias, stored(m, "delta_bias", 0, 0, c));
  arb_add(log_decay, log_decay, bias, BITS);
  softplus(log_decay, log_decay);
  arb_set_d(bias, stored(m, "alpha_log", 0, 0, c));
  softplus(bias, bias);
  arb_mul(log_decay, log_decay, bias, BITS);
  arb_neg(log_decay, log_decay);
  arb_indeterminate(step);
  arb_clear(bias);
}

static const struct {
  const char *name;
  formula *formula;
  size_t channels, states;
  const char *channel_word, *state_word;
} known[] = {
  {"mamba-1", mamba_1, 3, 5, "channel", "state"},
  {"mamba-1-gguf", mamba_1_gguf, 3, 5, "channel", "state"},
  {"mamba-1-backward", mamba_1, 3, 5, "channel", "state"},
  {"jamba", mamba_1, 3, 5, "channel", "state"},
  {"vmamba", mamba_1, 3, 5, "channel", "state"},
  {"falcon-mamba", mamba_1, 3, 5, "channel", "state"},
  {"mamba-2", mamba_2, 3, 1, "head", NULL},
  {"s4d", s4d, 3, 5, "channel", "state"},
  {"s4d-shared", s4d_shared, 3, 5, "channel", "state"},
  {"s4d-poles", s4d_poles, 3, 1, "state", NULL},
  {"lru", lru, 3, 1, "state", NULL},
  {"lru-rows", lru_rows, 3, 1, "state", NULL},
  {"rg-lru", rg_lru, 3, 5, "head", "channel"},
  {"rwkv-4", rwkv_4, 3, 1, "channel", NULL},
  {"rwkv-5", rwkv_5, 3, 5, "head", "state"},
  {"rwkv-6", rwkv_5, 3, 5, "head", "state"},
  {"rwkv-7", rwkv_7, 3, 5, "head", "state"},
  {"retnet", retnet, 3, 1, "head", NULL},
  {"gla", gla, 3, 1, "state", NULL},
  {"hgrn2", hgrn2, 2, 1, "state", NULL},
  {"mingru", mingru, 3, 1, "channel", NULL},
  {"selective-diagonal", selective_diagonal, 3, 1, "state", NULL},
};

/* ---- comparison ---- */

static void bounds_in(double *low, double *high, const entry_eval *v, entry_value which, unsigned lane)
{
  double all[2][LANES];
  entry_eval_bounds(all[0], all[1], v, which, LANES);
  *low = all[0][lane];
  *high = all[1][lane];
}

/* Bounds and enclosure of one value meet what is known, and the enclosure is narrow. */
static void check_value(entry_eval *v, entry_value which, unsigned lane, const arb_t expected, const char *family)
{
  arb_t ball, bounds;
  double low, high;
  arb_init(ball);
  arb_init(bounds);
  ck_assert_msg(entry_eval_enclosure(ball, v, which), "%s: %d unknown", family, which);
  ck_assert_msg(arb_overlaps(ball, expected), "%s: %d", family, which);
  ck_assert_double_lt(mag_get_d(arb_radref(ball)), 1e-35);
  ck_assert_double_lt(mag_get_d(arb_radref(expected)), 1e-35);
  bounds_in(&low, &high, v, which, lane);
  ck_assert_double_le(low, high);
  arf_t end;
  arf_init(end);
  arf_set_d(end, low);
  arb_sub_arf(bounds, expected, end, BITS);
  ck_assert_msg(!arb_is_negative(bounds), "%s: %d is below %a", family, which, low);
  arf_set_d(end, high);
  arb_sub_arf(bounds, expected, end, BITS);
  ck_assert_msg(!arb_is_positive(bounds), "%s: %d is above %a", family, which, high);
  if (which != ENTRY_MARGIN)
    ck_assert_msg(high - low <= 1e-12 * (1 + fabs(high)), "%s: %d in [%a, %a]", family, which, low, high);
  arf_clear(end);
  arb_clear(ball);
  arb_clear(bounds);
}

static void check_entry(entry_eval *v, const entry_tape *e, const made_layer *m, formula *by_hand, size_t c, size_t n,
                        unsigned lane)
{
  const char *family = m->layer.family->name;
  arb_t log_decay, step, x;
  arb_init(log_decay);
  arb_init(step);
  arb_init(x);
  by_hand(log_decay, step, m, c, n);
  check_value(v, ENTRY_LOG_DECAY, lane, log_decay, family);
  arb_exp(x, log_decay, BITS);
  check_value(v, ENTRY_DECAY, lane, x, family);
  ck_assert((e->step == TAPE_NONE) == (arb_is_finite(step) == 0));
  ck_assert((e->margin == TAPE_NONE) == (e->step == TAPE_NONE));
  if (e->step != TAPE_NONE) {
    check_value(v, ENTRY_STEP, lane, step, family);
    arb_add(x, x, step, BITS);
    arb_sub_ui(x, x, 1, BITS);
    check_value(v, ENTRY_MARGIN, lane, x, family);
  }
  if (e->rate != TAPE_NONE) {
    arb_div(x, log_decay, step, BITS);
    check_value(v, ENTRY_RATE, lane, x, family);
  }
  arb_clear(log_decay);
  arb_clear(step);
  arb_clear(x);
}

static void check_layer(const made_layer *m, formula *by_hand)
{
  entry_tape e;
  dump_error error;
  dump_error_init(&error);
  size_t entries = m->shape.channels * m->shape.states;
  entry_store store = {(const double *const *)m->value, NULL, m->shape.states};
  ck_assert_int_eq(entry_create(&e, &m->layer, &m->shape, 0, 0, (entry_change){0}, "made", &error), STATUS_OK);
  ck_assert(m->shape.elementwise && entries <= LANES);
  entry_eval *v = entry_eval_create(&e);
  entry_eval_block(v, &store, 0, entries);
  ck_assert_uint_eq(entry_eval_fits(v) & ((1u << entries) - 1), (1u << entries) - 1);
  ck_assert_uint_eq(entry_eval_strays(v), 0);
  for (size_t i = 0; i < entries; i++) {
    entry_eval_ball(v, &store, i, 160);
    ck_assert_int_eq(entry_eval_fit(v), TRUTH_TRUE);
    check_entry(v, &e, m, by_hand, i / m->shape.states, i % m->shape.states, (unsigned)i);
  }
  ck_assert_uint_eq(entry_eval_invalid(v) | entry_eval_collapsed(v), 0);
  entry_eval_destroy(v);
  entry_clear(&e);
}

START_TEST(test_by_hand)
{
  made_families f = made_families_shipped();
  philox_stream s = philox_stream_start(seed, philox_hash_name("entries"), 0, 0);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    for (int round = 0; round < 20; round++) {
      dump_error error;
      dump_error_init(&error);
      made_layer m = make_layer(made_family(&f, known[k].name), &s, &error);
      ck_assert_msg(m.shape.channels > 0, "%s", error.message);
      if (!strcmp(known[k].name, "hgrn2")) /* its states are the third size */
        ck_assert_uint_eq(m.shape.channels, 2);
      else
        ck_assert_uint_eq(m.shape.channels, known[k].channels);
      ck_assert_uint_eq(m.shape.states, known[k].states);
      ck_assert_str_eq(m.shape.channel_word, known[k].channel_word);
      ck_assert(known[k].state_word ? !strcmp(m.shape.state_word, known[k].state_word) : !m.shape.state_word);
      check_layer(&m, known[k].formula);
      layer_clear(&m);
    }
  made_families_clear(&f);
}
END_TEST

/* Every family that is shipped has a tape; doubles and balls agree on all entries; and seen as if it were not elementwise,
 * entry by entry, it has the same values. The one that is not elementwise has a test of its own, test_polarized. */
START_TEST(test_all)
{
  made_families f = made_families_shipped();
  philox_stream s = philox_stream_start(seed, philox_hash_name("all"), 0, 0);
  ck_assert_uint_ge(f.count, 30);
  for (unsigned k = 0; k < f.count; k++) {
    dump_error error;
    dump_error_init(&error);
    made_layer m = make_layer(f.family[k], &s, &error);
    ck_assert_msg(m.shape.channels > 0, "%s", error.message);
    ck_assert_msg(m.shape.elementwise == !!strcmp(f.family[k]->name, "mamba-1-polarized"), "%s", f.family[k]->name);
    if (!m.shape.elementwise) {
      layer_clear(&m);
      continue;
    }
    entry_shape apart = m.shape;
    apart.elementwise = false;
    entry_tape e, one;
    ck_assert_int_eq(entry_create(&e, &m.layer, &m.shape, 0, 0, (entry_change){0}, "made", &error), STATUS_OK);
    entry_store store = {(const double *const *)m.value, NULL, m.shape.states};
    entry_eval *v = entry_eval_create(&e);
    size_t entries = m.shape.channels * m.shape.states;
    entry_eval_block(v, &store, 0, entries);
    for (size_t i = 0; i < entries; i++) {
      ck_assert_int_eq(entry_create(&one, &m.layer, &apart, i / m.shape.states, i % m.shape.states, (entry_change){0},
                                    "made", &error),
                       STATUS_OK);
      entry_eval *single = entry_eval_create(&one);
      entry_eval_ball(v, &store, i, 128);
      entry_eval_ball(single, &store, i, 128);
      arb_t x, y;
      arb_init(x);
      arb_init(y);
      for (int which = 0; which < ENTRY_VALUES; which++) {
        bool there = entry_eval_enclosure(x, v, (entry_value)which);
        ck_assert(there == entry_eval_enclosure(y, single, (entry_value)which));
        if (!there)
          continue;
        ck_assert_msg(arb_overlaps(x, y), "%s", f.family[k]->name);
        ck_assert_double_lt(mag_get_d(arb_radref(y)), 1e-25);
        check_value(v, (entry_value)which, (unsigned)i, y, f.family[k]->name);
      }
      arb_clear(x);
      arb_clear(y);
      entry_eval_destroy(single);
      entry_clear(&one);
    }
    entry_eval_destroy(v);
    entry_clear(&e);
    layer_clear(&m);
  }
  made_families_clear(&f);
}
END_TEST

/* ---- families made to be odd ---- */

typedef struct {
  made_families f;
  made_layer m;
  philox_stream s;
  dump_error error;
} odd;

static odd odd_make(const char *words)
{
  odd o = {.f = made_families_text(words), .s = philox_stream_start(seed, philox_hash_name("odd"), 0, 0)};
  dump_error_init(&o.error);
  o.m = make_layer(o.f.family[0], &o.s, &o.error);
  return o;
}

static void odd_clear(odd *o)
{
  layer_clear(&o->m);
  dump_error_clear(&o->error);
  made_families_clear(&o->f);
}

/* log A of entry (c, n) at the bias point. */
static double log_decay_at(const odd *o, size_t c, size_t n, entry_change change)
{
  entry_tape e;
  dump_error error;
  dump_error_init(&error);
  assay_status status = entry_create(&e, &o->m.layer, &o->m.shape, c, n, change, "made", &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.message);
  entry_store store = {(const double *const *)o->m.value, NULL, o->m.shape.states};
  entry_eval *v = entry_eval_create(&e);
  entry_eval_block(v, &store, c * o->m.shape.states + n, 1);
  double low, high;
  bounds_in(&low, &high, v, ENTRY_LOG_DECAY, 0);
  ck_assert_double_le(high - low, 1e-13 * (1 + fabs(high)));
  entry_eval_destroy(v);
  entry_clear(&e);
  return low / 2 + high / 2;
}

/* D = 3, N = 5, K = 2; x[d, n], y[n, d] (the other order), z[k, n, d], all in (-4, 3). */
#define HEAD \
  "family odd size D >= 1 as channel size N >= 1 as state size K >= 1\n" \
  "tensor x[d in 1..D, n in 1..N] \"x\" tensor y[n in 1..N, d in 1..D] \"y\"\n" \
  "tensor z[k in 1..K, n in 1..N, d in 1..D] \"z\" tensor w[d in 1..D] \"w\"\n"
#define DECAY(formula) HEAD "let log_decay[d in 1..D, n in 1..N] as log_decay = " formula "\nend\n"

static double x_at(const odd *o, size_t d, size_t n)
{
  return stored(&o->m, "x", d, 5, n);
}

static double y_at(const odd *o, size_t d, size_t n)
{
  return stored(&o->m, "y", n, 3, d);
}

static double z_at(const odd *o, size_t k, size_t d, size_t n)
{
  return stored(&o->m, "z", k * 5 + n, 3, d);
}

static double transposed(const odd *o, size_t d, size_t n)
{
  return x_at(o, d, n) - 2 * y_at(o, d, n);
}

static double layered(const odd *o, size_t d, size_t n)
{
  return z_at(o, 0, d, n) + 3 * z_at(o, 1, d, n);
}

static double fixed_channel(const odd *o, size_t d, size_t n)
{
  return x_at(o, 1, n) + stored(&o->m, "w", 0, 0, d);
}

static double other_range(const odd *o, size_t d, size_t n)
{
  return stored(&o->m, "v", 0, 0, d) + x_at(o, d, n);
}

static double neighbour(const odd *o, size_t d, size_t n)
{
  return n + 1 < 5 ? x_at(o, d, n + 1) : -7;
}

static double summed(const odd *o, size_t d, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < 3; i++)
    sum += x_at(o, i, n) + stored(&o->m, "w", 0, 0, i);
  return sum + (double)d;
}

static double closed(const odd *o, size_t d, size_t n)
{
  (void)o;
  return log1p(-pow(2, -4.0 - (double)(d + 1))) * (double)(n + 1);
}

static double by_size(const odd *o, size_t d, size_t n)
{
  return x_at(o, d, n) * 15;
}

static double recurrence(const odd *o, size_t d, size_t n)
{
  double s = x_at(o, d, 0);
  for (size_t i = 1; i <= n; i++)
    s = s / 2 + x_at(o, d, i);
  return s;
}

static double first_only(const odd *o, size_t d, size_t n)
{
  (void)n;
  return stored(&o->m, "w", 0, 0, d) - 5;
}

START_TEST(test_odd)
{
  static const struct {
    const char *family;
    double (*value)(const odd *, size_t, size_t);
    bool elementwise;
  } cases[] = {
    {DECAY("x[d, n] - 2*y[n, d]"), transposed, true},
    {DECAY("sum(k in 1..K: (2*k - 1)*z[k, n, d])"), layered, true},
    {HEAD "let a[n in 1..N, e in 1..D] = x[e, n] let b[i in 1..D, j in 1..N] = -2*y[j, i]\n"
          "let log_decay[d in 1..D, n in 1..N] as log_decay = a[n, d] + b[d, n] end",
     transposed, true},
    {DECAY("x[2, n] + w[d]"), fixed_channel, false},
    {"family odd size D >= 1 size N >= 1 tensor v[n in 1..N] \"v\" tensor x[d in 1..D, n in 1..N] \"x\"\n"
     "let log_decay[d in 1..D, n in 1..N] as log_decay = v[d] + x[d, n] end",
     other_range, false}, /* v is indexed by a channel, and is one number for each state */
    {DECAY("if n < N then x[d, n + 1] else -7"), neighbour, false},
    {DECAY("d - 1 + sum(i in 1..D: x[i, n] + w[i])"), summed, false},
    {DECAY("n*log(1 - 2^(-4 - d))"), closed, false},
    {DECAY("x[d, n]*D*N"), by_size, false},
    {HEAD "let s[d in 1..D, 1] = x[d, 1] let s[d in 1..D, n in 2..N] = s[d, n - 1]/2 + x[d, n]\n"
          "let log_decay[d in 1..D, n in 1..N] as log_decay = s[d, n] end",
     recurrence, false},
    /* An index of a definition that runs over the states but is not the entry's. */
    {HEAD "let c[n in 1..N] = n let log_decay[d in 1..D, n in 1..N] as log_decay = w[d] - c[5] end", first_only, false},
    {HEAD "let c[k in 1..9] = if k < 2 then 1 else c[k - 1] + 1\n"
          "let log_decay[d in 1..D, n in 1..N] as log_decay = w[d] - c[5] end",
     first_only, true},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    odd o = odd_make(cases[k].family);
    ck_assert_msg(o.m.shape.channels == 3 && o.m.shape.states == 5, "%zu: %s", k, o.error.message);
    ck_assert_msg(o.m.shape.elementwise == cases[k].elementwise, "%zu", k);
    for (size_t c = 0; c < 3; c++)
      for (size_t n = 0; n < 5; n++) {
        double expected = cases[k].value(&o, c, n), found = log_decay_at(&o, c, n, (entry_change){0});
        ck_assert_msg(fabs(found - expected) <= 1e-12 * (1 + fabs(expected)), "%zu at %zu, %zu: %g, not %g", k, c, n, found,
                      expected);
      }
    odd_clear(&o);
  }
}
END_TEST

/* Only what an entry depends on is an input of it; a default and an activation are none. */
START_TEST(test_inputs)
{
  odd o = odd_make("family odd size D >= 1 as channel size N >= 1 as state size K in 2..3\n"
                   "tensor rows[k in 1..K, d in 1..D] \"rows\" tensor low[d in 1..D] \"low\" else -2.5\n"
                   "tensor x[d in 1..D] \"x\" in (low[d], inf) tensor unused[d in 1..D] \"unused\" in (0, 1)\n"
                   "given u[d in 1..D] in real as activation\n"
                   "let log_decay[d in 1..D] as log_decay = rows[2, d] + x[d] + 1000*u[d] end");
  ck_assert(o.m.shape.elementwise);
  ck_assert_ptr_null(o.m.shape.state_word);
  o.m.layer.tensor[1] = NULL; /* low */
  entry_tape e;
  ck_assert_int_eq(entry_create(&e, &o.m.layer, &o.m.shape, 0, 0, (entry_change){0}, "made", &o.error), STATUS_OK);
  ck_assert_uint_eq(e.inputs, 2);
  ck_assert(e.input[0].given == 0 && e.input[0].base == 3 && e.input[0].per_channel == 1 && e.input[0].per_state == 0);
  ck_assert(e.input[1].given == 2 && e.input[1].base == 0 && e.input[1].per_channel == 1);
  entry_store store = {(const double *const *)o.m.value, NULL, 1};
  o.m.value[2][0] = -2.5;
  o.m.value[2][1] = nextafter(-2.5, 0);
  o.m.value[2][2] = -3;
  o.m.value[0][0] = NAN; /* row 1 */
  o.m.value[0][1] = 1e-300;
  entry_eval *v = entry_eval_create(&e);
  entry_eval_block(v, &store, 0, 3);
  ck_assert_uint_eq(entry_eval_fits(v) & 7, 2);
  ck_assert_uint_eq(entry_eval_strays(v) & 7, 5);
  for (size_t i = 0; i < 3; i++) {
    entry_eval_ball(v, &store, i, 64);
    ck_assert_int_eq(entry_eval_fit(v), i == 1 ? TRUTH_TRUE : TRUTH_FALSE);
  }
  ck_assert_uint_eq(entry_eval_invalid(v) | entry_eval_collapsed(v), 0);
  o.m.value[0][3] = NAN; /* row 2 */
  o.m.value[0][4] = 0x1.8p-65;
  o.m.value[0][5] = 0;
  entry_eval_block(v, &store, 0, 3);
  ck_assert_uint_eq(entry_eval_invalid(v) & 7, 1);
  ck_assert_uint_eq(entry_eval_collapsed(v) & 7, 2);
  uint64_t at;
  ck_assert(entry_stored(&at, &e, &store, 1, 0) == 0x1.8p-65);
  ck_assert_uint_eq(at, 4);
  entry_eval_destroy(v);
  entry_clear(&e);
  odd_clear(&o);
}
END_TEST

/* The step as an input of its own, and a rate that is not in the file. */
START_TEST(test_changes)
{
  made_families f = made_families_shipped();
  philox_stream s = philox_stream_start(seed, philox_hash_name("changes"), 0, 0);
  static const char *const name[] = {"mamba-1", "mamba-1-gguf"};
  for (int k = 0; k < 2; k++) {
    dump_error error;
    dump_error_init(&error);
    made_layer m = make_layer(made_family(&f, name[k]), &s, &error);
    double step[] = {0.25, 0.5, 2};
    entry_store store = {(const double *const *)m.value, step, m.shape.states};
    entry_tape e;
    ck_assert_int_eq(entry_create(&e, &m.layer, &m.shape, 0, 0, (entry_change){.step_given = true}, "made", &error),
                     STATUS_OK);
    ck_assert_uint_eq(e.inputs, 2);
    ck_assert_uint_eq(e.input[1].given, UINT32_MAX);
    entry_eval *v = entry_eval_create(&e);
    entry_eval_block(v, &store, 0, 15);
    for (size_t i = 0; i < 15; i++) {
      double stored_rate = stored(&m, "A_stored", i / 5, 5, i % 5), rate = k ? stored_rate : -exp(stored_rate);
      double low, high;
      bounds_in(&low, &high, v, ENTRY_LOG_DECAY, (unsigned)i);
      ck_assert_double_eq_tol(low, step[i / 5] * rate, 1e-12);
      bounds_in(&low, &high, v, ENTRY_MARGIN, (unsigned)i);
      ck_assert_double_eq_tol(low, exp(step[i / 5] * rate) + step[i / 5] - 1, 1e-12);
    }
    entry_eval_destroy(v);
    entry_clear(&e);
    double rate = -100;
    m.shape.states = 1;
    store.states = 1;
    for (int turn = 0; turn < 2; turn++, rate = 0) {
      ck_assert_int_eq(entry_create(&e, &m.layer, &m.shape, 0, 0, (entry_change){.rate = &rate}, "made", &error), STATUS_OK);
      ck_assert_uint_le(e.inputs, 1); /* of a rate that is stored nothing is left */
      v = entry_eval_create(&e);
      entry_eval_block(v, &store, 0, 3);
      for (unsigned i = 0; i < 3; i++) {
        double low, high, delta = log1p(exp(stored(&m, "dt_bias", 0, 0, i)));
        bounds_in(&low, &high, v, ENTRY_LOG_DECAY, i);
        ck_assert_double_eq_tol(low, delta * rate, 1e-10);
        bounds_in(&low, &high, v, ENTRY_STEP, i);
        ck_assert_double_eq_tol(low, delta, 1e-12);
        bounds_in(&low, &high, v, ENTRY_RATE, i);
        ck_assert(low == rate && high == rate);
      }
      entry_eval_destroy(v);
      entry_clear(&e);
    }
    layer_clear(&m);
  }
  made_families_clear(&f);
}
END_TEST

/* Roles that make no sense are refused, with the reason. */
START_TEST(test_refusals)
{
  static const struct {
    const char *family, *part;
  } cases[] = {
    {HEAD "end", "one definition with the role log_decay, or one with the role decay"},
    {HEAD "let a as log_decay = -1 let b as decay = 1/2 end", "one definition with the role log_decay"},
    {HEAD "let a as log_decay = -1 let b as rate = -1 end", "it has a rate and no step"},
    {HEAD "let a[d in 1..D, n in 1..N, k in 1..K] as log_decay = -1 end", "at most two ranges 1..SIZE"},
    {HEAD "let a[d in 2..D] as log_decay = -1 end", "at most two ranges 1..SIZE"},
    {HEAD "let a[d in 1..D + 1] as log_decay = -1 end", "at most two ranges 1..SIZE"},
    {HEAD "let a[1] as log_decay = -1 end", "at most two ranges 1..SIZE"},
    {HEAD "let a[d in 1..D, e in 1..D] as log_decay = -1 end", "the two indices of the decay have the same size"},
    {HEAD "let a as log_decay = -1 let s[d in 1..D] as step = 1 end", "indexed by the decay's own sizes"},
    {HEAD "let a[d in 1..D] as log_decay = -1 let s[k in 1..K] as step = 1 end", "indexed by the decay's own sizes"},
    {HEAD "let a[d in 1..D] as log_decay = x[d, 1] < 0 end", "are numbers indexed by"},
    {HEAD "let a[d in 1..D] as log_decay = -1 let s as step = w[1] < 0 end", "are numbers indexed by"},
    {HEAD "let r[d in 1..D] as rate = -exp(w[d]) let s as step = exp(w[1])\n"
          "let a[d in 1..D] as log_decay = 2*s*r[d] end",
     "the decay is not exp(step*rate) of its own step and rate"},
    {HEAD "let r[d in 1..D] as rate = -exp(w[d]) let s as step = exp(w[1])\n"
          "let a[d in 1..D] as decay = exp(s)*r[d] end",
     "the decay is not exp(step*rate) of its own step and rate"},
    {HEAD "let s[n in 2..N] = 1 let a[n in 1..N] as log_decay = -s[n] end", "s[1]"},
    {HEAD "let p = q let q = p let a as log_decay = -p end", "p"},
    {HEAD "let s[n in 1..N] = s[n] let a[n in 1..N] as log_decay = -s[n] end", "s[1]"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    odd o = {.f = {.d = diag_create(NULL, 0),
                   .source = diag_source_from("made", cases[k].family, strlen(cases[k].family))},
             .s = philox_stream_start(seed, 0, 0, 0)};
    dump_error_init(&o.error);
    library *l = library_read_source(o.f.d, o.f.source, 0);
    if (!l) { /* the language itself refuses it */
      ck_assert_msg(strstr(diag_text(o.f.d), cases[k].part) != NULL, "%zu: %s", k, diag_text(o.f.d));
    } else {
      made_families_add(&o.f, l);
      o.m = make_layer(o.f.family[0], &o.s, &o.error);
      entry_tape e;
      if (!o.error.message)
        ck_assert_int_ne(entry_create(&e, &o.m.layer, &o.m.shape, 0, 0, (entry_change){0}, "made", &o.error), STATUS_OK);
      ck_assert_msg(strstr(o.error.message, cases[k].part) != NULL, "%zu: %s", k, o.error.message);
      layer_clear(&o.m);
    }
    dump_error_clear(&o.error);
    made_families_clear(&o.f);
  }
  flint_cleanup();
}
END_TEST

/* decay = exp(step*rate) and either order of the factors are the same as log_decay = step*rate. */
START_TEST(test_forms)
{
  static const char *const cases[] = {
    HEAD "let r[d in 1..D] as rate = -exp(w[d]) let s as step = exp(w[1]) let a[d in 1..D] as decay = exp(s*r[d]) end",
    HEAD "let r[d in 1..D] as rate = -exp(w[d]) let s as step = exp(w[1]) let a[d in 1..D] as log_decay = r[d]*s end",
    HEAD "let r as rate = -1 let s as step = exp(w[1]) let a[d in 1..D] as log_decay = s*r end",
  };
  for (size_t k = 0; k < 3; k++) {
    odd o = odd_make(cases[k]);
    double w = stored(&o.m, "w", 0, 0, 0), v = stored(&o.m, "w", 0, 0, 2);
    double expected = -exp(w) * (k == 2 ? 1 : exp(v));
    ck_assert_double_eq_tol(log_decay_at(&o, 2, 0, (entry_change){0}), expected, 1e-10 * fabs(expected));
    odd_clear(&o);
  }
}
END_TEST

/* Chains and webs of definitions cost neither stack nor time. */
START_TEST(test_long_chain)
{
  enum { LONG = 60000, WEB = 200 };
  text family;
  text_init(&family);
  text_add(&family, HEAD "let log_decay[d in 1..D] as log_decay = -c0[d] - v0\nlet v0 = v1 + v1\n");
  for (int i = 1; i < WEB; i++)
    text_addf(&family, "let v%d = (v%d + v%d)/2\n", i, i + 1, i + 1);
  text_addf(&family, "let v%d = 1\n", WEB);
  for (int i = 0; i < LONG; i++)
    text_addf(&family, "let c%d[d in 1..D] = c%d[d]\n", i, i + 1);
  text_addf(&family, "let c%d[d in 1..D] = w[d]\nend\n", LONG);
  odd o = odd_make(text_string(&family));
  ck_assert_msg(o.m.shape.channels == 3, "%s", o.error.message);
  ck_assert_double_eq_tol(log_decay_at(&o, 1, 0, (entry_change){0}), -stored(&o.m, "w", 0, 0, 1) - 2, 1e-13);
  odd_clear(&o);
  text_clear(&family);
}
END_TEST

/* Two fixed states, the first and the last, and between them those of the file. */
START_TEST(test_polarized)
{
  odd o = {.f = made_families_shipped(), .s = philox_stream_start(seed, philox_hash_name("polarized"), 0, 0)};
  dump_error_init(&o.error);
  o.m = make_layer(made_family(&o.f, "mamba-1-polarized"), &o.s, &o.error);
  ck_assert_msg(o.m.shape.channels == 3, "%s", o.error.message);
  size_t learned = 5, last = learned + 1;
  ck_assert_uint_eq(o.m.shape.states, learned + 2);
  for (size_t d = 0; d < 3; d++) {
    double step = log1p(exp(stored(&o.m, "dt_bias", 0, 0, d)));
    ck_assert(log_decay_at(&o, d, 0, (entry_change){0}) == 0);
    ck_assert_double_eq_tol(log_decay_at(&o, d, last, (entry_change){0}) / step, -1000, 1e-10);
    for (size_t n = 0; n < learned; n++) {
      double expected = -step * exp(stored(&o.m, "A_stored", d, learned, n));
      ck_assert_double_eq_tol(log_decay_at(&o, d, n + 1, (entry_change){0}), expected, 1e-13 * fabs(expected));
    }
  }
  odd_clear(&o);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("entries of layers");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_by_hand);
  tcase_add_test(all, test_all);
  tcase_add_test(all, test_odd);
  tcase_add_test(all, test_polarized);
  tcase_add_test(all, test_inputs);
  tcase_add_test(all, test_changes);
  tcase_add_test(all, test_refusals);
  tcase_add_test(all, test_forms);
  tcase_add_test(all, test_long_chain);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
