/* The assumption for every admissible input. */
#include "check/model_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/input_path.h"
#include "check/model_signs.h"
#include "core/memory.h"

/* The ends of the four intervals of steps, channel by channel, as doubles: every step of every input lies in
 * [least, greatest]; there is an input with a step <= low, and one with a step >= high. */
typedef struct {
  double *least, *greatest, *low, *high; /* one block of memory, owned by least */
} step_ends;

/* Models whose tensors look like another's, and whose input reaches the step on another way: told by what a file says about
 * itself. value: that it must have (`wanted`), where it has any, or must not have. */
static const struct {
  const char *key, *value;
  bool wanted;
  const char *reason;
} other_ways[] = {
    {"config.model_type", "falcon_mamba", false, "the model norms the low-rank step: its configuration says falcon_mamba"},
    {"mamba.ssm.dt_b_c_rms", "true", false, "the model norms the low-rank step: mamba.ssm.dt_b_c_rms is true"},
    {"config.hidden_act", "silu", true, "the model's activation is not silu: its configuration has another hidden_act"},
};

/* Why nothing is concluded; NULL. */
static const char *find_other_way(const dump_file *file)
{
  for (size_t i = 0; i < sizeof other_ways / sizeof *other_ways; i++) {
    const char *value = dump_note(file, other_ways[i].key);
    if (value && !strcmp(value, other_ways[i].value) != other_ways[i].wanted)
      return other_ways[i].reason;
  }
  return NULL;
}

/* The step at activation p, rounded down or up. */
static double step_at(entry_eval *v, entry_store *store, double *activation, size_t channel, double p, bool up)
{
  double result = up ? INFINITY : -INFINITY;
  arb_t x;
  arf_t end;
  if (!isfinite(p))
    return result;
  arb_init(x);
  arf_init(end);
  activation[channel] = p;
  entry_eval_ball(v, store, channel * store->states, 128);
  if (entry_eval_enclosure(x, v, ENTRY_STEP)) {
    if (up)
      arb_get_ubound_arf(end, x, 64);
    else
      arb_get_lbound_arf(end, x, 64);
    if (!arf_is_nan(end))
      result = arf_get_d(end, up ? ARF_RND_CEIL : ARF_RND_FLOOR);
  }
  arb_clear(x);
  arf_clear(end);
  return result;
}

static void find_steps(step_ends *s, const model_work *w, const entry_tape *e, const input_path *path)
{
  size_t n = w->shape.channels;
  entry_store store = w->store;
  double *activation = memory_new(n, sizeof *activation);
  store.free = activation;
  s->least = memory_new(memory_multiply(4, n), sizeof *s->least);
  s->greatest = s->least + n;
  s->low = s->least + 2 * n;
  s->high = s->least + 3 * n;
  entry_eval *v = entry_eval_create(e);
  for (size_t c = 0; c < n; c++) {
    s->least[c] = step_at(v, &store, activation, c, path->low[c], false);
    s->greatest[c] = step_at(v, &store, activation, c, path->high[c], true);
    s->low[c] = step_at(v, &store, activation, c, path->reach_low[c], true);
    s->high[c] = step_at(v, &store, activation, c, path->reach_high[c], false);
  }
  entry_eval_destroy(v);
  free(activation);
}

static void count(model_inputs *r, const model_work *w, const unsigned char *least, const unsigned char *greatest,
                  const unsigned char *low, const unsigned char *high)
{
  for (size_t i = 0; i < w->entries; i++) {
    if (!model_valid(w, i))
      continue;
    if (greatest[i] == MARGIN_NOT_POSITIVE)
      r->holds++;
    else if (least[i] == MARGIN_POSITIVE)
      r->fails++;
    else if (low[i] == MARGIN_NOT_POSITIVE && high[i] == MARGIN_POSITIVE)
      r->depends++;
    else
      r->unknown++;
  }
}

static void decide(model_inputs *r, const model_work *w, const entry_tape *e, const step_ends *s)
{
  unsigned char *sign = memory_new(memory_multiply(4, w->entries), 1);
  const double *const steps[] = {s->least, s->greatest, s->low, s->high};
  double low[4], high[4];
  for (int k = 0; k < 4; k++)
    model_signs(sign + (size_t)k * w->entries, &low[k], &high[k], w, e, steps[k]);
  count(r, w, sign, sign + w->entries, sign + 2 * w->entries, sign + 3 * w->entries);
  /* a < 0: the smallest step makes the largest A. */
  r->log_a_max = high[0] < 0 ? high[0] : 0;
  r->log_a_min = low[1];
  free(sign);
}

/* The convexity that `count` rests on holds from Delta = 0 on. */
static bool is_negative_somewhere(const step_ends *s, size_t channels)
{
  for (size_t c = 0; c < channels; c++)
    if (!(s->least[c] >= 0))
      return true;
  return false;
}

static void conclude(model_inputs *r, const model_work *w, const entry_tape *moved, const entry_tape *given,
                     const input_path *path)
{
  step_ends s;
  find_steps(&s, w, moved, path);
  if (is_negative_somewhere(&s, path->channels)) {
    r->reason = "the step may be negative";
  } else {
    r->known = true;
    r->reason = NULL;
    decide(r, w, given, &s);
    r->step_min = s.least[0];
    r->step_max = s.greatest[0];
    for (size_t c = 1; c < path->channels; c++) {
      r->step_min = s.least[c] < r->step_min ? s.least[c] : r->step_min;
      r->step_max = s.greatest[c] > r->step_max ? s.greatest[c] : r->step_max;
    }
  }
  free(s.least);
}

assay_status model_find_inputs(model_inputs *r, const model_work *w, dump_error *error)
{
  *r = (model_inputs){.reason = "the family has no rate, or the layer is none whose steps depend on the channel alone"};
  bool decides;
  assay_status status = model_step_decides(&decides, w, error);
  if (status != STATUS_OK || !decides || !w->margin.low)
    return status;
  r->reason = find_other_way(w->file);
  if (r->reason)
    return STATUS_OK;
  entry_tape moved, given;
  const char *file = dump_name(w->file);
  status = entry_create(&moved, w->layer, &w->shape, 0, 0, (entry_change){.activation = true}, file, error);
  if (status != STATUS_OK)
    return status;
  status = entry_create(&given, w->layer, &w->shape, 0, 0, (entry_change){.step_given = true}, file, error);
  input_path path = {0};
  if (status == STATUS_OK && !entry_step_rises(&moved)) {
    r->reason = "the step is not known to rise with what the input adds";
  } else if (status == STATUS_OK) {
    status = input_path_create(&path, &r->reason, w->layer, w->file, error);
    if (status == STATUS_OK && path.channels == w->shape.channels)
      conclude(r, w, &moved, &given, &path);
    else if (status == STATUS_OK)
      r->reason = "the projection to the step has another number of channels than the step";
    status = status == STATUS_UNABLE ? STATUS_OK : status;
  }
  input_path_clear(&path);
  entry_clear(&moved);
  entry_clear(&given);
  return status;
}
