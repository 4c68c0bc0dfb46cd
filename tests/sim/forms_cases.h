/* Forms with random inputs, to be run in whole or in parts by any method. */
#ifndef ASSAY_TESTS_SIM_FORMS_CASES_H
#define ASSAY_TESTS_SIM_FORMS_CASES_H

#include "sim/forms.h"

typedef enum {
  CASE_GATE_ONE,
  CASE_GATE_GIVEN,
  CASE_GATE_CONVEX,
  CASE_GATE_CONVEX_LOG,
  CASE_GATE_ROOT,
  CASE_GATE_ROOT_LOG,
  CASE_POLES,
  CASE_DIAGONAL_REAL,
  CASE_DIAGONAL_COMPLEX,
  CASE_MATRIX_NONE,
  CASE_MATRIX_HEAD,      /* constant in time, logarithms, as RetNet's */
  CASE_MATRIX_KEY,       /* as GLA's */
  CASE_MATRIX_KEY_BONUS, /* as RWKV-6's */
  CASE_MATRIX_HEAD_BONUS,
  CASE_HEADS,
  CASE_WKV,
  CASES
} case_kind;

extern const char *const case_names[CASES];

typedef struct {
  size_t sequences, tokens;
  size_t channels; /* of a gate or wkv; values of a head */
  size_t states;   /* of a pole or diagonal form; keys of a head */
  size_t heads, groups;
  size_t pad;      /* doubles between rows */
} case_sizes;

typedef struct {
  case_kind kind;
  case_sizes sizes;
  size_t state, out; /* doubles of a sequence's state; of a token's outputs, side by side */
  union {
    form_gate gate;
    form_poles poles;
    form_diagonal diagonal;
    form_matrix matrix;
    form_heads heads;
    form_wkv wkv;
  } form;
  double *begin;      /* [sequences, state]: a state to begin from */
  double *arrays[16]; /* to be freed */
  size_t count;
  unsigned long long seed;
} form_case;

void case_init(form_case *c, case_kind kind, case_sizes sizes, unsigned long long seed);
void case_clear(form_case *c);

/* Tokens from .. to - 1 into out [sequences, tokens, c->out]: y or h first, then what else there is. */
void case_run(const form_case *c, const scan_options *options, double *state, double *out, size_t from,
              size_t to);

/* A number in [lo, hi), the next of the case's. */
double case_draw(form_case *c, double lo, double hi);

#endif
