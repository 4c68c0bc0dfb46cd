/* Polynomials in random elements with coefficients on a tape. Private to tape/moments*.c.
 *
 * Monomials are numbered as they are met; number 0 is the monomial 1. A polynomial has each monomial at most once, in the order
 * in which they came up, and no coefficient that is the constant 0. */
#ifndef ASSAY_TAPE_MOMENTS_TERMS_H
#define ASSAY_TAPE_MOMENTS_TERMS_H

#include "tape/tape.h"

typedef struct {
  uint32_t monomial;
  tape_id coefficient;
} polynomial_term;

typedef struct {
  size_t count;
  polynomial_term term[];
} polynomial;

typedef struct terms_store terms_store;

/* `terms`: monomials that one polynomial may have; products of terms in all are limited in proportion. */
terms_store *terms_store_create(size_t terms);
void terms_store_destroy(terms_store *s);
/* 0, or the number of terms that was too much (1: it was an exponent): all results since are meaningless, but safe to use. */
size_t terms_exceeded(const terms_store *s);

/* A polynomial while it is collected: one at a time. */
void terms_begin(terms_store *s);
void terms_add(terms_store *s, tape *t, uint32_t monomial, tape_id coefficient);
polynomial *terms_end(terms_store *s, const tape *t);

void polynomial_destroy(polynomial *p);
polynomial *polynomial_variable(terms_store *s, tape *t, uint32_t element);
polynomial *polynomial_product(terms_store *s, tape *t, const polynomial *a, const polynomial *b);
polynomial *polynomial_power(terms_store *s, tape *t, const polynomial *a, uint32_t exponent);

/* Expectations: variance[k] is that of element k. The mean of a product is taken without making the product, most of whose
 * terms have none. */
tape_id polynomial_mean(terms_store *s, tape *t, const polynomial *a, const tape_id *variance);
tape_id polynomial_mean_of_product(terms_store *s, tape *t, const polynomial *a, const polynomial *b,
                                   const tape_id *variance);

#endif
