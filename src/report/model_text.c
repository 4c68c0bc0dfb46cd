/* What the audit of a Mamba-1 model found, for people. */
#include "report/model_text.h"

#include <stdlib.h>

#include "report/decimal.h"

enum { DIGITS = 8 };

static unsigned long long number(uint64_t n)
{
  return n;
}

static void write_ball(FILE *out, const char *before, const arb_t x)
{
  char *shown = decimal_ball(x, DIGITS);
  fprintf(out, "%s%s", before, shown);
  free(shown);
}

static void write_counts(FILE *out, const mamba_counts *counts)
{
  fprintf(out, "holds %llu, fails %llu, unknown %llu", number(counts->holds), number(counts->fails),
          number(counts->unknown));
  if (counts->invalid > 0)
    fprintf(out, ", invalid (NaN or infinite) %llu", number(counts->invalid));
  fputc('\n', out);
}

/* From the ends of the two balls, not from their union: the range is of A, not of what is known of it. */
static void write_range(FILE *out, const mamba_layer_report *layer)
{
  char *low, *high, *other;
  decimal_ends_positive(&low, &other, layer->a_min, DIGITS);
  free(other);
  decimal_ends_positive(&other, &high, layer->a_max, DIGITS);
  free(other);
  fprintf(out, "  A lies in [%s, %s]\n", low, high != NULL ? high : "inf");
  free(low);
  free(high);
}

static void write_worst(FILE *out, const mamba_layer_report *layer)
{
  char *a_log_name = dump_quote(layer->a_log_name), *bias_name = dump_quote(layer->dt_bias_name);
  char *a_log = decimal_double(layer->worst_a_log), *bias = decimal_double(layer->worst_dt_bias);
  fprintf(out, "  %s: %s[%zu, %zu] = %s,\n",
          layer->worst_certain ? "worst" : "worst, as far as the precision tells", a_log_name,
          layer->worst_channel, layer->worst_state, a_log);
  fprintf(out, "         %s[%zu] = %s\n", bias_name, layer->worst_channel, bias);
  write_ball(out, "         Delta = ", layer->worst_delta);
  char *low, *high;
  decimal_ends_positive(&low, &high, layer->worst_decay, DIGITS);
  fprintf(out, ", A = [%s, %s]", low, high != NULL ? high : "inf");
  free(low);
  free(high);
  write_ball(out, "\n         A + Delta - 1 = ", layer->worst_margin);
  fputc('\n', out);
  free(a_log_name);
  free(bias_name);
  free(a_log);
  free(bias);
}

static void write_layer(FILE *out, const mamba_layer_report *layer, uint64_t tokens)
{
  char *name = dump_quote(layer->name);
  fprintf(out, "\nlayer %s, %zu channels x %zu states\n  ", name, layer->channels, layer->states);
  free(name);
  write_counts(out, &layer->counts);
  if (!layer->has_entries)
    return;
  if (layer->counts.beyond_single > 0)
    fprintf(out, "  in single precision exp(A_log) is infinite or 0 in %llu of these; here it is neither\n",
            number(layer->counts.beyond_single));
  write_range(out, layer);
  write_worst(out, layer);
  fprintf(out, "  1 - A_min^(T-1) at T = %llu is 1 - 10^e with e in ", number(tokens));
  write_ball(out, "", layer->power);
  fputc('\n', out);
}

void model_text_write(FILE *out, const mamba_report *report)
{
  char *file = dump_quote(report->file);
  fprintf(out, "model %s\n", file);
  free(file);
  fputs("Is A + Delta <= 1, where A = exp(Delta a), a = -exp(A_log), Delta = softplus(dt_proj.bias)?\n"
        "Asked of every layer, channel and state, at the step size of an input that contributes nothing to "
        "it.\n",
        out);
  for (size_t k = 0; k < report->layer_count; k++)
    write_layer(out, &report->layers[k], report->options.tokens);
  if (report->skipped_count > 0)
    fputs("\nnot audited\n", out);
  for (size_t k = 0; k < report->skipped_count; k++)
    fprintf(out, "  %s\n", report->skipped[k]);
  fprintf(out, "\nall %zu layer%s: ", report->layer_count, report->layer_count == 1 ? "" : "s");
  write_counts(out, &report->total);
  fprintf(out, "decided by bounded double arithmetic %llu, by balls %llu, by 1 - exp(-x) < x %llu\n",
          number(report->total.by_double), number(report->total.by_ball), number(report->total.by_rule));
}
