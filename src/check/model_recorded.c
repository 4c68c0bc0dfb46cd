/* Recorded activations. */
#include "check/model_recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/model_signs.h"
#include "core/memory.h"
#include "core/text.h"

enum { MOST_VALUES = 1 << 28 };

/* LAYER.name, or `name` where there is but one layer. */
static const dump_tensor *find(const model_work *w, const dump_file *file, const char *name, bool only_layer)
{
  text full;
  text_init(&full);
  text_addf(&full, "%s%s%s", w->layer->name, w->layer->name[0] ? "." : "", name);
  const dump_tensor *x = dump_find(file, text_string(&full));
  text_clear(&full);
  return x || !only_layer ? x : dump_find(file, name);
}

static bool refuse(const dump_tensor *x, const dump_file *file, const char *wanted, size_t width, dump_error *error)
{
  char *name = dump_quote(x->name);
  dump_error_set_tensor(error, file, x, "tensor %s is not of shape [batch, tokens, %s = %zu]%s", name, wanted,
                    width, x->count > MOST_VALUES ? ", or is too large" : "");
  free(name);
  return false;
}

/* The array, whose batch and tokens must be those of *r unless that has none yet. */
static bool read_array(const double **value, model_recording *r, const dump_tensor *x, const dump_file *file,
                       const char *wanted, size_t width, dump_error *error)
{
  bool shaped = (x->rank == 2 || x->rank == 3) && x->count > 0 && x->count <= MOST_VALUES && dump_lanes(x->type) == 1 &&
                x->shape[x->rank - 1] == width;
  if (!shaped)
    return refuse(x, file, wanted, width, error);
  size_t tokens = (size_t)x->shape[x->rank - 2], batch = x->rank == 3 ? (size_t)x->shape[0] : 1;
  if (r->tokens == 0) {
    r->tokens = tokens;
    r->batch = batch;
  } else if (r->tokens != tokens || r->batch != batch) {
    char *name = dump_quote(x->name);
    dump_error_set_tensor(error, file, x, "tensor %s has %zu x %zu tokens, and delta %zu x %zu", name, batch,
                      tokens, r->batch, r->tokens);
    free(name);
    return false;
  }
  double *read = memory_new((size_t)x->count, sizeof *read);
  *value = read;
  return dump_values(file, read, x, 0, (size_t)x->count, error) == STATUS_OK;
}

assay_status model_recording_read(model_recording *r, const model_work *w, const dump_file *file, bool only_layer,
                                  dump_error *error)
{
  *r = (model_recording){0};
  const dump_tensor *delta = find(w, file, "delta", only_layer), *b = find(w, file, "B", only_layer),
                    *u = find(w, file, "u", only_layer);
  if (!delta && (b || u)) {
    char *name = dump_quote((b ? b : u)->name);
    dump_error_set_tensor(error, file, b ? b : u, "tensor %s stands there without its layer's delta", name);
    free(name);
    return STATUS_BAD_INPUT;
  }
  if (!delta)
    return STATUS_OK;
  size_t channels = w->shape.channels, states = w->shape.states;
  bool good = read_array(&r->delta, r, delta, file, "channels", channels, error) &&
              (!b || read_array(&r->b, r, b, file, "states", states, error)) &&
              (!u || read_array(&r->u, r, u, file, "channels", channels, error));
  if (!good)
    model_recording_clear(r);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}

void model_recording_clear(model_recording *r)
{
  free((void *)(uintptr_t)r->delta);
  free((void *)(uintptr_t)r->b);
  free((void *)(uintptr_t)r->u);
  *r = (model_recording){0};
}

assay_status model_count_recorded(model_recorded *counts, const model_work *w, const model_recording *r, dump_error *error)
{
  *counts = (model_recorded){.batch = r->batch, .tokens = r->tokens};
  bool decides;
  assay_status status = model_step_decides(&decides, w, error);
  if (status != STATUS_OK || !decides || r->tokens == 0)
    return status;
  entry_tape given;
  status = entry_create(&given, w->layer, &w->shape, 0, 0, (entry_change){.step_given = true}, dump_name(w->file), error);
  if (status != STATUS_OK)
    return status;
  unsigned char *sign = memory_new(w->entries, 1);
  double *steps = memory_new(w->shape.channels, sizeof *steps);
  counts->known = true;
  for (size_t token = 0; token < r->batch * r->tokens; token++) {
    double low, high;
    memcpy(steps, r->delta + token * w->shape.channels, w->shape.channels * sizeof *steps);
    model_signs(sign, &low, &high, w, &given, steps);
    for (size_t i = 0; i < w->entries; i++) {
      if (!model_valid(w, i))
        continue;
      bool finite = isfinite(steps[i / w->shape.states]);
      counts->invalid += !finite;
      counts->holds += finite && sign[i] == MARGIN_NOT_POSITIVE;
      counts->fails += finite && sign[i] == MARGIN_POSITIVE;
      counts->unknown += finite && sign[i] == 0;
    }
  }
  free(sign);
  free(steps);
  entry_clear(&given);
  return STATUS_OK;
}
