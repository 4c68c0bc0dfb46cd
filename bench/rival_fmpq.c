/* The hand-written rival over FLINT's rationals: exact, all variables kept between calls. */
#include "rivals.h"

#include <stdlib.h>

#include "core/flint.h"
#include "core/memory.h"
#include "core/rational.h"

struct rival_fmpq {
  fmpq_t alpha[RIVAL_T + 1], delta[RIVAL_T + 1], z[RIVAL_T + 1]; /* from 1 */
  fmpq_t one, p, m, M, A, s, power, q, a, b;
};

/* Calls f with each variable. */
static void for_each(rival_fmpq *r, void (*f)(fmpq_t))
{
  for (int t = 0; t <= RIVAL_T; t++) {
    f(r->alpha[t]);
    f(r->delta[t]);
    f(r->z[t]);
  }
  fmpq *single[] = {r->one, r->p, r->m, r->M, r->A, r->s, r->power, r->q, r->a, r->b};
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
    f(single[i]);
}

static void start(fmpq_t x)
{
  fmpq_init(x);
}

static void stop(fmpq_t x)
{
  fmpq_clear(x);
}

rival_fmpq *rival_fmpq_create(void)
{
  rival_fmpq *r = memory_new(1, sizeof *r);
  for_each(r, start);
  fmpq_one(r->one);
  return r;
}

void rival_fmpq_destroy(rival_fmpq *r)
{
  for_each(r, stop);
  free(r);
}

static bool hypotheses(rival_fmpq *r)
{
  bool h = true;
  for (int t = 1; t <= RIVAL_T && h; t++) {
    h = fmpq_sgn(r->alpha[t]) > 0 && fmpq_cmp(r->alpha[t], r->one) < 0;
    if (t == 1 || !h)
      continue;
    fmpq_sub(r->a, r->one, r->alpha[t]);
    h = fmpq_sgn(r->delta[t]) >= 0 && fmpq_cmp(r->delta[t], r->a) <= 0;
  }
  h = h && fmpq_sgn(r->p) >= 0 && fmpq_cmp(r->p, r->one) <= 0;
  if (!h)
    return false;
  fmpq_set(r->m, r->z[2]);
  fmpq_set(r->M, r->z[2]);
  for (int t = 3; t <= RIVAL_T; t++) {
    if (fmpq_cmp(r->z[t], r->m) < 0)
      fmpq_set(r->m, r->z[t]);
    if (fmpq_cmp(r->z[t], r->M) > 0)
      fmpq_set(r->M, r->z[t]);
  }
  return fmpq_sgn(r->m) <= 0 && fmpq_sgn(r->M) >= 0;
}

static bool conclusions(rival_fmpq *r)
{
  bool c = true;
  fmpq_set(r->A, r->alpha[1]);
  for (int t = 2; t <= RIVAL_T; t++)
    if (fmpq_cmp(r->alpha[t], r->A) < 0)
      fmpq_set(r->A, r->alpha[t]);
  fmpq_mul(r->s, r->p, r->m); /* s = p m + (1 - p) M */
  fmpq_sub(r->q, r->one, r->p);
  fmpq_addmul(r->s, r->q, r->M);
  fmpq_set(r->power, r->one);
  for (int t = 2; t <= RIVAL_T && c; t++) {
    fmpq_mul(r->s, r->alpha[t], r->s);
    fmpq_addmul(r->s, r->delta[t], r->z[t]);
    fmpq_mul(r->power, r->power, r->A);
    /* (1 - A^(t-1) (1-p)) m + A^(t-1) (1-p) M */
    fmpq_mul(r->a, r->power, r->q);
    fmpq_mul(r->b, r->a, r->M);
    fmpq_sub(r->a, r->one, r->a);
    fmpq_addmul(r->b, r->a, r->m);
    c = fmpq_cmp(r->b, r->s) <= 0;
    /* A^(t-1) p m + (1 - A^(t-1) p) M */
    fmpq_mul(r->a, r->power, r->p);
    fmpq_mul(r->b, r->a, r->m);
    fmpq_sub(r->a, r->one, r->a);
    fmpq_addmul(r->b, r->a, r->M);
    c = c && fmpq_cmp(r->s, r->b) <= 0;
  }
  return c;
}

void rival_fmpq_run(rival_fmpq *r, rival_verdict *out, const double *input)
{
  *out = (rival_verdict){0};
  for (int lane = 0; lane < LANES; lane++) {
    const double *at = input + lane;
    for (int t = 1; t <= RIVAL_T; t++)
      rational_set_double(r->alpha[t], at[(RIVAL_ALPHA + t - 1) * LANES]);
    for (int t = 2; t <= RIVAL_T; t++) {
      rational_set_double(r->delta[t], at[(RIVAL_DELTA + t - 2) * LANES]);
      rational_set_double(r->z[t], at[(RIVAL_Z + t - 2) * LANES]);
    }
    rational_set_double(r->p, at[RIVAL_P * LANES]);
    bool h = hypotheses(r);
    if (!h) {
      out->inadmissible |= (uint32_t)1 << lane;
      continue;
    }
    out->admissible |= (uint32_t)1 << lane;
    bool c = conclusions(r);
    *(c ? &out->holds : &out->breaks) |= (uint32_t)1 << lane;
  }
}
