/* The inner loops of the forms with a readout, over FORM_LANES neighbouring numbers. A file per
 * instruction set includes this one, having said how wide its vectors are (LANES_WIDTH doubles) and what
 * its functions are compiled for (LANES_TARGET). No operation is contracted, and none goes across lanes:
 * the bits are those of plain loops. */
#include "sim/forms_internal.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

enum { VECTORS = FORM_LANES / LANES_WIDTH };

typedef double lanes __attribute__((vector_size(8 * LANES_WIDTH)));
typedef double lanes_loose __attribute__((vector_size(8 * LANES_WIDTH), aligned(8), may_alias));

#define LANES_INLINE LANES_TARGET static inline __attribute__((always_inline))

LANES_INLINE lanes load(const double *p)
{
  return *(const lanes_loose *)(const void *)p;
}

LANES_INLINE void store(double *p, lanes x)
{
  *(lanes_loose *)(void *)p = x;
}

LANES_INLINE lanes all(double x)
{
  return x - (lanes){0}; /* a broadcast; x - 0 is x, whatever x */
}

/* `by_key`: a decay for each key; `before`: the readout is that of the state before the update. */
LANES_INLINE void matrix_token(double *restrict sum, double *restrict matrix, const double *restrict alpha,
                               const double *restrict key, const double *restrict query,
                               const double *restrict value, size_t K, bool by_key, bool before)
{
  lanes v[VECTORS], s[VECTORS], decay = all(alpha[0]);
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++) {
    v[i] = load(value + i * LANES_WIDTH);
    s[i] = all(0);
  }
  for (size_t k = 0; k < K; k++, matrix += FORM_LANES) {
    lanes q = all(query[k]), x = all(key[k]);
    if (by_key)
      decay = all(alpha[k]);
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
      lanes old = load(matrix + i * LANES_WIDTH), next = decay * old + x * v[i];
      store(matrix + i * LANES_WIDTH, next);
      s[i] += q * (before ? old : next);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++)
    store(sum + i * LANES_WIDTH, s[i]);
}

LANES_TARGET static void matrix_head(double *sum, double *matrix, const double *alpha, const double *key,
                                     const double *query, const double *value, size_t K)
{
  matrix_token(sum, matrix, alpha, key, query, value, K, false, false);
}

LANES_TARGET static void matrix_keys(double *sum, double *matrix, const double *alpha, const double *key,
                                     const double *query, const double *value, size_t K)
{
  matrix_token(sum, matrix, alpha, key, query, value, K, true, false);
}

LANES_TARGET static void matrix_head_before(double *sum, double *matrix, const double *alpha,
                                            const double *key,
                                            const double *query, const double *value, size_t K)
{
  matrix_token(sum, matrix, alpha, key, query, value, K, false, true);
}

LANES_TARGET static void matrix_keys_before(double *sum, double *matrix, const double *alpha,
                                            const double *key,
                                            const double *query, const double *value, size_t K)
{
  matrix_token(sum, matrix, alpha, key, query, value, K, true, true);
}

LANES_TARGET static void diagonal_real(double *restrict sum, double *restrict h, const double *restrict a,
                                       const double *restrict b, const double *restrict c,
                                         const double *restrict u, size_t N)
{
  lanes s[VECTORS], drive[VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++) {
    drive[i] = load(u + i * LANES_WIDTH);
    s[i] = all(0);
  }
  for (size_t n = 0; n < N; n++)
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
      size_t at = n * FORM_LANES + (size_t)i * LANES_WIDTH;
      lanes next = load(a + at) * load(h + at) + load(b + at) * drive[i];
      store(h + at, next);
      s[i] += load(c + at) * next;
    }
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++)
    store(sum + i * LANES_WIDTH, s[i]);
}

/* Real parts of N states, then imaginary ones. */
LANES_TARGET static void diagonal_complex(double *restrict sum, double *restrict h, const double *restrict a,
                                          const double *restrict b, const double *restrict c,
                                          const double *restrict u, size_t N)
{
  lanes s[VECTORS], drive[VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++) {
    drive[i] = load(u + i * LANES_WIDTH);
    s[i] = all(0);
  }
  for (size_t n = 0; n < N; n++)
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
      size_t at = n * FORM_LANES + (size_t)i * LANES_WIDTH, im = at + N * FORM_LANES;
      lanes a_re = load(a + at), a_im = load(a + im), h_re = load(h + at), h_im = load(h + im);
      lanes next_re = a_re * h_re - a_im * h_im + load(b + at) * drive[i];
      lanes next_im = a_re * h_im + a_im * h_re + load(b + im) * drive[i];
      store(h + at, next_re);
      store(h + im, next_im);
      s[i] += load(c + at) * next_re - load(c + im) * next_im;
    }
#pragma GCC unroll 8
  for (int i = 0; i < VECTORS; i++)
    store(sum + i * LANES_WIDTH, s[i]);
}

const form_loops LANES_TABLE = {matrix_head, matrix_keys, matrix_head_before, matrix_keys_before,
                                diagonal_real, diagonal_complex};
