/* One entry of the Mamba assumption in balls. */
#include "check/mamba_ball.h"

#include "check/mamba_assumption.h"

void mamba_ball_init(mamba_ball *ball)
{
  arb_init(ball->delta);
  arb_init(ball->a);
  arb_init(ball->rate);
  arb_init(ball->margin);
}

void mamba_ball_clear(mamba_ball *ball)
{
  arb_clear(ball->delta);
  arb_clear(ball->a);
  arb_clear(ball->rate);
  arb_clear(ball->margin);
}

void mamba_ball_set(mamba_ball *ball, double a_log, double dt_bias, slong precision)
{
  /* softplus(b) = log1p(exp(b)) = b + log1p(exp(-b)): the second has no large exp where b is large. */
  arb_t b;
  arb_init(b);
  arb_set_d(b, dt_bias);
  if (dt_bias > 0) {
    arb_neg(ball->delta, b);
    arb_exp(ball->delta, ball->delta, precision);
    arb_log1p(ball->delta, ball->delta, precision);
    arb_add(ball->delta, ball->delta, b, precision);
  } else {
    arb_exp(ball->delta, b, precision);
    arb_log1p(ball->delta, ball->delta, precision);
  }
  arb_clear(b);

  arb_set_d(ball->a, a_log);
  arb_exp(ball->a, ball->a, precision);
  arb_mul(ball->rate, ball->delta, ball->a, precision);
  arb_neg(ball->a, ball->a);

  /* expm1, not exp: for small delta both sides are about delta, and 1 would swallow the digits that differ.
   */
  arb_neg(ball->margin, ball->rate);
  arb_expm1(ball->margin, ball->margin, precision);
  arb_add(ball->margin, ball->margin, ball->delta, precision);
}
