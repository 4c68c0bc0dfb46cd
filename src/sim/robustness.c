/* Clean and corrupted sequences, side by side. */
#include "sim/robustness.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/sums.h"

/* A corrupted sequence on its way. */
typedef struct {
  net_state *state;
  uint64_t from, to;
  robustness_row row;   /* of the sequence at hand */
  double *pool, *low;   /* [M] sum of g_t */
} lane;

struct robustness {
  const net *net;
  uint64_t seed, sequence, tokens;
  robustness_report report;
  lane lane[CORRUPTION_WINDOWS];
  size_t width, logits;
  double *pool, *low;             /* [M] sum of h_t */
  double *hidden, *clean_logits;  /* [NET_PIECE, M], [NET_PIECE, V] of the clean piece */
  uint32_t *token;                /* [NET_PIECE] */
  double *vector;                 /* [NET_PIECE, M] */
  /* While a corrupted piece is compared. */
  lane *at;
  uint64_t first;
};

robustness *robustness_create(const net *n, const corruption_window *window, size_t windows, double deviation, uint64_t seed)
{
  robustness *r = memory_new(1, sizeof *r);
  r->net = n;
  r->seed = seed;
  r->width = net_width(n);
  r->logits = net_logits(n);
  r->report = (robustness_report){.has_logits = r->logits > 0, .deviation = deviation, .windows = windows};
  r->pool = memory_new(r->width, sizeof *r->pool);
  r->low = memory_new(r->width, sizeof *r->low);
  r->hidden = memory_new(memory_multiply(NET_PIECE, r->width), sizeof *r->hidden);
  r->vector = memory_new(memory_multiply(NET_PIECE, r->width), sizeof *r->vector);
  r->clean_logits = memory_new(memory_multiply(NET_PIECE, r->logits), sizeof *r->clean_logits);
  r->token = memory_new(NET_PIECE, sizeof *r->token);
  for (size_t w = 0; w < windows; w++) {
    r->report.row[w].window = window[w];
    r->lane[w].pool = memory_new(r->width, sizeof *r->lane[w].pool);
    r->lane[w].low = memory_new(r->width, sizeof *r->lane[w].low);
  }
  return r;
}

void robustness_destroy(robustness *r)
{
  if (!r)
    return;
  for (size_t w = 0; w < r->report.windows; w++) {
    if (r->lane[w].state)
      net_state_destroy(r->lane[w].state);
    free(r->lane[w].pool);
    free(r->lane[w].low);
  }
  free(r->pool);
  free(r->low);
  free(r->hidden);
  free(r->vector);
  free(r->clean_logits);
  free(r->token);
  free(r);
}

const robustness_report *robustness_result(const robustness *r)
{
  return &r->report;
}

void robustness_begin(robustness *r, uint64_t sequence, uint64_t tokens)
{
  r->sequence = sequence;
  r->tokens = tokens;
  memset(r->pool, 0, r->width * sizeof *r->pool);
  memset(r->low, 0, r->width * sizeof *r->low);
  for (size_t w = 0; w < r->report.windows; w++) {
    lane *l = &r->lane[w];
    if (l->state)
      net_state_destroy(l->state);
    l->state = net_state_create(r->net);
    l->row = (robustness_row){.window = r->report.row[w].window};
    corruption_place(&l->from, &l->to, &l->row.window, tokens);
    l->row.replaced = l->to - l->from;
    memset(l->pool, 0, r->width * sizeof *l->pool);
    memset(l->low, 0, r->width * sizeof *l->low);
  }
}

static void add_to_pool(double *pool, double *low, const double *x, size_t width)
{
  for (size_t j = 0; j < width; j++)
    measured_accumulate(&pool[j], &low[j], x[j]);
}

void robustness_clean(robustness *r, size_t tokens, const double *hidden, const double *logits)
{
  memcpy(r->hidden, hidden, tokens * r->width * sizeof *hidden);
  if (logits)
    memcpy(r->clean_logits, logits, tokens * r->logits * sizeof *logits);
  for (size_t t = 0; t < tokens; t++)
    add_to_pool(r->pool, r->low, hidden + t * r->width, r->width);
}

static double largest_of(const double *x, size_t n)
{
  double most = x[0];
  for (size_t i = 1; i < n; i++)
    most = x[i] > most ? x[i] : most;
  return most;
}

static size_t place_of_largest(const double *x, size_t n)
{
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    best = x[i] > x[best] ? i : best;
  return best;
}

/* log of the sum of exp(x - most). */
static double log_sum(const double *x, size_t n, double most)
{
  measured sum = {0};
  for (size_t i = 0; i < n; i++)
    measured_add(&sum, exp(x[i] - most));
  return log(sum.sum + sum.low);
}

/* exp(-c) - 1 + c >= 0; near 0, where that cancels, by its series, of which what is left out is below 2^-53 of the sum. */
static double exponential_rest(double c)
{
  if (fabs(c) > 0.1)
    return expm1(-c) + c;
  double sum = 1;
  for (int k = 12; k > 2; k--)
    sum = 1 - c / k * sum;
  return c * c / 2 * sum;
}

/* With d = p - q in logits and c = d - E[d]: KL = log E[exp(-c)] = log(1 + E[exp(-c) - 1 + c]), expectations under p: no terms of
 * different sign where the logits are close. */
static double near_divergence(const double *p, const double *q, size_t n, double most, double lse)
{
  measured mean = {0}, sum = {0};
  for (size_t i = 0; i < n; i++)
    measured_add(&mean, exp(p[i] - most - lse) * (p[i] - q[i]));
  double center = mean.sum + mean.low;
  for (size_t i = 0; i < n; i++) {
    double c = p[i] - q[i] - center;
    double term = exponential_rest(c);
    measured_add(&sum, exp(p[i] - most - lse) * term);
  }
  return log1p(sum.sum + sum.low);
}

double robustness_divergence(const double *p, const double *q, size_t n)
{
  double furthest = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(p[i]) || !isfinite(q[i]))
      return NAN;
    furthest = fmax(furthest, fabs(p[i] - q[i]));
  }
  if (!n)
    return NAN;
  double most_p = largest_of(p, n), lse_p = log_sum(p, n, most_p);
  if (furthest < 1)
    return fmax(0, near_divergence(p, q, n, most_p, lse_p));
  double most_q = largest_of(q, n), lse_q = log_sum(q, n, most_q);
  measured sum = {0};
  for (size_t i = 0; i < n; i++) {
    double lp = p[i] - most_p - lse_p, lq = q[i] - most_q - lse_q;
    measured_add(&sum, exp(lp) * (lp - lq));
  }
  return sum.undefined ? NAN : fmax(0, sum.sum + sum.low);
}

static double relative_change(const double *h, const double *g, size_t n)
{
  double length = sums_length(h, n);
  return length > 0 ? sqrt(sums_squared_distance(h, g, n)) / length : NAN;
}

static void compare(robustness_place *place, const robustness *r, size_t t, const double *hidden, const double *logits)
{
  measured_add(&place->change, relative_change(r->hidden + t * r->width, hidden + t * r->width, r->width));
  if (!logits)
    return;
  const double *p = r->clean_logits + t * r->logits, *q = logits + t * r->logits;
  double divergence = robustness_divergence(p, q, r->logits);
  measured_add(&place->divergence, divergence);
  measured_add(&place->agreement,
               isfinite(divergence) ? place_of_largest(p, r->logits) == place_of_largest(q, r->logits) : NAN);
}

static bool see_corrupted(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  robustness *r = context;
  lane *l = r->at;
  (void)first;
  for (size_t t = 0; t < tokens; t++) {
    uint64_t at = r->first + t;
    add_to_pool(l->pool, l->low, hidden + t * r->width, r->width);
    if (at >= l->to)
      compare(&l->row.behind, r, t, hidden, logits);
    if (at + 1 == r->tokens)
      compare(&l->row.last, r, t, hidden, logits);
  }
  return true;
}

assay_status robustness_corrupted(robustness *r, uint64_t first, const net_input *piece)
{
  net_observer observer = {.finish = see_corrupted, .logits = r->logits > 0, .context = r};
  r->first = first;
  for (size_t w = 0; w < r->report.windows; w++) {
    lane *l = r->at = &r->lane[w];
    net_input noisy = {.tokens = piece->tokens};
    if (piece->token) {
      memcpy(r->token, piece->token, piece->tokens * sizeof *r->token);
      corruption_tokens(r->token, first, piece->tokens, l->from, l->to, net_vocabulary(r->net), r->seed, r->sequence);
      noisy.token = r->token;
    } else {
      memcpy(r->vector, piece->vector, piece->tokens * r->width * sizeof *r->vector);
      corruption_vectors(r->vector, first, piece->tokens, l->from, l->to, r->width, r->report.deviation, r->seed, r->sequence);
      noisy.vector = r->vector;
    }
    assay_status status = net_run(r->net, l->state, &noisy, &observer);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

static void merge_place(robustness_place *into, const robustness_place *p)
{
  measured_merge(&into->change, &p->change);
  measured_merge(&into->divergence, &p->divergence);
  measured_merge(&into->agreement, &p->agreement);
}

void robustness_end(robustness *r)
{
  r->report.sequences++;
  for (size_t j = 0; j < r->width; j++)
    r->pool[j] += r->low[j];
  for (size_t w = 0; w < r->report.windows; w++) {
    lane *l = &r->lane[w];
    robustness_row *row = &r->report.row[w];
    for (size_t j = 0; j < r->width; j++)
      l->pool[j] += l->low[j];
    row->replaced += l->row.replaced;
    merge_place(&row->last, &l->row.last);
    merge_place(&row->behind, &l->row.behind);
    measured_add(&row->pooled, relative_change(r->pool, l->pool, r->width));
  }
}
