/* Which of a claim's quantities a model supplies: claims and models meet through roles.
 *
 * A given of the claim with the role
 *
 *   decay   is the A_t of one entry, that is of a channel and a state of a layer,
 *   step    is the Delta_t of its channel,
 *   input   is its b_t,
 *
 * and each of its indices runs over time or over the state, of which there is one here: the size that bounds it says which by
 * its role; without one the first index is time and the second the state. Where none has a time the claim is asked of every
 * token by itself. A given without one of these roles is what an equality hypothesis of the claim makes of the others (never
 * the other way round); one that none does is an error, and so is a size that bounds neither index.
 *
 * Where the solution of an equality is undefined (it divides by zero), so are the hypotheses: unknown. */
#ifndef ASSAY_CHECK_CLAIM_ROLES_H
#define ASSAY_CHECK_CLAIM_ROLES_H

#include "lang/claim.h"
#include "tape/tape.h"

typedef enum { ROLE_NONE, ROLE_DECAY, ROLE_STEP, ROLE_INPUT } claim_role;

/* What an element of the tape is. */
typedef struct {
  claim_role role; /* ROLE_NONE: solved for, and never read */
  size_t time;     /* from 0 */
} claim_place;

typedef struct {
  const claim *c;
  int64_t *sizes;
  bool timed;         /* false: of a token by itself, and every time below is 0 */
  bool uses_step, uses_input;
  tape *t;            /* of the claim at these sizes, solved for what no role supplies */
  claim_place *place; /* of each element of t */
} claim_binding;

/* The claim for sequences of so many tokens; 0: for one point that has no time. False with "claim NAME: REASON" in *reason,
 * for the caller to free; *b is to be cleared in every case. */
bool claim_binding_create(claim_binding *b, const claim *c, size_t tokens, char **reason);
void claim_binding_clear(claim_binding *b);

#endif
