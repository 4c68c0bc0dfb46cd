/* LRU: Orvieto et al., arXiv:2303.06349, section 3.4 and appendix A.
 *
 *   u = norm(x);  h <- lambda h + gamma B u;  y = Re(C h) + D u;  x + value(gelu(y)) sigmoid(gate(gelu(y)))
 *
 * A variant reads the state before the token's update (delayed): its y_t is C h_{t-1} + D u_t. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/block.h"

static void destroy(block *base)
{
  block_lru *b = (block_lru *)base;
  block_norm_clear(&b->norm);
  block_dense_clear(&b->b);
  block_dense_clear(&b->c);
  block_dense_clear(&b->d);
  block_dense_clear(&b->out);
  free(b->a);
  free(b->skip);
  free(b);
}

/* ---- reading ---- */

/* A complex matrix in one tensor or in two, [rows, columns, 2]. */
static bool read_matrix(double **value, const parameters *p, const char *whole, const char *real, const char *imaginary,
                        size_t rows, size_t columns)
{
  if (parameters_has(p, whole) || !parameters_has(p, real))
    return parameters_read_complex(value, p, whole, true, rows, columns);
  double *re = NULL, *im = NULL;
  bool fine = parameters_read(&re, p, real, true, rows, columns) && parameters_read(&im, p, imaginary, true, rows, columns);
  if (fine) {
    *value = parameters_room(2 * rows * columns);
    for (size_t i = 0; i < rows * columns; i++) {
      (*value)[2 * i] = re[i];
      (*value)[2 * i + 1] = im[i];
    }
  }
  free(re);
  free(im);
  return fine;
}

static bool read_poles(block_lru *b, const parameters *p, const definition_store *store)
{
  double *log_decay = NULL, *phase = NULL;
  bool fine = parameters_define(&log_decay, p, store, "log_decay", b->states, 0) &&
              parameters_read(&phase, p, "log_phase", true, b->states, 0);
  b->a = parameters_room(2 * b->states);
  for (size_t n = 0; n < b->states && fine; n++) {
    double size = exp(log_decay[n]), angle = exp(phase[n]);
    b->a[2 * n] = size * cos(angle);
    b->a[2 * n + 1] = size * sin(angle);
  }
  free(log_decay);
  free(phase);
  return fine;
}

static bool read_maps(block_lru *b, const parameters *p, const definition_store *store)
{
  size_t n = b->states, m = b->base.width;
  const char *whole = b->delayed ? "readout_before" : "readout";
  double *in = NULL, *out = NULL, *gamma = NULL;
  bool fine = parameters_define(&gamma, p, store, "step", n, 0) &&
              read_matrix(&in, p, "input_matrix", "input_real", "input_imaginary", n, m) &&
              read_matrix(&out, p, whole, "readout_real", "readout_imaginary", m, n);
  if (fine) {
    b->b = (block_dense){.rows = 2 * n, .columns = m, .weight = parameters_room(2 * n * m)};
    b->c = (block_dense){.rows = m, .columns = 2 * n, .weight = parameters_room(2 * n * m)};
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < m; k++) {
        b->b.weight[2 * i * m + k] = gamma[i] * in[2 * (i * m + k)];
        b->b.weight[(2 * i + 1) * m + k] = gamma[i] * in[2 * (i * m + k) + 1];
        b->c.weight[k * 2 * n + 2 * i] = out[2 * (k * n + i)];
        b->c.weight[k * 2 * n + 2 * i + 1] = -out[2 * (k * n + i) + 1];
      }
  }
  free(gamma);
  free(in);
  free(out);
  return fine;
}

/* D is a vector or a matrix. */
static bool read_skip(block_lru *b, const parameters *p)
{
  size_t m = b->base.width;
  if (parameters_has(p, "skip_matrix"))
    return block_dense_read(&b->d, p, "skip_matrix", NULL, m, m);
  return parameters_read(&b->skip, p, "skip", false, m, 0);
}

/* Value and gate in one map or in two. */
static bool read_output(block_lru *b, const parameters *p)
{
  size_t m = b->base.width;
  block_dense value = {0}, gate = {0};
  if (parameters_has(p, "output_projection"))
    return block_dense_read(&b->out, p, "output_projection", "output_projection_bias", 2 * m, m);
  if (!parameters_has(p, "output_value") && !parameters_has(p, "output_gate"))
    return true;
  bool fine = block_dense_read(&value, p, "output_value", "output_value_bias", m, m) &&
              block_dense_read(&gate, p, "output_gate", "output_gate_bias", m, m);
  if (fine) {
    b->out = (block_dense){.rows = 2 * m, .columns = m, .weight = parameters_room(2 * m * m), .bias = parameters_room(2 * m)};
    memcpy(b->out.weight, value.weight, m * m * sizeof *value.weight);
    memcpy(b->out.weight + m * m, gate.weight, m * m * sizeof *gate.weight);
    if (value.bias)
      memcpy(b->out.bias, value.bias, m * sizeof *value.bias);
    if (gate.bias)
      memcpy(b->out.bias + m, gate.bias, m * sizeof *gate.bias);
  }
  block_dense_clear(&value);
  block_dense_clear(&gate);
  return fine;
}

static bool read_all(block_lru *b, const parameters *p)
{
  int state = model_size_role(p->layer->family, "state");
  size_t m = parameters_has(p, "input_real") ? parameters_extent(p, "input_real", 1) : parameters_extent(p, "input_matrix", 1);
  if (state < 0)
    return parameters_refuse(p, "the family does not say which size counts states");
  b->states = (size_t)p->layer->sizes[state];
  b->base.width = m;
  b->delayed = parameters_has(p, "readout_before");
  definition_store store;
  bool fine = parameters_read_definitions(&store, p) && read_poles(b, p, &store) && read_maps(b, p, &store) &&
              block_norm_read(&b->norm, p, "norm", "norm_bias", m, false) && read_skip(b, p) && read_output(b, p);
  parameters_clear_definitions(&store);
  return fine;
}

static block *read_block(const parameters *p, const net_options *options)
{
  (void)options;
  block_lru *b = memory_new(1, sizeof *b);
  if (!read_all(b, p)) {
    destroy(&b->base);
    return NULL;
  }
  b->base.facts = (net_layer){
      .channels = 1, .states = b->states, .complex_states = true, .inputs = b->base.width, .outputs = b->base.width};
  return &b->base;
}

/* ---- running ---- */

static size_t arrays(block_array *array, const block *base)
{
  array[0] = (block_array){.name = "h", .rank = 2, .shape = {((const block_lru *)base)->states, 2}};
  return 1;
}

/* The states that C reads. */
static const double *read_states(const block_lru *b, const block_piece *p, const double *first, const double *h)
{
  size_t n = 2 * b->states;
  if (!b->delayed)
    return h;
  double *before = workspace_take(p->room, p->tokens * n);
  memcpy(before, first, n * sizeof *before);
  memcpy(before + n, h, (p->tokens - 1) * n * sizeof *before);
  return before;
}

static void add_skip(double *y, const block_lru *b, const block_piece *p, const double *u)
{
  size_t t = p->tokens, m = b->base.width;
  if (b->d.weight) {
    double *through = workspace_take(p->room, t * m);
    block_dense_apply(through, u, m, &b->d, t, p->threads);
    for (size_t i = 0; i < t * m; i++)
      y[i] += through[i];
  }
  for (size_t i = 0; i < t * m && b->skip; i++)
    y[i] += b->skip[i % m] * u[i];
}

static void run_block(const block *base, const block_piece *p)
{
  const block_lru *b = (const block_lru *)base;
  size_t t = p->tokens, m = base->width, n = b->states;
  workspace *room = p->room;
  double *u = workspace_take(room, t * m), *drive = workspace_take(room, 2 * t * n), *h = workspace_take(room, 2 * t * n);
  double *y = workspace_take(room, t * m), *mixer = workspace_take(room, t * m), *first = workspace_take(room, 2 * n);
  double *alpha = p->wanted & NET_WANT_ALPHA ? workspace_take(room, t * n) : NULL;
  block_norm_apply(u, p->input, &b->norm, t, p->threads);
  block_dense_apply(drive, u, m, &b->b, t, p->threads);
  memcpy(first, p->state[0], 2 * n * sizeof *first);
  form_poles f = {.sequences = 1, .tokens = t, .states = n, .a = b->a, .x = {drive, 2 * n, 0}, .h = {h, 2 * n, 0}};
  form_scan_poles(&(scan_options){.threads = p->threads}, p->state[0], &f);
  block_dense_apply(y, read_states(b, p, first, h), 2 * n, &b->c, t, p->threads);
  add_skip(y, b, p, u);
  if (b->out.weight) {
    double *bent = workspace_take(room, t * m), *wide = workspace_take(room, 2 * t * m);
    activation_gelu(bent, y, t * m);
    block_dense_apply(wide, bent, m, &b->out, t, p->threads);
    block_glu(mixer, wide, wide + m, 2 * m, t, m, p->threads);
  } else {
    memcpy(mixer, y, t * m * sizeof *mixer);
  }
  for (size_t i = 0; i < t * m; i++)
    p->output[i] = p->input[i] + mixer[i];
  for (size_t i = 0; i < t * n && alpha; i++)
    alpha[i] = hypot(b->a[2 * (i % n)], b->a[2 * (i % n) + 1]);
  *p->view = (net_view){.mixer = mixer,
                        .u = u,
                        .alpha = alpha,
                        .drive = p->wanted & NET_WANT_DRIVE ? drive : NULL,
                        .h = p->wanted & NET_WANT_H ? h : NULL,
                        .y = y};
}

static const char *const roles[] = {"log_phase", "skip_matrix", NULL};

const block_kind block_kind_lru = {"LRU", roles, read_block, destroy, arrays, run_block, NULL};
