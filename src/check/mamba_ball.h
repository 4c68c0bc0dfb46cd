/* One entry of the Mamba assumption in balls. Private to src/check. */
#ifndef ASSAY_CHECK_MAMBA_BALL_H
#define ASSAY_CHECK_MAMBA_BALL_H

#include "core/flint.h"

typedef struct {
  arb_t delta;  /* softplus(dt_bias) */
  arb_t a;      /* -exp(a_log) */
  arb_t rate;   /* delta |a| */
  arb_t margin; /* exp(delta a) + delta - 1 */
} mamba_ball;

void mamba_ball_init(mamba_ball *ball);
void mamba_ball_clear(mamba_ball *ball);
/* Enclosures at `precision` bits; both numbers finite. */
void mamba_ball_set(mamba_ball *ball, double a_log, double dt_bias, slong precision);

#endif
