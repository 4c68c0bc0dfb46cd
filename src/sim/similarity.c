/* Linear CKA from the n x n side: tiles of X X' of all places at once, so that no such matrix is kept. */
#include "sim/similarity.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "sim/sums.h"

enum { TILE = 32 };

/* Centres the columns and brings the largest element near 1: squares of squares are to be had, and CKA does not mind. */
static void prepare(double *x, size_t n, size_t width)
{
  double *mean = memory_new(width, sizeof *mean), most = 0;
  sums_row_mean(mean, x, n, width);
  for (size_t t = 0; t < n; t++)
    for (size_t j = 0; j < width; j++) {
      double *e = &x[t * width + j];
      *e -= mean[j];
      most = fmax(most, fabs(*e));
    }
  free(mean);
  if (most > 0 && isfinite(most)) {
    int exponent = ilogb(most);
    for (size_t i = 0; i < n * width; i++)
      x[i] = ldexp(x[i], -exponent);
  }
}

/* tile[k]: rows a .. a + na - 1 against rows b .. b + nb - 1 of place k. */
static void fill_tiles(double *tile, double *const *row, size_t places, size_t width, size_t a, size_t na, size_t b, size_t nb)
{
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < places; k++)
    for (size_t i = 0; i < na; i++)
      for (size_t j = 0; j < nb; j++)
        tile[k * TILE * TILE + i * nb + j] = sums_dot(row[k] + (a + i) * width, row[k] + (b + j) * width, width);
}

typedef struct {
  double sum, low;
} twin;

static void add_tiles(twin *f, const double *tile, size_t places, size_t elements, double weight)
{
#pragma omp parallel for schedule(dynamic)
  for (size_t k = 0; k < places; k++)
    for (size_t l = 0; l <= k; l++) {
      double dot = sums_dot(tile + k * TILE * TILE, tile + l * TILE * TILE, elements);
      measured_accumulate(&f[k * places + l].sum, &f[k * places + l].low, weight * dot);
    }
}

/* f[k, l] for l <= k. */
static double *products(double *const *row, size_t places, size_t n, size_t width)
{
  twin *f = memory_new(memory_multiply(places, places), sizeof *f);
  double *tile = memory_new(memory_multiply(places, TILE * TILE), sizeof *tile);
  for (size_t a = 0; a < n; a += TILE)
    for (size_t b = 0; b <= a; b += TILE) {
      size_t na = n - a < TILE ? n - a : TILE, nb = n - b < TILE ? n - b : TILE;
      fill_tiles(tile, row, places, width, a, na, b, nb);
      add_tiles(f, tile, places, na * nb, a == b ? 1 : 2);
    }
  free(tile);
  double *value = memory_new(places * places, sizeof *value);
  for (size_t i = 0; i < places * places; i++)
    value[i] = f[i].sum + f[i].low;
  free(f);
  return value;
}

/* Takes off what the diagonals add. */
static void debias(double *f, double *const *row, size_t places, size_t n, size_t width)
{
  double *p = memory_new(memory_multiply(places, n), sizeof *p), *sum = memory_new(places, sizeof *sum);
  for (size_t k = 0; k < places; k++) {
    measured total = {0};
    for (size_t i = 0; i < n; i++) {
      p[k * n + i] = sums_dot(row[k] + i * width, row[k] + i * width, width);
      measured_accumulate(&total.sum, &total.low, p[k * n + i]);
    }
    sum[k] = total.sum + total.low;
  }
  double m = (double)n;
  for (size_t k = 0; k < places; k++)
    for (size_t l = 0; l <= k; l++) {
      double both = sums_dot(p + k * n, p + l * n, n);
      f[k * places + l] += sum[k] * sum[l] / ((m - 1) * (m - 2)) - m / (m - 2) * both;
    }
  free(p);
  free(sum);
}

/* f[k, l] / sqrt(f[k, k] f[l, l]); undefined where a diagonal is not positive. */
static void add_ratios(measured *into, const double *f, size_t places)
{
  for (size_t k = 0; k < places; k++)
    for (size_t l = 0; l <= k; l++) {
      double a = f[k * places + k], b = f[l * places + l];
      double ratio = a > 0 && b > 0 ? f[k * places + l] / sqrt(a) / sqrt(b) : NAN;
      measured_add(&into[k * places + l], k == l && isfinite(ratio) ? 1 : ratio);
      if (l != k)
        measured_add(&into[l * places + k], ratio);
    }
}

void similarity_of_rows(measured *biased, measured *debiased, double *const *row, size_t places, size_t n, size_t width)
{
  for (size_t k = 0; k < places; k++)
    if (n)
      prepare(row[k], n, width);
  double *f = products(row, places, n, width);
  add_ratios(biased, f, places);
  if (n >= 4)
    debias(f, row, places, n, width);
  else
    for (size_t i = 0; i < places * places; i++)
      f[i] = NAN;
  add_ratios(debiased, f, places);
  free(f);
}

/* ---- from the M x M side ---- */

/* One row more than a piece has: sqrt(n n_p / (n + n_p)) (m_p - m), for n tokens of mean m before a piece of n_p tokens of mean
 * m_p. With it the rows' products are those of deviations from the common mean (Chan, Golub, LeVeque 1979). */
struct similarity_grams {
  size_t places, width, tokens, room;
  size_t piece; /* rows of the piece, the one for its mean among them */
  double *mean; /* [R, M] */
  double *rows; /* [R, room, M] */
  double *gram; /* of each pair l <= k: [M, M] */
};

static size_t pairs_of(size_t places)
{
  return places * (places + 1) / 2;
}

size_t similarity_grams_size(size_t places, size_t width)
{
  size_t size;
  if (places >> 24 || __builtin_mul_overflow(pairs_of(places), width, &size) || __builtin_mul_overflow(size, width, &size))
    return SIZE_MAX;
  return size;
}

similarity_grams *similarity_grams_create(size_t places, size_t width)
{
  similarity_grams *g = memory_new(1, sizeof *g);
  g->places = places;
  g->width = width;
  g->mean = memory_new(memory_multiply(places, width), sizeof *g->mean);
  g->gram = memory_new(similarity_grams_size(places, width), sizeof *g->gram);
  return g;
}

void similarity_grams_destroy(similarity_grams *g)
{
  if (!g)
    return;
  free(g->mean);
  free(g->rows);
  free(g->gram);
  free(g);
}

static void make_room(similarity_grams *g, size_t rows)
{
  if (rows <= g->room)
    return;
  free(g->rows);
  g->rows = memory_new(memory_multiply(memory_multiply(g->places, rows), g->width), sizeof *g->rows);
  g->room = rows;
}

/* gram += a' b */
static void add_product(double *gram, const double *a, const double *b, size_t rows, size_t width)
{
  for (size_t i = 0; i < width; i++)
    for (size_t t = 0; t < rows; t++) {
      double factor = a[t * width + i], *out = gram + i * width;
      const double *row = b + t * width;
      for (size_t j = 0; j < width; j++)
        out[j] += factor * row[j];
    }
}

void similarity_grams_add(similarity_grams *g, size_t place, size_t tokens, const double *x)
{
  size_t width = g->width;
  if (place == 0) {
    make_room(g, tokens + 1);
    g->piece = tokens + 1;
  }
  double *rows = g->rows + place * g->room * width, *between = rows + tokens * width, *mean = g->mean + place * width;
  double before = (double)g->tokens, more = (double)tokens, weight = sqrt(before * more / (before + more));
  sums_row_mean(between, x, tokens, width);
  for (size_t t = 0; t < tokens; t++)
    for (size_t j = 0; j < width; j++)
      rows[t * width + j] = x[t * width + j] - between[j];
  for (size_t j = 0; j < width; j++) {
    double step = between[j] - mean[j];
    mean[j] = g->tokens ? mean[j] + step * (more / (before + more)) : between[j];
    between[j] = g->tokens ? weight * step : 0;
  }
  if (place + 1 < g->places)
    return;
  g->tokens += tokens;
#pragma omp parallel for schedule(dynamic)
  for (size_t k = 0; k < g->places; k++)
    for (size_t l = 0; l <= k; l++)
      add_product(g->gram + (k * (k + 1) / 2 + l) * width * width, g->rows + k * g->room * width,
                  g->rows + l * g->room * width, g->piece, width);
}

void similarity_grams_finish(const similarity_grams *g, measured *biased)
{
  double *f = memory_new(g->places * g->places, sizeof *f);
  size_t size = g->width * g->width;
  for (size_t k = 0; k < g->places; k++)
    for (size_t l = 0; l <= k; l++) {
      const double *gram = g->gram + (k * (k + 1) / 2 + l) * size;
      f[k * g->places + l] = sums_dot(gram, gram, size);
    }
  add_ratios(biased, f, g->places);
  free(f);
}
