/* From the normalised input of a Mamba-1 block to what reaches the step. */
#include "check/input_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/kernels.h"
#include "check/input_tensors.h"
#include "core/memory.h"
#include "core/philox.h"

enum { BLOCK = 32 /* inputs tried at once */ };
#define MOST_PRODUCT 2147483648.0 /* multiplications for dt_proj x_proj, and for directions */
#define TINY 0x1p-1000
#define SILU_LEAST (-0.27846454276108)
#define SILU_LEFT (-1.2785)   /* silu falls to the left of it ... */
#define SILU_RIGHT (-1.2784)  /* ... and rises to the right of it */

/* ---- sums with their errors ---- */

/* The error of a sum of n products whose absolute values sum to about `size`, computed; with two roundings to spare.
 *
 * Nothing here overflows: stored values are below 2^100 and lengths below 2^20, so that rows are below 2^201, q below 2^240,
 * v below 2^360 and p below 2^600. */
static double sum_error(double n, double size)
{
  return (n + 4) * 0x1p-53 * (1 + 0x1p-30) * size + n * TINY;
}

typedef struct {
  double value, error;
} number;

/* ---- the input's side: q = offset + row . z ---- */

/* in_proj behind the norm: rows of D x M, with the mean of each taken out where z has the mean 0; the offset that the
 * norm's bias makes; and how large row . z gets on the ball. Entries of `row` are rounded: `slack` bounds |z| times what
 * that changes. */
typedef struct {
  double *row;
  double *offset, *offset_error, *reach, *slack;
} inputs_side;

static void inputs_side_clear(inputs_side *s)
{
  free(s->row);
  free(s->offset);
}

static void make_row(inputs_side *s, const input_tensors *t, size_t c)
{
  const double *in = t->in + c * t->m;
  double *row = s->row + c * t->m, sum = 0, size = 0, offset = 0, offset_size = 0, square = 0, m = (double)t->m;
  for (size_t i = 0; i < t->m; i++) {
    row[i] = in[i] * t->norm[i];
    sum += row[i];
    size += fabs(row[i]);
  }
  double mean = t->norm_bias ? sum / m : 0;
  for (size_t i = 0; i < t->m; i++) {
    row[i] -= mean;
    square += row[i] * row[i];
  }
  for (size_t i = 0; i < t->m && t->norm_bias; i++) {
    offset += in[i] * t->norm_bias[i];
    offset_size += fabs(in[i] * t->norm_bias[i]);
  }
  if (t->in_bias) {
    offset += t->in_bias[c];
    offset_size += fabs(t->in_bias[c]);
  }
  s->offset[c] = offset;
  s->offset_error[c] = sum_error(m + 2, offset_size);
  /* |z| <= sqrt M. Each entry of the row is off by at most 5 2^-53 size: the product, the mean (whose error is of the order
   * of sum_error / m) and the difference; and so all together by sqrt M times that. A square that underflows loses at
   * most 2^-1075. */
  double root = sqrt(m) * (1 + 0x1p-50);
  s->slack[c] = root * sqrt(m) * 0x1p-50 * size * (1 + m * 0x1p-52) + TINY;
  s->reach[c] = root * sqrt(square * (1 + (m + 4) * 0x1p-52) + m * 0x1p-1074) * (1 + 0x1p-50) + s->slack[c];
}

static void make_inputs_side(inputs_side *s, const input_tensors *t)
{
  s->row = memory_new(memory_multiply(t->d, t->m), sizeof *s->row);
  s->offset = memory_new(memory_multiply(4, t->d), sizeof *s->offset);
  s->offset_error = s->offset + t->d;
  s->reach = s->offset + 2 * t->d;
  s->slack = s->offset + 3 * t->d;
  for (size_t c = 0; c < t->d; c++)
    make_row(s, t, c);
}

/* ---- silu ---- */

/* x / (1 + exp(-x)) with a bound on the error, the argument's own error included. */
static number silu(double x, double error)
{
  double argument = -x, e;
  number y;
  if (x < -700) { /* silu rises from this to 0 further left; |silu| <= |x| exp(x) */
    y = (number){0, 0x1p-900 + 1.1 * error};
  } else if (x > 700) {
    y = (number){x, 0x1p-900 + 1.1 * error};
  } else {
    kernel_exp(&e, &argument, 1);
    y.value = x / (1 + e);
    y.error = fabs(y.value) * 0x1p-49 + 1.1 * error * (1 + 0x1p-50) + TINY;
  }
  return y;
}

/* An interval that holds silu of [low, high]. */
static void silu_range(double *least, double *greatest, double low, double high)
{
  number a = silu(low, 0), b = silu(high, 0);
  double a_low = a.value - a.error, b_low = b.value - b.error;
  *greatest = fmax(a.value + a.error, b.value + b.error);
  *least = low > SILU_RIGHT || high < SILU_LEFT ? fmin(a_low, b_low) : SILU_LEAST;
  *least = nextafter(*least, -INFINITY);
  *greatest = nextafter(*greatest, INFINITY);
}

/* ---- every input ---- */

/* [least[c], greatest[c]] holds v_c of every input. */
static void enclose_hidden(double *least, double *greatest, const input_tensors *t, const inputs_side *s)
{
  for (size_t c = 0; c < t->d; c++) {
    double middle = t->conv_bias ? t->conv_bias[c] : 0, low = middle, high = middle, size = fabs(middle);
    double radius = (s->offset_error[c] + s->reach[c]) * (1 + 0x1p-51);
    double q_low = nextafter(s->offset[c] - radius, -INFINITY), q_high = nextafter(s->offset[c] + radius, INFINITY);
    for (size_t k = 0; k < t->w; k++) {
      double weight = t->conv ? t->conv[c * t->w + k] : 1;
      bool padded = k + 1 < t->w; /* tokens before the first are 0 */
      double a = weight * (padded ? fmin(q_low, 0) : q_low), b = weight * (padded ? fmax(q_high, 0) : q_high);
      low += fmin(a, b);
      high += fmax(a, b);
      size += fabs(a) + fabs(b);
    }
    double error = sum_error((double)t->w + 1, size);
    silu_range(&least[c], &greatest[c], low - error, high + error);
  }
}

/* low and high of sum_c row[c] v_c, v_c in [least[c], greatest[c]], each coefficient off by at most off[c]. */
static void enclose_sum(double *low, double *high, const double *row, const double *off, const double *least,
                        const double *greatest, size_t n)
{
  double l = 0, h = 0, size = 0;
  for (size_t c = 0; c < n; c++) {
    double a = row[c] * least[c], b = row[c] * greatest[c], most = fmax(fabs(least[c]), fabs(greatest[c]));
    double extra = off ? off[c] * most : 0;
    l += fmin(a, b) - extra;
    h += fmax(a, b) + extra;
    size += fabs(row[c]) * most + extra;
  }
  double error = sum_error(3 * (double)n, size);
  *low = nextafter(l - error, -INFINITY);
  *high = nextafter(h + error, INFINITY);
}

/* Row d of dt_proj x_proj, and the error of each coefficient. */
static void product_row(double *row, double *off, const input_tensors *t, size_t d)
{
  memset(row, 0, t->d * sizeof *row);
  memset(off, 0, t->d * sizeof *off);
  for (size_t r = 0; r < t->r; r++) {
    double a = t->dt[d * t->r + r];
    const double *x = t->x + r * t->d;
    for (size_t c = 0; c < t->d; c++) {
      row[c] += a * x[c];
      off[c] += fabs(a * x[c]);
    }
  }
  for (size_t c = 0; c < t->d; c++)
    off[c] = sum_error((double)t->r, off[c]);
}

static void enclose_every(input_path *path, const input_tensors *t, const inputs_side *s)
{
  double *room = memory_new(memory_multiply(4, t->d), sizeof *room), *least = room, *greatest = room + t->d;
  enclose_hidden(least, greatest, t, s);
  path->whole_product = (double)t->d * (double)t->d * (double)t->r <= MOST_PRODUCT;
  if (path->whole_product) {
    for (size_t d = 0; d < t->d; d++) {
      product_row(room + 2 * t->d, room + 3 * t->d, t, d);
      enclose_sum(&path->low[d], &path->high[d], room + 2 * t->d, room + 3 * t->d, least, greatest, t->d);
    }
  } else {
    double *inner = memory_new(memory_multiply(2, t->r), sizeof *inner);
    for (size_t r = 0; r < t->r; r++)
      enclose_sum(&inner[r], &inner[t->r + r], t->x + r * t->d, NULL, least, greatest, t->d);
    for (size_t d = 0; d < t->d; d++)
      enclose_sum(&path->low[d], &path->high[d], t->dt + d * t->r, NULL, inner, inner + t->r, t->r);
    free(inner);
  }
  free(room);
}

/* ---- single inputs ---- */

/* BLOCK inputs at once; the innermost index is the input. */
typedef struct {
  double *z;           /* M x BLOCK, each of norm <= 0.999 sqrt M, computed: <= sqrt M in truth */
  double *v, *v_error; /* D x BLOCK */
  double *y, *y_error; /* R x BLOCK */
} trial;

static void trial_init(trial *x, const input_tensors *t)
{
  x->z = memory_new(memory_multiply(BLOCK, t->m + 2 * t->d + 2 * t->r), sizeof *x->z);
  x->v = x->z + BLOCK * t->m;
  x->v_error = x->v + BLOCK * t->d;
  x->y = x->v_error + BLOCK * t->d;
  x->y_error = x->y + BLOCK * t->r;
}

/* Each z to the norm 0.999 sqrt M; one of zeros stays. The largest entry is made 1 first, lest squares underflow. */
static void scale(trial *x, const input_tensors *t)
{
  for (size_t j = 0; j < BLOCK; j++) {
    double most = 0, square = 0;
    for (size_t i = 0; i < t->m; i++)
      most = fmax(most, fabs(x->z[i * BLOCK + j]));
    for (size_t i = 0; i < t->m && most > 0; i++) {
      x->z[i * BLOCK + j] /= most;
      square += x->z[i * BLOCK + j] * x->z[i * BLOCK + j];
    }
    double factor = most > 0 ? 0.999 * sqrt((double)t->m / square) : 0;
    for (size_t i = 0; i < t->m; i++)
      x->z[i * BLOCK + j] *= factor;
  }
}

/* v of a channel when the input is the first token (`first`), or has been the same for W tokens. */
static void trial_channel(trial *x, const input_tensors *t, const inputs_side *s, size_t c, bool first)
{
  double q[BLOCK] = {0}, size[BLOCK] = {0}, weight = 0, weight_size = 0;
  const double *row = s->row + c * t->m;
  for (size_t i = 0; i < t->m; i++)
    for (size_t j = 0; j < BLOCK; j++) {
      double a = row[i] * x->z[i * BLOCK + j];
      q[j] += a;
      size[j] += fabs(a);
    }
  for (size_t k = first ? t->w - 1 : 0; k < t->w; k++) {
    double one = t->conv ? t->conv[c * t->w + k] : 1;
    weight += one;
    weight_size += fabs(one);
  }
  double bias = t->conv_bias ? t->conv_bias[c] : 0;
  for (size_t j = 0; j < BLOCK; j++) {
    double value = s->offset[c] + q[j];
    double error = sum_error((double)t->m + 2, size[j] + fabs(s->offset[c])) + s->offset_error[c] + s->slack[c];
    double u = bias + weight * value;
    double u_error = weight_size * error * (1 + 0x1p-40) +
                     sum_error((double)t->w + 4, fabs(bias) + weight_size * (fabs(value) + error));
    number v = silu(u, u_error);
    x->v[c * BLOCK + j] = v.value;
    x->v_error[c * BLOCK + j] = v.error;
  }
}

/* out[i] = sum_c a[i, c] in[c], with errors. */
static void trial_multiply(double *out, double *out_error, const double *a, size_t rows, size_t columns, const double *in,
                           const double *in_error)
{
  for (size_t i = 0; i < rows; i++) {
    double sum[BLOCK] = {0}, size[BLOCK] = {0}, error[BLOCK] = {0};
    for (size_t c = 0; c < columns; c++) {
      double k = a[i * columns + c], most = fabs(k);
      for (size_t j = 0; j < BLOCK; j++) {
        sum[j] += k * in[c * BLOCK + j];
        size[j] += most * fabs(in[c * BLOCK + j]);
        error[j] += most * in_error[c * BLOCK + j];
      }
    }
    for (size_t j = 0; j < BLOCK; j++) {
      out[i * BLOCK + j] = sum[j];
      out_error[i * BLOCK + j] =
          error[j] * (1 + ((double)columns + 4) * 0x1p-52) + sum_error((double)columns, size[j] + error[j]);
    }
  }
}

static void trial_run(input_path *path, trial *x, const input_tensors *t, const inputs_side *s, bool first)
{
  for (size_t c = 0; c < t->d; c++)
    trial_channel(x, t, s, c, first);
  trial_multiply(x->y, x->y_error, t->x, t->r, t->d, x->v, x->v_error);
  double *p = memory_new(memory_multiply(2 * BLOCK, t->d), sizeof *p), *p_error = p + BLOCK * t->d;
  trial_multiply(p, p_error, t->dt, t->d, t->r, x->y, x->y_error);
  for (size_t d = 0; d < t->d; d++)
    for (size_t j = 0; j < BLOCK; j++) {
      double low = nextafter(p[d * BLOCK + j] - p_error[d * BLOCK + j], -INFINITY);
      double high = nextafter(p[d * BLOCK + j] + p_error[d * BLOCK + j], INFINITY);
      path->reach_low[d] = fmin(path->reach_low[d], high);
      path->reach_high[d] = fmax(path->reach_high[d], low);
    }
  free(p);
}

static void trial_both(input_path *path, trial *x, const input_tensors *t, const inputs_side *s)
{
  trial_run(path, x, t, s, true);
  if (t->w > 1)
    trial_run(path, x, t, s, false);
}

/* No input, and directions without a plan. */
static void try_random(input_path *path, trial *x, const input_tensors *t, const inputs_side *s)
{
  philox_stream random = philox_stream_start(1, philox_hash_name("input_path"), 0, 0);
  for (size_t i = 0; i < t->m; i++)
    for (size_t j = 0; j < BLOCK; j++) {
      double r = 2 * philox_uniform(&random) - 1;
      x->z[i * BLOCK + j] = j == 0 ? 0 : r;
    }
  scale(x, t);
  trial_both(path, x, t, s);
}

/* The way up and the way down from no input, for BLOCK/2 channels from `from` on, `step` apart: the gradient of p_d at
 * z = 0 of the first token. silu has the slope 1/2 at 0; the convolution's bias is taken into account by its sign alone,
 * which does for a direction. */
static void try_directions(input_path *path, trial *x, const input_tensors *t, const inputs_side *s, size_t from, size_t step)
{
  double *row = memory_new(memory_multiply(2, t->d), sizeof *row);
  memset(x->z, 0, BLOCK * t->m * sizeof *x->z);
  for (size_t j = 0; j < BLOCK; j += 2) {
    size_t d = from + j / 2 * step;
    if (d >= t->d)
      break;
    product_row(row, row + t->d, t, d);
    for (size_t c = 0; c < t->d; c++) {
      double weight = t->conv ? t->conv[c * t->w + t->w - 1] : 1;
      double at = (t->conv_bias ? t->conv_bias[c] : 0) + weight * s->offset[c];
      double slope = at < -1.3 ? -0.05 : at > 1 ? 1 : 0.5 + 0.5 * at;
      double a = row[c] * weight * slope;
      const double *g = s->row + c * t->m;
      for (size_t i = 0; i < t->m; i++)
        x->z[i * BLOCK + j] += a * g[i];
    }
    for (size_t i = 0; i < t->m; i++)
      x->z[i * BLOCK + j + 1] = -x->z[i * BLOCK + j];
  }
  free(row);
  scale(x, t);
  trial_both(path, x, t, s);
}

static void try_inputs(input_path *path, const input_tensors *t, const inputs_side *s)
{
  trial x;
  trial_init(&x, t);
  for (size_t d = 0; d < t->d; d++) {
    path->reach_low[d] = INFINITY;
    path->reach_high[d] = -INFINITY;
  }
  try_random(path, &x, t, s);
  /* A block costs about 4 D (M + R) BLOCK. */
  double blocks = MOST_PRODUCT / (4.0 * BLOCK * (double)t->d * (double)(t->m + t->r));
  size_t all = (t->d + BLOCK / 2 - 1) / (BLOCK / 2), n = blocks < (double)all ? (size_t)blocks : all;
  for (size_t k = 0; k < n; k++)
    try_directions(path, &x, t, s, k, n);
  free(x.z);
}

/* ---- */

assay_status input_path_create(input_path *path, const char **reason, const model_layer *layer, const dump_file *file,
                               dump_error *error)
{
  *path = (input_path){0};
  input_tensors t;
  assay_status status = input_tensors_read(&t, reason, layer, file, error);
  if (status == STATUS_OK) {
    inputs_side s;
    make_inputs_side(&s, &t);
    path->channels = t.d;
    path->low = memory_new(memory_multiply(4, t.d), sizeof *path->low);
    path->high = path->low + t.d;
    path->reach_low = path->low + 2 * t.d;
    path->reach_high = path->low + 3 * t.d;
    enclose_every(path, &t, &s);
    try_inputs(path, &t, &s);
    inputs_side_clear(&s);
  }
  input_tensors_clear(&t);
  return status;
}

void input_path_clear(input_path *path)
{
  free(path->low);
  *path = (input_path){0};
}
