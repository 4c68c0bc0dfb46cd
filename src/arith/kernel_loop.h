/* What the kernels share: ln 2, bit casts, a choice without branches, and a loop that compilers put into
 * vector registers.
 *
 * Even a timid compiler (gcc -O2) vectorises a loop of fixed length without calls, branches or possible
 * overlap. So whole blocks go through such a loop, and what is left over is copied into a block of its
 * own. */
#ifndef ASSAY_ARITH_KERNEL_LOOP_H
#define ASSAY_ARITH_KERNEL_LOOP_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "arith/kernels.h"
#include "core/target.h"

#if FLT_EVAL_METHOD != 0
#error "the error bounds of the kernels assume that operations on doubles are rounded to double"
#endif

/* Their sum is ln 2 up to 2^-102. LN2_HI has 42 bits, so that k LN2_HI is exact for |k| < 2^11. */
#define LN2_HI 0x1.62e42fefa38p-1
#define LN2_LO 0x1.ef35793c7673p-45

#define KERNEL_NAN kernel_from_bits(0x7ff8000000000000u)

static inline uint64_t kernel_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double kernel_from_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* yes if test is 1, no if it is 0. Spelt with bits: compilers tend to make a branch of ?: and then keep
 * the loop scalar. */
static inline double kernel_choose(int test, double yes, double no)
{
  uint64_t mask = test ? ~(uint64_t)0 : 0;
  return kernel_from_bits((kernel_bits(yes) & mask) | (kernel_bits(no) & ~mask));
}

/* Defines the array function NAME from ELEMENT, a static inline function from double to double. The part
 * that is compiled for several targets is static, since clang 14 gives the dispatched symbol another
 * name, which only the same file sees. */
#define KERNEL_DEFINE(NAME, ELEMENT)                                                                \
  TARGET_VECTOR static void NAME##_array(double *restrict out, const double *restrict in, size_t n) \
  {                                                                                                 \
    size_t whole = n - n % KERNEL_BLOCK;                                                            \
    for (size_t at = 0; at < whole; at += KERNEL_BLOCK) {                                           \
      const double *restrict from = in + at;                                                        \
      double *restrict to = out + at;                                                               \
      for (size_t i = 0; i < KERNEL_BLOCK; i++)                                                     \
        to[i] = ELEMENT(from[i]);                                                                   \
    }                                                                                               \
    if (whole < n) {                                                                                \
      double from[KERNEL_BLOCK] = {0}, to[KERNEL_BLOCK];                                            \
      memcpy(from, in + whole, (n - whole) * sizeof *in);                                           \
      for (size_t i = 0; i < KERNEL_BLOCK; i++)                                                     \
        to[i] = ELEMENT(from[i]);                                                                   \
      memcpy(out + whole, to, (n - whole) * sizeof *out);                                           \
    }                                                                                               \
  }                                                                                                 \
                                                                                                    \
  void NAME(double *restrict out, const double *restrict in, size_t n)                              \
  {                                                                                                 \
    NAME##_array(out, in, n);                                                                       \
  }

#endif
