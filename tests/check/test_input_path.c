/* How far inputs push the step: the intervals against the whole block, from raw tokens on, in balls of 300 bits; intervals that
 * are known exactly; what is reached; odd sizes of numbers; files of which nothing may be concluded; and what follows for the
 * entries. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../dump/made_model.h"
#include "check/input_path.h"
#include "check/model_audit.h"
#include "core/philox.h"

static const uint64_t seed = 20250704;
enum { BITS = 300 };

/* ---- a block ---- */

enum { MOST = 64 };

typedef struct {
  size_t m, d, r, w, n;
  bool layer_norm, has_in_bias, has_conv_bias;
  double norm[MOST], norm_bias[MOST], in[2 * MOST * MOST], in_bias[2 * MOST], conv[MOST * 8], conv_bias[MOST],
      x[MOST * MOST], dt[MOST * MOST], a_log[MOST], dt_bias[MOST];
} block;

static block *block_new(size_t m, size_t d, size_t r, size_t w)
{
  block *b = calloc(1, sizeof *b);
  *b = (block){.m = m, .d = d, .r = r, .w = w, .n = 1};
  for (size_t i = 0; i < m; i++)
    b->norm[i] = 1;
  return b;
}

static void fill(double *x, size_t n, philox_stream *s, double scale)
{
  for (size_t i = 0; i < n; i++)
    x[i] = philox_below(s, 12) ? scale * (2 * philox_uniform(s) - 1) : 0;
}

static block *block_random(philox_stream *s)
{
  block *b = block_new(1 + philox_below(s, 6), 1 + philox_below(s, 5), 1 + philox_below(s, 3), 1 + philox_below(s, 4));
  b->layer_norm = philox_below(s, 2);
  b->has_in_bias = philox_below(s, 2);
  b->has_conv_bias = philox_below(s, 2);
  double size = philox_below(s, 3) ? 1 : 10;
  fill(b->norm, b->m, s, 2);
  fill(b->norm_bias, b->m, s, 1);
  fill(b->in, 2 * b->d * b->m, s, size);
  fill(b->in_bias, 2 * b->d, s, 2);
  fill(b->conv, b->d * b->w, s, 1);
  fill(b->conv_bias, b->d, s, 3);
  fill(b->x, (b->r + 2) * b->d, s, 1);
  fill(b->dt, b->d * b->r, s, size);
  return b;
}

enum { NORM, NORM_BIAS, IN, IN_BIAS, CONV, CONV_BIAS, X, DT, A_LOG, DT_BIAS, TENSORS };

static size_t list_tensors(made_tensor *t, const block *b)
{
  const made_tensor all[TENSORS] = {{"0.norm.weight", 1, {b->m}, b->norm, 0},
                                    {"0.norm.bias", 1, {b->m}, b->norm_bias, 0},
                                    {"0.mixer.in_proj.weight", 2, {2 * b->d, b->m}, b->in, 0},
                                    {"0.mixer.in_proj.bias", 1, {2 * b->d}, b->in_bias, 0},
                                    {"0.mixer.conv1d.weight", 3, {b->d, 1, b->w}, b->conv, 0},
                                    {"0.mixer.conv1d.bias", 1, {b->d}, b->conv_bias, 0},
                                    {"0.mixer.x_proj.weight", 2, {b->r + 2 * b->n, b->d}, b->x, 0},
                                    {"0.mixer.dt_proj.weight", 2, {b->d, b->r}, b->dt, 0},
                                    {"0.mixer.A_log", 2, {b->d, b->n}, b->a_log, 0},
                                    {"0.mixer.dt_proj.bias", 1, {b->d}, b->dt_bias, 0}};
  size_t count = 0;
  for (int i = 0; i < TENSORS; i++)
    if ((i != NORM_BIAS || b->layer_norm) && (i != IN_BIAS || b->has_in_bias) && (i != CONV_BIAS || b->has_conv_bias))
      t[count++] = all[i];
  return count;
}

typedef struct {
  made_families f;
  dump_file *file;
  model m;
  dump_error error;
} opened;

/* `families` NULL: mamba-1 as shipped. */
static opened open_tensors(const char *families, const made_tensor *t, size_t count)
{
  opened o = {.f = families ? made_families_text(families) : made_families_shipped(), .file = made_model(t, count)};
  dump_error_init(&o.error);
  assay_status status = model_recognise(&o.m, o.f.family, o.f.count, o.file, &o.error);
  ck_assert_msg(status == STATUS_OK, "%s", o.error.message);
  ck_assert_uint_eq(o.m.count, 1);
  return o;
}

static void close_opened(opened *o)
{
  model_clear(&o->m);
  dump_close(o->file);
  made_families_clear(&o->f);
  dump_error_clear(&o->error);
}

static input_path path_of(const block *b)
{
  made_tensor t[TENSORS];
  opened o = open_tensors(NULL, t, list_tensors(t, b));
  ck_assert_str_eq(o.m.layers[0].family->name, "mamba-1");
  input_path path;
  const char *reason = "";
  ck_assert_msg(input_path_create(&path, &reason, &o.m.layers[0], o.file, &o.error) == STATUS_OK, "%s", reason);
  ck_assert_uint_eq(path.channels, b->d);
  ck_assert(path.whole_product);
  close_opened(&o);
  return path;
}

/* ---- the block, from raw tokens ---- */

static void normalise(arb_ptr y, const block *b, const double *token, double epsilon)
{
  arb_t mean, square, x;
  arb_init(mean);
  arb_init(square);
  arb_init(x);
  for (size_t i = 0; i < b->m && b->layer_norm; i++) {
    arb_set_d(x, token[i]);
    arb_add(mean, mean, x, BITS);
  }
  arb_div_ui(mean, mean, b->m, BITS);
  for (size_t i = 0; i < b->m; i++) {
    arb_set_d(&y[i], token[i]);
    arb_sub(&y[i], &y[i], mean, BITS);
    arb_addmul(square, &y[i], &y[i], BITS);
  }
  arb_div_ui(square, square, b->m, BITS);
  arb_set_d(x, epsilon);
  arb_add(square, square, x, BITS);
  arb_rsqrt(square, square, BITS);
  for (size_t i = 0; i < b->m; i++) {
    arb_mul(&y[i], &y[i], square, BITS);
    arb_set_d(x, b->norm[i]);
    arb_mul(&y[i], &y[i], x, BITS);
    arb_set_d(x, b->layer_norm ? b->norm_bias[i] : 0);
    arb_add(&y[i], &y[i], x, BITS);
  }
  arb_clear(mean);
  arb_clear(square);
  arb_clear(x);
}

static void add_product(arb_t sum, double a, const arb_t b)
{
  arb_t x;
  arb_init(x);
  arb_set_d(x, a);
  arb_addmul(sum, x, b, BITS);
  arb_clear(x);
}

static void silu(arb_t y, const arb_t u)
{
  arb_t e;
  arb_init(e);
  arb_neg(e, u);
  arb_exp(e, e, BITS);
  arb_add_ui(e, e, 1, BITS);
  arb_div(y, u, e, BITS);
  arb_clear(e);
}

/* p of the last of `tokens` tokens, of which none but the last W count; epsilon > 0, or every token has a spread. */
static void run_block(arb_ptr p, const block *b, const double *token, size_t tokens, double epsilon)
{
  arb_ptr y = _arb_vec_init((slong)b->m), v = _arb_vec_init((slong)b->d), u = _arb_vec_init((slong)b->d);
  arb_t q, x;
  arb_init(q);
  arb_init(x);
  for (size_t c = 0; c < b->d; c++)
    arb_set_d(&u[c], b->has_conv_bias ? b->conv_bias[c] : 0);
  for (size_t k = 0; k < b->w; k++) {
    if (tokens + k < b->w)
      continue; /* padding: zeros, behind in_proj and its bias */
    normalise(y, b, token + (tokens + k - b->w) * b->m, epsilon);
    for (size_t c = 0; c < b->d; c++) {
      arb_set_d(q, b->has_in_bias ? b->in_bias[c] : 0);
      for (size_t i = 0; i < b->m; i++)
        add_product(q, b->in[c * b->m + i], &y[i]);
      add_product(&u[c], b->conv[c * b->w + k], q);
    }
  }
  for (size_t c = 0; c < b->d; c++)
    silu(&v[c], &u[c]);
  for (size_t d = 0; d < b->d; d++) {
    arb_zero(&p[d]);
    for (size_t r = 0; r < b->r; r++) {
      arb_zero(x);
      for (size_t c = 0; c < b->d; c++)
        add_product(x, b->x[r * b->d + c], &v[c]);
      add_product(&p[d], b->dt[d * b->r + r], x);
    }
  }
  _arb_vec_clear(y, (slong)b->m);
  _arb_vec_clear(v, (slong)b->d);
  _arb_vec_clear(u, (slong)b->d);
  arb_clear(q);
  arb_clear(x);
}

static void check_inside(const input_path *path, arb_srcptr p, const char *what)
{
  arb_t end;
  arb_init(end);
  for (size_t d = 0; d < path->channels; d++) {
    arb_set_d(end, path->low[d]);
    ck_assert_msg(arb_le(end, &p[d]), "%s: channel %zu is below %.17g", what, d, path->low[d]);
    arb_set_d(end, path->high[d]);
    ck_assert_msg(arb_le(&p[d], end), "%s: channel %zu is above %.17g", what, d, path->high[d]);
  }
  arb_clear(end);
}

/* Tokens that push q of a channel as far as it goes, one for each tap, up or down by the tap's sign; or just random. */
static void choose_tokens(double *token, const block *b, size_t tokens, philox_stream *s)
{
  size_t c = philox_below(s, (uint32_t)b->d);
  int sort = (int)philox_below(s, 5);
  for (size_t k = 0; k < tokens; k++) {
    double tap = tokens + k >= b->w && tokens - k <= b->w ? b->conv[c * b->w + (k + b->w - tokens)] : 1;
    double sign = (tap < 0) == (sort == 0) ? 1 : -1;
    for (size_t i = 0; i < b->m; i++) {
      double *x = &token[k * b->m + i];
      *x = 2 * philox_uniform(s) - 1;
      if (sort == 2)
        *x = i == (c + k) % b->m ? 1 : 1e-3 * *x; /* nearly all in one place */
      else if (sort < 2)
        *x = sign * b->in[c * b->m + i] * b->norm[i];
      else if (sort == 3)
        *x *= 1e-9; /* much of it lost to epsilon */
    }
  }
}

static double width(const input_path *path, size_t d)
{
  return path->high[d] - path->low[d];
}

/* ---- tests ---- */

START_TEST(test_random)
{
  enum { BLOCKS = 250, INPUTS = 40, TOKENS = 6 };
  philox_stream s = philox_stream_start(seed, philox_hash_name("random"), 0, 0);
  double token[TOKENS * MOST];
  arb_ptr p = _arb_vec_init(MOST);
  for (int k = 0; k < BLOCKS; k++) {
    block *b = block_random(&s);
    input_path path = path_of(b);
    for (int i = 0; i < INPUTS; i++) {
      size_t tokens = 1 + philox_below(&s, TOKENS);
      choose_tokens(token, b, tokens, &s);
      run_block(p, b, token, tokens, i % 2 ? 1e-5 : 1e-300);
      check_inside(&path, p, "random");
    }
    for (size_t d = 0; d < b->d; d++) {
      ck_assert(isfinite(width(&path, d)));
      ck_assert_double_le(path.low[d], path.reach_low[d]);
      /* Each is off by the error of its own computation, so that they may cross where all inputs give nearly the same. */
      ck_assert_double_le(path.reach_low[d], path.reach_high[d] + 1e-9 * (1 + fabs(path.low[d]) + fabs(path.high[d])));
      ck_assert_double_le(path.reach_high[d], path.high[d]);
    }
    input_path_clear(&path);
    free(b);
  }
  _arb_vec_clear(p, MOST);
}
END_TEST

/* ---- one channel, where all is known ---- */

/* [low, high] of q of channel 0: the offset and sqrt(M) times the length of the row, whose mean a LayerNorm takes out. */
static void exact_q(arb_t low, arb_t high, const block *b)
{
  arb_t offset, mean, x, square;
  arb_init(offset);
  arb_init(mean);
  arb_init(x);
  arb_init(square);
  arb_set_d(offset, b->has_in_bias ? b->in_bias[0] : 0);
  for (size_t i = 0; i < b->m; i++) {
    arb_set_d(x, b->norm[i]);
    add_product(mean, b->in[i], x);
    arb_set_d(x, b->layer_norm ? b->norm_bias[i] : 0);
    add_product(offset, b->in[i], x);
  }
  arb_div_ui(mean, mean, b->m, BITS);
  if (!b->layer_norm)
    arb_zero(mean);
  for (size_t i = 0; i < b->m; i++) {
    arb_set_d(x, b->norm[i]);
    arb_neg(low, mean);
    add_product(low, b->in[i], x);
    arb_addmul(square, low, low, BITS);
  }
  arb_mul_ui(square, square, b->m, BITS);
  arb_nonnegative_part(square, square);
  arb_sqrt(square, square, BITS);
  arb_sub(low, offset, square, BITS);
  arb_add(high, offset, square, BITS);
  arb_clear(offset);
  arb_clear(mean);
  arb_clear(x);
  arb_clear(square);
}

/* ends of p of a block with one channel and rank 1. */
static void exact_p(arb_t low, arb_t high, const block *b)
{
  arb_t q[2], u[2], least, x, y;
  for (int k = 0; k < 2; k++) {
    arb_init(q[k]);
    arb_init(u[k]);
    arb_set_d(u[k], b->has_conv_bias ? b->conv_bias[0] : 0);
  }
  arb_init(least);
  arb_init(x);
  arb_init(y);
  exact_q(q[0], q[1], b);
  for (size_t k = 0; k < b->w; k++)
    for (int up = 0; up < 2; up++) {
      int end = b->conv[k] < 0 ? !up : up;
      arb_set(x, q[end]);
      if (k + 1 < b->w && (end ? arb_is_negative(x) : arb_is_positive(x)))
        arb_zero(x);
      add_product(u[up], b->conv[k], x);
    }
  /* silu: its ends, and its minimum -W(1/e), at -1 - W(1/e). */
  silu(x, u[0]);
  silu(y, u[1]);
  arb_min(low, x, y, BITS);
  arb_max(high, x, y, BITS);
  arb_set_si(least, -1);
  arb_exp(least, least, BITS);
  arb_lambertw(least, least, 0, BITS);
  arb_neg(x, least);
  arb_sub_ui(y, x, 1, BITS);
  if (arb_lt(u[0], y) && arb_lt(y, u[1]))
    arb_set(low, x);
  arb_set_d(x, b->dt[0]);
  arb_set_d(y, b->x[0]);
  arb_mul(x, x, y, BITS);
  arb_mul(low, low, x, BITS);
  arb_mul(high, high, x, BITS);
  if (arb_is_negative(x))
    arb_swap(low, high);
  for (int k = 0; k < 2; k++) {
    arb_clear(q[k]);
    arb_clear(u[k]);
  }
  arb_clear(least);
  arb_clear(x);
  arb_clear(y);
}

static double middle_of(const arb_t x)
{
  return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* Contains what is exact, and is no further off than `tolerance` of the larger end, or than `most`. */
static input_path check_exact(const block *b, double tolerance, double most)
{
  arb_t low, high, x;
  arb_init(low);
  arb_init(high);
  arb_init(x);
  exact_p(low, high, b);
  input_path path = path_of(b);
  double l = middle_of(low), h = middle_of(high), slack = tolerance * fmax(fabs(l), fabs(h)) + most;
  arb_set_d(x, path.low[0]);
  ck_assert_msg(arb_le(x, low) || arb_overlaps(x, low), "%.17g is above %.17g", path.low[0], l);
  arb_set_d(x, path.high[0]);
  ck_assert_msg(arb_le(high, x) || arb_overlaps(x, high), "%.17g is below %.17g", path.high[0], h);
  ck_assert_msg(l - path.low[0] <= slack, "%.17g is far below %.17g", path.low[0], l);
  ck_assert_msg(path.high[0] - h <= slack, "%.17g is far above %.17g", path.high[0], h);
  ck_assert_double_le(path.low[0], path.reach_low[0]);
  ck_assert_double_le(path.reach_high[0], path.high[0]);
  arb_clear(low);
  arb_clear(high);
  arb_clear(x);
  return path;
}

START_TEST(test_one_channel)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("one"), 0, 0);
  for (int k = 0; k < 1500; k++) {
    block *b = block_random(&s), *one = block_new(b->m, 1, 1, b->w);
    one->layer_norm = b->layer_norm;
    one->has_in_bias = b->has_in_bias;
    one->has_conv_bias = b->has_conv_bias;
    memcpy(one->norm, b->norm, sizeof b->norm);
    memcpy(one->norm_bias, b->norm_bias, sizeof b->norm_bias);
    memcpy(one->in, b->in, sizeof b->in);
    memcpy(one->in_bias, b->in_bias, sizeof b->in_bias);
    memcpy(one->conv, b->conv, sizeof b->conv);
    memcpy(one->conv_bias, b->conv_bias, sizeof b->conv_bias);
    one->x[0] = b->x[0];
    one->dt[0] = b->dt[0];
    input_path path = check_exact(one, 1e-9, 1e-12);
    input_path_clear(&path);
    free(b);
    free(one);
  }
}
END_TEST

/* One channel, one number to read, one tap: q = z in, with z in [-1, 1]. */
static block *block_plain(double in, double conv, double bias)
{
  block *b = block_new(1, 1, 1, 1);
  b->in[0] = in;
  b->conv[0] = conv;
  b->conv_bias[0] = bias;
  b->has_conv_bias = true;
  b->x[0] = b->dt[0] = 1;
  return b;
}

/* On either side of silu's minimum, across it, and where exp would overflow. */
START_TEST(test_silu)
{
  static const double middle[] = {0, -1.27846, -1.2785, -1.2784, -3, 5, -50, -699, -701, -750, 699, 750, 1e6, -1e6, -1.3, -1.2};
  static const double reach[] = {0, 1e-12, 1e-5, 0.01, 1, 3, 60, 2e6};
  for (size_t i = 0; i < sizeof middle / sizeof *middle; i++)
    for (size_t k = 0; k < sizeof reach / sizeof *reach; k++) {
      block *b = block_plain(reach[k], 1, middle[i]);
      /* Left of -700 the value is not looked into. Near the minimum a constant stands for it. */
      bool far = middle[i] - reach[k] < -700 || middle[i] + reach[k] < -50;
      bool flat = fabs(middle[i] + 1.2784) < 0.001;
      input_path path = far ? path_of(b) : check_exact(b, flat ? 1e-7 : 1e-12, 1e-12);
      double token = 1;
      arb_ptr p = _arb_vec_init(1);
      for (int sign = -1; sign <= 1; sign += 2) {
        token = sign;
        run_block(p, b, &token, 1, 0);
        check_inside(&path, p, "silu");
      }
      ck_assert_double_ge(path.low[0], -0.278464542762 - 1e-14 * path.high[0]);
      _arb_vec_clear(p, 1);
      input_path_clear(&path);
      free(b);
    }
}
END_TEST

/* Numbers of very different sizes: squares that underflow, offsets that cancel what they are added to. */
START_TEST(test_sizes)
{
  static const double scale[][4] = {/* in, conv, x, dt */
                                    {0x1p-600, 0x1p99, 0x1p99, 0x1p99}, {0x1p-560, 1, 1, 0x1p99}, {0x1p-1000, 1, 1, 1},
                                    {0x1p-540, 0x1p99, 0x1p99, 0x1p99}, {0x1p-530, 0x1p99, 0x1p99, 1},
                                    {0x1p99, 0x1p99, 0x1p99, 0x1p99},   {0x1p-1074, 0x1p99, 1, 1},
                                    {0x1p50, 0x1p-50, 0x1p-1000, 0x1p-70}, {1, 0x1p-1074, 1, 1}, {1, 1, 0x1p-600, 0x1p-600}};
  philox_stream s = philox_stream_start(seed, philox_hash_name("sizes"), 0, 0);
  arb_ptr p = _arb_vec_init(1);
  double token[8];
  for (size_t k = 0; k < sizeof scale / sizeof *scale; k++)
    for (int norm = 0; norm < 2; norm++) {
      block *b = block_new(4, 1, 1, 2);
      b->layer_norm = norm;
      for (int i = 0; i < 4; i++)
        b->in[i] = scale[k][0] * (i == 1 ? -1 : 1);
      b->conv[0] = b->conv[1] = scale[k][1];
      b->x[0] = scale[k][2];
      b->dt[0] = scale[k][3];
      input_path path = path_of(b);
      for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 8; j++)
          token[j] = i < 2 ? (j % 4 == 1 ? -1 : 1) * (i ? 1 : -1) : 2 * philox_uniform(&s) - 1;
        run_block(p, b, token, 1 + (size_t)i % 2, 0);
        check_inside(&path, p, "sizes");
        run_block(p, b, token, 2, 0);
        check_inside(&path, p, "sizes");
      }
      ck_assert_double_le(path.reach_high[0], path.high[0]);
      ck_assert_double_ge(path.reach_low[0], path.low[0]);
      input_path_clear(&path);
      free(b);
    }
  _arb_vec_clear(p, 1);
  for (int k = 0; k < 60; k++) { /* q from about 0 on: in_proj's bias is what it can take away */
    block *b = block_plain(ldexp(1 + philox_uniform(&s), k), 1, 0);
    b->has_in_bias = true;
    b->in_bias[0] = b->in[0] * (1 + ldexp(1, -k / 2 - 3));
    input_path path = check_exact(b, 1e-12, 0);
    ck_assert_double_gt(path.low[0], 0); /* the interval is not blown up to that of the bias */
    input_path_clear(&path);
    free(b);
  }
}
END_TEST

/* A direction whose squares underflow in part must not be taken for shorter than it is: more would be reached than can be. */
START_TEST(test_tiny_direction)
{
  for (int k = 130; k < 138; k++) {
    block *b = block_new(64, 1, 1, 1);
    for (int i = 0; i < 64; i++)
      b->in[i] = ldexp(i ? 0.66 : 1, -k);
    b->conv[0] = b->x[0] = b->dt[0] = 0x1p-134;
    input_path path = check_exact(b, 1e-9, 0);
    ck_assert_double_gt(path.reach_high[0], 0.99 * path.high[0]);
    input_path_clear(&path);
    free(b);
  }
}
END_TEST

/* Channels that all rise with the same direction: the upper end is reached, and to nearly all of it found. */
START_TEST(test_aligned)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("aligned"), 0, 0);
  arb_ptr p = _arb_vec_init(MOST);
  for (int k = 0; k < 50; k++) {
    block *b = block_new(5, 4, 2, 1);
    double token[5];
    fill(token, 5, &s, 1);
    token[0] = 1;
    for (size_t c = 0; c < 4; c++) {
      double scale = 0.1 + philox_uniform(&s);
      for (size_t i = 0; i < 5; i++)
        b->in[c * 5 + i] = scale * token[i];
      b->conv[c] = 0.5 + philox_uniform(&s);
      b->x[c] = philox_uniform(&s);
      b->x[4 + c] = philox_uniform(&s);
      b->dt[2 * c] = 0.1 + philox_uniform(&s);
      b->dt[2 * c + 1] = philox_uniform(&s);
    }
    input_path path = path_of(b);
    run_block(p, b, token, 1, 0);
    check_inside(&path, p, "aligned");
    for (size_t d = 0; d < 4; d++) {
      double best = middle_of(&p[d]);
      ck_assert_double_le(path.high[d] - best, 1e-12 * (1 + best));
      ck_assert_double_ge(path.reach_high[d], 0.98 * best);
      ck_assert_double_le(path.reach_high[d], best);
    }
    input_path_clear(&path);
    free(b);
  }
  _arb_vec_clear(p, MOST);
}
END_TEST

/* One number to read: z in [-1, 1]. What is said to be reached lies between what a dense grid of all windows shows; and where
 * the grid shows a side at all, something of it was found. */
START_TEST(test_reach)
{
  enum { GRID = 200 };
  philox_stream s = philox_stream_start(seed, philox_hash_name("reach"), 0, 0);
  double found = 0, shown = 0;
  for (int k = 0; k < 60; k++) {
    block *b = block_random(&s);
    b->m = 1;
    b->w = 1 + (size_t)k % 2;
    b->layer_norm = false;
    b->norm[0] = 1;
    input_path path = path_of(b);
    double low[MOST], high[MOST];
    for (size_t d = 0; d < b->d; d++) {
      low[d] = INFINITY;
      high[d] = -INFINITY;
    }
    for (int i = 0; i <= GRID + 1; i++) /* the last: padding */
      for (int j = 0; j <= GRID; j++) {
        double before = i > GRID ? NAN : 2.0 * i / GRID - 1, now = 2.0 * j / GRID - 1, v[MOST];
        for (size_t c = 0; c < b->d; c++) {
          double offset = b->has_in_bias ? b->in_bias[c] : 0, u = b->has_conv_bias ? b->conv_bias[c] : 0;
          u += b->conv[c * b->w + b->w - 1] * (offset + b->in[c] * now);
          if (b->w == 2 && i <= GRID)
            u += b->conv[c * 2] * (offset + b->in[c] * before);
          v[c] = u / (1 + exp(-u));
        }
        for (size_t d = 0; d < b->d; d++) {
          double p = 0;
          for (size_t r = 0; r < b->r; r++)
            for (size_t c = 0; c < b->d; c++)
              p += b->dt[d * b->r + r] * b->x[r * b->d + c] * v[c];
          low[d] = fmin(low[d], p);
          high[d] = fmax(high[d], p);
        }
      }
    for (size_t d = 0; d < b->d; d++) {
      double step = 0.02 * width(&path, d) + 1e-12;
      ck_assert_double_ge(path.reach_low[d], low[d] - step);
      ck_assert_double_le(path.reach_high[d], high[d] + step);
      ck_assert_double_le(path.low[d], low[d] + 1e-9);
      ck_assert_double_ge(path.high[d], high[d] - 1e-9);
      found += fmax(0, path.reach_high[d] - path.reach_low[d]);
      shown += high[d] - low[d];
    }
    input_path_clear(&path);
    free(b);
  }
  ck_assert_double_gt(found, 0.7 * shown);
}
END_TEST

START_TEST(test_zeros)
{
  for (int k = 0; k < 5; k++) {
    block *b = block_new(3, 2, 2, 3);
    double *const part[] = {b->in, b->conv, b->x, b->dt, b->norm};
    const size_t count[] = {6, 6, 4, 4, 3};
    for (int i = 0; i < 5; i++)
      for (size_t j = 0; j < count[i]; j++)
        part[i][j] = i == k ? 0 : 1;
    input_path path = path_of(b);
    for (size_t d = 0; d < 2; d++) {
      ck_assert_double_le(path.low[d], 0);
      ck_assert_double_ge(path.high[d], 0);
      ck_assert_double_le(width(&path, d), 1e-158);
    }
    input_path_clear(&path);
    free(b);
  }
}
END_TEST

/* Products of dt_proj and x_proj that cancel but for their last bits: how each is rounded counts. */
START_TEST(test_cancelling)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("cancelling"), 0, 0);
  arb_ptr p = _arb_vec_init(1);
  for (int k = 0; k < 300; k++) {
    block *b = block_new(1, 1, 3, 1);
    b->in[0] = 50;
    b->conv[0] = b->norm[0] = 1;
    b->dt[0] = 1 + philox_uniform(&s);
    b->dt[1] = -1 - philox_uniform(&s);
    b->dt[2] = -1 - philox_uniform(&s);
    b->x[0] = 1 + philox_uniform(&s);
    b->x[1] = philox_uniform(&s) / 2;
    b->x[2] = (b->dt[0] * b->x[0] + b->dt[1] * b->x[1]) / -b->dt[2];
    input_path path = path_of(b);
    for (int sign = -1; sign <= 1; sign += 2) {
      double token = sign;
      run_block(p, b, &token, 1, 0);
      check_inside(&path, p, "cancelling");
    }
    ck_assert_double_le(width(&path, 0), 1e-12);
    input_path_clear(&path);
    free(b);
  }
  _arb_vec_clear(p, 1);
}
END_TEST

/* Where dt_proj x_proj is too large to be multiplied out: the same numbers among many zeros give an interval that holds the
 * small block's. */
START_TEST(test_large)
{
  enum { D = 1024, R = 2049, M = 2, SMALL = 4 };
  philox_stream s = philox_stream_start(seed, philox_hash_name("large"), 0, 0);
  block *b = block_new(M, SMALL, 3, 2);
  fill(b->in, 2 * SMALL * M, &s, 1);
  fill(b->conv, SMALL * 2, &s, 1);
  fill(b->x, 3 * SMALL, &s, 1);
  fill(b->dt, SMALL * 3, &s, 1);
  input_path small = path_of(b);
  double *in = calloc(2 * D * M, sizeof *in), *conv = calloc(D * 2, sizeof *conv), *x = calloc((R + 2) * D, sizeof *x),
         *dt = calloc(D * R, sizeof *dt), *zeros = calloc(D, sizeof *zeros);
  memcpy(in, b->in, SMALL * M * sizeof *in);
  memcpy(conv, b->conv, SMALL * 2 * sizeof *conv);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < SMALL; k++) {
      x[i * D + k] = b->x[i * SMALL + k];
      dt[k * R + i] = b->dt[k * 3 + i];
    }
  const made_tensor t[] = {{"norm.weight", 1, {M}, b->norm, 0},        {"mixer.in_proj.weight", 2, {2 * D, M}, in, 0},
                           {"mixer.conv1d.weight", 2, {D, 2}, conv, 0}, {"mixer.x_proj.weight", 2, {R + 2, D}, x, 0},
                           {"mixer.dt_proj.weight", 2, {D, R}, dt, 0},  {"mixer.A_log", 2, {D, 1}, zeros, 0},
                           {"mixer.dt_proj.bias", 1, {D}, zeros, 0}};
  opened o = open_tensors(NULL, t, sizeof t / sizeof *t);
  input_path path;
  const char *reason = "";
  ck_assert_msg(input_path_create(&path, &reason, &o.m.layers[0], o.file, &o.error) == STATUS_OK, "%s", reason);
  ck_assert(!path.whole_product);
  for (size_t d = 0; d < SMALL; d++) {
    ck_assert_double_le(path.low[d], small.low[d] + 1e-12);
    ck_assert_double_ge(path.high[d], small.high[d] - 1e-12);
    ck_assert_double_le(width(&path, d), 10 * width(&small, d) + 1e-12);
    ck_assert_double_le(path.low[d], path.reach_low[d]);
    ck_assert_double_ge(path.high[d], path.reach_high[d]);
  }
  ck_assert_double_le(fabs(path.high[D - 1]), 1e-200);
  input_path_clear(&path);
  close_opened(&o);
  input_path_clear(&small);
  free(b);
  free(in);
  free(conv);
  free(x);
  free(dt);
  free(zeros);
}
END_TEST

/* ---- of which nothing is concluded ---- */

static block *block_ones(void)
{
  block *b = block_new(3, 2, 1, 2);
  b->layer_norm = b->has_in_bias = b->has_conv_bias = true;
  for (int i = 0; i < 12; i++)
    b->in[i] = 1;
  b->conv[0] = b->conv[1] = b->conv[2] = b->conv[3] = b->x[0] = b->x[1] = b->dt[0] = b->dt[1] = 1;
  return b;
}

/* NULL: all is well. */
static const char *refusal(const char *families, const made_tensor *t, size_t count)
{
  opened o = open_tensors(families, t, count);
  input_path path;
  const char *reason = NULL;
  assay_status status = input_path_create(&path, &reason, &o.m.layers[0], o.file, &o.error);
  ck_assert_msg(status == STATUS_OK || status == STATUS_UNABLE, "%s", o.error.message);
  ck_assert((status == STATUS_OK) == (reason == NULL));
  ck_assert((status == STATUS_OK) == (path.low != NULL));
  input_path_clear(&path);
  close_opened(&o);
  return reason;
}

static void refuses(const char *part, const char *families, const made_tensor *t, size_t count)
{
  const char *reason = refusal(families, t, count);
  ck_assert_msg(reason && strstr(reason, part), "'%s' is not in '%s'", part, reason ? reason : "(nothing)");
}

/* All tensors but one. */
static size_t without(made_tensor *t, size_t left_out, const block *b)
{
  size_t count = list_tensors(t, b);
  memmove(t + left_out, t + left_out + 1, (count - left_out - 1) * sizeof *t);
  return count - 1;
}

START_TEST(test_missing)
{
  block *b = block_ones();
  made_tensor t[TENSORS + 1];
  static const char *const why[TENSORS] = {"no norm", NULL, "does not tell", NULL, "does not tell", NULL, "does not tell",
                                           "does not tell"};
  ck_assert_ptr_null(refusal(NULL, t, list_tensors(t, b)));
  for (size_t i = 0; i < A_LOG; i++) {
    size_t count = without(t, i, b);
    if (why[i])
      refuses(why[i], NULL, t, count);
    else
      ck_assert_ptr_null(refusal(NULL, t, count));
  }
  free(b);
}
END_TEST

/* A tensor that is there, but is no part of the layer, for its shape: it counts all the same for the model. */
START_TEST(test_misfit)
{
  static const int each[] = {NORM_BIAS, IN_BIAS, CONV_BIAS};
  block *b = block_ones();
  made_tensor t[TENSORS + 1];
  for (int k = 0; k < 3; k++) {
    size_t count = list_tensors(t, b);
    t[each[k]].shape[0]++;
    refuses("does not fit", NULL, t, count);
  }
  for (int k = 0; k < 3; k++) { /* slashes in place of dots; and with nothing before the layer */
    size_t count = list_tensors(t, b);
    static const char *const slash[] = {"0/norm.bias", "0/mixer/in_proj.bias", "0/mixer/conv1d.bias"};
    static const char *const other[] = {"0/norm.weight", "0/mixer/in_proj.weight", "0/mixer/conv1d.weight",
                                        "0/mixer/x_proj.weight", "0/mixer/dt_proj.weight", "0/mixer/A_log",
                                        "0/mixer/dt_proj.bias"};
    static const int place[] = {NORM, IN, CONV, X, DT, A_LOG, DT_BIAS};
    for (int i = 0; i < 7; i++)
      t[place[i]].name = other[i];
    for (int i = 0; i < 3; i++)
      t[each[i]].name = slash[i];
    ck_assert_ptr_null(refusal(NULL, t, count));
    t[each[k]].shape[0]++;
    refuses("does not fit", NULL, t, count);
  }
  free(b);
}
END_TEST

START_TEST(test_not_what_it_seems)
{
  block *b = block_ones();
  made_tensor t[TENSORS + 1];
  size_t count = list_tensors(t, b);
  t[NORM_BIAS].name = "0.mixer.norm.bias"; /* of another norm */
  refuses("do not stand together", NULL, t, count);
  count = list_tensors(t, b);
  t[count] = (made_tensor){"0.mixer.x_proj.weight_scale", 1, {1}, b->norm, 0};
  refuses("quantized", NULL, t, count + 1);
  t[count].name = "0.mixer.x_projection";
  ck_assert_ptr_null(refusal(NULL, t, count + 1));
  static const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p100};
  double *const part[] = {b->norm, b->norm_bias, b->in, b->in_bias, b->conv, b->conv_bias, b->x, b->dt};
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 4; i++) {
      double kept = part[k][1];
      part[k][1] = bad[i];
      refuses("huge", NULL, t, list_tensors(t, b));
      part[k][1] = kept;
    }
  b->in[2 * 2 * 3 - 1] = NAN; /* the gate's rows do not matter */
  b->x[2] = INFINITY;         /* nor do those of B and C */
  ck_assert_ptr_null(refusal(NULL, t, list_tensors(t, b)));
  free(b);
}
END_TEST

/* Values of integer types are no weights. */
START_TEST(test_integers)
{
  block *b = block_ones();
  made_tensor t[TENSORS];
  size_t count = list_tensors(t, b);
  opened o = open_tensors(NULL, t, count);
  for (unsigned i = 0; i < o.m.layers[0].family->givens; i++) {
    dump_tensor *x = (dump_tensor *)(uintptr_t)o.m.layers[0].tensor[i];
    if (x && !strcmp(x->name, "0.mixer.dt_proj.weight"))
      x->type = DUMP_I64;
  }
  input_path path;
  const char *reason = "";
  ck_assert_int_eq(input_path_create(&path, &reason, &o.m.layers[0], o.file, &o.error), STATUS_UNABLE);
  ck_assert_ptr_nonnull(strstr(reason, "quantized"));
  close_opened(&o);
  free(b);
}
END_TEST

#define SIZES "size D >= 1 as channel size N >= 1 as state size M >= 1 size R >= 1 size W >= 1\n"
#define STORED \
  "tensor A[d in 1..D, n in 1..N] \"A_log\" tensor b[d in 1..D] \"dt_proj.bias\"\n" \
  "given u[d in 1..D] in real as activation\n"
#define RATE "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n"
#define STEP "let step[d in 1..D] as step = softplus(u[d] + b[d])\n"
#define DECAY "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n]\n"
#define IN_TENSOR "tensor in_proj[i in 1..2*D, m in 1..M] \"in_proj.weight\" as in_projection\n"
#define NORM_TENSOR "tensor norm[m in 1..M] \"../norm.weight\" as norm\n"
#define CONV_TENSOR "tensor conv[d in 1..D, w in 1..W] \"conv1d.weight\" as conv\n"
#define X_TENSOR "tensor x[i in 1..R + 2*N, d in 1..D] \"x_proj.weight\" as x_projection\n"
#define DT_TENSOR "tensor dt[d in 1..D, r in 1..R] \"dt_proj.weight\" as dt_projection\n"
#define PATH NORM_TENSOR IN_TENSOR CONV_TENSOR X_TENSOR DT_TENSOR

/* Families whose roles are not what a Mamba-1 has. */
START_TEST(test_families)
{
  block *b = block_ones();
  b->layer_norm = b->has_in_bias = b->has_conv_bias = false;
  made_tensor t[TENSORS];
  size_t count = list_tensors(t, b);
  ck_assert_ptr_null(refusal("family a " SIZES STORED RATE STEP DECAY PATH "end\n", t, count));
  /* Without a convolution of its own the family has none. */
  ck_assert_ptr_null(refusal("family a " SIZES STORED RATE STEP DECAY NORM_TENSOR IN_TENSOR X_TENSOR DT_TENSOR "end\n", t, count));
  refuses("fit one another", "family a " SIZES "size E >= 1\n" STORED RATE STEP DECAY NORM_TENSOR IN_TENSOR CONV_TENSOR DT_TENSOR
          "tensor x[e in 1..E] \"norm.weight\" \"../norm.weight\" as x_projection end\n", t, count);
  refuses("fit one another", "family a " SIZES "size E >= 1\n" STORED RATE STEP DECAY NORM_TENSOR IN_TENSOR CONV_TENSOR
          "tensor x[i in 1..3, d in 1..D] \"x_proj.weight\" as x_projection\n"
          "tensor dt[e in 1..E] \"dt_proj.bias\" as dt_projection end\n", t, count);
  refuses("fit one another", "family a " SIZES "size E >= 1\n" STORED RATE STEP DECAY IN_TENSOR CONV_TENSOR X_TENSOR DT_TENSOR
          "tensor norm[e in 1..E] \"dt_proj.bias\" as norm end\n", t, count);
  free(b);
}
END_TEST

/* ---- what follows for the entries ---- */

static model_report audit_block(const char *families, const block *b, const char *key, const char *value)
{
  made_tensor t[TENSORS];
  opened o = open_tensors(families, t, list_tensors(t, b));
  if (key)
    reader_add_note(o.file, key, value);
  model_options options = model_options_default();
  options.threads = 1;
  model_report report;
  assay_status status = model_audit(&report, &o.m, &options, &o.error);
  ck_assert_msg(status == STATUS_OK, "%s", o.error.message);
  ck_assert_uint_eq(report.layer_count, 1);
  report.layers[0].family = NULL; /* it goes */
  close_opened(&o);
  return report;
}

/* exp(Delta a) + Delta - 1 at Delta = softplus(p + bias), a = -exp(a_log). */
static void margin_at(arb_t margin, const arb_t p, const block *b)
{
  arb_t x;
  arb_init(x);
  arb_set_d(x, b->dt_bias[0]);
  arb_add(margin, p, x, BITS);
  arb_exp(margin, margin, BITS);
  arb_log1p(margin, margin, BITS);
  arb_set_d(x, b->a_log[0]);
  arb_exp(x, x, BITS);
  arb_mul(x, x, margin, BITS);
  arb_neg(x, x);
  arb_expm1(x, x, BITS);
  arb_add(margin, margin, x, BITS);
  arb_clear(x);
}

/* One entry, whose interval of p is known exactly: what is said of all inputs follows from its ends. */
START_TEST(test_entries)
{
  enum { COUNT = 600 };
  philox_stream s = philox_stream_start(seed, philox_hash_name("entries"), 0, 0);
  unsigned holds = 0, fails = 0, depends = 0, unknown = 0;
  arb_t low, high, margin[2], x;
  arb_init(low);
  arb_init(high);
  arb_init(margin[0]);
  arb_init(margin[1]);
  arb_init(x);
  for (int k = 0; k < COUNT; k++) {
    block *b = block_new(3, 1, 1, 1);
    b->layer_norm = k % 2;
    fill(b->in, 6, &s, 1);
    b->conv[0] = 0.5 + philox_uniform(&s);
    b->x[0] = b->dt[0] = 0.5 + philox_uniform(&s);
    b->a_log[0] = 3 * philox_uniform(&s) - 1;
    b->dt_bias[0] = 6 * philox_uniform(&s) - 5;
    exact_p(low, high, b);
    margin_at(margin[0], low, b);
    margin_at(margin[1], high, b);
    model_report report = audit_block(NULL, b, NULL, NULL);
    const model_inputs *r = &report.layers[0].inputs;
    ck_assert(r->known);
    ck_assert_uint_eq(r->holds + r->fails + r->depends + r->unknown, 1);
    ck_assert_uint_eq(r->holds, arb_is_nonpositive(margin[1]));
    ck_assert_uint_eq(r->fails, arb_is_positive(margin[0]));
    holds += r->holds == 1;
    fails += r->fails == 1;
    depends += r->depends == 1;
    unknown += r->unknown == 1;
    /* The ends of the step and of log A. */
    arb_set_d(x, b->dt_bias[0]);
    for (int up = 0; up < 2; up++) {
      arb_add(margin[up], up ? high : low, x, BITS);
      arb_exp(margin[up], margin[up], BITS);
      arb_log1p(margin[up], margin[up], BITS);
      double end = middle_of(margin[up]), step = up ? r->step_max : r->step_min, log_a = up ? r->log_a_min : r->log_a_max;
      ck_assert(up ? step >= end : step <= end);
      ck_assert_double_le(fabs(step - end), 1e-9 * end);
      double a = end * exp(b->a_log[0]);
      ck_assert(up ? log_a <= -a * (1 - 1e-13) : log_a >= -a * (1 + 1e-13));
      ck_assert_double_le(fabs(log_a + a), 1e-9 * a);
    }
    model_report_clear(&report);
    free(b);
  }
  ck_assert_uint_gt(holds, COUNT / 10);
  ck_assert_uint_gt(fails, COUNT / 10);
  ck_assert_uint_gt(depends, COUNT / 20);
  ck_assert_uint_lt(unknown, depends / 4); /* what is reached is found, but for a thousandth of the way */
  arb_clear(low);
  arb_clear(high);
  arb_clear(margin[0]);
  arb_clear(margin[1]);
  arb_clear(x);
}
END_TEST

static void not_known(const char *part, const char *families, const block *b, const char *key, const char *value)
{
  model_report report = audit_block(families, b, key, value);
  const model_inputs *r = &report.layers[0].inputs;
  ck_assert(!r->known);
  ck_assert_uint_eq(r->holds + r->fails + r->depends + r->unknown, 0);
  ck_assert_msg(r->reason && strstr(r->reason, part), "'%s' is not in '%s'", part, r->reason ? r->reason : "(nothing)");
  model_report_clear(&report);
}

static void is_known(const char *families, const block *b, const char *key, const char *value)
{
  model_report report = audit_block(families, b, key, value);
  ck_assert_msg(report.layers[0].inputs.known, "%s", report.layers[0].inputs.reason);
  model_report_clear(&report);
}

/* What a file says of itself can forbid what its tensors suggest. */
START_TEST(test_notes)
{
  block *b = block_ones();
  is_known(NULL, b, NULL, NULL);
  is_known(NULL, b, "config.model_type", "mamba");
  is_known(NULL, b, "config.hidden_act", "silu");
  is_known(NULL, b, "mamba.ssm.dt_b_c_rms", "false");
  not_known("falcon_mamba", NULL, b, "config.model_type", "falcon_mamba");
  not_known("dt_b_c_rms", NULL, b, "mamba.ssm.dt_b_c_rms", "true");
  not_known("hidden_act", NULL, b, "config.hidden_act", "gelu");
  free(b);
}
END_TEST

/* Families for which an entry at the ends of the step says nothing of what is between. */
START_TEST(test_other_steps)
{
  block *b = block_ones();
  b->layer_norm = b->has_in_bias = b->has_conv_bias = false;
  b->a_log[0] = b->a_log[1] = 1;
  b->dt_bias[0] = b->dt_bias[1] = 0.1;
  is_known("family a " SIZES STORED RATE STEP DECAY PATH "end\n", b, NULL, NULL);
  is_known("family a " SIZES STORED RATE "let step[d in 1..D] as step = exp(u[d] + b[d])\n" DECAY PATH "end\n", b, NULL, NULL);
  not_known("negative", "family a " SIZES STORED RATE "let step[d in 1..D] as step = u[d] + b[d]\n" DECAY PATH "end\n", b, NULL,
            NULL);
  not_known("rise", "family a " SIZES STORED RATE "let step[d in 1..D] as step = softplus(b[d] - u[d])\n" DECAY PATH "end\n", b,
            NULL, NULL);
  not_known("rate", "family a " SIZES STORED "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n] + u[d])\n" STEP DECAY PATH
            "end\n", b, NULL, NULL);
  not_known("rate", "family a " SIZES STORED STEP "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])*step[d]\n" DECAY PATH
            "end\n", b, NULL, NULL);
  not_known("rate", "family a " SIZES STORED "given g[d in 1..D] in real as gate\n" RATE
            "let step[d in 1..D] as step = softplus(u[d] + b[d] + g[d])\n" DECAY PATH "end\n", b, NULL, NULL);
  free(b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("input_path");
  TCase *intervals = tcase_create("intervals"), *refused = tcase_create("refused"), *entries = tcase_create("entries");
  TCase *const all[] = {intervals, refused, entries};
  for (size_t i = 0; i < 3; i++) {
    tcase_set_timeout(all[i], 0);
    suite_add_tcase(suite, all[i]);
  }
  tcase_add_test(intervals, test_random);
  tcase_add_test(intervals, test_one_channel);
  tcase_add_test(intervals, test_silu);
  tcase_add_test(intervals, test_sizes);
  tcase_add_test(intervals, test_tiny_direction);
  tcase_add_test(intervals, test_aligned);
  tcase_add_test(intervals, test_reach);
  tcase_add_test(intervals, test_zeros);
  tcase_add_test(intervals, test_cancelling);
  tcase_add_test(intervals, test_large);
  tcase_add_test(refused, test_missing);
  tcase_add_test(refused, test_misfit);
  tcase_add_test(refused, test_not_what_it_seems);
  tcase_add_test(refused, test_integers);
  tcase_add_test(refused, test_families);
  tcase_add_test(entries, test_entries);
  tcase_add_test(entries, test_notes);
  tcase_add_test(entries, test_other_steps);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
