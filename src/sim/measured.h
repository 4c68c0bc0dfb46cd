/* A mean over what is defined, with the count of what is not.
 *
 * Something measured can be undefined at one place and defined at the next: a token whose vector is 0 has
 * no cosine, constant features have no alignment, an overflow has no value. Such a value is any double that
 * is not finite; it is counted and left out. Sums are compensated (Neumaier 1974): the error of a mean is a
 * few units in the last place of the largest mean of absolute values on the way, whatever the number of
 * terms. */
#ifndef ASSAY_SIM_MEASURED_H
#define ASSAY_SIM_MEASURED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  double sum, low;    /* the sum is sum + low */
  uint64_t count;     /* of finite values */
  uint64_t undefined; /* of the others */
} measured;

/* Adds x to the unevaluated sum sum + low. */
static inline void measured_accumulate(double *sum, double *low, double x)
{
  double s = *sum + x;
  *low += fabs(*sum) >= fabs(x) ? (*sum - s) + x : (x - s) + *sum;
  *sum = s;
}

static inline void measured_add(measured *m, double x)
{
  if (isfinite(x)) {
    measured_accumulate(&m->sum, &m->low, x);
    m->count++;
  } else {
    m->undefined++;
  }
}

/* All that went into `other` goes into m too. */
static inline void measured_merge(measured *m, const measured *other)
{
  measured_accumulate(&m->sum, &m->low, other->sum);
  m->low += other->low;
  m->count += other->count;
  m->undefined += other->undefined;
}

/* NAN where there is none: nothing was defined, or the sum overflowed. */
static inline double measured_mean(const measured *m)
{
  if (!m->count)
    return NAN;
  double mean = (m->sum + m->low) / (double)m->count;
  return isfinite(mean) ? mean : NAN;
}

#endif
