/* Matrix states; Mamba-2's is one. forms.h has the contract. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/forms_internal.h"

/* A block is up to WIDE value channels of a head, in tiles of FORM_LANES. TOKENS at a time go through one
 * tile after the other: a tile stays in the first cache, and rows, which lie a whole row apart, are fetched
 * and written once, each in one go. */
enum { TILES = 4, WIDE = TILES * FORM_LANES, TOKENS = 16 };

typedef struct {
  const form_matrix *f;
  double *state;
  size_t blocks; /* of a head */
  form_matrix_loop *loop;
} matrix_job;

/* Scratch: the matrix [TILES, K, FORM_LANES], values [TOKENS, WIDE], sums with the query [TOKENS, WIDE], keys
 * times steps [TOKENS, K]. */

typedef struct {
  size_t head, value, width; /* value: the first channel */
} place;

static place place_of(const matrix_job *j, size_t block)
{
  place p = {block / j->blocks, block % j->blocks * WIDE, 0};
  size_t left = j->f->values - p.value;
  p.width = left < WIDE ? left : WIDE;
  return p;
}

static size_t group_of(const form_matrix *f, size_t head)
{
  return head / (f->heads / f->groups);
}

/* Entry k, v of a matrix, and of a block's. */
static size_t entry(const form_matrix *f, size_t k, size_t v)
{
  return f->values_first ? v * f->keys + k : k * f->values + v;
}

static size_t scratch_entry(const form_matrix *f, size_t k, size_t v)
{
  return (v / FORM_LANES * f->keys + k) * FORM_LANES + v % FORM_LANES;
}

static void matrix_load(const void *job, size_t sequence, size_t block, double *scratch)
{
  const matrix_job *j = job;
  const form_matrix *f = j->f;
  place p = place_of(j, block);
  const double *from = j->state + (sequence * f->heads + p.head) * f->keys * f->values;
  for (size_t v = 0; v < p.width; v++)
    for (size_t k = 0; k < f->keys; k++)
      scratch[scratch_entry(f, k, v)] = from[entry(f, k, p.value + v)];
}

/* Into the matrices of all heads. */
static void gather(double *to, const form_matrix *f, place p, const double *scratch)
{
  to += p.head * f->keys * f->values;
  for (size_t v = 0; v < p.width; v++)
    for (size_t k = 0; k < f->keys; k++)
      to[entry(f, k, p.value + v)] = scratch[scratch_entry(f, k, v)];
}

static void matrix_store(const void *job, size_t sequence, size_t block, const double *scratch)
{
  const matrix_job *j = job;
  gather(j->state + sequence * j->f->heads * j->f->keys * j->f->values, j->f, place_of(j, block), scratch);
}

/* What the present token adds on its own. */
static double present_weight(const double *query, const double *bonus, const double *key, size_t K)
{
  double sum = 0;
  for (size_t k = 0; k < K; k++)
    sum += (query[k] * bonus[k]) * key[k];
  return sum;
}

static void take_token(const form_matrix *f, size_t sequence, size_t t, place p, double *value,
                       double *scaled)
{
  const double *key = scan_row(&f->key, sequence, t) + group_of(f, p.head) * f->keys;
  memcpy(value, scan_row(&f->value, sequence, t) + p.head * f->values + p.value, p.width * sizeof *value);
  if (f->step.at) {
    double step = scan_row(&f->step, sequence, t)[p.head];
    for (size_t k = 0; k < f->keys; k++)
      scaled[k] = step * key[k];
  } else {
    memcpy(scaled, key, f->keys * sizeof *scaled);
  }
}

static void put_readout(const form_matrix *f, size_t sequence, size_t t, place p, const double *sum,
                        const double *value, const double *scaled)
{
  double *y = scan_row_out(&f->y, sequence, t) + p.head * f->values + p.value, present = 0;
  if (f->bonus)
    present = present_weight(scan_row(&f->query, sequence, t) + group_of(f, p.head) * f->keys,
                             f->bonus + p.head * f->keys, scaled, f->keys);
  for (size_t v = 0; v < p.width; v++) {
    double all = f->bonus ? sum[v] + present * value[v] : sum[v];
    y[v] = f->skip ? all + f->skip[p.head] * value[v] : all;
  }
}

/* Up to TOKENS tokens. */
static void run_tokens(const matrix_job *j, size_t sequence, place p, double *scratch, size_t first,
                       size_t last, bool quiet)
{
  const form_matrix *f = j->f;
  size_t K = f->keys;
  double *values = scratch + K * WIDE, *sums = values + TOKENS * WIDE, *scaled = sums + TOKENS * WIDE;
  for (size_t t = first, i = 0; t < last; t++, i++)
    take_token(f, sequence, t, p, values + i * WIDE, scaled + i * K);
  for (size_t v = 0; v < p.width; v += FORM_LANES) {
    place tile = {p.head, p.value + v, p.width - v < FORM_LANES ? p.width - v : FORM_LANES};
    double *matrix = scratch + v * K;
    for (size_t t = first, i = 0; t < last; t++, i++) {
      const double *query = scan_row(&f->query, sequence, t) + group_of(f, p.head) * K;
      j->loop(sums + i * WIDE + v, matrix, form_matrix_decay(f, sequence, t, p.head), scaled + i * K, query,
              values + i * WIDE + v, K);
      if (f->h.at && !quiet)
        gather(scan_row_out(&f->h, sequence, t), f, tile, matrix);
    }
  }
  if (f->y.at && !quiet)
    for (size_t t = first, i = 0; t < last; t++, i++)
      put_readout(f, sequence, t, p, sums + i * WIDE, values + i * WIDE, scaled + i * K);
}

static void matrix_run(const void *job, size_t sequence, size_t block, double *scratch, size_t first,
                       size_t last, bool quiet)
{
  place p = place_of(job, block);
  for (size_t t = first; t < last; t += TOKENS)
    run_tokens(job, sequence, p, scratch, t, last - t < TOKENS ? last : t + TOKENS, quiet);
}

static void matrix_decay(const void *job, size_t sequence, size_t block, const double *scratch, double *decay,
                         size_t first, size_t last)
{
  const matrix_job *j = job;
  size_t head = place_of(j, block).head, by_key = j->f->kind == FORM_DECAY_KEY;
  (void)scratch;
  for (size_t k = 0; k < j->f->keys; k++)
    decay[k] = 1;
  for (size_t t = first; t < last; t++) {
    const double *alpha = form_matrix_decay(j->f, sequence, t, head);
    for (size_t k = 0; k < j->f->keys; k++)
      decay[k] *= alpha[by_key * k];
  }
}

static void matrix_join(const void *job, double *own, const double *decay, const double *before)
{
  const matrix_job *j = job;
  for (size_t k = 0; k < j->f->keys; k++)
    for (size_t v = 0; v < WIDE; v++) {
      size_t at = scratch_entry(j->f, k, v);
      own[at] += decay[k] * before[at];
    }
}

/* e^alpha for all tokens (for one, where all have the same row). To be freed. */
static double *exponentials(scan_input *alpha, size_t sequences, size_t tokens, size_t n)
{
  size_t rows = alpha->token ? tokens : 1, all = memory_multiply(rows, n);
  double *to = memory_new(memory_multiply(sequences, all), sizeof *to);
#pragma omp parallel for collapse(2) schedule(static)
  for (size_t s = 0; s < sequences; s++)
    for (size_t t = 0; t < rows; t++)
      form_exp(to + s * all + t * n, scan_row(alpha, s, t), n);
  *alpha = (scan_input){to, alpha->token ? n : 0, all};
  return to;
}

static form_matrix_loop *loop_for(const scan_options *options, const form_matrix *f)
{
  const form_loops *loops = form_choose_loops(options);
  if (f->bonus)
    return f->kind == FORM_DECAY_KEY ? loops->keys_before : loops->head_before;
  return f->kind == FORM_DECAY_KEY ? loops->keys : loops->head;
}

void form_scan_matrix(const scan_options *options, double *state, const form_matrix *given)
{
  form_matrix f = *given;
  double *decays = NULL;
  if (f.tokens == 0 || f.sequences == 0)
    return;
  if (f.logarithm && f.kind != FORM_DECAY_NONE)
    decays = exponentials(&f.alpha, f.sequences, f.tokens,
                          f.kind == FORM_DECAY_KEY ? f.heads * f.keys : f.heads);
  matrix_job job = {&f, state, f.values / WIDE + (f.values % WIDE != 0), loop_for(options, &f)};
  form_parts parts = {.blocks = f.heads * job.blocks, .state = f.keys * WIDE,
                      .scratch = f.keys * (WIDE + TOKENS) + 2 * TOKENS * WIDE, .decay = f.keys,
                      .load = matrix_load, .store = matrix_store, .run = matrix_run,
                      .decay_of = matrix_decay, .join = matrix_join};
  if (form_wants_reference(options))
    form_reference_matrix(state, &f);
  else
    form_drive(options, &parts, &job, f.sequences, f.tokens);
  free(decays);
}

void form_scan_heads(const scan_options *options, double *state, const form_heads *f)
{
  size_t H = f->heads, all = memory_multiply(f->tokens, H);
  double *alpha = memory_new(memory_multiply(f->sequences, all), sizeof *alpha);
  double *logarithm = memory_new(H, sizeof *logarithm);
  for (size_t s = 0; s < f->sequences; s++)
    for (size_t t = 0; t < f->tokens; t++) {
      double *row = alpha + s * all + t * H;
      const double *step = scan_row(&f->step, s, t);
      for (size_t h = 0; h < H; h++)
        logarithm[h] = step[h] * f->rate[h];
      form_exp(row, logarithm, H);
      if (f->alpha.at)
        memcpy(scan_row_out(&f->alpha, s, t), row, H * sizeof *row);
    }
  form_matrix m = {.sequences = f->sequences, .tokens = f->tokens, .heads = H, .groups = f->groups,
                   .keys = f->states, .values = f->channels, .kind = FORM_DECAY_HEAD,
                   .alpha = {alpha, H, all}, .key = f->b, .query = f->c, .value = f->x, .step = f->step,
                   .skip = f->skip, .values_first = true, .y = f->y, .h = f->h};
  form_scan_matrix(options, state, &m);
  free(alpha);
  free(logarithm);
}
