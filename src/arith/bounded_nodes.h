/* The first half of the making of a plan: a program in single-assignment form, with what `bounded` knows
 * of each value before it sees any number. */
#ifndef ASSAY_ARITH_BOUNDED_NODES_H
#define ASSAY_ARITH_BOUNDED_NODES_H

#include "arith/bounded_internal.h"

#define NODE_NONE UINT32_MAX

typedef struct {
  uint8_t op;      /* tape_opcode; POWER and SILU have been expanded */
  uint8_t kind;    /* bounded_kind */
  uint8_t defined; /* certainly defined (values), certainly not undefined (truths) */
  uint8_t second;  /* belongs to the second phase */
  uint32_t a, b, c; /* nodes; CONSTANT, INPUT, TRUTH: as in the tape */
  uint32_t uses;
  double k;         /* MAGNITUDE: |x - v| <= k u m */
  /* Where every input is 0 or at least 2^-g: an EXACT value is 0 or at least 2^-(slope g + offset), and a
   * multiple of 2^-(grain_slope g + grain_offset); the m of a MAGNITUDE value is 0 or at least the former. */
  double slope, offset, grain_slope, grain_offset;
} bounded_node;

typedef struct {
  bounded_node *node;
  size_t nodes, capacity;
  uint32_t *output; /* nodes of the program's outputs */
  uint32_t *powers; /* open addressing: (base, exponent) -> node */
  size_t powers_size, powers_used;
  const tape_program *program;
} bounded_nodes;

bounded_nodes *bounded_nodes_create(const tape_program *p);
void bounded_nodes_destroy(bounded_nodes *n);

/* How many of a, b, c are nodes. */
unsigned bounded_node_operands(const bounded_node *node);
/* The double nearest to a constant, and whether it is the constant. Past the range: infinity. */
double bounded_constant(const fmpq_t x, bool *exact);

#endif
