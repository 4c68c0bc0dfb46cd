/* The adversary: climbs from the most promising random instances towards a violated conclusion, with the gradient of the
 * margin from the tape, then rounds what it reached to simple rationals that meet the hypotheses exactly.
 *
 * All of this is plain double arithmetic and guesswork; search_try decides. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "check/search_internal.h"
#include "core/memory.h"
#include "core/rational.h"
#include "source/simplest.h"

enum {
  START_BLOCKS = 8,
  STEP_BUDGET = 3000000, /* tape steps of one climb */
  LEAST_STEPS = 30,
  MOST_STEPS = 250,
  ROUNDINGS = 7,
  MOST_STEPS_KEPT = 1 << 20, /* gradients keep every value of a block: 256 bytes for each step */
  MOST_VARIABLES = 40    /* SLSQP takes their cube per step; beyond it corners must do */
};

/* The attempt number of the streams that starting points are drawn from; the sweep uses 0. */
static const uint32_t start_attempt = 0x41445600u;

typedef struct {
  const search *s;
  search_case *c;
  search_worker *w;
  size_t variables;
  size_t *element;    /* of each variable */
  double *low, *high; /* of each variable; finite */
  double *x, *gradient;
  double best;        /* least objective among points that seem to meet the hypotheses */
  double *best_x;
  double *last_x;     /* where the tape was evaluated last, if `evaluated` */
  bool evaluated;
} climb;

/* The margin that the adversary wants below 0: the least margin of a show, or minus the greatest of a `possible`. */
static double objective_margin(climb *k, unsigned lane, size_t *output, double *sign)
{
  const uint32_t *labels;
  size_t targets = search_targets(k->s, &labels);
  double least = INFINITY;
  *output = SIZE_MAX;
  for (size_t i = 0; i < targets; i++) {
    if (k->s->found[i])
      continue;
    double direction = k->c->g.plain->label[labels[i]].kind == TAPE_SHOW ? 1 : -1;
    double margin = direction * real_output(k->w->real, i + 1)[lane];
    if (margin < least) {
      least = margin;
      *output = i + 1;
      *sign = direction;
    }
  }
  return least;
}

/* Evaluates the tape at x, unless it was evaluated there last: objective and constraint are asked for by turns. */
static void evaluate(climb *k, const double *x)
{
  if (k->evaluated && !memcmp(k->last_x, x, k->variables * sizeof *x))
    return;
  memcpy(k->last_x, x, k->variables * sizeof *x);
  k->evaluated = true;
  for (size_t i = 0; i < k->variables; i++)
    for (unsigned lane = 0; lane < LANES; lane++)
      k->w->input[k->element[i] * LANES + lane] = x[i];
  real_run(k->w->real, k->w->input, 0, decider_program_kept(k->c->g.block_decider)->steps);
}

/* Least margin, and on the way the best point that meets the hypotheses as far as doubles can tell. */
static double objective(unsigned n, const double *x, double *gradient, void *context)
{
  climb *k = context;
  double sign = 1;
  size_t output;
  evaluate(k, x);
  double margin = objective_margin(k, 0, &output, &sign);
  double hypotheses = real_output(k->w->real, 0)[0];
  if (margin < k->best && hypotheses >= -1e-12) {
    k->best = margin;
    memcpy(k->best_x, x, k->variables * sizeof *x);
  }
  if (gradient) {
    memset(gradient, 0, n * sizeof *gradient);
    if (output != SIZE_MAX && isfinite(margin)) {
      real_gradient(k->w->real, output, 0, k->gradient);
      for (size_t i = 0; i < k->variables; i++)
        gradient[i] = isfinite(k->gradient[k->element[i]]) ? sign * k->gradient[k->element[i]] : 0;
    }
  }
  return isfinite(margin) ? margin : 1e300;
}

/* <= 0 where the hypotheses hold. */
static double constraint(unsigned n, const double *x, double *gradient, void *context)
{
  climb *k = context;
  evaluate(k, x);
  double margin = real_output(k->w->real, 0)[0];
  if (gradient) {
    memset(gradient, 0, n * sizeof *gradient);
    if (isfinite(margin)) {
      real_gradient(k->w->real, 0, 0, k->gradient);
      for (size_t i = 0; i < k->variables; i++)
        gradient[i] = isfinite(k->gradient[k->element[i]]) ? -k->gradient[k->element[i]] : 0;
    }
  }
  return isfinite(margin) ? -margin : 1e300;
}

static double constant_end(const tape *t, tape_id id, double otherwise)
{
  if (id == TAPE_NONE || t->op[id].op != TAPE_CONSTANT)
    return otherwise;
  return rational_near_double(&t->constant[t->op[id].a]);
}

static void make_climb(climb *k)
{
  const tape *t = k->c->g.solved;
  k->element = memory_new(t->elements, sizeof *k->element);
  k->low = memory_new(t->elements, sizeof *k->low);
  k->high = memory_new(t->elements, sizeof *k->high);
  k->x = memory_new(t->elements, sizeof *k->x);
  k->best_x = memory_new(t->elements, sizeof *k->best_x);
  k->last_x = memory_new(t->elements, sizeof *k->last_x);
  k->gradient = memory_new(t->elements, sizeof *k->gradient);
  for (size_t e = 0; e < t->elements; e++) {
    if (!tape_is_drawn(t, e))
      continue;
    size_t i = k->variables++;
    k->element[i] = e;
    k->low[i] = constant_end(t, t->element[e].low, -1e9);
    k->high[i] = constant_end(t, t->element[e].high, 1e9);
    if (k->low[i] > k->high[i])
      k->low[i] = k->high[i];
  }
  if (!k->w->real)
    k->w->real = real_create(decider_program_kept(k->c->g.block_decider));
}

static void clear_climb(climb *k)
{
  free(k->element);
  free(k->low);
  free(k->high);
  free(k->x);
  free(k->best_x);
  free(k->last_x);
  free(k->gradient);
}

/* The most promising of START_BLOCKS blocks of random instances. False when none has finite margins. */
static bool choose_start(climb *k, unsigned start)
{
  double best = INFINITY;
  for (unsigned b = 0; b < START_BLOCKS; b++) {
    drawer_fill(k->w->draw, k->w->input, k->s->options->seed, k->s->key,
                (uint64_t)(start * START_BLOCKS + b) * LANES, start_attempt);
    real_run(k->w->real, k->w->input, 0, decider_program_kept(k->c->g.block_decider)->steps);
    const double *hypotheses = real_output(k->w->real, 0);
    for (unsigned lane = 0; lane < LANES; lane++) {
      size_t output;
      double sign, margin = objective_margin(k, lane, &output, &sign);
      double score = margin + (hypotheses[lane] < 0 ? -100 * hypotheses[lane] : 0);
      if (!(score < best))
        continue;
      best = score;
      for (size_t i = 0; i < k->variables; i++) {
        double v = k->w->input[k->element[i] * LANES + lane];
        k->x[i] = v < k->low[i] ? k->low[i] : v > k->high[i] ? k->high[i] : v;
      }
    }
  }
  return isfinite(best);
}

static void run_climb(climb *k)
{
  size_t steps = decider_program_kept(k->c->g.block_decider)->steps + 1;
  size_t turns = STEP_BUDGET / (steps * 8);
  nlopt_opt o = nlopt_create(NLOPT_LD_SLSQP, (unsigned)k->variables);
  if (!o)
    memory_die("out of memory");
  nlopt_set_lower_bounds(o, k->low);
  nlopt_set_upper_bounds(o, k->high);
  nlopt_set_min_objective(o, objective, k);
  nlopt_add_inequality_constraint(o, constraint, k, 0);
  nlopt_set_maxeval(o, (int)(turns < LEAST_STEPS ? LEAST_STEPS : turns > MOST_STEPS ? MOST_STEPS : turns));
  nlopt_set_xtol_rel(o, 1e-9);
  k->best = INFINITY;
  k->evaluated = false;
  memcpy(k->best_x, k->x, k->variables * sizeof *k->x);
  double value;
  nlopt_optimize(o, k->x, &value); /* whatever it returns: the best point is in best_x */
  nlopt_destroy(o);
}

/* Rounds to the simplest rationals within 2^-bits of the size of each value (0: not at all). */
static void round_point(const climb *k, const double *x, int bits, fmpq *value)
{
  fmpq_t radius, low, high;
  fmpq_init(radius);
  fmpq_init(low);
  fmpq_init(high);
  for (size_t e = 0; e < k->c->g.plain->elements; e++)
    fmpq_zero(&value[e]);
  for (size_t i = 0; i < k->variables; i++) {
    fmpq *v = &value[k->element[i]];
    rational_set_double(v, x[i]);
    if (!bits)
      continue;
    double size = ldexp(fabs(x[i]) > 1 ? fabs(x[i]) : 1, -bits);
    rational_set_double(radius, size);
    fmpq_sub(low, v, radius);
    fmpq_add(high, v, radius);
    rational_set_double(radius, k->low[i]);
    if (fmpq_cmp(low, radius) < 0)
      fmpq_set(low, radius);
    rational_set_double(radius, k->high[i]);
    if (fmpq_cmp(high, radius) > 0)
      fmpq_set(high, radius);
    if (fmpq_cmp(low, high) <= 0)
      simplest_between(v, low, high);
  }
  fmpq_clear(radius);
  fmpq_clear(low);
  fmpq_clear(high);
}

static bool try_point(search *s, climb *k, size_t case_number, const double *x, unsigned start, search_hit *hit)
{
  static const int bits[ROUNDINGS] = {0, 30, 16, 10, 6, 4, 2};
  size_t elements = k->c->g.plain->elements;
  fmpq *value = stage_new_values(elements);
  bool found = false;
  uint64_t affordable = search_affordable(s, k->c);
  for (unsigned r = 0; r < ROUNDINGS && r < affordable && !found && !search_should_stop(s); r++) {
    size_t target;
    round_point(k, x, bits[r], value);
    if (!search_try(s, case_number, value, SOURCE_ADVERSARY, &target))
      continue;
    check_origin origin = {s->options->seed, start, r, SOURCE_ADVERSARY};
    *hit = (search_hit){.case_number = case_number, .target = target, .value = value, .origin = origin};
    found = true;
  }
  if (!found)
    stage_free_values(value, elements);
  return found;
}

/* Runs one of the two ways from `starts` starting points. */
static bool run_starts(search *s, size_t case_number, bool corners, unsigned starts, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  if (!c->draw || decider_program_kept(c->g.block_decider)->steps > MOST_STEPS_KEPT)
    return false;
  climb k = {.s = s, .c = c, .w = search_worker_of(s, c, 0)};
  make_climb(&k);
  bool found = false;
  uint64_t affordable = 1 + search_affordable(s, c) / ROUNDINGS;
  starts = affordable < starts ? (unsigned)affordable : starts;
  for (unsigned start = 0; start < starts && k.variables && !found && !search_should_stop(s); start++) {
    if (corners) {
      double *x = memory_new(c->g.plain->elements, sizeof *x);
      bool reached = search_corners(s, case_number, start, x);
      for (size_t i = 0; i < k.variables; i++)
        k.best_x[i] = x[k.element[i]];
      free(x);
      found = reached && try_point(s, &k, case_number, k.best_x, start, hit);
    } else if (choose_start(&k, start)) {
      run_climb(&k);
      found = try_point(s, &k, case_number, k.best_x, start, hit) || try_point(s, &k, case_number, k.x, start, hit);
    }
  }
  clear_climb(&k);
  return found;
}

bool search_from_corners(search *s, size_t case_number, unsigned starts, search_hit *hit)
{
  return run_starts(s, case_number, true, starts, hit);
}

bool search_by_climbing(search *s, size_t case_number, unsigned starts, search_hit *hit)
{
  bool small = s->at[case_number].g.plain->elements <= MOST_VARIABLES;
  return small && run_starts(s, case_number, false, starts, hit);
}
