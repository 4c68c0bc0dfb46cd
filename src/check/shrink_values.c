/* Smaller values: zeros, equal values, simpler fractions. */
#include "check/shrink_internal.h"
#include "source/simplest.h"

bool shrink_zero_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  fmpq_t zero;
  fmpq_init(zero);
  for (unsigned given = 0; given < x->g.claim->givens; given++) { /* a whole given at once */
    stage_copy_values(k->trial, x->value, x->g.plain->elements);
    for (size_t e = 0; e < x->g.plain->elements; e++)
      if (x->g.plain->element[e].given == given)
        fmpq_zero(&k->trial[e]);
    progress |= shrink_accept(k);
  }
  for (size_t e = 0; e < x->g.plain->elements; e++)
    progress |= shrink_try_value(k, e, false, zero);
  fmpq_clear(zero);
  return progress;
}

bool shrink_merge_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  fmpq_t v;
  fmpq_init(v);
  for (size_t e = 0; e < x->g.plain->elements && !shrink_is_over(k); e++)
    for (size_t i = 0; i < x->g.plain->elements; i++) {
      fmpq_set(v, &x->value[i]); /* a copy: what is accepted changes the instance */
      progress |= shrink_try_value(k, e, true, v) || shrink_try_value(k, e, false, v);
    }
  fmpq_clear(v);
  return progress;
}

static const struct {
  int8_t p;
  uint8_t q;
} simple[] = {{1, 1}, {-1, 1}, {1, 2}, {2, 1},  {-2, 1}, {-1, 2}, {1, 3}, {3, 1},  {-3, 1},
              {1, 4}, {2, 3},  {3, 2}, {3, 4},  {4, 1},  {1, 5},  {5, 1}, {-1, 3}, {-4, 1},
              {1, 8}, {7, 8},  {8, 1}, {1, 10}, {9, 10}, {10, 1}, {100, 1}, {1, 100}};

/* +-10^k or +-10^-k next to v, k from the number of digits plus `more`: what a person would write for a huge or tiny
 * number. */
static void power_of_ten(fmpq_t out, const fmpq_t v, unsigned more)
{
  fmpz_t q;
  fmpz_init(q);
  bool small = fmpz_cmpabs(fmpq_numref(v), fmpq_denref(v)) < 0;
  if (small)
    fmpz_tdiv_q(q, fmpq_denref(v), fmpq_numref(v));
  else
    fmpz_tdiv_q(q, fmpq_numref(v), fmpq_denref(v));
  fmpz_abs(q, q);
  ulong digits = fmpz_is_zero(q) ? 0 : fmpz_sizeinbase(q, 10) - 1 + more;
  fmpz_ui_pow_ui(q, 10, digits);
  fmpq_set_fmpz(out, q);
  if (small)
    fmpq_inv(out, out);
  if (fmpq_sgn(v) < 0)
    fmpq_neg(out, out);
  fmpz_clear(q);
}

/* Smaller fractions for the entries equal to entry e (group), or for it alone. */
static bool simplify_entry(shrinker *k, size_t e, bool group)
{
  fmpq_t v, radius, old;
  fmpq_init(v);
  fmpq_init(radius);
  fmpq_init(old);
  bool progress = false;
  for (size_t i = 0; i < sizeof simple / sizeof simple[0] && !progress; i++) {
    fmpq_set_si(v, simple[i].p, simple[i].q);
    progress = shrink_try_value(k, e, group, v);
  }
  for (unsigned more = 0; more < 2 && !progress; more++) {
    power_of_ten(v, &k->x->value[e], more);
    progress = shrink_try_value(k, e, group, v);
  }
  for (int bits = 0; bits < 60 && !progress; bits += bits < 8 ? 1 : 4) { /* ever nearer to the value itself */
    fmpq_set(old, &k->x->value[e]);
    fmpq_abs(radius, old);
    fmpq_div_2exp(radius, radius, (flint_bitcnt_t)bits);
    simplest_near(v, old, radius);
    progress = shrink_try_value(k, e, group, v);
  }
  /* Below the reach of the steps above: huge and tiny values by their powers of two. */
  for (int shift = 512; shift >= 1 && !progress; shift /= 2) {
    fmpq_set(v, &k->x->value[e]);
    if (fmpz_bits(fmpq_numref(v)) > fmpz_bits(fmpq_denref(v)))
      fmpq_div_2exp(v, v, (flint_bitcnt_t)shift);
    else
      fmpq_mul_2exp(v, v, (flint_bitcnt_t)shift);
    progress = shrink_try_value(k, e, group, v);
  }
  fmpq_clear(v);
  fmpq_clear(radius);
  fmpq_clear(old);
  return progress;
}

bool shrink_simplify_entries(shrinker *k)
{
  shrunk *x = k->x;
  bool progress = false;
  for (size_t e = 0; e < x->g.plain->elements && !shrink_is_over(k); e++) {
    if (fmpq_is_zero(&x->value[e]))
      continue;
    while (simplify_entry(k, e, true))
      progress = true;
    while (simplify_entry(k, e, false))
      progress = true;
  }
  return progress;
}

/* Entries of two values changed together, where neither can change alone: alpha = 1/2 and delta = 1 - 1/2, say. */
static bool simplify_pair(shrinker *k, size_t e, size_t f)
{
  enum { FEW = 8 };
  shrunk *x = k->x;
  fmpq_t v, w;
  fmpq_init(v);
  fmpq_init(w);
  bool progress = false;
  for (unsigned i = 0; i < FEW * FEW && !progress; i++) {
    fmpq_set_si(v, simple[i / FEW].p, simple[i / FEW].q);
    fmpq_set_si(w, simple[i % FEW].p, simple[i % FEW].q);
    stage_copy_values(k->trial, x->value, x->g.plain->elements);
    for (size_t j = 0; j < x->g.plain->elements; j++) {
      if (fmpq_equal(&x->value[j], &x->value[e]))
        fmpq_set(&k->trial[j], v);
      else if (fmpq_equal(&x->value[j], &x->value[f]))
        fmpq_set(&k->trial[j], w);
    }
    progress = shrink_accept(k);
  }
  fmpq_clear(v);
  fmpq_clear(w);
  return progress;
}

static uint64_t bits_of(const fmpq_t v)
{
  return fmpz_bits(fmpq_numref(v)) + fmpz_bits(fmpq_denref(v));
}

bool shrink_simplify_pairs(shrinker *k)
{
  enum { ALREADY_SIMPLE = 8 }; /* bits of both values together */
  shrunk *x = k->x;
  for (size_t e = 0; e < x->g.plain->elements; e++)
    for (size_t f = e + 1; f < x->g.plain->elements; f++) {
      const fmpq *v = &x->value[e], *w = &x->value[f];
      if (shrink_is_over(k))
        return false;
      if (!fmpq_is_zero(v) && !fmpq_is_zero(w) && !fmpq_equal(v, w) && bits_of(v) + bits_of(w) > ALREADY_SIMPLE &&
          simplify_pair(k, e, f))
        return true;
    }
  return false;
}
