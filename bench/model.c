/* model make KIND FILE: writes parameters shaped like those of Mamba-2.8B, 64 layers, 5120 channels, 16 states, F32, as
 * safetensors. KIND is
 *
 *   zeros    a sparse file: every number is 0
 *   initial  A_log = log n, and biases whose steps are log-uniform in [0.001, 0.1], as such models begin
 *   moved    the same, A_log moved by up to 0.1, entry by entry
 *
 * model run FILE FAMILY...: the certified audit of the bias point on one thread, with all that a report says, beside the plain
 * loop of rival_plain.c over the same file. Both begin with the file closed; the audit also reads the families. They take
 * turns; processor time, the median over the rounds.
 *
 * On standard output SECONDS of the audit, SECONDS of the loop, and how many entries hold according to either. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check/model_audit.h"
#include "core/diag.h"
#include "core/memory.h"
#include "core/text.h"
#include "lang/claim.h"
#include "rival_plain.h"

enum { ROUNDS = 9 };
static const rival_shape shape = {64, 5120, 16};

/* ---- the file ---- */

static void write_header(FILE *f)
{
  text header;
  text_init(&header);
  size_t at = 0, rates = 4 * shape.channels * shape.states, biases = 4 * shape.channels;
  for (size_t k = 0; k < shape.layers; k++, at += rates + biases) {
    text_addf(&header, "%s\"backbone.layers.%zu.mixer.A_log\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],"
              "\"data_offsets\":[%zu,%zu]},", k ? "," : "{", k, shape.channels, shape.states, at, at + rates);
    text_addf(&header, "\"backbone.layers.%zu.mixer.dt_proj.bias\":{\"dtype\":\"F32\",\"shape\":[%zu],"
              "\"data_offsets\":[%zu,%zu]}", k, shape.channels, at + rates, at + rates + biases);
  }
  text_add(&header, "}");
  uint64_t length = strlen(text_string(&header));
  fwrite(&length, sizeof length, 1, f);
  fwrite(text_string(&header), 1, length, f);
  text_clear(&header);
}

/* In [0, 1), the same on every run. */
static double next_uniform(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static void write_numbers(FILE *f, bool moved)
{
  uint64_t state = 1;
  for (size_t k = 0; k < shape.layers; k++) {
    for (size_t c = 0; c < shape.channels; c++)
      for (size_t n = 1; n <= shape.states; n++) {
        float a_log = (float)(log((double)n) + (moved ? 0.2 * next_uniform(&state) - 0.1 : 0));
        fwrite(&a_log, sizeof a_log, 1, f);
      }
    for (size_t c = 0; c < shape.channels; c++) {
      double step = exp(log(0.001) + next_uniform(&state) * log(100));
      float bias = (float)log(expm1(step));
      fwrite(&bias, sizeof bias, 1, f);
    }
  }
}

static bool make(const char *kind, const char *path)
{
  FILE *f = fopen(path, "wb");
  if (!f)
    return false;
  write_header(f);
  bool fine = true;
  if (!strcmp(kind, "zeros")) {
    off_t end = (off_t)(ftell(f) + (long)(4 * shape.layers * shape.channels * (shape.states + 1)));
    fine = fflush(f) == 0 && ftruncate(fileno(f), end) == 0;
  } else {
    write_numbers(f, !strcmp(kind, "moved"));
  }
  fine = fine && !ferror(f);
  return fclose(f) == 0 && fine;
}

/* ---- the race ---- */

static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static assay_status audit_file(model_report *report, const claim *const *families, size_t count, const char *path,
                               dump_error *error)
{
  dump_file *file = dump_open(path, NULL, error);
  if (!file)
    return STATUS_BAD_INPUT;
  model m;
  assay_status status = model_recognise(&m, families, count, file, error);
  if (status == STATUS_OK) {
    model_options options = model_options_default();
    options.threads = 1;
    status = model_audit(report, &m, &options, error);
    model_clear(&m);
  }
  dump_close(file);
  return status;
}

/* Reads the families, then audits. *holds is set; false when something failed. */
static bool audit(int64_t *holds, const char *path, char **family, size_t families)
{
  diag *d = diag_create(stderr, 1);
  library **library_of = memory_new(families, sizeof *library_of);
  const claim **list = NULL;
  size_t count = 0;
  bool fine = true;
  for (size_t i = 0; i < families && fine; i++) {
    library_of[i] = library_read(d, family[i], 0);
    fine = library_of[i] != NULL;
    for (unsigned k = 0; fine && k < library_families(library_of[i]); k++) {
      list = memory_resize(list, count + 1, sizeof *list);
      list[count++] = library_family(library_of[i], k);
    }
  }
  dump_error error;
  model_report report;
  dump_error_init(&error);
  fine = fine && audit_file(&report, list, count, path, &error) == STATUS_OK;
  if (fine) {
    *holds = (int64_t)report.total.holds;
    fine = report.total.holds + report.total.fails == (uint64_t)(shape.layers * shape.channels * shape.states);
    model_report_clear(&report);
  } else if (error.message) {
    dump_error_print(stderr, &error);
  }
  dump_error_clear(&error);
  for (size_t i = 0; i < families; i++)
    if (library_of[i])
      library_destroy(library_of[i]);
  free(library_of);
  free(list);
  diag_destroy(d);
  return fine;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int race(const char *path, char **family, size_t families)
{
  double ours[ROUNDS], plain[ROUNDS];
  int64_t certified = 0, counted = 0;
  for (int i = -1; i < ROUNDS; i++) { /* the first round is for the caches, and not counted */
    double start = processor_seconds();
    if (!audit(&certified, path, family, families))
      return 1;
    double middle = processor_seconds();
    counted = rival_plain_count(path, &shape);
    if (counted < 0)
      return 1;
    ours[i < 0 ? 0 : i] = middle - start;
    plain[i < 0 ? 0 : i] = processor_seconds() - middle;
  }
  qsort(ours, ROUNDS, sizeof *ours, by_size);
  qsort(plain, ROUNDS, sizeof *plain, by_size);
  printf("%.4f %.4f %" PRId64 " %" PRId64 "\n", ours[ROUNDS / 2], plain[ROUNDS / 2], certified, counted);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 4 && !strcmp(argv[1], "make"))
    return make(argv[2], argv[3]) ? 0 : 1;
  if (argc > 3 && !strcmp(argv[1], "run"))
    return race(argv[2], argv + 3, (size_t)argc - 3);
  fprintf(stderr, "usage: model make zeros|initial|moved FILE; model run FILE FAMILY...\n");
  return 2;
}
