/* The recurrences besides the selective scan (scan.h), in double precision: gates, poles, diagonal state
 * spaces, matrix states, and RWKV-4's normalised sum.
 *
 * Rows, strides, sequences, options and methods are those of scan.h; NULL options are the defaults. A
 * complex number is a real and an imaginary part side by side, as parameter files keep it: a last
 * dimension of 2. Outputs may be absent; they must overlap neither inputs nor each other. `state` is read
 * before the first token and is that behind the last one afterwards; its first dimension is that of
 * sequences. Zeros are the state of the empty sequence (of form_scan_wkv: form_wkv_begin).
 *
 * Methods.
 *   SCAN_REFERENCE  Plain loops, one number at a time, to hold the others against.
 *   SCAN_VECTOR     (SCAN_AUTO) Blocks of channels in vector registers, threads over blocks and sequences.
 *                   What happens to a number is what the reference does to it, in the same order and
 *                   without contraction: the same bits as the reference, on any instruction set, with any
 *                   number of threads and any strides, and wherever a sequence is cut in two calls.
 *   SCAN_CHUNKED    Threads over chunks of SCAN_CHUNK tokens as well, for few channels and many tokens.
 *                   Each chunk is run from the empty state; the states behind the chunks are joined in
 *                   order, h <- (product of decays) h + own part; each chunk is run again from the state
 *                   before it: about twice the work. The same bits with any number of threads, and in
 *                   parts of which all but the last are a multiple of SCAN_CHUNK tokens long. At the end
 *                   of a chunk the state recorded may differ in rounding from the one carried on.
 * `target` is a wish: of the instruction sets up to it the best one that there is.
 *
 * Accuracy. u = 2^-53, gamma(n) = n u/(1 - n u). The exact state is a sum, of every drive times the decays
 * since (Lemma D.1), and the exact readout a sum over states. Let E be the sum of the moduli of all terms
 * added. Then what comes out behind t tokens, by any method, is off by at most
 *
 *   gamma(6 (t + 1) + N + L) E + tiny,
 *
 * where N is the number of terms of the readout (of a state: 0), and L the sum of |step rate| over the
 * tokens so far in form_scan_heads, whose decay is the exponential of a rounded product, else 0. For each
 * token a term passes through costs it the error of the decay (KERNEL_EXP_REL where that is an
 * exponential), of the product and of the sum, of complex numbers sqrt 2 times 2 u + u; a drive costs at
 * most 6 u before. tiny is what underflow adds: at most (t + N + 1) 2^-1000 times the largest products of
 * the other factors. All this where decays are at most 1 in modulus, logarithms of decays at most 0, and
 * nothing overflows. exp and expm1 are those of arith/kernels.h; an exponential below e^-708 is 0, and the
 * logarithm of a decay may be -infinity. NaN stays NaN. */
#ifndef ASSAY_SIM_FORMS_H
#define ASSAY_SIM_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/scan.h"

/* h[k] <- alpha[t,k] h[k] + step[t,k] z[t,k]: minGRU, HGRN (convex), RG-LRU (root), and anything else that is
 * diagonal and real. */
typedef enum {
  FORM_STEP_ONE,    /* 1 */
  FORM_STEP_GIVEN,  /* the rows `step` */
  FORM_STEP_CONVEX, /* 1 - alpha; from the logarithm: -expm1(log alpha) */
  FORM_STEP_ROOT    /* sqrt(1 - alpha^2), as sqrt((1 - alpha)(1 + alpha)) or sqrt(-expm1(2 log alpha)): within
                     * 4 u of itself however close alpha is to 1 */
} form_step;

typedef struct {
  size_t sequences, tokens, channels; /* S, T, K; all rows are of K */
  form_step kind;
  scan_input alpha;     /* decays, or absent, and then */
  scan_input log_alpha; /* their logarithms */
  scan_input step;      /* of FORM_STEP_GIVEN */
  scan_input z;
  scan_output h;        /* the state behind each token */
  scan_output alpha_used, step_used;
} form_gate;

/* state [S, K] */
void form_scan_gate(const scan_options *options, double *state, const form_gate *f);

/* h[n] <- a[n] h[n] + x[t,n], all complex: the states of LRU and S5, whose dense B and C are the caller's
 * matter. */
typedef struct {
  size_t sequences, tokens, states; /* S, T, N */
  const double *a;                  /* [N, 2] */
  scan_input x;                     /* rows [N, 2] */
  scan_output h;                    /* rows [N, 2] */
} form_poles;

/* state [S, N, 2] */
void form_scan_poles(const scan_options *options, double *state, const form_poles *f);

/* h[d,n] <- a[d,n] h[d,n] + b[d,n] u[t,d], y[t,d] = scale Re sum_n c[d,n] h[d,n] + skip[d] u[t,d]: S4D. Real,
 * or complex with scale 2 where each state stands for itself and its conjugate. */
typedef struct {
  size_t sequences, tokens, channels, states; /* S, T, D, N */
  bool is_complex;
  bool conjugates;         /* complex only: scale = 2, else 1 */
  const double *a, *b, *c; /* [D, N], or [D, N, 2] */
  const double *skip;      /* [D]; NULL: without it */
  scan_input u;            /* rows of D */
  scan_output y;           /* rows of D */
  scan_output h;           /* rows [D, N], or [D, N, 2] */
} form_diagonal;

/* state [S, D, N], or [S, D, N, 2] */
void form_scan_diagonal(const scan_options *options, double *state, const form_diagonal *f);

/* A matrix for each head: M[k,v] <- alpha[k] M[k,v] + (step key[k]) value[v],
 * y[v] = sum_k query[k] M[k,v] + skip value[v].
 *
 * The decay is 1 (linear attention), one for each head (RetNet), or one for each key of each head (GLA,
 * HGRN2). With a bonus (RWKV-5, RWKV-6) the readout is that of the matrix before the update, and the present
 * token has a weight of its own:
 * y[v] = sum_k query[k] M_before[k,v] + (sum_k (query[k] bonus[k]) (step key[k])) value[v] + skip value[v].
 *
 * The N of the bound is K, with a bonus 2 K. */
typedef enum { FORM_DECAY_NONE, FORM_DECAY_HEAD, FORM_DECAY_KEY } form_decay;

typedef struct {
  size_t sequences, tokens;
  size_t heads, groups;  /* H, G; G divides H, and head h has the keys and queries of group h / (H / G) */
  size_t keys, values;   /* K, V of one head */
  form_decay kind;
  bool logarithm;        /* alpha holds logarithms */
  scan_input alpha;      /* rows of H, or [H, K] */
  scan_input key, query; /* rows [G, K] */
  scan_input value;      /* rows [H, V] */
  scan_input step;       /* rows of H, or absent: 1 */
  const double *bonus;   /* [H, K] or NULL */
  const double *skip;    /* [H] or NULL */
  bool values_first;     /* matrices are [V, K] rather than [K, V] in state and h */
  scan_output y;         /* rows [H, V] */
  scan_output h;         /* rows [H, K, V], or [H, V, K] */
} form_matrix;

/* state [S, H, K, V], or [S, H, V, K] */
void form_scan_matrix(const scan_options *options, double *state, const form_matrix *f);

/* h[p,n] <- exp(step rate) h[p,n] + (step b[n]) x[p], y[p] = sum_n c[n] h[p,n] + skip x[p] for each head:
 * Mamba-2. */
typedef struct {
  size_t sequences, tokens;
  size_t heads, groups;    /* H, G as above */
  size_t channels, states; /* P of one head, N */
  const double *rate;      /* [H], <= 0 */
  const double *skip;      /* [H] or NULL */
  scan_input step;         /* rows of H, >= 0 */
  scan_input b, c;         /* rows [G, N] */
  scan_input x;            /* rows [H, P] */
  scan_output y;           /* rows [H, P] */
  scan_output alpha;       /* rows of H: the decay used */
  scan_output h;           /* rows [H, P, N] */
} form_heads;

/* state [S, H, P, N] */
void form_scan_heads(const scan_options *options, double *state, const form_heads *f);

/* RWKV-4. With weights exp(key[s] + (t - s) log_decay) for s <= t, h[t] is the weighted mean of the
 * values, and y[t] the mean in which the present token weighs exp(bonus + key[t]) and those before it one
 * decay less. The mean obeys the convex gate h <- alpha h + step value: with q[t] = e^log_decay q[t-1] +
 * e^key[t] it has alpha = e^log_decay q[t-1]/q[t] and step = e^key[t]/q[t]. Exponents are kept relative to
 * the largest one so far, so that nothing overflows. Keys are finite.
 *
 * Accuracy: with X the largest |key| + |log_decay| + |bonus| so far (the exponent of the state counts as a
 * key), y and h are off by at most gamma(8 (t + 1) (X + 2)) times the same mean of |value|, behind t
 * tokens, by any method: exponents are rounded three times for each token, 4 X u, the weights lose 4 u on
 * top, and a mean moves by twice what its weights do. */
typedef struct {
  size_t sequences, tokens, channels; /* S, T, D; all rows are of D */
  const double *log_decay;            /* [D], <= 0 */
  const double *bonus;                /* [D] */
  scan_input key, value;
  scan_output y, h;
  scan_output alpha, step;            /* of the gate */
} form_wkv;

/* state [S, 3, D]: numerator and denominator, both over e^exponent, and the exponent (-infinity before the
 * first token). */
void form_wkv_begin(double *state, size_t sequences, size_t channels);
void form_scan_wkv(const scan_options *options, double *state, const form_wkv *f);

#endif
