/* What a run of a model takes in: the model, its layers that are looked at, and the sequences that go through it. Shared by
 * simulate, measure and audit --model.
 *
 * Opened in two steps, since some measures make their own sequences: first the model (the argument or --model, --family,
 * --header-limit, --polarized, --threads, --layers), then the sequences, of exactly one kind:
 *
 *   --tokens FILE    text, a line a sequence, or .npy of integers [T] or [batch, T] (sim/tokens.h)
 *   --input FILE     .npy of any floating-point type [T, M] or [batch, T, M]: vectors of the model's width M in place of
 *                    embeddings; every value finite
 *   --random N       --sequences K (1) sequences of N tokens, each id equally likely or, where the model has no embedding,
 *                    of N vectors of independent standard normal numbers. Token or vector t of sequence k is a function
 *                    of (--seed, k, t): from whatever position on one reads, and with any number of threads, it is the same
 *
 * Sequences are read piece by piece, so a long one costs the memory of a piece. All numbers count from 0. */
#ifndef ASSAY_CLI_SIM_INPUT_H
#define ASSAY_CLI_SIM_INPUT_H

#include "cli/families.h"
#include "cli/options.h"
#include "core/diag.h"
#include "core/text.h"
#include "sim/net.h"
#include "sim/tokens.h"

typedef struct {
  /* Of the model. */
  family_list families;
  dump_file *file;
  model model;
  net *net;
  net_options options; /* that the net was made with */
  bool *layers;        /* net_layers(net) of them: whether --layers names it; without --layers all are true */
  size_t layer_count;  /* how many are true */

  /* Of the sequences. */
  size_t sequences;
  uint64_t longest;    /* the largest of sim_input_length */
  bool equal_lengths;

  /* Private. */
  uint64_t seed, random; /* random 0: not of this kind */
  token_list tokens;     /* count 0: likewise */
  dump_file *vectors;    /* NULL: likewise */
  const dump_tensor *vector;
  uint32_t *token_piece;
  double *vector_piece;
  size_t room; /* tokens that the pieces have room for */
} sim_input;

/* Opens the model. False with one message in d; `in` is then closed. */
bool sim_input_open_model(sim_input *in, diag *d, const options *o, const char *path);

/* Whether the options name any sequences at all. */
bool sim_input_is_given(const options *o);

/* Opens the sequences, behind sim_input_open_model, and checks every token and every value. False with one message in d,
 * also where none of the three kinds is given, or several, or one that the model cannot take; `in` stays open. */
bool sim_input_open_sequences(sim_input *in, diag *d, const options *o);

void sim_input_close(sim_input *in);

/* Of one sequence, in tokens; >= 1. */
uint64_t sim_input_length(const sim_input *in, size_t sequence);

/* Tokens first .. first + tokens - 1 of a sequence, for net_run; tokens >= 1, and the range lies in the sequence. Pointers are
 * good until the next call. A sequence that is to give the bits of an uncut one is read in multiples of NET_PIECE. False
 * with one message in d when the file cannot be read after all. */
bool sim_input_read(sim_input *in, diag *d, net_input *piece, size_t sequence, uint64_t first, size_t tokens);

/* Appends the options that this object reads, as a command line that gives the same input again (of --layers, --family,
 * --polarized, --header-limit, --tokens, --input, --random, --sequences, --seed those that matter). */
void sim_input_add_command(text *command, const options *o);

#endif
