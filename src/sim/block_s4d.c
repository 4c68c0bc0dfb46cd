/* S4D: Gu et al., arXiv:2206.11893, with the exact zero-order hold, as the reference implementation (s4d.py) computes it.
 *
 *   u = norm(x);  h <- exp(Delta A) h + (exp(Delta A) - 1)/A u;  y = 2 Re(C h) + D u (real A: C h + D u)
 *   x + glu(out(gelu(y)))
 *
 * The implementation has the factor of the input in C, which makes another h and the same y. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/activation.h"
#include "sim/block.h"

static void destroy(block *base)
{
  block_s4d *b = (block_s4d *)base;
  block_norm_clear(&b->norm);
  block_norm_clear(&b->post);
  block_dense_clear(&b->out);
  free(b->a);
  free(b->b);
  free(b->c);
  free(b->step);
  free(b->skip);
  free(b);
}

/* ---- reading ---- */

/* a = exp(z), b = (a - 1)/A, z = Delta A, without cancellation where z is small:
 * Re(exp z - 1) = expm1(x) cos y - 2 sin(y/2)^2. */
static void discretize(double *a, double *b, double step, double real, double imaginary)
{
  double x = step * real, y = step * imaginary, grown = exp(x), half = sin(y / 2);
  double p = expm1(x) * cos(y) - 2 * half * half, q = grown * sin(y), square = real * real + imaginary * imaginary;
  a[0] = grown * cos(y);
  a[1] = q;
  b[0] = square > 0 ? (p * real + q * imaginary) / square : step;
  b[1] = square > 0 ? (q * real - p * imaginary) / square : 0;
}

static void make_complex(block_s4d *b, const double *rate, const double *imaginary, bool shared)
{
  size_t m = b->base.width, n = b->states;
  b->a = parameters_room(2 * m * n);
  b->b = parameters_room(2 * m * n);
  for (size_t i = 0; i < m * n; i++)
    discretize(b->a + 2 * i, b->b + 2 * i, b->step[i / n], rate[i], imaginary ? imaginary[shared ? i % n : i] : 0);
}

static void make_real(block_s4d *b, const double *rate)
{
  size_t m = b->base.width, n = b->states;
  b->a = parameters_room(m * n);
  b->b = parameters_room(m * n);
  for (size_t i = 0; i < m * n; i++) {
    double x = b->step[i / n] * rate[i];
    b->a[i] = exp(x);
    b->b[i] = rate[i] != 0 ? expm1(x) / rate[i] : b->step[i / n];
  }
}

/* C is complex, [M, N, 2], or real, [M, N]. A real C with a complex A has the imaginary part 0. */
static bool read_readout(block_s4d *b, const parameters *p)
{
  size_t m = b->base.width, n = b->states;
  if (parameters_has(p, "readout"))
    return parameters_read_complex(&b->c, p, "readout", true, m, n);
  double *real;
  if (!parameters_read(&real, p, parameters_has(p, "readout_real") ? "readout_real" : "readout", true, m, n))
    return false;
  b->c = real;
  if (!b->is_complex)
    return true;
  b->c = parameters_room(2 * m * n);
  for (size_t i = 0; i < m * n; i++)
    b->c[2 * i] = real[i];
  free(real);
  return true;
}

static bool read_recurrence(block_s4d *b, const parameters *p, const definition_store *store)
{
  size_t m = b->base.width, n = b->states;
  double *rate = NULL, *imaginary = NULL;
  size_t rows = parameters_extent(p, "rate_imaginary", 1) ? m : 1;
  bool has = parameters_has(p, "rate_imaginary"), fine;
  /* A complex C makes the recurrence one: it is read as 2 Re(C h), also where A is real. */
  b->is_complex = b->conjugates = has || parameters_has(p, "readout");
  fine = parameters_define(&rate, p, store, "rate", m, n) && parameters_define(&b->step, p, store, "step", m, 0) &&
         (rows == 1 ? parameters_read(&imaginary, p, "rate_imaginary", false, n, 0)
                    : parameters_read(&imaginary, p, "rate_imaginary", false, m, n)) &&
         read_readout(b, p);
  if (fine && b->is_complex)
    make_complex(b, rate, imaginary, rows == 1);
  else if (fine)
    make_real(b, rate);
  free(rate);
  free(imaginary);
  return fine;
}

static bool read_output(block_s4d *b, const parameters *p)
{
  size_t m = b->base.width, rows = parameters_extent(p, "output_projection", 0);
  if (!parameters_has(p, "output_projection")) {
    double *none;
    return parameters_read(&none, p, "output_projection", false, m, m);
  }
  if (rows != m && rows != 2 * m)
    return parameters_refuse(p, "the output's map has %zu rows, which is neither %zu nor, with a gate, %zu", rows, m, 2 * m);
  b->glu = rows == 2 * m;
  return block_dense_read(&b->out, p, "output_projection", "output_projection_bias", rows, m);
}

static bool read_all(block_s4d *b, const parameters *p)
{
  const claim *f = p->layer->family;
  int channel = model_size_role(f, "channel"), state = model_size_role(f, "state");
  if (channel < 0 || state < 0 || !definition_has_product(f))
    return parameters_refuse(p, "the decay of this family is not exp(step*rate) of a channel and a state");
  b->base.width = (size_t)p->layer->sizes[channel];
  b->states = (size_t)p->layer->sizes[state];
  size_t m = b->base.width;
  definition_store store;
  bool fine = parameters_read_definitions(&store, p) && block_norm_read(&b->norm, p, "norm", "norm_bias", m, false) &&
              block_norm_read(&b->post, p, "post_norm", "post_norm_bias", m, false) &&
              parameters_read(&b->skip, p, "skip", false, m, 0) && read_recurrence(b, p, &store) && read_output(b, p);
  parameters_clear_definitions(&store);
  return fine;
}

static block *read_block(const parameters *p, const net_options *options)
{
  (void)options;
  block_s4d *b = memory_new(1, sizeof *b);
  if (!read_all(b, p)) {
    destroy(&b->base);
    return NULL;
  }
  b->base.facts =
      (net_layer){.channels = b->base.width, .states = b->states, .complex_states = b->is_complex, .has_step = true};
  return &b->base;
}

/* ---- running ---- */

static size_t arrays(block_array *array, const block *base)
{
  const block_s4d *b = (const block_s4d *)base;
  array[0] = (block_array){.name = "h", .rank = b->is_complex ? 3 : 2, .shape = {b->base.width, b->states, 2}};
  return 1;
}

/* The decay's modulus, the step and the drive are the same at every token but for the input. */
static void record(net_view *view, const block_s4d *b, const block_piece *p, const double *u)
{
  size_t t = p->tokens, m = b->base.width, n = b->states, lanes = b->is_complex ? 2 : 1;
  double *step = workspace_take(p->room, t * m), *alpha = NULL, *drive = NULL;
  for (size_t i = 0; i < t; i++)
    memcpy(step + i * m, b->step, m * sizeof *step);
  view->step = step;
  if (p->wanted & NET_WANT_ALPHA) {
    view->alpha = alpha = workspace_take(p->room, t * m * n);
    for (size_t k = 0; k < m * n; k++)
      alpha[k] = b->is_complex ? hypot(b->a[2 * k], b->a[2 * k + 1]) : b->a[k];
    for (size_t i = 1; i < t; i++)
      memcpy(alpha + i * m * n, alpha, m * n * sizeof *alpha);
  }
  if (p->wanted & NET_WANT_DRIVE) {
    view->drive = drive = workspace_take(p->room, t * m * n * lanes);
    for (size_t i = 0; i < t; i++)
      for (size_t k = 0; k < m * n * lanes; k++) {
        size_t d = k / (n * lanes);
        drive[i * m * n * lanes + k] = b->b[k] * u[i * m + d] / b->step[d];
      }
  }
}

static void run_block(const block *base, const block_piece *p)
{
  const block_s4d *b = (const block_s4d *)base;
  size_t t = p->tokens, m = base->width, n = b->states, all = m * n * (b->is_complex ? 2 : 1);
  workspace *room = p->room;
  double *u = workspace_take(room, t * m), *y = workspace_take(room, t * m), *mixer = workspace_take(room, t * m);
  double *h = p->wanted & NET_WANT_H ? workspace_take(room, t * all) : NULL;
  block_norm_apply(u, p->input, &b->norm, t, p->threads);
  form_diagonal f = {.sequences = 1,
                     .tokens = t,
                     .channels = m,
                     .states = n,
                     .is_complex = b->is_complex,
                     .conjugates = b->conjugates,
                     .a = b->a,
                     .b = b->b,
                     .c = b->c,
                     .skip = b->skip,
                     .u = {u, m, 0},
                     .y = {y, m, 0},
                     .h = {h, all, 0}};
  form_scan_diagonal(&(scan_options){.threads = p->threads}, p->state[0], &f);
  if (b->out.weight) {
    double *bent = workspace_take(room, t * m), *wide = workspace_take(room, t * b->out.rows);
    activation_gelu(bent, y, t * m);
    block_dense_apply(b->glu ? wide : mixer, bent, m, &b->out, t, p->threads);
    if (b->glu)
      block_glu(mixer, wide, wide + m, 2 * m, t, m, p->threads);
  } else {
    memcpy(mixer, y, t * m * sizeof *mixer);
  }
  for (size_t i = 0; i < t * m; i++)
    p->output[i] = p->input[i] + mixer[i];
  if (b->post.weight)
    block_norm_apply(p->output, p->output, &b->post, t, p->threads);
  *p->view = (net_view){.mixer = mixer, .u = u, .h = h, .y = y};
  record(p->view, b, p, u);
}

static const char *const roles[] = {"readout", "readout_real", "output_projection", NULL};

const block_kind block_kind_s4d = {"S4D", roles, read_block, destroy, arrays, run_block, NULL};
