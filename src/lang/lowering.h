/* What the parts of lowering share. Private to lang/lower*.c. */
#ifndef ASSAY_LANG_LOWERING_H
#define ASSAY_LANG_LOWERING_H

#include "core/diag.h"
#include "core/key_map.h"
#include "core/limits.h"
#include "lang/claim.h"
#include "lang/lower.h"
#include "tape/derivative.h"
#include "tape/moments.h"
#include "tape/tape.h"

typedef struct {
  diag *d;
  const claim *c;
  const int64_t *sizes;
  tape *t;
  tape_derivatives *derivatives;
  key_map memo;                  /* keys begin with one of the MEMO words */
  int64_t index[LIMIT_BINDERS];  /* the environment */
  const char *index_name[LIMIT_BINDERS];
  unsigned bound;                /* slots 0 .. bound - 1 are in force */
  uint64_t work;                 /* turns of folds so far */
  bool failed;                   /* a message was written; results are meaningless */
  bool shallow;                  /* too deep a recursion is not an error: it is tried again with more room */
  bool too_deep;                 /* it was met */
  char *stack_base;              /* to notice that recursion comes near the end of the stack */
  size_t stack_room;
  lower_let_list *lets;          /* NULL: nobody asks for them */
  tape_id *variance;             /* of the random elements, which are numbered as they are met */
  uint32_t randoms, random_capacity;
  tape_moments *moments;         /* NULL until a mean is met */
  const volatile int *stop;      /* not 0: give up without a message; NULL: never */
} lowering;

enum { MEMO_NODE, MEMO_FOLD, MEMO_LET, MEMO_GIVEN, MEMO_RANDOM, MEMO_POWER };
/* The value of a let element that is being lowered. */
#define MEMO_UNDERWAY (TAPE_NONE - 1)

/* A message at n's place, the first one only. */
void lowering_fail(lowering *l, diag_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The value of an integer expression; fails on overflow. */
int64_t lowering_integer(lowering *l, const node *n);
/* A value or truth. 0 after a failure. */
tape_id lowering_node(lowering *l, const node *n);
/* A value free of random elements; fails where it is not. `what` says what it is: "a variance". */
tape_id lowering_certain(lowering *l, const node *n, const char *what);
/* A side of a comparison: that, and free of the variables of integrals. */
tape_id lowering_side(lowering *l, const node *n);
/* An element of a given, a let or a random family, lower_reference.c. */
tape_id lowering_reference(lowering *l, const node *n);
/* The NODE_INTEGRAL n, lower_integral.c. */
tape_id lowering_integral(lowering *l, const node *n);
/* The fold n, lower_fold.c. */
tape_id lowering_fold(lowering *l, const node *n);
/* Counts one turn of the fold n, which ends at `last`; fails past LIMIT_TURNS. */
bool lowering_turn(lowering *l, const node *n, int64_t last);
/* A comparison of two sides. */
tape_id lowering_compare(lowering *l, relation r, tape_id left, tape_id right);

#endif
