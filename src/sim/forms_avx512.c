/* The inner loops for AVX-512. */
#include "sim/forms_internal.h"

#ifdef FORM_X86
#define LANES_WIDTH 8
#define LANES_TARGET __attribute__((target("avx512f")))
#define LANES_TABLE form_loops_avx512
#include "sim/forms_lanes.h"
#endif
