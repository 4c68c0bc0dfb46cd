/* The states of a net in a file: what sequences have left behind, to go on from there.
 *
 * An .npz of the arrays of net_state, each with the sequences in front ([batch, ...]), and `tokens`, [batch]: how many tokens
 * each sequence has had. Values are kept to the bit. */
#ifndef ASSAY_CLI_RUN_STATE_H
#define ASSAY_CLI_RUN_STATE_H

#include "cli/sim_input.h"
#include "dump/npz_write.h"

/* One state for each sequence of `in`; free with run_states_destroy. `path` NULL: those of empty sequences. NULL with one
 * message when the file does not hold just the arrays of this net, for just so many sequences. */
net_state **run_states_create(diag *d, const sim_input *in, const char *path);
void run_states_destroy(net_state **states, size_t count);

/* Writes them to `file` as of npz_writer_create. False with one message when that fails. */
bool run_states_write(diag *d, net_state *const *states, size_t count, int file, const char *path);

#endif
