/* The adjoint of RWKV-4's block (sim/block_rwkv4.c has the equations).
 *
 * The readout of one channel is a weighted mean: with q_t = e^w q_(t-1) + e^(k_t) and Z_t = q_(t-1) +
 * e^(bonus + k_t),
 *
 *   y_t = (sum_(s<t) e^(k_s + (t-1-s) w) v_s + e^(bonus + k_t) v_t) / Z_t,
 *   dy_t/dv_s = e^(k_s + (t-1-s) w)/Z_t,  dy_t/dk_s = (v_s - y_t) dy_t/dv_s  for s < t,
 *
 * and with the weight e^(bonus + k_t)/Z_t for s = t. So the adjoint carries P_s = sum_(t>s) e^((t-1-s) w)
 * ybar_t/Z_t and the same sum of ybar_t y_t/Z_t, each with an exponent of its own. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/adjoint_poles.h"

typedef struct {
  adjoint base;
  const block_rwkv4 *b;
  adjoint_replay replay;
  size_t first, tokens;
  double *k, *v, *r, *y;             /* [tokens, D] */
  wide *before;                      /* [tokens, D] q_(t-1) */
  double *between;                   /* [tokens, M] the stream between the two mixings */
  double *wide_k, *wide_r,
      *wide_v; /* [tokens, F], [tokens, M], [tokens, M]: before relu^2, before the sigmoid, what it gates */
  double *m;                         /* [D, P, 2 K] P_s, and the sum with y, at the token behind */
  int64_t *e;                        /* [D, P] */
  adjoint_rows gatedbar, ybar, kbar, vbar, rbar, inbar, ubar, carry; /* of the time mixing */
  adjoint_rows wide_vbar, wide_rbar, wide_kbar, wide_ubar, wide_carry, sum, part;
  double *slope, *other;
} adjoint_rwkv4;

/* ---- life ---- */

static adjoint *create(const block *base, const double *input, size_t tokens, size_t positions, size_t rows,
                       int threads)
{
  const block_rwkv4 *b = (const block_rwkv4 *)base;
  adjoint_rwkv4 *a = memory_new(1, sizeof *a);
  size_t m = base->width, d = b->channels, f = b->wide_key.rows;
  a->base =
      (adjoint){.tokens = tokens, .positions = positions, .rows = rows, .threads = threads, .input = input};
  a->b = b;
  adjoint_replay_init(&a->replay, base, &a->base);
  double **each[] = {&a->k, &a->v, &a->r, &a->y};
  for (size_t i = 0; i < 4; i++)
    *each[i] = memory_new(ADJOINT_PIECE * d, sizeof(double));
  a->before = memory_new(ADJOINT_PIECE * d, sizeof *a->before);
  a->between = memory_new((ADJOINT_PIECE + 1) * m, sizeof(double));
  a->wide_k = memory_new(ADJOINT_PIECE * f, sizeof(double));
  a->wide_r = memory_new(ADJOINT_PIECE * m, sizeof(double));
  a->wide_v = memory_new(ADJOINT_PIECE * m, sizeof(double));
  a->m = memory_new(memory_multiply(2 * d, memory_multiply(positions, rows)), sizeof *a->m);
  a->e = memory_new(memory_multiply(d, positions), sizeof *a->e);
  for (size_t i = 0; i < d * positions; i++)
    a->e[i] = WIDE_ZERO;
  const adjoint_rows_list all[] = {{&a->gatedbar, d}, {&a->ybar, d},      {&a->kbar, d},       {&a->vbar, d},
                                   {&a->rbar, d},     {&a->inbar, m},     {&a->ubar, m},       {&a->carry, m},
                                   {&a->wide_vbar, m}, {&a->wide_rbar, m},  {&a->wide_kbar, f},
                                   {&a->wide_ubar, m}, {&a->wide_carry, m}, {&a->sum, m},
                                   {&a->part, m}};
  adjoint_init_rows(&a->base, all, sizeof all / sizeof *all);
  size_t most = f > d ? f : d;
  most = most > m ? most : m;
  a->slope = memory_new(most, sizeof(double));
  a->other = memory_new(most, sizeof(double));
  return &a->base;
}

static void destroy(adjoint *base)
{
  adjoint_rwkv4 *a = (adjoint_rwkv4 *)base;
  adjoint_clear_rows(base);
  adjoint_replay_clear(&a->replay);
  double *each[] = {a->k,      a->v,      a->r, a->y,     a->between, a->wide_k,
                    a->wide_r, a->wide_v, a->m, a->slope, a->other};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    free(each[i]);
  free(a->before);
  free(a->e);
  free(a);
}

/* ---- the forward pass ---- */

/* y [tokens, rows] = map(mix u_t + (1 - mix) u_(t-1)); u [1 + tokens, M]. */
static void mapped(double *y, const double *u, const double *mix, const block_dense *map, size_t tokens,
                   int threads)
{
  size_t m = map->columns;
  double *x = memory_new(tokens * m, sizeof *x);
  for (size_t i = 0; i < tokens * m; i++)
    x[i] = u[m + i] * mix[i % m] + u[i] * (1 - mix[i % m]);
  block_dense_apply(y, x, m, map, tokens, threads);
  free(x);
}

/* q before each token, from the state that the piece begins with. */
static void fill_sums(adjoint_rwkv4 *a, size_t piece)
{
  const block_rwkv4 *b = a->b;
  size_t d = b->channels;
  const double *state = adjoint_replay_state(&a->replay, 0, piece);
  for (size_t j = 0; j < d; j++) {
    double sum = state[d + j];
    wide q = sum == 0 ? wide_from(0) : wide_multiply(wide_from(sum), wide_exp(state[2 * d + j])),
         decay = wide_exp(b->log_decay[j]);
    for (size_t t = 0; t < a->tokens; t++) {
      a->before[t * d + j] = q;
      q = wide_add(wide_multiply(decay, q), wide_exp(a->k[t * d + j]));
    }
  }
}

static void load(adjoint *base, size_t piece)
{
  adjoint_rwkv4 *a = (adjoint_rwkv4 *)base;
  const block_rwkv4 *b = a->b;
  size_t m = b->base.width, d = b->channels, f = b->wide_key.rows;
  int threads = base->threads;
  a->first = piece * ADJOINT_PIECE;
  a->tokens = adjoint_piece_tokens(base, piece);
  adjoint_replay_run(&a->replay, base, piece);
  memcpy(a->y, a->replay.view.y, a->tokens * d * sizeof *a->y);
  double *u = memory_new((a->tokens + 1) * m, sizeof *u);
  memcpy(u, adjoint_replay_state(&a->replay, 1, piece), m * sizeof *u);
  block_norm_apply(u + m, base->input + a->first * m, &b->norm, a->tokens, threads);
  mapped(a->k, u, b->mix_k, &b->key, a->tokens, threads);
  mapped(a->v, u, b->mix_v, &b->value, a->tokens, threads);
  mapped(a->r, u, b->mix_r, &b->receptance, a->tokens, threads);
  fill_sums(a, piece);
  for (size_t i = 0; i < a->tokens * m; i++)
    a->between[i] = base->input[a->first * m + i] + a->replay.view.mixer[i];
  memcpy(u, adjoint_replay_state(&a->replay, 2, piece), m * sizeof *u);
  block_norm_apply(u + m, a->between, &b->second, a->tokens, threads);
  mapped(a->wide_k, u, b->wide_mix_k, &b->wide_key, a->tokens, threads);
  mapped(a->wide_r, u, b->wide_mix_r, &b->wide_receptance, a->tokens, threads);
  double *positive = memory_new(a->tokens * f, sizeof *positive);
  for (size_t i = 0; i < a->tokens * f; i++)
    positive[i] = a->wide_k[i] < 0 ? 0 : a->wide_k[i] * a->wide_k[i];
  block_dense_apply(a->wide_v, positive, f, &b->wide_value, a->tokens, threads);
  free(positive);
  free(u);
}

/* ---- the adjoint ---- */

/* The map of a mixed token: ubar_s += mix inbar, and for the token before carry += (1 - mix) inbar. */
static void back_to_mix(adjoint_rwkv4 *a, adjoint_rows *ubar, adjoint_rows *carry, const adjoint_rows *ybar,
                        const double *mix, const block_dense *map, size_t active)
{
  adjoint_dense(&a->inbar, ybar, map, active, a->base.threads);
  adjoint_scale(&a->part, &a->inbar, mix, active);
  adjoint_rows_add(ubar, &a->part, active);
  for (size_t i = 0; i < map->columns; i++)
    a->slope[i] = 1 - mix[i];
  adjoint_scale(&a->part, &a->inbar, a->slope, active);
  adjoint_rows_add(carry, &a->part, active);
}

/* What the weights of channel j of token s are, all over a common exponent or as they are. */
typedef struct {
  wide key, over, decay; /* e^k, 1/Z, e^w */
  double own;            /* e^(bonus + k)/Z */
  double v, y;
} weights;

static weights weights_of(const adjoint_rwkv4 *a, size_t i, size_t j)
{
  size_t at = i * a->b->channels + j;
  wide own = wide_exp(a->b->bonus[j] + a->k[at]), z = wide_add(a->before[at], own);
  weights w = {
      .key = wide_exp(a->k[at]), .decay = wide_exp(a->b->log_decay[j]), .v = a->v[at], .y = a->y[at]};
  w.over = wide_make(1 / z.m, -z.e);
  w.own = wide_double(wide_multiply(own, w.over));
  return w;
}

/* One channel of one position: kbar and vbar with a common exponent, which is returned, and the sums of the
 * token before. */
static int64_t step_channel(adjoint_rwkv4 *a, const weights *w, size_t j, size_t p, double *kbar,
                            double *vbar)
{
  size_t K = a->base.rows, D = a->b->channels;
  double *sums = a->m + (j * a->base.positions + p) * 2 * K;
  int64_t *e = &a->e[j * a->base.positions + p], ye = a->ybar.e[p];
  const double *ybar = a->ybar.m + p * K * D + j;
  /* e^k P 2^(e + key.e) and own ybar 2^ye */
  int64_t past = *e == WIDE_ZERO || w->key.m == 0 ? WIDE_ZERO : *e + w->key.e, top = past > ye ? past : ye;
  double from_past = past == WIDE_ZERO ? 0 : wide_power(past - top) * w->key.m;
  double from_own = ye == WIDE_ZERO ? 0 : wide_power(ye - top) * w->own;
  for (size_t k = 0; k < K; k++) {
    double y = ybar[k * D], later = sums[2 * k], with_y = sums[2 * k + 1];
    vbar[k] = from_past * later + from_own * y;
    kbar[k] = from_past * (w->v * later - with_y) + from_own * y * (w->v - w->y);
  }
  /* sums <- e^w sums + ybar/Z */
  int64_t kept = *e == WIDE_ZERO || w->decay.m == 0 ? WIDE_ZERO : *e + w->decay.e;
  int64_t fresh = ye == WIDE_ZERO || w->over.m == 0 ? WIDE_ZERO : ye + w->over.e,
          next = kept > fresh ? kept : fresh;
  double keep = kept == WIDE_ZERO ? 0 : wide_power(kept - next) * w->decay.m;
  double add = fresh == WIDE_ZERO ? 0 : wide_power(fresh - next) * w->over.m;
  for (size_t k = 0; k < K; k++) {
    double y = ybar[k * D];
    sums[2 * k] = keep * sums[2 * k] + add * y;
    sums[2 * k + 1] = keep * sums[2 * k + 1] + add * y * w->y;
  }
  *e = next;
  if (next != WIDE_ZERO)
    wide_row_normalise(sums, 2 * K, e);
  return top;
}

/* kbar and vbar from ybar at token i of the piece. */
static void step_means(adjoint_rwkv4 *a, size_t i, size_t active)
{
  size_t K = a->base.rows, D = a->b->channels;
  int64_t *e = memory_new(D, sizeof *e);
  double *kbar = memory_new(D * K, sizeof *kbar), *vbar = memory_new(D * K, sizeof *vbar);
  weights *w = memory_new(D, sizeof *w);
  for (size_t j = 0; j < D; j++)
    w[j] = weights_of(a, i, j);
  for (size_t p = 0; p < active; p++) {
    int64_t top = WIDE_ZERO;
    for (size_t j = 0; j < D; j++) {
      e[j] = step_channel(a, &w[j], j, p, kbar + j * K, vbar + j * K);
      top = e[j] > top ? e[j] : top;
    }
    for (size_t j = 0; j < D; j++) {
      double scale = e[j] == WIDE_ZERO ? 0 : wide_power(e[j] - top);
      for (size_t k = 0; k < K; k++) {
        a->kbar.m[(p * K + k) * D + j] = scale * kbar[j * K + k];
        a->vbar.m[(p * K + k) * D + j] = scale * vbar[j * K + k];
      }
    }
    a->kbar.e[p] = a->vbar.e[p] = top;
  }
  adjoint_rows_normalise(&a->kbar, active);
  adjoint_rows_normalise(&a->vbar, active);
  free(e);
  free(kbar);
  free(vbar);
  free(w);
}

/* out = v sigmoid(r): the slopes by v and by r, n numbers. */
static void glu_slopes(double *by_v, double *by_r, const double *v, const double *r, size_t n)
{
  activation_sigmoid(by_v, r, n);
  for (size_t j = 0; j < n; j++)
    by_r[j] = v[j] * by_v[j] * (1 - by_v[j]);
}

static void step(adjoint *base, adjoint_rows *xbar, const adjoint_rows *mixerbar, size_t s, size_t active)
{
  adjoint_rwkv4 *a = (adjoint_rwkv4 *)base;
  const block_rwkv4 *b = a->b;
  size_t d = b->channels, i = s - a->first;
  int threads = base->threads;
  adjoint_dense(&a->gatedbar, mixerbar, &b->output, active, threads);
  glu_slopes(a->slope, a->other, a->y + i * d, a->r + i * d, d);
  adjoint_scale(&a->ybar, &a->gatedbar, a->slope, active);
  adjoint_scale(&a->rbar, &a->gatedbar, a->other, active);
  step_means(a, i, active);
  adjoint_rows_copy(&a->ubar, &a->carry, active);
  adjoint_rows_zero(&a->carry, active);
  back_to_mix(a, &a->ubar, &a->carry, &a->kbar, b->mix_k, &b->key, active);
  back_to_mix(a, &a->ubar, &a->carry, &a->vbar, b->mix_v, &b->value, active);
  back_to_mix(a, &a->ubar, &a->carry, &a->rbar, b->mix_r, &b->receptance, active);
  adjoint_norm(xbar, &a->ubar, &b->norm, base->input + s * b->base.width, active);
}

/* The channel mixing comes behind, and the residual around both. */
static void step_all(adjoint *base, adjoint_rows *xbar, const adjoint_rows *outbar, size_t s, size_t active)
{
  adjoint_rwkv4 *a = (adjoint_rwkv4 *)base;
  const block_rwkv4 *b = a->b;
  size_t m = b->base.width, f = b->wide_key.rows, i = s - a->first;
  int threads = base->threads;
  glu_slopes(a->slope, a->other, a->wide_v + i * m, a->wide_r + i * m, m);
  adjoint_scale(&a->wide_vbar, outbar, a->slope, active);
  adjoint_scale(&a->wide_rbar, outbar, a->other, active);
  adjoint_dense(&a->wide_kbar, &a->wide_vbar, &b->wide_value, active, threads);
  for (size_t j = 0; j < f; j++)
    a->slope[j] = a->wide_k[i * f + j] < 0 ? 0 : 2 * a->wide_k[i * f + j];
  adjoint_scale(&a->wide_kbar, &a->wide_kbar, a->slope, active);
  adjoint_rows_copy(&a->wide_ubar, &a->wide_carry, active);
  adjoint_rows_zero(&a->wide_carry, active);
  back_to_mix(a, &a->wide_ubar, &a->wide_carry, &a->wide_kbar, b->wide_mix_k, &b->wide_key, active);
  back_to_mix(a, &a->wide_ubar, &a->wide_carry, &a->wide_rbar, b->wide_mix_r, &b->wide_receptance, active);
  adjoint_norm(&a->sum, &a->wide_ubar, &b->second, a->between + i * m, active);
  adjoint_rows_add(&a->sum, outbar, active);
  step(base, xbar, &a->sum, s, active);
  adjoint_rows_add(xbar, &a->sum, active);
}

const adjoint_kind adjoint_kind_rwkv4 = {"RWKV-4", NULL, create, destroy, load, step, step_all, NULL, NULL};
