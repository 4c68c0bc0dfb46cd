/* The Mamba assumption in double, with a proved bound on every error: the first stage of mamba_assumption.h.
 *
 * Let u = 2^-53. A hat marks a computed number. With b = dt_bias, L = a_log, both exact:
 *
 *   e = exp(b)       kernel        relative error  E1 = KERNEL_EXP_REL
 *   D = log1p(e)     kernel        log1p is concave with log1p(0) = 0, so log1p((1 + h)e) differs from
 * log1p(e) by a factor between 1 and 1 + h: the error of e comes through no larger; the kernel's is E2 =
 * KERNEL_LOG1P_REL g = exp(L)       kernel        E1 p = D g          product       (E1, E2) + E1 + u while
 * the product is a normal number q = 1 - exp(-p)  kernel expm1  concave in p, 0 at 0: as for log1p, the error
 * of p; the kernel's is E3 = KERNEL_EXPM1_REL m = D - q        difference    u |m^| absolute (exact where it
 * is subnormal)
 *
 * Factors 1 + h_i with |h_i| <= E_i multiply to 1 + h with |h| <= S + S^2, S the sum of the E_i (S < 1): S (1
 * + 2^-40) covers it, as S < 2^-49. Where a true value v has |v^ - v| <= h |v|, also |v^ - v| <= h (1 + 2h)
 * |v^|: 2^-40 covers that too.
 *
 *   |D^ - D| <= CD D^,  |p^ - p| <= CP p^,  |q^ - q| <= CQ q^,  |m^ - m| <= CD D^ + CQ q^ + u |m^|. */
#include <float.h>
#include <math.h>

#include "arith/kernels.h"
#include "check/mamba_assumption.h"

#define U 0x1p-53
/* The sums are exact: multiples of 2^-60 below 2^-48. SLACK is 1 + 2^-39: twice 2^-40, for the two effects
 * above; what its own product rounds off (2^-53) is far below what either leaves over. */
#define SLACK (1.0 + 0x1p-39)
#define CD ((KERNEL_EXP_REL + KERNEL_LOG1P_REL) * SLACK)
#define CP ((2.0 * KERNEL_EXP_REL + KERNEL_LOG1P_REL + U) * SLACK)
#define CQ ((2.0 * KERNEL_EXP_REL + KERNEL_LOG1P_REL + U + KERNEL_EXPM1_REL) * SLACK)

/* Below it D^ and p^ would bring underflow into the error terms: the smallest of them is about 2^-50 times as
 * large. */
#define SMALLEST 0x1p-900

enum { CHUNK = 1024 };

/* delta[i] = D^ for `count` biases; NaN where the bound does not hold. */
static void softplus(double *restrict delta, const double *restrict bias, size_t count)
{
  double e[CHUNK];
  for (size_t at = 0; at < count; at += CHUNK) {
    size_t n = count - at < CHUNK ? count - at : CHUNK;
    kernel_exp(e, bias + at, n);
    kernel_log1p(delta + at, e, n); /* NaN stays NaN */
    for (size_t i = at; i < at + n; i++)
      if (!(delta[i] >= SMALLEST))
        delta[i] = NAN;
  }
}

void mamba_enclose(const mamba_enclosures *out, const double *a_log, const double *dt_bias, size_t states,
                   size_t first, size_t count)
{
  double delta[CHUNK], g[CHUNK], minus_p[CHUNK], minus_q[CHUNK];
  for (size_t at = first; at < first + count; at += CHUNK) {
    size_t n = first + count - at < CHUNK ? first + count - at : CHUNK;
    size_t channel = at / states, state = at % states;
    size_t channels = (at + n - 1) / states - channel + 1; /* <= n */
    softplus(delta, dt_bias + channel, channels);
    kernel_exp(g, a_log + at, n);
    for (size_t i = 0, c = 0; i < n; i++) {
      /* Into g goes D^ of the entry once p^ is formed: delta is per channel. */
      double d = delta[c], p = d * g[i];
      minus_p[i] = p >= SMALLEST && p <= DBL_MAX ? -p : NAN;
      g[i] = d;
      if (++state == states) {
        state = 0;
        c++;
      }
    }
    kernel_expm1(minus_q, minus_p, n);
    for (size_t i = 0; i < n; i++) {
      double d = g[i], p = -minus_p[i], q = -minus_q[i];
      double m = d - q;
      /* The three terms have positive factors and no underflow but in the last, at most 2^-1074 where the
       * others exceed 2^-951. Four roundings lose at most 4u of the sum, m -+ error rounds once more by at
       * most u (|m| + error), hence 2u |m|; 2^-39 covers the rest. */
      double error = (CD * d + CQ * q + 2.0 * U * fabs(m)) * SLACK;
      out->margin_low[at + i] = m - error;
      out->margin_high[at + i] = m + error;
      /* Two roundings more: 2u p^. */
      double width = (CP + 2.0 * U) * SLACK * p;
      out->rate_low[at + i] = p - width;
      out->rate_high[at + i] = p + width;
    }
  }
}
