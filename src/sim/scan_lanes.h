/* The sequential selective scan with channels in the lanes of vector registers: written once, compiled for each target.
 *
 * The file that includes this one has defined
 *
 *   LANES         channels side by side
 *   INLINE        how a static function is compiled for the target and inlined
 *   TARGET        the same for a function that is not inlined
 *   SCAN_CHANNELS and SCAN_DECAYS, the names of the functions to define
 *   NEAR          see below
 *
 * and, with the types of scan_types.h,
 *
 *   vector mul_add(vector a, vector b, vector c)        a b + c, rounded once or twice
 *   void decay_near(vector *alpha, vector step, const vector *rate, int count)
 *                 exp of step times A for `count` rates A, given as A LOG2E, where |step rate| <= NEAR
 *   vector decay_far(vector step, vector rate)          the same bits there, and right everywhere
 *
 * Order of work: a group of channels at a time; in it SCAN_TILE tokens at a time, few enough that the inputs are read in
 * long pieces of rows, which lie a whole row apart; in these a block of LANES channels at a time, while the next but one
 * is fetched; for a block four states at a time, whose decays share the polynomial's coefficients in registers, and for
 * them all tokens of the tile. So h and A stay in registers, and y goes through the first cache once for every four
 * states. */
#include <stdint.h>
#include <string.h>

#include "sim/scan_vector.h"

enum { STATES_AT_ONCE = 4 };

/* What all blocks of a group go through, one after the other. */
typedef struct {
  vector step[SCAN_TILE], drive[SCAN_TILE], y[SCAN_TILE]; /* drive is Delta u */
} tile;

INLINE vector load(const double *p, size_t lanes)
{
  if (lanes == LANES)
    return *(const vector_anywhere *)p;
  double some[LANES] = {0};
  for (size_t i = 0; i < lanes; i++)
    some[i] = p[i];
  return *(const vector_anywhere *)some;
}

INLINE void store(double *p, vector x, size_t lanes)
{
  if (lanes == LANES)
    *(vector_anywhere *)p = x;
  else
    for (size_t i = 0; i < lanes; i++)
      p[i] = x[i];
}

INLINE vector_bits magnitude(vector x)
{
  return (vector_bits)x & INT64_MAX;
}

/* Of two magnitudes the larger one; those of NaNs are beyond infinity's. */
INLINE vector_bits larger(vector_bits a, vector_bits b)
{
  vector_bits mask = a > b;
  return (a & mask) | (b & ~mask);
}

TARGET void SCAN_DECAYS(double *alpha, double step, const double *rate, size_t n)
{
  for (size_t i = 0; i < n; i += STATES_AT_ONCE * LANES) {
    vector a[STATES_AT_ONCE], e[STATES_AT_ONCE];
#pragma GCC unroll 4
    for (size_t k = 0; k < STATES_AT_ONCE; k++)
      a[k] = load(rate + i + k * LANES, LANES);
    decay_near(e, all(step), a, STATES_AT_ONCE);
#pragma GCC unroll 4
    for (size_t k = 0; k < STATES_AT_ONCE; k++)
      store(alpha + i + k * LANES, e[k], LANES);
  }
}

/* The state of `count` states of a block through the tokens of a tile. */
INLINE void advance(tile *w, vector *h_of, const vector *rate_of, const double *b, size_t b_token, const double *c,
                    size_t c_token, size_t tokens, const int count, const bool readout)
{
  vector h[STATES_AT_ONCE], rate[STATES_AT_ONCE];
#pragma GCC unroll 4
  for (int k = 0; k < count; k++) {
    h[k] = h_of[k];
    rate[k] = rate_of[k];
  }
  for (size_t t = 0; t < tokens; t++) {
    vector alpha[STATES_AT_ONCE], drive = w->drive[t];
    decay_near(alpha, w->step[t], rate, count);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++)
      h[k] = mul_add(alpha[k], h[k], drive * b[k]);
    if (readout) {
      vector y = w->y[t];
#pragma GCC unroll 4
      for (int k = 0; k < count; k++)
        y = mul_add(all(c[k]), h[k], y);
      w->y[t] = y;
      c += c_token;
    }
    b += b_token;
  }
#pragma GCC unroll 4
  for (int k = 0; k < count; k++)
    h_of[k] = h[k];
}

/* The same for one state, with decays of any size, and recorded where a place for it is given: at a stride of `states`
 * vectors. */
INLINE void advance_any(tile *w, vector *h_of, vector rate, const double *b, size_t b_token, const double *c,
                        size_t c_token, size_t tokens, bool readout, bool near, vector *alphas, vector *hs,
                        size_t states)
{
  vector h = *h_of;
  for (size_t t = 0; t < tokens; t++) {
    vector alpha;
    if (near)
      decay_near(&alpha, w->step[t], &rate, 1);
    else
      alpha = decay_far(w->step[t], rate);
    h = mul_add(alpha, h, w->drive[t] * b[t * b_token]);
    if (readout)
      w->y[t] = mul_add(all(c[t * c_token]), h, w->y[t]);
    if (alphas)
      alphas[t * states] = alpha;
    if (hs)
      hs[t * states] = h;
  }
  *h_of = h;
}

/* Asks for rows `after` .. `upto` - 1 of a block to come, at the channel given; it may lie beyond the end. */
INLINE void fetch(const scan_part *p, size_t channel, size_t from, size_t after, size_t upto)
{
  for (size_t t = after; t < upto; t++) {
    __builtin_prefetch(scan_row(&p->in->step, p->sequence, from + t) + channel);
    __builtin_prefetch(scan_row(&p->in->u, p->sequence, from + t) + channel);
    if (p->out->y.at)
      __builtin_prefetch(scan_row_out(&p->out->y, p->sequence, from + t) + channel, 1);
  }
}

/* How the states of a block go through a tile. */
TARGET static void advance_block(tile *w, vector *h, const vector *rate, size_t states, const double *b, size_t b_token,
                                 const double *c, size_t c_token, size_t tokens, bool near, vector *alphas, vector *hs,
                                 const scan_part *p, size_t next, size_t from)
{
  size_t n = 0;
  bool readout = c != NULL;
  if (!near || alphas || hs) {
    for (; n < states; n++)
      advance_any(w, h + n, rate[n], b + n, b_token, readout ? c + n : b, c_token, tokens, readout, near,
                  alphas ? alphas + n : NULL, hs ? hs + n : NULL, states);
    return;
  }
  if (!readout) {
    for (; n + STATES_AT_ONCE <= states; n += STATES_AT_ONCE)
      advance(w, h + n, rate + n, b + n, b_token, NULL, 0, tokens, STATES_AT_ONCE, false);
    for (; n < states; n++)
      advance(w, h + n, rate + n, b + n, b_token, NULL, 0, tokens, 1, false);
    return;
  }
  for (; n + STATES_AT_ONCE <= states; n += STATES_AT_ONCE) {
    fetch(p, next, from, n * tokens / states, (n + STATES_AT_ONCE) * tokens / states);
    advance(w, h + n, rate + n, b + n, b_token, c + n, c_token, tokens, STATES_AT_ONCE, true);
  }
  if (states - n == 3)
    advance(w, h + n, rate + n, b + n, b_token, c + n, c_token, tokens, 3, true);
  else if (states - n == 2)
    advance(w, h + n, rate + n, b + n, b_token, c + n, c_token, tokens, 2, true);
  else if (states - n == 1)
    advance(w, h + n, rate + n, b + n, b_token, c + n, c_token, tokens, 1, true);
}

/* The inputs of a block into the tile. Returns the largest |Delta| of each channel. */
INLINE vector_bits fill(tile *w, const scan_part *p, size_t channel, size_t lanes, size_t from, size_t tokens)
{
  const scan_inputs *in = p->in;
  vector skip = {0};
  vector_bits most = {0};
  if (p->layer->skip)
    skip = load(p->layer->skip + channel, lanes);
  for (size_t t = 0; t < tokens; t++) {
    const double *step_row = scan_row(&in->step, p->sequence, from + t) + channel;
    const double *u_row = scan_row(&in->u, p->sequence, from + t) + channel;
    vector step = load(step_row, lanes), u = load(u_row, lanes);
    w->step[t] = step;
    w->drive[t] = step * u;
    w->y[t] = skip * u;
    most = larger(magnitude(step), most);
  }
  if (!p->layer->skip)
    memset(w->y, 0, tokens * sizeof *w->y); /* 0 u need not be 0 */
  return most;
}

/* Whether step times rate stays where decay_near is right, for every lane. */
INLINE bool all_near(vector_bits step, vector_bits rate)
{
  vector most = (vector)step * (vector)rate;
  for (int i = 0; i < LANES; i++)
    if (!(most[i] <= NEAR))
      return false;
  return true;
}

INLINE void empty(const tile *w, const scan_part *p, size_t channel, size_t lanes, size_t from, size_t tokens)
{
  const vector one = all(1.0), log2e = all(SCAN_LOG2E);
  for (size_t t = 0; t < tokens; t++) {
    vector y = w->y[t];
    if (p->in->gate.at) {
      vector z = load(scan_row(&p->in->gate, p->sequence, from + t) + channel, lanes);
      vector e = decay_far((vector)(magnitude(z) | INT64_MIN), log2e);
      y *= z * (choose((vector_bits)(z < 0), e, one) / (one + e));
    }
    store(scan_row_out(&p->out->y, p->sequence, from + t) + channel, y, lanes);
  }
}

/* From [tokens, states] vectors into rows of [D, N]. */
INLINE void spread(const scan_output *rows, const vector *from_lanes, const scan_part *p, size_t channel, size_t lanes,
                   size_t from, size_t tokens)
{
  size_t states = p->layer->states;
  for (size_t t = 0; t < tokens; t++) {
    double *row = scan_row_out(rows, p->sequence, from + t) + channel * states;
    for (size_t n = 0; n < states; n++) {
      double lane[LANES];
      memcpy(lane, &from_lanes[t * states + n], sizeof lane);
      for (size_t i = 0; i < lanes; i++)
        row[i * states + n] = lane[i];
    }
  }
}

TARGET void SCAN_CHANNELS(void *work, const scan_part *p)
{
  size_t states = p->layer->states, blocks = (p->channels + LANES - 1) / LANES;
  tile *w = work;
  vector *rate = (vector *)(w + 1), *h = rate + blocks * states, *most_rate = h + blocks * states;
  vector *record = most_rate + blocks;
  vector *alphas = p->out->alpha.at ? record : NULL;
  vector *hs = p->out->h.at ? record + (alphas ? SCAN_TILE * states : 0) : NULL;
  const scan_inputs *in = p->in;

  for (size_t k = 0; k < blocks; k++) {
    size_t lanes = p->channels - k * LANES < LANES ? p->channels - k * LANES : LANES;
    const double *rate_row = p->layer->rate + (p->first + k * LANES) * states, *h_row = p->state + k * LANES * states;
    vector_bits most = {0};
    double *a = (double *)(rate + k * states), *s = (double *)(h + k * states);
    if (lanes < LANES) {
      memset(a, 0, states * sizeof *rate);
      memset(s, 0, states * sizeof *h);
    }
    for (size_t i = 0; i < lanes; i++)
      for (size_t n = 0; n < states; n++) {
        a[n * LANES + i] = rate_row[i * states + n] * SCAN_LOG2E;
        s[n * LANES + i] = h_row[i * states + n];
      }
    for (size_t n = 0; n < states; n++)
      most = larger(magnitude(rate[k * states + n]), most);
    most_rate[k] = (vector)most;
  }

  for (size_t from = p->from, tokens; from < p->to; from += tokens) {
    tokens = p->to - from < SCAN_TILE ? p->to - from : SCAN_TILE;
    const double *b = scan_row(&in->b, p->sequence, from);
    const double *c = p->out->y.at ? scan_row(&in->c, p->sequence, from) : NULL;
    for (size_t k = 0; k < blocks; k++) {
      size_t channel = p->first + k * LANES;
      size_t lanes = p->channels - k * LANES < LANES ? p->channels - k * LANES : LANES;
      vector_bits most = fill(w, p, channel, lanes, from, tokens);
      bool near = all_near(most, (vector_bits)most_rate[k]);
      advance_block(w, h + k * states, rate + k * states, states, b, in->b.token, c, in->c.token, tokens, near, alphas,
                    hs, p, channel + 2 * LANES, from);
      if (p->out->y.at)
        empty(w, p, channel, lanes, from, tokens);
      if (alphas)
        spread(&p->out->alpha, alphas, p, channel, lanes, from, tokens);
      if (hs)
        spread(&p->out->h, hs, p, channel, lanes, from, tokens);
    }
  }

  for (size_t d = 0; d < p->channels; d++) {
    const double *s = (const double *)(h + d / LANES * states) + d % LANES;
    for (size_t n = 0; n < states; n++)
      p->state[d * states + n] = s[n * LANES];
  }
}
