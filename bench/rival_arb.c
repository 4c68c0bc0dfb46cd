/* The hand-written rival over Arb: the claim as one would write it down for balls, all variables kept
 * between calls. */
#include "rivals.h"

#include <stdlib.h>

#include "core/flint.h"
#include "core/memory.h"

struct rival_arb {
  arb_t alpha[RIVAL_T + 1], delta[RIVAL_T + 1], z[RIVAL_T + 1]; /* from 1 */
  arb_t p, m, M, A, s, power, q, a, b;
};

/* Calls f with each variable. */
static void for_each(rival_arb *r, void (*f)(arb_t))
{
  for (int t = 0; t <= RIVAL_T; t++) {
    f(r->alpha[t]);
    f(r->delta[t]);
    f(r->z[t]);
  }
  arb_ptr single[] = {r->p, r->m, r->M, r->A, r->s, r->power, r->q, r->a, r->b};
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
    f(single[i]);
}

static void start(arb_t x)
{
  arb_init(x);
}

static void stop(arb_t x)
{
  arb_clear(x);
}

rival_arb *rival_arb_create(void)
{
  rival_arb *r = memory_new(1, sizeof *r);
  for_each(r, start);
  return r;
}

void rival_arb_destroy(rival_arb *r)
{
  for_each(r, stop);
  free(r);
}

/* What is known of a conjunction: every part true, some part false. */
typedef struct {
  bool yes, no;
} known;

static void must_be(known *k, int true_, int false_)
{
  k->yes = k->yes && true_;
  k->no = k->no || false_;
}

static void must_be_at_most(known *k, const arb_t a, const arb_t b)
{
  must_be(k, arb_le(a, b), arb_gt(a, b));
}

static known hypotheses(rival_arb *r, slong precision)
{
  known h = {true, false};
  for (int t = 1; t <= RIVAL_T; t++) {
    must_be(&h, arb_is_positive(r->alpha[t]), arb_is_nonpositive(r->alpha[t]));
    arb_sub_si(r->a, r->alpha[t], 1, precision);
    must_be(&h, arb_is_negative(r->a), arb_is_nonnegative(r->a));
    if (t == 1)
      continue;
    must_be(&h, arb_is_nonnegative(r->delta[t]), arb_is_negative(r->delta[t]));
    arb_neg(r->a, r->a);
    must_be_at_most(&h, r->delta[t], r->a);
  }
  must_be(&h, arb_is_nonnegative(r->p), arb_is_negative(r->p));
  arb_one(r->a);
  must_be_at_most(&h, r->p, r->a);
  arb_set(r->m, r->z[2]);
  arb_set(r->M, r->z[2]);
  for (int t = 3; t <= RIVAL_T; t++) {
    if (arb_lt(r->z[t], r->m)) /* points: no need for a ball around both */
      arb_set(r->m, r->z[t]);
    if (arb_gt(r->z[t], r->M))
      arb_set(r->M, r->z[t]);
  }
  must_be(&h, arb_is_nonpositive(r->m), arb_is_positive(r->m));
  must_be(&h, arb_is_nonnegative(r->M), arb_is_negative(r->M));
  return h;
}

static known conclusions(rival_arb *r, slong precision)
{
  known c = {true, false};
  arb_set(r->A, r->alpha[1]);
  for (int t = 2; t <= RIVAL_T; t++)
    if (arb_lt(r->alpha[t], r->A))
      arb_set(r->A, r->alpha[t]);
  arb_mul(r->s, r->p, r->m, precision); /* s = p m + (1 - p) M */
  arb_sub_si(r->q, r->p, 1, precision);
  arb_neg(r->q, r->q);
  arb_addmul(r->s, r->q, r->M, precision);
  arb_one(r->power);
  for (int t = 2; t <= RIVAL_T; t++) {
    arb_mul(r->s, r->alpha[t], r->s, precision);
    arb_addmul(r->s, r->delta[t], r->z[t], precision);
    arb_mul(r->power, r->power, r->A, precision);
    /* (1 - A^(t-1) (1-p)) m + A^(t-1) (1-p) M */
    arb_mul(r->a, r->power, r->q, precision);
    arb_mul(r->b, r->a, r->M, precision);
    arb_sub_si(r->a, r->a, 1, precision);
    arb_submul(r->b, r->a, r->m, precision);
    must_be_at_most(&c, r->b, r->s);
    /* A^(t-1) p m + (1 - A^(t-1) p) M */
    arb_mul(r->a, r->power, r->p, precision);
    arb_mul(r->b, r->a, r->m, precision);
    arb_sub_si(r->a, r->a, 1, precision);
    arb_submul(r->b, r->a, r->M, precision);
    must_be_at_most(&c, r->s, r->b);
  }
  return c;
}

void rival_arb_run(rival_arb *r, rival_verdict *out, const double *input, long precision)
{
  *out = (rival_verdict){0};
  for (int lane = 0; lane < LANES; lane++) {
    const double *at = input + lane;
    for (int t = 1; t <= RIVAL_T; t++)
      arb_set_d(r->alpha[t], at[(RIVAL_ALPHA + t - 1) * LANES]);
    for (int t = 2; t <= RIVAL_T; t++) {
      arb_set_d(r->delta[t], at[(RIVAL_DELTA + t - 2) * LANES]);
      arb_set_d(r->z[t], at[(RIVAL_Z + t - 2) * LANES]);
    }
    arb_set_d(r->p, at[RIVAL_P * LANES]);
    known h = hypotheses(r, precision);
    out->admissible |= (uint32_t)h.yes << lane;
    out->inadmissible |= (uint32_t)h.no << lane;
    if (h.no)
      continue;
    known c = conclusions(r, precision);
    out->holds |= (uint32_t)c.yes << lane;
    out->breaks |= (uint32_t)c.no << lane;
  }
}
