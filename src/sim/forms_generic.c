/* The inner loops for any machine: vectors of two. */
#define LANES_WIDTH 2
#define LANES_TARGET
#define LANES_TABLE form_loops_generic
#include "sim/forms_lanes.h"
