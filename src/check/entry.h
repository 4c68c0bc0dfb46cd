/* One entry of a layer, a channel and a state of it, as a tape: decay and step as functions of stored values.
 *
 * The layer's family defines them (lang/claim.h, dump/model.h). At the bias point every given that is no tensor is 0.
 *
 * Where each value that an entry needs is found by the entry's own indices alone, one tape serves all entries of the
 * layer ("elementwise"); else each entry has a tape of its own (a closed form in its indices, a sum over channels).
 *
 * Inputs are the stored values that the entry depends on, and no others. */
#ifndef ASSAY_CHECK_ENTRY_H
#define ASSAY_CHECK_ENTRY_H

#include "dump/model.h"
#include "tape/tape.h"

enum {
  ENTRY_LAYER = 1 << 24, /* entries of one layer */
  ENTRY_APART = 1 << 12, /* entries of one layer that is not elementwise, and */
  ENTRY_OPERATIONS = 1 << 23 /* operations of all their tapes */
};

/* A stored value that an entry (c, n) needs: number base + c * per_channel + n * per_state of the tensor, in row-major
 * order of the indices that the family declares. */
typedef struct {
  unsigned given;
  uint64_t base, per_channel, per_state;
} entry_input;

/* What indexes the entries of a layer. Without an index in the family there is one. */
typedef struct {
  size_t channels, states;
  const char *channel_word, *state_word; /* the roles of the two sizes; NULL where there is no such index */
  bool elementwise;
} entry_shape;

typedef struct {
  tape *t;
  entry_input *input; /* of tape element i; one that is in no file has given UINT32_MAX */
  size_t inputs;
  /* Operations of the tape, TAPE_NONE: the family does not have it. */
  tape_id step, rate;       /* Delta; a, when decay = exp(Delta a) */
  tape_id log_decay, decay; /* both always there */
  tape_id margin;           /* decay + step - 1: the assumption of arXiv:2501.00658, Theorem 4.2, says <= 0 */
  tape_id fits;             /* truth: the stored values lie in the ranges that the family gives them */
  bool always_equal;        /* the margin is 0 wherever it is defined: decay is 1 - step, or step 1 - decay */
} entry_tape;

/* STATUS_BAD_INPUT, with `error` set, when the family's roles are not as doc/assay-family.5 says (a rate is what the step
 * is multiplied by in the decay's exponent; the decay has at most two indices 1..SIZE, of different sizes); STATUS_UNABLE
 * past a limit. */
assay_status entry_shape_of(entry_shape *shape, const model_layer *layer, const char *file, dump_error *error);

/* Changes to the family's definitions. */
typedef struct {
  bool step_given;    /* the step is an input of its own, one number for each channel */
  bool activation;    /* not with the former: what the input adds, the given with the role activation, is one */
  const double *rate; /* NULL, or what the rate is, of a layer that has one: a state that is not in the file */
} entry_change;

/* The tape of entry (channel, state), both from 0; of an elementwise layer, the tape of all. Statuses as above. */
assay_status entry_create(entry_tape *e, const model_layer *layer, const entry_shape *shape, size_t channel, size_t state,
                          entry_change change, const char *file, dump_error *error);
void entry_clear(entry_tape *e);

/* Whether the step never falls while the activation rises: told by the form of its definition alone, so that `false` may be
 * for want of knowledge. For a tape made with `activation`. */
bool entry_step_rises(const entry_tape *e);

/* reached[i]: operation `id` depends on input i. */
void entry_reaches(bool *reached, const entry_tape *e, tape_id id);

#endif
