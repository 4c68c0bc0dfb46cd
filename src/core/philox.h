/* Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC 2011). The words equal those of Random123, so that any other implementation can
 * repeat a run.
 *
 * Nothing here has state: the numbers of attempt j of instance k of a claim are a function of (seed,
 * claim, k, j). */
#ifndef ASSAY_CORE_PHILOX_H
#define ASSAY_CORE_PHILOX_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t word[4];
} philox_block;

/* The block of random words at `counter` under `key` (two words). */
philox_block philox_4x32(philox_block counter, uint32_t key0, uint32_t key1);

/* A stream: the numbers of one instance. Cheap to set up; position counts 64-bit words drawn. */
typedef struct {
  uint32_t key[2];
  philox_block counter; /* word 0 counts blocks of the stream */
  philox_block block;
  unsigned used; /* 64-bit halves of block already given out: 0, 1, 2 */
} philox_stream;

/* The stream of attempt `attempt` of instance `instance` of the claim whose name hashes to `claim`, under
 * `seed`. */
philox_stream philox_stream_start(uint64_t seed, uint32_t claim, uint64_t instance, uint32_t attempt);
uint64_t philox_next(philox_stream *s);
/* Uniform in [0, 1): a multiple of 2^-53. */
double philox_uniform(philox_stream *s);
/* Uniform in 0..n-1, n >= 1; the bias is below n 2^-64. */
uint64_t philox_below(philox_stream *s, uint64_t n);

/* n streams at once, in lanes: fills out[i] with the 64-bit word number `position` of the streams of
 * instances first, first + 1, ..., first + n - 1 (attempt 0 is `attempt`). Equal to the scalar stream,
 * word by word; vectorised. */
void philox_fill(uint64_t *restrict out, size_t n, uint64_t seed, uint32_t claim, uint64_t first,
                 uint32_t attempt, uint32_t position);

/* A whole block, in words of 32 bits: out[j * n + i] is word j = 0 .. 3 of block `block` of the stream of
 * instance first + i, zero-extended. Word numbers 2 block and 2 block + 1 of philox_fill are its pairs, low
 * half first. */
void philox_fill_words(uint64_t *restrict out, size_t n, uint64_t seed, uint32_t claim, uint64_t first,
                       uint32_t attempt, uint32_t block);

/* A 32-bit hash of a name (FNV-1a), to key the streams of a claim. */
uint32_t philox_hash_name(const char *name);

#endif
