/* Four doubles at a time (or as many as VECTOR_DOUBLES says, 4 or 8), by the vector extension that gcc and
 * clang share: the same bits with any instruction set. */
#ifndef ASSAY_ARITH_VECTOR_H
#define ASSAY_ARITH_VECTOR_H

#include <stdint.h>

/* Vectors are only handed to functions that are inlined; how they would be passed does not matter. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#ifndef VECTOR_DOUBLES
#define VECTOR_DOUBLES 4
#endif
#if VECTOR_DOUBLES == 4
#define VECTOR_ALL(x) {(x), (x), (x), (x)}
#else
#define VECTOR_ALL(x) {(x), (x), (x), (x), (x), (x), (x), (x)}
#endif

#define VECTOR_INLINE static inline __attribute__((always_inline))

typedef double vector __attribute__((vector_size(8 * VECTOR_DOUBLES)));
typedef int64_t vector_mask __attribute__((vector_size(8 * VECTOR_DOUBLES)));
typedef double vector_loose __attribute__((vector_size(8 * VECTOR_DOUBLES), aligned(8), may_alias));
typedef int64_t vector_mask_loose __attribute__((vector_size(8 * VECTOR_DOUBLES), aligned(8), may_alias));

VECTOR_INLINE vector vector_load(const double *p)
{
  return *(const vector_loose *)(const void *)p;
}

VECTOR_INLINE void vector_store(double *p, vector x)
{
  *(vector_loose *)(void *)p = x;
}

VECTOR_INLINE vector_mask vector_load_mask(const double *p)
{
  return *(const vector_mask_loose *)(const void *)p;
}

VECTOR_INLINE void vector_store_mask(double *p, vector_mask x)
{
  *(vector_mask_loose *)(void *)p = x;
}

VECTOR_INLINE vector vector_all(double x)
{
  return (vector)VECTOR_ALL(x);
}

VECTOR_INLINE vector vector_abs(vector x)
{
  const vector_mask magnitude = VECTOR_ALL(INT64_MAX);
  return (vector)((vector_mask)x & magnitude);
}

VECTOR_INLINE vector vector_negate(vector x)
{
  const vector_mask sign = VECTOR_ALL(INT64_MIN);
  return (vector)((vector_mask)x ^ sign);
}

/* x with its sign changed where `flip` is -0.0, not where it is 0.0. */
VECTOR_INLINE vector vector_flip(vector x, vector flip)
{
  return (vector)((vector_mask)x ^ (vector_mask)flip);
}

/* a where the mask is set, else b. */
VECTOR_INLINE vector vector_select(vector_mask mask, vector a, vector b)
{
  return (vector)(((vector_mask)a & mask) | ((vector_mask)b & ~mask));
}

/* a < b ? a : b, and a > b ? a : b, in each lane: b where one of them is NaN. */
VECTOR_INLINE vector vector_min(vector a, vector b)
{
  return vector_select((vector_mask)(a < b), a, b);
}

VECTOR_INLINE vector vector_max(vector a, vector b)
{
  return vector_select((vector_mask)(a > b), a, b);
}

#endif
