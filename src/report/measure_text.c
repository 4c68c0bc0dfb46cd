/* Smoothness and spread for people, and the frame around all measures. */
#include "report/measure_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/dump.h"
#include "report/columns.h"
#include "report/influence_text.h"

enum { DIGITS = 6, FEW_DIGITS = 4, WIDEST_MATRIX = 13 };

char *measure_text_number(double x, int digits)
{
  if (!isfinite(x))
    return memory_copy_string("-");
  text t;
  text_init(&t);
  text_addf(&t, "%.*g", digits, x);
  return text_take(&t);
}

static void add_number(columns *c, double x, int digits)
{
  columns_take(c, measure_text_number(x, digits));
}

static void add_mean(columns *c, const measured *m)
{
  add_number(c, measured_mean(m), DIGITS);
}

static void add_head(columns *c, const char *const *head, unsigned count)
{
  columns_init(c, count);
  for (unsigned i = 0; i < count; i++)
    columns_add(c, "%s", head[i]);
}

/* ---- smoothness ---- */

static void add_smoothness_row(columns *c, const char *what, size_t number, const smoothness_row *row)
{
  if (number)
    columns_add(c, "%s %zu", what, number);
  else
    columns_add(c, "%s", "input");
  const measured *cell[] = {&row->distance, &row->square, &row->energy, &row->cosine, &row->neighbour, &row->layerwise};
  for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
    add_mean(c, cell[i]);
}

/* Undefined values of all rows that are shown, so that a "-" or a mean over less than all is not overlooked. */
static void write_undefined(FILE *out, const measure_report *report)
{
  const smoothness_report *s = report->smoothness;
  uint64_t directionless = s->block[0].directionless;
  for (size_t l = 0; l < s->layers; l++)
    if (report->chosen[l])
      directionless += s->block[l + 1].directionless + s->mixer[l].directionless;
  if (directionless)
    fprintf(out, "  %llu times a token's vector is 0 or not finite: it has no cosine and is left out of them\n",
            (unsigned long long)directionless);
}

static void write_matrix(FILE *out, const measure_report *report, const measured *value, size_t places, bool blocks)
{
  size_t *place = memory_new(places, sizeof *place), count = 0;
  for (size_t p = 0; p < places; p++)
    if ((blocks && p == 0) || report->chosen[blocks ? p - 1 : p])
      place[count++] = p;
  columns c;
  bool whole = count <= WIDEST_MATRIX;
  columns_init(&c, whole ? (unsigned)count + 1 : 3);
  columns_add(&c, "%s", blocks ? "block" : "mixer");
  for (size_t j = 0; whole && j < count; j++)
    columns_add(&c, "%zu", place[j] + !blocks);
  if (!whole) {
    columns_add(&c, "%s", "with the one before");
    columns_add(&c, "%s", "with the last");
  }
  for (size_t i = 0; i < count; i++) {
    columns_add(&c, "%zu", place[i] + !blocks);
    for (size_t j = 0; whole && j < count; j++)
      add_number(&c, measured_mean(&value[place[i] * places + place[j]]), FEW_DIGITS);
    if (!whole) {
      add_number(&c, place[i] ? measured_mean(&value[place[i] * places + place[i] - 1]) : NAN, FEW_DIGITS);
      add_number(&c, measured_mean(&value[place[i] * places + places - 1]), FEW_DIGITS);
    }
  }
  columns_write(out, &c, 2);
  columns_clear(&c);
  free(place);
}

static void write_alignment(FILE *out, const measure_report *report)
{
  const smoothness_report *s = report->smoothness;
  static const char *const way[] = {"", "all tokens", "all tokens, through M x M matrices: no debiased ones", "the tokens kept"};
  fprintf(out, "\nLinear CKA of features over tokens (%s); 0 is the input of the first layer\n", way[s->way]);
  write_matrix(out, report, s->block_alignment, s->layers + 1, true);
  write_matrix(out, report, s->mixer_alignment, s->layers, false);
  if (s->way == ALIGNMENT_GRAMS)
    return;
  fputs("debiased\n", out);
  write_matrix(out, report, s->block_debiased, s->layers + 1, true);
  write_matrix(out, report, s->mixer_debiased, s->layers, false);
}

static const char *energy_word(energy_normalizer by)
{
  static const char *const word[] = {"sum over pairs of |x - y|^2", "sum over pairs of |x - y|^2, over T", "the mean of |x - y|^2",
                                     "sum over pairs of |x - y|^2, over T times the sum of |x|^2"};
  return word[by];
}

static void write_smoothness(FILE *out, const measure_report *report)
{
  const smoothness_report *s = report->smoothness;
  static const char *const head[] = {"place", "distance", "square", "energy", "cosine", "neighbour", "layerwise"};
  columns c;
  add_head(&c, head, sizeof head / sizeof *head);
  add_smoothness_row(&c, "input", 0, &s->block[0]);
  for (size_t l = 0; l < s->layers; l++)
    if (report->chosen[l])
      add_smoothness_row(&c, "block", l + 1, &s->block[l + 1]);
  for (size_t l = 0; l < s->layers; l++)
    if (report->chosen[l])
      add_smoothness_row(&c, "mixer", l + 1, &s->mixer[l]);
  fprintf(out,
          "\nSmoothness over %llu sequence%s (%llu tokens): of the residual stream behind a layer (block) and of what the\n"
          "layer adds to it (mixer). Over all pairs of tokens: mean distance |x - y|, mean square |x - y|^2, Dirichlet energy\n"
          "(%s: %s),\n"
          "mean cosine. Cosine of neighbours; of the same token in the place before (layerwise).\n",
          (unsigned long long)s->sequences, s->sequences == 1 ? "" : "s", (unsigned long long)s->tokens,
          energy_normalizer_name(s->normalizer), energy_word(s->normalizer));
  columns_write(out, &c, 2);
  columns_clear(&c);
  if (s->least_kept)
    fprintf(out, "  distance: of %zu tokens of a sequence of T, number floor(i T / %zu), i from 0\n", s->least_kept, s->least_kept);
  write_undefined(out, report);
  const measured *number[] = {&s->sm, &s->sm_printed, &s->st, &s->st_depth_squared};
  static const char *const name[] = {"Sm", "Sm as printed", "St", "St_L^2"};
  fputs("  over all layers:", out);
  for (int i = 0; i < 4; i++) {
    char *value = measure_text_number(measured_mean(number[i]), DIGITS);
    fprintf(out, "%s %s %s", i ? "," : "", name[i], value);
    free(value);
  }
  fputc('\n', out);
  write_alignment(out, report);
}

/* ---- spread ---- */

static void add_histogram_cells(columns *c, const spread_histogram *h)
{
  if (!h->values.count) {
    columns_add(c, "-");
    columns_add(c, "-");
    return;
  }
  add_mean(c, &h->values);
  columns_add(c, "%.1f %%", 100.0 * (double)h->below[SPREAD_BINS / 2 - 1] / (double)h->values.count);
}

static void add_spread_row(columns *c, const spread_layer *r)
{
  if (r->states)
    columns_add(c, "%zu x %zu", r->channels, r->states);
  else
    columns_add(c, "%zu", r->channels);
  add_histogram_cells(c, &r->by_state);
  add_histogram_cells(c, &r->by_state_mean);
  add_histogram_cells(c, &r->by_token);
  add_histogram_cells(c, &r->whole);
}

static void write_histogram(FILE *out, const spread_layer *total)
{
  static const char *const head[] = {"below", "states", "mean", "most", "tokens", "whole"};
  const spread_histogram *h[] = {&total->by_state, &total->by_state_mean, &total->by_state_most, &total->by_token, &total->whole};
  columns c;
  add_head(&c, head, 6);
  for (int k = 0; k < SPREAD_BINS; k++) {
    columns_add(&c, "%.2f", (k + 1) / (double)SPREAD_BINS);
    for (int i = 0; i < 5; i++)
      if (h[i]->values.count)
        columns_add(&c, "%.2f %%", 100.0 * (double)h[i]->below[k] / (double)h[i]->values.count);
      else
        columns_add(&c, "-");
  }
  fputs("\nHow many of them are below, in all layers (most: of each channel the largest over tokens)\n", out);
  columns_write(out, &c, 2);
  columns_clear(&c);
}

static void write_spread(FILE *out, const measure_report *report)
{
  const spread_report *s = report->spread;
  static const char *const head[] = {"layer", "entries", "states", "< 0.5", "mean", "< 0.5", "tokens", "< 0.5", "whole", "< 0.5"};
  fputs("\nSpread A_max - A_min of the decays: over the states of a channel, at each token (states) and its mean over tokens;\n"
        "over the tokens of an entry (tokens); over tokens and states of a channel (whole)\n",
        out);
  if (!s->total.known) {
    fputs("  no layer has decays that a scan uses\n", out);
    return;
  }
  columns c;
  add_head(&c, head, sizeof head / sizeof *head);
  for (size_t l = 0; l < s->layers; l++)
    if (report->chosen[l] && s->layer[l].known) {
      columns_add(&c, "%zu", l + 1);
      add_spread_row(&c, &s->layer[l]);
    }
  columns_add(&c, "all");
  add_spread_row(&c, &s->total);
  columns_write(out, &c, 2);
  columns_clear(&c);
  if (s->total.by_token.values.undefined)
    fprintf(out, "  %llu entries had a decay that is not finite and are left out\n",
            (unsigned long long)s->total.by_token.values.undefined);
  write_histogram(out, &s->total);
}

/* ---- */

static void write_families(FILE *out, const measure_report *report)
{
  size_t layers = net_layers(report->net);
  for (size_t k = 0; k < layers; k++) {
    net_layer of = net_get_layer(report->net, k);
    bool seen = false;
    size_t count = 0;
    for (size_t i = 0; i < layers; i++) {
      bool same = !strcmp(net_get_layer(report->net, i).family, of.family);
      seen = seen || (same && i < k);
      count += same;
    }
    if (!seen)
      fprintf(out, "family %s: %zu layer%s\n", of.family, count, count == 1 ? "" : "s");
  }
}

void measure_text_write(FILE *out, const measure_report *report)
{
  char *file = dump_quote(report->file);
  fprintf(out, "model %s (%s)\n", file, report->container);
  free(file);
  write_families(out, report);
  if (report->sequences)
    fprintf(out, "%llu sequence%s of %s%llu tokens\n", (unsigned long long)report->sequences, report->sequences == 1 ? "" : "s",
            report->sequences == 1 ? "" : "at most ", (unsigned long long)report->tokens);
  if (report->smoothness)
    write_smoothness(out, report);
  if (report->spread)
    write_spread(out, report);
  if (report->robustness)
    robustness_text_write(out, report);
  if (report->recalls)
    recall_text_write(out, report);
  if (report->influence)
    influence_text_write(out, report->influence);
  if (report->stopped)
    fputs("\nstopped early: the numbers above are those of what was done by then\n", out);
}
