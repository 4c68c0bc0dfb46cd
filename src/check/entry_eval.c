/* Values of entries. */
#include "check/entry_eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rational.h"
#include "core/target.h"

struct entry_eval {
  const entry_tape *e;
  tape_program *program;
  bounded_state *bounded;
  ball_state *ball;
  double *lanes; /* of the inputs, input by input */
  fmpq *exact;
  int output[ENTRY_VALUES]; /* of the program; -1: the family does not have it. Output 0 is `fits` */
};

enum { BALL_EXACT_BITS = 1 << 12 };

tape_id entry_operation(const entry_tape *e, entry_value which)
{
  const tape_id op[ENTRY_VALUES] = {e->margin, e->log_decay, e->decay, e->rate, e->step};
  return op[which];
}

entry_eval *entry_eval_create(const entry_tape *e)
{
  entry_eval *v = memory_new(1, sizeof *v);
  v->e = e;
  tape_id output[1 + ENTRY_VALUES] = {e->fits};
  size_t n = 1;
  for (int k = 0; k < ENTRY_VALUES; k++) {
    v->output[k] = entry_operation(e, (entry_value)k) == TAPE_NONE ? -1 : (int)n;
    if (v->output[k] >= 0)
      output[n++] = entry_operation(e, (entry_value)k);
  }
  v->program = tape_compile(e->t, output, n, n, false);
  v->bounded = bounded_create(v->program);
  v->ball = ball_create(v->program, BALL_EXACT_BITS);
  v->lanes = memory_new(memory_multiply(e->inputs + 1, LANES), sizeof *v->lanes);
  v->exact = memory_new(e->inputs + 1, sizeof *v->exact);
  for (size_t i = 0; i < e->inputs; i++)
    fmpq_init(&v->exact[i]);
  return v;
}

void entry_eval_destroy(entry_eval *v)
{
  if (!v)
    return;
  for (size_t i = 0; i < v->e->inputs; i++)
    fmpq_clear(&v->exact[i]);
  bounded_destroy(v->bounded);
  ball_destroy(v->ball);
  tape_program_destroy(v->program);
  free(v->lanes);
  free(v->exact);
  free(v);
}

double entry_stored(uint64_t *at, const entry_tape *e, const entry_store *store, size_t entry, size_t i)
{
  const entry_input *in = &e->input[i];
  size_t channel = entry / store->states, state = entry % store->states;
  *at = in->base + channel * in->per_channel + state * in->per_state;
  return in->given == UINT32_MAX ? store->free[channel] : store->value[in->given][*at];
}

/* The block of a stored input. Most tensors have a number for each entry, in the order of the entries, or one for each
 * channel. */
static void gather_stored(double *lane, const entry_input *in, const entry_store *store, size_t first, size_t count)
{
  const double *value = store->value[in->given] + in->base;
  if (in->per_state == 1 && in->per_channel == store->states) {
    memcpy(lane, value + first, count * sizeof *lane);
    return;
  }
  size_t channel = first / store->states, state = first % store->states;
  for (size_t i = 0; i < count; channel++, state = 0) {
    size_t end = count - i < store->states - state ? count : i + store->states - state;
    const double *from = value + channel * in->per_channel + state * in->per_state;
    for (; i < end; i++, from += in->per_state)
      lane[i] = *from;
  }
}

static void gather(double *lane, const entry_input *in, const entry_store *store, size_t first, size_t count)
{
  if (in->given != UINT32_MAX)
    gather_stored(lane, in, store, first, count);
  else
    for (size_t i = 0; i < count; i++)
      lane[i] = store->free[(first + i) / store->states];
  for (size_t i = count; i < LANES; i++)
    lane[i] = lane[0];
}

void entry_eval_block(entry_eval *v, const entry_store *store, size_t first, size_t count)
{
  for (size_t i = 0; i < v->e->inputs; i++)
    gather(v->lanes + i * LANES, &v->e->input[i], store, first, count);
  bounded_run_first(v->bounded, v->lanes);
}

void entry_eval_bounds(double *low, double *high, const entry_eval *v, entry_value which, size_t count)
{
  double ends[2][LANES];
  size_t output = (size_t)v->output[which];
  if (count == LANES) {
    bounded_enclosures(v->bounded, output, low, high);
    return;
  }
  bounded_enclosures(v->bounded, output, ends[0], ends[1]);
  memcpy(low, ends[0], count * sizeof *low);
  memcpy(high, ends[1], count * sizeof *high);
}

/* |x|, as an integer that grows with it: NaN above all. */
static inline int64_t magnitude(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int64_t)(bits & INT64_MAX);
}

enum { INFINITE_BITS = 0x7ff, SMALL_BITS = 0x3ff - 64, FRACTION_BITS = 52 }; /* exponents of infinity, of 2^-64 */
#define INFINITE_MAGNITUDE ((int64_t)INFINITE_BITS << FRACTION_BITS)
#define SMALL_MAGNITUDE ((int64_t)SMALL_BITS << FRACTION_BITS)

/* Not 0 when a lane of the block is not finite, or collapsed, as hardly ever any is. */
TARGET_VECTOR static int64_t any_odd(const double *restrict lane)
{
  int64_t any = 0;
  for (unsigned i = 0; i < LANES; i++) {
    int64_t x = magnitude(lane[i]);
    any |= (int64_t)(x >= INFINITE_MAGNITUDE) | ((int64_t)(x > 0) & (int64_t)(x < SMALL_MAGNITUDE));
  }
  return any;
}

static bool has_odd(const entry_eval *v)
{
  int64_t any = 0;
  for (size_t i = 0; i < v->e->inputs; i++)
    any |= any_odd(v->lanes + i * LANES);
  return any != 0;
}

uint32_t entry_eval_invalid(const entry_eval *v)
{
  uint32_t found = 0;
  if (!has_odd(v))
    return 0;
  for (size_t i = 0; i < v->e->inputs; i++)
    for (unsigned lane = 0; lane < LANES; lane++)
      found |= (uint32_t)!isfinite(v->lanes[i * LANES + lane]) << lane;
  return found;
}

uint32_t entry_eval_collapsed(const entry_eval *v)
{
  uint32_t found = 0;
  if (!has_odd(v))
    return 0;
  for (size_t i = 0; i < v->e->inputs; i++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      double x = fabs(v->lanes[i * LANES + lane]);
      found |= (uint32_t)(x > 0 && x < 0x1p-64) << lane;
    }
  return found;
}

uint32_t entry_eval_fits(const entry_eval *v)
{
  return bounded_true(v->bounded, 0);
}

uint32_t entry_eval_strays(const entry_eval *v)
{
  return bounded_false(v->bounded, 0);
}

void entry_eval_ball(entry_eval *v, const entry_store *store, size_t entry, slong precision)
{
  uint64_t at;
  for (size_t i = 0; i < v->e->inputs; i++)
    rational_set_double(&v->exact[i], entry_stored(&at, v->e, store, entry, i));
  ball_run(v->ball, v->exact, precision, true);
}

bool entry_eval_enclosure(arb_t value, const entry_eval *v, entry_value which)
{
  return v->output[which] >= 0 && ball_value(value, v->ball, (size_t)v->output[which]) == STATUS_OK &&
         !arf_is_nan(arb_midref(value));
}

truth entry_eval_fit(const entry_eval *v)
{
  return ball_truth(v->ball, 0);
}
