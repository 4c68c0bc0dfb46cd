/* The tensors between the norm of a Mamba-1 block and its step, told by their roles, read and checked.
 *
 * What is concluded from them (check/input_path.h) is wrong when one of them is missed or is not what it seems. They are
 * refused where
 *   - the family describes a convolution and the file has none;
 *   - a tensor bears the right name and does not fit, so that it is not part of the layer;
 *   - the norm's weight and bias stand at different places;
 *   - a value is an integer, or a tensor is accompanied by others whose names begin with its own (scales of a quantized
 *     matrix): what is stored is not what the model computes with. */
#ifndef ASSAY_CHECK_INPUT_TENSORS_H
#define ASSAY_CHECK_INPUT_TENSORS_H

#include "dump/model.h"

/* Values are finite and below 2^100 in absolute value; m, d, r and w are below 2^20. */
typedef struct {
  double *norm, *norm_bias; /* m */
  double *in, *in_bias;     /* the first d rows of m; d */
  double *conv, *conv_bias; /* d rows of w; d */
  double *x;                /* the first r rows of d */
  double *dt;               /* d rows of r */
  size_t m, d, r, w;        /* model width, channels, rank, width of the convolution (1 without one) */
} input_tensors;            /* NULL: there is none, which stands for zeros, of the convolution for 1 */

/* STATUS_OK; STATUS_UNABLE and a reason, a constant string; STATUS_BAD_INPUT with `error` set. To be cleared in any case. */
assay_status input_tensors_read(input_tensors *t, const char **reason, const model_layer *layer, const dump_file *file,
                                dump_error *error);
void input_tensors_clear(input_tensors *t);

#endif
