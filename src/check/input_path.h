/* How far the inputs of a Mamba-1 block can push the step: enclosures of what reaches Delta's softplus.
 *
 * The block reads a normalised vector y = w z (+ b), with z = x/rms(x), or (x - mean x)/std(x) where the norm has a bias b,
 * so that |z|_2 <= sqrt(M) whatever the token and the norm's epsilon; and then, channel by channel,
 *
 *   q_c(t) = (in_proj y(t))_c,  first D rows     v_c(t) = silu(conv_bias_c + sum_k conv[c, k] q_c(t - W + k))
 *   p_d(t) = (dt_proj x_proj v(t))_d,  first R rows of x_proj
 *
 * p is what the input adds to the bias of the step. Where the family gives tensors these roles (norm, norm_bias,
 * in_projection, in_projection_bias, conv, conv_bias, x_projection, dt_projection), all of this is known. A bias that the
 * file does not have is 0; a family without a convolution has v = silu(conv_bias + q).
 *
 * "Every admissible input" means every z with |z|_2 <= sqrt(M), at each token apart, tokens before the first as the zeros
 * that the convolution is padded with. That is a superset of what tokens of a vocabulary reach through the layers below.
 *
 * Guarantee. p_d(t) of every admissible input of any length lies in [low[d], high[d]]. There is an admissible input with
 * p_d <= reach_low[d] at some token, and one with p_d >= reach_high[d]; these are found, not best. All four are doubles,
 * with the rounding of their computation accounted for:
 *
 *   a sum of n products of doubles, in any order, has an error of at most (n + 2) 2^-53 (1 + 2^-30) sum |a_i b_i| while
 *   n < 2^20, plus n 2^-1000 for underflow; Cauchy-Schwarz bounds in_proj on the ball; silu has a slope in [-0.1, 1.1] and
 *   its one minimum, above -0.27846454276108, at x = -1.278...; the rest is interval arithmetic, rounded outward. */
#ifndef ASSAY_CHECK_INPUT_PATH_H
#define ASSAY_CHECK_INPUT_PATH_H

#include "dump/model.h"

typedef struct {
  size_t channels;
  double *low, *high, *reach_low, *reach_high; /* one block of memory, owned by low */
  bool whole_product; /* dt_proj x_proj was multiplied out, which is tighter; else it was too large to be */
} input_path;

/* STATUS_OK; STATUS_UNABLE and a reason, a constant string: the layer's family does not describe the path, or a tensor of it
 * is missing, unfit, too large or not what it seems (check/input_tensors.h); STATUS_BAD_INPUT with `error` set. */
assay_status input_path_create(input_path *path, const char **reason, const model_layer *layer, const dump_file *file,
                               dump_error *error);
void input_path_clear(input_path *path);

#endif
