/* The tape: a claim at fixed sizes as a straight line of operations, each on earlier results.
 *
 * A tape is in single-assignment form: operation i is the value i. Equal operations are one operation (the builder
 * looks each up before it adds it), so "same node" is "same number". What evaluates a tape runs a *program* made from
 * it (tape_compile), in which dead operations are gone and slots are reused.
 *
 * Values are real numbers or undefined; truths are those of core/status.h. Definedness: an operation on an undefined
 * value is undefined, but for SELECT, CHOOSE and the connectives, which look at their first operand first. */
#ifndef ASSAY_TAPE_TAPE_H
#define ASSAY_TAPE_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/flint.h"
#include "core/status.h"

typedef uint32_t tape_id;
#define TAPE_NONE UINT32_MAX

typedef enum {
  /* leaves */
  TAPE_CONSTANT,  /* a: index into constants */
  TAPE_INPUT,     /* a: number of the given element */
  TAPE_PI,
  TAPE_UNDEFINED, /* a value that is undefined */
  TAPE_TRUTH,     /* a: TRUTH_TRUE, TRUTH_FALSE or TRUTH_UNDEFINED */
  TAPE_RANDOM,    /* a: number of the random element; never part of a program: tape_mean (moments.h) takes it away */
  TAPE_VARIABLE,  /* a: level of the integral that binds it; only inside an INTEGRAND */
  TAPE_INTEGRAND, /* a: level, b: the body, a value. A leaf to everything but what evaluates INTEGRAL */
  /* values from values */
  TAPE_NEGATE,
  TAPE_ADD, TAPE_SUBTRACT, TAPE_MULTIPLY,
  TAPE_DIVIDE,    /* undefined for b = 0 */
  TAPE_POWER,     /* a ^ (int32_t)b; 0^0 = 1; undefined for a = 0 and a negative exponent */
  TAPE_ZERO,      /* 0 where a is defined (what became of a - a) */
  TAPE_SPREAD,    /* a - b for the maximum and minimum of one family: max over s, t of |e_s - e_t|; like SUBTRACT, but has no derivative */
  TAPE_MIN, TAPE_MAX,
  TAPE_ABS, TAPE_SQRT, TAPE_CBRT, TAPE_EXP, TAPE_EXPM1, TAPE_LOG, TAPE_LOG1P, TAPE_SIN, TAPE_COS, TAPE_TAN, TAPE_ATAN,
  TAPE_TANH, TAPE_ERF, TAPE_SIGMOID, TAPE_SOFTPLUS, TAPE_SILU, TAPE_GELU, TAPE_RELU, TAPE_LAMBERTW0,
  TAPE_SELECT,    /* c true: a; c false: b */
  TAPE_INTEGRAL,  /* from a to b of the INTEGRAND c (in a program: the number of a tape_integral). Only `ball` evaluates it */
  /* truths from values */
  TAPE_LESS, TAPE_LESS_EQUAL, TAPE_EQUAL, /* a rel b */
  TAPE_DEFINED,   /* true where a is defined, undefined elsewhere (what became of a <= a) */
  /* truths from truths */
  TAPE_NOT, TAPE_AND, TAPE_OR, TAPE_IMPLIES,
  TAPE_CHOOSE,    /* c true: a; c false: b */
  TAPE_OPCODES
} tape_opcode;

enum { TAPE_LEVELS = 8 }; /* integrals may be nested so deep */

typedef struct {
  uint8_t op;      /* tape_opcode */
  uint8_t random;  /* values: some RANDOM is below it (then it is a polynomial in them: lowering sees to that) */
  uint8_t total;   /* values: certainly defined, whatever the inputs; truths: certainly not undefined */
  uint8_t variables; /* bit i: the VARIABLE of level i is below it, outside the integral that binds it */
  tape_id a, b, c; /* operands; unused ones are TAPE_NONE (b of POWER is the exponent) */
} tape_op;

/* One element of a given, in the order of declaration (line by line, last index fastest). */
typedef struct {
  char *name;          /* "alpha[3]"; owned */
  unsigned given, line;
  tape_id op;          /* TAPE_INPUT of this number, or what an equality hypothesis was solved for (tape_is_drawn) */
  tape_id low, high;   /* ends of its range; TAPE_NONE: infinite */
  bool low_open, high_open;
} tape_element;

/* One comparison (or other indivisible formula) of a label: at which indices, and its two sides. */
typedef struct {
  tape_id truth;
  tape_id left, right;     /* of a comparison (left REL right as written); TAPE_NONE for another formula */
  uint8_t relation;        /* enum relation of lang/tree.h, as written */
  uint8_t part;            /* 0, or the place in a chain a <= b <= c, from 1 */
  uint32_t indices;        /* how many */
  uint32_t first_index;    /* into tape->index_name and tape->index_value */
} tape_atom;

typedef enum { TAPE_RANGE, TAPE_ASSUME, TAPE_SHOW, TAPE_POSSIBLE, TAPE_TRIVIAL } tape_label_kind;

/* A hypothesis, a conclusion, or a trivial bound (truth is then the value). RANGE: the range of one given, name is the given's. */
typedef struct {
  tape_label_kind kind;
  const char *name;       /* of the claim; not owned */
  tape_id truth;          /* of the whole label */
  bool solved;            /* an equality met by construction: see tape_element.op. Its truth is that the solution exists */
  uint32_t first_atom, atoms;
} tape_label;

typedef struct {
  tape_op *op;
  size_t ops;
  fmpq *constant;
  size_t constants;
  tape_element *element;
  size_t elements;
  tape_label *label; /* ranges first, then as declared */
  size_t labels;
  tape_atom *atom;
  size_t atoms;
  const char **index_name;
  int64_t *index_value;
  size_t indices;
  /* private to the builder */
  size_t op_capacity, constant_capacity, element_capacity, label_capacity, atom_capacity, index_capacity;
  uint32_t *table; /* open addressing, op numbers + 1 */
  size_t table_size;
  uint32_t *constant_table;
  size_t constant_table_size;
  tape_id *form; /* signs.c: of the first `forms` operations, signs outermost */
  bool *cancels; /* and whether something in it cancels */
  size_t forms, form_capacity;
  size_t limit; /* operations at most */
  bool full;    /* the limit was reached: everything since is meaningless */
} tape;

tape *tape_create(size_t limit);
void tape_destroy(tape *t);

/* Each returns the number of the operation, new or old. Simplifications are exact and keep definedness: operations on
 * constants, x + 0, x * 1, a - a, a <= a, connectives with a constant, SELECT with a decided condition. */
tape_id tape_constant(tape *t, const fmpq_t value);
tape_id tape_integer(tape *t, int64_t value);
tape_id tape_truth(tape *t, truth value);
tape_id tape_leaf(tape *t, tape_opcode op, uint32_t a); /* INPUT, PI, UNDEFINED, RANDOM, VARIABLE */
tape_id tape_unary(tape *t, tape_opcode op, tape_id a);
tape_id tape_binary(tape *t, tape_opcode op, tape_id a, tape_id b);
tape_id tape_power(tape *t, tape_id a, int32_t exponent);
tape_id tape_select(tape *t, tape_opcode op, tape_id condition, tape_id a, tape_id b); /* SELECT or CHOOSE */
/* An INTEGRAND; level < TAPE_LEVELS. */
tape_id tape_integrand(tape *t, uint32_t level, tape_id body);
/* The integral of an INTEGRAND. Only integrals of higher levels may stand below it with its variable below them. */
tape_id tape_integral(tape *t, tape_id low, tape_id high, tape_id integrand);
/* y with `replacement` in the place of the VARIABLE of `level` where no integral within y binds it. */
tape_id tape_substitute(tape *t, tape_id y, uint32_t level, tape_id replacement);

/* Two values that are to be compared: where they are the same but for the places of minus signs, or something cancels in one of
 * them once these are moved outermost, the forms in which that shows; equal to a and b, and undefined where they are. */
void tape_cancel_signs(tape *t, tape_id *a, tape_id *b);

bool tape_is_truth(tape_opcode op);
const char *tape_opcode_name(tape_opcode op);
/* How many of a, b, c are operands (POWER: 1). */
unsigned tape_operands(tape_opcode op);
/* Every operation that o is made of, also the INTEGRAND of an INTEGRAL and its body. Returns how many. */
unsigned tape_children(tape_id child[3], const tape_op *o);

void tape_add_element(tape *t, tape_element e);
/* Whether element number e is an input of its own, rather than solved for (perhaps to be equal to another element). */
bool tape_is_drawn(const tape *t, size_t e);
uint32_t tape_add_atom(tape *t, tape_atom atom, const char *const *names, const int64_t *values, uint32_t indices);
void tape_add_label(tape *t, tape_label label);

/* The conjunction of all hypotheses (ranges and assumes), in order. Builder operation. */
tape_id tape_hypotheses(tape *t);

/* ---- programs ---- */

typedef struct {
  uint8_t op;
  uint8_t exact;        /* bit 0: operand a is an exactly known double in `bounded` (input, dyadic constant); bit 1: b */
  uint32_t target;      /* slot: of values or of truths, by the op's kind */
  uint32_t a, b, c;     /* operand slots (leaves: as in tape_op; POWER's b: the exponent) */
} tape_step;

typedef struct {
  tape_id id;   /* of the tape */
  bool truth;
  uint32_t slot;
} tape_output;

typedef struct tape_program tape_program;

/* What an INTEGRAL integrates, as a program of its own with the one output. Of what does not depend on its variable it takes
 * the values from the program around it, slot `from`, into its own slot `to`, which no step writes. */
typedef struct {
  tape_program *body;
  struct tape_capture {
    uint32_t from, to;
    bool truth;
    uint8_t variables; /* free in it: of integrals further out */
  } *capture;
  size_t captures;
} tape_integral_body;

struct tape_program {
  const tape *source; /* must outlive the program; gives the constants */
  tape_step *step;
  size_t steps;
  size_t first_phase;  /* the steps that the outputs of the first phase need come first: step[0 .. first_phase) */
  uint32_t value_slots, truth_slots;
  tape_output *output; /* as asked for, in order; their slots are never reused */
  size_t outputs;
  size_t inputs;       /* elements of the tape */
  tape_integral_body *integral;
  size_t integrals;
};

/* A program that computes `outputs` (n of them, values or truths); the first `first` of them belong to the first phase.
 * keep_all: no slot is reused (for gradients and for looking at every value). */
tape_program *tape_compile(const tape *t, const tape_id *outputs, size_t n, size_t first, bool keep_all);
void tape_program_destroy(tape_program *p);

#endif
