/* Spreads of decays. */
#include "sim/spread.h"

#include <stdlib.h>

#include "core/memory.h"

typedef struct {
  double *sum, *low, *most;    /* [D] over tokens of the spread over states */
  uint64_t *undefined;         /* [D] */
  double *least, *greatest;    /* [D, N] over tokens */
} books;

struct spread {
  spread_report report;
  books *layer;
};

void spread_histogram_add(spread_histogram *h, double value)
{
  bool first = h->values.count == 0;
  measured_add(&h->values, value);
  if (!isfinite(value))
    return;
  h->least = first || value < h->least ? value : h->least;
  h->greatest = first || value > h->greatest ? value : h->greatest;
  for (int k = SPREAD_BINS - 1; k >= 0 && value < (k + 1) / (double)SPREAD_BINS; k--)
    h->below[k]++;
}

static void merge(spread_histogram *into, const spread_histogram *h)
{
  if (h->values.count) {
    bool first = into->values.count == 0;
    into->least = first || h->least < into->least ? h->least : into->least;
    into->greatest = first || h->greatest > into->greatest ? h->greatest : into->greatest;
  }
  for (int k = 0; k < SPREAD_BINS; k++)
    into->below[k] += h->below[k];
  measured_merge(&into->values, &h->values);
}

spread *spread_create_of(size_t layers, const net_layer *shape)
{
  spread *s = memory_new(1, sizeof *s);
  s->report.layers = layers;
  s->report.layer = memory_new(layers, sizeof *s->report.layer);
  s->layer = memory_new(layers, sizeof *s->layer);
  for (size_t l = 0; l < layers; l++) {
    spread_layer *r = &s->report.layer[l];
    r->channels = shape[l].channels;
    r->states = shape[l].states;
    r->has_states = r->states > 1;
  }
  return s;
}

spread *spread_create(const net *n)
{
  size_t layers = net_layers(n);
  net_layer *shape = memory_new(layers, sizeof *shape);
  for (size_t l = 0; l < layers; l++)
    shape[l] = net_get_layer(n, l);
  spread *s = spread_create_of(layers, shape);
  free(shape);
  return s;
}

void spread_destroy(spread *s)
{
  if (!s)
    return;
  for (size_t l = 0; l < s->report.layers; l++) {
    books *b = &s->layer[l];
    free(b->sum);
    free(b->low);
    free(b->most);
    free(b->undefined);
    free(b->least);
    free(b->greatest);
  }
  free(s->layer);
  free(s->report.layer);
  free(s);
}

static void open_books(books *b, const spread_layer *r)
{
  size_t entries = memory_multiply(r->channels, r->states);
  b->sum = memory_new(r->channels, sizeof *b->sum);
  b->low = memory_new(r->channels, sizeof *b->low);
  b->most = memory_new(r->channels, sizeof *b->most);
  b->undefined = memory_new(r->channels, sizeof *b->undefined);
  b->least = memory_new(entries, sizeof *b->least);
  b->greatest = memory_new(entries, sizeof *b->greatest);
  for (size_t i = 0; i < entries; i++) {
    b->least[i] = INFINITY;
    b->greatest[i] = -INFINITY;
  }
}

/* NAN where one of the decays is not finite. */
static double see_channel(books *b, size_t channel, size_t states, const double *alpha)
{
  double least = INFINITY, greatest = -INFINITY, *lows = b->least + channel * states, *highs = b->greatest + channel * states;
  bool fine = true;
  for (size_t n = 0; n < states; n++) {
    if (!isfinite(alpha[n])) {
      fine = false;
      lows[n] = highs[n] = NAN; /* stays: no comparison with it is true */
      continue;
    }
    least = alpha[n] < least ? alpha[n] : least;
    greatest = alpha[n] > greatest ? alpha[n] : greatest;
    lows[n] = alpha[n] < lows[n] ? alpha[n] : lows[n];
    highs[n] = alpha[n] > highs[n] ? alpha[n] : highs[n];
  }
  return fine ? greatest - least : NAN;
}

void spread_see(spread *s, const net_view *v)
{
  spread_layer *r = &s->report.layer[v->layer];
  books *b = &s->layer[v->layer];
  if (!v->alpha || !r->channels || !r->states)
    return;
  if (!r->known)
    open_books(b, r);
  r->known = true;
  r->tokens += v->tokens;
  for (size_t t = 0; t < v->tokens; t++)
    for (size_t d = 0; d < r->channels; d++) {
      double value = see_channel(b, d, r->states, v->alpha + (t * r->channels + d) * r->states);
      if (!r->has_states)
        continue;
      spread_histogram_add(&r->by_state, value);
      if (!isfinite(value)) {
        b->undefined[d]++;
        continue;
      }
      measured_accumulate(&b->sum[d], &b->low[d], value);
      b->most[d] = value > b->most[d] ? value : b->most[d];
    }
}

static void close_books(spread_layer *r, const books *b)
{
  for (size_t d = 0; d < r->channels; d++) {
    double least = INFINITY, greatest = -INFINITY;
    bool fine = true;
    for (size_t n = 0; n < r->states; n++) {
      double low = b->least[d * r->states + n], high = b->greatest[d * r->states + n];
      spread_histogram_add(&r->by_token, high - low);
      fine = fine && isfinite(low);
      least = low < least ? low : least;
      greatest = high > greatest ? high : greatest;
    }
    spread_histogram_add(&r->whole, fine ? greatest - least : NAN);
    if (!r->has_states)
      continue;
    uint64_t defined = r->tokens - b->undefined[d];
    spread_histogram_add(&r->by_state_mean, defined ? (b->sum[d] + b->low[d]) / (double)defined : NAN);
    spread_histogram_add(&r->by_state_most, defined ? b->most[d] : NAN);
  }
}

const spread_report *spread_finish(spread *s, const bool *layers)
{
  spread_layer *total = &s->report.total;
  for (size_t l = 0; l < s->report.layers; l++) {
    spread_layer *r = &s->report.layer[l];
    if (!r->known)
      continue;
    close_books(r, &s->layer[l]);
    if (layers && !layers[l])
      continue;
    total->known = true;
    total->has_states = total->has_states || r->has_states;
    total->channels += r->channels;
    total->tokens = r->tokens;
    merge(&total->by_state, &r->by_state);
    merge(&total->by_state_mean, &r->by_state_mean);
    merge(&total->by_state_most, &r->by_state_most);
    merge(&total->by_token, &r->by_token);
    merge(&total->whole, &r->whole);
  }
  return &s->report;
}
