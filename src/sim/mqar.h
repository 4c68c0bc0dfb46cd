/* Multi-query associative recall (MQAR): sequences whose right answers are known (Arora et al. 2023,
 * "Zoology"; the data of Table 2 of arXiv:2501.00658).
 *
 * Of a vocabulary of V ids, 1 .. V/2 - 1 are keys, V/2 .. V - 1 values, 0 is filler (V/2 rounded down). A
 * sequence of even length T with K pairs is
 *
 *   k_0 v_0 k_1 v_1 ... k_(K-1) v_(K-1)   K different keys and K different values, each drawn uniformly
 *   queries and filler                    key k_j at position 2 K + 2 g_j, everywhere else 0
 *
 * positions from 0. The gaps g_j in 0 .. (T - 2 K) / 2 - 1 are drawn one after the other without
 * replacement, gap g with a probability proportional to a (g + 1)^(a - 1), a = 0.01: most queries come
 * soon. The answer belongs to the position of the query itself: the logits there must be greatest at v_j,
 * as when the next token is to be told.
 *
 * Every number is a function of (seed, pairs, number of the example). */
#ifndef ASSAY_SIM_MQAR_H
#define ASSAY_SIM_MQAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t vocabulary, seed;
  size_t pairs, length;
  double exponent; /* a > 0 */
} mqar_options;

/* length 0: the least even number >= 4 pairs and >= 64. */
mqar_options mqar_options_make(uint64_t vocabulary, size_t pairs, size_t length, uint64_t seed);

typedef struct {
  size_t key_at, query_at; /* the value is at key_at + 1 */
  uint32_t value;
} mqar_query;

/* NULL, or why there is no such sequence; a constant string. length must be even and >= 4 pairs, pairs >=
 * 1, and there must be enough keys. */
const char *mqar_reason(const mqar_options *o);

/* token: [length]; query: [pairs], in the order of the pairs. mqar_reason must be NULL. */
void mqar_make(uint32_t *token, mqar_query *query, const mqar_options *o, uint64_t example);

#endif
