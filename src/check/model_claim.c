/* A claim, asked of the entries of a layer: its tape, with the family's in the place of what has a role. */
#include "check/model_claim.h"

#include <stdlib.h>
#include <string.h>

#include "check/claim_roles.h"
#include "check/model_signs.h"
#include "core/limits.h"
#include "core/memory.h"
#include "tape/copy.h"

/* Where an input of the joint tape comes from. */
typedef struct {
  enum { FROM_FILE, FROM_STEP, FROM_B, FROM_U } kind;
  size_t number; /* input of the entry's tape; or time, from 0 */
} joint_input;

typedef struct {
  const claim *c;
  const model_work *w;
  model_recording recording; /* of a claim that knows no time: every token a sequence of its own */
  dump_error *error;
  claim_binding binding;
  tape *t; /* the joint one */
  joint_input *input;
  entry_tape entry; /* what the stored values come from */
  tape_id *stored;  /* its inputs on the joint tape */
  tape_id *step, *decay, *b, *u; /* by time; TAPE_NONE: not made yet */
} joint;

static bool complain(joint *j, const char *format, const char *what)
{
  char message[400];
  snprintf(message, sizeof message, format, what);
  dump_error_set(j->error, dump_name(j->w->file), "claim %s: %s", j->c->name, message);
  return false;
}

static tape_id add_input(joint *j, joint_input in, const char *name, size_t number)
{
  size_t n = j->t->elements;
  char element[80];
  snprintf(element, sizeof element, "%s[%zu]", name, number + 1);
  j->input = memory_resize(j->input, n + 1, sizeof *j->input);
  j->input[n] = in;
  tape_id id = tape_leaf(j->t, TAPE_INPUT, (uint32_t)n);
  tape_add_element(j->t, (tape_element){.name = memory_copy_string(element), .op = id, .low = TAPE_NONE, .high = TAPE_NONE});
  return id;
}

static tape_id recorded(joint *j, tape_id *made, int kind, const char *name, size_t time)
{
  if (made[time] == TAPE_NONE)
    made[time] = add_input(j, (joint_input){kind, time}, name, time);
  return made[time];
}

/* The entry's tape once more, at one time; at the bias point the step is its own. */
static void make_time(joint *j, size_t time)
{
  if (j->decay[time] != TAPE_NONE)
    return;
  const tape *from = j->entry.t;
  tape_id *replace = memory_new(from->ops, sizeof *replace);
  for (size_t i = 0; i < from->ops; i++)
    replace[i] = TAPE_NONE;
  for (size_t i = 0; i < j->entry.inputs; i++) {
    if (j->entry.input[i].given == UINT32_MAX) {
      replace[from->element[i].op] = recorded(j, j->step, FROM_STEP, "Delta", time);
      continue;
    }
    if (j->stored[i] == TAPE_NONE)
      j->stored[i] = add_input(j, (joint_input){FROM_FILE, i}, "stored", i);
    replace[from->element[i].op] = j->stored[i];
  }
  tape_id *at = tape_copy(j->t, from, replace);
  j->decay[time] = at[j->entry.decay];
  if (j->step[time] == TAPE_NONE && j->entry.step != TAPE_NONE)
    j->step[time] = at[j->entry.step];
  free(at);
  free(replace);
}

/* What stands for an element of the claim; TAPE_NONE with an error. */
static tape_id stand_in(joint *j, size_t element)
{
  claim_place place = j->binding.place[element];
  const char *name = j->c->given[j->binding.t->element[element].given].name;
  if (place.role == ROLE_INPUT) {
    if (!j->recording.b || !j->recording.u) {
      complain(j, "'%s' is the input, of which B and u are not given", name);
      return TAPE_NONE;
    }
    return tape_binary(j->t, TAPE_MULTIPLY, recorded(j, j->b, FROM_B, "B", place.time),
                       recorded(j, j->u, FROM_U, "u", place.time));
  }
  make_time(j, place.time);
  if (place.role == ROLE_DECAY)
    return j->decay[place.time];
  if (j->step[place.time] == TAPE_NONE)
    complain(j, "'%s' is the step, and the family has none", name);
  return j->step[place.time];
}

static tape_id moved(const tape_id *at, tape_id id)
{
  return id == TAPE_NONE ? TAPE_NONE : at[id];
}

/* The claim's operations, labels and atoms on the joint tape. */
static bool join(joint *j)
{
  const tape *from = j->binding.t;
  tape_id *replace = memory_new(from->ops, sizeof *replace);
  for (size_t i = 0; i < from->ops; i++)
    replace[i] = TAPE_NONE;
  bool good = true;
  for (size_t i = 0; i < from->elements && good; i++) {
    if (!tape_is_drawn(from, i))
      continue;
    tape_id id = stand_in(j, i);
    good = id != TAPE_NONE;
    replace[from->element[i].op] = id;
  }
  for (size_t i = 0; i < from->ops; i++) /* what was solved has left its input behind, which nothing uses */
    if (from->op[i].op == TAPE_INPUT && replace[i] == TAPE_NONE)
      replace[i] = tape_leaf(j->t, TAPE_UNDEFINED, TAPE_NONE);
  if (good) {
    tape_id *at = tape_copy(j->t, from, replace);
    for (size_t i = 0; i < from->atoms; i++) {
      tape_atom a = from->atom[i];
      a.truth = at[a.truth];
      a.left = moved(at, a.left);
      a.right = moved(at, a.right);
      tape_add_atom(j->t, a, from->index_name + a.first_index, from->index_value + a.first_index, a.indices);
    }
    for (size_t i = 0; i < from->labels; i++) {
      tape_label l = from->label[i];
      l.truth = at[l.truth];
      tape_add_label(j->t, l);
    }
    good = !j->t->full || complain(j, "%s", "its tape is too long at this length");
    free(at);
  }
  free(replace);
  return good;
}

static tape_id *new_ids(size_t n)
{
  tape_id *id = memory_new(n, sizeof *id);
  for (size_t i = 0; i < n; i++)
    id[i] = TAPE_NONE;
  return id;
}

/* A recorded step is not that of the bias point; the decay must follow from it. */
static bool check_step(joint *j)
{
  bool decides;
  if (model_step_decides(&decides, j->w, j->error) != STATUS_OK)
    return false;
  return decides || complain(j, "the decay of family %s does not follow from the step alone", j->w->layer->family->name);
}

static bool bind(joint *j)
{
  char *reason;
  bool good = claim_binding_create(&j->binding, j->c, j->recording.tokens, &reason);
  if (!good)
    dump_error_set(j->error, dump_name(j->w->file), "%s", reason);
  free(reason);
  if (good && !j->binding.timed && j->recording.tokens > 0) {
    j->recording.batch *= j->recording.tokens;
    j->recording.tokens = 1;
  }
  return good;
}

static bool make_joint(joint *j)
{
  entry_change change = {.step_given = j->recording.tokens > 0};
  const char *file = dump_name(j->w->file);
  if ((change.step_given && !check_step(j)) || !bind(j))
    return false;
  if (entry_create(&j->entry, j->w->layer, &j->w->shape, 0, 0, change, file, j->error) != STATUS_OK)
    return false;
  size_t times = j->recording.tokens ? j->recording.tokens : 1;
  j->t = tape_create(LIMIT_TAPE);
  j->stored = new_ids(j->entry.inputs + 1);
  j->step = new_ids(times);
  j->decay = new_ids(times);
  j->b = new_ids(times);
  j->u = new_ids(times);
  return join(j);
}

static void joint_clear(joint *j)
{
  claim_binding_clear(&j->binding);
  tape_destroy(j->t);
  if (j->entry.t)
    entry_clear(&j->entry);
  free(j->input);
  free(j->stored);
  free(j->step);
  free(j->decay);
  free(j->b);
  free(j->u);
}

/* ---- the entries ---- */

static double value_of(const joint *j, size_t input, size_t batch, size_t entry)
{
  const model_recording *r = &j->recording;
  size_t states = j->w->shape.states, channels = j->w->shape.channels, channel = entry / states, state = entry % states;
  size_t token = batch * r->tokens + j->input[input].number;
  uint64_t at;
  switch (j->input[input].kind) {
  case FROM_STEP:
    return r->delta[token * channels + channel];
  case FROM_B:
    return r->b[token * states + state];
  case FROM_U:
    return r->u[token * channels + channel];
  default:
    return entry_stored(&at, &j->entry, &j->w->store, entry, j->input[input].number);
  }
}

/* Instance batch * entries + entry. */
static uint32_t fill(void *context, double *input, uint64_t first, unsigned lanes)
{
  const joint *j = context;
  uint32_t counted = 0;
  for (unsigned lane = 0; lane < lanes; lane++) {
    size_t batch = (size_t)((first + lane) / j->w->entries), entry = (size_t)((first + lane) % j->w->entries);
    if (!model_valid(j->w, entry))
      continue;
    counted |= UINT32_C(1) << lane;
    for (size_t i = 0; i < j->t->elements; i++)
      input[i * LANES + lane] = value_of(j, i, batch, entry);
  }
  return counted;
}

static void decide_all(model_claim_result *r, joint *j)
{
  size_t batches = j->recording.tokens ? j->recording.batch : 1;
  claim_instances all = {.count = memory_multiply(batches, j->w->entries), .fill = fill, .context = j};
  claim_asker *a = claim_asker_create(j->t, j->w->options->precision_limit);
  claim_asker_run(a, &r->table, &all, j->w->options->threads, NULL);
  claim_asker_destroy(a);
  if (r->table.refuted == CLAIM_NOWHERE)
    return;
  r->batch = (size_t)(r->table.refuted / j->w->entries);
  r->channel = (size_t)(r->table.refuted % j->w->entries / j->w->shape.states);
  r->state = (size_t)(r->table.refuted % j->w->entries % j->w->shape.states);
}

assay_status model_run_claim(model_claim_result *r, const claim *c, const model_work *w, const model_recording *recording,
                             dump_error *error)
{
  *r = (model_claim_result){.claim = c->name};
  claim_table_init(&r->table);
  joint j = {.c = c, .w = w, .recording = *recording, .error = error};
  if (!w->shape.elementwise)
    complain(&j, "family %s has a tape of its own for each entry, which no claim is asked of", w->layer->family->name);
  bool good = w->shape.elementwise && make_joint(&j);
  if (good)
    decide_all(r, &j);
  joint_clear(&j);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}

void model_claim_result_clear(model_claim_result *r)
{
  claim_table_clear(&r->table);
  free(r->reason);
  *r = (model_claim_result){0};
}
