/* How alike the tokens of a sequence are in each place of a model, and how a token changes from place to
 * place.
 *
 * Places. With L layers and h^0 the input of the first layer: the residual stream h^0 .. h^L ("block", h^l
 * behind layer l), and what layer l adds to it, m^l = h^l - h^(l-1) as the layer computed it ("mixer", l =
 * 1 .. L). Vectors have width M, tokens t = 1 .. T. The final norm is not applied.
 *
 * Of each place, for each sequence (sim/cloud.h, sim/token_sample.h):
 *   distance    mean over i < j of |x_i - x_j|, the first power; over all tokens, or those kept (below)
 *   square      mean over i < j of |x_i - x_j|^2, all tokens
 *   energy      the Dirichlet energy of the complete graph, divided as asked
 *   cosine      mean over i < j of cos(x_i, x_j): InterSim of arXiv:2510.06640
 *   neighbour   mean over t < T of cos(x_t, x_(t+1))
 *   layerwise   mean over t of cos(h^(l-1)_t, h^l_t); of mixers likewise from the mixer before (l >= 2)
 * Of the whole stack, elementwise in t and d:
 *   Sm          mean over t, d and l = 1 .. L-1 of |h^l - (h^(l-1) + h^(l+1)) / 2|; needs L >= 2. As that
 *               paper prints it, L - 1 terms are divided by L - 2: `sm_printed`, needs L >= 3
 *   St          mean over t, d of sqrt(1/L sum over l = 1 .. L of (h^l - mean of h^1 .. h^L)^2), as printed
 *   St_L^2      mean over t, d of 1/(L+1) sum over l = 0 .. L of (h^l - mean of h^0 .. h^L)^2, the paper's
 *               "depth-L stability"
 * Between places: linear CKA (sim/similarity.h), blocks with blocks and mixers with mixers: of all tokens
 * wherever all are kept or the M x M matrices fit, else of those that are kept; debiased where it comes
 * from rows.
 *
 * A result is the mean over sequences in which it is defined. Long sums are compensated (sim/sums.h,
 * sim/measured.h); deviations over layers are updated term by term (Welford 1962). */
#ifndef ASSAY_SIM_SMOOTHNESS_H
#define ASSAY_SIM_SMOOTHNESS_H

#include "sim/cloud.h"
#include "sim/measured.h"
#include "sim/net.h"
#include "sim/token_sample.h"

typedef struct {
  energy_normalizer normalizer;
  size_t cap, budget;  /* of kept tokens, see sim/token_sample.h; over all places together */
  size_t gram_budget;  /* see sim/similarity.h; for blocks and mixers each */
} smoothness_options;

smoothness_options smoothness_options_default(void);

typedef struct {
  measured distance, square, energy, cosine, neighbour, layerwise; /* over sequences; none where not asked */
  uint64_t directionless; /* tokens, of all sequences */
} smoothness_row;

/* How the alignment was had, of several sequences and kinds the last of these words. */
typedef enum { ALIGNMENT_NONE, ALIGNMENT_ALL_ROWS, ALIGNMENT_GRAMS, ALIGNMENT_KEPT_ROWS } alignment_way;

typedef struct {
  size_t layers, width;
  uint64_t sequences, tokens; /* taken in; tokens of all of them */
  uint64_t longest;           /* sequence */
  size_t least_kept;          /* the least number of tokens kept of one that was not kept whole; 0: all were */
  smoothness_row *block;      /* [L + 1] */
  smoothness_row *mixer;      /* [L] */
  measured sm, sm_printed, st, st_depth_squared;
  alignment_way way;
  measured *block_alignment, *block_debiased; /* [L + 1, L + 1] */
  measured *mixer_alignment, *mixer_debiased; /* [L, L] */
  energy_normalizer normalizer;
} smoothness_report;

void smoothness_report_clear(smoothness_report *r);

typedef struct smoothness smoothness;
smoothness *smoothness_create(size_t layers, size_t width, const smoothness_options *options);
void smoothness_destroy(smoothness *s);
/* A new sequence of `tokens` tokens, of which fewer may come. */
void smoothness_begin(smoothness *s, uint64_t tokens);
/* As net_observer's see; every layer of every piece. */
void smoothness_see(smoothness *s, const net_view *view);
/* Takes the sequence, as far as it came, into the report; a sequence of which nothing came does not count. */
void smoothness_end(smoothness *s);
/* What the sequences that have ended give. Owned by s. */
const smoothness_report *smoothness_result(const smoothness *s);

#endif
