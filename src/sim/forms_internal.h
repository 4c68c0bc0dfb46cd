/* What the forms of forms.h share.
 *
 * A form cuts the state of a sequence into blocks that do not need one another, and can do a few things to
 * a block over a range of tokens. form_drive makes both fast methods of them: SCAN_VECTOR is load, run,
 * store of each block; SCAN_CHUNKED runs the chunks of a block from the empty state, all at once, joins
 * their ends in order, and runs them again from where each begins. */
#ifndef ASSAY_SIM_FORMS_INTERNAL_H
#define ASSAY_SIM_FORMS_INTERNAL_H

#include "core/target.h"
#include "sim/forms.h"
#include "sim/scan_internal.h"

typedef struct {
  size_t blocks;  /* of a sequence */
  size_t state;   /* doubles of a block's state, at the beginning of its scratch memory */
  size_t scratch; /* doubles of its scratch memory, the state included; zeros at first */
  size_t decay;   /* doubles of what decay_of leaves */
  /* The block's parameters, and its part of the caller's state, into scratch memory; the state back. */
  void (*load)(const void *job, size_t sequence, size_t block, double *scratch);
  void (*store)(const void *job, size_t sequence, size_t block, const double *scratch);
  /* The state of the empty sequence; NULL: zeros. */
  void (*clear)(double *scratch);
  /* Tokens first .. last - 1; with `quiet`, only the state behind them is wanted. */
  void (*run)(const void *job, size_t sequence, size_t block, double *scratch, size_t first, size_t last,
              bool quiet);
  /* What tokens first .. last - 1 make of the state before them, their own part aside. */
  void (*decay_of)(const void *job, size_t sequence, size_t block, const double *scratch, double *decay,
                   size_t first, size_t last);
  /* own: the state behind some tokens from that of the empty sequence; becomes that from `before`. */
  void (*join)(const void *job, double *own, const double *decay, const double *before);
} form_parts;

void form_drive(const scan_options *options, const form_parts *parts, const void *job, size_t sequences,
                size_t tokens);

/* Inner loops over FORM_LANES neighbouring channels, for the best instruction set that there is
 * (forms_lanes.h). */
enum { FORM_LANES = 16 };

#if defined(__x86_64__) && defined(__GNUC__)
#define FORM_X86 1
#endif

/* One token of a matrix state [K, FORM_LANES]: sum = the readout. alpha: one decay, or (keys) K of them;
 * before: the readout is that of the state before the update. */
typedef void form_matrix_loop(double *restrict sum, double *restrict matrix, const double *restrict alpha,
                              const double *restrict key,
                              const double *restrict query, const double *restrict value, size_t K);
/* One token of a diagonal state [N, FORM_LANES], or [2, N, FORM_LANES]: sum = sum_n c h, or its real part. */
typedef void form_diagonal_loop(double *restrict sum, double *restrict h, const double *restrict a,
                                const double *restrict b,
                                const double *restrict c, const double *restrict u, size_t N);

typedef struct {
  form_matrix_loop *head, *keys, *head_before, *keys_before;
  form_diagonal_loop *real, *complex;
} form_loops;

extern const form_loops form_loops_generic, form_loops_avx2, form_loops_avx512;
const form_loops *form_choose_loops(const scan_options *options);

bool form_wants_reference(const scan_options *options);

/* e^in[i], 0 below e^-708. out and in must not overlap. */
void form_exp(double *out, const double *in, size_t n);

/* alpha and step of channels first .. first + n - 1 at a token, n <= 64. */
void form_gate_coefficients(const form_gate *f, size_t sequence, size_t token, size_t first, size_t n,
                            double *alpha, double *step);

/* a^exponent for n numbers, or for complex ones, n real parts before n imaginary ones; by squaring, with no
 * more roundings than factors. */
void form_power(double *power, const double *a, size_t n, bool is_complex, size_t exponent);

/* The decays of head h at a token: one, or one for each key (FORM_DECAY_KEY). */
const double *form_matrix_decay(const form_matrix *f, size_t sequence, size_t token, size_t head);

/* SCAN_REFERENCE. */
void form_reference_gate(double *state, const form_gate *f);
void form_reference_poles(double *state, const form_poles *f);
void form_reference_diagonal(double *state, const form_diagonal *f);
void form_reference_matrix(double *state, const form_matrix *f); /* without logarithms */
void form_reference_wkv(double *state, const form_wkv *f);

#endif
