/* Tokens replaced by noise in a window of a sequence, as in Table 1 of arXiv:2501.00658.
 *
 * Windows of a sequence of T tokens, counted from 0: first:N, last:N, middle:N (from floor((T - N) / 2)
 * on), or A:B, tokens A to B - 1; cut off at the sequence's ends. A token is replaced by an id drawn
 * uniformly from the vocabulary, which may be the one it was; a vector by independent normal numbers of
 * mean 0 and a given standard deviation. What token t of sequence k becomes is a function of (seed, k, t):
 * windows that overlap put the same noise there. */
#ifndef ASSAY_SIM_CORRUPTION_H
#define ASSAY_SIM_CORRUPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/net.h"

typedef enum { WINDOW_FIRST, WINDOW_LAST, WINDOW_MIDDLE, WINDOW_RANGE } window_kind;

typedef struct {
  window_kind kind;
  uint64_t a, b; /* N, or A and B */
} corruption_window;

enum { CORRUPTION_WINDOWS = 32, CORRUPTION_NAME = 64 };

/* Reads "first:32,last:32,928:1024" into at most CORRUPTION_WINDOWS windows. 0: malformed, empty, or too
 * many. */
size_t corruption_read(corruption_window *window, const char *list);
/* As it is read; name: [CORRUPTION_NAME]. */
void corruption_name(char *name, const corruption_window *w);
/* Tokens *from to *to - 1 of T; *from == *to: none. */
void corruption_place(uint64_t *from, uint64_t *to, const corruption_window *w, uint64_t tokens);

/* token: those of positions first .. first + tokens - 1 of a sequence. */
void corruption_tokens(uint32_t *token, uint64_t first, size_t tokens, uint64_t from, uint64_t to, uint64_t vocabulary,
                       uint64_t seed, uint64_t sequence);
/* vector: [tokens, width] likewise. */
void corruption_vectors(double *vector, uint64_t first, size_t tokens, uint64_t from, uint64_t to, size_t width,
                        double deviation, uint64_t seed, uint64_t sequence);

#endif
