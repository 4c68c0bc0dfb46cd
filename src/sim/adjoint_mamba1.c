/* The adjoint of Mamba-1's block (sim/block_mamba1.c has the equations). */
#include <stdlib.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/adjoint.h"

/* What the forward pass did with tokens first .. first + tokens - 1. */
typedef struct {
  size_t first, tokens;
  double *before_silu, *u; /* [tokens, D] */
  double *z;               /* [tokens, D] */
  double *before_softplus, *step; /* [tokens, D] */
  double *b, *c;           /* [tokens, N] */
} forward;

typedef struct {
  adjoint base;
  const block_mamba1 *b;
  forward f;
  scan_record record; /* of the piece */
  scan_piece piece;
  double *checkpoints; /* [pieces, D, N] */
  adjoint_scan *scan;
  adjoint_conv conv;
  adjoint_rows gatedbar, ybar, zbar, ubar, stepbar, bbar, cbar, lowbar, selectedbar, more, convbar, uzbar,
      normedbar;
  double *slope, *y; /* [D] scratch */
} adjoint_mamba1;

/* ---- the forward pass ---- */

static void forward_init(forward *f, const block_mamba1 *b, size_t tokens)
{
  size_t d = memory_multiply(tokens, b->channels), n = memory_multiply(tokens, b->states);
  f->before_silu = memory_new(d, sizeof(double));
  f->u = memory_new(d, sizeof(double));
  f->z = memory_new(d, sizeof(double));
  f->before_softplus = memory_new(d, sizeof(double));
  f->step = memory_new(d, sizeof(double));
  f->b = memory_new(n, sizeof(double));
  f->c = memory_new(n, sizeof(double));
}

static void forward_clear(forward *f)
{
  free(f->before_silu);
  free(f->u);
  free(f->z);
  free(f->before_softplus);
  free(f->step);
  free(f->b);
  free(f->c);
}

/* Some tokens at a time, whatever `tokens` is: the rows before them that the convolution reaches are made
 * again. */
static void forward_some(forward *f, const block_mamba1 *b, const double *input, size_t first, size_t at,
                         size_t tokens, int threads)
{
  size_t M = b->base.width, D = b->channels, N = b->states, columns = b->x.rows;
  size_t before = first < b->conv.width - 1 ? first : b->conv.width - 1, rows = before + tokens;
  double *normed = memory_new(rows * M, sizeof *normed), *uz = memory_new(rows * 2 * D, sizeof *uz);
  double *x = memory_new(rows * D, sizeof *x), *selected = memory_new(tokens * columns, sizeof *selected);
  block_norm_apply(normed, input + (first - before) * M, &b->norm, rows, threads);
  block_dense_apply(uz, normed, M, &b->in, rows, threads);
  for (size_t t = 0; t < rows; t++)
    memcpy(x + t * D, uz + t * 2 * D, D * sizeof *x);
  for (size_t t = 0; t < tokens; t++)
    memcpy(f->z + (at + t) * D, uz + (before + t) * 2 * D + D, D * sizeof *x);
  adjoint_conv_forward(f->before_silu + at * D, x, before, tokens, &b->conv);
  activation_silu(f->u + at * D, f->before_silu + at * D, tokens * D);
  block_dense_apply(selected, f->u + at * D, D, &b->x, tokens, threads);
  block_dense_apply(f->before_softplus + at * D, selected, columns, &b->dt, tokens, threads);
  for (size_t t = 0; t < tokens; t++) {
    for (size_t d = 0; d < D; d++)
      f->before_softplus[(at + t) * D + d] += b->step_bias[d];
    memcpy(f->b + (at + t) * N, selected + t * columns + b->rank, N * sizeof *f->b);
    memcpy(f->c + (at + t) * N, selected + t * columns + b->rank + N, N * sizeof *f->c);
  }
  activation_softplus(f->step + at * D, f->before_softplus + at * D, tokens * D);
  free(normed);
  free(uz);
  free(x);
  free(selected);
}

static void forward_fill(forward *f, const block_mamba1 *b, const double *input, size_t first, size_t tokens,
                         int threads)
{
  f->first = first;
  f->tokens = tokens;
  for (size_t at = 0; at < tokens; at += ADJOINT_PIECE)
    forward_some(f, b, input, first + at, at, tokens - at < ADJOINT_PIECE ? tokens - at : ADJOINT_PIECE,
                 threads);
}

static scan_record record_of(const forward *f, const block_mamba1 *b)
{
  return (scan_record){.tokens = f->tokens,
                       .channels = b->channels,
                       .states = b->states,
                       .groups = 1,
                       .rate = b->rate,
                       .step = f->step,
                       .u = f->u,
                       .b = f->b,
                       .c = f->c,
                       .skip = b->skip};
}

static void take_record(adjoint_record *r, const block *base, const double *input, size_t tokens, int threads)
{
  const block_mamba1 *b = (const block_mamba1 *)base;
  forward f;
  forward_init(&f, b, tokens);
  forward_fill(&f, b, input, 0, tokens, threads);
  *r = (adjoint_record){.scan = record_of(&f, b), .owned = {f.step, f.u, f.b, f.c}};
  f.step = f.u = f.b = f.c = NULL; /* handed over */
  forward_clear(&f);
}

/* ---- the adjoint ---- */

static const char *refuse(const block *base)
{
  const block_mamba1 *b = (const block_mamba1 *)base;
  return b->step_bias
             ? NULL
             : "the family's step is not softplus(projection + bias): no derivative of it is known here";
}

static void load(adjoint *base, size_t k)
{
  adjoint_mamba1 *a = (adjoint_mamba1 *)base;
  forward_fill(&a->f, a->b, base->input, k * ADJOINT_PIECE, adjoint_piece_tokens(base, k), base->threads);
  a->record = record_of(&a->f, a->b);
  scan_piece_fill(&a->piece, &a->record, 0, a->checkpoints + k * a->b->channels * a->b->states,
                  base->threads);
}

static adjoint *create(const block *base, const double *input, size_t tokens, size_t positions, size_t rows,
                       int threads)
{
  const block_mamba1 *b = (const block_mamba1 *)base;
  adjoint_mamba1 *a = memory_new(1, sizeof *a);
  size_t D = b->channels, N = b->states;
  a->base =
      (adjoint){.tokens = tokens, .positions = positions, .rows = rows, .threads = threads, .input = input};
  a->b = b;
  size_t pieces = adjoint_pieces(&a->base);
  forward_init(&a->f, b, tokens < ADJOINT_PIECE ? tokens : ADJOINT_PIECE);
  scan_piece_init(&a->piece, D, N);
  a->checkpoints = memory_new(memory_multiply(pieces + 1, D * N), sizeof *a->checkpoints);
  for (size_t k = 0; k < pieces; k++) {
    load(&a->base, k);
    memcpy(a->checkpoints + (k + 1) * D * N, a->piece.h + a->piece.tokens * D * N, D * N * sizeof(double));
  }
  a->scan = adjoint_scan_create(&a->record, positions, rows, threads);
  adjoint_conv_init(&a->conv, &b->conv, positions, rows);
  const adjoint_rows_list all[] = {{&a->gatedbar, D},
                                   {&a->ybar, D},
                                   {&a->zbar, D},
                                   {&a->ubar, D},
                                   {&a->stepbar, D},
                                   {&a->bbar, N},
                                   {&a->cbar, N},
                                   {&a->lowbar, b->rank},
                                   {&a->selectedbar, b->x.rows},
                                   {&a->more, D},
                                   {&a->convbar, D},
                                   {&a->uzbar, 2 * D},
                                   {&a->normedbar, base->width}};
  adjoint_init_rows(&a->base, all, sizeof all / sizeof *all);
  a->slope = memory_new(D, sizeof *a->slope);
  a->y = memory_new(D, sizeof *a->y);
  return &a->base;
}

static void destroy(adjoint *base)
{
  adjoint_mamba1 *a = (adjoint_mamba1 *)base;
  forward_clear(&a->f);
  scan_piece_clear(&a->piece);
  free(a->checkpoints);
  adjoint_scan_destroy(a->scan);
  adjoint_conv_clear(&a->conv);
  adjoint_clear_rows(base);
  free(a->slope);
  free(a->y);
  free(a);
}

static void step(adjoint *base, adjoint_rows *xbar, const adjoint_rows *mixerbar, size_t s, size_t active)
{
  adjoint_mamba1 *a = (adjoint_mamba1 *)base;
  const block_mamba1 *b = a->b;
  size_t D = b->channels, i = s - a->f.first;
  int threads = base->threads;
  adjoint_dense(&a->gatedbar, mixerbar, &b->out, active, threads);
  /* gated = y silu(z) */
  activation_silu(a->slope, a->f.z + i * D, D);
  adjoint_scale(&a->ybar, &a->gatedbar, a->slope, active);
  adjoint_scan_readout(a->y, &a->record, &a->piece, i);
  adjoint_silu_slope(a->slope, a->f.z + i * D, D);
  for (size_t d = 0; d < D; d++)
    a->slope[d] *= a->y[d];
  adjoint_scale(&a->zbar, &a->gatedbar, a->slope, active);
  adjoint_scan_step(a->scan, &a->ubar, &a->stepbar, &a->bbar, &a->cbar, &a->ybar, &a->record, &a->piece, i,
                    active);
  /* step = softplus(dt(low) + bias); low, B, C = x(u) */
  activation_sigmoid(a->slope, a->f.before_softplus + i * D, D);
  adjoint_scale(&a->stepbar, &a->stepbar, a->slope, active);
  adjoint_dense(&a->lowbar, &a->stepbar, &b->dt, active, threads);
  adjoint_put(&a->selectedbar, 0, &a->lowbar, active);
  adjoint_put(&a->selectedbar, b->rank, &a->bbar, active);
  adjoint_put(&a->selectedbar, b->rank + b->states, &a->cbar, active);
  adjoint_rows_normalise(&a->selectedbar, active);
  adjoint_dense(&a->more, &a->selectedbar, &b->x, active, threads);
  adjoint_rows_add(&a->ubar, &a->more, active);
  /* u = silu(conv(first half of in(norm(x)))) */
  adjoint_silu_slope(a->slope, a->f.before_silu + i * D, D);
  adjoint_scale(&a->ubar, &a->ubar, a->slope, active);
  adjoint_conv_step(&a->conv, &a->convbar, &a->ubar, &b->conv, s, active);
  adjoint_put(&a->uzbar, 0, &a->convbar, active);
  adjoint_put(&a->uzbar, D, &a->zbar, active);
  adjoint_rows_normalise(&a->uzbar, active);
  adjoint_dense(&a->normedbar, &a->uzbar, &b->in, active, threads);
  adjoint_norm(xbar, &a->normedbar, &b->norm, base->input + s * b->base.width, active);
}

const adjoint_kind adjoint_kind_mamba1 = {"Mamba-1", refuse, create,      destroy, load,
                                          step,      NULL,   take_record, NULL};
