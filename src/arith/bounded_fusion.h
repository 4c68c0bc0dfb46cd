/* Fusion: which nodes of a plan disappear into others. The first half of drafting (bounded_draft.c).
 *
 * A fused step does the same roundings in the same order as the steps it stands for. */
#ifndef ASSAY_ARITH_BOUNDED_FUSION_H
#define ASSAY_ARITH_BOUNDED_FUSION_H

#include "arith/bounded_draft.h"

/* A truth that is to be taken into the accumulator of a conjunction, once it is there. */
typedef struct {
  uint32_t leaf, root;
  uint8_t guarded; /* an earlier member may be undefined: this one's falsehood counts if all those are true */
  uint8_t listed;  /* a comparison of inputs and constants: goes into the list of the root */
  uint32_t next;   /* the next listed member of the root, by place */
} bounded_member;

typedef struct {
  const bounded_nodes *nodes;
  bounded_draft *draft;
  uint8_t *fused;   /* the node is computed inside of its only user */
  uint8_t *rooted;  /* 1: the root of a flattened conjunction; 2: a conjunction that stays as it is */
  uint8_t *started; /* its accumulator has been written */
  bounded_member *members;  /* by leaf */
  size_t member_count, member_capacity;
  uint32_t *listed; /* the first listed member of each root */
  uint32_t *stack;
  size_t stack_capacity;
} bounded_fusion;

/* What can be said before the first step is drafted. `draft` may be empty. */
bounded_fusion bounded_fusion_create(const bounded_nodes *nodes, bounded_draft *draft);
void bounded_fusion_clear(bounded_fusion *d);

/* The leaves of a tree of one associative operation, left to right; returns how many. Inner nodes are
 * marked as fused, or, with `undo`, as plain conjunctions. The caller frees the leaves. */
size_t bounded_flatten(bounded_fusion *d, uint32_t root, uint32_t **leaves, bool undo);

bool bounded_is_comparison(const bounded_node *node);
/* A sum of two exact values. Compared with an exact value, it is compared without any error: ends of
 * ranges such as 1 - alpha are of this form, and to draw at an end of a range is to draw a tie. */
bool bounded_is_exact_sum(const bounded_nodes *n, uint32_t i);
bool bounded_compares_sum(const bounded_nodes *n, uint32_t i);

/* Room for one more in a growing array of `used`. */
void *bounded_room(void *array, size_t used, size_t *capacity, size_t size);

#endif
