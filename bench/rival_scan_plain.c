/* The selective scan as one writes it down; see rival_scan.h. */
#include <math.h>

#include "rival_scan.h"

void rival_scan_plain(const scan_problem *p)
{
  for (size_t t = 0; t < p->tokens; t++) {
    const double *b = p->b + t * p->states, *c = p->c + t * p->states;
    for (size_t d = 0; d < p->channels; d++) {
      double step = p->step[t * p->channels + d], u = p->u[t * p->channels + d], y = p->skip[d] * u;
      const double *rate = p->rate + d * p->states;
      double *h = p->state + d * p->states;
      for (size_t n = 0; n < p->states; n++) {
        h[n] = exp(step * rate[n]) * h[n] + step * u * b[n];
        y += c[n] * h[n];
      }
      p->y[t * p->channels + d] = y;
    }
  }
}
