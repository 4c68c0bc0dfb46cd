/* Every limit of assay, with its default. A limit that is reached ends in a message that names it, never in a crash. */
#ifndef ASSAY_CORE_LIMITS_H
#define ASSAY_CORE_LIMITS_H

#include <stddef.h>

enum {
  LIMIT_SOURCE_BYTES = 32 << 20,  /* a claim, case or certificate file */
  LIMIT_TABLE_BYTES = 1 << 20,    /* a table of printed numbers; bytes of one field; columns; cells */
  LIMIT_TABLE_FIELD = 500,
  LIMIT_TABLE_COLUMNS = 256,
  LIMIT_TABLE_CELLS = 10000,
  LIMIT_NESTING = 2000,           /* depth of an expression tree */
  LIMIT_BINDERS = 32,             /* indices in force at one place */
  LIMIT_INHERITANCE = 100,        /* length of a chain of `from` */
  LIMIT_SIZE = 1 << 20,           /* the value of one size */
  LIMIT_EXPONENT = 1 << 24,       /* |exponent| of ^ */
  LIMIT_TAPE = 1 << 25,           /* operations of one tape */
  LIMIT_MONOMIALS = 1 << 20,      /* terms of a polynomial that a mean is taken of */
  LIMIT_TURNS = 1 << 25,          /* turns of all folds while one tape is made */
  LIMIT_ATOMS = 1 << 22,          /* comparisons that the labels of one tape fall into */
  LIMIT_EXACT_BITS = 1 << 20,     /* bits of one exact number */
  LIMIT_PRECISION = 1 << 14,      /* bits of a ball; --precision */
  LIMIT_INPUTS = 1 << 22          /* given elements of one instance */
};

#endif
