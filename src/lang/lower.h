/* Lowering: a claim at fixed sizes becomes a tape.
 *
 * Cost. Every element of a `let` is lowered once; a subexpression once for each setting of the indices that it uses; a fold
 * over a..b extends the fold over a..b-1 where that was lowered before; and the maximum over s and t of |e_s - e_t| is
 * lowered as maximum minus minimum (TAPE_SPREAD). So arXiv:2501.00658, Lemma D.1 takes O(T^2) operations and Theorem
 * 4.2 O(T N). */
#ifndef ASSAY_LANG_LOWER_H
#define ASSAY_LANG_LOWER_H

#include "core/diag.h"
#include "lang/claim.h"
#include "tape/tape.h"

/* Whether the sizes (one for each of c's) satisfy their `size` declarations. */
bool lower_sizes_admissible(const claim *c, const int64_t *sizes);
/* The range of size i that a sweep runs through, given the sizes before it: its `try`, else from its least value to
 * `otherwise`, within its declaration. False when empty or too large. */
bool lower_size_range(const claim *c, unsigned i, const int64_t *sizes, int64_t otherwise, int64_t *low,
                      int64_t *high);

/* The tape of claim c: elements in order of declaration, a label for the ranges of each given, then the labels of the
 * claim in order. NULL with a message at the place in the claim file: an element that is missing, used before it is
 * defined (a cycle) or defined twice, an overflow of an index, or a limit (`limit` operations at most). */
tape *lower_claim(diag *d, const claim *c, const int64_t *sizes, size_t limit);
/* The same, given up without a message once *stop is not 0 (stop NULL: never). */
tape *lower_claim_until(diag *d, const claim *c, const int64_t *sizes, size_t limit, const volatile int *stop);

/* The elements of the `let`s that the ranges and labels reach, each after those that it was computed from, and the random
 * elements that they are computed from. */
typedef struct {
  size_t count, capacity;
  struct lower_let {
    char *name;         /* "s[2]"; owned */
    tape_id id;         /* a value or a truth on the tape; no program may hold one that is `random` */
    unsigned let, line; /* claim->let[let].line[line] defines it */
    unsigned indices;
    int64_t *index; /* claim->let[let].positions of them; owned */
  } *let;
  size_t randoms, random_capacity;
  struct lower_random {
    char *name; /* "h[1,2]"; owned */
    tape_id id; /* the RANDOM */
  } *random;
} lower_let_list;

/* lower_claim that also fills `lets` (which it initialises, and which lower_let_list_clear empties, in every case). */
tape *lower_let_elements(lower_let_list *lets, diag *d, const claim *c, const int64_t *sizes, size_t limit);
void lower_let_list_clear(lower_let_list *lets);

#endif
