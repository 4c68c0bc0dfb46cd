/* Values of an entry's tape: in doubles with a proved error, a block of entries at once, and in balls, one at a time.
 *
 * One evaluator belongs to one thread. */
#ifndef ASSAY_CHECK_ENTRY_EVAL_H
#define ASSAY_CHECK_ENTRY_EVAL_H

#include "arith/arith.h"
#include "check/entry.h"

typedef enum { ENTRY_MARGIN, ENTRY_LOG_DECAY, ENTRY_DECAY, ENTRY_RATE, ENTRY_STEP, ENTRY_VALUES } entry_value;

/* The tape's operation; TAPE_NONE where the family does not have the value. */
tape_id entry_operation(const entry_tape *e, entry_value which);

typedef struct entry_eval entry_eval;
/* The tape must outlive it. */
entry_eval *entry_eval_create(const entry_tape *e);
void entry_eval_destroy(entry_eval *v);

/* Where the inputs come from: value[given] is that tensor, whole, in row-major order; free: of
 * each channel, the input that is in no file. */
typedef struct {
  const double *const *value;
  const double *free;
  size_t states;
} entry_store;

/* The values of `count` <= LANES entries from number `first` (channel * states + state) on. */
void entry_eval_block(entry_eval *v, const entry_store *store, size_t first, size_t count);
/* After that: low[i] <= value <= high[i] in lane i < count; infinite where nothing is known. The family must have the value. */
void entry_eval_bounds(double *low, double *high, const entry_eval *v, entry_value which, size_t count);
/* Bit i: a stored value of lane i is NaN or infinite; is not 0 and yet so small that 1 + x = 1 in double. */
uint32_t entry_eval_invalid(const entry_eval *v);
uint32_t entry_eval_collapsed(const entry_eval *v);
/* Bit i: the stored values of lane i lie certainly (do certainly not lie) in the ranges that the family gives. */
uint32_t entry_eval_fits(const entry_eval *v);
uint32_t entry_eval_strays(const entry_eval *v);

/* The values of one entry, in balls of that precision; what is rational is exact. */
void entry_eval_ball(entry_eval *v, const entry_store *store, size_t entry, slong precision);
/* After that: an enclosure; false when nothing is known or the family does not have it. */
bool entry_eval_enclosure(arb_t value, const entry_eval *v, entry_value which);
truth entry_eval_fit(const entry_eval *v);

/* Input number i of an entry, and where it is: element number *at of its tensor. */
double entry_stored(uint64_t *at, const entry_tape *e, const entry_store *store, size_t entry, size_t i);

#endif
