/* Blocks: what a layer of a net is made of. Private to src/sim; whoever needs the parts of a block (its adjoint, say) finds
 * them in the struct of its kind.
 *
 * A block maps the residual stream in front of it to the one behind it, and carries arrays from one piece of a sequence to
 * the next. Which kind of block a family is follows from the roles of its tensors: the first kind in block_kinds all of
 * whose `roles` the family has (doc/assay-family.5). */
#ifndef ASSAY_SIM_BLOCK_H
#define ASSAY_SIM_BLOCK_H

#include "sim/forms.h"
#include "sim/net.h"
#include "sim/parameters.h"
#include "sim/workspace.h"

/* ---- parts ---- */

/* y = (x - mean) / sqrt(var + epsilon) weight + bias, or, not centred, x / sqrt(mean of squares + epsilon) weight.
 * weight NULL: there is no norm, and y = x. bias NULL: 0. */
typedef struct {
  size_t width;
  bool centred;
  double *weight, *bias;
  double epsilon;
} block_norm;

/* A norm with a bias is centred (a LayerNorm), one without is not (an RMSNorm), unless the caller makes it so. Without a
 * weight in the file: no norm, unless it is required. False with the error set, as for all that read. */
bool block_norm_read(block_norm *n, const parameters *p, const char *weight, const char *bias, size_t width, bool required);
void block_norm_clear(block_norm *n);
/* y may be x. */
void block_norm_apply(double *y, const double *x, const block_norm *n, size_t tokens, int threads);

/* y = W x + b. */
typedef struct {
  size_t rows, columns;
  double *weight, *bias; /* bias NULL: 0 */
} block_dense;

bool block_dense_read(block_dense *l, const parameters *p, const char *weight, const char *bias, size_t rows,
                      size_t columns);
void block_dense_clear(block_dense *l);
/* y [tokens, rows], x [tokens, columns] with rows `x_stride` apart. */
void block_dense_apply(double *y, const double *x, size_t x_stride, const block_dense *l, size_t tokens, int threads);

/* A causal convolution of each channel: y[t, c] = bias[c] + sum over w of weight[w, c] x[t - W + 1 + w, c]. */
typedef struct {
  size_t channels, width; /* C, W; W = 1 without one in the family */
  double *weight, *bias;  /* [W, C], transposed; NULL: 1, and 0 */
} block_conv;

bool block_conv_read(block_conv *c, const parameters *p, size_t channels);
void block_conv_clear(block_conv *c);
/* y = silu(convolution of x); `past` [W - 1, C] are the rows of x before the piece, and then those before the next. */
void block_conv_silu(double *y, double *past, const double *x, size_t x_stride, const block_conv *c, size_t tokens,
                     workspace *room, int threads);

/* y[t, i] *= silu(z[t, i]); rows of z are `z_stride` apart. */
void block_gate(double *y, const double *z, size_t z_stride, size_t tokens, size_t width, int threads);

/* One row, through the norm of its width; y may be x. */
void block_norm_row(double *y, const double *x, const block_norm *n);

/* The step of a family, as its definition makes it from what the input adds. Reads the values that its definitions need
 * into the store, in any case to be cleared; where the step is softplus(what the input adds + a bias), that bias [count],
 * else *bias stays NULL. */
bool block_step_read(double **bias, definition_store *store, const parameters *p, size_t count);
/* step [tokens, count]: before, what the input adds; then Delta. */
void block_step_apply(double *step, const double *bias, const definition_store *store, size_t tokens, size_t count,
                      int threads);

/* `columns` columns of rows that are `stride` apart, side by side. */
double *block_copy_columns(workspace *room, const double *from, size_t stride, size_t tokens, size_t columns);
/* drive[t, d, n] = b[t, n] u[t, d]; rows of drive are `d_stride` channels apart, of b `b_stride` numbers, of u `u_stride`. */
void block_drive(double *drive, size_t d_stride, const double *b, size_t b_stride, const double *u, size_t u_stride,
                 size_t tokens, size_t d, size_t n, int threads);

/* Polarized states: how many, and numbers drawn for them, uniform in +-1/sqrt(fan_in) (net.h). */
enum { BLOCK_POLAR = 2 };
void block_draw(double *out, size_t count, size_t fan_in, size_t layer, uint32_t attempt);

/* How many threads a loop of so many elementary steps is worth. */
int block_threads(int wanted, size_t steps);

/* ---- blocks ---- */

enum { BLOCK_ARRAYS = 6 };

/* An array that a block carries along. */
typedef struct {
  const char *name;
  unsigned rank;
  uint64_t shape[4];
} block_array;

typedef struct block block;

/* One piece: what goes in, and where things go. */
typedef struct {
  const double *input; /* [tokens, M] */
  double *output;      /* [tokens, M] */
  size_t tokens;
  double *const *state; /* of the block's arrays */
  unsigned wanted;      /* of NET_WANT_*: fill these members of view */
  int threads;
  workspace *room;      /* what view points to is taken from it */
  net_view *view;       /* mixer and the arrays of the layer; layer, first, tokens, input and output are the net's */
} block_piece;

typedef struct {
  const char *name;
  const char *const *roles; /* that tell it, NULL at the end */
  /* NULL with the error set. */
  block *(*read)(const parameters *p, const net_options *options);
  void (*destroy)(block *b);
  size_t (*arrays)(block_array *arrays, const block *b);
  void (*run)(const block *b, const block_piece *piece);
  /* What the arrays are filled with before the first token, where it is not 0; may be NULL. */
  void (*begin)(double *const *state, const block *b);
} block_kind;

/* The head of each kind's own struct. */
struct block {
  const block_kind *kind;
  size_t width; /* M */
  net_layer facts;
};

extern const block_kind block_kind_mamba1, block_kind_mamba2, block_kind_s4d, block_kind_lru, block_kind_rwkv4;

/* In the order in which they are tried; NULL at the end. */
extern const block_kind *const block_kinds[];
/* NULL: no kind of block serves the family. */
const block_kind *block_kind_of(const claim *family);

/* Mamba-1. */
typedef struct {
  block base;
  size_t channels, states, rank; /* D, N (with polarized states), R */
  block_norm norm;
  block_dense in;   /* [2 D, M]: u before the convolution, then the gate z */
  block_conv conv;
  block_dense x;    /* [R + 2 N, D]: step, B, C */
  block_dense dt;   /* [D, R], without bias */
  double *rate;     /* [D, N] */
  double *skip;     /* [D] or NULL */
  double *step_bias; /* [D] where the step is softplus(dt + bias); NULL: it is what the family defines */
  definition_store store; /* then */
  block_dense out;  /* [M, D] */
} block_mamba1;

/* Mamba-2. */
typedef struct {
  block base;
  size_t heads, groups, channels, states; /* H, G, P of one head, N (with polarized states); E = H P */
  block_norm norm;
  block_dense in;    /* [2 E + 2 G N + H, M]: the gate z, then x, B [G, N], C [G, N] before the convolution, then the step */
  block_conv conv;   /* of x, B and C */
  double *rate;      /* [H] */
  double *skip;      /* [H] or NULL */
  double *step_bias; /* [H], as of Mamba-1 */
  definition_store store;
  block_norm gated;  /* of y silu(z), one for each group: width E / G, weight [E]; without weight: none */
  double *polar;     /* [E, N] rates where states are polarized, with the channels' own */
  double *polar_skip; /* [E] or NULL */
  block_dense out;   /* [M, E] */
} block_mamba2;

/* S4D: x + glu(out(gelu(y))), y of the diagonal state spaces of the channels of norm(x). */
typedef struct {
  block base;
  size_t states;         /* N; channels are M */
  bool is_complex, conjugates;
  block_norm norm, post; /* before the recurrence; of the whole sum */
  double *a, *b, *c;     /* [M, N] or [M, N, 2]: h <- a h + b u, as sim/forms.h has them */
  double *step;          /* [M] Delta */
  double *skip;          /* [M] or NULL */
  block_dense out;       /* [M, M], or, with glu, [2 M, M]; weight NULL: none, and no gelu */
  bool glu;
} block_s4d;

/* LRU: x + glu(gelu(Re C h + D u)), u = norm(x). */
typedef struct {
  block base;
  size_t states; /* N, all of one channel */
  block_norm norm;
  double *a;     /* [N, 2] */
  block_dense b; /* [2 N, M]: real and imaginary part of gamma B, row by row */
  block_dense c; /* [M, 2 N]: Re C, -Im C, column by column */
  double *skip;  /* [M] or NULL */
  block_dense d; /* [M, M] in its place; weight NULL: none */
  block_dense out; /* [2 M, M]: value and gate; weight NULL: none, and no gelu */
  bool delayed;  /* C reads the state before the token's update */
} block_lru;

/* RWKV-4. */
typedef struct {
  block base;
  size_t channels;                 /* D */
  block_norm norm, second;         /* ln1, ln2 */
  double *mix_k, *mix_v, *mix_r;   /* [M] */
  block_dense key, value, receptance, output; /* [D, M] three times, [M, D] */
  double *log_decay, *bonus;       /* [D] */
  double *wide_mix_k, *wide_mix_r; /* [M] of the channel mixing */
  block_dense wide_key, wide_value, wide_receptance; /* [F, M], [M, F], [M, M] */
} block_rwkv4;

/* y[t, i] = v[t, i] sigmoid(g[t, i]); rows of v and g are `stride` apart. */
void block_glu(double *y, const double *v, const double *g, size_t stride, size_t tokens, size_t width, int threads);

#endif
