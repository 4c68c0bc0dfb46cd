/* What the audit of a model found, for people: a table for each question, the totals, the worst entries. */
#include "report/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "report/claim_table_text.h"
#include "report/columns.h"
#include "report/decimal.h"

enum { DIGITS = 6, FEW_DIGITS = 4 };

static unsigned long long number(uint64_t n)
{
  return n;
}

static char *quoted_name(const model_layer_report *r)
{
  return dump_quote(r->name);
}

/* "[LOW, HIGH]" of two balls of positive numbers. From the ends of the two, not from their union: a range of A is one of A,
 * not of what is known of it. */
static char *range_text(const arb_t least, const arb_t greatest)
{
  char *low, *high, *other;
  decimal_ends_positive(&low, &other, least, FEW_DIGITS);
  free(other);
  decimal_ends_positive(&other, &high, greatest, FEW_DIGITS);
  free(other);
  text t;
  text_init(&t);
  text_addf(&t, "[%s, %s]", low, high ? high : "inf");
  free(low);
  free(high);
  return text_take(&t);
}

/* A bound that is a double, rounded away from what it bounds. */
static char *bound_text(double x, bool up)
{
  if (!isfinite(x))
    return memory_copy_string(x > 0 ? "inf" : "-inf");
  arf_t value;
  arf_init(value);
  arf_set_d(value, x);
  char *s = decimal_toward(value, DIGITS, up);
  arf_clear(value);
  return s;
}

static void write_apart(FILE *out, const model_counts *c)
{
  if (c->invalid)
    fprintf(out, ", %llu NaN or infinite", number(c->invalid));
  if (c->contradicting)
    fprintf(out, ", %llu contradicting the family", number(c->contradicting));
  if (c->collapsed)
    fprintf(out, ", %llu too small to have an effect", number(c->collapsed));
}

/* ---- the bias point ---- */

static void add_bias_row(columns *c, const model_layer_report *r)
{
  columns_take(c, quoted_name(r));
  columns_add(c, "%zu x %zu", r->channels, r->states);
  const uint64_t counts[] = {r->counts.holds, r->counts.fails, r->counts.unknown};
  for (int i = 0; i < 3; i++)
    if (r->has_step)
      columns_add(c, "%llu", number(counts[i]));
    else
      columns_add(c, "-");
  columns_add(c, "%llu", number(r->counts.invalid + r->counts.contradicting + r->counts.collapsed));
  if (r->valid == 0) {
    for (int i = 0; i < 3; i++)
      columns_add(c, "-");
    return;
  }
  columns_take(c, range_text(r->a_min, r->a_max));
  columns_take(c, decimal_ball(r->horizon, FEW_DIGITS));
  columns_take(c, decimal_ball(r->power, FEW_DIGITS));
}

static void write_bias_point(FILE *out, const model_report *report)
{
  static const char *const head[] = {"layer", "entries", "hold", "fail", "unknown", "apart", "A in", "lg(1/kappa)", "lg A_min^(T-1)"};
  columns c;
  columns_init(&c, sizeof head / sizeof *head);
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    columns_add(&c, "%s", head[i]);
  for (size_t k = 0; k < report->layer_count; k++)
    add_bias_row(&c, &report->layers[k]);
  fprintf(out,
          "\nIs A + Delta <= 1, with decay A and step Delta, where the input contributes nothing to the step?\n"
          "kappa = log(1/A_max): 1/kappa tokens is how far the layer remembers. T = %llu: the factor of Theorem 4.2 is\n"
          "1 - A_min^(T-1). lg is the logarithm to base 10.\n",
          number(report->options.tokens));
  columns_write(out, &c, 2);
  columns_clear(&c);
  const model_counts *sum = &report->total;
  fprintf(out, "  in all %llu hold, %llu fail, %llu unknown", number(sum->holds), number(sum->fails), number(sum->unknown));
  write_apart(out, sum);
  fprintf(out, "\n  decided by doubles with a bound on their error %llu, by balls %llu, by an argument %llu\n",
          number(sum->by_double), number(sum->by_ball), number(sum->by_rule));
}

/* ---- parameters alone ---- */

static void write_alone(FILE *out, const model_report *report)
{
  const model_alone *sum = &report->total_alone;
  if (sum->can + sum->never + sum->unknown == 0)
    return;
  columns c;
  columns_init(&c, 5);
  static const char *const head[] = {"layer", "for some", "for none", "unknown", "Delta* in"};
  for (int i = 0; i < 5; i++)
    columns_add(&c, "%s", head[i]);
  for (size_t k = 0; k < report->layer_count; k++) {
    const model_layer_report *r = &report->layers[k];
    if (!r->has_rate)
      continue;
    columns_take(&c, quoted_name(r));
    columns_add(&c, "%llu", number(r->alone.can));
    columns_add(&c, "%llu", number(r->alone.never));
    columns_add(&c, "%llu", number(r->alone.unknown));
    if (r->alone.has_threshold)
      columns_take(&c, range_text(r->alone.threshold_min, r->alone.threshold_max));
    else
      columns_add(&c, "-");
  }
  fputs("\nFor which steps could it hold, with A = exp(Delta a)? For Delta up to a Delta* where a < -1, for none where not.\n",
        out);
  columns_write(out, &c, 2);
  columns_clear(&c);
  fprintf(out, "  in all for some step %llu, for none %llu, unknown %llu\n", number(sum->can), number(sum->never),
          number(sum->unknown));
}

/* ---- every input ---- */

static void add_inputs_row(columns *c, const model_layer_report *r)
{
  const model_inputs *in = &r->inputs;
  const uint64_t counts[] = {in->holds, in->fails, in->depends, in->unknown};
  columns_take(c, quoted_name(r));
  for (int i = 0; i < 4; i++)
    columns_add(c, "%llu", number(counts[i]));
  char *low = bound_text(in->step_min, false), *high = bound_text(in->step_max, true);
  columns_add(c, "[%s, %s]", low, high);
  free(low);
  free(high);
  columns_take(c, bound_text(-in->log_a_max, false));
}

static void write_inputs(FILE *out, const model_report *report)
{
  const model_inputs *sum = &report->total_inputs;
  const char *reason = NULL;
  for (size_t k = report->layer_count; k-- > 0;)
    if (!report->layers[k].inputs.known && report->layers[k].inputs.reason)
      reason = report->layers[k].inputs.reason;
  if (!sum->known) {
    if (reason)
      fprintf(out, "\nFor which inputs does it hold? Not decided: %s.\n", reason);
    return;
  }
  static const char *const head[] = {"layer", "for all", "for none", "depends", "unknown", "Delta in", "kappa >="};
  columns c;
  columns_init(&c, sizeof head / sizeof *head);
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    columns_add(&c, "%s", head[i]);
  for (size_t k = 0; k < report->layer_count; k++)
    if (report->layers[k].inputs.known)
      add_inputs_row(&c, &report->layers[k]);
  fputs("\nFor which inputs does it hold? Asked of every vector that the block's norm can make, at every token: more than what\n"
        "tokens of a vocabulary reach. Where it depends, an input of each kind was found.\n",
        out);
  columns_write(out, &c, 2);
  columns_clear(&c);
  fprintf(out, "  in all for all inputs %llu, for none %llu, depends %llu, unknown %llu\n", number(sum->holds),
          number(sum->fails), number(sum->depends), number(sum->unknown));
}

/* ---- what was recorded ---- */

static void write_recorded(FILE *out, const model_report *report)
{
  static const char *const head[] = {"layer", "tokens", "hold", "fail", "unknown", "invalid"};
  columns c;
  columns_init(&c, 6);
  for (int i = 0; i < 6; i++)
    columns_add(&c, "%s", head[i]);
  bool any = false;
  for (size_t k = 0; k < report->layer_count; k++) {
    const model_recorded *r = &report->layers[k].recorded;
    if (!r->known)
      continue;
    any = true;
    columns_take(&c, quoted_name(&report->layers[k]));
    columns_add(&c, "%zu x %zu", r->batch, r->tokens);
    const uint64_t counts[] = {r->holds, r->fails, r->unknown, r->invalid};
    for (int i = 0; i < 4; i++)
      columns_add(&c, "%llu", number(counts[i]));
  }
  if (any) {
    fputs("\nDoes it hold at the recorded steps?\n", out);
    columns_write(out, &c, 2);
  }
  columns_clear(&c);
}

static void write_notes(FILE *out, const model_layer_report *layer, const model_claim_result *r)
{
  if (r->reason)
    return;
  char *name = quoted_name(layer);
  claim_table_text_failures(out, name, &r->table);
  if (r->table.refuted != CLAIM_NOWHERE)
    fprintf(out, "  %s: the conclusion is false though every hypothesis is true, first in sequence %zu, %s %zu, %s %zu\n", name, r->batch,
            layer->channel_word ? layer->channel_word : "channel", r->channel,
            layer->state_word ? layer->state_word : "state", r->state);
  free(name);
}

static void write_claim(FILE *out, const model_report *report, size_t asked)
{
  columns c;
  columns_init(&c, 5);
  claim_table_text_head(&c);
  const char *name = NULL, *reason = NULL;
  for (size_t k = 0; k < report->layer_count; k++) {
    const model_layer_report *layer = &report->layers[k];
    if (asked < layer->claim_count && layer->claims[asked].reason) {
      reason = layer->claims[asked].reason; /* the claim's name is in it */
    } else if (asked < layer->claim_count) {
      claim_table_text_rows(&c, quoted_name(layer), &layer->claims[asked].table, NULL);
      name = layer->claims[asked].claim;
    }
  }
  if (reason)
    fprintf(out, "\nNot asked: %s\n", reason);
  if (name) {
    fprintf(out, "\nClaim %s, asked of each entry%s\n", name,
            report->options.activations ? " and recorded sequence" : "");
    columns_write(out, &c, 2);
  }
  columns_clear(&c);
  for (size_t k = 0; k < report->layer_count; k++)
    if (asked < report->layers[k].claim_count)
      write_notes(out, &report->layers[k], &report->layers[k].claims[asked]);
}

/* ---- Figure 6 ---- */

static void write_spread(FILE *out, const model_report *report)
{
  uint64_t channels = 0, below[MODEL_BINS] = {0}, unknown[MODEL_BINS] = {0};
  for (size_t k = 0; k < report->layer_count; k++) {
    const model_spread *s = &report->layers[k].spread;
    channels += s->channels;
    for (int i = 0; i < MODEL_BINS; i++) {
      below[i] += s->below[i];
      unknown[i] += s->unknown[i];
    }
  }
  if (!channels)
    return;
  int half = MODEL_BINS / 2 - 1;
  fprintf(out, "\nA_max - A_min over the states of a channel, at the bias point: below 0.5 in %llu of %llu (%.1f %%)",
          number(below[half]), number(channels), 100.0 * (double)below[half] / (double)channels);
  if (unknown[half])
    fprintf(out, ", unknown in %llu", number(unknown[half]));
  fputs("\n  below", out);
  for (int i = 1; i < MODEL_BINS; i += 2)
    fprintf(out, "  %.1f: %llu", (i + 1) / (double)MODEL_BINS, number(below[i]));
  fputc('\n', out);
}

/* ---- the worst entries ---- */

static void add_ball(text *out, const char *before, const arb_t x)
{
  char *shown = decimal_ball(x, DIGITS);
  text_addf(out, "%s%s", before, shown);
  free(shown);
}

static void write_stored(FILE *out, const model_stored *s)
{
  char *tensor = dump_quote(s->name), *value = decimal_double(s->value);
  fprintf(out, "    %s", tensor);
  for (unsigned k = 0; k < s->rank; k++)
    fprintf(out, "%s%llu", k ? ", " : "[", number(s->index[k]));
  fprintf(out, "%s = %s\n", s->rank ? "]" : "", value);
  free(tensor);
  free(value);
}

static void write_entry(FILE *out, const model_layer_report *r, const model_entry *e)
{
  char *name = quoted_name(r);
  fprintf(out, "  layer %s", name);
  free(name);
  if (r->channel_word)
    fprintf(out, ", %s %zu", r->channel_word, e->channel);
  if (r->state_word)
    fprintf(out, ", %s %zu", r->state_word, e->state);
  fprintf(out, "%s\n", e->certain ? "" : " (in this place as far as the precision tells)");
  for (size_t i = 0; i < e->stored_count; i++)
    write_stored(out, &e->stored[i]);
  text t;
  text_init(&t);
  add_ball(&t, "    Delta = ", e->step);
  if (r->has_rate)
    add_ball(&t, ", a = ", e->rate);
  char *low, *high; /* A is positive, even where its ball reaches 0 */
  decimal_ends_positive(&low, &high, e->decay, DIGITS);
  if (high && !strcmp(low, high))
    text_addf(&t, ", A = %s", low);
  else
    text_addf(&t, ", A = [%s, %s]", low, high ? high : "inf");
  free(low);
  free(high);
  add_ball(&t, ", A + Delta - 1 = ", e->margin);
  fprintf(out, "%s\n", text_string(&t));
  text_clear(&t);
}

/* ---- */

static const char *remark_on(const model_layer_report *r)
{
  if (!r->has_step)
    return "; it has no step that parameters tell (see its description)";
  return r->always_equal ? "; its gates make A + Delta = 1" : "";
}

static void write_families(FILE *out, const model_report *report)
{
  for (size_t k = 0; k < report->layer_count; k++) {
    bool seen = false;
    size_t layers = 0;
    for (size_t i = 0; i < report->layer_count; i++) {
      bool same = !strcmp(report->layers[i].family, report->layers[k].family);
      seen = seen || (same && i < k);
      layers += same;
    }
    if (!seen)
      fprintf(out, "family %s: %zu layer%s%s\n", report->layers[k].family, layers, layers == 1 ? "" : "s",
              remark_on(&report->layers[k]));
  }
}

void model_text_write(FILE *out, const model_report *report)
{
  char *file = dump_quote(report->file);
  fprintf(out, "model %s (%s)\n", file, report->container);
  free(file);
  write_families(out, report);
  write_bias_point(out, report);
  write_alone(out, report);
  write_inputs(out, report);
  write_recorded(out, report);
  for (size_t i = 0; i < report->options.claim_count; i++)
    write_claim(out, report, i);
  write_spread(out, report);
  if (report->worst_count)
    fputs("\nthe worst entries at the bias point\n", out);
  for (size_t k = 0; k < report->worst_count; k++) {
    const model_layer_report *r = &report->layers[report->worst[k].layer];
    write_entry(out, r, &r->worst[report->worst[k].entry]);
  }
  if (report->skipped_count)
    fputs("\nnot audited\n", out);
  for (size_t k = 0; k < report->skipped_count; k++)
    fprintf(out, "  %s\n", report->skipped[k]);
}
