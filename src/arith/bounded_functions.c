/* Functions of ERROR values, from the kernels of kernels.h.
 *
 * The operand is x with |x - v| <= w = u ea. Each function states how far f(x) may be from f(v), and f(v)
 * from what is computed; the sum, in units of u, goes through bounded_finish (bounded_general.c says what
 * that makes up for). A kernel that knows nothing gives NaN, which makes the bound infinite. */
#include "arith/bounded_general.h"
#include "arith/kernels.h"
#include "core/target.h"

#define EXP_UNITS (KERNEL_EXP_REL / BOUNDED_U)
#define EXPM1_UNITS (KERNEL_EXPM1_REL / BOUNDED_U)
#define LOG_UNITS (KERNEL_LOG_REL / BOUNDED_U)
#define LOG1P_UNITS (KERNEL_LOG1P_REL / BOUNDED_U)

/* e^-708 < 2^-1021 = u 2^-968: how far a function that decays like e^x may be from its limit past -708. */
#define TAIL 0x1p-968
#define TAIL_FROM 708.0

typedef struct {
  const double *restrict v, *restrict m;
  double scale;
  double *restrict r, *restrict e;
} operation;

static inline operation operation_of(const bounded_step *t)
{
  return (operation){t->operand[0].v, t->operand[0].m, t->scale[0], t->target, t->target + BOUNDED_HALF};
}

/* |e^x - e^v| <= e^v (e^w - 1) <= e^v w (1 + w) for w <= 1, and e^v <= (1 + 2 rel) y. Past -708 at both
 * ends of the error, 0 < e^x < TAIL. */
TARGET_VECTOR static void bounded_finish_exp(operation o)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea, y = o.r[i];
    double e = y * (ea * (1 + w) + EXP_UNITS);
    int tail = o.v[i] < -TAIL_FROM && o.v[i] + 2 * w < -TAIL_FROM;
    o.r[i] = tail ? 0 : y;
    o.e[i] = bounded_finish(tail ? TAIL : w <= 0.25 ? e : HUGE_VAL);
  }
}

/* |expm1 x - expm1 v| = |e^x - e^v| <= e^v w (1 + w), with e^v <= 1 + |y| (1 + 2 rel). */
TARGET_VECTOR static void bounded_finish_expm1(operation o)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea, y = fabs(o.r[i]);
    double e = (1 + y) * (ea * (1 + w)) + y * EXPM1_UNITS;
    o.e[i] = bounded_finish(w <= 0.25 ? e : HUGE_VAL);
  }
}

/* |log x - log v| <= w / (v - w), asked for w <= v / 2. The kernel's domain holds v off underflow. */
TARGET_VECTOR static void bounded_finish_log(operation o)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea;
    double e = ea / ((o.v[i] - w) * (1 - 0x1p-50)) + fabs(o.r[i]) * LOG_UNITS;
    o.e[i] = bounded_finish(w <= 0.5 * o.v[i] ? e : HUGE_VAL);
  }
}

/* The same with 1 + v, which is rounded by at most a factor of 1 + u. */
TARGET_VECTOR static void bounded_finish_log1p(operation o)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea, base = (1 + o.v[i]) * (1 - 0x1p-50);
    double e = ea / ((base - w) * (1 - 0x1p-50)) + fabs(o.r[i]) * LOG1P_UNITS;
    o.e[i] = bounded_finish(w <= 0.5 * base ? e : HUGE_VAL);
  }
}

/* |sqrt x - sqrt v| = |x - v| / (sqrt x + sqrt v) <= w / sqrt v, and sqrt v >= (1 - u) y. That x is not
 * negative is certain where v > fl(u ea) (both are multiples of eta, so that v exceeds u ea even if that
 * was rounded down), or where there is no error. */
TARGET_VECTOR static void bounded_finish_sqrt(operation o)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], v = o.v[i], w = BOUNDED_U * ea, y = sqrt(v > 0 ? v : 0);
    double e = ea > 0 ? ea / y + y : y;
    o.r[i] = y;
    o.e[i] = bounded_finish((ea > 0 ? v > w : v >= 0) ? e : HUGE_VAL);
  }
}

/* s = 1 / (1 + z) or z / (1 + z), z = e^-|v| <= 1. The relative error of z enters s at most once; the sum
 * and the quotient add u each, the terms of second order far less than another 0.1 u. Past 708, z = 0 and
 * s is off by e^-708 at most. sigmoid has slope at most 1/4, and its logarithm at most 1: |s(x) - s(v)| <=
 * min(w / 4, s(v)(e^w - 1)), and e^w - 1 <= 1.15 w for w <= 1/4, s(v) <= 1.01 s. */
TARGET_VECTOR static void bounded_finish_sigmoid(operation o, const double *restrict decay)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea;
    int inside = fabs(o.v[i]) <= TAIL_FROM;
    double z = inside ? decay[i] : 0;
    double s = (o.v[i] >= 0 ? 1 : z) / (1 + z);
    double slope = w <= 0.25 && s < 0.2 ? 1.25 * s : 0.25;
    o.r[i] = s;
    o.e[i] = bounded_finish(((EXP_UNITS + 2.1) * s + ea * slope) + (inside ? 0 : TAIL));
  }
}

/* p = max(v, 0) + log1p(z), z = e^-|v|. The relative error of z becomes at most that of log1p(z), since
 * z / (1 + z) <= log1p(z); the kernel's and u of the sum come to it.
 * softplus has slope sigmoid <= 1, and its logarithm too, sigmoid(v) <= softplus(v): as for sigmoid. */
TARGET_VECTOR static void bounded_finish_softplus(operation o, const double *restrict logarithm)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], w = BOUNDED_U * ea;
    int inside = fabs(o.v[i]) <= TAIL_FROM;
    double p = (o.v[i] > 0 ? o.v[i] : 0) + (inside ? logarithm[i] : 0);
    double slope = w <= 0.25 && p < 0.8 ? 1.25 * p : 1;
    o.r[i] = p;
    o.e[i] = bounded_finish(((EXP_UNITS + LOG1P_UNITS + 1.1) * p + ea * slope) + (inside ? 0 : TAIL));
  }
}

/* y = -q / (2 + q) with the sign of v, q = expm1(-2 |v|) in (-1, 0]. The relative error of q enters at
 * most twice (the slope of log y by log q is 2 / (2 + q)); the sum and the quotient add u each. tanh has
 * slope at most 1. */
TARGET_VECTOR static void bounded_finish_tanh(operation o, const double *restrict q)
{
  for (int i = 0; i < LANES; i++) {
    double ea = o.scale * o.m[i], y = -q[i] / (2 + q[i]);
    o.r[i] = o.v[i] < 0 ? -y : y;
    o.e[i] = bounded_finish((2 * EXPM1_UNITS + 2.1) * y + ea);
  }
}

void bounded_function(const bounded_step *t)
{
  operation o = operation_of(t);
  double argument[LANES], first[LANES], second[LANES];
  switch ((tape_opcode)t->code) {
  case TAPE_EXP:
    kernel_exp(o.r, o.v, LANES);
    bounded_finish_exp(o);
    break;
  case TAPE_EXPM1:
    kernel_expm1(o.r, o.v, LANES);
    bounded_finish_expm1(o);
    break;
  case TAPE_LOG:
    kernel_log(o.r, o.v, LANES);
    bounded_finish_log(o);
    break;
  case TAPE_LOG1P:
    kernel_log1p(o.r, o.v, LANES);
    bounded_finish_log1p(o);
    break;
  case TAPE_SIGMOID:
  case TAPE_SOFTPLUS:
    for (int i = 0; i < LANES; i++)
      argument[i] = -fabs(o.v[i]);
    kernel_exp(first, argument, LANES);
    if (t->code == TAPE_SIGMOID) {
      bounded_finish_sigmoid(o, first);
    } else {
      kernel_log1p(second, first, LANES);
      bounded_finish_softplus(o, second);
    }
    break;
  case TAPE_TANH:
    for (int i = 0; i < LANES; i++)
      argument[i] = -2 * fabs(o.v[i]);
    kernel_expm1(first, argument, LANES);
    bounded_finish_tanh(o, first);
    break;
  default: /* TAPE_SQRT */
    bounded_finish_sqrt(o);
    break;
  }
}
