/* The functions of the language and their derivatives in plain double. They only guide searches: no error
 * bound. */
#include <math.h>

#include "arith/real_internal.h"

static const double half_root_pi = 0.88622692545275801365; /* sqrt(pi) / 2 */
static const double root_half = 0.70710678118654752440;
static const double density_at_zero = 0.39894228040143267794; /* of the standard normal distribution */

/* The solution w >= -1 of w e^w = x, by Halley's iteration from a start on the right branch. */
static double lambertw0(double x)
{
  const double inverse_e = 0.36787944117144232160;
  if (!(x >= -inverse_e))
    return NAN;
  double w;
  if (x < -0.25)
    w = -1 + sqrt(2 * (x / inverse_e + 1)); /* the branch point is a square root */
  else if (x < 3)
    w = log1p(x) * (x > 0 ? 0.75 : 1.0);
  else
    w = log(x) - log(log(x));
  for (int i = 0; i < 20; i++) {
    double e = exp(w), f = w * e - x;
    if (f == 0 || w <= -1)
      break;
    double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));
    if (!(fabs(step) > 1e-16 * (1 + fabs(w))))
      break;
    w -= step;
  }
  return w;
}

static double sigmoid(double x)
{
  double e = exp(-fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double normal_below(double x)
{
  return 0.5 * erfc(-x * root_half);
}

double real_function(tape_opcode op, double x)
{
  switch (op) {
  case TAPE_NEGATE:
    return -x;
  case TAPE_ZERO:
    return x == x ? 0 : NAN;
  case TAPE_ABS:
    return fabs(x);
  case TAPE_SQRT:
    return x >= 0 ? sqrt(x) : NAN;
  case TAPE_CBRT:
    return cbrt(x);
  case TAPE_EXP:
    return exp(x);
  case TAPE_EXPM1:
    return expm1(x);
  case TAPE_LOG:
    return x > 0 ? log(x) : NAN;
  case TAPE_LOG1P:
    return x > -1 ? log1p(x) : NAN;
  case TAPE_SIN:
    return sin(x);
  case TAPE_COS:
    return cos(x);
  case TAPE_TAN:
    return tan(x);
  case TAPE_ATAN:
    return atan(x);
  case TAPE_TANH:
    return tanh(x);
  case TAPE_ERF:
    return erf(x);
  case TAPE_SIGMOID:
    return sigmoid(x);
  case TAPE_SOFTPLUS:
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
  case TAPE_SILU:
    return x * sigmoid(x);
  case TAPE_GELU:
    return x * normal_below(x);
  case TAPE_RELU:
    return x == x ? (x > 0 ? x : 0) : NAN;
  case TAPE_LAMBERTW0:
    return lambertw0(x);
  default:
    return NAN;
  }
}

double real_function_slope(tape_opcode op, double x)
{
  double y;
  switch (op) {
  case TAPE_NEGATE:
    return -1;
  case TAPE_ABS:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case TAPE_SQRT:
    return 0.5 / sqrt(x);
  case TAPE_CBRT:
    y = cbrt(x);
    return 1 / (3 * y * y);
  case TAPE_EXP:
  case TAPE_EXPM1:
    return exp(x);
  case TAPE_LOG:
    return 1 / x;
  case TAPE_LOG1P:
    return 1 / (1 + x);
  case TAPE_SIN:
    return cos(x);
  case TAPE_COS:
    return -sin(x);
  case TAPE_TAN:
    y = tan(x);
    return 1 + y * y;
  case TAPE_ATAN:
    return 1 / (1 + x * x);
  case TAPE_TANH:
    y = tanh(x);
    return 1 - y * y;
  case TAPE_ERF:
    return exp(-x * x) / half_root_pi;
  case TAPE_SIGMOID:
    return sigmoid(x) * sigmoid(-x);
  case TAPE_SOFTPLUS:
    return sigmoid(x);
  case TAPE_SILU:
    y = sigmoid(x);
    return y * (1 + x * (1 - y));
  case TAPE_GELU:
    return normal_below(x) + x * density_at_zero * exp(-0.5 * x * x);
  case TAPE_RELU:
    return x > 0 ? 1 : 0;
  case TAPE_LAMBERTW0:
    y = lambertw0(x);
    return 1 / (exp(y) * (1 + y));
  default: /* TAPE_ZERO */
    return 0;
  }
}
