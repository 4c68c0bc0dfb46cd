/* Expectations of polynomials in independent Gaussian variables: a tape-to-tape transformation.
 *
 * A value with `random` set is a polynomial in RANDOM leaves with coefficients that are free of them. Its expectation is the sum
 * of coefficient times moment, where by Isserlis' theorem E[g^(2k)] = (2k - 1)!! v^k for a variable of variance v, odd
 * moments are 0, and moments of independent variables multiply. */
#ifndef ASSAY_TAPE_MOMENTS_H
#define ASSAY_TAPE_MOMENTS_H

#include "tape/tape.h"

/* The greatest power of one element. */
enum { TAPE_MOMENTS_EXPONENT = 1 << 14 };

typedef struct tape_moments tape_moments;

/* Keeps the polynomials of the values of one tape already expanded. `terms`: monomials that one polynomial may have at most;
 * products of terms, over all means of the tape, may be 8 times as many. */
tape_moments *tape_moments_create(size_t terms);
void tape_moments_destroy(tape_moments *m);

/* The expectation of value y, appended to t. variance[k] is the variance of random element k, a value free of random
 * elements. Undefined where a coefficient (of an odd moment, too) or a variance that y needs is undefined, or that variance is
 * below 0. Nests with tape_derivative in both orders: y may hold a SELECT by DEFINED of something random.
 *
 * TAPE_NONE when the tape is full (*terms is 0), when a polynomial would have more monomials than are allowed or all of them
 * take too many products of terms (*terms is the number that was too much), or when an element has too great an exponent
 * (*terms is 1). */
tape_id tape_mean(tape *t, tape_moments *m, tape_id y, const tape_id *variance, size_t *terms);

#endif
