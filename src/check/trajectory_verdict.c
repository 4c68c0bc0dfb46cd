/* From what was found on trajectories to a verdict. */
#include <stdlib.h>
#include <string.h>

#include "check/claim_roles.h"
#include "check/establish.h"
#include "check/trajectory.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"

/* ---- a counterexample ---- */

static double value_at(const trajectory_claim *c, claim_place place)
{
  const double *of = place.role == ROLE_DECAY ? c->decay : place.role == ROLE_STEP ? c->step : c->input;
  return of[place.time];
}

/* Gives what an equality is solved for its value, exactly; 0 where the solution is undefined. */
static void complete(fmpq *value, const claim_binding *b)
{
  tape_id *output = memory_new(b->t->elements, sizeof *output);
  for (size_t e = 0; e < b->t->elements; e++)
    output[e] = b->t->element[e].op;
  tape_program *p = tape_compile(b->t, output, b->t->elements, b->t->elements, false);
  exact_state *s = exact_create(p, LIMIT_EXACT_BITS);
  fmpq_t x;
  fmpq_init(x);
  exact_run(s, value);
  for (size_t e = 0; e < b->t->elements; e++)
    if (b->place[e].role == ROLE_NONE && exact_value(x, s, e) == STATUS_OK)
      fmpq_set(&value[e], x);
  fmpq_clear(x);
  exact_destroy(s);
  tape_program_destroy(p);
  free(output);
}

/* The first `tokens` of the sequence as an instance; whether it breaks the claim. */
static bool start(shrunk *x, const trajectory_claim *c, size_t tokens, slong precision)
{
  claim_binding b;
  char *reason;
  bool hits = false;
  *x = (shrunk){0};
  if (claim_binding_create(&b, c->claim, tokens, &reason)) {
    fmpq *value = stage_new_values(b.t->elements);
    for (size_t e = 0; e < b.t->elements; e++)
      if (b.place[e].role != ROLE_NONE)
        rational_set_double(&value[e], value_at(c, b.place[e]));
    complete(value, &b);
    hits = shrink_start_values(x, c->claim, b.sizes, value, precision, NULL);
    stage_free_values(value, b.t->elements);
  }
  claim_binding_clear(&b);
  free(reason);
  return hits;
}

/* A beginning of the sequence is an instance too, and what is false is often false of a short one: lengths 1, 2, 3, 4, 6, 8,
 * 12, ... are tried before the whole. */
static bool start_shortest(shrunk *x, const trajectory_claim *c, slong precision)
{
  for (size_t tokens = 1; tokens < c->tokens; tokens += tokens < 4 ? 1 : tokens & (tokens - 1) ? tokens / 3 : tokens / 2) {
    if (start(x, c, tokens, precision))
      return true;
    shrunk_clear(x);
  }
  return start(x, c, c->tokens, precision);
}

static char *place_text(const trajectory_report *r, const trajectory_claim *c)
{
  const char *layer = "";
  for (size_t j = 0; j < r->layers; j++)
    if (r->layer[j].number == c->layer)
      layer = r->layer[j].name;
  char *file = dump_quote(r->file), *name = dump_quote(layer);
  text out;
  text_init(&out);
  text_addf(&out, "%s, sequence %zu, layer %s, channel %zu, state %zu", file, c->place.sequence, name, c->place.channel,
            c->place.state);
  if (c->tokens == 1)
    text_addf(&out, ", token %zu", c->place.token);
  free(file);
  free(name);
  return text_take(&out);
}

static void refute(check_result *result, diag *d, const trajectory_report *r, const trajectory_claim *c, const audit_options *o,
                   const char *name)
{
  shrunk x;
  audit_options with = *o;
  char *place = place_text(r, c);
  with.place = place;
  result->verdict = VERDICT_UNDECIDED;
  if (start_shortest(&x, c, o->precision)) {
    check_origin origin = {.seed = o->seed, .number = c->instance, .source = SOURCE_TRAJECTORY};
    result->counterexample = audit_establish(result, d, &with, &x, NULL, origin, name);
    result->verdict = result->counterexample ? VERDICT_REFUTED : VERDICT_UNDECIDED;
  } else
    check_result_set_reason(result, "a trajectory that seemed to decide the claim did not do so when decided anew");
  shrunk_clear(&x);
  free(place);
}

/* ---- no counterexample ---- */

/* Why a claim was asked of no layer. */
static const char *first_reason(const trajectory_report *r, size_t k)
{
  for (size_t j = 0; j < r->layers; j++)
    if (r->layer[j].answer[k].reason)
      return r->layer[j].answer[k].reason;
  return "nothing was run";
}

static void judge_survivor(check_result *result, const trajectory_report *r, size_t k)
{
  const check_counts *n = &result->total;
  bool everywhere = true;
  for (size_t i = 0; i < result->tallies; i++)
    everywhere = everywhere && result->tally[i].counts.true_ > 0;
  result->verdict = VERDICT_UNDECIDED;
  if (n->drawn == 0 && !r->interrupted) {
    result->verdict = VERDICT_NO_INSTANCE;
    check_result_set_reason(result, "%s", first_reason(r, k));
  } else if (r->interrupted)
    check_result_set_reason(result, "stopped early, after %llu trajector%s", (unsigned long long)n->drawn,
                            n->drawn == 1 ? "y" : "ies");
  else if (n->accepted == 0) {
    result->verdict = VERDICT_NO_INSTANCE;
    check_result_set_reason(result, "none of %llu trajector%s was certain to meet the hypotheses", (unsigned long long)n->drawn,
                            n->drawn == 1 ? "y" : "ies");
  } else if (n->unknown * CHECK_UNKNOWN_SHARE > n->accepted)
    check_result_set_reason(result, "%llu of %llu admissible trajectories could not be decided",
                            (unsigned long long)n->unknown, (unsigned long long)n->accepted);
  else if (!n->true_ || !everywhere)
    check_result_set_reason(result, "no trajectory was certified true%s", n->true_ ? " at some length" : "");
  else {
    result->verdict = VERDICT_SURVIVED;
    check_result_set_reason(result, "%llu trajector%s certified true, none false", (unsigned long long)n->true_,
                            n->true_ == 1 ? "y" : "ies");
  }
}

/* ---- both ---- */

static void take_slack(check_slack *out, const trajectory_report *r, size_t k)
{
  size_t j = r->claim[k].slack_layer[0];
  if (j == SIZE_MAX)
    return;
  const trajectory_layer *l = &r->layer[j];
  const trajectory_slack *s = &l->answer[k].slack[0];
  char *name = dump_quote(l->name);
  text where;
  text_init(&where);
  text_addf(&where, "T = %zu; sequence %zu, layer %s, channel %zu, state %zu", s->tokens, s->place.sequence, name,
            s->place.channel, s->place.state);
  free(name);
  out->known = true;
  out->label = memory_copy_string(s->label);
  out->at = memory_copy_string(s->at);
  out->instance = text_take(&where);
  out->difference = decide_ball_text(s->difference);
  out->ratio = s->has_ratio ? decide_ball_text(s->ratio) : NULL;
  for (j = 0; j < r->layers; j++)
    out->over += r->layer[j].answer[k].table.slack[0].over;
}

void trajectory_verdict(check_result *result, diag *d, const trajectory_report *r, size_t k, const char *file,
                        const audit_options *o, const char *name)
{
  const trajectory_claim *c = &r->claim[k];
  *result = (check_result){.claim = c->claim, .file = memory_copy_string(file), .reason = memory_copy_string("")};
  result->tally = memory_new(c->tallies, sizeof *result->tally);
  for (size_t i = 0; i < c->tallies; i++) {
    check_tally *t = &result->tally[result->tallies++];
    *t = c->tally[i];
    t->sizes = memory_new(c->claim->sizes, sizeof *t->sizes);
    if (c->claim->sizes)
      memcpy(t->sizes, c->tally[i].sizes, c->claim->sizes * sizeof *t->sizes);
    check_counts *sum = &result->total;
    sum->drawn += t->counts.drawn;
    sum->accepted += t->counts.accepted;
    sum->true_ += t->counts.true_;
    sum->false_ += t->counts.false_;
    sum->unknown += t->counts.unknown;
    sum->undecided_hypotheses += t->counts.undecided_hypotheses;
  }
  result->interrupted = r->interrupted;
  result->seconds = r->seconds / (double)(r->claims ? r->claims : 1);
  take_slack(&result->slack, r, k);
  if (c->refuted)
    refute(result, d, r, c, o, name);
  else
    judge_survivor(result, r, k);
}
