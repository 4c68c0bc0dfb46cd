/* The hunt: grid, random sweep and adversary, over a list of sizes. */
#include "check/search.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check/search_internal.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/philox.h"
#include "core/rational.h"

enum {
  BLOCKS_AT_ONCE = 8,      /* blocks of LANES instances between two looks at what was found */
  GRID_INSTANCES = 4096,   /* of one case */
  CORNER_STARTS = 6
};

/* Operations in exact or ball arithmetic that the undecided instances of one claim may cost, per trial asked for. They cost
 * some 100 ns each; without a bound a transcendental claim at large sizes would take hours. */
static const double climb_operations_per_trial = 400;

/* ---- one case ---- */

static bool make_case(search *s, diag *d, search_case *c, const int64_t *sizes)
{
  if (!stage_create(&c->g, d, s->claim, sizes, s->options->precision))
    return false;
  c->draw = drawer_create(c->g.solved);
  c->points = grid_create(c->g.solved, GRID_INSTANCES);
  c->worker = memory_new((size_t)s->threads, sizeof *c->worker);
  return true;
}

search_worker *search_worker_of(search *s, search_case *c, int thread)
{
  (void)s;
  if (c->worker[thread])
    return c->worker[thread];
  search_worker *w = memory_new(1, sizeof *w);
  size_t elements = c->g.plain->elements;
  const uint32_t *labels;
  w->bounded = bounded_create(decider_program(c->g.block_decider));
  w->draw = c->draw ? drawer_state_create(c->draw) : NULL;
  stage_state_init(&w->decide, &c->g);
  w->input = memory_new(memory_multiply(elements, LANES), sizeof *w->input);
  w->value = stage_new_values(elements);
  w->lane_target = memory_new(decider_targets(c->g.decider, &labels), sizeof *w->lane_target);
  return c->worker[thread] = w;
}

void search_worker_destroy(search_worker *w)
{
  if (!w)
    return;
  bounded_destroy(w->bounded);
  drawer_state_destroy(w->draw);
  stage_free_values(w->value, w->decide.g->plain->elements);
  stage_state_clear(&w->decide);
  if (w->real)
    real_destroy(w->real);
  free(w->input);
  free(w->lane_target);
  free(w);
}

static void clear_case(search *s, search_case *c)
{
  for (int i = 0; c->worker && i < s->threads; i++)
    search_worker_destroy(c->worker[i]);
  free(c->worker);
  grid_destroy(c->points);
  drawer_destroy(c->draw);
  stage_clear(&c->g);
}

/* ---- the whole ---- */

bool search_create(search *s, diag *d, const claim *c, const audit_options *options)
{
  *s = (search){.claim = c, .options = options, .key = philox_hash_name(c->name)};
  s->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  size_t count = 0;
  int64_t **sizes = search_list_sizes(d, c, options, &count);
  if (!sizes)
    return false;
  s->at = memory_new(count, sizeof *s->at);
  bool fine = true;
  for (size_t i = 0; i < count; i++) {
    if (fine) {
      s->cases++;
      fine = make_case(s, d, &s->at[i], sizes[i]);
    }
    free(sizes[i]);
  }
  free(sizes);
  if (!fine) {
    search_clear(s);
    return false;
  }
  const uint32_t *labels;
  s->found = memory_new(search_targets(s, &labels), sizeof *s->found);
  return true;
}

void search_clear(search *s)
{
  for (size_t i = 0; i < s->cases; i++)
    clear_case(s, &s->at[i]);
  free(s->at);
  free(s->found);
  *s = (search){0};
}

void search_hit_clear(search *s, search_hit *hit)
{
  if (!hit->value)
    return;
  stage_free_values(hit->value, s->at[hit->case_number].g.plain->elements);
  *hit = (search_hit){0};
}

size_t search_targets(const search *s, const uint32_t **labels)
{
  return decider_targets(s->at[0].g.decider, labels);
}

bool search_should_stop(search *s)
{
  if ((s->options->stop && *s->options->stop) || (s->deadline > 0 && omp_get_wtime() >= s->deadline))
    s->interrupted = true;
  return s->interrupted;
}

/* ---- outcomes ---- */

outcome search_outcome(const tape *t, const uint32_t *labels, size_t targets, const bool *found, truth hypotheses,
                       const truth *target, size_t *hit)
{
  *hit = SIZE_MAX;
  if (hypotheses == TRUTH_FALSE)
    return OUTCOME_REJECTED;
  if (hypotheses != TRUTH_TRUE)
    return OUTCOME_UNDECIDED_HYPOTHESES;
  bool unknown = false, undefined = false, broken = false;
  for (size_t k = 0; k < targets; k++) {
    bool show = t->label[labels[k]].kind == TAPE_SHOW;
    bool wanted = target[k] == (show ? TRUTH_FALSE : TRUTH_TRUE) && !(found && found[k]);
    if (wanted && *hit == SIZE_MAX)
      *hit = k;
    unknown |= target[k] == TRUTH_OPEN || target[k] == TRUTH_UNKNOWN;
    undefined |= target[k] == TRUTH_UNDEFINED;
    broken |= target[k] == TRUTH_FALSE; /* of a `possible` too: "false" in the counts, though no hit */
  }
  if (*hit != SIZE_MAX && t->label[labels[*hit]].kind == TAPE_SHOW)
    return OUTCOME_FALSE;
  if (unknown)
    return OUTCOME_UNKNOWN;
  if (undefined)
    return OUTCOME_UNDEFINED;
  return broken ? OUTCOME_FALSE : OUTCOME_TRUE;
}

/* The same for what this search looks for. */
static outcome outcome_of(const search *s, const search_case *c, truth hypotheses, const truth *target, size_t *hit)
{
  const uint32_t *labels;
  size_t targets = search_targets(s, &labels);
  return search_outcome(c->g.plain, labels, targets, s->found, hypotheses, target, hit);
}

void search_count(check_counts *counts, outcome o)
{
  counts->drawn++;
  counts->accepted += o != OUTCOME_REJECTED && o != OUTCOME_UNDECIDED_HYPOTHESES;
  counts->undecided_hypotheses += o == OUTCOME_UNDECIDED_HYPOTHESES;
  counts->true_ += o == OUTCOME_TRUE;
  counts->false_ += o == OUTCOME_FALSE;
  counts->unknown += o == OUTCOME_UNKNOWN;
  counts->undefined += o == OUTCOME_UNDEFINED;
}

static void add_counts(check_counts *to, const check_counts *from)
{
  to->drawn += from->drawn;
  to->accepted += from->accepted;
  to->true_ += from->true_;
  to->false_ += from->false_;
  to->unknown += from->unknown;
  to->undefined += from->undefined;
  to->undecided_hypotheses += from->undecided_hypotheses;
}

void search_lane_values(const tape *t, const double *input, unsigned lane, fmpq *value)
{
  for (size_t e = 0; e < t->elements; e++)
    rational_set_double(&value[e], input[e * LANES + lane]);
}

static outcome decide_values(search *s, search_case *c, search_worker *w, size_t *hit)
{
  truth hypotheses = stage_decide(&w->decide, w->value);
  return outcome_of(s, c, hypotheses, w->decide.target, hit);
}

static void keep_hit(search *s, size_t case_number, size_t target, const fmpq *value, check_origin origin,
                     search_hit *hit)
{
  size_t elements = s->at[case_number].g.plain->elements;
  *hit = (search_hit){.case_number = case_number, .target = target, .origin = origin};
  hit->value = stage_new_values(elements);
  stage_copy_values(hit->value, value, elements);
}

bool search_try(search *s, size_t case_number, fmpq *value, source_kind source, size_t *target)
{
  search_case *c = &s->at[case_number];
  search_worker *w = search_worker_of(s, c, 0);
  stage_copy_values(w->value, value, c->g.plain->elements);
  outcome o = decide_values(s, c, w, target);
  search_count(&c->counts[source], o);
  stage_copy_values(value, w->value, c->g.plain->elements);
  return *target != SIZE_MAX;
}

/* ---- blocks of LANES instances ---- */

typedef struct {
  check_counts counts;
  uint64_t climbed;
  unsigned lane;      /* of the first hit; LANES: none */
  size_t target;
} block_result;

/* What `bounded` found in one lane. */
static void lane_truths(const search_worker *w, size_t targets, unsigned lane, truth *hypotheses, truth *target)
{
  for (size_t k = 0; k <= targets; k++) {
    truth a = bounded_true(w->bounded, k) >> lane & 1    ? TRUTH_TRUE
              : bounded_false(w->bounded, k) >> lane & 1 ? TRUTH_FALSE
                                                         : TRUTH_UNKNOWN;
    if (k == 0)
      *hypotheses = a;
    else
      target[k - 1] = a;
  }
}

/* The LANES instances from number `first` on, as the sweep sees them: drawn, and repaired where that is called for. */
static void fill_block(search *s, search_case *c, search_worker *w, uint64_t first, bool repaired)
{
  drawer_fill(w->draw, w->input, s->options->seed, s->key, first, repaired);
  if (repaired)
    search_repair(c, w);
}

static void run_random_block(search *s, search_case *c, search_worker *w, uint64_t first, uint64_t end,
                             bool repaired, block_result *r)
{
  const uint32_t *labels;
  size_t targets = search_targets(s, &labels);
  *r = (block_result){.lane = LANES};
  fill_block(s, c, w, first, repaired);
  bounded_run_first(w->bounded, w->input);
  unsigned lanes = end - first < LANES ? (unsigned)(end - first) : LANES;
  uint32_t all = lanes == LANES ? UINT32_MAX : ((uint32_t)1 << lanes) - 1;
  if ((bounded_false(w->bounded, 0) & all) == all) {
    r->counts.drawn = lanes;
    return;
  }
  bounded_run_second(w->bounded, w->input);
  for (unsigned lane = 0; lane < lanes; lane++) {
    truth hypotheses;
    size_t hit;
    lane_truths(w, targets, lane, &hypotheses, w->lane_target);
    outcome o = outcome_of(s, c, hypotheses, w->lane_target, &hit);
    if (o == OUTCOME_UNKNOWN || o == OUTCOME_UNDECIDED_HYPOTHESES || hit != SIZE_MAX) {
      r->climbed++;
      search_lane_values(c->g.plain, w->input, lane, w->value);
      o = decide_values(s, c, w, &hit);
    }
    search_count(&r->counts, o);
    if (hit != SIZE_MAX && r->lane == LANES) {
      r->lane = lane;
      r->target = hit;
    }
  }
}

/* Instances [first, end) of the random source. */
static bool run_random(search *s, size_t case_number, uint64_t first, uint64_t end, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  for (uint64_t start = first; start < end && !search_should_stop(s); start += BLOCKS_AT_ONCE * LANES) {
    c->repairing = c->repairing || search_needs_repair(c); /* from what was counted before: the same for all threads */
    bool repaired = c->repairing;
    block_result result[BLOCKS_AT_ONCE] = {{{0}, 0, LANES, 0}};
    uint64_t left = (end - start + LANES - 1) / LANES;
    int blocks = left < BLOCKS_AT_ONCE ? (int)left : BLOCKS_AT_ONCE;
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
    for (int b = 0; b < blocks; b++)
      run_random_block(s, c, search_worker_of(s, c, omp_get_thread_num()), start + (uint64_t)b * LANES, end,
                       repaired, &result[b]);
    for (int b = 0; b < blocks; b++) {
      add_counts(&c->counts[SOURCE_RANDOM], &result[b].counts);
      c->climbed += result[b].climbed;
    }
    uint64_t stop = start + (uint64_t)blocks * LANES;
    c->drawn_random = stop < end ? stop : end;
    for (int b = 0; b < blocks; b++) {
      if (result[b].lane == LANES)
        continue;
      uint64_t number = start + (uint64_t)b * LANES + result[b].lane;
      search_worker *w = search_worker_of(s, c, 0);
      fill_block(s, c, w, number - result[b].lane, repaired);
      search_lane_values(c->g.plain, w->input, result[b].lane, w->value);
      stage_complete(&w->decide, w->value);
      check_origin origin = {s->options->seed, number, repaired, SOURCE_RANDOM};
      keep_hit(s, case_number, result[b].target, w->value, origin, hit);
      return true;
    }
  }
  return false;
}

static bool run_grid(search *s, size_t case_number, uint64_t limit, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  uint64_t end = c->points ? grid_count(c->points) : 0;
  if (c->next_grid + limit < end)
    end = c->next_grid + limit;
  enum { CHUNK = 256 };
  while (c->next_grid < end && !search_should_stop(s)) {
    uint64_t first = c->next_grid;
    int count = end - first < CHUNK ? (int)(end - first) : CHUNK;
    uint8_t found[CHUNK];
    size_t target[CHUNK];
#pragma omp parallel for schedule(static, 16) num_threads(s->threads)
    for (int i = 0; i < count; i++) {
      search_worker *w = search_worker_of(s, c, omp_get_thread_num());
      grid_fill(c->points, w->value, first + (uint64_t)i);
      found[i] = (uint8_t)decide_values(s, c, w, &target[i]);
    }
    c->next_grid = first + (uint64_t)count;
    for (int i = 0; i < count; i++)
      search_count(&c->counts[SOURCE_GRID], (outcome)found[i]);
    for (int i = 0; i < count; i++) {
      if (target[i] == SIZE_MAX)
        continue;
      search_worker *w = search_worker_of(s, c, 0);
      grid_fill(c->points, w->value, first + (uint64_t)i);
      stage_complete(&w->decide, w->value);
      check_origin origin = {.seed = s->options->seed, .number = first + (uint64_t)i, .source = SOURCE_GRID};
      keep_hit(s, case_number, target[i], w->value, origin, hit);
      return true;
    }
  }
  return false;
}

/* ---- the order of the search ---- */

/* How many random instances a case gets: its share, but less where most of them climb and climbing is dear. */
static uint64_t share_of(const search *s, const search_case *c, uint64_t trials)
{
  if (!c->g.plain->elements) /* nothing to draw: one instance is all there are */
    return 1;
  uint64_t share = (trials + s->cases - 1) / s->cases, drawn = c->counts[SOURCE_RANDOM].drawn;
  if (share < LANES)
    share = LANES;
  if (!drawn || !c->climbed)
    return share;
  double per_instance = (double)c->climbed / (double)drawn * (double)decider_program(c->g.block_decider)->steps;
  double affordable = climb_operations_per_trial * (double)trials / (double)s->cases / per_instance;
  uint64_t most = affordable < (double)share ? (uint64_t)affordable : share;
  return most < LANES ? LANES : most;
}

static void report_progress(const search *s, const char *what, double fraction)
{
  if (s->options->progress)
    s->options->progress(s->options->progress_context, s->claim->name, what, fraction);
}

bool search_run(search *s, uint64_t trials, search_hit *hit)
{
  *hit = (search_hit){0};
  /* A short look everywhere first, smallest sizes first: most false claims are refuted here, by small instances. */
  for (size_t i = 0; i < s->cases; i++) {
    search_case *c = &s->at[i];
    uint64_t share = share_of(s, c, trials), look = 2 * LANES < share ? 2 * LANES : share;
    if (run_grid(s, i, trials / 20 < 256 ? trials / 20 : 256, hit))
      return true;
    if (c->draw && c->drawn_random < look && run_random(s, i, c->drawn_random, look, hit))
      return true;
    if (search_from_corners(s, i, CORNER_STARTS, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  for (size_t i = 0; i < s->cases; i++) {
    search_case *c = &s->at[i];
    report_progress(s, "random", (double)i / (double)s->cases);
    uint64_t share = share_of(s, c, trials);
    if (c->draw && c->drawn_random < share && run_random(s, i, c->drawn_random, share, hit))
      return true;
    if (run_grid(s, i, trials / 10 / s->cases, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  for (size_t i = 0; i < s->cases; i++) {
    report_progress(s, "adversary", (double)i / (double)s->cases);
    if (search_by_climbing(s, i, trials >= AUDIT_TRIALS ? 2 : 1, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  return false;
}
