/* assay tensors: what is in a parameter file. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "core/memory.h"
#include "dump/dump.h"
#include "dump/statistics.h"
#include "report/results_json.h"
#include "report/tensors_json.h"
#include "report/tensors_text.h"

static void complain(dump_error *error)
{
  fputs("assay: error: ", stderr);
  dump_error_print(stderr, error);
  dump_error_clear(error);
}

/* One entry for each tensor; what cannot be read is reported and left unknown, and *fine is false then.
 * Values of a type that nobody reads are no error. */
static dump_statistics *measure(const dump_file *file, bool *fine)
{
  size_t count = dump_count(file);
  dump_statistics *all = memory_new(count + 1, sizeof *all);
  for (size_t k = 0; k < count; k++) {
    const dump_tensor *tensor = dump_get(file, k);
    dump_error error;
    dump_error_init(&error);
    if (tensor->type != DUMP_OTHER && dump_measure(&all[k], file, tensor, &error) != STATUS_OK) {
      complain(&error);
      *fine = false;
    }
  }
  return all;
}

int cmd_tensors(const options *o, diag *d)
{
  if (o->arguments != 1) {
    diag_error_plain(d, "tensors takes one file or folder; see assay help tensors");
    return EXIT_BAD_INPUT;
  }
  dump_limits limits = dump_limits_default();
  if (o->header_limit)
    limits.header_bytes = o->header_limit;
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(o->argument[0], &limits, &error);
  if (file == NULL) {
    complain(&error);
    return EXIT_BAD_INPUT;
  }
  bool fine = true;
  dump_statistics *statistics = o->stats ? measure(file, &fine) : NULL;
  if (!o->json || o->json[0] != '-' || o->json[1])
    tensors_text_write(stdout, file, statistics);
  if (o->json) {
    json_t *value = tensors_json_create(file, statistics);
    fine = results_json_write(d, o->json, value) && fine;
    json_decref(value);
  }
  free(statistics);
  dump_close(file);
  return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}
