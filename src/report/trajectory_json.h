/* What claims came to on trajectories (check/trajectory.h), for programs. */
#ifndef ASSAY_REPORT_TRAJECTORY_JSON_H
#define ASSAY_REPORT_TRAJECTORY_JSON_H

#include <jansson.h>

#include "check/trajectory.h"

/* A new object, owned by the caller: "trajectories" of the results file. */
json_t *trajectory_json_create(const trajectory_report *r);

#endif
