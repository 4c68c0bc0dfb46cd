/* What claims came to on trajectories (check/trajectory.h), for people: for each claim a table over the layers. */
#ifndef ASSAY_REPORT_TRAJECTORY_TEXT_H
#define ASSAY_REPORT_TRAJECTORY_TEXT_H

#include <stdio.h>

#include "check/trajectory.h"

void trajectory_text_write(FILE *out, const trajectory_report *r);

/* A number that no slack of this kind is below, to so many digits, rounded down; NULL when nothing is known. The caller frees. */
char *trajectory_least(const trajectory_answer *a, int kind, int digits);

#endif
