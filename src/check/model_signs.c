/* Signs at given steps: doubles first, then balls. */
#include "check/model_signs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/model_shape.h"

void model_signs(unsigned char *sign, double *log_low, double *log_high, const model_work *w, const entry_tape *e,
                 const double *steps)
{
  enum { LIMIT = 512 };
  entry_store store = w->store;
  store.free = steps;
  entry_eval *v = entry_eval_create(e);
  double low[LANES], high[LANES], margin_low[LANES], margin_high[LANES];
  arb_t x;
  arb_init(x);
  *log_low = INFINITY;
  *log_high = -INFINITY;
  for (size_t first = 0; first < w->entries; first += LANES) {
    size_t count = w->entries - first < LANES ? w->entries - first : LANES;
    entry_eval_block(v, &store, first, count);
    entry_eval_bounds(margin_low, margin_high, v, ENTRY_MARGIN, count);
    entry_eval_bounds(low, high, v, ENTRY_LOG_DECAY, count);
    for (size_t i = 0; i < count; i++) {
      sign[first + i] = margin_high[i] <= 0 ? MARGIN_NOT_POSITIVE : margin_low[i] > 0 ? MARGIN_POSITIVE : 0;
      if (!model_valid(w, first + i))
        continue;
      *log_low = low[i] >= *log_low ? *log_low : isnan(low[i]) ? -INFINITY : low[i];
      *log_high = high[i] <= *log_high ? *log_high : isnan(high[i]) ? INFINITY : high[i];
      bool finite = isfinite(steps[(first + i) / w->shape.states]);
      for (slong p = 64; finite && sign[first + i] == 0 && p <= w->options->precision_limit && p <= LIMIT; p *= 2) {
        entry_eval_ball(v, &store, first + i, p);
        if (entry_eval_enclosure(x, v, ENTRY_MARGIN))
          sign[first + i] = arb_is_nonpositive(x) ? MARGIN_NOT_POSITIVE : arb_is_positive(x) ? MARGIN_POSITIVE : 0;
      }
    }
  }
  arb_clear(x);
  entry_eval_destroy(v);
}

/* What is in no file and has not the role `activation` was taken for 0: nothing is known of it. */
static bool has_unknown_givens(const claim *f)
{
  bool *needed = memory_new(f->givens, sizeof *needed), found = false;
  model_needed(needed, f);
  for (unsigned i = 0; i < f->givens; i++)
    found = found || (needed[i] && !f->given[i].stored && (!f->given[i].role || strcmp(f->given[i].role, "activation") != 0));
  free(needed);
  return found;
}

assay_status model_step_decides(bool *decides, const model_work *w, dump_error *error)
{
  *decides = false;
  if (!w->shape.elementwise || w->rate || !w->rate_bounds.low || has_unknown_givens(w->layer->family))
    return STATUS_OK;
  entry_tape e;
  entry_change change = {.step_given = true, .activation = true};
  assay_status status = entry_create(&e, w->layer, &w->shape, 0, 0, change, dump_name(w->file), error);
  if (status == STATUS_OK) {
    bool *reached = memory_new(e.inputs + 1, sizeof *reached);
    entry_reaches(reached, &e, e.rate);
    *decides = true;
    for (size_t i = 0; i < e.inputs; i++)
      *decides = *decides && !(reached[i] && e.input[i].given == UINT32_MAX);
    free(reached);
  }
  entry_clear(&e);
  return status;
}
