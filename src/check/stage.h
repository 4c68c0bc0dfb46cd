/* A claim at one choice of sizes, ready to be searched and decided.
 *
 * Two tapes: the claim as it stands (plain), and the same with equality hypotheses solved for given elements (solved,
 * tape/solve.h), from which instances are drawn. Whether an instance hits is decided on the plain one. */
#ifndef ASSAY_CHECK_STAGE_H
#define ASSAY_CHECK_STAGE_H

#include "check/decide.h"
#include "core/diag.h"
#include "lang/claim.h"

typedef struct {
  const claim *claim;
  int64_t *sizes;
  tape *plain, *solved;      /* the same tape when nothing was solved */
  decider *decider;          /* of plain */
  decider *block_decider;    /* of solved: its programs evaluate blocks; the same as decider when nothing was solved */
  tape_program *solutions;   /* of the solved elements; NULL when there are none */
} stage;

/* sizes is copied. False, with messages in d, when the claim cannot be lowered at these sizes. */
bool stage_create(stage *g, diag *d, const claim *c, const int64_t *sizes, slong precision);
/* The same for one `possible` label of the claim (by name; NULL: none): the solved tape has its equalities solved too, so
 * that what is drawn looks for a witness of this label. Gives up without a message once *stop is not 0 (NULL: never). */
bool stage_create_for(stage *g, diag *d, const claim *c, const int64_t *sizes, slong precision, const char *question,
                      const volatile int *stop);
void stage_clear(stage *g);
/* Whether some atom of a label is an equality. */
bool stage_has_equality(const tape *t, size_t label);

/* One thread's working space. */
typedef struct {
  const stage *g;
  decider_state *decide;   /* on the plain tape */
  exact_state *solutions;
  truth *target;           /* of decider_targets */
  fmpq *value;             /* of stage_decide_lane, where something was solved */
} stage_state;

void stage_state_init(stage_state *s, const stage *g);
void stage_state_clear(stage_state *s);

/* Whether element e is drawn rather than solved for. */
bool stage_is_drawn(const stage *g, size_t e);
/* Gives solved elements their values, exactly, from the others. One whose solution is undefined (0 = 0 * x) or not
 * rational keeps the value it has. */
void stage_complete(stage_state *s, fmpq *value);
/* stage_complete, then the quick decision on the plain tape; the targets' truths are in s->target. */
truth stage_decide(stage_state *s, fmpq *value);
/* The same of lane `lane` of a block of drawn instances, input[e * LANES + lane]. `hypotheses` and `target` are what
 * `bounded` is certain of (TRUTH_UNKNOWN otherwise) on the block decider's tape; where nothing was solved, and that is the
 * plain one, it is taken over. */
truth stage_decide_lane(stage_state *s, const double *input, unsigned lane, truth hypotheses, const truth *target);

/* Arrays of n rationals. */
fmpq *stage_new_values(size_t n);
void stage_free_values(fmpq *value, size_t n);
void stage_copy_values(fmpq *to, const fmpq *from, size_t n);

#endif
