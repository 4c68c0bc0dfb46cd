/* The random sweep and the grid: instances decided many at a time, counted, and the first hit kept. */
#include <omp.h>

#include "check/search_internal.h"
#include "core/patience.h"
#include "core/rational.h"

enum { BLOCKS_AT_ONCE = 8 }; /* blocks of LANES instances between two looks at what was found */

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
      if (search_is_stopped(s))
        return;
      r->climbed++;
      hypotheses = stage_decide_lane(&w->decide, w->input, lane, hypotheses, w->lane_target);
      o = outcome_of(s, c, hypotheses, w->decide.target, &hit);
    }
    search_count(&r->counts, o);
    if (hit != SIZE_MAX && r->lane == LANES) {
      r->lane = lane;
      r->target = hit;
    }
  }
}

/* Instances [first, end) of the random source. */
bool search_random(search *s, size_t case_number, uint64_t first, uint64_t end, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  for (uint64_t start = first; start < end && !search_should_stop(s); start += BLOCKS_AT_ONCE * LANES) {
    c->repairing = c->repairing || search_needs_repair(c); /* from what was counted before: the same for all threads */
    bool repaired = c->repairing;
    block_result result[BLOCKS_AT_ONCE] = {{{0}, 0, LANES, 0}};
    uint64_t left = (end - start + LANES - 1) / LANES;
    int blocks = left < BLOCKS_AT_ONCE ? (int)left : BLOCKS_AT_ONCE;
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
    for (int b = 0; b < blocks; b++) {
      patience before = patience_begin(s->options->stop, s->deadline);
      run_random_block(s, c, search_worker_of(s, c, omp_get_thread_num()), start + (uint64_t)b * LANES, end,
                       repaired, &result[b]);
      patience_end(before);
    }
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

bool search_grid(search *s, size_t case_number, uint64_t limit, search_hit *hit)
{
  search_case *c = &s->at[case_number];
  uint64_t end = c->points ? grid_count(c->points) : 0, affordable = search_affordable(s, c);
  if (c->next_grid + limit < end)
    end = c->next_grid + limit;
  if (end > affordable)
    end = affordable;
  enum { CHUNK = 256, NOT_DECIDED = UINT8_MAX };
  while (c->next_grid < end && !search_should_stop(s)) {
    uint64_t first = c->next_grid;
    int count = end - first < CHUNK ? (int)(end - first) : CHUNK;
    uint8_t found[CHUNK];
    size_t target[CHUNK];
#pragma omp parallel for schedule(static, 16) num_threads(s->threads)
    for (int i = 0; i < count; i++) {
      found[i] = NOT_DECIDED;
      target[i] = SIZE_MAX;
      if (search_is_stopped(s))
        continue;
      patience before = patience_begin(s->options->stop, s->deadline);
      search_worker *w = search_worker_of(s, c, omp_get_thread_num());
      grid_fill(c->points, w->value, first + (uint64_t)i);
      found[i] = (uint8_t)decide_values(s, c, w, &target[i]);
      patience_end(before);
    }
    c->next_grid = first + (uint64_t)count;
    for (int i = 0; i < count; i++)
      if (found[i] != NOT_DECIDED)
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
