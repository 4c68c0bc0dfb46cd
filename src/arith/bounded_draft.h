/* The second half of the making of a plan: which nodes become one step, and in which order. Places are
 * given later. */
#ifndef ASSAY_ARITH_BOUNDED_DRAFT_H
#define ASSAY_ARITH_BOUNDED_DRAFT_H

#include "arith/bounded_nodes.h"

typedef struct {
  uint8_t op;   /* bounded_opcode */
  uint8_t code; /* tape_opcode */
  uint8_t defined, first;
  uint8_t negated; /* COMPARE_SUM: bit j: operand j changes its sign */
  uint8_t operands;
  uint32_t target; /* nodes */
  uint32_t operand[4];
  uint32_t list, count;
} bounded_draft_step;

typedef struct {
  uint8_t code;
  uint32_t a, b; /* nodes; b is NODE_NONE for minima, maxima and checks */
} bounded_draft_entry;

typedef struct {
  bounded_draft_step *step;
  size_t steps, step_capacity, first_phase;
  bounded_draft_entry *entry;
  size_t entries, entry_capacity;
} bounded_draft;

bounded_draft *bounded_draft_create(const bounded_nodes *n);
void bounded_draft_destroy(bounded_draft *d);

/* Whether a node has a place of its own from the start: inputs and constants of every kind. */
bool bounded_is_permanent(const bounded_node *node);

#endif
