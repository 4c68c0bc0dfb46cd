/* exp, expm1, log and log1p in double, many at once, each with a proved relative error.
 *
 * void kernel_F(double *restrict out, const double *restrict in, size_t n)
 *   sets out[i] to F(in[i]) for i < n, any n; fastest where n is a multiple of KERNEL_BLOCK. The arrays must
 *   not overlap.
 *
 * Guarantee. Where in[i] lies in the domain below, |out[i] - F(in[i])| <= KERNEL_F_REL * |F(in[i])|, with
 * F(in[i]) the exact real value; where the exact value is 0 the result is 0. Elsewhere (overflow, results
 * or arguments in the subnormal range, outside of the function's own domain, infinities, NaN) the result
 * is NaN: no bound is known. A NaN never stands for a value inside the domain.
 *
 *   F      domain                                        exact values    bound
 *   exp    KERNEL_EXP_LO <= x <= KERNEL_EXP_HI           exp 0 = 1       KERNEL_EXP_REL
 *   expm1  finite, x <= KERNEL_EXPM1_HI                  expm1 0 = 0     KERNEL_EXPM1_REL
 *   log    x finite and normal, x > 0                    log 1 = 0       KERNEL_LOG_REL
 *   log1p  x finite, x > -1                              log1p 0 = 0     KERNEL_LOG1P_REL
 *
 * expm1 and log1p keep the relative bound all the way to 0, subnormal arguments included. The sign of a
 * zero is not promised.
 *
 * Assumptions: IEEE 754 binary64, rounding to nearest with ties to even, gradual underflow (no flush to
 * zero), no contraction to fused operations (-ffp-contract=off). Only + - * / and integer operations are
 * used, in a fixed order: the result has the same bits with every compiler and every instruction set,
 * whatever the place in the array. The floating-point exception flags mean nothing.
 *
 * The proofs: beside each operation in kernel_exp.c and kernel_log.c, and as Gappa scripts in
 * tests/gappa. */
#ifndef ASSAY_ARITH_KERNELS_H
#define ASSAY_ARITH_KERNELS_H

#include <stddef.h>

#define KERNEL_BLOCK 32

#define KERNEL_EXP_REL 0x1.bp-53
#define KERNEL_EXP_LO (-708.0)
#define KERNEL_EXP_HI 709.0

#define KERNEL_EXPM1_REL 0x1p-51
#define KERNEL_EXPM1_HI 709.0

#define KERNEL_LOG_REL 0x1.2p-52
#define KERNEL_LOG1P_REL 0x1.4p-51
#define KERNEL_LOG1P_LO (-0x1.fffffffffffffp-1) /* the double next to -1 */

void kernel_exp(double *restrict out, const double *restrict in, size_t n);
void kernel_expm1(double *restrict out, const double *restrict in, size_t n);
void kernel_log(double *restrict out, const double *restrict in, size_t n);
void kernel_log1p(double *restrict out, const double *restrict in, size_t n);

#endif
