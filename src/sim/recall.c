/* Associative recall, asked of a model. */
#include "sim/recall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

const char *recall_reason(const net *n, const mqar_options *task)
{
  if (!net_vocabulary(n))
    return "the model has no embedding, so that no token can be put in";
  if (!net_logits(n))
    return "the model has no head, so that it gives no answer";
  if (task->vocabulary > net_vocabulary(n) || task->vocabulary > net_logits(n))
    return "the vocabulary is larger than the model's";
  return NULL;
}

/* Queries by their position, and the answers of a run. */
typedef struct {
  size_t logits, pairs;
  const mqar_query *query;
  const size_t *asked_at; /* [length]: which query stands there; SIZE_MAX: none */
  int64_t *answer;        /* [pairs]; -1: a NaN among the logits */
} listener;

static int64_t greatest(const double *logit, size_t n)
{
  size_t best = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(logit[i]))
      return -1;
    best = logit[i] > logit[best] ? i : best;
  }
  return (int64_t)best;
}

static bool hear(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  listener *l = context;
  (void)hidden;
  for (size_t t = 0; t < tokens; t++) {
    size_t query = l->asked_at[first + t];
    if (query != SIZE_MAX)
      l->answer[query] = greatest(logits + t * l->logits, l->logits);
  }
  return true;
}

static assay_status ask(listener *l, const net *n, const uint32_t *token, size_t length)
{
  net_state *state = net_state_create(n);
  net_input in = {.tokens = length, .token = token};
  net_observer observer = {.finish = hear, .logits = true, .context = l};
  assay_status status = net_run(n, state, &in, &observer);
  net_state_destroy(state);
  return status;
}

static void count(recall_tally *t, int64_t answer, uint32_t value)
{
  t->asked++;
  t->right += answer == (int64_t)value;
  t->broken += answer < 0;
}

static int bin_of(size_t distance)
{
  int k = 0;
  while (distance >>= 1)
    k++;
  return k < RECALL_BINS ? k : RECALL_BINS - 1;
}

static bool outside(uint64_t at, uint64_t from, uint64_t to)
{
  return at < from || at >= to;
}

typedef struct {
  uint32_t *token, *noisy;
  mqar_query *query;
  size_t *asked_at;
  int64_t *answer;
} desk;

static assay_status ask_corrupted(recall_result *r, listener *l, const net *n, const desk *d, uint64_t example)
{
  for (size_t w = 0; w < r->windows; w++) {
    uint64_t from, to;
    corruption_place(&from, &to, &r->window[w], r->task.length);
    memcpy(d->noisy, d->token, r->task.length * sizeof *d->noisy);
    corruption_tokens(d->noisy, 0, r->task.length, from, to, r->task.vocabulary, r->task.seed, example);
    assay_status status = ask(l, n, d->noisy, r->task.length);
    if (status != STATUS_OK)
      return status;
    for (size_t j = 0; j < r->task.pairs; j++) {
      const mqar_query *q = &d->query[j];
      count(&r->all[w], d->answer[j], q->value);
      if (outside(q->key_at, from, to) && outside(q->key_at + 1, from, to) && outside(q->query_at, from, to))
        count(&r->intact[w], d->answer[j], q->value);
    }
  }
  return STATUS_OK;
}

static assay_status one_example(recall_result *r, const net *n, const desk *d, uint64_t example)
{
  mqar_make(d->token, d->query, &r->task, example);
  for (size_t t = 0; t < r->task.length; t++)
    d->asked_at[t] = SIZE_MAX;
  for (size_t j = 0; j < r->task.pairs; j++)
    d->asked_at[d->query[j].query_at] = j;
  listener l = {.logits = net_logits(n), .query = d->query, .asked_at = d->asked_at, .answer = d->answer};
  assay_status status = ask(&l, n, d->token, r->task.length);
  if (status != STATUS_OK)
    return status;
  recall_result before = *r;
  for (size_t j = 0; j < r->task.pairs; j++) {
    const mqar_query *q = &d->query[j];
    count(&r->clean, d->answer[j], q->value);
    count(&r->distance[bin_of(q->query_at - q->key_at)], d->answer[j], q->value);
  }
  status = ask_corrupted(r, &l, n, d, example);
  if (status == STATUS_OK)
    r->examples++;
  else
    *r = before;
  return status;
}

assay_status recall_run(recall_result *r, const net *n, const mqar_options *task, const recall_options *options)
{
  *r = (recall_result){.task = *task, .windows = options->windows};
  if (options->windows)
    memcpy(r->window, options->window, options->windows * sizeof *r->window);
  desk d = {.token = memory_new(task->length, sizeof *d.token),
            .noisy = memory_new(task->length, sizeof *d.noisy),
            .query = memory_new(task->pairs, sizeof *d.query),
            .asked_at = memory_new(task->length, sizeof *d.asked_at),
            .answer = memory_new(task->pairs, sizeof *d.answer)};
  assay_status status = STATUS_OK;
  for (uint64_t k = 0; k < options->examples && status == STATUS_OK; k++) {
    if (options->stop && *options->stop)
      break;
    status = one_example(r, n, &d, k);
    if (options->progress)
      options->progress(options->context, k + 1);
  }
  free(d.token);
  free(d.noisy);
  free(d.query);
  free(d.asked_at);
  free(d.answer);
  return status;
}

void recall_interval(double *lower, double *upper, const recall_tally *t)
{
  if (!t->asked) {
    *lower = 0;
    *upper = 1;
    return;
  }
  const double z = 1.959963984540054;
  double n = (double)t->asked, p = (double)t->right / n, square = z * z / n;
  double center = (p + square / 2) / (1 + square), half = z / (1 + square) * sqrt(p * (1 - p) / n + square / (4 * n));
  *lower = fmax(0, center - half);
  *upper = fmin(1, center + half);
}
