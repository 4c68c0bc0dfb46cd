/* assay audit --model: the instances are what a model did with sequences (check/trajectory.h). */
#ifndef ASSAY_CLI_AUDIT_MODEL_H
#define ASSAY_CLI_AUDIT_MODEL_H

#include "check/trajectory.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/targets.h"

/* Whether the options go together: those of a search not with --model, those of a model not without it. A message if not. */
bool audit_model_check(diag *d, const options *o);

/* The claims that are asked where none is named. False with messages. */
bool audit_model_add_claims(target_list *targets);

/* Opens model and sequences, and runs them. False with one message in d, and an empty report. */
bool audit_model_run(trajectory_report *r, diag *d, const options *o, const claim *const *claims, size_t count,
                     progress *bar, const volatile int *stop);

#endif
