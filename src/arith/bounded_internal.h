/* What the files of `bounded` share: kinds of values, the plan that a program becomes, and the
 * interpreter's pieces.
 *
 * u = 2^-53 is the relative error of one operation rounded to nearest, eta = 2^-1074 the smallest positive
 * double.
 *
 * Every value is held in LANES lanes as a pair of arrays, v and m (or only v), of one of three kinds:
 *
 *   EXACT      x = v: inputs, constants that are doubles, and minima, maxima, absolute values of such.
 *   MAGNITUDE  |x - v| <= k u m and |v| <= m, k a constant of the plan: what + - * make of exact values. m
 *              is the same expression with every term taken positive, so that the bound costs one more
 *              operation, not five.
 *   ERROR      |x - v| <= u m: a running error bound, for everything else. m is never NaN, and at least
 *              2^-1000.
 *
 * m infinite (or NaN, where MAGNITUDE) means that nothing is known of x. Where an ERROR m is finite, x is
 * defined; EXACT and MAGNITUDE values are always defined.
 *
 * Underflow. A lane is regular where every input is 0 or at least 2^-g in magnitude, with g chosen by the
 * plan so that every MAGNITUDE m is 0 or at least 2^-940. In regular lanes floor = 0, elsewhere floor =
 * 2^-1000, and every operation that makes a MAGNITUDE value from two EXACT ones, or multiplies, adds it to
 * m. So m is 0 (and then x = v = 0), or at least 2^-1000 (2^-940 where the lane is regular): products of m
 * never lose to underflow more than u m can hold.
 *
 * A truth is a pair of masks of LANES 64-bit words: certainly true, certainly false. */
#ifndef ASSAY_ARITH_BOUNDED_INTERNAL_H
#define ASSAY_ARITH_BOUNDED_INTERNAL_H

#include "arith/arith.h"

typedef enum { BOUNDED_EXACT, BOUNDED_MAGNITUDE, BOUNDED_ERROR, BOUNDED_TRUTH } bounded_kind;

/* What lies at the place an operand refers to: LANES doubles or masks, or two times that. */
enum { BOUNDED_HALF = LANES, BOUNDED_SLOT = 2 * LANES };

#define BOUNDED_U 0x1p-53
#define BOUNDED_FLOOR 0x1p-1000
#define BOUNDED_UP 0x1.0000000000008p+0 /* 1 + 16 u: makes up for up to a dozen roundings of positive terms */

typedef enum {
  /* exact values */
  STEP_NEGATE, STEP_MIN, STEP_MAX, STEP_ABS, STEP_RELU,
  STEP_CHECK, /* the list's inputs: which lanes are finite, which are regular */
  /* magnitude values: target, operands a b c d */
  STEP_EXACT_ADD, STEP_EXACT_SUBTRACT, /* of two exact values */
  STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY,
  STEP_MULTIPLY_ADD,               /* a b + c */
  STEP_MULTIPLY_SUBTRACT,          /* a b - c */
  STEP_SUBTRACT_MULTIPLY,          /* c - a b */
  STEP_MULTIPLY_MULTIPLY_ADD,      /* a b + c d */
  STEP_MULTIPLY_MULTIPLY_SUBTRACT, /* a b - c d */
  STEP_MAGNITUDE_MIN, STEP_MAGNITUDE_MAX, STEP_MAGNITUDE_NEGATE, STEP_MAGNITUDE_ABS, STEP_MAGNITUDE_RELU,
  /* error values (bounded_general.c, bounded_functions.c) */
  STEP_GENERAL, /* code: the tape's opcode */
  /* truths */
  /* code: the tape's opcode; SUM: a + b against c, all exact */
  STEP_COMPARE_EXACT, STEP_COMPARE_SUM, STEP_COMPARE,
  STEP_AND_COMPARE_EXACT, STEP_AND_COMPARE_SUM, STEP_AND_COMPARE, /* and into the accumulator `target` */
  STEP_AND_LIST, /* the list's comparisons of exact values, and into the accumulator `target` */
  STEP_AND_TRUTH,                   /* truth a, and into the accumulator `target` */
  STEP_DEFINED,
  STEP_CONNECTIVE                   /* code: the tape's opcode; operands a, b, c */
} bounded_opcode;

/* One operand: where v is, and where m is. For an EXACT operand m points to v where |v| is wanted, to
 * zeros where its error is. Steps hold references, and pointers once they are bound to an input array. */
typedef struct {
  const double *v, *m;
} bounded_operand;

typedef struct {
  uint8_t op;      /* bounded_opcode */
  uint8_t code;    /* tape_opcode */
  uint8_t defined; /* connectives: bit 0: operand a is certainly defined, bit 1: c */
  uint8_t first;   /* AND...: the accumulator starts here */
  uint32_t list, count;
  /* By operand. Comparisons: the error per unit of m; SUM: -0.0 where it changes its sign, else 0.0.
   * General: u-units per unit of m. */
  double scale[3];
  double *target;
  bounded_operand operand[4];
} bounded_step;

/* A reference to LANES doubles: an input or a place in the arena, in units of LANES doubles. */
typedef uint32_t bounded_reference;
#define BOUNDED_INPUT_BIT 0x80000000u

typedef struct {
  bounded_reference v[4], m[4];
  uint8_t operands;
} bounded_binding;

typedef struct {
  uint8_t code; /* TAPE_LESS, TAPE_LESS_EQUAL, TAPE_EQUAL; or TAPE_INPUT */
  bounded_reference a_place, b_place;
  const double *a, *b;
} bounded_list_entry;

typedef struct {
  uint8_t kind; /* bounded_kind */
  double k;     /* MAGNITUDE */
  bounded_reference place;
} bounded_result;

typedef struct {
  bounded_step *step;
  bounded_binding *binding;
  size_t steps, first_phase;
  bounded_list_entry *list;
  size_t entries;
  bounded_result *output;
  double *arena;    /* slots, constants, zeros; aligned */
  size_t arena_size; /* in units of LANES doubles */
  double regular;    /* a regular input is 0 or at least this in magnitude; infinite: no lane is regular */
} bounded_plan;

bounded_plan *bounded_plan_create(const tape_program *p);
void bounded_plan_destroy(bounded_plan *plan);

struct bounded_state {
  const tape_program *program;
  bounded_plan *plan;
  const double *input; /* what the steps are bound to */
  double *floor;       /* by lane */
  int64_t *finite;     /* by lane: all ones where every input read so far is finite */
};

/* Runs steps [from, to) of the plan, which is bound. */
void bounded_execute(bounded_state *s, size_t from, size_t to);
/* One STEP_GENERAL. */
void bounded_general(const bounded_step *t);
void bounded_function(const bounded_step *t);

#endif
