/* The rivals: three checks of bench/mixture.claim at T = 16 written by hand, each the best that its
 * author could do with its arithmetic. They take what the tape takes, doubles in lanes, and report what
 * the tape reports.
 *
 * An instance is 47 doubles, in the order of declaration: alpha[1..16], delta[2..16], z[2..16], p. A
 * block holds LANES instances, element e of lane i at input[e * LANES + i]. */
#ifndef ASSAY_BENCH_RIVALS_H
#define ASSAY_BENCH_RIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arith/arith.h"

enum {
  RIVAL_T = 16,
  RIVAL_ALPHA = 0,                        /* alpha[t] is element RIVAL_ALPHA + t - 1 */
  RIVAL_DELTA = RIVAL_ALPHA + RIVAL_T,    /* delta[t] is element RIVAL_DELTA + t - 2 */
  RIVAL_Z = RIVAL_DELTA + RIVAL_T - 1,    /* z[t] is element RIVAL_Z + t - 2 */
  RIVAL_P = RIVAL_Z + RIVAL_T - 1,
  RIVAL_ELEMENTS = RIVAL_P + 1
};

/* Bit i speaks of lane i. Each bit that is set is certain; where both of a pair are clear nothing is
 * known. */
typedef struct {
  uint32_t admissible, inadmissible; /* every hypothesis is true; some is false */
  uint32_t holds, breaks;            /* every conclusion is true; some is false */
} rival_verdict;

/* AVX2: double with a running error bound, four lanes to a register. Only where rival_avx2_usable. */
bool rival_avx2_usable(void);
void rival_avx2(rival_verdict *out, const double *input);

/* Arb at `precision` bits, one lane after the other. The state holds the variables, so that the loop
 * allocates nothing. */
typedef struct rival_arb rival_arb;
rival_arb *rival_arb_create(void);
void rival_arb_destroy(rival_arb *r);
void rival_arb_run(rival_arb *r, rival_verdict *out, const double *input, long precision);

/* FLINT's rationals, exact. */
typedef struct rival_fmpq rival_fmpq;
rival_fmpq *rival_fmpq_create(void);
void rival_fmpq_destroy(rival_fmpq *r);
void rival_fmpq_run(rival_fmpq *r, rival_verdict *out, const double *input);

#endif
