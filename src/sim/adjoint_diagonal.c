/* The adjoints of the blocks of S4D and LRU, whose recurrences are the same at every token (sim/block_s4d.c,
 * sim/block_lru.c). */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/adjoint_poles.h"

typedef struct {
  adjoint base;
  const block *b;
  adjoint_replay replay;
  size_t first;
  double *widened; /* [tokens, 2 M] what the gated unit splits */
  adjoint_poles poles;
  adjoint_rows wider, bent, ybar, hbar, lambda, ubar, more, sum;
  adjoint_rows held; /* LRU, delayed: hbar of the token behind */
  double *slope, *sigmoid;
} adjoint_diagonal;

/* What both kinds of block have. */
typedef struct {
  const block_norm *norm, *post;
  const block_dense *out;
  bool glu;
} ends;

static bool is_s4d(const block *b)
{
  return !strcmp(b->kind->name, "S4D");
}

static ends ends_of(const block *base)
{
  if (is_s4d(base)) {
    const block_s4d *b = (const block_s4d *)base;
    return (ends){&b->norm, &b->post, &b->out, b->glu};
  }
  const block_lru *b = (const block_lru *)base;
  return (ends){&b->norm, NULL, &b->out, b->out.weight != NULL};
}

static const double *poles(size_t *count, size_t *lanes, const block *base)
{
  if (is_s4d(base)) {
    const block_s4d *b = (const block_s4d *)base;
    *count = base->width * b->states;
    *lanes = b->is_complex ? 2 : 1;
    return b->a;
  }
  *count = ((const block_lru *)base)->states;
  *lanes = 2;
  return ((const block_lru *)base)->a;
}

/* ---- life ---- */

static adjoint *create(const block *base, const double *input, size_t tokens, size_t positions, size_t rows,
                       int threads)
{
  adjoint_diagonal *a = memory_new(1, sizeof *a);
  size_t m = base->width, states;
  a->base =
      (adjoint){.tokens = tokens, .positions = positions, .rows = rows, .threads = threads, .input = input};
  a->b = base;
  size_t lanes;
  const double *pole = poles(&states, &lanes, base);
  adjoint_poles_init(&a->poles, pole, states, lanes, positions, rows, threads);
  adjoint_replay_init(&a->replay, base, &a->base);
  size_t split = ends_of(base).out->weight ? ends_of(base).out->rows : m;
  const adjoint_rows_list all[] = {
      {&a->wider, split}, {&a->bent, m}, {&a->ybar, m}, {&a->hbar, 2 * states}, {&a->lambda, 2 * states},
      {&a->ubar, m},      {&a->more, m}, {&a->sum, m},  {&a->held, 2 * states}};
  adjoint_init_rows(&a->base, all, sizeof all / sizeof *all);
  a->widened = memory_new(ADJOINT_PIECE * split, sizeof *a->widened);
  a->slope = memory_new(split > 2 * m ? split : 2 * m, sizeof *a->slope);
  a->sigmoid = memory_new(m, sizeof *a->sigmoid);
  return &a->base;
}

static void destroy(adjoint *base)
{
  adjoint_diagonal *a = (adjoint_diagonal *)base;
  adjoint_clear_rows(base);
  adjoint_poles_clear(&a->poles);
  adjoint_replay_clear(&a->replay);
  free(a->widened);
  free(a->slope);
  free(a->sigmoid);
  free(a);
}

static void load(adjoint *base, size_t k)
{
  adjoint_diagonal *a = (adjoint_diagonal *)base;
  size_t m = a->b->width, tokens = adjoint_piece_tokens(base, k);
  ends e = ends_of(a->b);
  a->first = k * ADJOINT_PIECE;
  adjoint_replay_run(&a->replay, base, k);
  if (!e.out->weight)
    return;
  double *bent = memory_new(tokens * m, sizeof *bent);
  activation_gelu(bent, a->replay.view.y, tokens * m);
  block_dense_apply(a->widened, bent, m, e.out, tokens, base->threads);
  free(bent);
}

/* ---- the adjoint ---- */

/* d/dx of x Phi(x). */
static void gelu_slope(double *out, const double *x, size_t n)
{
  static const double root_half = 0x1.6a09e667f3bcdp-1,
                      density = 0x1.9884533d43651p-2; /* sqrt(1/2), 1/sqrt(2 pi) */
  for (size_t i = 0; i < n; i++)
    out[i] = 0.5 * erfc(-x[i] * root_half) + x[i] * density * exp(-0.5 * x[i] * x[i]);
}

/* ybar from mixerbar: mixer = glu(out(gelu(y))), out(gelu(y)) or y. */
static void back_to_readout(adjoint_diagonal *a, const adjoint_rows *mixerbar, size_t i, size_t active)
{
  size_t m = a->b->width;
  ends e = ends_of(a->b);
  if (!e.out->weight) {
    adjoint_rows_copy(&a->ybar, mixerbar, active);
    return;
  }
  const adjoint_rows *wider = mixerbar;
  if (e.glu) {
    const double *value = a->widened + i * 2 * m, *gate = value + m;
    activation_sigmoid(a->sigmoid, gate, m);
    adjoint_scale(&a->bent, mixerbar, a->sigmoid, active);
    adjoint_put(&a->wider, 0, &a->bent, active);
    for (size_t j = 0; j < m; j++)
      a->slope[j] = value[j] * a->sigmoid[j] * (1 - a->sigmoid[j]);
    adjoint_scale(&a->bent, mixerbar, a->slope, active);
    adjoint_put(&a->wider, m, &a->bent, active);
    adjoint_rows_normalise(&a->wider, active);
    wider = &a->wider;
  }
  adjoint_dense(&a->bent, wider, e.out, active, a->base.threads);
  gelu_slope(a->slope, a->replay.view.y + i * m, m);
  adjoint_scale(&a->ybar, &a->bent, a->slope, active);
}

/* y_d = scale Re sum_n c[d,n] h[d,n] + skip[d] u_d and h <- a h + b[d,n] u_d. */
static void recurrence_s4d(adjoint_diagonal *a, size_t active)
{
  const block_s4d *b = (const block_s4d *)a->b;
  size_t m = a->b->width, N = b->states, lanes = b->is_complex ? 2 : 1, rows = active * a->base.rows;
  double scale = b->is_complex && b->conjugates ? 2 : 1;
  for (size_t k = 0; k < rows; k++)
    for (size_t d = 0; d < m; d++)
      for (size_t n = 0; n < N; n++) {
        double y = scale * a->ybar.m[k * m + d], *h = a->hbar.m + ((k * m + d) * N + n) * 2;
        const double *c = b->c + (d * N + n) * lanes;
        h[0] = c[0] * y;
        h[1] = lanes == 2 ? -c[1] * y : 0;
      }
  memcpy(a->hbar.e, a->ybar.e, active * sizeof *a->hbar.e);
  adjoint_rows_normalise(&a->hbar, active);
  adjoint_poles_step(&a->poles, &a->lambda, &a->hbar, active);
  for (size_t k = 0; k < rows; k++)
    for (size_t d = 0; d < m; d++) {
      double sum = 0;
      for (size_t n = 0; n < N; n++) {
        const double *in = b->b + (d * N + n) * lanes, *l = a->lambda.m + ((k * m + d) * N + n) * 2;
        sum += in[0] * l[0] + (lanes == 2 ? in[1] * l[1] : 0);
      }
      a->ubar.m[k * m + d] = sum;
    }
  memcpy(a->ubar.e, a->lambda.e, active * sizeof *a->ubar.e);
  adjoint_rows_normalise(&a->ubar, active);
  if (b->skip) {
    adjoint_scale(&a->more, &a->ybar, b->skip, active);
    adjoint_rows_add(&a->ubar, &a->more, active);
  }
}

/* y = c h + d u, h <- a h + b u with dense b and c; delayed: y_t reads h_(t-1). */
static void recurrence_lru(adjoint_diagonal *a, size_t active)
{
  const block_lru *b = (const block_lru *)a->b;
  int threads = a->base.threads;
  adjoint_dense(&a->hbar, &a->ybar, &b->c, active, threads);
  if (b->delayed) {
    /* what h_s is read by is the token behind, whose hbar was put by */
    adjoint_poles_step(&a->poles, &a->lambda, &a->held, active);
    adjoint_rows_copy(&a->held, &a->hbar, active);
  } else
    adjoint_poles_step(&a->poles, &a->lambda, &a->hbar, active);
  adjoint_dense(&a->ubar, &a->lambda, &b->b, active, threads);
  if (b->d.weight) {
    adjoint_dense(&a->more, &a->ybar, &b->d, active, threads);
    adjoint_rows_add(&a->ubar, &a->more, active);
  }
  if (b->skip) {
    adjoint_scale(&a->more, &a->ybar, b->skip, active);
    adjoint_rows_add(&a->ubar, &a->more, active);
  }
}

static void step(adjoint *base, adjoint_rows *xbar, const adjoint_rows *mixerbar, size_t s, size_t active)
{
  adjoint_diagonal *a = (adjoint_diagonal *)base;
  back_to_readout(a, mixerbar, s - a->first, active);
  if (is_s4d(a->b))
    recurrence_s4d(a, active);
  else
    recurrence_lru(a, active);
  adjoint_norm(xbar, &a->ubar, ends_of(a->b).norm, base->input + s * a->b->width, active);
}

/* S4D may norm the sum of what comes in and what is added. */
static void step_all(adjoint *base, adjoint_rows *xbar, const adjoint_rows *outbar, size_t s, size_t active)
{
  adjoint_diagonal *a = (adjoint_diagonal *)base;
  size_t m = a->b->width;
  ends e = ends_of(a->b);
  double *x = memory_new(m, sizeof *x);
  for (size_t j = 0; j < m; j++)
    x[j] = base->input[s * m + j] + a->replay.view.mixer[(s - a->first) * m + j];
  if (e.post)
    adjoint_norm(&a->sum, outbar, e.post, x, active);
  else
    adjoint_rows_copy(&a->sum, outbar, active);
  free(x);
  step(base, xbar, &a->sum, s, active);
  adjoint_rows_add(xbar, &a->sum, active);
}

const adjoint_kind adjoint_kind_s4d = {"S4D", NULL, create, destroy, load, step, step_all, NULL, poles};
const adjoint_kind adjoint_kind_lru = {"LRU", NULL, create, destroy, load, step, step_all, NULL, poles};
