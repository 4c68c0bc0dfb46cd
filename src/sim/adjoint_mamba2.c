/* The adjoint of Mamba-2's block (sim/block_mamba2.c has the equations). The scan is Mamba-1's with what the
 * channels of a head share written out for each of them. */
#include <stdlib.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/adjoint.h"

/* What the forward pass did with tokens first .. first + tokens - 1; E channels in all, C = E + 2 G N. */
typedef struct {
  size_t first, tokens;
  double *z;                      /* [tokens, E] */
  double *before_silu;            /* [tokens, C] */
  double *before_softplus;        /* [tokens, H] */
  double *u, *step;               /* [tokens, E] */
  double *b, *c;                  /* [tokens, G, N] */
} forward;

typedef struct {
  adjoint base;
  const block_mamba2 *b;
  forward f;
  double *rate, *skip; /* [E, N], [E] */
  scan_record record;  /* of the piece */
  scan_piece piece;
  double *checkpoints;
  adjoint_scan *scan;
  adjoint_conv conv;
  adjoint_rows gatedbar, productbar, ybar, zbar, ubar, stepbar, headbar, bbar, cbar, xbcbar, convbar, allbar,
      normedbar;
  double *slope, *y, *product; /* [C], [E], [E] scratch */
} adjoint_mamba2;

static size_t channels_of(const block_mamba2 *b)
{
  return b->heads * b->channels;
}

/* ---- the forward pass ---- */

static void forward_init(forward *f, const block_mamba2 *b, size_t tokens)
{
  size_t e = channels_of(b), gn = b->groups * b->states;
  f->z = memory_new(memory_multiply(tokens, e), sizeof(double));
  f->before_silu = memory_new(memory_multiply(tokens, b->conv.channels), sizeof(double));
  f->before_softplus = memory_new(memory_multiply(tokens, b->heads), sizeof(double));
  f->u = memory_new(memory_multiply(tokens, e), sizeof(double));
  f->step = memory_new(memory_multiply(tokens, e), sizeof(double));
  f->b = memory_new(memory_multiply(tokens, gn), sizeof(double));
  f->c = memory_new(memory_multiply(tokens, gn), sizeof(double));
}

static void forward_clear(forward *f)
{
  free(f->z);
  free(f->before_silu);
  free(f->before_softplus);
  free(f->u);
  free(f->step);
  free(f->b);
  free(f->c);
}

/* Tokens first .. first + tokens - 1 of the sequence, to row `at` on. */
static void forward_some(forward *f, const block_mamba2 *b, const double *input, size_t first, size_t at,
                         size_t tokens, int threads)
{
  size_t M = b->base.width, E = channels_of(b), H = b->heads, C = b->conv.channels,
         GN = b->groups * b->states, all = b->in.rows;
  size_t before = first < b->conv.width - 1 ? first : b->conv.width - 1, rows = before + tokens;
  double *normed = memory_new(rows * M, sizeof *normed), *out = memory_new(rows * all, sizeof *out);
  double *xbc = memory_new(rows * C, sizeof *xbc), *step = memory_new(H, sizeof *step);
  block_norm_apply(normed, input + (first - before) * M, &b->norm, rows, threads);
  block_dense_apply(out, normed, M, &b->in, rows, threads);
  for (size_t t = 0; t < rows; t++)
    memcpy(xbc + t * C, out + t * all + E, C * sizeof *xbc);
  adjoint_conv_forward(f->before_silu + at * C, xbc, before, tokens, &b->conv);
  activation_silu(xbc, f->before_silu + at * C, tokens * C);
  for (size_t t = 0; t < tokens; t++) {
    const double *row = out + (before + t) * all;
    double *x = f->before_softplus + (at + t) * H;
    memcpy(f->z + (at + t) * E, row, E * sizeof *row);
    memcpy(f->u + (at + t) * E, xbc + t * C, E * sizeof *row);
    memcpy(f->b + (at + t) * GN, xbc + t * C + E, GN * sizeof *row);
    memcpy(f->c + (at + t) * GN, xbc + t * C + E + GN, GN * sizeof *row);
    for (size_t h = 0; h < H; h++)
      x[h] = row[E + C + h] + b->step_bias[h];
    activation_softplus(step, x, H);
    for (size_t e = 0; e < E; e++)
      f->step[(at + t) * E + e] = step[e / b->channels];
  }
  free(normed);
  free(out);
  free(xbc);
  free(step);
}

static void forward_fill(forward *f, const block_mamba2 *b, const double *input, size_t first, size_t tokens,
                         int threads)
{
  f->first = first;
  f->tokens = tokens;
  for (size_t at = 0; at < tokens; at += ADJOINT_PIECE)
    forward_some(f, b, input, first + at, at, tokens - at < ADJOINT_PIECE ? tokens - at : ADJOINT_PIECE,
                 threads);
}

/* What the channels of a head share, for each of them. */
static double *spread_rate(const block_mamba2 *b)
{
  size_t E = channels_of(b), N = b->states;
  double *rate = memory_new(memory_multiply(E, N), sizeof *rate);
  for (size_t i = 0; i < E * N; i++)
    rate[i] = b->polar ? b->polar[i] : b->rate[i / N / b->channels];
  return rate;
}

static double *spread_skip(const block_mamba2 *b)
{
  double *skip = memory_new(channels_of(b), sizeof *skip);
  for (size_t e = 0; e < channels_of(b) && b->skip; e++)
    skip[e] = b->skip[e / b->channels];
  return skip;
}

static scan_record record_of(const forward *f, const block_mamba2 *b, const double *rate, const double *skip)
{
  return (scan_record){.tokens = f->tokens,
                       .channels = channels_of(b),
                       .states = b->states,
                       .groups = b->groups,
                       .rate = rate,
                       .step = f->step,
                       .u = f->u,
                       .b = f->b,
                       .c = f->c,
                       .skip = skip};
}

static void take_record(adjoint_record *r, const block *base, const double *input, size_t tokens, int threads)
{
  const block_mamba2 *b = (const block_mamba2 *)base;
  forward f;
  forward_init(&f, b, tokens);
  forward_fill(&f, b, input, 0, tokens, threads);
  double *rate = spread_rate(b), *skip = spread_skip(b);
  *r = (adjoint_record){.scan = record_of(&f, b, rate, skip), .owned = {f.step, f.u, f.b, f.c, rate, skip}};
  f.step = f.u = f.b = f.c = NULL; /* handed over */
  forward_clear(&f);
}

/* ---- the adjoint ---- */

static const char *refuse(const block *base)
{
  const block_mamba2 *b = (const block_mamba2 *)base;
  return b->step_bias
             ? NULL
             : "the family's step is not softplus(projection + bias): no derivative of it is known here";
}

static void load(adjoint *base, size_t k)
{
  adjoint_mamba2 *a = (adjoint_mamba2 *)base;
  forward_fill(&a->f, a->b, base->input, k * ADJOINT_PIECE, adjoint_piece_tokens(base, k), base->threads);
  a->record = record_of(&a->f, a->b, a->rate, a->skip);
  scan_piece_fill(&a->piece, &a->record, 0, a->checkpoints + k * channels_of(a->b) * a->b->states,
                  base->threads);
}

static adjoint *create(const block *base, const double *input, size_t tokens, size_t positions, size_t rows,
                       int threads)
{
  const block_mamba2 *b = (const block_mamba2 *)base;
  adjoint_mamba2 *a = memory_new(1, sizeof *a);
  size_t E = channels_of(b), N = b->states, C = b->conv.channels, GN = b->groups * N;
  a->base =
      (adjoint){.tokens = tokens, .positions = positions, .rows = rows, .threads = threads, .input = input};
  a->b = b;
  a->rate = spread_rate(b);
  a->skip = spread_skip(b);
  size_t pieces = adjoint_pieces(&a->base);
  forward_init(&a->f, b, tokens < ADJOINT_PIECE ? tokens : ADJOINT_PIECE);
  scan_piece_init(&a->piece, E, N);
  a->checkpoints = memory_new(memory_multiply(pieces + 1, E * N), sizeof *a->checkpoints);
  for (size_t k = 0; k < pieces; k++) {
    load(&a->base, k);
    memcpy(a->checkpoints + (k + 1) * E * N, a->piece.h + a->piece.tokens * E * N, E * N * sizeof(double));
  }
  a->scan = adjoint_scan_create(&a->record, positions, rows, threads);
  adjoint_conv_init(&a->conv, &b->conv, positions, rows);
  const adjoint_rows_list all[] = {{&a->gatedbar, E},
                                   {&a->productbar, E},
                                   {&a->ybar, E},
                                   {&a->zbar, E},
                                   {&a->ubar, E},
                                   {&a->stepbar, E},
                                   {&a->headbar, b->heads},
                                   {&a->bbar, GN},
                                   {&a->cbar, GN},
                                   {&a->xbcbar, C},
                                   {&a->convbar, C},
                                   {&a->allbar, b->in.rows},
                                   {&a->normedbar, base->width}};
  adjoint_init_rows(&a->base, all, sizeof all / sizeof *all);
  a->slope = memory_new(C, sizeof *a->slope);
  a->y = memory_new(E, sizeof *a->y);
  a->product = memory_new(E, sizeof *a->product);
  return &a->base;
}

static void destroy(adjoint *base)
{
  adjoint_mamba2 *a = (adjoint_mamba2 *)base;
  forward_clear(&a->f);
  scan_piece_clear(&a->piece);
  free(a->checkpoints);
  free(a->rate);
  free(a->skip);
  adjoint_scan_destroy(a->scan);
  adjoint_conv_clear(&a->conv);
  adjoint_clear_rows(base);
  free(a->slope);
  free(a->y);
  free(a->product);
  free(a);
}

/* The step of a head is that of all its channels. */
static void sum_heads(adjoint_rows *head, const adjoint_rows *step, size_t each, size_t active)
{
  for (size_t k = 0; k < active * step->rows; k++)
    for (size_t h = 0; h < head->width; h++) {
      double sum = 0;
      for (size_t p = 0; p < each; p++)
        sum += step->m[k * step->width + h * each + p];
      head->m[k * head->width + h] = sum;
    }
  memcpy(head->e, step->e, active * sizeof *head->e);
  adjoint_rows_normalise(head, active);
}

static void step(adjoint *base, adjoint_rows *xbar, const adjoint_rows *mixerbar, size_t s, size_t active)
{
  adjoint_mamba2 *a = (adjoint_mamba2 *)base;
  const block_mamba2 *b = a->b;
  size_t E = channels_of(b), C = b->conv.channels, GN = b->groups * b->states, i = s - a->f.first;
  int threads = base->threads;
  adjoint_dense(&a->gatedbar, mixerbar, &b->out, active, threads);
  /* gated = norm(y silu(z)) */
  adjoint_scan_readout(a->y, &a->record, &a->piece, i);
  activation_silu(a->slope, a->f.z + i * E, E);
  for (size_t e = 0; e < E; e++)
    a->product[e] = a->y[e] * a->slope[e];
  adjoint_norm(&a->productbar, &a->gatedbar, &b->gated, a->product, active);
  adjoint_scale(&a->ybar, &a->productbar, a->slope, active);
  adjoint_silu_slope(a->slope, a->f.z + i * E, E);
  for (size_t e = 0; e < E; e++)
    a->slope[e] *= a->y[e];
  adjoint_scale(&a->zbar, &a->productbar, a->slope, active);
  adjoint_scan_step(a->scan, &a->ubar, &a->stepbar, &a->bbar, &a->cbar, &a->ybar, &a->record, &a->piece, i,
                    active);
  /* step = softplus(in + bias) of a head */
  sum_heads(&a->headbar, &a->stepbar, b->channels, active);
  activation_sigmoid(a->slope, a->f.before_softplus + i * b->heads, b->heads);
  adjoint_scale(&a->headbar, &a->headbar, a->slope, active);
  /* x, B, C = silu(conv(in)) */
  adjoint_put(&a->xbcbar, 0, &a->ubar, active);
  adjoint_put(&a->xbcbar, E, &a->bbar, active);
  adjoint_put(&a->xbcbar, E + GN, &a->cbar, active);
  adjoint_silu_slope(a->slope, a->f.before_silu + i * C, C);
  adjoint_scale(&a->xbcbar, &a->xbcbar, a->slope, active);
  adjoint_conv_step(&a->conv, &a->convbar, &a->xbcbar, &b->conv, s, active);
  adjoint_put(&a->allbar, 0, &a->zbar, active);
  adjoint_put(&a->allbar, E, &a->convbar, active);
  adjoint_put(&a->allbar, E + C, &a->headbar, active);
  adjoint_rows_normalise(&a->allbar, active);
  adjoint_dense(&a->normedbar, &a->allbar, &b->in, active, threads);
  adjoint_norm(xbar, &a->normedbar, &b->norm, base->input + s * b->base.width, active);
}

const adjoint_kind adjoint_kind_mamba2 = {"Mamba-2", refuse, create,      destroy, load,
                                          step,      NULL,   take_record, NULL};
