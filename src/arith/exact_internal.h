/* What the files of the exact arithmetic share, and what `ball` uses of it.
 *
 * A value is known as a rational, certainly undefined, certainly defined but not known (irrational, or
 * past the bit limit), or nothing is known of it. */
#ifndef ASSAY_ARITH_EXACT_INTERNAL_H
#define ASSAY_ARITH_EXACT_INTERNAL_H

#include "arith/arith.h"

typedef enum { EXACT_UNKNOWN, EXACT_DEFINED, EXACT_RATIONAL, EXACT_UNDEFINED } exact_kind;

typedef struct exact_filter exact_filter;

struct exact_state {
  const tape_program *program;
  size_t bits;
  uint8_t *kind; /* exact_kind, by value slot */
  truth *truth;  /* by truth slot */
  fmpq *rational; /* by value slot; NULL until a run needs it */
  bool dyadic_program; /* only operations under which dyadic numbers stay dyadic */
  bool by_dyadic;      /* the last run used arf */
  arf_ptr dyadic;      /* by value slot, where dyadic_program */
  exact_filter *filter; /* of a dyadic program, or NULL */
  fmpq *lane;           /* by element: where the inputs come as doubles and are wanted as fractions */
  uint32_t *maker;      /* by output: the step that makes it */
};

/* A filter in sums of two doubles before dyadic arithmetic (exact_filter.c); NULL for programs that are
 * too long for it. */
exact_filter *exact_filter_create(const tape_program *p);
void exact_filter_destroy(exact_filter *f);
/* A run of s, by_dyadic. */
void exact_filter_run(exact_state *s, const fmpq *input);
/* The same from doubles, input[e * LANES], for the outputs in `wanted` (bit k: output k; all, when there
 * are more than 64): the others are left as they are. */
void exact_filter_run_doubles(exact_state *s, const double *input, uint64_t wanted);

/* Prepares a run over rationals and executes one step of it: for evaluating step by step beside something
 * else. */
void exact_begin_rational(exact_state *s);
void exact_step(exact_state *s, const fmpq *input, const tape_step *t);

/* What is known of an operation on values of kinds a and b that are not both rational. */
exact_kind exact_kind_of(tape_opcode op, exact_kind a, exact_kind b);

/* ---- the numbers: each computes into slot `target` and says whether it stayed within the bit limit ---- */

bool exact_rational_binary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a, uint32_t b);
/* base ^ exponent; exponent >= 0 or base not 0. Predicts the size before it computes. */
bool exact_rational_power(exact_state *s, uint32_t target, uint32_t base, int32_t exponent);
bool exact_rational_fits(const exact_state *s, const fmpq_t x);

bool exact_dyadic_program(const tape_program *p);
bool exact_dyadic_input(const exact_state *s, const fmpq *input);
bool exact_dyadic_set(exact_state *s, uint32_t target, const fmpq_t x);
bool exact_dyadic_set_sum(exact_state *s, uint32_t target, double h, double l);
bool exact_dyadic_unary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a);
bool exact_dyadic_binary(exact_state *s, tape_opcode op, uint32_t target, uint32_t a, uint32_t b);
bool exact_dyadic_power(exact_state *s, uint32_t target, uint32_t base, int32_t exponent);
bool exact_dyadic_fits(const exact_state *s, const arf_t x);

#endif
