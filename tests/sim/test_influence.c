/* Influence through blocks and through whole models: the adjoint against dual numbers in long double through
 * a small Mamba-1 of the test's own, and against differences of the model's own forward pass for every kind
 * of block that has an adjoint. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../dump/made_model.h"
#include "core/memory.h"
#include "core/philox.h"
#include "sim/influence.h"
#include "sim/influence_back.h"
#include "sim/net_internal.h"

/* ---- models ---- */

typedef struct {
  made_tensor tensor[80];
  double *value[80];
  char *name[80];
  size_t count;
  philox_stream random;
  const char *groups; /* of Mamba-2; NULL: 1 */
} made_file;

static made_file begin_file(uint64_t seed)
{
  made_file f = {.count = 0};
  f.random = philox_stream_start(seed, 2, 0, 0);
  return f;
}

/* A tensor of numbers between low and high; "%d" in the name is the layer. */
static double *put(made_file *f, const char *prefix, const char *name, uint64_t rows, uint64_t columns,
                   double low, double high)
{
  size_t count = (size_t)(rows * (columns ? columns : 1));
  double *x = memory_new(count, sizeof *x);
  for (size_t i = 0; i < count; i++)
    x[i] = low + (high - low) * philox_uniform(&f->random);
  size_t length = strlen(prefix) + strlen(name) + 1;
  char *whole = memory_new(length, 1);
  snprintf(whole, length, "%s%s", prefix, name);
  f->name[f->count] = whole;
  f->value[f->count] = x;
  f->tensor[f->count++] = (made_tensor){whole, columns ? 2 : 1, {rows, columns}, x, DUMP_PARAMETER};
  return x;
}

/* The same with a last dimension more. */
static double *put_deep(made_file *f, const char *prefix, const char *name, uint64_t a, uint64_t b,
                        uint64_t c, double low, double high)
{
  double *x = put(f, prefix, name, a, b * c, low, high);
  made_tensor *t = &f->tensor[f->count - 1];
  t->rank = 3;
  t->shape[1] = b;
  t->shape[2] = c;
  return x;
}

typedef struct {
  made_families families;
  dump_file *file;
  net *net;
} opened;

static opened open_net(made_file *f, const net_options *options)
{
  opened o = {.families = made_families_shipped(), .file = made_model(f->tensor, f->count)};
  if (f->groups)
    reader_add_note(o.file, "config.n_groups", f->groups);
  dump_error error;
  dump_error_init(&error);
  model m;
  ck_assert_msg(model_recognise(&m, o.families.family, o.families.count, o.file, &error) == STATUS_OK, "%s",
                error.message);
  net_options one = options ? *options : net_options_default();
  one.threads = 1; /* small models: more would wait for each other */
  o.net = net_create(&m, &one, &error);
  ck_assert_msg(o.net != NULL, "%s", error.message);
  model_clear(&m);
  dump_error_clear(&error);
  return o;
}

static void close_net(opened *o, made_file *f)
{
  net_destroy(o->net);
  dump_close(o->file);
  made_families_clear(&o->families);
  for (size_t i = 0; i < f->count; i++) {
    free(f->value[i]);
    free(f->name[i]);
  }
}

typedef struct {
  size_t M, D, N, R, W;
  bool plain_norm; /* no norms at all */
} shape;

static void put_mamba1(made_file *f, const shape *z, int layer, double log_rate_low, double log_rate_high)
{
  char p[64];
  snprintf(p, sizeof p, "layers.%d.mixer.", layer);
  put(f, p, "A_log", z->D, z->N, log_rate_low, log_rate_high);
  put(f, p, "dt_proj.bias", z->D, 0, -2, 0);
  put(f, p, "in_proj.weight", 2 * z->D, z->M, -0.9, 0.9);
  put_deep(f, p, "conv1d.weight", z->D, 1, z->W, -0.7, 0.7);
  put(f, p, "conv1d.bias", z->D, 0, -0.3, 0.3);
  put(f, p, "dt_proj.weight", z->D, z->R, -0.6, 0.6);
  put(f, p, "x_proj.weight", z->R + 2 * z->N, z->D, -0.6, 0.6);
  put(f, p, "D", z->D, 0, 0.5, 1);
  put(f, p, "out_proj.weight", z->M, z->D, -0.6, 0.6);
  if (!z->plain_norm) {
    snprintf(p, sizeof p, "layers.%d.", layer);
    put(f, p, "norm.weight", z->M, 0, 0.5, 1.5);
  }
}

static double *draw_vectors(size_t tokens, size_t m)
{
  philox_stream s = philox_stream_start(77, 3, 0, 0);
  double *x = memory_new(tokens * m, sizeof *x);
  for (size_t i = 0; i < tokens * m; i++)
    x[i] = 3 * philox_uniform(&s) - 1.5;
  return x;
}

/* ---- dual numbers ---- */

typedef struct {
  long double v, d;
} dual;

static dual con(long double v)
{
  return (dual){v, 0};
}
static dual add(dual a, dual b)
{
  return (dual){a.v + b.v, a.d + b.d};
}
static dual mul(dual a, dual b)
{
  return (dual){a.v * b.v, a.d * b.v + a.v * b.d};
}
static dual inv(dual a)
{
  return (dual){1 / a.v, -a.d / (a.v * a.v)};
}
static dual dexp(dual a)
{
  long double e = expl(a.v);
  return (dual){e, e * a.d};
}
static dual dlog(dual a)
{
  return (dual){logl(a.v), a.d / a.v};
}
static dual silu(dual a)
{
  return mul(a, inv(add(con(1), dexp((dual){-a.v, -a.d}))));
}

static const double *find(const made_file *f, int layer, const char *name)
{
  char whole[128];
  snprintf(whole, sizeof whole, "layers.%d.%s", layer, name);
  for (size_t i = 0; i < f->count; i++)
    if (!strcmp(f->name[i], layer < 0 ? name : whole))
      return f->value[i];
  return NULL;
}

/* y = W x, rows 0 .. rows - 1 of W. */
static void dense(dual *y, const double *w, const dual *x, size_t rows, size_t columns)
{
  for (size_t i = 0; i < rows; i++) {
    y[i] = con(0);
    for (size_t j = 0; j < columns; j++)
      y[i] = add(y[i], mul(con(w[i * columns + j]), x[j]));
  }
}

static void rms_norm(dual *y, const dual *x, const double *weight, size_t m)
{
  dual square = con(0);
  for (size_t i = 0; i < m; i++)
    square = add(square, mul(x[i], x[i]));
  square = add(mul(square, con(1.0L / (long double)m)), con(1e-5));
  dual scale = dexp(mul(con(-0.5L), dlog(square)));
  for (size_t i = 0; i < m; i++)
    y[i] = weight ? mul(mul(x[i], scale), con(weight[i])) : x[i];
}

enum { MOST = 16 };

/* One Mamba-1 mixer over T tokens: out[t] from x[t], as the paper has it. */
static void mamba1(dual *out, const dual *x, const made_file *f, const shape *z, int layer, size_t T)
{
  size_t M = z->M, D = z->D, N = z->N, R = z->R, W = z->W;
  dual *history = memory_new(T * D, sizeof *history), *h = memory_new(D * N, sizeof *h);
  const double *a_log = find(f, layer, "mixer.A_log"), *taps = find(f, layer, "mixer.conv1d.weight");
  for (size_t t = 0; t < T; t++) {
    dual n[MOST], uz[2 * MOST], u[MOST], sel[2 * MOST], dt[MOST], y[MOST];
    rms_norm(n, x + t * M, find(f, layer, "norm.weight"), M);
    dense(uz, find(f, layer, "mixer.in_proj.weight"), n, 2 * D, M);
    memcpy(history + t * D, uz, D * sizeof *uz);
    for (size_t d = 0; d < D; d++) {
      u[d] = con(find(f, layer, "mixer.conv1d.bias")[d]);
      for (size_t w = 0; w < W && w <= t; w++)
        u[d] = add(u[d], mul(con(taps[d * W + W - 1 - w]), history[(t - w) * D + d]));
      u[d] = silu(u[d]);
    }
    dense(sel, find(f, layer, "mixer.x_proj.weight"), u, R + 2 * N, D);
    dense(dt, find(f, layer, "mixer.dt_proj.weight"), sel, D, R);
    for (size_t d = 0; d < D; d++) {
      dual step = dlog(add(con(1), dexp(add(dt[d], con(find(f, layer, "mixer.dt_proj.bias")[d])))));
      y[d] = mul(con(find(f, layer, "mixer.D")[d]), u[d]);
      for (size_t k = 0; k < N; k++) {
        dual alpha = dexp(mul(step, con(-expl(a_log[d * N + k]))));
        h[d * N + k] = add(mul(alpha, h[d * N + k]), mul(mul(step, sel[R + k]), u[d]));
        y[d] = add(y[d], mul(sel[R + N + k], h[d * N + k]));
      }
      y[d] = mul(y[d], silu(uz[D + d]));
    }
    dense(out + t * M, find(f, layer, "mixer.out_proj.weight"), y, M, D);
  }
  free(history);
  free(h);
}

/* |J(t, s)|^2 of the whole model (mixer < 0) or of one mixer, by one run for each number of x_s. */
static void reference(long double *square, const made_file *f, const shape *z, int layers, int mixer,
                      const double *in, size_t T)
{
  size_t M = z->M;
  dual *x = memory_new(T * M, sizeof *x), *y = memory_new(T * M, sizeof *y);
  for (size_t i = 0; i < T * T; i++)
    square[i] = 0;
  for (size_t s = 0; s < T; s++)
    for (size_t j = 0; j < M; j++) {
      for (size_t i = 0; i < T * M; i++)
        x[i] = (dual){in[i], mixer <= 0 && i == s * M + j};
      for (int l = 0; l < layers; l++) {
        if (l == mixer)
          for (size_t i = 0; i < T * M; i++)
            x[i].d = i == s * M + j;
        mamba1(y, x, f, z, l, T);
        if (l == mixer)
          break;
        for (size_t i = 0; i < T * M; i++)
          x[i] = add(x[i], y[i]);
      }
      for (size_t t = s; t < T; t++) {
        if (mixer < 0)
          rms_norm(y + t * M, x + t * M, find(f, -1, "norm_f.weight"), M);
        for (size_t i = 0; i < M; i++)
          square[t * T + s] += y[t * M + i].d * y[t * M + i].d;
      }
    }
  free(x);
  free(y);
}

/* ---- what is tested ---- */

typedef struct {
  double *x[8]; /* what enters each layer, and what leaves the last */
  const net *n;
  size_t T;
} stream;

static bool keep(void *context, const net_view *v)
{
  stream *s = context;
  size_t m = net_width(s->n);
  memcpy(s->x[v->layer] + v->first * m, v->input, v->tokens * m * sizeof(double));
  memcpy(s->x[v->layer + 1] + v->first * m, v->output, v->tokens * m * sizeof(double));
  return true;
}

static stream run_stream(const net *n, const double *in, size_t T)
{
  stream s = {.n = n, .T = T};
  for (size_t i = 0; i <= net_layers(n); i++)
    s.x[i] = memory_new(T * net_width(n), sizeof(double));
  net_state *state = net_state_create(n);
  net_input input = {.tokens = T, .vector = in};
  net_observer o = {.see = keep, .context = &s};
  ck_assert_int_eq(net_run(n, state, &input, &o), STATUS_OK);
  net_state_destroy(state);
  return s;
}

static void clear_stream(stream *s)
{
  for (size_t i = 0; i <= net_layers(s->n); i++)
    free(s->x[i]);
}

/* |J| of all pairs: of the model (mixer < 0) or of one mixer. */
static wide *all_pairs(const net *n, const stream *s, int mixer, size_t rows, uint64_t seed, int threads)
{
  size_t T = s->T, *t = memory_new(T, sizeof *t);
  for (size_t i = 0; i < T; i++)
    t[i] = (i * 5 + 3) % T; /* in no order; T is no multiple of 5 */
  wide *mixed = memory_new(T * T, sizeof *mixed), *out = memory_new(T * T, sizeof *out);
  back_task task = {
      .tokens = T, .width = n->width, .t = t, .positions = T, .rows = rows, .seed = seed, .threads = threads};
  const block *one = mixer < 0 ? NULL : n->block[mixer];
  const double *input = mixer < 0 ? NULL : s->x[mixer];
  if (mixer < 0) {
    task.blocks = n->count;
    task.block = (const block *const *)n->block;
    task.input = (const double *const *)s->x;
    task.residual = true;
    task.last = &n->last;
    task.output = s->x[n->count];
  } else {
    task.blocks = 1;
    task.block = &one;
    task.input = &input;
  }
  ck_assert(influence_back(mixed, &task));
  for (size_t i = 0; i < T; i++)
    for (size_t k = 0; k <= t[i]; k++)
      out[t[i] * T + k] = mixed[i * T + k];
  free(mixed);
  free(t);
  return out;
}

static void check_mamba1(const shape *z, size_t T, uint64_t seed)
{
  made_file f = begin_file(seed);
  put_mamba1(&f, z, 0, -1, 1.5);
  put_mamba1(&f, z, 1, -2, 1);
  if (!z->plain_norm)
    put(&f, "", "norm_f.weight", z->M, 0, 0.5, 1.5);
  opened o = open_net(&f, NULL);
  double *in = draw_vectors(T, z->M);
  stream s = run_stream(o.net, in, T);
  long double *square = memory_new(T * T, sizeof *square);
  for (int mixer = -1; mixer < 2; mixer++) {
    wide *found = all_pairs(o.net, &s, mixer, z->M, 0, 1);
    reference(square, &f, z, 2, mixer, in, T);
    for (size_t t = 0; t < T; t++)
      for (size_t k = 0; k <= t; k++) {
        double expected = (double)sqrtl(square[t * T + k]), got = wide_double(found[t * T + k]);
        ck_assert_msg(fabs(got - expected) <= 2e-13 * expected, "mixer %d t %zu s %zu: %.17g, not %.17g",
                      mixer, t, k, got, expected);
      }
    free(found);
  }
  free(square);
  free(in);
  clear_stream(&s);
  close_net(&o, &f);
}

START_TEST(mamba1_by_dual_numbers)
{
  check_mamba1(&(shape){.M = 4, .D = 6, .N = 2, .R = 2, .W = 4}, 9, 1);
  check_mamba1(&(shape){.M = 3, .D = 5, .N = 3, .R = 1, .W = 2, .plain_norm = true}, 7, 2);
}
END_TEST

/* Longer than a piece: the model's own derivative by differences of the eighth order, for some pairs. */
static void hidden_of(double *out, const net *n, const double *in, size_t T);

typedef struct {
  double *out;
  size_t m;
} hidden_place;

static bool keep_hidden(void *context, size_t first, size_t tokens, const double *hidden,
                        const double *logits)
{
  hidden_place *p = context;
  (void)logits;
  memcpy(p->out + first * p->m, hidden, tokens * p->m * sizeof(double));
  return true;
}

static void hidden_of(double *out, const net *n, const double *in, size_t T)
{
  hidden_place p = {out, net_width(n)};
  net_state *state = net_state_create(n);
  net_input input = {.tokens = T, .vector = in};
  net_observer o = {.finish = keep_hidden, .context = &p};
  ck_assert_int_eq(net_run(n, state, &input, &o), STATUS_OK);
  net_state_destroy(state);
}

/* |J(t, s)|^2, all t >= s, by f' = (4/5 d1 - 1/5 d2 + 4/105 d3 - 1/280 d4)/h, dk = f(x + kh) - f(x - kh). */
static void by_differences(double *square, const net *n, const double *in, size_t T, size_t s)
{
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double h = 1.0 / 256;
  size_t m = net_width(n);
  double *x = memory_new(T * m, sizeof *x), *up = memory_new(T * m, sizeof *up),
         *down = memory_new(T * m, sizeof *down);
  double *slope = memory_new(T * m, sizeof *slope);
  memcpy(x, in, T * m * sizeof *x);
  for (size_t t = 0; t < T; t++)
    square[t] = 0;
  for (size_t j = 0; j < m; j++) {
    double *at = &x[s * m + j], old = *at;
    memset(slope, 0, T * m * sizeof *slope);
    for (int k = 1; k <= 4; k++) {
      *at = old + k * h;
      hidden_of(up, n, x, T);
      *at = old - k * h;
      hidden_of(down, n, x, T);
      for (size_t i = 0; i < T * m; i++)
        slope[i] += weight[k - 1] * (up[i] - down[i]) / h;
    }
    *at = old;
    for (size_t i = s * m; i < T * m; i++)
      square[i / m] += slope[i] * slope[i];
  }
  free(x);
  free(up);
  free(down);
  free(slope);
}

/* The model against differences, at a few s; those are good to about 10^-11 of what is not small. */
static void check_differences(const net *n, size_t T)
{
  double *in = draw_vectors(T, net_width(n)), *square = memory_new(T, sizeof *square);
  stream s = run_stream(n, in, T);
  wide *found = all_pairs(n, &s, -1, net_width(n), 0, 1);
  size_t far = 0;
  for (size_t k = 0; k < T; k += T / 3) {
    by_differences(square, n, in, T, k);
    for (size_t t = k; t < T; t++) {
      double expected = sqrt(square[t]), got = wide_double(found[t * T + k]);
      ck_assert_msg(fabs(got - expected) <= 1e-8 * expected + 3e-10, "t %zu s %zu: %.17g, not %.17g", t, k,
                    got, expected);
      far += t > k + 8 && got > 1e-6;
    }
  }
  ck_assert_uint_gt(far, 0); /* something was looked at */
  free(found);
  free(in);
  free(square);
  clear_stream(&s);
}

START_TEST(mamba1_by_differences)
{
  shape z = {.M = 4, .D = 6, .N = 2, .R = 2, .W = 4};
  made_file f = begin_file(3);
  put_mamba1(&f, &z, 0, -4, 0);
  put_mamba1(&f, &z, 1, -4, 0);
  put(&f, "", "norm_f.weight", z.M, 0, 0.5, 1.5);
  opened o = open_net(&f, NULL);
  check_differences(o.net, 83);
  net_options polarized = net_options_default();
  polarized.polarized = true;
  net_destroy(o.net);
  dump_close(o.file);
  made_families_clear(&o.families);
  o = open_net(&f, &polarized);
  check_differences(o.net, 71);
  close_net(&o, &f);
}
END_TEST

static void put_mamba2(made_file *f, int layer, size_t M, size_t H, size_t P, size_t N, size_t G)
{
  char p[64];
  size_t E = H * P, C = E + 2 * G * N;
  snprintf(p, sizeof p, "layers.%d.mixer.", layer);
  put(f, p, "A_log", H, 0, -3, 0);
  put(f, p, "dt_bias", H, 0, -2, 0);
  put(f, p, "in_proj.weight", E + C + H, M, -0.9, 0.9);
  put_deep(f, p, "conv1d.weight", C, 1, 3, -0.7, 0.7);
  put(f, p, "conv1d.bias", C, 0, -0.3, 0.3);
  put(f, p, "D", H, 0, 0.5, 1);
  put(f, p, "norm.weight", E, 0, 0.5, 1.5);
  put(f, p, "out_proj.weight", M, E, -0.6, 0.6);
  snprintf(p, sizeof p, "layers.%d.", layer);
  put(f, p, "norm.weight", M, 0, 0.5, 1.5);
}

START_TEST(mamba2_by_differences)
{
  for (int polar = 0; polar < 2; polar++) {
    made_file f = begin_file(7);
    f.groups = "2";
    put_mamba2(&f, 0, 4, 4, 2, 3, 2);
    put_mamba2(&f, 1, 4, 4, 2, 3, 2);
    put(&f, "", "norm_f.weight", 4, 0, 0.5, 1.5);
    net_options options = net_options_default();
    options.polarized = polar;
    opened o = open_net(&f, &options);
    check_differences(o.net, 77);
    influence_options measure = influence_options_default();
    measure.threads = 1;
    double *in = draw_vectors(77, 4);
    net_input input = {.tokens = 77, .vector = in};
    influence_result r;
    ck_assert_int_eq(influence_measure(&r, o.net, &input, 1, &measure), STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
      ck_assert_uint_eq(r.layers[i].states, polar ? 5 : 3);
      ck_assert(r.layers[i].scan.known && r.layers[i].bound.pairs > 0 && r.layers[i].bound.exceeded == 0);
      ck_assert(polar ? r.layers[i].decay.log_max == 0 : r.layers[i].decay.log_max < 0);
    }
    influence_result_clear(&r);
    free(in);
    close_net(&o, &f);
  }
}
END_TEST

static void put_s4d(made_file *f, int layer, size_t M, size_t N)
{
  char p[64];
  snprintf(p, sizeof p, "s4.layers.%d.kernel.", layer);
  put(f, p, "log_A_real", M, N, -2, 0);
  put(f, p, "A_imag", M, N, 0, 3);
  put(f, p, "log_dt", M, 0, -3, -1);
  put_deep(f, p, "C", M, N, 2, -1, 1);
  snprintf(p, sizeof p, "s4.layers.%d.", layer);
  put(f, p, "D", M, 0, -1, 1);
  put(f, p, "output_linear.0.weight", 2 * M, M, -0.9, 0.9);
  put(f, p, "output_linear.0.bias", 2 * M, 0, -0.5, 0.5);
}

START_TEST(s4d_by_differences)
{
  for (int post = 0; post < 2; post++) {
    made_file f = begin_file(8);
    put_s4d(&f, 0, 4, 3);
    put_s4d(&f, 1, 4, 3);
    opened o = open_net(&f, NULL);
    ck_assert_str_eq(o.net->block[1]->kind->name, "S4D");
    for (size_t i = 0; i < 2 && post; i++) { /* a norm of the whole sum, whatever the names that it goes by */
      block_norm *n = &((block_s4d *)o.net->block[i])->post;
      ck_assert_ptr_null(n->weight);
      *n = (block_norm){.width = 4,
                        .centred = true,
                        .epsilon = 1e-5,
                        .weight = parameters_room(4),
                        .bias = parameters_room(4)};
      for (size_t d = 0; d < 4; d++)
        n->weight[d] = 0.5 + (double)(d + i);
    }
    check_differences(o.net, 83);
    close_net(&o, &f);
  }
}
END_TEST

START_TEST(lru_by_differences)
{
  made_file f = begin_file(9);
  for (int layer = 0; layer < 2; layer++) {
    char p[64];
    snprintf(p, sizeof p, "layers.%d.lru.", layer);
    put(&f, p, "nu_log", 5, 0, -4, -1);
    put(&f, p, "gamma_log", 5, 0, -1, 0);
    put(&f, p, "theta_log", 5, 0, -3, 1);
    put(&f, p, "B_re", 5, 4, -1, 1);
    put(&f, p, "B_im", 5, 4, -1, 1);
    put(&f, p, "C_re", 4, 5, -1, 1);
    put(&f, p, "C_im", 4, 5, -1, 1);
    put(&f, p, "D", 4, 0, -1, 1);
    snprintf(p, sizeof p, "layers.%d.", layer);
    put(&f, p, "out1.weight", 4, 4, -1, 1);
    put(&f, p, "out2.weight", 4, 4, -1, 1);
    put(&f, p, "normalization.weight", 4, 0, 0.5, 1.5);
    put(&f, p, "normalization.bias", 4, 0, -0.5, 0.5);
  }
  opened o = open_net(&f, NULL);
  ck_assert_str_eq(o.net->block[1]->kind->name, "LRU");
  check_differences(o.net, 83);
  close_net(&o, &f);
}
END_TEST

START_TEST(rwkv4_by_differences)
{
  made_file f = begin_file(10);
  for (int layer = 0; layer < 2; layer++) {
    char p[64];
    snprintf(p, sizeof p, "blocks.%d.att.", layer);
    put(&f, p, "time_first", 6, 0, -1, 1);
    put(&f, p, "time_decay", 6, 0, -4, -1);
    put(&f, p, "time_mix_k", 4, 0, 0, 1);
    put(&f, p, "time_mix_v", 4, 0, 0, 1);
    put(&f, p, "time_mix_r", 4, 0, 0, 1);
    put(&f, p, "key.weight", 6, 4, -0.9, 0.9);
    put(&f, p, "value.weight", 6, 4, -0.9, 0.9);
    put(&f, p, "receptance.weight", 6, 4, -0.9, 0.9);
    put(&f, p, "output.weight", 4, 6, -0.9, 0.9);
    snprintf(p, sizeof p, "blocks.%d.ffn.", layer);
    put(&f, p, "time_mix_k", 4, 0, 0, 1);
    put(&f, p, "time_mix_r", 4, 0, 0, 1);
    double *key = put(&f, p, "key.weight", 5, 4, 0.2,
                      0.9); /* keys keep their sign: no difference sees the kink of relu */
    for (size_t i = 12; i < 20; i++)
      key[i] = -key[i];
    put(&f, p, "value.weight", 4, 5, -0.9, 0.9);
    put(&f, p, "receptance.weight", 4, 4, -0.9, 0.9);
    snprintf(p, sizeof p, "blocks.%d.", layer);
    put(&f, p, "ln1.weight", 4, 0, 0.5, 1.5);
    put(&f, p, "ln1.bias", 4, 0, -0.5, 0.5);
    put(&f, p, "ln2.weight", 4, 0, 0.5, 0.8);
    put(&f, p, "ln2.bias", 4, 0, 2.5, 3);
  }
  put(&f, "", "ln_out.weight", 4, 0, 0.5, 1.5);
  put(&f, "", "ln_out.bias", 4, 0, -0.5, 0.5);
  opened o = open_net(&f, NULL);
  ck_assert_str_eq(o.net->block[1]->kind->name, "RWKV-4");
  check_differences(o.net, 83);
  close_net(&o, &f);
}
END_TEST

/* ---- far below the range of double ---- */

/* One layer whose steps, gates and drives are the same at every token (the input is): each token further back
 * costs exactly one decay. All rates are equal, so the decay is known: exp(-softplus(bias) rate). */
START_TEST(far_below_double)
{
  enum { T = 2048 };
  shape z = {.M = 2, .D = 2, .N = 2, .R = 1, .W = 3};
  made_file f = begin_file(4);
  put_mamba1(&f, &z, 0, log(2), log(2));
  double *weight = (double *)(uintptr_t)find(&f, 0, "mixer.dt_proj.weight"),
         *bias = (double *)(uintptr_t)find(&f, 0, "mixer.dt_proj.bias");
  for (size_t i = 0; i < z.D; i++) {
    weight[i] = 0;
    bias[i] = 0.25;
  }
  opened o = open_net(&f, NULL);
  double *in = memory_new(T * z.M, sizeof *in);
  for (size_t i = 0; i < T * z.M; i++)
    in[i] = i % 2 ? 0.75 : -0.5;
  influence_options options = influence_options_default();
  options.positions = 1;
  options.threads = 1;
  options.probes = 0;
  net_input input = {.tokens = T, .vector = in};
  influence_result r;
  ck_assert_int_eq(influence_measure(&r, o.net, &input, 1, &options), STATUS_OK);
  double log_decay = -2 * log1p(exp(0.25)), lg_decay = log_decay / log(10); /* -1.65, -0.72 */
  const influence_curve *curve[] = {&r.layers[0].mixer, &r.model};
  for (size_t c = 0; c < 2; c++) {
    ck_assert(curve[c]->known && curve[c]->exact && curve[c]->distances == T);
    /* what is left of the start is 2 10^-9 before token 20: from there on the state is that of always */
    for (size_t k = 4; k < T - 40; k++)
      ck_assert_double_eq_tol(curve[c]->at[k + 1].mean_lg - curve[c]->at[k].mean_lg, lg_decay, 2e-12);
    ck_assert_double_le(curve[c]->at[T - 1].mean_lg, -1400);
    ck_assert_double_ge(curve[c]->at[T - 1].mean_lg, -1600);
    ck_assert_double_eq_tol(curve[c]->fit.slope, log_decay, 1e-4);
  }
  ck_assert_double_eq_tol(r.layers[0].scan.fit.slope, log_decay, 1e-4);
  ck_assert_double_eq_tol(r.decay.log_max, log_decay, 1e-14);
  ck_assert_double_eq_tol(r.decay.mean_log, log_decay, 1e-13);
  ck_assert(r.layers[0].bound.known && r.layers[0].bound.pairs == T - 1 && r.layers[0].bound.exceeded == 0);
  ck_assert_double_ge(r.layers[0].bound.least_room, -1e-9);
  influence_result_clear(&r);
  free(in);
  close_net(&o, &f);
}
END_TEST

/* ---- the result as a whole ---- */

static int seen;
static double last_fraction;

static void progress(void *context, const char *what, double fraction)
{
  ck_assert_ptr_eq(context, &seen);
  ck_assert(what && *what && fraction >= last_fraction - 1e-12 && fraction <= 1 + 1e-12);
  last_fraction = fraction;
  seen++;
}

START_TEST(result_is_made_of_pairs)
{
  enum { T = 21 };
  shape z = {.M = 4, .D = 6, .N = 2, .R = 2, .W = 4};
  made_file f = begin_file(5);
  put_mamba1(&f, &z, 0, -1, 1.5);
  put_mamba1(&f, &z, 1, -2, 1);
  opened o = open_net(&f, NULL);
  double *in = draw_vectors(T + 9, z.M);
  influence_options options = influence_options_default();
  options.positions = 3; /* ceil(21 i/3): tokens 7, 14, 21 */
  options.probes = 0;
  options.progress = progress;
  options.context = &seen;
  bool layers[] = {false, true};
  options.layers = layers;
  net_input input = {.tokens = T, .vector = in};
  influence_result r;
  seen = 0;
  last_fraction = 0;
  ck_assert_int_eq(influence_measure(&r, o.net, &input, 1, &options), STATUS_OK);
  ck_assert(seen > 3 && r.sequences == 1 && !r.stopped && r.tokens == T && r.positions == 3 &&
            r.probes == z.M);
  ck_assert(r.layer_count == 1 && r.layers[0].layer == 1 && !strcmp(r.layers[0].name, "layers.1.mixer"));
  stream s = run_stream(o.net, in, T);
  wide *whole = all_pairs(o.net, &s, -1, z.M, 0, 1), *mixer = all_pairs(o.net, &s, 1, z.M, 0, 1);
  for (size_t k = 0; k < T; k++) {
    double lg[2] = {0}, sum[2] = {0};
    size_t pairs = 0;
    for (size_t t = 6; t < T; t += 7)
      if (t >= k) {
        pairs++;
        lg[0] += wide_lg(whole[t * T + t - k]);
        lg[1] += wide_lg(mixer[t * T + t - k]);
        sum[0] += wide_double(whole[t * T + t - k]);
        sum[1] += wide_double(mixer[t * T + t - k]);
      }
    const influence_distance *d[] = {&r.model.at[k], &r.layers[0].mixer.at[k]};
    for (int i = 0; i < 2; i++) {
      ck_assert_uint_eq(d[i]->pairs, pairs);
      ck_assert_double_eq_tol(d[i]->mean_lg, lg[i] / (double)pairs, 1e-12);
      ck_assert_double_eq_tol(d[i]->lg_mean, log10(sum[i] / (double)pairs), 1e-12);
      ck_assert(d[i]->least_lg <= d[i]->mean_lg + 1e-12 && d[i]->greatest_lg >= d[i]->mean_lg - 1e-12);
    }
  }
  ck_assert(r.layers[0].bound.exceeded == 0 && r.layers[0].bound.pairs == 6 + 13 + 20);
  double bound_of_one = r.layers[0].scan.at[20].bound_lg - r.layers[0].scan.at[20].mean_lg;
  ck_assert(bound_of_one >= r.layers[0].bound.least_room - 1e-12 &&
            bound_of_one <= r.layers[0].bound.most_room + 1e-12);
  free(whole);
  free(mixer);
  clear_stream(&s);
  influence_result_clear(&r);
  /* two sequences of different lengths: pairs add up */
  net_input both[] = {{.tokens = T, .vector = in}, {.tokens = T + 9, .vector = in}};
  options.progress = NULL;
  options.positions = 0;
  ck_assert_int_eq(influence_measure(&r, o.net, both, 2, &options), STATUS_OK);
  ck_assert(r.sequences == 2 && r.tokens == T + 9 && r.positions == T + 9);
  ck_assert_uint_eq(r.model.at[5].pairs, T - 5 + T + 9 - 5);
  influence_result_clear(&r);
  /* stopped at once */
  int stop = 1;
  options.stop = &stop;
  ck_assert_int_eq(influence_measure(&r, o.net, both, 2, &options), STATUS_OK);
  ck_assert(r.stopped && r.sequences == 0 && !r.model.known && *r.model.reason && !r.layers[0].scan.known);
  influence_result_clear(&r);
  free(in);
  close_net(&o, &f);
}
END_TEST

/* The estimate by probes: its square is |J|^2 on the average over seeds; the same whatever the threads and
 * the batches. */
START_TEST(probes_estimate)
{
  enum { T = 12, SEEDS = 400 };
  shape z = {.M = 5, .D = 6, .N = 2, .R = 2, .W = 4};
  made_file f = begin_file(6);
  put_mamba1(&f, &z, 0, -1, 1.5);
  opened o = open_net(&f, NULL);
  double *in = draw_vectors(T, z.M);
  stream s = run_stream(o.net, in, T);
  wide *exact = all_pairs(o.net, &s, -1, z.M, 0, 1);
  static double sum[T * T];
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    wide *found = all_pairs(o.net, &s, -1, 2, seed, 1);
    for (size_t i = 0; i < T * T; i++)
      sum[i] += pow(wide_double(found[i]), 2) / SEEDS;
    free(found);
  }
  for (size_t t = 0; t < T; t++)
    for (size_t k = 0; k <= t; k++) {
      /* the deviation of |J^T v|^2 is at most sqrt(2) |J|^2, of the mean over 2 * 400 a twentieth: five of
       * them */
      double square = pow(wide_double(exact[t * T + k]), 2);
      ck_assert_double_le(fabs(sum[t * T + k] - square), 0.25 * square);
    }
  wide *one = all_pairs(o.net, &s, -1, 2, 9, 1), *two = all_pairs(o.net, &s, -1, 2, 9, 2);
  for (size_t i = 0; i < T * T; i++)
    ck_assert(one[i].m == two[i].m && one[i].e == two[i].e);
  free(one);
  free(two);
  free(exact);
  free(in);
  clear_stream(&s);
  close_net(&o, &f);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("influence");
  TCase *c = tcase_create("influence");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, mamba1_by_dual_numbers);
  tcase_add_test(c, mamba1_by_differences);
  tcase_add_test(c, mamba2_by_differences);
  tcase_add_test(c, s4d_by_differences);
  tcase_add_test(c, lru_by_differences);
  tcase_add_test(c, rwkv4_by_differences);
  tcase_add_test(c, far_below_double);
  tcase_add_test(c, result_is_made_of_pairs);
  tcase_add_test(c, probes_estimate);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed != 0;
}
