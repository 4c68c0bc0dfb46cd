/* Polynomials in random elements: monomials, products, moments. */
#include "tape/moments_terms.h"

#include <stdlib.h>

#include "core/key_map.h"
#include "core/memory.h"
#include "tape/moments.h"

/* Products of terms for each term that a polynomial may have, and some for tiny limits. */
enum { WORK_PER_TERM = 8, WORK_LEAST = 4096 };

/* A factor is an element in the upper half of a word and its exponent in the lower one; factors are in order. */
typedef struct {
  size_t first;
  size_t factors;
  tape_id power, multiple; /* its moment is multiple * power: a rational number and powers of variances; TAPE_NONE: not known */
} monomial;

struct terms_store {
  size_t most, work_left, exceeded;
  key_map numbers; /* of monomials */
  monomial *monomial;
  size_t monomials, monomial_capacity;
  uint64_t *factor;
  size_t factors, factor_capacity;
  uint64_t *scratch;
  size_t scratch_capacity;
  polynomial_term *term; /* being collected */
  size_t terms, term_capacity;
  size_t *slot; /* of each monomial: place in term + 1; 0: none */
};

static uint32_t number_of(terms_store *s, const uint64_t *factor, size_t factors)
{
  uint32_t number;
  if (key_map_find(&s->numbers, factor, factors, &number))
    return number;
  if (s->monomials == s->monomial_capacity) {
    s->monomial_capacity = s->monomial_capacity ? memory_multiply(s->monomial_capacity, 2) : 64;
    s->monomial = memory_resize(s->monomial, s->monomial_capacity, sizeof *s->monomial);
    s->slot = memory_resize(s->slot, s->monomial_capacity, sizeof *s->slot);
  }
  while (s->factor_capacity < s->factors + factors) {
    s->factor_capacity = s->factor_capacity ? memory_multiply(s->factor_capacity, 2) : 256;
    s->factor = memory_resize(s->factor, s->factor_capacity, sizeof *s->factor);
  }
  for (size_t i = 0; i < factors; i++)
    s->factor[s->factors + i] = factor[i];
  s->slot[s->monomials] = 0;
  s->monomial[s->monomials] = (monomial){s->factors, factors, TAPE_NONE, TAPE_NONE};
  s->factors += factors;
  key_map_set(&s->numbers, factor, factors, (uint32_t)s->monomials);
  return (uint32_t)s->monomials++;
}

terms_store *terms_store_create(size_t terms)
{
  terms_store *s = memory_new(1, sizeof *s);
  s->most = terms;
  s->work_left = memory_add(memory_multiply(terms, WORK_PER_TERM), WORK_LEAST);
  key_map_init(&s->numbers);
  uint64_t none = 0;
  number_of(s, &none, 0);
  return s;
}

void terms_store_destroy(terms_store *s)
{
  key_map_clear(&s->numbers);
  free(s->monomial);
  free(s->factor);
  free(s->scratch);
  free(s->term);
  free(s->slot);
  free(s);
}

size_t terms_exceeded(const terms_store *s)
{
  return s->exceeded;
}

static void exceed(terms_store *s, size_t terms)
{
  if (!s->exceeded)
    s->exceeded = terms;
}

/* Takes steps off what may be done in all; `terms` is what to say if that is not enough. */
static bool may_work(terms_store *s, size_t steps, size_t terms)
{
  if (s->exceeded)
    return false;
  if (steps > s->work_left) {
    exceed(s, terms > s->most ? terms : s->most + 1);
    return false;
  }
  s->work_left -= steps;
  return true;
}

/* ---- collecting ---- */

void terms_begin(terms_store *s)
{
  s->terms = 0;
}

void terms_add(terms_store *s, tape *t, uint32_t number, tape_id coefficient)
{
  if (!may_work(s, 1, s->terms + 1) || t->full)
    return;
  size_t *slot = &s->slot[number];
  if (*slot) {
    tape_id *c = &s->term[*slot - 1].coefficient;
    *c = tape_binary(t, TAPE_ADD, *c, coefficient);
    return;
  }
  if (s->terms == s->most) {
    exceed(s, s->terms + 1);
    return;
  }
  if (s->terms == s->term_capacity) {
    s->term_capacity = s->term_capacity ? memory_multiply(s->term_capacity, 2) : 64;
    s->term = memory_resize(s->term, s->term_capacity, sizeof *s->term);
  }
  s->term[s->terms++] = (polynomial_term){number, coefficient};
  *slot = s->terms;
}

static bool is_zero(const tape *t, tape_id id)
{
  return t->op[id].op == TAPE_CONSTANT && fmpq_is_zero(&t->constant[t->op[id].a]);
}

polynomial *terms_end(terms_store *s, const tape *t)
{
  polynomial *p = memory_new(1, memory_add(sizeof *p, memory_multiply(s->terms, sizeof *s->term)));
  for (size_t i = 0; i < s->terms; i++) {
    s->slot[s->term[i].monomial] = 0;
    if (!is_zero(t, s->term[i].coefficient))
      p->term[p->count++] = s->term[i];
  }
  s->terms = 0;
  return p;
}

void polynomial_destroy(polynomial *p)
{
  free(p);
}

polynomial *polynomial_variable(terms_store *s, tape *t, uint32_t element)
{
  uint64_t factor = (uint64_t)element << 32 | 1;
  terms_begin(s);
  terms_add(s, t, number_of(s, &factor, 1), tape_integer(t, 1));
  return terms_end(s, t);
}

/* ---- products ---- */

/* The factors of a product into s->scratch; *odd: some exponent is. Their number. */
static size_t multiply_monomials(terms_store *s, uint32_t a, uint32_t b, bool *odd)
{
  const monomial *x = &s->monomial[a], *y = &s->monomial[b];
  size_t all = x->factors + y->factors, n = 0;
  *odd = false;
  if (all > s->scratch_capacity) {
    s->scratch_capacity = 2 * all;
    s->scratch = memory_resize(s->scratch, s->scratch_capacity, sizeof *s->scratch);
  }
  const uint64_t *p = s->factor + x->first, *p_end = p + x->factors;
  const uint64_t *q = s->factor + y->first, *q_end = q + y->factors;
  while (p < p_end || q < q_end) {
    uint64_t f;
    if (q == q_end || (p < p_end && *p >> 32 < *q >> 32))
      f = *p++;
    else if (p == p_end || *q >> 32 < *p >> 32)
      f = *q++;
    else
      f = *p++ + (uint32_t)*q++;
    *odd |= f & 1;
    if ((uint32_t)f > TAPE_MOMENTS_EXPONENT)
      exceed(s, 1);
    s->scratch[n++] = f;
  }
  return n;
}

/* Adds the terms of a * b; only those whose mean is not 0, if `even`. Of a square each product of two terms is made once. */
static void add_product(terms_store *s, tape *t, const polynomial *a, const polynomial *b, bool even)
{
  size_t pairs;
  if (__builtin_mul_overflow(a->count, b->count, &pairs))
    pairs = SIZE_MAX;
  if (a == b)
    pairs = pairs / 2 + a->count / 2;
  if (!may_work(s, pairs, pairs))
    return;
  tape_id two = tape_integer(t, 2);
  for (size_t i = 0; i < a->count; i++)
    for (size_t j = a == b ? i : 0; j < b->count && !s->exceeded && !t->full; j++) {
      bool odd;
      const polynomial_term *x = &a->term[i], *y = &b->term[j];
      size_t n = multiply_monomials(s, x->monomial, y->monomial, &odd);
      if (!may_work(s, n / 8, pairs) || (even && odd))
        continue;
      tape_id c = tape_binary(t, TAPE_MULTIPLY, x->coefficient, y->coefficient);
      if (a == b && i != j)
        c = tape_binary(t, TAPE_MULTIPLY, two, c);
      terms_add(s, t, number_of(s, s->scratch, n), c);
    }
}

polynomial *polynomial_product(terms_store *s, tape *t, const polynomial *a, const polynomial *b)
{
  terms_begin(s);
  add_product(s, t, a, b, false);
  return terms_end(s, t);
}

static polynomial *power_of_term(terms_store *s, tape *t, const polynomial_term *x, uint32_t exponent)
{
  const monomial *m = &s->monomial[x->monomial];
  uint64_t *factor = memory_new(m->factors, sizeof *factor);
  for (size_t i = 0; i < m->factors; i++) {
    uint64_t f = s->factor[m->first + i], e = (f & UINT32_MAX) * exponent;
    if (e > TAPE_MOMENTS_EXPONENT)
      exceed(s, 1);
    factor[i] = (f >> 32 << 32) | (uint32_t)e;
  }
  terms_begin(s);
  if (!s->exceeded)
    terms_add(s, t, number_of(s, factor, m->factors), tape_power(t, x->coefficient, (int32_t)exponent));
  free(factor);
  return terms_end(s, t);
}

polynomial *polynomial_power(terms_store *s, tape *t, const polynomial *a, uint32_t exponent)
{
  if (a->count == 1 && exponent > 0)
    return power_of_term(s, t, &a->term[0], exponent);
  terms_begin(s);
  if (exponent == 0)
    terms_add(s, t, 0, tape_integer(t, 1));
  for (size_t i = 0; exponent > 0 && i < a->count; i++)
    terms_add(s, t, a->term[i].monomial, a->term[i].coefficient);
  polynomial *p = terms_end(s, t);
  for (uint32_t e = 1; e < exponent && a->count && !s->exceeded && !t->full; e++) {
    polynomial *next = polynomial_product(s, t, p, a);
    polynomial_destroy(p);
    p = next;
  }
  return p;
}

/* ---- moments ---- */

/* E[x^(2k)] = (2k - 1)!! v^k, over all factors of a monomial whose exponents are even. */
static void find_moment(terms_store *s, tape *t, monomial *m, const tape_id *variance)
{
  fmpz_t product, one;
  fmpz_init_set_ui(product, 1);
  fmpz_init(one);
  m->power = tape_integer(t, 1);
  for (size_t i = 0; i < m->factors; i++) {
    uint64_t f = s->factor[m->first + i];
    uint32_t e = (uint32_t)f;
    fmpz_fac_ui(one, e); /* (2k - 1)!! = (2k)! / (2^k k!) */
    fmpz_tdiv_q_2exp(one, one, e / 2);
    fmpz_mul(product, product, one);
    fmpz_fac_ui(one, e / 2);
    fmpz_divexact(product, product, one);
    m->power = tape_binary(t, TAPE_MULTIPLY, m->power, tape_power(t, variance[f >> 32], (int32_t)(e / 2)));
  }
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_fmpz(q, product);
  m->multiple = tape_constant(t, q);
  fmpq_clear(q);
  fmpz_clear(product);
  fmpz_clear(one);
}

/* The mean of the terms that were collected, all of even exponents. Terms with the same powers of variances are put together. */
static tape_id end_with_mean(terms_store *s, tape *t, const tape_id *variance)
{
  key_map place;
  key_map_init(&place);
  size_t groups = 0;
  tape_id *power = memory_new(s->terms, sizeof *power), *sum = memory_new(s->terms, sizeof *sum);
  for (size_t i = 0; i < s->terms; i++) {
    monomial *m = &s->monomial[s->term[i].monomial];
    s->slot[s->term[i].monomial] = 0;
    if (s->exceeded || t->full)
      continue;
    if (m->power == TAPE_NONE)
      find_moment(s, t, m, variance);
    tape_id x = tape_binary(t, TAPE_MULTIPLY, m->multiple, s->term[i].coefficient);
    uint64_t key = m->power;
    uint32_t at;
    if (key_map_find(&place, &key, 1, &at)) {
      sum[at] = tape_binary(t, TAPE_ADD, sum[at], x);
      continue;
    }
    key_map_set(&place, &key, 1, (uint32_t)groups);
    power[groups] = m->power;
    sum[groups++] = x;
  }
  s->terms = 0;
  tape_id mean = tape_integer(t, 0);
  for (size_t i = 0; i < groups && !t->full; i++)
    if (!is_zero(t, sum[i]))
      mean = tape_binary(t, TAPE_ADD, mean, tape_binary(t, TAPE_MULTIPLY, sum[i], power[i]));
  free(power);
  free(sum);
  key_map_clear(&place);
  return mean;
}

tape_id polynomial_mean_of_product(terms_store *s, tape *t, const polynomial *a, const polynomial *b,
                                   const tape_id *variance)
{
  terms_begin(s);
  add_product(s, t, a, b, true);
  return end_with_mean(s, t, variance);
}

tape_id polynomial_mean(terms_store *s, tape *t, const polynomial *a, const tape_id *variance)
{
  terms_begin(s);
  for (size_t i = 0; i < a->count; i++) {
    const monomial *m = &s->monomial[a->term[i].monomial];
    bool odd = false;
    for (size_t k = 0; k < m->factors; k++)
      odd |= s->factor[m->first + k] & 1;
    if (!odd)
      terms_add(s, t, a->term[i].monomial, a->term[i].coefficient);
  }
  return end_with_mean(s, t, variance);
}
