/* The hunt: the cases, what each may cost, and the order in which the sources run through them. */
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
  GRID_INSTANCES = 4096,   /* of one case */
  CORNER_STARTS = 6
};

/* What an audit may spend on instances that are decided one by one, in steps of the tape per trial asked for, for all sizes
 * together; and how many it decides at least at each. Long tapes tend to have long numbers, which the weight of a step is to
 * account for. Ordinary claims stay far below. */
static const double decision_steps_per_trial = 16000, steps_of_double_weight = 100000;
enum { FEWEST_DECISIONS = 2 };

/* Operations in exact or ball arithmetic that the undecided instances of one claim may cost, per trial asked for. They cost
 * some 100 ns each; without a bound a transcendental claim at large sizes would take hours. */
static const double climb_operations_per_trial = 400;

/* ---- one case ---- */

static bool make_case(search *s, diag *d, search_case *c, const int64_t *sizes, size_t question, const char *name)
{
  if (!stage_create_for(&c->g, d, s->claim, sizes, s->options->precision, name, s->options->stop))
    return false;
  c->question = question;
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
  w->input = c->draw ? drawer_new_input(c->draw) : memory_new(memory_multiply(elements, LANES), sizeof *w->input);
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

/* A case for each `possible` of the last case made that asks for an equality which can be solved: instances drawn there
 * meet it by construction. The question that they answer is theirs alone. */
static bool add_questions(search *s, diag *d)
{
  const search_case *all = &s->at[s->cases - 1];
  const tape *t = all->g.plain;
  const uint32_t *labels;
  size_t targets = decider_targets(all->g.decider, &labels);
  for (size_t k = 0; k < targets; k++) {
    const tape_label *l = &t->label[labels[k]];
    if (l->kind != TAPE_POSSIBLE || !stage_has_equality(t, labels[k]))
      continue;
    search_case *c = &s->at[s->cases++];
    if (!make_case(s, d, c, all->g.sizes, k, l->name))
      return false;
    if (c->g.solved != c->g.plain && c->g.solved->label[labels[k]].solved)
      continue;
    clear_case(s, c);
    *c = (search_case){0};
    s->cases--;
  }
  return true;
}

bool search_create(search *s, diag *d, const claim *c, const audit_options *options)
{
  *s = (search){.claim = c, .options = options, .key = philox_hash_name(c->name)};
  s->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  size_t count = 0;
  int64_t **sizes = search_list_sizes(d, c, options, &count);
  if (!sizes)
    return false;
  s->at = memory_new(memory_multiply(count, 1 + (size_t)c->labels), sizeof *s->at);
  bool fine = true;
  for (size_t i = 0; i < count; i++) {
    if (fine) {
      s->cases++;
      fine = make_case(s, d, &s->at[s->cases - 1], sizes[i], SIZE_MAX, NULL) && add_questions(s, d);
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

bool search_is_stopped(const search *s)
{
  return (s->options->stop && *s->options->stop) || (s->deadline > 0 && omp_get_wtime() >= s->deadline);
}

bool search_should_stop(search *s)
{
  s->interrupted = s->interrupted || search_is_stopped(s);
  return s->interrupted;
}

uint64_t search_affordable(const search *s, const search_case *c)
{
  double steps = (double)decider_program(c->g.block_decider)->steps + 1;
  double weighed = steps * (1 + steps / steps_of_double_weight);
  double n = decision_steps_per_trial * (double)s->options->trials / (double)s->cases / weighed;
  return n < FEWEST_DECISIONS ? FEWEST_DECISIONS : n < 1e9 ? (uint64_t)n : 1000000000;
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
  uint64_t least = search_affordable(s, c) < LANES ? search_affordable(s, c) : LANES;
  return most < least ? least : most;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void report_progress(const search *s, const char *what, double fraction)
{
  if (s->options->progress)
    s->options->progress(s->options->progress_context, s->claim->name, what, fraction);
}

static bool is_answered(const search *s, const search_case *c)
{
  return c->question != SIZE_MAX && s->found[c->question];
}

bool search_run(search *s, uint64_t trials, search_hit *hit)
{
  *hit = (search_hit){0};
  /* A short look everywhere first, smallest sizes first: most false claims are refuted here, by small instances. */
  for (size_t i = 0; i < s->cases; i++) {
    search_case *c = &s->at[i];
    if (is_answered(s, c))
      continue;
    uint64_t share = share_of(s, c, trials), look = least_of(least_of(2 * LANES, share), search_affordable(s, c));
    if (search_grid(s, i, least_of(trials / 20, 256), hit))
      return true;
    if (c->draw && c->drawn_random < look && search_random(s, i, c->drawn_random, look, hit))
      return true;
    if (search_from_corners(s, i, CORNER_STARTS, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  for (size_t i = 0; i < s->cases; i++) {
    search_case *c = &s->at[i];
    if (is_answered(s, c))
      continue;
    report_progress(s, "random", (double)i / (double)s->cases);
    uint64_t share = share_of(s, c, trials);
    if (c->draw && c->drawn_random < share && search_random(s, i, c->drawn_random, share, hit))
      return true;
    if (search_grid(s, i, trials / 10 / s->cases, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  for (size_t i = 0; i < s->cases; i++) {
    report_progress(s, "adversary", (double)i / (double)s->cases);
    if (!is_answered(s, &s->at[i]) &&
        search_by_climbing(s, i, trials >= AUDIT_TRIALS ? 2 : 1, hit))
      return true;
    if (search_should_stop(s))
      return false;
  }
  for (size_t i = 0; i < s->cases && !search_should_stop(s); i++)
    if (search_by_linear_program(s, i, hit))
      return true;
  return false;
}
