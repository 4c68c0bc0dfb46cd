/* From a program to nodes: kinds of values, their static error counts, powers by multiplication. See
 * bounded_nodes.h. */
#include "arith/bounded_nodes.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

double bounded_constant(const fmpq_t x, bool *exact)
{
  arf_t r;
  arf_init(r);
  /* Rounded toward 0 to 53 bits, then to double: the same double as the correctly rounded one, or its
   * neighbour. */
  *exact = arf_set_fmpq(r, x, 53, ARF_RND_NEAR) == 0;
  double d = arf_get_d(r, ARF_RND_NEAR);
  *exact = *exact && isfinite(d) && arf_cmp_d(r, d) == 0;
  arf_clear(r);
  return d;
}

unsigned bounded_node_operands(const bounded_node *node)
{
  return node->op == TAPE_POWER ? 1 : tape_operands((tape_opcode)node->op);
}

/* ---- static error counts ---- */

/* Upper bounds of sums that are themselves computed in double. */
static double up(double x)
{
  return x * BOUNDED_UP;
}

/* v = fl(va + vb), m = fl(ma + mb): |v| <= m since rounding is monotone, and the error is at most
 * ka u ma + kb u mb + u |v| <= u (max(ka, kb) (ma + mb) + m) <= u (max(ka, kb) (1 + u) + 1) m. */
static double count_sum(double ka, double kb)
{
  return up(fmax(ka, kb) + 1);
}

/* v = fl(va vb), p = fl(ma mb), m = fl(p + floor). With S = ka + kb + ka kb u the error is at most u S ma
 * mb + u |v| + eta / 2, where ma mb <= (1 + u) p + eta / 2 and |v| <= p; and m >= (1 - u)(p + floor) with
 * p + floor >= 2^-1000 or p = 0 exactly, so that u m absorbs the etas: u 2^-1000 = 2^21 eta. Together at
 * most u (S + 1)(1 + 4u + 2^-20 u) m. */
static double count_product(double ka, double kb)
{
  return up(up(ka + kb + ka * kb * BOUNDED_U) + 1);
}

/* ---- nodes ---- */

static uint32_t add_node(bounded_nodes *n, bounded_node node)
{
  if (n->nodes == n->capacity) {
    n->capacity = n->capacity ? memory_multiply(n->capacity, 2) : 256;
    n->node = memory_resize(n->node, n->capacity, sizeof *n->node);
  }
  if (n->nodes >= BOUNDED_INPUT_BIT)
    memory_die("a program is too long");
  n->node[n->nodes] = node;
  return (uint32_t)n->nodes++;
}

static bounded_node leaf(tape_opcode op, uint32_t a, bool second)
{
  return (bounded_node){
      .op = (uint8_t)op, .a = a, .b = NODE_NONE, .c = NODE_NONE, .second = second, .defined = 1};
}

static uint32_t add_constant(bounded_nodes *n, uint32_t index, bool second)
{
  bounded_node node = leaf(TAPE_CONSTANT, index, second);
  bool exact;
  double d = bounded_constant(&n->program->source->constant[index], &exact);
  if (exact) {
    int exponent = 0;
    frexp(d, &exponent); /* |d| >= 2^(exponent - 1), a multiple of 2^(exponent - 53) */
    node.kind = BOUNDED_EXACT;
    node.offset = d == 0 ? 0 : fmax(0, 1 - exponent);
    node.grain_offset = d == 0 ? 0 : fmax(0, 53 - exponent);
  } else { /* bounded_plan.c stores m = max(|d|, floor) */
    node.kind = BOUNDED_MAGNITUDE;
    node.k = 1;
    node.offset = isfinite(d) ? fmin(1000, fmax(0, 1 - ilogb(d == 0 ? 0x1p-1000 : d))) : 0;
  }
  return add_node(n, node);
}

static uint32_t add_sum(bounded_nodes *n, tape_opcode op, uint32_t a, uint32_t b, bool second)
{
  const bounded_node *x = &n->node[a], *y = &n->node[b];
  bounded_node node = leaf(op, a, second);
  node.b = b;
  node.defined = x->defined && y->defined;
  if (x->kind == BOUNDED_EXACT && y->kind == BOUNDED_EXACT) {
    /* m = |v|: a multiple of the coarser grain, rounded; the error is at most u |v|, and none where v
     * underflows */
    node.kind = BOUNDED_MAGNITUDE;
    node.k = 1;
    node.slope = fmax(x->grain_slope, y->grain_slope);
    node.offset = fmax(x->grain_offset, y->grain_offset);
  } else if (x->kind != BOUNDED_ERROR && y->kind != BOUNDED_ERROR) {
    node.kind = BOUNDED_MAGNITUDE;
    node.k = count_sum(x->k, y->k);
    node.slope = fmax(x->slope, y->slope);
    node.offset = fmax(x->offset, y->offset);
  } else {
    node.kind = BOUNDED_ERROR;
  }
  return add_node(n, node);
}

static uint32_t add_product(bounded_nodes *n, uint32_t a, uint32_t b, bool second)
{
  const bounded_node *x = &n->node[a], *y = &n->node[b];
  bounded_node node = leaf(TAPE_MULTIPLY, a, second);
  node.b = b;
  node.defined = x->defined && y->defined;
  node.kind = x->kind == BOUNDED_ERROR || y->kind == BOUNDED_ERROR ? BOUNDED_ERROR : BOUNDED_MAGNITUDE;
  if (node.kind == BOUNDED_MAGNITUDE) {
    node.k = count_product(x->k, y->k);
    node.slope = x->slope + y->slope;
    node.offset = x->offset + y->offset;
  }
  return add_node(n, node);
}

/* MIN, MAX, and functions of one number with slope at most 1 that keep 0: EXACT and MAGNITUDE stay what
 * they are. */
static uint32_t add_nonexpansive(bounded_nodes *n, tape_opcode op, uint32_t a, uint32_t b, bool second)
{
  const bounded_node *x = &n->node[a], *y = b == NODE_NONE ? x : &n->node[b];
  bounded_node node = leaf(op, a, second);
  node.b = b;
  node.defined = x->defined && y->defined;
  if (x->kind == BOUNDED_ERROR || y->kind == BOUNDED_ERROR)
    node.kind = BOUNDED_ERROR;
  else if (x->kind == BOUNDED_MAGNITUDE || y->kind == BOUNDED_MAGNITUDE)
    node.kind = BOUNDED_MAGNITUDE;
  node.k = fmax(x->k, y->k);
  node.slope = fmax(x->slope, y->slope);
  node.offset = fmax(x->offset, y->offset);
  node.grain_slope = fmax(x->grain_slope, y->grain_slope);
  node.grain_offset = fmax(x->grain_offset, y->grain_offset);
  return add_node(n, node);
}

static uint32_t add_general(bounded_nodes *n, tape_opcode op, uint32_t a, uint32_t b, uint32_t c, bool second)
{
  bounded_node node = leaf(op, a, second);
  node.b = b;
  node.c = c;
  node.kind = BOUNDED_ERROR;
  unsigned operands = tape_operands(op);
  node.defined = (operands < 1 || n->node[a].defined) && (operands < 2 || n->node[b].defined) &&
                 (operands < 3 || n->node[c].defined);
  switch (op) {
  case TAPE_UNDEFINED:
  case TAPE_DIVIDE:
  case TAPE_SQRT:
  case TAPE_LOG:
  case TAPE_LOG1P:
  case TAPE_TAN:
  case TAPE_LAMBERTW0:
    node.defined = 0;
    break;
  default:
    break;
  }
  return add_node(n, node);
}

static uint32_t add_truth(bounded_nodes *n, const tape_step *t, const uint32_t *value, const uint32_t *truths,
                          bool second)
{
  tape_opcode op = (tape_opcode)t->op;
  unsigned operands = tape_operands(op);
  const uint32_t *map = op >= TAPE_LESS && op <= TAPE_DEFINED ? value : truths;
  bounded_node node = leaf(op, operands ? map[t->a] : t->a, second);
  node.kind = BOUNDED_TRUTH;
  if (operands >= 2)
    node.b = map[t->b];
  if (operands >= 3)
    node.c = map[t->c];
  if (op == TAPE_TRUTH)
    node.defined = t->a == TRUTH_TRUE || t->a == TRUTH_FALSE;
  else
    node.defined = n->node[node.a].defined && (operands < 2 || n->node[node.b].defined) &&
                   (operands < 3 || n->node[node.c].defined);
  return add_node(n, node);
}

/* ---- powers ---- */

static uint32_t *power_place(bounded_nodes *n, uint32_t base, uint32_t exponent)
{
  uint64_t key = ((uint64_t)base << 32 | exponent) * 0x9E3779B97F4A7C15u;
  for (size_t k = (size_t)(key >> 20) & (n->powers_size - 1);; k = (k + 1) & (n->powers_size - 1)) {
    uint32_t *entry = n->powers + 3 * k;
    if (entry[2] == 0 || (entry[0] == base && entry[1] == exponent))
      return entry;
  }
}

static void remember_power(bounded_nodes *n, uint32_t base, uint32_t exponent, uint32_t node)
{
  if (2 * (n->powers_used + 1) > n->powers_size) {
    uint32_t *old = n->powers;
    size_t old_size = n->powers_size;
    n->powers_size = old_size ? 2 * old_size : 64;
    n->powers = memory_new(memory_multiply(n->powers_size, 3), sizeof *n->powers);
    for (size_t k = 0; k < old_size; k++)
      if (old[3 * k + 2]) {
        uint32_t *entry = power_place(n, old[3 * k], old[3 * k + 1]);
        for (int i = 0; i < 3; i++)
          entry[i] = old[3 * k + (size_t)i];
      }
    free(old);
  }
  uint32_t *entry = power_place(n, base, exponent);
  n->powers_used += entry[2] == 0;
  entry[0] = base;
  entry[1] = exponent;
  entry[2] = node + 1;
}

static uint32_t known_power(bounded_nodes *n, uint32_t base, uint32_t exponent)
{
  if (exponent == 1)
    return base;
  if (!n->powers_size)
    return NODE_NONE;
  return power_place(n, base, exponent)[2] - 1; /* 0 - 1 is NODE_NONE */
}

/* base ^ exponent for exponent >= 1, from the power one below where it is there, else by squaring. */
static uint32_t add_power(bounded_nodes *n, uint32_t base, uint32_t exponent, bool second)
{
  uint32_t node = known_power(n, base, exponent);
  if (node != NODE_NONE)
    return node;
  uint32_t below = known_power(n, base, exponent - 1);
  if (below == NODE_NONE && exponent % 2 == 1)
    below = add_power(n, base, exponent - 1, second);
  if (below != NODE_NONE) {
    node = add_product(n, below, base, second);
  } else {
    uint32_t half = add_power(n, base, exponent / 2, second);
    node = add_product(n, half, half, second);
  }
  remember_power(n, base, exponent, node);
  return node;
}

/* An exact constant that the tape need not have: TRUTH is of no kind of value, so it names the integer. */
static uint32_t add_integer(bounded_nodes *n, uint32_t value, bool second)
{
  bounded_node node = leaf(TAPE_ZERO, NODE_NONE, second);
  node.a = value;
  node.kind = BOUNDED_EXACT;
  return add_node(n, node);
}

/* ---- steps ---- */

static uint32_t add_value(bounded_nodes *n, const tape_step *t, const uint32_t *value, const uint32_t *truths,
                          bool second)
{
  tape_opcode op = (tape_opcode)t->op;
  unsigned operands = tape_operands(op);
  uint32_t a = operands >= 1 ? value[t->a] : NODE_NONE, b = operands >= 2 ? value[t->b] : NODE_NONE;
  switch (op) {
  case TAPE_CONSTANT:
    return add_constant(n, t->a, second);
  case TAPE_INPUT: {
    bounded_node node = leaf(op, t->a, second);
    node.kind = BOUNDED_EXACT;
    node.slope = node.grain_slope = 1;
    node.grain_offset = 52;
    return add_node(n, node);
  }
  case TAPE_PI: {
    bounded_node node = leaf(op, NODE_NONE, second);
    node.kind = BOUNDED_MAGNITUDE;
    node.k = 1;
    return add_node(n, node);
  }
  case TAPE_ADD:
  case TAPE_SUBTRACT:
    return add_sum(n, op, a, b, second);
  case TAPE_SPREAD:
    return add_sum(n, TAPE_SUBTRACT, a, b, second);
  case TAPE_MULTIPLY:
    return add_product(n, a, b, second);
  case TAPE_MIN:
  case TAPE_MAX:
  case TAPE_NEGATE:
  case TAPE_ABS:
  case TAPE_RELU:
    return add_nonexpansive(n, op, a, b, second);
  case TAPE_POWER: {
    int32_t exponent = (int32_t)t->b;
    if (exponent > 0)
      return add_power(n, a, (uint32_t)exponent, second);
    if (exponent == 0) /* the builder has folded it */
      return add_general(n, TAPE_UNDEFINED, NODE_NONE, NODE_NONE, NODE_NONE, second);
    uint32_t one = add_integer(n, 1, second);
    return add_general(n, TAPE_DIVIDE, one, add_power(n, a, -(uint32_t)exponent, second), NODE_NONE, second);
  }
  case TAPE_ZERO:
    if (n->node[a].defined)
      return add_integer(n, 0, second);
    return add_general(n, op, a, NODE_NONE, NODE_NONE, second);
  case TAPE_SILU:
    return add_product(n, a, add_general(n, TAPE_SIGMOID, a, NODE_NONE, NODE_NONE, second), second);
  case TAPE_SELECT:
    return add_general(n, op, a, b, truths[t->c], second);
  case TAPE_INTEGRAL: /* nothing is known of it here */
    return add_general(n, TAPE_UNDEFINED, NODE_NONE, NODE_NONE, NODE_NONE, second);
  default:
    return add_general(n, op, a, b, NODE_NONE, second);
  }
}

static void count_uses(bounded_nodes *n)
{
  for (size_t i = 0; i < n->nodes; i++) {
    const bounded_node *node = &n->node[i];
    if (node->op == TAPE_ZERO && node->kind == BOUNDED_EXACT)
      continue; /* an integer */
    unsigned operands = bounded_node_operands(node);
    const uint32_t operand[3] = {node->a, node->b, node->c};
    for (unsigned k = 0; k < operands; k++)
      n->node[operand[k]].uses++;
  }
  for (size_t i = 0; i < n->program->outputs; i++)
    n->node[n->output[i]].uses += 2; /* so that it is never made part of something else */
}

bounded_nodes *bounded_nodes_create(const tape_program *p)
{
  bounded_nodes *n = memory_new(1, sizeof *n);
  n->program = p;
  uint32_t *value = memory_new(p->value_slots, sizeof *value),
           *truths = memory_new(p->truth_slots, sizeof *truths);
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *t = &p->step[k];
    bool second = k >= p->first_phase;
    if (tape_is_truth((tape_opcode)t->op))
      truths[t->target] = add_truth(n, t, value, truths, second);
    else
      value[t->target] = add_value(n, t, value, truths, second);
  }
  n->output = memory_new(p->outputs, sizeof *n->output);
  for (size_t i = 0; i < p->outputs; i++)
    n->output[i] = (p->output[i].truth ? truths : value)[p->output[i].slot];
  count_uses(n);
  free(value);
  free(truths);
  return n;
}

void bounded_nodes_destroy(bounded_nodes *n)
{
  if (!n)
    return;
  free(n->node);
  free(n->output);
  free(n->powers);
  free(n);
}
