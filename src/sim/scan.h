/* The selective scan in double precision: for token t, channel d, state n, in this order,
 *
 *   h[d,n] <- exp(Delta[t,d] A[d,n]) h[d,n] + (Delta[t,d] u[t,d]) B[t,n]
 *   y[t,d] =  D[d] u[t,d] + sum_n C[t,n] h[d,n],      optionally times silu(z[t,d]) = z/(1 + exp(-z)).
 *
 * It comes as a sequential reference in plain C, as vectorised sequential code over channels (portable, AVX2 with FMA,
 * AVX-512; chosen at run time), and in a form that is parallel over chunks of time. The numbers are doubles with their
 * rounding; nothing here is certified, but the error is bounded below.
 *
 * Same bits. With one method and one target, the result does not depend on the number of threads, on how many sequences
 * are computed at once, on strides, or on what is recorded. SCAN_REFERENCE and SCAN_VECTOR: a sequence can be cut
 * anywhere, the second part going on from the state that the first one left, and gives the same bits. SCAN_CHUNKED: the
 * same, where every part but the last is a multiple of SCAN_CHUNK tokens long. Different methods and different targets
 * agree within twice the bound below.
 *
 * The bound. Write u for 2^-53, x for the exact real Delta A, and a^ for the decay that the code uses in place of exp x.
 * Where |A| < 2^1000 and x <= 709,
 *
 *   |a^ - exp x| <= (SCAN_EXP_REL + SCAN_EXP_SLOPE |x|) exp x + SCAN_TINY,
 *
 * so that decays underflow gradually, and are 0 in the end; where x = 0 and A is finite, a^ = 1 exactly. x = -infinity
 * gives 0. Where x > 710, a^ is infinity. A NaN, and 0 times infinity, give NaN.
 *
 * Let h_t be the state in exact arithmetic from the given doubles, q_t = Delta B u the exact drive, rho_t =
 * SCAN_EXP_REL + SCAN_EXP_SLOPE |x_t| + SCAN_STEP_REL, and from m = |h_0|, e = 0
 *
 *   e_t = exp(x_t) ((1 + rho_t) e_{t-1} + rho_t m_{t-1}) + SCAN_DRIVE_REL |q_t|
 *         + SCAN_TINY (2 + |B| + m_{t-1} + e_{t-1}),
 *   m_t = exp(x_t) m_{t-1} + |q_t|.
 *
 * Then |h^_t - h_t| <= e_t for the computed h^_t, as long as nothing overflows: m_t bounds |h_t|. The product with
 * a^ and the sum round once each, 2 u of a^ h^, which with a little room for products of errors is SCAN_STEP_REL;
 * a drive is rounded twice, and once more in the sum: 3 u. A product that underflows is off by 2^-1075 at most, and an
 * underflow of Delta u by that times |B|. For the readout, in any order of N + 1 terms,
 *
 *   |y^_t - y_t| <= sum_n |C_n| e_n + (N + 3) u (|D u| + sum_n |C_n| (m_n + e_n)) + (N + 1) SCAN_TINY,
 *
 * before the gate; and for the gate |g^ - silu z| <= (SCAN_GATE_REL + SCAN_EXP_SLOPE |z|) |silu z| + SCAN_TINY (1 + |z|),
 * whose product with y^ rounds once more.
 *
 * SCAN_CHUNKED keeps e_t with rho_t = SCAN_EXP_REL + 2 SCAN_EXP_SLOPE |x_t| + 2 SCAN_STEP_REL and twice
 * SCAN_DRIVE_REL (scan_chunked.c says why). */
#ifndef ASSAY_SIM_SCAN_H
#define ASSAY_SIM_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

#define SCAN_EXP_REL 0x1.2p-51
#define SCAN_EXP_SLOPE 0x1.2p-52
#define SCAN_STEP_REL 0x1.02p-52
#define SCAN_DRIVE_REL 0x1.82p-52
#define SCAN_GATE_REL 0x1.8p-50
#define SCAN_TINY 0x1p-1073

enum { SCAN_CHUNK = 64 };

typedef enum {
  SCAN_AUTO, /* the fastest of those that can be cut anywhere: of scan_selective, SCAN_VECTOR */
  SCAN_REFERENCE,
  SCAN_VECTOR,
  SCAN_CHUNKED
} scan_method;

/* Instruction sets, for tests and measurements; SCAN_BEST otherwise. */
typedef enum { SCAN_BEST, SCAN_GENERIC, SCAN_AVX2, SCAN_AVX512 } scan_target;
/* Whether this build has code for the target and this machine can run it. */
bool scan_has_target(scan_target target);

/* All zero, or NULL in its place: the defaults. */
typedef struct {
  scan_method method;
  scan_target target; /* SCAN_REFERENCE has but one */
  int threads;        /* 0: as many as OpenMP likes */
} scan_options;

/* Rows of doubles: element i of token t of sequence s is at[s * sequence + t * token + i]. Strides of inputs may be 0.
 * at = NULL: absent. */
typedef struct {
  const double *at;
  size_t token, sequence;
} scan_input;
typedef struct {
  double *at;
  size_t token, sequence;
} scan_output;

typedef struct {
  size_t channels, states; /* D, N */
  const double *rate;      /* [D, N] A */
  const double *skip;      /* [D] or NULL: without it */
} scan_layer;

typedef struct {
  size_t sequences, tokens;
  scan_input step, u; /* rows of D: Delta, u */
  scan_input gate;    /* rows of D: z, or absent */
  scan_input b, c;    /* rows of N; c may be absent where y is */
} scan_inputs;

/* Each may be absent. They must not overlap one another nor the inputs, except that y may be u or gate with the same
 * strides. */
typedef struct {
  scan_output y;     /* rows of D */
  scan_output alpha; /* rows of D N, row-major [D, N]: the decay used */
  scan_output h;     /* rows of D N: the state behind each token; of SCAN_CHUNKED it is the one read by y, which at the
                        end of a chunk may differ in rounding from the one carried on */
} scan_outputs;

/* One pass over all tokens of all sequences. state [sequences, D, N] is the one before the first token, and then the one
 * behind the last. STATUS_UNABLE: this machine does not have the target that was asked for; nothing was done. */
assay_status scan_selective(const scan_options *options, double *state, const scan_outputs *out,
                            const scan_layer *layer, const scan_inputs *in);

#endif
