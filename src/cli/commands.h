/* The subcommands. Each returns the exit status of the program; messages go to d, results to standard
 * output. */
#ifndef ASSAY_CLI_COMMANDS_H
#define ASSAY_CLI_COMMANDS_H

#include "cli/options.h"
#include "core/diag.h"

enum { TABLE_TRIALS = 200 }; /* of assay table: linear programs answer most of its claims */

int cmd_audit(const options *o, diag *d);
int cmd_list(const options *o, diag *d);
int cmd_show(const options *o, diag *d);
int cmd_decide(const options *o, diag *d);
int cmd_model(const options *o, diag *d);
int cmd_tensors(const options *o, diag *d);
int cmd_simulate(const options *o, diag *d);
int cmd_measure(const options *o, diag *d);
int cmd_table(const options *o, diag *d);
/* `topic` 0: the program as a whole. */
int cmd_help(command_kind topic);

#endif
