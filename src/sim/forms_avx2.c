/* The inner loops for AVX2. */
#include "sim/forms_internal.h"

#ifdef FORM_X86
#define LANES_WIDTH 4
#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_TABLE form_loops_avx2
#include "sim/forms_lanes.h"
#endif
