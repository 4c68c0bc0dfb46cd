/* The functions that a model applies to each number, over arrays.
 *
 * Each result is the double that these formulas give with the functions of arith/kernels.h, relative errors of the order of
 * 2^-50; where a result is below 2^-1000 in absolute value only that is promised. The same bits with every compiler and
 * instruction set, but for gelu, which uses the system's erfc. NaN stays NaN. out may be in. */
#ifndef ASSAY_SIM_ACTIVATION_H
#define ASSAY_SIM_ACTIVATION_H

#include <stddef.h>

void activation_sigmoid(double *out, const double *in, size_t n);
void activation_silu(double *out, const double *in, size_t n);     /* x sigmoid(x) */
void activation_softplus(double *out, const double *in, size_t n); /* log(1 + exp(x)) */
void activation_gelu(double *out, const double *in, size_t n);     /* x Phi(x), exact form */

#endif
