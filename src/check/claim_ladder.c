/* A claim, asked of many instances: the ladder. */
#include <math.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "arith/arith.h"
#include "check/claim_table_internal.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"

/* ---- one thread ---- */

typedef struct {
  const claim_asker *a;
  claim_table table;
  bounded_state *bounded;
  double *input;        /* elements * LANES */
  double *low, *high;   /* of the slack in each lane */
  uint32_t *yes, *no;   /* lanes in which `bounded` is certain of a label */
  truth *truth;         /* of the labels in one lane */
  arf_t least;          /* lower end of its slack */
  /* For lanes that climb; what is NULL is made when first needed: */
  bounded_state *bounded_parts;
  bool ran_parts;             /* on this block */
  ball_state *ball_parts;
  tape_program **part_program;
  exact_state **exact_part;   /* of each part */
  exact_state **exact;        /* of each label */
  ball_state **ball;          /* of each label */
  fmpq *value;                /* of one lane */
  truth *part;                /* of one lane */
} worker;

static void worker_init(worker *w, const claim_asker *a)
{
  size_t parts = a->first_part[a->asked];
  *w = (worker){.a = a, .bounded = bounded_create(a->all)};
  claim_table_init(&w->table);
  claim_table_set_labels(&w->table, a);
  w->input = memory_new(memory_multiply(a->t->elements, LANES), sizeof *w->input);
  w->low = memory_new(LANES, sizeof *w->low);
  w->high = memory_new(LANES, sizeof *w->high);
  w->yes = memory_new(a->asked, sizeof *w->yes);
  w->no = memory_new(a->asked, sizeof *w->no);
  w->truth = memory_new(a->asked, sizeof *w->truth);
  w->exact = memory_new(a->asked, sizeof *w->exact);
  w->ball = memory_new(a->asked, sizeof *w->ball);
  w->part_program = memory_new(parts, sizeof *w->part_program);
  w->exact_part = memory_new(parts, sizeof *w->exact_part);
  w->part = memory_new(parts, sizeof *w->part);
  arf_init(w->least);
}

static void worker_clear(worker *w)
{
  for (size_t k = 0; k < w->a->asked; k++) {
    if (w->exact[k])
      exact_destroy(w->exact[k]);
    ball_destroy(w->ball[k]);
  }
  for (size_t i = 0; i < w->a->first_part[w->a->asked]; i++)
    if (w->exact_part[i]) {
      exact_destroy(w->exact_part[i]);
      tape_program_destroy(w->part_program[i]);
    }
  for (size_t e = 0; w->value && e < w->a->t->elements; e++)
    fmpq_clear(&w->value[e]);
  bounded_destroy(w->bounded);
  bounded_destroy(w->bounded_parts);
  ball_destroy(w->ball_parts);
  claim_table_clear(&w->table);
  free(w->part_program);
  free(w->exact_part);
  free(w->exact);
  free(w->ball);
  free(w->value);
  free(w->part);
  free(w->input);
  free(w->low);
  free(w->high);
  free(w->yes);
  free(w->no);
  free(w->truth);
  arf_clear(w->least);
}

static bool is_settled(truth t)
{
  return t == TRUTH_TRUE || t == TRUTH_FALSE || t == TRUTH_UNDEFINED;
}

static bool all_settled(const worker *w)
{
  for (size_t k = 0; k < w->a->asked; k++)
    if (!is_settled(w->truth[k]))
      return false;
  return true;
}

static bool is_finite(const worker *w, unsigned lane)
{
  for (size_t e = 0; e < w->a->t->elements; e++)
    if (tape_is_drawn(w->a->t, e) && !isfinite(w->input[e * LANES + lane]))
      return false;
  return true;
}

static void read_lane(worker *w, unsigned lane)
{
  const tape *t = w->a->t;
  if (!w->value) {
    w->value = memory_new(t->elements, sizeof *w->value);
    for (size_t e = 0; e < t->elements; e++)
      fmpq_init(&w->value[e]);
  }
  for (size_t e = 0; e < t->elements; e++)
    if (tape_is_drawn(t, e))
      rational_set_double(&w->value[e], w->input[e * LANES + lane]);
}

/* What doubles know of the parts: of most labels that they leave open, all but one or two. */
static void climb_bounded(worker *w, unsigned lane)
{
  const claim_asker *a = w->a;
  if (!w->bounded_parts)
    w->bounded_parts = bounded_create(a->parts);
  if (!w->ran_parts) {
    bounded_run_first(w->bounded_parts, w->input);
    bounded_run_second(w->bounded_parts, w->input);
    w->ran_parts = true;
  }
  for (size_t k = 0; k < a->asked; k++)
    for (size_t i = a->first_part[k]; i < a->first_part[k + 1] && !is_settled(w->truth[k]); i++)
      w->part[i] = bounded_true(w->bounded_parts, i) >> lane & 1    ? TRUTH_TRUE
                   : bounded_false(w->bounded_parts, i) >> lane & 1 ? TRUTH_FALSE
                                                                    : TRUTH_UNKNOWN;
}

/* Balls of 64 bits for the parts and the slack. */
static void run_ball(worker *w, bool *has_least)
{
  const claim_asker *a = w->a;
  if (!w->ball_parts)
    w->ball_parts = ball_create(a->parts, LIMIT_EXACT_BITS);
  ball_run(w->ball_parts, w->value, 64, false);
  arb_t slack;
  arb_init(slack);
  if (a->has_slack && ball_value(slack, w->ball_parts, a->first_part[a->asked]) == STATUS_OK && arb_is_finite(slack)) {
    *has_least = true;
    arb_get_lbound_arf(w->least, slack, 64);
  }
  arb_clear(slack);
}

/* Many that a double cannot decide are no ties, but underflows. */
static void climb_ball(worker *w, bool *has_least)
{
  const claim_asker *a = w->a;
  run_ball(w, has_least);
  for (size_t k = 0; k < a->asked; k++)
    for (size_t i = a->first_part[k]; i < a->first_part[k + 1] && !is_settled(w->truth[k]); i++)
      if (!is_settled(w->part[i]))
        w->part[i] = ball_truth(w->ball_parts, i);
}

static size_t open_parts(const worker *w, size_t k)
{
  size_t open = 0;
  for (size_t i = w->a->first_part[k]; i < w->a->first_part[k + 1]; i++)
    open += !is_settled(w->part[i]);
  return open;
}

/* A part exactly, by itself: of a tie at t = 1 nothing has to be computed of later times. */
static void climb_part(worker *w, size_t i, unsigned lane)
{
  if (!w->exact_part[i]) {
    w->part_program[i] = tape_compile(w->a->t, &w->a->part[i], 1, 1, false);
    w->exact_part[i] = exact_create(w->part_program[i], LIMIT_EXACT_BITS);
  }
  exact_run_lane(w->exact_part[i], w->input, lane, 1);
  w->part[i] = exact_truth(w->exact_part[i], 0);
}

/* A label as a whole: exactly, else in ever smaller balls. */
static void climb_label(worker *w, size_t k, unsigned lane)
{
  const claim_asker *a = w->a;
  if (!w->exact[k])
    w->exact[k] = exact_create(a->alone[k], LIMIT_EXACT_BITS);
  exact_run_lane(w->exact[k], w->input, lane, 1);
  w->truth[k] = exact_truth(w->exact[k], 0);
  for (slong precision = 128; !is_settled(w->truth[k]) && a->precision >= 64; precision *= 2) {
    bool last = precision >= a->precision;
    if (!w->ball[k])
      w->ball[k] = ball_create(a->alone[k], LIMIT_EXACT_BITS);
    ball_run(w->ball[k], w->value, last ? a->precision : precision, true);
    w->truth[k] = ball_truth(w->ball[k], 0);
    if (last)
      return;
  }
}

/* A label is the conjunction of its parts. */
static void conclude(worker *w, size_t k)
{
  truth all = TRUTH_TRUE;
  for (size_t i = w->a->first_part[k]; i < w->a->first_part[k + 1]; i++)
    all = truth_and(all, w->part[i]);
  w->truth[k] = all;
}

/* Decides what is left open of one lane. */
static void climb(worker *w, unsigned lane, bool *has_least)
{
  enum { FEW = 4 }; /* parts of a label that are decided by themselves */
  const claim_asker *a = w->a;
  bool has_many = false;
  climb_bounded(w, lane);
  for (size_t k = 0; k < a->asked; k++)
    has_many = has_many || (!is_settled(w->truth[k]) && open_parts(w, k) > FEW);
  read_lane(w, lane);
  if (has_many && a->precision >= 64)
    climb_ball(w, has_least);
  for (size_t k = 0; k < a->asked; k++) {
    if (is_settled(w->truth[k]))
      continue;
    if (open_parts(w, k) <= FEW)
      for (size_t i = a->first_part[k]; i < a->first_part[k + 1]; i++)
        if (!is_settled(w->part[i]))
          climb_part(w, i, lane);
    conclude(w, k);
    if (!is_settled(w->truth[k]))
      climb_label(w, k, lane);
  }
}

/* ---- one block ---- */

static int outcome(truth t)
{
  return t == TRUTH_TRUE ? CLAIM_TRUE : t == TRUTH_FALSE ? CLAIM_FALSE : CLAIM_UNKNOWN;
}

/* Hypotheses as the connective has them, the first to the left; of the conclusions one that is false makes all false. */
static void sum_up(const worker *w, int *hypotheses, int *conclusions)
{
  const claim_asker *a = w->a;
  truth given = TRUTH_TRUE;
  bool open = false, wrong = false;
  for (size_t k = 0; k < a->asked; k++)
    if (a->t->label[a->label[k]].kind == TAPE_SHOW) {
      wrong = wrong || w->truth[k] == TRUTH_FALSE;
      open = open || w->truth[k] != TRUTH_TRUE;
    } else
      given = truth_and(given, w->truth[k]);
  *hypotheses = outcome(given);
  *conclusions = wrong ? CLAIM_FALSE : open ? CLAIM_UNKNOWN : CLAIM_TRUE;
}

static void count_failures(worker *w)
{
  const claim_asker *a = w->a;
  for (size_t k = 0, i = 0; k < a->asked; k++)
    if (a->t->label[a->label[k]].kind != TAPE_SHOW)
      w->table.failures[i++] += w->truth[k] == TRUTH_FALSE;
}

/* In doubles the error of the smallest of many differences is that of the largest. */
static void refine_least(worker *w, unsigned lane)
{
  bool has_least = false;
  if (w->a->precision >= 64) {
    read_lane(w, lane);
    run_ball(w, &has_least);
  }
  if (!has_least || arf_sgn(w->least) < 0)
    arf_zero(w->least);
}

static void count_lane(worker *w, unsigned lane, uint64_t instance)
{
  const claim_asker *a = w->a;
  bool has_least = a->has_slack && isfinite(w->low[lane]);
  for (size_t k = 0; k < a->asked; k++)
    w->truth[k] = w->yes[k] >> lane & 1 ? TRUTH_TRUE : w->no[k] >> lane & 1 ? TRUTH_FALSE : TRUTH_UNKNOWN;
  if (has_least)
    arf_set_d(w->least, w->low[lane]);
  if (!all_settled(w)) {
    if (!is_finite(w, lane)) {
      w->table.count[CLAIM_UNKNOWN][CLAIM_UNKNOWN]++;
      return;
    }
    climb(w, lane, &has_least);
  }
  int h, c;
  sum_up(w, &h, &c);
  w->table.count[h][c]++;
  count_failures(w);
  if (h == CLAIM_TRUE && c == CLAIM_FALSE && instance < w->table.refuted)
    w->table.refuted = instance;
  if (h == CLAIM_UNKNOWN || !has_least)
    return;
  claim_slack *slack = &w->table.slack[h];
  slack->over++;
  if (c == CLAIM_TRUE && arf_sgn(w->least) <= 0) { /* each comparison was decided: no difference is negative */
    if (slack->first != CLAIM_NOWHERE && arf_is_zero(slack->low))
      return; /* nor can it be smaller than what came before */
    refine_least(w, lane);
  }
  claim_table_keep(slack, instance, w->least);
}

static void ask_block(worker *w, const claim_instances *in, uint64_t first)
{
  const claim_asker *a = w->a;
  unsigned lanes = in->count - first < LANES ? (unsigned)(in->count - first) : LANES;
  uint32_t counted = in->fill(in->context, w->input, first, lanes);
  if (!counted)
    return;
  w->ran_parts = false;
  bounded_run_first(w->bounded, w->input);
  bounded_run_second(w->bounded, w->input);
  for (size_t k = 0; k < a->asked; k++) {
    w->yes[k] = bounded_true(w->bounded, k);
    w->no[k] = bounded_false(w->bounded, k);
  }
  if (a->has_slack)
    bounded_enclosures(w->bounded, a->asked, w->low, w->high);
  for (unsigned lane = 0; lane < lanes; lane++)
    if (counted >> lane & 1)
      count_lane(w, lane, first + lane);
}

bool claim_asker_run(const claim_asker *a, claim_table *t, const claim_instances *in, int threads, const volatile int *stop)
{
  uint64_t blocks = in->count / LANES + (in->count % LANES > 0);
  bool stopped = false;
#ifdef _OPENMP
  int wanted = threads > 0 ? threads : omp_get_max_threads();
  if (blocks < (uint64_t)wanted)
    wanted = blocks > 0 ? (int)blocks : 1;
#else
  (void)threads;
#endif
#pragma omp parallel num_threads(wanted)
  {
    worker w;
    worker_init(&w, a);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t b = 0; b < blocks; b++)
      if (!stop || !*stop)
        ask_block(&w, in, b * LANES);
      else {
#pragma omp atomic write
        stopped = true;
      }
#pragma omp critical(assay_claim_table)
    claim_table_merge(t, &w.table);
    worker_clear(&w);
#ifdef _OPENMP
    if (omp_get_thread_num() != 0)
      flint_cleanup();
#endif
  }
  return !stopped;
}
