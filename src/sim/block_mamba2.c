/* Mamba-2: Dao and Gu, arXiv:2405.21060, section 7 and figure 6, as the reference implementation orders in_proj's rows.
 *
 *   z, x, B, C, dt = in(norm(x));  x, B, C = silu(conv(x, B, C));  Delta = softplus(dt + bias)      a head's, not a channel's
 *   h[h,p,n] <- exp(Delta A[h]) h + Delta B[g,n] x[h,p];  y = C h + D x;  x + out(gated_norm(y silu(z)))
 *
 * Polarized states have decays of their own, which a head's others do not share: then the recurrence is Mamba-1's with a
 * head's step and rate repeated for its channels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/block.h"
#include "sim/scan.h"

static void destroy(block *base)
{
  block_mamba2 *b = (block_mamba2 *)base;
  block_norm_clear(&b->norm);
  block_dense_clear(&b->in);
  block_conv_clear(&b->conv);
  block_norm_clear(&b->gated);
  block_dense_clear(&b->out);
  free(b->rate);
  free(b->skip);
  free(b->step_bias);
  free(b->polar);
  free(b->polar_skip);
  parameters_clear_definitions(&b->store);
  free(b);
}

/* ---- reading ---- */

/* Rows of B (or C) of all groups, [G, N] of `width` numbers each, and the polarized ones behind each group's own. */
static void spread_rows(double *to, const double *from, const block_mamba2 *b, size_t states, size_t width, size_t fan_in,
                        size_t layer, uint32_t attempt)
{
  size_t more = states + BLOCK_POLAR;
  double *drawn = parameters_room(b->groups * BLOCK_POLAR * width);
  block_draw(drawn, b->groups * BLOCK_POLAR * width, fan_in, layer, attempt);
  for (size_t g = 0; g < b->groups; g++) {
    memcpy(to + g * more * width, from + g * states * width, states * width * sizeof *to);
    memcpy(to + (g * more + states) * width, drawn + g * BLOCK_POLAR * width, BLOCK_POLAR * width * sizeof *to);
  }
  free(drawn);
}

/* A matrix (or a vector, width 1) whose rows are `before`, B, C, `after`: with the polarized rows. */
static double *widen(const double *from, const block_mamba2 *b, size_t states, size_t before, size_t after, size_t width,
                     size_t fan_in, size_t layer, uint32_t attempt)
{
  size_t old = b->groups * states, new = b->groups * (states + BLOCK_POLAR);
  if (!from)
    return NULL;
  double *to = parameters_room((before + 2 * new + after) * width);
  memcpy(to, from, before * width * sizeof *to);
  spread_rows(to + before * width, from + before * width, b, states, width, fan_in, layer, attempt);
  spread_rows(to + (before + new) * width, from + (before + old) * width, b, states, width, fan_in, layer, attempt + 1);
  memcpy(to + (before + 2 * new) * width, from + (before + 2 * old) * width, after * width * sizeof *to);
  return to;
}

static void replace(double **array, double *by)
{
  free(*array);
  *array = by;
}

/* A convolution's weights, the taps of each channel side by side, and back. */
static double *transpose(const double *from, size_t rows, size_t columns)
{
  double *to = parameters_room(rows * columns);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      to[j * rows + i] = from[i * columns + j];
  return to;
}

static void widen_conv(block_mamba2 *b, size_t states, size_t e, size_t layer)
{
  size_t old = b->conv.channels, new = old + 2 * b->groups * BLOCK_POLAR, w = b->conv.width;
  double *taps = transpose(b->conv.weight, w, old), *wide = widen(taps, b, states, e, 0, w, w, layer, 2);
  replace(&b->conv.weight, transpose(wide, new, w));
  replace(&b->conv.bias, widen(b->conv.bias, b, states, e, 0, 1, w, layer, 4));
  b->conv.channels = new;
  free(taps);
  free(wide);
}

static void polarize(block_mamba2 *b, const net_options *options, size_t layer)
{
  size_t e = b->heads * b->channels, n = b->states, more = n + BLOCK_POLAR, m = b->base.width;
  replace(&b->in.weight, widen(b->in.weight, b, n, 2 * e, b->heads, m, m, layer, 0));
  replace(&b->in.bias, widen(b->in.bias, b, n, 2 * e, b->heads, 1, m, layer, 6));
  b->in.rows += 2 * b->groups * BLOCK_POLAR;
  if (b->conv.weight)
    widen_conv(b, n, e, layer);
  b->polar = parameters_room(e * more);
  b->polar_skip = b->skip ? parameters_room(e) : NULL;
  for (size_t c = 0; c < e; c++) {
    for (size_t i = 0; i < more; i++)
      b->polar[c * more + i] = i < n ? b->rate[c / b->channels] : i == n ? 0 : options->polar_rate;
    if (b->skip)
      b->polar_skip[c] = b->skip[c / b->channels];
  }
  b->states = more;
}

/* How many groups share B and C, which no tensor tells: a configuration's number, else 1. */
static size_t groups_of(const parameters *p)
{
  static const char *const keys[] = {"n_groups", "ngroups", "mamba_n_groups", "ssm.group_count"};
  return parameters_count_note(p->file, keys, sizeof keys / sizeof *keys, 1);
}

static bool find_sizes(block_mamba2 *b, const parameters *p)
{
  size_t e = parameters_extent(p, "out_projection", 1), rows = parameters_extent(p, "in_projection", 0);
  size_t h = (size_t)p->layer->sizes[model_size_role(p->layer->family, "head")], g = groups_of(p);
  if (h == 0 || e % h != 0)
    return parameters_refuse(p, "%zu channels are not a multiple of %zu heads", e, h);
  if (rows <= 2 * e + h || (rows - 2 * e - h) % (2 * g) != 0 || h % g != 0)
    return parameters_refuse(p, "the %zu rows of in_proj are not 2*%zu + 2*%zu*N + %zu: gate, channels, B and C of %zu"
                                " group%s, step", rows, e, g, h, g, g == 1 ? "" : "s");
  b->heads = h;
  b->groups = g;
  b->channels = e / h;
  b->states = (rows - 2 * e - h) / (2 * g);
  b->base.width = parameters_extent(p, "out_projection", 0);
  return true;
}

static bool read_gated_norm(block_mamba2 *b, const parameters *p)
{
  if (!block_norm_read(&b->gated, p, "gated_norm", "gated_norm_bias", b->heads * b->channels, false))
    return false;
  if (b->gated.bias)
    return parameters_refuse(p, "the norm behind its gate has a bias, of which this block knows nothing");
  b->gated.width /= b->groups;
  return true;
}

static bool read_all(block_mamba2 *b, const parameters *p, const net_options *options)
{
  if (!definition_has_product(p->layer->family) || model_size_role(p->layer->family, "head") < 0)
    return parameters_refuse(p, "the decay of this family is not exp(step*rate) of a head, which this block needs");
  size_t m = parameters_extent(p, "out_projection", 0), e = parameters_extent(p, "out_projection", 1);
  size_t rows = parameters_extent(p, "in_projection", 0);
  if (!block_dense_read(&b->out, p, "out_projection", "out_projection_bias", m, e) ||
      !block_dense_read(&b->in, p, "in_projection", "in_projection_bias", rows, m) || !find_sizes(b, p))
    return false;
  bool fine = block_norm_read(&b->norm, p, "norm", "norm_bias", m, false) &&
              block_conv_read(&b->conv, p, e + 2 * b->groups * b->states) &&
              parameters_read(&b->skip, p, "skip", false, b->heads, 0) && read_gated_norm(b, p) &&
              block_step_read(&b->step_bias, &b->store, p, b->heads) &&
              parameters_define(&b->rate, p, &b->store, "rate", b->heads, 0);
  if (fine && options->polarized)
    polarize(b, options, p->number);
  return fine;
}

static block *read_block(const parameters *p, const net_options *options)
{
  block_mamba2 *b = memory_new(1, sizeof *b);
  if (!read_all(b, p, options)) {
    destroy(&b->base);
    return NULL;
  }
  if (b->step_bias)
    parameters_clear_definitions(&b->store);
  b->base.facts = (net_layer){.channels = b->heads * b->channels, .states = b->states, .has_step = true};
  return &b->base;
}

/* ---- running ---- */

static size_t arrays(block_array *array, const block *base)
{
  const block_mamba2 *b = (const block_mamba2 *)base;
  size_t count = 0;
  array[count++] = (block_array){.name = "h", .rank = 3, .shape = {b->heads, b->channels, b->states}};
  if (b->conv.width > 1)
    array[count++] = (block_array){.name = "conv", .rank = 2, .shape = {b->conv.width - 1, b->conv.channels}};
  return count;
}

/* What the recurrence reads and writes; rows of x, b and c are C numbers apart. */
typedef struct {
  const double *x, *b, *c, *step; /* step [T, H] */
  size_t stride;
  double *y, *alpha, *h;          /* [T, E], [T, E, N], [T, E, N] */
} recurrence;

/* All states and channels of a head share its decay. */
static void spread_alpha(double *alpha, const double *of_head, const block_mamba2 *b, size_t tokens)
{
  size_t each = b->channels * b->states;
  for (size_t i = 0; i < tokens * b->heads; i++)
    for (size_t k = 0; k < each; k++)
      alpha[i * each + k] = of_head[i];
}

static void scan_by_head(const recurrence *r, const block_mamba2 *b, const block_piece *p)
{
  size_t e = b->heads * b->channels, n = b->states, t = p->tokens;
  double *of_head = r->alpha ? workspace_take(p->room, t * b->heads) : NULL;
  form_heads f = {.sequences = 1,
                  .tokens = t,
                  .heads = b->heads,
                  .groups = b->groups,
                  .channels = b->channels,
                  .states = n,
                  .rate = b->rate,
                  .skip = b->skip,
                  .step = {r->step, b->heads, 0},
                  .b = {r->b, r->stride, 0},
                  .c = {r->c, r->stride, 0},
                  .x = {r->x, r->stride, 0},
                  .y = {r->y, e, 0},
                  .alpha = {of_head, b->heads, 0},
                  .h = {r->h, e * n, 0}};
  form_scan_heads(&(scan_options){.threads = p->threads}, p->state[0], &f);
  if (r->alpha)
    spread_alpha(r->alpha, of_head, b, t);
}

static void scan_by_channel(const recurrence *r, const double *step, const block_mamba2 *b, const block_piece *p)
{
  size_t e = b->heads * b->channels, n = b->states, one = e / b->groups;
  for (size_t g = 0; g < b->groups; g++) {
    size_t d = g * one;
    scan_layer layer = {.channels = one, .states = n, .rate = b->polar + d * n, .skip = b->skip ? b->polar_skip + d : NULL};
    scan_inputs in = {.sequences = 1,
                      .tokens = p->tokens,
                      .step = {step + d, e, 0},
                      .u = {r->x + d, r->stride, 0},
                      .b = {r->b + g * n, r->stride, 0},
                      .c = {r->c + g * n, r->stride, 0}};
    scan_outputs out = {.y = {r->y + d, e, 0},
                        .alpha = {r->alpha ? r->alpha + d * n : NULL, e * n, 0},
                        .h = {r->h ? r->h + d * n : NULL, e * n, 0}};
    scan_selective(&(scan_options){.threads = p->threads}, p->state[0] + d * n, &out, &layer, &in);
  }
}

static double *spread_step(const double *step, const block_mamba2 *b, const block_piece *p)
{
  size_t all = p->tokens * b->heads;
  double *wide = workspace_take(p->room, all * b->channels);
  for (size_t i = 0; i < all; i++)
    for (size_t k = 0; k < b->channels; k++)
      wide[i * b->channels + k] = step[i];
  return wide;
}

static void norm_groups(double *y, const block_mamba2 *b, size_t tokens)
{
  block_norm one = b->gated;
  for (size_t t = 0; t < tokens && b->gated.weight; t++)
    for (size_t g = 0; g < b->groups; g++) {
      one.weight = b->gated.weight + g * one.width;
      block_norm_row(y + (t * b->groups + g) * one.width, y + (t * b->groups + g) * one.width, &one);
    }
}

static double *take_wanted(const block_piece *p, unsigned which, size_t count)
{
  return p->wanted & which ? workspace_take(p->room, count) : NULL;
}

static void run_block(const block *base, const block_piece *p)
{
  const block_mamba2 *b = (const block_mamba2 *)base;
  size_t t = p->tokens, m = base->width, e = b->heads * b->channels, n = b->states, gn = b->groups * n;
  size_t rows = b->in.rows, c = b->conv.channels;
  workspace *room = p->room;
  double *normed = workspace_take(room, t * m), *all = workspace_take(room, t * rows), *xbc = workspace_take(room, t * c);
  double *gated = workspace_take(room, t * e), *mixer = workspace_take(room, t * m);
  block_norm_apply(normed, p->input, &b->norm, t, p->threads);
  block_dense_apply(all, normed, m, &b->in, t, p->threads);
  block_conv_silu(xbc, p->state[1], all + e, rows, &b->conv, t, room, p->threads);
  double *step = block_copy_columns(room, all + e + c, rows, t, b->heads);
  block_step_apply(step, b->step_bias, &b->store, t, b->heads, p->threads);
  double *wide = spread_step(step, b, p);
  recurrence r = {.x = xbc,
                  .b = xbc + e,
                  .c = xbc + e + gn,
                  .step = step,
                  .stride = c,
                  .y = workspace_take(room, t * e),
                  .alpha = take_wanted(p, NET_WANT_ALPHA, t * e * n),
                  .h = take_wanted(p, NET_WANT_H, t * e * n)};
  if (b->polar)
    scan_by_channel(&r, wide, b, p);
  else
    scan_by_head(&r, b, p);
  double *drive = take_wanted(p, NET_WANT_DRIVE, t * e * n);
  for (size_t g = 0; g < b->groups && drive; g++) {
    size_t d = g * (e / b->groups);
    block_drive(drive + d * n, e, r.b + g * n, c, xbc + d, c, t, e / b->groups, n, p->threads);
  }
  memcpy(gated, r.y, t * e * sizeof *gated);
  block_gate(gated, all, rows, t, e, p->threads);
  norm_groups(gated, b, t);
  block_dense_apply(mixer, gated, e, &b->out, t, p->threads);
  for (size_t i = 0; i < t * m; i++)
    p->output[i] = p->input[i] + mixer[i];
  *p->view = (net_view){.mixer = mixer,
                        .u = block_copy_columns(room, xbc, c, t, e),
                        .step = wide,
                        .b = b->groups == 1 ? block_copy_columns(room, r.b, c, t, n) : NULL,
                        .c = b->groups == 1 ? block_copy_columns(room, r.c, c, t, n) : NULL,
                        .alpha = r.alpha,
                        .drive = drive,
                        .h = r.h,
                        .y = r.y};
}

static const char *const roles[] = {"in_projection", "conv", "gated_norm", "out_projection", NULL};

const block_kind block_kind_mamba2 = {"Mamba-2", roles, read_block, destroy, arrays, run_block, NULL};
