/* Smoothness of a run, piece by piece. */
#include "sim/smoothness.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sim/similarity.h"
#include "sim/stack.h"
#include "sim/sums.h"

/* One kind of places, blocks or mixers, of the sequence at hand. */
typedef struct {
  size_t places;
  cloud *cloud;
  measured *layerwise; /* over tokens; [k]: from place k - 1 to place k */
  token_sample kept;
  similarity_grams *grams; /* NULL: alignment comes from the kept rows */
} kind;

struct smoothness {
  smoothness_options options;
  smoothness_report report;
  uint64_t expected, seen;
  kind block, mixer;
  stack_deviation stack;
  double *mixer_before; /* [NET_PIECE, M] of the layer before */
};

smoothness_options smoothness_options_default(void)
{
  return (smoothness_options){
      .normalizer = ENERGY_NORM, .cap = TOKEN_SAMPLE_CAP, .budget = TOKEN_SAMPLE_BUDGET, .gram_budget = SIMILARITY_GRAM_BUDGET};
}

void smoothness_report_clear(smoothness_report *r)
{
  free(r->block);
  free(r->mixer);
  free(r->block_alignment);
  free(r->block_debiased);
  free(r->mixer_alignment);
  free(r->mixer_debiased);
  *r = (smoothness_report){0};
}

static void kind_init(kind *k, size_t places, size_t width)
{
  *k = (kind){.places = places};
  k->cloud = memory_new(places, sizeof *k->cloud);
  for (size_t p = 0; p < places; p++)
    cloud_init(&k->cloud[p], width);
  k->layerwise = memory_new(places, sizeof *k->layerwise);
}

static void kind_clear(kind *k)
{
  for (size_t p = 0; p < k->places; p++)
    cloud_clear(&k->cloud[p]);
  free(k->cloud);
  free(k->layerwise);
  token_sample_clear(&k->kept);
  similarity_grams_destroy(k->grams);
}

smoothness *smoothness_create(size_t layers, size_t width, const smoothness_options *options)
{
  smoothness *s = memory_new(1, sizeof *s);
  s->options = *options;
  kind_init(&s->block, layers + 1, width);
  kind_init(&s->mixer, layers, width);
  stack_init(&s->stack, layers, width, NET_PIECE);
  s->mixer_before = memory_new(memory_multiply(NET_PIECE, width), sizeof *s->mixer_before);
  smoothness_report *r = &s->report;
  *r = (smoothness_report){.layers = layers, .width = width, .normalizer = options->normalizer};
  r->block = memory_new(layers + 1, sizeof *r->block);
  r->mixer = memory_new(layers, sizeof *r->mixer);
  r->block_alignment = memory_new((layers + 1) * (layers + 1), sizeof(measured));
  r->block_debiased = memory_new((layers + 1) * (layers + 1), sizeof(measured));
  r->mixer_alignment = memory_new(layers * layers, sizeof(measured));
  r->mixer_debiased = memory_new(layers * layers, sizeof(measured));
  return s;
}

void smoothness_destroy(smoothness *s)
{
  if (!s)
    return;
  kind_clear(&s->block);
  kind_clear(&s->mixer);
  stack_clear(&s->stack);
  free(s->mixer_before);
  smoothness_report_clear(&s->report);
  free(s);
}

const smoothness_report *smoothness_result(const smoothness *s)
{
  return &s->report;
}

static void kind_begin(kind *k, const smoothness *s, uint64_t tokens)
{
  size_t width = s->report.width, places = 2 * s->report.layers + 1;
  for (size_t p = 0; p < k->places; p++)
    cloud_begin(&k->cloud[p]);
  memset(k->layerwise, 0, k->places * sizeof *k->layerwise);
  token_sample_clear(&k->kept);
  similarity_grams_destroy(k->grams);
  k->grams = NULL;
  /* The budget is for all places together: each kind has its share. */
  token_sample_init(&k->kept, tokens, k->places, width, s->options.cap, s->options.budget / places * k->places);
  if (k->kept.kept < tokens && similarity_grams_size(k->places, width) <= s->options.gram_budget)
    k->grams = similarity_grams_create(k->places, width);
}

void smoothness_begin(smoothness *s, uint64_t tokens)
{
  s->expected = tokens;
  s->seen = 0;
  kind_begin(&s->block, s, tokens);
  kind_begin(&s->mixer, s, tokens);
  stack_begin(&s->stack);
}

static void see_place(kind *k, size_t place, const net_view *v, const double *x)
{
  cloud_add(&k->cloud[place], v->tokens, x);
  token_sample_add(&k->kept, place, v->first, v->tokens, x);
  if (k->grams)
    similarity_grams_add(k->grams, place, v->tokens, x);
}

static void see_change(kind *k, size_t place, size_t tokens, size_t width, const double *before, const double *x)
{
  for (size_t t = 0; t < tokens; t++)
    measured_add(&k->layerwise[place], sums_cosine(before + t * width, x + t * width, width));
}

void smoothness_see(smoothness *s, const net_view *v)
{
  size_t width = s->report.width, l = v->layer;
  if (l == 0) {
    see_place(&s->block, 0, v, v->input);
    s->seen += v->tokens;
  }
  see_place(&s->block, l + 1, v, v->output);
  see_change(&s->block, l + 1, v->tokens, width, v->input, v->output);
  see_place(&s->mixer, l, v, v->mixer);
  if (l)
    see_change(&s->mixer, l, v->tokens, width, s->mixer_before, v->mixer);
  memcpy(s->mixer_before, v->mixer, v->tokens * width * sizeof *v->mixer);
  stack_add(&s->stack, l, v->tokens, v->input, v->output);
}

static void end_row(const smoothness *s, smoothness_row *row, const kind *k, size_t place)
{
  const cloud *c = &k->cloud[place];
  measured_add(&row->distance, token_sample_distance(&k->kept, place));
  measured_add(&row->square, cloud_squared_distance(c));
  measured_add(&row->energy, cloud_energy(c, s->options.normalizer));
  measured_add(&row->cosine, cloud_cosine(c));
  measured_add(&row->neighbour, cloud_neighbour_cosine(c));
  if (place)
    measured_add(&row->layerwise, measured_mean(&k->layerwise[place]));
  row->directionless += c->directionless;
}

static void end_kind(smoothness *s, kind *k, smoothness_row *row, measured *biased, measured *debiased)
{
  for (size_t p = 0; p < k->places; p++)
    end_row(s, &row[p], k, p);
  alignment_way way = k->kept.kept == s->expected ? ALIGNMENT_ALL_ROWS : k->grams ? ALIGNMENT_GRAMS : ALIGNMENT_KEPT_ROWS;
  s->report.way = way > s->report.way ? way : s->report.way;
  if (k->grams)
    similarity_grams_finish(k->grams, biased);
  else if (k->places)
    similarity_of_rows(biased, debiased, k->kept.row, k->places, k->kept.filled[0], s->report.width);
}

void smoothness_end(smoothness *s)
{
  smoothness_report *r = &s->report;
  if (!s->seen)
    return;
  r->sequences++;
  r->tokens += s->seen;
  r->longest = s->seen > r->longest ? s->seen : r->longest;
  size_t kept = s->block.kept.filled[0];
  if (kept < s->seen && (!r->least_kept || kept < r->least_kept))
    r->least_kept = kept;
  end_kind(s, &s->block, r->block, r->block_alignment, r->block_debiased);
  end_kind(s, &s->mixer, r->mixer, r->mixer_alignment, r->mixer_debiased);
  stack_end(&s->stack, &r->sm, &r->sm_printed, &r->st, &r->st_depth_squared);
}
