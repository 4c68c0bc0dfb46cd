/* Which code computes a selective scan, and how its channels are handed out to threads; the contract is in scan.h. */
#include "sim/scan.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdint.h>
#include <stdlib.h>

#include "core/memory.h"
#include "sim/scan_vector.h"

bool scan_has_target(scan_target target)
{
  switch (target) {
  case SCAN_BEST:
  case SCAN_GENERIC:
    return true;
#ifdef SCAN_HAS_X86
  case SCAN_AVX2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case SCAN_AVX512:
    return scan_has_target(SCAN_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
  default:
    return false;
  }
}

scan_channels *scan_channels_of(scan_target target)
{
#ifdef SCAN_HAS_X86
  if (target == SCAN_AVX512 || (target == SCAN_BEST && scan_has_target(SCAN_AVX512)))
    return scan_channels_avx512;
  if (target == SCAN_AVX2 || (target == SCAN_BEST && scan_has_target(SCAN_AVX2)))
    return scan_channels_avx2;
#else
  (void)target;
#endif
  return scan_channels_generic;
}

scan_decays *scan_decays_of(scan_target target)
{
  scan_channels *of = scan_channels_of(target);
#ifdef SCAN_HAS_X86
  if (of == scan_channels_avx512)
    return scan_decays_avx512;
  if (of == scan_channels_avx2)
    return scan_decays_avx2;
#endif
  (void)of;
  return scan_decays_generic;
}

/* Upper bound of what scan_lanes.h puts there, in bytes. */
static size_t work_size(const scan_layer *layer, const scan_outputs *out)
{
  size_t records = (out->alpha.at ? 1u : 0u) + (out->h.at ? 1u : 0u);
  size_t per_state = 2 * SCAN_GROUP + records * SCAN_TILE * SCAN_LANES;
  size_t doubles = memory_add(memory_multiply(per_state, layer->states),
                              3 * SCAN_TILE * SCAN_LANES + SCAN_GROUP);
  return memory_multiply(doubles, sizeof(double));
}

void *scan_work_new(const scan_layer *layer, const scan_outputs *out)
{
  size_t size = work_size(layer, out);
  void *work = aligned_alloc(64, memory_add(size, 63) / 64 * 64);
  if (!work)
    memory_die("out of memory");
  return work;
}

scan_groups scan_part_channels(size_t channels, size_t pieces, int threads)
{
  size_t count = (channels + SCAN_GROUP - 1) / SCAN_GROUP, several = (size_t)threads;
  while (count * pieces % several) /* the fewest more that make it even */
    count++;
  size_t width = (channels + count - 1) / count;
  width = (width + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES;
  return (scan_groups){(channels + width - 1) / width, width};
}

static void scan_vector(scan_channels *run, double *state, const scan_outputs *out, const scan_layer *layer,
                        const scan_inputs *in, int threads)
{
  scan_groups groups = scan_part_channels(layer->channels, in->sequences, threads);
  int64_t parts = (int64_t)memory_multiply(groups.count, in->sequences);
#pragma omp parallel num_threads(threads) if (threads > 1 && parts > 1)
  {
    void *work = scan_work_new(layer, out);
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < parts; i++) {
      size_t s = (size_t)i / groups.count, first = (size_t)i % groups.count * groups.width;
      size_t channels = layer->channels - first < groups.width ? layer->channels - first : groups.width;
      const scan_part part = {layer, in, out, state + (s * layer->channels + first) * layer->states,
                              s, first, channels, 0, in->tokens};
      run(work, &part);
    }
    free(work);
  }
}

assay_status scan_selective(const scan_options *options, double *state, const scan_outputs *out,
                            const scan_layer *layer, const scan_inputs *in)
{
  static const scan_options defaults = {0};
  if (!options)
    options = &defaults;
  if (!scan_has_target(options->target))
    return STATUS_UNABLE;
  if (!layer->channels || !in->sequences || !in->tokens)
    return STATUS_OK;
#ifdef _OPENMP
  int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  int threads = 1;
#endif
  if (options->method == SCAN_REFERENCE)
    scan_reference(state, out, layer, in);
  else if (options->method == SCAN_CHUNKED)
    scan_chunked(scan_channels_of(options->target), state, out, layer, in, threads);
  else
    scan_vector(scan_channels_of(options->target), state, out, layer, in, threads);
  return STATUS_OK;
}
