/* The adjoint of h_t = a h_(t-1) + x_t for fixed complex a: lambda_s = conj(a) lambda_(s+1) + hbar_s, with
 * each complex number a pair of real ones and hbar_s the derivative with respect to the two parts of h_s.
 * Each state has an exponent of its own. And the forward pass of a block, piece by piece. */
#ifndef ASSAY_SIM_ADJOINT_POLES_H
#define ASSAY_SIM_ADJOINT_POLES_H

#include "sim/adjoint.h"

typedef struct {
  size_t states, positions, rows;
  double *pole;  /* [states, 2] conj(a) = pole 2^pole_e, the larger part in [1/2, 1) */
  int64_t *pole_e;
  double *m;     /* [states, P, K, 2] */
  int64_t *e;    /* [states, P] */
  int threads;
} adjoint_poles;

/* a [states, lanes]; lanes 1: real. */
void adjoint_poles_init(adjoint_poles *p, const double *a, size_t states, size_t lanes, size_t positions,
                        size_t rows, int threads);
void adjoint_poles_clear(adjoint_poles *p);
/* Tokens from the last one down; lambda, hbar [P, K, states, 2]. */
void adjoint_poles_step(adjoint_poles *p, adjoint_rows *lambda, const adjoint_rows *hbar, size_t active);

/* What a block carries into each piece of a sequence. */
typedef struct {
  const block *b;
  size_t arrays, *size; /* numbers in each array */
  double **start;       /* [arrays] of [pieces, size] */
  double *output;       /* [ADJOINT_PIECE, M] of the piece that was run last */
  workspace room;
  net_view view;        /* likewise; good until the next run */
} adjoint_replay;

/* Runs the whole sequence once. */
void adjoint_replay_init(adjoint_replay *r, const block *b, const adjoint *a);
void adjoint_replay_clear(adjoint_replay *r);
void adjoint_replay_run(adjoint_replay *r, const adjoint *a, size_t k);
/* Array i before piece k. */
const double *adjoint_replay_state(const adjoint_replay *r, size_t i, size_t k);

#endif
