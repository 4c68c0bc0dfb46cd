/* The vectorised scan around the compiler's vector exp; see rival_scan.h. The functions are those that gcc calls when it
 * vectorises exp; they are looked up at run time, so that nothing has to be linked where they are missing. */
#include <dlfcn.h>
#include <stdlib.h>

#include "rival_scan.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { TILE = 8, GROUP = 512 };

static void *look_up(const char *name)
{
  static void *library;
  if (!library)
    library = dlopen("libmvec.so.1", RTLD_NOW);
  return library ? dlsym(library, name) : NULL;
}

/* SCAN(NAME, TARGET, VECTOR, LANES, ...): the scan for one width. A group of channels at a time, in it a tile of tokens, in
 * it a block of lanes; h and A of a block are [N][LANES]. The exponentials of a token come first, so that a call does not
 * push anything else out of the registers. */
#define SCAN(NAME, EXP, TARGET, VECTOR, LANES, LOAD, STORE, ALL, MUL, FMA)                                            \
  typedef VECTOR EXP##_function(VECTOR);                                                                              \
  TARGET static void NAME##_block(double *restrict h, const double *restrict rate, const scan_problem *p, size_t d,    \
                                  size_t from, size_t to, EXP##_function *exp_of, double *restrict alpha)             \
  {                                                                                                                   \
    size_t states = p->states, channels = p->channels;                                                                \
    VECTOR skip = LOAD(p->skip + d);                                                                                  \
    for (size_t t = from; t < to; t++) {                                                                              \
      const double *b = p->b + t * states, *c = p->c + t * states;                                                    \
      for (size_t n = 0; n < states; n++)                                                                             \
        STORE(alpha + n * LANES, exp_of(MUL(LOAD(p->step + t * channels + d), LOAD(rate + n * LANES))));              \
      VECTOR u = LOAD(p->u + t * channels + d), drive = MUL(LOAD(p->step + t * channels + d), u), y = MUL(skip, u);   \
      for (size_t n = 0; n < states; n++) {                                                                           \
        VECTOR next = FMA(LOAD(alpha + n * LANES), LOAD(h + n * LANES), MUL(drive, ALL(b[n])));                       \
        STORE(h + n * LANES, next);                                                                                   \
        y = FMA(ALL(c[n]), next, y);                                                                                  \
      }                                                                                                               \
      STORE(p->y + t * channels + d, y);                                                                              \
    }                                                                                                                 \
  }                                                                                                                   \
                                                                                                                      \
  static void NAME(const scan_problem *p, EXP##_function *exp_of)                                                     \
  {                                                                                                                   \
    size_t states = p->states;                                                                                        \
    double *work = aligned_alloc(64, (2 * GROUP + LANES) * states * sizeof *work);                                    \
    double *rate = work, *h = work + GROUP * states, *alpha = h + GROUP * states;                                     \
    for (size_t first = 0; first < p->channels; first += GROUP) {                                                     \
      size_t count = p->channels - first < GROUP ? p->channels - first : GROUP;                                       \
      for (size_t i = 0; i < count * states; i++) {                                                                   \
        size_t at = (i / states / LANES * states + i % states) * LANES + i / states % LANES;                          \
        rate[at] = p->rate[first * states + i];                                                                       \
        h[at] = p->state[first * states + i];                                                                         \
      }                                                                                                               \
      for (size_t t = 0; t < p->tokens; t += TILE)                                                                    \
        for (size_t d = 0; d < count; d += LANES)                                                                     \
          NAME##_block(h + d * states, rate + d * states, p, first + d, t,                                            \
                       t + TILE < p->tokens ? t + TILE : p->tokens, exp_of, alpha);                                   \
      for (size_t i = 0; i < count * states; i++)                                                                     \
        p->state[first * states + i] =                                                                                \
          h[(i / states / LANES * states + i % states) * LANES + i / states % LANES];                                 \
    }                                                                                                                 \
    free(work);                                                                                                       \
  }                                                                                                                   \
                                                                                                                      \
  TARGET static void NAME##_exp(double *restrict out, const double *restrict in, size_t n, EXP##_function *exp_of)    \
  {                                                                                                                   \
    for (size_t i = 0; i < n; i += LANES)                                                                             \
      STORE(out + i, exp_of(LOAD(in + i)));                                                                           \
  }

SCAN(scan_avx2, exp_avx2, __attribute__((target("avx2,fma"))), __m256d, 4, _mm256_loadu_pd, _mm256_storeu_pd,
     _mm256_set1_pd, _mm256_mul_pd, _mm256_fmadd_pd)
SCAN(scan_avx512, exp_avx512, __attribute__((target("avx512f"))), __m512d, 8, _mm512_loadu_pd, _mm512_storeu_pd,
     _mm512_set1_pd, _mm512_mul_pd, _mm512_fmadd_pd)

static void *exp_for(int lanes)
{
  if (lanes == 8)
    return __builtin_cpu_supports("avx512f") ? look_up("_ZGVeN8v_exp") : NULL;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? look_up("_ZGVdN4v_exp") : NULL;
}

bool rival_scan_libmvec(const scan_problem *p, int lanes)
{
  void *found = exp_for(lanes);
  if (!found || p->channels % 8 != 0)
    return false;
  if (lanes == 8)
    scan_avx512(p, (exp_avx512_function *)found);
  else
    scan_avx2(p, (exp_avx2_function *)found);
  return true;
}

bool rival_exp_libmvec(double *out, const double *in, size_t n, int lanes)
{
  void *found = exp_for(lanes);
  if (!found)
    return false;
  if (lanes == 8)
    scan_avx512_exp(out, in, n, (exp_avx512_function *)found);
  else
    scan_avx2_exp(out, in, n, (exp_avx2_function *)found);
  return true;
}
#else
bool rival_scan_libmvec(const scan_problem *p, int lanes)
{
  (void)p;
  (void)lanes;
  return false;
}

bool rival_exp_libmvec(double *out, const double *in, size_t n, int lanes)
{
  (void)out;
  (void)in;
  (void)n;
  (void)lanes;
  return false;
}
#endif
