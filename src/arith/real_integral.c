/* Integrals in plain double, by Gauss-Legendre quadrature on a few panels. They only guide searches: no error bound. */
#include <math.h>
#include <string.h>

#include "arith/real_internal.h"

enum { HALF = 8, PANELS = 4, PANELS_NESTED = 2 };

/* The positive nodes of the rule of 16 points, and their weights. */
static const double node[HALF] = {0.095012509837637440185, 0.28160355077925891323, 0.45801677765722738634,
                                  0.61787624440264374845,  0.75540440835500303390, 0.86563120238783174388,
                                  0.94457502307323257608,  0.98940093499164993260};
static const double weight[HALF] = {0.18945061045506849629,  0.18260341504492358887,  0.16915651939500253819,
                                    0.14959598881657673208,  0.12462897125553387205,  0.095158511682492784810,
                                    0.062253523938647892863, 0.027152459411754094852};

/* The body at the values of its variable in all lanes. */
static const double *evaluate(real_state *body)
{
  real_run(body, NULL, 0, body->program->steps);
  return real_output(body, 0);
}

/* Sums the body, whose captures are set, from low[lane] to high[lane]. */
static void sum(double *r, real_state *body, const double *low, const double *high)
{
  int panels = body->program->integrals ? PANELS_NESTED : PANELS;
  for (int i = 0; i < LANES; i++)
    r[i] = 0;
  for (int p = 0; p < panels; p++)
    for (int k = 0; k < 2 * HALF; k++) {
      double x = k < HALF ? -node[k] : node[k - HALF], w = weight[k % HALF] / (2 * panels);
      for (int i = 0; i < LANES; i++)
        body->variable[i] = low[i] + (high[i] - low[i]) * ((p + 0.5 + 0.5 * x) / panels);
      const double *y = evaluate(body);
      for (int i = 0; i < LANES; i++)
        r[i] += w * y[i];
    }
  for (int i = 0; i < LANES; i++)
    r[i] *= high[i] - low[i];
}

void real_integral(double *r, const real_state *s, const tape_step *t)
{
  const tape_integral_body *what = &s->program->integral[t->c];
  real_state *body = s->inner[t->c];
  for (size_t i = 0; i < what->captures; i++) {
    const struct tape_capture *c = &what->capture[i];
    memcpy((c->truth ? body->margin : body->value) + (size_t)c->to * LANES,
           (c->truth ? s->margin : s->value) + (size_t)c->from * LANES, LANES * sizeof(double));
  }
  sum(r, body, s->value + (size_t)t->a * LANES, s->value + (size_t)t->b * LANES);
}

static void fill(double *lanes, double x)
{
  for (int i = 0; i < LANES; i++)
    lanes[i] = x;
}

void real_integral_slopes(double *by_low, double *by_high, double *slope, const real_state *s, const tape_step *t,
                          unsigned lane)
{
  const tape_integral_body *what = &s->program->integral[t->c];
  real_state *body = s->inner[t->c];
  double low[LANES], high[LANES], r[LANES];
  fill(low, s->value[(size_t)t->a * LANES + lane]);
  fill(high, s->value[(size_t)t->b * LANES + lane]);
  for (size_t i = 0; i < what->captures; i++) {
    const struct tape_capture *c = &what->capture[i];
    fill((c->truth ? body->margin : body->value) + (size_t)c->to * LANES,
         (c->truth ? s->margin : s->value)[(size_t)c->from * LANES + lane]);
  }
  fill(body->variable, low[0]);
  body->variable[1] = high[0];
  const double *y = evaluate(body);
  *by_low = -y[0];
  *by_high = y[1];

  /* Lane 0 as it is, and in each other one something moved. */
  for (size_t first = 0; first < what->captures; first += LANES - 1) {
    double step[LANES];
    for (unsigned k = 1; k < LANES && first + k - 1 < what->captures; k++) {
      const struct tape_capture *c = &what->capture[first + k - 1];
      if (c->truth)
        continue;
      double *v = body->value + (size_t)c->to * LANES + k;
      step[k] = 1e-6 * (1 + fabs(*v));
      *v += step[k];
    }
    sum(r, body, low, high);
    for (unsigned k = 1; k < LANES && first + k - 1 < what->captures; k++) {
      const struct tape_capture *c = &what->capture[first + k - 1];
      slope[first + k - 1] = 0;
      if (c->truth)
        continue;
      body->value[(size_t)c->to * LANES + k] = body->value[(size_t)c->to * LANES];
      slope[first + k - 1] = (r[k] - r[0]) / step[k];
    }
  }
}
