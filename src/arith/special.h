/* Functions at rational points: where the value is rational it is known exactly.
 *
 * For every function of the language the rational points at which its value is rational are finitely many
 * or easily recognised: squares for sqrt, cubes for cbrt, everything for abs and relu, 0 or 1 for the
 * others, softplus nowhere (Hermite-Lindemann for exp and its relatives, sin, cos, tan, atan, tanh,
 * sigmoid, softplus, silu, lambertw0). erf and gelu at other rational points are not known to be
 * irrational; no value is claimed there either. */
#ifndef ASSAY_ARITH_SPECIAL_H
#define ASSAY_ARITH_SPECIAL_H

#include "tape/tape.h"

/* value = op(x) and STATUS_OK where that is rational; STATUS_UNDEFINED outside the domain of op, decided
 * for every x; STATUS_UNABLE where op(x) is defined but not known to be rational. op is a function of one
 * number, NEGATE or ZERO. value may be x. */
assay_status special_value(fmpq_t value, tape_opcode op, const fmpq_t x);

#endif
