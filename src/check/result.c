/* The names of verdicts and sources, and the end of results. */
#include "check/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

const char *verdict_name(verdict v)
{
  static const char *const names[] = {"REFUTED",     "PROVED",  "PROVED ON BOX", "SURVIVED",   "UNDECIDED",
                                      "NO INSTANCE", "VACUOUS", "POSSIBLE",      "IMPOSSIBLE", "NO WITNESS"};
  return names[v];
}

const char *source_name(source_kind s)
{
  static const char *const names[] = {"grid", "random", "adversary", "case file",
                                      "box",  "linear program", "trajectory"};
  return names[s];
}

void check_instance_clear(check_instance *i)
{
  for (size_t e = 0; e < i->elements; e++) {
    free(i->name[e]);
    fmpq_clear(&i->value[e]);
  }
  free(i->name);
  free(i->value);
  free(i->size);
  *i = (check_instance){0};
}

void check_witness_destroy(check_witness *w)
{
  if (!w)
    return;
  check_instance_clear(&w->instance);
  for (unsigned i = 0; i < w->indices; i++)
    free(w->index_name[i]);
  free(w->index_name);
  free(w->index_value);
  free(w->label);
  free(w->left);
  free(w->right);
  free(w->relation);
  free(w->certificate);
  free(w->place);
  free(w);
}

static void clear_contradiction(check_contradiction *k)
{
  for (size_t i = 0; i < k->rows; i++) {
    check_multiplier *m = &k->row[i];
    for (unsigned j = 0; j < m->indices; j++)
      free(m->index_name[j]);
    for (size_t j = 0; j < m->terms; j++) {
      free(m->element[j]);
      fmpq_clear(&m->coefficient[j]);
    }
    free(m->index_name);
    free(m->index_value);
    free(m->element);
    free(m->coefficient);
    free(m->label);
    fmpq_clear(m->right);
    fmpq_clear(m->multiplier);
  }
  free(k->row);
  free(k->sizes);
  free(k->label);
}

void check_result_set_reason(check_result *r, const char *format, ...)
{
  char buffer[600];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  free(r->reason);
  r->reason = memory_copy_string(buffer);
}

void check_result_destroy(check_result *r)
{
  free(r->file);
  free(r->reason);
  for (size_t i = 0; i < r->tallies; i++)
    free(r->tally[i].sizes);
  free(r->tally);
  check_witness_destroy(r->counterexample);
  for (size_t i = 0; i < r->possibles; i++) {
    free(r->possible[i].label);
    check_witness_destroy(r->possible[i].witness);
  }
  free(r->possible);
  for (size_t i = 0; i < r->contradictions; i++)
    clear_contradiction(&r->contradiction[i]);
  free(r->contradiction);
  free(r->slack.label);
  free(r->slack.at);
  free(r->slack.instance);
  free(r->slack.difference);
  free(r->slack.ratio);
  for (size_t i = 0; i < r->needs; i++)
    free(r->need[i].hypothesis);
  free(r->need);
  free(r->emptiness);
  for (unsigned i = 0; i < r->power.survivors; i++)
    free(r->power.survivor[i]);
  free(r->power.survivor);
  free(r->case_name);
  free(r->expected);
  *r = (check_result){0};
}

/* Equal but for blanks and hyphens, which stand for each other. */
static bool same_word(const char *a, const char *b)
{
  for (; *a && *b; a++, b++) {
    bool blank_a = *a == ' ' || *a == '-' || *a == '_', blank_b = *b == ' ' || *b == '-' || *b == '_';
    if (*a != *b && !(blank_a && blank_b))
      return false;
  }
  return *a == *b;
}

bool check_result_as_expected(const check_result *r)
{
  return !r->expected || same_word(r->expected, verdict_name(r->verdict));
}
