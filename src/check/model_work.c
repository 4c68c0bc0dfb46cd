/* One layer of a model, read. */
#include "check/model_work.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/model_shape.h"

/* The tensor of a given that is needed; NULL. */
static const dump_tensor *needed_tensor(const model_work *w, const bool *needed, unsigned given)
{
  return needed[given] ? w->layer->tensor[given] : NULL;
}

static assay_status check_tensor(const model_work *w, const dump_tensor *x, dump_error *error)
{
  if (x->count <= ENTRY_LAYER)
    return STATUS_OK;
  char *name = dump_quote(x->name);
  dump_error_set_at(error, dump_name(w->file), x->offset,
                    "tensor %s has %llu values; the limit is %d", name, (unsigned long long)x->count, (int)ENTRY_LAYER);
  free(name);
  return STATUS_UNABLE;
}

/* How many numbers the tensors and four pairs of bounds take. */
static assay_status count_numbers(size_t *numbers, const model_work *w, const bool *needed, dump_error *error)
{
  *numbers = 8 * w->entries;
  for (unsigned i = 0; i < w->layer->family->givens; i++) {
    const dump_tensor *x = needed_tensor(w, needed, i);
    assay_status status = x ? check_tensor(w, x, error) : STATUS_OK;
    if (status != STATUS_OK)
      return status;
    *numbers += x ? (size_t)x->count * dump_lanes(x->type) : 0;
  }
  return STATUS_OK;
}

static void make_room(model_room *room, size_t numbers, size_t bytes)
{
  if (numbers > room->numbers) {
    room->number = memory_resize(room->number, numbers, sizeof *room->number);
    room->numbers = numbers;
  }
  if (bytes > room->bytes) {
    room->byte = memory_resize(room->byte, bytes, 1);
    room->bytes = bytes;
  }
}

void model_room_clear(model_room *room)
{
  free(room->number);
  free(room->byte);
  free(room->group);
  *room = (model_room){0};
}

/* Reads the tensors behind one another; what follows them in the room is the bounds'. */
static assay_status read_tensors(model_work *w, model_room *room, double **rest, dump_error *error)
{
  const claim *f = w->layer->family;
  bool *needed = memory_new(f->givens, sizeof *needed);
  model_needed(needed, f);
  w->value = memory_new(f->givens, sizeof *w->value);
  size_t numbers;
  assay_status status = count_numbers(&numbers, w, needed, error);
  if (status == STATUS_OK) {
    make_room(room, numbers, 2 * w->entries);
    *rest = room->number;
  }
  for (unsigned i = 0; i < f->givens && status == STATUS_OK; i++) {
    const dump_tensor *x = needed_tensor(w, needed, i);
    if (!x)
      continue;
    w->value[i] = *rest;
    *rest += x->count * dump_lanes(x->type);
    status = dump_values(w->file, w->value[i], x, 0, (size_t)x->count, error);
  }
  free(needed);
  return status;
}

static model_bounds take_bounds(double **rest, size_t n, bool wanted)
{
  if (!wanted)
    return (model_bounds){NULL, NULL};
  model_bounds b = {*rest, *rest + n};
  *rest += 2 * n;
  return b;
}

static assay_status make_tapes(model_work *w, dump_error *error)
{
  size_t tapes = w->shape.elementwise ? 1 : w->entries, size = 0;
  w->tape = memory_new(tapes, sizeof *w->tape);
  for (size_t i = 0; i < tapes; i++) {
    assay_status status = entry_create(&w->tape[i], w->layer, &w->shape, i / w->shape.states, i % w->shape.states,
                                       (entry_change){.rate = w->rate}, dump_name(w->file), error);
    if (status != STATUS_OK)
      return status;
    size += w->tape[i].t->ops;
    if (tapes > 1 && size > ENTRY_OPERATIONS) {
      char *name = dump_quote(w->layer->name);
      dump_error_set(error, dump_name(w->file), "the entries of layer %s need more than %d operations in all", name,
                     ENTRY_OPERATIONS);
      free(name);
      return STATUS_UNABLE;
    }
  }
  return STATUS_OK;
}

/* Whether two channels hold the same stored values, bit by bit: 0 and -0 differ, equal NaNs do not. */
static bool same_channel(const model_work *w, size_t c, size_t d)
{
  const entry_tape *e = &w->tape[0];
  for (size_t i = 0; i < e->inputs; i++) {
    const entry_input *in = &e->input[i];
    const double *value = w->value[in->given] + in->base;
    const double *x = value + c * in->per_channel, *y = value + d * in->per_channel;
    size_t states = in->per_state ? w->shape.states : 1, row = in->per_state == 1 ? states : 1;
    for (size_t n = 0; n < states; n += row)
      if (memcmp(x + n * in->per_state, y + n * in->per_state, row * sizeof *x) != 0)
        return false;
  }
  return true;
}

/* The fewest channels whose entries fill whole blocks, and several of them: a summary of less would cost too much. */
static size_t channels_of_group(const entry_shape *shape)
{
  enum { BLOCKS = 4 };
  size_t channels = LANES;
  for (size_t states = shape->states; channels > 1 && states % 2 == 0; states /= 2)
    channels /= 2; /* LANES is a power of 2 */
  while (channels * shape->states < BLOCKS * LANES)
    channels *= 2;
  return shape->elementwise ? channels : 1;
}

static void make_groups(model_work *w, model_room *room)
{
  size_t step = channels_of_group(&w->shape), channels = w->shape.channels, states = w->shape.states;
  for (size_t c = 0; c < channels; c += step) {
    size_t n = channels - c < step ? channels - c : step, same = 0;
    bool whole = w->shape.elementwise && w->groups > 0 && n == step;
    while (whole && same < n && same_channel(w, c + same, c + same - step))
      same++;
    if (same == n) {
      room->group[w->groups - 1].copies++;
      continue;
    }
    if (w->groups == room->groups) {
      room->groups = room->groups ? 2 * room->groups : 64;
      room->group = memory_resize(room->group, room->groups, sizeof *room->group);
    }
    room->group[w->groups++] = (model_group){.first = c * states, .count = n * states, .copies = 1};
  }
  w->group = room->group;
}

assay_status model_work_init(model_work *w, model_room *room, const model_layer *layer, const double *rate,
                             const dump_file *file, const model_options *options, dump_error *error)
{
  *w = (model_work){.layer = layer, .rate = rate, .file = file, .options = options};
  assay_status status = entry_shape_of(&w->shape, layer, dump_name(file), error);
  if (status != STATUS_OK)
    return status;
  if (rate) {
    w->shape.states = 1;
    w->shape.state_word = NULL;
  }
  w->entries = w->shape.channels * w->shape.states;
  double *rest = NULL;
  status = read_tensors(w, room, &rest, error);
  if (status == STATUS_OK)
    status = make_tapes(w, error);
  if (status != STATUS_OK) {
    model_work_clear(w);
    return status;
  }
  w->store = (entry_store){(const double *const *)w->value, NULL, w->shape.states};
  w->evaluator = model_evaluator_create();
  w->decided = room->byte;
  w->alone = room->byte + w->entries;
  memset(w->alone, ALONE_UNKNOWN, w->entries);
  make_groups(w, room);
  w->log_decay = take_bounds(&rest, w->entries, true);
  w->decay = take_bounds(&rest, w->entries, true);
  w->margin = take_bounds(&rest, w->entries, w->tape[0].margin != TAPE_NONE);
  w->rate_bounds = take_bounds(&rest, w->entries, w->tape[0].rate != TAPE_NONE);
  return STATUS_OK;
}

void model_work_clear(model_work *w)
{
  model_evaluator_destroy(w->evaluator); /* it looks at the tapes */
  if (w->tape)
    for (size_t i = 0; i < (w->shape.elementwise ? 1 : w->entries); i++)
      entry_clear(&w->tape[i]);
  free(w->tape);
  free(w->value);
  *w = (model_work){0};
}
