/* What the parts of the model audit share: one layer while it is worked on. Private to src/check. */
#ifndef ASSAY_CHECK_MODEL_WORK_H
#define ASSAY_CHECK_MODEL_WORK_H

#include "check/entry_eval.h"
#include "check/model_audit.h"

/* What is known of an entry, and who found out, one byte each. */
enum {
  MODEL_INVALID = 0,
  MODEL_CONTRADICTING = 1,
  MODEL_COLLAPSED = 2,
  MODEL_UNKNOWN = 3, /* from here on the entry is valid */
  MODEL_HOLDS = 4,
  MODEL_FAILS = 8,
  MODEL_BY_DOUBLE = 16,
  MODEL_BY_BALL = 32,
  MODEL_BY_RULE = 64
};
/* Parameters alone. */
enum { ALONE_UNKNOWN = 0, ALONE_CAN = 1, ALONE_NEVER = 2 };

/* low[i] <= value of entry i <= high[i]; infinite where nothing is known. Arrays of `entries`; NULL when the family does not
 * have the value. */
typedef struct {
  double *low, *high;
} model_bounds;

/* Over the entries of a group: the smallest and the largest of the lower ends, and of the upper ends. */
typedef struct {
  double least_low, greatest_low, least_high, greatest_high;
} model_span;

/* Channels in a row that are worked on together. Their entries fill whole blocks of LANES, except in the last group of a layer.
 * `copies` groups in a row, this one first, hold the same stored values to the bit, as those of a model that was never trained
 * do: all is found out once, and the bounds stand at the first one's entries alone. In a layer that is not elementwise a group
 * is a channel, and there are no copies. */
typedef struct {
  size_t first, count; /* entries */
  size_t copies;
  model_span margin, log_decay, rate; /* of the bounds that the family has; set by model_decide */
} model_group;

/* Memory that one layer after the other works in: fresh pages cost more than what is computed in them. */
typedef struct {
  double *number;
  unsigned char *byte;
  model_group *group;
  size_t numbers, bytes, groups;
} model_room;

typedef struct {
  const model_layer *layer;
  const dump_file *file;
  const model_options *options;
  const double *rate; /* NULL; or the rate of the one state, which is not in the file, of each channel */
  entry_shape shape;
  entry_tape *tape; /* one, or one for each entry */
  double **value;   /* of each given: the tensor, NULL; like the arrays below it lies in the room */
  entry_store store;
  size_t entries;
  model_group *group; /* those that are no copies of the one before, in order */
  size_t groups;
  struct model_evaluator *evaluator; /* for model_extreme and model_find_worst, which belong to one thread */
  model_bounds margin, log_decay, decay, rate_bounds;
  unsigned char *decided, *alone;
} model_work;

static inline bool model_valid(const model_work *w, size_t entry)
{
  return w->decided[entry] >= MODEL_UNKNOWN;
}

static inline const entry_tape *model_tape(const model_work *w, size_t entry)
{
  return &w->tape[w->shape.elementwise ? 0 : entry];
}

/* Reads the tensors and makes the tapes. The room is good for one layer at a time. On failure `w` is empty. */
assay_status model_work_init(model_work *w, model_room *room, const model_layer *layer, const double *rate,
                             const dump_file *file, const model_options *options, dump_error *error);
void model_work_clear(model_work *w);
void model_room_clear(model_room *room);

/* Fills `decided` and `alone`, and for the groups in w->group the bounds and their spans. */
void model_decide(model_work *w);

struct model_evaluator *model_evaluator_create(void);
void model_evaluator_destroy(struct model_evaluator *v);

/* The largest (sign 1) or smallest (sign -1) value among the valid entries for which `use` is NULL or use[i] == wanted, as a
 * ball. False when there is none. */
bool model_extreme(arb_t result, const model_work *w, entry_value which, const model_bounds *bounds, int sign,
                   const unsigned char *use, unsigned char wanted);
/* The entries with the largest margins; returns how many there are, at most MODEL_WORST. */
size_t model_find_worst(model_entry *worst, const model_work *w);
void model_find_spread(model_spread *spread, const model_work *w);

void model_entry_init(model_entry *e);
void model_entry_clear(model_entry *e);

#endif
