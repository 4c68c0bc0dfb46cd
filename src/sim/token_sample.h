/* Some tokens of a sequence, kept in every place of a model, for what no identity gives without keeping
 * them.
 *
 * Of T tokens, counted from 0, K are kept: all of them where K = T, else tokens floor(i T / K) for i = 0 ..
 * K - 1. K is the least of T, the cap, and what `budget` doubles hold in all places together, but 2 at
 * least (where T is). */
#ifndef ASSAY_SIM_TOKEN_SAMPLE_H
#define ASSAY_SIM_TOKEN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOKEN_SAMPLE_CAP = 512, TOKEN_SAMPLE_BUDGET = 1 << 25 };

typedef struct {
  size_t places, width;
  uint64_t tokens;  /* T */
  size_t kept;      /* K */
  double **row;     /* of each place: [K, M] */
  size_t *filled;   /* of each place: how many rows there are */
} token_sample;

/* K. tokens, places, width >= 1. */
size_t token_sample_size(uint64_t tokens, size_t places, size_t width, size_t cap, size_t budget);

void token_sample_init(token_sample *s, uint64_t tokens, size_t places, size_t width, size_t cap, size_t budget);
void token_sample_clear(token_sample *s);
/* Tokens first .. first + tokens - 1 at a place, x: [tokens, M]. In each place pieces come in order and
 * leave nothing out. */
void token_sample_add(token_sample *s, size_t place, uint64_t first, size_t tokens, const double *x);

/* Mean over i < j of |x_i - x_j| over the tokens kept so far at the place; O(K^2 M). NAN with fewer than
 * two of them, or where one is not finite. Distances are taken of the differences themselves: the error is
 * relative. */
double token_sample_distance(const token_sample *s, size_t place);

#endif
