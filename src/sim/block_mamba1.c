/* Mamba-1: Gu and Dao, arXiv:2312.00752, section 3.4, figure 3 and algorithm 2.
 *
 *   u, z = in(norm(x));  u = silu(conv(u));  dt, B, C = x(u);  Delta = softplus(dt_proj(dt) + bias)
 *   h <- exp(Delta A) h + Delta B u;  y = C h + D u;  x + out(y silu(z)) */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/block.h"
#include "sim/scan.h"

static void destroy(block *base)
{
  block_mamba1 *b = (block_mamba1 *)base;
  block_norm_clear(&b->norm);
  block_dense_clear(&b->in);
  block_conv_clear(&b->conv);
  block_dense_clear(&b->x);
  block_dense_clear(&b->dt);
  block_dense_clear(&b->out);
  free(b->rate);
  free(b->skip);
  free(b->step_bias);
  parameters_clear_definitions(&b->store);
  free(b);
}

/* ---- reading ---- */

/* Appends the states 0 and polar_rate to each channel, with rows of B and C. */
static void polarize(block_mamba1 *b, const net_options *options, size_t layer)
{
  size_t d = b->channels, n = b->states, more = n + BLOCK_POLAR, r = b->rank;
  double *rate = parameters_room(d * more), *x = parameters_room((r + 2 * more) * d);
  for (size_t c = 0; c < d; c++) {
    memcpy(rate + c * more, b->rate + c * n, n * sizeof *rate);
    rate[c * more + n] = 0;
    rate[c * more + n + 1] = options->polar_rate;
  }
  memcpy(x, b->x.weight, (r + n) * d * sizeof *x);
  block_draw(x + (r + n) * d, BLOCK_POLAR * d, d, layer, 0);
  memcpy(x + (r + more) * d, b->x.weight + (r + n) * d, n * d * sizeof *x);
  block_draw(x + (r + more + n) * d, BLOCK_POLAR * d, d, layer, 1);
  free(b->rate);
  free(b->x.weight);
  b->rate = rate;
  b->x.weight = x;
  b->x.rows = r + 2 * more;
  b->states = more;
}

static bool read_all(block_mamba1 *b, const parameters *p, const net_options *options)
{
  const claim *f = p->layer->family;
  size_t m = parameters_extent(p, "out_projection", 0), d = parameters_extent(p, "out_projection", 1);
  size_t r = parameters_extent(p, "dt_projection", 1), rows = parameters_extent(p, "x_projection", 0);
  if (!definition_has_product(f))
    return parameters_refuse(p, "the decay of this family is not exp(step*rate), which this block needs");
  /* The first read says what is missing. */
  if (!block_dense_read(&b->out, p, "out_projection", "out_projection_bias", m, d) ||
      !block_dense_read(&b->dt, p, "dt_projection", NULL, d, r))
    return false;
  if (rows <= r || (rows - r) % 2 != 0)
    return parameters_has(p, "x_projection")
               ? parameters_refuse(p, "the %zu rows of the projection to step, B and C are not %zu + 2 N", rows, r)
               : block_dense_read(&b->x, p, "x_projection", NULL, 0, d);
  b->base.width = m;
  b->channels = d;
  b->states = (rows - r) / 2;
  b->rank = r;
  bool fine = block_norm_read(&b->norm, p, "norm", "norm_bias", m, false) &&
              block_dense_read(&b->in, p, "in_projection", "in_projection_bias", 2 * d, m) &&
              block_conv_read(&b->conv, p, d) && block_dense_read(&b->x, p, "x_projection", NULL, rows, d) &&
              parameters_read(&b->skip, p, "skip", false, d, 0) && block_step_read(&b->step_bias, &b->store, p, d) &&
              parameters_define(&b->rate, p, &b->store, "rate", d, b->states);
  if (fine && options->polarized)
    polarize(b, options, p->number);
  return fine;
}

static block *read_block(const parameters *p, const net_options *options)
{
  block_mamba1 *b = memory_new(1, sizeof *b);
  if (!read_all(b, p, options)) {
    destroy(&b->base);
    return NULL;
  }
  if (b->step_bias)
    parameters_clear_definitions(&b->store);
  b->base.facts = (net_layer){.channels = b->channels, .states = b->states, .has_step = true};
  return &b->base;
}

/* ---- running ---- */

static size_t arrays(block_array *array, const block *base)
{
  const block_mamba1 *b = (const block_mamba1 *)base;
  size_t count = 0;
  array[count++] = (block_array){.name = "h", .rank = 2, .shape = {b->channels, b->states}};
  if (b->conv.width > 1)
    array[count++] = (block_array){.name = "conv", .rank = 2, .shape = {b->conv.width - 1, b->channels}};
  return count;
}

static double *take_wanted(const block_piece *p, unsigned which, size_t count)
{
  return p->wanted & which ? workspace_take(p->room, count) : NULL;
}

static void run_block(const block *base, const block_piece *p)
{
  const block_mamba1 *b = (const block_mamba1 *)base;
  size_t t = p->tokens, m = base->width, d = b->channels, n = b->states, columns = b->x.rows;
  workspace *room = p->room;
  double *normed = workspace_take(room, t * m), *uz = workspace_take(room, 2 * t * d), *u = workspace_take(room, t * d);
  double *selected = workspace_take(room, t * columns), *step = workspace_take(room, t * d);
  double *y = workspace_take(room, t * d), *gated = workspace_take(room, t * d), *mixer = workspace_take(room, t * m);
  block_norm_apply(normed, p->input, &b->norm, t, p->threads);
  block_dense_apply(uz, normed, m, &b->in, t, p->threads);
  block_conv_silu(u, p->state[1], uz, 2 * d, &b->conv, t, room, p->threads);
  block_dense_apply(selected, u, d, &b->x, t, p->threads);
  block_dense_apply(step, selected, columns, &b->dt, t, p->threads);
  block_step_apply(step, b->step_bias, &b->store, t, d, p->threads);
  double *bs = block_copy_columns(room, selected + b->rank, columns, t, n);
  double *cs = block_copy_columns(room, selected + b->rank + n, columns, t, n);
  double *alpha = take_wanted(p, NET_WANT_ALPHA, t * d * n), *h = take_wanted(p, NET_WANT_H, t * d * n);
  double *drive = take_wanted(p, NET_WANT_DRIVE, t * d * n);
  scan_layer layer = {.channels = d, .states = n, .rate = b->rate, .skip = b->skip};
  scan_inputs in = {.sequences = 1, .tokens = t, .step = {step, d, 0}, .u = {u, d, 0}, .b = {bs, n, 0}, .c = {cs, n, 0}};
  scan_outputs out = {.y = {y, d, 0}, .alpha = {alpha, d * n, 0}, .h = {h, d * n, 0}};
  scan_selective(&(scan_options){.threads = p->threads}, p->state[0], &out, &layer, &in);
  if (drive)
    block_drive(drive, d, bs, n, u, d, t, d, n, p->threads);
  memcpy(gated, y, t * d * sizeof *gated);
  block_gate(gated, uz + d, 2 * d, t, d, p->threads);
  block_dense_apply(mixer, gated, d, &b->out, t, p->threads);
  for (size_t i = 0; i < t * m; i++)
    p->output[i] = p->input[i] + mixer[i];
  *p->view = (net_view){.mixer = mixer, .u = u, .step = step, .b = bs, .c = cs, .alpha = alpha, .drive = drive, .h = h, .y = y};
}

static const char *const roles[] = {"in_projection", "x_projection", "dt_projection", "out_projection", NULL};

const block_kind block_kind_mamba1 = {"Mamba-1", roles, read_block, destroy, arrays, run_block, NULL};
