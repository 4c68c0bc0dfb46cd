/* The adjoint of a block along one sequence, token by token from the last one back, for many right-hand sides
 * at once.
 *
 * A block adds mixer(x)_t to the residual stream x_t. Given d(anything)/d(mixer_t) for every token, the
 * adjoint gives d(anything)/dx_s through the mixer alone; what the residual carries is the caller's matter.
 * Everything the block's forward pass did is worked out again from x, a piece of the sequence at a time, so
 * that memory is that of x, of a state for each piece, and of one piece.
 *
 * Kinds of blocks that have one: adjoint_kind_of. Numbers as in sim/adjoint_scan.h: exponents do not
 * underflow. A derivative that a double cannot tell from 0 within one token (a gate's slope below 10^-308) is
 * 0. */
#ifndef ASSAY_SIM_ADJOINT_H
#define ASSAY_SIM_ADJOINT_H

#include "sim/adjoint_parts.h"

enum { ADJOINT_PIECE = SCAN_PIECE };

typedef struct adjoint_kind adjoint_kind;

/* The selective scan of a block over a whole sequence. */
typedef struct {
  scan_record scan;
  double *owned[6]; /* arrays of it that are to be freed; NULL */
} adjoint_record;
void adjoint_record_clear(adjoint_record *r);

enum { ADJOINT_ROWS = 16 };

/* The head of each kind's own struct. */
typedef struct {
  const adjoint_kind *kind;
  size_t tokens, positions, rows;
  int threads;
  const double *input; /* [T, M], of the caller */
  adjoint_rows *own[ADJOINT_ROWS]; /* of the kind's struct, see adjoint_init_rows */
  size_t owned;
} adjoint;

struct adjoint_kind {
  const char *name; /* of the block's kind */
  /* NULL, or a constant string that says why there is none for this very block. */
  const char *(*refuse)(const block *b);
  adjoint *(*create)(const block *b, const double *input, size_t tokens, size_t positions, size_t rows,
                     int threads);
  void (*destroy)(adjoint *a);
  /* Gets tokens k ADJOINT_PIECE .. ready. */
  void (*load)(adjoint *a, size_t k);
  /* xbar, mixerbar [P, K, M]; token s of the piece that is loaded, one before that of the last call. */
  void (*step)(adjoint *a, adjoint_rows *xbar, const adjoint_rows *mixerbar, size_t s, size_t active);
  /* The same from d(anything)/d(what leaves the block); NULL: the block adds its mixer to what entered it,
   * and that is all. */
  void (*step_all)(adjoint *a, adjoint_rows *xbar, const adjoint_rows *outbar, size_t s, size_t active);
  /* NULL: there is no selective scan inside. */
  void (*record)(adjoint_record *r, const block *b, const double *input, size_t tokens, int threads);
  /* Of a recurrence that is the same at every token: its poles, [*count, *lanes]; NULL: it has none. */
  const double *(*poles)(size_t *count, size_t *lanes, const block *b);
};

/* NULL with a reason, a constant string: this kind of block has no adjoint. */
const adjoint_kind *adjoint_kind_of(const block *b, const char **reason);
/* How many tokens piece k has. */
size_t adjoint_piece_tokens(const adjoint *a, size_t k);
/* How many pieces there are. */
size_t adjoint_pieces(const adjoint *a);

/* Rows that are wanted in a block's struct, all with the positions and rows of the adjoint; at most ADJOINT_ROWS. */
typedef struct {
  adjoint_rows *rows;
  size_t width;
} adjoint_rows_list;
void adjoint_init_rows(adjoint *a, const adjoint_rows_list *list, size_t count);
/* Clears all that was initialised so. */
void adjoint_clear_rows(adjoint *a);

#endif
