/* A claim, asked of the entries of a layer: its tape, with the family's in the place of what has a role. */
#include "check/model_claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "check/decide.h"
#include "check/model_signs.h"
#include "check/stage.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"
#include "lang/lower.h"
#include "tape/copy.h"
#include "tape/solve.h"

enum { SOLVE_LIMIT = 256 };

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
  int64_t *sizes;
  tape *claimed; /* the claim's, solved */
  tape *t;       /* the joint one */
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

static bool has_role(const claim_given *g, const char *role)
{
  return g->role && !strcmp(g->role, role);
}

static bool known_role(const claim_given *g)
{
  return has_role(g, "decay") || has_role(g, "step") || has_role(g, "input");
}

/* The size of an index 1..SIZE of a given; -1. */
static int index_size(const claim_given *g, unsigned position)
{
  const claim_position *p = &g->line[0].position[position];
  bool plain = g->lines == 1 && p->name && p->high->kind == NODE_SIZE && p->low->kind == NODE_NUMBER &&
               fmpq_is_one(p->low->number);
  return plain ? (int)p->high->symbol : -1;
}

typedef enum { AXIS_TIME, AXIS_STATE, AXIS_OTHER } axis;

/* What an index of a given runs over: the role of its size, or else its place. */
static axis axis_of(const joint *j, const claim_given *g, unsigned position)
{
  int size = index_size(g, position);
  const char *role = size < 0 ? NULL : j->c->size[size].role;
  if (!role)
    return position == 0 ? AXIS_TIME : position == 1 ? AXIS_STATE : AXIS_OTHER;
  return !strcmp(role, "time") ? AXIS_TIME : !strcmp(role, "state") ? AXIS_STATE : AXIS_OTHER;
}

static bool has_time(const joint *j, const claim_given *g)
{
  for (unsigned i = 0; i < g->positions; i++)
    if (axis_of(j, g, i) == AXIS_TIME)
      return true;
  return false;
}

static bool set_size(joint *j, const claim_given *g, unsigned position)
{
  int size = index_size(g, position);
  if (size < 0)
    return complain(j, "an index of '%s' is no range 1..SIZE", g->name);
  if (axis_of(j, g, position) == AXIS_OTHER)
    return complain(j, "an index of '%s' runs over something else than time and state", g->name);
  int64_t value = axis_of(j, g, position) == AXIS_TIME ? (int64_t)j->recording.tokens : 1;
  if (j->sizes[size] && j->sizes[size] != value)
    return complain(j, "'%s' has time and state bounded by one size", g->name);
  j->sizes[size] = value;
  return true;
}

/* Either all of what the model supplies has a time, or nothing has. */
static bool set_time(joint *j)
{
  const claim_given *timed = NULL, *timeless = NULL;
  for (unsigned i = 0; i < j->c->givens; i++) {
    const claim_given *g = &j->c->given[i];
    if (known_role(g))
      *(has_time(j, g) ? &timed : &timeless) = g;
  }
  if (!timed && !timeless)
    return complain(j, "%s", "nothing in it has the role decay, step or input");
  if (timed && j->recording.tokens == 0)
    return complain(j, "'%s' is a sequence, and no activations are given", timed->name);
  if (timed && timeless)
    return complain(j, "'%s' has no time, and other quantities do", timeless->name);
  if (timeless && j->recording.tokens > 0) {
    j->recording.batch *= j->recording.tokens;
    j->recording.tokens = 1;
  }
  return true;
}

static bool set_sizes(joint *j)
{
  const claim *c = j->c;
  j->sizes = memory_new(c->sizes, sizeof *j->sizes);
  for (unsigned i = 0; i < c->givens; i++) {
    const claim_given *g = &c->given[i];
    if (!known_role(g))
      continue;
    if (g->positions > 2)
      return complain(j, "'%s' has more indices than time and state", g->name);
    for (unsigned k = 0; k < g->positions; k++)
      if (!set_size(j, g, k))
        return false;
  }
  for (unsigned i = 0; i < c->sizes; i++)
    if (!j->sizes[i])
      return complain(j, "nothing tells the size %s", c->size[i].name);
  if (!lower_sizes_admissible(c, j->sizes))
    return complain(j, "%s", "it does not admit sequences of this length");
  return true;
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
static tape_id stand_in(joint *j, size_t element, size_t time)
{
  const claim_given *g = &j->c->given[j->claimed->element[element].given];
  if (has_role(g, "input")) {
    if (!j->recording.b || !j->recording.u) {
      complain(j, "'%s' is the input, of which B and u are not given", g->name);
      return TAPE_NONE;
    }
    return tape_binary(j->t, TAPE_MULTIPLY, recorded(j, j->b, FROM_B, "B", time), recorded(j, j->u, FROM_U, "u", time));
  }
  if (has_role(g, "decay") || has_role(g, "step")) {
    make_time(j, time);
    if (has_role(g, "decay"))
      return j->decay[time];
    if (j->step[time] == TAPE_NONE)
      complain(j, "'%s' is the step, and the family has none", g->name);
    return j->step[time];
  }
  complain(j, "nothing supplies '%s'", j->claimed->element[element].name);
  return TAPE_NONE;
}

static tape_id moved(const tape_id *at, tape_id id)
{
  return id == TAPE_NONE ? TAPE_NONE : at[id];
}

/* The claim's operations, labels and atoms on the joint tape. */
static bool join(joint *j)
{
  const tape *from = j->claimed;
  tape_id *replace = memory_new(from->ops, sizeof *replace);
  for (size_t i = 0; i < from->ops; i++)
    replace[i] = TAPE_NONE;
  bool good = true;
  size_t time = 0;
  for (size_t i = 0; i < from->elements && good; i++) {
    /* The elements of a given come in the order of time: of states there is one. */
    time = i > 0 && from->element[i].given == from->element[i - 1].given ? time + 1 : 0;
    if (!tape_is_drawn(from, i))
      continue;
    tape_id id = stand_in(j, i, time);
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

/* The first line of a message of the claim language. */
static bool complain_first(joint *j, const diag *d)
{
  text line;
  text_init(&line);
  text_add_bytes(&line, diag_text(d), strcspn(diag_text(d), "\n"));
  complain(j, "%s", text_string(&line));
  text_clear(&line);
  return false;
}

/* The claim's tape. Solved for is only what the model does not supply: what it does has the values that it has. */
static bool lower_and_solve(joint *j)
{
  diag *d = diag_create(NULL, 1);
  j->claimed = lower_claim(d, j->c, j->sizes, LIMIT_TAPE);
  bool good = j->claimed || complain_first(j, d);
  diag_destroy(d);
  if (!good)
    return false;
  bool *may = memory_new(j->c->givens, sizeof *may);
  for (unsigned i = 0; i < j->c->givens; i++)
    may[i] = !known_role(&j->c->given[i]);
  tape_solve_some(j->claimed, SOLVE_LIMIT, may);
  free(may);
  return !j->claimed->full || complain(j, "%s", "its tape is too long at this length");
}

/* A recorded step is not that of the bias point; the decay must follow from it. */
static bool check_step(joint *j)
{
  bool decides;
  if (model_step_decides(&decides, j->w, j->error) != STATUS_OK)
    return false;
  return decides || complain(j, "the decay of family %s does not follow from the step alone", j->w->layer->family->name);
}

static bool concludes(const claim *c)
{
  for (unsigned i = 0; i < c->labels; i++)
    if (c->label[i].kind == LABEL_SHOW)
      return true;
  return false;
}

static bool make_joint(joint *j)
{
  entry_change change = {.step_given = j->recording.tokens > 0};
  const char *file = dump_name(j->w->file);
  if (!concludes(j->c))
    return complain(j, "%s", "it has no conclusion");
  if ((change.step_given && !check_step(j)) || !set_time(j) || !set_sizes(j))
    return false;
  if (entry_create(&j->entry, j->w->layer, &j->w->shape, 0, 0, change, file, j->error) != STATUS_OK || !lower_and_solve(j))
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
  tape_destroy(j->claimed);
  tape_destroy(j->t);
  if (j->entry.t)
    entry_clear(&j->entry);
  free(j->sizes);
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

static int outcome(truth t)
{
  return t == TRUTH_TRUE ? CLAIM_TRUE : t == TRUTH_FALSE ? CLAIM_FALSE : CLAIM_UNKNOWN;
}

/* All conclusions together: one that is false makes it false. */
static truth conclusions(const decider_state *s, const tape *t)
{
  truth all = TRUTH_TRUE;
  for (size_t i = 0; i < t->labels; i++) {
    if (t->label[i].kind != TAPE_SHOW)
      continue;
    truth one = decide_label(s, i);
    if (one == TRUTH_FALSE)
      return TRUTH_FALSE;
    all = one == TRUTH_TRUE ? all : TRUTH_UNKNOWN;
  }
  return all;
}

static bool is_hypothesis(const tape_label *l)
{
  return l->kind == TAPE_RANGE || l->kind == TAPE_ASSUME;
}

/* One number for each (batch, entry): hypotheses * CLAIM_OUTCOMES + conclusions. */
static void decide_one(unsigned char *found, uint64_t *failures, const joint *j, decider_state *s, fmpq *value, size_t batch,
                       size_t entry)
{
  bool finite = true;
  for (size_t i = 0; i < j->t->elements && finite; i++) {
    double x = value_of(j, i, batch, entry);
    finite = isfinite(x);
    if (finite)
      rational_set_double(&value[i], x);
  }
  *found = CLAIM_UNKNOWN * CLAIM_OUTCOMES + CLAIM_UNKNOWN;
  if (!finite)
    return;
  decide_instance(s, value, DECIDE_LADDER);
  *found = (unsigned char)(outcome(decide_hypotheses(s)) * CLAIM_OUTCOMES + outcome(conclusions(s, j->t)));
  for (size_t i = 0; i < j->t->labels; i++)
    if (is_hypothesis(&j->t->label[i]) && decide_label(s, i) == TRUTH_FALSE) {
#pragma omp atomic
      failures[i]++;
    }
}

static void decide_all(unsigned char *found, uint64_t *failures, const joint *j, size_t batches)
{
  decider *d = decider_create(j->t, j->w->options->precision_limit);
  size_t total = batches * j->w->entries;
#ifdef _OPENMP
  int threads = j->w->options->threads > 0 ? j->w->options->threads : omp_get_max_threads();
#endif
#pragma omp parallel num_threads(threads)
  {
    decider_state *s = decider_state_create(d);
    fmpq *value = stage_new_values(j->t->elements);
#pragma omp for schedule(dynamic, 16)
    for (size_t k = 0; k < total; k++)
      if (model_valid(j->w, k % j->w->entries))
        decide_one(&found[k], failures, j, s, value, k / j->w->entries, k % j->w->entries);
    stage_free_values(value, j->t->elements);
    decider_state_destroy(s);
#ifdef _OPENMP
    if (omp_get_thread_num() != 0)
      flint_cleanup();
#endif
  }
  decider_destroy(d);
}

static void sum_up(model_claim_result *r, const joint *j, const unsigned char *found, const uint64_t *failures, size_t batches)
{
  for (size_t k = 0; k < batches * j->w->entries; k++) {
    if (!model_valid(j->w, k % j->w->entries))
      continue;
    r->count[found[k] / CLAIM_OUTCOMES][found[k] % CLAIM_OUTCOMES]++;
    if (!r->refuted && found[k] == CLAIM_TRUE * CLAIM_OUTCOMES + CLAIM_FALSE) {
      r->refuted = true;
      r->batch = k / j->w->entries;
      r->channel = k % j->w->entries / j->w->shape.states;
      r->state = k % j->w->entries % j->w->shape.states;
    }
  }
  r->failing = memory_new(j->t->labels, sizeof *r->failing);
  r->failures = memory_new(j->t->labels, sizeof *r->failures);
  for (size_t i = 0; i < j->t->labels; i++)
    if (failures[i]) {
      r->failing[r->failing_count] = memory_copy_string(j->t->label[i].name);
      r->failures[r->failing_count++] = failures[i];
    }
}

assay_status model_run_claim(model_claim_result *r, const claim *c, const model_work *w, const model_recording *recording,
                             dump_error *error)
{
  *r = (model_claim_result){.claim = c->name};
  joint j = {.c = c, .w = w, .recording = *recording, .error = error};
  if (!w->shape.elementwise)
    complain(&j, "family %s has a tape of its own for each entry, which no claim is asked of", w->layer->family->name);
  bool good = w->shape.elementwise && make_joint(&j);
  if (good) {
    size_t batches = j.recording.tokens ? j.recording.batch : 1;
    unsigned char *found = memory_new(memory_multiply(batches, w->entries), 1);
    uint64_t *failures = memory_new(j.t->labels + 1, sizeof *failures);
    decide_all(found, failures, &j, batches);
    sum_up(r, &j, found, failures, batches);
    free(found);
    free(failures);
  }
  joint_clear(&j);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}

void model_claim_result_clear(model_claim_result *r)
{
  for (size_t i = 0; i < r->failing_count; i++)
    free(r->failing[i]);
  free(r->failing);
  free(r->failures);
  free(r->reason);
  *r = (model_claim_result){0};
}
