/* Counter-based random numbers: Philox 4x32-10. */
#include "core/philox.h"

#include "core/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const uint32_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
static const uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;

static inline void philox_round(uint32_t c[4], uint32_t k0, uint32_t k1)
{
  uint64_t p0 = (uint64_t)multiplier0 * c[0], p1 = (uint64_t)multiplier1 * c[2];
  uint32_t c1 = c[1], c3 = c[3];
  c[0] = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
  c[1] = (uint32_t)p1;
  c[2] = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
  c[3] = (uint32_t)p0;
}

philox_block philox_4x32(philox_block counter, uint32_t key0, uint32_t key1)
{
  for (int i = 0; i < 10; i++) {
    philox_round(counter.word, key0, key1);
    key0 += weyl0;
    key1 += weyl1;
  }
  return counter;
}

/* Layout of a counter: word 0 the block of the stream, word 1 the low and word 2 the high half of the
 * instance number, word 3 claim hash xor the attempt times a mixing constant. The key is the seed. */
static uint32_t counter_tag(uint32_t claim, uint32_t attempt)
{
  return claim ^ (attempt * 0x85EBCA6Bu);
}

philox_stream philox_stream_start(uint64_t seed, uint32_t claim, uint64_t instance, uint32_t attempt)
{
  philox_stream s = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .used = 2};
  s.counter.word[1] = (uint32_t)instance;
  s.counter.word[2] = (uint32_t)(instance >> 32);
  s.counter.word[3] = counter_tag(claim, attempt);
  return s;
}

uint64_t philox_next(philox_stream *s)
{
  if (s->used == 2) {
    s->block = philox_4x32(s->counter, s->key[0], s->key[1]);
    s->counter.word[0]++;
    s->used = 0;
  }
  unsigned i = 2 * s->used++;
  return s->block.word[i] | (uint64_t)s->block.word[i + 1] << 32;
}

double philox_uniform(philox_stream *s)
{
  return (double)(philox_next(s) >> 11) * 0x1p-53;
}

uint64_t philox_below(philox_stream *s, uint64_t n)
{
  return (uint64_t)(((unsigned __int128)philox_next(s) * n) >> 64);
}

TARGET_VECTOR
static void fill(uint64_t *restrict out, size_t n, uint64_t seed, uint32_t claim, uint64_t first,
                 uint32_t attempt, uint32_t position)
{
  uint32_t tag = counter_tag(claim, attempt);
  for (size_t i = 0; i < n; i++) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = position / 2, c1 = (uint32_t)(first + i), c2 = (uint32_t)((first + i) >> 32), c3 = tag;
    for (int round = 0; round < 10; round++) {
      uint64_t p0 = (uint64_t)multiplier0 * c0, p1 = (uint64_t)multiplier1 * c2;
      c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
      c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
      c1 = (uint32_t)p1;
      c3 = (uint32_t)p0;
      k0 += weyl0;
      k1 += weyl1;
    }
    uint64_t low = c0 | (uint64_t)c1 << 32, high = c2 | (uint64_t)c3 << 32;
    out[i] = position % 2 ? high : low;
  }
}

void philox_fill(uint64_t *restrict out, size_t n, uint64_t seed, uint32_t claim, uint64_t first,
                 uint32_t attempt, uint32_t position)
{
  fill(out, n, seed, claim, first, attempt, position);
}

static void fill_words_plain(uint64_t *restrict out, size_t stride, size_t n, philox_block counter,
                             uint64_t seed, uint64_t first)
{
  for (size_t i = 0; i < n; i++) {
    counter.word[1] = (uint32_t)(first + i);
    counter.word[2] = (uint32_t)((first + i) >> 32);
    philox_block b = philox_4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
    for (size_t j = 0; j < 4; j++)
      out[j * stride + i] = b.word[j];
  }
}

#if defined(__x86_64__)

/* Four counters to a register, a word in the low half of each 64-bit lane; what the high halves hold does
 * not matter before the end, since the product of low halves ignores them. */
typedef struct {
  __m256i c0, c1, c2, c3;
} four_counters;

__attribute__((target("avx2")))
static inline four_counters round_of_four(four_counters c, __m256i k0, __m256i k1)
{
  __m256i p0 = _mm256_mul_epu32(c.c0, _mm256_set1_epi64x(multiplier0));
  __m256i p1 = _mm256_mul_epu32(c.c2, _mm256_set1_epi64x(multiplier1));
  return (four_counters){_mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c.c1, k0)), p1,
                         _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c.c3, k1)), p0};
}

__attribute__((target("avx2")))
static inline four_counters start_four(philox_block counter, uint64_t first)
{
  __m256i instance =
      _mm256_add_epi64(_mm256_set1_epi64x((long long)first), _mm256_set_epi64x(3, 2, 1, 0));
  return (four_counters){_mm256_set1_epi64x(counter.word[0]), instance, _mm256_srli_epi64(instance, 32),
                         _mm256_set1_epi64x(counter.word[3])};
}

__attribute__((target("avx2")))
static inline void store_four(uint64_t *to, size_t stride, four_counters c)
{
  const __m256i words[4] = {c.c0, c.c1, c.c2, c.c3};
  for (size_t j = 0; j < 4; j++)
    _mm256_storeu_si256((__m256i *)(void *)(to + j * stride),
                        _mm256_blend_epi32(words[j], _mm256_setzero_si256(), 0xaa));
}

/* n a multiple of 8: two registers' counters side by side, which is what fits. */
__attribute__((target("avx2")))
static void fill_words_avx2(uint64_t *restrict out, size_t stride, size_t n, philox_block counter,
                            uint64_t seed, uint64_t first)
{
  for (size_t i = 0; i < n; i += 8) {
    four_counters a = start_four(counter, first + i), b = start_four(counter, first + i + 4);
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
      __m256i k0 = _mm256_set1_epi64x(key0), k1 = _mm256_set1_epi64x(key1);
      a = round_of_four(a, k0, k1);
      b = round_of_four(b, k0, k1);
      key0 += weyl0;
      key1 += weyl1;
    }
    store_four(out + i, stride, a);
    store_four(out + i + 4, stride, b);
  }
}

/* The same with eight counters to a register, of which there are enough for 32 at once. */
typedef struct {
  __m512i c0, c1, c2, c3;
} eight_counters;

__attribute__((target("avx512f")))
static inline __m512i xor_of_three(__m512i a, __m512i b, __m512i c)
{
  return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

__attribute__((target("avx512f")))
static inline eight_counters round_of_eight(eight_counters c, __m512i k0, __m512i k1)
{
  __m512i p0 = _mm512_mul_epu32(c.c0, _mm512_set1_epi64(multiplier0));
  __m512i p1 = _mm512_mul_epu32(c.c2, _mm512_set1_epi64(multiplier1));
  return (eight_counters){xor_of_three(_mm512_srli_epi64(p1, 32), c.c1, k0), p1,
                          xor_of_three(_mm512_srli_epi64(p0, 32), c.c3, k1), p0};
}

__attribute__((target("avx512f")))
static inline eight_counters start_eight(philox_block counter, uint64_t first)
{
  __m512i instance =
      _mm512_add_epi64(_mm512_set1_epi64((long long)first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  return (eight_counters){_mm512_set1_epi64(counter.word[0]), instance, _mm512_srli_epi64(instance, 32),
                          _mm512_set1_epi64(counter.word[3])};
}

__attribute__((target("avx512f")))
static inline void store_eight(uint64_t *to, size_t stride, eight_counters c)
{
  const __m512i words[4] = {c.c0, c.c1, c.c2, c.c3}, low_half = _mm512_set1_epi64(UINT32_MAX);
  for (size_t j = 0; j < 4; j++)
    _mm512_storeu_si512(to + j * stride, _mm512_and_si512(words[j], low_half));
}

/* n a multiple of 32. */
__attribute__((target("avx512f")))
static void fill_words_avx512(uint64_t *restrict out, size_t stride, size_t n, philox_block counter,
                              uint64_t seed, uint64_t first)
{
  for (size_t i = 0; i < n; i += 32) {
    eight_counters a = start_eight(counter, first + i), b = start_eight(counter, first + i + 8);
    eight_counters c = start_eight(counter, first + i + 16), d = start_eight(counter, first + i + 24);
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
      __m512i k0 = _mm512_set1_epi64(key0), k1 = _mm512_set1_epi64(key1);
      a = round_of_eight(a, k0, k1);
      b = round_of_eight(b, k0, k1);
      c = round_of_eight(c, k0, k1);
      d = round_of_eight(d, k0, k1);
      key0 += weyl0;
      key1 += weyl1;
    }
    store_eight(out + i, stride, a);
    store_eight(out + i + 8, stride, b);
    store_eight(out + i + 16, stride, c);
    store_eight(out + i + 24, stride, d);
  }
}

#endif

void philox_fill_words(uint64_t *restrict out, size_t n, uint64_t seed, uint32_t claim, uint64_t first,
                       uint32_t attempt, uint32_t block)
{
  philox_block counter = {{block, 0, 0, counter_tag(claim, attempt)}};
  size_t done = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    done = n / 32 * 32;
    fill_words_avx512(out, n, done, counter, seed, first);
  }
  if (__builtin_cpu_supports("avx2")) {
    size_t more = (n - done) / 8 * 8;
    fill_words_avx2(out + done, n, more, counter, seed, first + done);
    done += more;
  }
#endif
  fill_words_plain(out + done, n, n - done, counter, seed, first + done);
}

uint32_t philox_hash_name(const char *name)
{
  uint32_t h = 2166136261u;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 16777619u;
  return h;
}
