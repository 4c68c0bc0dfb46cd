/* How far the decays of a run differ: A_max - A_min over the states of a channel, token by token, and over
 * the tokens of an entry (a channel and a state). The decays are the doubles that the scan used (of a
 * complex one the modulus).
 *
 *   states   max over n of alpha[t, d, n] - min over n, one value for each token t and channel d; layers of
 *            two states or more
 *   mean     of each channel the mean over tokens of that; `most` the largest over tokens
 *   tokens   max over t of alpha[t, d, n] - min over t, one value for each entry, over the tokens of all
 *            sequences
 *   whole    max over t and n of alpha[t, d, n] - min over t and n, one value for each channel
 *
 * A channel with a decay that is not finite is undefined at that token, and so is an entry with one. */
#ifndef ASSAY_SIM_SPREAD_H
#define ASSAY_SIM_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/measured.h"
#include "sim/net.h"

enum { SPREAD_BINS = 20 };

/* below[k]: how many values are below (k + 1) / 20, in doubles. */
typedef struct {
  uint64_t below[SPREAD_BINS];
  measured values;
  double least, greatest; /* of the finite values, where values.count > 0 */
} spread_histogram;

typedef struct {
  bool known;       /* the family has decays, and tokens came */
  bool has_states;  /* two states or more: states, mean and most are defined */
  size_t channels, states;
  uint64_t tokens;  /* of all sequences */
  spread_histogram by_state, by_state_mean, by_state_most, by_token, whole;
} spread_layer;

typedef struct {
  size_t layers;
  spread_layer *layer;
  spread_layer total; /* sums over the layers; channels: of all, states: 0 */
} spread_report;

typedef struct spread spread;
spread *spread_create(const net *n);
/* The same without a net: channels and states of each layer. */
spread *spread_create_of(size_t layers, const net_layer *shape);
void spread_destroy(spread *s);
/* As net_observer's see, with NET_WANT_ALPHA; pieces in order. */
void spread_see(spread *s, const net_view *view);
/* Closes the books; nothing may be seen afterwards. Owned by s. `layers`: which layers the total is over;
 * NULL: all. */
const spread_report *spread_finish(spread *s, const bool *layers);

/* Fills the cumulative counts from finite and other values. */
void spread_histogram_add(spread_histogram *h, double value);

#endif
