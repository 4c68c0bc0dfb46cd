/* RWKV-4: Peng et al., arXiv:2305.13048, sections 3.1 and 3.2.
 *
 *   u = ln1(x);  r, k, v = receptance, key, value of u mixed with the token before, mix u_t + (1 - mix) u_{t-1}
 *   x + output(sigmoid(r) wkv(k, v)), the time mixing; then, with u = ln2 of that,
 *   ... + sigmoid(receptance') value'(relu(key')^2), the channel mixing */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/block.h"

enum { WKV, SHIFT, WIDE_SHIFT, ARRAYS };

static void destroy(block *base)
{
  block_rwkv4 *b = (block_rwkv4 *)base;
  block_norm_clear(&b->norm);
  block_norm_clear(&b->second);
  block_dense *const maps[] = {&b->key,      &b->value,      &b->receptance,     &b->output,
                               &b->wide_key, &b->wide_value, &b->wide_receptance};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    block_dense_clear(maps[i]);
  double *const vectors[] = {b->mix_k, b->mix_v, b->mix_r, b->log_decay, b->bonus, b->wide_mix_k, b->wide_mix_r};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    free(vectors[i]);
  free(b);
}

/* ---- reading ---- */

static bool read_all(block_rwkv4 *b, const parameters *p)
{
  size_t d = parameters_extent(p, "key", 0), m = parameters_extent(p, "key", 1), f = parameters_extent(p, "wide_key", 0);
  if (!block_dense_read(&b->key, p, "key", NULL, d, m))
    return false;
  b->base.width = m;
  b->channels = d;
  definition_store store;
  bool fine = parameters_read_definitions(&store, p) && parameters_define(&b->log_decay, p, &store, "log_decay", d, 0) &&
              parameters_read(&b->bonus, p, "bonus", true, d, 0) &&
              block_norm_read(&b->norm, p, "norm", "norm_bias", m, true) &&
              parameters_read(&b->mix_k, p, "key_mix", true, m, 0) &&
              parameters_read(&b->mix_v, p, "value_mix", true, m, 0) &&
              parameters_read(&b->mix_r, p, "receptance_mix", true, m, 0) &&
              block_dense_read(&b->value, p, "value", NULL, d, m) &&
              block_dense_read(&b->receptance, p, "receptance", NULL, d, m) &&
              block_dense_read(&b->output, p, "out_projection", NULL, m, d) &&
              block_norm_read(&b->second, p, "wide_norm", "wide_norm_bias", m, true) &&
              parameters_read(&b->wide_mix_k, p, "wide_key_mix", true, m, 0) &&
              parameters_read(&b->wide_mix_r, p, "wide_receptance_mix", true, m, 0) &&
              block_dense_read(&b->wide_key, p, "wide_key", NULL, f, m) &&
              block_dense_read(&b->wide_value, p, "wide_value", NULL, m, f) &&
              block_dense_read(&b->wide_receptance, p, "wide_receptance", NULL, m, m);
  parameters_clear_definitions(&store);
  return fine;
}

static block *read_block(const parameters *p, const net_options *options)
{
  (void)options;
  block_rwkv4 *b = memory_new(1, sizeof *b);
  if (!read_all(b, p)) {
    destroy(&b->base);
    return NULL;
  }
  b->base.facts = (net_layer){.channels = b->channels, .states = 1, .has_step = true};
  return &b->base;
}

/* ---- running ---- */

static size_t arrays(block_array *array, const block *base)
{
  const block_rwkv4 *b = (const block_rwkv4 *)base;
  array[WKV] = (block_array){.name = "wkv", .rank = 2, .shape = {3, b->channels}};
  array[SHIFT] = (block_array){.name = "shift", .rank = 1, .shape = {base->width}};
  array[WIDE_SHIFT] = (block_array){.name = "wide_shift", .rank = 1, .shape = {base->width}};
  return ARRAYS;
}

static void begin(double *const *state, const block *base)
{
  form_wkv_begin(state[WKV], 1, ((const block_rwkv4 *)base)->channels);
}

/* u [1 + tokens, M]: a normed piece behind the last token of the piece before, which `shift` holds and then holds anew. */
static double *shifted(double *shift, const double *x, const block_norm *norm, const block_piece *p)
{
  size_t m = norm->width;
  double *u = workspace_take(p->room, (p->tokens + 1) * m);
  memcpy(u, shift, m * sizeof *u);
  block_norm_apply(u + m, x, norm, p->tokens, p->threads);
  memcpy(shift, u + p->tokens * m, m * sizeof *u);
  return u;
}

static const double *mixed(const double *u, const double *mix, size_t m, const block_piece *p)
{
  double *y = workspace_take(p->room, p->tokens * m);
  for (size_t i = 0; i < p->tokens * m; i++)
    y[i] = u[m + i] * mix[i % m] + u[i] * (1 - mix[i % m]);
  return y;
}

static double *mapped(const double *u, const double *mix, const block_dense *map, const block_piece *p)
{
  double *y = workspace_take(p->room, p->tokens * map->rows);
  block_dense_apply(y, mixed(u, mix, map->columns, p), map->columns, map, p->tokens, p->threads);
  return y;
}

static void mix_time(const block_rwkv4 *b, const block_piece *p)
{
  size_t t = p->tokens, m = b->base.width, d = b->channels;
  double *u = shifted(p->state[SHIFT], p->input, &b->norm, p);
  double *k = mapped(u, b->mix_k, &b->key, p), *v = mapped(u, b->mix_v, &b->value, p);
  double *r = mapped(u, b->mix_r, &b->receptance, p), *gated = workspace_take(p->room, t * d);
  double *y = workspace_take(p->room, t * d), *step = workspace_take(p->room, t * d), *mixer = workspace_take(p->room, t * m);
  double *alpha = p->wanted & NET_WANT_ALPHA ? workspace_take(p->room, t * d) : NULL;
  double *h = p->wanted & NET_WANT_H ? workspace_take(p->room, t * d) : NULL;
  form_wkv f = {.sequences = 1,
                .tokens = t,
                .channels = d,
                .log_decay = b->log_decay,
                .bonus = b->bonus,
                .key = {k, d, 0},
                .value = {v, d, 0},
                .y = {y, d, 0},
                .h = {h, d, 0},
                .alpha = {alpha, d, 0},
                .step = {step, d, 0}};
  form_scan_wkv(&(scan_options){.threads = p->threads}, p->state[WKV], &f);
  block_glu(gated, y, r, d, t, d, p->threads);
  block_dense_apply(mixer, gated, d, &b->output, t, p->threads);
  *p->view = (net_view){.mixer = mixer,
                        .u = v,
                        .step = step,
                        .alpha = alpha,
                        .drive = p->wanted & NET_WANT_DRIVE ? v : NULL,
                        .h = h,
                        .y = y};
}

static void mix_channels(double *x, const block_rwkv4 *b, const block_piece *p)
{
  size_t t = p->tokens, m = b->base.width;
  double *u = shifted(p->state[WIDE_SHIFT], x, &b->second, p);
  double *k = mapped(u, b->wide_mix_k, &b->wide_key, p), *r = mapped(u, b->wide_mix_r, &b->wide_receptance, p);
  double *v = workspace_take(p->room, t * m), *add = workspace_take(p->room, t * m);
  for (size_t i = 0; i < t * b->wide_key.rows; i++) {
    double positive = k[i] < 0 ? 0 : k[i];
    k[i] = positive * positive;
  }
  block_dense_apply(v, k, b->wide_key.rows, &b->wide_value, t, p->threads);
  block_glu(add, v, r, m, t, m, p->threads);
  for (size_t i = 0; i < t * m; i++)
    x[i] += add[i];
}

static void run_block(const block *base, const block_piece *p)
{
  const block_rwkv4 *b = (const block_rwkv4 *)base;
  mix_time(b, p);
  for (size_t i = 0; i < p->tokens * base->width; i++)
    p->output[i] = p->input[i] + p->view->mixer[i];
  mix_channels(p->output, b, p);
}

static const char *const roles[] = {"key", "value", "receptance", "bonus", "out_projection", NULL};

const block_kind block_kind_rwkv4 = {"RWKV-4", roles, read_block, destroy, arrays, run_block, begin};
