/* A model that runs: the layers of a parameter file (dump/model.h) as blocks in double precision.
 *
 * A net maps tokens, or vectors of the model's width, to the residual stream behind each layer and, where the file has a
 * head, to logits. It works through a sequence in pieces of at most NET_PIECE tokens, whatever the sequence's length:
 * memory is that of a piece and of what is recorded. What one piece leaves for the next is a net_state.
 *
 * Blocks. What a family's layers are is told by the roles of its tensors (doc/assay-family.5): Mamba-1, Mamba-2, S4D, LRU,
 * RWKV-4. Layers stand one behind the other in the order of their names, each adds to the residual stream what it makes of
 * its normed input. What else a file holds (a front end, other layers between) is no part of the net: net_unused lists it.
 *
 * What no tensor tells. The epsilon of norms is what the file or the config.json beside it says (norm_epsilon, rms_norm_eps,
 * layer_norm_epsilon, GGUF's keys), else 1e-5. A norm with a bias is a LayerNorm, one without an RMSNorm. A file with
 * embeddings and no head has the embeddings for a head, unless config.json says tie_word_embeddings: false.
 *
 * Polarized. The two states appended to each channel have rows of B and C that no file holds. They are drawn as
 * torch.nn.Linear begins, uniform in +-1/sqrt(D), from Philox: seed 1, stream "polarized" of layer k from 0, attempt 0 the
 * rows of B, attempt 1 those of C. In an array over the states they come last: rate 0, then polar_rate. Of Mamba-2, whose B
 * and C come straight from in_proj and pass the convolution, the rows are uniform in +-1/sqrt(M), and the taps (attempts 2 and
 * 3) and biases (4 and 5; of in_proj's, where it has any, 6 and 7) of their convolution in +-1/sqrt(W), group after group.
 * Other kinds of blocks stay as they are.
 *
 * Arrays are row-major; T tokens, M the width of the model, D channels and N states of a layer. A number is the double that
 * the model computes, with its rounding: nothing here is certified.
 *
 * The same input gives the same bits with any number of threads, and whatever is observed. Bits may differ between machines
 * with other instruction sets, and between BLAS libraries (sim/blas.h); one that multiplies wrongly ends the program with
 * status 70 at the first net. */
#ifndef ASSAY_SIM_NET_H
#define ASSAY_SIM_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "dump/model.h"

enum { NET_PIECE = 64 };

typedef struct {
  int threads;       /* 0: as many as OpenMP likes */
  bool polarized;    /* two more states to each channel, with A = 1 (rate 0) and A = exp(polar_rate Delta); only Mamba's */
  double polar_rate; /* <= 0 */
} net_options;

net_options net_options_default(void);

typedef struct net net;

/* Reads what the layers of `m` need. NULL with `error` set: a tensor that a block cannot do without is missing, holds a
 * NaN or does not fit; a family that no block serves; layers that do not follow one another. `m` may be cleared
 * afterwards, its families and file may not. */
net *net_create(const model *m, const net_options *options, dump_error *error);
void net_destroy(net *n);

size_t net_layers(const net *n);
size_t net_width(const net *n);      /* M */
size_t net_vocabulary(const net *n); /* 0: without an embedding, only vectors can be put in */
size_t net_logits(const net *n);     /* 0: the file has no head; then hidden states are all there is */

/* One layer. */
typedef struct {
  const char *name, *family;
  size_t channels, states; /* D, N; of a complex recurrence N counts complex states */
  bool complex_states;
  bool has_step;           /* the paper's Delta is defined */
  size_t inputs, outputs;  /* widths of u and y: D; of an LRU, whose states are those of one channel (D = 1) that every
                              input drives and every output reads, M */
} net_layer;
net_layer net_get_layer(const net *n, size_t layer);

/* Parameters of the file that no layer of the net uses, by name in the order of the file: a front end, another head. */
size_t net_unused(const net *n);
const char *net_get_unused(const net *n, size_t i);

/* What a layer did with one piece. Pointers are good during the call; those that were not asked for are NULL, and so are
 * those that the family does not have. */
typedef struct {
  size_t layer;         /* from 0 */
  size_t first, tokens; /* the piece: tokens first .. first + tokens - 1 of the sequence, from 0 where the state was empty */
  const double *input;  /* [tokens, M] the residual stream before the layer */
  const double *mixer;  /* [tokens, M] what the layer's recurrent half adds to it */
  const double *output; /* [tokens, M] block output: their sum, and what the layer's other half adds (RWKV, LRU) */
  const double *u;      /* [tokens, inputs] what drives the scan, behind the convolution; of RWKV the values */
  const double *step;   /* [tokens, D] Delta */
  const double *b, *c;  /* [tokens, N] B and C, where all channels share them */
  const double *alpha;  /* [tokens, D, N] the decay that the scan used (complex: its modulus) */
  const double *drive;  /* [tokens, D, N] the paper's b_t(x_t), so that h_t = alpha h_{t-1} + Delta_t drive (no step: 1);
                           complex: [tokens, D, N, 2] */
  const double *h;      /* [tokens, D, N] the state (complex: real and imaginary part, [tokens, D, N, 2]) */
  const double *y;      /* [tokens, outputs] the readout, skip included, before gate and projection */
} net_view;

/* Of the arrays above the large ones are made only when they are wanted. */
enum { NET_WANT_ALPHA = 1, NET_WANT_DRIVE = 2, NET_WANT_H = 4 };

typedef struct {
  unsigned wanted;      /* of NET_WANT_* */
  const bool *layers;   /* of which layers; NULL: of all */
  /* Called for each piece, layer after layer, from one thread. False ends the run (STATUS_UNABLE). */
  bool (*see)(void *context, const net_view *view);
  /* Called for each piece behind the last layer: hidden [tokens, M] behind the final norm, logits [tokens, V] or NULL. */
  bool (*finish)(void *context, size_t first, size_t tokens, const double *hidden, const double *logits);
  bool logits;          /* whether to compute them */
  void *context;
} net_observer;

/* What a sequence leaves behind: states, the last inputs of convolutions, shifted tokens. */
typedef struct net_state net_state;
net_state *net_state_create(const net *n); /* of the empty sequence */
void net_state_destroy(net_state *s);
uint64_t net_state_tokens(const net_state *s);
void net_state_set_tokens(net_state *s, uint64_t tokens); /* of a state that is put back */
/* The arrays that make it up, to be stored and put back: name like "layers.0.mixer.h", values writable. */
size_t net_state_arrays(const net_state *s);
double *net_state_array(net_state *s, size_t i, const char **name, unsigned *rank, const uint64_t **shape);

/* What goes in: one of the two. */
typedef struct {
  size_t tokens;
  const uint32_t *token; /* [T], each below net_vocabulary */
  const double *vector;  /* [T, M] in place of embeddings */
} net_input;

/* Runs the input through all layers from `state` on, which then is that behind its last token. Cutting a sequence at a
 * multiple of NET_PIECE gives the same bits as not cutting it. STATUS_UNABLE: an observer ended it, and the state is of no
 * further use. */
assay_status net_run(const net *n, net_state *state, const net_input *in, const net_observer *observer);

#endif
