/* Counts and extremes of a tensor's values, piece by piece. */
#include "dump/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

enum { PIECE = 4096, RELEASE = 2048 /* pieces between which read pages are given back */ };

/* The least positive normal number of a type; 0 where there is none. */
static double least_normal(dump_type type)
{
  switch (type) {
  case DUMP_F64:
  case DUMP_C128:
    return 0x1p-1022;
  case DUMP_F32:
  case DUMP_BF16:
  case DUMP_C64:
    return 0x1p-126;
  case DUMP_F16:
  case DUMP_F8_E5M2:
    return 0x1p-14;
  case DUMP_F8_E4M3:
    return 0x1p-6;
  default:
    return 0;
  }
}

static void count(dump_statistics *s, const double *values, size_t n, double normal)
{
  double least = s->least, most = s->most;
  uint64_t nan = 0, infinite = 0, zero = 0, below = 0;
  for (size_t i = 0; i < n; i++) {
    double x = values[i], size = fabs(x);
    bool finite = size < (double)INFINITY;
    nan += x != x;
    infinite += size == (double)INFINITY;
    zero += x == 0;
    below += size < normal;
    least = finite && x < least ? x : least;
    most = finite && x > most ? x : most;
  }
  s->least = least;
  s->most = most;
  s->nan += nan;
  s->infinite += infinite;
  s->zero += zero;
  s->subnormal += normal > 0 ? below - zero : 0;
  s->has_finite = s->has_finite || nan + infinite < n;
}

assay_status dump_measure(dump_statistics *statistics, const dump_file *file, const dump_tensor *tensor,
                          dump_error *error)
{
  *statistics = (dump_statistics){.least = (double)INFINITY, .most = -(double)INFINITY};
  unsigned lanes = dump_lanes(tensor->type);
  if (dump_type_bytes(tensor->type) > 0 && tensor->count > tensor->bytes) {
    char *name = dump_quote(tensor->name);
    dump_error_set_tensor(error, file, tensor,
                          "tensor %s shows the same bytes over and over: %llu elements, %llu bytes", name,
                          (unsigned long long)tensor->count, (unsigned long long)tensor->bytes);
    free(name);
    return STATUS_BAD_INPUT;
  }
  double *values = memory_new((size_t)PIECE * lanes, sizeof *values);
  assay_status status = STATUS_OK;
  for (uint64_t first = 0; status == STATUS_OK && first < tensor->count; first += PIECE) {
    size_t n = tensor->count - first < PIECE ? (size_t)(tensor->count - first) : PIECE;
    status = dump_values(file, values, tensor, first, n, error);
    if (status == STATUS_OK)
      count(statistics, values, n * lanes, least_normal(tensor->type));
    if (first / PIECE % RELEASE == RELEASE - 1)
      dump_release(file, tensor);
  }
  dump_release(file, tensor);
  free(values);
  statistics->known = status == STATUS_OK;
  return status;
}
