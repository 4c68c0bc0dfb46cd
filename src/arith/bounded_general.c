/* Operations on ERROR values (bounded_internal.h): a running error bound, in units of u.
 *
 * Operands of any kind come with ea = scale m, so that |x - v| <= u ea. In every operation the new bound
 * is a sum of positive terms, each with at most a dozen roundings; `finish` multiplies by 1 + 16 u, which
 * outweighs them, and adds 2^-1000, which is 2^21 eta / u: more than all that underflow can take from the
 * few products of one operation. A bound that is not a number becomes infinite. */
#include "arith/bounded_internal.h"
#include "arith/bounded_general.h"
#include "core/target.h"

/* |va vb - v| <= u |v| + eta / 2, and xa xb - va vb = va (xb - vb) + vb (xa - va) + (xa - va)(xb - vb). */
static inline double product_error(double va, double ea, double vb, double eb, double v)
{
  return (fabs(va) * eb + fabs(vb) * ea) + (BOUNDED_U * ea * eb + fabs(v));
}

/* |xa / xb - va / vb| <= u (ea + |va / vb| eb) / (|vb| - u eb). Asked for u eb <= |vb| / 2 and |vb| >=
 * 2^-1000, so that neither the difference nor the underflow of u eb matters; 2^-1070 makes up for
 * underflow of |v| eb above the bar, and eta / 2 in v itself times eb / (|vb| - u eb) <= 1 / u is below
 * 2^-1000. */
static inline double quotient_error(double ea, double vb, double eb, double v)
{
  double loss = BOUNDED_U * eb, size = fabs(vb);
  double below = (size - loss) * (1 - 0x1p-50);
  double e = ((ea + fabs(v) * eb) + 0x1p-1070) / below + fabs(v);
  return loss <= 0.5 * size && size >= BOUNDED_FLOOR ? e : HUGE_VAL;
}

TARGET_VECTOR static void bounded_general_arithmetic(const bounded_step *t)
{
  const double *restrict a = t->operand[0].v, *restrict am = t->operand[0].m;
  const double *restrict b = t->operand[1].v, *restrict bm = t->operand[1].m;
  const double sa = t->scale[0], sb = t->scale[1];
  double *restrict r = t->target, *restrict e = r + BOUNDED_HALF;
#define EACH(value, error)                       \
  for (int i = 0; i < LANES; i++) {              \
    double ea = sa * am[i], eb = sb * bm[i];     \
    double v = (value);                          \
    r[i] = v;                                    \
    e[i] = bounded_finish(error);                \
  }                                              \
  break
  switch ((tape_opcode)t->code) {
  case TAPE_ADD: /* rounding: at most u |v|, and none where v is subnormal */
    EACH(a[i] + b[i], (ea + eb) + fabs(v));
  case TAPE_SUBTRACT:
    EACH(a[i] - b[i], (ea + eb) + fabs(v));
  case TAPE_MULTIPLY:
    EACH(a[i] * b[i], product_error(a[i], ea, b[i], eb, v));
  case TAPE_DIVIDE:
    EACH(a[i] / b[i], quotient_error(ea, b[i], eb, v));
  case TAPE_MIN: /* the error is at most the larger error; where one is infinite or NaN, so is the sum */
    EACH(a[i] < b[i] ? a[i] : b[i], (ea > eb ? ea : eb) + ((ea - ea) + (eb - eb)));
  default: /* TAPE_MAX */
    EACH(a[i] > b[i] ? a[i] : b[i], (ea > eb ? ea : eb) + ((ea - ea) + (eb - eb)));
  }
#undef EACH
}

/* A condition that is certain picks its branch, the other does not matter. One that is defined but not
 * certain gives either: |x - va| <= ea or |x - va| <= |va - vb| + eb. */
TARGET_VECTOR static void bounded_general_choose(const bounded_step *t)
{
  const double *restrict a = t->operand[0].v, *restrict am = t->operand[0].m;
  const double *restrict b = t->operand[1].v, *restrict bm = t->operand[1].m;
  const int64_t *restrict yes = (const int64_t *)(const void *)t->operand[2].v;
  const int64_t *restrict no = (const int64_t *)(const void *)t->operand[2].m;
  const double sa = t->scale[0], sb = t->scale[1], open = t->defined ? 0 : HUGE_VAL;
  double *restrict r = t->target, *restrict e = r + BOUNDED_HALF;
  for (int i = 0; i < LANES; i++) {
    double ea = sa * am[i], eb = sb * bm[i];
    double hull = (ea + eb) + fabs(a[i] - b[i]) / BOUNDED_U + open;
    r[i] = no[i] ? b[i] : a[i];
    e[i] = bounded_finish(yes[i] ? ea : no[i] ? eb : hull);
  }
}

/* Functions with slope at most 1 that are exact in double: the error is at most the operand's. Where the
 * operand's error is finite the operand is defined. */
TARGET_VECTOR static void bounded_general_nonexpansive(const bounded_step *t)
{
  const double *restrict a = t->operand[0].v, *restrict am = t->operand[0].m;
  const double sa = t->scale[0];
  double *restrict r = t->target, *restrict e = r + BOUNDED_HALF;
#define EACH(value, error)          \
  for (int i = 0; i < LANES; i++) { \
    double ea = sa * am[i];         \
    r[i] = (value);                 \
    e[i] = bounded_finish(error);   \
  }                                 \
  break
  switch ((tape_opcode)t->code) {
  case TAPE_NEGATE:
    EACH(-a[i], ea);
  case TAPE_ABS:
    EACH(fabs(a[i]), ea);
  case TAPE_RELU:
    EACH(a[i] > 0 ? a[i] : 0, ea);
  case TAPE_ZERO: /* 0 or NaN, which becomes infinite */
    EACH(0, ea - ea);
  case TAPE_SIN: /* all that is known here of these: |x| <= 1 */
  case TAPE_COS:
  case TAPE_ERF:
    EACH(0, (ea - ea) + 1 / BOUNDED_U);
  case TAPE_ATAN: /* pi / 2 < 1.58 */
    EACH(0, (ea - ea) + 1.58 / BOUNDED_U);
  default: /* cbrt, tan, gelu, lambertw0: nothing */
    EACH(0, ea + HUGE_VAL);
  }
#undef EACH
}

void bounded_general(const bounded_step *t)
{
  switch ((tape_opcode)t->code) {
  case TAPE_ADD:
  case TAPE_SUBTRACT:
  case TAPE_MULTIPLY:
  case TAPE_DIVIDE:
  case TAPE_MIN:
  case TAPE_MAX:
    bounded_general_arithmetic(t);
    break;
  case TAPE_SELECT:
    bounded_general_choose(t);
    break;
  case TAPE_SQRT:
  case TAPE_EXP:
  case TAPE_EXPM1:
  case TAPE_LOG:
  case TAPE_LOG1P:
  case TAPE_TANH:
  case TAPE_SIGMOID:
  case TAPE_SOFTPLUS:
    bounded_function(t);
    break;
  default:
    bounded_general_nonexpansive(t);
    break;
  }
}
