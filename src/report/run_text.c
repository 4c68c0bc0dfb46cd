/* The table of a run. */
#include "report/run_text.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "report/columns.h"

enum { COLUMNS = 9 };

void run_summary_init(run_summary *s, const net *n)
{
  *s = (run_summary){.net = n, .layers = memory_new(net_layers(n), sizeof *s->layers)};
  for (size_t i = 0; i < net_layers(n); i++)
    s->layers[i].step = s->layers[i].alpha = (run_range){INFINITY, -INFINITY};
}

void run_summary_clear(run_summary *s)
{
  free(s->layers);
  *s = (run_summary){0};
}

static double sum_squares(const double *values, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i] * values[i];
  return sum;
}

static void widen(run_range *r, const double *values, size_t count)
{
  if (!values)
    return;
  double low = INFINITY, high = -INFINITY;
  bool nan = false;
  for (size_t i = 0; i < count; i++) {
    nan |= values[i] != values[i];
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
  }
  r->low = nan ? NAN : low < r->low ? low : r->low;
  r->high = nan ? NAN : high > r->high ? high : r->high;
}

void run_summary_see(run_summary *s, const net_view *view)
{
  run_layer *l = &s->layers[view->layer];
  net_layer facts = net_get_layer(s->net, view->layer);
  size_t count = view->tokens * net_width(s->net);
  l->seen = true;
  l->values += count;
  l->input += sum_squares(view->input, count);
  l->mixer += sum_squares(view->mixer, count);
  l->output += sum_squares(view->output, count);
  widen(&l->step, view->step, view->tokens * facts.channels);
  widen(&l->alpha, view->alpha, view->tokens * facts.channels * facts.states);
}

void run_summary_finish(run_summary *s, size_t tokens, const double *hidden)
{
  s->hidden += sum_squares(hidden, tokens * net_width(s->net));
  s->hidden_values += tokens * net_width(s->net);
}

static void add_rms(columns *c, double sum, uint64_t values)
{
  columns_add(c, "%.4g", sqrt(sum / (double)values));
}

static void add_range(columns *c, const run_range *r)
{
  for (int i = 0; i < 2; i++)
    if (r->low > r->high)
      columns_add(c, "-");
    else
      columns_add(c, "%.6g", i ? r->high : r->low);
}

void run_text_write(FILE *out, const run_summary *s)
{
  static const char *const heads[COLUMNS] = {"layer",       "family", "rms input",   "mixer", "output",
                                             "least Delta", "most",   "least alpha", "most"};
  columns c;
  columns_init(&c, COLUMNS);
  for (size_t i = 0; i < COLUMNS; i++)
    columns_add(&c, "%s", heads[i]);
  for (size_t i = 0; i < net_layers(s->net); i++) {
    const run_layer *l = &s->layers[i];
    if (!l->seen)
      continue;
    net_layer facts = net_get_layer(s->net, i);
    columns_take(&c, dump_quote(facts.name));
    columns_add(&c, "%s", facts.family);
    add_rms(&c, l->input, l->values);
    add_rms(&c, l->mixer, l->values);
    add_rms(&c, l->output, l->values);
    add_range(&c, &l->step);
    add_range(&c, &l->alpha);
  }
  if (c.cells > COLUMNS)
    columns_write(out, &c, 2);
  if (s->hidden_values)
    fprintf(out, "  hidden: rms %.4g\n", sqrt(s->hidden / (double)s->hidden_values));
  columns_clear(&c);
}
