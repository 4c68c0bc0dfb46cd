/* The syntax tree of expressions.
 *
 * Nodes live in the region of the library that read them (claim.h), are never changed after resolution, and may be
 * shared between claims of a file (inheritance). Rational literals are exact.
 *
 * Binding. While an expression is walked, an environment of int64 values is kept, one per index in force: the node's
 * `slot` of an index, and the `slot` of a range that binds one, are places in that array, numbered from 0 by depth of
 * nesting within one declaration (a `let s[t in ..]` binds slot 0, a fold inside it slot 1, ...). */
#ifndef ASSAY_LANG_TREE_H
#define ASSAY_LANG_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/flint.h"

typedef enum {
  NODE_NUMBER,     /* number */
  NODE_PI,
  NODE_SIZE,       /* symbol: index of the size in claim->sizes */
  NODE_INDEX,      /* slot */
  NODE_GIVEN,      /* symbol: index in claim->givens; children: one index expression each */
  NODE_LET,        /* symbol: index in claim->lets; children: one index expression each */
  NODE_NEGATE,     /* 1 child */
  NODE_ADD, NODE_SUBTRACT, NODE_MULTIPLY, NODE_DIVIDE, /* 2 children */
  NODE_POWER,      /* base, integer exponent */
  NODE_CALL,       /* function; children are the arguments (min and max: 1 or more, the others 1) */
  NODE_FOLD,       /* fold; ranges; 1 child, the body. forall and exists are folds over truth values */
  NODE_IF,         /* condition, then, else; a value or a truth value */
  NODE_COMPARE,    /* n + 1 children joined by n relations: a chain */
  NODE_NOT,        /* 1 child */
  NODE_AND, NODE_OR, NODE_IMPLIES, /* 2 children */
  NODE_DERIVATIVE, /* expression; a NODE_GIVEN */
  NODE_RANDOM,     /* symbol: index in claim->randoms; children: one index expression each. Only below a NODE_MEAN */
  NODE_MEAN,       /* 1 child, a polynomial in random elements: its expectation over all of them */
  NODE_INTEGRAL,   /* low, high, body: the integral of the body over the real variable `name` from low to high;
                    * slot: how many integrals stand around it in this expression */
  NODE_VARIABLE    /* the variable of an integral around it; slot: how many integrals stand around that one in this
                    * expression */
} node_kind;

typedef enum { RELATION_LESS, RELATION_LESS_EQUAL, RELATION_EQUAL, RELATION_NOT_EQUAL, RELATION_GREATER_EQUAL,
               RELATION_GREATER } relation;

typedef enum { FOLD_SUM, FOLD_PRODUCT, FOLD_MIN, FOLD_MAX, FOLD_FORALL, FOLD_EXISTS } fold_kind;

typedef enum {
  FUNCTION_ABS, FUNCTION_MIN, FUNCTION_MAX, FUNCTION_SQRT, FUNCTION_CBRT, FUNCTION_EXP, FUNCTION_EXPM1, FUNCTION_LOG,
  FUNCTION_LOG1P, FUNCTION_SIN, FUNCTION_COS, FUNCTION_TAN, FUNCTION_ATAN, FUNCTION_TANH, FUNCTION_ERF,
  FUNCTION_SIGMOID, FUNCTION_SOFTPLUS, FUNCTION_SILU, FUNCTION_GELU, FUNCTION_RELU, FUNCTION_LAMBERTW0,
  FUNCTION_COUNT
} function_kind;

/* The type of an expression, found by resolution. An INTEGER may stand where a VALUE may. */
typedef enum { TYPE_INTEGER, TYPE_VALUE, TYPE_TRUTH } node_type;

typedef struct node node;

/* `index in low..high`, both inclusive. */
typedef struct {
  const char *name;
  node *low, *high; /* integer expressions; may use sizes and the indices bound before */
  unsigned slot;
  diag_place place; /* where it begins */
} node_range;

struct node {
  node_kind kind;
  node_type type;
  diag_place place;
  const char *name; /* as written (Greek letters by their English names); names only */
  unsigned symbol;
  unsigned slot;
  unsigned depth;      /* 1 + that of the deepest child */
  uint32_t free_slots; /* bit i: the value depends on the index in slot i */
  function_kind function;
  fold_kind fold;
  unsigned children;
  node **child;
  relation *relations; /* children - 1 of them */
  unsigned ranges;
  node_range *range;
  fmpq *number; /* NODE_NUMBER */
};

/* The word that the language has for it: "sum", "softplus", "<=". */
const char *tree_fold_name(fold_kind fold);
const char *tree_function_name(function_kind function);
const char *tree_relation_name(relation r);

/* The value of an integer expression (sizes, indices, integer literals, + - * ^ unary minus, NODE_IF over integers is not
 * allowed) given the sizes and the index environment. Returns false on overflow of int64 or a negative exponent that
 * gives no integer; then *value is unset. */
bool tree_integer(int64_t *value, const node *n, const int64_t *sizes, const int64_t *indices);

/* Same expression, up to the places: structural equality. */
bool tree_equal(const node *a, const node *b);

#endif
